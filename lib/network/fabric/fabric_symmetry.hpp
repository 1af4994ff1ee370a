#pragma once

#include <tailbound/network/fabric/fabric_graph.hpp>

#include <cstdint>
#include <vector>

/// Symmetries of a fabric: orbits under automorphisms of the network with its traffic.
///
/// METHOD    permutations from symmetry.hpp, checked link by link and bundle by bundle. Only checked
///           permutations join orbits, so a failed search costs time but never correctness.
/// SOURCE    docs/derivations/fabrics.md

namespace tailbound::network {

/// For each vertex, arc (counted as in FabricGraph::first_arc()) and bundle the first one proved equivalent
/// to it.
struct FabricOrbits {
  std::vector<std::uint32_t> vertex, arc, bundle;
  std::size_t colours = 0;        ///< of vertices: a lower bound on the number of orbits
  std::size_t automorphisms = 0;  ///< found and checked
};

/// Orbits are single elements where traffic is listed (SparseDemand) or takes the first link of several
/// (shortest): neither is searched for symmetry.
/// COST  some refinements, each links x log(nodes)
[[nodiscard]] FabricOrbits fabric_orbits(const FabricGraph& graph);

}  // namespace tailbound::network
