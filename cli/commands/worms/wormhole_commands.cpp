#include <cli/commands.hpp>
#include <cli/commands/delays/topology_options.hpp>
#include <cli/commands/worms/worm_options.hpp>
#include <cli/options/files.hpp>
#include <cli/options/precision.hpp>
#include <cli/options/replies.hpp>
#include <tailbound/answers/points/combinations.hpp>
#include <tailbound/answers/validation/validate_wormhole.hpp>
#include <tailbound/answers/wormhole/worm_sizes.hpp>
#include <tailbound/core/choice.hpp>
#include <tailbound/numeric/rational.hpp>
#include <tailbound/numeric/text/weighted_list.hpp>
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

/// Cycles of one stage of a router.
Accepted<std::vector<std::uint32_t>> router_cycles(std::int64_t minimum) {
  return integers<std::uint32_t>(minimum, network::RouterTiming::max_cycles)
      .by_default(std::to_string(minimum))
      .slider(static_cast<double>(minimum), 5, 1);
}

/// One law: FLITS:WEIGHT, with or without further entries, "1-16:1", or the name of a file. Lists of numbers
/// are lists of lengths.
bool is_law(const std::string& text) {
  const std::size_t colon = text.find(':');
  const std::size_t end = std::min(text.find(','), text.size());
  return colon < end && text.find(':', colon + 1) >= end;
}

bool is_list_of_numbers(const std::string& text) {
  return text.find_first_not_of("0123456789.,:+-eE/% ") == std::string::npos;
}

Accepted<std::vector<network::MessageLengths>> message_lengths() {
  const auto read = [](const std::string& text, const std::string& option) {
    using network::MessageLengths;
    std::vector<MessageLengths> all;
    try {
      if (is_law(text)) return std::vector{MessageLengths::parse(text)};
    } catch (const InvalidArgument& error) {
      throw InvalidArgument(option, text, error.legal());
    }
    if (!is_list_of_numbers(text)) return std::vector{MessageLengths::of_file(read_file(text, option), text)};
    for (const std::int64_t flits : parse_integers(text, option, 1, MessageLengths::max_single_flits))
      all.emplace_back(flits);
    return all;
  };
  return {.read = read,
          .values = must_be(numeric::integers_in_words(1, network::MessageLengths::max_single_flits) +
                            ", or a law of lengths")};
}

/// Separated by semicolons.
Accepted<std::vector<network::PatternedClass>> message_classes() {
  return {.read = [](const std::string& text, const std::string& option) {
    std::vector<network::PatternedClass> all;
    numeric::for_each_entry(
        text,
        [&](std::string_view entry) {
          try {
            all.push_back(network::parse_message_class(entry));
          } catch (const InvalidArgument& error) {
            throw InvalidArgument(option, error.value(), error.legal());
          }
        },
        ';');
    return all;
  }};
}

struct WormholeOptions {
  OptionTable rows{};
  OptionGroup network{rows, "Network"}, traffic{rows, "Traffic"};
  List<WormShape> topology{network, "--topology", "NAME",
                           names<WormShape>().needed("give " + in_words(all_names<WormShape>()) +
                                                     ", or another network with --network FILE"),
                           "mesh, torus, hypercube or butterfly-fat-tree.\nAlso unidirectional-torus"};
  Text nodes{network, "--nodes", "N",
             options::text().needed(
                 "give the number of nodes, such as --nodes 64, or routers per side, such as 8x8"),
             "number of nodes, or routers per side: 8x8.\nA power of 4 (fat-tree), of 2 (hypercube), or "
             "k^dimensions"};
  Text dimensions{network, "--dimensions", "D",
                  options::text()
                      .by_default(std::to_string(WormTopology{}.dimensions))
                      .must_be(numeric::integers_in_words(1, network::max_dimensions(WormShape::mesh)))
                      .slider(1, 6, 1),
                  "dimensions of a mesh or torus (default {})"};
  List<int> concentration{network, "--concentration", "C",
                          integers<int>(1, network::max_concentration).by_default("1").slider(1, 8, 1),
                          "nodes per router, not of a fat-tree (default {})"};
  List<WormholeVariant> variant{network, "--variant", "NAME", names<WormholeVariant>(),
                                "model: {names}.\nDefault finite-source, for large meshes and tori paper: "
                                "published equations, faster and less accurate"};
  List<int> virtual_channels{network, "--virtual-channels", "V", integers<int>(1, 64).slider(1, 16, 1),
                             "virtual channels per physical channel.\nDefault 1, of tori 2"};
  Integers buffer_flits{network, "--buffer-flits", "B",
                        integers(1, 1'000'000).by_default("1").slider(1, 32, 1),
                        "buffer of each virtual channel in flits (default {})"};
  List<std::uint32_t> router{network, "--router-cycles", "R", router_cycles(0),
                             "cycles of a flit in each router (default {}).\nBefore it can go on"};
  List<std::uint32_t> link{network, "--link-cycles", "L", router_cycles(1),
                           "cycles of a flit on a link between routers (default {})"};
  List<std::uint32_t> credit{network, "--credit-cycles", "C", router_cycles(0),
                             "cycles until a freed flit buffer can be reused (default {})"};
  WormEndsOptions ends{rows, false};
  NetworkFileOptions file{rows};
  List<network::MessageLengths> flits{
      traffic, "--flits", "M",
      message_lengths().needed("give the message length in flits, such as --flits 32").slider(1, 256, 1),
      "message length in flits, or a law: 1:60%,5:40%.\nFLITS:WEIGHT,..; 1-16:1 is each of 1 to 16; or a "
      "file with lines \"flits weight\""};
  List<sim::WormLengths> lengths{traffic, "--lengths", "NAME", names<sim::WormLengths>().first_by_default(),
                                 "{names} (default {}).\nMessage lengths with mean --flits"};
  One<std::vector<network::PatternedClass>> classes{
      traffic, "--class", "'NAME ..'", message_classes().repeated(),
      "class of messages, once for each: 'reply flits=5'.\nIn place of --flits, with virtual channels of its "
      "own. Keys: flits, virtual-channels (default --virtual-channels), share of the messages, pattern, to "
      "and from (node numbers), answers (the class whose messages it answers), network (classes of one share "
      "virtual channels)"};
  List<WormPatternName> pattern{traffic, "--pattern", "NAME", names<WormPatternName>().first_by_default(),
                                "traffic pattern (default {}).\n{names}"};
  Integers hot_node{traffic, "--hot-node", "NODE",
                    integers(0, network::max_fat_tree_nodes - 1).by_default("0"),
                    "hot-spot: number of the hot node, from 0 (default {})"};
  Numbers hot_share{traffic, "--hot-share", "P",
                    shares(1000)
                        .needed("give the hot-spot fraction of the messages, such as --hot-share 10%")
                        .must_be("above 0 and at most 1"),
                    "hot-spot: share of the traffic of each other node, 10%"};
  OfferedOptions loads{
      rows, flit_loads,
      "fractions of the saturation load.\nIn place of --loads: 0.1,0.5 or 10%:90%:10% (default {})"};
};

struct WormholeModelOptions {
  WormholeOptions query;
  OptionTable rows{};
  Words channels{OptionGroup(rows, "Output"),
                 "--channels",
                 "[N]",
                 0,
                 1,
                 "list of the N busiest channels of each load (default 10).\nN from 1 to 1000000"};
};
struct WormholeSimulationOptions {
  WormholeOptions query;
  OptionTable rows{};
  OptionGroup traffic{rows, "Traffic"}, router{rows, "Simulated router"};
  One<answers::FractionsOf> of{traffic, "--of", "NAME", one_name<answers::FractionsOf>(),
                               "{names}: which saturation load.\nOf --fractions. Default model where the "
                               "network has one; simulated: searched first, to --precision"};
  List<sim::WormArrivals> arrivals{router, "--arrivals", "NAME",
                                   names<sim::WormArrivals>().first_by_default(),
                                   "{names} (default {}).\nArrivals of messages"};
  One<std::int64_t> think{router, "--think-cycles", "N", integer(0, 1'000'000).by_default("0"),
                          "cycles from the arrival of a message to its answer (default {})"};
  List<network::Reallocate> reallocate{
      router, "--reallocate", "NAME", names<network::Reallocate>().first_by_default(),
      "{names} (default {}).\nA virtual channel goes to the next message when its buffer is empty, or behind "
      "the tail flit (then --credit-cycles is at least 1)"};
  SimulationOptions run{.unit = "cycle"};
  LatencyOptions latency{flit_loads};
  OptionTable validation_rows{};
  Number validation_precision{OptionGroup(validation_rows, "Traffic"), "--precision", "P", search_precision(),
                              "relative precision of --of simulated (default {})"};
};

/// One for each name and, for hot spots, each fraction.
std::vector<network::WormPattern> read_patterns(const WormholeOptions& options) {
  std::vector<network::WormPattern> all;
  bool hot = false;
  for (const WormPatternName name : options.pattern.value()) {
    if (name != WormPatternName::hot_spot) {
      all.push_back({.name = name});
      continue;
    }
    hot = true;
    const Rationals shares = options.hot_share.value();
    for (const std::int64_t node : options.hot_node.value())
      for (const numeric::Rational& share : shares)
        all.push_back({.name = name, .hot_node = node, .hot_share = share});
  }
  if (!hot) reject_without({&options.hot_node, &options.hot_share}, "--pattern hot-spot");
  return all;
}

/// One for each size, number of dimensions, injection and ejection, and its traffic.
void add_topologies(const WormholeOptions& options, WormShape shape,
                    std::vector<answers::WormholeNetwork>& all) {
  if (options.dimensions && !network::has_dimensions(shape))
    throw not_allowed_with("--dimensions", "--topology " + std::string(name_of(shape)),
                           "--nodes defines the size");
  const std::string nodes = options.nodes.value();
  const std::vector<int> dimensions = options.dimensions.as(
      integers<int>(1, network::max_dimensions(shape)).by_default(std::to_string(WormTopology{}.dimensions)));
  const std::vector<int> concentrations = options.concentration.value();
  const auto ends = read_worm_ends(options.ends, network::has_ports(shape));
  const auto patterns = read_patterns(options);
  for (const answers::WormSize& size : answers::parse_worm_sizes(nodes, shape, name_of(shape))) {
    if (!size.sides.empty() && options.dimensions)
      throw not_allowed_with("--dimensions", "--nodes " + nodes, "the sides define the dimensions");
    WormTopology sized{.shape = shape, .nodes = size.nodes};
    if (std::adjacent_find(size.sides.begin(), size.sides.end(), std::not_equal_to<>()) != size.sides.end())
      sized.sides = size.sides;
    const auto each_dimensions =
        size.sides.empty() ? dimensions : std::vector{static_cast<int>(size.sides.size())};
    for (const WormTopology& topology : Combinations(sized)
                                            .by(each_dimensions, &WormTopology::dimensions)
                                            .by(concentrations,
                                                [&](auto&each, int n) {
                                                  each.concentration = n;
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

/// One for each seed of its routes.
std::vector<answers::WormholeNetwork> read_own(const WormholeOptions& options) {
  reject_with({&options.topology, &options.nodes, &options.dimensions, &options.concentration,
               &options.classes, &options.pattern, &options.hot_node, &options.hot_share,
               &options.virtual_channels, &options.ends.injection, &options.ends.ejection},
              "--network", "the network file defines it");
  const std::string& name = options.file.network.text();
  std::vector<answers::WormholeNetwork> all;
  for (answers::NetworkTopology& its : read_seeded_networks(options.file, network::FileUse::worms)) {
    if (its.network.name.empty()) its.network.name = name;
    std::shared_ptr<const network::RoutedMix> classes;
    if (!its.network.message_classes.empty())
      classes = std::make_shared<const network::RoutedMix>(network::routed_mix(its.network, 1));
    all.emplace_back(
        OwnWormNetwork{.network = classes ? classes->networks.front()
                                          : std::make_shared<const network::RoutedWormNetwork>(its.network),
                       .file = name,
                       .matrix = its.matrix,
                       .rules = its.rules(),
                       .route_seed = its.route_seed,
                       .remarks = its.network.remarks,
                       .classes = std::move(classes)});
  }
  return all;
}

/// One network for each combination of entries, the last varying fastest; "12x12" is also a size. Includes
/// networks from files.
std::vector<answers::WormholeNetwork> read_wormhole_networks(const WormholeOptions& options) {
  if (options.file.network) return read_own(options);
  reject_without({&options.file.matrix, &options.file.route, &options.file.route_seed}, "--network FILE");
  std::vector<answers::WormholeNetwork> all;
  for (const WormShape shape : options.topology.value()) add_topologies(options, shape, all);
  return all;
}

/// Their classes, or one for each length.
/// \param networks  of the query
std::vector<network::WormMessages> read_messages(const WormholeOptions& options,
                                                 const std::vector<answers::WormholeNetwork>& networks) {
  const bool of_file = std::any_of(networks.begin(), networks.end(), [](const auto& network) {
    const auto* own = std::get_if<OwnWormNetwork>(&network);
    return own != nullptr && own->classes;
  });
  if (of_file) {
    reject_with({&options.flits, &options.lengths}, "--network " + options.file.network.text(),
                "the file gives classes of messages with their lengths");
    return {{}};
  }
  if (options.classes) {
    reject_with({&options.flits, &options.lengths, &options.pattern}, "--class",
                "each class has its own: 'reply flits=5 pattern=transpose'");
    return {{.flits = 1, .classes = options.classes.value()}};
  }
  std::vector<network::WormMessages> all;
  for (const network::MessageLengths& flits : options.flits.value())
    for (const sim::WormLengths lengths : options.lengths.value()) {
      const bool geometric = lengths == sim::WormLengths::geometric;
      if (geometric && !flits.single())
        throw not_allowed_with("--lengths geometric", "--flits " + options.flits.text(),
                               "a list of lengths with weights is a law by itself");
      all.push_back({.flits = geometric ? network::MessageLengths::geometric(flits.largest()) : flits});
    }
  return all;
}

/// One for each combination.
std::vector<network::RouterTiming> read_timings(const WormholeOptions& options,
                                                const std::vector<network::Reallocate>& reallocate = {{}}) {
  auto all = Combinations(network::RouterTiming{})
                 .by(options.router.value(), &network::RouterTiming::router_cycles)
                 .by(options.link.value(), &network::RouterTiming::link_cycles)
                 .by(options.credit.value(), &network::RouterTiming::credit_cycles)
                 .by(reallocate, &network::RouterTiming::reallocate)
                 .points();
  for (network::RouterTiming& timing : all)
    if (!options.credit && timing.reallocate == network::Reallocate::tail) timing.credit_cycles = 1;
  return all;
}

std::optional<std::size_t> read_channels(const WormholeModelOptions& options) {
  if (!options.channels) return std::nullopt;
  const std::string& text = options.channels.words().front();
  return text.empty() ? 10 : static_cast<std::size_t>(parse_integer(text, "--channels", 1, 1'000'000));
}

/// One query for each network and length; its loads share expensive computations.
std::vector<WormholeQuery> read_queries(const WormholeModelOptions& options) {
  const std::optional<std::size_t> channels = read_channels(options);
  const std::vector<answers::WormholeNetwork> networks = read_wormhole_networks(options.query);
  return Combinations(WormholeQuery{.network = {}, .offered = {}, .channels = channels})
      .by(networks, &WormholeQuery::network)
      .by(options.query.variant.each(), &WormholeQuery::variant)
      .by(read_messages(options.query, networks), &WormholeQuery::messages)
      .by(options.query.virtual_channels.each(), &WormholeQuery::virtual_channels)
      .by(options.query.buffer_flits.value(), &WormholeQuery::buffer_flits)
      .by(read_timings(options.query), &WormholeQuery::timing)
      .by(std::vector{read_offered(options.query.loads)}, &WormholeQuery::offered)
      .points();
}

Reply answer_model(const WormholeModelOptions& options, const Context& context) {
  return answers::as_piece(analysis_run(context), [&] {
    return show_all(
        read_queries(options), context, [](const auto& networks) { return render::document(networks); },
        [](const WormholeQuery& query) { return render::inputs_of(query); });
  });
}

void declare_model(OptionTable& table, WormholeModelOptions& options) {
  add_rows(table, options.query, options);
}

// --- simulated

/// Cycles from an arrival to its answer, of networks with answers.
std::int64_t read_think(const WormholeSimulationOptions& options,
                        const std::vector<answers::WormholeNetwork>& networks,
                        const std::vector<network::WormMessages>& messages) {
  const auto answers_of = [&](const answers::WormholeNetwork& network) {
    const auto kinds = answers::messages_of(network, messages.front()).kinds;
    return std::any_of(kinds.begin(), kinds.end(), [](const auto& kind) { return kind.answers.has_value(); });
  };
  if (options.think && !std::any_of(networks.begin(), networks.end(), answers_of))
    throw needs("--think-cycles", "a class with answers", "--class 'reply flits=5 answers=request'");
  return options.think.value();
}

/// The simulated network, for each combination of list entries.
std::vector<SimulatedWormhole> read_simulated(const WormholeSimulationOptions& options) {
  const std::vector<answers::WormholeNetwork> networks = read_wormhole_networks(options.query);
  const std::vector<network::WormMessages> messages = read_messages(options.query, networks);
  SimulatedWormhole common;
  common.think = read_think(options, networks, messages);
  return Combinations(common)
      .by(networks, &SimulatedWormhole::network)
      .by(options.query.variant.each(), &SimulatedWormhole::variant)
      .by(messages, &SimulatedWormhole::messages)
      .by(options.query.virtual_channels.each(), &SimulatedWormhole::virtual_channels)
      .by(options.query.buffer_flits.value(), &SimulatedWormhole::buffer_flits)
      .by(options.arrivals.value(), &SimulatedWormhole::arrivals)
      .by(read_timings(options.query, options.reallocate.value()), &SimulatedWormhole::timing)
      .points();
}

/// The saturation load to which fractions refer, if given.
std::optional<answers::FractionsOf> read_fractions_of(const WormholeSimulationOptions& options,
                                                      const Number& precision) {
  if (options.of && options.query.loads.loads)
    throw not_allowed_with("--of", "--loads", "--of applies to --fractions");
  const std::optional<answers::FractionsOf> of = options.of.if_given();
  if (precision && of != answers::FractionsOf::simulated)
    throw needs("--precision", "--saturation or --of simulated");
  return of;
}

/// \param precision  the row of --precision of the command
std::vector<SimulateWormholeQuery> read_simulations(const WormholeSimulationOptions& options,
                                                    const Number& precision) {
  // Not in braces: g++ 12 destroys lengths twice where a later initializer throws.
  SimulateWormholeQuery common;
  common.offered = read_offered(options.query.loads, Fractions::any);
  common.percentiles = options.latency.percentiles.value();
  common.length = read_run_length(options.run);
  common.fractions_of = read_fractions_of(options, precision);
  common.search = read_saturation_length(options.run, precision);
  return Combinations(common).by(read_simulated(options), &SimulateWormholeQuery::network).points();
}

Reply answer_simulation(const WormholeSimulationOptions& options, const Context& context) {
  if (options.run.half_width && (options.latency.saturation || options.of))
    throw not_allowed_with("--half-width", options.of ? "--of" : "--saturation");
  if (!options.latency.saturation)
    return simulate_requested_loads(
        read_simulations(options, options.latency.precision), options.run, context,
        [](const auto& points, std::size_t requested) { return render::document(points, requested); },
        [](const SimulateWormholeQuery& query) { return render::inputs_of(query); });
  if (options.of) throw not_allowed_with("--of", "--saturation");
  reject_with_saturation(options.query.loads, options.run, options.latency);
  const answers::SaturationLength length = read_saturation_length(options.run, options.latency.precision);
  return simulate_all(
      Combinations(WormholeSaturationQuery{.network = {}, .length = length})
          .by(read_simulated(options), &WormholeSaturationQuery::network)
          .points(),
      options.run, context, [](const auto& points) { return render::document(points); },
      [](const WormholeSaturationQuery& query) { return render::inputs_of(query); });
}

void declare_simulation(OptionTable& table, WormholeSimulationOptions& options) {
  add_rows(table, options.query, options, options.run);
  add_precision_option(table, options.run);
  add_rows(table, options.latency);
}

Reply answer_validation(const WormholeSimulationOptions& options, const Context& context) {
  std::vector<ValidateWormholeQuery> queries;
  for (answers::SimulateWormholeQuery& simulation : read_simulations(options, options.validation_precision))
    queries.push_back({.simulation = std::move(simulation)});
  return simulate_all(
      queries, options.run, context,
      [](const auto& networks, std::size_t requested) { return render::document(networks, requested); },
      [](const ValidateWormholeQuery& query) { return render::inputs_of(query.simulation); });
}

void declare_validation(OptionTable& table, WormholeSimulationOptions& options) {
  add_rows(table, options.query, options, options.run);
  table.add(options.validation_rows);
}

}  // namespace

Command wormhole_command() {
  return command_of<WormholeModelOptions>(
      {.name = "wormhole",
       .purpose = "latency and saturation load of wormhole networks (NoC)",
       .work = Work::points,
       .draws = true,
       .declare = declare_model,
       .answer = answer_model,
       .layout = [] { return render::with_status(render::wormhole_layout()); },
       .example = {
           {"--topology", "mesh"}, {"--nodes", "64"}, {"--flits", "32"}, {"--fractions", "10%:95%:5%"}}});
}

Command simulate_wormhole_command() {
  return command_of<WormholeSimulationOptions>(
      {.name = "simulate wormhole",
       .purpose = "latency and saturation load of wormhole networks (NoC)",
       .work = Work::simulation,
       .draws = true,
       .declare = declare_simulation,
       .answer = answer_simulation,
       .layout = [] { return render::with_status(render::simulate_wormhole_layout()); },
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
       .layout = [] { return render::with_status(render::validate_wormhole_layout()); },
       .example = {
           {"--topology", "mesh"}, {"--nodes", "64"}, {"--flits", "32"}, {"--fractions", "20%,50%,80%"}}});
}

}  // namespace tailbound::cli
