#pragma once

#include <tailbound/network/network.hpp>

#include <cstddef>
#include <vector>

/// Classes of equivalent flows and links of a network: orbits under automorphisms of its traffic.
///
/// MODEL     network.hpp. An automorphism is a permutation of nodes, links and flows that maps
///           - nodes to nodes with the same number of lanes, host or switch, with or without a shared memory;
///           - links to links of the same rate, between the images of their ends;
///           - flows to flows from the image of their source, with the same rate, bursts and class, and their
///             routes to routes of the same share, link by link.
///           Names, weights (shares are known), and nodes and links that carry nothing do not matter. Fields
///           for wormhole networks are ignored.
/// RESULT    Flows of one class have the same distribution of delays, links of one class that of queues, also
///           for packets of each class: an automorphism renames sources, queues and packets, and leaves the
///           stochastic process as it is. For flows and links it suffices that this holds for all queues and
///           for nodes with several flows without bursts: parts of the network that have no queue in common
///           are mapped one by one.
///           The converse does not hold: flows in different classes may have the same distribution, by
///           chance or because the search ended early.
/// METHOD    permutations from symmetry.hpp, checked route by route. Only checked permutations join classes.
///           Nodes and links are searched first without routes (a flow joins two nodes), then with them if
///           classes may be joined still; there cannot be fewer classes than colours. At last the queues are
///           searched without the nodes. Searches with routes are omitted for more than 500 000 hops of all
///           routes together.
/// EXCLUDES  equal distributions for other reasons than symmetry.
/// TESTS     tests/network/alike_flows_test.cpp
namespace tailbound::network {

struct AlikeFlows {
  std::vector<std::size_t> flow_class;  ///< of each flow; classes are numbered by their first flows
  std::vector<std::size_t> first;       ///< of each class, its first flow
  /// of each link, numbered in the same way; those without flows are one class
  std::vector<std::size_t> link_class;
  /// of each node, numbered in the same way; those that no route touches are one class. Nodes of one class
  /// send the same traffic, and their queues together have the same distribution
  std::vector<std::size_t> node_class;
};

/// COST  Linear in the hops of all routes (some 20 passes), unless a search with routes is made.
///       Of one core: 16 256 flows with 14 routes each (1.4 million hops) 0.4 to 0.55 s; 102 080 flows with
///       one route each 0.4 s; a shift of 1 000 to 2 000 hosts 0.02 s; a random permutation of 1 024 hosts
///       with 60 routes each, where the search ends early, 0.75 s.
/// \pre  require_valid(network)
[[nodiscard]] AlikeFlows alike_flows(const Network& network);

}  // namespace tailbound::network
