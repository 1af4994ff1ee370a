#pragma once

#include <tailbound/numeric/real.hpp>

#include <algorithm>
#include <cstdint>
#include <tests/support/fraction.hpp>
#include <tests/support/traffic.hpp>
#include <vector>

/// Queues as Markov chains, solved as linear equations, without generating functions.
namespace tailbound::test {

/// Stationary P(Q = n), n = 0 .. capacity, of Q' = min(max(Q - served, 0) + A, capacity), by Gaussian
/// elimination in exact fractions on the full matrix.
[[nodiscard]] std::vector<Fraction> finite_chain(const std::vector<Fraction>& arrivals, std::int64_t capacity,
                                                 int served = 1);

/// Packets dropped per packet offered in that chain: E[max(max(Q - served, 0) + A - capacity, 0)] / E[A].
[[nodiscard]] Fraction finite_chain_loss(const std::vector<Fraction>& arrivals, std::int64_t capacity,
                                         int served = 1);

/// 100 digits, at compile time: the ambient precision of Boost stays untouched.
using Float100 = boost::multiprecision::number<boost::multiprecision::mpfr_float_backend<110>,
                                               boost::multiprecision::et_off>;

/// P(Q > n), n = 0 .. capacity - 1, of the same chain by the elimination of Grassmann, Taksar and Heyman,
/// which adds, multiplies and divides only: every entry keeps its digits, however small. With a capacity far
/// above n it approximates the infinite queue.
///
/// \param a  P(A = j), j = 0, 1, ...
template <class T>
[[nodiscard]] std::vector<T> banded_chain_tails(const std::vector<T>& a, std::int64_t capacity, int served) {
  const auto at = [](std::int64_t i) { return static_cast<std::size_t>(i); };
  const std::int64_t first = std::find_if(a.begin(), a.end(), [](const T& p) { return p != 0; }) - a.begin();
  // States first .. capacity; below `first` the queue is never found. A step leads from `served` below to as
  // many above as may arrive, and elimination fills nothing outside this range.
  const auto up = static_cast<std::int64_t>(a.size());
  std::vector<std::vector<T>> rows(at(capacity + 1), std::vector<T>(at(served + up), T(0)));
  const auto p = [&](std::int64_t from, std::int64_t to) -> T& {
    return rows[at(from)][at(to - from + served)];
  };
  for (std::int64_t from = first; from <= capacity; ++from)
    for (std::int64_t j = first; j < up; ++j)
      p(from, std::min(std::max<std::int64_t>(from - served, 0) + j, capacity)) += a[at(j)];
  for (std::int64_t state = capacity; state > first; --state) {
    const std::int64_t bottom = std::max(first, state - served);
    T leave(0);
    for (std::int64_t to = bottom; to < state; ++to) leave += p(state, to);
    for (std::int64_t from = std::max(first, state - up + 1); from < state; ++from) {
      T& part = p(from, state);
      if (part == 0) continue;
      part /= leave;
      for (std::int64_t to = bottom; to < state; ++to) p(from, to) += part * p(state, to);
    }
  }
  std::vector<T> weight(at(capacity + 1), T(0));
  weight[at(first)] = 1;
  for (std::int64_t state = first + 1; state <= capacity; ++state)
    for (std::int64_t from = std::max(first, state - up + 1); from < state; ++from)
      weight[at(state)] += weight[at(from)] * p(from, state);
  std::vector<T> tails(at(capacity + 1), T(0));
  for (std::size_t n = at(capacity); n-- > 0;) tails[n] = tails[n + 1] + weight[n + 1];
  const T total = tails[0] + weight[0];
  for (T& tail : tails) tail /= total;
  tails.pop_back();
  return tails;
}
[[nodiscard]] std::vector<Float100> banded_chain_tails(const std::vector<Fraction>& arrivals,
                                                       std::int64_t capacity, int served);

}  // namespace tailbound::test
