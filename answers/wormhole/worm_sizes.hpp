#pragma once

#include <tailbound/network/worms/worm_topology.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

/// Sizes of wormhole networks as typed by users.
///
/// TESTS     tests/golden/wormhole_test.cpp
namespace tailbound::answers {

/// Nodes, or routers along each dimension: "12x12".
struct WormSize {
  std::int64_t nodes = 0;             ///< or the product of the sides
  std::vector<std::int64_t> sides{};  ///< empty if the size does not specify them
};

/// A list of numbers, ranges, and sides separated by x: "64,144:400:256,8x8,4x8".
/// \param name  of the shape, for messages: "mesh"
/// \throws InvalidArgument  "--nodes": not a number, or sides for a network without dimensions
[[nodiscard]] std::vector<WormSize> parse_worm_sizes(const std::string& text, network::WormShape shape,
                                                     const std::string& name);

}  // namespace tailbound::answers
