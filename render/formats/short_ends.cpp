#include <tailbound/render/formats/short_ends.hpp>

#include <algorithm>

namespace tailbound::render {
namespace {

struct Split {
  std::string digits, power;
};

/// "1.25e-9" split into its digits and the rest.
Split split(const std::string& text) {
  const std::size_t at = std::min(text.find_first_of("eE"), text.size());
  return {text.substr(0, at), text.substr(at)};
}

bool has_point_alone(const std::string& digits) {
  return digits.find_first_not_of("0123456789.") == std::string::npos &&
         std::count(digits.begin(), digits.end(), '.') == 1;
}

/// Position of the first digit of the difference of two numbers of equal length; their length if they are
/// equal. This is not the first digit in which they differ: 1.9999 and 2.0001 differ at once.
std::size_t leading_place(const std::string& low, const std::string& high) {
  std::size_t place = low.size();
  int borrowed = 0;
  for (std::size_t i = low.size(); i-- > 0;) {
    if (low[i] == '.') continue;
    const int digit = high[i] - low[i] - borrowed;
    borrowed = digit < 0 ? 1 : 0;
    if (digit != 0 && digit != -10) place = i;  // -10 means digit 0 with a borrow
  }
  return place;
}

/// Adds one in the last place; false if that needs one more digit in front.
bool increase(std::string& digits) {
  for (std::size_t i = digits.size(); i-- > 0;) {
    if (digits[i] == '.') continue;
    if (digits[i] != '9') return ++digits[i], true;
    digits[i] = '0';
  }
  return false;
}

}  // namespace

std::pair<std::string, std::string> short_ends(const std::string& lower, const std::string& upper) {
  auto [low, low_power] = split(lower);
  auto [high, high_power] = split(upper);
  if (low_power != high_power || !has_point_alone(low) || !has_point_alone(high) ||
      low.find('.') != high.find('.'))
    return {lower, upper};
  const std::size_t length = std::max(low.size(), high.size());
  low.resize(length, '0'), high.resize(length, '0');
  constexpr std::size_t more = 3;  // the first digit of the width, and two more
  const std::size_t kept = std::max(leading_place(low, high) + more, low.find('.') + 2);
  if (kept >= length) return {lower, upper};
  const bool cut = high.find_first_not_of('0', kept) != std::string::npos;
  low.resize(kept), high.resize(kept);
  if (cut && !increase(high)) return {lower, upper};
  return {low + low_power, high + high_power};
}

}  // namespace tailbound::render
