#include <tailbound/answers/crossbar/simulate_crossbar.hpp>
#include <tailbound/answers/simulation/levels_seen.hpp>
#include <tailbound/sim/batches/histogram_batches.hpp>

#include <algorithm>
#include <cmath>
#include <utility>

namespace tailbound::answers {
namespace {

using sim::CrossbarRows;

std::int64_t longest_of(const sim::RunResult& result, std::size_t row) {
  std::size_t size = 1;
  for (const sim::Counts* batch : result.all()) size = std::max(size, (*batch)[row].size());
  return static_cast<std::int64_t>(size) - 1;
}

sim::CrossbarEstimates estimates(const SimulateCrossbarQuery& query, const sim::RunResult& result,
                                 std::vector<std::int64_t> levels, std::vector<std::int64_t> delays) {
  sim::CrossbarQueries queries{.delays = std::move(delays),
                               .levels = std::move(levels),
                               .percentiles = {},
                               .confidence = query.confidence};
  for (const numeric::Rational& fraction : query.percentiles)
    queries.percentiles.push_back(numeric::nearest_double(fraction));
  return sim::crossbar_estimates(query.model, result, queries);
}

std::vector<CrossbarTailLevel> levels_of(const sim::CrossbarEstimates& found) {
  std::vector<CrossbarTailLevel> tail;
  for (std::size_t i = 0; i < found.input.tail.size(); ++i) {
    CrossbarTailLevel& level = tail.emplace_back();
    level.level = found.input.tail[i].level;
    level.input = found.input.tail[i];
    level.column = found.column.tail[i];
    if (found.voq) level.voq = found.voq->tail[i];
    if (found.output) level.output = found.output->tail[i];
  }
  return tail;
}

/// Of the packets for an output that receives each input's with probability r_i: (l^2 - sum r_i^2) / (2 l (1
/// - l)), l = sum r_i; weighted by l.
std::optional<numeric::Exact<unit::Slot>> output_queued(const sim::CrossbarModel& model) {
  using numeric::Rational;
  if (model.burst || model.loses()) return std::nullopt;
  std::vector<std::vector<Rational>> shares;
  for (std::size_t input = 0; input < model.inputs(); ++input)
    shares.push_back(output_shares_of(model, input));
  Rational packets = 0, wait = 0;
  for (std::int64_t output = 0; output < model.outputs; ++output) {
    Rational load = 0, squares = 0;
    for (std::size_t input = 0; input < model.inputs(); ++input) {
      const Rational rate = model.rates[input] * shares[input][static_cast<std::size_t>(output)];
      load = load + rate;
      squares = squares + rate * rate;
    }
    if (load >= 1) return std::nullopt;
    packets = packets + load;
    wait = wait + (load * load - squares) / (2 * (1 - load));
  }
  return numeric::Exact<unit::Slot>(numeric::Theorem::slotted_queue, wait / packets);
}

std::vector<ExceededSizes> exceeded(const SimulateCrossbarQuery& query, const sim::RunResult& result) {
  constexpr std::uint64_t enough = 10;  // observations beyond a size
  std::vector<ExceededSizes> sizes;
  if (query.drops.empty()) return sizes;
  const auto histogram = [&](std::size_t row) {
    return sim::HistogramBatches(
        result.all(), [row](const sim::Counts& counts) { return counts[row]; }, query.confidence);
  };
  const sim::HistogramBatches delay = histogram(CrossbarRows::delay), input = histogram(CrossbarRows::input),
                              voq = histogram(CrossbarRows::voq), column = histogram(CrossbarRows::column);
  for (const numeric::Rational& drop : query.drops) {
    const double probability = numeric::nearest_double(drop);
    sizes.push_back({.probability = drop,
                     .delay = delay.level_at(probability, enough),
                     .input = input.level_at(probability, enough),
                     .voq = query.model.has_voqs() ? voq.level_at(probability, enough) : std::nullopt,
                     .column = column.level_at(probability, enough)});
  }
  return sizes;
}

}  // namespace

sim::RunPlan plan_of(const SimulateCrossbarQuery& query) {
  sim::check(query.model);
  const sim::CrossbarWork work = sim::crossbar_work(query.model);
  return plan_of(query.length, {.utilization = work.utilization,
                                .hops = 1,
                                .steps_per_slot = work.steps_per_slot,
                                .steps = query.steps,
                                .memory = work.memory,
                                .finite = true});
}

SimulateCrossbarAnswer answer(const SimulateCrossbarQuery& query, const Run& run) {
  SimulateCrossbarAnswer answer;
  answer.simulated = simulate(
      plan_of(query), !query.length.warmup,
      [&](const sim::RunPlan& its, const sim::RunControls& controls, std::string_view resume) {
        return sim::run_crossbar(query.model, its, controls, resume);
      },
      run);
  const sim::RunResult& result = answer.simulated.result;
  std::vector<std::int64_t> levels, delays;
  for (const Packets level : query.levels) levels.push_back(level.value);
  for (const Slots delay : query.delays) delays.push_back(delay.value);
  if (levels.empty())
    levels = spread_levels(
        std::max(longest_of(result, CrossbarRows::input), longest_of(result, CrossbarRows::column)));
  answer.found = estimates(query, result, std::move(levels), std::move(delays));
  answer.tail = levels_of(answer.found);
  answer.sizes = exceeded(query, result);
  answer.output_queued = output_queued(query.model);
  return answer;
}

std::vector<CrossbarTailLevel> whole_tail(const SimulateCrossbarQuery& query,
                                          const SimulateCrossbarAnswer& answer) {
  const sim::RunResult& result = answer.simulated.result;
  return levels_of(estimates(query, result, thinned_levels(longest_of(result, CrossbarRows::column)), {}));
}

std::vector<sim::LevelEstimate> whole_delays(const SimulateCrossbarQuery& query,
                                             const SimulateCrossbarAnswer& answer) {
  const sim::RunResult& result = answer.simulated.result;
  return estimates(query, result, {}, thinned_levels(longest_of(result, CrossbarRows::delay))).delay.tail;
}

}  // namespace tailbound::answers
