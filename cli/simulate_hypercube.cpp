#include <cln/rational.h>
#include <fmt/format.h>
#include <cli/option_group.hpp>
#include <cli/plots.hpp>
#include <cli/reply.hpp>
#include <cli/simulate_hypercube.hpp>
#include <cli/traffic_options.hpp>

#include <algorithm>
#include <memory>

namespace tailbound::cli {
namespace {

using sim::BroadcastEstimates;

const BroadcastLimits simulation_limits{.dimensions = 16,
                                        .virtual_channels = 64,
                                        .flits = 1'000'000,
                                        .whole_cycles = true,
                                        .fractions = Fractions::any};
/// Flit-hops of a run whose length is not told: a few seconds on one core, all rates together, but for rates
/// near saturation.
constexpr double default_flit_hops = 2e8;
/// The simulation saturates at some 1.4 times the model's rate.
constexpr double guess_of_saturation = 1.4;

sim::BroadcastModel read_network(const HypercubeSimulationOptions& options,
                                 const BroadcastQuestion& question) {
  sim::BroadcastModel model;
  model.dimensions = question.cube.dimensions;
  model.virtual_channels = static_cast<int>(question.cube.virtual_channels);
  model.flits = static_cast<std::int64_t>(question.cube.flits);
  model.broadcast = question.broadcast;
  model.startup = static_cast<std::int64_t>(question.cube.startup);
  if (options.buffer_flits)
    model.buffer_flits = parse_integer(*options.buffer_flits, "--buffer-flits", 1, 1'000'000);
  return model;
}

sim::RunPlan plan_for(const sim::BroadcastModel& model, std::size_t rates, double fraction,
                      const SimulationOptions& options) {
  return plan_of_work(
      options, default_flit_hops, rates,
      [&](double flit_hops, int replications) {
        return sim::affordable_cycles(model, fraction, flit_hops, replications);
      },
      [&](std::int64_t cycles, int replications, std::uint64_t seed) {
        return sim::automatic_plan(model, fraction, cycles, replications, seed);
      });
}

struct Answer {
  HypercubeSimulation simulation;
  std::vector<SimulatedBroadcasts> points;
};

// --- tables

std::string latency_table(const Answer& answer) {
  std::vector<std::vector<std::string>> rows{{"rate", "of saturation", "unicast", "broadcast", "unicast wait",
                                              "copy", "busy channels", "flits/cycle/node"}};
  for (const SimulatedBroadcasts& point : answer.points)
    rows.push_back({fmt::format("{:.6g}", point.rate), fmt::format("{:.1f} %", 100 * point.fraction),
                    brief_or_dash(point.found.unicast_latency), brief_or_dash(point.found.broadcast_latency),
                    brief_or_dash(point.found.unicast_wait), brief_or_dash(point.found.copy_latency),
                    brief(shown(point.found.busy)), brief(shown(point.found.throughput))});
  std::vector<bool> right(rows.front().size(), false);
  right[0] = right[1] = true;
  return to_table(rows, right);
}

std::string whole_or_dash(const std::optional<numeric::Estimate<unit::Slot>>& estimate) {
  return estimate ? brief_whole(shown(*estimate)) : "-";
}

std::string percentile_table(const Answer& answer) {
  std::vector<std::vector<std::string>> rows{{"rate", "percentile", "unicast", "broadcast"}};
  for (const SimulatedBroadcasts& point : answer.points)
    for (const sim::BroadcastPercentile& percentile : point.found.percentiles)
      rows.push_back({fmt::format("{:.6g}", point.rate), fmt::format("{:.6g}", 100 * percentile.fraction),
                      whole_or_dash(percentile.unicast), whole_or_dash(percentile.broadcast)});
  return to_table(rows, {true, true, false, false});
}

std::string dimension_table(const Answer& answer) {
  std::vector<std::vector<std::string>> rows{{"rate", "dimension", "busy channels", "flits/cycle"}};
  for (const SimulatedBroadcasts& point : answer.points)
    for (std::size_t i = 0; i < point.found.dimensions.size(); ++i)
      rows.push_back({i == 0 ? fmt::format("{:.6g}", point.rate) : "", std::to_string(i + 1),
                      fmt::format("{:.4f}", point.found.dimensions[i].busy),
                      fmt::format("{:.4f}", point.found.dimensions[i].flits)});
  return to_table(rows, std::vector<bool>(rows.front().size(), true));
}

std::string delivered_in_words(const SimulatedBroadcasts& point) {
  return fmt::format("{} delivered, {:.6g} generated; expected (1 + b (N-2)) M rate = {:.6g}",
                     brief(shown(point.found.throughput)), point.found.generated, point.found.offered);
}

std::string to_tables(const Answer& answer, bool quiet) {
  if (quiet) return latency_table(answer);
  std::string text = fmt::format(
      "Simulation: {}\n\n{}\n  Latencies, in percent of the messages:\n\n{}\n"
      "  Links of each dimension:\n\n{}\n",
      in_words(answer.simulation), latency_table(answer), percentile_table(answer), dimension_table(answer));
  for (const SimulatedBroadcasts& point : answer.points)
    text += fmt::format(
        "  rate {:.6g}: {} unicasts, {} broadcasts, {} copies;\n    {}; {};\n    flits a cycle and node: "
        "{}\n",
        point.rate, point.found.unicasts, point.found.broadcasts, point.found.copies,
        plan_in_words(point.simulated), course_in_words(point.simulated), delivered_in_words(point));
  return text +
         "\n  Estimates with 95 % intervals, in cycles; of a broadcast until its last receiver, of a copy "
         "and "
         "of a\n  unicast's wait from when it is handed to a port. Busy channels: virtual channels of a link "
         "that belong\n  to a message, in the mean. Of saturation: of the rate of the model's variant " +
         std::string(variants().front().name) + ",\n  which is on the low side.\n";
}

// --- JSON, CSV, picture

std::string to_json_text(const Answer& answer, const Context& context) {
  Json document = new_document(context, "simulate hypercube");
  document["inputs"] = inputs_json(answer.simulation);
  document["model_saturation_rate"] = answer.simulation.model_saturation;
  return to_text(document, "points", answer.points.size(), [&](std::size_t i) {
    const SimulatedBroadcasts& point = answer.points[i];
    const BroadcastEstimates& found = point.found;
    Json json{{"rate", point.rate},
              {"fraction_of_saturation", point.fraction},
              {"unicast_latency", json_or_null(found.unicast_latency)},
              {"broadcast_latency", json_or_null(found.broadcast_latency)},
              {"unicast_wait", json_or_null(found.unicast_wait)},
              {"copy_latency", json_or_null(found.copy_latency)},
              {"copy_wait", json_or_null(found.copy_wait)},
              {"busy_channels", to_json(shown(found.busy))},
              {"throughput", to_json(shown(found.throughput))},
              {"offered_throughput", found.offered},
              {"generated_throughput", point.found.generated},
              {"mean_links", found.mean_links},
              {"unicasts", found.unicasts},
              {"broadcasts", found.broadcasts},
              {"copies", found.copies},
              {"percentiles", Json::array()},
              {"dimensions", Json::array()}};
    for (const sim::BroadcastPercentile& percentile : found.percentiles)
      json["percentiles"].push_back({{"percentile", 100 * percentile.fraction},
                                     {"unicast_latency", json_or_null(percentile.unicast)},
                                     {"broadcast_latency", json_or_null(percentile.broadcast)}});
    for (const sim::DimensionUse& use : found.dimensions)
      json["dimensions"].push_back({{"dimension", json["dimensions"].size() + 1},
                                    {"busy_channels", use.busy},
                                    {"flits_per_cycle", use.flits}});
    describe_simulation(json, point.simulated);
    return json;
  });
}

void append_or_empty(std::vector<std::string>& fields,
                     const std::optional<numeric::Estimate<unit::Slot>>& estimate) {
  if (estimate)
    append_csv(fields, shown(*estimate));
  else
    fields.resize(fields.size() + estimate_columns("").size());
}

std::string to_csv(const Answer& answer) {
  std::vector<std::string> quantities{"unicast_latency", "broadcast_latency", "unicast_wait",
                                      "copy_latency",    "busy_channels",     "throughput"};
  for (const double fraction : answer.simulation.percentiles)
    for (const char* kind : {"unicast", "broadcast"})
      quantities.push_back(fmt::format("{}_latency_{:.6g}", kind, 100 * fraction));
  std::vector<std::string> header{"rate", "fraction_of_saturation", "offered_throughput"};
  for (const std::string& quantity : quantities) {
    const std::vector<std::string> columns = estimate_columns(quantity);
    header.insert(header.end(), columns.begin(), columns.end());
  }
  std::string text = csv_line(header);
  for (const SimulatedBroadcasts& point : answer.points) {
    const BroadcastEstimates& found = point.found;
    std::vector<std::string> fields{fmt::format("{}", point.rate), fmt::format("{}", point.fraction),
                                    fmt::format("{}", found.offered)};
    for (const auto* estimate :
         {&found.unicast_latency, &found.broadcast_latency, &found.unicast_wait, &found.copy_latency})
      append_or_empty(fields, *estimate);
    append_csv(fields, shown(found.busy));
    append_csv(fields, shown(found.throughput));
    for (const sim::BroadcastPercentile& percentile : found.percentiles) {
      append_or_empty(fields, percentile.unicast);
      append_or_empty(fields, percentile.broadcast);
    }
    text += csv_line(fields);
  }
  return text;
}

plots::Picture picture(const Answer& answer) {
  plots::Picture picture = latency_axes(answer.simulation.question);
  picture.note = "simulation, 95 % intervals";
  picture.curves = {simulated_curve(answer.points, &BroadcastEstimates::broadcast_latency, "broadcast"),
                    simulated_curve(answer.points, &BroadcastEstimates::unicast_latency, "unicast")};
  std::erase_if(picture.curves, [](const plots::Curve& curve) { return curve.points.empty(); });
  if (picture.curves.empty()) throw NoAnswer("there is nothing to draw: no message was delivered");
  return picture;
}

Reply find_saturation(const HypercubeSimulationOptions& options, const Context& context) {
  refuse_with_saturation(message_rates, options.question.rates, options.question.fractions, options.run,
                         options.latency);
  const HypercubeSimulation simulation = read_hypercube_simulation(options);
  return find_saturation({.command = "simulate hypercube",
                          .network = in_words(simulation),
                          .title = latency_axes(simulation.question).title,
                          .inputs = inputs_json(simulation),
                          .words = message_rates,
                          .model_saturation = simulation.model_saturation,
                          .first_guess = guess_of_saturation * simulation.model_saturation,
                          .search =
                              [&](const sim::SaturationSearch& search, const sim::RunControls& controls,
                                  const std::function<void(std::size_t)>& told) {
                                return sim::simulated_saturation(simulation.network, search, controls, told);
                              }},
                         options.run, options.latency, context);
}

Reply answer(const HypercubeSimulationOptions& options, const Context& context) {
  if (options.latency.saturation) return find_saturation(options, context);
  if (options.latency.precision)
    throw InvalidArgument("--precision", *options.latency.precision, "given with --saturation");
  const auto answer =
      std::make_shared<Answer>(Answer{.simulation = read_hypercube_simulation(options), .points = {}});
  answer->points = simulate(answer->simulation, options, context);
  return reply_of(answer, context);
}

}  // namespace

void add_hypercube_simulation_options(CLI::App& command, HypercubeSimulationOptions& options) {
  add_broadcast_options(command, options.question, simulation_limits);
  OptionGroup(command, "Network")
      .add("--buffer-flits", options.buffer_flits, "F", "of each virtual channel (1)");
  add_simulation_options(command, options.run);
}

HypercubeSimulation read_hypercube_simulation(const HypercubeSimulationOptions& options) {
  HypercubeSimulation simulation;
  simulation.question = read_broadcast(options.question, simulation_limits);
  simulation.network = read_network(options, simulation.question);
  simulation.model_saturation = bounds::wormhole::broadcast_saturation(simulation.question.cube);
  simulation.percentiles = read_latency_percentiles(options.latency);
  const OfferedLoads& offered = simulation.question.offered;
  require_simulated(offered, message_rates);
  for (const numeric::Rational& value : offered.values)
    if (offered.absolute(value, simulation.model_saturation) > 1)
      throw InvalidArgument("--fractions", plain(value),
                            fmt::format("at most {:.6g}, where the rate is 1 message/cycle/node",
                                        1 / simulation.model_saturation));
  return simulation;
}

Json inputs_json(const HypercubeSimulation& simulation) {
  Json inputs = inputs_json(simulation.question);
  inputs["buffer_flits"] = simulation.network.buffer_flits;
  return inputs;
}

std::string in_words(const HypercubeSimulation& simulation) {
  return fmt::format("{},\n{}, buffers of {} flit{}", network_in_words(simulation.question),
                     messages_in_words(simulation.question), simulation.network.buffer_flits,
                     simulation.network.buffer_flits == 1 ? "" : "s");
}

std::vector<SimulatedBroadcasts> simulate(const HypercubeSimulation& simulation,
                                          const HypercubeSimulationOptions& options, const Context& context) {
  const OfferedLoads& offered = simulation.question.offered;
  const auto simulate_at = [&](const numeric::Rational& asked, const Context& part) {
    sim::BroadcastModel model = simulation.network;
    model.rate =
        offered.of_saturation ? typed_rate(offered.absolute(asked, simulation.model_saturation)) : asked;
    const double rate = numeric::nearest_double(model.rate);
    const double fraction = rate / simulation.model_saturation;
    const Simulation run = [&](const sim::RunPlan& plan, const sim::RunControls& controls,
                               std::string_view resume) {
      return sim::run_broadcasts(model, plan, controls, resume);
    };
    SimulatedBroadcasts point{
        .rate = rate,
        .fraction = fraction,
        .simulated = cli::simulate(options.run, plan_for(model, offered.values.size(), fraction, options.run),
                                   run, part),
        .found = {}};
    point.found = sim::broadcast_estimates(model, point.simulated.result, simulation.percentiles);
    require_stable(point.found.stability, rate, rate * point.found.throughput.value / point.found.offered,
                   message_rates);
    return point;
  };
  return simulate_each<SimulatedBroadcasts>(offered.values, options.run, context, simulate_at);
}

plots::Curve simulated_curve(const std::vector<SimulatedBroadcasts>& points, LatencyOf latency,
                             std::string title) {
  plots::Curve result{.title = std::move(title), .style = plots::Style::bars, .points = {}};
  for (const SimulatedBroadcasts& point : points) {
    const auto& estimate = point.found.*latency;
    if (!estimate) continue;
    result.points.emplace_back(point.rate, estimate->value);
    result.ends.emplace_back(estimate->lower, estimate->upper);
  }
  return result;
}

Command add_simulate_hypercube(CLI::App& simulate) {
  CLI::App* command =
      simulate.add_subcommand("hypercube", "wormhole hypercube with broadcasts, flit by flit");
  const auto options = std::make_shared<HypercubeSimulationOptions>();
  add_hypercube_simulation_options(*command, *options);
  add_latency_options(*command, options->latency, message_rates);
  add_plot_option(*command);
  command->footer(
      "Example:\n"
      "  tailbound simulate hypercube --dimensions 6 --virtual-channels 4 --flits 32 --broadcast 0.01\n"
      "      --fractions 20%,50%,80% --quiet\n"
      "prints\n"
      "\n"
      "          rate  of saturation  unicast          broadcast       unicast wait    copy             busy "
      "channels       flits/cycle/node\n"
      "    0.00472369         20.0 %  43.095 +- 0.085  232.27 +- 0.91  0.972 +- 0.024  36.611 +- 0.058  "
      "0.11093 +- 0.00082  0.2436 +- 0.0034\n"
      "     0.0118092         50.0 %  60.44 +- 0.31    311.5 +- 2.3    4.82 +- 0.1     45.37 +- 0.15    "
      "0.3681 +- 0.0033    0.6086 +- 0.0087\n"
      "     0.0188948         80.0 %  89.14 +- 0.78    470 +- 5.6      16.11 +- 0.42   63.11 +- 0.52    "
      "0.7681 +- 0.0079    0.97 +- 0.013\n"
      "\n"
      "and with --saturation instead of --fractions, the greatest rate that the network carries.\n");
  return {.app = command, .answer = [options](const Context& context) { return answer(*options, context); }};
}

}  // namespace tailbound::cli
