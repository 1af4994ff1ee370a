#pragma once

#include <tailbound/network/queue_traffic.hpp>

#include <array>

/// k-ary n-trees under uniform traffic.
///
/// MODEL     k^n leaves, n levels of k^(n-1) switches with k links down and (below level n) k links up. In
///           every slot each leaf sends a packet with probability `load`, to a destination chosen uniformly
///           among all leaves, itself included. Routing up chooses each link up with equal probability.
/// RESULT    random-root: up to level n always, 2n - 1 queues. nearest-ancestor: up to the lowest level l
///           that leads to both leaves, 2l - 1 queues, with probability k^n-th parts k for l = 1 and
///           k^l - k^(l-1) for l > 1.
/// SOURCE    Singh and Dally 2004, section III; docs/derivations/trees.md
namespace tailbound::network {

struct Tree {
  std::int64_t radix = 16;  ///< k, min_radix .. max_radix
  int levels = 3;           ///< n, 1 .. max_levels

  static constexpr std::int64_t min_radix = 2, max_radix = 1024;
  static constexpr int max_levels = 16;
  static constexpr std::int64_t max_leaves = std::int64_t{1} << 20;  ///< k^n
};

/// \throws InvalidArgument  radix, levels or number of leaves out of range
void require_valid(const Tree& tree);

enum class TreeRouting { random_root, nearest_ancestor };
[[nodiscard]] constexpr auto names_of(TreeRouting) {
  return std::array{"random-root", "nearest-ancestor"};
}

/// One class of packets: those that turn at level `turn`.
struct TreePath {
  int turn = 1;
  Rational share;                  ///< of all packets
  std::vector<QueueTraffic> hops;  ///< 2 turn - 1 queues, in the order in which a packet passes them
};

/// \throws InvalidArgument  radix, levels or load out of range
[[nodiscard]] std::vector<TreePath> tree_paths(const Tree& tree, const Rational& load, TreeRouting routing,
                                               Sources sources);

/// The same tree as a network with every switch, link, leaf (a host) and flow, for simulation and files. A
/// flow from each leaf to each leaf, with all its routes.
/// \throws LimitExceeded  more than 2^20 routes
[[nodiscard]] Network tree_network(const Tree& tree, const Rational& load, TreeRouting routing);

}  // namespace tailbound::network
