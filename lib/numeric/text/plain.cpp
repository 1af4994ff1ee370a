#include <tailbound/numeric/real.hpp>
#include <tailbound/numeric/text/plain.hpp>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

namespace tailbound::numeric {

std::string plain(const Rational& value) {
  constexpr int longest = 60;  // more digits than users type
  std::string text = to_decimal(value, longest, Rounding::down);
  if (text != to_decimal(value, longest, Rounding::up)) {
    const std::string fraction = bit_size(value) > 4000 ? std::string() : to_fraction(value);
    constexpr std::size_t readable = 80;
    return !fraction.empty() && fraction.size() <= readable
               ? fraction
               : "about " + to_decimal(value, 12, Rounding::nearest);
  }
  const std::size_t end = std::min(text.find('e'), text.size());
  if (text.find('.') < end) {
    const std::size_t last = text.find_last_not_of('0', end - 1);
    text.erase(text[last] == '.' ? last : last + 1, end - (text[last] == '.' ? last : last + 1));
  }
  return text;
}

std::string plain(double value) {
  std::array<char, 64> text;
  const double size = std::abs(value);
  const bool fixed = size == 0 || (size >= 1e-4 && size < 1e16);
  const auto written = std::to_chars(text.data(), text.data() + text.size(), value,
                                     fixed ? std::chars_format::fixed : std::chars_format::scientific);
  return {text.data(), written.ptr};
}

std::string plain(double value, int digits) {
  std::array<char, 64> text;
  const auto written = std::to_chars(text.data(), text.data() + text.size(), value,
                                     std::chars_format::general, std::clamp(digits, 1, 17));
  return {text.data(), written.ptr};
}

}  // namespace tailbound::numeric
