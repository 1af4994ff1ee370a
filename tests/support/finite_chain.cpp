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
  return banded_chain_tails(a, capacity, served);
}

}  // namespace tailbound::test
