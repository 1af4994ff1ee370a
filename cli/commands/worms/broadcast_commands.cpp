#include <fmt/format.h>
#include <cli/commands.hpp>
#include <cli/commands/worms/worm_options.hpp>
#include <cli/options/precision.hpp>
#include <cli/options/replies.hpp>
#include <tailbound/answers/points/combinations.hpp>
#include <tailbound/core/choice.hpp>
#include <tailbound/numeric/rational.hpp>
#include <tailbound/render/documents/simulation/simulate_hypercube.hpp>
#include <tailbound/render/documents/validation/validate_broadcast.hpp>
#include <tailbound/render/documents/wormhole/broadcast.hpp>
#include <tailbound/render/documents/worms/hypercube.hpp>

/// Broadcasts in wormhole hypercubes: `broadcast`, `simulate hypercube` and `validate broadcast`.
namespace tailbound::cli {
namespace {

using answers::BroadcastAnswer;
using answers::BroadcastHypercube;
using answers::BroadcastQuery;
using answers::Combinations;
using answers::HypercubeSaturationQuery;
using answers::SimulatedHypercube;
using answers::SimulateHypercubeQuery;
using answers::ValidateBroadcastQuery;
using numeric::Rational;

/// As typed; empty if not given.
struct BroadcastOptions {
  std::optional<std::string> dimensions, virtual_channels, flits, broadcast, startup, rates, fractions;
  WormEndsOptions ends;
};
struct HypercubeSimulationOptions {
  BroadcastOptions query;
  SimulationOptions run{.unit = "cycle"};
  std::optional<std::string> buffer_flits;
  LatencyOptions latency;
};

/// Limits of a command.
struct BroadcastLimits {
  network::HypercubeLimits sizes = network::modelled_hypercubes;
  bool whole_cycles = false;  ///< start-up times
  Fractions fractions = Fractions::below_saturation;
};
const BroadcastLimits model_limits{};
const BroadcastLimits simulation_limits{
    .sizes = network::simulated_hypercubes, .whole_cycles = true, .fractions = Fractions::any};

std::vector<Rational> read_broadcast_fractions(const std::string& text) {
  std::vector<Rational> fractions = parse_percent_list(text, "--broadcast");
  for (const Rational& fraction : fractions)
    if (fraction < 0 || fraction > 1)
      throw InvalidArgument("--broadcast", text, "from 0 to 1: the fraction of messages that are broadcasts");
  return fractions;
}

std::vector<Rational> read_startups(const std::optional<std::string>& text, const BroadcastLimits& limits) {
  if (!text) return {1};
  if (!limits.whole_cycles) {
    std::vector<Rational> startups = parse_list(*text, "--startup");
    for (const Rational& cycles : startups)
      if (cycles < 0 || cycles > Rational(static_cast<long>(limits.sizes.startup)))
        throw InvalidArgument("--startup", *text, "from 0 to 10^9 cycles");
    return startups;
  }
  std::vector<Rational> startups;
  for (const std::int64_t cycles : parse_integers(*text, "--startup", 0, limits.sizes.startup))
    startups.emplace_back(static_cast<long>(cycles));
  return startups;
}

void add_broadcast_options(OptionTable& table, BroadcastOptions& options, const BroadcastLimits& limits) {
  const OptionGroup network(table, "Network");
  network.add("--dimensions", options.dimensions, "N",
              fmt::format("dimensions N of the hypercube, 1 to {}: 2^N nodes", limits.sizes.dimensions),
              slider(1, limits.whole_cycles ? 10 : 16, 1));
  network.add(
      "--virtual-channels", options.virtual_channels, "V",
      limits.sizes.virtual_channels < network::modelled_hypercubes.virtual_channels
          ? fmt::format("virtual channels per physical channel, 2 to {}", limits.sizes.virtual_channels)
          : "virtual channels per physical channel, at least 2",
      slider(2, 16, 1));
  add_worm_ends_options(table, options.ends, network::Ejection::unlimited, true);
  const OptionGroup traffic(table, "Traffic");
  traffic.add("--flits", options.flits, "M", "message length in flits", slider(1, 256, 1));
  traffic.add("--broadcast", options.broadcast, "B", "fraction of broadcast messages: 0.01 or 1%",
              slider(0, 0.2, 0.005));
  traffic.add("--startup", options.startup, "D",
              limits.whole_cycles ? "whole cycles before each broadcast step (default 1)"
                                  : "cycles before each step of a broadcast (default 1)",
              slider(0, 32, 1));
  traffic.add("--rates", options.rates, "LIST",
              "messages per cycle of each node, a list.\n0.001,0.002 or 0.001:0.01:0.001");
  traffic.add("--fractions", options.fractions, "LIST",
              limits.fractions == Fractions::any
                  ? "fractions of the saturation rate of the model.\nIn place of --rates: 0.1,0.5 or "
                    "10%:90%:10% (default 10%:90%:10%); also above 1"
                  : "fractions of the saturation rate.\nIn place of --rates: 0.1,0.5 or 10%:90%:10% (default "
                    "10%:90%:10%)");
}

std::vector<BroadcastHypercube> read_hypercubes(const BroadcastOptions& options,
                                                const BroadcastLimits& limits) {
  const network::HypercubeLimits& sizes = limits.sizes;
  const auto dimensions = parse_integers(
      required(options.dimensions, "--dimensions",
               fmt::format("give the dimensions of the hypercube, from 1 to {}, such as --dimensions 6",
                           sizes.dimensions)),
      "--dimensions", 1, sizes.dimensions);
  const auto channels = parse_integers(
      required(options.virtual_channels, "--virtual-channels",
               "give the number of virtual channels, at least 2, such as --virtual-channels 4"),
      "--virtual-channels", network::min_modelled_virtual_channels, sizes.virtual_channels);
  const auto flits = parse_integers(
      required(options.flits, "--flits", "give the message length in flits, such as --flits 32"), "--flits",
      1, sizes.flits);
  const auto broadcasts = read_broadcast_fractions(required(
      options.broadcast, "--broadcast", "give the fraction of broadcast messages, such as --broadcast 0.01"));
  const auto startups = read_startups(options.startup, limits);
  const auto all_ends = read_worm_ends(options.ends, network::Ejection::unlimited, true);
  return Combinations(BroadcastHypercube{})
      .by(dimensions, [](auto& each, std::int64_t n) { each.dimensions = static_cast<int>(n); })
      .by(channels, &BroadcastHypercube::virtual_channels)
      .by(all_ends, &BroadcastHypercube::ends)
      .by(flits, &BroadcastHypercube::flits)
      .by(broadcasts, &BroadcastHypercube::broadcast)
      .by(startups, &BroadcastHypercube::startup)
      .points();
}

OfferedLoads read_rates(const BroadcastOptions& options, const BroadcastLimits& limits) {
  return read_offered(options.rates, options.fractions, message_rates, limits.fractions);
}

/// One query for each combination of list entries.
std::vector<BroadcastQuery> read_queries(const BroadcastOptions& options) {
  const OfferedLoads offered = read_rates(options, model_limits);
  return Combinations(BroadcastQuery{.hypercube = {}, .offered = offered})
      .by(read_hypercubes(options, model_limits), &BroadcastQuery::hypercube)
      .points();
}

/// \throws NoAnswer  saturated: which network, and by how much
BroadcastAnswer answer_broadcast(const BroadcastQuery& query, const answers::Run& run) {
  try {
    return answers::answer(query, run);
  } catch (const answers::Saturated& saturated) {
    throw NoAnswer(
        fmt::format("the network is saturated at rate {}: the {} saturates at {:.10g} messages/cycle/node, "
                    "{:.3g} % below",
                    saturated.load(), render::network_in_words(query.hypercube), saturated.saturation(),
                    100 * (1 - saturated.saturation() / saturated.load())));
  }
}

Reply answer_model(const BroadcastOptions& options, const Context& context) {
  return answers::as_piece(analysis_run(context), [&] {
    return show_networks(read_queries(options), context, answer_broadcast,
                         [](const auto& networks) { return render::document(networks); });
  });
}

void declare_model(OptionTable& table, BroadcastOptions& options) {
  add_broadcast_options(table, options, model_limits);
}

// --- simulated

std::vector<SimulatedHypercube> read_simulated(const HypercubeSimulationOptions& options) {
  const auto buffers = integers_or(1, options.buffer_flits, "--buffer-flits", 1, 1'000'000);
  return Combinations(SimulatedHypercube{.hypercube = {}})
      .by(read_hypercubes(options.query, simulation_limits), &SimulatedHypercube::hypercube)
      .by(buffers, &SimulatedHypercube::buffer_flits)
      .points();
}

std::vector<SimulateHypercubeQuery> read_simulations(const HypercubeSimulationOptions& options) {
  const SimulateHypercubeQuery common{.network = {},
                                      .offered = read_rates(options.query, simulation_limits),
                                      .percentiles = read_latency_percentiles(options.latency),
                                      .length = read_run_length(options.run)};
  return Combinations(common).by(read_simulated(options), &SimulateHypercubeQuery::network).points();
}

Reply answer_simulation(const HypercubeSimulationOptions& options, const Context& context) {
  if (options.latency.saturation) {
    reject_with({{"--half-width", &options.run.half_width}}, "--saturation");
    reject_with_saturation(message_rates, options.query.rates, options.query.fractions, options.run,
                           options.latency);
    const answers::SaturationLength length = read_saturation_length(options.run, options.latency);
    return find_saturations(Combinations(HypercubeSaturationQuery{.network = {}, .length = length})
                                .by(read_simulated(options), &HypercubeSaturationQuery::network)
                                .points(),
                            options.run, context,
                            [](const auto& points) { return render::document(points); });
  }
  reject_without({{"--precision", &options.latency.precision}}, "--saturation");
  const auto queries = read_simulations(options);
  if (options.run.half_width)
    return simulate_to_width(
        answers::each_load(queries), options.run, context, [&](auto points, std::size_t requested) {
          return render::document(answers::joined_loads(std::move(points), queries), requested);
        });
  return simulate_loads(queries, options.run, context, [](auto points, std::size_t requested) {
    return render::document(points, requested);
  });
}

void add_hypercube_simulation_options(OptionTable& table, HypercubeSimulationOptions& options) {
  add_broadcast_options(table, options.query, simulation_limits);
  OptionGroup(table, "Network")
      .add("--buffer-flits", options.buffer_flits, "F", "buffer of each virtual channel in flits (default 1)",
           slider(1, 32, 1));
  add_simulation_options(table, options.run);
}

void declare_simulation(OptionTable& table, HypercubeSimulationOptions& options) {
  add_hypercube_simulation_options(table, options);
  add_precision_option(table, options.run);
  add_latency_options(table, options.latency, message_rates);
}

Reply answer_validation(const HypercubeSimulationOptions& options, const Context& context) {
  std::vector<ValidateBroadcastQuery> queries;
  for (SimulateHypercubeQuery& simulation : read_simulations(options))
    queries.push_back({.simulation = std::move(simulation)});
  const std::size_t rates = queries.size() * queries.front().simulation.offered.values.size();
  const auto points = paired(queries, simulate_each(queries, rates, options.run, context).finished);
  return judged(render::document(points, rates), points);
}

}  // namespace

Command broadcast_command() {
  return command_of<BroadcastOptions>(
      {.name = "broadcast",
       .purpose = "latency and saturation rate of hypercube broadcasts",
       .work = Work::points,
       .draws = true,
       .declare = declare_model,
       .answer = answer_model,
       .layout = render::broadcast_layout,
       .example = {
           {"--dimensions", "6"}, {"--virtual-channels", "4"}, {"--flits", "32"}, {"--broadcast", "0.01"}}});
}

Command simulate_hypercube_command() {
  return command_of<HypercubeSimulationOptions>(
      {.name = "simulate hypercube",
       .purpose = "latency and saturation rate of hypercube broadcasts",
       .work = Work::simulation,
       .draws = true,
       .declare = declare_simulation,
       .answer = answer_simulation,
       .layout = render::simulate_hypercube_layout,
       .example = {{"--dimensions", "6"},
                   {"--virtual-channels", "4"},
                   {"--flits", "32"},
                   {"--broadcast", "0.01"},
                   {"--rates", "0.001,0.002"}}});
}

Command validate_broadcast_command() {
  return command_of<HypercubeSimulationOptions>({.name = "validate broadcast",
                                                 .purpose = "latency of hypercube broadcasts",
                                                 .work = Work::simulation,
                                                 .draws = true,
                                                 .declare = add_hypercube_simulation_options,
                                                 .answer = answer_validation,
                                                 .layout = render::validate_broadcast_layout,
                                                 .example = {{"--dimensions", "6"},
                                                             {"--virtual-channels", "4"},
                                                             {"--flits", "32"},
                                                             {"--broadcast", "0.01"},
                                                             {"--fractions", "20%,50%,80%"}}});
}

}  // namespace tailbound::cli
