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

constexpr int max_hop_ns = 1'000'000'000;
constexpr std::int64_t max_capacity = 1'000'000;

/// Percentiles are typed in percent; a value below 1 can only be meant as a fraction.
Rational parse_percentile(const Rational& entry) {
  const Rational p = entry < 1 ? entry : Rational(entry / 100);
  if (!(p > 0 && p < 1))
    throw InvalidArgument("--percentiles", plain(entry),
                          "in percent, above 0 and below 100, such as 99.9999 (below 1: a fraction of 1)");
  return p;
}

/// Probabilities above 0 and below 1; a single "none" if the option was not given.
std::vector<std::optional<Rational>> read_shares(const std::optional<std::string>& text, const char* option,
                                                 bool one_is_legal, const char* legal) {
  if (!text) return {std::nullopt};
  std::vector<std::optional<Rational>> shares;
  for (const Rational& share : parse_percent_list(*text, option)) {
    if (!(share > 0 && (share < 1 || (one_is_legal && share == 1))))
      throw InvalidArgument(option, plain(share), legal);
    shares.emplace_back(share);
  }
  return shares;
}

std::vector<std::optional<Rational>> read_targets(const std::optional<std::string>& text,
                                                  const char* option) {
  return read_shares(text, option, false, "greater than 0 and less than 1");
}

/// Options that also apply to given delays.
struct Reordering {
  std::optional<answers::ReorderTargets> targets;
  std::optional<Rational> flow_rate;
};

std::vector<Reordering> read_reorderings(const DelayOptions& options) {
  if (options.flow_rate && !options.reorder && !options.reorder_levels)
    throw needs("--flow-rate", "--reorder EPS");
  std::vector<Packets> levels;
  if (options.reorder_levels)
    for (const Rational& entry : parse_list(*options.reorder_levels, "--reorder-levels", 100'000))
      levels.emplace_back(to_integer(entry, "--reorder-levels", 0, 99'999));
  std::vector<Reordering> reorderings;
  for (const auto& target : read_targets(options.reorder, "--reorder"))
    for (const auto& rate :
         read_shares(options.flow_rate, "--flow-rate", true, "above 0 and at most 1 packet per slot")) {
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
  for (const bounds::Criterion criterion : read_criteria(options.criterion))
    for (const auto& target : read_targets(options.drop, "--drop"))
      drops.emplace_back(bounds::DropTarget{*target, criterion});
  return drops;
}

namespace {

/// A tree of one level for each class of --classes.
std::vector<answers::Topology> read_class_trees(const DelayOptions& options) {
  if (options.topology.levels && *options.topology.levels != "1")
    throw InvalidArgument(
        "--levels", *options.topology.levels,
        "1 with --classes: in larger networks flows have classes in the file of --network (class = 2)");
  if (options.burst.burst)
    throw not_allowed_with("--classes", "--burst",
                           "classes with bursts can only be simulated (tailbound simulate classes)");
  TrafficOptions inputs;
  inputs.inputs = options.topology.radix;
  inputs.classes = options.classes;
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
  if (!options.topology.network) {
    for (answers::TreeTopology& tree : read_trees(options.topology, options.burst))
      topologies.emplace_back(std::move(tree));
    return topologies;
  }
  for (answers::NetworkTopology& network : read_networks(options.topology))
    topologies.emplace_back(std::move(network));
  return topologies;
}

}  // namespace

std::optional<answers::CheckEffort> read_check(const DelayOptions& options, std::size_t points) {
  if (options.check && options.no_check) throw not_allowed_with("--no-check", "--check");
  if (options.check) return answers::CheckEffort::thorough;
  if (options.no_check || points != 1) return std::nullopt;
  return answers::CheckEffort::affordable;
}

numeric::Digits read_digits(const DelayOptions& options) {
  if (!options.digits) return {};
  return {static_cast<int>(parse_integer(*options.digits, "--digits", 1, 1000))};
}

namespace {

/// The names of --solve.
const std::vector<std::string> solved_delays{"load-scale"};

/// \throws InvalidArgument  options incompatible with --solve
void require_fitting_solve(const DelayOptions& options) {
  static_cast<void>(parse_choice(*options.solve, "--solve", solved_delays));
  reject_with({{"--load-scale", &options.topology.load_scale},
               {"--ccdf", &options.ccdf},
               {"--reorder", &options.reorder},
               {"--reorder-levels", &options.reorder_levels},
               {"--flow-rate", &options.flow_rate},
               {"--hops", &options.model.hops}},
              "--solve", "--solve load-scale finds the largest load factor");
  const bool within = options.within || options.within_ns;
  if (options.within && options.within_ns)
    throw not_allowed_with("--within-ns", "--within", "each defines the time");
  if (within && (options.drop || options.capacity))
    throw not_allowed_with(options.drop ? "--drop" : "--capacity", "--within", "each defines a target");
  if (within != options.percentiles.has_value())
    throw missing(within ? "--percentiles" : "--within",
                  "a latency target needs a percentile and a time, such as --percentiles 99.99 --within 50");
  if (options.drop.has_value() != options.capacity.has_value())
    throw missing(options.drop ? "--capacity" : "--drop",
                  "a buffer target needs --capacity B and --drop EPS");
  if (options.hop_ns && !options.within_ns) throw needs("--hop-ns", "--within-ns T with --solve");
  if (options.within_ns && !options.units.link_gbps)
    throw missing("--link-gbps", "--within-ns needs --link-gbps and --packet-bytes");
}

}  // namespace

void require_fitting(const DelayOptions& options) {
  struct Use {
    const char* name;
    const std::optional<std::string>* value;
    bool tree, network, distribution;
  };
  const Use uses[] = {{"--radix", &options.topology.radix, true, false, false},
                      {"--levels", &options.topology.levels, true, false, false},
                      {"--load", &options.topology.load, true, false, false},
                      {"--routing", &options.topology.routing, true, false, false},
                      {"--classes", &options.classes, true, false, false},
                      {"--matrix", &options.topology.matrix, false, true, false},
                      {"--route", &options.topology.route, false, true, false},
                      {"--traffic", &options.burst.traffic, true, false, false},
                      {"--burst", &options.burst.burst, true, false, false},
                      {"--on-rate", &options.burst.on_rate, true, false, false},
                      {"--destination", &options.burst.destination, true, false, false},
                      {"--flow", &options.flow, false, true, false},
                      {"--uniform", &options.topology.uniform, false, true, false},
                      {"--load-scale", &options.topology.load_scale, false, true, false},
                      {"--without", &options.topology.without, false, true, false},
                      {"--hops", &options.model.hops, true, true, false},
                      {"--percentiles", &options.percentiles, true, true, false},
                      {"--ccdf", &options.ccdf, true, true, false},
                      {"--drop", &options.drop, true, true, false},
                      {"--hop-ns", &options.hop_ns, true, true, false},
                      {"--solve", &options.solve, false, true, false}};
  for (const Use& use : uses) {
    if (!*use.value) continue;
    if (options.topology.network && !use.network)
      throw not_allowed_with(use.name, "--network", "the network file defines it");
    if (options.delays && !use.distribution)
      throw not_allowed_with(use.name, "--delays",
                             "given delays support only --reorder, --reorder-levels and --flow-rate");
    if (!options.topology.network && !options.delays && !use.tree) throw needs(use.name, "--network FILE");
  }
  if (options.topology.network && options.delays)
    throw not_allowed_with("--delays", "--network", "each defines the delays");
  if (options.classes) {
    reject_with({{"--load", &options.topology.load},
                 {"--network", &options.topology.network},
                 {"--routing", &options.topology.routing}},
                "--classes", "--radix K --classes R1,R2,.. is a single switch with K ports per side");
    if (!options.topology.radix) throw missing("--radix", "--classes needs the number of ports per side");
  } else if (!options.delays) {
    require_one_topology(options.topology);
  }
  if ((options.check || options.no_check) && (options.delays || options.solve))
    throw not_allowed_with(options.check ? "--check" : "--no-check", options.delays ? "--delays" : "--solve",
                           "only delays of a network or tree are simulated");
  if (options.criterion && !options.drop) throw needs("--criterion", "--drop EPS");
  if (options.solve) {
    require_fitting_solve(options);
    return;
  }
  reject_without(
      {{"--within", &options.within}, {"--within-ns", &options.within_ns}, {"--capacity", &options.capacity}},
      "--solve load-scale");
}

std::vector<Rational> read_percentiles(const std::optional<std::string>& text) {
  if (!text) return answers::usual_percentiles();
  std::vector<Rational> percentiles;
  for (const Rational& entry : parse_list(*text, "--percentiles", 100))
    percentiles.push_back(parse_percentile(entry));
  return percentiles;
}

std::vector<std::int64_t> read_ccdf_slots(const std::string& text) {
  std::vector<std::int64_t> slots;
  for (const Rational& entry : parse_list(text, "--ccdf", 1'000'000))
    slots.push_back(to_integer(entry, "--ccdf", 0, queue::max_delay_slots - 1));
  return slots;
}

/// No value means all models.
const Meanings<std::optional<answers::Hops>>& hops_or_all() {
  static const Meanings<std::optional<answers::Hops>> meanings = [] {
    Meanings<std::optional<answers::Hops>> all;
    for (const std::string& name : all_names<answers::Hops>())
      all.emplace_back(name, choice_of<answers::Hops>(name, "--hops"));
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
  for (const std::optional<Hops>& hops : choices_or_first(options.hops, "--hops", hops_or_all())) {
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
    for (const std::int64_t slots : read_ccdf_slots(*options.ccdf)) plain_query.levels.emplace_back(slots);
  plain_query.percentiles = read_percentiles(options.percentiles);
  plain_query.digits = read_digits(options);
  plain_query.units = read_units(options.units);
  plain_query.hop_ns = read_hop_ns(options.hop_ns, options.units);
  if (options.flow && *options.flow != "all") plain_query.flow = *options.flow;
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
    query.check = read_check(options, all.size());
    if (const auto* its = std::get_if<answers::NetworkTopology>(&query.topology))
      take_speed(query.units, its->network);
  }
  return all;
}

namespace {

/// The targets of --solve load-scale: each combination of percentiles and times, or of buffers and their
/// targets; without these stability of all queues.
std::vector<std::variant<answers::Stability, answers::LatencyTarget, answers::BufferTarget>>
read_scale_targets(const DelayOptions& options) {
  std::vector<std::variant<answers::Stability, answers::LatencyTarget, answers::BufferTarget>> targets;
  if (options.within || options.within_ns) {
    const char* option = options.within ? "--within" : "--within-ns";
    std::optional<answers::SlotTime> time;
    if (options.within_ns)
      time = {*read_units(options.units).slot_ns(),
              read_hop_ns(options.hop_ns, options.units).value_or(Rational(0))};
    const Rational slot = time ? time->slot : Rational(1);
    for (const Rational& percentile : read_percentiles(options.percentiles))
      for (const Rational& within :
           options.within ? parse_list(*options.within, option)
                          : parse_quantities(*options.within_ns, option, numeric::Measure::nanoseconds)) {
        if (within < 0 || within > 1'000'000 * slot)
          throw InvalidArgument(option, plain(within), "from 0 to 1000000 slots");
        targets.emplace_back(answers::LatencyTarget{percentile, within, time});
      }
    return targets;
  }
  if (!options.capacity) return {answers::Stability{}};
  for (const std::int64_t capacity : parse_integers(*options.capacity, "--capacity", 0, max_capacity))
    for (const auto& drop : read_drops(options))
      targets.emplace_back(answers::BufferTarget{Packets(capacity), *drop});
  return targets;
}

}  // namespace

std::vector<answers::LoadScaleQuery> read_load_scale_queries(const DelayOptions& options) {
  require_fitting(options);
  const auto targets = read_scale_targets(options);
  answers::LoadScaleQuery requested;
  if (options.flow && *options.flow != "all") requested.flow = *options.flow;
  requested.digits = read_digits(options);
  requested.units = read_units(options.units);
  if (const auto wholes = read_fabrics(options.topology); !wholes.empty()) {
    require_fabric_model(options.model);
    std::vector<answers::LoadScaleQuery> queries;
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
                       .file = *options.delays,
                       .digits = read_digits(options),
                       .units = read_units(options.units)});
  }
  const auto delays = answers::parse_delays(read_file(*options.delays, "--delays"), *options.delays);
  for (answers::ReorderQuery& query : queries) query.delays = delays;
  return queries;
}

void add_hop_option(OptionTable& table, std::optional<std::string>& hop_ns) {
  OptionGroup(table, "Units")
      .add("--hop-ns", hop_ns, "T",
           "cable and pipeline delay in ns of each queue passed.\nAdded to latencies in ns",
           slider(0, 1000, 10));
}

std::optional<Rational> read_hop_ns(const std::optional<std::string>& hop_ns, const UnitOptions& units) {
  if (!hop_ns) return {};
  const Rational hop = parse_quantity(*hop_ns, "--hop-ns", numeric::Measure::nanoseconds);
  if (hop < 0 || hop > max_hop_ns) throw InvalidArgument("--hop-ns", *hop_ns, "from 0 to 1000000000 ns");
  if (!units.link_gbps) throw missing("--link-gbps", "--hop-ns needs --link-gbps and --packet-bytes");
  return hop;
}

std::optional<answers::SlotTime> read_slot_time(const std::optional<std::string>& hop_ns,
                                                const UnitOptions& units) {
  const std::optional<Rational> hop = read_hop_ns(hop_ns, units);
  if (!hop) return {};
  return answers::SlotTime{.slot = *read_units(units).slot_ns(), .hop = *hop};
}

void add_delay_model_options(OptionTable& table, DelayModelOptions& options) {
  const OptionGroup model(table, "Model");
  model.add(
      "--hops", options.hops, "NAME",
      "chain, safe, independent, bound or all.\nDefault chain where it applies: each delay depends on the "
      "one before, with bursts on their age. safe: the same, conservative; bound: an upper bound, of trees",
      choices(hops_or_all()));
}

void add_delay_options(OptionTable& table, DelayOptions& options) {
  const OptionGroup network(table, "Network");
  const OptionGroup query(table, "Results");
  add_topology_options(table, options.topology);
  network.add("--flow", options.flow, "NAME", "name of one flow, or all (default all)");
  add_delay_model_options(table, options.model);
  add_burst_options(table, options.burst, "Tree with uniform traffic");
  OptionGroup(table, "Tree with uniform traffic")
      .add("--classes", options.classes, "R1,R2,..",
           "loads of strict priority classes, highest first.\nWith --radix K in place of --load: one output "
           "of a switch with K inputs");
  query.add("--percentiles", options.percentiles, "LIST", percentile_help);
  query.add("--ccdf", options.ccdf, "LIST", "slots t of P(queueing delay > t), such as 0:200:10");
  query.add_flag(
      "--check", options.check,
      "cross-check by a simulation of seconds.\nDefault: of at most 0.3 s, for a single network and load");
  query.add_flag("--no-check", options.no_check, "no cross-check by simulation");
  query.add("--drop", options.drop, "EPS",
            "target of --criterion; adds the buffer of each hop.\nThe buffers count the packet in service",
            powers_of_ten(-30, -1));
  query.add("--criterion", options.criterion, "NAME",
            choices_in_words<bounds::Criterion>() +
                ".\nOf --drop: overflow is P(Q > B), loss the fraction of packets lost",
            choices<bounds::Criterion>());
  query.add("--reorder", options.reorder, "EPS", "target P(R > b); finds the reorder buffer of one flow",
            powers_of_ten(-30, -1));
  query.add("--reorder-levels", options.reorder_levels, "LIST", "buffer sizes b of P(R > b)");
  query.add(
      "--flow-rate", options.flow_rate, "P",
      "packets per slot of the flow with --reorder.\nDefault of a tree: --load, from one host to one other",
      load_slider());
  query.add(
      "--solve", options.solve, "WHAT",
      "load-scale: the maximum factor of all rates.\nFor stability, or for a target of latency or buffers",
      {.choices = solved_delays});
  query.add("--within", options.within, "LIST",
            "latency targets in slots, with --solve.\nFor the --percentiles of each flow");
  query.add("--within-ns", options.within_ns, "LIST", "latency targets in ns, with --solve");
  query.add("--capacity", options.capacity, "LIST",
            "buffer of each queue, with --solve and --drop.\nIt counts the packet in service",
            slider(1, 512, 1));
  query.add("--delays", options.delays, "FILE",
            "file of a delay distribution, with --reorder.\nP(delay = 0), P(1), ...");
  OptionGroup(table, "Numerics")
      .add("--digits", options.digits, "D", "significant digits to prove (default 10)", slider(4, 40, 1));
  add_unit_options(table, options.units);
  add_hop_option(table, options.hop_ns);
}

}  // namespace tailbound::cli
