#include <cln/integer.h>
#include <cln/rational.h>
#include <fmt/format.h>
#include <cli/delay_question.hpp>
#include <cli/plots.hpp>
#include <cli/simulate_command.hpp>
#include <cli/simulate_hypercube.hpp>
#include <cli/simulate_multistage.hpp>
#include <cli/simulate_rare.hpp>
#include <cli/simulate_tree.hpp>
#include <cli/simulate_wormhole.hpp>

#include <algorithm>
#include <cmath>
#include <memory>

namespace tailbound::cli {
namespace {

/// A finished simulation and what was asked of it.
struct TreeSimulation {
  TreeSimulationRequest request;
  Simulated simulated;
  SimulationEstimates found;

  [[nodiscard]] bool of_tree() const { return std::holds_alternative<sim::TreeModel>(request.model); }
  [[nodiscard]] bool with_buffer() const {
    return std::visit([](const auto& model) { return model.buffer.has_value(); }, request.model);
  }
};

ShownEstimate shown(const sim::LevelEstimate& level) {
  return cli::shown(level.probability);
}

/// --reorder asks for levels as far as anything is seen: the first where nothing is, is the last.
void cut_after_first_unseen(std::vector<sim::LevelEstimate>& tail) {
  const auto unseen =
      std::find_if(tail.begin(), tail.end(), [](const auto& level) { return level.count == 0; });
  if (unseen != tail.end()) tail.erase(unseen + 1, tail.end());
}

// --- table
// -----------------------------------------------------------------------------------------------------

std::string level_table(const char* level, const char* probability,
                        const std::vector<sim::LevelEstimate>& rows) {
  std::vector<std::vector<std::string>> table{{level, probability, "seen"}};
  for (const sim::LevelEstimate& row : rows)
    table.push_back({std::to_string(row.level), brief(shown(row)), std::to_string(row.count)});
  return indented(to_table(table, {true, false, true}));
}

std::string percentile_table(const SimulationEstimates& found) {
  std::vector<std::vector<std::string>> rows{{"percentile", "queueing", "latency"}};
  for (const PercentileEstimates& row : found.percentiles)
    rows.push_back({percent(row.fraction), brief_whole(row.queueing), brief_whole(row.latency)});
  return indented(to_table(rows, {false, false, false}));
}

std::string queue_table(const TreeSimulation& simulation) {
  const bool tree = simulation.of_tree();
  std::vector<std::vector<std::string>> rows{{tree ? "hop" : "link", "load", "mean occupancy"}};
  if (tree) rows.front().insert(rows.front().begin() + 1, "links");
  if (simulation.with_buffer()) {
    rows.front().push_back("dropped");
    rows.front().push_back("loss");
  }
  for (const std::int64_t level : simulation.request.questions.occupancy_levels)
    rows.front().push_back(fmt::format("P(Q > {})", level));
  for (const QueueEstimates& queue : simulation.found.queues) {
    std::vector<std::string> row{queue.name, brief(queue.load), brief(queue.mean_occupancy)};
    if (tree)
      row.insert(row.begin() + 1, fmt::format("{} {}", queue.up ? "up from" : "down from", queue.level));
    if (simulation.with_buffer()) {
      row.push_back(std::to_string(queue.dropped));
      row.push_back(brief(queue.loss));
    }
    for (const sim::LevelEstimate& level : queue.tail) row.push_back(brief(shown(level)));
    rows.push_back(std::move(row));
  }
  return indented(to_table(rows, std::vector<bool>(rows.front().size(), false)));
}

std::string flow_table(const SimulationEstimates& found) {
  std::vector<std::vector<std::string>> rows{{"flow", "packets", "mean queueing"}};
  for (const FlowMean& flow : found.flows)
    rows.push_back({flow.name, std::to_string(flow.packets), flow.queueing ? brief(*flow.queueing) : "-"});
  return indented(to_table(rows, {false, true, false}));
}

std::string to_tables(const TreeSimulation& simulation, bool quiet) {
  const SimulationEstimates& found = simulation.found;
  std::string text;
  if (quiet) {
    for (const PercentileEstimates& row : found.percentiles)
      text += fmt::format("{} {} {}\n", percent(row.fraction), row.queueing.value, row.latency.value);
    return text;
  }
  text = fmt::format("Simulation of {}{}\n\n", simulation.of_tree() ? "the " : "", simulation.request.title);
  text += percentile_table(found) + "\n";
  text += named_line("mean queueing", brief(found.mean_queueing) + " slots");
  text += named_line("mean latency", brief(found.mean_latency) + " slots");
  text += named_line("packets", fmt::format("{} delivered while measured", found.packets));
  text += named_line("simulated", plan_in_words(simulation.simulated));
  text += named_line("took", course_in_words(simulation.simulated));
  text += "\n" + queue_table(simulation);
  if (!found.flows.empty()) text += "\n" + flow_table(found);
  if (!found.ccdf.empty()) text += "\n" + level_table("t", "P(D > t)", found.ccdf);
  if (!found.reorder_tail.empty()) text += "\n" + level_table("b", "P(R > b)", found.reorder_tail);
  text += fmt::format(
      "\n  Estimates with {:g} % intervals from {} batches. D: queueing delay of all packets, in slots{}.\n",
      100 * found.mean_queueing.confidence, simulation.simulated.batches(),
      found.reorder_tail.empty() ? "" : "; R: packets that wait for an older one of their leaf");
  return text;
}

// --- JSON
// ------------------------------------------------------------------------------------------------------

Json level_json(const char* key, const sim::LevelEstimate& level) {
  return {{key, level.level}, {"probability", to_json(shown(level))}, {"count", level.count}};
}

Json levels_json(const char* key, const std::vector<sim::LevelEstimate>& levels) {
  Json json = Json::array();
  for (const sim::LevelEstimate& level : levels) json.push_back(level_json(key, level));
  return json;
}

Json queue_json(const TreeSimulation& simulation, const QueueEstimates& queue) {
  Json json;
  if (simulation.of_tree()) {
    json["hop"] = std::stoi(queue.name);
    json["direction"] = queue.up ? "up" : "down";
    json["switch_level"] = queue.level;
  } else {
    json["link"] = queue.name;
  }
  json["load"] = to_json(queue.load);
  json["mean_occupancy"] = to_json(queue.mean_occupancy);
  json["tail"] = levels_json("level", queue.tail);
  if (simulation.with_buffer()) {
    json["dropped"] = queue.dropped;
    json["loss"] = to_json(queue.loss);
  }
  return json;
}

Json inputs_json(const TreeSimulationOptions& options) {
  Json inputs;
  describe_place(inputs, options.place);
  describe_burst(inputs, read_leaf_bursts(options.burst, options.place));
  if (options.buffer) inputs["buffer"] = *options.buffer;
  return inputs;
}

std::string to_json_text(const TreeSimulationOptions& options, const TreeSimulation& simulation,
                         const Context& context) {
  const SimulationEstimates& found = simulation.found;
  Json document = new_document(context, "simulate tree");
  document["inputs"] = inputs_json(options);
  describe_simulation(document, simulation.simulated);
  document["packets"] = found.packets;
  document["percentiles"] = Json::array();
  for (const PercentileEstimates& row : found.percentiles)
    document["percentiles"].push_back({{"percentile", numeric::nearest_double(row.fraction * 100)},
                                       {"queueing_slots", to_json(row.queueing)},
                                       {"latency_slots", to_json(row.latency)}});
  document["ccdf"] = levels_json("slots", found.ccdf);
  document["mean_queueing_slots"] = to_json(found.mean_queueing);
  document["mean_latency_slots"] = to_json(found.mean_latency);
  Json& queues = document[simulation.of_tree() ? "hops" : "links"] = Json::array();
  for (const QueueEstimates& queue : found.queues) queues.push_back(queue_json(simulation, queue));
  for (const FlowMean& flow : found.flows)
    document["flows"].push_back({{"flow", flow.name},
                                 {"packets", flow.packets},
                                 {"mean_queueing_slots", flow.queueing ? to_json(*flow.queueing) : Json()}});
  if (!found.reorder_tail.empty()) document["reorder"]["tail"] = levels_json("level", found.reorder_tail);
  return to_text(document);
}

// --- CSV
// -------------------------------------------------------------------------------------------------------

std::string to_csv(const TreeSimulation& simulation) {
  const SimulationEstimates& found = simulation.found;
  std::vector<std::string> header{"where", "quantity", "argument"};
  const std::vector<std::string> columns = estimate_columns("number");
  header.insert(header.end(), columns.begin(), columns.end());
  std::string text = csv_line(header);
  const auto row = [&](const std::string& where, const char* quantity, const std::string& argument,
                       const ShownEstimate& estimate) {
    std::vector<std::string> fields{where, quantity, argument};
    append_csv(fields, estimate);
    text += csv_line(fields);
  };
  row("", "mean_queueing_slots", "", found.mean_queueing);
  row("", "mean_latency_slots", "", found.mean_latency);
  for (const PercentileEstimates& entry : found.percentiles) {
    row("", "queueing_slots", percent(entry.fraction), entry.queueing);
    row("", "latency_slots", percent(entry.fraction), entry.latency);
  }
  for (const sim::LevelEstimate& level : found.ccdf)
    row("", "ccdf", std::to_string(level.level), shown(level));
  for (const sim::LevelEstimate& level : found.reorder_tail)
    row("", "reorder_tail", std::to_string(level.level), shown(level));
  for (const QueueEstimates& queue : found.queues) {
    row(queue.name, "load", "", queue.load);
    row(queue.name, "mean_occupancy", "", queue.mean_occupancy);
    if (simulation.with_buffer()) row(queue.name, "loss", "", queue.loss);
    for (const sim::LevelEstimate& level : queue.tail)
      row(queue.name, "occupancy_tail", std::to_string(level.level), shown(level));
  }
  for (const FlowMean& flow : found.flows)
    if (flow.queueing) row(flow.name, "flow_mean_queueing_slots", "", *flow.queueing);
  return text;
}

// --- picture
// ---------------------------------------------------------------------------------------------------

plots::Picture picture(const TreeSimulation& simulation) {
  plots::Picture picture{
      .title = "Queueing delay, " + simulation.request.title,
      .x_label = "t [slots]",
      .y_label = "P(D > t)",
      .note = fmt::format("simulation, 95 % intervals: {}", plan_in_words(simulation.simulated)),
      .powers_of_ten = true,
      .curves = {
          interval_bars("simulation", whole_ccdf(simulation.request.model, simulation.simulated.result))}};
  if (picture.curves.front().points.empty())
    throw NoAnswer("there is nothing to draw: no packet was delayed");
  return picture;
}

Reply answer(const TreeSimulationOptions& options, const Context& context) {
  const auto simulation = std::make_shared<TreeSimulation>();
  simulation->request = read_tree_simulation(options);
  simulation->simulated = simulate(simulation->request, options.run, context);
  simulation->found =
      estimates(simulation->request.model, simulation->simulated.result, simulation->request.questions);
  if (simulation->request.reorder_levels_found) cut_after_first_unseen(simulation->found.reorder_tail);
  Reply reply;
  reply.text = in_format(
      context.format, [&] { return to_tables(*simulation, context.quiet); },
      [&] { return to_json_text(options, *simulation, context); }, [&] { return to_csv(*simulation); });
  reply.draw = [simulation](const std::string& file) { plots::draw(picture(*simulation), file); };
  return reply;
}

}  // namespace

std::vector<Command> add_simulate_commands(CLI::App& program) {
  CLI::App* simulate =
      program.add_subcommand("simulate", "the same by simulation, with confidence intervals");
  simulate->require_subcommand(1);
  simulate->footer("tailbound simulate tree --help lists its options and shows an example with its output.");
  CLI::App* tree =
      simulate->add_subcommand("tree", "delays, occupancies and losses in trees and any network");
  const auto options = std::make_shared<TreeSimulationOptions>();
  add_tree_simulation_options(*tree, *options);
  add_plot_option(*tree);
  tree->footer(
      "Example:\n"
      "  tailbound simulate tree --radix 4 --levels 2 --load 0.8 --occupancy 10\n"
      "prints\n"
      "\n"
      "  Simulation of the 4-ary 2-tree at load 0.8, random-root routing\n"
      "\n"
      "      percentile  queueing       latency\n"
      "      50          4 (4 .. 4)     7 (7 .. 7)\n"
      "      90          10 (10 .. 10)  13 (13 .. 13)\n"
      "      99          16 (16 .. 16)  19 (19 .. 19)\n"
      "      99.99       28 (28 .. 29)  31 (31 .. 32)\n"
      "      99.9999     41 (38 .. 42)  44 (41 .. 45)\n"
      "\n"
      "    mean queueing   4.811 +- 0.0045 slots\n"
      "    mean latency    7.811 +- 0.0045 slots\n"
      "    packets         97279152 delivered while measured\n"
      "    simulated       4 replications of 1900000 slots after a warm-up of 704 (by rule), seed 1\n"
      "    took            3.7 s on 2 threads\n"
      "\n"
      "      hop  links        load                 mean occupancy    P(Q > 10)\n"
      "      1    up from 1    0.799993 +- 7.1e-05  1.9996 +- 0.0016  0.003298 +- 6.4e-05\n"
      "      2    down from 2  0.799993 +- 7.1e-05  2.1256 +- 0.0018  0.00654 +- 8e-05\n"
      "      3    down from 1  0.799993 +- 7e-05    2.1235 +- 0.0019  0.006514 +- 9.6e-05\n"
      "\n"
      "    Estimates with 95 % intervals from 64 batches. D: queueing delay of all packets, in slots.\n");
  return {{.app = tree,
           .answer =
               [tree, options](const Context& context) {
                 if (!options->rare) return answer(*options, context);
                 if (tree->get_option("--plot")->count() > 0)
                   throw InvalidArgument("--plot", "given together with --rare",
                                         "left out: the answer is one number");
                 return answer_rare(*options, context);
               }},
          add_simulate_multistage(*simulate),
          add_simulate_wormhole(*simulate),
          add_simulate_hypercube(*simulate)};
}

}  // namespace tailbound::cli
