#pragma once

#include <tailbound/answers/simulation/simulate_rare.hpp>
#include <tailbound/sim/switch/switch_replication.hpp>

/// Probability that the queues of a switch together hold more than n packets, or loss of a shared memory, for
/// events too rare for plain simulation.
///
/// MODEL     sim/switch/switch_replication.hpp: with unlimited memory P(T > n), T the sum of all queues just
/// after the
///           arrivals of a slot; with a memory the fraction of packets that find it full.
/// METHOD    splitting (sim/splitting/rare_switch.hpp).
/// RESULT    an estimate with its 95 % interval, unbiased.
/// EXCLUDES  dynamic thresholds, buffers of single queues, losses of packets of several cells
/// TESTS     tests/answers/simulation/simulate_rare_test.cpp
namespace tailbound::answers {

struct SimulateRareSwitchQuery {
  sim::SwitchModel model;
  /// For unlimited memory: n of P(T > n), 1 .. 10^6; or a target probability for P(T > n), above 0 and below
  /// 1. Omitted with a memory.
  std::optional<std::variant<Packets, numeric::Rational>> rare{};
  RunLength length{};
  double steps = 6e9;  ///< of all paths together, if `length` has no number of slots: seconds on one core

  [[nodiscard]] bool of_losses() const { return model.memory.has_value(); }
};

/// Its probability is P(T > n), or the fraction of packets lost; its level is n, or the memory.
/// \throws InvalidArgument  a number of the query out of range, an excluded feature; a checkpoint of another
///                          simulation
/// \throws Unstable         the offered load of an output is 1 cell per slot or more
/// \throws NoAnswer         T is never that large
/// \throws LimitExceeded    a probability below 1e-280
/// \throws Stopped          before two batches were finished
[[nodiscard]] SimulateRareAnswer answer(const SimulateRareSwitchQuery& query, const Run& run = {});

}  // namespace tailbound::answers
