#include <stdexcept>
#include <tests/support/fraction.hpp>

namespace tailbound::test {

Fraction fraction_of(const numeric::Rational& value) {
  const std::string text = numeric::to_fraction(value);
  Fraction result;
  if (mpq_set_str(result.backend().data(), text.c_str(), 10) != 0)
    throw std::logic_error("a rational that GMP cannot read: " + text);
  return result;
}

numeric::Rational to_rational(const Fraction& value) {
  return numeric::parse_rational(value.str(), "a fraction", {.characters = 10'000'000});
}

Fraction fraction_of(const numeric::Real& value) {
  Fraction result;
  mpfr_get_q(result.backend().data(), value.backend().data());
  return result;
}

Fraction parse_decimal(const std::string& text) {
  const std::size_t e = text.find_first_of("eE");
  std::string digits = text.substr(0, e);
  int exponent = e == std::string::npos ? 0 : std::stoi(text.substr(e + 1));
  const std::size_t point = digits.find('.');
  if (point != std::string::npos) {
    exponent -= static_cast<int>(digits.size() - point - 1);
    digits.erase(point, 1);
  }
  const bool negative = !digits.empty() && digits.front() == '-';
  const std::size_t first = digits.find_first_not_of("-0");
  digits = first == std::string::npos ? "0" : digits.substr(first);
  const Fraction size = Fraction(Whole(digits)) * power_of_ten(exponent);
  return negative ? Fraction(-size) : size;
}

Fraction power_of_ten(int exponent) {
  const Whole power = boost::multiprecision::pow(Whole(10), static_cast<unsigned>(std::abs(exponent)));
  return exponent < 0 ? Fraction(Whole(1), power) : Fraction(power);
}

Fraction unreduced(const Whole& numerator, const Whole& denominator) {
  Fraction result;
  mpz_set(mpq_numref(result.backend().data()), numerator.backend().data());
  mpz_set(mpq_denref(result.backend().data()), denominator.backend().data());
  return result;
}

bool encloses(const numeric::Real& lower, const numeric::Real& upper, const Reference& reference) {
  return mpfr_cmp_q(lower.backend().data(), reference.upper.backend().data()) <= 0 &&
         mpfr_cmp_q(upper.backend().data(), reference.lower.backend().data()) >= 0;
}

bool narrow(const numeric::Real& lower, const numeric::Real& upper, int digits) {
  const Fraction low = fraction_of(lower), high = fraction_of(upper);
  return high >= low && low >= 0 && (high - low) * power_of_ten(digits) <= low;
}

std::string show(const Reference& reference) {
  mpfr_t value;
  mpfr_init2(value, 200);
  std::string text;
  for (const Fraction* end : {&reference.lower, &reference.upper}) {
    mpfr_set_q(value, end->backend().data(), MPFR_RNDN);
    char buffer[128];
    mpfr_snprintf(buffer, sizeof buffer, "%.45Re", value);
    text += (text.empty() ? "[" : ", ") + std::string(buffer);
  }
  mpfr_clear(value);
  return text + "]";
}

}  // namespace tailbound::test
