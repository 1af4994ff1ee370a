#pragma once

#include <tailbound/numeric/real.hpp>

#include <cmath>
#include <limits>
#include <type_traits>

/// A priori rounding bounds for sums of products of non-negative numbers.
///
/// If a computed value is a sum over paths, each path a product of non-negative factors that met at most
/// N relative errors of at most u each, then   computed / true  lies in [(1-u)^N, (1-u)^-N], and so
///     |computed - true| <= gamma true   and   |computed - true| <= gamma computed,
///     gamma = N u / (1 - N u),  N u < 1.
/// Derivation, and how N is counted for each recurrence: docs/derivations/rounding.md.
namespace tailbound::numeric {

/// Number of relative errors of one unit roundoff that a value may carry. A real number: input errors
/// smaller than a unit count as fractions.
struct ErrorCount {
  double units = 0;
};

/// u of T: half the distance from 1 to the next number. Reals: of the precision `bits`.
template <class T>
[[nodiscard]] double unit_roundoff([[maybe_unused]] int bits) {
  if constexpr (std::is_floating_point_v<T>)
    return static_cast<double>(std::numeric_limits<T>::epsilon()) / 2;
  else
    return std::ldexp(1.0, std::max(-bits, -1000));
}

/// Significand bits of T.
template <class T>
[[nodiscard]] constexpr int significand_bits(int bits) {
  if constexpr (std::is_floating_point_v<T>)
    return std::numeric_limits<T>::digits;
  else
    return bits;
}

/// gamma = N u / (1 - N u), rounded up; infinite if N u >= 1/2, where the bound is of no use.
[[nodiscard]] inline double relative_error_bound(ErrorCount count, double roundoff) {
  // The factor covers the roundings of this very formula.
  const double nu = count.units * roundoff * (1 + 1e-12);
  if (!(nu < 0.5)) return std::numeric_limits<double>::infinity();
  return nu / (1 - nu) * (1 + 1e-12);
}

/// [value (1 - gamma), value (1 + gamma) + dropped], rounded outward; value >= 0, dropped >= 0.
/// The ends carry 32 bits more than the value so that the widening itself costs nothing.
/// \throws LimitExceeded-free; gamma must be below 1
template <class T>
void widen(const T& value, double gamma, const Real& dropped, int bits, Real& lower, Real& upper) {
  const PrecisionScope scope(Precision{significand_bits<T>(bits) + 32});
  Real center;
  if constexpr (std::is_same_v<T, double>)
    mpfr_set_d(center.backend().data(), value, MPFR_RNDN);
  else if constexpr (std::is_same_v<T, long double>)
    mpfr_set_ld(center.backend().data(), value, MPFR_RNDN);
  else
    mpfr_set(center.backend().data(), value.backend().data(), MPFR_RNDN);
  Real down, up;
  mpfr_mul_d(down.backend().data(), center.backend().data(), gamma, MPFR_RNDU);
  mpfr_add(up.backend().data(), center.backend().data(), down.backend().data(), MPFR_RNDU);
  mpfr_add(up.backend().data(), up.backend().data(), dropped.backend().data(), MPFR_RNDU);
  mpfr_sub(down.backend().data(), center.backend().data(), down.backend().data(), MPFR_RNDD);
  lower = down;
  upper = up;
}

}  // namespace tailbound::numeric
