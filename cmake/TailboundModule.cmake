# One library per module, with sources and headers in the same folder. A new file needs no edit here.

# Headers are included as <tailbound/NAME/...>: include/tailbound has a link NAME to the folder of each module.

# tailbound_module(name dependencies... [WITHOUT sources...])
# Target tailbound_NAME, alias tailbound::NAME, with all sources below its folder. The folder is the current
# one or, from the top-level CMakeLists.txt, lib/NAME. The module is header-only if it has no sources.
# WITHOUT: these belong to a tailbound_part().
function(tailbound_module name)
  cmake_parse_arguments(PARSE_ARGV 1 its "" "" "WITHOUT")
  set(folder ${CMAKE_CURRENT_SOURCE_DIR})
  if(folder STREQUAL PROJECT_SOURCE_DIR)
    set(folder ${PROJECT_SOURCE_DIR}/lib/${name})
  endif()
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${folder}/*.cpp)
  list(TRANSFORM its_WITHOUT PREPEND ${folder}/)
  list(REMOVE_ITEM sources "" ${its_WITHOUT})
  set(target tailbound_${name})
  if(sources)
    add_library(${target} STATIC ${sources})
    target_compile_options(${target} PRIVATE ${TAILBOUND_WARNINGS})
    tailbound_unity(${target})
  else()
    add_library(${target} INTERFACE)
  endif()
  tailbound_exported(${name})
  tailbound_scope(scope ${name} PUBLIC)
  target_compile_features(${target} ${scope} cxx_std_20)
  target_include_directories(${target} ${scope} $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include>)
  foreach(dependency IN LISTS its_UNPARSED_ARGUMENTS)
    tailbound_link(${name} PUBLIC tailbound_${dependency})
  endforeach()
endfunction()

# tailbound_part(name module sources...): sources that need a library which the module's other users need not have.
function(tailbound_part name module)
  add_library(tailbound_${name} STATIC ${ARGN})
  target_compile_options(tailbound_${name} PRIVATE ${TAILBOUND_WARNINGS})
  tailbound_unity(tailbound_${name})
  tailbound_exported(${name})
  tailbound_link(${name} PUBLIC tailbound_${module})
endfunction()

function(tailbound_exported name)
  add_library(tailbound::${name} ALIAS tailbound_${name})
  set_target_properties(tailbound_${name} PROPERTIES EXPORT_NAME ${name})
  set_property(GLOBAL APPEND PROPERTY tailbound_libraries tailbound_${name})
endfunction()

# target_link_libraries for a module, header-only or not.
function(tailbound_link name wanted_scope)
  tailbound_scope(scope ${name} ${wanted_scope})
  target_link_libraries(tailbound_${name} ${scope} ${ARGN})
endfunction()

# The scope to use for a property of a module: header-only modules support INTERFACE only.
function(tailbound_scope result name wanted_scope)
  get_target_property(type tailbound_${name} TYPE)
  if(type STREQUAL "INTERFACE_LIBRARY")
    set(${result} INTERFACE PARENT_SCOPE)
  else()
    set(${result} ${wanted_scope} PARENT_SCOPE)
  endif()
endfunction()

# Text files as C++: an entry {"STEM", R"text(CONTENT)text"}, per file. They need no path at run time.
function(tailbound_texts result)
  set(entries "")
  foreach(file IN LISTS ARGN)
    cmake_path(GET file STEM LAST_ONLY name)
    file(READ ${file} content)
    string(APPEND entries "    {\"${name}\", R\"text(${content})text\"},\n")
  endforeach()
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${ARGN})
  set(${result} "${entries}" PARENT_SCOPE)
endfunction()
