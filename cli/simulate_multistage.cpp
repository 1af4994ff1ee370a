#include <cln/rational.h>
#include <fmt/format.h>
#include <cli/simulate_multistage.hpp>
#include <cli/traffic_options.hpp>

#include <memory>

namespace tailbound::cli {
namespace {

/// Services of a run whose length is not told: a few seconds on one core, all loads together.
constexpr double default_services = 3e7;

network::Wiring read_wiring(const std::optional<std::string>& text) {
  if (!text) return network::Wiring::baseline;
  return static_cast<network::Wiring>(
      parse_choice(*text, "--wiring", std::vector<std::string>{"baseline", "omega"}));
}

sim::Links read_links(const std::optional<std::string>& text) {
  if (!text) return sim::Links::unlimited;
  return static_cast<sim::Links>(
      parse_choice(*text, "--links", std::vector<std::string>{"unlimited", "one"}));
}

/// The plan with the warm-up and batches that such a network needs.
sim::RunPlan plan_for(const sim::MultistageModel& model, const SimulationOptions& options,
                      std::size_t loads) {
  const int stages = network::stage_count(model.network.network);
  const double services =
      static_cast<double>(model.network.network.nodes) * numeric::nearest_double(model.load) * stages;
  const sim::RunPlan asked = read_plan(options, {.utilization = 0.5,
                                                 .hops = stages,
                                                 .steps_per_slot = services,
                                                 .steps = default_services / static_cast<double>(loads)});
  sim::RunPlan plan = sim::automatic_plan(model, asked.slots, asked.replications, asked.seed);
  if (options.warmup) plan.warmup = asked.warmup;
  return plan;
}

template <class Unit>
void stretch(std::optional<numeric::Estimate<Unit>>& estimate, double by) {
  if (estimate) estimate->value *= by, estimate->lower *= by, estimate->upper *= by;
}

struct Answer {
  MultistageQuestion question;
  std::string wiring, links;
  std::vector<SimulatedPoint> points;
};

std::string to_tables(const Answer& answer, bool quiet) {
  std::vector<std::vector<std::string>> rows{
      {"load", "throughput", "delay", "hot delay", "cold delay", "stalled"}};
  for (const SimulatedPoint& point : answer.points)
    rows.push_back({plain(point.load), brief(shown(point.found.throughput)), brief_or_dash(point.found.delay),
                    brief_or_dash(point.found.hot_delay), brief_or_dash(point.found.cold_delay),
                    brief(shown(point.found.stalled))});
  const std::string table = to_table(rows, {true, false, false, false, false, false});
  if (quiet) return table;
  std::vector<std::vector<std::string>> stages{{"load", "stage", "occupancy", "combining"}};
  for (const SimulatedPoint& point : answer.points)
    for (std::size_t stage = 0; stage < point.found.hot_path.size(); ++stage)
      stages.push_back({stage == 0 ? plain(point.load) : "", std::to_string(stage),
                        brief(shown(point.found.hot_path[stage].occupancy)),
                        brief_or_dash(point.found.hot_path[stage].combining)});
  std::string text =
      fmt::format("Simulation: {}, {} wiring{}\n\n{}\n  Queues that hot requests pass:\n\n{}\n",
                  in_words(answer.question), answer.wiring,
                  answer.links == "one" ? ", one request at a time on a link" : "", table,
                  to_table(stages, {true, true, false, false}));
  for (const SimulatedPoint& point : answer.points)
    text += fmt::format("  load {}: {}; {}\n", plain(point.load), plan_in_words(point.simulated),
                        course_in_words(point.simulated));
  return text +
         "\n  Estimates with 95 % intervals. A slot is a service time. Delays from the entry into stage 0, "
         "in the\n"
         "  unit of --service. Stalled: the share of requests that found stage 0 full.\n";
}

std::string to_json_text(const Answer& answer, const Context& context) {
  Json document = new_document(context, "simulate multistage");
  document["inputs"] = inputs_json(answer.question);
  document["inputs"]["wiring"] = answer.wiring;
  document["inputs"]["links"] = answer.links;
  return to_text(document, "points", answer.points.size(), [&](std::size_t i) {
    const SimulatedPoint& point = answer.points[i];
    Json json{{"load", numeric::to_fraction(point.load)},
              {"throughput", to_json(shown(point.found.throughput))},
              {"delay", json_or_null(point.found.delay)},
              {"hot_delay", json_or_null(point.found.hot_delay)},
              {"cold_delay", json_or_null(point.found.cold_delay)},
              {"stalled", to_json(shown(point.found.stalled))},
              {"requests", point.found.requests},
              {"hot_path", Json::array()}};
    for (const sim::MultistageStage& stage : point.found.hot_path)
      json["hot_path"].push_back(
          {{"occupancy", to_json(shown(stage.occupancy))}, {"combining", json_or_null(stage.combining)}});
    describe_simulation(json, point.simulated);
    return json;
  });
}

std::string to_csv(const Answer& answer) {
  std::vector<std::string> header{"load"};
  for (const char* quantity : {"throughput", "delay", "hot_delay", "cold_delay", "stalled"}) {
    const std::vector<std::string> columns = estimate_columns(quantity);
    header.insert(header.end(), columns.begin(), columns.end());
  }
  std::string text = csv_line(header);
  for (const SimulatedPoint& point : answer.points) {
    std::vector<std::string> fields{numeric::to_fraction(point.load)};
    append_csv(fields, shown(point.found.throughput));
    for (const auto& delay : {point.found.delay, point.found.hot_delay, point.found.cold_delay}) {
      if (delay)
        append_csv(fields, shown(*delay));
      else
        fields.insert(fields.end(), {"", "", "", "", ""});
    }
    append_csv(fields, shown(point.found.stalled));
    text += csv_line(fields);
  }
  return text;
}

Reply answer(const MultistageSimulationOptions& options, const Context& context) {
  const auto answer = std::make_shared<Answer>();
  answer->question = read_multistage(options.question);
  answer->wiring = options.wiring.value_or("baseline");
  answer->links = options.links.value_or("unlimited");
  answer->points = simulate(answer->question, options, context);
  Reply reply;
  reply.text = in_format(
      context.format, [&] { return to_tables(*answer, context.quiet); },
      [&] { return to_json_text(*answer, context); }, [&] { return to_csv(*answer); });
  reply.draw = [answer](const std::string& file) {
    plots::Picture picture = multistage_axes(answer->question);
    picture.note = "simulation, 95 % intervals";
    picture.curves = {simulated_curve(answer->points, answer->question.curve)};
    plots::draw(picture, file);
  };
  return reply;
}

}  // namespace

void add_multistage_simulation_options(CLI::App& command, MultistageSimulationOptions& options) {
  add_multistage_options(command, options.question, true);
  command.add_option("--wiring", options.wiring, "baseline (unless told) or omega")
      ->type_name("NAME")
      ->group("Network");
  add_simulation_options(command, options.run);
}

std::vector<SimulatedPoint> simulate(const MultistageQuestion& question,
                                     const MultistageSimulationOptions& options, const Context& context) {
  const network::Wiring wiring = read_wiring(options.wiring);
  const sim::Links links = read_links(options.links);
  for (const auto& [given, name] : {std::pair{options.run.checkpoint.has_value(), "--checkpoint"},
                                    std::pair{options.run.resume.has_value(), "--resume"}})
    if (given && question.loads.size() > 1)
      throw InvalidArgument(name, "given with several --loads",
                            "given with one load: it holds one simulation");
  const double service = numeric::nearest_double(question.service);
  std::vector<SimulatedPoint> points;
  for (const numeric::Rational& load : question.loads) {
    const sim::MultistageModel model{
        .network = question.network, .load = load, .wiring = wiring, .links = links};
    const Simulation simulation = [&](const sim::RunPlan& plan, const sim::RunControls& controls,
                                      std::string_view resume) {
      return sim::run_multistage(model, plan, controls, resume);
    };
    const Context part = part_of(context, points.size(), question.loads.size());
    SimulatedPoint point{
        .load = load,
        .simulated =
            simulate(options.run, plan_for(model, options.run, question.loads.size()), simulation, part),
        .found = {}};
    point.found = sim::multistage_estimates(model, point.simulated.result);
    for (auto* delay : {&point.found.delay, &point.found.hot_delay, &point.found.cold_delay})
      stretch(*delay, service);
    const bool complete = point.simulated.result.complete;
    points.push_back(std::move(point));
    if (!complete) break;  // Ctrl-C
  }
  return points;
}

plots::Curve simulated_curve(const std::vector<SimulatedPoint>& points, MultistageCurve curve) {
  plots::Curve result{.title = "simulation", .style = plots::Style::bars, .points = {}};
  for (const SimulatedPoint& point : points) {
    if (!point.found.delay) continue;
    const auto& throughput = point.found.throughput;
    if (curve == MultistageCurve::delay) {
      result.points.emplace_back(throughput.value, point.found.delay->value);
      result.ends.emplace_back(point.found.delay->lower, point.found.delay->upper);
    } else {
      result.points.emplace_back(numeric::nearest_double(point.load), throughput.value);
      result.ends.emplace_back(throughput.lower, throughput.upper);
    }
  }
  return result;
}

Command add_simulate_multistage(CLI::App& simulate) {
  CLI::App* command =
      simulate.add_subcommand("multistage", "combining multistage network under a hot spot, event by event");
  const auto options = std::make_shared<MultistageSimulationOptions>();
  add_multistage_simulation_options(*command, *options);
  command
      ->add_option("--links", options->links,
                   "requests that an output or a memory takes at a time: unlimited (unless told) or one")
      ->type_name("NAME")
      ->group("Network");
  add_plot_option(*command);
  command->footer(
      "Example:\n"
      "  tailbound simulate multistage --nodes 64 --hot 0.08 --loads 0.3,0.8 --quiet\n"
      "prints\n"
      "\n"
      "    load  throughput          delay            hot delay       cold delay        stalled\n"
      "     0.3  0.30022 +- 0.00039  6.9212 +- 0.003  7.804 +- 0.013  6.8443 +- 0.0025  0.000107 +- 2e-05\n"
      "     0.8  0.7392 +- 0.0018    14.968 +- 0.085  21.96 +- 0.22   14.359 +- 0.075   0.1209 +- 0.0026\n");
  return {.app = command, .answer = [options](const Context& context) { return answer(*options, context); }};
}

}  // namespace tailbound::cli
