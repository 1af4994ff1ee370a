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

using answers::BroadcastHypercube;
using answers::BroadcastQuery;
using answers::Combinations;
using answers::HypercubeSaturationQuery;
using answers::SimulatedHypercube;
using answers::SimulateHypercubeQuery;
using answers::ValidateBroadcastQuery;
using numeric::Rational;

/// Limits of a command.
struct BroadcastLimits {
  network::HypercubeLimits sizes = network::modelled_hypercubes;
  bool whole_cycles = false;  ///< start-up times
  Fractions fractions = Fractions::below_saturation;
  const char* help_of_fractions;
};
const BroadcastLimits model_limits{
    .help_of_fractions =
        "fractions of the saturation rate.\nIn place of --rates: 0.1,0.5 or 10%:90%:10% (default {})"};
const BroadcastLimits simulation_limits{.sizes = network::simulated_hypercubes,
                                        .whole_cycles = true,
                                        .fractions = Fractions::any,
                                        .help_of_fractions =
                                            "fractions of the saturation rate of the model.\nIn place of "
                                            "--rates: 0.1,0.5 or 10%:90%:10% (default {}); also above 1"};

/// Start-up times in cycles.
Accepted<Rationals> startups(const BroadcastLimits& limits) {
  if (!limits.whole_cycles)
    return numbers().such_that(
        [maximum = limits.sizes.startup](const Rational& cycles) {
          return cycles >= 0 && cycles <= Rational(maximum);
        },
        "from 0 to 10^9 cycles");
  const std::int64_t maximum = limits.sizes.startup;
  const auto read = [maximum](const std::string& text, const std::string& option) {
    const auto cycles = parse_integers(text, option, 0, maximum);
    return Rationals(cycles.begin(), cycles.end());
  };
  return {.read = read, .values = must_be(numeric::integers_in_words(0, maximum))};
}

struct BroadcastOptions {
  const BroadcastLimits& limits = model_limits;
  OptionTable rows{};
  OptionGroup network{rows, "Network"}, traffic{rows, "Traffic"};
  List<int> dimensions{
      network, "--dimensions", "N",
      integers<int>(1, limits.sizes.dimensions)
          .needed(fmt::format("give the dimensions of the hypercube, from 1 to {}, such as --dimensions 6",
                              limits.sizes.dimensions))
          .slider(1, limits.whole_cycles ? 10 : 16, 1),
      "dimensions N of the hypercube: 2^N nodes"};
  Integers virtual_channels{
      network, "--virtual-channels", "V",
      integers(network::min_modelled_virtual_channels, limits.sizes.virtual_channels)
          .needed("give the number of virtual channels, at least 2, such as --virtual-channels 4")
          .slider(2, 16, 1),
      "virtual channels per physical channel"};
  WormEndsOptions ends{rows, true};
  Integers flits{traffic, "--flits", "M",
                 integers(1, limits.sizes.flits)
                     .needed("give the message length in flits, such as --flits 32")
                     .slider(1, 256, 1),
                 "message length in flits"};
  Numbers broadcast{traffic, "--broadcast", "B",
                    shares()
                        .such_that([](const Rational& fraction) { return fraction >= 0 && fraction <= 1; },
                                   "from 0 to 1: the fraction of messages that are broadcasts")
                        .needed("give the fraction of broadcast messages, such as --broadcast 0.01")
                        .slider(0, 0.2, 0.005),
                    "fraction of broadcast messages: 0.01 or 1%"};
  Numbers startup{traffic, "--startup", "D", startups(limits).by_default("1").slider(0, 32, 1),
                  limits.whole_cycles ? "whole cycles before each broadcast step (default {})"
                                      : "cycles before each step of a broadcast (default {})"};
  OfferedOptions rates{rows, message_rates, limits.help_of_fractions};
};
struct HypercubeSimulationOptions {
  BroadcastOptions query{simulation_limits};
  OptionTable rows{};
  Integers buffer_flits{OptionGroup(rows, "Network"), "--buffer-flits", "F",
                        integers(1, 1'000'000).by_default("1").slider(1, 32, 1),
                        "buffer of each virtual channel in flits (default {})"};
  SimulationOptions run{.unit = "cycle"};
  LatencyOptions latency{message_rates};
};

std::vector<BroadcastHypercube> read_hypercubes(const BroadcastOptions& options) {
  return Combinations(BroadcastHypercube{})
      .by(options.dimensions.value(), &BroadcastHypercube::dimensions)
      .by(options.virtual_channels.value(), &BroadcastHypercube::virtual_channels)
      .by(read_worm_ends(options.ends, true), &BroadcastHypercube::ends)
      .by(options.flits.value(), &BroadcastHypercube::flits)
      .by(options.broadcast.value(), &BroadcastHypercube::broadcast)
      .by(options.startup.value(), &BroadcastHypercube::startup)
      .points();
}

OfferedLoads read_rates(const BroadcastOptions& options) {
  return read_offered(options.rates, options.limits.fractions);
}

/// One query for each combination of list entries.
std::vector<BroadcastQuery> read_queries(const BroadcastOptions& options) {
  const OfferedLoads offered = read_rates(options);
  return Combinations(BroadcastQuery{.hypercube = {}, .offered = offered})
      .by(read_hypercubes(options), &BroadcastQuery::hypercube)
      .points();
}

Reply answer_model(const BroadcastOptions& options, const Context& context) {
  return answers::as_piece(analysis_run(context), [&] {
    return show_all(
        read_queries(options), context, [](const auto& networks) { return render::document(networks); },
        [](const BroadcastQuery& query) { return render::inputs_of(query); });
  });
}

// --- simulated

std::vector<SimulatedHypercube> read_simulated(const HypercubeSimulationOptions& options) {
  return Combinations(SimulatedHypercube{.hypercube = {}})
      .by(read_hypercubes(options.query), &SimulatedHypercube::hypercube)
      .by(options.buffer_flits.value(), &SimulatedHypercube::buffer_flits)
      .points();
}

std::vector<SimulateHypercubeQuery> read_simulations(const HypercubeSimulationOptions& options) {
  const SimulateHypercubeQuery common{.network = {},
                                      .offered = read_rates(options.query),
                                      .percentiles = options.latency.percentiles.value(),
                                      .length = read_run_length(options.run)};
  return Combinations(common).by(read_simulated(options), &SimulateHypercubeQuery::network).points();
}

Reply answer_simulation(const HypercubeSimulationOptions& options, const Context& context) {
  if (options.latency.saturation) {
    reject_with({&options.run.half_width}, "--saturation");
    reject_with_saturation(options.query.rates, options.run, options.latency);
    const answers::SaturationLength length = read_saturation_length(options.run, options.latency.precision);
    return simulate_all(
        Combinations(HypercubeSaturationQuery{.network = {}, .length = length})
            .by(read_simulated(options), &HypercubeSaturationQuery::network)
            .points(),
        options.run, context, [](const auto& points) { return render::document(points); },
        [](const HypercubeSaturationQuery& query) { return render::inputs_of(query); });
  }
  reject_without({&options.latency.precision}, "--saturation");
  return simulate_requested_loads(
      read_simulations(options), options.run, context,
      [](const auto& points, std::size_t requested) { return render::document(points, requested); },
      [](const SimulateHypercubeQuery& query) { return render::inputs_of(query); });
}

void declare_validation(OptionTable& table, HypercubeSimulationOptions& options) {
  add_rows(table, options.query, options, options.run);
}

void declare_simulation(OptionTable& table, HypercubeSimulationOptions& options) {
  declare_validation(table, options);
  add_precision_option(table, options.run);
  add_rows(table, options.latency);
}

Reply answer_validation(const HypercubeSimulationOptions& options, const Context& context) {
  std::vector<ValidateBroadcastQuery> queries;
  for (SimulateHypercubeQuery& simulation : read_simulations(options))
    queries.push_back({.simulation = std::move(simulation)});
  return simulate_all(
      queries, options.run, context,
      [](const auto& points, std::size_t requested) { return render::document(points, requested); },
      [](const ValidateBroadcastQuery& query) { return render::inputs_of(query.simulation); });
}

}  // namespace

Command broadcast_command() {
  return command_of<BroadcastOptions>(
      {.name = "broadcast",
       .purpose = "latency and saturation rate of hypercube broadcasts",
       .work = Work::points,
       .draws = true,
       .answer = answer_model,
       .layout = [] { return render::with_status(render::broadcast_layout()); },
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
       .layout = [] { return render::with_status(render::simulate_hypercube_layout()); },
       .example = {{"--dimensions", "6"},
                   {"--virtual-channels", "4"},
                   {"--flits", "32"},
                   {"--broadcast", "0.01"},
                   {"--rates", "0.001,0.002"}}});
}

Command validate_broadcast_command() {
  return command_of<HypercubeSimulationOptions>(
      {.name = "validate broadcast",
       .purpose = "latency of hypercube broadcasts",
       .work = Work::simulation,
       .draws = true,
       .declare = declare_validation,
       .answer = answer_validation,
       .layout = [] { return render::with_status(render::validate_broadcast_layout()); },
       .example = {{"--dimensions", "6"},
                   {"--virtual-channels", "4"},
                   {"--flits", "32"},
                   {"--broadcast", "0.01"},
                   {"--fractions", "20%,50%,80%"}}});
}

}  // namespace tailbound::cli
