#pragma once

#include <tailbound/numeric/rational.hpp>

#include <string_view>

namespace tailbound::test {

/// A number as typed: rational("0.9") and rational("9/10") are the same.
[[nodiscard]] inline numeric::Rational rational(std::string_view text) {
  return numeric::parse_rational(text, "number");
}

}  // namespace tailbound::test
