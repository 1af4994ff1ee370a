# Compiler settings: warnings, build type, ccache, floating point, sanitized fuzzing.

if(NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "Debug, Release, RelWithDebInfo or MinSizeRel" FORCE)
endif()

set(TAILBOUND_WARNINGS -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wsign-conversion)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
  # GCC 12 reports a false overlap in "text" + std::string at -O3 (GCC bug 105651).
  list(APPEND TAILBOUND_WARNINGS -Wno-restrict)
endif()
if(TAILBOUND_WERROR)
  list(APPEND TAILBOUND_WARNINGS -Werror)
endif()

if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # The compiler runs its garbage collection later: saves a tenth of the time for a fifth more memory.
  add_compile_options("SHELL:--param ggc-min-expand=200" "SHELL:--param ggc-min-heapsize=1000000")
endif()

if(NOT DEFINED CMAKE_CXX_COMPILER_LAUNCHER)
  find_program(TAILBOUND_CCACHE ccache)
  mark_as_advanced(TAILBOUND_CCACHE)
  if(TAILBOUND_CCACHE)
    # Without these settings, ccache skips files that are compiled with a precompiled header.
    set(CMAKE_CXX_COMPILER_LAUNCHER ${CMAKE_COMMAND} -E env CCACHE_SLOPPINESS=pch_defines,time_macros
        ${TAILBOUND_CCACHE})
  endif()
endif()

# The proofs hold for the operations as written. A fused multiply-add rounds once where the derived rounding
# bounds count two roundings, and a reordered sum is another sum.
add_compile_options(-ffp-contract=off -fno-fast-math)

# One set of flags for executables and the Python module, so that each file is compiled once. Without
# interposition calls may be inlined as in code that is not position-independent.
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
add_compile_options(-fno-semantic-interposition)

# Executables load only the libraries that they use and drop unused sections, for a short start-up time.
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

# For code that computes little, compile time matters most, so it is optimised less.
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # Compiles a quarter faster than -O1, and faster than -O0. It reports values from calls that are not inlined
  # as uninitialized.
  set(TAILBOUND_THIN $<$<CONFIG:Release>:-Og> $<$<CONFIG:Release>:-Wno-maybe-uninitialized>)
else()
  set(TAILBOUND_THIN $<$<CONFIG:Release>:-O1>)
endif()
function(tailbound_thin)
  foreach(target IN LISTS ARGN)
    target_compile_options(${target} PRIVATE ${TAILBOUND_THIN})
  endforeach()
endfunction()

option(TAILBOUND_UNITY "Compile small files several at a time" ON)

# tailbound_unity(TARGET [BY_FOLDER]): compiles files of the target without options of their own up to twelve
# at a time; with BY_FOLDER files of different folders separately. Most of the compile time of a small file is
# spent on common headers, precompiled or not: templates used by headers are instantiated anew for each file.
function(tailbound_unity target)
  if(NOT TAILBOUND_UNITY)
    return()
  endif()
  set(most 12)
  get_target_property(sources ${target} SOURCES)
  list(SORT sources COMPARE FILE_BASENAME)  # so that a file that only moves stays in the same group
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
  # Names local to one file do not affect the next one. Builds file by file (preset dev) keep these warnings.
  target_compile_options(${target} PRIVATE -Wno-shadow $<$<CXX_COMPILER_ID:GNU>:-Wno-subobject-linkage>)
endfunction()

# Two thirds of the compile time of a small file are spent on external headers that nearly every file
# includes. tailbound_precompiled(NAME HEADERS HEADER... LIBRARIES LIBRARY... [OPTIONS OPTION...]): a target
# that contains only the precompiled headers. Targets that use them are compiled with the same options.
function(tailbound_precompiled name)
  cmake_parse_arguments(PARSE_ARGV 1 its "" "" "HEADERS;LIBRARIES;OPTIONS")
  set(source ${PROJECT_BINARY_DIR}/precompiled/${name}.cpp)
  file(CONFIGURE OUTPUT ${source} CONTENT "" @ONLY)
  add_library(${name} OBJECT ${source})
  target_include_directories(${name} PRIVATE ${PROJECT_SOURCE_DIR}/include)
  target_link_libraries(${name} PRIVATE ${its_LIBRARIES})
  target_compile_options(${name} PRIVATE ${TAILBOUND_WARNINGS} ${its_OPTIONS})
  target_precompile_headers(${name} PRIVATE
    <algorithm> <array> <cstdint> <filesystem> <functional> <map> <memory> <optional> <set> <sstream> <string>
    <thread> <variant> <vector> <tailbound/numeric/truth.hpp> ${its_HEADERS})
endfunction()

# tailbound_precompile(NAME TARGET...): the targets use the headers of tailbound_precompiled(NAME ...).
function(tailbound_precompile name)
  foreach(target IN LISTS ARGN)
    target_precompile_headers(${target} REUSE_FROM ${name})
    get_target_property(type ${target} TYPE)
    if(type STREQUAL "EXECUTABLE")
      target_compile_options(${target} PRIVATE -fPIC)  # as for the precompiled headers; CMake's default is -fPIE
    endif()
    if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
      # Precompiled headers no longer count as system headers, so GCC 12 shows false warnings for std::string
      # in them. The libraries below are compiled with these warnings.
      target_compile_options(${target} PRIVATE -Wno-array-bounds -Wno-stringop-overflow -Wno-stringop-overread)
    endif()
  endforeach()
endfunction()

# These files adapt the start, and fork(), of programs with GCC's address sanitizer.
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_FLAGS MATCHES "sanitize=address")
  add_library(tailbound_sanitized_start OBJECT ${CMAKE_CURRENT_LIST_DIR}/sanitized/start.cpp)
  add_library(tailbound_sanitized_fork OBJECT ${CMAKE_CURRENT_LIST_DIR}/sanitized/fork.cpp)
  set_target_properties(tailbound_sanitized_fork PROPERTIES POSITION_INDEPENDENT_CODE ON CXX_VISIBILITY_PRESET hidden)
  foreach(part start fork)
    set(objects $<TARGET_OBJECTS:tailbound_sanitized_${part}>)
    link_libraries("$<BUILD_INTERFACE:$<$<STREQUAL:$<TARGET_PROPERTY:TYPE>,EXECUTABLE>:${objects}>>")
  endforeach()
endif()
