#pragma once

#include <tailbound/numeric/rational.hpp>
#include <tailbound/numeric/real.hpp>

#include <cstddef>
#include <cstdint>
#include <vector>

/// Distributions on 0, 1, 2, ... with their expected excess, and sums of independent ones.
///
/// MODEL     X >= 0 whole, known for n < size: P(X = n), P(X > n), E[(X - n)^+] (the stop-loss transform),
///           and E[X].
/// RESULT    for independent X, Y
///             P(X+Y = n)      = sum_{j<=n} P(X = j) P(Y = n-j)
///             P(X+Y > n)      = P(X > n) + sum_{j<=n} P(X = j) P(Y > n-j)
///             E[(X+Y - n)^+]  = E[(X-n)^+] + P(X > n) E[Y] + sum_{j<=n} P(X = j) E[(Y-(n-j))^+]
///           non-negative terms only, and nothing beyond n is needed, so there is no truncation.
/// CONTRACT  in long double: every true value lies within `units` * 2^-64 relative of the stored value
///           (errors on paths of non-negative products as in numeric/rounding.hpp), and 2^-13000 absolute,
///           which covers products below the smallest normal number.
/// SOURCE    docs/derivations/shared_memory.md
/// TESTS     tests/series/stop_loss_test.cpp
namespace tailbound::series {

struct StopLoss {
  std::vector<long double> mass, tail, excess;  ///< equal lengths, at least 1
  long double mean = 0;
  double units = 0;  ///< number of relative errors of any entry or the mean, in unit roundoffs

  [[nodiscard]] std::size_t size() const noexcept { return mass.size(); }
};

/// The constant 0.
[[nodiscard]] StopLoss nothing(std::size_t size);

/// The number of successes of independent trials, in `size` entries.
/// COST  the square of the number of trials
/// \param rates  probabilities, 0 .. 1
/// \param size   at least 1
[[nodiscard]] StopLoss successes(const std::vector<numeric::Rational>& rates, std::size_t size);

/// X + Y, independent.  COST  size^2 / 2 products \pre equal sizes
[[nodiscard]] StopLoss sum(const StopLoss& x, const StopLoss& y);

/// X_1 + ... + X_count, independent, each as `x`; by squaring.
/// \param count  0 or more
[[nodiscard]] StopLoss sum_of_identical(const StopLoss& x, std::int64_t count);

/// X / block, spread to whole numbers without changing its mean: from k block + r to k with probability
/// 1 - r / block, to k + 1 with r / block. Its excess at k is that of X at k block, divided by `block`; with
/// more independent terms, E f of the sum is at least that with X / block, for every convex f.
/// \param block  at least 1
/// \pre x.size() is a multiple of `block`
[[nodiscard]] StopLoss spread(const StopLoss& x, std::size_t block);

/// An upper bound of the true value of a number with that many errors: rounded up, plus the absolute error of
/// the contract.
/// \throws LimitExceeded  too many roundings for a bound
[[nodiscard]] numeric::Real rounded_up(long double value, double units);

}  // namespace tailbound::series
