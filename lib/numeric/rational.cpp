#include <tailbound/core/error.hpp>
#include <tailbound/core/trimmed.hpp>
#include <tailbound/numeric/rational.hpp>

#include <algorithm>
#include <atomic>
#include <cctype>
#include <cmath>
#include <limits>
#include <numeric>
#include <ostream>
#include <stdexcept>
#include <vector>

namespace tailbound::numeric {
namespace {

__extension__ using Wide = __int128;

constexpr std::int64_t largest = std::numeric_limits<std::int64_t>::max();

bool fits(Wide value) {
  return value <= largest && value >= -Wide{largest};
}

std::uint64_t size_of(std::int64_t value) {
  return static_cast<std::uint64_t>(value < 0 ? -value : value);
}

std::int64_t common(std::uint64_t a, std::int64_t b) {
  return static_cast<std::int64_t>(std::gcd(a, static_cast<std::uint64_t>(b)));
}

/// |value| mod divisor
std::uint64_t rest_of(Wide value, std::int64_t divisor) {
  return static_cast<std::uint64_t>((value < 0 ? -value : value) % divisor);
}

/// A short fraction.
struct Short {
  std::int64_t above, below;
};

/// a + b, unless it is too long (Knuth 4.5.1: two divisors of half the length).
bool add(Short a, Short b, Short& sum) {
  if (a.below == b.below) {
    Wide above = Wide{a.above} + b.above;
    const std::int64_t divisor = a.below == 1 ? 1 : common(rest_of(above, a.below), a.below);
    above /= divisor;
    sum = {static_cast<std::int64_t>(above), a.below / divisor};
    return fits(above);
  }
  const std::int64_t shared = common(size_of(a.below), b.below);
  Wide above = Wide{a.above} * (b.below / shared) + Wide{b.above} * (a.below / shared);
  const std::int64_t divisor = shared == 1 ? 1 : common(rest_of(above, shared), shared);
  above /= divisor;
  const Wide below = Wide{a.below / shared} * (b.below / divisor);
  sum = {static_cast<std::int64_t>(above), static_cast<std::int64_t>(below)};
  return fits(above) && fits(below);
}

bool multiply(Short a, Short b, Short& product) {
  const std::int64_t first = b.below == 1 ? 1 : common(size_of(a.above), b.below);
  const std::int64_t second = a.below == 1 ? 1 : common(size_of(b.above), a.below);
  const Wide above = Wide{a.above / first} * (b.above / second);
  const Wide below = Wide{a.below / second} * (b.below / first);
  product = {static_cast<std::int64_t>(above), static_cast<std::int64_t>(below)};
  return fits(above) && fits(below);
}

struct Value {
  Value() { mpq_init(number); }
  ~Value() { mpq_clear(number); }
  Value(const Value&) = delete;
  Value& operator=(const Value&) = delete;
  mpq_t number;
};

[[noreturn]] void reject_zero() {
  throw std::overflow_error("division by zero");
}

}  // namespace

/// Shared by copies.
struct Rational::Long {
  std::atomic<std::size_t> users = 1;
  mpq_t value;
};

Rational::Rational(mpq_ptr value) : small_(0), denominator_(1) {
  if (mpz_fits_slong_p(mpq_numref(value)) != 0 && mpz_fits_slong_p(mpq_denref(value)) != 0 &&
      mpz_get_si(mpq_numref(value)) >= -largest) {
    small_ = mpz_get_si(mpq_numref(value));
    denominator_ = mpz_get_si(mpq_denref(value));
    return;
  }
  long_ = new Long;
  denominator_ = 0;
  mpq_init(long_->value);
  mpq_swap(long_->value, value);
}

template <class Function>
Rational Rational::computed(Function function) {
  Value value;
  function(value.number);
  return Rational(value.number);
}

Rational::Rational(const Integer& value) : Rational() {
  if (mpz_fits_slong_p(value.backend().data()) != 0 && mpz_get_si(value.backend().data()) >= -largest)
    small_ = mpz_get_si(value.backend().data());
  else
    *this = computed([&](mpq_ptr result) { mpq_set_z(result, value.backend().data()); });
}

Rational::Rational(const Integer& numerator, const Integer& denominator) : Rational() {
  if (denominator == 0) reject_zero();
  *this = computed([&](mpq_ptr result) {
    mpz_set(mpq_numref(result), numerator.backend().data());
    mpz_set(mpq_denref(result), denominator.backend().data());
    mpq_canonicalize(result);
  });
}

void Rational::share(const Rational& other) noexcept {
  long_ = other.long_;
  long_->users.fetch_add(1, std::memory_order_relaxed);
}

void Rational::release() noexcept {
  if (long_->users.fetch_sub(1, std::memory_order_acq_rel) != 1) return;
  mpq_clear(long_->value);
  delete long_;
}

bool Rational::long_equal(const Rational& a, const Rational& b) {
  return a.is_long() && b.is_long() && mpq_equal(a.long_->value, b.long_->value) != 0;
}

int Rational::long_order(const Rational& a, const Rational& b) {
  return mpq_cmp(GmpRational(a).get(), GmpRational(b).get());
}

Rational operator+(const Rational& a, const Rational& b) {
  Rational result;
  Short sum{};
  if (!a.is_long() && !b.is_long() && add({a.small_, a.denominator_}, {b.small_, b.denominator_}, sum)) {
    result.small_ = sum.above;
    result.denominator_ = sum.below;
    return result;
  }
  const GmpRational left(a), right(b);
  return Rational::computed([&](mpq_ptr to) { mpq_add(to, left.get(), right.get()); });
}

Rational operator-(const Rational& a, const Rational& b) {
  Rational result;
  Short sum{};
  if (!a.is_long() && !b.is_long() && add({a.small_, a.denominator_}, {-b.small_, b.denominator_}, sum)) {
    result.small_ = sum.above;
    result.denominator_ = sum.below;
    return result;
  }
  const GmpRational left(a), right(b);
  return Rational::computed([&](mpq_ptr to) { mpq_sub(to, left.get(), right.get()); });
}

Rational operator*(const Rational& a, const Rational& b) {
  Rational result;
  Short product{};
  if (!a.is_long() && !b.is_long() &&
      multiply({a.small_, a.denominator_}, {b.small_, b.denominator_}, product)) {
    result.small_ = product.above;
    result.denominator_ = product.below;
    return result;
  }
  const GmpRational left(a), right(b);
  return Rational::computed([&](mpq_ptr to) { mpq_mul(to, left.get(), right.get()); });
}

Rational operator/(const Rational& a, const Rational& b) {
  if (b == 0) reject_zero();
  Rational result;
  Short quotient{};
  if (!a.is_long() && !b.is_long()) {
    const Short inverse = b.small_ < 0 ? Short{-b.denominator_, -b.small_} : Short{b.denominator_, b.small_};
    if (multiply({a.small_, a.denominator_}, inverse, quotient)) {
      result.small_ = quotient.above;
      result.denominator_ = quotient.below;
      return result;
    }
  }
  const GmpRational left(a), right(b);
  return Rational::computed([&](mpq_ptr to) { mpq_div(to, left.get(), right.get()); });
}

Rational operator-(const Rational& a) {
  if (a.is_long()) return Rational::computed([&](mpq_ptr to) { mpq_neg(to, a.long_->value); });
  Rational result = a;
  result.small_ = -result.small_;
  return result;
}

std::ostream& operator<<(std::ostream& out, const Rational& value) {
  return out << to_fraction(value);
}

GmpRational::GmpRational(const Rational& value) {
  if (value.is_long()) {
    value_ = value.long_->value;
    return;
  }
  above_ = size_of(value.small_);
  below_ = static_cast<mp_limb_t>(value.denominator_);
  mpz_roinit_n(mpq_numref(small_), &above_, value.small_ < 0 ? -1 : value.small_ > 0 ? 1 : 0);
  mpz_roinit_n(mpq_denref(small_), &below_, 1);
}

Integer numerator(const Rational& value) {
  return Integer(GmpRational(value).numerator());
}

Integer denominator(const Rational& value) {
  return Integer(GmpRational(value).denominator());
}

bool is_integer(const Rational& value) {
  return mpz_cmp_ui(GmpRational(value).denominator(), 1) == 0;
}

Rational abs(const Rational& value) {
  return value < 0 ? -value : value;
}

Integer abs(const Integer& value) {
  Integer result;
  mpz_abs(result.backend().data(), value.backend().data());
  return result;
}

Integer floor(const Rational& value) {
  const GmpRational of(value);
  Integer result;
  mpz_fdiv_q(result.backend().data(), of.numerator(), of.denominator());
  return result;
}

Integer ceiling(const Rational& value) {
  const GmpRational of(value);
  Integer result;
  mpz_cdiv_q(result.backend().data(), of.numerator(), of.denominator());
  return result;
}

Integer round(const Rational& value) {
  Integer below = floor(value);
  const Rational twice_rest = 2 * (value - below);
  if (twice_rest > 1 || (twice_rest == 1 && mpz_odd_p(below.backend().data()) != 0)) ++below;
  return below;
}

namespace {

void require_divisor(const Integer& divisor) {
  if (divisor == 0) reject_zero();
}

}  // namespace

Integer floor(const Integer& a, const Integer& b) {
  require_divisor(b);
  Integer result;
  mpz_fdiv_q(result.backend().data(), a.backend().data(), b.backend().data());
  return result;
}

Integer ceiling(const Integer& a, const Integer& b) {
  require_divisor(b);
  Integer result;
  mpz_cdiv_q(result.backend().data(), a.backend().data(), b.backend().data());
  return result;
}

Integer mod(const Integer& a, const Integer& b) {
  require_divisor(b);
  Integer result;
  mpz_fdiv_r(result.backend().data(), a.backend().data(), b.backend().data());
  return result;
}

Integer exact_quotient(const Integer& a, const Integer& b) {
  require_divisor(b);
  Integer result;
  mpz_divexact(result.backend().data(), a.backend().data(), b.backend().data());
  return result;
}

Integer gcd(const Integer& a, const Integer& b) {
  Integer result;
  mpz_gcd(result.backend().data(), a.backend().data(), b.backend().data());
  return result;
}

Integer lcm(const Integer& a, const Integer& b) {
  Integer result;
  mpz_lcm(result.backend().data(), a.backend().data(), b.backend().data());
  return result;
}

Integer pow(const Integer& base, std::int64_t exponent) {
  if (exponent < 0)
    throw std::range_error("A power of an integer with the exponent " + std::to_string(exponent));
  Integer result;
  mpz_pow_ui(result.backend().data(), base.backend().data(), static_cast<unsigned long>(exponent));
  return result;
}

Rational pow(const Rational& base, std::int64_t exponent) {
  if (exponent < 0 && base == 0) reject_zero();
  const auto size = static_cast<unsigned long>(exponent < 0 ? -exponent : exponent);
  const GmpRational of(base);
  Value power;  // powers of numbers without a common factor have none
  mpz_pow_ui(mpq_numref(power.number), of.numerator(), size);
  mpz_pow_ui(mpq_denref(power.number), of.denominator(), size);
  if (exponent < 0) mpq_inv(power.number, power.number);
  return Rational(power.number);
}

std::size_t bit_length(const Integer& value) {
  return value == 0 ? 0 : mpz_sizeinbase(value.backend().data(), 2);
}

namespace {

std::size_t bit_length(mpz_srcptr value) {
  return mpz_sgn(value) == 0 ? 0 : mpz_sizeinbase(value, 2);
}

}  // namespace

std::size_t bit_size(const Rational& value) {
  const GmpRational of(value);
  return bit_length(of.numerator()) + bit_length(of.denominator());
}

std::int64_t magnitude_bits(const Rational& value) {
  const GmpRational of(value);
  return static_cast<std::int64_t>(bit_length(of.numerator())) -
         static_cast<std::int64_t>(bit_length(of.denominator()));
}

std::int64_t to_int64(const Integer& value) {
  static_assert(sizeof(long) == sizeof(std::int64_t));
  if (mpz_fits_slong_p(value.backend().data()) == 0)
    throw std::range_error(value.str() + " has more than 64 bits");
  return mpz_get_si(value.backend().data());
}

std::uint64_t to_uint64(const Integer& value) {
  if (mpz_fits_ulong_p(value.backend().data()) == 0)
    throw std::range_error(value.str() + " has more than 64 bits or is negative");
  return mpz_get_ui(value.backend().data());
}

Integer parse_digits(std::string_view digits) {
  const std::string text(digits);
  constexpr std::size_t digits_of_long = std::numeric_limits<long>::digits10;
  if (text.size() <= digits_of_long) return std::stol(text);  // traces have millions of short numbers
  Integer result;
  mpz_set_str(result.backend().data(), text.c_str(), 10);
  return result;
}

namespace {

/// The text being read, for messages.
struct Input {
  std::string_view text, argument;
  NumberLimits limits;
};

bool is_number(std::string_view text) {
  const auto is_part = [](char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0 || c == '.'; };
  return !text.empty() && std::all_of(text.begin(), text.end(), is_part);
}

/// The probable meaning of the text, as a sentence; nothing if unclear.
std::string probably_meant(std::string_view text) {
  const auto halves = [&](char mark) {
    const std::size_t at = text.find(mark);
    const bool both =
        at != std::string_view::npos && is_number(text.substr(0, at)) && is_number(text.substr(at + 1));
    return both ? std::pair{std::string(text.substr(0, at)), std::string(text.substr(at + 1))}
                : std::pair<std::string, std::string>{};
  };
  if (const auto [whole, rest] = halves(','); !whole.empty())
    return whole == "0" || rest.size() != 3 ? "Use a decimal point: " + whole + "." + rest
                                            : "Do not separate thousands: " + whole + rest;
  if (const auto [first, last] = halves('-'); !first.empty())
    return "Write a range as FIRST:LAST:STEP, such as " + first + ":" + last + ":0.1";
  if (!text.empty() && text.back() == '%' && is_number(text.substr(0, text.size() - 1)))
    return "It is not a share: omit the percent sign";
  return {};
}

[[noreturn]] void reject(const Input& input) {
  std::string shown(input.text.substr(0, 40));
  if (input.text.size() > 40) shown += "...";
  std::string legal = "a decimal, fraction or power such as 0.9, 1e-15, 9/10 or 10^-9 (at most " +
                      std::to_string(input.limits.characters) + " characters, exponent within +-" +
                      std::to_string(input.limits.exponent) + ")";
  if (const std::string meant = probably_meant(input.text); !meant.empty()) legal += ". " + meant;
  throw InvalidArgument(std::string(input.argument), '"' + shown + '"', legal);
}

/// Reads digits from the front of `rest`; the value of an empty run is 0.
std::string_view take_digits(std::string_view& rest) {
  std::size_t n = 0;
  while (n < rest.size() && std::isdigit(static_cast<unsigned char>(rest[n])) != 0) ++n;
  const std::string_view digits = rest.substr(0, n);
  rest.remove_prefix(n);
  return digits;
}

/// 10^exponent, exponent >= 0.
Integer power_of_ten(long exponent) {
  constexpr long known = 40;
  static const std::vector<Integer> powers = [] {
    std::vector<Integer> all{1};
    while (static_cast<long>(all.size()) <= known) all.push_back(all.back() * 10);
    return all;
  }();
  if (exponent <= known) return powers[static_cast<std::size_t>(exponent)];
  return pow(Integer(10), exponent);
}

Rational parse_decimal(std::string_view text, const Input& input) {
  std::string_view rest = trimmed(text);
  bool negative = false;
  if (!rest.empty() && (rest.front() == '+' || rest.front() == '-')) {
    negative = rest.front() == '-';
    rest.remove_prefix(1);
  }
  std::string digits(take_digits(rest));
  long exponent = 0;
  if (!rest.empty() && rest.front() == '.') {
    rest.remove_prefix(1);
    const std::string_view fraction = take_digits(rest);
    digits += fraction;
    exponent -= static_cast<long>(fraction.size());
  }
  if (digits.empty()) reject(input);
  if (!rest.empty() && (rest.front() == 'e' || rest.front() == 'E')) {
    rest.remove_prefix(1);
    bool down = false;
    if (!rest.empty() && (rest.front() == '+' || rest.front() == '-')) {
      down = rest.front() == '-';
      rest.remove_prefix(1);
    }
    const std::string_view power = take_digits(rest);
    if (power.empty() || power.size() > 9) reject(input);
    const long size = std::stol(std::string(power));
    if (size > input.limits.exponent) reject(input);
    exponent += down ? -size : size;
  }
  if (!rest.empty()) reject(input);
  Integer mantissa = parse_digits(digits);
  if (negative) mantissa = -mantissa;
  if (exponent < 0) return Rational(mantissa, power_of_ten(-exponent));
  if (exponent > 0) mantissa *= power_of_ten(exponent);
  return mantissa;
}

/// "10^-9", "2**-4", "2.5*10^-9".
Rational parse_power(std::string_view text, std::size_t caret, const Input& input) {
  const bool stars = text[caret] == '*';
  std::string_view base = text.substr(0, caret), rest = trimmed(text.substr(caret + (stars ? 2 : 1)));
  Rational factor = 1;
  if (const std::size_t times = base.rfind('*'); times != std::string_view::npos) {
    factor = parse_decimal(base.substr(0, times), input);
    base.remove_prefix(times + 1);
  }
  const Rational of = parse_decimal(base, input);
  if (!rest.empty() && rest.front() == '(' && rest.back() == ')') rest = rest.substr(1, rest.size() - 2);
  const bool down = !rest.empty() && rest.front() == '-';
  if (down || (!rest.empty() && rest.front() == '+')) rest.remove_prefix(1);
  const std::string_view digits = take_digits(rest);
  if (digits.empty() || digits.size() > 9 || !rest.empty() || (down && of == 0)) reject(input);
  const long exponent = std::stol(std::string(digits));
  constexpr long bits_of_a_digit = 4;
  if (exponent > input.limits.exponent ||
      static_cast<long>(bit_size(of)) * exponent > bits_of_a_digit * (input.limits.exponent + 2))
    reject(input);
  return factor * pow(of, down ? -exponent : exponent);
}

/// Start of an exponent; npos if none.
std::size_t caret_of(std::string_view text) {
  return std::min(text.find('^'), text.find("**"));
}

}  // namespace

Rational parse_rational(std::string_view text, std::string_view argument, const NumberLimits& limits) {
  const std::string_view whole = trimmed(text);
  const Input input{whole, argument, limits};
  if (whole.empty() || whole.size() > limits.characters) reject(input);
  if (const std::size_t caret = caret_of(whole); caret != std::string_view::npos)
    return parse_power(whole, caret, input);
  const std::size_t slash = whole.find('/');
  if (slash == std::string_view::npos) return parse_decimal(whole, input);
  const Rational numerator = parse_decimal(whole.substr(0, slash), input);
  const Rational denominator = parse_decimal(whole.substr(slash + 1), input);
  if (denominator == 0) reject(input);
  return numerator / denominator;
}

std::string to_fraction(const Rational& value) {
  const GmpRational of(value);
  std::string text(mpz_sizeinbase(of.numerator(), 10) + mpz_sizeinbase(of.denominator(), 10) + 3, '\0');
  mpq_get_str(text.data(), 10, of.get());
  text.resize(text.find('\0'));
  return text;
}

std::string to_hexadecimal(const Integer& value) {
  std::string text(mpz_sizeinbase(value.backend().data(), 16) + 2, '\0');
  mpz_get_str(text.data(), 16, value.backend().data());
  text.resize(text.find('\0'));
  return text;
}

namespace {

/// Numerator divided by denominator if both are exact in type F: one rounding, the nearest result.
template <class F>
bool divide_exactly_held(const GmpRational& value, F& quotient) {
  constexpr std::size_t held = std::min(std::numeric_limits<F>::digits, 62);
  if (mpz_sizeinbase(value.numerator(), 2) > held || mpz_sizeinbase(value.denominator(), 2) > held)
    return false;
  quotient = static_cast<F>(mpz_get_si(value.numerator())) / static_cast<F>(mpz_get_si(value.denominator()));
  return true;
}

}  // namespace

double nearest_double(const Rational& value) {
  double quotient = 0;
  if (divide_exactly_held(GmpRational(value), quotient)) return quotient;
  const std::int64_t magnitude = magnitude_bits(value);
  if (magnitude > 1100)
    return value < 0 ? -std::numeric_limits<double>::infinity() : std::numeric_limits<double>::infinity();
  // Below the normal range all doubles are multiples of 2^-1074; rounding twice would miss the nearest.
  if (magnitude < -1020 && abs(value) < pow(Rational(2), -1022))
    return std::ldexp(static_cast<double>(to_int64(round(value * pow(Rational(2), 1074)))), -1074);
  // From 61 to 63 bits: the sticky last one makes the conversion round as the whole value would.
  const auto shift = static_cast<int>(62 - magnitude);
  const GmpRational of(value);
  Integer above(of.numerator()), below(of.denominator()), whole, rest;
  (shift > 0 ? above : below) <<= static_cast<unsigned>(std::abs(shift));
  mpz_tdiv_qr(whole.backend().data(), rest.backend().data(), above.backend().data(), below.backend().data());
  std::int64_t bits = to_int64(whole);
  if (rest != 0) bits = bits < 0 ? -(-bits | 1) : bits | 1;
  return std::ldexp(static_cast<double>(bits), -shift);
}

Rational to_rational(double value) {
  if (!std::isfinite(value)) throw std::domain_error("a value that is not finite has no rational form");
  int exponent = 0;
  const double fraction = std::frexp(value, &exponent);
  constexpr int digits = std::numeric_limits<double>::digits;
  const auto mantissa = static_cast<std::int64_t>(std::ldexp(fraction, digits));
  return mantissa * pow(Rational(2), exponent - digits);
}

long double nearest_long_double(const Rational& value) {
  long double quotient = 0;
  if (divide_exactly_held(GmpRational(value), quotient)) return quotient;
  // Two roundings: the double nearest to value, and the exact rest. |rest| <= 2^-53 |value|, so its own
  // rounding is below 2^-106; the sum rounds once.
  const double high = nearest_double(value);
  if (!std::isfinite(high)) return high;
  return static_cast<long double>(high) + static_cast<long double>(nearest_double(value - to_rational(high)));
}

}  // namespace tailbound::numeric
