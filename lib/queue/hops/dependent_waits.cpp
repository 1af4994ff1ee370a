#include <tailbound/numeric/short_laws.hpp>
#include <tailbound/queue/hops/dependent_waits.hpp>

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
  return numeric::convolved(a, b, a.size());
}

}  // namespace

std::vector<double> wait_behind(const QueuePair& pair, const PairKernel& kernel) {
  const std::size_t size = kernel.size();
  const LoneQueue first = lone_first(pair, size);
  Series wait(size, 0);
  for (std::size_t w = 0; w < size; ++w)
    for (std::size_t n = 0; n + w < size; ++n) wait[n] += first.wait[w] * kernel.row(w)[n];
  return wait;
}

namespace {

/// Packets ahead of one directly from a source in its slot. A link delivers at most one packet.
Series ahead_in_slot(std::span<const LoneSource> straight, std::span<const SmoothedLinks> links,
                     std::size_t size) {
  constexpr std::size_t maximum = 64;  // arrivals in a slot
  const auto one = [](double p) {
    Series law(maximum, 0);
    law[0] = 1 - p;
    law[1] = p;
    return law;
  };
  Series all(maximum, 0), others(maximum, 0);
  all[0] = 1;
  for (const SmoothedLinks& link : links) all = product(all, power(one(link.rate), link.count));
  double rate = 0;
  for (const LoneSource& source : straight) {
    all = product(all, power(one(source.probability), static_cast<double>(source.count)));
    rate += static_cast<double>(source.count) * source.probability;
  }
  for (const LoneSource& source : straight) {
    const Series without = quotient(all, one(source.probability));
    for (std::size_t n = 0; n < maximum; ++n)
      others[n] += static_cast<double>(source.count) * source.probability / rate * std::max(0.0, without[n]);
  }
  Series ahead(std::max(size, maximum), 0);
  double sum = 0;
  for (std::size_t n = maximum; n-- > 0;) ahead[n] = sum += others[n] / static_cast<double>(n + 1);
  ahead.resize(size);
  return ahead;
}

/// P(Q = n) from `body`, with the tail beyond 1 limited to that of `tail`, scaled by the packets that wait in
/// both; unchanged if the two are equal.
Series joined(Series body, const Series& tail, double load) {
  double waiting_body = 0, waiting_tail = 0;
  for (std::size_t n = 2; n < body.size(); ++n) {
    waiting_body += static_cast<double>(n - 1) * body[n];
    waiting_tail += static_cast<double>(n - 1) * tail[n];
  }
  if (!(waiting_tail > 0 && waiting_body > 0)) return body;
  double above = 0;
  for (std::size_t n = 2; n < body.size(); ++n)
    above += body[n] = std::min(body[n], std::max(0.0, waiting_body / waiting_tail * tail[n]));
  body[0] = 1 - load;
  body[1] = load - above;
  return body;
}

}  // namespace

SmoothedWait smoothed_wait(const LoneQueue& alone, std::span<const LoneSource> straight,
                           std::span<const SmoothedLinks> links) {
  const std::size_t size = alone.occupancy.size();
  const auto cut = [size](const Series& whole) {
    return Series(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(size));
  };
  std::vector<Series> factors;
  Series smoothing(size, 0), body(size, 0);
  smoothing[0] = body[0] = 1;
  double by_links = 0;
  for (const SmoothedLinks& link : links) {
    factors.push_back(quotient(cut(*link.second), cut(*link.alone)));
    smoothing = product(smoothing, power(factors.back(), link.count));
    body = product(body, power(quotient(cut(*link.second), alone.occupancy), link.count));
    by_links += link.count * link.rate;
  }
  const Series occupancy =
      joined(product(alone.occupancy, body), product(alone.occupancy, smoothing), alone.load);
  Series left_over(size, 0);
  for (std::size_t n = 0; n + 1 < size; ++n) left_over[n] = std::max(0.0, occupancy[n + 1]);
  // The last entry is not known; it is extrapolated from the previous ones.
  if (size >= 3 && left_over[size - 3] > 0)
    left_over[size - 1] = left_over[size - 2] * left_over[size - 2] / left_over[size - 3];
  Series rest =
      left_over;  // divided by the load, the distribution over all packets, as P(Q > 0) = load for any
                  // smoothing of the arrivals
  SmoothedWait wait{rest, {}, {}};
  for (double& value : wait.of_sources) value /= alone.load;
  if (links.empty()) {
    wait.of_any_link = wait.of_sources;
    return wait;
  }
  if (!straight.empty()) {
    left_over[0] += occupancy[0];
    wait.of_sources = product(left_over, ahead_in_slot(straight, links, size));
    for (std::size_t n = 0; n < size; ++n)
      rest[n] = std::max(0.0, rest[n] - (alone.load - by_links) * wait.of_sources[n]);
  }
  // For each link as if the others smoothed it independently of the arriving packet; then corrected so that
  // the distribution over all packets is right.
  Series sum(size, 0);
  for (std::size_t i = 0; i < links.size(); ++i) {
    wait.of_links.push_back(product(cut(*links[i].wait), quotient(smoothing, factors[i])));
    for (std::size_t n = 0; n < size; ++n) sum[n] += links[i].count * links[i].rate * wait.of_links[i][n];
  }
  const Series shared = quotient(rest, sum);
  for (Series& law : wait.of_links) {
    law = product(law, shared);
    for (double& value : law) value = std::max(0.0, value);
  }
  wait.of_any_link = std::move(rest);
  for (double& value : wait.of_any_link) value /= by_links;
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
      const std::size_t length = size - S;
      for (std::size_t w = 0; w <= S && w < kernel.size(); ++w) {
        const double weight = law[S * size + w];
        if (weight == 0) continue;
        const double* const row = kernel.row(w);
        const std::size_t count = std::min(length, kernel.size() - w);
        for (std::size_t to = 0; to < count; ++to) sum[to] += weight * row[to];
      }
      for (std::size_t to = 0; to < length; ++to) next[(S + to) * size + to] += sum[to];
    }
    std::swap(law, next);
  }
  Series total(size, 0);
  for (std::size_t S = 0; S < size; ++S)
    for (std::size_t w = 0; w <= S; ++w) total[S] += law[S * size + w];
  return product(total, factor);
}

}  // namespace tailbound::queue
