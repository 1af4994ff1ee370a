#pragma once

#include <tailbound/queue/arrivals/markov_arrivals.hpp>
#include <tailbound/queue/markov/markov_queue.hpp>

#include <cstdint>
#include <memory>
#include <vector>

/// The wait of the packets of one on-off source among others, at a link that serves one packet per slot.
///
/// MODEL     queue/delay/hop_delay.hpp: first in, first out, random order within a slot.
/// RESULT    The phase of the arrivals also tells whether the source sends in the slot, and how many packets
///           K of the others come after its own, each of 0 .. N with the same probability for N others. With
///           Q just after the arrivals W = Q - 1 - K, so P(W > w) = sum over k of
///           P(Q > w + 1 + k, sends, K = k) / rate: tails of the Markovian queue by phase.
/// SOURCE    docs/derivations/bursty_queue.md, "The packets of one source"
/// TESTS     tests/queue/delay/marked_queue_test.cpp
namespace tailbound::queue {

/// All sources with share 1.
struct MarkedArrivals {
  /// Maximum number of phases, those of the marks included.
  static constexpr std::size_t max_phases = 96;

  std::vector<OnOffGroup> others;  ///< sources besides it
  OnOffGroup own;                  ///< one source

  [[nodiscard]] numeric::Rational load() const;
  /// Are there few enough phases?
  [[nodiscard]] bool affordable() const { return states() <= static_cast<double>(max_phases); }
  /// Of the chain that is solved: its cost grows with their cube.
  [[nodiscard]] double states() const;
};

class MarkedQueue {
 public:
  /// \throws Unstable       the load is 1 or more
  /// \throws LimitExceeded  not affordable();  too few bits
  explicit MarkedQueue(const MarkedArrivals& arrivals);
  ~MarkedQueue();
  MarkedQueue(MarkedQueue&&) noexcept;
  MarkedQueue& operator=(MarkedQueue&&) noexcept;

  /// P(W = slots), P(W > slots), E[W]: enclosures.
  [[nodiscard]] numeric::Interval probability(std::int64_t slots);
  [[nodiscard]] numeric::Interval tail(std::int64_t slots);
  [[nodiscard]] numeric::Interval mean();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace tailbound::queue
