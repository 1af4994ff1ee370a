# cmake --install: the executable, the libraries, their headers, and the files for find_package(tailbound).

include(CMakePackageConfigHelpers)
set(package_folder ${CMAKE_INSTALL_LIBDIR}/cmake/tailbound)

get_property(libraries GLOBAL PROPERTY tailbound_libraries)
install(TARGETS ${libraries} EXPORT tailbound-targets INCLUDES DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(TARGETS tailbound)
# Headers marked "Internal to the ... module" are not installed; no other header needs them
# (tests/architecture).
get_property(folders GLOBAL PROPERTY tailbound_module_folders)
install(CODE "set(folders \"${folders}\")\nset(destination \"${CMAKE_INSTALL_INCLUDEDIR}/tailbound\")")
install(CODE [[
  foreach(folder IN LISTS folders)
    cmake_path(GET folder PARENT_PATH base)
    file(GLOB_RECURSE headers RELATIVE ${base} ${folder}/*.hpp)
    foreach(header IN LISTS headers)
      file(STRINGS ${base}/${header} internal LIMIT_COUNT 1 REGEX "^///.*Internal to the [a-z]+ module")
      if(NOT internal)
        cmake_path(GET header PARENT_PATH place)
        cmake_path(ABSOLUTE_PATH destination BASE_DIRECTORY ${CMAKE_INSTALL_PREFIX} OUTPUT_VARIABLE whole)
        file(INSTALL DESTINATION ${whole}/${place} TYPE FILE FILES ${base}/${header})
      endif()
    endforeach()
  endforeach()
]])
install(EXPORT tailbound-targets NAMESPACE tailbound:: DESTINATION ${package_folder})

configure_package_config_file(${PROJECT_SOURCE_DIR}/cmake/tailbound-config.cmake.in tailbound-config.cmake
                              INSTALL_DESTINATION ${package_folder})
write_basic_package_version_file(tailbound-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/tailbound-config.cmake ${PROJECT_BINARY_DIR}/tailbound-config-version.cmake
              ${PROJECT_SOURCE_DIR}/cmake/FindMPFI.cmake
        DESTINATION ${package_folder})
install(FILES ${PROJECT_SOURCE_DIR}/LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR})
