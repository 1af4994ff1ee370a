#pragma once

#include <tailbound/answers/simulation/simulate_rare.hpp>
#include <tailbound/sim/splitting/rare_crossbar.hpp>

#include <optional>
#include <variant>

/// Probability that an input of a crossbar, or a VOQ, holds more than n cells, for events too rare for plain
/// simulation.
///
/// MODEL     sim/splitting/rare_crossbar.hpp
/// METHOD    splitting; the pilot runs, which give the numbers of copies, take about a second.
/// RESULT    an estimate with its 95 % interval, unbiased.
/// EXCLUDES  finite buffers, delays, schedulers other than islip, pim, fifo and greedy
/// TESTS     tests/answers/crossbar/simulate_crossbar_test.cpp
namespace tailbound::answers {

struct SimulateRareCrossbarQuery {
  sim::CrossbarModel model;
  sim::CrossbarQueue of = sim::CrossbarQueue::input;
  /// n of P(> n), 1 .. 10^5; or a target probability for it, above 0 and below 1.
  std::variant<Packets, numeric::Rational> rare = Packets(1);
  RunLength length{};
  double steps = 6e8;  ///< of all paths together, if `length` has no number of slots: seconds on one core
};

/// \throws InvalidArgument  a number of the query out of range, an excluded feature; a checkpoint of another
///                          simulation
/// \throws NoAnswer         the queue never gets so long, or grows without limit
/// \throws LimitExceeded    a probability below 1e-280
/// \throws Stopped          before two batches were finished
[[nodiscard]] SimulateRareAnswer answer(const SimulateRareCrossbarQuery& query, const Run& run = {});

}  // namespace tailbound::answers
