#pragma once

#include <tailbound/sim/network/network_replication.hpp>

#include <memory>

/// Slot-by-slot simulation of a network whose links have flow control: full buffers stop their senders.
///
/// MODEL     Links send one packet per slot. Each link into a switch has a buffer of B packets at its
///           receiver; each output of a switch has an output buffer of b packets, the one in transmission
///           included. A slot, in this order:
///           1. Packets of the last slot arrive. Each host adds the packets it sends to the queue of the
///              link, without limit, and sends the first of it if it may: that one arrives in the same slot.
///           2. Packets request their outputs: with Ingress::voq on arrival; with Ingress::fifo when they
///              become the first of their buffer, at most one of each buffer per slot. Those of one slot are
///              put in one random order. Each output buffer takes them in the order of their requests, as
///              many as fit. A packet that is taken leaves the buffer of its link.
///           3. Each link with a packet in its output buffer sends the first if it may.
///           credit: a link may send if it has a credit: B minus the packets sent whose places are not known
///           to be free again. That is known R slots after the packet was sent if it left the buffer in the
///           slot of its arrival, and one slot later for each slot that it stayed. One link carries
///           min(1, B/R).
///           pause: a link may not send while its receiver has more than B - headroom packets in the buffer,
///           as known to the sender: packets that arrive in a slot follow the state R slots before. Packets
///           that find the buffer full are lost; none are if headroom >= R.
///           The last link of a route delivers: its receiver always accepts. Packets whose source is a switch
///           wait there without limit. A packet takes one slot per queue and none on the link of a host, as
///           in sim/network/network_replication.hpp; all of R beyond is on the way back. (A longer way there
///           delays all packets of the link by the same time, and changes nothing else.)
/// METHOD    With large buffers, hosts of one link and no bursts, each packet has exactly the delay that
///           sim/network/network_replication.hpp gives it with the same random numbers.
///           Deadlock: links without a credit (or paused), where all packets in their buffers wait for full
///           outputs of such links; none of them sends again. Looked for every 256 slots.
/// COST      some 100 ns per packet and hop, 10 ns per link and slot. Hosts of a saturated network collect
///           packets: 24 bytes each.
/// EXCLUDES  links of different speeds, priority classes, a limit of the fabric's bandwidth
/// SOURCE    docs/derivations/flow_control.md
/// TESTS     tests/sim/controlled_network_test.cpp
namespace tailbound::sim {

/// Rows of the counts, with a different meaning for some of those of NetworkRows:
/// occupancy(link): of links of switches only, the packets that ask for the output or are in its buffer;
/// waits(link): [0] packets sent;  drops(link): [0] packets lost at the receiver, [1] packets that arrived;
/// delays(queues): the last entry, `longest`, includes all longer delays.
class ControlledRows : private NetworkRows {
 public:
  static constexpr std::int64_t longest = (std::int64_t{1} << 16) - 1;  ///< slots
  enum Link { blocked = 0, stored = 1, waiting = 2, created = 3, link_columns };
  enum Balance { inside_before = 0, sent, delivered, dropped, inside_after, slots, balance_columns };

  using NetworkRows::drops, NetworkRows::flow_delays, NetworkRows::flow_packets, NetworkRows::links,
      NetworkRows::max_queues, NetworkRows::occupancy, NetworkRows::waits;
  explicit ControlledRows(const NetworkModel& model)
      : NetworkRows(model.network), first_(NetworkRows::delays(0)) {}
  /// [blocked]: slots in which the link had a packet and could not send it; [stored]: sum over all slots of
  /// the packets in the buffer of its receiver; [waiting]: of the packets at the host, just after the
  /// arrivals; [created]: packets that the host sends by this link
  [[nodiscard]] std::size_t link(std::size_t link) const { return first_ + link; }
  /// inside_before + sent = delivered + dropped + inside_after, where those inside are counted one by one
  [[nodiscard]] std::size_t balance() const { return first_ + links; }
  /// [0]: 1 after a deadlock; [1]: the slot after which no link of it has sent
  [[nodiscard]] std::size_t deadlock() const { return first_ + links + 1; }
  /// [i]: link of the cycle of the deadlock
  [[nodiscard]] std::size_t stuck() const { return first_ + links + 2; }
  /// The last rows, as in NetworkRows.
  [[nodiscard]] std::size_t delays(std::size_t queues) const { return first_ + links + 3 + queues; }
  [[nodiscard]] std::size_t count() const { return delays(max_queues) + 1; }

 private:
  std::size_t first_;
};

/// \pre model.control
/// \throws InvalidArgument  a number of the flow control out of range
/// \throws NoAnswer         links of different speeds, priority classes, or buffers that depend on each other
///                          in a cycle, unless deadlocks are allowed
void require_controllable(const NetworkModel& model);

/// \throws  as require_controllable(); InvalidArgument also for a flow without routes and rates of one source
///          above 1 in total
[[nodiscard]] std::unique_ptr<NetworkReplication> make_controlled_replication(const NetworkModel& model,
                                                                              RandomKey key);

/// The same for all replications of a run: what they share is made once.
[[nodiscard]] ReplicationFactory controlled_replications(const NetworkModel& model);

}  // namespace tailbound::sim
