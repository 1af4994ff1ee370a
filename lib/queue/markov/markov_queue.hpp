#pragma once

#include <tailbound/core/quantity.hpp>
#include <tailbound/numeric/proved.hpp>
#include <tailbound/queue/arrivals/markov_arrivals.hpp>

#include <memory>
#include <optional>

/// Occupancy of a slotted queue with Markovian arrivals.
///
/// MODEL     Q[t+1] = max(Q[t] - 1, 0) + A[t+1], Q[t] counted just after the arrivals of slot t; A as in
///           markov_arrivals.hpp; rho < 1, for the loss of arrivals given as blocks any rho. A chain of
///           M/G/1 type whose boundary blocks are the repeating
///           ones.
/// METHOD    G by its eigenvectors (identical on-off sources) or by cyclic reduction, then checked from below
///           and from above; pi_0 = (1 - rho) g; Ramaswami's recursion, once for lower and once for upper
///           bounds (queue/passage/passage.hpp). Identical on-off sources with more than
///           `max_certified_phases` phases: spectral approximations (queue/on_off/modal_blocks.hpp), to the
///           digits on which two numbers of modes agree. Sources whose bursts may go elsewhere, and geometric
///           trains: with one packet in every slot ON, up to `max_certified_directed_phases` phases are
///           certified (queue/passage/silent_passage.hpp, silent_finite.hpp), with fewer packets 153 phases;
///           beyond that, spectral approximations (queue/directed/directed_modes.hpp).
/// RESULT    tails and losses as enclosures, or as marked approximations. Waits: an arriving packet has P(W
///           >= n) = P(Q > n) / rho, since a packet that waits w slots is counted once at each of the
///           positions w, w - 1, ..., 0.
/// SOURCE    Ramaswami 1988; Bini and Meini 1996; docs/derivations/bursty_queue.md, bursts_to_one_output.md
/// EXCLUDES  several packets served per slot
/// TESTS     tests/queue/markov/markov_queue_test.cpp, directed_bursts_test.cpp
namespace tailbound::queue {

using ProbabilityClaim = numeric::Claim<unit::Probability>;

/// Whether results of a queue must be proved.
enum class Proof {
  if_affordable,  ///< enclosures up to max_certified_phases
  not_needed,     ///< approximations from `min_approximated_phases` phases, for identical sources: saves
                  ///< seconds
};

/// Caches its results, so further queries are cheap. Not thread-safe.
class MarkovQueue {
 public:
  static constexpr std::int64_t max_certified_phases = 65;
  /// For one group of sources whose bursts may go elsewhere and that send in every slot ON: 32 sources.
  static constexpr std::int64_t max_certified_directed_phases = 561;
  /// For Proof::not_needed; fewer phases are certified within milliseconds.
  static constexpr std::int64_t min_approximated_phases = 32;
  static constexpr int max_digits = 60;

  /// \param digits  relative width of enclosures at most 10^-digits, 1 .. 60; approximations state their
  ///                agreeing digits
  /// \throws Unstable         rho >= 1, except for blocks: their losses are known at any load, and only the
  ///                          other functions throw (unless a packet arrives in every slot, Q = 1)
  /// \throws InvalidArgument  digits out of range
  /// \throws LimitExceeded    unequal sources with more phases than can be certified
  explicit MarkovQueue(MarkovArrivals arrivals, numeric::Digits digits = {10},
                       Proof proof = Proof::if_affordable);
  ~MarkovQueue();
  MarkovQueue(MarkovQueue&&) noexcept;
  MarkovQueue& operator=(MarkovQueue&&) noexcept;

  [[nodiscard]] const MarkovArrivals& arrivals() const;
  /// Whether results are enclosures (otherwise approximations).
  [[nodiscard]] bool certified() const;

  /// P(Q > level), level >= 0.
  /// COST  O(level m^3) operations for m on-off sources at first, O(m^2) afterwards
  /// \throws InvalidArgument  a negative level
  /// \throws LimitExceeded    more than 4e10 operations needed
  [[nodiscard]] ProbabilityClaim tail(std::int64_t level);

  /// P(Q = level).
  [[nodiscard]] ProbabilityClaim probability(std::int64_t level);

  /// Smallest n with P(Q > n) <= target; proved where the queue is certified.
  /// \param target  0 < target < 1
  [[nodiscard]] std::int64_t min_level(const numeric::Rational& target);

  /// E[Q] [packets].
  [[nodiscard]] numeric::Claim<unit::Packet> mean_occupancy();

  /// log z0 [1/packet]: deep in the tail each packet multiplies P(Q > n) by exp(-decay_rate). z0 > 1 solves z
  /// = l(z), l the largest eigenvalue of sum_b D_b z^b. Empty where no packet ever waits, and for arrivals
  /// given as blocks.
  [[nodiscard]] std::optional<numeric::Enclosure<unit::PerPacket>> decay_rate() const;

  /// Fraction of the packets lost with a buffer of `capacity` packets. capacity >= 0.
  [[nodiscard]] ProbabilityClaim loss(std::int64_t capacity);

  /// Smallest capacity with a loss of at most `target` of the packets.
  /// \throws LoadTooHigh  target <= 1 - 1 / rho, which every buffer exceeds
  [[nodiscard]] std::int64_t min_capacity(const numeric::Rational& target);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace tailbound::queue
