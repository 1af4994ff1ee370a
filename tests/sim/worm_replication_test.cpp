#include <tailbound/network/worms/cube_worms.hpp>
#include <tailbound/network/worms/fat_tree_worms.hpp>
#include <tailbound/sim/worm/simulate_worms.hpp>

#include <catch2/catch.hpp>
#include <cmath>
#include <map>
#include <tests/support/cut_replication.hpp>
#include <tests/support/estimate.hpp>

/// Random runs have fixed seeds: a test that passes once passes always. If an interval must contain an exact
/// value, its confidence is such that one in 10 000 runs fails.
namespace tailbound::sim {
namespace {

using network::Cube;
using network::CubeLinks;
using numeric::parse_rational;
using test::sure;

WormModel model_of(const Cube& cube, const char* load, std::int64_t flits) {
  return {.network = network::make_cube_worms(cube, network::usual_virtual_channels(cube)),
          .kinds = {{.lengths = flits}},
          .load = parse_rational(load, "load")};
}

WormEstimates simulated(const WormModel& model, std::int64_t cycles, std::vector<double> percentiles = {}) {
  const RunPlan plan{.seed = 3, .replications = 4, .warmup = cycles / 10, .slots = cycles, .batches = 16};
  return worm_estimates(model, run_worms(model, plan),
                        {.percentiles = std::move(percentiles), .channels = 3, .confidence = sure});
}

template <class Unit>
bool holds(const std::optional<numeric::Estimate<Unit>>& estimate, double exact) {
  CAPTURE(estimate.value().lower, estimate.value().value, estimate.value().upper, exact);
  const bool inside = estimate->lower <= exact && exact <= estimate->upper;
  CHECK(inside);
  return inside;
}

TEST_CASE("wormhole simulation: two nodes match the exact wait of a queue") {
  // Nothing blocks, so a service takes as many cycles as the message has flits: with Poisson arrivals rounded
  // up to whole cycles W = a E[S^2] / (2 (1 - rho)), with Bernoulli ones less by rho / (2 (1 - rho)).
  for (const auto& lengths : {network::MessageLengths(10), network::MessageLengths::geometric(10)})
    for (const WormArrivals arrivals : {WormArrivals::poisson, WormArrivals::bernoulli})
      for (const char* load : {"0.2", "0.5", "0.8"}) {
        WormModel model = model_of({.radix = 2, .dimensions = 1}, load, 10);
        model.kinds.front().lengths = lengths;
        model.arrivals = arrivals;
        CAPTURE(describe(model));
        const double rho = numeric::nearest_double(model.load);
        const double square = lengths.single() ? 100 : 190;  // 2 M^2 - M
        const double wait =
            (rho / 10 * square - (arrivals == WormArrivals::bernoulli ? rho : 0)) / (2 * (1 - rho));
        const WormEstimates found = simulated(model, 400'000);
        CHECK(holds(found.source_wait, wait));
        CHECK(holds(found.latency, wait + 10 + 3 - 1));
        CHECK(std::abs(found.throughput.value - rho) < 0.01);
        CHECK(found.mean_distance == 3);
        CHECK(found.stability.stable);
        REQUIRE(found.busiest.size() == 3);
        CHECK(std::abs(found.busiest[0].occupancy.value - rho) < 0.01);
        CHECK(std::abs(found.busiest[0].flits - rho) < 0.01);
      }
}

TEST_CASE("wormhole simulation: percentiles of a known distribution") {
  // Nearly alone: M + D - 1 with D = 3, 4, .. for a row of four.
  const WormEstimates found =
      simulated(model_of({.radix = 4, .dimensions = 1}, "0.002", 20), 4'000'000, {0.3, 0.7, 0.95});
  // Routes of 1, 2, 3 links have probabilities 1/2, 1/3, 1/6.
  REQUIRE(found.percentiles.size() == 3);
  CHECK(found.percentiles[0].latency.value().value == 22);
  CHECK(found.percentiles[1].latency.value().value == 23);
  CHECK(found.percentiles[2].latency.value().value == 24);
  CHECK(std::abs(found.mean_distance - (3 * 3 + 4 * 2 + 5 * 1) / 6.0) < 0.04);
}

TEST_CASE("wormhole simulation: cuts, saving and loading, and threads change nothing") {
  std::vector<WormModel> models{model_of({.links = CubeLinks::torus, .radix = 4}, "0.3", 7),
                                model_of({.radix = 4}, "0.3", 16),
                                {.network = network::make_fat_tree_worms(2),
                                 .kinds = {{.lengths = 12}},
                                 .load = parse_rational("0.25", "load")}};
  models.push_back(models[0]);
  models.back().kinds.front().lengths = network::MessageLengths::geometric(7);
  models.back().arrivals = WormArrivals::bernoulli;
  models.back().buffer_flits = 3;
  for (const WormModel& model : models) {
    CAPTURE(describe(model));
    const auto whole = make_worm_replication(model, {9, 1});
    whole->advance(2000);
    const auto cut = make_worm_replication(model, {9, 1});
    test::advance_in_parts(*cut, 2000);
    test::require_equal(whole->take_counts(), cut->take_counts());
    const RunPlan plan{.seed = 2, .replications = 3, .warmup = 50, .slots = 600, .batches = 4};
    const RunResult one = run_worms(model, plan), two = run_worms(model, plan, {.threads = 2});
    REQUIRE(one.all().size() == 12);
    for (std::size_t i = 0; i < one.all().size(); ++i) test::require_equal(*one.all()[i], *two.all()[i]);
  }
}

TEST_CASE("wormhole simulation: messages follow the given traffic") {
  WormModel model = model_of({.radix = 3}, "0.06", 3);
  model.kinds.front().traffic.flows = {{0, 1, 0.4}, {0, 8, 0.8}, {4, 0, 1.5}, {7, 2, 0.3}};
  for (const WormArrivals arrivals : {WormArrivals::poisson, WormArrivals::bernoulli}) {
    model.arrivals = arrivals;
    const auto replication = make_worm_replication(model, {1, 0});
    std::map<std::pair<std::uint32_t, std::uint32_t>, double> seen;
    replication->watch([&](const WormDelivery& delivery) {
      seen[{delivery.message.source, delivery.message.destination}] += 1;
    });
    constexpr std::int64_t cycles = 500'000;
    replication->advance(cycles);
    CHECK(seen.size() == 4);
    for (const network::WormFlow& flow : model.kinds.front().traffic.flows) {
      const double expected = flow.rate * 0.02 * cycles;
      CAPTURE(flow.source, flow.destination, expected);
      CHECK(std::abs(seen[{flow.source, flow.destination}] - expected) < 4 * std::sqrt(expected));
    }
  }
  model.kinds.front().traffic.flows = {};
  model.arrivals = WormArrivals::poisson;
  const auto uniform = make_worm_replication(model, {1, 0});
  std::map<std::pair<std::uint32_t, std::uint32_t>, double> seen;
  uniform->watch([&](const WormDelivery& delivery) {
    seen[{delivery.message.source, delivery.message.destination}] += 1;
  });
  uniform->advance(500'000);
  REQUIRE(seen.size() == 72);
  const double expected = 0.02 * 9 * 500'000 / 72;
  double chi_square = 0;
  for (const auto& [pair, count] : seen) chi_square += (count - expected) * (count - expected) / expected;
  CHECK(chi_square < 71 + 4 * std::sqrt(2 * 71.0));
}

TEST_CASE("wormhole simulation: saturation of an ejection channel shared by two sources is found") {
  // 0 -> 1 <- 2: the ejection channel takes one flit per cycle and is never idle while both wait.
  WormModel model = model_of({.radix = 3, .dimensions = 1}, "0.1", 16);
  model.kinds.front().traffic.flows = {{0, 1, 1}, {2, 1, 1}};
  const SimulatedSaturation found = simulated_saturation(model, {.first_guess = 0.1});
  CAPTURE(found.max_stable, found.min_unstable, found.probes.size());
  CHECK(found.max_stable <= 0.5025);
  CHECK(found.min_unstable >= 0.4975);
  CHECK(found.min_unstable <= found.max_stable * 1.0101);
  CHECK(found.probes.size() >= 8);
  model.load = parse_rational("0.55", "load");
  const WormEstimates beyond = simulated(model, 100'000);
  CHECK_FALSE(beyond.stability.stable);
  CHECK(std::abs(beyond.stability.not_carried - 0.05 / 0.55) < 0.01);
  CHECK(std::abs(beyond.throughput.value - 0.5) < 0.001);
  CHECK_THROWS_AS(
      simulated_saturation(model_of({.radix = 2, .dimensions = 1}, "0.1", 4), {.first_guess = 0.7}),
      NoAnswer);
}

TEST_CASE("wormhole simulation: invalid parameters are rejected") {
  const auto rejected = [](auto change) {
    WormModel model = model_of({.radix = 3}, "0.1", 4);
    change(model);
    CHECK_THROWS_AS(make_worm_replication(model, {1, 0}), InvalidArgument);
  };
  rejected([](WormModel& model) { model.load = 0; });
  rejected([](WormModel& model) { model.load = 2; });
  rejected([](WormModel& model) { model.kinds.front().lengths = 2'000'000; });
  rejected([](WormModel& model) { model.buffer_flits = 0; });
  rejected([](WormModel& model) { model.kinds.front().traffic.flows = {{0, 0, 1}}; });
  rejected([](WormModel& model) { model.kinds.front().traffic.flows = {{0, 9, 1}}; });
  rejected([](WormModel& model) { model.kinds.front().traffic.flows = {{0, 1, 2}}; });
  rejected([](WormModel& model) { model.kinds.front().traffic.flows = {{0, 1, -1}}; });
}

}  // namespace
}  // namespace tailbound::sim
