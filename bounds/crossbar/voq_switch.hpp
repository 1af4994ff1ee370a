#pragma once

#include <tailbound/bounds/crossbar/crossbar_tables.hpp>
#include <tailbound/core/quantity.hpp>
#include <tailbound/numeric/truth.hpp>

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

/// Delay and queues of switches with virtual output queues (VOQ): interpolated simulations.
///
/// MODEL     the tables of data/crossbar. ln of the ratio of the mean wait to the output queue's, and ln of
///           the quantiles, by monotone cubics in -ln(1 - load), then Lagrange's polynomial in ln(ports)
///           through the four nearest. Quantiles below 0.3: ln P(X > n) is interpolated instead. Between
///           quantiles ln P is linear; below 1e-4 it is continued, one step per decade of the distance from
///           the 1e-3 to the 1e-4 quantile (VOQ: 1.15 times that).
/// RESULT    up to load 0.9: mean within 1 %, P(D > t) and P(VOQ > n) at 1e-4 within a factor 1.3 in nine
///           of ten cases (1.43 at most), input buffers for 1e-4 within 7 %; at 0.95: mean within 7 %,
///           sizes within 12 %. islip with 1 iteration only outside loads 0.55 .. 0.67 of its knee
/// EXCLUDES  uneven destinations (islip may saturate near 0.8), loads, ports and parameters not measured
/// SOURCE    docs/derivations/crossbar.md
/// TESTS     tests/bounds/crossbar/voq_switch_test.cpp
namespace tailbound::bounds {

struct VoqSwitch {
  traffic::CrossbarScheduler scheduler = traffic::CrossbarScheduler::islip;
  std::int64_t parameter = 0;  ///< iterations (0: until nothing is added), or cells of a crosspoint
  std::int64_t ports = 2;
  double load = 0;  ///< of each input [cells/slot], above 0
};

/// P(X > x) of a delay or a queue, from 1e-1 downward.
class MeasuredTail {
 public:
  static constexpr double max_tail = 0.1, min_measured = 1e-4;

  /// \param points   (x, ln P(X > x)), x increasing, ln P decreasing, down to 1e-4 or less
  /// \param stretch  of the steps below 1e-4
  MeasuredTail(std::vector<std::pair<double, double>> points, double stretch);

  /// Empty: above max_tail.
  [[nodiscard]] std::optional<numeric::Model<unit::Probability>> above(double level) const;
  /// The real-valued level with that tail, 0 or more. Empty: `tail` is above max_tail.
  [[nodiscard]] std::optional<double> quantile(double tail) const;

 private:
  [[nodiscard]] double place_of(double log_tail) const;

  std::vector<std::pair<double, double>> points_;
  double at4_, step_;  ///< 1e-4 quantile; levels per decade below it
};

struct MeasuredVoq {
  SchedulerKey table;    ///< rows that were used
  bool between = false;  ///< of islip: between these and those of its most iterations measured
  double ratio = 1;      ///< mean wait over that of the output queue
  /// Empty where the load is below those measured.
  std::optional<MeasuredTail> delay{}, input{}, queue{};
};

/// \throws NoAnswer  scheduler, ports, load or parameter not measured: the message says what is
[[nodiscard]] MeasuredVoq measured_voq(const VoqSwitch& voq, const VoqTable& table = voq_table());

/// Highest load measured. \throws NoAnswer  as measured_voq(), except for the load
[[nodiscard]] double max_measured_load(const VoqSwitch& voq);

/// Mean wait over that of the output queue, with bursts of mean length `burst` that keep their output.
/// \throws NoAnswer  not measured
[[nodiscard]] double burst_ratio(const VoqSwitch& voq, double burst);

/// With `speedup` phases per slot, above 1 and at most 2.
struct MeasuredSpeedup {
  double ratio = 1;                          ///< total wait over that of the output queue
  std::optional<double> input3{}, input5{};  ///< cells of an input exceeded with 1e-3, 1e-5

  /// Cells of an input exceeded with probability `tail`; none above 1e-3, or not measured.
  [[nodiscard]] std::optional<double> input(double tail) const;
  static constexpr double max_tail = 1e-3, min_measured = 1e-5;
};
/// \throws NoAnswer  not measured
[[nodiscard]] MeasuredSpeedup measured_speedup(const VoqSwitch& voq, double speedup);

}  // namespace tailbound::bounds
