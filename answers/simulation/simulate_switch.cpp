#include <tailbound/answers/simulation/levels_seen.hpp>
#include <tailbound/answers/simulation/simulate_switch.hpp>

#include <algorithm>
#include <utility>

namespace tailbound::answers {
namespace {

std::int64_t max_total(const sim::RunResult& result) {
  std::size_t size = 1;
  for (const sim::Counts* batch : result.all())
    size = std::max(size, (*batch)[sim::SwitchRows::total].size());
  return static_cast<std::int64_t>(size) - 1;
}

sim::SwitchEstimates estimates(const SimulateSwitchQuery& query, const sim::RunResult& result,
                               const std::vector<std::int64_t>& levels) {
  return sim::switch_estimates(
      query.model, result, {.total_levels = levels, .queue_levels = levels, .confidence = query.confidence});
}

std::vector<SwitchLevel> side_by_side(const sim::SwitchEstimates& found) {
  std::vector<SwitchLevel> tail;
  for (std::size_t i = 0; i < found.total_tail.size(); ++i) {
    SwitchLevel& level = tail.emplace_back();
    level.level = found.total_tail[i].level;
    level.total = found.total_tail[i];
    if (found.output) level.output = found.output->tail[i];
    if (found.hot) level.hot = found.hot->tail[i];
  }
  return tail;
}

}  // namespace

sim::RunPlan plan_of(const SimulateSwitchQuery& query) {
  // Validates the fields before anything is computed from them.
  static_cast<void>(sim::make_switch_replication(query.model, {}));
  const sim::SwitchWork work = sim::switch_work(query.model);
  return plan_of(query.length, {.utilization = work.utilization,
                                .hops = 1,
                                .steps_per_slot = work.steps_per_slot,
                                .steps = query.steps,
                                .memory = work.memory,
                                .finite = query.model.buffer || query.model.memory});
}

SimulateSwitchAnswer answer(const SimulateSwitchQuery& query, const Run& run) {
  const sim::RunPlan plan = plan_of(query);
  SimulateSwitchAnswer answer;
  answer.output_load = sim::busiest_load(query.model);
  answer.simulated = simulate(
      plan, !query.length.warmup,
      [&](const sim::RunPlan& its, const sim::RunControls& controls, std::string_view resume) {
        return sim::run_switch(query.model, its, controls, resume);
      },
      run);
  const sim::RunResult& result = answer.simulated.result;
  std::vector<std::int64_t> levels;
  for (const Packets level : query.levels) levels.push_back(level.value);
  if (levels.empty()) levels = spread_levels(max_total(result));
  answer.found = estimates(query, result, levels);
  answer.tail = side_by_side(answer.found);
  return answer;
}

std::vector<SwitchLevel> whole_tail(const SimulateSwitchQuery& query, const SimulateSwitchAnswer& answer) {
  const sim::RunResult& result = answer.simulated.result;
  return side_by_side(estimates(query, result, thinned_levels(max_total(result))));
}

}  // namespace tailbound::answers
