#pragma once

#include <tailbound/answers/network/topology.hpp>
#include <tailbound/bounds/network/network_delay.hpp>

#include <optional>
#include <string>
#include <vector>

/// Who meets which queues in a topology: what questions about delays start from.
///
/// MODEL     bounds/network/network_delay.hpp
namespace tailbound::answers {

/// The packets whose delay is asked for: a flow of a network, or all packets of a tree.
struct DelayFlow {
  std::string name, source, destination;  ///< empty in a tree
  numeric::Rational rate;                 ///< of the flow, or of each leaf of a tree [packets/slot]
  int priority = 1;                       ///< class of the flow; class 1 is served first
  std::vector<bounds::Route> routes;      ///< positions in DelayPaths::queues, those of the class
  std::vector<std::size_t> longest;       ///< the queues of a route with the most; in a tree one to the top
  std::vector<std::string> links;         ///< "left -> right", of the longest route's queues; empty in a tree
  std::size_t alike =
      0;  ///< first flow that meets the same queues in the same shares: their delays are alike
};

/// What a sum of delays over hops leaves out. None of it is bounded: deep in the tail the sum is optimistic.
/// In a single queue nothing is left out.
struct DelayOmissions {
  bool correlated_waits = false;  ///< waits at successive queues are taken as independent
  bool spread_bursts = false;  ///< queues are fed as the sources send, though queues upstream spread bursts
  bool later_hops = false;     ///< every queue is fed as that of the first hop
};

struct DelayPaths {
  bounds::NetworkQueues queues;  ///< those of equal traffic are one
  std::vector<DelayFlow> flows;
  int classes = 1;  ///< of the network's flows
  DelayOmissions omissions;

  /// All packets of all flows together: each route with its share of them, however its queues are ordered.
  [[nodiscard]] std::vector<bounds::Route> all_routes() const;
};

/// \param flow  of a network, by name; all its flows unless told
/// \throws InvalidArgument  no such flow;  others as bounds::tree_delay() or bounds::network_delay()
/// \throws Overloaded       a link would carry at least what it takes
[[nodiscard]] DelayPaths delay_paths(const Topology& topology, network::Sources sources,
                                     const std::optional<std::string>& flow = {});

}  // namespace tailbound::answers
