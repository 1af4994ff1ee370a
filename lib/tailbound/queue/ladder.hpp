#pragma once

#include <tailbound/queue/slotted_queue.hpp>
#include <tailbound/series/arrival_tails.hpp>

#include <optional>
#include <vector>

/// The Wiener-Hopf factor of a slotted queue: the non-negative kernel of its renewal equation.
///
/// MODEL     K(z) = (z^C - A(z)) / prod_{i=0..C-1} (z - y_i),  y_0 = 1, y_i the other solutions of
///           y^C = A(y) in the unit disc;  K(z) = kernel[0] - sum_{j>=1} kernel[j] z^j, kernel >= 0.
///           For C = 1: K(z) = 1 - B1(z), kernel[0] = P(A = 0), kernel[j] = P(A > j).
/// RESULT    Q(z) = A(z) K(1) / K(z);
///           sum_n P(Q > n) z^n = (sum_n z^n (sum_{j>n} kernel[j] + K(1) P(A > n))) / K(z).
/// SOURCE    docs/derivations/slotted_queue.md
namespace tailbound::queue {

/// L is Interval, Rational or long double, as in series::ArrivalTails.
template <class L>
struct Ladder {
  L pivot{};               ///< kernel[0] > 0
  L idle{};                ///< K(1) > 0: 1 - rho for C = 1
  std::vector<L> kernel;   ///< kernel[1], kernel[2], ...
  std::vector<L> forcing;  ///< of the tails: sum_{j>n} kernel[j] + K(1) P(A > n), n = 0, 1, ...
  std::vector<L> pmf;      ///< K(1) P(A = n), n = 0, 1, ...: forcing of the probabilities
  double error_units = 0;  ///< relative error of any entry, in unit roundoffs of long double
  bool complete = true;    ///< nothing was cut off
  L cut{};                 ///< upper bound of what the cut took from any P(Q > n) or P(Q = n)
};

/// \param negligible  as in series::enclosed_arrival_tails()
[[nodiscard]] Ladder<numeric::Interval> enclosed_ladder(const SlottedQueue& queue, long negligible);
/// C = 1 only; empty where fast_arrival_tails() is.
[[nodiscard]] std::optional<Ladder<long double>> fast_ladder(const SlottedQueue& queue, long negligible);
/// \throws LimitExceeded  C > 1 (the y_i are irrational), and as exact_arrival_tails()
[[nodiscard]] Ladder<numeric::Rational> exact_ladder(const SlottedQueue& queue, std::size_t count);

}  // namespace tailbound::queue
