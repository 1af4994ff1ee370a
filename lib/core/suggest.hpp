#pragma once

#include <string>
#include <string_view>
#include <vector>

/// What a misspelt word was probably meant to be.
///
/// TESTS     tests/core/suggest_test.cpp
namespace tailbound {

/// The names that begin with `given`, or else the nearest: at most two letters left out, added, changed or
/// exchanged with their neighbour, and at most half of them. None where more than three would be.
[[nodiscard]] std::vector<std::string> nearest_names(std::string_view given,
                                                     const std::vector<std::string>& names);

/// "; did you mean --inputs?", or nothing.
[[nodiscard]] std::string did_you_mean(std::string_view given, const std::vector<std::string>& names);

}  // namespace tailbound
