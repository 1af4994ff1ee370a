#pragma once

#include <tailbound/answers/points/run.hpp>
#include <tailbound/sim/batches/batched_run.hpp>

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

/// Common parts of all simulation answers: the length of a run, and its outcome.
namespace tailbound::answers {

/// As given; the rest follows default rules.
struct RunLength {
  std::optional<std::int64_t> slots{};   ///< measured part of each replication [slots or cycles]
  std::optional<std::int64_t> warmup{};  ///< unmeasured part of each replication
  int replications = 4;
  std::uint64_t seed = 1;
};

/// What determines the length of a run.
struct Workload {
  double utilization = 0;      ///< of the busiest queue
  int hops = 1;                ///< queues on the longest route
  double steps_per_slot = 1;   ///< packet-hops per slot, or equivalent work
  double steps = 3e8;          ///< of all replications together, unless a length is given
  sim::SourceMemory memory{};  ///< of the sources
  bool finite = false;         ///< are buffers finite?
};

/// The plan: as given, the rest by the rules of sim/batches/batched_run.hpp. If no number of slots is given,
/// it follows from `steps` by sim::affordable_slots(). It depends only on the inputs, so that the result is
/// reproducible.
/// \throws InvalidArgument  replications out of range
[[nodiscard]] sim::RunPlan plan_of(const RunLength& length, const Workload& workload);

/// A run that was carried out, completely or in part.
struct Simulated {
  sim::RunResult result;
  sim::RunPlan plan;
  bool automatic_warmup = true;

  [[nodiscard]] std::size_t batches() const { return result.all().size(); }
  [[nodiscard]] std::size_t planned_batches() const {
    return static_cast<std::size_t>(plan.batches) * static_cast<std::size_t>(plan.replications);
  }
  [[nodiscard]] bool stopped() const { return !result.complete; }
};

using Simulation = std::function<sim::RunResult(const sim::RunPlan& plan, const sim::RunControls& controls,
                                                std::string_view resume)>;

/// Description of the simulation of a checkpoint, from the first bytes of its file; none if it is not a
/// checkpoint.
[[nodiscard]] std::optional<std::string> simulation_of_checkpoint(std::string_view head);

/// The simulator's controls for a run.  \param run  outlives the result
[[nodiscard]] sim::RunControls controls_of(const Run& run);

/// Runs the simulation.
/// \throws Stopped  before the two batches that an interval needs
[[nodiscard]] Simulated simulate(const sim::RunPlan& plan, bool automatic_warmup,
                                 const Simulation& simulation, const Run& run);

}  // namespace tailbound::answers
