#include <cln/rational.h>
#include <cli/shares.hpp>
#include <cli/traffic_options.hpp>
#include <tailbound/core/error.hpp>

#include <algorithm>

namespace tailbound::cli {
namespace {

using numeric::Rational;

/// \throws InvalidArgument  "%" at some of a range's numbers only
void require_same_units(const std::string& range, std::string_view option) {
  const auto percents = std::count(range.begin(), range.end(), '%');
  const auto numbers = std::count(range.begin(), range.end(), ':') + 1;
  if (numbers == 1 || percents == 0 || percents == numbers) return;
  std::string right;
  for (const char c : range) {
    if (c == '%') continue;
    right += c == ':' ? "%:" : std::string(1, c);
  }
  throw InvalidArgument(std::string(option), range,
                        "written with % at each number of a range or at none: " + right + "%");
}

}  // namespace

Rational parse_share(std::string_view text, std::string_view option) {
  if (text.empty() || text.back() != '%') return numeric::parse_rational(text, option);
  return numeric::parse_rational(text.substr(0, text.size() - 1), option) / 100;
}

std::vector<Rational> parse_percent_list(const std::string& text, std::string_view option,
                                         std::size_t limit) {
  if (text.find('%') == std::string::npos) return parse_list(text, option, limit);
  std::string plain_text, entry;
  for (std::size_t from = 0; from <= text.size();) {
    const std::size_t comma = std::min(text.find(',', from), text.size());
    require_same_units(text.substr(from, comma - from), option);
    from = comma + 1;
  }
  const auto finish = [&] {
    plain_text +=
        !entry.empty() && entry.back() == '%' ? numeric::to_fraction(parse_share(entry, option)) : entry;
    entry.clear();
  };
  for (const char c : text) {
    if (c != ',' && c != ':') {
      entry += c;
      continue;
    }
    finish();
    plain_text += c;
  }
  finish();
  return parse_list(plain_text, option, limit);
}

}  // namespace tailbound::cli
