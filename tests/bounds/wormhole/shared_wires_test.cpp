#include <tailbound/bounds/wormhole/finite_source.hpp>
#include <tailbound/network/walks/one_lane.hpp>
#include <tailbound/network/walks/worm_trails.hpp>
#include <tailbound/network/walks/worm_walk.hpp>
#include <tailbound/network/worms/cube_worms.hpp>

#include <catch2/catch.hpp>
#include <memory>
#include <optional>

// Virtual channels that share links: properties for any constants, and simulated latencies.

namespace tailbound::bounds::wormhole {
namespace {

using network::Cube;
using network::CubeLinks;

Worms messages(double flits, double buffer_flits) {
  return {.kinds = {{.lengths = static_cast<std::int64_t>(flits)}}, .buffer_flits = buffer_flits};
}

struct Shared {
  network::ChannelGraph graph;
  std::vector<network::SharedChannel> channels;
};

Shared shared(const Cube& cube, int virtual_channels) {
  const network::OneLane one(network::make_cube_worms(cube, virtual_channels));
  Shared made{.graph = network::walk_graph(one, {}), .channels = {}};
  made.channels = network::wire_sharing(one, {}, made.graph).value();
  if (cube.links != CubeLinks::mesh) CHECK(network::add_trails(made.graph, one, {}, 2));
  return made;
}

double latency(const Shared& of, double flits, double buffer, double load) {
  const FiniteSourcePoint point =
      FiniteSourceModel(of.graph, messages(flits, buffer), of.channels).solve(load);
  CHECK(point.ending.stop == Stop::converged);
  return flits * (point.source_wait + point.service + point.further) + of.graph.mean_distance - 1;
}

TEST_CASE("shared links: one virtual channel equals none") {
  const Shared one = shared({.radix = 5}, 1);
  for (const double flits : {1.0, 4.0, 16.0})
    for (const double buffer : {1.0, 4.0}) {
      const FiniteSourcePoint plain = FiniteSourceModel(one.graph, messages(flits, buffer)).solve(0.2);
      const double expected =
          flits * (plain.source_wait + plain.service + plain.further) + one.graph.mean_distance - 1;
      CHECK(latency(one, flits, buffer, 0.2) == Approx(expected).epsilon(1e-9));
    }
}

TEST_CASE("shared links: no loss at load 0, increasing with load") {
  for (const auto& [cube, virtual_channels] : {std::pair{Cube{.radix = 4}, 3},
                                               {Cube{.links = CubeLinks::torus, .radix = 4}, 5},
                                               {Cube{.radix = 2, .dimensions = 4}, 2},
                                               {Cube{.sides = {3, 5}}, 4}}) {
    const Shared made = shared(cube, virtual_channels);
    for (const double flits : {1.0, 5.0, 20.0})
      for (const double buffer : {1.0, 2.0, 6.0, 32.0}) {
        CAPTURE(network::name(cube), virtual_channels, flits, buffer);
        double before = flits + made.graph.mean_distance - 1;
        CHECK(latency(made, flits, buffer, 0) == Approx(before).epsilon(1e-12));
        for (const double load : {0.02, 0.05, 0.1, 0.15}) {
          const double now = latency(made, flits, buffer, load);
          CHECK(now > before);
          before = now;
        }
      }
  }
}

TEST_CASE("shared links: simulated latencies of 8 x 8 meshes, hypercubes of 64 and tori") {
  struct Row {
    Cube cube;
    int virtual_channels;
    double buffer, flits, load, simulated, within;
  };
  const Cube mesh{.radix = 8}, cube{.radix = 2, .dimensions = 6},
      torus{.links = CubeLinks::torus, .radix = 8};
  // At 50 % of the simulated saturation load, the last three at 70 and 80 %.
  for (const Row& row :
       {Row{mesh, 2, 1, 5, 0.142964, 15.4120, 0.025}, Row{mesh, 4, 8, 5, 0.207231, 18.5406, 0.035},
        Row{mesh, 8, 8, 9, 0.197510, 28.0921, 0.035}, Row{cube, 4, 8, 9, 0.375337, 22.9384, 0.04},
        Row{cube, 8, 1, 32, 0.231140, 57.0057, 0.01}, Row{torus, 4, 4, 5, 0.254451, 15.3489, 0.03},
        Row{mesh, 8, 1, 20, 0.193277, 69.4137, 0.01}, Row{mesh, 8, 8, 9, 0.276515, 40.8365, 0.045},
        Row{mesh, 8, 4, 1, 0.355569, 10.6164, 0.03}}) {
    CAPTURE(network::name(row.cube), row.virtual_channels, row.buffer, row.flits);
    const double modelled = latency(shared(row.cube, row.virtual_channels), row.flits, row.buffer, row.load);
    CHECK(modelled == Approx(row.simulated).epsilon(row.within));
  }
}

TEST_CASE("shared links: within 5 % of simulated latencies up to 80 % of saturation") {
  struct Row {
    Cube cube;
    int virtual_channels;
    double buffer, flits, half, at_half, maximum, at_most, saturation;
  };
  const Cube mesh{.radix = 8}, cube{.radix = 2, .dimensions = 6};
  // Loads of 50 and 80 % of the simulated saturation load, and the simulated mean latencies there.
  for (const Row& row : {Row{mesh, 2, 1, 5, 0.142964, 15.412, 0.228742, 23.1303, 0.28655},
                         Row{mesh, 2, 4, 20, 0.150657, 43.6012, 0.241051, 74.0199, 0.30197},
                         Row{mesh, 4, 8, 5, 0.207231, 18.5406, 0.331570, 30.8977, 0.41537},
                         Row{cube, 2, 8, 5, 0.390384, 14.2781, 0.624615, 23.1261, 0.78248},
                         Row{cube, 4, 4, 1, 0.435424, 6.0266, 0.696678, 8.2454, 0.87275},
                         Row{cube, 8, 1, 32, 0.231140, 57.0057, 0.369824, 115.7117, 0.46329},
                         Row{cube, 8, 8, 20, 0.317938, 41.6714, 0.508700, 80.9290, 0.63727}}) {
    CAPTURE(network::name(row.cube), row.virtual_channels, row.buffer, row.flits);
    const Shared made = shared(row.cube, row.virtual_channels);
    CHECK(latency(made, row.flits, row.buffer, row.half) == Approx(row.at_half).epsilon(0.05));
    CHECK(latency(made, row.flits, row.buffer, row.maximum) == Approx(row.at_most).epsilon(0.05));
    const FiniteSourceModel model(made.graph, messages(row.flits, row.buffer), made.channels);
    CHECK(model.saturation().below == Approx(row.saturation).epsilon(0.05));
  }
}

TEST_CASE("shared links: the solution does not depend on the iteration") {
  const Shared made = shared({.radix = 4}, 3);
  const FiniteSourceModel model(made.graph, messages(7, 3), made.channels);
  const FiniteSourcePoint usual = model.solve(0.4), other = model.solve(0.4, {.step = 0.5, .start = 1.5});
  REQUIRE(usual.ending.stop == Stop::converged);
  REQUIRE(other.ending.stop == Stop::converged);
  CHECK(other.source_wait == Approx(usual.source_wait).epsilon(1e-7));
  CHECK(other.further == Approx(usual.further).margin(1e-7));
}

TEST_CASE("shared links: deeper buffers are faster, more virtual channels may be slower") {
  const Shared two = shared({.radix = 6}, 2), four = shared({.radix = 6}, 4);
  const double shallow = latency(two, 5, 1, 0.3);
  CHECK(latency(two, 5, 8, 0.3) < shallow);
  // Simulated: 24.5 with two, 25.0 with four, as more messages share links and wait at one end.
  CHECK(latency(four, 5, 1, 0.3) > shallow);
}

TEST_CASE("shared links: a saturation load has a solution below and none above") {
  const Shared made = shared({.radix = 4}, 2);
  const FiniteSourceModel model(made.graph, messages(8, 4), made.channels);
  const FiniteSourceModel::Saturation found = model.saturation();
  CHECK(found.above / found.below == Approx(1).epsilon(1e-5));
  CHECK(model.solve(found.below * 0.999).ending.stop == Stop::converged);
  CHECK(found.below > FiniteSourceModel(shared({.radix = 4}, 1).graph, messages(8, 4)).saturation().below);
}

}  // namespace
}  // namespace tailbound::bounds::wormhole
