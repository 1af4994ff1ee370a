#pragma once

#include <tailbound/numeric/rational.hpp>

#include <array>
#include <optional>
#include <string>
#include <string_view>

/// Speeds of links as files of other programs write them.
///
/// MODEL  A number with a unit has that unit: 10G, 2.5 Gbit/s, 125MBps. One without has the unit in the name
///        of its attribute or column (capacity_mbps), or that of its format (LinkSpeedRaw: bit/s). All others
///        of a file have one unit, Gbit/s if none is given.
/// TESTS  tests/network/imports/speeds_test.cpp
namespace tailbound::network {

/// Of the numbers of a file that have no unit.
enum class SpeedUnit { bits, kilobits, megabits, gigabits };
[[nodiscard]] constexpr auto names_of(SpeedUnit) {
  return std::array{"bit/s", "kbit/s", "Mbit/s", "Gbit/s"};
}
/// [Gbit/s]
[[nodiscard]] numeric::Rational size_of(SpeedUnit unit);

struct WrittenSpeed {
  numeric::Rational value;  ///< above 0 [Gbit/s if it has a unit]
  bool has_unit = false;
};
/// None if it is not a speed above 0.
[[nodiscard]] std::optional<WrittenSpeed> read_speed(std::string_view text);

/// The name of an attribute or a column with speeds.
struct SpeedName {
  std::optional<numeric::Rational> unit{};  ///< if it is part of the name [Gbit/s]
};
/// capacity, "Link speed (Gbit/s)", bandwidth_mbps, gbps: words for a speed and a unit in any order. None for
/// other names.
[[nodiscard]] std::optional<SpeedName> speed_name(std::string_view name);

/// A number without a unit may be this at most in the assumed unit; above, the unit is requested. [Gbit/s]
inline constexpr int max_assumed_gbps = 3200;

}  // namespace tailbound::network
