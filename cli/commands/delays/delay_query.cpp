#include <cli/commands/delays/delay_query.hpp>
#include <cli/commands/delays/fabric_delays.hpp>
#include <cli/options/files.hpp>
#include <cli/options/traffic_options.hpp>
#include <tailbound/answers/points/combinations.hpp>
#include <tailbound/numeric/rational.hpp>

namespace tailbound::cli {
namespace {

using answers::Combinations;
using numeric::Rational;

/// Options that also apply to given delays.
struct Reordering {
  std::optional<answers::ReorderTargets> targets;
  std::optional<Rational> flow_rate;
};

std::vector<Reordering> read_reorderings(const DelayOptions& options) {
  if (!options.reorder && !options.reorder_levels) reject_without({&options.flow_rate}, "--reorder EPS");
  const auto given_levels = options.reorder_levels.if_given().value_or(std::vector<std::int64_t>());
  const std::vector<Packets> levels(given_levels.begin(), given_levels.end());
  std::vector<Reordering> reorderings;
  for (const auto& target : options.reorder.each())
    for (const auto& rate : options.flow_rate.each()) {
      Reordering& each = reorderings.emplace_back();
      if (target || !levels.empty()) each.targets = answers::ReorderTargets{target, levels};
      each.flow_rate = rate;
    }
  return reorderings;
}

}  // namespace

std::vector<std::optional<bounds::DropTarget>> read_drops(const DelayOptions& options) {
  if (!options.drop) return {std::nullopt};
  std::vector<std::optional<bounds::DropTarget>> drops;
  for (const bounds::Criterion criterion : options.criterion.value())
    for (const Rational& target : options.drop.value())
      drops.emplace_back(bounds::DropTarget{target, criterion});
  return drops;
}

namespace {

/// A tree of one level for each class of --classes.
std::vector<answers::Topology> read_class_trees(const DelayOptions& options) {
  if (options.topology.levels && options.topology.levels.text() != "1")
    throw options.topology.levels.invalid(
        "1 with --classes: in larger networks flows have classes in the file of --network (class = 2)");
  if (options.burst.burst)
    throw not_allowed_with("--classes", "--burst",
                           "classes with bursts can only be simulated (tailbound simulate classes)");
  TrafficOptions inputs;
  inputs.inputs = options.topology.radix.text();
  inputs.classes = options.classes.text();
  std::vector<answers::Topology> topologies;
  for (answers::Traffic& traffic : read_traffics(inputs)) {
    auto& its = std::get<answers::TrafficClass>(traffic.source);
    const auto place = static_cast<std::size_t>(its.priority) - 1;
    topologies.emplace_back(answers::TreeTopology{
        .tree = {its.inputs, 1}, .load = its.loads[place], .classes = its.loads, .priority = its.priority});
  }
  return topologies;
}

/// All networks or trees.
std::vector<answers::Topology> read_topologies(const DelayOptions& options) {
  if (options.classes) return read_class_trees(options);
  std::vector<answers::Topology> topologies;
  if (!options.topology.file.network) {
    for (answers::TreeTopology& tree : read_trees(options.topology, options.burst))
      topologies.emplace_back(std::move(tree));
    return topologies;
  }
  for (answers::NetworkTopology& network : read_networks(options.topology))
    topologies.emplace_back(std::move(network));
  return topologies;
}

}  // namespace

answers::DelayBy read_by(const DelayOptions& options, std::size_t points) {
  if (options.analysis && options.simulate) throw not_allowed_with("--simulate", "--analysis");
  if (options.simulate && options.model.hops)
    throw not_allowed_with("--hops", "--simulate", "it selects a model of the analysis");
  if (options.simulate) return answers::DelayBy::simulation;
  return options.analysis || points != 1 ? answers::DelayBy::analysis : answers::DelayBy::best;
}

std::optional<std::string> read_flow(const DelayOptions& options) {
  std::string flow = options.flow.value();
  return flow == "all" ? std::nullopt : std::optional(std::move(flow));
}

namespace {

/// \throws InvalidArgument  options incompatible with --solve
void require_fitting_solve(const DelayOptions& options) {
  static_cast<void>(options.solve.value());
  reject_with({&options.topology.load_scale, &options.ccdf, &options.reorder, &options.reorder_levels,
               &options.flow_rate, &options.model.hops},
              "--solve", "--solve load-scale finds the largest load factor");
  const bool within = options.within || options.within_ns;
  if (options.within && options.within_ns)
    throw not_allowed_with("--within-ns", "--within", "each defines the time");
  if (within && (options.drop || options.capacity))
    throw not_allowed_with(options.drop ? "--drop" : "--capacity", "--within", "each defines a target");
  if (within != options.percentiles.given())
    throw missing(within ? "--percentiles" : "--within",
                  "a latency target needs a percentile and a time, such as --percentiles 99.99 --within 50");
  if (options.drop.given() != options.capacity.given())
    throw missing(options.drop ? "--capacity" : "--drop",
                  "a buffer target needs --capacity B and --drop EPS");
  if (!options.within_ns) reject_without({&options.hop.hop_ns}, "--within-ns T with --solve");
}

}  // namespace

void require_fitting(const DelayOptions& options) {
  const TopologyOptions& its = options.topology;
  const std::initializer_list<const AnyRow*> of_trees{&its.radix, &its.levels, &its.load, &its.routing,
                                                      &options.classes};
  const std::initializer_list<const AnyRow*> of_networks{
      &its.file.matrix, &its.file.route, &options.flow,  &its.uniform,        &its.load_scale,
      &its.without,     &its.speed_unit, &options.solve, &its.file.route_seed};
  const char* defined = "the network file defines it";
  if (its.file.network) {
    reject_with(of_trees, "--network", defined);
    reject_bursts(options.burst, "--network", defined);
  }
  if (options.delays) {
    const char* only = "given delays support only --reorder, --reorder-levels and --flow-rate";
    reject_with(of_trees, "--delays", only);
    reject_bursts(options.burst, "--delays", only);
    reject_with(of_networks, "--delays", only);
    reject_with(
        {&options.model.hops, &options.percentiles, &options.ccdf, &options.drop, &options.hop.hop_ns},
        "--delays", only);
  } else if (!its.file.network) {
    reject_without(of_networks, "--network FILE");
  }
  if (its.file.network && options.delays)
    throw not_allowed_with("--delays", "--network", "each defines the delays");
  if (options.classes) {
    reject_with({&its.load, &its.file.network, &its.routing}, "--classes",
                "--radix K --classes R1,R2,.. is a single switch with K ports per side");
    if (!its.radix) throw missing("--radix", "--classes needs the number of ports per side");
  } else if (!options.delays) {
    require_one_topology(its);
  }
  if ((options.analysis || options.simulate) && (options.delays || options.solve))
    throw not_allowed_with(options.simulate ? "--simulate" : "--analysis",
                           options.delays ? "--delays" : "--solve",
                           "only delays of a network or tree are simulated");
  if (!options.drop) reject_without({&options.criterion}, "--drop EPS");
  if (options.solve) {
    require_fitting_solve(options);
    return;
  }
  reject_without({&options.within, &options.within_ns, &options.capacity}, "--solve load-scale");
}

Accepted<std::vector<std::int64_t>> long_list(std::int64_t maximum, std::size_t limit) {
  const auto read = [maximum, limit](const std::string& text, const std::string& option) {
    std::vector<std::int64_t> all;
    for (const Rational& entry : parse_list(text, option, limit))
      all.push_back(to_integer(entry, option, 0, maximum));
    return all;
  };
  return {.read = read, .values = must_be(numeric::integers_in_words(0, maximum))};
}

const Meanings<std::optional<answers::Hops>>& hops_or_all() {
  static const Meanings<std::optional<answers::Hops>> meanings = [] {
    Meanings<std::optional<answers::Hops>> all;
    for (const auto& [name, hops] : meanings_of<answers::Hops>()) all.emplace_back(name, hops);
    all.emplace_back("all", std::nullopt);
    return all;
  }();
  return meanings;
}

std::vector<std::optional<answers::Hops>> read_hops(const DelayModelOptions& options,
                                                    const answers::Topology& topology) {
  using answers::Hops;
  if (!options.hops) return {std::nullopt};
  std::vector<std::optional<Hops>> list;
  for (const std::optional<Hops>& hops : options.hops.value()) {
    if (hops)
      list.push_back(hops);
    else
      for (const Hops each : answers::possible_hops(topology)) list.emplace_back(each);
  }
  return list;
}

std::vector<answers::DelayQuery> read_delay_queries(const DelayOptions& options) {
  require_fitting(options);
  answers::DelayQuery plain_query;
  if (options.ccdf)
    for (const std::int64_t slots : options.ccdf.value()) plain_query.levels.emplace_back(slots);
  plain_query.percentiles = options.percentiles.value();
  plain_query.digits = {options.digits.value()};
  plain_query.units = read_units(options.units);
  plain_query.hop_ns = options.hop.hop_ns.if_given();
  plain_query.flow = read_flow(options);
  const std::vector<Reordering> reorderings = read_reorderings(options);
  const auto drops = read_drops(options);
  const std::vector<answers::Topology> topologies = read_topologies(options);
  const std::vector<answers::DelayQuery> queries = Combinations(plain_query)
                                                       .by(topologies, &answers::DelayQuery::topology)
                                                       .by(drops, &answers::DelayQuery::drop)
                                                       .by(reorderings,
                                                           [](auto& each, const Reordering& requested) {
                                                             each.reorder = requested.targets;
                                                             each.flow_rate = requested.flow_rate;
                                                           })
                                                       .points();
  std::vector<answers::DelayQuery> all;
  for (const answers::DelayQuery& query : queries)
    for (const auto& hops : read_hops(options.model, query.topology)) all.emplace_back(query).hops = hops;
  for (answers::DelayQuery& query : all) {
    query.by = read_by(options, all.size());
    if (const auto* its = std::get_if<answers::NetworkTopology>(&query.topology))
      take_speed(query.units, its->network);
    if (query.hop_ns) static_cast<void>(required_slot_ns(query.units, "--hop-ns"));
  }
  return all;
}

namespace {

/// The targets of --solve load-scale: each combination of percentiles and times, or of buffers and their
/// targets; without these stability of all queues.
std::vector<std::variant<answers::Stability, answers::LatencyTarget, answers::BufferTarget>>
read_scale_targets(const DelayOptions& options, const answers::Units& units) {
  std::vector<std::variant<answers::Stability, answers::LatencyTarget, answers::BufferTarget>> targets;
  if (options.within || options.within_ns) {
    const Numbers& times = options.within ? options.within : options.within_ns;
    std::optional<answers::SlotTime> time;
    if (options.within_ns)
      time = {required_slot_ns(units, "--within-ns"), options.hop.hop_ns.if_given().value_or(Rational(0))};
    const Rational slot = time ? time->slot : Rational(1);
    for (const Rational& percentile : options.percentiles.value())
      for (const Rational& within : times.value()) {
        if (within < 0 || within > 1'000'000 * slot)
          throw InvalidArgument(times.name(), plain(within), "from 0 to 1000000 slots");
        targets.emplace_back(answers::LatencyTarget{percentile, within, time});
      }
    return targets;
  }
  if (!options.capacity) return {answers::Stability{}};
  for (const Packets capacity : options.capacity.value())
    for (const auto& drop : read_drops(options)) targets.emplace_back(answers::BufferTarget{capacity, *drop});
  return targets;
}

}  // namespace

std::vector<answers::LoadScaleQuery> read_load_scale_queries(const DelayOptions& options) {
  require_fitting(options);
  answers::LoadScaleQuery requested;
  requested.flow = read_flow(options);
  requested.digits = {options.digits.value()};
  requested.units = read_units(options.units);
  if (const auto wholes = read_fabrics(options.topology); !wholes.empty()) {
    require_fabric_model(options.model);
    std::vector<answers::LoadScaleQuery> queries;
    take_speed(requested.units, wholes.front().fabric->network);
    const auto targets = read_scale_targets(options, requested.units);
    for (const answers::FabricTopology& whole : wholes) {
      requested.topology = place_of(whole);
      requested.fabric = whole.fabric;
      for (answers::LoadScaleQuery& each :
           Combinations(requested).by(targets, &answers::LoadScaleQuery::requested).points())
        queries.push_back(std::move(each));
    }
    return queries;
  }
  const auto networks = read_networks(options.topology, answers::Overload::allowed);
  take_speed(requested.units, networks.front().network);
  const auto targets = read_scale_targets(options, requested.units);
  return Combinations(requested)
      .by(networks, &answers::LoadScaleQuery::topology)
      .by(targets, &answers::LoadScaleQuery::requested)
      .points();
}

std::vector<answers::ReorderQuery> read_reorder_queries(const DelayOptions& options) {
  require_fitting(options);
  std::vector<answers::ReorderQuery> queries;
  for (Reordering& requested : read_reorderings(options)) {
    if (!requested.targets)
      throw missing("--reorder",
                    "give the target probability, such as --reorder 1e-9, or --reorder-levels LIST");
    if (!requested.flow_rate)
      throw missing("--flow-rate", "give the rate of the flow in packets per slot, such as --flow-rate 0.1");
    queries.push_back({.delays = {},
                       .flow_rate = *requested.flow_rate,
                       .targets = *std::move(requested.targets),
                       .file = options.delays.text(),
                       .digits = {options.digits.value()},
                       .units = read_units(options.units)});
  }
  const auto delays =
      answers::parse_delays(read_file(options.delays.text(), "--delays"), options.delays.text());
  for (answers::ReorderQuery& query : queries) query.delays = delays;
  return queries;
}

answers::Units read_units(const UnitOptions& options, const answers::Topology& topology) {
  answers::Units units = read_units(options);
  if (const auto* its = std::get_if<answers::NetworkTopology>(&topology)) take_speed(units, its->network);
  return units;
}

Rational required_slot_ns(const answers::Units& units, const std::string& option) {
  if (const auto slot = units.slot_ns()) return *slot;
  throw missing("--link-gbps", option + " needs --link-gbps and --packet-bytes");
}

std::optional<answers::SlotTime> read_slot_time(const HopOptions& options, const answers::Units& units) {
  const std::optional<Rational> hop = options.hop_ns.if_given();
  if (!hop) return {};
  return answers::SlotTime{.slot = required_slot_ns(units, "--hop-ns"), .hop = *hop};
}

void reject_bursts(const BurstOptions& bursts, const std::string& other, const std::string& reason) {
  reject_with({{"--traffic", &bursts.traffic},
               {"--burst", &bursts.burst},
               {"--on-rate", &bursts.on_rate},
               {"--destination", &bursts.destination}},
              other, reason);
}

void declare(OptionTable& table, DelayOptions& options) {
  add_rows(table, options.topology);
  table.add(options.network_rows);
  add_rows(table, options.model);
  add_burst_options(table, options.burst, "Tree with uniform traffic");
  add_rows(table, options, options.units, options.hop);
}

}  // namespace tailbound::cli
