#include <tailbound/core/error.hpp>
#include <tailbound/queue/delay/deterministic_queue.hpp>

#include <boost/multiprecision/cpp_dec_float.hpp>

#include <catch2/catch.hpp>
#include <cmath>
#include <random>
#include <vector>

namespace tailbound::queue {
namespace {

using Wide = boost::multiprecision::cpp_dec_float_100;

/// The chain just after departures, solved as dense linear equations with 100 digits: pi (P - 1) = 0, sum 1.
std::vector<Wide> by_linear_algebra(double load, int capacity) {
  const auto size = static_cast<std::size_t>(capacity);
  const Wide rho = load;
  std::vector<Wide> arrivals{exp(-rho)};
  for (std::size_t j = 1; j <= size; ++j) arrivals.push_back(arrivals.back() * rho / j);
  // Rows: equations; the last is sum pi = 1.
  std::vector<std::vector<Wide>> a(size, std::vector<Wide>(size + 1));
  for (std::size_t i = 0; i < size; ++i) {
    const std::size_t left = i == 0 ? 0 : i - 1;
    Wide rest = 1;
    for (std::size_t j = left; j + 1 < size; ++j) {
      a[j][i] += arrivals[j - left];
      rest -= arrivals[j - left];
    }
    a[size - 1][i] += rest;
    a[i][i] -= 1;
  }
  for (std::size_t i = 0; i <= size; ++i) a[size - 1][i] = 1;
  for (std::size_t column = 0; column < size; ++column) {
    std::size_t pivot = column;
    for (std::size_t row = column; row < size; ++row)
      if (abs(a[row][column]) > abs(a[pivot][column])) pivot = row;
    std::swap(a[pivot], a[column]);
    for (std::size_t row = 0; row < size; ++row) {
      if (row == column) continue;
      const Wide factor = a[row][column] / a[column][column];
      for (std::size_t i = column; i <= size; ++i) a[row][i] -= factor * a[column][i];
    }
  }
  std::vector<Wide> p;
  const Wide cycle = a[0][size] / a[0][0] + rho;
  for (std::size_t i = 0; i < size; ++i) p.push_back(a[i][size] / a[i][i] / cycle);
  p.push_back(1 - 1 / cycle);
  return p;
}

/// The same by the balance of each state, column after column of pi P = pi, which subtracts: with 400 digits,
/// some 250 of which the subtractions lose here.
std::vector<Wide> by_balance(double load, int capacity) {
  using Wider = boost::multiprecision::number<boost::multiprecision::cpp_dec_float<400>>;
  const auto size = static_cast<std::size_t>(capacity);
  const Wider rho = load;
  std::vector<Wider> arrivals{exp(-rho)}, pi{1};
  for (std::size_t j = 1; j <= size; ++j) arrivals.push_back(arrivals.back() * rho / j);
  Wider total = 1;
  for (std::size_t j = 0; j + 1 < size; ++j) {
    Wider rest = pi[j];
    for (std::size_t i = 0; i <= j; ++i) rest -= pi[i] * arrivals[j - (i == 0 ? 0 : i - 1)];
    pi.push_back(rest / arrivals[0]);
    total += pi.back();
  }
  const Wider cycle = pi[0] / total + rho;
  std::vector<Wide> p;
  for (const Wider& probability : pi) p.emplace_back(probability / total / cycle);
  p.emplace_back(1 - 1 / cycle);
  return p;
}

TEST_CASE("M/D/1/L: known values for capacity 5 and load 1/2") {
  const DeterministicOccupancy queue = deterministic_queue(0.5, 5);
  CHECK(queue.accepted == Approx(0.49891).margin(5e-6));
  CHECK(queue.time() == Approx(1.48127).margin(5e-6));
}

TEST_CASE("M/D/1/L: 500 random queues agree with linear algebra in at least 100 digits") {
  std::mt19937 random(7);
  double worst = 0;
  for (int i = 0; i < 500; ++i) {
    const int capacity = std::uniform_int_distribution<int>(1, 60)(random);
    const double load = std::exp(std::uniform_real_distribution<double>(std::log(0.01), std::log(4))(random));
    const DeterministicOccupancy queue = deterministic_queue(load, capacity);
    const std::vector<Wide> wanted = by_balance(load, capacity);
    REQUIRE(queue.probability.size() == wanted.size());
    if (capacity <= 14) {
      const std::vector<Wide> again = by_linear_algebra(load, capacity);
      for (std::size_t k = 0; k < wanted.size(); ++k) REQUIRE(abs(again[k] / wanted[k] - 1) < 1e-40);
    }
    for (std::size_t k = 0; k < wanted.size(); ++k)
      worst = std::max(worst, std::abs(static_cast<double>(queue.probability[k] / wanted[k] - 1)));
  }
  CHECK(worst < 1e-13);
}

TEST_CASE("M/D/1/L: sums, accepted rate, and the infinite buffer M/D/1") {
  for (const double load : {0.05, 0.5, 0.9, 1.0, 1.7, 30.0, 500.0})
    for (const std::int64_t capacity : {1, 2, 5, 40, 1000}) {
      CAPTURE(load, capacity);
      const DeterministicOccupancy queue = deterministic_queue(load, capacity);
      double sum = 0;
      for (const double p : queue.probability) sum += p;
      CHECK(sum == Approx(1).epsilon(1e-12));
      CHECK(queue.accepted == Approx(1 - queue.probability[0]).epsilon(1e-12));
      CHECK(queue.accepted == Approx(load * (1 - queue.lost)).epsilon(1e-10));
    }
  for (const double load : {0.1, 0.5, 0.8}) {
    const DeterministicOccupancy queue = deterministic_queue(load, 600);
    CHECK(queue.mean == Approx(load + load * load / (2 * (1 - load))).epsilon(1e-12));  // Pollaczek-Khinchine
    CHECK(queue.probability[0] == Approx(1 - load).epsilon(1e-13));
  }
  CHECK_THROWS_AS(deterministic_queue(0, 5), InvalidArgument);
  CHECK_THROWS_AS(deterministic_queue(601, 5), InvalidArgument);
  CHECK_THROWS_AS(deterministic_queue(0.5, 0), InvalidArgument);
}

double binomial(int n, int k) {
  double value = 1;
  for (int i = 1; i <= k; ++i) value = value * (n - k + i) / i;
  return value;
}

/// Eqs. (1) to (3) of the paper as printed.
double by_double_sums(double cold, double hot, int degree, int l) {
  std::vector<double> p(static_cast<std::size_t>(degree) + 1);
  double norm = p[0] = cold / (cold + hot);
  for (int m = 1; m <= degree; ++m) norm += p[static_cast<std::size_t>(m)] = std::pow(hot / (cold + hot), m);
  for (double& value : p) value /= norm;
  double below = 0;
  for (int m = 1; m < degree; ++m) below += p[static_cast<std::size_t>(m)];
  const double full = p.back();
  double closed = 0, open = 0;
  for (int t = 0; t <= l - 1; ++t)
    closed += binomial(l - 1, t) * std::pow(p[0], t) * std::pow(full, l - 1 - t);
  for (int u = 1; u <= l - 1; ++u)
    for (int v = 0; v <= u - 1; ++v)
      open += std::pow(p[0], l - 1 - u) * below * binomial(u - 1, v) * std::pow(p[0], v) *
              std::pow(full, u - 1 - v);
  return open / (closed + open);
}

TEST_CASE("combining: closed forms equal the published double sums, 1000 random cases") {
  std::mt19937 random(11);
  std::uniform_real_distribution<double> rate(0.01, 1);
  double worst = 0;
  for (int i = 0; i < 1000; ++i) {
    const double cold = rate(random), hot = rate(random);
    const int degree = std::uniform_int_distribution<int>(1, 9)(random);
    const int l = std::uniform_int_distribution<int>(2, 14)(random);
    const double z = CombiningMix(cold, hot, degree).combining(l)[static_cast<std::size_t>(l)];
    const double wanted = by_double_sums(cold, hot, degree, l);
    worst = std::max(worst, std::abs(z - wanted) / std::max(wanted, 1e-3));
    if (degree == 1) CHECK(z == 0);
  }
  CHECK(worst < 1e-12);
}

TEST_CASE("combining: unlimited is the limit of large degrees; hot requests alone always combine") {
  for (const double hot : {0.01, 0.3, 0.9}) {
    const std::vector<double> unlimited = CombiningMix(1 - hot, hot, std::nullopt).combining(9);
    const std::vector<double> large = CombiningMix(1 - hot, hot, 1000).combining(9);
    for (std::size_t l = 0; l < unlimited.size(); ++l) CHECK(unlimited[l] == Approx(large[l]).epsilon(1e-12));
    CHECK(unlimited[0] == 0);
    CHECK(unlimited[1] == 0);
  }
  const std::vector<double> all_hot = CombiningMix(0, 1, std::nullopt).combining(4);
  CHECK(all_hot[1] == 0);
  CHECK(all_hot[2] == 1);
  CHECK(CombiningMix(0, 1, 4).open() == Approx(0.75));
}

}  // namespace
}  // namespace tailbound::queue
