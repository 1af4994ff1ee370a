#pragma once

#include <tailbound/network/channels/worm_ends.hpp>
#include <tailbound/network/worms/worm_network.hpp>

#include <memory>

/// Hypercubes whose messages enter through ports of their nodes, and broadcast trees on them.
///
/// MODEL     Nodes 0 .. 2^n - 1, neighbours differ in one bit, dimension i is bit i - 1. A message crosses
///           the dimensions in which its nodes differ, higher ones first. Each link has V virtual channels on
///           one physical channel, which are one station. A node has an injection port for each of its links,
///           with physical channels of their own; the variant of a message is the dimension (0 .. n - 1) of
///           the port at which it enters. There is no contention at the destination: the last link of a
///           message is its ejection. Alternatively, as in network/channels/worm_ends.hpp, all messages of a
///           node share one injection or one ejection channel.
/// SOURCE    Shahrabi and Ould-Khaoua 2003; Abraham and Padmanabhan 1989 (trees)
/// TESTS     tests/network/worms/hypercube_worms_test.cpp
namespace tailbound::network {

/// \param dimensions  n, 1 .. 16
/// \param virtual_channels  V, 1 .. 64
/// \throws InvalidArgument  out of range
[[nodiscard]] std::unique_ptr<WormNetwork> make_hypercube_worms(int dimensions, int virtual_channels,
                                                                WormEnds ends = all_port);

/// A spanning binomial tree over the dimensions, counted from a base. The root sends over relative dimensions
/// n - 1 .. 0; a node that receives over relative dimension r forwards over r - 1 .. 0.
struct BroadcastTree {
  std::uint32_t dimensions = 1;  ///< n
  std::uint32_t base = 0;        ///< the dimension, 0 .. n - 1, that is relative dimension 0

  [[nodiscard]] std::uint32_t dimension(std::uint32_t relative) const {
    return (base + relative) % dimensions;
  }
  [[nodiscard]] std::uint32_t relative(std::uint32_t dimension) const {
    return (dimension + dimensions - base) % dimensions;
  }
};

}  // namespace tailbound::network
