#pragma once

#include <tailbound/core/quantity.hpp>
#include <tailbound/numeric/proved.hpp>
#include <tailbound/series/files/coefficient_list.hpp>

/// How many digits of a printed number are right.
///
/// TESTS     tests/answers/buffer/compare_test.cpp
namespace tailbound::answers {

/// The true value: lower <= value <= upper.
struct TrueValue {
  numeric::Rational lower, upper;
};

[[nodiscard]] TrueValue true_value(const numeric::Proved<unit::Probability>& proved);

/// Whether the printed number, give or take one unit in its last place (series::unit_in_last_place(): of the decimals
/// printed, or of a double), meets the true value; an exact number has to lie in the enclosure itself. A number that is
/// rounded right is off by half a unit at most, one that is cut off by less than a whole one; programs do either.
[[nodiscard]] bool agrees(const series::Coefficient& printed, const TrueValue& value);

/// The greatest d <= most for which the printed number surely differs from the true value by less than
/// 10^(1 - d) of the true value: less than one unit in its d-th significant digit. That is the error of the value, however
/// many digits are printed: 0.1 has all of them right where the true value is 1/10. Where a number does not agree() its
/// last printed digit does not count; a printed 0 has none, except for the true value 0.
/// \param most  >= 0
[[nodiscard]] int agreed_digits(const series::Coefficient& printed, const TrueValue& value, int most);

/// The greatest distance that the printed number may have from the true value.
[[nodiscard]] numeric::Rational greatest_error(const series::Coefficient& printed, const TrueValue& value);

/// 10^exponent.
[[nodiscard]] numeric::Rational power_of_ten(int exponent);

}  // namespace tailbound::answers
