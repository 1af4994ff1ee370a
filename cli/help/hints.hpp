#pragma once

#include <tailbound/core/error.hpp>

#include <string>
#include <vector>

/// What was probably meant by words of a command line that are not legal: data in hints.cpp.
///
/// TESTS     tests/golden/errors_test.cpp
namespace tailbound::cli {

/// The message of an error, with what was probably meant by the value: "did you mean 85% or 0.85?"
/// \param typed  what followed the option on the command line
[[nodiscard]] std::string with_meant(const InvalidArgument& error, const std::string& typed);

/// "unknown command 'priority'; priority classes: tailbound buffer --classes .."
/// \param before  the commands before it: "" or "simulate"
/// \param names   those that may stand there
[[nodiscard]] std::string unknown_command(const std::string& word, const std::string& before,
                                          const std::vector<std::string>& names);

/// "unknown option --cable; --cable belongs to guarantee"
/// \param command  "buffer"
[[nodiscard]] std::string unknown_option(const std::string& option, const std::string& command);

/// All words of the data, for tests.
[[nodiscard]] std::vector<std::string> hinted_commands();
[[nodiscard]] std::vector<std::string> hinted_options();

}  // namespace tailbound::cli
