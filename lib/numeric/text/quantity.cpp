#include <tailbound/core/choice.hpp>
#include <tailbound/core/error.hpp>
#include <tailbound/core/trimmed.hpp>
#include <tailbound/numeric/rational.hpp>
#include <tailbound/numeric/text/quantity.hpp>

#include <algorithm>
#include <cctype>
#include <optional>
#include <string>

namespace tailbound::numeric {
namespace {

/// A unit: `times` 10^decimal 2^binary of the base (bits per second, bytes or seconds).
struct Unit {
  std::string_view name;
  int decimal = 0, binary = 0, times = 1;
};

constexpr Unit sizes[] = {{"B", 0},       {"bytes", 0},   {"byte", 0},   {"kB", 3},      {"KB", 3},
                          {"MB", 6},      {"GB", 9},      {"TB", 12},    {"KiB", 0, 10}, {"kiB", 0, 10},
                          {"MiB", 0, 20}, {"GiB", 0, 30}, {"TiB", 0, 40}};
constexpr Unit times[] = {{"ps", -12}, {"ns", -9}, {"us", -6}, {"µs", -6}, {"μs", -6}, {"ms", -3}, {"s", 0}};

Rational scale(const Unit& unit) {
  return numeric::pow(Rational(10), unit.decimal) * (Integer(1) << unit.binary) * Integer(unit.times);
}

/// "G", "Gbps", "Gbit/s", "Gb/s"; "GBps", "GB/s": bytes.  CONTRACT  not empty
std::optional<Rational> rate_unit(std::string_view name) {
  constexpr std::string_view prefixes = "kMGTP";
  int decimal = 0;
  const std::string_view whole = name;
  const char first = name.front() == 'K' ? 'k' : name.front();
  if (const std::size_t at = prefixes.find(first); at != std::string_view::npos) {
    decimal = 3 * static_cast<int>(at + 1);
    name.remove_prefix(1);
  }
  if (name.empty()) return scale({whole, decimal});
  for (const std::string_view bits : {"bps", "bit/s", "b/s", "bits/s"})
    if (name == bits) return scale({whole, decimal});
  for (const std::string_view bytes : {"Bps", "B/s", "byte/s", "bytes/s"})
    if (name == bytes) return scale({whole, decimal, 0, 8});
  return {};
}

template <std::size_t N>
std::optional<Rational> unit_among(const Unit (&units)[N], std::string_view name) {
  for (const Unit& unit : units)
    if (unit.name == name) return scale(unit);
  return {};
}

/// A unit in the base of its measure.
std::optional<Rational> unit_of(Measure measure, std::string_view name) {
  switch (measure) {
    case Measure::gbps:
      return rate_unit(name);
    case Measure::bytes:
    case Measure::megabytes:
      return unit_among(sizes, name);
    case Measure::nanoseconds:
      break;
  }
  return unit_among(times, name);
}

Rational own_unit(Measure measure) {
  switch (measure) {
    case Measure::gbps:
      return scale({"", 9});
    case Measure::megabytes:
      return scale({"", 6});
    case Measure::nanoseconds:
      return scale({"", -9});
    case Measure::bytes:
      break;
  }
  return 1;
}

/// Completes "it must be ".
std::string legal_units(Measure measure) {
  const std::string own = std::string("a number of ") + name_of(measure) + ", or one with a unit: ";
  switch (measure) {
    case Measure::gbps:
      return own + "100G, 100Gbps, 2.5Gbit/s, 400M";
    case Measure::bytes:
    case Measure::megabytes:
      return own + "64B, 9KB (9000 bytes), 9KiB (9216), 12MB, 12MiB";
    case Measure::nanoseconds:
      break;
  }
  return own + "800ns, 5us, 0.2ms, 1s";
}

bool is_of_unit(char c) {
  const auto letter = static_cast<unsigned char>(c);
  return std::isalpha(letter) != 0 || c == '/' || letter >= 0x80;
}

}  // namespace

Rational parse_quantity(std::string_view text, std::string_view argument, Measure measure) {
  text = trimmed(text);
  std::size_t end = text.size();
  while (end > 0 && is_of_unit(text[end - 1])) --end;
  const std::string_view name = text.substr(end), number = trimmed(text.substr(0, end));
  if (name.empty()) return parse_rational(number, argument);
  const std::optional<Rational> unit = unit_of(measure, name);
  if (!unit || number.empty())
    throw InvalidArgument(std::string(argument), '"' + std::string(text.substr(0, 40)) + '"',
                          legal_units(measure));
  return parse_rational(number, argument) * *unit / own_unit(measure);
}

std::vector<Rational> parse_quantities(std::string_view text, std::string_view argument, Measure measure,
                                       std::size_t limit) {
  return parse_list(text, argument, limit, [&](std::string_view item, std::string_view name) {
    return parse_quantity(item, name, measure);
  });
}

std::int64_t parse_whole_quantity(std::string_view text, std::string_view argument, Measure measure,
                                  std::int64_t minimum, std::int64_t largest) {
  return to_integer(parse_quantity(text, argument, measure), argument, minimum, largest);
}

std::vector<std::int64_t> parse_whole_quantities(std::string_view text, std::string_view argument,
                                                 Measure measure, std::int64_t minimum, std::int64_t largest,
                                                 const std::string& legal) {
  std::vector<std::int64_t> list;
  for (const Rational& value : parse_quantities(text, argument, measure)) {
    try {
      list.push_back(to_integer(value, argument, minimum, largest));
    } catch (const InvalidArgument& error) {
      if (legal.empty()) throw;
      throw InvalidArgument(error.argument(), error.value(), legal);
    }
  }
  return list;
}

}  // namespace tailbound::numeric
