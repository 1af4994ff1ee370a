#pragma once

#include <cli/command.hpp>
#include <tailbound/numeric/rational.hpp>
#include <tailbound/series/coefficient_list.hpp>

/// tailbound compare FILE: how many digits of another program's coefficients are right, and up to where.
namespace tailbound::cli {

[[nodiscard]] Command add_compare_command(CLI::App& program);

/// The true value: lower <= value <= upper.
struct TrueValue {
  numeric::Rational lower, upper;
};

/// Whether the printed number, give or take one unit in its last printed place, meets the true value; an
/// exact number has to lie in the enclosure itself.
[[nodiscard]] bool agrees(const series::Coefficient& printed, const TrueValue& value);

/// The greatest d <= most for which the printed number surely differs from the true value by less than
/// 10^(1 - d) of the true value: less than one unit in its d-th significant digit. At most the digits that
/// are printed, where the number is not exact, and one less where it does not agree(); a printed 0 has none,
/// except for the true value 0.
/// \param most  >= 0
[[nodiscard]] int agreed_digits(const series::Coefficient& printed, const TrueValue& value, int most);

}  // namespace tailbound::cli
