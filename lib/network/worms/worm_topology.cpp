#include <tailbound/core/error.hpp>
#include <tailbound/network/worms/cube_worms.hpp>
#include <tailbound/network/worms/fat_tree_worms.hpp>
#include <tailbound/network/worms/worm_topology.hpp>

#include <algorithm>

namespace tailbound::network {
namespace {

std::int64_t power(std::int64_t base, int exponent, std::int64_t limit) {
  std::int64_t result = 1;
  for (int i = 0; i < exponent && result <= limit; ++i) result *= base;
  return result;
}

int logarithm(std::int64_t nodes, std::int64_t base) {
  int exponent = 0;
  for (; nodes > 1; nodes /= base) ++exponent;
  return exponent;
}

std::int64_t min_radix(WormShape shape) {
  return shape == WormShape::torus ? 3 : 2;
}

/// "a square from 4 to 16384"
std::string node_rule(WormShape shape, int dimensions, const std::vector<std::int64_t>& legal) {
  const std::string range = " from " + std::to_string(legal.front()) + " to " + std::to_string(legal.back());
  if (shape == WormShape::butterfly_fat_tree) return "a power of 4" + range;
  if (shape == WormShape::hypercube) return "a power of 2" + range;
  return (dimensions == 1   ? "a number of nodes in a row"
          : dimensions == 2 ? "a square"
          : dimensions == 3 ? "a cube"
                            : "a " + std::to_string(dimensions) + "th power") +
         range;
}

/// "; or of unequal sides, such as 2x5", the most equal ones of two dimensions; empty if there are none.
std::string sides_hint(const WormTopology& topology) {
  if (!has_dimensions(topology.shape) || topology.dimensions == 1) return "";
  if (topology.nodes > max_cube_nodes)
    return "; unequal sides also have at most " + std::to_string(max_cube_nodes) + " nodes";
  if (topology.dimensions != 2) return "";
  std::int64_t shorter = 0;
  for (std::int64_t side = min_radix(topology.shape); side * side <= topology.nodes; ++side)
    if (topology.nodes % side == 0) shorter = side;
  if (shorter == 0) return "";
  return "; or of unequal sides, such as " + std::to_string(shorter) + "x" +
         std::to_string(topology.nodes / shorter);
}

/// For a topology other than a butterfly fat-tree.
Cube cube_of(const WormTopology& topology) {
  Cube cube;
  if (topology.shape == WormShape::unidirectional_torus) cube.links = CubeLinks::unidirectional_torus;
  if (topology.shape == WormShape::torus) cube.links = CubeLinks::torus;
  cube.dimensions = dimensions_of(topology);
  cube.ends = topology.ends;
  cube.concentration = topology.concentration;
  cube.radix = 2;
  cube.sides = topology.sides;
  const std::int64_t routers = topology.nodes / topology.concentration;
  while (power(cube.radix, cube.dimensions, routers) < routers) ++cube.radix;
  return cube;
}

void check_sides(const WormTopology& topology) {
  if (!has_dimensions(topology.shape))
    throw InvalidArgument("sides", std::to_string(topology.sides.size()),
                          "omitted, except for a mesh or torus");
  if (topology.sides.size() != static_cast<std::size_t>(topology.dimensions))
    throw InvalidArgument("sides", std::to_string(topology.sides.size()), "one for each dimension");
  std::int64_t nodes = topology.concentration;
  for (const std::int64_t side : topology.sides) {
    if (side < min_radix(topology.shape) || side > max_cube_nodes)
      throw InvalidArgument(
          "sides", std::to_string(side),
          "from " + std::to_string(min_radix(topology.shape)) + " to " + std::to_string(max_cube_nodes));
    nodes *= side;
    if (nodes > max_cube_nodes) break;
  }
  if (nodes > max_cube_nodes || nodes != topology.nodes)
    throw InvalidArgument(
        "nodes", std::to_string(topology.nodes),
        "the product of the sides and the concentration, at most " + std::to_string(max_cube_nodes));
}

}  // namespace

bool has_dimensions(WormShape shape) {
  return shape != WormShape::butterfly_fat_tree && shape != WormShape::hypercube;
}

int max_dimensions(WormShape shape) {
  int dimensions = 1;
  while (power(min_radix(shape), dimensions + 1, max_cube_nodes) <= max_cube_nodes) ++dimensions;
  return dimensions;
}

std::vector<std::int64_t> legal_nodes(WormShape shape, int dimensions) {
  std::vector<std::int64_t> legal;
  if (shape == WormShape::butterfly_fat_tree) {
    for (std::int64_t nodes = 4; nodes <= max_fat_tree_nodes; nodes *= 4) legal.push_back(nodes);
  } else if (shape == WormShape::hypercube) {
    for (std::int64_t nodes = 2; nodes <= max_cube_nodes; nodes *= 2) legal.push_back(nodes);
  } else {
    for (std::int64_t radix = min_radix(shape); power(radix, dimensions, max_cube_nodes) <= max_cube_nodes;
         ++radix)
      legal.push_back(power(radix, dimensions, max_cube_nodes));
  }
  return legal;
}

bool has_ports(WormShape shape) {
  return shape == WormShape::hypercube;
}

bool has_unlimited_ejection(WormShape shape) {
  return shape != WormShape::butterfly_fat_tree;
}

void check(const WormTopology& topology) {
  if (topology.ends.injection == Injection::ports && !has_ports(topology.shape))
    throw InvalidArgument("injection", "ports", "one: only the nodes of a hypercube have ports");
  if (topology.ends.ejection == Ejection::unlimited && !has_unlimited_ejection(topology.shape))
    throw InvalidArgument("ejection", "unlimited",
                          "one: a processor of a butterfly fat-tree has one incoming link");
  if (topology.shape == WormShape::butterfly_fat_tree &&
      (topology.concentration > 1 || topology.ends.by_channels()))
    throw InvalidArgument(
        topology.concentration > 1 ? "concentration" : "ends",
        topology.concentration > 1 ? std::to_string(topology.concentration) : "channels",
        "omitted for a butterfly fat-tree, whose processors have one link in each direction");
  if (topology.concentration < 1 || topology.concentration > max_concentration)
    throw InvalidArgument("concentration", std::to_string(topology.concentration),
                          "from 1 to " + std::to_string(max_concentration));
  const int dimensions = topology.dimensions;
  if (has_dimensions(topology.shape) && (dimensions < 1 || dimensions > max_dimensions(topology.shape)))
    throw InvalidArgument("dimensions", std::to_string(dimensions),
                          "from 1 to " + std::to_string(max_dimensions(topology.shape)));
  if (!topology.sides.empty()) {
    check_sides(topology);
    return;
  }
  if (topology.concentration > 1) {
    if (topology.nodes % topology.concentration != 0)
      throw InvalidArgument("nodes", std::to_string(topology.nodes),
                            "a multiple of the concentration, " + std::to_string(topology.concentration));
    if (topology.nodes > max_cube_nodes)
      throw InvalidArgument("nodes", std::to_string(topology.nodes),
                            "at most " + std::to_string(max_cube_nodes));
    WormTopology routers = topology;
    routers.nodes /= routers.concentration;
    routers.concentration = 1;
    check(routers);
    return;
  }
  const std::vector<std::int64_t> legal = legal_nodes(topology.shape, dimensions);
  const auto above = std::lower_bound(legal.begin(), legal.end(), topology.nodes);
  if (above != legal.end() && *above == topology.nodes) return;
  std::string nearest;
  if (above != legal.begin()) nearest = std::to_string(*(above - 1));
  if (above != legal.end()) nearest += (nearest.empty() ? "" : " and ") + std::to_string(*above);
  throw InvalidArgument(
      "nodes", std::to_string(topology.nodes),
      node_rule(topology.shape, dimensions, legal) + "; the nearest: " + nearest + sides_hint(topology));
}

int dimensions_of(const WormTopology& topology) {
  check(topology);
  if (topology.shape == WormShape::butterfly_fat_tree) return logarithm(topology.nodes, 4);
  if (topology.shape == WormShape::hypercube) return logarithm(topology.nodes / topology.concentration, 2);
  return topology.dimensions;
}

bool WormTopology::usual() const {
  return pattern.uniform() && sides.empty() && concentration == 1 && !ends.by_channels();
}

std::vector<std::int64_t> sides_of(const WormTopology& topology) {
  return sides_of(cube_of(topology));
}

NodeGrid grid_of(const WormTopology& topology) {
  if (has_dimensions(topology.shape))
    return {.sides = sides_of(topology), .concentration = topology.concentration};
  return {.sides = {topology.nodes / topology.concentration}, .concentration = topology.concentration};
}

WormTraffic traffic_of(const WormTopology& topology) {
  check(topology);
  return pattern_traffic(grid_of(topology), topology.pattern);
}

std::string name(const WormTopology& topology) {
  check(topology);
  const std::string traffic = topology.pattern.uniform() ? "" : ", " + topology.pattern.in_words();
  if (topology.shape != WormShape::butterfly_fat_tree) return name(cube_of(topology)) + traffic;
  return "butterfly fat-tree of " + std::to_string(topology.nodes) + " processors" + traffic;
}

ChannelGraph channel_graph(const WormTopology& topology, FatTreeVariant variant) {
  if (topology.shape == WormShape::butterfly_fat_tree)
    return fat_tree_classes(dimensions_of(topology), variant);
  return cube_graph(cube_of(topology));
}

std::unique_ptr<WormNetwork> worm_network(const WormTopology& topology, int virtual_channels) {
  if (topology.shape == WormShape::butterfly_fat_tree) {
    if (topology.nodes > max_simulated_fat_tree_nodes)
      throw InvalidArgument("nodes", std::to_string(topology.nodes),
                            "at most " + std::to_string(max_simulated_fat_tree_nodes) + " in a simulation");
    return make_fat_tree_worms(dimensions_of(topology), virtual_channels);
  }
  const Cube cube = cube_of(topology);
  if (virtual_channels < 1 || virtual_channels > 64)
    throw InvalidArgument("virtual channels", std::to_string(virtual_channels), "from 1 to 64");
  return make_cube_worms(cube, virtual_channels);
}

int usual_virtual_channels(const WormTopology& topology) {
  return topology.shape == WormShape::butterfly_fat_tree ? 1 : usual_virtual_channels(cube_of(topology));
}

}  // namespace tailbound::network
