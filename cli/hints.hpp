#pragma once

#include <tailbound/core/error.hpp>

#include <string>

/// Suggestions for an illegal value of an option.
///
/// TESTS     tests/golden/errors_test.cpp
namespace tailbound::cli {

/// A hint such as "85% is 0.85" as a sentence; empty if nothing is obvious.
/// \param typed  the text after the option on the command line
[[nodiscard]] std::string probably_meant(const InvalidArgument& error, const std::string& typed);

}  // namespace tailbound::cli
