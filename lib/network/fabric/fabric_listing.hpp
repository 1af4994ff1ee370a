#pragma once

#include <tailbound/network/fabric/fabric_graph.hpp>

#include <cstdint>
#include <span>

/// How many pairs the traffic of a fabric (fabric.hpp) has, what lists of pairs say, and whether it can be written out as
/// flows with routes.
///
/// TESTS     tests/network/fabric/fabric_listing_test.cpp
namespace tailbound::network {

/// Nodes that send, times those that they send to; one with itself is counted in a demand that is a product.
[[nodiscard]] std::uint64_t sending_pairs(const Fabric& fabric);

/// What a list says of one node that receives, by source.
[[nodiscard]] std::span<const SparseDemand::Entry> listed_to(const SparseDemand& demand, std::uint32_t node);

/// Would add_flows() find its routes within the limits of routing.hpp? Counted over the ways and legs, without
/// listing any.
/// COST  one search for each vertex with traffic, ended where there are too many.  \pre sending_pairs() are few
[[nodiscard]] bool can_be_listed(const FabricGraph& graph);

}  // namespace tailbound::network
