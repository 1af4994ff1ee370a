#pragma once

#include <tailbound/traffic/crossbar_scheduler.hpp>

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

/// Tables of simulated switches with virtual output queues. They are compiled into the library.
///
/// FORMAT    data/crossbar: CSV with a row of names; lines that begin with # are comments
/// TESTS     tests/bounds/crossbar/voq_switch_test.cpp
namespace tailbound::bounds {

/// A scheduler with its parameter: iterations (0: until nothing is added), or cells of a crosspoint.
using SchedulerKey = std::pair<traffic::CrossbarScheduler, std::int64_t>;

/// Real-valued levels exceeded with probability 1e-1, 1e-2, .., 1e-5; empty: below 0.
using Quantiles = std::array<std::optional<double>, 5>;

/// A simulated switch at speedup 1.
struct VoqRow {
  double load = 0, ratio = 0;  ///< mean wait over that of the output queue
  Quantiles delay{}, input{}, queue{};
};
/// [scheduler][ports], rows by increasing load.
using VoqTable = std::map<SchedulerKey, std::map<std::int64_t, std::vector<VoqRow>>>;

/// With bursts of mean length `burst`.
struct BurstRow {
  double load = 0, ratio = 0;
};
/// [scheduler][ports][burst]
using BurstTable = std::map<SchedulerKey, std::map<std::int64_t, std::map<double, std::vector<BurstRow>>>>;

/// With several phases per slot.
struct SpeedupRow {
  double load = 0, ratio = 0;
  std::optional<double> input3{}, input5{};  ///< cells of an input exceeded with 1e-3, 1e-5
};
/// [scheduler][ports][speedup]
using SpeedupTable =
    std::map<SchedulerKey, std::map<std::int64_t, std::map<double, std::vector<SpeedupRow>>>>;

[[nodiscard]] const VoqTable& voq_table();
[[nodiscard]] const BurstTable& burst_table();
[[nodiscard]] const SpeedupTable& speedup_table();

/// \throws ParseError  unknown scheduler, a row of the wrong form, rows not in the order of load
[[nodiscard]] VoqTable read_voq_table(std::string_view text);
[[nodiscard]] BurstTable read_burst_table(std::string_view text);
[[nodiscard]] SpeedupTable read_speedup_table(std::string_view text);

}  // namespace tailbound::bounds
