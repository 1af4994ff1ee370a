#pragma once

#include <tailbound/network/channels/butterfly_fat_tree.hpp>
#include <tailbound/network/channels/channel_graph.hpp>
#include <tailbound/network/channels/worm_ends.hpp>
#include <tailbound/network/worms/worm_network.hpp>
#include <tailbound/network/worms/worm_pattern.hpp>

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

/// Wormhole networks that have names, and who sends to whom there: which sizes there are, and the network of a
/// size, for analysis and for simulation.
///
/// MODEL     butterfly_fat_tree.hpp and fat_tree_worms.hpp, cube.hpp and cube_worms.hpp; a hypercube is the
///           mesh of
///           radix 2
/// TESTS     tests/network/worms/worm_topology_test.cpp
namespace tailbound::network {

enum class WormShape {
  butterfly_fat_tree,
  mesh,
  torus,  ///< with links one way round
  bidirectional_torus,
  hypercube,
};
[[nodiscard]] constexpr auto names_of(WormShape) {
  return std::array{"butterfly-fat-tree", "mesh", "torus", "bidirectional-torus", "hypercube"};
}

struct WormTopology {
  WormShape shape = WormShape::mesh;
  std::int64_t nodes =
      64;              ///< concentration times the routers: one of legal_nodes(), or the product of the sides
  int dimensions = 2;  ///< of a mesh or torus, 1 .. most_dimensions(); of others not looked at
  /// Ports in a hypercube only. The processors of a butterfly fat-tree have a link each way: one and one.
  WormEnds ends{};
  /// Routers along each dimension of a mesh or torus, where these are not equal; otherwise empty.
  std::vector<std::int64_t> sides{};
  int concentration = 1;  ///< nodes at each router, 1 .. most_concentration; 1 in a butterfly fat-tree
  WormPattern pattern{};  ///< who sends to whom

  /// Uniform traffic in a network of which the analysis has equations of its own?
  [[nodiscard]] bool usual() const;
};

/// Routers along each dimension.  CONTRACT  no butterfly fat-tree
[[nodiscard]] std::vector<std::int64_t> sides_of(const WormTopology& topology);

/// Who sends to whom.  \throws InvalidArgument  "pattern": not for such a network
[[nodiscard]] WormTraffic traffic_of(const WormTopology& topology);
/// The nodes as patterns see them: along the two routers of a hypercube's dimension nothing is further than a
/// neighbour, and a fat-tree has no coordinates; there numbers count.
[[nodiscard]] NodeGrid grid_of(const WormTopology& topology);

/// The largest butterfly fat-trees: of the analysis, and of a simulation.
inline constexpr std::int64_t most_fat_tree_nodes = std::int64_t{1} << 24;
inline constexpr std::int64_t most_simulated_fat_tree_nodes = std::int64_t{1} << 18;

/// Is the number of dimensions part of the question?
[[nodiscard]] bool has_dimensions(WormShape shape);
/// Of a mesh or torus.
[[nodiscard]] int most_dimensions(WormShape shape);
/// Numbers of nodes that there are, in rising order; at least one if the number of dimensions is legal.
[[nodiscard]] std::vector<std::int64_t> legal_nodes(WormShape shape, int dimensions);

/// Is there a choice of how messages enter and leave the network, but for one channel a node each?
[[nodiscard]] bool has_ports(WormShape shape);
[[nodiscard]] bool has_unlimited_ejection(WormShape shape);

/// \throws InvalidArgument  "dimensions" or "nodes": the nearest that are legal; "injection" or "ejection"
void check(const WormTopology& topology);

/// Levels of a butterfly fat-tree, dimensions of all others.
/// \throws InvalidArgument  a field out of range
[[nodiscard]] int dimensions_of(const WormTopology& topology);

/// "8 x 8 mesh", ", transpose traffic"  \throws InvalidArgument  a field out of range
[[nodiscard]] std::string name(const WormTopology& topology);

/// COST      that of fat_tree_classes() or cube_graph()
/// CONTRACT  topology.usual()
/// \throws InvalidArgument  a field out of range
/// \param variant  of a butterfly fat-tree; of others not looked at
[[nodiscard]] ChannelGraph channel_graph(const WormTopology& topology,
                                         FatTreeVariant variant = FatTreeVariant::conditional);

/// Channel by channel.
/// \param virtual_channels  of each link, 1 .. 64
/// \throws InvalidArgument  "virtual channels", "nodes" or another field out of range
[[nodiscard]] std::unique_ptr<WormNetwork> worm_network(const WormTopology& topology, int virtual_channels);

/// Of each link unless told otherwise.
[[nodiscard]] int usual_virtual_channels(const WormTopology& topology);

}  // namespace tailbound::network
