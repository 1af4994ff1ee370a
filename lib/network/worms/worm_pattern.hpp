#pragma once

#include <tailbound/network/worms/worm_network.hpp>
#include <tailbound/numeric/rational.hpp>

#include <array>
#include <cstdint>
#include <string>
#include <vector>

/// Named traffic patterns of networks on chips.
///
/// MODEL     Each node sends all of its messages to one other node; with a hot spot, a share of them. N nodes
///           have numbers from 0, and the coordinates of their router; b = log2 N. A node that would send to
///           itself sends nothing.
/// SOURCE    Dally and Towles 2004, table 3.1
/// TESTS     tests/network/worms/worm_pattern_test.cpp
namespace tailbound::network {

enum class WormPatternName {
  uniform,  ///< to each other node with the same rate
  /// coordinates in reverse order; if sides are unequal, the halves of the b bits are swapped
  transpose,
  bit_complement,  ///< N - 1 - number
  bit_reverse,     ///< the b bits in reverse
  shuffle,         ///< the b bits rotated left by one
  tornado,         ///< along each dimension of k routers by (k - 1) / 2, rounded down, around the ring
  neighbour,       ///< along each dimension by one, around the ring
  hot_spot,        ///< a share to one node, the rest uniform
};
[[nodiscard]] constexpr auto names_of(WormPatternName) {
  return std::array{"uniform", "transpose", "bit-complement", "bit-reverse",
                    "shuffle", "tornado",   "neighbour",      "hot-spot"};
}

struct WormPattern {
  WormPatternName name = WormPatternName::uniform;
  std::int64_t hot_node = 0;  ///< of a hot spot
  /// fraction of the messages of each other node, above 0 and at most 1; with a hot spot
  numeric::Rational hot_share = 0;

  [[nodiscard]] bool uniform() const { return name == WormPatternName::uniform; }
  /// "transpose traffic", "10 % of the messages to node 5"
  [[nodiscard]] std::string in_words() const;
};

/// Routers along each dimension, and nodes per router.
struct NodeGrid {
  std::vector<std::int64_t> sides;
  std::int64_t concentration = 1;

  [[nodiscard]] std::int64_t nodes() const;
};

/// For a pattern that is not uniform: flows, and the index of the rate of each.
struct PatternFlows {
  struct Flow {
    std::uint32_t source = 0, destination = 0, rate = 0;
  };
  std::vector<Flow> flows;
  std::vector<numeric::Rational> rates;  ///< scaled so that each sending node has 1 in total
};
inline constexpr std::int64_t max_hot_spot_nodes = 4096;

/// CONTRACT  !pattern.uniform()
/// \throws InvalidArgument  "pattern": not defined for such a grid; "hot node", "hot share": out of range
[[nodiscard]] PatternFlows pattern_flows(const NodeGrid& grid, const WormPattern& pattern);

/// The same as rates of messages.
/// \throws InvalidArgument  as pattern_flows()
[[nodiscard]] WormTraffic pattern_traffic(const NodeGrid& grid, const WormPattern& pattern);

}  // namespace tailbound::network
