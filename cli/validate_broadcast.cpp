#include <cln/rational.h>
#include <fmt/format.h>
#include <cli/plots.hpp>
#include <cli/reply.hpp>
#include <cli/simulate_hypercube.hpp>

#include <algorithm>
#include <memory>

namespace tailbound::cli {
namespace {

using bounds::wormhole::BroadcastPoint;
using bounds::wormhole::Replication;
using sim::BroadcastEstimates;

struct Options {
  HypercubeSimulationOptions simulation;
  std::optional<std::string> replication;
};

/// A latency that is compared.
struct Quantity {
  const char* name;  ///< "unicast"; "unicast_latency" in JSON
  double BroadcastPoint::*model;
  LatencyOf simulated;
};
constexpr Quantity quantities[] = {
    {"unicast", &BroadcastPoint::unicast_latency, &BroadcastEstimates::unicast_latency},
    {"broadcast", &BroadcastPoint::broadcast_latency, &BroadcastEstimates::broadcast_latency}};

/// One latency at one rate, by the simulation and by each variant.
struct Row {
  double rate = 0, fraction = 0;
  const Quantity* quantity = nullptr;
  ShownEstimate simulated;
  std::vector<std::optional<double>> models;  ///< in the order of variants(); empty where one is saturated
  std::size_t chosen = 0;                     ///< of the models

  [[nodiscard]] const std::optional<double>& model() const { return models[chosen]; }
  /// Does the variant chosen promise less latency than the interval allows?
  [[nodiscard]] bool optimistic() const { return model() && *model() < simulated.lower; }
  [[nodiscard]] std::optional<double> error(std::size_t variant) const {
    if (!models[variant]) return std::nullopt;
    return *models[variant] / simulated.value - 1;
  }
  [[nodiscard]] const char* verdict() const {
    if (!model()) return "saturated";
    if (optimistic()) return "below";
    return *model() > simulated.upper ? "above" : "inside";
  }
};

struct Answer {
  HypercubeSimulation simulation;
  std::size_t chosen = 0;  ///< of variants()
  std::vector<SimulatedBroadcasts> points;
  std::vector<Row> rows;

  [[nodiscard]] const char* variant() const { return variants()[chosen].name; }
  [[nodiscard]] std::size_t optimistic() const {
    return static_cast<std::size_t>(
        std::count_if(rows.begin(), rows.end(), [](const Row& row) { return row.optimistic(); }));
  }
};

std::optional<BroadcastPoint> solve(const Answer& answer, const Variant& variant, double rate) {
  bounds::wormhole::BroadcastCube cube = answer.simulation.question.cube;
  cube.replication = variant.replication;
  return bounds::wormhole::broadcast_latency(cube, rate);
}

void add_rows(Answer& answer, const SimulatedBroadcasts& point) {
  std::vector<std::optional<BroadcastPoint>> solved;
  for (const Variant& variant : variants()) solved.push_back(solve(answer, variant, point.rate));
  for (const Quantity& quantity : quantities) {
    const auto& estimate = point.found.*quantity.simulated;
    if (!estimate) continue;  // none was sent
    Row row{.rate = point.rate,
            .fraction = point.fraction,
            .quantity = &quantity,
            .simulated = shown(*estimate),
            .models = {},
            .chosen = answer.chosen};
    for (const auto& model : solved)
      row.models.push_back(model ? std::optional((*model).*quantity.model) : std::nullopt);
    answer.rows.push_back(std::move(row));
  }
}

/// What the models take for granted and the simulated network does not have.
std::vector<std::string> assumptions(const Answer& answer) {
  if (answer.simulation.network.buffer_flits == 1) return {};
  return {fmt::format("buffers of 1 flit (simulated: {})", answer.simulation.network.buffer_flits)};
}

std::string in_percent(const std::optional<double>& error) {
  return error ? fmt::format("{:+.1f} %", 100 * *error) : "-";
}

std::string to_tables(const Answer& answer, bool quiet) {
  std::vector<std::vector<std::string>> rows{
      {"rate", "of saturation", "latency", "simulation", answer.variant(), "it is"}};
  std::vector<bool> right{true, true, false, false, true, false};
  for (const Variant& variant : variants()) {
    rows.front().push_back(fmt::format("error {}", variant.name));
    right.push_back(true);
  }
  for (const Row& row : answer.rows) {
    rows.push_back({fmt::format("{:.6g}", row.rate), fmt::format("{:.1f} %", 100 * row.fraction),
                    row.quantity->name, brief(row.simulated),
                    row.model() ? fmt::format("{:.6g}", *row.model()) : "-", row.verdict()});
    for (std::size_t i = 0; i < row.models.size(); ++i) rows.back().push_back(in_percent(row.error(i)));
  }
  const std::string table = to_table(rows, right);
  if (quiet) return table;
  std::string text = fmt::format("Mean latency [cycles]: {}\n\n{}\n", in_words(answer.simulation), table);
  for (const SimulatedBroadcasts& point : answer.points)
    text += fmt::format("  rate {:.6g}: {}; {}\n", point.rate, plan_in_words(point.simulated),
                        course_in_words(point.simulated));
  text += fmt::format("\n  verdict  variant {} is optimistic beyond the interval in {} of {} rows\n",
                      answer.variant(), answer.optimistic(), answer.rows.size());
  if (!assumptions(answer).empty())
    text += fmt::format("  The models are of another network than the simulated one: they assume {}.\n",
                        fmt::join(assumptions(answer), ", "));
  return text + fmt::format(
                    "\n  Error: model / simulation - 1, of each variant; +- is the 95 % interval of the "
                    "simulation; - where a variant\n  is saturated. Of saturation: of the rate of variant "
                    "{}.\n",
                    variants().front().name);
}

Json model_json(const std::optional<double>& model, const std::optional<double>& error) {
  if (!model) return {};
  return {{"kind", "model"}, {"value", *model}, {"error", *error}};
}

std::string to_json_text(const Answer& answer, const Context& context) {
  Json document = new_document(context, "validate broadcast");
  document["inputs"] = inputs_json(answer.simulation);
  document["inputs"]["replication"] = answer.variant();
  document["model_saturation_rate"] = answer.simulation.model_saturation;
  document["model_assumes"] = assumptions(answer);
  document["optimistic_rows"] = answer.optimistic();
  document["simulations"] = Json::array();
  for (const SimulatedBroadcasts& point : answer.points) {
    Json simulation{{"rate", point.rate}};
    describe_simulation(simulation, point.simulated);
    document["simulations"].push_back(std::move(simulation));
  }
  return to_text(document, "rows", answer.rows.size(), [&](std::size_t i) {
    const Row& row = answer.rows[i];
    Json json{{"rate", row.rate},
              {"fraction_of_saturation", row.fraction},
              {"quantity", fmt::format("{}_latency", row.quantity->name)},
              {"simulation", to_json(row.simulated)},
              {"verdict", row.verdict()}};
    for (std::size_t j = 0; j < row.models.size(); ++j)
      json[variants()[j].name] = model_json(row.models[j], row.error(j));
    return json;
  });
}

std::string to_csv(const Answer& answer) {
  std::vector<std::string> header{"rate", "fraction_of_saturation", "quantity"};
  const std::vector<std::string> columns = estimate_columns("simulation");
  header.insert(header.end(), columns.begin(), columns.end());
  for (const Variant& variant : variants()) header.push_back(variant.name);
  header.push_back("verdict");
  std::string text = csv_line(header);
  for (const Row& row : answer.rows) {
    std::vector<std::string> fields{fmt::format("{}", row.rate), fmt::format("{}", row.fraction),
                                    fmt::format("{}_latency", row.quantity->name)};
    append_csv(fields, row.simulated);
    for (const auto& model : row.models) fields.push_back(model ? fmt::format("{}", *model) : "");
    fields.push_back(row.verdict());
    text += csv_line(fields);
  }
  return text;
}

/// A variant up to the greatest rate that it solves, of those simulated; its latencies of one kind.
plots::Curve model_curve(const Answer& answer, std::size_t variant, const Quantity& quantity) {
  plots::Curve curve{.title = fmt::format("{}, {}", quantity.name, variants()[variant].name),
                     .style = variant == answer.chosen ? plots::Style::line : plots::Style::dashed,
                     .points = {}};
  curve.colour = static_cast<int>(variant);
  double last = 0;
  for (const Row& row : answer.rows)
    if (row.models[variant]) last = std::max(last, row.rate);
  constexpr int steps = 100;
  for (int i = 0; i <= steps && last > 0; ++i)
    if (const auto point = solve(answer, variants()[variant], last * i / steps))
      curve.points.emplace_back(point->rate, (*point).*quantity.model);
  return curve;
}

plots::Picture picture(const Answer& answer) {
  plots::Picture picture = latency_axes(answer.simulation.question);
  picture.note = "simulation with 95 % intervals; the models are approximate";
  for (const Quantity& quantity : quantities) {
    plots::Curve simulated =
        simulated_curve(answer.points, quantity.simulated, fmt::format("{}, simulation", quantity.name));
    if (simulated.points.empty()) continue;
    simulated.colour = 3;
    for (std::size_t i = 0; i < variants().size(); ++i) {
      plots::Curve curve = model_curve(answer, i, quantity);
      if (!curve.points.empty()) picture.curves.push_back(std::move(curve));
    }
    picture.curves.push_back(std::move(simulated));
  }
  return picture;
}

Reply answer(const Options& options, const Context& context) {
  const auto answer = std::make_shared<Answer>(Answer{
      .simulation = read_hypercube_simulation(options.simulation), .chosen = 0, .points = {}, .rows = {}});
  const Replication replication = read_replication(options.replication);
  while (variants()[answer->chosen].replication != replication) ++answer->chosen;
  answer->points = simulate(answer->simulation, options.simulation, context);
  for (const SimulatedBroadcasts& point : answer->points) add_rows(*answer, point);
  if (answer->rows.empty())
    throw NoAnswer("there is nothing to compare: no message was delivered while measured");
  Reply reply = reply_of(answer, context);
  if (answer->optimistic() > 0) reply.status = no_answer;
  return reply;
}

}  // namespace

Command add_validate_broadcast(CLI::App& validate) {
  CLI::App* command =
      validate.add_subcommand("broadcast", "unicast and broadcast latency of a wormhole hypercube");
  const auto options = std::make_shared<Options>();
  add_hypercube_simulation_options(*command, options->simulation);
  add_replication_option(*command, options->replication);
  add_plot_option(*command);
  command->footer(
      "Example:\n"
      "  tailbound validate broadcast --dimensions 6 --virtual-channels 4 --flits 32 --broadcast 0.01\n"
      "      --fractions 20%,50%,80% --quiet\n"
      "prints\n"
      "\n"
      "          rate  of saturation  latency    simulation       conserving  it is  error conserving  error "
      "literal  error shared-wire\n"
      "    0.00472369         20.0 %  unicast    43.095 +- 0.085     43.5038  above            +0.9 %      "
      "   -0.9 %             +0.6 %\n"
      "    0.00472369         20.0 %  broadcast  232.27 +- 0.91      244.809  above            +5.4 %      "
      "   +3.5 %             +0.0 %\n"
      "     0.0118092         50.0 %  unicast    60.44 +- 0.31       60.0288  below            -0.7 %      "
      "   -5.0 %             +0.9 %\n"
      "     0.0118092         50.0 %  broadcast  311.5 +- 2.3        336.258  above            +7.9 %      "
      "   +3.2 %             -0.2 %\n"
      "     0.0188948         80.0 %  unicast    89.14 +- 0.78       83.3905  below            -6.4 %      "
      "  -13.5 %             +1.8 %\n"
      "     0.0188948         80.0 %  broadcast  470 +- 5.6          460.655  below            -2.0 %      "
      "   -9.0 %             +1.6 %\n"
      "\n"
      "and exits with status 1: at half of saturation and beyond, latencies of the variant chosen are below "
      "the\n"
      "interval. Status 0 says that none is. --replication chooses another variant.\n");
  return {.app = command, .answer = [options](const Context& context) { return answer(*options, context); }};
}

}  // namespace tailbound::cli
