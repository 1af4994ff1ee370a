#pragma once

#include <tailbound/numeric/rational.hpp>

#include <string>

/// Numbers as people write them, for messages and tables.
namespace tailbound::numeric {

/// A decimal where that is short and exact, the fraction otherwise ("0.9", "1e-15", "1/3"); with "about "
/// before twelve digits where both are long.
[[nodiscard]] std::string plain(const Rational& value);

/// The shortest decimal that reads as the same double: "0.1", "1e-05".
[[nodiscard]] std::string plain(double value);

/// Correctly rounded to so many significant digits, without zeros at the end: "0.0886".
/// \param digits  1 .. 17
[[nodiscard]] std::string plain(double value, int digits);

}  // namespace tailbound::numeric
