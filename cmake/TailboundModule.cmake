# One library per module: its sources stand beside its headers. A new file needs no edit here.

# tailbound_library(name folder include_root dependencies...)
# Target tailbound_NAME, known to all as tailbound::NAME, of folder/*.cpp and folder/*/*.cpp; header-only if
# there is none.
# Headers are included relative to include_root.
function(tailbound_library name folder include_root)
  file(GLOB sources CONFIGURE_DEPENDS ${folder}/*.cpp ${folder}/*/*.cpp)
  set(target tailbound_${name})
  if(sources)
    add_library(${target} STATIC ${sources})
    target_compile_options(${target} PRIVATE ${TAILBOUND_WARNINGS})
    tailbound_unity(${target})
  else()
    add_library(${target} INTERFACE)
  endif()
  add_library(tailbound::${name} ALIAS ${target})
  set_target_properties(${target} PROPERTIES EXPORT_NAME ${name})
  set_property(GLOBAL APPEND PROPERTY tailbound_libraries ${target})
  tailbound_scope(scope ${name} PUBLIC)
  target_compile_features(${target} ${scope} cxx_std_20)
  target_include_directories(${target} ${scope} $<BUILD_INTERFACE:${include_root}>)
  foreach(dependency IN LISTS ARGN)
    tailbound_link(${name} PUBLIC tailbound_${dependency})
  endforeach()
endfunction()

# A module of lib/tailbound.
function(tailbound_module name)
  tailbound_library(${name} ${PROJECT_SOURCE_DIR}/lib/tailbound/${name} ${PROJECT_SOURCE_DIR}/lib ${ARGN})
endfunction()

# target_link_libraries for a module, header-only or not.
function(tailbound_link name wanted_scope)
  tailbound_scope(scope ${name} ${wanted_scope})
  target_link_libraries(tailbound_${name} ${scope} ${ARGN})
endfunction()

# The scope to use for a property of a module: a header-only one knows INTERFACE only.
function(tailbound_scope result name wanted_scope)
  get_target_property(type tailbound_${name} TYPE)
  if(type STREQUAL "INTERFACE_LIBRARY")
    set(${result} INTERFACE PARENT_SCOPE)
  else()
    set(${result} ${wanted_scope} PARENT_SCOPE)
  endif()
endfunction()
