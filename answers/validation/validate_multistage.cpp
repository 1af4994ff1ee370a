#include <tailbound/answers/validation/validate_multistage.hpp>

namespace tailbound::answers {
namespace {

using bounds::multistage::Variant;

MultistageAnswer modelled(const SimulateMultistageQuery& simulated, Variant variant) {
  return answer(MultistageQuery{.network = simulated.network,
                                .load = simulated.load,
                                .service = simulated.service,
                                .variant = variant});
}

/// `model` is the compared number of a MultistageAnswer.
template <class Unit, class Number>
ComparedVariants<Unit> compared(const ValidateMultistageAnswer& found, const Number& model,
                                const numeric::Estimate<Unit>& simulated, UnsafeSide side) {
  ComparedVariants<Unit> both{
      .blocking = {.predicted = model(found.blocking), .simulated = simulated, .unsafe_side = side}};
  if (found.published)
    both.published = {.predicted = model(*found.published), .simulated = simulated, .unsafe_side = side};
  return both;
}

using Delay = std::optional<numeric::Model<unit::Time>>;

/// Empty without such requests, or if none was delivered.
std::optional<ComparedVariants<unit::Time>> compared(
    const ValidateMultistageAnswer& found, Delay MultistageAnswer::*delay,
    const std::optional<numeric::Estimate<unit::Time>>& simulated) {
  if (!(found.blocking.*delay) || !simulated) return std::nullopt;
  return compared(
      found, [&](const MultistageAnswer& model) { return (model.*delay).value(); }, *simulated,
      UnsafeSide::below);
}

}  // namespace

ValidateMultistageAnswer answer(const ValidateMultistageQuery& query, const Run& run) {
  ValidateMultistageAnswer found{.blocking = modelled(query.simulation, Variant::blocking),
                                 .published = std::nullopt,
                                 .simulation = answer(query.simulation, run),
                                 .throughput = {}};
  if (query.simulation.network.links == network::Links::any)
    found.published = modelled(query.simulation, Variant::published);
  const SimulateMultistageAnswer& simulation = found.simulation;
  found.throughput = compared(
      found, [](const MultistageAnswer& model) { return model.throughput; }, simulation.throughput,
      UnsafeSide::above);
  if (simulation.delay)
    found.delay = compared(
        found, [](const MultistageAnswer& model) { return model.delay; }, *simulation.delay,
        UnsafeSide::below);
  found.hot_delay = compared(found, &MultistageAnswer::hot_delay, simulation.hot_delay);
  found.cold_delay = compared(found, &MultistageAnswer::cold_delay, simulation.cold_delay);
  found.of_blocking.add(found.throughput.blocking);
  for (const auto* delay : {&found.delay, &found.hot_delay, &found.cold_delay})
    if (*delay) found.of_blocking.add((*delay)->blocking);
  return found;
}

}  // namespace tailbound::answers
