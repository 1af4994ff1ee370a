#pragma once

#include <tailbound/network/fabric/fabric_graph.hpp>

#include <cstdint>
#include <vector>

/// What in a fabric is alike: orbits under automorphisms of the network with its traffic.
///
/// METHOD    Colours are refined until equal ones have equally coloured neighbours; that two places have one colour
///           does not prove them alike (a ring of six and two rings of three have one colour). It finds candidates:
///           two places of one colour are marked, the refinement goes on to single places on both sides, and the
///           permutation that this gives is checked link by link and bundle by bundle. Only what was checked joins
///           orbits, so that a failed search costs time, never truth.
/// SOURCE    docs/derivations/fabrics.md

namespace tailbound::network {

/// Of each vertex, arc (counted as in FabricGraph::first_arc()) and bundle the first that is proved alike.
struct FabricOrbits {
  std::vector<std::uint32_t> vertex, arc, bundle;
  std::size_t colours = 0;        ///< of vertices: there are at least as many orbits
  std::size_t automorphisms = 0;  ///< found and checked
};

/// Orbits of single places where traffic is listed (SparseDemand) or takes the first link of several (shortest):
/// neither is looked at for symmetry.
/// COST  some refinements, each links x log(nodes)
[[nodiscard]] FabricOrbits fabric_orbits(const FabricGraph& graph);

}  // namespace tailbound::network
