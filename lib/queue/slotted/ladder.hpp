#pragma once

#include <tailbound/queue/slotted/slotted_queue.hpp>
#include <tailbound/series/arrival_tails.hpp>

#include <optional>
#include <vector>

/// The Wiener-Hopf factor of a slotted queue: the non-negative kernel of its renewal equation.
///
/// MODEL     K(z) = (z^C - A(z)) / prod_{i=0..C-1} (z - y_i),  y_0 = 1, y_i the other solutions of
///           y^C = A(y) in the unit disc;  K(z) = kernel[0] - sum_{j>=1} kernel[j] z^j, kernel >= 0.
///           For C = 1: K(z) = 1 - B1(z), kernel[0] = P(A = 0), kernel[j] = P(A > j).
/// RESULT    V(z) = K(1) / K(z) for the work V left by earlier slots, and for any X = V + Y with Y
///           independent of V:  X(z) = K(1) Y(z) / K(z),
///           sum_n P(X > n) z^n = (sum_n z^n (sum_{j>n} kernel[j] + K(1) P(Y > n))) / K(z).
///           Y = A gives the occupancy Q; Y = the packets of its own slot that a packet finds ahead of it,
///           P(Y = n) = P(A > n) / rho, gives the packets that it waits for.
/// SOURCE    docs/derivations/slotted_queue.md
/// Internal to the queue module.
namespace tailbound::queue {

/// The quantity that the renewal equation gives, determined by its forcing term.
enum class Quantity {
  tail,        ///< P(Q > n)
  mass,        ///< P(Q = n)
  ahead_tail,  ///< P(X > n), X = packets served before an arbitrary packet, or one of a flow (Ladder::own_mass)
  ahead_mass,  ///< P(X = n)
};

/// L is Interval, Rational or long double, as in series::ArrivalTails.
template <class L>
struct Ladder {
  L pivot{};                       ///< kernel[0] > 0
  L idle{};                        ///< K(1) > 0: 1 - rho for C = 1
  std::vector<L> kernel;           ///< kernel[1], kernel[2], ...
  std::vector<L> behind;           ///< sum_{j>n} kernel[j], n = 0 .. size - 1
  series::ArrivalTails<L> offers;  ///< of the arrivals, `size` entries above 0
  /// P(Y = n) and P(Y > n) of what `ahead` finds in its own slot, if not of an arbitrary packet: exact, so it
  /// is not cut off.
  std::vector<L> own_mass{}, own_above{};
  double error_units = 0;    ///< relative error of kernel and pivot, in unit roundoffs of long double
  double forcing_units = 0;  ///< the same for any entry of forcing()
  L cut{};                   ///< upper bound of the truncation error of any P(Q > n) or P(Q = n)
  L ahead_cut{};             ///< the same for any P(X > n) or P(X = n)

  /// The forcing term of `quantity`, n = 0, 1, ...
  [[nodiscard]] std::vector<L> forcing(Quantity quantity) const;
  [[nodiscard]] const L& cut_of(Quantity quantity) const {
    return quantity == Quantity::tail || quantity == Quantity::mass ? cut : ahead_cut;
  }
};

/// log2 (C - rho), to within 2.
[[nodiscard]] double log2_of_idle_share(const SlottedQueue& queue);

/// Base-2 logarithm of the excess of the arrivals that may be cut off so that values near 2^log2_value keep
/// `bits` bits.
[[nodiscard]] long negligible_excess(double log2_value, int bits, double log2_idle);

/// \param negligible  as in series::enclosed_arrival_tails()
[[nodiscard]] Ladder<numeric::Interval> enclosed_ladder(const SlottedQueue& queue, long negligible);
/// C = 1 only; empty where fast_arrival_tails() is.
[[nodiscard]] std::optional<Ladder<long double>> fast_ladder(const SlottedQueue& queue, long negligible);
/// \throws LimitExceeded  C > 1 (the y_i are irrational), and as exact_arrival_tails()
[[nodiscard]] Ladder<numeric::Rational> exact_ladder(const SlottedQueue& queue, std::size_t count);

}  // namespace tailbound::queue
