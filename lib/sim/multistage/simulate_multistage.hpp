#pragma once

#include <tailbound/core/quantity.hpp>
#include <tailbound/sim/batches/batch_means.hpp>
#include <tailbound/sim/batches/batched_run.hpp>
#include <tailbound/sim/multistage/multistage_replication.hpp>

#include <optional>
#include <string>

/// Estimates with confidence intervals from a simulated multistage network
/// (sim/multistage/multistage_replication.hpp).
///
/// MODEL     the batches of all replications are pooled (sim/batches/batch_means.hpp). Requests are counted
///           as generated, also where they travel combined.
/// TESTS     tests/sim/multistage_test.cpp
namespace tailbound::sim {

/// The queues of one stage that hot requests pass.
struct MultistageStage {
  numeric::Estimate<unit::Request> occupancy;  ///< requests present, including the one in service or blocked
  /// probability that an arriving hot request combines; none if none arrived
  std::optional<numeric::Estimate<unit::Probability>> combining;
};

struct MultistageEstimates {
  numeric::Estimate<unit::RequestsPerSlot> throughput;  ///< requests delivered per processor and slot
  std::optional<numeric::Estimate<unit::Slot>> delay, hot_delay,
      cold_delay;                                ///< none if none was delivered
  numeric::Estimate<unit::Probability> stalled;  ///< of the requests generated: those that waited for stage 0
  std::vector<MultistageStage> hot_path;
  std::uint64_t requests = 0;  ///< delivered while measured
  std::size_t batches = 0;
};

/// Relaxation time of the network [slots]: the time in which the last queues of the hot path serve all
/// requests that the buffers of the hot path can store; at least the time through empty buffers.
[[nodiscard]] double relaxation_slots(const MultistageModel& model);

/// Warm-up: 4 relaxation times and 200 slots. Batches: 16 per replication, or fewer for a length of at least
/// 10 relaxation times, but in total at least 8.
[[nodiscard]] RunPlan automatic_plan(const MultistageModel& model, std::int64_t slots, int replications,
                                     std::uint64_t seed);

[[nodiscard]] RunResult run_multistage(const MultistageModel& model, const RunPlan& plan,
                                       const RunControls& controls = {}, std::string_view resume = {});

/// \throws InvalidArgument  fewer than two batches were completed; a confidence out of range
[[nodiscard]] MultistageEstimates multistage_estimates(const MultistageModel& model, const RunResult& result,
                                                       double confidence = 0.95);

}  // namespace tailbound::sim
