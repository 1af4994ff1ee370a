#pragma once

#include <tailbound/series/arrivals.hpp>
#include <tailbound/series/formulas/closed_form.hpp>

#include <optional>
#include <vector>

/// The arrivals of a slot as numbers, for the renewal equation of a queue.
namespace tailbound::series {

/// P(A = j), P(A > j) and E[max(A - j - 1, 0)] up to an index K beyond which everything is negligible.
///
/// L is Interval (each entry encloses), Rational (exact) or long double (each entry off by at most
/// `error_units` unit roundoffs). Suffix sums of non-negative numbers throughout. The only complement is the
/// remainder of a formula's infinite support, which intervals bound.
template <class L>
struct ArrivalTails {
  std::vector<L> pmf;      ///< P(A = j), j = 0 .. K
  std::vector<L> above;    ///< P(A > j), j = 0 .. K-1
  std::vector<L> beyond;   ///< E[max(A - j - 1, 0)], j = 0 .. K-1
  L load{};                ///< rho
  double error_units = 0;  ///< relative error of any entry, in units of long double's roundoff
  std::optional<RationalFunction> quotient{};  ///< A(z) of a formula that is a quotient of short polynomials
  bool complete = true;                        ///< A <= K always; otherwise beyond[K-1] <= 2^negligible

  [[nodiscard]] std::size_t size() const noexcept { return above.size(); }
};

/// \param negligible  base-2 logarithm of the expected excess E[max(A - K, 0)] that may be cut off
/// \throws LimitExceeded  K would exceed 131 072

/// Enclosures with the precision in force (finer for arrivals given as a formula).
[[nodiscard]] ArrivalTails<numeric::Interval> enclosed_arrival_tails(const Arrivals& arrivals,
                                                                     long negligible);

/// In long double, for arrivals where this is cheap; `error_units` is proved in docs/derivations/rounding.md.
/// Empty for arrivals given as a formula, or where negligible < -3000.
[[nodiscard]] std::optional<ArrivalTails<long double>> fast_arrival_tails(const Arrivals& arrivals,
                                                                          long negligible);

/// Exact, the entries j < count for infinite support, all for finite support (then `complete`).
/// \throws LimitExceeded  a probability is irrational (Poisson, exp) or the numbers would exceed 2^28 bits
[[nodiscard]] ArrivalTails<numeric::Rational> exact_arrival_tails(const Arrivals& arrivals,
                                                                  std::size_t count);

}  // namespace tailbound::series
