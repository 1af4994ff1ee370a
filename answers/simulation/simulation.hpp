#pragma once

#include <tailbound/answers/points/run.hpp>
#include <tailbound/sim/batches/batched_run.hpp>

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

/// What the answers of all simulations have in common: how long a run is, and what became of it.
namespace tailbound::answers {

/// As asked for; the rest by rule.
struct RunLength {
  std::optional<std::int64_t> slots{};   ///< of each replication that are measured [slots or cycles]
  std::optional<std::int64_t> warmup{};  ///< of each replication that are not
  int replications = 4;
  std::uint64_t seed = 1;
};

/// What the length of a run depends on.
struct Workload {
  double utilization = 0;      ///< of the busiest queue
  int hops = 1;                ///< queues on the longest way
  double steps_per_slot = 1;   ///< packet-hops a slot, or what takes as long
  double steps = 3e8;          ///< of all replications together, unless the length says otherwise
  sim::SourceMemory memory{};  ///< of the sources
};

/// The plan: as asked for, the rest by the rules of sim/batches/batched_run.hpp. Where no number of slots is asked for,
/// as sim::affordable_slots() says of `steps`. It depends on nothing but the inputs, so that the result does not.
/// \throws InvalidArgument  replications out of range
[[nodiscard]] sim::RunPlan plan_of(const RunLength& length, const Workload& workload);

/// A run that was carried out, whole or cut short.
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

/// What a checkpoint is of, in words, from the first bytes of its file; none if it is no checkpoint.
[[nodiscard]] std::optional<std::string> simulation_of_checkpoint(std::string_view head);

/// The simulator's controls for a run.  \param run  outlives the result
[[nodiscard]] sim::RunControls controls_of(const Run& run);

/// Runs the simulation.
/// \throws Stopped  before two batches were done, which an interval needs
[[nodiscard]] Simulated simulate(const sim::RunPlan& plan, bool automatic_warmup,
                                 const Simulation& simulation, const Run& run);

}  // namespace tailbound::answers
