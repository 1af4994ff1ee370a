#pragma once

#include <tailbound/network/policed/policed_network.hpp>
#include <tailbound/sim/batches/replication.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

/// Slot-by-slot simulation of a network whose flows pass token buckets.
///
/// MODEL     In each slot every queue that is not empty serves one packet, which joins the next queue of its
///           path. Then flows send according to their behaviour and their buckets; packets that arrive at a
///           queue in one slot join it in random order. Then the slot is counted: Q[t] = max(Q[t-1] - 1, 0) +
///           A[t]. With strict priority a port has a queue per class. Buckets are full at the start, queues
///           empty. Flows send
///             greedily    everything their buckets admit, from slot 0 on;
///             periodically  as a greedy flow in the long run, shifted by a random number of slots;
///             at random   on and off for random times, of all orders of magnitude up to the time in which a
///                         bucket fills; in some on-times everything the buckets admit, in others any part of
///                         it;
///             together    nothing until all buckets are full and all queues empty, then greedily until the
///                         buckets are used up, and again: in every other round all from the same slot,
///                         otherwise within a few slots.
/// RESULT    counts (PolicedRows); with any behaviour, each flow conforms to its buckets
/// METHOD    Flows are processed only in slots in which they may send (a timing wheel). Queues are rings of
///           packets of 8 bytes.
/// EXCLUDES  rates other than 1, latencies, regulators, other schedulers
/// CONTRACT  a function of the model and the random key
/// TESTS     tests/sim/policed_replication_test.cpp
namespace tailbound::sim {

enum class PolicedSending { random, greedy, periodic, together };
[[nodiscard]] constexpr auto names_of(PolicedSending) {
  return std::array{"random", "greedy", "periodic", "together"};
}

struct PolicedModel {
  network::PolicedNetwork network;      ///< in slots; fifo or priority; may contain rings
  std::vector<PolicedSending> sending;  ///< one for all flows, or one per flow
};

/// Rows of the counts.
struct PolicedRows {
  static constexpr std::size_t slots = 0;  ///< [0]
  static constexpr std::size_t sent = 1;   ///< [flow]: packets
  explicit PolicedRows(const network::PolicedNetwork& network)
      : ports(network.ports.size()), flows(network.flows.size()), classes(network.classes.size()) {}

  /// [Q]: slots, all classes of the port together
  [[nodiscard]] std::size_t backlog(std::size_t port) const { return 2 + port; }
  /// [slots end to end, wait + 1 at each port]: packets that have left
  [[nodiscard]] std::size_t delay(std::size_t flow) const { return 2 + ports + flow; }
  /// [Q of the class]: slots; empty without strict priority
  [[nodiscard]] std::size_t of_class(std::size_t port, std::size_t number) const {
    return 2 + ports + flows + port * classes + number;
  }
  [[nodiscard]] std::size_t count() const { return 2 + ports + flows + ports * classes; }

  std::size_t ports, flows, classes;
};

class PolicedReplication : public Replication {
 public:
  /// Receives what every flow sends, in the order of slots; flows that send nothing in a slot are omitted.
  using Observer = std::function<void(std::uint64_t slot, std::size_t flow, std::int64_t packets)>;
  virtual void watch(Observer observer) = 0;
  /// Q of each port after the arrivals of the last slot.
  [[nodiscard]] virtual std::vector<std::int64_t> backlogs() const = 0;
};

/// \throws InvalidArgument  a field out of range
/// \throws Unstable         the offered load of a port is above one packet per slot
[[nodiscard]] std::unique_ptr<PolicedReplication> make_policed_replication(const PolicedModel& model,
                                                                           RandomKey key);

/// The inputs as text, for checkpoints.
[[nodiscard]] std::string describe(const PolicedModel& model);

}  // namespace tailbound::sim
