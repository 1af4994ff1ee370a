#include <tailbound/bounds/path/computed_delay.hpp>

#include <catch2/catch.hpp>

#include <cmath>
#include <vector>

using namespace tailbound;
using Series = std::vector<double>;

namespace {

Series geometric(double share, std::size_t size) {
  Series law;
  for (std::size_t n = 0; n < size; ++n) law.push_back((1 - share) * std::pow(share, static_cast<double>(n)));
  return law;
}

Series sum_of(const Series& a, const Series& b) {
  Series sum(a.size(), 0);
  for (std::size_t t = 0; t < sum.size(); ++t)
    for (std::size_t n = 0; n <= t; ++n) sum[t] += a[n] * b[t - n];
  return sum;
}

std::string broken(const Series& mass, const std::vector<Series>& waits) {
  const bounds::RouteLaw law = bounds::route_law(mass, waits, 1, static_cast<std::int64_t>(waits.size()));
  if (law.broken.empty())
    CHECK_NOTHROW(bounds::require_consistent(law));
  else
    CHECK_THROWS_AS(bounds::require_consistent(law), bounds::Contradiction);
  return law.broken;
}

}  // namespace

TEST_CASE("Computed delay: sums of waits, independent or equal, satisfy the invariants") {
  const Series a = geometric(0.4, 60), b = geometric(0.5, 60);
  CHECK(broken(sum_of(a, b), {a, b}).empty());
  Series twice(60, 0);
  for (std::size_t n = 0; n < 30; ++n) twice[2 * n] = a[n];
  CHECK(broken(twice, {a, a}).empty());
}

TEST_CASE("Computed delay: probabilities that do not sum to 1 or are negative violate I1") {
  Series mass = geometric(0.4, 60);
  mass[3] += 0.01;
  CHECK(broken(mass, {}).find("sum to 1.01") != std::string::npos);
  mass = geometric(0.4, 60);
  mass[1] += mass[2] + 0.01;
  mass[2] = -0.01;
  CHECK(broken(mass, {}).find("a probability of -0.01") != std::string::npos);
  // A wait whose distribution lost its negative part.
  Series wait = geometric(0.4, 60);
  wait[0] += 0.258;
  CHECK(broken(geometric(0.4, 60), {wait}).find("of a wait that sum to 1.258") != std::string::npos);
}

TEST_CASE("Computed delay: impossible means or tails violate I2") {
  const Series a = geometric(0.4, 60), b = geometric(0.5, 60);
  CHECK(broken(sum_of(a, a), {a, b}).find("a mean of") != std::string::npos);
  // The mean of a + b, concentrated far out: P(D > 0) is less than P(W > 0) of either wait.
  Series far(60, 0);
  const double mean = 0.4 / 0.6 + 1;
  far[20] = mean / 20;
  far[0] = 1 - far[20];
  CHECK(broken(far, {a, b}).find("outside the bound from the waits") != std::string::npos);
  // Almost no delay above 4 slots, though a single wait exceeds that: the other bound.
  Series near(60, 0);
  near[1] = 1 - (mean - 1);
  near[2] = mean - 1;
  CHECK(broken(near, {a, b}).find("outside the bound from the waits") != std::string::npos);
}

TEST_CASE("Computed delay: tails are extrapolated only if the decay is steady") {
  const Series law = geometric(0.5, 12);
  CHECK(bounds::tails_of(law).back() == Approx(std::pow(0.5, 12)).epsilon(1e-9));
  Series noise = law;
  noise[10] = 1.5e-7;
  noise[11] = noise[10] * (1 - 1.7e-6);
  CHECK(bounds::tails_of(noise).back() == 0);
}

TEST_CASE("Computed delay: smaller probabilities are extrapolated at the last decay rate") {
  bounds::RouteLaw law = bounds::route_law(geometric(0.5, 40), {geometric(0.5, 40)}, 1, 1);
  bounds::continue_below(law, 1e-6);
  CHECK(law.tails.size() < 25);
  CHECK(law.above(30) == Approx(std::pow(0.5, 31)).epsilon(1e-6));
  CHECK(law.error(30) >= 0.1);
  CHECK(law.error(3) < 1e-3);
}
