#pragma once

#include <tailbound/sim/splitting/splitting.hpp>
#include <tailbound/sim/tree/tree_replication.hpp>

/// Rare occupancies of the queues of a tree by multilevel splitting (RESTART).
///
/// MODEL     that of sim/tree/tree_replication.hpp with unlimited room. One queue of the stage asked for is
///           observed; those of a stage are all alike. P(Q > n) is the fraction of slots with Q > n, just
///           after the arrivals.
/// METHOD    1. Only the queues from which a packet can come to the observed one are simulated. The way and
///           destination of a packet are drawn step by step, where it turns: so all packets of a queue are
///           alike, and the state of the network is the queues' lengths; where leaves send in bursts, also
///           how many of each level-1 switch's are ON.
///           2. Splitting (splitting.hpp) at each length of the observed queue.
/// RESULT    without bias, in the stationary state. R_1 ... R_i follows z0^i, z0 the decay rate of the queue fed
///           as if the queues upstream were not there.
/// COST      some 10 ns a queue and slot for each path. Queues: 1 + k + ... + k^(h-1) for hop h <= n of
///           random-root routing, most of the tree beyond.
/// SOURCE    docs/derivations/rare_events.md
/// EXCLUDES  finite buffers, delays, several queues at once; bursts that keep their ways: what a queue passes on then
///           depends on the bursts that its packets belong to, and lengths are not all of the state.
/// TESTS     tests/sim/rare_tree_test.cpp
namespace tailbound::sim {

struct RareTreeModel {
  TreeModel tree;          ///< without buffer, observed flows or ring; bursts scattered packet by packet
  int stage = 0;           ///< of the observed queue, as in StageEstimates: 0 .. 2n - 2
  std::int64_t level = 1;  ///< P(Q > level) is what the copies are for; >= 1, at most 100 000
  bool splitting = true;   ///< false: plain simulation, with nothing copied
};

/// Occupancies are those of the observed queue.
using RareTreeRows = SplittingRows;

/// \throws InvalidArgument  the tree, burst, stage or level out of range; a buffer, observed flows, bursts that keep
///                          their ways
/// \throws Unstable         load >= 1
[[nodiscard]] std::unique_ptr<Replication> make_rare_tree_replication(const RareTreeModel& model,
                                                                      RandomKey key);

/// [q], q = 0 .. level + 1: R_1 ... R_q, by which a slot with q packets is divided; the last one serves all
/// above, too.
[[nodiscard]] std::vector<double> splitting_factors(const RareTreeModel& model);

/// The automatic plan for the load of the observed queue and the queues before it; the warm-up is longer by
/// 4 level / (1 - load) slots, in which the level can be reached. Slots are those of the main path.
[[nodiscard]] RunPlan automatic_plan(const RareTreeModel& model, std::int64_t slots, int replications,
                                     std::uint64_t seed);

[[nodiscard]] RunResult run_rare_tree(const RareTreeModel& model, const RunPlan& plan,
                                      const RunControls& controls = {}, std::string_view resume = {});

/// P(Q > level) for any levels; those far above the model's are seen as rarely as by plain simulation from
/// there. `count` is the number of slots of all paths.
/// \throws InvalidArgument  fewer than two batches were completed; a level below 0
[[nodiscard]] std::vector<LevelEstimate> rare_tree_estimates(const RareTreeModel& model,
                                                             const RunResult& result,
                                                             const std::vector<std::int64_t>& levels,
                                                             double confidence = 0.95);

/// The level whose probability is near `probability` if the queues upstream were not there (tails fall by
/// 1/z0 a packet): where to look. 0 < probability < 1. Also of bursts that keep their ways.
[[nodiscard]] std::int64_t likely_level(const RareTreeModel& model, double probability);

/// The inputs as text, for checkpoints and messages.
[[nodiscard]] std::string describe(const RareTreeModel& model);

}  // namespace tailbound::sim
