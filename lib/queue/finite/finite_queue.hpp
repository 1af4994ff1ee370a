#pragma once

#include <tailbound/queue/slotted/slotted_queue.hpp>

#include <memory>

/// The slotted queue with a buffer of B packets; packets that do not fit are lost. At any load.
///
/// MODEL     Q[t+1] = min(max(Q[t] - C, 0) + A[t+1], B).  loss(B) = E[packets lost in a slot] / rho.
///           M/D/1/K: Poisson arrivals in continuous time, K packets including the one in service.
/// RESULT    C = 1 and rho < 1: loss(B) = (1 - rho)/rho P(Q > B) / (1 - P(Q > B)), tails of the
///           infinite-buffer queue. C = 1 and rho >= 1: loss(B) = (rho - 1 + P_B(Q = 0)) / rho, the empty
///           share
///           by the same recurrence, without a normalization. C > 1: the stationary vector of the chain by
///           elimination without subtraction (Grassmann, Taksar and Heyman), in intervals or rationals.
/// SOURCE    docs/derivations/loss.md
/// TESTS     tests/queue/finite/overload_test.cpp, tests/bounds/sizing/packet_loss_test.cpp
namespace tailbound::queue {

/// When packets arrive.
enum class Timing {
  slotted,     ///< those of a slot together, after the services of the previous slot
  continuous,  ///< at any time, as a Poisson process; each is served for one slot. C = 1
};

/// The losses of buffers of several sizes of one queue. Not thread-safe: caches what they have in common.
class FiniteLosses {
 public:
  /// \throws InvalidArgument  continuous time with several packets per slot, or arrivals that are not Poisson
  explicit FiniteLosses(SlottedQueue queue, Timing timing = Timing::slotted);
  ~FiniteLosses();
  FiniteLosses(FiniteLosses&&) noexcept;
  FiniteLosses& operator=(FiniteLosses&&) noexcept;

  /// loss(capacity) [fraction of the packets], enclosed to accuracy.digits, or exact.
  /// COST  C = 1 and rho < 1: as occupancy_tail(). C = 1 otherwise: O(B min(B, K)) interval operations for
  /// the
  ///       largest B, once; K = length of the arrivals' support. C > 1: O(B K C) for each B.
  /// \param capacity  B >= 0 packets, including those in service
  /// \throws LimitExceeded  as occupancy_tail(); otherwise more than 10^6 packets, 4e7 products (C = 1), or B
  ///                        min(B, K) above 4e6 (C > 1)
  [[nodiscard]] LevelProbability at(Packets capacity, const Accuracy& accuracy = {});

  /// Whether loss(capacity) <= target: proved, by exact numbers if they are equal.
  /// \throws LimitExceeded  as at(); or equal to 600 digits and irrational
  [[nodiscard]] bool at_most(Packets capacity, const numeric::Rational& target,
                             Arithmetic arithmetic = Arithmetic::automatic);

  /// Smallest capacity with a loss of at most `target`, and the losses on both sides as proof.
  /// \param target  0 < target < 1
  /// \throws LoadTooHigh    target <= 1 - C / rho, which every buffer exceeds
  /// \throws LimitExceeded  as at(), at_most()
  [[nodiscard]] TailBoundary min_capacity(const numeric::Rational& target, const Accuracy& accuracy = {});

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// One of them.
[[nodiscard]] LevelProbability loss_probability(const SlottedQueue& queue, Packets capacity,
                                                const Accuracy& accuracy = {},
                                                Timing timing = Timing::slotted);

/// P(Q = n) / P(Q = 0), n = 0 .. last, of any buffer of at least `last` packets; C = 1, any load.
/// Intervals with the precision in force.
/// \throws LimitExceeded  as FiniteLosses::at()
[[nodiscard]] std::vector<numeric::Interval> finite_law(const SlottedQueue& queue, Packets last);

/// No buffer loses less than the excess of the load: at most C packets leave in a slot.
/// \throws LoadTooHigh  target <= 1 - served / load; the message has this limit
void require_avoidable(const numeric::Rational& target, const numeric::Rational& load, int served);

}  // namespace tailbound::queue
