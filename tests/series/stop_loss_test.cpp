#include <tailbound/series/stop_loss.hpp>

#include <algorithm>
#include <catch2/catch.hpp>
#include <random>
#include <string>

// Sums of independent whole numbers against exact rationals, in random cases.

using namespace tailbound;
using numeric::Rational;
using series::StopLoss;

namespace {

struct ExactLaw {
  std::vector<Rational> mass;  // all of it

  [[nodiscard]] Rational mean() const { return excess(0); }
  [[nodiscard]] Rational tail(std::size_t n) const {
    Rational sum = 0;
    for (std::size_t j = n + 1; j < mass.size(); ++j) sum = sum + mass[j];
    return sum;
  }
  [[nodiscard]] Rational excess(std::size_t n) const {
    Rational sum = 0;
    for (std::size_t j = n + 1; j < mass.size(); ++j)
      sum = sum + Rational(static_cast<long>(j - n)) * mass[j];
    return sum;
  }
};

ExactLaw sum(const ExactLaw& x, const ExactLaw& y) {
  ExactLaw z{std::vector<Rational>(x.mass.size() + y.mass.size() - 1, 0)};
  for (std::size_t i = 0; i < x.mass.size(); ++i)
    for (std::size_t j = 0; j < y.mass.size(); ++j) z.mass[i + j] = z.mass[i + j] + x.mass[i] * y.mass[j];
  return z;
}

StopLoss rounded(const ExactLaw& law, std::size_t size) {
  StopLoss result;
  for (std::size_t n = 0; n < size; ++n) {
    result.mass.push_back(numeric::nearest_long_double(n < law.mass.size() ? law.mass[n] : Rational(0)));
    result.tail.push_back(numeric::nearest_long_double(law.tail(n)));
    result.excess.push_back(numeric::nearest_long_double(law.excess(n)));
  }
  result.mean = numeric::nearest_long_double(law.mean());
  result.units = 1.01;
  return result;
}

/// Whether `truth` is at most the rounded value, and close to it.
bool tight(long double value, double units, const Rational& truth) {
  const Rational upper = numeric::to_rational(series::rounded_up(value, units));
  const Rational slack = Rational(1) + Rational(1) / 1'000'000'000'000'000;
  return truth <= upper && (truth == 0 || upper <= truth * slack);
}

std::string fault(const StopLoss& computed, const ExactLaw& truth) {
  for (std::size_t n = 0; n < computed.size(); ++n) {
    const Rational mass = n < truth.mass.size() ? truth.mass[n] : Rational(0);
    if (!tight(computed.mass[n], computed.units, mass)) return "mass at " + std::to_string(n);
    if (!tight(computed.tail[n], computed.units, truth.tail(n))) return "tail at " + std::to_string(n);
    if (!tight(computed.excess[n], computed.units, truth.excess(n))) return "excess at " + std::to_string(n);
  }
  return tight(computed.mean, computed.units, truth.mean()) ? "" : "mean";
}

ExactLaw random_law(std::mt19937_64& random) {
  const std::size_t places = 1 + random() % 5;
  std::vector<long> weights;
  long total = 0;
  for (std::size_t n = 0; n < places; ++n) {
    // Occasionally an entry without mass, and masses of very different sizes.
    const long weight = random() % 5 == 0 ? 0 : 1L << (random() % 40);
    weights.push_back(weight);
    total += weight;
  }
  if (total == 0) weights[0] = total = 1;
  ExactLaw law;
  for (const long weight : weights) law.mass.push_back(Rational(weight) / Rational(total));
  return law;
}

}  // namespace

TEST_CASE("sums keep mass, tail and expected excess, in 2 000 random cases", "[series]") {
  std::mt19937_64 random(20'260'711);
  for (int i = 0; i < 2'000; ++i) {
    const ExactLaw x = random_law(random), y = random_law(random);
    const std::size_t size = 1 + random() % 12;
    INFO("case " << i << ", " << size << " places");
    REQUIRE(fault(series::sum(rounded(x, size), rounded(y, size)), sum(x, y)).empty());
  }
}

TEST_CASE("sums of identical numbers equal repeated sums", "[series]") {
  std::mt19937_64 random(7);
  for (std::int64_t count = 0; count <= 9; ++count) {
    const ExactLaw x = random_law(random);
    ExactLaw truth{{1}};
    for (std::int64_t i = 0; i < count; ++i) truth = sum(truth, x);
    INFO(count);
    CHECK(fault(series::sum_of_identical(rounded(x, 14), count), truth).empty());
  }
}

TEST_CASE("successes of unequal trials, truncated or not", "[series]") {
  std::mt19937_64 random(8);
  for (int i = 0; i < 200; ++i) {
    std::vector<Rational> rates;
    ExactLaw truth{{1}};
    for (std::size_t j = random() % 6; j > 0; --j) {
      rates.push_back(Rational(static_cast<long>(random() % 8)) / 7);
      truth = sum(truth, ExactLaw{{1 - rates.back(), rates.back()}});
    }
    for (const std::size_t size : {1UL, 3UL, 9UL}) {
      INFO("case " << i << ", " << size << " places");
      CHECK(fault(series::successes(rates, size), truth).empty());
    }
  }
}

TEST_CASE("a spread number keeps its mean, and its excess at multiples of the block", "[series]") {
  std::mt19937_64 random(9);
  for (int i = 0; i < 300; ++i) {
    const ExactLaw x = random_law(random);
    for (const std::size_t block : {1UL, 2UL, 3UL, 5UL}) {
      ExactLaw truth{std::vector<Rational>((x.mass.size() + block - 1) / block + 1, Rational(0))};
      for (std::size_t n = 0; n < x.mass.size(); ++n) {
        const Rational above = Rational(static_cast<long>(n % block)) / Rational(static_cast<long>(block));
        truth.mass[n / block] = truth.mass[n / block] + x.mass[n] * (1 - above);
        truth.mass[n / block + 1] = truth.mass[n / block + 1] + x.mass[n] * above;
      }
      INFO("case " << i << ", blocks of " << block);
      CHECK(fault(series::spread(rounded(x, 4 * block), block), truth).empty());
    }
  }
}
