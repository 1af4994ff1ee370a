#pragma once

#include <tailbound/answers/simulation/simulate_tree.hpp>
#include <tailbound/answers/simulation/simulation.hpp>
#include <tailbound/answers/validation/compared.hpp>
#include <tailbound/core/quantity.hpp>
#include <tailbound/traffic/on_off.hpp>

#include <cstdint>
#include <optional>
#include <vector>

/// Occupancy of one output queue, by analysis and by simulation.
///
/// MODEL     A switch with as many outputs as inputs; each input sends a packet in a slot with probability
///           `load`, or is an on-off source of that load, to an output chosen uniformly for each packet, or
///           for
///           each burst. The analysis covers one output's queue (queue/slotted/slotted_queue.hpp; with bursts
///           queue/markov/markov_queue.hpp), the simulation all of them, which are identical (a tree of one
///           level).
///           With classes one output is simulated (sim/classes), and Q is that of a class
///           (queue/priority/priority_queue.hpp). Q counts a queue's packets just after the arrivals of a
///           slot.
/// TESTS     tests/answers/validation/validate_buffer_test.cpp
namespace tailbound::answers {

struct ValidateBufferQuery {
  std::int64_t inputs = 16;               ///< 2 .. 1024
  numeric::Rational load;                 ///< of each queue and each input [packets/slot], above 0, below 1
  std::optional<traffic::Burst> burst{};  ///< burstiness of an input
  traffic::Destination destination = traffic::Destination::per_burst;  ///< of the packets of a burst
  /// Loads of classes with strict priority, the one served first in front; `load` is then that of the
  /// selected class.
  std::vector<numeric::Rational> classes{};
  int priority = 1;               ///< the selected class
  std::vector<Packets> levels{};  ///< n of P(Q > n); default: where the analysis gives simulable_tails()
  double confidence = 0.95;       ///< joint confidence of all intervals, above 0 and below 1
  RunLength length{};             ///< as SimulateTreeQuery
};

/// P(Q > level) at the query's levels, or in increasing order; then the mean.
using ValidateBufferAnswer = Validated<SimulateTreeAnswer>;

/// \throws InvalidArgument  as queue/ or answer(SimulateTreeQuery), and a level below 0
/// \throws Unstable         load >= 1
/// \throws LimitExceeded    as queue::MarkovQueue;  Stopped  before two batches were finished
[[nodiscard]] ValidateBufferAnswer answer(const ValidateBufferQuery& query, const Run& run = {});

/// For plots: P(Q > n) of both from n = 0 to the largest observed level, at about 60 levels or fewer, with 95
/// % intervals. From the same run.  COST  the analysis once more, to that depth.
[[nodiscard]] std::vector<ComparedRow> compared_curve(const ValidateBufferQuery& query,
                                                      const ValidateBufferAnswer& answer);

}  // namespace tailbound::answers
