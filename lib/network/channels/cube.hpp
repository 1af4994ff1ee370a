#pragma once

#include <tailbound/network/channels/channel_graph.hpp>
#include <tailbound/network/channels/worm_ends.hpp>

#include <cstdint>
#include <string>
#include <vector>

/// Meshes, tori and hypercubes with dimension-order routing under uniform traffic.
///
/// MODEL     k^n nodes. Nodes whose coordinates differ by 1 in one dimension (in a torus modulo k) are joined
///           by a channel in each direction (unidirectional torus: in one direction). A message goes to each
///           other node with equal probability and corrects its coordinates in the order of the dimensions,
///           each on a shortest path. Where both directions around a ring are equally long (k even), it takes
///           each with probability 1/2. Tori: two virtual channels on each physical channel. In a ring, a
///           message uses the low virtual channel up to and including the wrap-around link, and the high one
///           otherwise.
/// RESULT    every channel that is used, with flows obtained by enumerating all pairs of nodes, without use
///           of symmetry. Counts are whole numbers, so all rates are correctly rounded except for two
///           divisions.
/// SOURCE    Greenberg and Guan 1997b; Dally and Seitz 1987 (virtual channels)
/// EXCLUDES  other traffic, other routing
/// TESTS     tests/network/channels/cube_test.cpp
namespace tailbound::network {

enum class CubeLinks {
  mesh,                  ///< no wrap-around
  unidirectional_torus,  ///< links to the next coordinate only
  torus,
};

/// The two virtual channels of a torus link.
enum class VirtualChannels {
  share_wire,
  own_wires,  ///< as if each had a physical channel of its own: bounds the cost of sharing
};

/// A hypercube is the mesh of radix 2.
struct Cube {
  CubeLinks links = CubeLinks::mesh;
  std::int64_t radix = 8;  ///< k; 2 .. 16 384, and 3 .. for the torus
  int dimensions = 2;      ///< n, 1 .. 14; k^n at most 16 384 nodes
  VirtualChannels virtual_channels = VirtualChannels::share_wire;
  WormEnds ends{};  ///< ports in a hypercube only
  /// Routers along each dimension if these differ from `radix`; otherwise empty.
  std::vector<std::int64_t> sides{};
  int concentration = 1;  ///< nodes at each router, 1 .. 64; 1 with ports

  /// True for k^n routers with one node each, and one channel or all channels at its ends.
  [[nodiscard]] bool regular() const;
};

/// Routers along each dimension.
[[nodiscard]] std::vector<std::int64_t> sides_of(const Cube& cube);

inline constexpr std::int64_t max_cube_nodes = 16'384;

/// \throws InvalidArgument  a field out of range
void check(const Cube& cube);

/// "8 x 8 mesh"
[[nodiscard]] std::string name(const Cube& cube);

/// COST      O(N^2) for the pairs, O(N n^2) numbers
/// CONTRACT  cube.regular()
/// \throws InvalidArgument  a field out of range
[[nodiscard]] ChannelGraph cube_graph(const Cube& cube);

}  // namespace tailbound::network
