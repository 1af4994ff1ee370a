#include <tailbound/answers/validation/validate_wormhole.hpp>
#include <tailbound/core/error.hpp>

#include <algorithm>

namespace tailbound::answers {
namespace {

using bounds::wormhole::Model;

WormholeModelled what_is_modelled(const SimulatedWormhole& network) {
  const std::optional<int> usual = usual_virtual_channels(network.network);
  return {.virtual_channels = usual ? std::optional(network.virtual_channels.value_or(*usual)) : std::nullopt,
          .bernoulli_arrivals = network.arrivals != sim::WormArrivals::poisson};
}

WormholeModel required_model(const SimulatedWormhole& network) {
  WormholeModel found = wormhole_model_of(network);
  if (!found.model)
    throw NoAnswer("nothing to compare: " + found.missing +
                   " (tailbound simulate wormhole simulates this network)");
  return found;
}

std::optional<Predicted<unit::Cycle>> predicted(const Model& model, double saturation, double flits,
                                                double load) {
  if (load >= saturation) return std::nullopt;
  const auto latency = wormhole_latency(model, flits, load);
  return latency ? std::optional<Predicted<unit::Cycle>>(*latency) : std::nullopt;
}

}  // namespace

ValidateWormholeAnswer answer(const ValidateWormholeQuery& query, const Run& run) {
  const SimulateWormholeQuery& simulation = query.simulation;
  check(simulation.offered, Fractions::any);
  check_simulated(simulation.offered);
  const sim::WormModel network = simulator_model(simulation.network);
  ValidateWormholeAnswer answer;
  const WormholeModel model = required_model(simulation.network);
  answer.model = model.model;
  answer.modelled = what_is_modelled(simulation.network);
  answer.simulation = simulate_worms(simulation, network, model, run);
  const double saturation = model.model->saturation();
  const double flits = mean_flits(simulation.network.network, simulation.network.messages);
  for (const SimulatedWorms& point : answer.simulation.points) {
    if (!point.found.latency) throw NoAnswer("nothing to compare: no message was delivered while measured");
    Comparisons at_load;
    at_load.add(ComparedQuantity::latency,
                Comparison<unit::Cycle>{.predicted = predicted(*answer.model, saturation, flits, point.load),
                                        .simulated = *point.found.latency});
    at_load.state_confidence(simulation.confidence);
    answer.add(std::move(at_load));
    std::vector<MessageLatency> parts;
    if (!point.found.by_class.empty() && point.load < saturation)
      if (const bounds::wormhole::Point solved = model.model->solve(point.load); solved.solved())
        parts = latencies_of(solved, network.kinds);
    answer.by_length.push_back(std::move(parts));
  }
  return answer;
}

std::optional<LatencyOfLoad> latency_of_load(const ValidateWormholeQuery& query,
                                             const ValidateWormholeAnswer& answer) {
  std::shared_ptr<const Model> model = answer.model;
  if (!model) model = required_model(query.simulation.network).model;
  std::vector<double> loads;
  for (std::size_t i = 0; i < answer.loads.size(); ++i)
    if (answer.loads[i].tally.judged() > 0) loads.push_back(answer.simulation.points[i].load);
  if (loads.empty()) return std::nullopt;
  const double last = *std::max_element(loads.begin(), loads.end());
  return latency_of_load(std::move(model),
                         mean_flits(query.simulation.network.network, query.simulation.network.messages),
                         last, std::move(loads));
}

}  // namespace tailbound::answers
