#pragma once

#include <string>
#include <utility>

namespace tailbound::render {

/// Both ends of an interval as people read them: to three digits of its width, rounded outwards.
/// Decimals that are not positive, or of different exponents, stay as they are; so do ends that are short already.
/// TESTS  tests/render/html_test.cpp
[[nodiscard]] std::pair<std::string, std::string> short_ends(const std::string& lower,
                                                             const std::string& upper);

}  // namespace tailbound::render
