#pragma once

#include <tailbound/network/network.hpp>

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

/// Networks with failed nodes and links.
///
/// TESTS  tests/network/demands/demands_test.cpp
namespace tailbound::network {

/// The entries of a list "left -> right, s3, 2 random", for remove_failed().
/// \throws InvalidArgument  "without": there is none
[[nodiscard]] std::vector<std::string> failures_of(std::string_view list);

/// Removes links from a network that has no flows yet. Each entry is
/// - the name of a node: all links to it and from it fail;
/// - "left -> right": that link and its reverse link fail, as both are in one cable;
/// - "3 random" or "3 random 7": that many cables between switches, all different, each choice equally
///   likely; drawn with the seed (default 1) from those that the previous entries have left.
/// \throws InvalidArgument  "without": no such node, link or number of links; the network has flows
void remove_failed(Network& network, std::span<const std::string> failed);

/// Which nodes still have a link. A node without links neither sends nor receives.
[[nodiscard]] std::vector<bool> linked_nodes(const Network& network);
/// The nodes of ends_of() that still have a link.
/// \param linked  linked_nodes() of the network
[[nodiscard]] std::vector<std::uint32_t> linked_ends(const Network& network, const std::vector<bool>& linked);

}  // namespace tailbound::network
