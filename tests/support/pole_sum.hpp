#pragma once

#include <tailbound/numeric/real.hpp>

#include <cstdint>
#include <tests/support/fraction.hpp>
#include <vector>

/// The closed form of the tail as a sum over the poles of Q(z), in plain floating point of 300 digits.
namespace tailbound::test {

using Float300 = boost::multiprecision::number<boost::multiprecision::mpfr_float_backend<300>,
                                               boost::multiprecision::et_off>;

struct Complex300 {
  Float300 re = 0, im = 0;
};

/// All roots of sum c_j z^j (last coefficient not zero) by the simultaneous iteration of Durand and Kerner;
/// meant for simple roots. \throws std::runtime_error if it does not settle.
[[nodiscard]] std::vector<Complex300> polynomial_roots(const std::vector<Fraction>& coefficients);

/// P(Q > n) = sum over the roots |z_i| > 1 of z = A(z) of (1 - rho) / (A'(z_i) - 1) z_i^(-n); n >= 1.
[[nodiscard]] Float300 pole_sum_tail(const std::vector<Fraction>& arrivals, std::int64_t level);

/// The same from given roots.
[[nodiscard]] Float300 pole_sum_tail(const std::vector<Fraction>& arrivals,
                                     const std::vector<Complex300>& roots, std::int64_t level);

/// The root z > 1 of z = A(z), by bisection in exact comparisons of floats of 300 digits.
[[nodiscard]] Float300 decay_root(const std::vector<Fraction>& arrivals);

}  // namespace tailbound::test
