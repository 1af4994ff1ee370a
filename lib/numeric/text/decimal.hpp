#pragma once

#include <tailbound/numeric/rational.hpp>

#include <string_view>

/// Doubles as the exact decimals that users would type, and decimals that are printed doubles.
///
/// TESTS     tests/numeric/plain_test.cpp
namespace tailbound::numeric {

/// The decimal with the fewest digits that reads as the same double: 0.1 is 1/10. \param value  finite
[[nodiscard]] Rational shortest_decimal(double value);

/// Correctly rounded to `digits` significant digits: 1/3 and 3 digits are 333/1000.
/// \param value  finite;  \param digits  1 .. 17
[[nodiscard]] Rational rounded_decimal(double value, int digits);

/// How `value`, printed with a number of digits, may be a double.
struct DoublePrint {
  bool is_shortest = false;  ///< the fewest digits that distinguish the double from its neighbors
  bool is_rounded = false;   ///< the double, rounded to the printed digits
};
/// \param significant_digits  printed, from the first nonzero one on
[[nodiscard]] DoublePrint double_print(const Rational& value, int significant_digits);

/// The same for a float (24 bits).
[[nodiscard]] DoublePrint float_print(const Rational& value, int significant_digits);

/// The number of significant digits of a decimal as written ("0.0120": 3, "1.50e-3": 3; an integer, all).
[[nodiscard]] int written_digits(std::string_view decimal);

}  // namespace tailbound::numeric
