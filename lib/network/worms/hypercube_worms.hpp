#pragma once

#include <tailbound/network/channels/worm_ends.hpp>
#include <tailbound/network/worms/worm_network.hpp>

#include <memory>

/// Hypercubes in which messages are sent over ports of their nodes, and broadcast trees on them.
///
/// MODEL     Nodes 0 .. 2^n - 1, neighbours differ in one bit, dimension i is bit i - 1. A worm crosses the
///           dimensions in which its nodes differ, higher ones first. Each link has V virtual channels on one
///           wire, which are one station. A node has an injection port for each of its links, with wires of
///           their own; the variant of a message is the dimension (0 .. n - 1) of the port at which it enters.
///           Nothing is contended where worms leave: the last link of a worm is its ejection. Or, as
///           network/channels/worm_ends.hpp says, one injection or one ejection channel for all messages of a node.
/// SOURCE    Shahrabi and Ould-Khaoua 2003; Abraham and Padmanabhan 1989 (trees)
/// TESTS     tests/network/worms/hypercube_worms_test.cpp
namespace tailbound::network {

/// \param dimensions  n, 1 .. 16
/// \param virtual_channels  V, 1 .. 64
/// \throws InvalidArgument  out of range
[[nodiscard]] std::unique_ptr<WormNetwork> make_hypercube_worms(int dimensions, int virtual_channels,
                                                                WormEnds ends = all_port);

/// A spanning binomial tree over the dimensions, counted from a base. The root sends over relative dimensions
/// n - 1 .. 0; who receives over relative dimension r sends on over r - 1 .. 0.
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
