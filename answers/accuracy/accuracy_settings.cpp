#include <tailbound/answers/accuracy/accuracy_settings.hpp>

#include <limits>

namespace tailbound::answers {

namespace {

template <class Choice>
double number_of(Choice choice) {
  return static_cast<double>(choice);
}

}  // namespace

std::vector<RequestedSetting> accuracy_settings(const MeasuredWorms& worms) {
  const network::WormTopology& topology = worms.topology;
  std::vector<RequestedSetting> settings{{Setting::topology, number_of(topology.shape)}};
  if (network::has_dimensions(topology.shape))
    settings.push_back({Setting::dimensions, number_of(topology.dimensions)});
  const int channels = worms.virtual_channels.value_or(network::usual_virtual_channels(topology));
  settings.insert(settings.end(), {{Setting::nodes, number_of(topology.nodes)},
                                   {Setting::virtual_channels, number_of(channels)},
                                   {Setting::buffer_flits, number_of(worms.buffer_flits)},
                                   {Setting::flits, number_of(worms.flits)},
                                   {Setting::lengths, number_of(worms.lengths)},
                                   {Setting::injection, number_of(topology.ends.injection)},
                                   {Setting::ejection, number_of(topology.ends.ejection)}});
  if (const network::RouterTiming& timing = worms.timing; timing != network::RouterTiming{})
    settings.insert(settings.end(), {{Setting::router_cycles, number_of(timing.router_cycles)},
                                     {Setting::link_cycles, number_of(timing.link_cycles)},
                                     {Setting::credit_cycles, number_of(timing.credit_cycles)}});
  return settings;
}

std::vector<RequestedSetting> accuracy_settings(const BroadcastHypercube& hypercube) {
  return {{Setting::nodes, number_of(hypercube.nodes())},
          {Setting::virtual_channels, number_of(hypercube.virtual_channels)},
          {Setting::flits, number_of(hypercube.flits)},
          {Setting::broadcast, numeric::nearest_double(hypercube.broadcast)},
          {Setting::startup, numeric::nearest_double(hypercube.startup)},
          {Setting::injection, number_of(hypercube.ends.injection)},
          {Setting::ejection, number_of(hypercube.ends.ejection)}};
}

std::vector<RequestedSetting> accuracy_settings(const network::CombiningMultistage& network,
                                                const numeric::Rational& load, bool saturated) {
  const double unlimited = std::numeric_limits<double>::infinity();
  return {{Setting::nodes, number_of(network.network.nodes)},
          {Setting::switch_size, number_of(network.network.switch_size)},
          {Setting::buffer, number_of(network.buffer)},
          {Setting::hot, numeric::nearest_double(network.hot)},
          {Setting::combining, network.combining ? number_of(*network.combining) : unlimited},
          {Setting::links, number_of(network.links)},
          {Setting::load, numeric::nearest_double(load)},
          {Setting::saturated, number_of(saturated)}};
}

bool saturation_agrees(const RequestedAccuracy& requested) {
  constexpr double near = 0.1;
  const std::optional<ErrorRange> errors = accuracy(requested).errors(Quantity::saturation);
  return errors && errors->minimum >= -near && errors->largest <= near;
}

RequestedAccuracy requested_accuracy(const BroadcastHypercube& hypercube, std::vector<double> at) {
  return {.model = MeasuredModel::broadcast, .settings = accuracy_settings(hypercube), .at = std::move(at)};
}

RequestedAccuracy requested_accuracy(const MultistageQuery& query, bool saturated) {
  return {.model = MeasuredModel::multistage,
          .settings = accuracy_settings(query.network, query.load, saturated)};
}

}  // namespace tailbound::answers
