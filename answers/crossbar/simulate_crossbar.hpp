#pragma once

#include <tailbound/answers/simulation/simulation.hpp>
#include <tailbound/core/quantity.hpp>
#include <tailbound/numeric/rational.hpp>
#include <tailbound/sim/crossbar/simulate_crossbar.hpp>

#include <cstdint>
#include <optional>
#include <vector>

/// Slot-by-slot simulation of an input-queued switch: delay, occupancies, losses and throughput.
///
/// MODEL     sim/crossbar/crossbar_model.hpp. n of an input, a VOQ and an output counts cells just after the
///           arrivals of a slot; that of an output includes all cells for it, wherever they are in the
///           switch.
/// RESULT    estimates with confidence intervals from batches (sim/batches/batch_means.hpp). Above the
///           maximum load the throughput only.
/// TESTS     tests/answers/crossbar/simulate_crossbar_test.cpp
namespace tailbound::answers {

struct SimulateCrossbarQuery {
  sim::CrossbarModel model;
  /// n of P(n > level). Empty: 0, 1, 2, 5, 10, ... up to the largest observed value.
  std::vector<Packets> levels{};
  std::vector<Slots> delays{};                   ///< t of P(D > t)
  std::vector<numeric::Rational> percentiles{};  ///< of D, fractions
  std::vector<numeric::Rational> drops{};        ///< sizes that are exceeded with these probabilities
  double confidence = 0.95;                      ///< of each interval, above 0 and below 1
  RunLength length{};
  double steps = 3e8;  ///< cells of all replications together, if `length` has no number of slots; > 0
};

/// Tail probabilities at one level.
struct CrossbarTailLevel {
  std::int64_t level = 0;
  sim::LevelEstimate input;
  std::optional<sim::LevelEstimate> voq{};
  sim::LevelEstimate column;
  std::optional<sim::LevelEstimate> output{};
};

/// Sizes that are exceeded with a probability, interpolated between whole ones; none where the simulation has
/// too few observations.
struct ExceededSizes {
  numeric::Rational probability;
  std::optional<double> delay, input, voq, column;  ///< [slots], [cells]
};

struct SimulateCrossbarAnswer {
  sim::CrossbarEstimates found;
  /// Mean delay of the output-queued switch with the same arrivals, if slots are independent and every output
  /// is offered less than 1.
  std::optional<numeric::Exact<unit::Slot>> output_queued{};
  std::vector<CrossbarTailLevel> tail;
  std::vector<ExceededSizes> sizes;  ///< [drop]
  Simulated simulated;

  [[nodiscard]] bool stopped() const { return simulated.stopped(); }
};

/// Length of the simulation.  \throws InvalidArgument  as answer()
[[nodiscard]] sim::RunPlan plan_of(const SimulateCrossbarQuery& query);

/// \throws InvalidArgument  a number of the query out of range; a checkpoint of another simulation
/// \throws LimitExceeded    the switch holds too many cells: the load is above its maximum
/// \throws Stopped          before two batches were finished
[[nodiscard]] SimulateCrossbarAnswer answer(const SimulateCrossbarQuery& query, const Run& run = {});

/// The tails from 0 to the largest observed length, at about 60 levels or fewer, for a plot. From the same
/// run; nothing is simulated again.
[[nodiscard]] std::vector<CrossbarTailLevel> whole_tail(const SimulateCrossbarQuery& query,
                                                        const SimulateCrossbarAnswer& answer);
/// P(D > t) of the same run, at about 60 t or fewer.
[[nodiscard]] std::vector<sim::LevelEstimate> whole_delays(const SimulateCrossbarQuery& query,
                                                           const SimulateCrossbarAnswer& answer);

}  // namespace tailbound::answers
