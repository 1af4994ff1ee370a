#pragma once

#include <tailbound/core/quantity.hpp>
#include <tailbound/sim/batches/batched_run.hpp>
#include <tailbound/sim/batches/histogram_batches.hpp>
#include <tailbound/sim/crossbar/crossbar_replication.hpp>

#include <optional>
#include <string_view>
#include <vector>

/// Estimates with confidence intervals from a simulated input-queued switch
/// (sim/crossbar/crossbar_replication.hpp).
///
/// MODEL     the batches of all replications are pooled (sim/batches/batch_means.hpp), and so are the inputs,
///           the VOQs, and the outputs other than a hot one.
/// EXCLUDES  events so rare that few batches see any: `count` gives the number seen
/// TESTS     tests/sim/crossbar/crossbar_replication_test.cpp
namespace tailbound::sim {

/// Queueing delays of the cells that left.
struct CrossbarDelays {
  numeric::Estimate<unit::Slot> mean;
  std::vector<LevelEstimate> tail;  ///< P(D > t), t in slots
  std::vector<numeric::Estimate<unit::Slot>> percentiles;
};

/// Cells of a queue, or of several together.
struct CrossbarOccupancy {
  numeric::Estimate<unit::Packet> mean;
  std::vector<LevelEstimate> tail;  ///< P(n > level)
};

struct CrossbarEstimates {
  CrossbarDelays delay;                          ///< of cells for an output that is not the hot one
  std::optional<CrossbarDelays> hot_delay{};     ///< of cells for the hot output
  std::vector<CrossbarDelays> priority_delay{};  ///< [priority]
  CrossbarOccupancy input;                       ///< of an input
  std::optional<CrossbarOccupancy> voq{};        ///< of a VOQ
  CrossbarOccupancy column;                      ///< all cells for an output
  std::optional<CrossbarOccupancy> hot_column{};
  /// of an output, or its crosspoints, just before it sends
  std::optional<CrossbarOccupancy> output{};
  numeric::Estimate<unit::Ratio> carried;                ///< cells that left per slot and input
  numeric::Estimate<unit::Ratio> least, most;            ///< cells that left per slot, of an output
  std::optional<numeric::Estimate<unit::Ratio>> loss{};  ///< lost fraction of the arriving cells
  std::uint64_t cells = 0, lost = 0, left = 0;
  std::uint64_t late = 0, above = 0;  ///< of ccf: CrossbarRows
  /// Did the cells in the switch increase during the whole run? The load is then above its maximum, and
  /// delays and lengths depend on the length of the run.
  bool saturated = false;
  std::size_t batches = 0;
};

struct CrossbarQueries {
  std::vector<std::int64_t> delays{}, levels{};  ///< t of P(D > t) [slots], n of P(n > level) [cells], >= 0
  std::vector<double> percentiles{};             ///< fractions, above 0 and below 1
  double confidence = 0.95;
};

/// For the automatic plan.
struct CrossbarWork {
  double utilization = 0;     ///< of the busiest port, by the maximum load of the scheduler where it is known
  double steps_per_slot = 0;  ///< cells, and the cost of the scheduler
  SourceMemory memory{};
};
[[nodiscard]] CrossbarWork crossbar_work(const CrossbarModel& model);

[[nodiscard]] RunResult run_crossbar(const CrossbarModel& model, const RunPlan& plan,
                                     const RunControls& controls = {}, std::string_view resume = {});

/// \throws InvalidArgument  fewer than two batches were completed; a level or a fraction out of range
[[nodiscard]] CrossbarEstimates crossbar_estimates(const CrossbarModel& model, const RunResult& result,
                                                   const CrossbarQueries& queries = {});

}  // namespace tailbound::sim
