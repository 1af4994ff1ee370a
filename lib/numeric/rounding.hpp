#pragma once

#include <tailbound/numeric/real.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <type_traits>

/// A priori rounding bounds for sums of products of non-negative numbers.
///
/// If a computed value is a sum over paths, each path a product of non-negative factors with at most N
/// relative errors of at most u each, then   computed / true  lies in [(1-u)^N, (1-u)^-N], and so
///     |computed - true| <= gamma true   and   |computed - true| <= gamma computed,
///     gamma = N u / (1 - N u),  N u < 1.
/// Derivation, and how N is counted for each recurrence: docs/derivations/rounding.md.
namespace tailbound::numeric {

/// Number of relative errors of one unit roundoff that a value may carry. A real number: input errors
/// smaller than a unit count as fractions.
struct ErrorCount {
  double units = 0;
};

/// Significand bits of T.
template <class T>
[[nodiscard]] constexpr int significand_bits(int bits) {
  if constexpr (std::is_floating_point_v<T>)
    return std::numeric_limits<T>::digits;
  else
    return bits;
}

/// gamma = units 2^-bits: stored separately, since 2^-bits may lie beyond a double's exponents.
struct RelativeError {
  double units = 0;  ///< infinite if the bound is useless
  int bits = 53;
};

/// gamma = N u / (1 - N u) for u = 2^-bits, rounded up; useless if N u >= 1/2.
[[nodiscard]] inline RelativeError relative_error_bound(ErrorCount count, int bits) {
  // The factors cover the roundings of this formula itself.
  const double nu = std::ldexp(count.units * (1 + 1e-12), -std::min(bits, 1000));
  if (!(nu < 0.5)) return {std::numeric_limits<double>::infinity(), bits};
  return {count.units / (1 - nu) * (1 + 1e-12), bits};
}

/// Bits, a multiple of 64, with which values with `units` roundings keep `digits`.
[[nodiscard]] inline int sufficient_bits(Digits digits, double units) {
  const double needed = to_precision(digits).bits + std::log2(std::max(2.0, units)) + 6;
  return (static_cast<int>(needed) + 63) / 64 * 64;
}

/// [value (1 - gamma), value (1 + gamma) + dropped], rounded outward; value >= 0, dropped >= 0, gamma usable.
/// The ends have 32 bits more than the value, so the widening itself loses nothing.
template <class T>
void widen(const T& value, RelativeError gamma, const Real& dropped, int bits, Real& lower, Real& upper) {
  const mpfr_ptr low = lower.backend().data(), up = upper.backend().data();
  const mpfr_prec_t precision = significand_bits<T>(bits) + 32;
  mpfr_set_prec(low, precision);
  mpfr_set_prec(up, precision);
  const auto around = [&](mpfr_srcptr center) {
    mpfr_mul_d(low, center, gamma.units, MPFR_RNDU);
    mpfr_mul_2si(low, low, -gamma.bits, MPFR_RNDU);
    mpfr_add(up, center, low, MPFR_RNDU);
    mpfr_add(up, up, dropped.backend().data(), MPFR_RNDU);
    mpfr_sub(low, center, low, MPFR_RNDD);
  };
  if constexpr (std::is_floating_point_v<T>) {
    MPFR_DECL_INIT(center, std::numeric_limits<T>::digits);
    if constexpr (std::is_same_v<T, double>)
      mpfr_set_d(center, value, MPFR_RNDN);
    else
      mpfr_set_ld(center, value, MPFR_RNDN);
    around(center);
  } else {
    around(value.backend().data());
  }
}

}  // namespace tailbound::numeric
