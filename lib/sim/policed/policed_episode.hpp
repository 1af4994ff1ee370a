#pragma once

#include <tailbound/sim/policed/policed_ticks.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

/// One run of a network of policed flows from empty queues and full buckets until the last packet has left,
/// event by event.
///
/// MODEL     Store and forward, or cut-through. A packet is sent once at each port and copied behind it to
///           each next one. Flows send as their plan requires, as soon as their buckets admit the last bit,
///           or when they are due. The plan gives the order of events at one tick, and an idle port starts
///           with the first one: limits of packets slightly earlier or later.
///             priority  non-preemptive, or with preemption in whole bytes: a frame is cut as soon as an
///                       express packet is ready, enough of it is sent and enough remains; what was cut goes
///                       on before other preemptable packets
///             gates     the highest class that is open and whose first packet may begin; phases of the plan
///             drr       active classes in turn; a class whose queue empties loses its deficit
///             cbs       credit rises while packets wait or it is below 0, and is lost when the queue is
///                       empty
///             best effort  at ports with best-effort traffic a packet is present whenever no class may send,
///                          and has started just before a packet arrives at an idle port
///             regulators  after a port, one first-in first-out queue per flow; or one per class (802.1Qcr),
///                         if all flows arrive at the port directly from sources or regulators: otherwise the
///                         delay of a shared regulator is unbounded
///             cut-through  a packet counts, as a whole, from when its header has come
/// RESULT    maximum delays and backlogs (EpisodePeaks), whole ticks
/// CONTRACT  a function of network and plan
/// TESTS     tests/sim/policed_episode_test.cpp
/// Internal to the sim module.
namespace tailbound::sim {

/// Lengths of the packets of a run of packets.
enum class PacketLengths {
  full,            ///< the longest, except that the burst empties the bucket to the last unit
  full_backwards,  ///< the same in reverse order
  longest,
  shortest,
  random,
  uncut,  ///< the longest that is not cut
};

struct PacketRun {
  Ticks wait = 0;  ///< after the packet before
  std::uint32_t packets = endless;
  PacketLengths lengths = PacketLengths::full;
  static constexpr std::uint32_t endless = ~std::uint32_t{0};
};

/// How undetermined events are decided.
enum class Chance { always, never, random };

struct FlowPlan {
  Ticks start = 0;
  std::uint32_t rank = 0;  ///< among packets that arrive at one tick the lowest is first
  std::vector<PacketRun> runs{};
  bool repeats = false;
  /// Periodic flows: are packets due before `start` sent as late as then? Otherwise all when they are due, or
  /// any time of their jitter later. They send every packet: waits between runs do not count.
  Chance jitter = Chance::always;
};

struct EpisodePlan {
  std::vector<FlowPlan> flows{};
  bool departures_first = true;  ///< at one tick: a port selects its next packet before others arrive
  /// does a packet take the full latency? otherwise none of it, or a part
  Chance full_latency = Chance::always;
  Chance best_effort = Chance::always;  ///< is a best-effort packet present when it may be sent?
  bool regulator_per_flow = false;      ///< also where one per class is possible
  bool stores_waiting = false;          ///< cut-through: is a packet stored that cannot be sent on at once?
  /// [port]: a cycle of its gates begins, if they follow a clock so much later than by it; empty: no gates
  std::vector<Ticks> gate_phases{};
  std::vector<Ticks> clock_phases{};  ///< [clock]: its time 0
  std::uint64_t packets = 0;          ///< sources stop after this number of packets
  std::uint64_t seed = 0;

  /// When a cycle of a port's gates begins.
  [[nodiscard]] Ticks gates_begin(const TickedNetwork& network, std::size_t port) const {
    const TickedPort& its = network.ports[port];
    return gate_phases[port] + (its.clock ? clock_phases[*its.clock] + its.gate_offset : 0);
  }
};

struct EpisodePeaks {
  std::vector<Ticks> delay;            ///< [destination of all flows], end to end; 0: no packet yet
  std::vector<std::uint64_t> packets;  ///< [flow], that were sent and so arrived
  std::vector<Ticks> backlog;          ///< [queue], in units of its transmission time
  std::vector<Ticks> queue_delay;      ///< [queue]
  explicit EpisodePeaks(const TickedNetwork& network)
      : delay(network.destinations),
        packets(network.flows.size()),
        backlog(network.queues.size()),
        queue_delay(network.queues.size()) {}
  void raise(const EpisodePeaks& other);
};

class PolicedEpisodes {
 public:
  /// \param network  kept by reference
  explicit PolicedEpisodes(const TickedNetwork& network);
  ~PolicedEpisodes();
  PolicedEpisodes(const PolicedEpisodes&) = delete;
  PolicedEpisodes& operator=(const PolicedEpisodes&) = delete;

  /// \param target  destination for which the times of the latest packet are kept
  /// \throws LimitExceeded  an event after latest_tick
  [[nodiscard]] const EpisodePeaks& run(const EpisodePlan& plan, std::size_t target = 0);
  /// Called for every packet that arrives at a port of its flow's path, `hop` from 0 on, when its last bit is
  /// in.
  using Observer = std::function<void(Ticks at, std::size_t flow, std::size_t hop, DataUnits length)>;
  void watch(Observer observer);
  /// Arrival times of the target's latest packet at each hop of its flow; those on the way to it count.
  [[nodiscard]] const std::vector<Ticks>& latest_arrivals() const;

 private:
  class Engine;
  std::unique_ptr<Engine> engine_;
};

}  // namespace tailbound::sim
