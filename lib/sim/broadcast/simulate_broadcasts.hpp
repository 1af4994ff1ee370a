#pragma once

#include <tailbound/core/quantity.hpp>
#include <tailbound/sim/batches/batched_run.hpp>
#include <tailbound/sim/batches/histogram_batches.hpp>
#include <tailbound/sim/broadcast/broadcast_replication.hpp>
#include <tailbound/sim/worm/worm_saturation.hpp>

#include <functional>
#include <optional>
#include <vector>

/// Estimates with confidence intervals from a simulated hypercube with broadcasts
/// (sim/broadcast/broadcast_replication.hpp).
///
/// MODEL     the batches of all replications are pooled (sim/batches/batch_means.hpp).
/// TESTS     tests/sim/broadcast_replication_test.cpp, tests/validation/broadcast_test.cpp
namespace tailbound::sim {

struct BroadcastPercentile {
  double fraction = 0;
  /// Nothing if none was delivered, or if the value is beyond the last of latency_bins bins.
  std::optional<numeric::Estimate<unit::Slot>> unicast, broadcast;
};

/// The links of a dimension.
struct DimensionUse {
  double flits = 0;  ///< per cycle and link
  double busy = 0;   ///< mean number of virtual channels of a link that are occupied
};

struct BroadcastEstimates {
  /// [cycles]. A copy's latency and wait are counted from when it is handed to a port. Nothing if none was
  /// delivered.
  std::optional<numeric::Estimate<unit::Slot>> unicast_latency, unicast_wait, copy_latency, copy_wait,
      broadcast_latency;
  numeric::Estimate<unit::Load> throughput;  ///< flits delivered per cycle and node
  double offered = 0;    ///< (1 + b (N - 2)) M lg, the long-run throughput if all traffic is carried
  double generated = 0;  ///< flits per cycle and node required by the messages generated while measured
  std::vector<BroadcastPercentile> percentiles;
  std::vector<DimensionUse> dimensions;  ///< [i - 1]: of dimension i
  numeric::Estimate<unit::Ratio> busy;   ///< occupied virtual channels of a link, over all links
  WormStability stability;
  double mean_links = 0;  ///< on the path of a unicast
  std::uint64_t unicasts = 0, copies = 0, broadcasts = 0;
  double flit_hops = 0;  ///< flits that crossed a channel while measured
  std::size_t batches = 0;
};

/// Relaxation time of the network [cycles]: M times that of a queue of single packets with utilization
/// `fraction_of_saturation` (sim/batches/batched_run.hpp), and a broadcast.
/// \param fraction_of_saturation  above 0; values above 0.95 count as 0.95
[[nodiscard]] double relaxation_cycles(const BroadcastModel& model, double fraction_of_saturation);

/// Warm-up: 5 relaxation times. Batches: 16 per replication, or fewer so that each lasts at least 10
/// relaxation times, but in total at least 8.
[[nodiscard]] RunPlan automatic_plan(const BroadcastModel& model, double fraction_of_saturation,
                                     std::int64_t cycles, int replications, std::uint64_t seed);

/// Flits that cross a port or a link per cycle if all traffic is carried.
[[nodiscard]] double flit_hops_per_cycle(const BroadcastModel& model);
/// Cycles of each replication such that all together take about `flit_hops`, by affordable_slots().
[[nodiscard]] std::int64_t affordable_cycles(const BroadcastModel& model, double fraction_of_saturation,
                                             double flit_hops, int replications);

[[nodiscard]] RunResult run_broadcasts(const BroadcastModel& model, const RunPlan& plan,
                                       const RunControls& controls = {}, std::string_view resume = {});

/// \param percentiles  as fractions
/// \throws InvalidArgument  fewer than two batches were completed; a number out of range
[[nodiscard]] BroadcastEstimates broadcast_estimates(const BroadcastModel& model, const RunResult& result,
                                                     const std::vector<double>& percentiles = {},
                                                     double confidence = 0.95);

/// The highest stable rate; all probes use the same random numbers. The loads of the probes are rates, and
/// the delivered load is the rate that was carried. By default there are fewer messages than for unicasts,
/// but at least 50 per node, if a probe would take more than 6e8 flit-hops. \param model  its rate does not
/// matter
/// \throws NoAnswer  stable up to 1 message/cycle/node
[[nodiscard]] SimulatedSaturation simulated_saturation(
    const BroadcastModel& model, const SaturationSearch& search, const RunControls& controls = {},
    const std::function<void(std::size_t)>& on_progress = {});

}  // namespace tailbound::sim
