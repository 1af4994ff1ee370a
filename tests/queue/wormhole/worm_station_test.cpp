#include <catch2/catch.hpp>
#include <tailbound/core/error.hpp>
#include <tailbound/queue/wormhole/worm_station.hpp>

#include <cmath>
#include <utility>
#include <vector>

// Waits at the stations of wormhole networks: special cases, and M/M/m from its own balance equations.

namespace {

using tailbound::InvalidArgument;
using tailbound::queue::rest_of_wait;
using tailbound::queue::station_wait;
using tailbound::queue::worm_variation;

/// Mean wait of M/M/m by summing its stationary distribution, and Little's law.
double mean_wait_of_mmm(int servers, double rate, double service) {
  double weight = 1, total = 1, waiting = 0;
  for (int present = 1; present < 4000; ++present) {
    weight *= rate * service / (present < servers ? present : servers);
    total += weight;
    if (present > servers) waiting += weight * (present - servers);
  }
  return waiting / total / rate;
}

TEST_CASE("worm station: exponential times give M/M/m") {
  for (const int servers : {1, 2, 3, 8})
    for (const double busy : {0.1, 0.5, 0.9}) {
      const double service = 16, rate = busy * servers / service;
      CHECK(station_wait(servers, rate, service, 1) ==
            Approx(mean_wait_of_mmm(servers, rate, service)).epsilon(1e-11));
    }
  CHECK(station_wait(1, 0.05, 10, 1) == Approx(10.0));     // a x / (1 - a), a = 1/2
  CHECK(station_wait(2, 0.1, 10, 1) == Approx(10.0 / 3));  // a^2 x / (4 - a^2), a = 1
}

TEST_CASE("worm station: the papers' formulas for one and two servers") {
  const double length = 16;
  for (const double service : {16.0, 20.0, 40.0})
    for (const double rate : {0.001, 0.01, 0.02}) {
      const double c2 = worm_variation(service, length), load = rate * service;
      CHECK(station_wait(1, rate, service, c2) ==
            Approx(rate * service * service * (1 + c2) / (2 * (1 - load))).epsilon(1e-14));
      CHECK(station_wait(2, 2 * rate, service, c2) ==
            Approx(4 * rate * rate * service * service * service * (1 + c2) / (2 * (4 - 4 * load * load)))
                .epsilon(1e-14));
    }
  CHECK(worm_variation(16, 16) == 0);  // M/D/1
  CHECK(worm_variation(32, 16) == 0.25);
  CHECK(station_wait(1, 0, 16, 0) == 0);
}

TEST_CASE("worm station: arguments out of range are rejected") {
  CHECK_THROWS_AS(station_wait(0, 0.1, 1, 0), InvalidArgument);
  CHECK_THROWS_AS(station_wait(1, -0.1, 1, 0), InvalidArgument);
  CHECK_THROWS_AS(station_wait(1, 0.1, 0, 0), InvalidArgument);
  CHECK_THROWS_AS(station_wait(2, 0.2, 10, 0), InvalidArgument);
  CHECK_THROWS_AS(station_wait(1, 0.1, 1, -1), InvalidArgument);
  CHECK_THROWS_AS(worm_variation(15, 16), InvalidArgument);
  CHECK_THROWS_AS(worm_variation(15, 0), InvalidArgument);
}

/// Moments of max(0, Y - d) by summing over the tail of Y, with the distribution of the header.
template <class Tail>
std::pair<double, double> rest_by_tail(const Tail& tail, double d, double far) {
  double first = 0, second = 0;
  constexpr int steps = 200'000;
  const double h = far / steps;
  for (int i = 0; i < steps; ++i) {
    const double beyond = (i + 0.5) * h;
    first += tail(d + beyond) * h;
    second += 2 * beyond * tail(d + beyond) * h;
  }
  return {first, second};
}

TEST_CASE("worm station: rest of a wait after a buffer, from the wait's tail") {
  for (const double d : {0.0, 0.1, 0.5, 1.0, 3.0}) {
    // 0 with probability 3/4, otherwise exponential with mean 0.8.
    const auto rare = [](double t) { return std::exp(-t / 0.8) / 4; };
    const auto found = rest_of_wait(0.2, 0.32, d);
    const auto [first, second] = rest_by_tail(rare, d, 40);
    CHECK(found.first == Approx(first).epsilon(1e-6));
    CHECK(found.second == Approx(second).epsilon(1e-6));
    CHECK(found.probability == Approx(4 * rare(d)).epsilon(1e-12));
    // 0.6 plus an exponential part with mean 0.2.
    const auto steady = [](double t) { return t < 0.6 ? 1 : std::exp(-(t - 0.6) / 0.2); };
    const auto left = rest_of_wait(0.8, 0.68, d);
    const auto [mean, square] = rest_by_tail(steady, d, 20);
    CHECK(left.first == Approx(mean).epsilon(1e-4));
    CHECK(left.second == Approx(square).epsilon(1e-4));
    CHECK(left.probability == Approx(steady(d)).epsilon(1e-12));
  }
  CHECK(rest_of_wait(0, 0, 1).first == 0);
  CHECK(rest_of_wait(1, 1, 0.25).second == Approx(0.5625));  // constant
  CHECK(rest_of_wait(1, 1, 2).first == 0);
}

}  // namespace
