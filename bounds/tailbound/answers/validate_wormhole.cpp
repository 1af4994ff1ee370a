#include <tailbound/answers/validate_wormhole.hpp>
#include <tailbound/core/error.hpp>

#include <algorithm>

namespace tailbound::answers {
namespace {

using bounds::wormhole::Model;

/// \param model  that of the usual virtual channels; replaced by that of the very network where it can be had
WormholeModelled found_in(const SimulatedWormhole& question, std::shared_ptr<const Model>& model) {
  WormholeModelled result{.virtual_channels = usual_virtual_channels(question.network),
                          .other_virtual_channels = {},
                          .deeper_buffers = question.buffer_flits > 1 && model->buffer_flits() == 1,
                          .geometric_lengths = question.lengths != sim::WormLengths::fixed &&
                                               model->equations() == bounds::wormhole::Equations::published,
                          .bernoulli_arrivals = question.arrivals != sim::WormArrivals::poisson};
  const std::optional<int> told = question.virtual_channels;
  if (!result.virtual_channels || !told || *told == *result.virtual_channels) return result;
  if (auto walked = walked_model(question.network, *model, *told, walk_calls_beside)) {
    model = std::move(walked);
    result.virtual_channels = *told;
    result.virtual_channels_as_told = true;
    result.deeper_buffers = question.buffer_flits > 1;
  } else {
    result.other_virtual_channels = *told;
  }
  return result;
}

std::optional<Predicted<unit::Cycle>> predicted(const Model& model, double saturation, std::int64_t flits,
                                                double load) {
  if (load >= saturation) return std::nullopt;
  const auto latency = wormhole_latency(model, flits, load);
  return latency ? std::optional<Predicted<unit::Cycle>>(*latency) : std::nullopt;
}

}  // namespace

ValidateWormholeAnswer answer(const ValidateWormholeQuestion& question, const Run& run) {
  const SimulateWormholeQuestion& simulation = question.simulation;
  check(simulation.offered, Fractions::any);
  check_simulated(simulation.offered);
  const sim::WormModel network = simulator_model(simulation.network);
  ValidateWormholeAnswer answer;
  answer.model = std::make_shared<const Model>(modelled(simulation.network));
  answer.modelled = found_in(simulation.network, answer.model);
  answer.simulation = simulate_worms(simulation, network, *answer.model, run);
  const double saturation = answer.simulation.model_saturation.value;
  for (const SimulatedWorms& point : answer.simulation.points) {
    if (!point.found.latency)
      throw NoAnswer("there is nothing to compare: no message was delivered while measured");
    answer.rows.push_back(
        {.load = point.load,
         .fraction_of_saturation = point.fraction_of_saturation,
         .latency = {.predicted = predicted(*answer.model, saturation, simulation.network.flits, point.load),
                     .simulated = *point.found.latency}});
    answer.tally.add(answer.rows.back().latency);
  }
  return answer;
}

std::vector<std::pair<double, numeric::Model<unit::Cycle>>> model_curve(
    const ValidateWormholeQuestion& question, const ValidateWormholeAnswer& answer, int loads) {
  std::shared_ptr<const Model> model = answer.model;
  if (!model) {
    const SimulatedWormhole& network = question.simulation.network;
    model = std::make_shared<const Model>(modelled(network));
    static_cast<void>(found_in(network, model));
  }
  double last = 0;
  for (const WormholeComparison& row : answer.rows)
    if (row.latency.predicted) last = std::max(last, row.load);
  std::vector<std::pair<double, numeric::Model<unit::Cycle>>> curve;
  for (int i = 1; i <= loads; ++i) {
    const double load = last * (static_cast<double>(i) / loads);
    if (load >= answer.simulation.model_saturation.value) break;
    if (const auto latency = wormhole_latency(*model, question.simulation.network.flits, load))
      curve.emplace_back(load, *latency);
  }
  return curve;
}

}  // namespace tailbound::answers
