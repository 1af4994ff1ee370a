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

/// Named wormhole networks and their traffic: the legal sizes, and the network of a size, for analysis and
/// simulation.
///
/// MODEL     butterfly_fat_tree.hpp and fat_tree_worms.hpp, cube.hpp and cube_worms.hpp; a hypercube is the
///           mesh of radix 2
/// TESTS     tests/network/worms/worm_topology_test.cpp
namespace tailbound::network {

enum class WormShape {
  butterfly_fat_tree,
  mesh,
  unidirectional_torus,  ///< with links in one direction around the rings
  torus,
  hypercube,
};
[[nodiscard]] constexpr auto names_of(WormShape) {
  return std::array{"butterfly-fat-tree", "mesh", "unidirectional-torus", "torus", "hypercube"};
}

struct WormTopology {
  WormShape shape = WormShape::mesh;
  std::int64_t nodes =
      64;  ///< concentration times the number of routers: one of legal_nodes(), or the product of the sides
  int dimensions = 2;  ///< of a mesh or torus, 1 .. max_dimensions(); ignored for others
  /// Ports in a hypercube only. The processors of a butterfly fat-tree have one link in each direction: one
  /// and one.
  WormEnds ends{};
  /// Routers along each dimension of a mesh or torus if these differ; otherwise empty.
  std::vector<std::int64_t> sides{};
  int concentration = 1;  ///< nodes at each router, 1 .. max_concentration; 1 in a butterfly fat-tree
  WormPattern pattern{};  ///< sources and destinations of the messages

  /// Uniform traffic in a network for which the analysis has specific equations?
  [[nodiscard]] bool usual() const;
};

/// Routers along each dimension.  CONTRACT  no butterfly fat-tree
[[nodiscard]] std::vector<std::int64_t> sides_of(const WormTopology& topology);

/// The traffic of its pattern.  \throws InvalidArgument  "pattern": not defined for such a network
[[nodiscard]] WormTraffic traffic_of(const WormTopology& topology);
/// The nodes as seen by patterns. Along the two routers of a dimension of a hypercube nothing is further than
/// a neighbour, and a fat-tree has no coordinates; there node numbers count.
[[nodiscard]] NodeGrid grid_of(const WormTopology& topology);

/// The largest butterfly fat-trees: for the analysis, and for simulations.
inline constexpr std::int64_t max_fat_tree_nodes = std::int64_t{1} << 24;
inline constexpr std::int64_t max_simulated_fat_tree_nodes = std::int64_t{1} << 18;

/// Is the number of dimensions a parameter?
[[nodiscard]] bool has_dimensions(WormShape shape);
/// Of a mesh or torus.
[[nodiscard]] int max_dimensions(WormShape shape);
/// Legal numbers of nodes, ascending; at least one if the number of dimensions is legal.
[[nodiscard]] std::vector<std::int64_t> legal_nodes(WormShape shape, int dimensions);

/// Is there a choice of how messages enter and leave the network, other than one channel per node?
[[nodiscard]] bool has_ports(WormShape shape);
[[nodiscard]] bool has_unlimited_ejection(WormShape shape);

/// \throws InvalidArgument  "dimensions" or "nodes", with the nearest legal values; "injection" or "ejection"
void check(const WormTopology& topology);

/// Levels of a butterfly fat-tree, dimensions of all others.
/// \throws InvalidArgument  a field out of range
[[nodiscard]] int dimensions_of(const WormTopology& topology);

/// "8 x 8 mesh", ", transpose traffic"  \throws InvalidArgument  a field out of range
[[nodiscard]] std::string name(const WormTopology& topology);

/// COST      that of fat_tree_classes() or cube_graph()
/// CONTRACT  topology.usual()
/// \throws InvalidArgument  a field out of range
/// \param variant  of a butterfly fat-tree; ignored for others
[[nodiscard]] ChannelGraph channel_graph(const WormTopology& topology,
                                         FatTreeVariant variant = FatTreeVariant::conditional);

/// Channel by channel.
/// \param virtual_channels  per link, 1 .. 64
/// \throws InvalidArgument  "virtual channels", "nodes" or another field out of range
[[nodiscard]] std::unique_ptr<WormNetwork> worm_network(const WormTopology& topology, int virtual_channels);

/// The default per link.
[[nodiscard]] int usual_virtual_channels(const WormTopology& topology);

}  // namespace tailbound::network
