#pragma once

#include <tailbound/network/network.hpp>

#include <cstddef>
#include <limits>
#include <map>
#include <vector>

/// The queues of a network in which packets can wait at all, and by which inputs packets come to them.
///
/// MODEL     A queue whose inputs bring no more packets in a slot than its link takes never holds one over: it delays all
///           by its service alone, and what it forwards goes on to the next queue as from its own inputs. A host brings one
///           packet per slot at most, a flow with bursts of its own one, a queue what its link takes.
/// RESULT    exact, whatever the traffic: pathwise, by induction over slots
/// SOURCE    docs/derivations/any_network.md, "Queues that never wait"
/// TESTS     tests/bounds/network/collapsed_network_test.cpp
namespace tailbound::bounds {

/// What brings packets to a queue. Queues in between that never wait count as delays: two ways of different delay from one
/// queue are two inputs.
struct QueueInput {
  static constexpr std::size_t none = std::numeric_limits<std::size_t>::max();

  std::size_t queue = none;  ///< the last queue before, by its link; none: straight from a source
  std::size_t source =
      none;  ///< of those straight from a source: its number, of lanes node by node, then of flows with bursts
  std::size_t passed = 0;                ///< queues in between that never wait
  double rate = 0;                       ///< packets/slot
  numeric::Rational exact_rate = 0;      ///< the same
  std::map<std::size_t, double> behind;  ///< the same by source
  std::map<std::pair<std::size_t, std::size_t>, double>
      onward{};  ///< of these, to which queue by which of its inputs

  [[nodiscard]] bool straight() const { return queue == none; }
};

struct CollapsedQueue {
  bool waits = false;                     ///< may hold packets over from one slot to the next
  network::LinkRate capacity{};           ///< what its link takes
  std::int64_t most_arrivals = 0;         ///< in a slot: no more packets are ever there if it never waits
  double load = 0;                        ///< packets/slot
  bool bursts = false;                    ///< some source with bursts sends through it
  std::vector<QueueInput> inputs;         ///< of one that waits
  std::map<std::size_t, double> sources;  ///< rates through it, by source
};

struct CollapsedRoute {
  std::vector<std::size_t> queues;  ///< those that may wait
  std::vector<std::size_t> inputs;  ///< by which input packets come to each of them
  std::size_t hops = 0;             ///< queues in all, with those that never wait
  std::size_t source = 0;  ///< its number, as of QueueInput; of a node's lanes, which are alike, the first
  numeric::Rational share = 1;
};

struct CollapsedNetwork {
  std::vector<CollapsedQueue> queues;  ///< by link
  std::vector<std::vector<CollapsedRoute>>
      flows;  ///< routes that meet the same queues by the same inputs are one
};

/// \pre network::require_valid()
[[nodiscard]] CollapsedNetwork collapsed(const network::Network& network);

}  // namespace tailbound::bounds
