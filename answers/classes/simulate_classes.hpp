#pragma once

#include <tailbound/answers/simulation/simulation.hpp>
#include <tailbound/core/quantity.hpp>
#include <tailbound/sim/classes/simulate_classes.hpp>

#include <vector>

/// Occupancies, waits and losses of classes that share one output, by simulation slot by slot.
///
/// MODEL     sim/classes/class_replication.hpp
/// RESULT    estimates with confidence intervals from batches (sim/batches/batch_means.hpp).
/// TESTS     tests/sim/classes/simulate_classes_test.cpp
namespace tailbound::answers {

struct SimulateClassesQuestion {
  sim::ClassModel model;
  /// n of P(L > n) and P(W > n). Empty: 0, 1, 2, 5, 10, ... as far as anything is seen.
  std::vector<Packets> levels{};
  std::vector<numeric::Rational> percentiles{};  ///< of the wait, above 0 and below 1
  double confidence = 0.95;                      ///< of each interval, above 0 and below 1
  RunLength length{};
  double steps = 3e8;  ///< of all replications together, where `length` has no number of slots; > 0
};

struct SimulateClassesAnswer {
  std::vector<sim::ClassEstimates> classes;  ///< class 1 in front
  Simulated simulated;

  [[nodiscard]] bool stopped() const { return simulated.stopped(); }
};

/// How long the question's simulation is.  \throws InvalidArgument, Unstable  as answer()
[[nodiscard]] sim::RunPlan plan_of(const SimulateClassesQuestion& question);

/// \throws InvalidArgument  a number of the question out of range; a checkpoint of another simulation
/// \throws Unstable         without rooms: all classes together are offered 1 packet a slot or more
/// \throws Stopped          before two batches were done
[[nodiscard]] SimulateClassesAnswer answer(const SimulateClassesQuestion& question, const Run& run = {});

/// The tails from 0 as far as any class was seen, some 60 levels at most: for a picture. Of the same run; nothing is
/// simulated again.
[[nodiscard]] std::vector<sim::ClassEstimates> whole_tails(const SimulateClassesQuestion& question,
                                                           const SimulateClassesAnswer& answer);

}  // namespace tailbound::answers
