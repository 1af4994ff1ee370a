#pragma once

#include <cstdint>
#include <span>
#include <tests/support/fraction.hpp>
#include <tests/support/traffic.hpp>
#include <vector>

/// P(Q > n) of the slotted queue by the literal expansion of
///
///     Q(z) = (1 - rho) (z - 1) A(z) / (z - A(z)),      P(Q > n) = 1 - (q_0 + .. + q_n),
///
/// by plain division of power series, including subtractions: a method that the library does not use.
namespace tailbound::test {

/// The exact values, in integers over a common denominator. For levels up to about 60; not for Poisson.
[[nodiscard]] std::vector<Reference> exact_tails(const Traffic& traffic,
                                                 std::span<const std::int64_t> levels);

/// With at least `digits` correct digits, proved, by the same expansion in fixed point.
///
/// METHOD  With unit u = 2^-bits all a_j and steps are within a few u. If the computed q' leaves a residual
///         d_n in the n-th equation, q' - q has the series d(z) / (z - A(z)), and the coefficients of -1 / (z
///         - A(z)) = V(z) / ((1 - rho) (1 - z)) lie in [0, 1/(1 - rho)] because V is a PGF. Each |d_n| <= 12
///         u, so |q'_n - q_n| <= 12 (n+1) u / (1 - rho), and the tail is within 12 (n+1)^2 u / (1 - rho).
///         `bits` grows until that is 10^-digits of the smallest requested tail.
[[nodiscard]] std::vector<Reference> deep_tails(const Traffic& traffic, std::span<const std::int64_t> levels,
                                                int digits = 400);

/// exact_tails() if all levels are <= 60 and the traffic is rational, otherwise deep_tails().
[[nodiscard]] std::vector<Reference> reference_tails(const Traffic& traffic,
                                                     std::span<const std::int64_t> levels);
[[nodiscard]] Reference reference_tail(const Traffic& traffic, std::int64_t level);

/// Approximate cost of reference_tails() in units of one product of 64-bit words.
[[nodiscard]] double reference_cost(const Traffic& traffic, std::int64_t level);

}  // namespace tailbound::test
