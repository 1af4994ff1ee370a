#include <tailbound/queue/dependent_waits.hpp>

#include <algorithm>
#include <cmath>

namespace tailbound::queue {
namespace {

using Series = std::vector<double>;

/// a/b as power series. \pre b[0] is not 0
Series quotient(const Series& a, const Series& b) {
  Series c(a.size(), 0);
  for (std::size_t n = 0; n < c.size(); ++n) {
    double sum = a[n];
    for (std::size_t i = 1; i <= n; ++i) sum -= b[i] * c[n - i];
    c[n] = sum / b[0];
  }
  return c;
}

/// a^e as a power series. \pre a[0] is not 0
Series power(const Series& a, double e) {
  if (e == 1) return a;
  Series c(a.size(), 0);
  c[0] = std::pow(a[0], e);
  for (std::size_t n = 1; n < c.size(); ++n) {
    double sum = 0;
    for (std::size_t i = 1; i <= n; ++i)
      sum += (static_cast<double>(i) * e - static_cast<double>(n - i)) * a[i] * c[n - i];
    c[n] = sum / (static_cast<double>(n) * a[0]);
  }
  return c;
}

Series product(const Series& a, const Series& b) {
  Series c(a.size(), 0);
  for (std::size_t n = 0; n < c.size(); ++n)
    for (std::size_t i = 0; i <= n; ++i) c[n] += a[i] * b[n - i];
  return c;
}

}  // namespace

std::vector<double> smoothed_wait(const LoneQueue& alone, std::span<const SmoothedLinks> links) {
  Series occupancy = alone.occupancy;
  for (const SmoothedLinks& link : links) {
    const auto cut = [&](const Series& whole) {
      return Series(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(occupancy.size()));
    };
    occupancy = product(occupancy, power(quotient(cut(*link.second), cut(*link.alone)), link.count));
  }
  Series wait(occupancy.size(), 0);
  // As P(Q > 0) = load whatever smooths the arrivals; the last place is not known and falls on as those before.
  for (std::size_t n = 0; n + 1 < wait.size(); ++n) wait[n] = std::max(0.0, occupancy[n + 1] / alone.load);
  const std::size_t size = wait.size();
  if (size >= 3 && wait[size - 3] > 0) wait[size - 1] = wait[size - 2] * wait[size - 2] / wait[size - 3];
  return wait;
}

std::vector<double> sum_of_dependent(std::span<const DependentHop> hops, std::size_t size) {
  const auto cut = [&](const Series& series) {
    Series result(series.begin(),
                  series.begin() + static_cast<std::ptrdiff_t>(std::min(size, series.size())));
    result.resize(size, 0);
    return result;
  };
  Series marginal = cut(*hops.front().wait);
  // f(S, w) = P(the waits so far sum to S, the last is w), w <= S.
  Series law(size * size, 0), next(size * size, 0);
  for (std::size_t w = 0; w < size; ++w) law[w * size + w] = marginal[w];
  Series factor(size, 0);
  factor[0] = 1;
  for (std::size_t hop = 1; hop < hops.size(); ++hop) {
    const PairKernel& kernel = *hops[hop].from_before;
    Series after(size, 0);
    const std::size_t listed = std::min(size, kernel.size());
    for (std::size_t w = 0; w < listed; ++w)
      for (std::size_t to = 0; to + w < listed; ++to) after[to] += marginal[w] * kernel.row(w)[to];
    factor = product(factor, quotient(cut(*hops[hop].wait), after));
    marginal = std::move(after);
    std::fill(next.begin(), next.end(), 0);
    Series sum(size);
    for (std::size_t S = 0; S < size; ++S) {
      std::fill(sum.begin(), sum.end(), 0);
      const std::size_t room = size - S;
      for (std::size_t w = 0; w <= S && w < kernel.size(); ++w) {
        const double weight = law[S * size + w];
        if (weight == 0) continue;
        const double* const row = kernel.row(w);
        const std::size_t count = std::min(room, kernel.size() - w);
        for (std::size_t to = 0; to < count; ++to) sum[to] += weight * row[to];
      }
      for (std::size_t to = 0; to < room; ++to) next[(S + to) * size + to] += sum[to];
    }
    std::swap(law, next);
  }
  Series total(size, 0);
  for (std::size_t S = 0; S < size; ++S)
    for (std::size_t w = 0; w <= S; ++w) total[S] += law[S * size + w];
  return product(total, factor);
}

}  // namespace tailbound::queue
