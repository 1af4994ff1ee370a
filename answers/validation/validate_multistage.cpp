#include <tailbound/answers/validation/validate_multistage.hpp>

namespace tailbound::answers {
namespace {

/// Empty without such requests, or if none was delivered.
std::optional<Comparison<unit::Time>> compared(
    const std::optional<numeric::Model<unit::Time>>& model,
    const std::optional<numeric::Estimate<unit::Time>>& simulated) {
  if (!model || !simulated) return std::nullopt;
  return Comparison<unit::Time>{
      .predicted = *model, .simulated = *simulated, .unsafe_side = UnsafeSide::below};
}

}  // namespace

ValidateMultistageAnswer answer(const ValidateMultistageQuery& query, const Run& run) {
  const SimulateMultistageQuery& simulated = query.simulation;
  ValidateMultistageAnswer found{
      .model = answer(MultistageQuery{
          .network = simulated.network, .load = simulated.load, .service = simulated.service}),
      .simulation = answer(simulated, run),
      .throughput = {}};
  const MultistageAnswer& model = found.model;
  const SimulateMultistageAnswer& simulation = found.simulation;
  found.throughput = {
      .predicted = model.throughput, .simulated = simulation.throughput, .unsafe_side = UnsafeSide::above};
  found.delay = compared(model.delay, simulation.delay);
  found.hot_delay = compared(model.hot_delay, simulation.hot_delay);
  found.cold_delay = compared(model.cold_delay, simulation.cold_delay);
  found.tally.add(found.throughput);
  for (const auto* delay : {&found.delay, &found.hot_delay, &found.cold_delay})
    if (*delay) found.tally.add(**delay);
  return found;
}

}  // namespace tailbound::answers
