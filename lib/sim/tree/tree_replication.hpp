#pragma once

#include <tailbound/network/tree.hpp>
#include <tailbound/sim/batches/replication.hpp>
#include <tailbound/sim/sources/on_off_slots.hpp>

#include <memory>
#include <optional>

/// Slot-by-slot simulation of a k-ary n-tree with Bernoulli or on-off sources and uniform destinations.
///
/// MODEL     Each queue:  Q[t+1] = max(Q[t] - 1, 0) + A[t+1];  Q[t] counts the packets just after the
///           arrivals of slot t, those about to be served included. A packet served in slot t is among the
///           arrivals A[t+1] of its next queue. First in, first out; packets that arrive at a queue in the
///           same slot join in random order. With a buffer of B packets  Q[t+1] = min(max(Q[t]-1,0) + A[t+1],
///           B), and excess packets are dropped.
/// METHOD    A queue that serves one packet per slot in order knows each packet's slot of service when the
///           packet joins: the slot after that of the packet before it, or at once. So a queue is one
///           number (the next free slot), and the packet is written into the link's stream at the slot in
///           which the next switch will read it. Streams lead from switch to switch without cycles, so 64
///           slots are simulated switch by switch, all within the first-level cache; the streams of the next
///           switch are prefetched meanwhile. Up to 16 short queues of a switch are the bytes of one vector.
/// RESULT    occupancies come from counting packets by the number they find ahead of them: a queue crosses
///           level n + 1 downwards as often as upwards, up to its levels at the two ends of the measured
///           time, which are counted as well. So the counts are exact, slot by slot.
/// COST      about 10 ns or less per packet and hop. Memory: 4 (or 8) bytes times (2n - 2) (ring + 16) per
///           leaf, where ring is the smallest power of two that is at least 128 and 64 + 12 / (1 - load), at
///           most 4096. A leaf with bursts takes some 100 ns more for 64 slots
///           (sim/sources/on_off_slots.hpp). Per-burst destinations cost no more per packet, but queues and
///           streams are longer.
/// EXCLUDES  links in both directions of unequal speed; sources with other phases than ON and OFF.
/// SOURCE    the network: Singh and Dally 2004, section III; docs/derivations/trees.md
namespace tailbound::sim {

struct TreeModel {
  network::Tree tree;
  numeric::Rational load;  ///< per leaf [packets/slot]; 0 < load < 1, or load = 1 with a buffer
  network::TreeRouting routing = network::TreeRouting::random_root;
  std::optional<std::int64_t> buffer{};  ///< size of each queue, including the packet in service; >= 1
  /// Number of leaves whose packets are reordered into the order of sending (0: none). All packets of one
  /// leaf count as one flow that sends with probability `load`, for all destinations.
  int observed_flows = 0;
  /// Slots in the stream of a link: a power of two, 128 .. 4096; by default chosen from the load. Shorter
  /// streams need less memory; packets that do not fit take a slower code path. The result does not depend on
  /// it.
  std::optional<std::int64_t> ring_slots{};
  /// Each leaf is an on-off source of the load (traffic/on_off.hpp), started in its stationary distribution;
  /// without bursts, its slots are independent.
  std::optional<traffic::Burst> burst{};
  /// Per burst: all packets of a burst (from a leaf's turning ON until it turns OFF) have one destination and
  /// one route. Per packet: each draws both.
  traffic::Destination destination = traffic::Destination::per_burst;
  /// Are there bursts with per-burst routes?
  [[nodiscard]] bool keeps_paths() const {
    return burst.has_value() && destination == traffic::Destination::per_burst;
  }
};

/// Memory of the sources of a queue; nothing without bursts. Per-packet destinations: the first hop's k
/// leaves, thinned to 1/k (sources of later hops have less memory). Per-burst destinations: all leaves, at
/// the last hop, of each of which one burst in as many comes there (those of earlier hops vary slightly
/// less).
[[nodiscard]] SourceMemory source_memory(const TreeModel& model);

/// The queues that a packet can pass, in order: stage 0 .. n - 2 are the up links of levels 1 .. n - 1, stage
/// n - 1 .. 2n - 2 the down links of levels n .. 1.
[[nodiscard]] inline int stage_count(const network::Tree& tree) {
  return 2 * tree.levels - 1;
}

/// Rows of the counts of a tree's replication.
struct TreeRows {
  int stages, turns;
  explicit TreeRows(const network::Tree& tree) : stages(stage_count(tree)), turns(tree.levels) {}
  /// [n]: queue-slots with occupancy n.
  [[nodiscard]] std::size_t occupancy(int stage) const { return static_cast<std::size_t>(stage); }
  /// [n]: packets that found n packets ahead of them and joined: their wait is n slots.
  [[nodiscard]] std::size_t waits(int stage) const { return static_cast<std::size_t>(stages + stage); }
  /// [0]: packets dropped.
  [[nodiscard]] std::size_t drops(int stage) const { return static_cast<std::size_t>(2 * stages + stage); }
  /// [d]: delivered packets that turned at this level (1 .. n) with queueing delay d: the sum of their waits.
  /// Random-root packets all turn at level n.
  [[nodiscard]] std::size_t delays(int turn) const { return static_cast<std::size_t>(3 * stages + turn - 1); }
  /// [r]: flow-slots with r packets in the reorder buffer.
  [[nodiscard]] std::size_t reorder() const { return static_cast<std::size_t>(3 * stages + turns); }
  /// [0]: slots simulated.
  [[nodiscard]] std::size_t slots() const { return reorder() + 1; }
  [[nodiscard]] std::size_t count() const { return slots() + 1; }
};

/// Packets since the start; conservation:  sent = delivered + dropped + queued.
struct PacketBalance {
  std::int64_t sent = 0, delivered = 0, dropped = 0, queued = 0;
  [[nodiscard]] bool conserved() const { return sent == delivered + dropped + queued; }
  friend bool operator==(const PacketBalance&, const PacketBalance&) = default;
};

class TreeReplication : public Replication {
 public:
  /// `sent` is counted where sources draw, `queued` by a pass over all streams.
  /// COST  a pass over the memory
  [[nodiscard]] virtual PacketBalance balance() const = 0;
  /// Size of the streams and queues [bytes].
  [[nodiscard]] virtual std::size_t memory() const = 0;
};

/// \throws InvalidArgument  radix, levels, load, burst, buffer or observed_flows out of range
/// \throws Unstable         load >= 1 without a buffer
/// \throws LimitExceeded    more than 16 GiB
[[nodiscard]] std::unique_ptr<TreeReplication> make_tree_replication(const TreeModel& model, RandomKey key);

/// The inputs as text, for checkpoints and messages.
[[nodiscard]] std::string describe(const TreeModel& model);

}  // namespace tailbound::sim
