#pragma once

#include <tailbound/network/worms/worm_topology.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

/// Sizes of wormhole networks as people type them.
///
/// TESTS     tests/golden/wormhole_test.cpp
namespace tailbound::answers {

/// Nodes, and dimensions where the size says them: "12x12".
struct WormSize {
  std::int64_t nodes = 0;
  std::optional<int> dimensions{};
};

/// A list of numbers, ranges, and equal sides with an x between them: "64,144:400:256,8x8".
/// \param name  of the shape, for messages: "mesh"
/// \throws InvalidArgument  "--nodes": no number, unequal sides, or sides for a network without dimensions
[[nodiscard]] std::vector<WormSize> parse_worm_sizes(const std::string& text, network::WormShape shape,
                                                     const std::string& name);

}  // namespace tailbound::answers
