#pragma once

#include <cstddef>
#include <string>

/// The end of a command's help: an example and its output, from cli/help/NAME.txt.
///
/// TESTS     tests/golden/help_test.cpp runs the examples
namespace tailbound::cli {

/// \param command  "buffer", "simulate tree"
/// \return  empty for a command without a file
[[nodiscard]] std::string example_of(const std::string& command);

/// A command line in lines of at most so many columns, indented by two, broken before options.
[[nodiscard]] std::string broken(const std::string& line, std::size_t width);

/// The first of them in at most four lines of 80 columns: the command line and how its output begins.
[[nodiscard]] std::string short_example_of(const std::string& command);

}  // namespace tailbound::cli
