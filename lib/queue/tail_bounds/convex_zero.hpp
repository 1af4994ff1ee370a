#pragma once

#include <tailbound/core/error.hpp>
#include <tailbound/numeric/real.hpp>

#include <string>

/// The positive zero of a convex function with F(0) = 0 that is decreasing at 0.
/// Internal to the queue module.
namespace tailbound::queue {

struct ValueAndSlope {
  numeric::Real value, slope;
};

/// An approximation of the zero to about `bits` bits; not proved. 1024 if F is not positive up to there.
/// \param F  (Real x) -> ValueAndSlope
template <class F>
[[nodiscard]] numeric::Real convex_zero(const F& f, int bits) {
  numeric::Real x(1);
  ValueAndSlope at = f(x);
  while (!(at.value > 0)) {
    if (x >= 1024) return x;
    x *= 2;
    at = f(x);
  }
  // From the right, Newton's method decreases to the zero.
  for (int step = 0; step < 8 * bits && at.value > 0; ++step) {
    const numeric::Real by = at.value / at.slope;
    if (!(by > ldexp(x, 16 - bits))) break;
    x -= by;
    at = f(x);
  }
  return x;
}

/// Working bits of a search for log z close to the zero. The zero is of the order of 1 - rho, and F falls to
/// about -(1 - rho)^2 before it.
/// \throws LimitExceeded  above 2^16
struct SearchBits {
  int wanted;   ///< relative distance before the zero: 2^-wanted
  int working;  ///< precision
};
[[nodiscard]] inline SearchBits search_bits(const numeric::Rational& load, numeric::Digits digits) {
  const numeric::PrecisionScope narrow(numeric::Precision{64});
  const double idle = -numeric::log2_magnitude(numeric::to_real(1 - load, numeric::Rounding::nearest));
  const int wanted = numeric::to_precision(digits).bits + 64;
  if (!(4 * idle + wanted < 65'000))
    throw LimitExceeded("a bound at a load within 2^-" + std::to_string(static_cast<int>(idle)) + " of 1");
  return {wanted, wanted + 96 + static_cast<int>(4 * idle)};
}

}  // namespace tailbound::queue
