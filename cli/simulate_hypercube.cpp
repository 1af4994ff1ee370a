#include <cln/rational.h>
#include <cli/option_group.hpp>
#include <cli/show.hpp>
#include <cli/simulate_hypercube.hpp>
#include <cli/traffic_options.hpp>
#include <tailbound/render/documents/simulate_hypercube.hpp>

#include <memory>

namespace tailbound::cli {
namespace {

using answers::HypercubeSaturationQuestion;
using answers::SimulateHypercubeQuestion;

const BroadcastLimits simulation_limits{
    .sizes = network::simulated_hypercubes, .whole_cycles = true, .fractions = Fractions::any};

/// One for each combination of what was given as lists.
std::vector<answers::SimulatedHypercube> read_networks(const HypercubeSimulationOptions& options) {
  const std::vector<std::int64_t> buffers =
      options.buffer_flits ? parse_integers(*options.buffer_flits, "--buffer-flits", 1, 1'000'000)
                           : std::vector<std::int64_t>{1};
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
  auto networks = simulate_loads(options.run, context, [&](const answers::Run& run) {
    return answers::for_each_simulation(questions.size(), run, [&](std::size_t i, const answers::Run& part) {
      return answers::answer(questions[i], part);
    });
  });
  const std::size_t finished = networks.finished.size();
  render::Document document = render::document(paired(questions, std::move(networks.finished)));
  if (networks.stopped) render::mark_stopped(document, finished, questions.size());
  return show(std::move(document), context);
}

Reply answer(const HypercubeSimulationOptions& options, const Context& context) {
  if (options.latency.saturation) return find_saturation(options, context);
  if (options.latency.precision)
    throw InvalidArgument("--precision", *options.latency.precision, "given with --saturation");
  const std::vector<SimulateHypercubeQuestion> questions = read_hypercube_simulations(options);
  const std::size_t asked = questions.size() * questions.front().offered.values.size();
  auto networks = simulate_loads(options.run, context, [&](const answers::Run& run) {
    answers::require_one_load_to_resume(run, asked);
    return answers::for_each_simulation(questions.size(), run, [&](std::size_t i, const answers::Run& part) {
      return answers::answer(questions[i], part);
    });
  });
  return show(render::document(paired(questions, std::move(networks.finished)), asked), context);
}

}  // namespace

void add_hypercube_simulation_options(CLI::App& command, HypercubeSimulationOptions& options) {
  add_broadcast_options(command, options.question, simulation_limits);
  OptionGroup(command, "Network")
      .add("--buffer-flits", options.buffer_flits, "F", "of each virtual channel (1)");
  add_simulation_options(command, options.run);
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

Command add_simulate_hypercube(CLI::App& simulate) {
  CLI::App* command =
      simulate.add_subcommand("hypercube", "wormhole hypercube with broadcasts, flit by flit");
  const auto options = std::make_shared<HypercubeSimulationOptions>();
  add_hypercube_simulation_options(*command, *options);
  add_latency_options(*command, options->latency, message_rates);
  add_plot_option(*command);
  command->footer(
      "Example:\n"
      "  tailbound simulate hypercube --dimensions 6 --virtual-channels 4 --flits 32 --broadcast 0.01\n"
      "      --fractions 20%,50%,80% --quiet\n"
      "prints\n"
      "\n"
      "    rate [messages/cycle/node]  of saturation  unicast [cycles]  broadcast [cycles]  unicast wait "
      "[cycles]  copy [cycles]    busy channels       delivered [flits/cycle/node]\n"
      "                    0.00472369         20.0 %  43.095 +- 0.085   232.27 +- 0.91      0.972 +- 0.024   "
      "      36.611 +- 0.058  0.11093 +- 0.00082  0.2436 +- 0.0034\n"
      "                     0.0118092         50.0 %  60.44 +- 0.31     311.5 +- 2.3        4.82 +- 0.1      "
      "      45.37 +- 0.15    0.3681 +- 0.0033    0.6086 +- 0.0087\n"
      "                     0.0188948         80.0 %  89.14 +- 0.78     470 +- 5.6          16.11 +- 0.42    "
      "      63.11 +- 0.52    0.7681 +- 0.0079    0.97 +- 0.013\n"
      "\n"
      "and with --saturation instead of --fractions, the greatest rate that the network carries. Sizes, "
      "lengths and\n"
      "broadcasts may be lists.\n");
  return {.app = command, .answer = [options](const Context& context) { return answer(*options, context); }};
}

}  // namespace tailbound::cli
