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

#include <initializer_list>
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

/// From 1 to `stages`.
Accepted<std::vector<std::int64_t>> hops_of(std::int64_t stages) {
  return integers(1, stages).by_default("1");
}

struct FlowControlOptions {
  OptionTable rows{};
  OptionGroup group{rows, "Flow control"};
  One<sim::BackPressure> by{
      group, "--flow-control", "NAME", one_name<sim::BackPressure>(),
      "{names}: full buffers stop their senders.\nOf --network; --buffer is then that of "
      "each link at its receiver. credit: no packet is sent without a free place; pause: "
      "the receiver stops its sender above a threshold"};
  List<sim::Ingress> ingress{group, "--ingress", "NAME", names<sim::Ingress>().first_by_default(),
                             "buffers: {names} (default {}).\nvoq: a queue for each output; fifo: the first "
                             "packet blocks those behind it"};
  Integers round_trip{group, "--round-trip", "R",
                      integers(1, sim::FlowControl::most).by_default("1").slider(1, 64, 1),
                      "slots from sending a packet to its credit's return (default {}).\nOr from a pause "
                      "threshold crossed to the last packet. B credits carry at most B/R packets per slot"};
  Integers headroom{
      group, "--headroom", "H", integers(1, sim::FlowControl::most).slider(1, 64, 1),
      "packets of a buffer above its pause threshold.\nDefault the round trip, the smallest that "
      "loses nothing"};
  Integers output_buffer{group, "--output-buffer", "B",
                         integers(1, sim::FlowControl::most).by_default("1").slider(1, 64, 1),
                         "packets at each output of a switch (default {}).\nIt counts the packet in service"};
  Flag allow_deadlock{
      group, "--allow-deadlock",
      "simulate buffers that depend on each other in a cycle.\nAnd report when they deadlock"};
};

struct TreeSimulationOptions {
  TopologyOptions topology;
  BurstOptions burst;
  FlowControlOptions control;
  OptionTable rows{};
  OptionGroup results{rows, "Results"};
  List<Packets> buffer{OptionGroup(rows, "Model"), "--buffer", "B",
                       integers<Packets>(1, max_packets).slider(1, 64, 1),
                       "buffer of each queue in packets (default unlimited).\nIt counts the packet in "
                       "service; packets that do not fit are lost"};
  Numbers percentiles{results, "--percentiles", "LIST", delay_percentiles(), percentile_help};
  Integers ccdf{results, "--ccdf", "LIST", ccdf_slots(),
                "slots t of P(queueing delay > t), such as 0:200:10"};
  List<Packets> occupancy{results, "--occupancy", "LIST", integers<Packets>(0, max_packets),
                          "queue lengths n of P(Q > n), for each hop.\nThey count the packet in service"};
  Flag reorder{results, "--reorder",
               "reorder buffers of up to 64 hosts: P(R > b).\nAll packets of a host count as one flow, to "
               "all destinations together"};
  List<Packets> reorder_levels{results, "--reorder-levels", "LIST", integers<Packets>(0, max_packets),
                               "reorder buffers P(R > b) for these b"};
  List<RareLevel> rare{results, "--rare", "X", rare_levels(max_rare_packets).powers_of_ten(-30, -1),
                       "rare events: n or 1e-9 of P(Q > n).\nIn place of the other results, down to 1e-280: "
                       "n = X, or the n where P(Q > n) is near X < 1; for hop 1 --slots counts cycles"};
  Integers hop_of_rare{results, "--hop", "H", hops_of(network::Tree::max_levels),
                       "hop of --rare (default {}).\nWhere bursts keep their destination, hop 1 only"};
  SimulationOptions run;
  UnitOptions units;
  HopOptions hop;
};

struct TreeValidationOptions {
  TopologyOptions topology;
  BurstOptions burst;
  DelayModelOptions model;
  OptionTable rows{};
  OptionGroup results{rows, "Results"};
  Integers ccdf{results, "--ccdf", "LIST", ccdf_slots(),
                "slots t of P(queueing delay > t).\nDefault: where the analysis gives 0.5 to 1e-6"};
  Numbers percentiles{results, "--percentiles", "LIST", delay_percentiles(), percentile_help};
  SimulationOptions run;
  UnitOptions units;
  HopOptions hop;
};

constexpr const char* by_the_file = "the network file defines the bursts";

/// The trees, or the networks, in the form of the simulators.
/// \param overload  for networks with finite buffers
std::vector<answers::Topology> read_topologies_to_simulate(
    const TopologyOptions& options, const BurstOptions& bursts,
    answers::Overload overload = answers::Overload::rejected) {
  require_one_topology(options);
  std::vector<answers::Topology> topologies;
  if (options.file.network) {
    reject_bursts(bursts, "--network", by_the_file);
    for (answers::NetworkTopology& network : read_networks(options, overload))
      topologies.emplace_back(std::move(network));
    return topologies;
  }
  for (const answers::TreeTopology& tree : read_trees(options, bursts)) {
    try {
      static_cast<void>(answers::tree_model(tree));
    } catch (const InvalidArgument& error) {  // with the number as typed
      if (error.argument() == "load")
        throw InvalidArgument("--load", is_list(options.load.text()) ? plain(tree.load) : options.load.text(),
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
  for (const answers::FabricTopology& its : read_fabrics(options.topology)) {
    answers::NetworkTopology place = place_of(its);
    answers::take_routes(place, *its.fabric);
    all.push_back({std::move(place), answers::simulated_fabric(*its.fabric)});
  }
  if (!all.empty()) {
    reject_bursts(options.burst, "--network", by_the_file);
    return all;
  }
  const auto overload = options.buffer ? answers::Overload::allowed : answers::Overload::rejected;
  for (answers::Topology& its : read_topologies_to_simulate(options.topology, options.burst, overload))
    all.push_back({std::move(its)});
  return all;
}

void require_possible(const TreeSimulationOptions& options) {
  reject_without({&options.hop_of_rare}, "--rare X");
  const std::initializer_list<const AnyRow*> reordering{&options.reorder, &options.reorder_levels};
  if (options.topology.file.network)
    reject_with(reordering, "--network", "reorder buffers are measured only in trees");
  if (options.buffer) reject_with(reordering, "--buffer", "the receiver would wait forever for lost packets");
}

void require_possible(const FlowControlOptions& control, const TreeSimulationOptions& options) {
  if (!control.by) {
    reject_without({&control.ingress, &control.round_trip, &control.headroom, &control.output_buffer,
                    &control.allow_deadlock},
                   "--flow-control NAME");
    return;
  }
  if (!options.topology.file.network)
    throw needs("--flow-control", "--network FILE", "network fat-tree writes a tree as a file");
  if (!options.buffer) throw needs("--flow-control", "--buffer B", "the buffer of each link at its receiver");
  if (control.by.value() == sim::BackPressure::credit)
    reject_with({&control.headroom}, "--flow-control credit",
                "a credit is a free place: nothing is in excess");
}

/// The flow control for each combination of list entries; a single "none" without it.
std::vector<std::optional<sim::FlowControl>> read_controls(const TreeSimulationOptions& options) {
  const FlowControlOptions& control = options.control;
  require_possible(control, options);
  if (!control.by) return {std::nullopt};
  std::vector<std::optional<sim::FlowControl>> all;
  const bool pauses = control.by.value() == sim::BackPressure::pause;
  for (const sim::Ingress ingress : control.ingress.value())
    for (const Packets buffer : options.buffer.value())
      for (const std::int64_t round_trip : control.round_trip.value())
        for (const std::int64_t headroom :
             control.headroom ? control.headroom.value() : std::vector{round_trip})
          for (const std::int64_t output_buffer : control.output_buffer.value()) {
            if (pauses && headroom > buffer.value)
              throw InvalidArgument("--buffer", std::to_string(buffer.value),
                                    "at least the headroom of " + std::to_string(headroom) +
                                        " packets (--headroom, by default the round trip)");
            all.emplace_back(sim::FlowControl{.by = control.by.value(),
                                              .ingress = ingress,
                                              .buffer = buffer.value,
                                              .round_trip = round_trip,
                                              .headroom = pauses ? headroom : 1,
                                              .output_buffer = output_buffer,
                                              .allow_deadlock = control.allow_deadlock.given()});
          }
  return all;
}

/// One query for each combination of list entries.
std::vector<SimulateTreeQuery> read_queries(const TreeSimulationOptions& options) {
  require_possible(options);
  SimulateTreeQuery requested;
  requested.occupancy_levels = options.occupancy.if_given().value_or(std::vector<Packets>());
  if (options.reorder) requested.reorder_levels.emplace();
  if (options.reorder_levels) requested.reorder_levels = options.reorder_levels.value();
  requested.percentiles = options.percentiles.value();
  if (options.ccdf)
    for (const std::int64_t slots : options.ccdf.value()) requested.delay_levels.emplace_back(slots);
  const auto controls = read_controls(options);
  const std::vector<Simulated> topologies = read_all_to_simulate(options);
  const auto buffers = options.control.by ? std::vector<std::optional<Packets>>(1) : options.buffer.each();
  requested.length = read_run_length(options.run);
  std::vector<SimulateTreeQuery> queries = answers::Combinations(requested)
                                               .by(buffers, &SimulateTreeQuery::buffer)
                                               .by(controls, &SimulateTreeQuery::control)
                                               .by(topologies,
                                                   [](SimulateTreeQuery& each, const Simulated& its) {
                                                     each.topology = its.topology;
                                                     each.fabric = its.fabric;
                                                   })
                                               .points();
  for (SimulateTreeQuery& query : queries)
    query.time = read_slot_time(options.hop, read_units(options.units, query.topology));
  require_plans(queries);
  return queries;
}

// --- rare: hop 1 under random-root routing by importance sampling of its queue, any other by splitting

void require_alone(const TreeSimulationOptions& options) {
  reject_with({&options.topology.file.network, &options.buffer, &options.occupancy, &options.ccdf,
               &options.percentiles, &options.reorder, &options.reorder_levels, &options.hop.hop_ns,
               &options.control.by},
              "--rare", "--rare estimates only P(Q > n) in a tree");
}

/// Importance sampling has no warm-up and no number of replications.
void require_fitting_run(const SimulateRareQuery& query, const SimulationOptions& run) {
  if (method_of(query) != RareMethod::importance_sampling) return;
  reject_with({&run.warmup, &run.replications}, "the first hop of --rare",
              "its regeneration cycles are independent and need no warm-up");
}

/// One query for each combination of list entries.
std::vector<SimulateRareQuery> read_rare_queries(const TreeSimulationOptions& options) {
  require_alone(options);
  const std::vector<answers::Topology> trees = read_topologies_to_simulate(options.topology, options.burst);
  const answers::RunLength length = read_run_length(options.run, 64);
  std::vector<SimulateRareQuery> queries;
  for (const answers::Topology& its : trees) {
    const auto& tree = std::get<answers::TreeTopology>(its);
    for (const std::int64_t hop : options.hop_of_rare.as(hops_of(sim::stage_count(tree.tree))))
      for (const RareLevel& rare : options.rare.value()) {
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
  return simulate_all(
      queries, options.run, context,
      [&](const auto& points, std::size_t requested) { return render::document(points, requested, units); },
      [&](const SimulateRareQuery& query) { return render::inputs_of(query, units); });
}

Reply answer_simulation(const TreeSimulationOptions& options, const Context& context) {
  if (options.rare) return answer_rare(options, context);
  const std::vector<SimulateTreeQuery> queries = read_queries(options);
  const answers::Units units = read_units(options.units, queries.front().topology);
  const auto document_of = [&](auto points, std::size_t requested) {
    return render::document(std::move(points), requested, units);
  };
  return simulate_requested(queries, options.run, context, document_of,
                            [&](const SimulateTreeQuery& query) { return render::inputs_of(query, units); });
}

void declare_simulation(OptionTable& table, TreeSimulationOptions& options) {
  add_rows(table, options.topology);
  add_burst_options(table, options.burst, "Tree with uniform traffic");
  add_rows(table, options, options.control, options.run);
  add_precision_option(table, options.run);
  add_rows(table, options.units, options.hop);
}

// --- validate delay

/// One query for each combination of list entries.
std::vector<ValidateDelayQuery> read_validations(const TreeValidationOptions& options) {
  require_one_topology(options.topology);
  ValidateDelayQuery requested;
  requested.length = read_run_length(options.run);
  if (options.ccdf)
    for (const std::int64_t slots : options.ccdf.value()) requested.levels.emplace_back(slots);
  requested.percentiles = options.percentiles.value();
  if (auto fabrics = read_fabric_validations(options.topology, options.model, requested); !fabrics.empty()) {
    reject_bursts(options.burst, "--network", by_the_file);
    reject_with({&options.hop.hop_ns}, "--network", "so many pairs are compared in slots");
    for (ValidateDelayQuery& each : fabrics)
      answers::take_routes(std::get<answers::NetworkTopology>(each.topology), *each.fabric->analysed);
    return fabrics;
  }
  const std::vector<answers::Topology> topologies =
      read_topologies_to_simulate(options.topology, options.burst);
  const std::vector<ValidateDelayQuery> queries =
      Combinations(requested).by(topologies, &ValidateDelayQuery::topology).points();
  std::vector<ValidateDelayQuery> all;
  for (const ValidateDelayQuery& query : queries)
    for (const auto& hops : read_hops(options.model, query.topology)) {
      all.emplace_back(query).hops = hops;
      all.back().time = read_slot_time(options.hop, read_units(options.units, query.topology));
    }
  return all;
}

Reply answer_validation(const TreeValidationOptions& options, const Context& context) {
  const std::vector<ValidateDelayQuery> queries = read_validations(options);
  const answers::Units units = read_units(options.units, queries.front().topology);
  return simulate_all(
      queries, options.run, context,
      [&](const auto& points, std::size_t requested) { return render::document(points, requested, units); },
      [&](const ValidateDelayQuery& query) { return render::inputs_of(query, units); });
}

void declare_validation(OptionTable& table, TreeValidationOptions& options) {
  add_rows(table, options.topology);
  add_burst_options(table, options.burst, "Tree with uniform traffic");
  add_rows(table, options.model, options, options.run, options.units, options.hop);
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
       .layout = [] { return render::with_status(render::simulate_tree_layout()); },
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
       .layout = [] { return render::with_status(render::validate_delay_layout()); },
       .example = {{"--radix", "16"}, {"--levels", "3"}, {"--load", "0.8"}}});
}

}  // namespace tailbound::cli
