# Runs the first benchmark of PROGRAM once, so that the benchmarks keep working. Times are ignored.
execute_process(COMMAND ${PROGRAM} --benchmark_list_tests=true OUTPUT_VARIABLE names RESULT_VARIABLE status)
string(REGEX MATCH "^[^\n]+" first "${names}")
if(NOT status EQUAL 0 OR first STREQUAL "")
  message(FATAL_ERROR "${PROGRAM} lists no benchmarks (status ${status})")
endif()
string(REGEX REPLACE "([][+.*()^$?|])" "\\\\\\1" pattern "${first}")
execute_process(COMMAND ${PROGRAM} --benchmark_min_time=0 "--benchmark_filter=^${pattern}$"
                OUTPUT_VARIABLE shown ERROR_VARIABLE complaints RESULT_VARIABLE status)
string(FIND "${shown}" "${first}" place)
if(NOT status EQUAL 0 OR place EQUAL -1 OR "${shown}${complaints}" MATCHES "ERROR OCCURRED")
  message(FATAL_ERROR "${first}: status ${status}\n${shown}\n${complaints}")
endif()
message("${first} runs")
