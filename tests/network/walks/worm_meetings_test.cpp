#include <catch2/catch.hpp>
#include <tailbound/network/walks/worm_meetings.hpp>
#include <tailbound/network/worms/cube_worms.hpp>
#include <tailbound/network/worms/hypercube_worms.hpp>

#include <algorithm>
#include <map>
#include <memory>
#include <vector>

// Simultaneous messages on shared physical channels: sums of squares against an enumeration of all pairs of
// routes.

namespace {

using namespace tailbound::network;

struct Path {
  std::vector<std::uint32_t> stations, wires;
  double rate = 0;
};

std::vector<Path> paths_of(const WormNetwork& network, const std::vector<WormFlow>& flows) {
  const WormLayout& layout = network.layout();
  std::vector<Path> paths;
  for (const WormFlow& flow : flows)
    for (std::uint32_t variant = 0; variant < layout.variants; ++variant) {
      Path path{.stations = {}, .wires = {}, .rate = flow.rate / layout.variants};
      WormHead head{.source = flow.source, .destination = flow.destination, .variant = variant};
      for (auto station = network.next_station(head); station != WormNetwork::arrived;
           station = network.next_station(head)) {
        head.channel = layout.stations[station].first;
        ++head.passed;
        path.stations.push_back(station);
        path.wires.push_back(layout.channels[head.channel].wire);
      }
      paths.push_back(path);
    }
  return paths;
}

/// As in SharedWire, pair by pair.
std::map<std::uint32_t, SharedWire> pair_by_pair(const WormNetwork& network,
                                                 const std::vector<WormFlow>& flows) {
  const WormLayout& layout = network.layout();
  std::vector<int> channels(layout.wires, 0);
  for (const WormChannel& channel : layout.channels) ++channels[channel.wire];
  const auto same = [&](std::uint32_t one, std::uint32_t other) {
    return one == other && layout.stations[one].count == 1;
  };
  const std::vector<Path> paths = paths_of(network, flows);
  std::map<std::uint32_t, SharedWire> found;
  for (const Path& own : paths) {
    for (const std::uint32_t wire : own.wires)
      if (channels[wire] > 1) found[wire].rate += own.rate;
    for (const Path& other : paths) {
      if (same(own.stations.front(), other.stations.front()) ||
          same(own.stations.back(), other.stations.back()))
        continue;
      bool before = false;
      for (const std::uint32_t wire : own.wires) {
        if (channels[wire] == 1 || std::count(other.wires.begin(), other.wires.end(), wire) == 0) continue;
        found[wire].others += own.rate * other.rate;
        if (!before) found[wire].met += own.rate * other.rate;
        before = true;
      }
    }
  }
  for (auto& [wire, shared] : found) shared.others /= shared.rate, shared.met /= shared.rate;
  return found;
}

std::vector<WormFlow> uniform(std::uint32_t nodes) {
  std::vector<WormFlow> flows;
  for (std::uint32_t source = 0; source < nodes; ++source)
    for (std::uint32_t destination = 0; destination < nodes; ++destination)
      if (source != destination) flows.push_back({source, destination, 1.0 / (nodes - 1)});
  return flows;
}

TEST_CASE("shared channels: simultaneous messages match all pairs of routes") {
  struct Case {
    std::shared_ptr<const WormNetwork> network;
    bool unequal = false;
  };
  const auto all =
      GENERATE(Case{make_cube_worms({.radix = 4}, 5)}, Case{make_cube_worms({.radix = 4}, 6), true},
               Case{make_cube_worms({.radix = 3, .dimensions = 3}, 8)},
               Case{make_cube_worms({.links = CubeLinks::torus, .radix = 6}, 8)},
               Case{make_hypercube_worms(4, 8)}, Case{make_hypercube_worms(4, 8), true});
  const WormNetwork& network = *all.network;
  std::vector<WormFlow> flows = uniform(network.layout().nodes);
  if (all.unequal)
    for (std::size_t i = 0; i < flows.size(); ++i)
      flows[i].rate *= i % 7 == 0 ? 0.2 : 1 + 0.01 * static_cast<double>(i % 5);
  const auto found = shared_wires(network, {all.unequal ? flows : std::vector<WormFlow>{}});
  const auto expected = pair_by_pair(network, flows);
  REQUIRE(found.size() == expected.size());
  REQUIRE_FALSE(found.empty());
  std::size_t i = 0;
  for (const auto& [wire, shared] : expected) {
    CHECK(found[i].rate == Approx(shared.rate).epsilon(1e-12));
    CHECK(found[i].others == Approx(shared.others).margin(1e-12));
    CHECK(found[i].met == Approx(shared.met).margin(1e-12));
    ++i;
  }
}

TEST_CASE("shared channels: none if the virtual channel matters, or there are few") {
  CHECK(shared_wires(*make_cube_worms({.radix = 4}, 1), {}).empty());
  CHECK(shared_wires(*make_cube_worms({.radix = 4}, many_channels - 1), {}).empty());
  CHECK(
      shared_wires(*make_cube_worms({.links = CubeLinks::unidirectional_torus, .radix = 4}, 2), {}).empty());
}

}  // namespace
