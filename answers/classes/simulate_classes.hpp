#pragma once

#include <tailbound/answers/simulation/simulation.hpp>
#include <tailbound/answers/traffic.hpp>
#include <tailbound/core/quantity.hpp>
#include <tailbound/sim/classes/simulate_classes.hpp>

#include <optional>
#include <vector>

/// Slot-by-slot simulation of classes that share one output: occupancies, queueing delays and losses.
///
/// MODEL     sim/classes/class_replication.hpp
/// RESULT    estimates with confidence intervals from batches (sim/batches/batch_means.hpp).
/// TESTS     tests/sim/classes/simulate_classes_test.cpp
namespace tailbound::answers {

struct SimulateClassesQuery {
  sim::ClassModel model;
  /// n of P(L > n) and P(W > n). Empty: 0, 1, 2, 5, 10, ... up to the largest observed value.
  std::vector<Packets> levels{};
  std::vector<numeric::Rational> percentiles{};  ///< of the queueing delay, above 0 and below 1
  double confidence = 0.95;                      ///< of each interval, above 0 and below 1
  RunLength length{};
  double steps = 3e8;  ///< of all replications together, if `length` has no number of slots; > 0
  std::optional<Traffic> traffic{};  ///< of which `model` was made, if it was
};

/// One output with this traffic; all classes, with strict priority.
/// \param buffer  of each class; none: unlimited
/// \throws InvalidArgument  arrivals in continuous time (PoissonAtAnyTime), no load;  as output_queue()
[[nodiscard]] sim::ClassModel simulated_output(const Traffic& traffic, std::optional<Packets> buffer = {});

struct SimulateClassesAnswer {
  std::vector<sim::ClassEstimates> classes;  ///< class 1 first
  Simulated simulated;

  [[nodiscard]] bool stopped() const { return simulated.stopped(); }
};

/// Length of the simulation.  \throws InvalidArgument, Unstable  as answer()
[[nodiscard]] sim::RunPlan plan_of(const SimulateClassesQuery& query);

/// \throws InvalidArgument  a number of the query out of range; a checkpoint of another simulation
/// \throws Unstable         without buffer limits: all classes together offer as much as is served or more
/// \throws Stopped          before two batches were finished
[[nodiscard]] SimulateClassesAnswer answer(const SimulateClassesQuery& query, const Run& run = {});

/// The tails from 0 up to the largest value observed for any class, at about 60 levels or fewer, for a plot.
/// From the same run; nothing is simulated again.
[[nodiscard]] std::vector<sim::ClassEstimates> whole_tails(const SimulateClassesQuery& query,
                                                           const SimulateClassesAnswer& answer);

}  // namespace tailbound::answers
