#include <tailbound/answers/classes/simulate_classes.hpp>
#include <tailbound/answers/simulation/levels_seen.hpp>

#include <algorithm>

namespace tailbound::answers {
namespace {

std::int64_t most_seen(const SimulateClassesQuestion& question, const sim::RunResult& result) {
  std::size_t size = 1;
  for (const sim::Counts* batch : result.all())
    for (std::size_t c = 0; c < question.model.classes(); ++c)
      for (const auto kind : {sim::ClassRows::occupancy, sim::ClassRows::waits})
        size = std::max(size, (*batch)[sim::ClassRows::of(kind, c)].size());
  return static_cast<std::int64_t>(size) - 1;
}

std::vector<sim::ClassEstimates> estimates(const SimulateClassesQuestion& question,
                                           const sim::RunResult& result,
                                           const std::vector<std::int64_t>& levels) {
  sim::ClassQuestions asked{.occupancy_levels = levels,
                            .wait_levels = levels,
                            .percentiles = {},
                            .confidence = question.confidence};
  for (const numeric::Rational& p : question.percentiles)
    asked.percentiles.push_back(numeric::nearest_double(p));
  return sim::class_estimates(question.model, result, asked);
}

}  // namespace

sim::RunPlan plan_of(const SimulateClassesQuestion& question) {
  // Validates the fields before anything is computed from them.
  static_cast<void>(sim::make_class_replication(question.model, {}));
  const sim::ClassWork work = sim::class_work(question.model);
  return plan_of(question.length, {.utilization = work.utilization,
                                   .hops = 1,
                                   .steps_per_slot = work.steps_per_slot,
                                   .steps = question.steps,
                                   .memory = work.memory});
}

SimulateClassesAnswer answer(const SimulateClassesQuestion& question, const Run& run) {
  SimulateClassesAnswer answer;
  answer.simulated = simulate(
      plan_of(question), !question.length.warmup,
      [&](const sim::RunPlan& its, const sim::RunControls& controls, std::string_view resume) {
        return sim::run_classes(question.model, its, controls, resume);
      },
      run);
  const sim::RunResult& result = answer.simulated.result;
  std::vector<std::int64_t> levels;
  for (const Packets level : question.levels) levels.push_back(level.value);
  if (levels.empty()) levels = spread_levels(most_seen(question, result));
  answer.classes = estimates(question, result, levels);
  return answer;
}

std::vector<sim::ClassEstimates> whole_tails(const SimulateClassesQuestion& question,
                                             const SimulateClassesAnswer& answer) {
  const sim::RunResult& result = answer.simulated.result;
  return estimates(question, result, thinned_levels(most_seen(question, result)));
}

}  // namespace tailbound::answers
