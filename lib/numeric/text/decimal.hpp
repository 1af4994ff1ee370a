#pragma once

#include <tailbound/numeric/rational.hpp>

/// Doubles as the exact decimals that users would type.
///
/// TESTS     tests/numeric/plain_test.cpp
namespace tailbound::numeric {

/// The decimal with the fewest digits that reads as the same double: 0.1 is 1/10. \param value  finite
[[nodiscard]] Rational shortest_decimal(double value);

/// Correctly rounded to `digits` significant digits: 1/3 and 3 digits are 333/1000.
/// \param value  finite;  \param digits  1 .. 17
[[nodiscard]] Rational rounded_decimal(double value, int digits);

}  // namespace tailbound::numeric
