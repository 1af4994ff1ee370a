#include <cli/simulate_wormhole.hpp>
#include <cli/simulated_points.hpp>
#include <cli/traffic_options.hpp>
#include <tailbound/render/documents/simulate_wormhole.hpp>
#include <tailbound/render/documents/worm_network.hpp>

namespace tailbound::cli {
namespace {

using answers::SimulatedWormhole;
using answers::SimulateWormholeQuestion;
using answers::WormholeSaturationQuestion;

/// Positions of the names of a list; the first name unless told.
std::vector<std::size_t> places_or_first(const std::optional<std::string>& text, const char* option,
                                         const std::vector<std::string>& names) {
  return text ? parse_choices(*text, option, names) : std::vector<std::size_t>{0};
}

/// What is simulated of each network, but for the network and the length of its messages.
std::vector<SimulatedWormhole> read_variants(const WormholeSimulationOptions& options) {
  const auto buffers = integers_or(1, options.buffer_flits, "--buffer-flits", 1, 1'000'000);
  std::vector<SimulatedWormhole> variants;
  for (const std::optional<int> channels : read_virtual_channels(options.question))
    for (const std::int64_t flits : buffers)
      for (const std::size_t lengths :
           places_or_first(options.lengths, "--lengths", render::worm_length_names()))
        for (const std::size_t arrivals :
             places_or_first(options.arrivals, "--arrivals", render::worm_arrival_names()))
          variants.push_back({.network = {},
                              .virtual_channels = channels,
                              .buffer_flits = flits,
                              .lengths = static_cast<sim::WormLengths>(lengths),
                              .arrivals = static_cast<sim::WormArrivals>(arrivals)});
  return variants;
}

std::vector<SimulatedWormhole> read_networks(const WormholeSimulationOptions& options) {
  std::vector<SimulatedWormhole> all;
  for (const answers::WormholeNetwork& network : read_wormhole_networks(options.question))
    for (const std::int64_t flits : read_lengths(options.question))
      for (SimulatedWormhole each : read_variants(options)) {
        each.network = network;
        each.flits = flits;
        all.push_back(std::move(each));
      }
  return all;
}

/// How saturation is searched where fractions are of the simulated one.
std::optional<answers::SaturationLength> read_of_simulated(const WormholeSimulationOptions& options) {
  if (options.of && options.question.loads)
    throw InvalidArgument("--of", *options.of, "given with --fractions, not with --loads");
  const bool simulated = options.of && parse_choice(*options.of, "--of", {"model", "simulated"}) == 1;
  if (options.latency.precision && !simulated)
    throw InvalidArgument("--precision", *options.latency.precision,
                          "given where saturation is searched: with --saturation, or with --of simulated");
  return simulated ? std::optional(read_saturation_length(options.run, options.latency)) : std::nullopt;
}

Reply find_saturation(const WormholeSimulationOptions& options, const Context& context) {
  if (options.of) throw InvalidArgument("--of", *options.of, "left out with --saturation");
  refuse_with_saturation(flit_loads, options.question.loads, options.question.fractions, options.run,
                         options.latency);
  const answers::SaturationLength length = read_saturation_length(options.run, options.latency);
  std::vector<WormholeSaturationQuestion> questions;
  for (const SimulatedWormhole& network : read_networks(options))
    questions.push_back({.network = network, .length = length});
  auto networks = simulate_each(questions, questions.size(), options.run, context);
  const std::size_t finished = networks.finished.size();
  render::Document document = render::document(paired(questions, std::move(networks.finished)));
  if (networks.stopped) render::mark_stopped(document, finished, questions.size());
  return {.document = std::move(document)};
}

Reply answer(const WormholeSimulationOptions& options, const Context& context) {
  if (options.latency.saturation) return find_saturation(options, context);
  const std::vector<SimulateWormholeQuestion> questions = read_wormhole_simulations(options);
  const std::size_t asked = questions.size() * questions.front().offered.values.size();
  auto networks = simulate_each(questions, asked, options.run, context);
  return {.document = render::document(paired(questions, std::move(networks.finished)), asked)};
}

}  // namespace

void add_wormhole_simulation_options(OptionTable& table, WormholeSimulationOptions& options) {
  add_wormhole_options(table, options.question);
  OptionGroup(table, "Traffic")
      .add("--of", options.of, "NAME",
           "fractions are of the saturation load of the model (unless\ntold) or simulated: searched first, "
           "to --precision");
  const OptionGroup network(table, "Simulated network");
  network.add("--buffer-flits", options.buffer_flits, "B", "of each virtual channel (1)");
  network.add("--lengths", options.lengths, "NAME", "fixed (unless told) or geometric, with mean --flits");
  network.add("--arrivals", options.arrivals, "NAME", "of messages: poisson (unless told) or bernoulli");
  add_simulation_options(table, options.run);
}

std::vector<SimulateWormholeQuestion> read_wormhole_simulations(const WormholeSimulationOptions& options) {
  const SimulateWormholeQuestion common{.network = {},
                                        .offered = read_loads(options.question, Fractions::any),
                                        .percentiles = read_latency_percentiles(options.latency),
                                        .length = read_run_length(options.run),
                                        .of_simulated = read_of_simulated(options)};
  std::vector<SimulateWormholeQuestion> questions;
  for (SimulatedWormhole& network : read_networks(options)) {
    questions.push_back(common);
    questions.back().network = std::move(network);
  }
  return questions;
}

namespace {

void declare(OptionTable& table, WormholeSimulationOptions& options) {
  add_wormhole_simulation_options(table, options);
  add_latency_options(table, options.latency, flit_loads);
}

}  // namespace

Command simulate_wormhole_command() {
  return command_of<WormholeSimulationOptions>("simulate wormhole", "wormhole network, flit by flit", true,
                                               declare, answer);
}

}  // namespace tailbound::cli
