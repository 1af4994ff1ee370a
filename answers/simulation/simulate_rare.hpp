#pragma once

#include <tailbound/answers/network/topology.hpp>
#include <tailbound/answers/simulation/simulation.hpp>
#include <tailbound/core/quantity.hpp>
#include <tailbound/numeric/truth.hpp>

#include <cstdint>
#include <optional>
#include <variant>

/// Probability that a queue of a tree holds more than n packets, for events too rare for plain simulation.
///
/// MODEL     sim/tree/tree_replication.hpp with unlimited buffers: P(Q > n) of a queue that packets meet at
/// the
///           given hop, just after the arrivals of a slot. Down to 1e-280.
/// METHOD    The first hop that all packets meet (random-root routing, or a single level), and any first hop
/// with
///           a per-burst destination: importance sampling of its queue's busy cycles
///           (sim/rare/rare_queue.hpp; with bursts rare_bursty_queue.hpp). Any other hop: splitting
///           (sim/splitting/rare_tree.hpp), unless bursts have one destination each.
/// RESULT    an estimate with its 95 % interval; both methods are unbiased.
/// EXCLUDES  finite buffers, delays, networks other than trees.
/// TESTS     tests/answers/simulation/simulate_rare_test.cpp
namespace tailbound::answers {

struct SimulateRareQuery {
  TreeTopology topology;  ///< load above 0 and below 1
  int hop = 1;            ///< 1 .. 2n - 1 for n levels: the queue is that of stage hop - 1
  /// n of P(Q > n), 1 .. 100 000 packets; or a probability, above 0 and below 1: n is then the level with
  /// that probability if no upstream queue smoothed the arrivals.
  std::variant<Packets, numeric::Rational> rare = Packets(1);
  /// Importance sampling: `slots` counts busy cycles of all replications together; there is no warm-up and no
  /// choice of replications. The default length takes seconds on one core.
  RunLength length{};
};

enum class RareMethod { importance_sampling, splitting };

/// The method for the query.
/// \throws InvalidArgument  the hop is out of range, or a later hop of bursts with one destination each
[[nodiscard]] RareMethod method_of(const SimulateRareQuery& query);

struct SimulateRareAnswer {
  RareMethod method = RareMethod::splitting;
  Packets level{};                                     ///< n
  numeric::Estimate<unit::Probability> probability{};  ///< P(Q > n), 95 %
  Simulated simulated{};                               ///< importance sampling: its slots are busy cycles

  /// Simulated cycles in the finished batches.  \pre importance sampling
  [[nodiscard]] std::int64_t cycles() const {
    return simulated.plan.batch_slots() * static_cast<std::int64_t>(simulated.batches());
  }
  [[nodiscard]] bool stopped() const { return simulated.stopped(); }
};

/// \throws InvalidArgument  tree, load, burst, hop, level or length out of range;  NoAnswer  a single source
/// \throws Unstable         load 1
/// \throws NoAnswer         the event occurred in no cycle, or path; more of them may change that
/// \throws Stopped          before two batches were finished
[[nodiscard]] SimulateRareAnswer answer(const SimulateRareQuery& query, const Run& run = {});

}  // namespace tailbound::answers
