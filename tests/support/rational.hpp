#pragma once

#include <tailbound/numeric/rational.hpp>

#include <cstdint>
#include <string_view>

namespace tailbound::test {

/// A number as typed: rational("0.9") and rational("9/10") are the same.
[[nodiscard]] inline numeric::Rational rational(std::string_view text) {
  return numeric::parse_rational(text, "number");
}

[[nodiscard]] inline numeric::Rational ratio(std::int64_t numerator, std::int64_t denominator) {
  return numeric::Rational(static_cast<long>(numerator)) / numeric::Rational(static_cast<long>(denominator));
}

}  // namespace tailbound::test
