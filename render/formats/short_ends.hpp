#pragma once

#include <string>
#include <utility>

namespace tailbound::render {

/// The ends of an interval for display: to three digits of its width, rounded outwards.
/// Decimals that are not positive or have different exponents stay unchanged; so do ends that are already
/// short.
/// TESTS  tests/render/html_test.cpp
[[nodiscard]] std::pair<std::string, std::string> short_ends(const std::string& lower,
                                                             const std::string& upper);

}  // namespace tailbound::render
