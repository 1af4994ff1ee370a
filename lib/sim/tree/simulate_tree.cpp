#include <tailbound/sim/batches/batch_means.hpp>
#include <tailbound/sim/batches/histogram_batches.hpp>
#include <tailbound/sim/tree/simulate_tree.hpp>

#include <functional>
#include <numeric>

namespace tailbound::sim {
namespace {

StageEstimates stage_estimates(const TreeModel& model, const std::vector<const Counts*>& counts, int stage,
                               const TreeQueries& queries) {
  const TreeRows rows(model.tree);
  StageEstimates result;
  result.stage = stage;
  result.up = stage < model.tree.levels - 1;
  result.level = result.up ? stage + 1 : 2 * model.tree.levels - 1 - stage;
  const HistogramBatches occupancy(
      counts, [&](const Counts& batch) { return batch[rows.occupancy(stage)]; }, queries.confidence);
  const LevelEstimate busy = occupancy.tail(0);
  result.load = {busy.probability.value, busy.probability.lower, busy.probability.upper, queries.confidence};
  result.mean_occupancy = occupancy.mean<unit::Packet>();
  result.tail = occupancy.tails(queries.occupancy_levels);
  std::vector<double> drops, came;
  for (const Counts* batch : counts) {
    const std::uint64_t dropped = (*batch)[rows.drops(stage)][0];
    result.dropped += dropped;
    drops.push_back(static_cast<double>(dropped));
    came.push_back(drops.back() + total_count((*batch)[rows.waits(stage)]));
  }
  if (std::accumulate(came.begin(), came.end(), 0.0) > 0)
    result.loss = estimate<unit::Ratio>(drops, came, queries.confidence);
  else
    result.loss = {0, 0, 1, queries.confidence};
  return result;
}

/// The delays of all packets, each plus `per_turn(turn)` slots.
Histogram delays(const TreeModel& model, const Counts& counts, const std::function<int(int)>& per_turn) {
  const TreeRows rows(model.tree);
  Histogram sum;
  for (int turn = 1; turn <= model.tree.levels; ++turn) {
    const Histogram& row = counts[rows.delays(turn)];
    const auto shift = static_cast<std::size_t>(per_turn(turn));
    if (!row.empty() && sum.size() < row.size() + shift) sum.resize(row.size() + shift);
    for (std::size_t i = 0; i < row.size(); ++i) sum[i + shift] += row[i];
  }
  return sum;
}

}  // namespace

RunPlan automatic_plan(const TreeModel& model, std::int64_t slots, int replications, std::uint64_t seed) {
  return automatic_plan(numeric::nearest_double(model.load), stage_count(model.tree), slots, replications,
                        seed, source_memory(model));
}

RunResult run_tree(const TreeModel& model, const RunPlan& plan, const RunControls& controls,
                   std::string_view resume) {
  return run(
      plan, describe(model), [&](RandomKey key) { return make_tree_replication(model, key); }, controls,
      resume);
}

TreeEstimates tree_estimates(const TreeModel& model, const RunResult& run_result,
                             const TreeQueries& queries) {
  const std::vector<const Counts*> counts = run_result.all();
  TreeEstimates result;
  result.batches = counts.size();
  if (counts.size() < 2)
    throw InvalidArgument("number of completed batches", std::to_string(counts.size()), "at least 2");
  for (int stage = 0; stage < stage_count(model.tree); ++stage)
    result.stages.push_back(stage_estimates(model, counts, stage, queries));
  const HistogramBatches queueing(
      counts, [&](const Counts& batch) { return delays(model, batch, [](int) { return 0; }); },
      queries.confidence);
  const HistogramBatches latency(
      counts,
      [&](const Counts& batch) { return delays(model, batch, [](int turn) { return 2 * turn - 1; }); },
      queries.confidence);
  result.packets = static_cast<std::uint64_t>(queueing.all());
  result.delay_ccdf = queueing.tails(queries.delay_levels);
  result.mean_queueing = queueing.mean<unit::Slot>();
  result.mean_latency = latency.mean<unit::Slot>();
  for (const double fraction : queries.percentiles)
    result.percentiles.push_back({fraction, queueing.percentile(fraction), latency.percentile(fraction)});
  if (model.observed_flows > 0) {
    const HistogramBatches reorder(
        counts, [&](const Counts& batch) { return batch[TreeRows(model.tree).reorder()]; },
        queries.confidence);
    result.reorder_tail = reorder.tails(queries.reorder_levels);
  }
  return result;
}

}  // namespace tailbound::sim
