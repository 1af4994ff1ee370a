#pragma once

#include <tailbound/network/clocks/link_clocks.hpp>
#include <tailbound/network/network.hpp>
#include <tailbound/sim/network/clocked_queue.hpp>
#include <tailbound/sim/network/network_replication.hpp>
#include <tailbound/sim/sources/on_off_slots.hpp>

#include <memory>
#include <optional>
#include <vector>

/// Simulation of a network whose links have different speeds, each link by its own clock.
///
/// MODEL     store and forward: a packet joins the next queue when its last bit has arrived. A host sends on
///           each of its links by the clock of that link: in each packet time a packet with probability rate
///           / link rate; a flow with bursts is an on-off source of its own by that clock. The clocks of the
///           hosts have independent and uniform phases, drawn anew from time to time. A queue sends the
///           packets of the highest class first, within a class in order of arrival; a packet whose
///           transmission has begun is finished. `buffer` is shared by all classes and includes the packet in
///           transmission.
/// METHOD    events in the order of time (ties in random order); in a queue of one class, the begin of a
///           packet's transmission is known when it arrives. No slots, and nothing is shared with
///           sim/network but the sources' random numbers.
/// COST      about 100 ns per packet and hop.
/// TESTS     tests/sim/clocked_network_test.cpp
namespace tailbound::sim {

/// Delivered packets of the same row that took equally long apart from their waits.
struct ClockedKind {
  std::size_t row;        ///< the group of its flow, or the flow if there are no groups
  std::int64_t transfer;  ///< transmission times of all queues [ticks]
  int queues;
};

/// Rows of the counts.
class ClockedRows {
 public:
  explicit ClockedRows(const NetworkModel& model);

  std::size_t links;
  std::vector<ClockedKind> kinds;
  /// [flow][route] -> position in `kinds`
  std::vector<std::vector<std::size_t>> kind_of_route;

  [[nodiscard]] std::size_t occupancy(std::size_t link) const { return link; }  ///< [n]: ticks with n packets
  /// [0]: packets dropped, [1]: packets that arrived, [2]: packets whose transmission began
  [[nodiscard]] std::size_t packets(std::size_t link) const { return links + link; }
  [[nodiscard]] std::size_t waits(std::size_t kind) const { return 2 * links + kind; }  ///< [bin]: delivered
  [[nodiscard]] std::size_t count() const { return 2 * links + kinds.size(); }
};

/// One slot of advance() is a packet time of the slowest used link.
/// \throws InvalidArgument  a flow without routes; a host link offered more than its rate
/// \throws Overloaded       a queue's load is at or above the rate of its link, and buffers are unlimited
/// \throws LimitExceeded    as network::link_clocks()
[[nodiscard]] std::unique_ptr<NetworkReplication> make_clocked_replication(const NetworkModel& model,
                                                                           RandomKey key);

}  // namespace tailbound::sim
