#pragma once

#include <tailbound/sim/splitting/splitting.hpp>
#include <tailbound/sim/tree/tree_replication.hpp>

/// Rare occupancies of the queues of a tree by multilevel splitting (RESTART).
///
/// MODEL     that of sim/tree/tree_replication.hpp with infinite buffers. One queue of the stage is observed;
///           all queues of a stage are equivalent. P(Q > n) is the fraction of slots with Q > n, just after
///           the arrivals.
/// METHOD    1. Only the queues from which a packet can reach the observed one are simulated. The route and
///           destination of a packet are drawn step by step, where it turns. So all packets of a queue are
///           equivalent, and the state of the network is the queue lengths; with bursts also the number of ON
///           leaves of each level-1 switch. 2. Splitting (splitting.hpp) at each length of the observed
///           queue.
/// RESULT    unbiased in the stationary state. R_1 ... R_i follows z0^i, z0 the decay rate of the queue with
///           independent source arrivals.
/// COST      some 10 ns per queue, slot and path. Queues: 1 + k + ... + k^(h-1) for hop h <= n of random-root
///           routing, most of the tree beyond.
/// SOURCE    docs/derivations/rare_events.md
/// EXCLUDES  finite buffers, delays, several queues at once; per-burst destinations: the output of a queue
///           then depends on the bursts of its packets, and queue lengths are not the whole state.
/// TESTS     tests/sim/rare_tree_test.cpp
namespace tailbound::sim {

struct RareTreeModel {
  TreeModel tree;          ///< without buffer, observed flows or ring; bursts with per-packet destinations
  int stage = 0;           ///< of the observed queue, as in StageEstimates: 0 .. 2n - 2
  std::int64_t level = 1;  ///< P(Q > level) is the target of the copies; >= 1, at most 100 000
  bool splitting = true;   ///< false: plain simulation, with nothing copied
};

/// Occupancies are those of the observed queue.
using RareTreeRows = SplittingRows;

/// \throws InvalidArgument  the tree, burst, stage or level out of range; a buffer, observed flows, per-burst
///                          destinations
/// \throws Unstable         load >= 1
[[nodiscard]] std::unique_ptr<Replication> make_rare_tree_replication(const RareTreeModel& model,
                                                                      RandomKey key);

/// [q], q = 0 .. level + 1: R_1 ... R_q, the divisor of a slot with q packets; the last one applies to all
/// higher q.
[[nodiscard]] std::vector<double> splitting_factors(const RareTreeModel& model);

/// The automatic plan for the load of the observed queue and the queues before it; the warm-up is longer by 4
/// level / (1 - load) slots, the time needed to reach the level. Slots are those of the main path.
[[nodiscard]] RunPlan automatic_plan(const RareTreeModel& model, std::int64_t slots, int replications,
                                     std::uint64_t seed);

[[nodiscard]] RunResult run_rare_tree(const RareTreeModel& model, const RunPlan& plan,
                                      const RunControls& controls = {}, std::string_view resume = {});

/// P(Q > level) for any levels; beyond the model's level they are seen as rarely as in a plain simulation
/// that starts there. `count` is the number of slots of all paths.
/// \throws InvalidArgument  fewer than two batches were completed; a level below 0
[[nodiscard]] std::vector<LevelEstimate> rare_tree_estimates(const RareTreeModel& model,
                                                             const RunResult& result,
                                                             const std::vector<std::int64_t>& levels,
                                                             double confidence = 0.95);

/// The level with a probability near `probability` for independent source arrivals (tails fall by 1/z0 per
/// packet), as a starting point. 0 < probability < 1. Also for per-burst destinations.
[[nodiscard]] std::int64_t likely_level(const RareTreeModel& model, double probability);

/// The inputs as text, for checkpoints and messages.
[[nodiscard]] std::string describe(const RareTreeModel& model);

}  // namespace tailbound::sim
