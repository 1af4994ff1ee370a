#include <cli/simulate_hypercube.hpp>
#include <cli/simulated_points.hpp>
#include <cli/traffic_options.hpp>
#include <tailbound/render/documents/simulate_hypercube.hpp>

namespace tailbound::cli {
namespace {

using answers::HypercubeSaturationQuestion;
using answers::SimulateHypercubeQuestion;

const BroadcastLimits simulation_limits{
    .sizes = network::simulated_hypercubes, .whole_cycles = true, .fractions = Fractions::any};

/// One for each combination of what was given as lists.
std::vector<answers::SimulatedHypercube> read_networks(const HypercubeSimulationOptions& options) {
  const auto buffers = integers_or(1, options.buffer_flits, "--buffer-flits", 1, 1'000'000);
  std::vector<answers::SimulatedHypercube> networks;
  for (const answers::BroadcastHypercube& hypercube : read_hypercubes(options.question, simulation_limits))
    for (const std::int64_t flits : buffers)
      networks.push_back({.hypercube = hypercube, .buffer_flits = flits});
  return networks;
}

Reply find_saturation(const HypercubeSimulationOptions& options, const Context& context) {
  refuse_with_saturation(message_rates, options.question.rates, options.question.fractions, options.run,
                         options.latency);
  const answers::SaturationLength length = read_saturation_length(options.run, options.latency);
  std::vector<HypercubeSaturationQuestion> questions;
  for (const answers::SimulatedHypercube& network : read_networks(options))
    questions.push_back({.network = network, .length = length});
  auto networks = simulate_each(questions, questions.size(), options.run, context);
  const std::size_t finished = networks.finished.size();
  render::Document document = render::document(paired(questions, std::move(networks.finished)));
  if (networks.stopped) render::mark_stopped(document, finished, questions.size());
  return {.document = std::move(document)};
}

Reply answer(const HypercubeSimulationOptions& options, const Context& context) {
  if (options.latency.saturation) return find_saturation(options, context);
  if (options.latency.precision)
    throw InvalidArgument("--precision", *options.latency.precision, "given with --saturation");
  const std::vector<SimulateHypercubeQuestion> questions = read_hypercube_simulations(options);
  const std::size_t asked = questions.size() * questions.front().offered.values.size();
  auto networks = simulate_each(questions, asked, options.run, context);
  return {.document = render::document(paired(questions, std::move(networks.finished)), asked)};
}

}  // namespace

void add_hypercube_simulation_options(OptionTable& table, HypercubeSimulationOptions& options) {
  add_broadcast_options(table, options.question, simulation_limits);
  OptionGroup(table, "Network")
      .add("--buffer-flits", options.buffer_flits, "F", "of each virtual channel (1)");
  add_simulation_options(table, options.run);
}

std::vector<SimulateHypercubeQuestion> read_hypercube_simulations(const HypercubeSimulationOptions& options) {
  const SimulateHypercubeQuestion common{.network = {},
                                         .offered = read_rates(options.question, simulation_limits),
                                         .percentiles = read_latency_percentiles(options.latency),
                                         .length = read_run_length(options.run)};
  std::vector<SimulateHypercubeQuestion> questions;
  for (const answers::SimulatedHypercube& network : read_networks(options)) {
    questions.push_back(common);
    questions.back().network = network;
  }
  return questions;
}

namespace {

void declare(OptionTable& table, HypercubeSimulationOptions& options) {
  add_hypercube_simulation_options(table, options);
  add_latency_options(table, options.latency, message_rates);
}

}  // namespace

Command simulate_hypercube_command() {
  return command_of<HypercubeSimulationOptions>(
      "simulate hypercube", "wormhole hypercube with broadcasts, flit by flit", true, declare, answer);
}

}  // namespace tailbound::cli
