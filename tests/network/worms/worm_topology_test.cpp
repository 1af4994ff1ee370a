#include <catch2/catch.hpp>
#include <tailbound/core/error.hpp>
#include <tailbound/network/worms/worm_topology.hpp>

// The definition of the legal sizes of wormhole networks.

namespace {

using namespace tailbound;
using namespace tailbound::network;

using Sizes = std::vector<std::int64_t>;

}  // namespace

TEST_CASE("wormhole topology: virtual channels of a fat-tree share their links") {
  const auto one = worm_network({.shape = WormShape::butterfly_fat_tree, .nodes = 16}, 1);
  const auto three = worm_network({.shape = WormShape::butterfly_fat_tree, .nodes = 16}, 3);
  const WormLayout& layout = three->layout();
  CHECK(layout.wires == one->layout().wires);
  CHECK(layout.shares_wires());
  // 16 injections and ejections; 8 links up and 8 down between the levels.
  CHECK(layout.channels.size() == 32 + 16 * 3);
  for (std::uint32_t source = 0; source < 16; ++source)
    for (std::uint32_t destination = 0; destination < 16; ++destination) {
      if (source == destination) continue;
      WormHead head{.source = source, .destination = destination};
      std::uint32_t station = three->next_station(head);
      for (; station != WormNetwork::arrived; station = three->next_station(head)) {
        head.channel = layout.stations[station].first + layout.stations[station].count - 1;
        ++head.passed;
      }
      CHECK(three->channel_name(head.channel) == "ejection at processor " + std::to_string(destination));
      CHECK(head.passed == (source / 4 == destination / 4 ? 2 : 4));
    }
  const WormStation& up = layout.stations[layout.channels[32].station];
  CHECK(up.count == 6);
  CHECK(three->channel_name(up.first + 4).ends_with(", virtual channel 1"));
}

TEST_CASE("wormhole topology: legal numbers of nodes") {
  CHECK(legal_nodes(WormShape::butterfly_fat_tree, 2).front() == 4);
  CHECK(legal_nodes(WormShape::butterfly_fat_tree, 2).back() == max_fat_tree_nodes);
  CHECK(legal_nodes(WormShape::hypercube, 2).back() == 16384);
  CHECK(legal_nodes(WormShape::mesh, 14) == Sizes{16384});
  CHECK(legal_nodes(WormShape::unidirectional_torus, 4) ==
        Sizes{16, 81, 256, 625, 1296, 2401, 4096, 6561, 10000, 14641});
  CHECK(legal_nodes(WormShape::torus, 8) == Sizes{6561});
  CHECK(max_dimensions(WormShape::mesh) == 14);
  CHECK(max_dimensions(WormShape::torus) == 8);
}

TEST_CASE("wormhole topology: errors name the nearest size") {
  CHECK_THROWS_WITH(check({.shape = WormShape::mesh, .nodes = 60}),
                    "nodes is 60; it must be a square from 4 to 16384; the nearest: 49 and 64; or of unequal "
                    "sides, such as 6x10");
  CHECK_THROWS_WITH(check({.shape = WormShape::hypercube, .nodes = -3}),
                    "nodes is -3; it must be a power of 2 from 2 to 16384; the nearest: 2");
  CHECK_THROWS_WITH(check({.shape = WormShape::unidirectional_torus, .nodes = 1'000'000, .dimensions = 5}),
                    "nodes is 1000000; it must be a 5th power from 32 to 7776; the nearest: 7776; unequal "
                    "sides also have at most 16384 nodes");
  CHECK_THROWS_WITH(check({.shape = WormShape::mesh, .nodes = 64, .dimensions = 15}),
                    "dimensions is 15; it must be from 1 to 14");
  CHECK_THROWS_AS(worm_network({.shape = WormShape::unidirectional_torus, .nodes = 64}, 65), InvalidArgument);
  CHECK_THROWS_AS(worm_network({.shape = WormShape::mesh, .nodes = 64}, 65), InvalidArgument);
  CHECK_THROWS_AS(worm_network({.shape = WormShape::butterfly_fat_tree, .nodes = 64}, 65), InvalidArgument);
  CHECK_THROWS_AS(worm_network({.shape = WormShape::butterfly_fat_tree, .nodes = std::int64_t{1} << 20}, 1),
                  InvalidArgument);
}

TEST_CASE("wormhole topology: injection and ejection, if there is a choice") {
  const WormEnds unlimited{.injection = Injection::one, .ejection = Ejection::unlimited};
  const WormEnds ports{.injection = Injection::ports, .ejection = Ejection::one};
  CHECK_THROWS_WITH(
      check({.shape = WormShape::butterfly_fat_tree, .nodes = 64, .ends = unlimited}),
      "ejection is unlimited; it must be one: a processor of a butterfly fat-tree has one incoming link");
  for (const WormShape shape :
       {WormShape::butterfly_fat_tree, WormShape::mesh, WormShape::unidirectional_torus})
    CHECK_THROWS_WITH(check({.shape = shape, .nodes = 64, .ends = ports}),
                      "injection is ports; it must be one: only the nodes of a hypercube have ports");
  for (const WormShape shape :
       {WormShape::mesh, WormShape::unidirectional_torus, WormShape::torus, WormShape::hypercube})
    for (const WormEnds& ends : {WormEnds{}, unlimited, ports, all_port}) {
      if (ends.injection == Injection::ports && !has_ports(shape)) continue;
      const WormTopology topology{.shape = shape, .nodes = 64, .ends = ends};
      const auto network = worm_network(topology, usual_virtual_channels(topology));
      const auto usual = worm_network({.shape = shape, .nodes = 64}, usual_virtual_channels(topology));
      const bool ejects = ends.ejection == Ejection::one;
      CHECK(network->layout().longest_path == usual->layout().longest_path - (ejects ? 0 : 1));
      CHECK(network->layout().stations.size() == usual->layout().stations.size() - (ejects ? 0 : 64) +
                                                     (ends.injection == Injection::ports ? 5 * 64 : 0));
      CHECK(channel_graph(topology).mean_distance ==
            Approx(channel_graph({.shape = shape, .nodes = 64}).mean_distance - (ejects ? 0 : 1)));
    }
}

TEST_CASE("wormhole topology: every legal size gives a network of that size") {
  for (const WormShape shape : {WormShape::butterfly_fat_tree, WormShape::mesh,
                                WormShape::unidirectional_torus, WormShape::torus, WormShape::hypercube})
    for (const int dimensions : {1, 2, 3})
      for (const std::int64_t nodes : legal_nodes(shape, dimensions)) {
        if (nodes > 300) break;
        const WormTopology topology{.shape = shape, .nodes = nodes, .dimensions = dimensions};
        INFO(name(topology));
        CHECK_NOTHROW(check(topology));
        const auto network = worm_network(topology, usual_virtual_channels(topology));
        CHECK(network->layout().nodes == nodes);
        CHECK(network->layout().name == name(topology));
        const ChannelGraph graph = channel_graph(topology);
        CHECK(graph.name == name(topology));
        CHECK(graph.mean_distance <= network->layout().longest_path);
      }
}
