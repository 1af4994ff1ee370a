#include <tailbound/answers/crossbar/simulate_rare_crossbar.hpp>
#include <tailbound/core/error.hpp>
#include <tailbound/numeric/rational.hpp>
#include <tailbound/sim/crossbar/simulate_crossbar.hpp>

#include <algorithm>
#include <string>

namespace tailbound::answers {
namespace {

sim::RareLevelSought sought(const SimulateRareCrossbarQuery& query) {
  if (const auto* level = std::get_if<Packets>(&query.rare)) return level->value;
  return numeric::nearest_double(std::get<numeric::Rational>(query.rare));
}

sim::RunPlan plan_of_paths(const SimulateRareCrossbarQuery& query, const sim::RareCrossbarModel& model) {
  const sim::CrossbarWork work = sim::crossbar_work(query.model);
  // The state of a path is copied, and its requests are found anew in every slot.
  const double numbers = static_cast<double>(query.model.inputs()) * static_cast<double>(query.model.outputs);
  sim::RunPlan plan =
      plan_of(query.length, {.utilization = work.utilization,
                             .hops = 1,
                             .steps_per_slot = (work.steps_per_slot + numbers / 8) * model.plan.paths,
                             .steps = query.steps,
                             .memory = work.memory});
  // The level can be reached within the warm-up.
  if (!query.length.warmup)
    plan.warmup += static_cast<std::int64_t>(4 * static_cast<double>(model.plan.level) /
                                             (1 - std::min(work.utilization, 0.99)));
  return plan;
}

}  // namespace

SimulateRareAnswer answer(const SimulateRareCrossbarQuery& query, const Run& run) {
  const sim::RareCrossbarModel model =
      sim::rare_crossbar_model(query.model, query.of, sought(query), run.stop);
  SimulateRareAnswer answer{.method = RareMethod::splitting, .level = Packets(model.plan.level)};
  answer.simulated = simulate(
      plan_of_paths(query, model), !query.length.warmup,
      [&](const sim::RunPlan& its, const sim::RunControls& controls, std::string_view resume) {
        return sim::run_rare_crossbar(model, its, controls, resume);
      },
      run);
  const sim::RareCrossbarTail found = sim::rare_crossbar_tail(model, answer.simulated.result);
  if (found.count == 0)
    throw NoAnswer("no path reached more than " + std::to_string(model.plan.level) + " packets of " +
                   (query.of == sim::CrossbarQueue::input ? "an input" : "a VOQ") + "; increase --slots");
  answer.probability = found.probability;
  return answer;
}

}  // namespace tailbound::answers
