#pragma once

#include <tailbound/sim/policed/policed_ticks.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

/// One run of a network of policed flows from empty queues and full buckets until the last packet is out, event by event.
///
/// MODEL     Store and forward. Flows send what their plan wants, as soon as their buckets let the last bit through. Of what
///           happens at one tick the order is the plan's, and a port that is idle begins with the first that is there: limits
///           of what packets a moment earlier or later do.
///             priority  a packet under way is finished
///             drr       active classes in turn; a class whose queue empties loses its deficit
///             cbs       credit rises while packets wait or it is below 0, and is lost when the queue is empty
///             best effort  at ports that have it a packet is there whenever no class may send, and has begun just before
///                       a packet comes to an idle port
///             regulators  behind a port, one first-in first-out queue a flow; or one a class (802.1Qcr), where all flows
///                       come to the port straight from sources or regulators: without that the delay of one that is
///                       shared has no bound
/// RESULT    the greatest delays and backlogs (EpisodePeaks), whole ticks
/// CONTRACT  a function of network and plan
/// TESTS     tests/sim/policed_events_test.cpp
/// Internal to the sim module.
namespace tailbound::sim {

/// Lengths of the packets of a run of packets.
enum class PacketLengths {
  full,            ///< the longest, but that the burst empties the bucket to the last unit
  full_backwards,  ///< the same, the other way round
  longest,
  shortest,
  random,
};

struct PacketRun {
  Ticks wait = 0;  ///< after the packet before
  std::uint32_t packets = endless;
  PacketLengths lengths = PacketLengths::full;
  static constexpr std::uint32_t endless = ~std::uint32_t{0};
};

struct FlowPlan {
  Ticks start = 0;
  std::uint32_t rank = 0;  ///< of packets that come at one tick the lowest is first
  std::vector<PacketRun> runs{};
  bool repeats = false;
};

/// What is left to chance or malice.
enum class Chance { always, never, random };

struct EpisodePlan {
  std::vector<FlowPlan> flows{};
  bool departures_first = true;          ///< at one tick: a port chooses its next packet before others come
  Chance full_latency = Chance::always;  ///< does a packet take the whole latency? else none of it, or a part
  Chance best_effort = Chance::always;   ///< is it there when it may be sent?
  bool regulator_per_flow = false;       ///< also where one a class may be
  std::uint64_t packets = 0;             ///< no source sends when so many have been sent
  std::uint64_t seed = 0;
};

struct EpisodePeaks {
  std::vector<Ticks> delay;            ///< [flow], from end to end; 0: no packet yet
  std::vector<std::uint64_t> packets;  ///< [flow]
  std::vector<Ticks> backlog;          ///< [queue], in the time that it takes to be sent
  std::vector<Ticks> queue_delay;      ///< [queue]
  explicit EpisodePeaks(const TickedNetwork& network)
      : delay(network.flows.size()),
        packets(network.flows.size()),
        backlog(network.queues.size()),
        queue_delay(network.queues.size()) {}
  void raise(const EpisodePeaks& other);
};

class PolicedEpisodes {
 public:
  /// \param network  is kept by reference
  explicit PolicedEpisodes(const TickedNetwork& network);
  ~PolicedEpisodes();
  PolicedEpisodes(const PolicedEpisodes&) = delete;
  PolicedEpisodes& operator=(const PolicedEpisodes&) = delete;

  /// \param target  flow whose latest packet's times are kept
  /// \throws LimitExceeded  an event after latest_tick
  [[nodiscard]] const EpisodePeaks& run(const EpisodePlan& plan, std::size_t target = 0);
  /// Sees every packet that comes to a port of its flow's path, `hop` from 0 on, when its last bit is in.
  using Witness = std::function<void(Ticks at, std::size_t flow, std::size_t hop, DataUnits length)>;
  void watch(Witness witness);
  /// When the target's latest packet came to each queue of its path.
  [[nodiscard]] const std::vector<Ticks>& latest_arrivals() const;

 private:
  class Engine;
  std::unique_ptr<Engine> engine_;
};

}  // namespace tailbound::sim
