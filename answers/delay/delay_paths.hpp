#pragma once

#include <tailbound/answers/latency_ns.hpp>
#include <tailbound/answers/network/topology.hpp>
#include <tailbound/bounds/network/network_delay.hpp>

#include <optional>
#include <string>
#include <vector>

/// The queues that each flow meets in a topology: the basis of delay queries.
///
/// MODEL     bounds/network/network_delay.hpp
namespace tailbound::answers {

/// The packets whose delay is computed: a flow of a network, or all packets of a tree.
struct DelayFlow {
  std::string name, source, destination;  ///< empty in a tree
  numeric::Rational rate;                 ///< of the flow, or of each leaf of a tree [packets/slot]
  int priority = 1;                       ///< class of the flow; class 1 is served first
  std::vector<bounds::Route> routes;      ///< positions in DelayPaths::queues, those of the class
  std::vector<std::size_t> longest;       ///< the queues of the longest route; in a tree one to the top
  std::vector<std::string> links;         ///< "left -> right", for the longest route; empty in a tree
  std::size_t identical = 0;  ///< first flow that meets the same queues in the same shares: identical delays
};

/// Effects that a sum of delays over hops omits. None of them is bounded: the sum underestimates deep tails.
/// Nothing is omitted for a single queue.
struct DelayOmissions {
  bool correlated_waits = false;  ///< waits at successive queues are treated as independent
  bool spread_bursts = false;  ///< queues are fed as by the sources, although upstream queues spread bursts
};

struct DelayPaths {
  bounds::NetworkQueues queues;  ///< queues of equal traffic are merged
  std::vector<DelayFlow> flows;
  int classes = 1;  ///< of the network's flows
  DelayOmissions omissions;
  std::int64_t ticks_per_slot = 1;  ///< where links differ in speed: waits are in ticks (QueueTraffic::ticks)

  /// A time per slot as a time per tick, with the ticks of each queue.
  [[nodiscard]] SlotTime in_ticks(SlotTime time) const;
  /// All packets of all flows together: each route with its share of them, regardless of the order of its
  /// queues.
  [[nodiscard]] std::vector<bounds::Route> all_routes() const;
};

/// \param flow  of a network, by name; default: all its flows
/// \throws InvalidArgument  no such flow;  others as bounds::tree_delay() or bounds::network_delay()
/// \throws Overloaded       the load of a link reaches its capacity
[[nodiscard]] DelayPaths delay_paths(const Topology& topology, const std::optional<std::string>& flow = {});

}  // namespace tailbound::answers
