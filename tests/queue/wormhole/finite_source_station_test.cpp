#include <catch2/catch.hpp>
#include <tailbound/queue/wormhole/finite_source_station.hpp>

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

// Waits at a station with few inputs: exactly known limits, published values, and a simple simulation of
// sources that wait for servers.

namespace {

using namespace tailbound::queue;

StationService service(int servers, double rate, double variation) {
  return {.servers = servers,
          .rate = rate,
          .mean = 1,
          .second = 1 + variation,
          .behind = 1,
          .behind_second = 1 + variation};
}

StationInput input(double rate, int count) {
  return {.rate = rate,
          .count = count,
          .follow = 0,
          .channel_follow = 0,
          .variation = 0,
          .together = 1,
          .own = 1,
          .others = 1};
}

std::vector<StationWaits> solved(const StationService& service, const std::vector<StationInput>& inputs) {
  std::vector<StationMemory> memory(inputs.size());
  std::vector<StationWaits> waits;
  FiniteSourceStation station;
  for (int round = 0; round < 60; ++round) station.solve(service, inputs, memory, waits);
  return waits;
}

TEST_CASE("finite sources: no wait with as many servers as inputs") {
  for (const int servers : {1, 2, 3}) {
    const auto waits = solved(service(servers, 0.7 * servers, 0.2), {input(0.7, servers)});
    CHECK(waits[0].mean == 0);
    CHECK(waits[0].fresh_waits == 0);
    CHECK(waits[0].behind_second == 0);
  }
}

TEST_CASE("finite sources: very many random inputs give the Pollaczek-Khinchine wait") {
  for (const double busy : {0.2, 0.5, 0.8})
    for (const double variation : {0.0, 0.3, 1.0}) {
      const int many = 400;
      const auto waits = solved(service(1, busy, variation), {input(busy / many, many)});
      // The deficit is about (1 - busy)^-2 of one input's share.
      const double missing = 1.5 / many / (1 - busy) / (1 - busy);
      CHECK(waits[0].mean == Approx(busy * (1 + variation) / (2 * (1 - busy))).epsilon(missing));
      CHECK(waits[0].by_product_form == Approx(busy * (1 + variation) / (2 * (1 - busy))).epsilon(missing));
      CHECK(waits[0].fresh_waits == Approx(busy).epsilon(missing));
    }
}

TEST_CASE("finite sources: saturated inputs wait for the others in turn") {
  // K inputs, each of which has the next message ready when the previous one leaves: w = x (K / m - 1).
  for (const int inputs : {2, 4, 7})
    for (const int servers : {1, 2}) {
      if (inputs <= servers) continue;
      const StationInput each = input(servers / static_cast<double>(inputs) * (1 - 1e-9), inputs);
      const auto waits = solved(service(servers, servers * (1 - 1e-9), 0.1), {each});
      CHECK(waits[0].by_product_form == Approx(inputs / static_cast<double>(servers) - 1).epsilon(0.035));
      CHECK(waits[0].mean == Approx(inputs / static_cast<double>(servers) - 1).epsilon(0.2));
    }
}

TEST_CASE("finite sources: a nearly full station is solved from above or below") {
  const StationService two = service(2, 4 * 0.499913, 0.1);
  const std::vector<StationInput> inputs{input(0.499913, 4)};
  const double usual = solved(two, inputs)[0].by_product_form;
  for (const double start : {0.01, 1.0, 40.0, 400.0}) {
    std::vector<StationMemory> memory{{.weight = start}};
    std::vector<StationWaits> waits;
    FiniteSourceStation station;
    station.solve(two, inputs, memory, waits);
    CHECK(waits[0].by_product_form == Approx(usual).epsilon(1e-8));
    station.solve(two, inputs, memory, waits, 1e-3);
    CHECK(waits[0].by_product_form == Approx(usual).epsilon(1e-2));
  }
}

/// Sources with Poisson arrivals each, whose first message waits for one of the servers and occupies its
/// source until it is served; mean wait for the server. Occupancy times are gamma or constant.
double simulated_wait(int sources, int servers, double rate, double variation, int worms, unsigned seed) {
  std::mt19937_64 random(seed);
  const auto exponential = [&](double mean) { return std::exponential_distribution<>(1 / mean)(random); };
  std::vector<double> arrival(static_cast<std::size_t>(sources)), ready(arrival.size());
  for (std::size_t i = 0; i < arrival.size(); ++i) ready[i] = arrival[i] = exponential(1 / rate);
  std::vector<double> free(static_cast<std::size_t>(servers), 0);
  double sum = 0;
  for (int worm = 0; worm < worms; ++worm) {
    // First come, first served: the next served is the one that reached its head first.
    const std::size_t i =
        static_cast<std::size_t>(std::min_element(ready.begin(), ready.end()) - ready.begin());
    const auto server = std::min_element(free.begin(), free.end());
    const double start = std::max(*server, ready[i]);
    sum += start - ready[i];
    *server = start + (variation > 0 ? std::gamma_distribution<>(1 / variation, variation)(random) : 1);
    arrival[i] += exponential(1 / rate);
    ready[i] = std::max(arrival[i], *server);
  }
  return sum / worms;
}

/// Sources before a station, by the equations of a channel whose messages all go there.
double modelled_wait(int sources, int servers, double rate, double variation) {
  StationInput each = input(rate, sources);
  std::vector<StationMemory> memory(1);
  std::vector<StationWaits> waits;
  FiniteSourceStation station;
  const StationService held = service(servers, sources * rate, variation);
  for (int round = 0; round < 400; ++round) {
    station.solve(held, {each}, memory, waits);
    const StationWaits& w = waits[0];
    const double x0 = 1 + w.fresh, x1 = 1 + w.behind;
    const double q0 = w.fresh_second + 2 * w.fresh + 1 + variation,
                 q1 = w.behind_second + 2 * w.behind + 1 + variation;
    const double phi = std::clamp(rate * x0 / (1 - rate * (x1 - x0)), 0.0, 1.0);
    const double x = phi * x1 + (1 - phi) * x0, q = phi * q1 + (1 - phi) * q0;
    each.follow = each.channel_follow = phi;
    each.variation = std::max(0.0, q / (x * x) - 1);
  }
  return waits[0].mean;
}

TEST_CASE("finite sources: sources before outputs match recorded and simulated values") {
  CHECK(modelled_wait(2, 1, 0.25, 0) == Approx(0.19756).margin(5e-6));
  CHECK(modelled_wait(2, 1, 0.425, 0) == Approx(0.51626).margin(5e-6));
  CHECK(modelled_wait(4, 2, 0.4, 0.25) == Approx(0.30649).margin(5e-6));
  // The simulation's 95 % interval is below 1 %.
  CHECK(simulated_wait(2, 1, 0.25, 0, 400'000, 1) == Approx(0.2017).epsilon(0.01));
  CHECK(simulated_wait(4, 2, 0.4, 0.25, 400'000, 2) == Approx(0.3091).epsilon(0.012));
  CHECK(modelled_wait(2, 1, 0.25, 0) == Approx(simulated_wait(2, 1, 0.25, 0, 400'000, 3)).epsilon(0.035));
  CHECK(modelled_wait(3, 1, 0.2, 0.25) == Approx(simulated_wait(3, 1, 0.2, 0.25, 400'000, 4)).epsilon(0.03));
  CHECK(modelled_wait(5, 2, 0.25, 0) == Approx(simulated_wait(5, 2, 0.25, 0, 400'000, 5)).epsilon(0.05));
}

TEST_CASE("finite sources: grouping and order of inputs do not matter") {
  const StationService held = service(2, 1.5, 0.4);
  StationInput small = input(0.1, 3), large = input(0.4, 3);
  small.follow = small.channel_follow = 0.2;
  large.follow = 0.3;
  large.channel_follow = 0.5;
  large.variation = 0.3;
  const auto together = solved(held, {small, large});
  StationInput one = small, other = large;
  one.count = other.count = 1;
  const auto apart = solved(held, {other, one, other, one, one, other});
  for (const std::size_t i : {1U, 3U, 4U}) CHECK(apart[i].mean == Approx(together[0].mean).epsilon(1e-12));
  for (const std::size_t i : {0U, 2U, 5U}) {
    CHECK(apart[i].mean == Approx(together[1].mean).epsilon(1e-12));
    CHECK(apart[i].behind_second == Approx(together[1].behind_second).epsilon(1e-12));
  }
}

TEST_CASE("finite sources: the fixed point for many different inputs and Newton's method for few agree") {
  // Thirteen inputs, two of them equivalent: once as twelve groups, once as thirteen.
  std::vector<StationInput> apart, grouped;
  double rate = 0;
  for (int i = 0; i < 12; ++i) {
    grouped.push_back(input(0.03 + 0.005 * i, i == 0 ? 2 : 1));
    rate += grouped.back().count * grouped.back().rate;
    for (int k = 0; k < grouped.back().count; ++k) {
      apart.push_back(grouped.back());
      apart.back().count = 1;
    }
  }
  const auto by_newton = solved(service(1, rate, 0.2), grouped);
  const auto by_rounds = solved(service(1, rate, 0.2), apart);
  CHECK(by_rounds.size() == 13);
  CHECK(by_rounds[0].mean == Approx(by_newton[0].mean).epsilon(1e-10));
  CHECK(by_rounds[12].mean == Approx(by_newton[11].mean).epsilon(1e-10));
}

TEST_CASE("finite sources: equal parts of a mixture are one") {
  for (const int servers : {1, 2, 3})
    for (const double variation : {0.0, 1.0}) {  // others have an approximate first residual with one part
      StationService one = service(servers, 0.6 * servers, variation), parts = one;
      parts.parts = {{.share = 0.3, .mean = 1, .variation = variation},
                     {.share = 0.7, .mean = 1, .variation = variation}};
      const std::vector<StationInput> inputs{input(0.2, servers * 3)};
      const auto simple = solved(one, inputs), mixed = solved(parts, inputs);
      // Simpson's rule is exact without a random part.
      const double within = variation == 0 || servers == 1 ? 1e-9 : 0.02;
      CHECK(mixed[0].mean == Approx(simple[0].mean).epsilon(within));
      CHECK(mixed[0].fresh_second == Approx(simple[0].fresh_second).epsilon(within));
    }
}

TEST_CASE("finite sources: many inputs of a mixture wait as by its first three moments") {
  // M/G/1: E w = rho E X^2 / (2 E X (1 - rho)), E w^2 = 2 (E w)^2 + rho E X^3 / (3 E X (1 - rho)).
  const int many = 400;
  const double busy = 0.5, second = 0.9 * 0.25 + 0.1 * 30.25, third = 0.9 * 0.125 + 0.1 * 166.375;
  StationService mixed = service(1, busy, second - 1);
  mixed.parts = {{.share = 0.9, .mean = 0.5, .variation = 0}, {.share = 0.1, .mean = 5.5, .variation = 0}};
  const auto waits = solved(mixed, {input(busy / many, many)});
  const double wait = busy * second / 2 / (1 - busy);
  CHECK(waits[0].mean == Approx(wait).epsilon(0.02));
  const double square = 2 * wait * wait + busy * third / 3 / (1 - busy);
  CHECK(waits[0].fresh_second == Approx(square).epsilon(0.15));
  // By X and Q alone the third moment is too small or too large.
  mixed.parts.clear();
  CHECK(solved(mixed, {input(busy / many, many)})[0].mean == Approx(wait).epsilon(0.02));
}

}  // namespace
