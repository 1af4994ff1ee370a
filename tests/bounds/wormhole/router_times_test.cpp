#include <tailbound/bounds/wormhole/latency.hpp>
#include <tailbound/core/error.hpp>
#include <tailbound/network/walks/one_lane.hpp>
#include <tailbound/network/walks/worm_trails.hpp>
#include <tailbound/network/walks/worm_walk.hpp>
#include <tailbound/network/worms/cube_worms.hpp>
#include <tailbound/sim/worm/worm_engine.hpp>

#include <catch2/catch.hpp>
#include <memory>
#include <string>
#include <vector>

// Routers, links and credits that take time: the latency of a lone message, and simulated latencies.

namespace tailbound::bounds::wormhole {
namespace {

using network::Cube;
using network::CubeLinks;
using network::RouterTiming;

Model model_of(const Cube& cube, int virtual_channels, const Worms& worms) {
  const std::shared_ptr<const network::WormNetwork> all = network::make_cube_worms(cube, virtual_channels);
  if (!all->layout().shares_wires())
    return Model(network::walk_graph(*all, {}), Equations::finite_source, worms);
  const network::OneLane one(all);
  network::ChannelGraph graph = network::walk_graph(one, {});
  const auto shared = network::wire_sharing(one, {}, graph);
  if (cube.links != CubeLinks::mesh) CHECK(network::add_trails(graph, one, {}, 2));
  return Model(std::move(graph), Equations::finite_source, worms, *shared);
}

/// Mean over all pairs of nodes, each message alone in the network.
double mean_latency_alone(const Cube& cube, std::uint32_t flits, std::uint32_t buffer,
                          const RouterTiming& timing) {
  const auto network = network::make_cube_worms(cube, 1);
  sim::WormEngine engine(*network, buffer, {1, 0}, timing);
  const std::uint32_t nodes = network->layout().nodes;
  double sum = 0;
  for (std::uint32_t from = 0; from < nodes; ++from)
    for (std::uint32_t to = 0; to < nodes; ++to) {
      if (from == to) continue;
      const std::uint64_t born = engine.now();
      engine.send({.born = born, .source = from, .destination = to, .flits = flits});
      while (engine.delivered().empty()) engine.cycle();
      sum += static_cast<double>(engine.delivered().front().ended - born);
      while (!engine.idle()) engine.cycle();
    }
  return sum / nodes / (nodes - 1);
}

TEST_CASE("router times: lone messages match flit-by-flit times") {
  for (const Cube& cube : {Cube{.radix = 3}, Cube{.radix = 2, .dimensions = 3}})
    for (const RouterTiming& timing : {RouterTiming{.router_cycles = 1}, RouterTiming{.link_cycles = 3},
                                       RouterTiming{.credit_cycles = 2}, RouterTiming{2, 2, 3}})
      for (const std::uint32_t buffer : {1U, 3U, 8U})
        for (const std::uint32_t flits : {1U, 4U, 13U})
          for (const int virtual_channels : {1, 3}) {
            CAPTURE(network::name(cube), timing.in_words(), buffer, flits, virtual_channels);
            const Worms worms{
                .kinds = {{.lengths = flits}}, .buffer_flits = static_cast<double>(buffer), .timing = timing};
            const Point alone = model_of(cube, virtual_channels, worms).solve(0);
            CHECK(alone.latency(flits) ==
                  Approx(mean_latency_alone(cube, flits, buffer, timing)).epsilon(1e-12));
          }
}

TEST_CASE("router times: channels stay occupied until known to be free") {
  const RouterTiming timing{.router_cycles = 3, .link_cycles = 2, .credit_cycles = 4};
  for (const int virtual_channels : {1, 2}) {
    const Model model = model_of({.radix = 3}, virtual_channels,
                                 {.kinds = {{.lengths = 20}}, .buffer_flits = 30, .timing = timing});
    const Point idle = model.solve(0);
    for (std::size_t i = 0; i < idle.channels.size(); ++i) {
      const std::string& name = model.graph().channels[i].name;
      CAPTURE(name, virtual_channels);
      const double cycles = 20 * idle.channels[i].service;
      if (name.starts_with("injection"))
        CHECK(cycles == Approx(20 + 3 + 4));
      else if (name.starts_with("ejection"))
        CHECK(cycles == Approx(20));
      else
        CHECK(cycles == Approx(20 + 2 + 3 - 1 + 4));
    }
  }
}

TEST_CASE("router times: defaults equal none") {
  const Worms usual{.kinds = {{.lengths = 6}}, .buffer_flits = 2};
  for (const int virtual_channels : {1, 2}) {
    const Point point = model_of({.radix = 4}, virtual_channels, usual).solve(0.2);
    const Point same = model_of({.radix = 4}, virtual_channels,
                                {.kinds = {{.lengths = 6}}, .buffer_flits = 2, .timing = {0, 1, 0}})
                           .solve(0.2);
    CHECK(point.latency(6) == same.latency(6));
  }
}

TEST_CASE("router times: longer times increase latency and lower saturation") {
  const auto at = [](const RouterTiming& timing) {
    return model_of({.radix = 4}, 2, {.kinds = {{.lengths = 5}}, .buffer_flits = 4, .timing = timing});
  };
  double latency = at({}).solve(0.2).latency(5), saturation = at({}).saturation();
  for (const RouterTiming& timing : {RouterTiming{1, 1, 0}, RouterTiming{1, 1, 1}, RouterTiming{1, 2, 1},
                                     RouterTiming{3, 2, 1}, RouterTiming{3, 2, 3}}) {
    CAPTURE(timing.in_words());
    const double later = at(timing).solve(0.2).latency(5), sooner = at(timing).saturation();
    CHECK(later > latency);
    CHECK(sooner < saturation);
    latency = later;
    saturation = sooner;
  }
}

TEST_CASE("router times: unsupported cases are rejected") {
  const network::ChannelGraph graph = network::walk_graph(*network::make_cube_worms({.radix = 3}, 1), {});
  CHECK_THROWS_AS(Model(graph, Equations::published, {.timing = {.router_cycles = 1}}), InvalidArgument);
  CHECK_THROWS_AS(Model(graph, Equations::finite_source,
                        {.kinds = {{.lengths = 4}},
                         .timing = {.credit_cycles = 1, .reallocate = network::Reallocate::tail}}),
                  InvalidArgument);
  CHECK_THROWS_AS(
      Model(graph, Equations::finite_source, {.kinds = {{.lengths = 4}}, .timing = {.link_cycles = 0}}),
      InvalidArgument);
}

}  // namespace
}  // namespace tailbound::bounds::wormhole
