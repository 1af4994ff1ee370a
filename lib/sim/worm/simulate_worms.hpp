#pragma once

#include <tailbound/core/quantity.hpp>
#include <tailbound/sim/batches/batched_run.hpp>
#include <tailbound/sim/batches/histogram_batches.hpp>
#include <tailbound/sim/worm/worm_replication.hpp>
#include <tailbound/sim/worm/worm_saturation.hpp>

#include <functional>
#include <optional>
#include <string>
#include <vector>

/// Estimates with confidence intervals from a simulated wormhole network (sim/worm/worm_replication.hpp).
///
/// MODEL     the batches of all replications are pooled (sim/batches/batch_means.hpp).
/// TESTS     tests/sim/worm_replication_test.cpp, tests/validation/rigid_worms_test.cpp
namespace tailbound::sim {

struct WormPercentile {
  double fraction = 0;
  /// Nothing if the value is beyond the last of latency_bins bins.
  std::optional<numeric::Estimate<unit::Cycle>> latency;
};

struct WormChannelUse {
  std::uint32_t channel = 0;
  std::string name;
  numeric::Estimate<unit::Probability> occupancy;  ///< fraction of time in which it belongs to a message
  double flits = 0;                                ///< per cycle
};

/// Messages of one class, or of one length of it.
struct WormPartEstimates {
  std::uint64_t messages = 0;                         ///< delivered
  numeric::Estimate<unit::FlitsPerCycle> throughput;  ///< delivered, per node that sends in any class
  /// none if none was delivered
  std::optional<numeric::Estimate<unit::Cycle>> latency, source_wait;
  std::vector<WormPercentile> percentiles;
};

struct WormLengthEstimates {
  std::int64_t flits = 0;
  WormPartEstimates found;
};

struct WormClassEstimates {
  std::string name;  ///< MessageKind::name
  WormPartEstimates found;
  /// Ascending; empty if its lengths are not counted apart (parts_of()).
  std::vector<WormLengthEstimates> by_length;
};

struct WormEstimates {
  numeric::Estimate<unit::FlitsPerCycle> throughput;  ///< delivered, per sending node
  /// none if none was delivered
  std::optional<numeric::Estimate<unit::Cycle>> latency, source_wait, service;
  double mean_distance = 0;  ///< of the messages delivered [channels]
  std::vector<WormPercentile> percentiles;
  std::vector<WormChannelUse> busiest;  ///< channels with the highest occupancy, except those of the sources
  WormStability stability;
  std::uint64_t messages = 0;
  double flit_hops = 0;  ///< flits that crossed a channel while measured
  std::size_t batches = 0;
  /// One per kind of messages; empty if these are one part (parts_of()).
  std::vector<WormClassEstimates> by_class{};
};

/// Relaxation time of the network [cycles]: M, or E l^2 / M with lists of lengths or classes, times that of a
/// queue of single packets with utilization `fraction_of_saturation` (sim/batches/batched_run.hpp), and the
/// longest route.
/// \param fraction_of_saturation  above 0; values above 0.95 count as 0.95
[[nodiscard]] double relaxation_cycles(const WormModel& model, double fraction_of_saturation);

/// Warm-up: 5 relaxation times. Batches: 16 per replication, or fewer so that each lasts at least 10
/// relaxation times, but in total at least 8.
[[nodiscard]] RunPlan automatic_plan(const WormModel& model, double fraction_of_saturation,
                                     std::int64_t cycles, int replications, std::uint64_t seed);

/// Cycles of each replication such that all together take about `flit_hops`, by affordable_slots().
/// \param mean_distance  channels on a message's route
[[nodiscard]] std::int64_t affordable_cycles(const WormModel& model, double fraction_of_saturation,
                                             double mean_distance, double flit_hops, int replications);

/// The nearest multiple of 10^-9.
[[nodiscard]] numeric::Rational rounded_load(double load);

/// \throws NoAnswer  deadlock
[[nodiscard]] RunResult run_worms(const WormModel& model, const RunPlan& plan,
                                  const RunControls& controls = {}, std::string_view resume = {});

struct WormWanted {
  std::vector<double> percentiles;  ///< as fractions
  std::size_t channels = 1;         ///< number of the busiest channels to return
  double confidence = 0.95;
};

/// \throws InvalidArgument  fewer than two batches were completed; a number out of range
[[nodiscard]] WormEstimates worm_estimates(const WormModel& model, const RunResult& result,
                                           const WormWanted& wanted = {});

// --- Saturation ------------------------------------------------------------------------------------------

/// The highest stable load, by bracketing and bisection; all probes use the same random numbers. A probe in
/// which single sources may fall short of their offered load, but not significantly, is repeated with four
/// times as many messages.
/// \param model  its load does not matter
/// \param on_progress   called with the number of probes made
/// \throws NoAnswer  stable up to load 1; deadlock
[[nodiscard]] SimulatedSaturation simulated_saturation(
    const WormModel& model, const SaturationSearch& search, const RunControls& controls = {},
    const std::function<void(std::size_t)>& on_progress = {});

}  // namespace tailbound::sim
