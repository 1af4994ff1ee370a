#pragma once

#include <tailbound/numeric/proved.hpp>

#include <string>

/// Exact numbers of the tests: GMP's own fractions, so that a fault of numeric::Rational is not hidden.
namespace tailbound::test {

using Whole = boost::multiprecision::number<boost::multiprecision::gmp_int, boost::multiprecision::et_off>;
using Fraction =
    boost::multiprecision::number<boost::multiprecision::gmp_rational, boost::multiprecision::et_off>;

/// a / b towards zero: the product's header forbids `/`, which was meant as a fraction too often.
[[nodiscard]] inline Whole quotient(Whole a, const Whole& b) {
  a /= b;
  return a;
}

[[nodiscard]] Fraction fraction_of(const numeric::Rational& value);
[[nodiscard]] numeric::Rational to_rational(const Fraction& value);

/// `value` exactly.
[[nodiscard]] Fraction fraction_of(const numeric::Real& value);

/// "0.125", "-3e-7" as the fraction it denotes.
[[nodiscard]] Fraction parse_decimal(const std::string& text);

/// 10^exponent.
[[nodiscard]] Fraction power_of_ten(int exponent);

/// numerator/denominator without reduction: searching common factors of long numbers would dominate the cost.
/// For comparisons only.
[[nodiscard]] Fraction unreduced(const Whole& numerator, const Whole& denominator);

/// The true value lies in [lower, upper]; both ends are the true value if it is known exactly.
struct Reference {
  Fraction lower, upper;
};

/// True if the enclosure, or the exact value, may contain the true value.
[[nodiscard]] bool encloses(const numeric::Real& lower, const numeric::Real& upper,
                            const Reference& reference);

template <class Unit>
[[nodiscard]] bool encloses(const numeric::Proved<Unit>& proved, const Reference& reference) {
  if (const auto* exact = std::get_if<numeric::Exact<Unit>>(&proved)) {
    const Fraction value = fraction_of(exact->value);
    return reference.lower <= value && value <= reference.upper;
  }
  const auto& enclosure = std::get<numeric::Enclosure<Unit>>(proved);
  return encloses(enclosure.lower(), enclosure.upper(), reference);
}

/// True if upper - lower <= 10^-digits * lower, in exact arithmetic.
[[nodiscard]] bool narrow(const numeric::Real& lower, const numeric::Real& upper, int digits);

template <class Unit>
[[nodiscard]] bool narrow(const numeric::Proved<Unit>& proved, int digits) {
  if (std::holds_alternative<numeric::Exact<Unit>>(proved)) return true;
  const auto& enclosure = std::get<numeric::Enclosure<Unit>>(proved);
  return narrow(enclosure.lower(), enclosure.upper(), digits);
}

/// For messages.
template <class Unit>
[[nodiscard]] std::string show(const numeric::Proved<Unit>& proved) {
  if (const auto* exact = std::get_if<numeric::Exact<Unit>>(&proved)) {
    const std::string text = numeric::to_fraction(exact->value);
    return "exact " +
           (text.size() < 200 ? text : numeric::to_decimal(exact->value, 30, numeric::Rounding::nearest));
  }
  const auto& enclosure = std::get<numeric::Enclosure<Unit>>(proved);
  return "[" + enclosure.lower().str(45) + ", " + enclosure.upper().str(45) + "]";
}

[[nodiscard]] std::string show(const Reference& reference);

}  // namespace tailbound::test
