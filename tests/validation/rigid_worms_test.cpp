#include <tailbound/network/worms/cube_worms.hpp>
#include <tailbound/network/worms/fat_tree_worms.hpp>
#include <tailbound/sim/worm/simulate_worms.hpp>

#include <catch2/catch.hpp>
#include <cmath>
#include <numeric>
#include <tests/support/rigid_worms.hpp>

/// The flit-level simulator compared with a second one of rigid messages. Means of both have intervals from
/// batches; they may differ by 4 standard deviations, which happens by chance about once in 15 000 runs.
namespace tailbound::sim {
namespace {

using network::Cube;
using network::WormNetwork;

struct Mean {
  double value = 0, deviation = 0;
};

Mean mean_of(const std::vector<double>& batches) {
  const auto count = static_cast<double>(batches.size());
  const double mean = std::accumulate(batches.begin(), batches.end(), 0.0) / count;
  double square = 0;
  for (const double batch : batches) square += (batch - mean) * (batch - mean);
  return {mean, std::sqrt(square / (count - 1) / count)};
}

struct Compared {
  Mean latency, wait;
};

Compared by_flit(const std::shared_ptr<const WormNetwork>& network, const char* load, std::int64_t flits,
                 std::int64_t batch_cycles) {
  const WormModel model{
      .network = network, .kinds = {{.lengths = flits}}, .load = numeric::parse_rational(load, "load")};
  const RunPlan plan{
      .seed = 5, .replications = 2, .warmup = batch_cycles, .slots = 20 * batch_cycles, .batches = 20};
  std::vector<double> latency, wait;
  const RunResult result = run_worms(model, plan);
  for (const Counts* counts : result.all()) {
    const auto messages = static_cast<double>((*counts)[WormRows::delivered][0]);
    latency.push_back(static_cast<double>((*counts)[WormRows::times][0]) / messages);
    wait.push_back(static_cast<double>((*counts)[WormRows::times][1]) / messages);
  }
  return {mean_of(latency), mean_of(wait)};
}

double deviations(const Mean& a, const Mean& b) {
  return std::abs(a.value - b.value) / std::hypot(a.deviation, b.deviation);
}

TEST_CASE("wormhole simulation: a second simulator with rigid messages agrees") {
  struct Case {
    std::shared_ptr<const WormNetwork> network;
    const char* load;
    std::int64_t flits;
  };
  const Cube mesh{.radix = 4};
  const Cube hypercube{.radix = 2, .dimensions = 4};
  const std::vector<Case> cases{{network::make_cube_worms(mesh, 1), "0.3", 8},
                                {network::make_cube_worms(hypercube, 1), "0.35", 5},
                                {network::make_fat_tree_worms(2), "0.25", 6}};
  for (const Case& each : cases) {
    constexpr std::int64_t batch_cycles = 20'000;
    const Compared flits = by_flit(each.network, each.load, each.flits, batch_cycles);
    const test::RigidResult rigid = test::simulate_rigid_worms(
        *each.network, std::stod(each.load), static_cast<std::uint32_t>(each.flits), batch_cycles, 20, 11);
    const Mean latency = mean_of(rigid.batch_latency), wait = mean_of(rigid.batch_wait);
    CAPTURE(each.network->layout().name, flits.latency.value, latency.value, flits.latency.deviation,
            latency.deviation, flits.wait.value, wait.value);
    CHECK(deviations(flits.latency, latency) < 4);
    CHECK(deviations(flits.wait, wait) < 4);
    CHECK(latency.deviation < 0.004 * latency.value);
  }
}

}  // namespace
}  // namespace tailbound::sim
