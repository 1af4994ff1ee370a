#pragma once

#include <string>

namespace tailbound::cli {

/// "tailbound --version --verbose": the version, how it was built, the libraries and their licences.
/// TESTS     tests/golden/help_test.cpp
[[nodiscard]] std::string version_details();

}  // namespace tailbound::cli
