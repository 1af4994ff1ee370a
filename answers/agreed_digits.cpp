#include <tailbound/answers/agreed_digits.hpp>
#include <tailbound/numeric/rational.hpp>

#include <algorithm>
#include <variant>

namespace tailbound::answers {

using numeric::Rational;
using series::Coefficient;

namespace {

/// One unit in the first significant digit: 0.1 for 0.2.  \param value  above 0
Rational leading_unit(const Rational& value) {
  const long bits = static_cast<long>(numeric::bit_length(numeric::numerator(value))) -
                    static_cast<long>(numeric::bit_length(numeric::denominator(value)));
  // 2^(bits - 1) < value, and log10(2) < 0.302: a first guess that is not too large.
  int exponent = static_cast<int>(bits > 1 ? (bits - 1) * 3 / 10 : (bits - 1) * 302 / 1000 - 1);
  while (power_of_ten(exponent + 1) <= value) ++exponent;
  return power_of_ten(exponent);
}

}  // namespace

TrueValue true_value(const numeric::Proved<unit::Probability>& proved) {
  if (const auto* exact = std::get_if<numeric::Exact<unit::Probability>>(&proved))
    return {exact->value, exact->value};
  const auto& enclosure = std::get<numeric::Enclosure<unit::Probability>>(proved);
  return {numeric::to_rational(enclosure.lower()), numeric::to_rational(enclosure.upper())};
}

bool agrees(const Coefficient& printed, const TrueValue& value) {
  const Rational unit = series::unit_in_last_place(printed);
  const auto meets = [&](const Rational& low, const Rational& high) {
    return low <= value.upper && high >= value.lower;
  };
  if (printed.is_exact() || series::shown_digits(printed) != 1)
    return meets(printed.value - unit, printed.value + unit);
  // Rounded to the nearest, or truncated toward 0: the true value begins with the printed digit. It must not
  // reach the next digit, which an enclosure of exactly that digit just touches.
  const Rational half = unit / 2;
  if (printed.value == 0) return meets(-half, half);
  return printed.value > 0 ? printed.value - half <= value.upper && printed.value + unit > value.upper
                           : printed.value + half >= value.lower && printed.value - unit < value.lower;
}

int agreed_digits(const Coefficient& printed, const TrueValue& value, int maximum) {
  const Rational error = max_error(printed, value);
  if (error == 0) return maximum;
  // The last digit counts only if the printed number is within one unit of it.
  if (!printed.is_exact() && !agrees(printed, value))
    maximum = std::min(maximum, std::max(0, series::shown_digits(printed) - 1));
  if (value.lower <= 0) return 0;
  const Rational ratio = value.lower / error;  // d digits agree if 10^(d - 1) < ratio
  const long bits = static_cast<long>(numeric::bit_length(numeric::numerator(ratio))) -
                    static_cast<long>(numeric::bit_length(numeric::denominator(ratio)));
  // 2^(bits - 1) < ratio, and 3 / 10 < log10(2): a first guess that is not too large.
  int digits = static_cast<int>(std::clamp((bits - 1) * 3 / 10, 0L, static_cast<long>(maximum)));
  while (digits < maximum && power_of_ten(digits) < ratio) ++digits;
  // An error below the value itself may still change its first digit: 0.1 or 0.3 for 0.2.
  if (digits == 1 && !agrees(printed, value) && error >= leading_unit(value.lower)) return 0;
  return digits;
}

Rational max_error(const Coefficient& printed, const TrueValue& value) {
  return std::max(numeric::abs(printed.value - value.lower), numeric::abs(printed.value - value.upper));
}

Rational power_of_ten(int exponent) {
  return numeric::pow(Rational(10), exponent);
}

}  // namespace tailbound::answers
