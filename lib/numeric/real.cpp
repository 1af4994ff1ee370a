#include <tailbound/numeric/real.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <stdexcept>

namespace tailbound::numeric {
namespace {

mpfr_rnd_t to_mpfr(Rounding rounding) {
  switch (rounding) {
    case Rounding::down:
      return MPFR_RNDD;
    case Rounding::up:
      return MPFR_RNDU;
    case Rounding::nearest:
      break;
  }
  return MPFR_RNDN;
}

/// Scientific or plain text from a string of decimal digits and MPFR's exponent (value = 0.DIGITS x 10^e).
std::string layout(std::string digits, long exponent) {
  std::string sign;
  if (!digits.empty() && digits.front() == '-') {
    sign = "-";
    digits.erase(0, 1);
  }
  const long power = exponent - 1;
  if (power >= -5 && power < 0)
    return sign + "0." + std::string(static_cast<std::size_t>(-power - 1), '0') + digits;
  if (power >= 0 && power < 17) {
    const auto whole = static_cast<std::size_t>(power) + 1;
    if (digits.size() <= whole) return sign + digits + std::string(whole - digits.size(), '0');
    return sign + digits.substr(0, whole) + "." + digits.substr(whole);
  }
  std::string text = sign + digits.substr(0, 1);
  if (digits.size() > 1) text += "." + digits.substr(1);
  return text + "e" + std::to_string(power);
}

std::string decimal(mpfr_srcptr value, int digits, Rounding rounding) {
  if (mpfr_nan_p(value) != 0) return "nan";
  if (mpfr_inf_p(value) != 0) return mpfr_sgn(value) < 0 ? "-inf" : "inf";
  if (mpfr_zero_p(value) != 0) return "0";
  mpfr_exp_t exponent = 0;
  const std::unique_ptr<char, void (*)(char*)> text(
      mpfr_get_str(nullptr, &exponent, 10, static_cast<std::size_t>(std::max(2, digits)), value,
                   to_mpfr(rounding)),
      mpfr_free_str);
  return layout(text.get(), exponent);
}

}  // namespace

Precision to_precision(Digits digits) {
  return {static_cast<int>(std::ceil(digits.count * 3.3219280948873626)) + 1};
}

PrecisionScope::PrecisionScope(Precision precision)
    : real_digits_(Real::default_precision()), interval_digits_(Interval::default_precision()) {
  // Frees the constants that MPFR keeps for this thread when it ends.
  struct Caches {
    ~Caches() { mpfr_free_cache2(MPFR_FREE_LOCAL_CACHE); }
  };
  thread_local const Caches caches;
  static_cast<void>(caches);
  // Boost counts decimal digits and rounds up when it turns them into bits.
  const auto digits = static_cast<unsigned>(std::ceil(std::max(precision.bits, 2) * 0.30102999566398120)) + 1;
  Real::default_precision(digits);
  Interval::default_precision(digits);
  bits_ = static_cast<int>(boost::multiprecision::detail::digits10_2_2(digits));
}

PrecisionScope::~PrecisionScope() {
  Real::default_precision(real_digits_);
  Interval::default_precision(interval_digits_);
}

Real to_real(const Rational& value, Rounding rounding) {
  Real result;
  mpfr_set_q(result.backend().data(), GmpRational(value).get(), to_mpfr(rounding));
  return result;
}

Interval to_interval(const Rational& value) {
  Interval result;
  mpfi_set_q(result.backend().data(), GmpRational(value).get());
  return result;
}

Rational to_rational(const Real& value) {
  const mpfr_srcptr x = value.backend().data();
  if (mpfr_number_p(x) == 0) throw std::domain_error("a value that is not finite has no rational form");
  if (mpfr_zero_p(x) != 0) return 0;
  mpq_t result;
  mpq_init(result);
  mpfr_get_q(result, x);
  Rational same(result);
  mpq_clear(result);
  return same;
}

int compare(const Real& left, const Rational& right) {
  const int order = mpfr_cmp_q(left.backend().data(), GmpRational(right).get());
  return (order > 0) - (order < 0);
}

double log2_magnitude(const Real& value) {
  long exponent = 0;
  const double fraction = mpfr_get_d_2exp(&exponent, value.backend().data(), MPFR_RNDN);
  return std::log2(std::fabs(fraction)) + static_cast<double>(exponent);
}

Real lower(const Interval& interval) {
  Real result;
  mpfi_get_left(result.backend().data(), interval.backend().data());
  return result;
}

Real upper(const Interval& interval) {
  Real result;
  mpfi_get_right(result.backend().data(), interval.backend().data());
  return result;
}

Interval to_interval(const Real& value) {
  return make_interval(value, value);
}

Interval make_interval(const Real& lower, const Real& upper) {
  Interval result;
  mpfi_interv_fr(result.backend().data(), lower.backend().data(), upper.backend().data());
  return result;
}

double relative_width(const Real& lower, const Real& upper) {
  const mpfr_srcptr lo = lower.backend().data();
  const mpfr_srcptr hi = upper.backend().data();
  if (mpfr_equal_p(lo, hi) != 0) return 0;
  if (mpfr_sgn(lo) * mpfr_sgn(hi) <= 0) return std::numeric_limits<double>::infinity();
  MPFR_DECL_INIT(width, 64);
  mpfr_sub(width, hi, lo, MPFR_RNDU);
  const mpfr_srcptr nearest = mpfr_sgn(lo) > 0 ? lo : hi;
  mpfr_div(width, width, nearest, MPFR_RNDA);
  return std::fabs(mpfr_get_d(width, MPFR_RNDA));
}

bool narrower_than(const Real& lower, const Real& upper, int bits) {
  const mpfr_srcptr lo = lower.backend().data();
  const mpfr_srcptr hi = upper.backend().data();
  if (mpfr_equal_p(lo, hi) != 0) return true;
  if (mpfr_sgn(lo) * mpfr_sgn(hi) <= 0) return false;
  MPFR_DECL_INIT(width, 32);
  mpfr_sub(width, hi, lo, MPFR_RNDU);
  // |value| >= 2^(exponent - 1), width <= 2^exponent
  const mpfr_exp_t nearest = mpfr_get_exp(mpfr_sgn(lo) > 0 ? lo : hi) - 1;
  return mpfr_get_exp(width) - nearest <= -static_cast<mpfr_exp_t>(bits);
}

bool agree_to(const Real& lower, const Real& upper, Digits digits) {
  constexpr int within_double = 300;
  if (digits.count <= within_double) {
    // Nearly always far from the boundary, and positive.
    const double bar = std::pow(10.0, -digits.count), low = mpfr_get_d(lower.backend().data(), MPFR_RNDD);
    MPFR_DECL_INIT(width, 53);
    mpfr_sub(width, upper.backend().data(), lower.backend().data(), MPFR_RNDU);
    const double above = mpfr_get_d(width, MPFR_RNDU);
    if (low > 1e-290 && above < bar * low * 0.999) return true;
    return relative_width(lower, upper) <= bar;
  }
  return narrower_than(lower, upper, to_precision(digits).bits);
}

std::string to_decimal(const Real& value, int digits, Rounding rounding) {
  return decimal(value.backend().data(), digits, rounding);
}

std::string to_decimal(const Rational& value, int digits, Rounding rounding) {
  if (value == 0) return "0";
  // Exact integer arithmetic, so that a decimal such as 0.9 is shown unchanged for any rounding.
  const int wanted = std::max(2, digits);
  const Rational size = abs(value);
  const bool negative = value < 0;
  const auto bits = static_cast<double>(magnitude_bits(value));
  long exponent = static_cast<long>(std::floor((bits - 1) * 0.30102999566398120));
  const auto power_of_ten = [](long n) { return pow(Rational(10), n); };
  while (size >= power_of_ten(exponent + 1)) ++exponent;
  const Rational scaled = size * power_of_ten(wanted - 1 - exponent);
  Integer mantissa;
  switch (rounding) {
    case Rounding::nearest:
      mantissa = round(scaled);
      break;
    case Rounding::down:
      mantissa = negative ? ceiling(scaled) : floor(scaled);
      break;
    case Rounding::up:
      mantissa = negative ? floor(scaled) : ceiling(scaled);
      break;
  }
  const std::string text = mantissa.str();
  // A carry to the next power of ten lengthens the text by one digit.
  const long shown = exponent + 1 + static_cast<long>(text.size()) - wanted;
  return layout((negative ? "-" : "") + text.substr(0, static_cast<std::size_t>(wanted)), shown);
}

}  // namespace tailbound::numeric
