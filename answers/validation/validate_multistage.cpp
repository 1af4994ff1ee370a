#include <tailbound/answers/validation/validate_multistage.hpp>

namespace tailbound::answers {

ValidateMultistageAnswer answer(const ValidateMultistageQuery& query, const Run& run) {
  const SimulateMultistageQuery& simulated = query.simulation;
  ValidateMultistageAnswer found;
  found.model = answer(
      MultistageQuery{.network = simulated.network, .load = simulated.load, .service = simulated.service});
  found.simulation = answer(simulated, run);
  const MultistageAnswer& model = found.model;
  const SimulateMultistageAnswer& simulation = found.simulation;
  found.add(ComparedQuantity::throughput,
            Comparison<unit::RequestsPerSlot>{.predicted = model.throughput,
                                              .simulated = simulation.throughput,
                                              .unsafe_side = UnsafeSide::above});
  const auto compare = [&](ComparedQuantity quantity,
                           const std::optional<numeric::Model<unit::Time>>& predicted,
                           const std::optional<numeric::Estimate<unit::Time>>& seen) {
    if (predicted && seen)
      found.add(quantity, Comparison<unit::Time>{.predicted = *predicted, .simulated = *seen});
  };
  compare(ComparedQuantity::delay, model.delay, simulation.delay);
  compare(ComparedQuantity::hot_delay, model.hot_delay, simulation.hot_delay);
  compare(ComparedQuantity::cold_delay, model.cold_delay, simulation.cold_delay);
  found.state_confidence(simulated.confidence);
  return found;
}

}  // namespace tailbound::answers
