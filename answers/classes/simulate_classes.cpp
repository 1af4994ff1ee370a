#include <tailbound/answers/classes/simulate_classes.hpp>
#include <tailbound/answers/simulation/levels_seen.hpp>

#include <algorithm>

namespace tailbound::answers {
namespace {

std::int64_t max_seen(const SimulateClassesQuery& query, const sim::RunResult& result) {
  std::size_t size = 1;
  for (const sim::Counts* batch : result.all())
    for (std::size_t c = 0; c < query.model.classes(); ++c)
      for (const auto kind : {sim::ClassRows::occupancy, sim::ClassRows::waits})
        size = std::max(size, (*batch)[sim::ClassRows::of(kind, c)].size());
  return static_cast<std::int64_t>(size) - 1;
}

std::vector<sim::ClassEstimates> estimates(const SimulateClassesQuery& query, const sim::RunResult& result,
                                           const std::vector<std::int64_t>& levels) {
  sim::ClassQueries requested{
      .occupancy_levels = levels, .wait_levels = levels, .percentiles = {}, .confidence = query.confidence};
  for (const numeric::Rational& p : query.percentiles)
    requested.percentiles.push_back(numeric::nearest_double(p));
  return sim::class_estimates(query.model, result, requested);
}

}  // namespace

sim::RunPlan plan_of(const SimulateClassesQuery& query) {
  // Validates the fields before anything is computed from them.
  static_cast<void>(sim::make_class_replication(query.model, {}));
  const sim::ClassWork work = sim::class_work(query.model);
  return plan_of(query.length, {.utilization = work.utilization,
                                .hops = 1,
                                .steps_per_slot = work.steps_per_slot,
                                .steps = query.steps,
                                .memory = work.memory});
}

SimulateClassesAnswer answer(const SimulateClassesQuery& query, const Run& run) {
  SimulateClassesAnswer answer;
  answer.simulated = simulate(
      plan_of(query), !query.length.warmup,
      [&](const sim::RunPlan& its, const sim::RunControls& controls, std::string_view resume) {
        return sim::run_classes(query.model, its, controls, resume);
      },
      run);
  const sim::RunResult& result = answer.simulated.result;
  std::vector<std::int64_t> levels;
  for (const Packets level : query.levels) levels.push_back(level.value);
  if (levels.empty()) levels = spread_levels(max_seen(query, result));
  answer.classes = estimates(query, result, levels);
  return answer;
}

std::vector<sim::ClassEstimates> whole_tails(const SimulateClassesQuery& query,
                                             const SimulateClassesAnswer& answer) {
  const sim::RunResult& result = answer.simulated.result;
  return estimates(query, result, thinned_levels(max_seen(query, result)));
}

}  // namespace tailbound::answers
