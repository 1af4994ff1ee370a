# The Python module is built if Python and pybind11 are found; TAILBOUND_PYTHON_FOUND is set then. Without
# them the rest is built as usual.

option(TAILBOUND_PYTHON "Build the Python module, where Python and pybind11 are" ON)
set(TAILBOUND_PYTHON_FOUND FALSE)
if(NOT TAILBOUND_PYTHON OR TAILBOUND_FUZZ)
  return()
endif()

# Prefers the system's Python, for which pybind11 and numpy are packaged, to others on the path.
if(NOT DEFINED Python_EXECUTABLE AND EXISTS /usr/bin/python3)
  set(Python_EXECUTABLE /usr/bin/python3)
endif()
find_package(Python 3.11 QUIET COMPONENTS Interpreter Development.Module)
if(Python_FOUND)  # otherwise pybind11 would search for another one, and fail if there is none
  find_package(pybind11 2.10 QUIET CONFIG)
endif()
if(NOT Python_FOUND OR NOT pybind11_FOUND)
  message(STATUS "No Python module: python3-dev or pybind11-dev is missing")
  return()
endif()
set(TAILBOUND_PYTHON_FOUND TRUE)
