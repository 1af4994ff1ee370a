#pragma once

#include <cln/integer.h>
#include <cln/rational.h>

#include <cstdint>
#include <string>
#include <string_view>

/// Exact rational numbers (CLN). Loads, rates and targets are read into these, never through double.
namespace tailbound::numeric {

using Integer = cln::cl_I;
using Rational = cln::cl_RA;

/// CLN's integers are constructed from `long`, which on some systems is not std::int64_t.
[[nodiscard]] inline Rational whole(std::int64_t value) {
  return static_cast<long>(value);
}

/// Length limits of a number, so no text can require unbounded memory.
struct NumberLimits {
  std::size_t characters = 10'000;
  long exponent = 100'000;  ///< decimal, of either sign; below 10^9
};

/// The exact value of a decimal ("0.9", "1e-15", "-.5E3"), a fraction ("9/10", "1.5/2") or a power ("10^-9",
/// "2**-4", "2.5*10^-9").
///
/// \param text      white space around the number is ignored
/// \param argument  name used in the error
/// \throws InvalidArgument  not a number, zero denominator, or beyond the limits; the message suggests what
///                          was meant by a comma ("0,5"), a dash ("0.1-0.9") or a percent sign
[[nodiscard]] Rational parse_rational(std::string_view text, std::string_view argument,
                                      const NumberLimits& limits = {});

/// "9/10", or "3" for an integer. Exact.
[[nodiscard]] std::string to_fraction(const Rational& value);

/// Bits of numerator and denominator together: the size of a value.
[[nodiscard]] std::size_t bit_size(const Rational& value);

/// The double nearest to `value` (ties to even); relative error at most 2^-53 in the normal range.
[[nodiscard]] double nearest_double(const Rational& value);

/// A long double next to `value`: relative error at most 1.01 unit roundoffs, normal range.
[[nodiscard]] long double nearest_long_double(const Rational& value);

}  // namespace tailbound::numeric
