#pragma once

#include <tailbound/numeric/rational.hpp>

#include <string>

/// Real numbers of any precision (MPFR) and intervals (MPFI), through Boost.Multiprecision.
namespace tailbound::numeric {

/// Binary floating point, precision chosen at run time; every operation rounds to nearest.
using Real = boost::multiprecision::number<boost::multiprecision::mpfr_float_backend<0>,
                                           boost::multiprecision::et_off>;

/// A closed interval with `Real` end points; every operation rounds outward.
using Interval = boost::multiprecision::number<boost::multiprecision::mpfi_float_backend<0>,
                                               boost::multiprecision::et_off>;

/// A relative precision in bits (>= 2). Always an argument, never ambient.
struct Precision {
  int bits = 64;
  friend constexpr auto operator<=>(Precision, Precision) = default;
};

/// A number of correct decimal digits: the relative width of an enclosure is at most 10^-count.
struct Digits {
  int count = 10;
  friend constexpr auto operator<=>(Digits, Digits) = default;
};

/// Bits for `digits` decimal digits.
[[nodiscard]] Precision to_precision(Digits digits);

/// Sets the precision of new Reals and Intervals of Boost.Multiprecision on this thread, and restores the
/// former one at the end of the scope. Nothing else changes that setting.
class PrecisionScope {
 public:
  explicit PrecisionScope(Precision precision);
  ~PrecisionScope();
  PrecisionScope(const PrecisionScope&) = delete;
  PrecisionScope& operator=(const PrecisionScope&) = delete;

  /// The working precision of new values [bits]; at least the requested one.
  [[nodiscard]] int bits() const noexcept { return bits_; }

 private:
  unsigned real_digits_, interval_digits_;
  int bits_;
};

enum class Rounding { down, nearest, up };

/// `value` rounded in the given direction, with the precision in force.
[[nodiscard]] Real to_real(const Rational& value, Rounding rounding);

/// An interval of neighbouring Reals around `value`, with the precision in force.
[[nodiscard]] Interval to_interval(const Rational& value);
/// The point interval. Not Interval(value): Boost 1.74 converts via integers of 62 bits, and a value that
/// fills one exactly (from 2^61 to 2^62) becomes NaN.
[[nodiscard]] Interval to_interval(const Real& value);

/// `value`, exactly (a finite Real is a rational number).
[[nodiscard]] Rational to_rational(const Real& value);

/// Sign of left - right: -1, 0 or 1. Exact.
[[nodiscard]] int compare(const Real& left, const Rational& right);

/// log2 |value| to double accuracy, value != 0; finite for any exponent.
[[nodiscard]] double log2_magnitude(const Real& value);

[[nodiscard]] Real lower(const Interval& interval);
[[nodiscard]] Real upper(const Interval& interval);
[[nodiscard]] Interval make_interval(const Real& lower, const Real& upper);

/// (upper - lower) / |value nearest to zero|, rounded up: an upper bound of the relative width; infinite if
/// the interval contains zero and is not the point zero.
[[nodiscard]] double relative_width(const Real& lower, const Real& upper);

/// Whether (upper - lower) / |value nearest to zero| is below 2^-bits; for precisions beyond a double's
/// exponents.
[[nodiscard]] bool narrower_than(const Real& lower, const Real& upper, int bits);

/// Whether (upper - lower) / |value nearest to zero| is at most 10^-digits.
[[nodiscard]] bool agree_to(const Real& lower, const Real& upper, Digits digits);

/// Decimal text of `value` with `digits` significant digits, rounded as given: "8.7035435578e-16". Plain
/// notation for decimal exponents -5 to 15 or so, scientific elsewhere.
[[nodiscard]] std::string to_decimal(const Real& value, int digits, Rounding rounding);
[[nodiscard]] std::string to_decimal(const Rational& value, int digits, Rounding rounding);

}  // namespace tailbound::numeric
