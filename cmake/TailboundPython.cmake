# The Python module is built where Python and pybind11 are; TAILBOUND_PYTHON_FOUND says so. Without them the rest is
# built all the same.

option(TAILBOUND_PYTHON "Build the Python module, where Python and pybind11 are" ON)
set(TAILBOUND_PYTHON_FOUND FALSE)
if(NOT TAILBOUND_PYTHON OR TAILBOUND_FUZZ)
  return()
endif()

# The system's Python, for which pybind11 and numpy are packaged, before others on the path.
if(NOT DEFINED Python_EXECUTABLE AND EXISTS /usr/bin/python3)
  set(Python_EXECUTABLE /usr/bin/python3)
endif()
find_package(Python 3.11 QUIET COMPONENTS Interpreter Development.Module)
if(Python_FOUND)  # pybind11 would look for another, and end the configuration where there is none
  find_package(pybind11 2.10 QUIET CONFIG)
endif()
if(NOT Python_FOUND OR NOT pybind11_FOUND)
  message(STATUS "No Python module: python3-dev or pybind11-dev is missing")
  return()
endif()
set(TAILBOUND_PYTHON_FOUND TRUE)
