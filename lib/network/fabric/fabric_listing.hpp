#pragma once

#include <tailbound/network/fabric/fabric_graph.hpp>

#include <cstdint>
#include <span>

/// Counts the pairs in the traffic of a fabric (fabric.hpp), looks up listed pairs, and decides whether the
/// traffic can be written out as flows with routes.
///
/// TESTS     tests/network/fabric/fabric_listing_test.cpp
namespace tailbound::network {

/// The number of sending nodes times the number of their destinations. In a product demand the pair of a node
/// with itself is counted.
[[nodiscard]] std::uint64_t sending_pairs(const Fabric& fabric);

/// The listed entries of one receiving node, by source.
[[nodiscard]] std::span<const SparseDemand::Entry> listed_to(const SparseDemand& demand, std::uint32_t node);

/// Would add_flows() find its routes within the limits of routing.hpp? Counts the routes and legs without
/// listing them.
/// COST  one search for each vertex with traffic, ended when there are too many.  \pre sending_pairs() is
///       small
[[nodiscard]] bool can_be_listed(const FabricGraph& graph);

/// Traffic by RouteRule::ecmp must be listed: each of its flows has a route of its own.
/// \throws InvalidArgument  "route": a demand by ecmp
void require_no_hashes(const Fabric& fabric);

}  // namespace tailbound::network
