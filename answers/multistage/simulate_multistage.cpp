#include <tailbound/answers/multistage/multistage.hpp>
#include <tailbound/answers/multistage/simulate_multistage.hpp>
#include <tailbound/numeric/rational.hpp>

namespace tailbound::answers {
namespace {

sim::RunPlan plan_for(const sim::MultistageModel& model, const SimulateMultistageQuery& query) {
  const int stages = network::stage_count(model.network.network);
  const double services =
      static_cast<double>(model.network.network.nodes) * numeric::nearest_double(model.load) * stages;
  // The length follows the rule of all simulations; warm-up and batches are specific to such networks.
  const sim::RunPlan length =
      plan_of(query.length,
              {.utilization = 0.5, .hops = stages, .steps_per_slot = services, .steps = query.services});
  sim::RunPlan plan = sim::automatic_plan(model, length.slots, length.replications, length.seed);
  if (query.length.warmup) plan.warmup = length.warmup;
  return plan;
}

/// Converts a time in slots to units in which a slot lasts `service`.
std::optional<numeric::Estimate<unit::Time>> in_time(
    const std::optional<numeric::Estimate<unit::Slot>>& slots, double service) {
  if (!slots) return std::nullopt;
  return numeric::Estimate<unit::Time>{service * slots->value, service * slots->lower, service * slots->upper,
                                       slots->confidence};
}

}  // namespace

SimulateMultistageAnswer answer(const SimulateMultistageQuery& query, const Run& run) {
  network::check(query.network);
  network::check_load(query.load);
  const double service = service_time(query.service);
  const sim::MultistageModel model{.network = query.network, .load = query.load, .wiring = query.wiring};
  SimulateMultistageAnswer answer;
  answer.simulated = simulate(
      plan_for(model, query), !query.length.warmup,
      [&](const sim::RunPlan& plan, const sim::RunControls& controls, std::string_view resume) {
        return sim::run_multistage(model, plan, controls, resume);
      },
      run);
  sim::MultistageEstimates found =
      sim::multistage_estimates(model, answer.simulated.result, query.confidence);
  answer.throughput = found.throughput;
  answer.delay = in_time(found.delay, service);
  answer.hot_delay = in_time(found.hot_delay, service);
  answer.cold_delay = in_time(found.cold_delay, service);
  answer.stalled = found.stalled;
  answer.hot_path = std::move(found.hot_path);
  answer.requests = found.requests;
  return answer;
}

}  // namespace tailbound::answers
