#pragma once

#include <tailbound/queue/tail_bounds/exponential_bound.hpp>
#include <tailbound/queue/tail_bounds/source_chain.hpp>

#include <optional>

/// A proved bound of a queue fed by independent sources, near the truth at every level: by its last empty slot.
///
/// MODEL     queue/tail_bounds/exponential_bound.hpp. The sources are independent chains (SourceChain).
/// METHOD    Above level n >= 1 the queue was empty in some slot before, and what came after the last one of those from
///           which on just n + N packets came in the N slots up to now is that number. So (Benes)
///           P(Q > n) = sum over N of P(queue empty N slots ago, n + N packets since)
///                   <= sum over N of P(nothing came N slots ago, n + N packets since).
///           Sources are independent in the sum on the right: each term is a coefficient of a product of powers. All
///           terms are coefficients of one series, whose values on a circle are summed with an error that is bounded;
///           what sampling the circle adds (other coefficients) is positive.
/// RESULT    tail: 1 to 1/(1 - rho) times the truth in about: 1.005 at load 0.1, 1.3 at 0.6, 2.1 at 0.8 for bursts that
///           keep their output; the truth to four digits where a source without a packet is always in the same state.
/// SOURCE    docs/derivations/last_empty_slot.md
/// TESTS     tests/queue/tail_bounds/last_empty_slot_test.cpp
namespace tailbound::queue {

/// The sums up to one level.
class LastEmptySlot {
 public:
  enum class Of { tail, loss };

  /// \param decay_rate  log z0 of the queue, or a little less
  /// \param rho         the load, of the sources together
  /// \param level       from 1; the greatest that is asked for
  /// \return nothing where it would take more than some tenths of a second (very long bursts, loads next to 1), or
  ///         where roundings would blur it
  [[nodiscard]] static std::optional<LastEmptySlot> upto(const std::vector<SourceChain>& sources, Of of,
                                                         double decay_rate, const numeric::Rational& rho,
                                                         std::int64_t level);

  [[nodiscard]] std::int64_t level() const { return level_; }
  /// P(Q > n), or the fraction of packets lost with room for n, is at most this: 1 <= n <= level().
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
