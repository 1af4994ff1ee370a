#pragma once

#include <tailbound/numeric/rational.hpp>

#include <string>

/// Numbers in readable form, for messages and tables.
namespace tailbound::numeric {

/// A decimal where that is short and exact, the fraction otherwise ("0.9", "1e-15", "1/3"); "about " and
/// twelve digits where both are long.
[[nodiscard]] std::string plain(const Rational& value);

/// The shortest decimal that reads as the same double: "0.1", "1e-05".
[[nodiscard]] std::string plain(double value);

/// Correctly rounded to `digits` significant digits, without trailing zeros: "0.0886".
/// \param digits  1 .. 17
[[nodiscard]] std::string plain(double value, int digits);

}  // namespace tailbound::numeric
