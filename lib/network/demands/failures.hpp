#pragma once

#include <tailbound/network/network.hpp>

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

/// Networks with something broken.
///
/// TESTS  tests/network/demands/demands_test.cpp
namespace tailbound::network {

/// The entries of a list "left -> right, s3, 2 random", as take_out() wants them.
/// \throws InvalidArgument  "without": there is none
[[nodiscard]] std::vector<std::string> failures_of(std::string_view list);

/// Takes links out of a network that has no flows yet. Each entry is
/// - the name of a node: all links that lead to it or from it fail;
/// - "left -> right": that link fails and so does the one back, as a wire has both;
/// - "3 random" or "3 random 7": so many wires between switches, all different, each choice equally likely; drawn
///   with the seed (1 unless told) from what the entries before have left.
/// \throws InvalidArgument  "without": no such node, link or number of wires; the network has flows
void take_out(Network& network, std::span<const std::string> failed);

/// Which nodes have a link left, to them or from them: one that has none neither sends nor receives.
[[nodiscard]] std::vector<bool> linked_nodes(const Network& network);
/// Of ends_of() those that have.
/// \param linked  linked_nodes() of the network
[[nodiscard]] std::vector<std::uint32_t> linked_ends(const Network& network, const std::vector<bool>& linked);

}  // namespace tailbound::network
