#include <algorithm>
#include <stdexcept>
#include <tests/support/finite_chain.hpp>

namespace tailbound::test {

std::vector<Fraction> finite_chain(const std::vector<Fraction>& arrivals, std::int64_t capacity, int served) {
  const auto size = static_cast<std::size_t>(capacity) + 1;
  // Equations (P^T - I) pi = 0, the last one replaced by sum pi = 1.
  std::vector<std::vector<Fraction>> m(size, std::vector<Fraction>(size + 1, Fraction(0)));
  for (std::size_t from = 0; from < size; ++from) {
    const std::size_t left = from - std::min(from, static_cast<std::size_t>(served));
    for (std::size_t j = 0; j < arrivals.size(); ++j) m[std::min(left + j, size - 1)][from] += arrivals[j];
    m[from][from] -= 1;
  }
  for (std::size_t column = 0; column <= size; ++column) m[size - 1][column] = 1;
  for (std::size_t step = 0; step < size; ++step) {
    std::size_t pivot = step;
    while (pivot < size && m[pivot][step] == 0) ++pivot;
    if (pivot == size) throw std::logic_error("the chain has more than one stationary vector");
    std::swap(m[step], m[pivot]);
    for (std::size_t row = 0; row < size; ++row) {
      if (row == step || m[row][step] == 0) continue;
      const Fraction factor = m[row][step] / m[step][step];
      for (std::size_t column = step; column <= size; ++column) m[row][column] -= factor * m[step][column];
    }
  }
  std::vector<Fraction> result;
  for (std::size_t row = 0; row < size; ++row) result.push_back(m[row][size] / m[row][row]);
  return result;
}

Fraction finite_chain_loss(const std::vector<Fraction>& arrivals, std::int64_t capacity, int served) {
  const std::vector<Fraction> occupancy = finite_chain(arrivals, capacity, served);
  Fraction dropped = 0, offered = 0;
  for (std::size_t j = 0; j < arrivals.size(); ++j) offered += arrivals[j] * j;
  for (std::int64_t n = 0; n <= capacity; ++n) {
    const std::int64_t left = std::max<std::int64_t>(n - served, 0);
    for (std::int64_t j = 0; j < static_cast<std::int64_t>(arrivals.size()); ++j)
      if (left + j > capacity)
        dropped += occupancy[static_cast<std::size_t>(n)] * arrivals[static_cast<std::size_t>(j)] *
                   (left + j - capacity);
  }
  return dropped / offered;
}

std::vector<Float100> banded_chain_tails(const std::vector<Fraction>& arrivals, std::int64_t capacity,
                                         int served) {
  std::vector<Float100> a;
  for (const Fraction& value : arrivals) a.emplace_back(Float100(value));
  const auto first = static_cast<std::int64_t>(
      std::find_if(arrivals.begin(), arrivals.end(), [](const Fraction& p) { return p != 0; }) -
      arrivals.begin());
  // States first .. capacity; below `first` the queue is never found.
  const auto size = static_cast<std::size_t>(capacity) + 1;
  std::vector<std::vector<Float100>> p(size, std::vector<Float100>(size, Float100(0)));
  for (std::int64_t from = first; from <= capacity; ++from)
    for (std::int64_t j = first; j < static_cast<std::int64_t>(a.size()); ++j) {
      const std::int64_t to = std::min(std::max<std::int64_t>(from - served, 0) + j, capacity);
      p[static_cast<std::size_t>(from)][static_cast<std::size_t>(to)] += a[static_cast<std::size_t>(j)];
    }
  // Rows reach at most `served` below, so a state is entered from, and left to, a band only.
  const auto up = static_cast<std::int64_t>(a.size());
  for (std::int64_t state = capacity; state > first; --state) {
    const auto s = static_cast<std::size_t>(state);
    const std::int64_t bottom = std::max(first, state - served);
    Float100 leave = 0;
    for (std::int64_t to = bottom; to < state; ++to) leave += p[s][static_cast<std::size_t>(to)];
    for (std::int64_t from = std::max(first, state - up - served); from < state; ++from) {
      auto& row = p[static_cast<std::size_t>(from)];
      row[s] /= leave;
      if (row[s] == 0) continue;
      for (std::int64_t to = bottom; to < state; ++to)
        row[static_cast<std::size_t>(to)] += row[s] * p[s][static_cast<std::size_t>(to)];
    }
  }
  std::vector<Float100> weight(size, Float100(0));
  weight[static_cast<std::size_t>(first)] = 1;
  for (std::int64_t state = first + 1; state <= capacity; ++state)
    for (std::int64_t from = std::max(first, state - up - served); from < state; ++from)
      weight[static_cast<std::size_t>(state)] +=
          weight[static_cast<std::size_t>(from)] *
          p[static_cast<std::size_t>(from)][static_cast<std::size_t>(state)];
  std::vector<Float100> tails(size, Float100(0));
  for (std::size_t n = size - 1; n-- > 0;) tails[n] = tails[n + 1] + weight[n + 1];
  const Float100 total = tails[0] + weight[0];
  for (Float100& tail : tails) tail /= total;
  tails.pop_back();
  return tails;
}

}  // namespace tailbound::test
