# The steps of a consumer: install, configure, build, run. The test fails if any step fails.

# Removes the files of earlier runs.
file(REMOVE_RECURSE ${work})

function(step)
  execute_process(COMMAND ${ARGN} RESULT_VARIABLE status OUTPUT_VARIABLE output ERROR_VARIABLE output)
  if(NOT status EQUAL 0)
    list(JOIN ARGN " " command)
    message(FATAL_ERROR "${command}\n${output}")
  endif()
  set(output "${output}" PARENT_SCOPE)
endfunction()

step(${CMAKE_COMMAND} --install ${tailbound_build} --prefix ${work}/first)
file(RENAME ${work}/first ${work}/prefix)  # nothing installed may name its folder

# What pkg-config finds, except SQLite and libpcap.
step(pkg-config --variable pc_path pkg-config)
string(STRIP "$ENV{PKG_CONFIG_PATH}:${output}" folders)
string(REPLACE ":" ";" folders "${folders}")
foreach(folder IN LISTS folders)
  file(GLOB packages ${folder}/*.pc)
  list(FILTER packages EXCLUDE REGEX "/(sqlite3|libpcap)\\.pc$")
  file(COPY ${packages} DESTINATION ${work}/packages)
endforeach()
set(ENV{PKG_CONFIG_LIBDIR} ${work}/packages)
set(ENV{PKG_CONFIG_PATH} "")
step(${CMAKE_COMMAND} -S ${consumer} -B ${work}/build -G Ninja -D CMAKE_PREFIX_PATH=${work}/prefix
     -D CMAKE_CXX_COMPILER=${compiler} -D CMAKE_CXX_COMPILER_LAUNCHER=${launcher} -D "CMAKE_CXX_FLAGS=${flags}"
     -D CMAKE_FIND_USE_PACKAGE_REGISTRY=OFF)
step(${CMAKE_COMMAND} --build ${work}/build)

step(${work}/build/size_a_buffer)
set(consumed "${output}")

# The same without CMake.
file(GLOB_RECURSE description ${work}/prefix/*/tailbound.pc)
cmake_path(GET description PARENT_PATH folder)
set(ENV{PKG_CONFIG_PATH} ${folder})
step(pkg-config --cflags --libs tailbound)
separate_arguments(by_pkg_config UNIX_COMMAND "${output}")
separate_arguments(flags UNIX_COMMAND "${flags}")
step(${launcher} ${compiler} ${flags} -std=c++20 ${consumer}/main.cpp -o ${work}/by_pkg_config ${by_pkg_config})
step(${work}/by_pkg_config)
if(NOT consumed STREQUAL output)
  message(FATAL_ERROR "built by find_package, the consumer prints\n${consumed}and by pkg-config\n${output}")
endif()
step(${work}/prefix/bin/tailbound buffer --inputs 16 --load 0.9 --drop 1e-15)
if(NOT consumed STREQUAL output)
  message(FATAL_ERROR "the consumer prints\n${consumed}and the command\n${output}")
endif()

step(${work}/prefix/bin/tailbound --version)
if(NOT output MATCHES "${version}")
  message(FATAL_ERROR "the installed executable does not say version ${version}: ${output}")
endif()
step(${work}/prefix/bin/tailbound schema --accuracy)
file(READ ${accuracy} page)
if(NOT output STREQUAL page)
  message(FATAL_ERROR "the installed executable does not know the accuracy of its models: ${output}")
endif()
foreach(installed IN ITEMS man/man1/tailbound.1 man/man1/tailbound-simulate-tree.1 bash-completion/completions/tailbound
                           zsh/site-functions/_tailbound fish/vendor_completions.d/tailbound.fish)
  file(SIZE ${work}/prefix/share/${installed} bytes)
  if(bytes LESS 1000)
    message(FATAL_ERROR "share/${installed} has ${bytes} bytes")
  endif()
endforeach()
message(STATUS "the consumer sizes a buffer: 157 packets")
