#include <tailbound/answers/validate_multistage.hpp>

namespace tailbound::answers {
namespace {

using bounds::multistage::Variant;

MultistageAnswer modelled(const SimulateMultistageQuestion& simulated, Variant variant) {
  return answer(MultistageQuestion{.network = simulated.network,
                                   .load = simulated.load,
                                   .service = simulated.service,
                                   .variant = variant});
}

template <class Unit>
ComparedVariants<Unit> compared(const numeric::Model<Unit>& blocking, const numeric::Model<Unit>& published,
                                const numeric::Estimate<Unit>& simulated, Optimistic side) {
  return {.blocking = {.predicted = blocking, .simulated = simulated, .optimistic_side = side},
          .published = {.predicted = published, .simulated = simulated, .optimistic_side = side}};
}

using Delay = numeric::Model<unit::Time>;

std::optional<ComparedVariants<unit::Time>> compared(
    const std::optional<Delay>& blocking, const std::optional<Delay>& published,
    const std::optional<numeric::Estimate<unit::Time>>& simulated) {
  if (!blocking || !published || !simulated) return std::nullopt;
  return compared(*blocking, *published, *simulated, Optimistic::below);
}

}  // namespace

ValidateMultistageAnswer answer(const ValidateMultistageQuestion& question, const Run& run) {
  ValidateMultistageAnswer found{.blocking = modelled(question.simulation, Variant::blocking),
                                 .published = modelled(question.simulation, Variant::published),
                                 .simulation = answer(question.simulation, run),
                                 .throughput = {}};
  const MultistageAnswer &blocking = found.blocking, &published = found.published;
  const SimulateMultistageAnswer& simulation = found.simulation;
  found.throughput =
      compared(blocking.throughput, published.throughput, simulation.throughput, Optimistic::above);
  found.delay = compared(blocking.delay, published.delay, simulation.delay);
  found.hot_delay = compared(blocking.hot_delay, published.hot_delay, simulation.hot_delay);
  found.cold_delay = compared(blocking.cold_delay, published.cold_delay, simulation.cold_delay);
  found.of_blocking.add(found.throughput.blocking);
  for (const auto* delay : {&found.delay, &found.hot_delay, &found.cold_delay})
    if (*delay) found.of_blocking.add((*delay)->blocking);
  return found;
}

}  // namespace tailbound::answers
