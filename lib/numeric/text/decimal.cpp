#include <tailbound/numeric/text/decimal.hpp>
#include <tailbound/numeric/text/plain.hpp>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

// The standard library rounds to decimals only as text. Nowhere else is a number read back from its printed
// form.
namespace tailbound::numeric {

namespace {

template <class Float>
DoublePrint print_of(const Rational& value, int significant_digits, Float nearest, int kept_digits) {
  if (!std::isfinite(nearest) || nearest == 0) return {};
  std::array<char, 1200> text;  // a double has fewer than 800 digits
  constexpr int longest = 800;
  const auto printed = [&](const std::to_chars_result& result) {
    return parse_rational(std::string_view(text.data(), static_cast<std::size_t>(result.ptr - text.data())),
                          "number");
  };
  char* const end = text.data() + text.size();
  DoublePrint found;
  found.is_shortest =
      printed(std::to_chars(text.data(), end, nearest, std::chars_format::scientific)) == value;
  found.is_rounded = significant_digits <= kept_digits ||
                     (significant_digits < longest &&
                      printed(std::to_chars(text.data(), end, nearest, std::chars_format::scientific,
                                            significant_digits - 1)) == value);
  return found;
}

}  // namespace

DoublePrint double_print(const Rational& value, int significant_digits) {
  if (value == 0) return {true, true};
  return print_of(value, significant_digits, nearest_double(value), 15);
}

DoublePrint float_print(const Rational& value, int significant_digits) {
  if (value == 0) return {true, true};
  // Rounding twice misses the nearest float only at a tie of doubles, which no printed float is.
  return print_of(value, significant_digits, static_cast<float>(nearest_double(value)), 6);
}

int written_digits(std::string_view decimal) {
  decimal = decimal.substr(0, decimal.find_first_of("eE"));
  int digits = 0;
  for (const char c : decimal)
    if (c >= '0' && c <= '9' && (digits > 0 || c != '0')) ++digits;
  return digits;
}

Rational shortest_decimal(double value) {
  return parse_rational(plain(value), "value");
}

Rational rounded_decimal(double value, int digits) {
  return parse_rational(plain(value, digits), "value");
}

}  // namespace tailbound::numeric
