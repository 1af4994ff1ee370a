#include <catch2/catch.hpp>
#include <tailbound/bounds/wormhole/finite_source.hpp>
#include <tailbound/network/channels/cube.hpp>
#include <tailbound/network/walks/one_lane.hpp>
#include <tailbound/network/walks/wire_sharing.hpp>
#include <tailbound/network/walks/worm_walk.hpp>
#include <tailbound/network/worms/cube_worms.hpp>

#include <algorithm>
#include <memory>

// V virtual channels of B flits, messages of M: against simulated latencies, and rounds that go differently.

namespace {

using namespace tailbound::bounds::wormhole;
using tailbound::bounds::Stop;
using tailbound::network::ChannelGraph;
using tailbound::network::Cube;
using tailbound::network::make_cube_worms;
using tailbound::network::OneLane;
using tailbound::network::SharedChannel;
using tailbound::network::walk_graph;
using tailbound::network::wire_sharing;

struct SharedNetwork {
  ChannelGraph graph;
  std::vector<SharedChannel> wires;

  SharedNetwork(const Cube& cube, int virtual_channels) {
    const OneLane one(make_cube_worms(cube, virtual_channels));
    graph = walk_graph(one, {});
    wires = *wire_sharing(one, {}, graph);
  }
  [[nodiscard]] FiniteSourceModel model(double flits, double buffer_flits) const {
    return FiniteSourceModel(graph, 0, flits, buffer_flits, wires);
  }
  [[nodiscard]] double latency(const FiniteSourcePoint& point, double flits) const {
    return flits * (point.source_wait + point.service + point.further) + graph.mean_distance - 1;
  }
};

constexpr Cube eight_by_eight{.radix = 8};
constexpr Cube cube_of_64{.radix = 2, .dimensions = 6};

TEST_CASE("virtual channels: simulated latency within 5 % up to 80 % of saturation") {
  struct Row {
    Cube cube;
    int lanes;
    double buffer, flits, half, at_half, most, at_most, saturation;
  };
  // Loads of 50 and 80 % of the simulated saturation load, and the simulated mean latencies there.
  const Row row = GENERATE(Row{eight_by_eight, 2, 1, 5, 0.142964, 15.412, 0.228742, 23.1303, 0.28655},
                           Row{eight_by_eight, 2, 4, 20, 0.150657, 43.6012, 0.241051, 74.0199, 0.30197},
                           Row{eight_by_eight, 4, 8, 5, 0.207231, 18.5406, 0.331570, 30.8977, 0.41537},
                           Row{cube_of_64, 2, 8, 5, 0.390384, 14.2781, 0.624615, 23.1261, 0.78248},
                           Row{cube_of_64, 4, 4, 1, 0.435424, 6.0266, 0.696678, 8.2454, 0.87275},
                           Row{cube_of_64, 8, 1, 32, 0.231140, 57.0057, 0.369824, 115.7117, 0.46329},
                           Row{cube_of_64, 8, 8, 20, 0.317938, 41.6714, 0.508700, 80.9290, 0.63727});
  const SharedNetwork network(row.cube, row.lanes);
  const FiniteSourceModel model = network.model(row.flits, row.buffer);
  const FiniteSourcePoint half = model.solve(row.half), most = model.solve(row.most);
  CHECK(half.ending.stop == Stop::converged);
  CHECK(most.ending.stop == Stop::converged);
  CHECK(network.latency(half, row.flits) == Approx(row.at_half).epsilon(0.05));
  CHECK(network.latency(most, row.flits) == Approx(row.at_most).epsilon(0.05));
  CHECK(model.saturation().below == Approx(row.saturation).epsilon(0.05));
}

TEST_CASE("virtual channels: the solution does not depend on how the rounds go") {
  const SharedNetwork network({.radix = 4}, 3);
  const FiniteSourceModel model = network.model(7, 3);
  const FiniteSourcePoint usual = model.solve(0.4), other = model.solve(0.4, {.step = 0.5, .start = 1.5});
  REQUIRE(usual.ending.stop == Stop::converged);
  REQUIRE(other.ending.stop == Stop::converged);
  CHECK(other.source_wait == Approx(usual.source_wait).epsilon(1e-7));
  CHECK(other.further == Approx(usual.further).margin(1e-7));
}

TEST_CASE("virtual channels: at load 0 a message needs its flits and its way, whatever V, B and M are") {
  for (const int lanes : {2, 3, 8})
    for (const double buffer : {1.0, 5.0, 64.0})
      for (const double flits : {1.0, 4.0, 100.0}) {
        const SharedNetwork network({.radix = 3}, lanes);
        const FiniteSourcePoint point = network.model(flits, buffer).solve(0);
        CHECK(network.latency(point, flits) == Approx(flits + network.graph.mean_distance - 1));
      }
}

TEST_CASE("virtual channels: latency grows with load and falls with B, and more of them may be slower") {
  const SharedNetwork two({.radix = 6}, 2), four({.radix = 6}, 4);
  double before = 0;
  for (const double load : {0.05, 0.15, 0.25, 0.3}) {
    const double here = two.latency(two.model(9, 2).solve(load), 9);
    CHECK(here > before);
    before = here;
  }
  const double shallow = two.latency(two.model(5, 1).solve(0.3), 5);
  CHECK(two.latency(two.model(5, 8).solve(0.3), 5) < shallow);
  // Simulated: 24.5 with two, 25.0 with four, as more worms share wires and wait at one end.
  CHECK(four.latency(four.model(5, 1).solve(0.3), 5) > shallow);
}

}  // namespace
