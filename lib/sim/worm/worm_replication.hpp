#pragma once

#include <tailbound/sim/batches/replication.hpp>
#include <tailbound/sim/worm/worm_messages.hpp>

#include <functional>
#include <memory>

/// A wormhole network under its traffic (sim/worm/worm_messages.hpp), flit by flit
/// (sim/worm/worm_engine.hpp).
///
/// MODEL     A slot is a cycle. Times of a message: source queueing W, from its birth until its head crosses
///           the injection channel; network latency x, until that channel can take the next head; latency L,
///           until its tail has left. If no physical channel is shared, the message is not shorter than its
///           path, and routers have no delay, L = W + x + D - 1.
/// RESULT    messages count when they end.
/// COST      bench/README.md. Memory: 24 D bytes for each message in the network, D the longest route; 16
///           bytes per channel, 16 per station, 28 for each message that waits at a source.
/// TESTS     tests/sim/worm_replication_test.cpp, tests/validation/rigid_worms_test.cpp
namespace tailbound::sim {

/// Rows of the counts.
struct WormRows {
  static constexpr std::size_t cycles = 0;     ///< [0]: simulated
  static constexpr std::size_t generated = 1;  ///< [0]: messages, [1]: their flits
  static constexpr std::size_t delivered = 2;  ///< [0]: messages, [1]: their flits
  /// Of messages delivered, summed [cycles]: [0] latency, [1] source queueing, [2] network latency, [3]
  /// distance.
  static constexpr std::size_t times = 3;
  static constexpr std::size_t latency = 4;    ///< [bin]: messages; the last bin counts all values beyond
  static constexpr std::size_t waiting = 5;    ///< [0]: messages at sources, summed over cycles
  static constexpr std::size_t crossings = 6;  ///< [0]: flits that crossed a channel
  static constexpr std::size_t flits = 7;      ///< [channel]: flits of the messages that left it
  static constexpr std::size_t occupancy = 8;  ///< [channel]: cycles for which these messages occupied it
  static constexpr std::size_t offered =
      9;  ///< [station]: messages that began to wait for it at their source
  static constexpr std::size_t arrived = 10;  ///< [station]: of these, delivered
  static constexpr std::size_t count = 11;
  /// Further rows for each part of the messages, as in parts_of(), if there are several. [0]: delivered, [1]:
  /// their flits, [2]: sum of their latencies, [3]: of their source queueing.
  [[nodiscard]] static constexpr std::size_t part(std::size_t i) { return count + 2 * i; }
  /// [bin]: messages
  [[nodiscard]] static constexpr std::size_t part_latency(std::size_t i) { return count + 2 * i + 1; }
};

/// Width of the latency bins [cycles]: 1, and more from 2 048 flits on, the longest message of a list of
/// lengths or the mean of geometric ones.
[[nodiscard]] std::uint64_t latency_bin(const WormModel& model);

class WormReplication : public Replication {
 public:
  /// Called for each message as it ends.
  using Observer = std::function<void(const WormDelivery&)>;
  virtual void watch(Observer observer) = 0;
  [[nodiscard]] virtual const WormEngine& engine() const = 0;
};

/// \throws InvalidArgument  a field out of range
/// advance() throws NoAnswer  deadlock
[[nodiscard]] std::unique_ptr<WormReplication> make_worm_replication(const WormModel& model, RandomKey key);

}  // namespace tailbound::sim
