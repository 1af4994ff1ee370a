#pragma once

#include <tailbound/answers/network/topology.hpp>
#include <tailbound/answers/simulation/simulation.hpp>
#include <tailbound/core/quantity.hpp>
#include <tailbound/numeric/truth.hpp>

#include <cstdint>
#include <optional>
#include <variant>

/// How likely is it that a queue of a tree holds more than n packets, where plain simulation never sees it?
///
/// MODEL     sim/tree/tree_replication.hpp with unlimited room: P(Q > n) of a queue that packets meet at the
///           hop asked for, just after the arrivals of a slot. Down to 1e-280.
/// METHOD    The first hop that all packets meet (random-root routing, or a single level), and any first hop of
///           bursts that go each to one destination: importance sampling of its queue's busy cycles
///           (sim/rare/rare_queue.hpp; with bursts rare_bursty_queue.hpp). Any other hop: splitting
///           (sim/splitting/rare_tree.hpp), unless bursts go each to one destination.
/// RESULT    an estimate with its 95 % interval; neither method has a bias.
/// EXCLUDES  finite buffers, delays, networks that are no trees.
/// TESTS     tests/answers/simulation/simulate_rare_test.cpp
namespace tailbound::answers {

struct SimulateRareQuestion {
  TreeTopology topology;  ///< load above 0 and below 1
  int hop = 1;            ///< 1 .. 2n - 1 for n levels: the queue is that of stage hop - 1
  /// n of P(Q > n), 1 .. 100 000 packets; or a probability, above 0 and below 1: n is then where the queue
  /// would have it if no queue upstream spread its arrivals.
  std::variant<Packets, numeric::Rational> rare = Packets(1);
  /// Importance sampling: `slots` are busy cycles, of all replications together; there is neither a warm-up
  /// nor a number of replications to choose. Unless told, so long that it takes seconds on a core.
  RunLength length{};
};

enum class RareMethod { importance_sampling, splitting };

/// Which method the question gets.
/// \throws InvalidArgument  the hop is out of range, or a later one of bursts that go each to one destination
[[nodiscard]] RareMethod method_of(const SimulateRareQuestion& question);

struct SimulateRareAnswer {
  RareMethod method = RareMethod::splitting;
  Packets level{};  ///< n
  /// P(Q > n), 95 %; none where splitting never saw it, which more slots may.
  std::optional<numeric::Estimate<unit::Probability>> probability{};
  Simulated simulated{};  ///< importance sampling: its slots are cycles of the queue

  /// Cycles simulated, in the batches that were done.  \pre importance sampling
  [[nodiscard]] std::int64_t cycles() const {
    return simulated.plan.batch_slots() * static_cast<std::int64_t>(simulated.batches());
  }
  [[nodiscard]] bool stopped() const { return simulated.stopped(); }
};

/// \throws InvalidArgument  tree, load, burst, hop, level or length out of range;  NoAnswer  a single source
/// \throws Unstable         load 1
/// \throws NoAnswer         importance sampling: no cycle met the event
/// \throws Stopped          before two batches were done
[[nodiscard]] SimulateRareAnswer answer(const SimulateRareQuestion& question, const Run& run = {});

}  // namespace tailbound::answers
