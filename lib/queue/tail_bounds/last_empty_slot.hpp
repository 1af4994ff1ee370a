#pragma once

#include <tailbound/queue/tail_bounds/exponential_bound.hpp>
#include <tailbound/queue/tail_bounds/source_chain.hpp>

#include <optional>

/// A proved bound for a queue of independent sources, tight at every level, from its last empty slot.
///
/// MODEL     queue/tail_bounds/exponential_bound.hpp. The sources are independent chains (SourceChain).
/// METHOD    If Q > n >= 1, the queue was empty in some earlier slot. Take the last slot from which exactly
///           n + N packets came in the N slots up to now. Hence (Benes)
///             P(Q > n) = sum over N of P(queue empty N slots ago, n + N packets since)
///                   <= sum over N of P(nothing came N slots ago, n + N packets since).
///           Sources are independent in the sum on the right: each term is a coefficient of a product of
///           powers. All terms are coefficients of one series, summed from its values on a circle with a
///           bounded error. The aliasing error of the sampling (other coefficients) is positive.
/// RESULT    tail: about 1 to 1/(1 - rho) times the true value: 1.005 at load 0.1, 1.3 at 0.6, 2.1 at 0.8 for
///           bursts with per-burst destinations; the true value to four digits where a source without a
///           packet is always in the same state.
/// SOURCE    docs/derivations/last_empty_slot.md
/// TESTS     tests/queue/tail_bounds/last_empty_slot_test.cpp
namespace tailbound::queue {

/// The sums up to one level.
class LastEmptySlot {
 public:
  enum class Of { tail, loss };

  /// \param decay_rate  log z0 of the queue, or slightly less
  /// \param rho         total load of the sources
  /// \param level       largest level requested, at least 1
  /// \return nothing where it would take more than some tenths of a second (very long bursts, loads
  ///         close to 1),
  ///         or where rounding errors would dominate
  [[nodiscard]] static std::optional<LastEmptySlot> upto(const std::vector<SourceChain>& sources, Of of,
                                                         double decay_rate, const numeric::Rational& rho,
                                                         std::int64_t level);

  [[nodiscard]] std::int64_t level() const { return level_; }
  /// Upper bound of P(Q > n), or of the fraction of packets lost with a buffer of n: 1 <= n <= level().
  [[nodiscard]] numeric::Real bound(std::int64_t n) const;

 private:
  LastEmptySlot() = default;

  /// The mean of the values times e^(-i n angle), without error_.
  [[nodiscard]] double mean(std::int64_t n) const;

  std::int64_t level_ = 0, points_ = 0;
  double radius_ = 0;                     ///< of the circle
  std::vector<double> real_, imaginary_;  ///< values at the angles 0 to pi
  double error_ = 0;                      ///< of their mean
  numeric::Real factor_;                  ///< of the sum
};

}  // namespace tailbound::queue
