#pragma once

#include <tailbound/bounds/path/path_delay.hpp>
#include <tailbound/network/queue_traffic.hpp>
#include <tailbound/network/tree.hpp>

#include <optional>
#include <string>
#include <vector>

/// The queues of a network and the routes of packets through them.
///
/// MODEL     network/queue_traffic.hpp for the arrivals, queue/slotted/slotted_queue.hpp for each queue (with
///           bursts queue/markov/markov_queue.hpp), bounds/path/path_delay.hpp for sums of delays.
/// SOURCE    Singh and Dally 2004; docs/derivations/trees.md
namespace tailbound::bounds {

using network::Overloaded;

/// Queues with the same traffic share one entry (but not those with and without `fed_by_sources`): their
/// delays have the same distribution.
struct NetworkQueues {
  /// Is it proved that no packet waits in it from slot to slot? Its occupancy is then at most that of its
  /// sources together.
  std::vector<char> never_waits;
  std::vector<network::QueueTraffic> traffic;  ///< of one of them, by name
  std::vector<queue::HopQueue> queues;         ///< in the same order
  /// Do only sources feed it, directly or over queues that never wait? If not, its arrivals are assumed to be
  /// independent: they come from other queues. 0 for networks with Feed::by_sources, and for trees of several
  /// levels with first-hop sources.
  std::vector<char> fed_by_sources;
};

struct TreeDelay {
  NetworkQueues network;
  std::vector<int> turns;     ///< the turning level of each route
  std::vector<Route> routes;  ///< of all packets
};

struct FlowDelay {
  std::size_t flow;           ///< position in Network::flows
  std::vector<Route> routes;  ///< routes through the same queues are merged
};

struct NetworkDelay {
  NetworkQueues network;
  std::size_t links = 0;  ///< of the network
  /// Entry of each link for class 1, then for class 2 and so on; none where the link has no queue or no such
  /// traffic.
  std::vector<std::size_t> queue_of_link;
  std::vector<FlowDelay> flows;  ///< in the order of Network::flows

  [[nodiscard]] std::size_t queue_of(std::size_t link, int priority) const {
    return queue_of_link[static_cast<std::size_t>(priority - 1) * links + link];
  }

  static constexpr std::size_t none = static_cast<std::size_t>(-1);
};

/// The arrivals of a queue without bursts whose link serves whole packets per slot.
[[nodiscard]] queue::SlottedQueue slotted_queue(const network::QueueTraffic& traffic);

/// The arrivals and the service of a queue. Mixed with bursty sources, sources without bursts are on-off
/// sources that never stop.
/// \pre its link sends one packet per slot
[[nodiscard]] queue::HopQueue hop_queue(const network::QueueTraffic& traffic);

/// \param burst        of every leaf; requires independent source arrivals, which identify the leaves
/// \param destination  of the packets of a burst; per burst they all take one route
/// \throws InvalidArgument  a burst with first-hop sources, or as traffic::on_off()
/// \throws Overloaded  a link is offered at least its capacity; names the one with the highest utilization
/// \throws as network::tree_paths()
[[nodiscard]] TreeDelay tree_delay(const network::Tree& tree, const numeric::Rational& load,
                                   network::TreeRouting routing, network::Sources sources,
                                   const std::optional<traffic::Burst>& burst = {},
                                   traffic::Destination destination = traffic::Destination::per_burst);

/// How sources reach a queue.
enum class Feed {
  by_sources,  ///< each as if over a link of its own
  by_inputs,   ///< over the queue's actual inputs (collapsed_network.hpp): some queues never wait
};

/// Where a used link does not send one packet per slot, each queue is in slots of its own
/// (QueueTraffic::ticks), as with Feed::by_sources, and nothing is proved.
/// \throws Overloaded;  as network::queue_traffic() and hop_queue()
[[nodiscard]] NetworkDelay network_delay(const network::Network& network, network::Sources sources,
                                         Feed feed = Feed::by_sources);

}  // namespace tailbound::bounds
