#pragma once

#include <tailbound/core/quantity.hpp>
#include <tailbound/sim/batches/batched_run.hpp>
#include <tailbound/sim/batches/histogram_batches.hpp>
#include <tailbound/sim/broadcast/broadcast_replication.hpp>
#include <tailbound/sim/worm/worm_saturation.hpp>

#include <functional>
#include <optional>
#include <vector>

/// What a simulated hypercube with broadcasts (sim/broadcast/broadcast_replication.hpp) shows, as estimates with
/// confidence intervals.
///
/// MODEL     the batches of all replications are taken together (sim/batches/batch_means.hpp).
/// TESTS     tests/sim/broadcast_replication_test.cpp, tests/validation/broadcast_test.cpp
namespace tailbound::sim {

struct BroadcastPercentile {
  double fraction = 0;
  /// Nothing where none was delivered, or where it lies beyond what is counted: latency_bins bins.
  std::optional<numeric::Estimate<unit::Slot>> unicast, broadcast;
};

/// The links of a dimension.
struct DimensionUse {
  double flits = 0;  ///< a cycle and link
  double busy = 0;   ///< virtual channels of a link that belong to a worm, mean
};

struct BroadcastEstimates {
  /// Cycles. A copy's latency and wait are counted from when it is handed to a port. None delivered: nothing.
  std::optional<numeric::Estimate<unit::Slot>> unicast_latency, unicast_wait, copy_latency, copy_wait,
      broadcast_latency;
  numeric::Estimate<unit::Load> throughput;  ///< flits delivered a cycle and node
  double offered = 0;    ///< (1 + b (N - 2)) M lg, what the throughput should be in the long run
  double generated = 0;  ///< flits a cycle and node that the messages generated while measured call for
  std::vector<BroadcastPercentile> percentiles;
  std::vector<DimensionUse> dimensions;  ///< [i - 1]: of dimension i
  numeric::Estimate<unit::Ratio> busy;   ///< virtual channels of a link that belong to a worm, of all links
  WormStability stability;
  double mean_links = 0;  ///< of a unicast's way
  std::uint64_t unicasts = 0, copies = 0, broadcasts = 0;
  double flit_hops = 0;  ///< flits that crossed a channel while measured
  std::size_t batches = 0;
};

/// Time in which the network forgets how full it was [cycles]: M times that of a queue of single packets with
/// the utilization that the rate has of saturation (sim/batches/batched_run.hpp), and a broadcast.
/// \param fraction_of_saturation  above 0; 0.95 where it is more
[[nodiscard]] double relaxation_cycles(const BroadcastModel& model, double fraction_of_saturation);

/// Warm-up: 5 relaxation times. Batches: 16 a replication, or fewer so that each lasts at least 10 relaxation
/// times, but in all no fewer than 8.
[[nodiscard]] RunPlan automatic_plan(const BroadcastModel& model, double fraction_of_saturation,
                                     std::int64_t cycles, int replications, std::uint64_t seed);

/// Flits that cross a port or a link in a cycle, if all is carried.
[[nodiscard]] double flit_hops_a_cycle(const BroadcastModel& model);
/// Cycles of each replication so that all of them together take some `flit_hops`, by affordable_slots().
[[nodiscard]] std::int64_t affordable_cycles(const BroadcastModel& model, double fraction_of_saturation,
                                             double flit_hops, int replications);

[[nodiscard]] RunResult run_broadcasts(const BroadcastModel& model, const RunPlan& plan,
                                       const RunControls& controls = {}, std::string_view resume = {});

/// \param percentiles  as fractions
/// \throws InvalidArgument  fewer than two batches were completed; a number out of range
[[nodiscard]] BroadcastEstimates broadcast_estimates(const BroadcastModel& model, const RunResult& result,
                                                     const std::vector<double>& percentiles = {},
                                                     double confidence = 0.95);

/// The greatest stable rate; all probes with the same random numbers. The probes' loads are rates, delivered
/// is the rate that was carried. Unless told otherwise there are fewer messages, but at least 50 of each
/// node, than for unicasts where a probe would take more than 6e8 flit-hops. \param model  its rate does not
/// matter \throws NoAnswer  stable up to 1 message/cycle/node
[[nodiscard]] SimulatedSaturation simulated_saturation(const BroadcastModel& model,
                                                       const SaturationSearch& search,
                                                       const RunControls& controls = {},
                                                       const std::function<void(std::size_t)>& told = {});

}  // namespace tailbound::sim
