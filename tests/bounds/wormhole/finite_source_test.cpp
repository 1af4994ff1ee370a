#include <catch2/catch.hpp>
#include <tailbound/bounds/wormhole/finite_source.hpp>
#include <tailbound/network/channels/butterfly_fat_tree.hpp>
#include <tailbound/network/channels/cube.hpp>
#include <tailbound/network/walks/worm_trails.hpp>
#include <tailbound/network/walks/worm_walk.hpp>
#include <tailbound/network/worms/cube_worms.hpp>
#include <tailbound/network/worms/fat_tree_worms.hpp>

#include <algorithm>
#include <string>
#include <utility>

// Wormhole networks with finite sources: published values, classes against individual channels, and different
// iterations.

namespace {

using namespace tailbound::bounds::wormhole;
using tailbound::bounds::Stop;
using tailbound::network::add_trails;
using tailbound::network::ChannelGraph;
using tailbound::network::cube_graph;
using tailbound::network::CubeLinks;
using tailbound::network::fat_tree_classes;
using tailbound::network::FatTreeVariant;
using tailbound::network::walk_graph;

Worms messages(double flits, double buffer_flits = 1) {
  return {.kinds = {{.lengths = static_cast<std::int64_t>(flits)}}, .buffer_flits = buffer_flits};
}

ChannelGraph fat_tree(int levels) {
  return fat_tree_classes(levels, FatTreeVariant::conditional);
}

TEST_CASE("finite sources: recorded mean occupancy time and wait at the sources") {
  struct Row {
    ChannelGraph graph;
    double load, service, wait;
  };
  const auto row =
      GENERATE(Row{cube_graph({.radix = 4}), 0.1, 1.0930445, 0.0712533},
               Row{cube_graph({.radix = 4}), 0.3, 1.4399353, 0.7078172},
               Row{cube_graph({.radix = 2, .dimensions = 4}), 0.2, 1.1453122, 0.1866120},
               Row{cube_graph({.radix = 2, .dimensions = 4}), 0.4, 1.4055330, 1.1326701},
               Row{fat_tree(2), 0.1, 1.0958359, 0.0715326}, Row{fat_tree(2), 0.25, 1.4107575, 0.4744361},
               Row{fat_tree(3), 0.05, 1.1057315, 0.0344676}, Row{fat_tree(3), 0.145, 1.7308073, 0.3833293});
  const FiniteSourcePoint point = FiniteSourceModel(row.graph).solve(row.load);
  CHECK(point.ending.stop == Stop::converged);
  CHECK(point.service == Approx(row.service).margin(1e-7));  // printed to 7 digits, solved to 1e-8 there
  CHECK(point.source_wait == Approx(row.wait).margin(1e-7));
}

TEST_CASE("finite sources: no wait at load 0 or with a single channel before a station") {
  const FiniteSourcePoint idle = FiniteSourceModel(cube_graph({.radix = 8})).solve(0);
  CHECK(idle.service == 1);
  CHECK(idle.source_wait == 0);
  ChannelGraph graph = cube_graph({.radix = 2, .dimensions = 1});
  const FiniteSourcePoint pair = FiniteSourceModel(graph).solve(0.5);
  CHECK(pair.service == Approx(1));
  CHECK(pair.source_wait == Approx(0.5));  // M/D/1
}

TEST_CASE("finite sources: without load, cyclic dependencies do not shorten the occupancy time") {
  using tailbound::network::make_cube_worms;
  const auto links = GENERATE(CubeLinks::unidirectional_torus, CubeLinks::torus);
  const auto [radix, dimensions] = GENERATE(std::pair{8, 1}, std::pair{4, 2}, std::pair{5, 2});
  const auto torus = make_cube_worms({.links = links, .radix = radix, .dimensions = dimensions}, 1);
  for (const int depth : {0, 2}) {
    ChannelGraph graph = walk_graph(*torus, {});
    if (depth > 0) REQUIRE(add_trails(graph, *torus, {}, depth));
    for (const Worms& worms : {Worms{}, messages(1), messages(4)}) {
      const FiniteSourceModel model(graph, worms);
      CHECK(model.classes() < graph.channels.size());
      for (const double load : {0.0, 1e-9}) {
        const FiniteSourcePoint idle = model.solve(load);
        CHECK(idle.ending.stop == Stop::converged);
        CHECK(idle.service + idle.further == Approx(1).epsilon(1e-6));
        for (const FiniteSourceChannel& channel : idle.channels)
          CHECK(channel.service == Approx(1).epsilon(1e-6));
      }
    }
  }
}

TEST_CASE("finite sources: saturation loads, both sides") {
  const auto saturation = [](const ChannelGraph& graph) {
    const FiniteSourceModel model(graph);
    const auto found = model.saturation();
    CHECK(found.above > found.below);
    CHECK(found.above < found.below * (1 + 1.01e-6));
    CHECK(model.solve(found.below).ending.stop == Stop::converged);
    CHECK(found.fullness == Approx(1).epsilon(1e-3));
    return found.below;
  };
  CHECK(saturation(cube_graph({.radix = 8})) == Approx(0.214485699).epsilon(1.1e-6));
  CHECK(saturation(cube_graph({.radix = 2, .dimensions = 6})) == Approx(0.492959556).epsilon(1.1e-6));
  CHECK(saturation(fat_tree(2)) == Approx(0.363516585).epsilon(1.1e-6));
}

TEST_CASE("finite sources: the solution does not depend on start and step") {
  const auto graph =
      GENERATE(cube_graph({.radix = 8}), cube_graph({.radix = 2, .dimensions = 6}), fat_tree(3), fat_tree(5),
               cube_graph({.links = CubeLinks::unidirectional_torus, .radix = 4}));
  const FiniteSourceModel model(graph);
  const double saturation = model.saturation().below;
  for (const double fraction : {0.5, 0.95}) {
    const FiniteSourcePoint usual = model.solve(fraction * saturation);
    for (const double step : {0.4, 0.7, 1.0})
      for (const double start : {1.0, 1.5, 3.0}) {
        const FiniteSourcePoint other = model.solve(fraction * saturation, {.step = step, .start = start});
        REQUIRE(other.ending.stop == Stop::converged);
        CHECK(other.service == Approx(usual.service).epsilon(1e-9));
        CHECK(other.source_wait == Approx(usual.source_wait).epsilon(1e-9));
      }
  }
}

/// Rates changed so slightly that only the classes differ: no two channels are in one class.
ChannelGraph all_different(ChannelGraph graph) {
  double factor = 1;
  for (auto& channel : graph.channels) channel.rate *= factor += 3e-11;
  return graph;
}

TEST_CASE("finite sources: classes agree with individual channels") {
  const auto graph = GENERATE(cube_graph({.radix = 5}), cube_graph({.radix = 3, .dimensions = 3}),
                              cube_graph({.radix = 2, .dimensions = 4}));
  const FiniteSourceModel classes(graph), each(all_different(graph));
  CHECK(classes.classes() < graph.channels.size() / 3);
  CHECK(each.classes() == graph.channels.size());
  const FiniteSourcePoint one = classes.solve(0.2), other = each.solve(0.2);
  CHECK(one.service == Approx(other.service).epsilon(1e-7));
  CHECK(one.source_wait == Approx(other.source_wait).epsilon(1e-7));
  for (std::size_t i = 0; i < graph.channels.size(); ++i) {
    CHECK(one.channels[i].service == Approx(other.channels[i].service).epsilon(1e-7));
    CHECK(one.channels[i].wait == Approx(other.channels[i].wait).epsilon(1e-7).margin(1e-9));
  }
}

TEST_CASE("finite sources: a fat-tree's classes agree with all its links, except for diverging messages") {
  const int levels = 3;
  ChannelGraph classes = fat_tree(levels);
  for (auto& channel : classes.channels)
    for (auto& turn : channel.turns) turn.twins = {};
  const auto wires = tailbound::network::make_fat_tree_worms(levels);
  const FiniteSourceModel walked(walk_graph(*wires, {}));
  CHECK(walked.classes() == classes.channels.size());
  for (const double load : {0.05, 0.15}) {
    const FiniteSourcePoint one = FiniteSourceModel(classes).solve(load), other = walked.solve(load);
    CHECK(one.service == Approx(other.service).epsilon(1e-9));
    CHECK(one.source_wait == Approx(other.source_wait).epsilon(1e-9));
  }
  CHECK(FiniteSourceModel(fat_tree(levels)).solve(0.15).service >
        FiniteSourceModel(classes).solve(0.15).service * 1.0005);
}

TEST_CASE("finite sources: route history has no effect where routing does not depend on it") {
  const auto mesh = tailbound::network::make_cube_worms({.radix = 5}, 1);
  ChannelGraph graph = walk_graph(*mesh, {});
  const FiniteSourcePoint plain = FiniteSourceModel(graph).solve(0.25);
  for (const int depth : {1, 2}) {
    REQUIRE(add_trails(graph, *mesh, {}, depth));
    const FiniteSourcePoint remembered = FiniteSourceModel(graph).solve(0.25);
    CHECK(remembered.service == Approx(plain.service).epsilon(1e-9));
    CHECK(remembered.source_wait == Approx(plain.source_wait).epsilon(1e-9));
  }
  // In a torus it does: 5 % less at 90 % of saturation.
  const auto torus = tailbound::network::make_cube_worms({.links = CubeLinks::torus, .radix = 6}, 2);
  ChannelGraph ring = walk_graph(*torus, {});
  const double without = FiniteSourceModel(ring).solve(0.33).service;
  REQUIRE(add_trails(ring, *torus, {}, 2));
  CHECK(FiniteSourceModel(ring).solve(0.33).service < 0.99 * without);
}

TEST_CASE("finite sources: all messages of at least the mean path give the same model") {
  const ChannelGraph graph = cube_graph({.radix = 8});
  const FiniteSourcePoint longest = FiniteSourceModel(graph).solve(0.15);
  const FiniteSourcePoint just =
      FiniteSourceModel(graph, messages(8)).solve(0.15);  // the mean path: 7.33 channels
  CHECK(just.service == longest.service);
  CHECK(just.source_wait == longest.source_wait);
  CHECK(just.further == Approx(0).margin(1e-12));
  CHECK(FiniteSourceModel(graph, messages(7)).solve(0.15).source_wait < longest.source_wait);
}

TEST_CASE("finite sources: a message of one flit occupies a channel until it gets the next") {
  // Two sources, one ejection: no wait after the first, so no occupancy is shorter and there is no overhang.
  const ChannelGraph star = cube_graph({.radix = 2, .dimensions = 1});
  CHECK(FiniteSourceModel(star, messages(1)).solve(0.5).further == Approx(0).margin(1e-12));
  // In a mesh of 64, simulated (docs/derivations/wormhole_finite_source.md): 60 % of saturation.
  struct Row {
    double flits, load, latency;
  };
  const auto row =
      GENERATE(Row{1, 0.6 * 0.2691, 8.11}, Row{2, 0.6 * 0.2424, 9.81}, Row{4, 0.6 * 0.2253, 13.24});
  const ChannelGraph graph = cube_graph({.radix = 8});
  const auto latency = [&](const FiniteSourcePoint& point) {
    return row.flits * (point.source_wait + point.service + point.further) + graph.mean_distance - 1;
  };
  const FiniteSourcePoint point = FiniteSourceModel(graph, messages(row.flits)).solve(row.load);
  CHECK(point.further > 0);
  CHECK(latency(point) == Approx(row.latency).epsilon(0.005));
  CHECK(latency(FiniteSourceModel(graph).solve(row.load)) > row.latency * 1.01);
  for (const double start : {1.5, 3.0}) {
    const FiniteSourcePoint other =
        FiniteSourceModel(graph, messages(row.flits)).solve(row.load, {.step = 0.5, .start = start});
    CHECK(other.ending.stop == Stop::converged);
    CHECK(latency(other) == Approx(latency(point)).epsilon(1e-9));
  }
}

TEST_CASE("finite sources: fullness says whether something is full at the last load with a solution") {
  CHECK(FiniteSourceModel(cube_graph({.radix = 8})).saturation().fullness == Approx(1).margin(1e-5));
  CHECK(FiniteSourceModel(fat_tree(3)).saturation().fullness > 0.97);
}

TEST_CASE("finite sources: times increase with load") {
  const FiniteSourceModel model(fat_tree(3));
  const double saturation = model.saturation().below;
  double service = 0, wait = -1;
  for (int i = 0; i < 100; ++i) {
    const FiniteSourcePoint point = model.solve(saturation * i / 100);
    REQUIRE(point.ending.stop == Stop::converged);
    CHECK(point.service > service);
    CHECK(point.source_wait > wait);
    service = point.service;
    wait = point.source_wait;
  }
  for (const double beyond : {1.0001, 1.01, 1.05, 1.2, 1.5})
    CHECK(model.solve(saturation * beyond).ending.stop != Stop::converged);
}

/// Messages of 32 flits.
FiniteSourcePoint with_buffers(const ChannelGraph& graph, double load, double buffer_flits) {
  return FiniteSourceModel(graph, messages(32, buffer_flits)).solve(load);
}

TEST_CASE("finite sources: buffers of one flit change nothing, buffers of a message are the maximum") {
  const auto graph = GENERATE(cube_graph({.radix = 4}), fat_tree(3));
  const FiniteSourcePoint usual = FiniteSourceModel(graph).solve(0.1), one = with_buffers(graph, 0.1, 1);
  CHECK(one.service == usual.service);
  CHECK(one.source_wait == usual.source_wait);
  CHECK(one.further == Approx(0).margin(1e-12));
  const FiniteSourcePoint whole = with_buffers(graph, 0.1, 32), more = with_buffers(graph, 0.1, 1000);
  CHECK(more.service == Approx(whole.service).epsilon(1e-12));
  CHECK(more.source_wait == Approx(whole.source_wait).epsilon(1e-12));
  CHECK(more.further == Approx(whole.further).epsilon(1e-12));
  double latency = 1e300;
  for (const double flits : {1, 2, 4, 8, 16, 32}) {
    const FiniteSourcePoint point = with_buffers(graph, 0.1, flits);
    CHECK(point.ending.stop == Stop::converged);
    CHECK(point.source_wait + point.service + point.further < latency);
    latency = point.source_wait + point.service + point.further;
  }
}

/// Three nodes that send to a fourth one.
ChannelGraph one_destination() {
  ChannelGraph graph;
  graph.mean_distance = 2;
  graph.stations.push_back({.channels = {0}, .servers = 1, .rate = 3});
  graph.channels.push_back({.name = "out", .station = 0, .wire = 0, .rate = 3, .turns = {}, .ends = 1});
  for (std::size_t i = 1; i <= 3; ++i) {
    graph.stations.push_back({.channels = {i}, .servers = 1, .rate = 1});
    graph.channels.push_back({.name = "in",
                              .station = i,
                              .wire = i,
                              .rate = 1,
                              .turns = {{.station = 0, .probability = 1, .own_share = 1.0 / 3}}});
    graph.sources.push_back({.channel = i, .weight = 1.0 / 3});
  }
  return graph;
}

TEST_CASE("finite sources: deeper buffers change nothing with waits only for the last channel") {
  // The only wait is for a channel occupied for M cycles: the channel before it is occupied for M plus the
  // wait, and both are freed as the tail leaves.
  const ChannelGraph graph = one_destination();
  const FiniteSourcePoint one = with_buffers(graph, 0.2, 1);
  REQUIRE(one.service > 1.1);
  for (const double flits : {2, 5, 32}) {
    const FiniteSourcePoint deep = with_buffers(graph, 0.2, flits);
    CHECK(deep.service == Approx(one.service).epsilon(1e-9));
    CHECK(deep.source_wait == Approx(one.source_wait).epsilon(1e-9));
    CHECK(deep.further == Approx(0).margin(1e-12));
  }
}

TEST_CASE("finite sources: links with many channels behave like processor sharing") {
  // At a low load each message loses the share that others take of its links; their rates are counted pair by
  // pair.
  ChannelGraph graph = walk_graph(*tailbound::network::make_cube_worms({.radix = 4}, 6), {});
  REQUIRE_FALSE(graph.shared_wires.empty());
  double met = 0, others = 0;
  for (const auto& wire : graph.shared_wires)
    met += wire.rate * wire.met / 16, others += wire.rate * wire.others / 16;
  const auto service = [&](double load, double flits) {
    return FiniteSourceModel(graph, messages(flits)).solve(load).service;
  };
  const auto shared = [&](double load, double flits) {
    const double with = service(load, flits);
    const auto wires = std::exchange(graph.shared_wires, {});
    const double worms_met = std::exchange(graph.worms_met, 0);
    const double without = service(load, flits);
    graph.shared_wires = wires, graph.worms_met = worms_met;
    return (with - without) / load;
  };
  CHECK(shared(1e-4, 1e9) == Approx(met).epsilon(1e-3));
  // Twice as much if all meet again on one link: 1 / (1 - u) has u as its slope.
  double square = 0;
  for (const auto& wire : graph.shared_wires) square += wire.rate * wire.met * wire.others / 16;
  const double slope = (shared(0.02, 1e9) - shared(0.01, 1e9)) / 0.01;
  CHECK(slope > square);
  // Time lost by a head along its path is not lost again at its tail: short and long messages lose the same
  // fraction of their lengths.
  CHECK(shared(1e-4, 20) == Approx(met).epsilon(1e-3));
  CHECK(others > met);
}

}  // namespace
