#pragma once

#include <tailbound/network/network.hpp>
#include <tailbound/sim/network/flow_control.hpp>
#include <tailbound/sim/tree/tree_replication.hpp>

/// Slot-by-slot simulation of any network.
///
/// MODEL     as sim/tree/tree_replication.hpp, on links that send one packet per slot
///           (network::has_unit_speeds()). A packet sent by a host in slot t joins the queue of its
///           first switch in slot t. All packets that arrive in a slot are put in one random order. A flow
///           with bursts is an on-off source of its own, started in its stationary distribution. A queue
///           serves the packets of the highest class (Flow::priority) first, within a class in order of
///           arrival; `buffer` is shared by all classes.
/// METHOD    packets in queues, moved one by one; occupancies are recorded in every slot. Nothing is shared
///           with the simulation of trees except the source of random numbers, so each checks the other.
/// COST      some 50 ns per packet and hop, a few ns per queue and slot.
namespace tailbound::sim {

struct NetworkModel {
  network::Network network;
  std::optional<std::int64_t> buffer;  ///< size of each queue, packets in service included; >= 1
  /// Group of each flow, from 0: the delays of each group are counted separately as well. Empty: of none.
  std::vector<std::size_t> groups{};
  /// Without losses (controlled_replication.hpp); `buffer` and `groups` are then omitted.
  std::optional<FlowControl> control{};
};

/// Rows of the counts; links count as in Network::links, flows as in Network::flows.
struct NetworkRows {
  /// The rows of a group, one for each number of queues from the fewest to the most on a route of its flows.
  struct Group {
    std::size_t first = 0, fewest = 0, most = 0;
  };

  std::size_t links, max_queues;  ///< of the network; on a route
  std::vector<Group> groups{};
  explicit NetworkRows(const network::Network& network);
  explicit NetworkRows(const NetworkModel& model);
  /// [n]: slots with occupancy n; empty for links without a queue.
  [[nodiscard]] std::size_t occupancy(std::size_t link) const { return link; }
  /// [w]: packets that waited w slots.
  [[nodiscard]] std::size_t waits(std::size_t link) const { return links + link; }
  /// [0]: packets dropped, [1]: packets that arrived.
  [[nodiscard]] std::size_t drops(std::size_t link) const { return 2 * links + link; }
  /// [flow]: sum of the queueing delays of its delivered packets; and their number.
  [[nodiscard]] std::size_t flow_delays() const { return 3 * links; }
  [[nodiscard]] std::size_t flow_packets() const { return 3 * links + 1; }
  /// [d]: delivered packets of that group with queueing delay d that passed `queues` queues.
  /// \pre the model has groups;  fewest <= queues <= most
  [[nodiscard]] std::size_t delays_of_group(std::size_t group, std::size_t queues) const {
    return groups[group].first + queues - groups[group].fewest;
  }
  /// [d]: delivered packets with queueing delay d that passed `queues` queues, 0 .. max_queues; their
  /// latency is the sum of both.
  [[nodiscard]] std::size_t delays(std::size_t queues) const {
    return 3 * links + 2 + rows_of_groups() + queues;
  }
  [[nodiscard]] std::size_t count() const { return delays(max_queues) + 1; }

 private:
  [[nodiscard]] std::size_t rows_of_groups() const {
    return groups.empty()
               ? 0
               : groups.back().first + groups.back().most - groups.back().fewest + 1 - groups.front().first;
  }
};

class NetworkReplication : public Replication {
 public:
  [[nodiscard]] virtual PacketBalance balance() const = 0;
};

/// \throws InvalidArgument  a flow without routes, or rates of one source above 1 in total
/// \throws Overloaded       a queue's load is at or above the rate of its link, and buffers are unlimited
[[nodiscard]] std::unique_ptr<NetworkReplication> make_network_replication(const NetworkModel& model,
                                                                           RandomKey key);

/// The same for all replications of a run: what they share is made once.
[[nodiscard]] ReplicationFactory network_replications(const NetworkModel& model);

}  // namespace tailbound::sim
