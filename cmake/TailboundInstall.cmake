# cmake --install: everything but the documentation. Components: program (the default of a rule without one),
# development, python, mpi, and doc (the site, after the target `site`). Nothing installed names the prefix.

include(CMakePackageConfigHelpers)
set(package_folder ${CMAKE_INSTALL_LIBDIR}/cmake/tailbound)
set(CMAKE_INSTALL_DEFAULT_COMPONENT_NAME development)

get_property(libraries GLOBAL PROPERTY tailbound_libraries)
install(TARGETS ${libraries} EXPORT tailbound-targets INCLUDES DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
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

# What TARGET needs. libraries: itself and those of tailbound below it. packages: what must be found, by pkg-config
# or, in capitals, by a module. flags: what the linker finds by itself.
function(tailbound_needs target libraries packages flags)
  get_target_property(links ${target} INTERFACE_LINK_LIBRARIES)
  set(all_libraries ${target})
  foreach(link IN LISTS links)
    if(link MATCHES "(PkgConfig|GLPK)::([A-Za-z0-9]+)")
      list(APPEND all_packages ${CMAKE_MATCH_2})
    elseif(link MATCHES "quadmath")
      list(APPEND all_flags -lquadmath)
    elseif(link MATCHES "^(tailbound_[a-z]+)$")
      tailbound_needs(${link} below packages_below flags_below)
      list(APPEND all_libraries ${below})
      list(APPEND all_packages ${packages_below})
      list(APPEND all_flags ${flags_below})
    endif()
  endforeach()
  foreach(each IN ITEMS libraries packages flags)
    list(REMOVE_DUPLICATES all_${each})
    set(${${each}} ${all_${each}} PARENT_SCOPE)
  endforeach()
endfunction()
set(components "")
foreach(library IN LISTS libraries)
  tailbound_needs(${library} below packages flags)
  get_target_property(name ${library} EXPORT_NAME)
  string(APPEND components "set(packages_of_${name} ${packages})\n")
endforeach()

configure_package_config_file(${PROJECT_SOURCE_DIR}/cmake/tailbound-config.cmake.in tailbound-config.cmake
                              INSTALL_DESTINATION ${package_folder})
write_basic_package_version_file(tailbound-config-version.cmake COMPATIBILITY SameMajorVersion)
install(FILES ${PROJECT_BINARY_DIR}/tailbound-config.cmake ${PROJECT_BINARY_DIR}/tailbound-config-version.cmake
              ${PROJECT_SOURCE_DIR}/cmake/FindMPFI.cmake ${PROJECT_SOURCE_DIR}/cmake/FindGLPK.cmake
        DESTINATION ${package_folder})

# pkg-config: the component render. A linker reads archives once, so users stand before what they use: in the
# reverse order of their definition.
tailbound_needs(tailbound_render below packages flags)
set(pc_libraries "")
foreach(library IN LISTS libraries)
  get_target_property(type ${library} TYPE)
  if(library IN_LIST below AND NOT type STREQUAL "INTERFACE_LIBRARY")
    set(pc_libraries "-l${library} ${pc_libraries}")
  endif()
endforeach()
list(TRANSFORM packages REPLACE "^GLPK$" "" OUTPUT_VARIABLE pc_packages)
list(REMOVE_ITEM pc_packages "")
list(JOIN pc_packages " " pc_packages)
list(JOIN flags " " pc_flags)
cmake_path(SET pkgconfig_folder ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
cmake_path(RELATIVE_PATH CMAKE_INSTALL_PREFIX BASE_DIRECTORY ${CMAKE_INSTALL_PREFIX}/${pkgconfig_folder}
           OUTPUT_VARIABLE pc_prefix)
configure_file(cmake/tailbound.pc.in tailbound.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/tailbound.pc DESTINATION ${pkgconfig_folder})

set(CMAKE_INSTALL_DEFAULT_COMPONENT_NAME program)
install(TARGETS tailbound)
# The independent check of certificates: Python scripts, which need nothing else of tailbound.
file(GLOB scripts CONFIGURE_DEPENDS share/*.py)
install(FILES ${scripts} DESTINATION ${CMAKE_INSTALL_DATADIR}/tailbound)
install(DIRECTORY share/examples DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(FILES LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR})

add_custom_target(site COMMAND ${PROJECT_SOURCE_DIR}/docs/site/build $<TARGET_FILE:tailbound> ${PROJECT_BINARY_DIR}/docs
                  USES_TERMINAL)
add_dependencies(site tailbound)
install(DIRECTORY ${PROJECT_BINARY_DIR}/docs/html DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT doc EXCLUDE_FROM_ALL)

# cpack -G TGZ: one archive that works wherever it is unpacked, with a list of the libraries that it needs next to it.
set(CPACK_PACKAGE_NAME tailbound)
set(CPACK_PACKAGE_FILE_NAME tailbound-${PROJECT_VERSION}-${CMAKE_SYSTEM_NAME}-${CMAKE_SYSTEM_PROCESSOR})
set(CPACK_GENERATOR TGZ)
set(CPACK_STRIP_FILES ON)
set(CPACK_ARCHIVE_COMPONENT_INSTALL ON)
set(CPACK_COMPONENT_INCLUDE_TOPLEVEL_DIRECTORY ON)
set(CPACK_COMPONENTS_GROUPING ALL_COMPONENTS_IN_ONE)
set(CPACK_COMPONENTS_ALL program development)
set(CPACK_PRE_BUILD_SCRIPTS ${PROJECT_SOURCE_DIR}/cmake/needs.cmake)
if(PROJECT_IS_TOP_LEVEL)
  include(CPack)
endif()
