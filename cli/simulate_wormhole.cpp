#include <cln/integer.h>
#include <cln/rational.h>
#include <fmt/format.h>
#include <cli/delay_question.hpp>
#include <cli/interrupt.hpp>
#include <cli/option_group.hpp>
#include <cli/plots.hpp>
#include <cli/simulate_wormhole.hpp>
#include <cli/traffic_options.hpp>

#include <algorithm>
#include <cmath>
#include <memory>

namespace tailbound::cli {
namespace {

/// Flit-hops of a run whose length is not told: a few seconds on one core, all loads together.
constexpr double default_flit_hops = 6e8;
constexpr const char* default_percentiles = "50,99";

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
  SimulationOptions run = options;
  if (!run.slots) {
    const int replications = read_plan(options, {.utilization = 0.5}).replications;
    const double hops_per_cycle =
        sim::message_rate(model) * static_cast<double>(model.flits) * simulation.model.graph().mean_distance;
    const double affordable =
        default_flit_hops / static_cast<double>(std::max<std::size_t>(simulation.question.loads.size(), 1)) /
        hops_per_cycle / replications;
    const double wanted = 40 * sim::relaxation_cycles(model, fraction);
    const double cycles = std::clamp(std::max(affordable, std::min(wanted, 10 * affordable)), 1000.0, 1e9);
    run.slots = std::to_string(static_cast<std::int64_t>(cycles) / 100 * 100);
  }
  const sim::RunPlan asked = read_plan(run, {.utilization = 0.5});
  sim::RunPlan plan = sim::automatic_plan(model, fraction, asked.slots, asked.replications, asked.seed);
  if (options.warmup) plan.warmup = asked.warmup;
  return plan;
}

[[noreturn]] void refuse_unstable(const SimulatedWorms& point) {
  const sim::WormStability& stability = point.found.stability;
  throw NoAnswer(fmt::format(
      "saturated at load {:.6g} flits/cycle/node: {:.3g} are delivered, and {:.2g} % of the messages stay at "
      "their sources, where the mean number waiting at a node grew from {:.3g} to {:.3g} between the halves "
      "of "
      "the measured time (--saturation finds the greatest load that the network carries)",
      point.load, point.found.throughput.value, 100 * stability.not_carried, stability.waiting_first,
      stability.waiting_second));
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

// --- Saturation ------------------------------------------------------------------------------------------

struct SaturationAnswer {
  WormholeSimulation simulation;
  sim::SaturationSearch search;
  sim::SimulatedSaturation found;
};

std::string to_tables(const SaturationAnswer& answer, bool quiet) {
  std::vector<sim::SaturationProbe> probes = answer.found.probes;
  std::sort(probes.begin(), probes.end(), [](const auto& a, const auto& b) { return a.load < b.load; });
  std::vector<std::vector<std::string>> rows{
      {"load", "delivered", "waiting, first half", "second half", "not carried", ""}};
  for (const sim::SaturationProbe& probe : probes)
    rows.push_back({fmt::format("{:.5g}", probe.load), fmt::format("{:.5g}", probe.delivered),
                    fmt::format("{:.3g}", probe.stability.waiting_first),
                    fmt::format("{:.3g}", probe.stability.waiting_second),
                    fmt::format("{:.2f} %", 100 * probe.stability.not_carried),
                    probe.stability.stable ? "stable" : "unstable"});
  const std::string table = to_table(rows, {true, true, true, true, true, false});
  if (quiet) return table;
  std::string text = fmt::format("Simulation: {}\n\n{}\n", in_words(answer.simulation), table);
  text += named_line("greatest stable", fmt::format("{:.5g} flits/cycle/node", answer.found.greatest_stable));
  text += named_line("least unstable", fmt::format("{:.5g} flits/cycle/node", answer.found.least_unstable));
  text += named_line(
      "model", fmt::format("{:.5g} flits/cycle/node, {:+.1f} % of the greatest stable load",
                           answer.simulation.model_saturation,
                           100 * (answer.simulation.model_saturation / answer.found.greatest_stable - 1)));
  return text +
         fmt::format(
             "\n  Each load: {} replications in which every node generates {:.0f} messages while "
             "measured and half as\n  many before, seed {}. Waiting: messages at a source, the mean over "
             "half of the measured time.\n  Unstable: more than 0.5 % of the messages stay at their "
             "sources, in each replication some. An estimate.\n",
             answer.search.replications, answer.found.messages, answer.search.seed);
}

std::string to_json_text(const SaturationAnswer& answer, const Context& context) {
  Json document = new_document(context, "simulate wormhole");
  document["inputs"] = inputs_json(answer.simulation);
  document["kind"] = "estimate";
  document["model_saturation_load"] = answer.simulation.model_saturation;
  document["greatest_stable_load"] = answer.found.greatest_stable;
  document["least_unstable_load"] = answer.found.least_unstable;
  document["seed"] = answer.search.seed;
  document["replications"] = answer.search.replications;
  document["messages_per_node"] = answer.found.messages;
  return to_text(document, "probes", answer.found.probes.size(), [&](std::size_t i) {
    const sim::SaturationProbe& probe = answer.found.probes[i];
    return Json{{"load", probe.load},
                {"delivered", probe.delivered},
                {"waiting_first_half", probe.stability.waiting_first},
                {"waiting_second_half", probe.stability.waiting_second},
                {"not_carried", probe.stability.not_carried},
                {"stable", probe.stability.stable}};
  });
}

std::string to_csv(const SaturationAnswer& answer) {
  std::string text =
      csv_line({"load", "delivered", "waiting_first_half", "waiting_second_half", "not_carried", "stable"});
  for (const sim::SaturationProbe& probe : answer.found.probes)
    text += csv_line({fmt::format("{}", probe.load), fmt::format("{}", probe.delivered),
                      fmt::format("{}", probe.stability.waiting_first),
                      fmt::format("{}", probe.stability.waiting_second),
                      fmt::format("{}", probe.stability.not_carried), probe.stability.stable ? "1" : "0"});
  return text;
}

void refuse_with_saturation(const WormholeSimulationOptions& options) {
  for (const auto& [value, name] :
       {std::pair{&options.question.loads, "--loads"}, std::pair{&options.question.fractions, "--fractions"},
        std::pair{&options.run.slots, "--cycles"}, std::pair{&options.run.warmup, "--warmup"},
        std::pair{&options.run.checkpoint, "--checkpoint"}, std::pair{&options.run.resume, "--resume"},
        std::pair{&options.percentiles, "--percentiles"}})
    if (*value) throw InvalidArgument(name, **value, "left out with --saturation, which chooses its loads");
}

std::string in_format(const SaturationAnswer& answer, const Context& context) {
  return in_format(
      context.format, [&] { return to_tables(answer, context.quiet); },
      [&] { return to_json_text(answer, context); }, [&] { return to_csv(answer); });
}

Reply find_saturation(const WormholeSimulationOptions& options, const Context& context) {
  refuse_with_saturation(options);
  const auto answer = std::make_shared<SaturationAnswer>(
      SaturationAnswer{.simulation = read_wormhole_simulation(options), .search = {}, .found = {}});
  const sim::RunPlan plan = read_plan(options.run, {.utilization = 0.5});
  answer->search.first_guess = std::min(1.0, answer->simulation.model_saturation * 1.1);
  answer->search.replications = plan.replications;
  answer->search.seed = plan.seed;
  if (options.precision) {
    const numeric::Rational precision = parse_percent_list(*options.precision, "--precision", 1).front();
    answer->search.precision = numeric::nearest_double(precision);
    if (!(answer->search.precision >= 0.0005 && answer->search.precision <= 0.5))
      throw InvalidArgument("--precision", *options.precision, "from 0.05% to 50%");
  }
  const Interrupt interrupt;
  sim::RunControls controls{.threads = read_threads(options.run), .stop = interrupt.token()};
  const double expected = 6 + std::log2(0.25 / answer->search.precision);
  std::size_t done = 0;
  if (context.timed_progress)
    controls.progress = [&](const sim::Progress& progress) {
      context.timed_progress(std::min(0.99, (static_cast<double>(done) + progress.done) / expected), 0);
    };
  answer->found = sim::simulated_saturation(answer->simulation.network, answer->search, controls,
                                            [&](std::size_t probes) { done = probes; });
  if (!answer->found.complete)
    throw NoAnswer(
        fmt::format("stopped after {} loads, before saturation was found", answer->found.probes.size()));
  Reply reply;
  reply.text = in_format(*answer, context);
  reply.draw = [answer](const std::string& file) {
    plots::Picture picture;
    picture.title = in_words(answer->simulation);
    picture.x_label = "offered load [flits/cycle/node]";
    picture.y_label = "delivered [flits/cycle/node]";
    picture.note = "simulation";
    plots::Curve curve{.title = "delivered", .style = plots::Style::points_and_line, .points = {}};
    for (const sim::SaturationProbe& probe : answer->found.probes)
      curve.points.emplace_back(probe.load, probe.delivered);
    std::sort(curve.points.begin(), curve.points.end());
    plots::Curve all{.title = "all that is offered", .style = plots::Style::dashed, .points = {}};
    for (const double load : {curve.points.front().first, curve.points.back().first})
      all.points.emplace_back(load, load);
    picture.curves = {std::move(curve), std::move(all)};
    plots::draw(picture, file);
  };
  return reply;
}

Reply answer(const WormholeSimulationOptions& options, const Context& context) {
  if (options.saturation) return find_saturation(options, context);
  if (options.precision) throw InvalidArgument("--precision", *options.precision, "given with --saturation");
  const auto answer =
      std::make_shared<Answer>(Answer{.simulation = read_wormhole_simulation(options), .points = {}});
  answer->points = simulate(answer->simulation, options, context);
  Reply reply;
  reply.text = in_format(
      context.format, [&] { return to_tables(*answer, context.quiet); },
      [&] { return to_json_text(*answer, context); }, [&] { return to_csv(*answer); });
  reply.draw = [answer](const std::string& file) { plots::draw(picture(*answer), file); };
  return reply;
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

double WormholeSimulation::load(const numeric::Rational& asked) const {
  const double number = numeric::nearest_double(asked);
  return question.of_saturation ? number * model_saturation : number;
}

WormholeSimulation read_wormhole_simulation(const WormholeSimulationOptions& options) {
  WormholeQuestion question = read_wormhole(options.question);
  sim::WormModel network = read_model(options, question);
  bounds::wormhole::Network model(channel_graph(question));
  const double saturation = model.saturation();
  std::vector<double> percentiles;
  for (const numeric::Rational& percentile :
       read_percentiles(options.percentiles.value_or(default_percentiles)))
    percentiles.push_back(numeric::nearest_double(percentile));
  for (const numeric::Rational& load : question.loads)
    if (!(load > 0) || (!question.of_saturation && load > 1))
      throw InvalidArgument(question.of_saturation ? "--fractions" : "--loads", plain(load),
                            question.of_saturation ? "above 0" : "above 0 and at most 1 flit/cycle/node");
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
  const std::vector<numeric::Rational>& loads = simulation.question.loads;
  for (const auto& [given, name] : {std::pair{options.run.checkpoint.has_value(), "--checkpoint"},
                                    std::pair{options.run.resume.has_value(), "--resume"}})
    if (given && loads.size() > 1)
      throw InvalidArgument(name, "given with several loads", "given with one load: it holds one simulation");
  std::vector<SimulatedWorms> points;
  for (const numeric::Rational& asked : loads) {
    sim::WormModel model = simulation.network;
    const double load = simulation.load(asked);
    model.load = simulation.question.of_saturation ? sim::rounded_load(load) : asked;
    const Simulation run = [&](const sim::RunPlan& plan, const sim::RunControls& controls,
                               std::string_view resume) { return run_worms(model, plan, controls, resume); };
    const Context part = part_of(context, points.size(), loads.size());
    const double fraction = load / simulation.model_saturation;
    SimulatedWorms point{.load = load,
                         .fraction = fraction,
                         .simulated = cli::simulate(
                             options.run, plan_for(model, simulation, fraction, options.run), run, part),
                         .found = {}};
    point.found = sim::worm_estimates(model, point.simulated.result,
                                      {.percentiles = simulation.percentiles, .channels = 10});
    if (!point.found.stability.stable) refuse_unstable(point);
    const bool complete = point.simulated.result.complete;
    points.push_back(std::move(point));
    if (!complete) break;  // Ctrl-C
  }
  return points;
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
  const OptionGroup question(*command, "Question");
  question.add("--percentiles", options->percentiles, "LIST", "of latency, in percent (50,99)");
  command
      ->add_flag("--saturation", options->saturation,
                 "instead: search the greatest load that the network carries")
      ->group("Question");
  question.add("--precision", options->precision, "P", "of --saturation, relative (1%)");
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
