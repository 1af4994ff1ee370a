#include <cln/rational.h>
#include <fmt/format.h>
#include <cli/plots.hpp>
#include <cli/reply.hpp>
#include <cli/simulate_wormhole.hpp>
#include <cli/traffic_options.hpp>
#include <tailbound/network/worm_walk.hpp>

#include <algorithm>
#include <memory>

namespace tailbound::cli {
namespace {

/// One load, both ways.
struct Row {
  double load = 0, fraction = 0;
  ShownEstimate simulated;
  std::optional<double> model;  ///< mean latency; empty where the model is saturated

  /// Does the model promise less latency than the interval allows?
  [[nodiscard]] bool optimistic() const { return model && *model < simulated.lower; }
  [[nodiscard]] std::optional<double> error() const {
    if (!model) return std::nullopt;
    return *model / simulated.value - 1;
  }
  [[nodiscard]] const char* verdict() const {
    if (!model) return "saturated";
    if (optimistic()) return "below";
    return *model > simulated.upper ? "above" : "inside";
  }
};

/// Of which network the model is, and what else it takes for granted.
struct Modelled {
  std::optional<int> virtual_channels;  ///< of each link; nothing of --network, where they are the file's
  bool as_told = false;                 ///< by --virtual-channels, not the usual number
  std::vector<std::string> assumes;     ///< what the simulated network does not have
};

struct Answer {
  WormholeSimulation simulation;
  Modelled modelled;
  std::vector<SimulatedWorms> points;
  std::vector<Row> rows;

  [[nodiscard]] std::size_t optimistic() const {
    return static_cast<std::size_t>(
        std::count_if(rows.begin(), rows.end(), [](const Row& row) { return row.optimistic(); }));
  }
};

/// Calls of next_station(), at some 8 ns, that the walk over a network may take. What follows it takes as
/// long as so many of them for each wire and third power of its channels.
constexpr double most_walk_calls = 2e8, calls_of_a_wire = 50;

/// The model of the network with the virtual channels that are simulated; nothing if that took long.
std::optional<bounds::wormhole::Network> walked_model(const WormholeSimulation& simulation, int channels) {
  const network::WormLayout& layout = simulation.network.network->layout();
  const double nodes = layout.nodes, each = channels, wires = layout.wires;
  const double calls = nodes * nodes * layout.variants * simulation.model.graph().mean_distance * each;
  if (calls + calls_of_a_wire * wires * each * each * each > most_walk_calls) return std::nullopt;
  try {
    return bounds::wormhole::Network(
        network::walk_graph(*simulation.network.network, simulation.network.traffic));
  } catch (const LimitExceeded&) {
    return std::nullopt;
  }
}

/// Puts the model of the very network in place where that can be had.
Modelled model_as_simulated(WormholeSimulation& simulation, const WormholeSimulationOptions& options) {
  Modelled modelled{.virtual_channels = usual_virtual_channels(simulation.question), .assumes = {}};
  if (modelled.virtual_channels && options.virtual_channels) {
    const int told = static_cast<int>(parse_integer(*options.virtual_channels, "--virtual-channels", 1, 64));
    if (told != *modelled.virtual_channels) {
      if (auto model = walked_model(simulation, told)) {
        simulation.model = std::move(*model);
        simulation.model_saturation = simulation.model.saturation();
        modelled.virtual_channels = told;
        modelled.as_told = true;
      } else {
        modelled.assumes.push_back(fmt::format("{} virtual channel{} a link (simulated: {})",
                                               *modelled.virtual_channels,
                                               *modelled.virtual_channels == 1 ? "" : "s", told));
      }
    }
  }
  if (simulation.network.buffer_flits > 1)
    modelled.assumes.push_back(
        fmt::format("buffers of 1 flit (simulated: {})", simulation.network.buffer_flits));
  if (simulation.network.lengths != sim::WormLengths::fixed)
    modelled.assumes.emplace_back("messages of fixed length (simulated: geometric)");
  if (simulation.network.arrivals != sim::WormArrivals::poisson)
    modelled.assumes.emplace_back("Poisson arrivals (simulated: bernoulli)");
  return modelled;
}

std::string in_words(const Modelled& modelled) {
  std::string text;
  if (modelled.as_told)
    text += fmt::format("  The model is of the network with {} virtual channel{} a link.\n",
                        *modelled.virtual_channels, *modelled.virtual_channels == 1 ? "" : "s");
  if (!modelled.assumes.empty())
    text += fmt::format("  The model is of another network than the simulated one: it assumes {}.\n",
                        fmt::join(modelled.assumes, ",\n  "));
  return text;
}

std::optional<double> model_latency(const WormholeSimulation& simulation, double load) {
  if (load >= simulation.model_saturation) return std::nullopt;
  const bounds::wormhole::Point solved = simulation.model.solve(load);
  if (!solved.solved()) return std::nullopt;
  return solved.latency(static_cast<double>(simulation.question.flits));
}

std::string error_in_words(const Row& row) {
  const std::optional<double> error = row.error();
  return error ? fmt::format("{:+.1f} %", 100 * *error) : "-";
}

std::string to_tables(const Answer& answer, bool quiet) {
  std::vector<std::vector<std::string>> rows{
      {"load", "of saturation", "simulation", "model", "error", "model is"}};
  for (const Row& row : answer.rows)
    rows.push_back({fmt::format("{:.6g}", row.load), fmt::format("{:.1f} %", 100 * row.fraction),
                    brief(row.simulated), row.model ? fmt::format("{:.6g}", *row.model) : "-",
                    error_in_words(row), row.verdict()});
  const std::string table = to_table(rows, {true, true, false, true, true, false});
  if (quiet) return table;
  std::string text = fmt::format("Mean latency [cycles]: {}\n\n{}\n", in_words(answer.simulation), table);
  for (const SimulatedWorms& point : answer.points)
    text += fmt::format("  load {:.6g}: {}; {}\n", point.load, plan_in_words(point.simulated),
                        course_in_words(point.simulated));
  text += fmt::format("\n  verdict  the model is optimistic beyond the interval at {} of {} loads\n",
                      answer.optimistic(), answer.rows.size());
  return text +
         "\n  Error: model / simulation - 1; +- is the 95 % interval of the simulation. Of saturation: of "
         "the\n  model's saturation load.\n" +
         in_words(answer.modelled);
}

std::string to_json_text(const Answer& answer, const Context& context) {
  Json document = new_document(context, "validate wormhole");
  document["inputs"] = inputs_json(answer.simulation);
  document["model_saturation_load"] = answer.simulation.model_saturation;
  document["model_assumes"] = answer.modelled.assumes;
  if (answer.modelled.virtual_channels)
    document["model_virtual_channels"] = *answer.modelled.virtual_channels;
  document["optimistic_rows"] = answer.optimistic();
  return to_text(document, "rows", answer.rows.size(), [&](std::size_t i) {
    const Row& row = answer.rows[i];
    Json json{{"load", row.load},
              {"fraction_of_saturation", row.fraction},
              {"simulation", to_json(row.simulated)},
              {"model", row.model ? Json{{"kind", "model"}, {"value", *row.model}} : Json()},
              {"error", row.model ? Json(*row.error()) : Json()},
              {"verdict", row.verdict()}};
    describe_simulation(json, answer.points[i].simulated);
    return json;
  });
}

std::string to_csv(const Answer& answer) {
  std::vector<std::string> header{"load", "fraction_of_saturation"};
  const std::vector<std::string> columns = estimate_columns("simulation");
  header.insert(header.end(), columns.begin(), columns.end());
  header.insert(header.end(), {"model", "verdict"});
  std::string text = csv_line(header);
  for (const Row& row : answer.rows) {
    std::vector<std::string> fields{fmt::format("{}", row.load), fmt::format("{}", row.fraction)};
    append_csv(fields, row.simulated);
    fields.insert(fields.end(), {row.model ? fmt::format("{}", *row.model) : "", row.verdict()});
    text += csv_line(fields);
  }
  return text;
}

plots::Picture picture(const Answer& answer) {
  plots::Picture picture = latency_axes(answer.simulation);
  picture.note = "simulation with 95 % intervals; the model is approximate";
  plots::Curve model{.title = "model", .style = plots::Style::line, .points = {}};
  double greatest = 0, last = 0;
  for (const Row& row : answer.rows) {
    greatest = std::max(greatest, row.load);
    if (row.model) last = std::max(last, row.load);
  }
  constexpr int steps = 100;
  for (int i = 1; i <= steps; ++i) {
    const double load = last * i / steps;
    if (const auto latency = model_latency(answer.simulation, load))
      model.points.emplace_back(load, *latency);
  }
  picture.curves = {simulated_curve(answer.points), std::move(model)};
  return picture;
}

Reply answer(const WormholeSimulationOptions& options, const Context& context) {
  const auto answer = std::make_shared<Answer>(
      Answer{.simulation = read_wormhole_simulation(options), .modelled = {}, .points = {}, .rows = {}});
  answer->modelled = model_as_simulated(answer->simulation, options);
  answer->points = simulate(answer->simulation, options, context);
  for (const SimulatedWorms& point : answer->points)
    answer->rows.push_back({.load = point.load,
                            .fraction = point.fraction,
                            .simulated = shown(point.found.latency.value()),
                            .model = model_latency(answer->simulation, point.load)});
  Reply reply = reply_of(answer, context);
  if (answer->optimistic() > 0) reply.status = no_answer;
  return reply;
}

}  // namespace

Command add_validate_wormhole(CLI::App& validate) {
  CLI::App* command = validate.add_subcommand("wormhole", "latency of a wormhole network");
  const auto options = std::make_shared<WormholeSimulationOptions>();
  add_wormhole_simulation_options(*command, *options);
  add_plot_option(*command);
  command->footer(
      "Example:\n"
      "  tailbound validate wormhole --topology mesh --nodes 64 --flits 32 --fractions 10%,50%,80%\n"
      "      --quiet\n"
      "prints\n"
      "\n"
      "         load  of saturation  simulation         model   error  model is\n"
      "    0.0188562         10.0 %  39.902 +- 0.017  39.8995  -0.0 %  inside\n"
      "     0.094281         50.0 %  50.296 +- 0.087  49.9267  -0.7 %  below\n"
      "      0.15085         80.0 %  71.41 +- 0.35    71.3994  -0.0 %  inside\n"
      "\n"
      "and exits with status 1: at half of saturation the model's latency is below the interval. Status 0 "
      "says that\n"
      "it is nowhere.\n");
  return {.app = command, .answer = [options](const Context& context) { return answer(*options, context); }};
}

}  // namespace tailbound::cli
