#pragma once

#include <tailbound/network/network.hpp>

#include <cstddef>
#include <limits>
#include <map>
#include <vector>

/// The queues of a network in which packets can wait, and the inputs over which packets reach them.
///
/// MODEL     A queue with one input never has a packet waiting: it delays all packets by its service only,
///           and the next queue receives them as if from that queue's input. A host delivers at most one
///           packet per slot, so does a flow with its own bursts, and a queue.
/// RESULT    exact for all traffic: pathwise, by induction over slots
/// SOURCE    docs/derivations/any_network.md, "Queues that never wait"
/// TESTS     tests/bounds/network/collapsed_network_test.cpp
namespace tailbound::bounds {

/// An input of a queue. Queues in between that never wait count as delays: two paths of different delay from
/// one queue are two inputs.
struct QueueInput {
  static constexpr std::size_t none = std::numeric_limits<std::size_t>::max();

  std::size_t queue = none;  ///< the previous queue, by its link; none: directly from a source
  std::size_t source =
      none;                ///< for inputs directly from a source: its number, nodes, then flows with bursts
  std::size_t passed = 0;  ///< queues in between that never wait
  double rate = 0;         ///< packets/slot
  numeric::Rational exact_rate = 0;                                ///< the same, exactly
  std::map<std::size_t, double> behind;                            ///< the same, by source
  std::map<std::size_t, numeric::Rational> exact_behind;           ///< exactly
  std::map<std::pair<std::size_t, std::size_t>, double> onward{};  ///< of these, the next queue and its input

  [[nodiscard]] bool straight() const { return queue == none; }
};

struct CollapsedQueue {
  bool waits = false;                     ///< packets may wait in it from one slot to the next
  double load = 0;                        ///< packets/slot
  bool bursts = false;                    ///< some source with bursts sends through it
  std::vector<QueueInput> inputs;         ///< of a queue that may wait
  std::map<std::size_t, double> sources;  ///< rates through it, by source
};

struct CollapsedRoute {
  std::vector<std::size_t> queues;  ///< those that may wait
  std::vector<std::size_t> inputs;  ///< the input over which packets reach each of them
  std::size_t hops = 0;             ///< all queues, including those that never wait
  std::size_t source = 0;           ///< its number as in QueueInput
  numeric::Rational share = 1;
};

struct CollapsedNetwork {
  std::vector<CollapsedQueue> queues;              ///< by link
  std::vector<std::vector<CollapsedRoute>> flows;  ///< routes through the same queues and inputs are merged
};

/// \pre network::require_valid(), network::has_unit_speeds()
[[nodiscard]] CollapsedNetwork collapsed(const network::Network& network);

}  // namespace tailbound::bounds
