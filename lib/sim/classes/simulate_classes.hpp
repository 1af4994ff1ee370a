#pragma once

#include <tailbound/core/quantity.hpp>
#include <tailbound/sim/batches/batched_run.hpp>
#include <tailbound/sim/batches/histogram_batches.hpp>
#include <tailbound/sim/classes/class_replication.hpp>

#include <optional>
#include <string_view>

/// Estimates with confidence intervals from a simulated output with classes
/// (sim/classes/class_replication.hpp).
///
/// MODEL     the batches of all replications are pooled (sim/batches/batch_means.hpp).
/// EXCLUDES  events so rare that few batches see any: `count` gives the number seen.
/// TESTS     tests/sim/classes/simulate_classes_test.cpp
namespace tailbound::sim {

struct ClassPercentile {
  double fraction = 0;
  numeric::Estimate<unit::Slot> wait;
};

struct ClassEstimates {
  std::uint64_t packets = 0, lost = 0;             ///< packets that arrived, and those lost
  numeric::Estimate<unit::Load> served;            ///< packets/slot
  numeric::Estimate<unit::Packet> mean_occupancy;  ///< just after the arrivals of a slot
  numeric::Estimate<unit::Ratio> loss;             ///< of the packets that arrived
  /// None if no packet was served.
  std::optional<numeric::Estimate<unit::Slot>> mean_wait;
  std::vector<ClassPercentile> percentiles{};
  std::vector<LevelEstimate> occupancy,
      wait;  ///< P(L > n), P(W > n); the latter empty if no packet was served
  std::vector<LevelEstimate> alone,
      last;  ///< P(L > n) if the class were served first, last; if model.bounded()
};

struct ClassQueries {
  std::vector<std::int64_t> occupancy_levels{}, wait_levels{};  ///< >= 0
  std::vector<double> percentiles{};                            ///< of the wait, above 0 and below 1
  double confidence = 0.95;
};

/// The utilization of the output, for the automatic plan.
struct ClassWork {
  double utilization = 0;
  double steps_per_slot = 0;  ///< as packet-hops
  SourceMemory memory{};
};
[[nodiscard]] ClassWork class_work(const ClassModel& model);

[[nodiscard]] RunResult run_classes(const ClassModel& model, const RunPlan& plan,
                                    const RunControls& controls = {}, std::string_view resume = {});

/// Per class.
/// \throws InvalidArgument  fewer than two batches were completed; a level or a confidence out of range
[[nodiscard]] std::vector<ClassEstimates> class_estimates(const ClassModel& model, const RunResult& result,
                                                          const ClassQueries& queries = {});

}  // namespace tailbound::sim
