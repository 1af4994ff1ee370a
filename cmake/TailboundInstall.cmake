# cmake --install: the executable, the libraries, the public headers, and the files for find_package(tailbound).

include(CMakePackageConfigHelpers)
set(package_folder ${CMAKE_INSTALL_LIBDIR}/cmake/tailbound)

get_property(libraries GLOBAL PROPERTY tailbound_libraries)
install(TARGETS ${libraries} EXPORT tailbound-targets INCLUDES DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(TARGETS tailbound)
# The headers of include/tailbound and all that they include.
install(CODE "set(from ${PROJECT_SOURCE_DIR}/include)\nset(to \"${CMAKE_INSTALL_INCLUDEDIR}\")")
install(CODE [[
  file(GLOB headers RELATIVE ${from} ${from}/tailbound/*.hpp)
  set(installed "")
  while(headers)
    list(POP_FRONT headers header)
    list(APPEND installed ${header})
    cmake_path(GET header PARENT_PATH place)
    cmake_path(ABSOLUTE_PATH to BASE_DIRECTORY ${CMAKE_INSTALL_PREFIX} OUTPUT_VARIABLE whole)
    file(INSTALL DESTINATION ${whole}/${place} TYPE FILE FILES ${from}/${header})
    file(STRINGS ${from}/${header} lines REGEX "^#include <tailbound/")
    list(TRANSFORM lines REPLACE "^#include <([^>]+)>.*" "\\1")
    list(APPEND headers ${lines})
    list(REMOVE_DUPLICATES headers)
    list(REMOVE_ITEM headers ${installed})
  endwhile()
]])
install(EXPORT tailbound-targets NAMESPACE tailbound:: DESTINATION ${package_folder})

# packages_of_NAME: what must be found for the component NAME, by pkg-config or, in capitals, by a module.
function(tailbound_packages result target)
  get_target_property(links ${target} INTERFACE_LINK_LIBRARIES)
  set(packages "")
  foreach(link IN LISTS links)
    if(link MATCHES "(PkgConfig|GLPK)::([A-Za-z0-9]+)")
      list(APPEND packages ${CMAKE_MATCH_2})
    elseif(link MATCHES "^(tailbound_[a-z]+)$")
      tailbound_packages(below ${link})
      list(APPEND packages ${below})
    endif()
  endforeach()
  list(REMOVE_DUPLICATES packages)
  set(${result} ${packages} PARENT_SCOPE)
endfunction()
set(components "")
foreach(library IN LISTS libraries)
  tailbound_packages(packages ${library})
  get_target_property(name ${library} EXPORT_NAME)
  string(APPEND components "set(packages_of_${name} ${packages})\n")
endforeach()

configure_package_config_file(${PROJECT_SOURCE_DIR}/cmake/tailbound-config.cmake.in tailbound-config.cmake
                              INSTALL_DESTINATION ${package_folder})
write_basic_package_version_file(tailbound-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/tailbound-config.cmake ${PROJECT_BINARY_DIR}/tailbound-config-version.cmake
              ${PROJECT_SOURCE_DIR}/cmake/FindMPFI.cmake ${PROJECT_SOURCE_DIR}/cmake/FindGLPK.cmake
        DESTINATION ${package_folder})
install(FILES ${PROJECT_SOURCE_DIR}/LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR})
