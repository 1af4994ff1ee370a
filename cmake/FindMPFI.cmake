# MPFI (interval arithmetic on MPFR), which has neither a CMake nor a pkg-config file in Debian 12.
# Imported target MPFI::MPFI, which includes MPFR and GMP.

include(CMakeFindDependencyMacro)
find_dependency(PkgConfig)
pkg_check_modules(mpfr QUIET IMPORTED_TARGET mpfr)
pkg_check_modules(gmp QUIET IMPORTED_TARGET gmp)
find_path(MPFI_INCLUDE_DIR mpfi.h)
find_library(MPFI_LIBRARY mpfi)
mark_as_advanced(MPFI_INCLUDE_DIR MPFI_LIBRARY)

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(MPFI REQUIRED_VARS MPFI_LIBRARY MPFI_INCLUDE_DIR mpfr_FOUND gmp_FOUND)

if(MPFI_FOUND AND NOT TARGET MPFI::MPFI)
  add_library(MPFI::MPFI UNKNOWN IMPORTED)
  set_target_properties(MPFI::MPFI PROPERTIES IMPORTED_LOCATION ${MPFI_LIBRARY}
                        INTERFACE_INCLUDE_DIRECTORIES ${MPFI_INCLUDE_DIR})
  target_link_libraries(MPFI::MPFI INTERFACE PkgConfig::mpfr PkgConfig::gmp)
endif()
