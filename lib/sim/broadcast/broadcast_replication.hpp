#pragma once

#include <tailbound/network/channels/worm_ends.hpp>
#include <tailbound/numeric/rational.hpp>
#include <tailbound/sim/batches/replication.hpp>
#include <tailbound/sim/worm/worm_engine.hpp>

#include <functional>
#include <memory>
#include <string>

/// Unicasts and broadcasts in a wormhole hypercube, flit by flit (sim/worm/worm_engine.hpp).
///
/// MODEL     Network and trees of network/worms/hypercube_worms.hpp. A slot is a cycle. Each node generates
///           messages of M flits as a Poisson process; a message generated within a cycle is sent with the
///           next. With probability b it is a broadcast, otherwise a unicast to any other node with equal
///           probability, through any port with equal probability. A broadcast's tree has its source as root
///           and a random base; its copies enter at the port of the dimension that they cross, Delta cycles
///           after the broadcast was generated, or after their sender had received the whole message. With
///           one injection channel per node, all enter there, copies of one node in descending order of the
///           dimensions of the tree.
/// RESULT    messages count when they end, a broadcast with its last receiver. Of each broadcast, N - 1
///           copies are delivered: flits per cycle and node are (1 + b (N - 2)) M lg.
/// CONTRACT  a function of the model and the random key
/// SOURCE    Shahrabi and Ould-Khaoua 2003, section 2
/// COST      bench/README.md
/// TESTS     tests/sim/broadcast_replication_test.cpp
namespace tailbound::sim {

/// All inputs of such a simulation.
struct BroadcastModel {
  int dimensions = 1;             ///< n, 1 .. 16
  int virtual_channels = 2;       ///< V per link, 1 .. 64
  std::int64_t flits = 32;        ///< M, 1 .. 1 000 000
  numeric::Rational rate;         ///< lg, messages/cycle/node; above 0, at most 1
  numeric::Rational broadcast;    ///< b, from 0 to 1
  std::int64_t startup = 0;       ///< Delta of each step of a broadcast [cycles], 0 .. 10^9
  std::int64_t buffer_flits = 1;  ///< of each virtual channel, 1 .. 1 000 000
  network::WormEnds ends = network::all_port;

  [[nodiscard]] double nodes() const;
};

/// \throws InvalidArgument  a field out of range
void check(const BroadcastModel& model);

/// The inputs as text, for checkpoints.
[[nodiscard]] std::string describe(const BroadcastModel& model);

/// Rows of the counts.
struct BroadcastRows {
  static constexpr std::size_t cycles = 0;     ///< [0]: simulated
  static constexpr std::size_t generated = 1;  ///< [0]: unicasts, [1]: broadcasts
  static constexpr std::size_t sent = 2;       ///< [0]: unicasts and copies handed to a port
  static constexpr std::size_t delivered = 3;  ///< [0]: unicasts and copies, [1]: their flits
  /// [0]: delivered; summed over them [cycles]: [1] latency, [2] source queueing, [3] links
  static constexpr std::size_t unicasts = 4;
  /// [0]: delivered; summed over them [cycles], from when they were handed to a port: [1] latency, [2] wait
  static constexpr std::size_t copies = 5;
  static constexpr std::size_t broadcasts = 6;  ///< [0]: ended, [1]: sum of their latencies
  /// [bin]: unicasts; the last bin counts all values beyond
  static constexpr std::size_t unicast_latency = 7;
  static constexpr std::size_t broadcast_latency = 8;  ///< [bin]: broadcasts
  static constexpr std::size_t waiting = 9;            ///< [0]: messages at ports, summed over cycles
  static constexpr std::size_t crossings = 10;         ///< [0]: flits that crossed a channel
  static constexpr std::size_t flits = 11;  ///< [dimension]: flits of the messages that left its links
  /// [dimension]: cycles for which these messages occupied a virtual channel
  static constexpr std::size_t occupancy = 12;
  static constexpr std::size_t count = 13;
};

/// Width of the latency bins [cycles]. The larger one is for broadcasts.
struct BroadcastBins {
  std::uint64_t unicast = 1, broadcast = 1;
};
[[nodiscard]] BroadcastBins latency_bins_of(const BroadcastModel& model);

class BroadcastReplication : public Replication {
 public:
  /// Called for each unicast and copy as it ends. The message's tag is 0 for unicasts, and the same above 0
  /// for all copies of a broadcast until it ends.
  using Observer = std::function<void(const WormDelivery&)>;
  virtual void watch(Observer observer) = 0;
  [[nodiscard]] virtual const WormEngine& engine() const = 0;
};

/// \throws InvalidArgument  a field out of range
[[nodiscard]] std::unique_ptr<BroadcastReplication> make_broadcast_replication(const BroadcastModel& model,
                                                                               RandomKey key);

}  // namespace tailbound::sim
