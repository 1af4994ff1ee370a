#include <tailbound/core/error.hpp>
#include <tailbound/numeric/rational.hpp>
#include <tailbound/numeric/text/number_list.hpp>
#include <tailbound/numeric/text/plain.hpp>

#include <algorithm>
#include <cctype>
#include <limits>
#include <optional>

namespace tailbound::numeric {
namespace {

[[noreturn]] void reject(std::string_view argument, std::string_view value, const std::string& legal) {
  throw InvalidArgument(std::string(argument), std::string(value), legal);
}

std::string at_most(std::size_t entries) {
  return "a list of at most " + std::to_string(entries) + " entries";
}

/// \throws InvalidArgument  "%" at some of a range's numbers only
void require_same_units(std::string_view range, std::string_view argument) {
  const auto percents = std::count(range.begin(), range.end(), '%');
  if (percents == 0 || percents == std::count(range.begin(), range.end(), ':') + 1) return;
  std::string right;
  for (const char c : range)
    if (c != '%') right += c == ':' ? "%:" : std::string(1, c);
  reject(argument, range, "written with % at every number of a range or at none: " + right + "%");
}

/// Adds the range "first:last:step" to `list`.
void append_range(std::vector<Rational>& list, std::string_view item, std::string_view argument,
                  std::size_t limit, const ReadNumber& read) {
  const std::size_t one = item.find(':'), two = item.find(':', one + 1);
  if (two == std::string_view::npos || item.find(':', two + 1) != std::string_view::npos)
    reject(argument, item, "a number, or a range FIRST:LAST:STEP such as 0.1:0.9:0.1");
  const Rational first = read(item.substr(0, one), argument);
  const Rational last = read(item.substr(one + 1, two - one - 1), argument);
  const Rational step = read(item.substr(two + 1), argument);
  if (step == 0 || (last - first) / step < 0)
    reject(argument, item, "a range FIRST:LAST:STEP whose steps lead from FIRST to LAST");
  const numeric::Integer steps = numeric::floor((last - first) / step);
  if (steps >= numeric::Integer(static_cast<unsigned long>(limit - std::min(limit, list.size()))))
    reject(argument, item, at_most(limit));
  const long count = numeric::to_int64(steps);
  for (long i = 0; i <= count; ++i) list.push_back(first + numeric::Integer(i) * step);
}

/// \throws InvalidArgument  "1,024", which was meant as one number
void require_no_thousands(std::string_view text, std::size_t begin, std::string_view item,
                          std::string_view argument) {
  const auto digit = [](char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; };
  if (begin == 0 || item.size() < 2 || item.front() != '0' || !std::all_of(item.begin(), item.end(), digit))
    return;
  std::string whole(text);
  whole.erase(std::remove(whole.begin(), whole.end(), ','), whole.end());
  reject(argument, text,
         "without leading zeros in " + std::string(item) + "; do not separate thousands: " + whole);
}

std::vector<Rational> read_list(std::string_view text, std::string_view argument, std::size_t limit,
                                const ReadNumber& read, bool percents = false) {
  std::vector<Rational> list;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    const std::string_view item = text.substr(begin, end - begin);
    require_no_thousands(text, begin, item, argument);
    if (item.find(':') != std::string_view::npos) {
      if (percents) require_same_units(item, argument);
      append_range(list, item, argument, limit, read);
    } else {
      if (list.size() >= limit)
        reject(argument, "a list of more than " + std::to_string(limit) + " entries", at_most(limit));
      list.push_back(read(item, argument));
    }
    begin = end + 1;
  }
  return list;
}

bool is_integer(const Rational& value, std::int64_t minimum, std::int64_t largest) {
  return numeric::is_integer(value) && value >= numeric::Integer(minimum) &&
         value <= numeric::Integer(largest);
}

[[noreturn]] void reject_integer(std::string_view text, std::string_view argument, std::int64_t minimum,
                                 std::int64_t largest) {
  reject(argument, text, integers_in_words(minimum, largest));
}

/// Ranges FIRST:LAST become FIRST:LAST:1.
std::string with_steps(std::string_view text) {
  std::string result;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    const std::string_view item = text.substr(begin, end - begin);
    result += (begin == 0 ? "" : ",") + std::string(item);
    if (std::count(item.begin(), item.end(), ':') == 1) result += ":1";
    begin = end + 1;
  }
  return result;
}

}  // namespace

std::string integers_in_words(std::int64_t minimum, std::int64_t largest) {
  const std::string first = "an integer from " + std::to_string(minimum);
  return first +
         (largest == std::numeric_limits<std::int64_t>::max() ? " up" : " to " + std::to_string(largest));
}

bool is_list(std::string_view text) {
  return text.find_first_of(",:") != std::string_view::npos;
}

std::vector<Rational> parse_list(std::string_view text, std::string_view argument, std::size_t limit) {
  return read_list(text, argument, limit, [](auto item, auto name) { return parse_rational(item, name); });
}

std::vector<Rational> parse_list(std::string_view text, std::string_view argument, std::size_t limit,
                                 const ReadNumber& read) {
  return read_list(text, argument, limit, read);
}

Rational parse_share(std::string_view text, std::string_view argument) {
  if (text.empty() || text.back() != '%') return parse_rational(text, argument);
  return parse_rational(text.substr(0, text.size() - 1), argument) / 100;
}

std::vector<Rational> parse_percent_list(std::string_view text, std::string_view argument,
                                         std::size_t limit) {
  return read_list(text, argument, limit, parse_share, true);
}

std::int64_t parse_integer(std::string_view text, std::string_view argument, std::int64_t minimum,
                           std::int64_t largest) {
  std::optional<Rational> value;
  try {
    value = parse_rational(text, argument);
  } catch (const InvalidArgument&) {
  }
  if (!value || !is_integer(*value, minimum, largest)) reject_integer(text, argument, minimum, largest);
  return numeric::to_int64(numeric::numerator(*value));
}

std::int64_t to_integer(const Rational& value, std::string_view argument, std::int64_t minimum,
                        std::int64_t largest) {
  if (!is_integer(value, minimum, largest)) reject_integer(plain(value), argument, minimum, largest);
  return numeric::to_int64(numeric::numerator(value));
}

std::vector<std::int64_t> parse_integers(std::string_view text, std::string_view argument,
                                         std::int64_t minimum, std::int64_t largest,
                                         const std::string& legal) {
  try {
    if (!is_list(text)) return {parse_integer(text, argument, minimum, largest)};
    std::vector<std::int64_t> list;
    const ReadNumber read = [&](std::string_view item, std::string_view name) {
      try {
        return parse_rational(item, name);
      } catch (const InvalidArgument&) {
        reject_integer(item, name, minimum, largest);
      }
    };
    for (const Rational& entry : read_list(with_steps(text), argument, max_entries, read))
      list.push_back(to_integer(entry, argument, minimum, largest));
    return list;
  } catch (const InvalidArgument& error) {
    if (legal.empty()) throw;
    throw InvalidArgument(error.argument(), error.value(), legal);
  }
}

}  // namespace tailbound::numeric
