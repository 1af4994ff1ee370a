#pragma once

#include <string>

/// What the help of a command ends with: an example and what it prints, from cli/help/NAME.txt.
///
/// TESTS     tests/golden/help_test.cpp carries the examples out
namespace tailbound::cli {

/// \param command  "buffer", "simulate tree"
/// \return  empty for a command without a file
[[nodiscard]] std::string example_of(const std::string& command);

}  // namespace tailbound::cli
