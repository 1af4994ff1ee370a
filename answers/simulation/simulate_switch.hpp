#pragma once

#include <tailbound/answers/simulation/simulation.hpp>
#include <tailbound/core/quantity.hpp>
#include <tailbound/numeric/truth.hpp>
#include <tailbound/sim/switch/simulate_switch.hpp>

#include <cstdint>
#include <optional>
#include <vector>

/// Slot-by-slot simulation of an output-queued switch with shared memory: occupancies and losses.
///
/// MODEL     sim/switch/switch_replication.hpp. T counts the cells of all queues, Q those of one output, just
///           after the arrivals of a slot, including those in transmission. A packet is lost if any of its
///           cells
///           is.
/// RESULT    estimates with confidence intervals from batches (sim/batches/batch_means.hpp).
/// TESTS     tests/answers/simulation/simulate_switch_test.cpp
namespace tailbound::answers {

struct SimulateSwitchQuery {
  sim::SwitchModel model;
  /// n of P(T > n) and P(Q > n). Empty: 0, 1, 2, 5, 10, ... up to the largest observed value.
  std::vector<Packets> levels{};
  double confidence = 0.95;  ///< of each interval, above 0 and below 1
  RunLength length{};
  double steps = 3e8;  ///< cells of all replications together, if `length` has no number of slots; > 0
};

/// Tail probabilities at one level, in cells.
struct SwitchLevel {
  std::int64_t level = 0;
  sim::LevelEstimate total;                       ///< of T
  std::optional<sim::LevelEstimate> output, hot;  ///< of Q, if there are such outputs
};

struct SimulateSwitchAnswer {
  numeric::Rational output_load = 0;  ///< offered load of the busiest output [cells/slot]
  sim::SwitchEstimates found;         ///< its tails are below
  std::vector<SwitchLevel> tail;
  Simulated simulated;

  [[nodiscard]] bool stopped() const { return simulated.stopped(); }
};

/// Length of the simulation.  \throws InvalidArgument, Unstable  as answer()
[[nodiscard]] sim::RunPlan plan_of(const SimulateSwitchQuery& query);

/// \throws InvalidArgument  a number of the query out of range; a checkpoint of another simulation
/// \throws Unstable         without a memory or a buffer: the offered load of an output is 1 cell per slot or
///                          more
/// \throws Stopped          before two batches were finished
[[nodiscard]] SimulateSwitchAnswer answer(const SimulateSwitchQuery& query, const Run& run = {});

/// The tails from 0 to the largest observed T, at about 60 levels or fewer, for a plot. From the same run;
/// nothing is simulated again.
[[nodiscard]] std::vector<SwitchLevel> whole_tail(const SimulateSwitchQuery& query,
                                                  const SimulateSwitchAnswer& answer);

}  // namespace tailbound::answers
