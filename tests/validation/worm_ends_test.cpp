#include <tailbound/bounds/wormhole/broadcast.hpp>
#include <tailbound/bounds/wormhole/latency.hpp>
#include <tailbound/network/walks/worm_walk.hpp>
#include <tailbound/network/worms/worm_topology.hpp>
#include <tailbound/sim/broadcast/simulate_broadcasts.hpp>
#include <tailbound/sim/worm/simulate_worms.hpp>

#include <catch2/catch.hpp>
#include <cmath>
#include <numeric>
#include <vector>

/// A hypercube without broadcasts is a single network for all commands: compares the simulators of wormhole
/// networks and of hypercubes with broadcasts, which represent it by different code
/// (network/worms/cube_worms.hpp, hypercube_worms.hpp), and the models of both, for each choice of how
/// messages enter and leave.
///
/// Means of both simulations have standard deviations from 80 batches; they may differ by 4 of them, which
/// happens by chance about once in 15 000 comparisons. Seeds are fixed, so results are reproducible.
namespace tailbound {
namespace {

using network::Ejection;
using network::Injection;
using network::WormEnds;

const std::vector<WormEnds> all_ends{{Injection::one, Ejection::one},
                                     {Injection::one, Ejection::unlimited},
                                     {Injection::ports, Ejection::one},
                                     network::all_port};

constexpr std::int64_t flits = 32;

struct Mean {
  double value = 0, deviation = 0;
};

/// The quotient of two counts, batch by batch.
Mean mean_of(const sim::RunResult& result, std::size_t row, std::size_t of, std::size_t over_row,
             std::size_t over) {
  std::vector<double> batches;
  for (const sim::Counts* counts : result.all())
    batches.push_back(static_cast<double>((*counts)[row][of]) /
                      static_cast<double>((*counts)[over_row][over]));
  const auto count = static_cast<double>(batches.size());
  const double mean = std::accumulate(batches.begin(), batches.end(), 0.0) / count;
  double square = 0;
  for (const double batch : batches) square += (batch - mean) * (batch - mean);
  return {mean, std::sqrt(square / (count - 1) / count)};
}

struct Found {
  Mean latency, wait;
};

sim::RunPlan plan(std::uint64_t seed) {
  return {.seed = seed, .replications = 2, .warmup = 4000, .slots = 400'000, .batches = 40};
}

/// At `load` flits/cycle/node.
Found as_wormhole(int dimensions, int virtual_channels, const WormEnds& ends, const char* load) {
  const network::WormTopology cube{
      .shape = network::WormShape::hypercube, .nodes = std::int64_t{1} << dimensions, .ends = ends};
  const sim::WormModel model{.network = network::worm_network(cube, virtual_channels),
                             .kinds = {{.lengths = flits}},
                             .load = numeric::parse_rational(load, "load")};
  const sim::RunResult result = sim::run_worms(model, plan(3));
  using Rows = sim::WormRows;
  return {mean_of(result, Rows::times, 0, Rows::delivered, 0),
          mean_of(result, Rows::times, 1, Rows::delivered, 0)};
}

Found as_broadcasts(int dimensions, int virtual_channels, const WormEnds& ends, const char* load) {
  const sim::BroadcastModel model{.dimensions = dimensions,
                                  .virtual_channels = virtual_channels,
                                  .flits = flits,
                                  .rate = numeric::parse_rational(load, "load") / static_cast<long>(flits),
                                  .broadcast = 0,
                                  .ends = ends};
  const sim::RunResult result = sim::run_broadcasts(model, plan(4));
  using Rows = sim::BroadcastRows;
  return {mean_of(result, Rows::unicasts, 1, Rows::unicasts, 0),
          mean_of(result, Rows::unicasts, 2, Rows::unicasts, 0)};
}

double deviations(const Mean& a, const Mean& b) {
  return std::abs(a.value - b.value) / std::hypot(a.deviation, b.deviation);
}

TEST_CASE("worm ends: both hypercube simulators have the same latencies, for all ends") {
  const WormEnds ends = GENERATE(from_range(all_ends));
  const int virtual_channels = GENERATE(1, 2);
  for (const char* load : {"0.15", "0.3"}) {
    const Found one = as_wormhole(4, virtual_channels, ends, load);
    const Found other = as_broadcasts(4, virtual_channels, ends, load);
    CAPTURE(static_cast<int>(ends.injection), static_cast<int>(ends.ejection), virtual_channels, load,
            one.latency.value, other.latency.value, one.latency.deviation, other.latency.deviation,
            one.wait.value, other.wait.value);
    CHECK(deviations(one.latency, other.latency) < 4);
    CHECK(deviations(one.wait, other.wait) < 4);
    // Accurate enough to distinguish the choices, which differ by 4 % and more.
    CHECK(one.latency.deviation < 0.005 * one.latency.value);
    CHECK(other.latency.deviation < 0.005 * other.latency.value);
  }
}

TEST_CASE("worm ends: each contended channel costs time") {
  std::vector<double> latencies;
  for (const WormEnds& ends : all_ends) latencies.push_back(as_wormhole(4, 2, ends, "0.3").latency.value);
  CHECK(latencies[0] > 1.05 * latencies[1]);
  CHECK(latencies[0] > 1.05 * latencies[2]);
  CHECK(latencies[1] > 1.05 * latencies[3]);
  CHECK(latencies[2] > 1.05 * latencies[3]);
}

// --- the models

double wormhole_latency(int dimensions, int virtual_channels, const WormEnds& ends, double load) {
  const network::WormTopology cube{
      .shape = network::WormShape::hypercube, .nodes = std::int64_t{1} << dimensions, .ends = ends};
  const auto network = network::worm_network(cube, virtual_channels);
  const auto point = bounds::wormhole::Model(network::walk_graph(*network, {})).solve(load);
  REQUIRE(point.solved());
  return point.latency(static_cast<double>(flits));
}

double broadcast_latency(int dimensions, int virtual_channels, const WormEnds& ends, double load,
                         bounds::wormhole::Replication replication) {
  const bounds::wormhole::BroadcastCube cube{.dimensions = dimensions,
                                             .virtual_channels = virtual_channels,
                                             .flits = static_cast<double>(flits),
                                             .replication = replication,
                                             .ends = ends};
  return bounds::wormhole::broadcast_latency(cube, load / static_cast<double>(flits)).value().unicast_latency;
}

TEST_CASE("worm ends: at light load all models agree, M + D - 1") {
  using bounds::wormhole::Replication;
  for (const int n : {1, 3, 6})
    for (const WormEnds& ends : all_ends) {
      const double links = n / 2.0 * std::ldexp(1.0, n) / (std::ldexp(1.0, n) - 1);
      const double distance = links + 1 + (ends.ejection == Ejection::one ? 1 : 0);
      const double expected = static_cast<double>(flits) + distance - 1;
      CAPTURE(n, static_cast<int>(ends.injection), static_cast<int>(ends.ejection));
      for (const double load : {0.0, 1e-9}) {
        CHECK(wormhole_latency(n, 2, ends, load) == Approx(expected).epsilon(1e-7));
        for (const Replication replication : {Replication::conserving, Replication::shared_wire})
          CHECK(broadcast_latency(n, 2, ends, load, replication) == Approx(expected).epsilon(1e-7));
      }
    }
}

TEST_CASE("worm ends: the models have the documented errors") {
  // 64 nodes, two virtual channels, at 0.05 and 0.2 flits/cycle/node: docs/derivations/broadcast.md.
  using bounds::wormhole::Replication;
  for (const WormEnds& ends : all_ends)
    for (const auto& [text, load, maximum] : {std::tuple{"0.05", 0.05, 0.006}, {"0.2", 0.2, 0.015}}) {
      const Found found = as_broadcasts(6, 2, ends, text);
      const auto error = [&found = found](double latency) { return latency / found.latency.value - 1; };
      CAPTURE(static_cast<int>(ends.injection), static_cast<int>(ends.ejection), load, found.latency.value);
      CHECK(std::abs(error(broadcast_latency(6, 2, ends, load, Replication::shared_wire))) < maximum);
      const double published = ends.injection == Injection::one ? 0.18 : 0.05;
      CHECK(std::abs(error(broadcast_latency(6, 2, ends, load, Replication::conserving))) < published);
      CHECK(std::abs(error(wormhole_latency(6, 2, ends, load))) < 0.05);
    }
}

}  // namespace
}  // namespace tailbound
