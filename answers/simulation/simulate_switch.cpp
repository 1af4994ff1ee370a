#include <cln/rational.h>
#include <tailbound/answers/simulation/simulate_switch.hpp>

#include <algorithm>
#include <utility>

namespace tailbound::answers {
namespace {

/// 0, 1, 2, 5, 10, 20, 50, ... up to the first above `most`.
std::vector<std::int64_t> spread_levels(std::int64_t most) {
  std::vector<std::int64_t> levels{0};
  for (std::int64_t power = 1; levels.back() <= most; power *= 10)
    for (const std::int64_t digit : {1, 2, 5})
      if (levels.back() <= most) levels.push_back(digit * power);
  return levels;
}

/// 0 to `most`, no more than some 60.
std::vector<std::int64_t> thinned_levels(std::int64_t most) {
  const std::int64_t step = most / 60 + 1;
  std::vector<std::int64_t> levels;
  for (std::int64_t level = 0; level <= most; level += step) levels.push_back(level);
  return levels;
}

std::int64_t greatest_total(const sim::RunResult& result) {
  std::size_t size = 1;
  for (const sim::Counts* batch : result.all())
    size = std::max(size, (*batch)[sim::SwitchRows::total].size());
  return static_cast<std::int64_t>(size) - 1;
}

sim::SwitchEstimates estimates(const SimulateSwitchQuestion& question, const sim::RunResult& result,
                               const std::vector<std::int64_t>& levels) {
  return sim::switch_estimates(
      question.model, result,
      {.total_levels = levels, .queue_levels = levels, .confidence = question.confidence});
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

sim::RunPlan plan_of(const SimulateSwitchQuestion& question) {
  // Its fields are looked at before anything is computed from them.
  static_cast<void>(sim::make_switch_replication(question.model, {}));
  const sim::SwitchWork work = sim::switch_work(question.model);
  return plan_of(question.length, {.utilization = work.utilization,
                                   .hops = 1,
                                   .steps_per_slot = work.steps_per_slot,
                                   .steps = question.steps,
                                   .memory = work.memory});
}

SimulateSwitchAnswer answer(const SimulateSwitchQuestion& question, const Run& run) {
  const sim::RunPlan plan = plan_of(question);
  SimulateSwitchAnswer answer;
  answer.output_load = sim::busiest_load(question.model);
  answer.simulated = simulate(
      plan, !question.length.warmup,
      [&](const sim::RunPlan& its, const sim::RunControls& controls, std::string_view resume) {
        return sim::run_switch(question.model, its, controls, resume);
      },
      run);
  const sim::RunResult& result = answer.simulated.result;
  std::vector<std::int64_t> levels;
  for (const Packets level : question.levels) levels.push_back(level.value);
  if (levels.empty()) levels = spread_levels(greatest_total(result));
  answer.found = estimates(question, result, levels);
  answer.tail = side_by_side(answer.found);
  return answer;
}

std::vector<SwitchLevel> whole_tail(const SimulateSwitchQuestion& question,
                                    const SimulateSwitchAnswer& answer) {
  const sim::RunResult& result = answer.simulated.result;
  return side_by_side(estimates(question, result, thinned_levels(greatest_total(result))));
}

}  // namespace tailbound::answers
