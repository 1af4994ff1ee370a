#include <tailbound/bounds/path/delay_bound.hpp>
#include <tailbound/core/error.hpp>
#include <tailbound/queue/hops/queue_pair.hpp>

#include <catch2/catch.hpp>
#include <tests/support/rational.hpp>

#include <cmath>
#include <limits>

using namespace tailbound;
using numeric::Rational;
using tailbound::test::rational;

namespace {

double value(const numeric::Claim<unit::Probability>& claim) {
  return static_cast<double>(std::get<numeric::UpperBound<unit::Probability>>(claim).value);
}

const bounds::DelayQuery rare{{},
                              {rational("0.999999"), rational("0.999999999"), rational("0.999999999999")}};

/// (8) directly: the minimum over many z, in double.
double plain_bound(double k, int hops, int levels, double rho, int t) {
  double minimum = 1;
  for (double x = 1e-3; x < 3; x *= 1.004) {
    const double z = 1 + x, a = std::pow(1 + rho / k * x, k);
    if (z - a <= 0) break;
    double product = ((1 - rho) * x * a / (z - a) - (1 - rho)) / (rho * z);
    for (int h = 2; h <= hops; ++h) {
      const double m = std::pow(k, std::min(h, levels));
      const double others = std::pow(1 + rho / m * x, m * (k - 1) / k), busy = (1 + x / k) * others;
      const double load = 1 / k + (1 - 1 / k) * rho;
      if (z - busy <= 0) return minimum;
      product *= (1 - load) * x / (z - busy) * (1 + others) / 2;
    }
    minimum = std::min(minimum, product * std::pow(z, -(t + 1)));
  }
  return minimum;
}

}  // namespace

TEST_CASE("delay bound: percentiles match the derivation, up to the root and through the whole tree") {
  struct Row {
    std::int64_t radix;
    const char* load;
    bool up;
    std::int64_t slots[3];
  };
  const Row rows[] = {{16, "0.6", false, {28, 38, 46}},    {16, "0.8", false, {64, 84, 104}},
                      {16, "0.9", false, {135, 177, 217}}, {4, "0.6", false, {32, 42, 53}},
                      {4, "0.8", false, {72, 95, 117}},    {4, "0.9", false, {152, 199, 245}},
                      {16, "0.8", true, {53, 72, 91}},     {4, "0.8", true, {59, 81, 102}}};
  for (const Row& row : rows) {
    auto routes = bounds::bounded_tree({row.radix, 3}, rational(row.load), network::TreeRouting::random_root);
    if (row.up) routes.front().later.resize(2);
    const bounds::BoundedDelayAnswer answer = bounds::delay_bound(routes, rare);
    for (std::size_t i = 0; i < 3; ++i) CHECK(answer.queueing[i].slots.value == row.slots[i]);
  }
}

TEST_CASE("delay bound: no z of the formula gives less") {
  const auto routes = bounds::bounded_tree({4, 2}, rational("0.7"), network::TreeRouting::random_root);
  const bounds::DelayQuery query{{Slots(5), Slots(20), Slots(60)}, {}};
  const bounds::BoundedDelayAnswer answer = bounds::delay_bound(routes, query);
  for (const bounds::ClaimedSlotProbability& above : answer.above) {
    const double plain = plain_bound(4, 3, 2, 0.7, static_cast<int>(above.slots.value));
    CHECK(value(above.probability) <= plain * (1 + 1e-9));
    CHECK(value(above.probability) == Approx(plain).epsilon(1e-3));
  }
}

TEST_CASE("delay bound: above the exact tail of a single queue") {
  const auto routes = bounds::bounded_tree({8, 1}, rational("0.8"), network::TreeRouting::random_root);
  bounds::DelayQuery query;
  for (int t = 0; t < 40; ++t) query.levels.emplace_back(t);
  const bounds::BoundedDelayAnswer answer = bounds::delay_bound(routes, query);
  const queue::LoneQueue exact = queue::lone_queue({{8, 0.1}}, 200);
  double tail = 0;
  for (std::size_t t = 199; t > 39; --t) tail += exact.wait[t];
  for (std::size_t t = 40; t-- > 0;) {
    CHECK(value(answer.above[t].probability) >= std::min(1.0, tail));
    CHECK(value(answer.above[t].probability) <= std::max(100 * tail, 1e-2));
    tail += exact.wait[t];
  }
}

TEST_CASE("delay bound: a full queue behind a busy link is rejected") {
  const std::vector<bounds::BoundedRoute> routes{
      {{{rational("0.2"), 4}}, {{{{rational("0.2"), 3}}, rational("1/2")}}, 1}};
  CHECK_THROWS_AS(bounds::delay_bound(routes, rare), Unstable);
}
