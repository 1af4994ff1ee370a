#pragma once

#include <tailbound/sim/policed/policed_episode.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <queue>
#include <vector>

/// The state of a run of policed flows (sim/policed/policed_episode.hpp), and what happens to it.
///
/// TESTS     tests/sim/policed_episode_test.cpp
/// Internal to the sim module.
namespace tailbound::sim {

constexpr std::uint32_t no_packet = ~std::uint32_t{0};
/// Order of events at one tick, after departures that come first; none of these overtakes another.
constexpr std::uint32_t in_order_of_arrival = 1;

enum class EventKind : std::uint8_t { sends, arrives, header, ready, departs, wakes, released };

struct PortEvent {
  Ticks at;
  std::uint32_t order;   ///< at one tick
  std::uint64_t number;  ///< of the event: first in, first out
  std::uint32_t what;    ///< packet, flow, port or regulator
  EventKind kind;
  friend bool operator>(const PortEvent& one, const PortEvent& other) {
    if (one.at != other.at) return one.at > other.at;
    if (one.order != other.order) return one.order > other.order;
    return one.number > other.number;
  }
};

struct PacketInTransit {
  std::size_t flow = 0, hop = 0;
  DataUnits length = 0;
  Ticks created = 0, came = 0;
  Ticks rest = 0;  ///< cut-through: time from its header to its last bit
};

/// First in, first out.
class PacketLine {
 public:
  [[nodiscard]] bool empty() const { return first_ == packets_.size(); }
  [[nodiscard]] std::size_t size() const { return packets_.size() - first_; }
  [[nodiscard]] std::uint32_t front() const { return packets_[first_]; }
  void push_back(std::uint32_t packet) {
    if (first_ > 32 && 2 * first_ > packets_.size()) {
      packets_.erase(packets_.begin(), packets_.begin() + static_cast<std::ptrdiff_t>(first_));
      first_ = 0;
    }
    packets_.push_back(packet);
  }
  void pop_front() {
    if (++first_ < packets_.size()) return;
    packets_.clear();
    first_ = 0;
  }

 private:
  std::vector<std::uint32_t> packets_{};
  std::size_t first_ = 0;
};

/// Packets that are ready, and the whole content.
struct ClassQueue {
  PacketLine ready{};
  Ticks content = 0;     ///< to be sent, including packets in the node's latency
  Ticks last_ready = 0;  ///< packets do not overtake in the latency
  Ticks stored = 0;      ///< until then nor behind a packet that is stored
  std::int64_t deficit = 0;
  Ticks credit = 0, credit_at = 0;  ///< in units of the time in which the idle slope earns it
};

/// A packet that an express one has cut.
struct Interrupted {
  std::uint32_t packet = no_packet;  ///< none: best effort
  std::size_t queue = 0;
  Ticks left = 0, sent = 0;
};

struct SendingPort {
  bool busy = false;
  std::uint32_t packet = no_packet;  ///< none while busy: best effort
  std::size_t queue = 0;
  Ticks began = 0;
  std::uint64_t wake = 0;             ///< number of the current event
  std::vector<std::size_t> active{};  ///< drr: the first one has its turn
  bool in_turn = false;
  std::uint64_t departure = 0;  ///< number of the current event
  // preemption
  Ticks sent = 0;          ///< of the packet's own length, before this fragment
  Ticks left = 0;          ///< of its frame, when this fragment began
  Ticks cut_at = not_cut;  ///< its data end; check sum and gap follow
  bool first = true;       ///< is this its first fragment?
  std::optional<Interrupted> interrupted{};
  static constexpr Ticks not_cut = latest_tick;
};

/// When buckets were last empty, if they have earned continuously since.
using Emptied = std::vector<Ticks>;

inline Ticks eligible_at(const TickedFlow& flow, const Emptied& emptied, DataUnits length, Ticks not_before) {
  for (std::size_t j = 0; j < emptied.size(); ++j)
    not_before = std::max(not_before, emptied[j] + length * flow.buckets[j].per_unit);
  return not_before;
}

inline void take_tokens(const TickedFlow& flow, Emptied& emptied, DataUnits length, Ticks now) {
  for (std::size_t j = 0; j < emptied.size(); ++j)
    emptied[j] = std::max(emptied[j], now - flow.buckets[j].depth) + length * flow.buckets[j].per_unit;
}

inline Emptied full_buckets(const TickedFlow& flow) {
  Emptied emptied;
  for (const TickedBucket& bucket : flow.buckets) emptied.push_back(-bucket.depth);
  return emptied;
}

/// Cheap random numbers, good enough for lengths and coins.
inline std::uint64_t scrambled(std::uint64_t value) {
  value += 0x9e3779b97f4a7c15ULL;
  value = (value ^ (value >> 30U)) * 0xbf58476d1ce4e5b9ULL;
  value = (value ^ (value >> 27U)) * 0x94d049bb133111ebULL;
  return value ^ (value >> 31U);
}

struct PlannedSource {
  Emptied emptied;
  std::size_t run = 0;
  std::uint32_t in_run = 0;
  Ticks last = 0;
  DataUnits length = 0;  ///< of the next packet
  Ticks due = 0;         ///< its time, of a periodic flow
};

class PolicedEpisodes::Engine {
 public:
  explicit Engine(const TickedNetwork& network) : network_(network), peaks_(network) {
    for (const TickedFlow& flow : network.flows) {
      longest_path_ = std::max(longest_path_, flow.hops.size());
      first_hop_.push_back(hops_);
      flow_of_.insert(flow_of_.end(), flow.destinations, first_hop_.size() - 1);
      hops_ += flow.hops.size();
    }
  }
  const EpisodePeaks& run(const EpisodePlan& plan, std::size_t target);
  [[nodiscard]] const std::vector<Ticks>& latest_arrivals() const { return latest_; }
  void watch(Observer observer) { observer_ = std::move(observer); }

 private:
  void begin(const EpisodePlan& plan, std::size_t target);
  void push(Ticks at, std::uint32_t order, EventKind kind, std::size_t what);
  void handle(const PortEvent& event);
  [[nodiscard]] std::uint32_t rank(std::uint32_t packet) const {
    return plan_->flows[packets_[packet].flow].rank + 1;
  }
  [[nodiscard]] std::uint32_t order_of_departures() const { return plan_->departures_first ? 0 : ~0U; }

  void plan_next(std::size_t flow);
  /// When its first packet is due.
  [[nodiscard]] Ticks first_due(std::size_t flow) const;
  /// When its next packet is sent.
  [[nodiscard]] Ticks next_periodic(std::size_t flow);
  void send(std::size_t flow);
  [[nodiscard]] DataUnits length_of(const TickedFlow& flow, PacketLengths lengths, std::uint32_t number);

  [[nodiscard]] std::uint32_t new_packet(const PacketInTransit& its);
  [[nodiscard]] std::uint32_t copy_at(std::uint32_t packet, std::uint32_t hop);
  void forward(std::uint32_t packet);
  void send_ahead(std::uint32_t packet);
  void arrive(std::uint32_t packet);
  void join(std::uint32_t packet);
  [[nodiscard]] bool stores(std::uint32_t packet);
  void begin_sending(std::size_t port);
  void depart(std::size_t port);
  void deliver(std::uint32_t packet, std::size_t destination);
  void hold(std::uint32_t packet);
  void release(std::size_t regulator);

  /// Queues that may send: position among the port's queues; none: count.
  [[nodiscard]] std::size_t choose(std::size_t port);
  [[nodiscard]] std::size_t choose_in_turn(std::size_t port);
  [[nodiscard]] std::size_t choose_by_credit(std::size_t port);
  [[nodiscard]] std::size_t choose_by_gates(std::size_t port);
  /// Time until the gate opens; 0 if the packet may begin now.
  [[nodiscard]] Ticks wait_for_gate(std::size_t queue, std::uint32_t packet) const;
  [[nodiscard]] bool shaped(const TickedPort& port, std::size_t queue) const {
    return *network_.queues[queue].traffic_class < port.slopes.size();
  }
  void update_credit(std::size_t queue);
  /// Before a packet of this queue: is there one of best effort in transmission?
  [[nodiscard]] bool finds_best_effort(std::size_t queue);
  void send_best_effort(std::size_t port, Ticks takes);
  void occupy(std::size_t port, std::uint32_t packet, std::size_t queue, Ticks until);
  void cut(std::size_t port);
  void interrupt(std::size_t port);
  void resume(std::size_t port);
  [[nodiscard]] Ticks sent_of_fragment(std::size_t port, Ticks until) const;
  [[nodiscard]] bool happens(Chance chance) {
    return chance == Chance::always || (chance == Chance::random && (chance_word() & 1U) != 0);
  }
  [[nodiscard]] std::uint64_t chance_word() {
    return scrambled(plan_->seed + chances_++ * 0x632be59bd9b4e019ULL);
  }

  const TickedNetwork& network_;
  EpisodePeaks peaks_;
  std::size_t longest_path_ = 0, hops_ = 0;
  const EpisodePlan* plan_ = nullptr;
  Observer observer_{};
  std::size_t target_ = 0, target_flow_ = 0;
  Ticks now_ = 0;
  std::uint64_t events_made_ = 0, sent_ = 0, chances_ = 0;
  std::priority_queue<PortEvent, std::vector<PortEvent>, std::greater<>> events_;
  std::vector<PacketInTransit> packets_;
  std::vector<std::uint32_t> unused_;
  std::vector<ClassQueue> queues_;
  std::vector<SendingPort> ports_;
  std::vector<PlannedSource> sources_;
  std::vector<std::size_t> first_hop_;           ///< of a flow, counting those of all flows
  std::vector<std::size_t> flow_of_;             ///< [destination]
  std::vector<PacketLine> regulators_;           ///< after each hop of each flow, and of (port, class)
  std::vector<std::vector<Emptied>> regulated_;  ///< [flow][hop]
  std::vector<Ticks> arrivals_, latest_;         ///< of the target's packets
};

}  // namespace tailbound::sim
