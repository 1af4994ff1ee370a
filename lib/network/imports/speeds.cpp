#include <tailbound/core/error.hpp>
#include <tailbound/core/trimmed.hpp>
#include <tailbound/core/words.hpp>
#include <tailbound/network/imports/speeds.hpp>
#include <tailbound/numeric/text/quantity.hpp>

namespace tailbound::network {
namespace {

using numeric::Rational;

/// Of a word such as gbps, Mbit/s, kbit or GB/s; capital B means bytes. [Gbit/s]
std::optional<Rational> unit_in(const std::string& word) {
  std::string unit = word;
  const bool bytes = unit.ends_with("Bps") || unit.ends_with("B/s");
  if (!bytes) unit = lower_case(unit);
  for (const char* ending : {"bit", "bits"})
    if (unit.ends_with(ending)) unit += "/s";
  if (!is_one_of(unit.substr(std::min(unit.find_first_of("bB"), unit.size())),
                 {"bps", "bit/s", "bits/s", "b/s", "Bps", "B/s"}))
    return std::nullopt;
  const std::size_t prefix = std::string_view("kmgtKMGT").find(unit.front());
  if (prefix != std::string_view::npos) unit.front() = "kMGTkMGT"[prefix];
  try {
    return numeric::parse_quantity("1" + unit, "unit", numeric::Measure::gbps);
  } catch (const InvalidArgument&) {
    return std::nullopt;
  }
}

}  // namespace

Rational size_of(SpeedUnit unit) {
  switch (unit) {
    case SpeedUnit::bits:
      return Rational(1) / 1'000'000'000;
    case SpeedUnit::kilobits:
      return Rational(1) / 1'000'000;
    case SpeedUnit::megabits:
      return Rational(1) / 1'000;
    case SpeedUnit::gigabits:
      break;
  }
  return 1;
}

std::optional<WrittenSpeed> read_speed(std::string_view text) {
  text = trimmed(text);
  if (text.empty() || text.find_first_of("0123456789") == std::string_view::npos || text.size() > 60)
    return std::nullopt;
  std::string its(text);
  // 10GigE, "10 Gbit", "1 Gb/s", 125MBps
  if (const std::string lower = lower_case(its); lower.size() > 3 && lower.ends_with("bit"))
    its = its.substr(0, its.size() - 3) + "bps";
  try {
    const Rational value = numeric::parse_quantity(its, "speed", numeric::Measure::gbps);
    if (value <= 0) return std::nullopt;
    const bool plain = its.find_first_not_of("0123456789.eE+/- ") == std::string::npos;
    return WrittenSpeed{value, !plain};
  } catch (const InvalidArgument&) {
    return std::nullopt;
  }
}

std::optional<SpeedName> speed_name(std::string_view name) {
  SpeedName found;
  bool is_speed = false;
  for (std::size_t begin = 0; begin < name.size();) {
    const std::size_t end = std::min(name.find_first_of(" _-()[],.\t", begin), name.size());
    const std::string word(name.substr(begin, end - begin));
    begin = end + 1;
    if (word.empty()) continue;
    if (is_one_of(lower_case(word),
                  {"capacity", "speed", "bandwidth", "bw", "rate", "linkspeed", "datarate", "linkrate"})) {
      is_speed = true;
    } else if (const auto unit = unit_in(word); unit && !found.unit) {
      found.unit = unit;
    } else if (!is_one_of(lower_case(word), {"link", "port", "line", "data", "in"})) {
      return std::nullopt;
    }
  }
  if (!is_speed && !found.unit) return std::nullopt;
  return found;
}

}  // namespace tailbound::network
