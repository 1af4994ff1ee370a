#pragma once

#include <tailbound/core/quantity.hpp>
#include <tailbound/numeric/proved.hpp>
#include <tailbound/series/coefficient_list.hpp>

/// How many digits of a printed number are right.
///
/// TESTS     tests/answers/compare_test.cpp
namespace tailbound::answers {

/// The true value: lower <= value <= upper.
struct TrueValue {
  numeric::Rational lower, upper;
};

[[nodiscard]] TrueValue true_value(const numeric::Proved<unit::Probability>& proved);

/// Whether the printed number, give or take one unit in its last printed place, meets the true value; an
/// exact number has to lie in the enclosure itself.
[[nodiscard]] bool agrees(const series::Coefficient& printed, const TrueValue& value);

/// The greatest d <= most for which the printed number surely differs from the true value by less than
/// 10^(1 - d) of the true value: less than one unit in its d-th significant digit. At most the digits that
/// are printed, where the number is not exact, and one less where it does not agree(); a printed 0 has none,
/// except for the true value 0.
/// \param most  >= 0
[[nodiscard]] int agreed_digits(const series::Coefficient& printed, const TrueValue& value, int most);

/// The greatest distance that the printed number may have from the true value.
[[nodiscard]] numeric::Rational greatest_error(const series::Coefficient& printed, const TrueValue& value);

/// 10^exponent.
[[nodiscard]] numeric::Rational power_of_ten(int exponent);

}  // namespace tailbound::answers
