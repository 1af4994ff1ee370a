#pragma once

#include <tailbound/core/quantity.hpp>
#include <tailbound/numeric/truth.hpp>

#include <cstdint>
#include <span>
#include <vector>

/// Distributions on 0, 1, 2, ... with error bounds, and sums of independent ones.
///
/// MODEL     X >= 0 whole, known for n < size, tilted by a number theta >= 1:
///           mass[n] = theta^n P(X = n),  tail[n] = theta^n P(X > n).
///           Tilting commutes with convolution, keeps geometric decay within a
///           double's exponents, and flattens it, as a fast Fourier transform requires.
/// RESULT    for independent X, Y:  P(X+Y = t) = sum_{n<=t} P(X = n) P(Y = t-n),
///           P(X+Y > t) = P(X > t) + sum_{n<=t} P(X = n) P(Y > t-n):  non-negative terms only, and nothing
///           beyond n = t is needed, so there is no truncation.
/// CONTRACT  the true theta^n P(.) lies within units * u relative (u = 2^-bits of T, errors on paths of
///           non-negative products as in numeric/rounding.hpp) and then *_error absolute of the stored value.
/// SOURCE    docs/derivations/path_delay.md
namespace tailbound::series {

/// T: double, long double or numeric::Real.
template <class T>
struct Distribution {
  std::vector<T> mass, tail;               ///< equal lengths
  int bits = 0;                            ///< u = 2^-bits
  double tilt = 1;                         ///< theta
  double mass_units = 0, tail_units = 0;   ///< number of relative errors of any entry, in unit roundoffs of T
  T mass_error = T(0), tail_error = T(0);  ///< absolute, of any tilted entry

  [[nodiscard]] std::size_t size() const noexcept { return mass.size(); }
};

/// The first `count` entries. \pre count <= size
template <class T>
[[nodiscard]] Distribution<T> prefix(const Distribution<T>& distribution, std::size_t count);

/// Tilted and rounded to double.
/// \param tilt  >= 1, tilt^size at most 2^15 000 \pre not yet tilted
[[nodiscard]] Distribution<double> tilted(const Distribution<long double>& distribution, double tilt);

/// How a sum is computed.
enum class Summation {
  automatic,  ///< the transform where it is faster
  direct,     ///< term by term; keeps every entry's relative accuracy
  transform,  ///< by fast Fourier transforms (T = double only); the error is relative to the largest entries
};

/// X + Y. \pre equal sizes and tilts
template <class T>
[[nodiscard]] Distribution<T> sum(const Distribution<T>& x, const Distribution<T>& y,
                                  Summation summation = Summation::automatic);

/// The length from which Summation::automatic uses the transform.
[[nodiscard]] std::size_t transform_pays_from();

/// P(X > n), n < size. \param proof  that X has the distribution
template <class T>
[[nodiscard]] numeric::Enclosure<unit::Probability> enclose_tail(numeric::Proof proof,
                                                                 const Distribution<T>& distribution,
                                                                 std::size_t n);
/// P(X = n), n < size. \param proof  that X has the distribution
template <class T>
[[nodiscard]] numeric::Enclosure<unit::Probability> enclose_mass(numeric::Proof proof,
                                                                 const Distribution<T>& distribution,
                                                                 std::size_t n);

/// log P(X > n) as computed, not proved; minus infinity for 0.
template <class T>
[[nodiscard]] double log_tail(const Distribution<T>& distribution, std::size_t n);

/// A tilt that keeps the sum of independent X_h near 1 from 0 to its last entry: the last entry's Chernoff
/// bound, spread evenly. Any tilt is correct; this one gives good accuracy.
/// \param terms  not tilted, equal sizes
[[nodiscard]] double balancing_tilt(std::span<const Distribution<long double>* const> terms);

}  // namespace tailbound::series
