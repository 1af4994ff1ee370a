# cmake --install: the executable, the libraries, their headers, and what find_package(tailbound) reads.

include(CMakePackageConfigHelpers)
set(package_folder ${CMAKE_INSTALL_LIBDIR}/cmake/tailbound)

get_property(libraries GLOBAL PROPERTY tailbound_libraries)
install(TARGETS ${libraries} EXPORT tailbound-targets INCLUDES DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(TARGETS tailbound)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/lib/tailbound ${PROJECT_SOURCE_DIR}/bounds/tailbound
        DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} FILES_MATCHING PATTERN "*.hpp")
install(EXPORT tailbound-targets NAMESPACE tailbound:: DESTINATION ${package_folder})

configure_package_config_file(${PROJECT_SOURCE_DIR}/cmake/tailbound-config.cmake.in tailbound-config.cmake
                              INSTALL_DESTINATION ${package_folder})
write_basic_package_version_file(tailbound-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/tailbound-config.cmake ${PROJECT_BINARY_DIR}/tailbound-config-version.cmake
              ${PROJECT_SOURCE_DIR}/cmake/FindMPFI.cmake
        DESTINATION ${package_folder})
install(FILES ${PROJECT_SOURCE_DIR}/LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR})
