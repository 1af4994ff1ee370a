#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

/// Short distributions as lists of probabilities, from 0 on. Sums of products as they come: for certified
/// tails series/convolve.hpp, for long ones transform_convolution.hpp.
namespace tailbound::numeric {

/// The first `size` probabilities of the sum of two independent numbers.
template <class T>
[[nodiscard]] std::vector<T> convolved(const std::vector<T>& x, const std::vector<T>& y, std::size_t size) {
  std::vector<T> sum(size, T(0));
  for (std::size_t i = 0; i < std::min(size, x.size()); ++i)
    for (std::size_t j = 0; j < std::min(size - i, y.size()); ++j) sum[i + j] += x[i] * y[j];
  return sum;
}

/// All of them. \pre neither is empty
template <class T>
[[nodiscard]] std::vector<T> convolved(const std::vector<T>& x, const std::vector<T>& y) {
  return convolved(x, y, x.size() + y.size() - 1);
}

/// Binomial probabilities 0 .. size - 1, `count` trials with success probability p; fewer if the distribution
/// is shorter.
[[nodiscard]] inline std::vector<double> binomial(std::int64_t count, double p, std::size_t size) {
  std::vector<double> result(std::min<std::size_t>(size, static_cast<std::size_t>(count) + 1), 0);
  if (p >= 1) {
    if (result.size() > static_cast<std::size_t>(count)) result.back() = 1;
    return result;
  }
  result[0] = std::exp(static_cast<double>(count) * std::log1p(-p));
  for (std::size_t n = 1; n < result.size(); ++n)
    result[n] = result[n - 1] * (static_cast<double>(count) - static_cast<double>(n) + 1) /
                static_cast<double>(n) * p / (1 - p);
  return result;
}

}  // namespace tailbound::numeric
