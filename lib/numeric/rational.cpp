#include <tailbound/core/error.hpp>
#include <tailbound/core/trimmed.hpp>
#include <tailbound/numeric/gmp_rational.hpp>
#include <tailbound/numeric/rational.hpp>

#include <cln/dfloat.h>
#include <cln/float.h>
#include <cln/integer_io.h>
#include <cln/rational_io.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <limits>
#include <sstream>
#include <vector>

namespace tailbound::numeric {
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
  return cln::expt_pos(Integer(10), Integer(exponent));
}

/// CLN reads a leading zero as decimal, but requires at least one digit. Traces have millions of short
/// numbers.
Integer integer_of(const std::string& digits) {
  constexpr std::size_t digits_of_long = std::numeric_limits<long>::digits10;
  return digits.size() <= digits_of_long ? Integer(std::stol(digits)) : Integer(digits.c_str());
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
  Rational value = integer_of(digits);
  if (exponent > 0) value = value * power_of_ten(exponent);
  if (exponent < 0) value = value / power_of_ten(-exponent);
  return negative ? -value : value;
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
  if (digits.empty() || digits.size() > 9 || !rest.empty() || (down && cln::zerop(of))) reject(input);
  const long exponent = std::stol(std::string(digits));
  constexpr long bits_of_a_digit = 4;
  if (exponent > input.limits.exponent ||
      static_cast<long>(bit_size(of)) * exponent > bits_of_a_digit * (input.limits.exponent + 2))
    reject(input);
  const Rational power = cln::expt(of, Integer(exponent));
  return factor * (down ? 1 / power : power);
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
  if (cln::zerop(denominator)) reject(input);
  return numerator / denominator;
}

std::string to_fraction(const Rational& value) {
  // CLN recomputes its powers of ten for each long number.
  constexpr std::size_t long_number = 2048;
  if (bit_size(value) > long_number) {
    const GmpRational same(value);
    std::string text(
        mpz_sizeinbase(mpq_numref(same.get()), 10) + mpz_sizeinbase(mpq_denref(same.get()), 10) + 3, '\0');
    mpq_get_str(text.data(), 10, same.get());
    text.resize(text.find('\0'));
    return text;
  }
  std::ostringstream out;
  out.exceptions(std::ios::badbit);  // throws if memory runs out instead of truncating the text
  out << cln::numerator(value);
  if (cln::denominator(value) != 1) out << '/' << cln::denominator(value);
  return out.str();
}

std::size_t bit_size(const Rational& value) {
  return cln::integer_length(cln::numerator(value)) + cln::integer_length(cln::denominator(value));
}

namespace {

/// Numerator divided by denominator if both are exact in type F: one rounding, the nearest result.
template <class F>
bool divide_exactly_held(const Rational& value, F& quotient) {
  constexpr std::size_t held = std::min(std::numeric_limits<F>::digits, 62);
  const Integer numerator = cln::numerator(value), denominator = cln::denominator(value);
  if (cln::integer_length(numerator) > held || cln::integer_length(denominator) > held) return false;
  quotient = static_cast<F>(cln::cl_I_to_long(numerator)) / static_cast<F>(cln::cl_I_to_long(denominator));
  return true;
}

}  // namespace

double nearest_double(const Rational& value) {
  double quotient = 0;
  if (divide_exactly_held(value, quotient)) return quotient;
  const auto magnitude = static_cast<long>(cln::integer_length(cln::numerator(value))) -
                         static_cast<long>(cln::integer_length(cln::denominator(value)));
  if (std::labs(magnitude) < 1000) return cln::double_approx(value);
  // CLN's doubles neither underflow gradually nor overflow to infinity: scale first, exactly. Below the
  // normal range all doubles are multiples of 2^-1074; rounding twice would miss the nearest.
  if (magnitude < 0 && cln::abs(value) * cln::ash(Integer(1), Integer(1022)) < 1)
    return std::ldexp(cln::double_approx(cln::round1(value * cln::ash(Integer(1), Integer(1074)))), -1074);
  const long shift = magnitude > 0 ? std::min(magnitude, 4000L) : std::max(magnitude, -4000L);
  const Integer scale = cln::ash(Integer(1), Integer(std::labs(shift)));
  const double scaled = cln::double_approx(shift > 0 ? value / scale : value * scale);
  return std::ldexp(scaled, static_cast<int>(shift));
}

long double nearest_long_double(const Rational& value) {
  long double quotient = 0;
  if (divide_exactly_held(value, quotient)) return quotient;
  // Two roundings: the double nearest to value, and the exact rest. |rest| <= 2^-53 |value|, so its own
  // rounding is below 2^-106; the sum rounds once.
  const double high = cln::double_approx(value);
  const Rational rest = value - cln::rational(cln::cl_DF(high));
  return static_cast<long double>(high) + static_cast<long double>(cln::double_approx(rest));
}

}  // namespace tailbound::numeric
