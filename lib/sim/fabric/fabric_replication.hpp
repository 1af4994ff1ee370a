#pragma once

#include <tailbound/network/clocks/link_clocks.hpp>
#include <tailbound/network/fabric/fabric.hpp>
#include <tailbound/sim/batches/replication.hpp>
#include <tailbound/sim/batches/seen_times.hpp>
#include <tailbound/sim/network/clocked_queue.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

/// Simulation of networks of a hundred thousand hosts, whose traffic is not a list of flows: slot by slot, or
/// each link by its own clock where used links differ in speed (clocked_fabric_replication.hpp).
///
/// MODEL     as sim/network/network_replication.hpp: a packet served in slot t arrives at its next queue in
///           slot t + 1; a packet sent by a host in slot t joins the queue of its switch in slot t; packets
///           that arrive at a queue in the same slot join in random order. At each switch a packet draws its
///           next link anew, among those that lead closer, in proportion to their weights.
/// METHOD    A queue that serves in order knows each packet's slot of service when the packet joins. So a
///           queue is one number, and the packet is written where the next switch will read it in the
///           following slot. Cells read by a switch are adjacent. The links that lead closer are stored for
///           each switch and destination (all hosts of a switch are one destination), two bytes each. Nothing
///           is shared with sim/network/network_replication.hpp except random numbers, so each checks the
///           other.
/// RESULT    waits and delays of every packet; occupancies in every eighth slot; both for each kind of queue,
///           not for each queue.
/// COST      some 15 ns per packet and hop. Memory: 2 bytes times switches times destinations, and 1 KiB per
///           link.
/// EXCLUDES  bursts; hosts connected to hosts.
/// TESTS     tests/sim/simulate_fabric_test.cpp
namespace tailbound::sim {

/// Traffic and routes, computed once for all runs of a fabric.
class FabricTables;

/// \param max_bytes  maximum memory of the simulation
/// \throws InvalidArgument  a node that sends more than its fastest link; a host connected to a host
/// \throws NoAnswer         no route leads from a node to one of its destinations
/// \throws LimitExceeded    more memory, or a route of more than 250 links; speeds without a common clock
///                          (network::link_clocks()), or too many of them for the longest route
[[nodiscard]] std::shared_ptr<const FabricTables> fabric_tables(const network::Fabric& fabric,
                                                                std::uint64_t max_bytes = std::uint64_t{8}
                                                                                          << 30);

struct FabricModel {
  std::shared_ptr<const FabricTables> tables;
  std::optional<std::int64_t> buffer{};  ///< size of each queue, packets in service included; >= 1
};

/// Queues of one kind: their links lead from one kind of node to another. Nodes are of one kind if their
/// names differ only in digits: "edge12" and "edge7" are "edge".
struct QueueKinds {
  struct Kind {
    std::string name;  ///< "edge -> agg"
    std::size_t queues = 0;
  };
  std::vector<Kind> kinds;             ///< in the order of the first link of each
  std::vector<std::uint32_t> of_link;  ///< by position in Network::links; none: a link without a queue
  static constexpr std::uint32_t none = ~std::uint32_t{0};

  explicit QueueKinds(const network::Network& network);
};

/// Times of its links and packets in ticks. A simulated slot is a packet time of the slowest used link.
struct FabricTimes {
  /// Do used links differ in speed? If not, a tick is a slot. A link is used if it is on a route of some
  /// demand; with Valiant routes a few more count as used.
  bool mixed_speeds = false;
  network::LinkClocks clocks{};   ///< of used links, without their list
  std::vector<SeenRow> delays{};  ///< the rows of delivered packets, as FabricRows::delays()

  /// The wait that is counted at this position of a row, and the mean of those counted there.
  [[nodiscard]] double wait(std::size_t at) const {
    return static_cast<double>(mixed_speeds ? WaitBins::last(at) : static_cast<std::int64_t>(at));
  }
  [[nodiscard]] double average_wait(std::size_t at) const {
    return mixed_speeds ? WaitBins::average(at) : static_cast<double>(at);
  }
};

/// Rows of the counts. Waits are slots; where links differ in speed, bins of ticks (WaitBins).
struct FabricRows {
  std::size_t kinds = 0;
  /// [n]: number of times a queue of the kind was seen with n packets; by clocks: ticks with n packets.
  [[nodiscard]] std::size_t occupancy(std::size_t kind) const { return kind; }
  /// [w]: packets that waited w.
  [[nodiscard]] std::size_t waits(std::size_t kind) const { return kinds + kind; }
  /// [0]: packets dropped, [1]: packets that arrived, [2]: slots measured.
  [[nodiscard]] std::size_t drops(std::size_t kind) const { return 2 * kinds + kind; }
  /// [d]: packets delivered with queueing delay d that passed `queues` queues, up to the longest route; by
  /// clocks, that passed so many of each speed (FabricTimes::delays).
  [[nodiscard]] std::size_t delays(std::size_t queues) const { return 3 * kinds + queues; }
};

struct FabricBalance {
  std::int64_t sent = 0, delivered = 0, dropped = 0, in_transit = 0;
};

class FabricReplication : public Replication {
 public:
  [[nodiscard]] virtual FabricBalance balance() const = 0;
  /// Packets that have joined a queue so far.
  [[nodiscard]] virtual std::int64_t steps() const = 0;
};

/// \throws InvalidArgument  a buffer out of range
[[nodiscard]] std::unique_ptr<FabricReplication> make_fabric_replication(const FabricModel& model,
                                                                         RandomKey key);

}  // namespace tailbound::sim
