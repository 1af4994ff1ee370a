#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

/// Short distributions as lists of probabilities in double. Internal to the queue module.
namespace tailbound::queue {

/// The first `size` coefficients of the product of two generating functions.
[[nodiscard]] inline std::vector<double> product(const std::vector<double>& x, const std::vector<double>& y,
                                                 std::size_t size) {
  std::vector<double> result(size, 0);
  for (std::size_t i = 0; i < std::min(size, x.size()); ++i)
    for (std::size_t j = 0; j < std::min(size - i, y.size()); ++j) result[i + j] += x[i] * y[j];
  return result;
}

/// Binomial probabilities 0 .. size-1; fewer if the distribution is shorter.
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

}  // namespace tailbound::queue
