#pragma once

#include <tailbound/core/quantity.hpp>
#include <tailbound/numeric/proved.hpp>
#include <tailbound/series/files/coefficient_list.hpp>

/// Number of correct digits of a printed number.
///
/// TESTS     tests/answers/compare/compare_test.cpp
namespace tailbound::answers {

/// The true value: lower <= value <= upper.
struct TrueValue {
  numeric::Rational lower, upper;
};

[[nodiscard]] TrueValue true_value(const numeric::Proved<unit::Probability>& proved);

/// Whether the printed number, plus or minus one unit in its last place (series::unit_in_last_place(): of the
/// decimals printed, or of a double), meets the true value. An exact number must lie in the enclosure itself.
/// A rounded number is off by at most half a unit, a truncated one by less than one; programs do either, and
/// often miss the last of many digits by one. Where one digit is all that is printed, such a miss would be a
/// wrong number (0.1 or 0.3 for 0.2): the true value must then be one that is rounded or truncated to it.
[[nodiscard]] bool agrees(const series::Coefficient& printed, const TrueValue& value);

/// The largest d <= most for which the printed number certainly differs from the true value by less than
/// 10^(1 - d) of the true value: less than one unit in its d-th significant digit. This is the error of the
/// value, however many digits are printed: 0.1 has all digits correct if the true value is 1/10. If a number
/// does not agree(), its last printed digit does not count, nor does a first digit in which it is off by one
/// unit or more. A printed 0 has no correct digits, unless the true value is 0.
/// \param maximum  >= 0
[[nodiscard]] int agreed_digits(const series::Coefficient& printed, const TrueValue& value, int maximum);

/// The largest possible distance of the printed number from the true value.
[[nodiscard]] numeric::Rational max_error(const series::Coefficient& printed, const TrueValue& value);

/// 10^exponent.
[[nodiscard]] numeric::Rational power_of_ten(int exponent);

}  // namespace tailbound::answers
