# How everything here is compiled: warnings, build type, ccache, floating point, sanitized fuzzing.

if(NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "Debug, Release, RelWithDebInfo or MinSizeRel" FORCE)
endif()

set(TAILBOUND_WARNINGS -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wsign-conversion)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
  # GCC 12 sees an overlap in "text" + std::string at -O3 that is not there (GCC bug 105651).
  list(APPEND TAILBOUND_WARNINGS -Wno-restrict)
endif()
if(TAILBOUND_WERROR)
  list(APPEND TAILBOUND_WARNINGS -Werror)
endif()

if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # The compiler collects its own garbage later: a tenth of the time for a fifth more memory.
  add_compile_options("SHELL:--param ggc-min-expand=200" "SHELL:--param ggc-min-heapsize=1000000")
endif()

if(NOT DEFINED CMAKE_CXX_COMPILER_LAUNCHER)
  find_program(TAILBOUND_CCACHE ccache)
  mark_as_advanced(TAILBOUND_CCACHE)
  if(TAILBOUND_CCACHE)
    # Without the permissions, ccache takes no file that is compiled with a precompiled header.
    set(CMAKE_CXX_COMPILER_LAUNCHER ${CMAKE_COMMAND} -E env CCACHE_SLOPPINESS=pch_defines,time_macros
        ${TAILBOUND_CCACHE})
  endif()
endif()

# A fused multiply-add rounds once where the derived rounding bounds count twice, and a reordered sum is
# another sum: the proofs are about the operations as written.
add_compile_options(-ffp-contract=off -fno-fast-math)

# One set of flags for executables and the Python module, whatever of them is built: each file is compiled once. Without
# interposition calls may be inlined as in code that is not position-independent.
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
add_compile_options(-fno-semantic-interposition)

# Executables load only the libraries they use and drop the sections nobody calls: start-up counts.
add_compile_options("$<$<CONFIG:Release>:-ffunction-sections;-fdata-sections>")
add_link_options(LINKER:--as-needed "$<$<CONFIG:Release>:LINKER:--gc-sections,-O1,--hash-style=gnu>")

if(TAILBOUND_FUZZ)
  if(NOT CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
    message(FATAL_ERROR "TAILBOUND_FUZZ needs clang (libFuzzer): cmake --preset fuzz")
  endif()
  add_compile_options(-fsanitize=fuzzer-no-link,address,undefined -fno-sanitize-recover=all
                      -fno-omit-frame-pointer)
  add_link_options(-fsanitize=address,undefined)
endif()

# Code that computes little and whose time to compile is what counts: optimised no more than pays.
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # A quarter less to compile than -O1, and less than -O0; what it does not inline it takes for uninitialized.
  set(TAILBOUND_THIN $<$<CONFIG:Release>:-Og> $<$<CONFIG:Release>:-Wno-maybe-uninitialized>)
else()
  set(TAILBOUND_THIN $<$<CONFIG:Release>:-O1>)
endif()
function(tailbound_thin)
  foreach(target IN LISTS ARGN)
    target_compile_options(${target} PRIVATE ${TAILBOUND_THIN})
  endforeach()
endfunction()

option(TAILBOUND_UNITY "Compile small files some at a time" ON)

# tailbound_unity(TARGET [BY_FOLDER]): files of the target that have no options of their own are compiled up to twelve at a
# time, BY_FOLDER those of different folders here apart. Most of the time of a small file goes into what all of them have in
# common, precompiled or not: templates that headers use are instantiated anew for each.
function(tailbound_unity target)
  if(NOT TAILBOUND_UNITY)
    return()
  endif()
  set(most 12)
  get_target_property(sources ${target} SOURCES)
  list(SORT sources COMPARE FILE_BASENAME)  # so that a file that only moves stays beside the same others
  set(folders "")
  foreach(source IN LISTS sources)
    cmake_path(RELATIVE_PATH source BASE_DIRECTORY ${CMAKE_CURRENT_SOURCE_DIR} OUTPUT_VARIABLE place)
    set(folder here)
    if(BY_FOLDER IN_LIST ARGN AND place MATCHES "^([A-Za-z_]+)/")
      set(folder ${CMAKE_MATCH_1})
    endif()
    list(APPEND folders ${folder})
    list(APPEND in_${folder} ${source})
  endforeach()
  list(REMOVE_DUPLICATES folders)
  foreach(folder IN LISTS folders)
    list(LENGTH in_${folder} count)
    math(EXPR groups "(${count} + ${most} - 1) / ${most}")
    set(place 0)
    foreach(source IN LISTS in_${folder})
      math(EXPR group "${place} * ${groups} / ${count}")
      math(EXPR place "${place} + 1")
      set_source_files_properties(${source} TARGET_DIRECTORY ${target} PROPERTIES UNITY_GROUP ${folder}_${group})
    endforeach()
  endforeach()
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
  # What one file names for itself is no matter of the next one. Builds file by file (preset dev) are warned.
  target_compile_options(${target} PRIVATE -Wno-shadow $<$<CXX_COMPILER_ID:GNU>:-Wno-subobject-linkage>)
endfunction()

# Two seconds in three of a small file go into the headers of others that nearly every file has in common.
# tailbound_precompiled(NAME HEADERS HEADER... LIBRARIES LIBRARY... [OPTIONS OPTION...]): a target that only carries them
# precompiled. Those that use them are compiled with the same options.
function(tailbound_precompiled name)
  cmake_parse_arguments(PARSE_ARGV 1 its "" "" "HEADERS;LIBRARIES;OPTIONS")
  set(source ${PROJECT_BINARY_DIR}/precompiled/${name}.cpp)
  file(CONFIGURE OUTPUT ${source} CONTENT "" @ONLY)
  add_library(${name} OBJECT ${source})
  target_include_directories(${name} PRIVATE ${PROJECT_BINARY_DIR}/include)
  target_link_libraries(${name} PRIVATE ${its_LIBRARIES})
  target_compile_options(${name} PRIVATE ${TAILBOUND_WARNINGS} ${its_OPTIONS})
  target_precompile_headers(${name} PRIVATE
    <algorithm> <array> <cstdint> <filesystem> <functional> <map> <memory> <optional> <set> <sstream> <string>
    <thread> <variant> <vector> <cln/integer_io.h> <cln/rational_io.h> <tailbound/numeric/truth.hpp> ${its_HEADERS})
endfunction()

# tailbound_precompile(NAME TARGET...): the targets use what tailbound_precompiled(NAME ...) made.
function(tailbound_precompile name)
  foreach(target IN LISTS ARGN)
    target_precompile_headers(${target} REUSE_FROM ${name})
    get_target_property(type ${target} TYPE)
    if(type STREQUAL "EXECUTABLE")
      target_compile_options(${target} PRIVATE -fPIC)  # as what is precompiled was; CMake would say -fPIE
    endif()
    if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
      # What is precompiled no longer counts as a header of the system's, so that warnings are shown which GCC 12
      # wrongly gives for std::string there. The libraries below are compiled with them.
      target_compile_options(${target} PRIVATE -Wno-array-bounds -Wno-stringop-overflow -Wno-stringop-overread)
    endif()
  endforeach()
endfunction()

# Programs with GCC's address sanitizer start, and fork, with what these files say.
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_FLAGS MATCHES "sanitize=address")
  add_library(tailbound_sanitized_start OBJECT ${CMAKE_CURRENT_LIST_DIR}/sanitized/start.cpp)
  add_library(tailbound_sanitized_fork OBJECT ${CMAKE_CURRENT_LIST_DIR}/sanitized/fork.cpp)
  set_target_properties(tailbound_sanitized_fork PROPERTIES POSITION_INDEPENDENT_CODE ON CXX_VISIBILITY_PRESET hidden)
  foreach(part start fork)
    set(objects $<TARGET_OBJECTS:tailbound_sanitized_${part}>)
    link_libraries("$<BUILD_INTERFACE:$<$<STREQUAL:$<TARGET_PROPERTY:TYPE>,EXECUTABLE>:${objects}>>")
  endforeach()
endif()
