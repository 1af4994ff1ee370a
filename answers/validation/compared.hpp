#pragma once

#include <tailbound/answers/comparison.hpp>
#include <tailbound/numeric/rational.hpp>
#include <tailbound/sim/batches/histogram_batches.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <utility>
#include <variant>
#include <vector>

/// Rows of a comparison of analysis and simulation, the same for all systems. A system contributes the
/// function that makes them from its analysis and its simulation.
///
/// TESTS     tests/answers/validation/validate_buffer_test.cpp, tests/answers/comparison_test.cpp
namespace tailbound::answers {

/// A compared quantity.
enum class ComparedQuantity {
  occupancy_tail,  ///< P(Q > level), of one queue
  mean_occupancy,
  total_tail,  ///< P(T > level), of all queues of a shared memory
  mean_total,
  cell_loss,    ///< with a buffer of `level` cells
  packet_loss,  ///< with a buffer of `level` packets or cells
  delay_tail,   ///< P(D > level)
  queueing,     ///< a percentile of D
  mean_queueing,
  latency_time,  ///< a percentile of D and the time of hops [ns]
  mean_latency_time,
  latency,  ///< of wormhole messages, mean
  unicast_latency,
  broadcast_latency,
  throughput,  ///< of a multistage network
  delay,       ///< mean
  hot_delay,
  cold_delay,
  input_tail,   ///< P(n > level), of an input of a crossbar
  voq_tail,     ///< of a VOQ
  column_tail,  ///< of all packets for an output, anywhere in the crossbar
};
/// Keys of the output.
[[nodiscard]] constexpr auto names_of(ComparedQuantity) {
  return std::array{
      "occupancy_tail",  "mean_occupancy", "total_tail",      "mean_total",          "cell_loss",
      "packet_loss",     "ccdf",           "queueing_slots",  "mean_queueing_slots", "latency_ns",
      "mean_latency_ns", "latency",        "unicast_latency", "broadcast_latency",   "throughput",
      "delay",           "hot_delay",      "cold_delay",      "input_tail",          "voq_tail",
      "column_tail"};
}

/// One quantity at one place, predicted and simulated.
struct ComparedRow {
  ComparedQuantity quantity{};
  std::optional<std::int64_t> level{};            ///< of a tail; buffer size of a loss
  std::optional<numeric::Rational> percentile{};  ///< as a fraction
  std::variant<Comparison<unit::Probability>, Comparison<unit::Packet>, Comparison<unit::Slot>,
               Comparison<unit::Time>, Comparison<unit::Cycle>, Comparison<unit::RequestsPerSlot>>
      compared{};
  /// An approximation alongside a bound; not counted.
  std::optional<Comparison<unit::Probability>> about{};

  [[nodiscard]] const Comparison<unit::Probability>& probability() const {
    return std::get<Comparison<unit::Probability>>(compared);
  }
};

/// P(X > level).
[[nodiscard]] inline ComparedRow compared_tail(ComparedQuantity quantity,
                                               const Predicted<unit::Probability>& predicted,
                                               const sim::LevelEstimate& simulated) {
  return {.quantity = quantity,
          .level = simulated.level,
          .compared = Comparison<unit::Probability>{
              .predicted = predicted, .simulated = simulated.probability, .count = simulated.count}};
}

/// All rows of one simulation.
struct Comparisons {
  std::vector<ComparedRow> rows{};
  Tally tally{};
  double confidence_of_each = 0.95;  ///< of each interval
  double confidence_of_all = 0.95;   ///< of all intervals together, at least

  /// Sets the confidence of `intervals` intervals that hold together with `of_all`.
  /// \return that of each
  double share_confidence(std::size_t intervals, double of_all) {
    confidence_of_all = of_all;
    return confidence_of_each = answers::confidence_of_each(intervals, of_all);
  }
  /// Of the intervals of all rows added so far, each of which has `of_each`.
  void state_confidence(double of_each) {
    confidence_of_each = of_each;
    confidence_of_all = std::max(0.0, 1 - static_cast<double>(rows.size()) * (1 - of_each));
  }
  /// \throws std::logic_error  a proved prediction is refuted by the simulation
  void add(ComparedRow row) {
    std::visit([&](const auto& compared) { tally.add(compared); }, row.compared);
    rows.push_back(std::move(row));
  }
  template <class Unit>
  void add(ComparedQuantity quantity, const Comparison<Unit>& compared) {
    add(ComparedRow{.quantity = quantity, .compared = compared});
  }
  /// The first row of a quantity; null if there is none.
  [[nodiscard]] const ComparedRow* find(ComparedQuantity quantity) const {
    const auto row = std::find_if(rows.begin(), rows.end(),
                                  [&](const ComparedRow& each) { return each.quantity == quantity; });
    return row == rows.end() ? nullptr : &*row;
  }
};

/// The rows of a simulation.
template <class Simulation>
struct Validated : Comparisons {
  Simulation simulation{};

  [[nodiscard]] bool stopped() const { return simulation.stopped(); }
};

/// The same for a simulation of several loads.
template <class Simulation>
struct ValidatedLoads {
  Simulation simulation{};
  std::vector<Comparisons> loads{};  ///< in the order of its points
  Tally tally{};                     ///< of all loads

  void add(Comparisons at_load) {
    for (const ComparedRow& row : at_load.rows)
      std::visit([&](const auto& compared) { tally.add(compared); }, row.compared);
    loads.push_back(std::move(at_load));
  }
};

/// `given`, or the levels that `level_at` finds for simulable_tails(), in increasing order.
/// \param level_at  (tail probability) -> level
template <class Level, class LevelAt>
[[nodiscard]] std::vector<Level> levels_or_simulable(const std::vector<Level>& given,
                                                     const std::vector<numeric::Rational>& tails,
                                                     const LevelAt& level_at) {
  if (!given.empty()) return given;
  std::set<Level> levels;
  for (const numeric::Rational& tail : tails) levels.insert(level_at(tail));
  return {levels.begin(), levels.end()};
}

}  // namespace tailbound::answers
