#include <catch2/catch.hpp>
#include <tailbound/core/error.hpp>
#include <tailbound/network/walks/worm_trails.hpp>
#include <tailbound/network/walks/worm_walk.hpp>
#include <tailbound/network/worms/cube_worms.hpp>

#include <map>
#include <utility>
#include <vector>

// Routes with their last channels: together they are the turns of the graph, which another enumeration
// counts.

namespace {

using namespace tailbound::network;

TEST_CASE("trails: the trails of a channel sum to its turns") {
  const Cube cube = GENERATE(Cube{.radix = 4}, Cube{.links = CubeLinks::unidirectional_torus, .radix = 5},
                             Cube{.links = CubeLinks::torus, .radix = 4}, Cube{.radix = 3, .dimensions = 3});
  const auto worms = make_cube_worms(cube, cube.links == CubeLinks::mesh ? 1 : 2);
  ChannelGraph graph = walk_graph(*worms, {});
  std::size_t before = graph.channels.size();
  for (const int depth : {1, 2}) {
    REQUIRE(add_trails(graph, *worms, {}, depth));
    CHECK(graph.trails.size() > before);
    before = graph.trails.size();
    std::vector<double> share(graph.channels.size(), 0), ends(graph.channels.size(), 0);
    std::map<std::pair<std::size_t, std::size_t>, double> turned;
    for (const Trail& trail : graph.trails) {
      share[trail.channel] += trail.share;
      ends[trail.channel] += trail.share * trail.ends;
      double on = trail.ends;
      for (const TrailStep& step : trail.steps) {
        turned[{trail.channel, graph.channels[graph.trails[step.next].channel].station}] +=
            trail.share * step.probability;
        on += step.probability;
      }
      CHECK(on == Approx(1));
    }
    for (std::size_t i = 0; i < graph.channels.size(); ++i) {
      const Channel& channel = graph.channels[i];
      CHECK(share[i] == Approx(1));
      CHECK(ends[i] == Approx(channel.turns.empty() ? 1 : channel.ends).margin(1e-12));
      for (const Turn& turn : channel.turns) CHECK(turned[{i, turn.station}] == Approx(turn.probability));
    }
  }
}

TEST_CASE("trails: none if a message takes any of several channels") {
  const auto worms = make_cube_worms({.radix = 4}, 2);
  ChannelGraph graph = walk_graph(*worms, {});
  CHECK_FALSE(add_trails(graph, *worms, {}, 1));
  CHECK(graph.trails.empty());
  CHECK_THROWS_AS(add_trails(graph, *worms, {}, 3), tailbound::InvalidArgument);
}

}  // namespace
