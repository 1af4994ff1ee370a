#pragma once

#include <tailbound/queue/markov/markov_queue.hpp>

#include <optional>
#include <vector>

/// A queue with Markovian arrivals whose link serves several packets per slot.
///
/// MODEL     A slot has p steps, each of which serves a packet; its packets arrive in the last step.
/// RESULT    P(more than n packets just after arrivals) = p sum over j >= 0 of P(Q = n + j p + 1), Q over
///           steps
/// SOURCE    docs/derivations/bursty_queue.md, "Several packets per slot"
/// TESTS     tests/queue/delay/steps_queue_test.cpp
namespace tailbound::queue {

/// [b][i][j]: P(b packets in a slot, phase j in the next one | phase i) of independent on-off sources that
/// send at most one packet per slot each. Of identical ones, the phase is the number of those that are ON.
[[nodiscard]] RationalBlocks joint_blocks(const std::vector<OnOffGroup>& sources);

struct StepsQueue {
  MarkovArrivals steps;      ///< one transition of phases per step
  int served = 1;            ///< p: packets served per slot
  numeric::Rational load{};  ///< [packets/slot]
};

/// \throws NoAnswer  phases times steps per slot, or packets, exceed the limits of MarkovArrivals::blocks();
///                   trains
[[nodiscard]] StepsQueue steps_queue(const MarkovArrivals& arrivals, int served);

/// A probability and, where it is not proved, the digits to which it is known.
struct StepsProbability {
  numeric::Interval bounds;
  std::optional<int> agreed_digits;
};

/// Packets present just after arrivals. Caches its results.
class StepsOccupancy {
 public:
  /// \throws Unstable
  explicit StepsOccupancy(StepsQueue queue, numeric::Digits digits = {10});

  /// P(more than `packets` packets).
  [[nodiscard]] StepsProbability above(std::int64_t packets);
  /// To agreed_digits().
  [[nodiscard]] long double mean();
  [[nodiscard]] int agreed_digits() const { return agreed_digits_; }
  /// Smallest n with above(n) <= target.
  [[nodiscard]] std::int64_t min_level(const numeric::Rational& target);

 private:
  StepsQueue queue_;
  numeric::Digits digits_;
  MarkovQueue steps_;
  int agreed_digits_ = 15;
};

}  // namespace tailbound::queue
