#pragma once

#include <tailbound/sim/batches/batched_run.hpp>
#include <tailbound/sim/batches/histogram_batches.hpp>
#include <tailbound/sim/tree/tree_replication.hpp>

/// Estimates with confidence intervals from a simulated tree (sim/tree/tree_replication.hpp).
///
/// MODEL     each estimate is over all queues of a stage, all packets, or all observed flows; the batches of
///           all replications are pooled (sim/batches/batch_means.hpp).
/// EXCLUDES  events so rare that few batches see any: `count` gives the number seen.
namespace tailbound::sim {

struct StageEstimates {
  int stage = 0;    ///< in the order of the route; a random-root packet passes stage h - 1 at hop h
  int level = 1;    ///< of the switches with these queues
  bool up = false;  ///< do the links lead up?
  numeric::Estimate<unit::Load> load;  ///< packets served per slot and queue
  numeric::Estimate<unit::Packet> mean_occupancy;
  std::vector<LevelEstimate> tail;      ///< P(Q > level), just after the arrivals of a slot
  std::uint64_t dropped = 0;            ///< packets
  numeric::Estimate<unit::Ratio> loss;  ///< of the packets that arrive at these queues
};

/// The smallest t with P(T <= t) >= fraction; the interval follows from the ends of the interval of P(T > t).
struct PercentileEstimate {
  double fraction = 0;                     ///< 0.99 for the 99th percentile
  numeric::Estimate<unit::Slot> queueing;  ///< D, the sum of the waits
  numeric::Estimate<unit::Slot> latency;   ///< D + number of queues on the route
};

struct TreeQueries {
  std::vector<std::int64_t> occupancy_levels{};  ///< for StageEstimates::tail, >= 0
  std::vector<std::int64_t> delay_levels{};      ///< for delay_ccdf, >= 0
  std::vector<double> percentiles{};             ///< as fractions, above 0 and below 1
  std::vector<std::int64_t> reorder_levels{};    ///< for observed flows
  double confidence = 0.95;
};

struct TreeEstimates {
  std::vector<StageEstimates> stages;
  std::vector<LevelEstimate> delay_ccdf;  ///< queueing delay D
  std::vector<PercentileEstimate> percentiles;
  numeric::Estimate<unit::Slot> mean_queueing, mean_latency;
  std::vector<LevelEstimate> reorder_tail;
  std::uint64_t packets = 0;  ///< delivered while measured
  std::size_t batches = 0;
};

/// The automatic plan for a tree: sim/batches/batched_run.hpp with the leaves' load, the memory of the
/// sources of the first hop (later queues see more sources, each thinned more), and 2n - 1 hops.
[[nodiscard]] RunPlan automatic_plan(const TreeModel& model, std::int64_t slots, int replications,
                                     std::uint64_t seed);

[[nodiscard]] RunResult run_tree(const TreeModel& model, const RunPlan& plan,
                                 const RunControls& controls = {}, std::string_view resume = {});

/// \throws InvalidArgument  fewer than two batches were completed; a level or percentile out of range
[[nodiscard]] TreeEstimates tree_estimates(const TreeModel& model, const RunResult& result,
                                           const TreeQueries& queries);

}  // namespace tailbound::sim
