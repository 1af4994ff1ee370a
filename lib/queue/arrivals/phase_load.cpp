#include <tailbound/numeric/rational.hpp>
#include <tailbound/queue/arrivals/phase_load.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>
#include <utility>

namespace tailbound::queue {
namespace {

using numeric::Integer;
using numeric::Rational;

constexpr int digit_bits = 30;  ///< bits of the prime: sums of two products of digits fit into 64 bits

/// One linear system of integers, row by row.
struct System {
  std::size_t size = 0;
  std::vector<Integer> matrix, right;

  [[nodiscard]] const Integer& at(std::size_t i, std::size_t j) const { return matrix[i * size + j]; }
};

/// The inverse modulo a prime; nothing if there is none.
std::optional<std::vector<std::uint64_t>> inverse(const System& system, std::uint64_t prime) {
  const std::size_t n = system.size;
  std::vector<std::uint64_t> left(n * n), right(n * n, 0);
  for (std::size_t k = 0; k < n * n; ++k) left[k] = mpz_fdiv_ui(system.matrix[k].backend().data(), prime);
  for (std::size_t i = 0; i < n; ++i) right[i * n + i] = 1;
  const auto scale_row = [&](std::vector<std::uint64_t>& rows, std::size_t i, std::uint64_t factor) {
    for (std::size_t k = 0; k < n; ++k) rows[i * n + k] = rows[i * n + k] * factor % prime;
  };
  const auto subtract_row = [&](std::vector<std::uint64_t>& rows, std::size_t to, std::size_t from,
                                std::uint64_t times) {
    const std::uint64_t factor = prime - times;
    for (std::size_t k = 0; k < n; ++k)
      rows[to * n + k] = (rows[to * n + k] + factor * rows[from * n + k]) % prime;
  };
  const auto inverted = [&](std::uint64_t value) {  // value^(prime - 2)
    std::uint64_t result = 1;
    for (std::uint64_t exponent = prime - 2; exponent > 0; exponent >>= 1U, value = value * value % prime)
      if ((exponent & 1U) != 0) result = result * value % prime;
    return result;
  };
  for (std::size_t column = 0; column < n; ++column) {
    std::size_t pivot = column;
    while (pivot < n && left[pivot * n + column] == 0) ++pivot;
    if (pivot == n) return std::nullopt;
    for (std::size_t k = 0; k < n && pivot != column; ++k) {
      std::swap(left[pivot * n + k], left[column * n + k]);
      std::swap(right[pivot * n + k], right[column * n + k]);
    }
    const std::uint64_t factor = inverted(left[column * n + column]);
    scale_row(left, column, factor);
    scale_row(right, column, factor);
    for (std::size_t i = 0; i < n; ++i) {
      const std::uint64_t times = left[i * n + column];
      if (i == column || times == 0) continue;
      subtract_row(left, i, column, times);
      subtract_row(right, i, column, times);
    }
  }
  return right;
}

/// An upper bound of the binary logarithm of the Euclidean length.
double log2_length(const std::vector<const Integer*>& entries) {
  std::size_t bits = 0;
  for (const Integer* entry : entries) bits = std::max(bits, mpz_sizeinbase(entry->backend().data(), 2));
  return static_cast<double>(bits) + std::log2(static_cast<double>(entries.size())) / 2 + 1e-9;
}

/// Upper bounds of the binary logarithms of the determinants of the matrix, and of the matrix with the right
/// side as column 0 (Hadamard).
std::pair<double, double> determinant_bits(const System& system) {
  const auto column = [&](std::size_t j) {
    std::vector<const Integer*> entries;
    for (std::size_t i = 0; i < system.size; ++i) entries.push_back(&system.at(i, j));
    return entries;
  };
  double others = 1;
  for (std::size_t j = 1; j < system.size; ++j) others += log2_length(column(j));
  std::vector<const Integer*> right;
  for (const Integer& entry : system.right) right.push_back(&entry);
  return {others + log2_length(column(0)), others + log2_length(right)};
}

/// The unique fraction congruent to `value` modulo `modulus` whose numerator has at most the given number of
/// bits.
std::pair<Integer, Integer> fraction_of(const Integer& value, const Integer& modulus, double bits) {
  Integer maximum = 1;
  maximum <<= static_cast<unsigned>(std::ceil(bits));
  Integer before = modulus, now = value, times_before = 0, times = 1;
  while (now > maximum) {
    const Integer quotient = numeric::floor(before, now);
    before -= quotient * now;
    times_before -= quotient * times;
    std::swap(before, now);
    std::swap(times_before, times);
  }
  return times < 0 ? std::pair<Integer, Integer>{-now, -times} : std::pair<Integer, Integer>{now, times};
}

/// Entry 0 of the solution.
std::pair<Integer, Integer> first_unknown(System system) {
  Integer prime = Integer(1) << (digit_bits - 1);
  std::optional<std::vector<std::uint64_t>> modular;
  while (!modular) {
    mpz_nextprime(prime.backend().data(), prime.backend().data());
    modular = inverse(system, static_cast<std::uint64_t>(prime));
  }
  const auto p = static_cast<std::uint64_t>(prime);
  const auto [below, above] = determinant_bits(system);
  const auto digits = static_cast<std::size_t>(std::ceil((below + above + 2) / (digit_bits - 1)));
  const std::size_t n = system.size;
  std::vector<std::uint64_t> found(digits), residue(n), digit(n);
  for (std::uint64_t& each : found) {
    for (std::size_t i = 0; i < n; ++i) residue[i] = mpz_fdiv_ui(system.right[i].backend().data(), p);
    for (std::size_t i = 0; i < n; ++i) {
      std::uint64_t sum = 0;
      for (std::size_t j = 0; j < n; ++j) sum = (sum + (*modular)[i * n + j] * residue[j]) % p;
      digit[i] = sum;
    }
    each = digit.front();
    for (std::size_t i = 0; i < n; ++i) {
      mpz_ptr rest = system.right[i].backend().data();
      for (std::size_t j = 0; j < n; ++j)
        if (digit[j] != 0 && !system.at(i, j).is_zero())
          mpz_submul_ui(rest, system.at(i, j).backend().data(), digit[j]);
      mpz_divexact_ui(rest, rest, p);
    }
  }
  Integer value = 0, modulus = 1;
  for (std::size_t k = digits; k-- > 0;) {
    value = value * prime + found[k];
    modulus *= prime;
  }
  return fraction_of(value, modulus, above);
}

}  // namespace

double phase_load_products(std::size_t phases, std::size_t bits) {
  const auto n = static_cast<double>(phases), word = 64.0;
  const double digits = 2 * n * (static_cast<double>(bits) + std::log2(n + 1) / 2) / (digit_bits - 1);
  return digits * n * n * std::ceil(static_cast<double>(bits) / word + 1) + n * n * n;
}

Rational phase_load(const std::vector<std::vector<Rational>>& p, const std::vector<Rational>& mean,
                    const Integer& denominator) {
  const auto integer = [&](const Rational& value) { return numeric::numerator(value * denominator); };
  System system{.size = p.size(), .matrix = {}, .right = {}};
  for (std::size_t i = 0; i < p.size(); ++i) {
    system.matrix.emplace_back(1);  // the unknown: denominator * rho
    for (std::size_t j = 1; j < p.size(); ++j) system.matrix.push_back(integer((i == j ? 1 : 0) - p[i][j]));
    system.right.push_back(integer(mean[i]));
  }
  const auto [above, below] = first_unknown(std::move(system));
  return Rational(above, below * denominator);
}

}  // namespace tailbound::queue
