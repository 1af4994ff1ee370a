#include <tailbound/bounds/curves/curves.hpp>
#include <tailbound/numeric/rational.hpp>

#include <algorithm>
#include <catch2/catch.hpp>
#include <random>
#include <tests/support/rational.hpp>
#include <vector>

using namespace tailbound;
using bounds::ArrivalCurve;
using bounds::ServiceCurve;
using numeric::Rational;
using tailbound::test::ratio;
using tailbound::test::rational;

namespace {

/// Samples at multiples of 1/8 up to `end`.
constexpr long steps = 8, end = 48;

ArrivalCurve random_arrivals(std::mt19937& random) {
  std::vector<ArrivalCurve::Line> lines;
  const auto draw = [&](long maximum) {
    return static_cast<long>(random() % static_cast<unsigned long>(maximum));
  };
  for (long i = draw(4); i >= 0; --i) lines.push_back({ratio(1 + draw(8), 4), ratio(1 + draw(40), 3)});
  return ArrivalCurve(std::move(lines));
}

ServiceCurve random_service(std::mt19937& random) {
  const auto draw = [&](long maximum) {
    return static_cast<long>(random() % static_cast<unsigned long>(maximum));
  };
  ServiceCurve service(ratio(draw(12), 4), ratio(5 + draw(4), 2));
  for (long i = draw(3); i > 0; --i) service = in_series(service, ServiceCurve(0, ratio(5 + draw(20), 2)));
  return service;
}
/// Increasing slopes: residual service after arrivals with several lines.
ServiceCurve random_residual(std::mt19937& random) {
  while (true)
    if (const auto left = blind_residual(random_service(random), random_arrivals(random), 1)) return *left;
}

/// Maximum of `value` over the samples of the first `last` time units.
template <class Value>
Rational largest(const Value& value, long last = end) {
  Rational maximum = value(Rational(0));
  for (long i = 1; i <= last * steps; ++i) maximum = std::max(maximum, Rational(value(ratio(i, steps))));
  return maximum;
}

}  // namespace

TEST_CASE("curves are minima of lines, and add and subtract line by line") {
  std::mt19937 random(48);
  for (int i = 0; i < 60; ++i) {
    const ArrivalCurve one = random_arrivals(random), two = random_arrivals(random);
    ArrivalCurve sum = one;
    sum += two;
    const ArrivalCurve lower = minimum(one, two), later = one.later(ratio(7, 3));
    CHECK(sum.without(two) == one);
    CHECK(sum.without(sum).is_nothing());
    for (long k = 0; k <= 10 * steps; ++k) {
      const Rational t = ratio(k, steps);
      CHECK(sum(t) == one(t) + two(t));
      CHECK(lower(t) == std::min(one(t), two(t)));
      CHECK(later(t) == one(t + ratio(7, 3)));
      CHECK(one.rounded_up(2)(t) >= one(t));
      CHECK(one.rounded_up(2)(t) < one(t) + 1);
    }
  }
  CHECK(ArrivalCurve{}(3) == 0);
}

TEST_CASE("backlog, delay and outputs are suprema, residual service an infimum") {
  std::mt19937 random(49);
  const Rational slack = ratio(40, steps);
  for (int i = 0; i < 60; ++i) {
    const ArrivalCurve arrivals = random_arrivals(random), others = random_arrivals(random);
    const ServiceCurve service = random_residual(random);
    const auto backlog = vertical_distance(arrivals, service);
    const auto delay = horizontal_distance(arrivals, service, 1);
    const auto output = departures(arrivals, service);
    CHECK(backlog.has_value() == (arrivals.rate() <= service.rate()));
    if (!backlog) continue;
    const Rational seen = largest([&](const Rational& t) -> Rational { return arrivals(t) - service(t); });
    CHECK(seen <= *backlog);
    CHECK(*backlog <= seen + slack);
    CHECK(output->burst() == *backlog);
    const Rational latest =
        largest([&](const Rational& t) -> Rational { return service.inverse(arrivals(t) - 1) - t; });
    CHECK(latest <= *delay);
    CHECK(*delay <= latest + slack);
    for (long k = 0; k <= 10 * steps; k += 5) {
      const Rational t = ratio(k, steps);
      const Rational maximum =
          largest([&](const Rational& u) -> Rational { return arrivals(t + u) - service(u); });
      CHECK(maximum <= (*output)(t));
      CHECK((*output)(t) <= maximum + slack);
    }
    const auto left = fifo_residual(service, others);
    CHECK(left.has_value() == (others.rate() < service.rate()));
    if (!left) continue;
    const Rational theta = *horizontal_distance(others, service);
    for (long k = 0; k <= 10 * steps; k += 3) {
      const Rational v = ratio(k, steps);
      // The minimum over later times, with its sign.
      const Rational lowest =
          -largest([&](const Rational& w) -> Rational { return others(v + w) - service(theta + v + w); });
      CHECK((*left)(theta + v) <= lowest);
      CHECK((*left)(theta + v) >= lowest - slack);
    }
    const auto blind = blind_residual(service, others, 2);
    for (long k = 0; k <= 10 * steps; k += 3) {
      const Rational t = ratio(k, steps);
      CHECK((*blind)(t) == std::max(Rational(service(t) - others(t) - 2), Rational(0)));
    }
  }
}

TEST_CASE("servers in series use their smallest slopes first") {
  std::mt19937 random(50);
  for (int i = 0; i < 40; ++i) {
    const ServiceCurve one = random_residual(random), two = random_residual(random);
    const ServiceCurve both = in_series(one, two);
    for (long k = 0; k <= 8 * steps; k += 3) {
      const Rational t = ratio(k, steps);
      Rational lowest = one(t);
      for (long j = 0; j <= k; ++j)
        lowest = std::min(lowest, Rational(one(ratio(j, steps)) + two(t - ratio(j, steps))));
      CHECK(both(t) <= lowest);
      CHECK(both(t) >= lowest - ratio(40, steps));
    }
  }
}

TEST_CASE("curves of published examples, in microseconds and bytes") {
  // 4 Mbit/s after 10 us; links of 100 Mbit/s; 10 bytes at 10 kbit/s.
  const Rational rate = ratio(1, 800);
  const ServiceCurve service(10, ratio(1, 2));
  const ArrivalCurve flow({{rate, 10}});
  ArrivalCurve two = flow;
  two += flow;
  const Rational first = *horizontal_distance(two, service);
  CHECK(first == 50);
  const ArrivalCurve behind = minimum(flow.later(first), ArrivalCurve({{ratio(25, 2), 0}}));
  CHECK(numeric::nearest_double(*horizontal_distance(behind, service)) == Approx(29.322).margin(5e-4));
  ArrivalCurve joined = behind;
  joined += flow;
  CHECK(numeric::nearest_double(*horizontal_distance(joined, service)) == Approx(49.324).margin(5e-4));
  const auto left = fifo_residual(service, flow);
  CHECK(numeric::nearest_double(*horizontal_distance(flow, in_series(*left, service))) ==
        Approx(60.0501).margin(5e-5));
  CHECK(numeric::nearest_double(*horizontal_distance(flow, in_series(*left, *left))) ==
        Approx(80.0501).margin(5e-5));
  // No order known: [10 (t - 10) - 5 t - 25]^+.
  const ArrivalCurve bucket({{5, 25}});
  CHECK(numeric::to_fraction(*horizontal_distance(bucket, *blind_residual(ServiceCurve(10, 10), bucket))) ==
        "30");
  const ArrivalCurve small({{4, 10}});
  CHECK(numeric::to_fraction(*horizontal_distance(small, *blind_residual(ServiceCurve(10, 10), bucket))) ==
        "27");
  CHECK(numeric::to_fraction(*horizontal_distance(bucket, *blind_residual(ServiceCurve(10, 10), small))) ==
        "45/2");
  CHECK(numeric::to_fraction(*vertical_distance(bucket, *blind_residual(ServiceCurve(10, 10), small))) ==
        "350/3");
  // Two servers, the other flow at both and after the first one: results stay fractions.
  const ServiceCurve server(20, 20);
  const ServiceCurve unordered = *blind_residual(server, bucket);
  CHECK(numeric::to_fraction(*horizontal_distance(bucket, in_series(unordered, server))) == "50");
  const ArrivalCurve passed = *departures(bucket, server);
  CHECK(numeric::to_fraction(*horizontal_distance(bucket, *blind_residual(server, passed))) == "110/3");
}
