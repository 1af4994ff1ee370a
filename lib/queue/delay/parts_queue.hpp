#pragma once

#include <tailbound/queue/delay/hop_delay.hpp>
#include <tailbound/queue/markov/markov_queue.hpp>

#include <memory>
#include <optional>
#include <variant>

/// A queue whose link serves p packets in q slots, or several packets per slot of Markovian arrivals.
///
/// MODEL     A packet has q parts, the link sends p parts per slot: W[t+1] = max(W[t] - p, 0) + q A[t+1]
///           parts. A packet has left when its last part has: with X parts ahead of its first one it takes
///           floor((X + q - 1) / p) slots beyond its arrival slot.
/// RESULT    P(X > m) = q sum over j >= 1 of f(m + j q), f the distribution of the parts ahead of an
///           arbitrary part. Independent slots: W is the slotted queue of A(z^q) that serves p. Markovian
///           arrivals: p steps per slot, each of which serves a part; packets arrive in the last one; P(W >
///           m) = p sum over j >= 0 of P(Q = m + j p + 1) over steps.
/// SOURCE    docs/derivations/link_speeds.md
/// TESTS     tests/queue/delay/parts_queue_test.cpp
namespace tailbound::queue {

struct PartsQueue {
  /// Arrivals in parts. Independent slots: served is C. Markovian arrivals: one phase transition per step.
  std::variant<SlottedQueue, MarkovArrivals> parts;
  int served = 1;            ///< p: parts served per slot
  int of_packet = 1;         ///< q: parts per packet
  numeric::Rational load{};  ///< [packets/slot]
};

/// \throws InvalidArgument  the distribution of packets in a slot is not known (a formula), or extends beyond
///                          1000 packets
[[nodiscard]] PartsQueue parts_queue(const series::Arrivals& packets, int served, int of_packet);

/// Sources that send at most one packet per slot each.
/// \throws NoAnswer  phases or packets, times the steps per slot, exceed the limits of
///                   MarkovArrivals::blocks()
[[nodiscard]] PartsQueue parts_queue(const std::vector<OnOffGroup>& sources, int served, int of_packet);

/// On-off sources as above, or matrices.
/// \throws NoAnswer  as above; trains, or too many phases or packets
[[nodiscard]] PartsQueue parts_queue(const MarkovArrivals& arrivals, int served, int of_packet);

/// A probability and, where it is not proved, the digits to which it is known.
struct PartsProbability {
  numeric::Interval bounds;
  std::optional<int> agreed_digits;
};

/// Caches its results.
class PartsDelay {
 public:
  /// \throws Unstable
  explicit PartsDelay(PartsQueue queue, numeric::Digits digits = {10});

  [[nodiscard]] const PartsQueue& queue() const { return queue_; }

  /// P(delay = t) and P(delay > t), t = 0 .. size - 1: of an arbitrary packet, in slots beyond its arrival
  /// slot.
  [[nodiscard]] series::Distribution<long double> law(std::size_t size, double log2_min);
  /// Agreeing digits of law().
  [[nodiscard]] int agreed_digits() const { return agreed_digits_; }
  /// E[delay] [slots], to agreed_digits().
  [[nodiscard]] long double mean();
  /// P(more than `packets` packets present just after arrivals). A packet whose transmission has begun counts
  /// as a whole one.
  [[nodiscard]] PartsProbability above(std::int64_t packets);
  /// E[packets present just after arrivals], to agreed_digits().
  [[nodiscard]] long double mean_packets();
  /// Smallest n with above(n) <= target.
  [[nodiscard]] std::int64_t min_level(const numeric::Rational& target);

  [[nodiscard]] std::size_t longest() const;

 private:
  /// Of an arbitrary part: P(ahead = n), n < size, and P(ahead >= size).
  struct Ahead {
    std::vector<long double> mass;
    long double rest = 0;
  };
  [[nodiscard]] const Ahead& ahead(std::size_t size, double log2_min);
  [[nodiscard]] MarkovQueue& steps();

  PartsQueue queue_;
  numeric::Digits digits_;
  std::unique_ptr<MarkovQueue> steps_{};
  Ahead ahead_;
  double log2_min_ = 0;
  int agreed_digits_ = 15;
};

}  // namespace tailbound::queue
