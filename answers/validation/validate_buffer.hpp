#pragma once

#include <tailbound/answers/comparison.hpp>
#include <tailbound/answers/simulation/simulate_tree.hpp>
#include <tailbound/answers/simulation/simulation.hpp>
#include <tailbound/core/quantity.hpp>
#include <tailbound/traffic/on_off.hpp>

#include <cstdint>
#include <optional>
#include <vector>

/// The occupancy of one output queue, by analysis and by simulation.
///
/// MODEL     A switch with as many outputs as inputs; each input sends a packet in a slot with probability
///           `load`, or is an on-off source of that load, to an output chosen uniformly for each packet, or for
///           each burst. Analysed is one
///           output's queue (queue/slotted/slotted_queue.hpp; with bursts queue/markov/markov_queue.hpp), simulated are all
///           of them, which are alike (a tree of one level). Of classes one output is simulated (sim/classes), and Q is
///           that of a class (queue/priority/priority_queue.hpp). Q counts a queue's packets just after the
///           arrivals of a slot.
/// TESTS     tests/answers/validation/validate_buffer_test.cpp
namespace tailbound::answers {

struct ValidateBufferQuestion {
  std::int64_t inputs = 16;  ///< 2 .. 1024
  numeric::Rational load;    ///< of each queue and so of each input [packets/slot], above 0, below 1
  std::optional<traffic::Burst> burst{};                               ///< how the packets of an input bunch
  traffic::Destination destination = traffic::Destination::per_burst;  ///< of the packets of a burst
  /// Loads of classes served by strict priority, that served first in front; then `load` is that of the class asked about.
  std::vector<numeric::Rational> classes{};
  int priority = 1;               ///< of that class
  std::vector<Packets> levels{};  ///< n of P(Q > n); unless told, where the analysis says simulable_tails()
  double confidence = 0.95;       ///< with which all intervals hold together, above 0 and below 1
  RunLength length{};             ///< as SimulateTreeQuestion
};

struct ComparedOccupancy {
  Packets level;
  Comparison<unit::Probability> above{};  ///< P(Q > level)
};

struct ValidateBufferAnswer {
  SimulateTreeAnswer simulation{};
  std::vector<ComparedOccupancy> tail{};  ///< at the question's levels, or rising
  Comparison<unit::Packet> mean_occupancy{};
  double confidence_of_each = 0;  ///< of each comparison's interval
  Tally tally{};                  ///< of all comparisons

  [[nodiscard]] bool stopped() const { return simulation.stopped(); }
};

/// \throws InvalidArgument  as queue/ or answer(SimulateTreeQuestion), and a level below 0
/// \throws Unstable         load >= 1
/// \throws LimitExceeded    as queue::MarkovQueue;  Stopped  before two batches were done
[[nodiscard]] ValidateBufferAnswer answer(const ValidateBufferQuestion& question, const Run& run = {});

/// For pictures: P(Q > n) both ways from n = 0 to the last level that was seen, some 60 levels at most, with
/// 95 % intervals. Of the same run.  COST  the analysis once more, that deep.
[[nodiscard]] std::vector<ComparedOccupancy> compared_curve(const ValidateBufferQuestion& question,
                                                            const ValidateBufferAnswer& answer);

}  // namespace tailbound::answers
