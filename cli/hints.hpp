#pragma once

#include <tailbound/core/error.hpp>

#include <string>

/// What was probably meant by the value of an option that is not legal.
///
/// TESTS     tests/golden/refusals_test.cpp
namespace tailbound::cli {

/// "85% is 0.85", "0.5 is written with a point": a sentence; empty where nothing is clear.
/// \param typed  what followed the option on the command line
[[nodiscard]] std::string probably_meant(const InvalidArgument& error, const std::string& typed);

}  // namespace tailbound::cli
