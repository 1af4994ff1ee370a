#include <cli/option_group.hpp>
#include <cli/show.hpp>
#include <cli/simulate_wormhole.hpp>
#include <cli/traffic_options.hpp>
#include <tailbound/render/documents/simulate_wormhole.hpp>
#include <tailbound/render/documents/worm_network.hpp>

#include <memory>

namespace tailbound::cli {
namespace {

using answers::SimulatedWormhole;
using answers::SimulateWormholeQuestion;
using answers::WormholeSaturationQuestion;

/// Positions of the names of a list; the first name unless told.
std::vector<std::size_t> choices_or_first(const std::optional<std::string>& text, const char* option,
                                          const std::vector<std::string>& names) {
  return text ? parse_choices(*text, option, names) : std::vector<std::size_t>{0};
}

/// The usual number unless told.
std::vector<std::optional<int>> read_virtual_channels(const WormholeSimulationOptions& options) {
  if (!options.virtual_channels) return {std::nullopt};
  if (options.question.place.network)
    throw InvalidArgument("--virtual-channels", *options.virtual_channels,
                          "left out with --network: the file says it");
  std::vector<std::optional<int>> all;
  for (const std::int64_t channels : parse_integers(*options.virtual_channels, "--virtual-channels", 1, 64))
    all.emplace_back(static_cast<int>(channels));
  return all;
}

/// What is simulated of each network, but for the network and the length of its messages.
std::vector<SimulatedWormhole> read_variants(const WormholeSimulationOptions& options) {
  const std::vector<std::int64_t> buffers =
      options.buffer_flits ? parse_integers(*options.buffer_flits, "--buffer-flits", 1, 1'000'000)
                           : std::vector<std::int64_t>{1};
  std::vector<SimulatedWormhole> variants;
  for (const std::optional<int> channels : read_virtual_channels(options))
    for (const std::int64_t flits : buffers)
      for (const std::size_t lengths :
           choices_or_first(options.lengths, "--lengths", render::worm_length_names()))
        for (const std::size_t arrivals :
             choices_or_first(options.arrivals, "--arrivals", render::worm_arrival_names()))
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
  auto networks = SimulationRun(options.run, context)([&](const answers::Run& run) {
    return answers::for_each_simulation(questions.size(), run, [&](std::size_t i, const answers::Run& part) {
      return answers::answer(questions[i], part);
    });
  });
  const std::size_t finished = networks.finished.size();
  render::Document document = render::document(paired(questions, std::move(networks.finished)));
  if (networks.stopped) render::mark_stopped(document, finished, questions.size());
  return show(std::move(document), context);
}

Reply answer(const WormholeSimulationOptions& options, const Context& context) {
  if (options.latency.saturation) return find_saturation(options, context);
  const std::vector<SimulateWormholeQuestion> questions = read_wormhole_simulations(options);
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

void add_wormhole_simulation_options(CLI::App& command, WormholeSimulationOptions& options) {
  add_wormhole_options(command, options.question);
  OptionGroup(command, "Traffic")
      .add("--of", options.of, "NAME",
           "fractions are of the saturation load of the model (unless\ntold) or simulated: searched first, "
           "to --precision");
  const OptionGroup network(command, "Simulated network");
  network.add("--virtual-channels", options.virtual_channels, "V",
              "of each link, which share its wire (1; tori 2)");
  network.add("--buffer-flits", options.buffer_flits, "B", "of each virtual channel (1)");
  network.add("--lengths", options.lengths, "NAME", "fixed (unless told) or geometric, with mean --flits");
  network.add("--arrivals", options.arrivals, "NAME", "of messages: poisson (unless told) or bernoulli");
  add_simulation_options(command, options.run);
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

Command add_simulate_wormhole(CLI::App& simulate) {
  CLI::App* command = simulate.add_subcommand("wormhole", "wormhole network, flit by flit");
  const auto options = std::make_shared<WormholeSimulationOptions>();
  add_wormhole_simulation_options(*command, *options);
  add_latency_options(*command, options->latency, flit_loads);
  add_plot_option(*command);
  command->footer(
      "Example:\n"
      "  tailbound simulate wormhole --topology mesh --nodes 64 --flits 32 --fractions 10%,50%,80%\n"
      "      --quiet\n"
      "prints\n"
      "\n"
      "    load [flits/cycle/node]  of saturation  latency [cycles]  source wait [cycles]  service [cycles]  "
      "50 % within    99 % within       busiest channel  held\n"
      "                  0.0188562         10.0 %  39.902 +- 0.017   0.3436 +- 0.0055      33.232 +- 0.014   "
      "38 (38 .. 38)  69 (69 .. 69)     (4,7) -> (3,7)   0.0395 +- 0.00043\n"
      "                   0.094281         50.0 %  50.296 +- 0.087   3.275 +- 0.034        40.694 +- 0.062   "
      "41 (41 .. 41)  135 (134 .. 136)  (4,7) -> (3,7)   0.2275 +- 0.0027\n"
      "                    0.15085         80.0 %  71.41 +- 0.35     12.58 +- 0.2          52.51 +- 0.16     "
      "55 (55 .. 55)  273 (269 .. 278)  (5,0) -> (4,0)   0.4283 +- 0.0069\n"
      "\n"
      "and with --saturation instead of --fractions, the greatest load that the network carries.\n");
  return {.app = command, .answer = [options](const Context& context) { return answer(*options, context); }};
}

}  // namespace tailbound::cli
