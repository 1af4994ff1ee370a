#pragma once

#include <tailbound/answers/simulation/simulate_rare.hpp>
#include <tailbound/sim/switch/switch_replication.hpp>

/// How likely is it that the queues of a switch hold more than n packets together, or what does a memory that they share
/// lose, where plain simulation never sees it?
///
/// MODEL     sim/switch/switch_replication.hpp: of unlimited memory P(T > n), T all queues just after the arrivals of a
///           slot; with a memory the fraction of the packets that find it full.
/// METHOD    splitting (sim/splitting/rare_switch.hpp).
/// RESULT    an estimate with its 95 % interval, without bias.
/// EXCLUDES  dynamic thresholds, buffers of single queues, losses of packets of several cells
/// TESTS     tests/answers/simulation/simulate_rare_test.cpp
namespace tailbound::answers {

struct SimulateRareSwitchQuestion {
  sim::SwitchModel model;
  /// Of unlimited memory: n of P(T > n), 1 .. 10^6; or a probability, above 0 and below 1, near which P(T > n) is to
  /// be. With a memory left out.
  std::optional<std::variant<Packets, numeric::Rational>> rare{};
  RunLength length{};
  double steps = 6e9;  ///< of all paths together, where `length` has no number of slots: seconds on a core

  [[nodiscard]] bool of_losses() const { return model.memory.has_value(); }
};

/// Its probability is P(T > n), or the fraction of the packets lost; its level n, or the memory.
/// \throws InvalidArgument  a number of the question out of range, what is excluded; a checkpoint of another simulation
/// \throws Unstable         an output is offered 1 cell a slot or more
/// \throws NoAnswer         T is never so large
/// \throws LimitExceeded    a probability below 1e-280
/// \throws Stopped          before two batches were done
[[nodiscard]] SimulateRareAnswer answer(const SimulateRareSwitchQuestion& question, const Run& run = {});

}  // namespace tailbound::answers
