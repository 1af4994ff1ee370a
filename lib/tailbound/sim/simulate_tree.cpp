#include <tailbound/sim/batch_means.hpp>
#include <tailbound/sim/simulate_tree.hpp>

#include <algorithm>
#include <functional>
#include <numeric>

namespace tailbound::sim {
namespace {

using Histogram = std::vector<std::uint64_t>;

double total(const Histogram& histogram) {
  return static_cast<double>(std::accumulate(histogram.begin(), histogram.end(), std::uint64_t{0}));
}
std::uint64_t above(const Histogram& histogram, std::int64_t level) {
  const auto first = std::min<std::size_t>(histogram.size(), static_cast<std::size_t>(level) + 1);
  return std::accumulate(histogram.begin() + static_cast<std::ptrdiff_t>(first), histogram.end(),
                         std::uint64_t{0});
}
double weighted(const Histogram& histogram) {
  double sum = 0;
  for (std::size_t i = 0; i < histogram.size(); ++i)
    sum += static_cast<double>(i) * static_cast<double>(histogram[i]);
  return sum;
}

/// One histogram a batch.
class Batches {
 public:
  Batches(const std::vector<const Counts*>& counts, const std::function<Histogram(const Counts&)>& of,
          double confidence)
      : confidence_(confidence) {
    for (const Counts* batch : counts) histograms_.push_back(of(*batch));
    for (const Histogram& histogram : histograms_) totals_.push_back(total(histogram));
  }

  /// P(X > level)
  [[nodiscard]] LevelEstimate tail(std::int64_t level) const {
    if (level < 0) throw InvalidArgument("level", std::to_string(level), "at least 0");
    std::vector<double> counts;
    LevelEstimate result{level, {}, 0};
    for (const Histogram& histogram : histograms_) {
      const std::uint64_t count = above(histogram, level);
      result.count += count;
      counts.push_back(static_cast<double>(count));
    }
    result.probability = estimate<unit::Probability>(counts, totals_, confidence_);
    return result;
  }
  template <class Unit>
  [[nodiscard]] numeric::Estimate<Unit> mean() const {
    std::vector<double> sums;
    for (const Histogram& histogram : histograms_) sums.push_back(weighted(histogram));
    return estimate<Unit>(sums, totals_, confidence_);
  }
  [[nodiscard]] numeric::Estimate<unit::Slot> percentile(double fraction) const {
    if (!(fraction > 0 && fraction < 1))
      throw InvalidArgument("percentile", std::to_string(fraction), "above 0 and below 1, as a fraction");
    // P(X > level) falls, and so do (but for noise) the ends of its interval: the first level that meets.
    std::size_t size = 0;
    for (const Histogram& histogram : histograms_) size = std::max(size, histogram.size());
    std::int64_t low = -1, middle = -1, high = -1;
    for (std::int64_t level = 0; level < static_cast<std::int64_t>(size) && high < 0; ++level) {
      const auto probability = tail(level).probability;
      if (low < 0 && probability.lower <= 1 - fraction) low = level;
      if (middle < 0 && probability.value <= 1 - fraction) middle = level;
      if (high < 0 && probability.upper <= 1 - fraction) high = level;
    }
    const auto last = static_cast<std::int64_t>(size);
    const auto slots = [last](std::int64_t level) { return static_cast<double>(level < 0 ? last : level); };
    return {slots(middle), slots(low), slots(high), confidence_};
  }
  [[nodiscard]] double all() const { return std::accumulate(totals_.begin(), totals_.end(), 0.0); }

 private:
  double confidence_;
  std::vector<Histogram> histograms_;
  std::vector<double> totals_;
};

std::vector<LevelEstimate> tails(const Batches& batches, const std::vector<std::int64_t>& levels) {
  std::vector<LevelEstimate> result;
  for (const std::int64_t level : levels) result.push_back(batches.tail(level));
  return result;
}

StageEstimates stage_estimates(const TreeModel& model, const std::vector<const Counts*>& counts, int stage,
                               const TreeQuestions& questions) {
  const TreeRows rows(model.tree);
  StageEstimates result;
  result.stage = stage;
  result.up = stage < model.tree.levels - 1;
  result.level = result.up ? stage + 1 : 2 * model.tree.levels - 1 - stage;
  const Batches occupancy(
      counts, [&](const Counts& batch) { return batch[rows.occupancy(stage)]; }, questions.confidence);
  const LevelEstimate busy = occupancy.tail(0);
  result.load = {busy.probability.value, busy.probability.lower, busy.probability.upper,
                 questions.confidence};
  result.mean_occupancy = occupancy.mean<unit::Packet>();
  result.tail = tails(occupancy, questions.occupancy_levels);
  std::vector<double> drops, came;
  for (const Counts* batch : counts) {
    const std::uint64_t dropped = (*batch)[rows.drops(stage)][0];
    result.dropped += dropped;
    drops.push_back(static_cast<double>(dropped));
    came.push_back(drops.back() + total((*batch)[rows.waits(stage)]));
  }
  if (std::accumulate(came.begin(), came.end(), 0.0) > 0)
    result.loss = estimate<unit::Ratio>(drops, came, questions.confidence);
  else
    result.loss = {0, 0, 1, questions.confidence};
  return result;
}

/// The delays of all packets, each longer by `per_turn(turn)` slots.
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
                        seed);
}

RunResult run_tree(const TreeModel& model, const RunPlan& plan, const RunControls& controls,
                   std::string_view resume) {
  return run(
      plan, describe(model), [&](RandomKey key) { return make_tree_replication(model, key); }, controls,
      resume);
}

TreeEstimates tree_estimates(const TreeModel& model, const RunResult& run_result,
                             const TreeQuestions& questions) {
  const std::vector<const Counts*> counts = run_result.all();
  TreeEstimates result;
  result.batches = counts.size();
  if (counts.size() < 2)
    throw InvalidArgument("number of completed batches", std::to_string(counts.size()), "at least 2");
  for (int stage = 0; stage < stage_count(model.tree); ++stage)
    result.stages.push_back(stage_estimates(model, counts, stage, questions));
  const Batches queueing(
      counts, [&](const Counts& batch) { return delays(model, batch, [](int) { return 0; }); },
      questions.confidence);
  const Batches latency(
      counts,
      [&](const Counts& batch) { return delays(model, batch, [](int turn) { return 2 * turn - 1; }); },
      questions.confidence);
  result.packets = static_cast<std::uint64_t>(queueing.all());
  result.delay_ccdf = tails(queueing, questions.delay_levels);
  result.mean_queueing = queueing.mean<unit::Slot>();
  result.mean_latency = latency.mean<unit::Slot>();
  for (const double fraction : questions.percentiles)
    result.percentiles.push_back({fraction, queueing.percentile(fraction), latency.percentile(fraction)});
  if (model.observed_flows > 0) {
    const Batches reorder(
        counts, [&](const Counts& batch) { return batch[TreeRows(model.tree).reorder()]; },
        questions.confidence);
    result.reorder_tail = tails(reorder, questions.reorder_levels);
  }
  return result;
}

}  // namespace tailbound::sim
