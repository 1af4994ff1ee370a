#pragma once

#include <tailbound/numeric/real.hpp>

#include <cstddef>
#include <type_traits>
#include <vector>

/// Products of non-negative series, term by term: every entry keeps its relative accuracy.
/// Internal to the series module: other modules include distribution.hpp and stop_loss.hpp.
namespace tailbound::series {

/// sum + left * right with one or two roundings.
template <class T>
void multiply_add(T& sum, const T& left, const T& right) {
  if constexpr (std::is_same_v<T, numeric::Real>)
    mpfr_fma(sum.backend().data(), left.backend().data(), right.backend().data(), sum.backend().data(),
             MPFR_RNDN);
  else
    sum += left * right;
}

/// z[t] = sum_{n<=t} x[n] y[t-n]. A term has at most direct_units(count) roundings. \pre equal sizes
template <class T>
[[nodiscard]] std::vector<T> convolve(const std::vector<T>& x, const std::vector<T>& y) {
  const std::size_t count = x.size();
  std::vector<T> z(count, T(0));
  std::size_t n = 0;
  if constexpr (std::is_floating_point_v<T>) {
    // Four terms at a time, vectorized over t: no sum is reordered.
    for (; n + 4 <= count; n += 4) {
      const T x0 = x[n], x1 = x[n + 1], x2 = x[n + 2], x3 = x[n + 3];
      if (x0 == 0 && x1 == 0 && x2 == 0 && x3 == 0) continue;
      for (std::size_t t = n; t < n + 3; ++t)
        for (std::size_t i = n; i <= t; ++i) z[t] += x[i] * y[t - i];
      const T* const from = y.data();
      T* const to = z.data() + n;
      for (std::size_t t = 3; t < count - n; ++t)
        to[t] += (x0 * from[t] + x1 * from[t - 1]) + (x2 * from[t - 2] + x3 * from[t - 3]);
    }
  }
  for (; n < count; ++n)
    for (std::size_t t = n; t < count; ++t) multiply_add(z[t], x[n], y[t - n]);
  return z;
}

template <class T>
[[nodiscard]] double direct_units(std::size_t count) {
  return static_cast<double>(count) / (std::is_floating_point_v<T> ? 4 : 1) + 8;
}

}  // namespace tailbound::series
