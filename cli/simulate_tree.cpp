#include <cln/rational.h>
#include <cli/delay_question.hpp>
#include <cli/simulate_tree.hpp>
#include <cli/simulated_points.hpp>
#include <cli/traffic_options.hpp>
#include <tailbound/answers/simulate_tree.hpp>
#include <tailbound/render/documents/simulate_tree.hpp>

#include <utility>

namespace tailbound::cli {
namespace {

using answers::SimulateTreeQuestion;

constexpr std::int64_t most_packets = 1'000'000'000;

std::vector<Packets> read_levels(const std::string& text, const char* option) {
  std::vector<Packets> levels;
  for (const std::int64_t level : parse_integers(text, option, 0, most_packets)) levels.emplace_back(level);
  return levels;
}

/// One for each entry of --buffer; one of unlimited room without it.
std::vector<std::optional<Packets>> read_buffers(const TreeSimulationOptions& options) {
  if (!options.buffer) return {std::nullopt};
  std::vector<std::optional<Packets>> buffers;
  for (const std::int64_t room : parse_integers(*options.buffer, "--buffer", 1, most_packets))
    buffers.emplace_back(Packets(room));
  return buffers;
}

void refuse_bursts_of_network(const BurstOptions& options) {
  for (const auto& [name, value] :
       {std::pair{"--traffic", &options.traffic}, std::pair{"--burst", &options.burst},
        std::pair{"--destination", &options.destination}, std::pair{"--on-rate", &options.on_rate}})
    if (*value)
      throw InvalidArgument(name, "given together with --network",
                            "left out: the file says which flows have a burst");
}

void require_possible(const TreeSimulationOptions& options) {
  if (options.hop) throw InvalidArgument("--hop", "given without --rare", "given with --rare X");
  if (!options.reorder && !options.reorder_levels) return;
  const char* observe = options.reorder ? "--reorder" : "--reorder-levels";
  if (options.topology.network)
    throw InvalidArgument(observe, "given together with --network",
                          "left out: reorder buffers are measured in trees");
  if (options.buffer)
    throw InvalidArgument(observe, "given together with --buffer",
                          "left out: packets that are lost would be waited for without end");
}

/// One question for each combination of what was given as lists.
std::vector<SimulateTreeQuestion> read_questions(const TreeSimulationOptions& options) {
  require_possible(options);
  SimulateTreeQuestion asked;
  if (options.occupancy) asked.occupancy_levels = read_levels(*options.occupancy, "--occupancy");
  if (options.reorder) asked.reorder_levels.emplace();
  if (options.reorder_levels) asked.reorder_levels = read_levels(*options.reorder_levels, "--reorder-levels");
  asked.percentiles = read_percentiles(options.percentiles);
  if (options.ccdf)
    for (const std::int64_t slots : read_ccdf_slots(*options.ccdf)) asked.delay_levels.emplace_back(slots);
  const std::vector<answers::Topology> topologies =
      read_topologies_to_simulate(options.topology, options.burst,
                                  options.buffer ? answers::Overload::allowed : answers::Overload::refused);
  const std::vector<std::optional<Packets>> buffers = read_buffers(options);
  asked.length = read_run_length(options.run);
  asked.time = read_slot_time(options.hop_ns, options.units);
  std::vector<SimulateTreeQuestion> questions;
  for (const std::optional<Packets>& buffer : buffers)
    for (const answers::Topology& topology : topologies) {
      SimulateTreeQuestion& question = questions.emplace_back(asked);
      question.topology = topology;
      question.buffer = buffer;
      static_cast<void>(answers::plan_of(question));  // may each be simulated?
    }
  return questions;
}

Reply answer(const TreeSimulationOptions& options, const Context& context) {
  if (options.rare) return answer_rare(options, context);
  const answers::Units units = read_units(options.units);
  return {.document = simulate_points(read_questions(options), options.run, context,
                                      [&](auto points, std::size_t asked) {
                                        return render::document(std::move(points), asked, units);
                                      })};
}

void add_options(OptionTable& table, TreeSimulationOptions& options) {
  const OptionGroup question(table, "Question");
  add_topology_options(table, options.topology);
  add_burst_options(table, options.burst, "A tree under uniform traffic");
  OptionGroup(table, "Model")
      .add("--buffer", options.buffer, "B",
           "room of each queue in packets (the packet in service counts);\nwhat does not fit is lost");
  question.add("--percentiles", options.percentiles, "LIST",
               "in percent; 50,90,99,99.99,99.9999 unless told");
  question.add("--ccdf", options.ccdf, "LIST", "slots t of P(queueing delay > t): 0,10,100 or 0:200:10");
  question.add("--occupancy", options.occupancy, "LIST",
               "packets n of P(Q > n), for each hop (the packet in service counts)");
  question.add_flag("--reorder", options.reorder,
                    "the reorder buffers of up to 64 leaves' packets: P(R > b)");
  question.add("--reorder-levels", options.reorder_levels, "LIST", "the same, for these b");
  question.add(
      "--rare", options.rare, "X",
      "instead of all these: P(Q > n) down to 1e-280, n = X, or where\nit is near X < 1; --slots of hop 1: "
      "its cycles");
  question.add("--hop", options.hop, "H", "of --rare (1; any hop unless bursts keep their destination)");
  add_simulation_options(table, options.run);
  add_unit_options(table, options.units);
  add_hop_option(table, options.hop_ns);
}

}  // namespace

std::vector<answers::Topology> read_topologies_to_simulate(const TopologyOptions& options,
                                                           const BurstOptions& bursts,
                                                           answers::Overload overload) {
  require_one_topology(options);
  std::vector<answers::Topology> topologies;
  if (options.network) {
    refuse_bursts_of_network(bursts);
    for (answers::NetworkTopology& network : read_networks(options, overload))
      topologies.emplace_back(std::move(network));
    return topologies;
  }
  for (const answers::TreeTopology& tree : read_trees(options, bursts)) {
    try {
      static_cast<void>(answers::tree_model(tree));
    } catch (const InvalidArgument& error) {  // with the number as it was typed
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

Command simulate_tree_command() {
  return command_of<TreeSimulationOptions>(
      "simulate tree", "delays, occupancies and losses in trees and any network", true, add_options, answer);
}

}  // namespace tailbound::cli
