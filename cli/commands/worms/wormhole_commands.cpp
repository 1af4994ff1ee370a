#include <cli/commands.hpp>
#include <cli/commands/delays/topology_options.hpp>
#include <cli/commands/worms/worm_options.hpp>
#include <cli/options/precision.hpp>
#include <cli/options/replies.hpp>
#include <tailbound/answers/points/combinations.hpp>
#include <tailbound/answers/validation/validate_wormhole.hpp>
#include <tailbound/answers/wormhole/worm_sizes.hpp>
#include <tailbound/core/choice.hpp>
#include <tailbound/numeric/rational.hpp>
#include <tailbound/render/documents/simulation/simulate_wormhole.hpp>
#include <tailbound/render/documents/validation/validate_wormhole.hpp>
#include <tailbound/render/documents/wormhole/wormhole.hpp>
#include <tailbound/render/documents/worms/worm_network.hpp>

#include <algorithm>
#include <functional>
#include <memory>

/// Wormhole networks: `wormhole`, `simulate wormhole` and `validate wormhole`.
namespace tailbound::cli {
namespace {

using answers::Combinations;
using answers::OwnWormNetwork;
using answers::SimulatedWormhole;
using answers::SimulateWormholeQuery;
using answers::ValidateWormholeQuery;
using answers::WormholeQuery;
using answers::WormholeSaturationQuery;
using answers::WormholeVariant;
using network::WormPatternName;
using network::WormShape;
using network::WormTopology;

/// As typed; empty if not given.
struct WormholeOptions {
  std::optional<std::string> topology, nodes, dimensions, flits, lengths, loads, fractions, variant,
      virtual_channels, buffer_flits, router_cycles, link_cycles, credit_cycles, concentration, pattern,
      hot_node, hot_share;
  WormEndsOptions ends;
  TopologyOptions place;  ///< --network, --matrix and --route
};
struct WormholeModelOptions {
  WormholeOptions query;
  std::vector<std::string> channels;  ///< --channels: the number, or "" if none is given
};
struct WormholeSimulationOptions {
  WormholeOptions query;
  SimulationOptions run{.unit = "cycle"};
  std::optional<std::string> arrivals, of, reallocate;
  LatencyOptions latency;
};

/// One for each name and, for hot spots, each fraction.
std::vector<network::WormPattern> read_patterns(const WormholeOptions& options) {
  std::vector<network::WormPattern> all;
  bool hot = false;
  for (const WormPatternName name : choices_or_first<WormPatternName>(options.pattern, "--pattern")) {
    if (name != WormPatternName::hot_spot) {
      all.push_back({.name = name});
      continue;
    }
    hot = true;
    const auto nodes = integers_or(0, options.hot_node, "--hot-node", 0, network::max_fat_tree_nodes - 1);
    const std::string& shares =
        required(options.hot_share, "--hot-share",
                 "give the hot-spot fraction of the messages, such as --hot-share 10%");
    for (const std::int64_t node : nodes)
      for (const numeric::Rational& share : parse_percent_list(shares, "--hot-share", 1000))
        all.push_back({.name = name, .hot_node = node, .hot_share = share});
  }
  if (!hot)
    reject_without({{"--hot-node", &options.hot_node}, {"--hot-share", &options.hot_share}},
                   "--pattern hot-spot");
  return all;
}

/// One for each size, number of dimensions, injection and ejection, and its traffic.
void add_topologies(const WormholeOptions& options, WormShape shape,
                    std::vector<answers::WormholeNetwork>& all) {
  if (options.dimensions && !network::has_dimensions(shape))
    throw not_allowed_with("--dimensions", "--topology " + std::string(name_of(shape)),
                           "--nodes defines the size");
  const std::string& nodes =
      required(options.nodes, "--nodes",
               "give the number of nodes, such as --nodes 64, or routers per side, such as 8x8");
  const auto dimensions = integers_or(WormTopology{}.dimensions, options.dimensions, "--dimensions", 1,
                                      network::max_dimensions(shape));
  const auto concentrations =
      integers_or(1, options.concentration, "--concentration", 1, network::max_concentration);
  const auto ends = read_worm_ends(options.ends, network::Ejection::one, network::has_ports(shape));
  const auto patterns = read_patterns(options);
  for (const answers::WormSize& size : answers::parse_worm_sizes(nodes, shape, name_of(shape))) {
    if (!size.sides.empty() && options.dimensions)
      throw not_allowed_with("--dimensions", "--nodes " + nodes, "the sides define the dimensions");
    WormTopology sized{.shape = shape, .nodes = size.nodes};
    if (std::adjacent_find(size.sides.begin(), size.sides.end(), std::not_equal_to<>()) != size.sides.end())
      sized.sides = size.sides;
    const auto each_dimensions =
        size.sides.empty() ? dimensions : std::vector{static_cast<std::int64_t>(size.sides.size())};
    for (const WormTopology& topology :
         Combinations(sized)
             .by(each_dimensions, [](auto&each, std::int64_t n) { each.dimensions = static_cast<int>(n); })
             .by(concentrations,
                 [&](auto&each, std::int64_t n) {
                   each.concentration = static_cast<int>(n);
                   if (!size.sides.empty()) each.nodes = size.nodes * n;
                 })
             .by(ends, &WormTopology::ends)
             .by(patterns, &WormTopology::pattern)
             .points()) {
      network::check(topology);
      all.emplace_back(topology);
    }
  }
}

OwnWormNetwork read_own(const WormholeOptions& options) {
  reject_with({{"--topology", &options.topology},
               {"--nodes", &options.nodes},
               {"--dimensions", &options.dimensions},
               {"--concentration", &options.concentration},
               {"--pattern", &options.pattern},
               {"--hot-node", &options.hot_node},
               {"--hot-share", &options.hot_share},
               {"--virtual-channels", &options.virtual_channels},
               {"--injection", &options.ends.injection},
               {"--ejection", &options.ends.ejection}},
              "--network", "the network file defines it");
  network::Network network = read_network(options.place, network::FileUse::worms).network;
  if (network.name.empty()) network.name = *options.place.network;
  return {.network = std::make_shared<network::RoutedWormNetwork>(network),
          .file = *options.place.network,
          .matrix = options.place.matrix};
}

void add_wormhole_options(OptionTable& table, WormholeOptions& options) {
  const OptionGroup network(table, "Network");
  network.add("--topology", options.topology, "NAME",
              "mesh, torus, hypercube or butterfly-fat-tree.\nAlso unidirectional-torus",
              choices<WormShape>());
  network.add("--nodes", options.nodes, "N",
              "number of nodes, or routers per side: 8x8.\nA power of 4 (fat-tree), of 2 (hypercube), or "
              "k^dimensions");
  network.add("--dimensions", options.dimensions, "D", "dimensions of a mesh or torus (default 2)",
              slider(1, 6, 1));
  network.add("--concentration", options.concentration, "C",
              "nodes per router, not of a fat-tree (default 1)", slider(1, 8, 1));
  network.add("--variant", options.variant, "NAME",
              "model: finite-source or paper.\nDefault finite-source, for large meshes and tori paper: "
              "published equations, faster and less accurate",
              choices<WormholeVariant>());
  network.add("--virtual-channels", options.virtual_channels, "V",
              "virtual channels per physical channel.\nDefault 1, of tori 2", slider(1, 16, 1));
  network.add("--buffer-flits", options.buffer_flits, "B",
              "buffer of each virtual channel in flits (default 1)", slider(1, 32, 1));
  network.add("--router-cycles", options.router_cycles, "R",
              "cycles of a flit in each router (default 0).\nBefore it can go on", slider(0, 5, 1));
  network.add("--link-cycles", options.link_cycles, "L",
              "cycles of a flit on a link between routers (default 1)", slider(1, 5, 1));
  network.add("--credit-cycles", options.credit_cycles, "C",
              "cycles until a freed flit buffer can be reused (default 0)", slider(0, 5, 1));
  add_worm_ends_options(table, options.ends, network::Ejection::one, false);
  add_network_options(table, options.place);
  const OptionGroup traffic(table, "Traffic");
  traffic.add("--flits", options.flits, "M", "message length in flits", slider(1, 256, 1));
  traffic.add("--lengths", options.lengths, "NAME",
              choices_in_words<sim::WormLengths>() + ".\nMessage lengths with mean --flits",
              choices<sim::WormLengths>());
  traffic.add("--pattern", options.pattern, "NAME",
              "traffic pattern (default uniform).\nuniform, transpose, bit-complement, bit-reverse, shuffle, "
              "tornado, neighbour or hot-spot",
              choices<WormPatternName>());
  traffic.add("--hot-node", options.hot_node, "NODE", "hot-spot: number of the hot node, from 0 (default 0)");
  traffic.add("--hot-share", options.hot_share, "P",
              "hot-spot: share of the traffic of each other node, 10%");
  traffic.add("--loads", options.loads, "LIST",
              "flits per cycle of each node, a list.\n0.01,0.02 or 0.01:0.05:0.01");
  traffic.add(
      "--fractions", options.fractions, "LIST",
      "fractions of the saturation load.\nIn place of --loads: 0.1,0.5 or 10%:90%:10% (default 10%:90%:10%)");
}

/// One network for each combination of entries, the last varying fastest; "12x12" is also a size. Includes
/// networks from files.
std::vector<answers::WormholeNetwork> read_wormhole_networks(const WormholeOptions& options) {
  if (options.place.network) return {read_own(options)};
  reject_without({{"--matrix", &options.place.matrix}, {"--route", &options.place.route}}, "--network FILE");
  const std::string& shapes =
      required(options.topology, "--topology",
               "give " + in_words(all_names<WormShape>()) + ", or another network with --network FILE");
  std::vector<answers::WormholeNetwork> all;
  for (const WormShape shape : choices_or_first<WormShape>(shapes, "--topology"))
    add_topologies(options, shape, all);
  return all;
}

/// Has a default.
std::vector<std::optional<int>> read_virtual_channels(const WormholeOptions& options) {
  const auto all = integers_or(1, options.virtual_channels, "--virtual-channels", 1, 64);
  return each_or_none(options.virtual_channels.has_value(), std::vector<int>(all.begin(), all.end()));
}

std::vector<std::optional<WormholeVariant>> read_variants(const WormholeOptions& options) {
  return each_or_none(options.variant.has_value(),
                      choices_or_first<WormholeVariant>(options.variant, "--variant"));
}

std::vector<sim::WormLengths> read_lengths(const WormholeOptions& options) {
  return choices_or_first<sim::WormLengths>(options.lengths, "--lengths");
}

std::vector<std::int64_t> read_flits(const WormholeOptions& options) {
  return parse_integers(
      required(options.flits, "--flits", "give the message length in flits, such as --flits 32"), "--flits",
      1, 1'000'000'000);
}

std::vector<std::int64_t> read_buffers(const WormholeOptions& options) {
  return integers_or(1, options.buffer_flits, "--buffer-flits", 1, 1'000'000);
}

/// One for each combination.
std::vector<network::RouterTiming> read_timings(const WormholeOptions& options,
                                                const std::optional<std::string>& reallocate) {
  const auto cycles = [](const std::optional<std::string>& given, const char* option, std::int64_t usual,
                         std::int64_t minimum) {
    return integers_or(usual, given, option, minimum, network::RouterTiming::max_cycles);
  };
  const auto to = [](std::uint32_t network::RouterTiming::*field) {
    return [field](network::RouterTiming& timing, std::int64_t value) {
      timing.*field = static_cast<std::uint32_t>(value);
    };
  };
  auto all =
      Combinations(network::RouterTiming{})
          .by(cycles(options.router_cycles, "--router-cycles", 0, 0),
              to(&network::RouterTiming::router_cycles))
          .by(cycles(options.link_cycles, "--link-cycles", 1, 1), to(&network::RouterTiming::link_cycles))
          .by(cycles(options.credit_cycles, "--credit-cycles", 0, 0),
              to(&network::RouterTiming::credit_cycles))
          .by(choices_or_first<network::Reallocate>(reallocate, "--reallocate"),
              &network::RouterTiming::reallocate)
          .points();
  for (network::RouterTiming& timing : all)
    if (!options.credit_cycles && timing.reallocate == network::Reallocate::tail) timing.credit_cycles = 1;
  return all;
}

OfferedLoads read_loads(const WormholeOptions& options, Fractions legal = Fractions::below_saturation) {
  return read_offered(options.loads, options.fractions, flit_loads, legal);
}

std::optional<std::size_t> read_channels(const WormholeModelOptions& options) {
  if (options.channels.empty()) return std::nullopt;
  const std::string& text = options.channels.front();
  return text.empty() ? 10 : static_cast<std::size_t>(parse_integer(text, "--channels", 1, 1'000'000));
}

/// One query for each network and length; its loads share expensive computations.
std::vector<WormholeQuery> read_queries(const WormholeModelOptions& options) {
  const std::optional<std::size_t> channels = read_channels(options);
  return Combinations(WormholeQuery{.network = {}, .offered = {}, .channels = channels})
      .by(read_wormhole_networks(options.query), &WormholeQuery::network)
      .by(read_variants(options.query), &WormholeQuery::variant)
      .by(read_flits(options.query), &WormholeQuery::flits)
      .by(read_lengths(options.query), &WormholeQuery::lengths)
      .by(read_virtual_channels(options.query), &WormholeQuery::virtual_channels)
      .by(read_buffers(options.query), &WormholeQuery::buffer_flits)
      .by(read_timings(options.query, {}), &WormholeQuery::timing)
      .by(std::vector{read_loads(options.query)}, &WormholeQuery::offered)
      .points();
}

Reply answer_model(const WormholeModelOptions& options, const Context& context) {
  return answers::as_piece(analysis_run(context), [&] {
    return show_networks(
        read_queries(options), context,
        [](const auto& query, const answers::Run& run) { return answers::answer(query, run); },
        [](const auto& networks) { return render::document(networks); });
  });
}

void declare_model(OptionTable& table, WormholeModelOptions& options) {
  add_wormhole_options(table, options.query);
  OptionGroup(table, "Output")
      .add_words("--channels", options.channels, "[N]",
                 "list of the N busiest channels of each load (default 10)", 0, 1);
}

// --- simulated

/// The simulated network, for each combination of list entries.
std::vector<SimulatedWormhole> read_simulated(const WormholeSimulationOptions& options) {
  const std::vector<answers::WormholeNetwork> networks = read_wormhole_networks(options.query);
  const std::vector<std::int64_t> flits = read_flits(options.query);
  return Combinations(SimulatedWormhole{.network = {}})
      .by(networks, &SimulatedWormhole::network)
      .by(read_variants(options.query), &SimulatedWormhole::variant)
      .by(flits, &SimulatedWormhole::flits)
      .by(read_virtual_channels(options.query), &SimulatedWormhole::virtual_channels)
      .by(read_buffers(options.query), &SimulatedWormhole::buffer_flits)
      .by(read_lengths(options.query), &SimulatedWormhole::lengths)
      .by(choices_or_first<sim::WormArrivals>(options.arrivals, "--arrivals"), &SimulatedWormhole::arrivals)
      .by(read_timings(options.query, options.reallocate), &SimulatedWormhole::timing)
      .points();
}

/// The saturation load to which fractions refer, if given.
std::optional<answers::FractionsOf> read_fractions_of(const WormholeSimulationOptions& options) {
  if (options.of && options.query.loads)
    throw not_allowed_with("--of", "--loads", "--of applies to --fractions");
  std::optional<answers::FractionsOf> of;
  if (options.of) of = choice_of<answers::FractionsOf>(*options.of, "--of");
  if (options.latency.precision && of != answers::FractionsOf::simulated)
    throw needs("--precision", "--saturation or --of simulated");
  return of;
}

std::vector<SimulateWormholeQuery> read_simulations(const WormholeSimulationOptions& options) {
  const SimulateWormholeQuery common{.network = {},
                                     .offered = read_loads(options.query, Fractions::any),
                                     .percentiles = read_latency_percentiles(options.latency),
                                     .length = read_run_length(options.run),
                                     .fractions_of = read_fractions_of(options),
                                     .search = read_saturation_length(options.run, options.latency)};
  return Combinations(common).by(read_simulated(options), &SimulateWormholeQuery::network).points();
}

Reply answer_simulation(const WormholeSimulationOptions& options, const Context& context) {
  if (options.run.half_width) {
    if (options.latency.saturation || options.of)
      throw not_allowed_with("--half-width", options.of ? "--of" : "--saturation");
    const auto queries = read_simulations(options);
    return simulate_to_width(
        answers::each_load(queries), options.run, context, [&](auto points, std::size_t requested) {
          return render::document(answers::joined_loads(std::move(points), queries), requested);
        });
  }
  if (!options.latency.saturation)
    return simulate_loads(
        read_simulations(options), options.run, context,
        [](auto points, std::size_t requested) { return render::document(points, requested); });
  if (options.of) throw not_allowed_with("--of", "--saturation");
  reject_with_saturation(flit_loads, options.query.loads, options.query.fractions, options.run,
                         options.latency);
  const answers::SaturationLength length = read_saturation_length(options.run, options.latency);
  return find_saturations(Combinations(WormholeSaturationQuery{.network = {}, .length = length})
                              .by(read_simulated(options), &WormholeSaturationQuery::network)
                              .points(),
                          options.run, context, [](const auto& points) { return render::document(points); });
}

void add_wormhole_simulation_options(OptionTable& table, WormholeSimulationOptions& options) {
  add_wormhole_options(table, options.query);
  OptionGroup(table, "Traffic")
      .add("--of", options.of, "NAME",
           "model or simulated: which saturation load.\nOf --fractions. Default model where the network has "
           "one; simulated: searched first, to --precision",
           choices<answers::FractionsOf>());
  const OptionGroup network(table, "Simulated router");
  network.add("--arrivals", options.arrivals, "NAME",
              choices_in_words<sim::WormArrivals>() + ".\nArrivals of messages",
              choices<sim::WormArrivals>());
  network.add("--reallocate", options.reallocate, "NAME",
              "empty or tail (default empty).\nA virtual channel goes to the next message when its buffer is "
              "empty, or behind the tail flit (then --credit-cycles is at least 1)",
              choices<network::Reallocate>());
  add_simulation_options(table, options.run);
}

void declare_simulation(OptionTable& table, WormholeSimulationOptions& options) {
  add_wormhole_simulation_options(table, options);
  add_precision_option(table, options.run);
  add_latency_options(table, options.latency, flit_loads);
}

Reply answer_validation(const WormholeSimulationOptions& options, const Context& context) {
  std::vector<ValidateWormholeQuery> queries;
  for (answers::SimulateWormholeQuery& simulation : read_simulations(options))
    queries.push_back({.simulation = std::move(simulation)});
  const std::size_t requested = queries.size() * queries.front().simulation.offered.values.size();
  const auto networks = paired(queries, simulate_each(queries, requested, options.run, context).finished);
  return judged(render::document(networks, requested), networks);
}

void declare_validation(OptionTable& table, WormholeSimulationOptions& options) {
  add_wormhole_simulation_options(table, options);
  OptionGroup(table, "Traffic")
      .add("--precision", options.latency.precision, "P",
           "relative precision of --of simulated (default 1%)");
}

}  // namespace

Command wormhole_command() {
  return command_of<WormholeModelOptions>(
      {.name = "wormhole",
       .purpose = "latency and saturation load of wormhole networks",
       .work = Work::points,
       .draws = true,
       .declare = declare_model,
       .answer = answer_model,
       .layout = render::wormhole_layout,
       .example = {
           {"--topology", "mesh"}, {"--nodes", "64"}, {"--flits", "32"}, {"--fractions", "10%:95%:5%"}}});
}

Command simulate_wormhole_command() {
  return command_of<WormholeSimulationOptions>(
      {.name = "simulate wormhole",
       .purpose = "latency and saturation load of wormhole networks",
       .work = Work::simulation,
       .draws = true,
       .declare = declare_simulation,
       .answer = answer_simulation,
       .layout = render::simulate_wormhole_layout,
       .example = {{"--topology", "mesh"}, {"--nodes", "64"}, {"--flits", "32"}, {"--loads", "0.05,0.1"}}});
}

Command validate_wormhole_command() {
  return command_of<WormholeSimulationOptions>(
      {.name = "validate wormhole",
       .purpose = "latency of wormhole networks",
       .work = Work::simulation,
       .draws = true,
       .declare = declare_validation,
       .answer = answer_validation,
       .layout = render::validate_wormhole_layout,
       .example = {
           {"--topology", "mesh"}, {"--nodes", "64"}, {"--flits", "32"}, {"--fractions", "20%,50%,80%"}}});
}

}  // namespace tailbound::cli
