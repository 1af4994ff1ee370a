#pragma once

#include <string>
#include <string_view>
#include <vector>

/// Suggestions for misspelt words.
///
/// TESTS     tests/core/suggest_test.cpp
namespace tailbound {

/// The names that begin with `given`, otherwise the nearest: one letter omitted, added, changed or swapped
/// with a neighbour; the only one with the same last words ("torus" for "bidirectional-torus"); two such
/// letters, and at most half of them. None if more than three match.
[[nodiscard]] std::vector<std::string> nearest_names(std::string_view given,
                                                     const std::vector<std::string>& names);

/// "; did you mean --inputs?", or nothing.
[[nodiscard]] std::string did_you_mean(std::string_view given, const std::vector<std::string>& names);

}  // namespace tailbound
