#pragma once

#include <tailbound/queue/slotted/ladder.hpp>
#include <tailbound/series/renewal.hpp>

#include <vector>

/// The slotted queue in exact rational numbers.
///
/// MODEL     the renewal equation of queue/slotted/ladder.hpp with all coefficients over one denominator D
///           and the n-th value scaled by (D P(A=0))^(n+1): integers only, no division until the end.
/// SOURCE    docs/derivations/slotted_queue.md, "Exact values"
/// Internal to the queue module.
namespace tailbound::queue {

/// The values 0 .. last as integers over powers of one number. Reduced to lowest terms only on request, since
/// that costs more than the recurrence itself.
class ExactValues {
 public:
  /// C = 1.
  /// COST  O(last min(last, K)) products of numbers whose length grows in proportion to the level.
  /// \param max_bits  limit for all the numbers together
  /// \throws LimitExceeded  C > 1, irrational probabilities, or numbers beyond `max_bits`
  ExactValues(const SlottedQueue& queue, Quantity quantity, std::int64_t last, double max_bits = 0x1p33);
  /// P(X = n) of what finds Y in its own slot.
  /// \param own  P(Y = n)
  ExactValues(const SlottedQueue& queue, std::vector<numeric::Rational> own, std::int64_t last);

  [[nodiscard]] std::int64_t last() const { return static_cast<std::int64_t>(scaled_.size()) - 1; }
  /// The quantity at n, 0 <= n <= last().
  [[nodiscard]] numeric::Rational at(std::int64_t n) const;

 private:
  void extend(const Ladder<numeric::Rational>& ladder, Quantity quantity, std::int64_t last, double max_bits);

  std::vector<numeric::Integer> scaled_;
  numeric::Integer forcing_denominator_, pivot_;
};

}  // namespace tailbound::queue
