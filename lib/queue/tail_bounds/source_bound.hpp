#pragma once

#include <tailbound/queue/tail_bounds/last_empty_slot.hpp>

#include <optional>
#include <vector>

/// Proved bounds for a queue of any number of independent sources: the better of two bounds at each level.
///
/// MODEL     queue/tail_bounds/exponential_bound.hpp
/// METHOD    the exponential bound, tight at high loads, and LastEmptySlot, tight at all others
/// TESTS     tests/queue/tail_bounds/last_empty_slot_test.cpp
namespace tailbound::queue {

/// Caches its results. Not thread-safe.
class SourceBound {
 public:
  SourceBound(ExponentialBound exponential, std::vector<SourceChain> sources);

  /// For every level: P(Q > n) <= G z^-n.
  [[nodiscard]] const ExponentialBound& exponential() const { return exponential_; }

  /// As those of ExponentialBound, and never larger. For many levels, query the deepest first: that is
  /// fastest.
  [[nodiscard]] numeric::UpperBound<unit::Probability> tail(std::int64_t level);
  [[nodiscard]] std::int64_t min_level(const numeric::Rational& target);
  [[nodiscard]] numeric::UpperBound<unit::Probability> loss(std::int64_t capacity);
  [[nodiscard]] std::int64_t min_capacity(const numeric::Rational& target);

 private:
  /// The sums up to `level`, where they can be computed.
  [[nodiscard]] const LastEmptySlot* upto(LastEmptySlot::Of of, std::int64_t level);
  [[nodiscard]] numeric::Real closer(LastEmptySlot::Of of, std::int64_t level, numeric::Real bound);
  /// Smallest level from 1 to `enough` whose sum is at most `target`.
  [[nodiscard]] std::int64_t minimum(LastEmptySlot::Of of, std::int64_t enough,
                                     const numeric::Rational& target);

  struct Known {
    std::optional<LastEmptySlot> sums{};
    std::int64_t too_deep = 0;  ///< a level for which there are none; 0: none found yet
  };

  ExponentialBound exponential_;
  std::vector<SourceChain> sources_;
  Known tail_{}, loss_{};
};

}  // namespace tailbound::queue
