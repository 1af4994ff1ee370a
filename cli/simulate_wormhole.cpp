#include <cln/integer.h>
#include <cln/rational.h>
#include <fmt/format.h>
#include <cli/option_group.hpp>
#include <cli/plots.hpp>
#include <cli/reply.hpp>
#include <cli/simulate_wormhole.hpp>
#include <cli/traffic_options.hpp>

#include <algorithm>
#include <memory>

namespace tailbound::cli {
namespace {

/// Flit-hops of a run whose length is not told: a few seconds on one core, all loads together.
constexpr double default_flit_hops = 6e8;

int choice_or(const std::optional<std::string>& text, const char* option,
              const std::vector<std::string>& choices) {
  return text ? static_cast<int>(parse_choice(*text, option, choices)) : 0;
}

sim::WormModel read_model(const WormholeSimulationOptions& options, const WormholeQuestion& question) {
  sim::WormModel model;
  model.network = worm_network(question, options.virtual_channels);
  if (question.own) model.traffic = question.own->traffic();
  model.flits = question.flits;
  if (question.flits > 1'000'000)
    throw InvalidArgument("--flits", std::to_string(question.flits), "from 1 to 1000000 in a simulation");
  if (options.buffer_flits)
    model.buffer_flits = parse_integer(*options.buffer_flits, "--buffer-flits", 1, 1'000'000);
  model.lengths =
      static_cast<sim::WormLengths>(choice_or(options.lengths, "--lengths", {"fixed", "geometric"}));
  model.arrivals =
      static_cast<sim::WormArrivals>(choice_or(options.arrivals, "--arrivals", {"poisson", "bernoulli"}));
  return model;
}

/// The plan with the warm-up and batches that such a network needs.
sim::RunPlan plan_for(const sim::WormModel& model, const WormholeSimulation& simulation, double fraction,
                      const SimulationOptions& options) {
  return plan_of_work(
      options, default_flit_hops, simulation.question.offered.values.size(),
      [&](double flit_hops, int replications) {
        return sim::affordable_cycles(model, fraction, simulation.model.graph().mean_distance, flit_hops,
                                      replications);
      },
      [&](std::int64_t cycles, int replications, std::uint64_t seed) {
        return sim::automatic_plan(model, fraction, cycles, replications, seed);
      });
}

struct Answer {
  WormholeSimulation simulation;
  std::vector<SimulatedWorms> points;
};

const char* const estimate_note =
    "\n  Estimates with 95 % intervals, in cycles. Of saturation: of the model's saturation load, which is "
    "on "
    "the\n  low side; held: part of the time for which the channel belongs to a worm.\n";

std::string to_tables(const Answer& answer, bool quiet) {
  std::vector<std::string> header{"load", "of saturation", "latency", "source wait", "service"};
  for (const double fraction : answer.simulation.percentiles)
    header.push_back(fmt::format("{:.6g} % within", 100 * fraction));
  header.insert(header.end(), {"busiest channel", "held"});
  std::vector<bool> right(header.size(), false);
  right[0] = right[1] = true;
  std::vector<std::vector<std::string>> rows{header};
  for (const SimulatedWorms& point : answer.points) {
    std::vector<std::string> row{fmt::format("{:.6g}", point.load),
                                 fmt::format("{:.1f} %", 100 * point.fraction),
                                 brief_or_dash(point.found.latency), brief_or_dash(point.found.source_wait),
                                 brief_or_dash(point.found.service)};
    for (std::size_t i = 0; i < answer.simulation.percentiles.size(); ++i) {
      const bool known = i < point.found.percentiles.size() && point.found.percentiles[i].latency;
      row.push_back(known ? brief_whole(shown(*point.found.percentiles[i].latency)) : "-");
    }
    const sim::WormChannelUse& busiest = point.found.busiest.front();
    row.push_back(answer.simulation.network.network->channel_name(busiest.channel));
    row.push_back(brief(shown(busiest.held)));
    rows.push_back(std::move(row));
  }
  const std::string table = to_table(rows, right);
  if (quiet) return table;
  std::string text = fmt::format("Simulation: {}\n\n{}\n", in_words(answer.simulation), table);
  for (const SimulatedWorms& point : answer.points)
    text += fmt::format("  load {:.6g}: {} messages; {}; {}\n", point.load, point.found.messages,
                        plan_in_words(point.simulated), course_in_words(point.simulated));
  return text + estimate_note;
}

std::string to_json_text(const Answer& answer, const Context& context) {
  Json document = new_document(context, "simulate wormhole");
  document["inputs"] = inputs_json(answer.simulation);
  document["model_saturation_load"] = answer.simulation.model_saturation;
  return to_text(document, "points", answer.points.size(), [&](std::size_t i) {
    const SimulatedWorms& point = answer.points[i];
    Json json{{"load", point.load},
              {"fraction_of_saturation", point.fraction},
              {"latency", json_or_null(point.found.latency)},
              {"source_wait", json_or_null(point.found.source_wait)},
              {"service", json_or_null(point.found.service)},
              {"throughput", to_json(shown(point.found.throughput))},
              {"mean_distance", point.found.mean_distance},
              {"messages", point.found.messages},
              {"percentiles", Json::array()},
              {"busiest", Json::array()}};
    for (const sim::WormPercentile& percentile : point.found.percentiles)
      json["percentiles"].push_back(
          {{"percentile", 100 * percentile.fraction}, {"latency", json_or_null(percentile.latency)}});
    for (const sim::WormChannelUse& use : point.found.busiest)
      json["busiest"].push_back({{"channel", answer.simulation.network.network->channel_name(use.channel)},
                                 {"held", to_json(shown(use.held))},
                                 {"flits_per_cycle", use.flits}});
    describe_simulation(json, point.simulated);
    return json;
  });
}

std::string to_csv(const Answer& answer) {
  std::vector<std::string> header{"load", "fraction_of_saturation"};
  std::vector<std::string> quantities{"latency", "source_wait", "service"};
  for (const double fraction : answer.simulation.percentiles)
    quantities.push_back(fmt::format("latency_{:.6g}", 100 * fraction));
  for (const std::string& quantity : quantities) {
    const std::vector<std::string> columns = estimate_columns(quantity);
    header.insert(header.end(), columns.begin(), columns.end());
  }
  std::string text = csv_line(header);
  for (const SimulatedWorms& point : answer.points) {
    std::vector<std::string> fields{fmt::format("{}", point.load), fmt::format("{}", point.fraction)};
    std::vector<std::optional<numeric::Estimate<unit::Slot>>> values{
        point.found.latency, point.found.source_wait, point.found.service};
    for (std::size_t i = 0; i < answer.simulation.percentiles.size(); ++i)
      values.push_back(i < point.found.percentiles.size() ? point.found.percentiles[i].latency
                                                          : std::nullopt);
    for (const auto& value : values) {
      if (value)
        append_csv(fields, shown(*value));
      else
        fields.resize(fields.size() + estimate_columns("").size());
    }
    text += csv_line(fields);
  }
  return text;
}

plots::Picture picture(const Answer& answer) {
  plots::Picture picture = latency_axes(answer.simulation);
  picture.note = "simulation, 95 % intervals";
  picture.curves = {simulated_curve(answer.points)};
  return picture;
}

Reply find_saturation(const WormholeSimulationOptions& options, const Context& context) {
  refuse_with_saturation(flit_loads, options.question.loads, options.question.fractions, options.run,
                         options.latency);
  const WormholeSimulation simulation = read_wormhole_simulation(options);
  return find_saturation({.command = "simulate wormhole",
                          .network = in_words(simulation),
                          .title = latency_axes(simulation).title,
                          .inputs = inputs_json(simulation),
                          .words = flit_loads,
                          .model_saturation = simulation.model_saturation,
                          .first_guess = 1.1 * simulation.model_saturation,
                          .search =
                              [&](const sim::SaturationSearch& search, const sim::RunControls& controls,
                                  const std::function<void(std::size_t)>& told) {
                                return sim::simulated_saturation(simulation.network, search, controls, told);
                              }},
                         options.run, options.latency, context);
}

Reply answer(const WormholeSimulationOptions& options, const Context& context) {
  if (options.latency.saturation) return find_saturation(options, context);
  if (options.latency.precision)
    throw InvalidArgument("--precision", *options.latency.precision, "given with --saturation");
  const auto answer =
      std::make_shared<Answer>(Answer{.simulation = read_wormhole_simulation(options), .points = {}});
  answer->points = simulate(answer->simulation, options, context);
  return reply_of(answer, context);
}

}  // namespace

void add_wormhole_simulation_options(CLI::App& command, WormholeSimulationOptions& options) {
  add_wormhole_options(command, options.question);
  const OptionGroup network(command, "Simulated network");
  network.add("--virtual-channels", options.virtual_channels, "V",
              "of each link, which share its wire (1; tori 2)");
  network.add("--buffer-flits", options.buffer_flits, "B", "of each virtual channel (1)");
  network.add("--lengths", options.lengths, "NAME", "fixed (unless told) or geometric, with mean --flits");
  network.add("--arrivals", options.arrivals, "NAME", "of messages: poisson (unless told) or bernoulli");
  add_simulation_options(command, options.run);
}

WormholeSimulation read_wormhole_simulation(const WormholeSimulationOptions& options) {
  WormholeQuestion question = read_wormhole(options.question);
  sim::WormModel network = read_model(options, question);
  bounds::wormhole::Network model(channel_graph(question));
  const double saturation = model.saturation();
  std::vector<double> percentiles = read_latency_percentiles(options.latency);
  require_simulated(question.offered, flit_loads);
  return {.question = std::move(question),
          .network = std::move(network),
          .model = std::move(model),
          .model_saturation = saturation,
          .percentiles = std::move(percentiles)};
}

Json inputs_json(const WormholeSimulation& simulation) {
  Json inputs = inputs_json(simulation.question);
  const network::WormLayout& layout = simulation.network.network->layout();
  inputs["channels"] = layout.channels.size();
  inputs["wires"] = layout.wires;
  inputs["buffer_flits"] = simulation.network.buffer_flits;
  inputs["lengths"] = simulation.network.lengths == sim::WormLengths::fixed ? "fixed" : "geometric";
  inputs["arrivals"] = simulation.network.arrivals == sim::WormArrivals::poisson ? "poisson" : "bernoulli";
  return inputs;
}

std::string in_words(const WormholeSimulation& simulation) {
  const sim::WormModel& network = simulation.network;
  const network::WormLayout& layout = network.network->layout();
  return fmt::format("{}, messages of {}{} flits, {} channels on {} wires, buffers of {} flit{}", layout.name,
                     network.lengths == sim::WormLengths::fixed ? "" : "geometric, mean ", network.flits,
                     layout.channels.size(), layout.wires, network.buffer_flits,
                     network.buffer_flits == 1 ? "" : "s");
}

std::vector<SimulatedWorms> simulate(const WormholeSimulation& simulation,
                                     const WormholeSimulationOptions& options, const Context& context) {
  const OfferedLoads& offered = simulation.question.offered;
  const auto simulate_at = [&](const numeric::Rational& asked, const Context& part) {
    sim::WormModel model = simulation.network;
    const double load = offered.absolute(asked, simulation.model_saturation);
    model.load = offered.of_saturation ? sim::rounded_load(load) : asked;
    const Simulation run = [&](const sim::RunPlan& plan, const sim::RunControls& controls,
                               std::string_view resume) { return run_worms(model, plan, controls, resume); };
    const double fraction = load / simulation.model_saturation;
    SimulatedWorms point{.load = load,
                         .fraction = fraction,
                         .simulated = cli::simulate(
                             options.run, plan_for(model, simulation, fraction, options.run), run, part),
                         .found = {}};
    point.found = sim::worm_estimates(model, point.simulated.result,
                                      {.percentiles = simulation.percentiles, .channels = 10});
    require_stable(point.found.stability, load, point.found.throughput.value, flit_loads);
    return point;
  };
  return simulate_each<SimulatedWorms>(offered.values, options.run, context, simulate_at);
}

plots::Picture latency_axes(const WormholeSimulation& simulation) {
  plots::Picture picture;
  picture.title = fmt::format("{}, messages of {} flits", simulation.network.network->layout().name,
                              simulation.question.flits);
  picture.x_label = "load [flits/cycle/node]";
  picture.y_label = "mean latency [cycles]";
  return picture;
}

plots::Curve simulated_curve(const std::vector<SimulatedWorms>& points) {
  plots::Curve result{.title = "simulation", .style = plots::Style::bars, .points = {}};
  for (const SimulatedWorms& point : points) {
    if (!point.found.latency) continue;
    result.points.emplace_back(point.load, point.found.latency->value);
    result.ends.emplace_back(point.found.latency->lower, point.found.latency->upper);
  }
  return result;
}

Command add_simulate_wormhole(CLI::App& simulate) {
  CLI::App* command = simulate.add_subcommand("wormhole", "wormhole network, flit by flit");
  const auto options = std::make_shared<WormholeSimulationOptions>();
  add_wormhole_simulation_options(*command, *options);
  add_latency_options(*command, options->latency, flit_loads);
  add_plot_option(*command);
  command->footer(
      "Example:\n"
      "  tailbound simulate wormhole --topology mesh --nodes 64 --flits 32 --fractions 10%,50%,80%\n"
      "      --quiet\n"
      "prints\n"
      "\n"
      "         load  of saturation  latency          source wait       service          50 % within    99 % "
      "within       busiest channel  held\n"
      "    0.0188562         10.0 %  39.902 +- 0.017  0.3436 +- 0.0055  33.232 +- 0.014  38 (38 .. 38)  69 "
      "(69 .. 69)     (4,7) -> (3,7)   0.0395 +- 0.00043\n"
      "     0.094281         50.0 %  50.296 +- 0.087  3.275 +- 0.034    40.694 +- 0.062  41 (41 .. 41)  135 "
      "(134 .. 136)  (4,7) -> (3,7)   0.2275 +- 0.0027\n"
      "      0.15085         80.0 %  71.41 +- 0.35    12.58 +- 0.2      52.51 +- 0.16    55 (55 .. 55)  273 "
      "(269 .. 278)  (5,0) -> (4,0)   0.4283 +- 0.0069\n"
      "\n"
      "and with --saturation instead of --fractions, the greatest load that the network carries.\n");
  return {.app = command, .answer = [options](const Context& context) { return answer(*options, context); }};
}

}  // namespace tailbound::cli
