#include <cli/commands.hpp>
#include <cli/commands/delays/delay_query.hpp>
#include <cli/commands/delays/fabric_delays.hpp>
#include <cli/options/precision.hpp>
#include <cli/options/replies.hpp>
#include <tailbound/answers/points/combinations.hpp>
#include <tailbound/answers/simulation/simulate_rare.hpp>
#include <tailbound/answers/simulation/simulate_tree.hpp>
#include <tailbound/answers/validation/validate_delay.hpp>
#include <tailbound/numeric/rational.hpp>
#include <tailbound/render/documents/simulation/simulate_tree.hpp>
#include <tailbound/render/documents/validation/validate_delay.hpp>

#include <memory>
#include <utility>

/// Slot-by-slot simulation of a tree or any network: `simulate tree`, with --rare for probabilities beyond
/// the reach of plain simulation, and `validate delay`.
namespace tailbound::cli {
namespace {

using answers::Combinations;
using answers::RareMethod;
using answers::SimulateRareQuery;
using answers::SimulateTreeQuery;
using answers::ValidateDelayQuery;
using numeric::Rational;

constexpr std::int64_t max_packets = 1'000'000'000, max_rare_packets = 100'000;

/// As typed; empty if not given.
struct TreeSimulationOptions {
  TopologyOptions topology;
  BurstOptions burst;
  SimulationOptions run;
  UnitOptions units;
  std::optional<std::string> buffer, occupancy, ccdf, percentiles, reorder_levels, rare, hop, hop_ns;
  bool reorder = false;
};

struct TreeValidationOptions {
  TopologyOptions topology;
  BurstOptions burst;
  SimulationOptions run;
  DelayModelOptions model;
  UnitOptions units;
  std::optional<std::string> percentiles, ccdf, hop_ns;
};

/// For networks.
void reject_bursts(const BurstOptions& bursts) {
  reject_with({{"--traffic", &bursts.traffic},
               {"--burst", &bursts.burst},
               {"--destination", &bursts.destination},
               {"--on-rate", &bursts.on_rate}},
              "--network", "the network file defines the bursts");
}

/// The trees, or the networks, in the form of the simulators.
/// \param overload  for networks with finite buffers
std::vector<answers::Topology> read_topologies_to_simulate(
    const TopologyOptions& options, const BurstOptions& bursts,
    answers::Overload overload = answers::Overload::rejected) {
  require_one_topology(options);
  std::vector<answers::Topology> topologies;
  if (options.network) {
    reject_bursts(bursts);
    for (answers::NetworkTopology& network : read_networks(options, overload))
      topologies.emplace_back(std::move(network));
    return topologies;
  }
  for (const answers::TreeTopology& tree : read_trees(options, bursts)) {
    try {
      static_cast<void>(answers::tree_model(tree));
    } catch (const InvalidArgument& error) {  // with the number as typed
      if (error.argument() == "load")
        throw InvalidArgument("--load", is_list(*options.load) ? plain(tree.load) : *options.load,
                              error.legal());
      if (error.argument() == "burst")
        throw InvalidArgument("--burst", is_list(*bursts.burst) ? plain(tree.burst->slots) : *bursts.burst,
                              error.legal());
      throw;
    }
    topologies.emplace_back(tree);
  }
  return topologies;
}

/// A topology; a fabric has its traffic separately.
struct Simulated {
  answers::Topology topology;
  std::shared_ptr<const answers::SimulatedFabric> fabric{};
};

std::vector<Simulated> read_all_to_simulate(const TreeSimulationOptions& options) {
  require_one_topology(options.topology);
  std::vector<Simulated> all;
  for (const answers::FabricTopology& its : read_fabrics(options.topology))
    all.push_back({place_of(its), answers::simulated_fabric(*its.fabric)});
  if (!all.empty()) {
    reject_bursts(options.burst);
    return all;
  }
  const auto overload = options.buffer ? answers::Overload::allowed : answers::Overload::rejected;
  for (answers::Topology& its : read_topologies_to_simulate(options.topology, options.burst, overload))
    all.push_back({std::move(its)});
  return all;
}

/// One for each entry of --buffer; a single unlimited one without it.
std::vector<std::optional<Packets>> read_buffers(const TreeSimulationOptions& options) {
  return each_or_none(options.buffer.has_value(), packets_of(options.buffer, "--buffer", 1, max_packets));
}

void require_possible(const TreeSimulationOptions& options) {
  if (options.hop) throw needs("--hop", "--rare X");
  if (!options.reorder && !options.reorder_levels) return;
  const char* observe = options.reorder ? "--reorder" : "--reorder-levels";
  if (options.topology.network)
    throw not_allowed_with(observe, "--network", "reorder buffers are measured only in trees");
  if (options.buffer)
    throw not_allowed_with(observe, "--buffer", "the receiver would wait forever for lost packets");
}

/// One query for each combination of list entries.
std::vector<SimulateTreeQuery> read_queries(const TreeSimulationOptions& options) {
  require_possible(options);
  SimulateTreeQuery requested;
  requested.occupancy_levels = packets_of(options.occupancy, "--occupancy", 0, max_packets);
  if (options.reorder) requested.reorder_levels.emplace();
  if (options.reorder_levels)
    requested.reorder_levels = packets_of(options.reorder_levels, "--reorder-levels", 0, max_packets);
  requested.percentiles = read_percentiles(options.percentiles);
  if (options.ccdf)
    for (const std::int64_t slots : read_ccdf_slots(*options.ccdf))
      requested.delay_levels.emplace_back(slots);
  const std::vector<Simulated> topologies = read_all_to_simulate(options);
  const std::vector<std::optional<Packets>> buffers = read_buffers(options);
  requested.length = read_run_length(options.run);
  requested.time = read_slot_time(options.hop_ns, options.units);
  const std::vector<SimulateTreeQuery> queries = answers::Combinations(requested)
                                                     .by(buffers, &SimulateTreeQuery::buffer)
                                                     .by(topologies,
                                                         [](SimulateTreeQuery& each, const Simulated& its) {
                                                           each.topology = its.topology;
                                                           each.fabric = its.fabric;
                                                         })
                                                     .points();
  for (const SimulateTreeQuery& query : queries)
    static_cast<void>(answers::plan_of(query));  // can each be simulated?
  return queries;
}

// --- rare: hop 1 under random-root routing by importance sampling of its queue, any other by splitting

void require_alone(const TreeSimulationOptions& options) {
  const std::pair<const char*, bool> others[] = {
      {"--network", options.topology.network.has_value()},      {"--buffer", options.buffer.has_value()},
      {"--occupancy", options.occupancy.has_value()},           {"--ccdf", options.ccdf.has_value()},
      {"--percentiles", options.percentiles.has_value()},       {"--reorder", options.reorder},
      {"--reorder-levels", options.reorder_levels.has_value()}, {"--hop-ns", options.hop_ns.has_value()}};
  for (const auto& [name, given] : others)
    if (given) throw not_allowed_with(name, "--rare", "--rare estimates only P(Q > n) in a tree");
}

/// Importance sampling has no warm-up and no number of replications.
void require_fitting_run(const SimulateRareQuery& query, const SimulationOptions& run) {
  if (method_of(query) != RareMethod::importance_sampling) return;
  for (const auto& [name, value] :
       {std::pair{"--warmup", &run.warmup}, std::pair{"--replications", &run.replications}})
    if (*value)
      throw not_allowed_with(name, "the first hop of --rare",
                             "its regeneration cycles are independent and need no warm-up");
}

/// One query for each combination of list entries.
std::vector<SimulateRareQuery> read_rare_queries(const TreeSimulationOptions& options) {
  require_alone(options);
  const std::vector<answers::Topology> trees = read_topologies_to_simulate(options.topology, options.burst);
  const std::string hops = options.hop.value_or("1");
  const answers::RunLength length = read_run_length(options.run, 64);
  std::vector<SimulateRareQuery> queries;
  for (const answers::Topology& its : trees) {
    const auto& tree = std::get<answers::TreeTopology>(its);
    for (const std::int64_t hop : parse_integers(hops, "--hop", 1, sim::stage_count(tree.tree)))
      for (const std::variant<Packets, Rational>& rare : read_rare(*options.rare, max_rare_packets)) {
        queries.push_back({.topology = tree, .hop = static_cast<int>(hop), .rare = rare, .length = length});
        require_fitting_run(queries.back(), options.run);
      }
  }
  return queries;
}

Reply answer_rare(const TreeSimulationOptions& options, const Context& context) {
  const answers::Units units = read_units(options.units);
  const std::vector<SimulateRareQuery> queries = read_rare_queries(options);
  if (context.draws && queries.size() < 2)
    throw needs("--plot", "several points", "give --rare, --load or --hop a list");
  return simulate_all(queries, options.run, context, [&](const auto& points, std::size_t requested) {
    return render::document(points, requested, units);
  });
}

Reply answer_simulation(const TreeSimulationOptions& options, const Context& context) {
  if (options.rare) return answer_rare(options, context);
  const answers::Units units = read_units(options.units);
  const auto document_of = [&](auto points, std::size_t requested) {
    return render::document(std::move(points), requested, units);
  };
  return simulate_requested(read_queries(options), options.run, context, document_of);
}

void declare_simulation(OptionTable& table, TreeSimulationOptions& options) {
  const OptionGroup query(table, "Results");
  add_topology_options(table, options.topology);
  add_burst_options(table, options.burst, "Tree with uniform traffic");
  OptionGroup(table, "Model")
      .add("--buffer", options.buffer, "B",
           "buffer of each queue in packets (default unlimited).\nIt counts the packet in service; packets "
           "that do not fit are lost",
           slider(1, 64, 1));
  query.add("--percentiles", options.percentiles, "LIST", percentile_help);
  query.add("--ccdf", options.ccdf, "LIST", "slots t of P(queueing delay > t), such as 0:200:10");
  query.add("--occupancy", options.occupancy, "LIST",
            "queue lengths n of P(Q > n), for each hop.\nThey count the packet in service");
  query.add_flag(
      "--reorder", options.reorder,
      "reorder buffers of up to 64 hosts: P(R > b).\nAll packets of a host count as one flow, to all "
      "destinations together");
  query.add("--reorder-levels", options.reorder_levels, "LIST", "reorder buffers P(R > b) for these b");
  query.add("--rare", options.rare, "X",
            "rare events: n or 1e-9 of P(Q > n).\nIn place of the other results, down to 1e-280: n = X, "
            "or the n where P(Q > n) is near X < 1; for hop 1 --slots counts cycles",
            powers_of_ten(-30, -1));
  query.add("--hop", options.hop, "H",
            "hop of --rare (default 1).\nWhere bursts keep their destination, hop 1 only");
  add_simulation_options(table, options.run);
  add_precision_option(table, options.run);
  add_unit_options(table, options.units);
  add_hop_option(table, options.hop_ns);
}

// --- validate delay

/// One query for each combination of list entries.
std::vector<ValidateDelayQuery> read_validations(const TreeValidationOptions& options) {
  require_one_topology(options.topology);
  ValidateDelayQuery requested;
  requested.length = read_run_length(options.run);
  requested.time = read_slot_time(options.hop_ns, options.units);
  if (options.ccdf)
    for (const std::int64_t slots : read_ccdf_slots(*options.ccdf)) requested.levels.emplace_back(slots);
  requested.percentiles = read_percentiles(options.percentiles);
  if (auto fabrics = read_fabric_validations(options.topology, options.model, requested); !fabrics.empty()) {
    reject_bursts(options.burst);
    return fabrics;
  }
  const std::vector<answers::Topology> topologies =
      read_topologies_to_simulate(options.topology, options.burst);
  const std::vector<ValidateDelayQuery> queries =
      Combinations(requested).by(topologies, &ValidateDelayQuery::topology).points();
  std::vector<ValidateDelayQuery> all;
  for (const ValidateDelayQuery& query : queries)
    for (const auto& hops : read_hops(options.model, query.topology)) all.emplace_back(query).hops = hops;
  return all;
}

Reply answer_validation(const TreeValidationOptions& options, const Context& context) {
  const answers::Units units = read_units(options.units);
  return judge_all(
      read_validations(options), options.run, context,
      [&](const auto& points, std::size_t requested) { return render::document(points, requested, units); });
}

void declare_validation(OptionTable& table, TreeValidationOptions& options) {
  add_topology_options(table, options.topology);
  add_burst_options(table, options.burst, "Tree with uniform traffic");
  const OptionGroup query(table, "Results");
  add_delay_model_options(table, options.model);
  query.add("--ccdf", options.ccdf, "LIST",
            "slots t of P(queueing delay > t).\nDefault: where the analysis gives 0.5 to 1e-6");
  query.add("--percentiles", options.percentiles, "LIST", percentile_help);
  add_simulation_options(table, options.run);
  add_unit_options(table, options.units);
  add_hop_option(table, options.hop_ns);
}

}  // namespace

Command simulate_tree_command() {
  return command_of<TreeSimulationOptions>(
      {.name = "simulate tree",
       .purpose = "delay, occupancy and loss in trees and networks",
       .work = Work::simulation,
       .draws = true,
       .declare = declare_simulation,
       .answer = answer_simulation,
       .layout = render::simulate_tree_layout,
       .example = {{"--radix", "4"}, {"--levels", "2"}, {"--load", "0.8"}}});
}

Command validate_delay_command() {
  return command_of<TreeValidationOptions>(
      {.name = "validate delay",
       .purpose = "delay of trees and networks",
       .work = Work::simulation,
       .draws = true,
       .declare = declare_validation,
       .answer = answer_validation,
       .layout = render::validate_delay_layout,
       .example = {{"--radix", "16"}, {"--levels", "3"}, {"--load", "0.8"}}});
}

}  // namespace tailbound::cli
