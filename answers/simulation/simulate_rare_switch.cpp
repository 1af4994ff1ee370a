#include <tailbound/answers/simulation/simulate_rare_switch.hpp>
#include <tailbound/core/error.hpp>
#include <tailbound/numeric/rational.hpp>
#include <tailbound/sim/splitting/rare_switch.hpp>
#include <tailbound/sim/switch/simulate_switch.hpp>

#include <algorithm>
#include <string>

namespace tailbound::answers {
namespace {

std::optional<sim::RareTotal> total_of(const SimulateRareSwitchQuery& query) {
  if (!query.rare) return std::nullopt;
  if (const auto* level = std::get_if<Packets>(&*query.rare)) return level->value;
  return numeric::nearest_double(std::get<numeric::Rational>(*query.rare));
}

sim::RunPlan plan_of(const SimulateRareSwitchQuery& query, const sim::RareSwitchModel& model) {
  const sim::SwitchWork work = sim::switch_work(query.model);
  constexpr double overhead = 6;  // of a slot, for any switch: steps are cells
  sim::RunPlan plan = plan_of(query.length, {.utilization = work.utilization,
                                             .hops = 1,
                                             .steps_per_slot = (work.steps_per_slot + overhead) * model.paths,
                                             .steps = query.steps,
                                             .memory = work.memory});
  // The level can be reached within the warm-up.
  if (!query.length.warmup)
    plan.warmup += static_cast<std::int64_t>(4 * static_cast<double>(model.level) /
                                             (1 - std::min(work.utilization, 0.99)));
  return plan;
}

}  // namespace

SimulateRareAnswer answer(const SimulateRareSwitchQuery& query, const Run& run) {
  const sim::RareSwitchModel model = sim::rare_switch_model(query.model, total_of(query), run.stop);
  SimulateRareAnswer answer{.method = RareMethod::splitting, .level = Packets(model.level)};
  answer.simulated = simulate(
      plan_of(query, model), !query.length.warmup,
      [&](const sim::RunPlan& its, const sim::RunControls& controls, std::string_view resume) {
        return sim::run_rare_switch(model, its, controls, resume);
      },
      run);
  if (query.of_losses()) {
    const sim::RareSwitchLoss lost = sim::rare_switch_loss(model, answer.simulated.result);
    if (lost.count == 0) throw NoAnswer("no path lost a packet; increase --slots");
    answer.probability = {lost.loss.value, lost.loss.lower, lost.loss.upper, lost.loss.confidence};
  } else {
    const sim::LevelEstimate found =
        sim::splitting_tails(model.copies, answer.simulated.result, {model.level}, 0.95).front();
    if (found.count == 0)
      throw NoAnswer("no path reached more than " + std::to_string(model.level) +
                     (query.model.sizes.empty() ? " packets" : " cells") +
                     " in all queues; increase --slots");
    answer.probability = found.probability;
  }
  return answer;
}

}  // namespace tailbound::answers
