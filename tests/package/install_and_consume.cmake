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

step(${CMAKE_COMMAND} --install ${tailbound_build} --prefix ${work}/prefix)
step(${CMAKE_COMMAND} -S ${consumer} -B ${work}/build -G Ninja -D CMAKE_PREFIX_PATH=${work}/prefix
     -D CMAKE_CXX_COMPILER=${compiler} -D CMAKE_CXX_COMPILER_LAUNCHER=${launcher} -D "CMAKE_CXX_FLAGS=${flags}"
     -D CMAKE_FIND_USE_PACKAGE_REGISTRY=OFF)
step(${CMAKE_COMMAND} --build ${work}/build)

step(${work}/build/size_a_buffer)
if(NOT output STREQUAL "157\n")
  message(FATAL_ERROR "16 inputs, load 9/10, drop target 1e-15: expected 157 packets, the consumer says: ${output}")
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
message(STATUS "the consumer sizes a buffer: 157 packets")
