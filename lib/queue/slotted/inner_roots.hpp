#pragma once

#include <tailbound/numeric/complex_interval.hpp>
#include <tailbound/queue/slotted/slotted_queue.hpp>
#include <tailbound/series/arrival_tails.hpp>

#include <vector>

/// The solutions of y^C = A(y) inside the unit disc, enclosed.
///
/// MODEL     rho < C: y^C = A(y) has C solutions in the closed unit disc, one of them 1 (Rouche).
/// SOURCE    docs/derivations/slotted_queue.md; the enclosures are discs of Newton's method
///           (Kantorovich), with A'' bounded on the unit disc by A''(1).
/// Internal to the queue module.
namespace tailbound::queue {

/// The solutions cannot be separated at the precision in force; a higher one may suffice.
class UnresolvedRoots : public LimitExceeded {
 public:
  using LimitExceeded::LimitExceeded;
};

/// The C - 1 solutions other than 1, conjugates both listed, with the precision in force.
/// \param tails  of the arrivals, cut at an excess far below the required precision
/// \param second_factorial_moment  A''(1)
/// \throws UnresolvedRoots  two solutions are too close to each other or to the unit circle for this
///                          precision
[[nodiscard]] std::vector<numeric::ComplexInterval> inner_roots(
    const series::ArrivalTails<numeric::Interval>& tails, const numeric::Interval& second_factorial_moment,
    int packets_per_slot);

}  // namespace tailbound::queue
