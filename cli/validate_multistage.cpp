#include <cln/rational.h>
#include <fmt/format.h>
#include <cli/simulate_multistage.hpp>

#include <algorithm>
#include <cmath>
#include <memory>

namespace tailbound::cli {
namespace {

using bounds::multistage::Variant;

struct Options {
  MultistageSimulationOptions simulation;
};

/// One quantity at one load, three ways.
struct Row {
  numeric::Rational load;
  const char* quantity;
  ShownEstimate simulated;
  double blocking, published;
  bool higher_is_better = false;

  /// Does the model promise more than the simulation's interval allows: less delay, more throughput?
  [[nodiscard]] bool optimistic(double model) const {
    return higher_is_better ? model > simulated.upper : model < simulated.lower;
  }
  [[nodiscard]] static std::optional<double> error(double model, const ShownEstimate& simulated) {
    if (simulated.value == 0) return std::nullopt;
    return model / simulated.value - 1;
  }
};

struct Answer {
  MultistageQuestion question;
  std::vector<MultistagePoint> blocking, published;
  std::vector<SimulatedPoint> simulated;
  std::vector<Row> rows;

  /// Rows in which `blocking`, the model that `multistage` answers by, is optimistic.
  [[nodiscard]] std::size_t optimistic() const {
    return static_cast<std::size_t>(
        std::count_if(rows.begin(), rows.end(), [](const Row& row) { return row.optimistic(row.blocking); }));
  }
};

void add_rows(Answer& answer, std::size_t i) {
  const MultistagePoint& blocking = answer.blocking[i];
  const MultistagePoint& published = answer.published[i];
  const SimulatedPoint& simulated = answer.simulated[i];
  answer.rows.push_back({blocking.load, "throughput", shown(simulated.found.throughput), blocking.throughput,
                         published.throughput, true});
  if (simulated.found.delay)
    answer.rows.push_back(
        {blocking.load, "delay", shown(*simulated.found.delay), blocking.delay, published.delay});
  if (simulated.found.hot_delay && blocking.hot_delay)
    answer.rows.push_back({blocking.load, "hot_delay", shown(*simulated.found.hot_delay), *blocking.hot_delay,
                           *published.hot_delay});
  if (simulated.found.cold_delay && blocking.cold_delay)
    answer.rows.push_back({blocking.load, "cold_delay", shown(*simulated.found.cold_delay),
                           *blocking.cold_delay, *published.cold_delay});
}

std::string percent(const std::optional<double>& error) {
  return error ? fmt::format("{:+.1f} %", 100 * *error) : "-";
}

std::string to_tables(const Answer& answer, bool quiet) {
  std::vector<std::vector<std::string>> rows{
      {"load", "quantity", "simulation", "blocking", "error", "published", "error"}};
  for (const Row& row : answer.rows)
    rows.push_back({plain(row.load), row.quantity, brief(row.simulated), fmt::format("{:.4g}", row.blocking),
                    percent(Row::error(row.blocking, row.simulated)), fmt::format("{:.4g}", row.published),
                    percent(Row::error(row.published, row.simulated))});
  const std::string table = to_table(rows, {true, false, false, true, true, true, true});
  if (quiet) return table;
  std::string text =
      fmt::format("{}: two models beside simulation\n\n{}\n", in_words(answer.question), table);
  for (const SimulatedPoint& point : answer.simulated)
    text += fmt::format("  load {}: {}; {}\n", plain(point.load), plan_in_words(point.simulated),
                        course_in_words(point.simulated));
  text += fmt::format("\n  verdict  blocking is optimistic beyond the interval in {} of {} rows\n",
                      answer.optimistic(), answer.rows.size());
  return text + "\n  Error: model / simulation - 1; the simulation's own 95 % interval stands behind +-.\n";
}

std::string to_json_text(const Answer& answer, const Context& context) {
  Json document = new_document(context, "validate multistage");
  document["inputs"] = inputs_json(answer.question);
  document["optimistic_rows"] = answer.optimistic();
  document["simulations"] = Json::array();
  for (const SimulatedPoint& point : answer.simulated) {
    Json simulation{{"load", numeric::to_fraction(point.load)}};
    describe_simulation(simulation, point.simulated);
    document["simulations"].push_back(std::move(simulation));
  }
  return to_text(document, "rows", answer.rows.size(), [&](std::size_t i) {
    const Row& row = answer.rows[i];
    const auto model = [&](double value) {
      const std::optional<double> error = Row::error(value, row.simulated);
      return Json{{"kind", "model"},
                  {"value", value},
                  {"error", error ? Json(*error) : Json()},
                  {"optimistic", row.optimistic(value)}};
    };
    return Json{{"load", numeric::to_fraction(row.load)},
                {"quantity", row.quantity},
                {"simulation", to_json(row.simulated)},
                {"blocking", model(row.blocking)},
                {"published", model(row.published)}};
  });
}

std::string to_csv(const Answer& answer) {
  std::vector<std::string> header{"load", "quantity"};
  const std::vector<std::string> columns = estimate_columns("simulation");
  header.insert(header.end(), columns.begin(), columns.end());
  header.insert(header.end(), {"blocking", "published"});
  std::string text = csv_line(header);
  for (const Row& row : answer.rows) {
    std::vector<std::string> fields{numeric::to_fraction(row.load), row.quantity};
    append_csv(fields, row.simulated);
    fields.insert(fields.end(), {fmt::format("{}", row.blocking), fmt::format("{}", row.published)});
    text += csv_line(fields);
  }
  return text;
}

Reply answer(const Options& options, const Context& context) {
  const auto answer = std::make_shared<Answer>();
  answer->question = read_multistage(options.simulation.question);
  Context silent = context;
  silent.progress = {};
  answer->blocking = solve(answer->question, Variant::blocking, silent);
  answer->published = solve(answer->question, Variant::published, silent);
  answer->simulated = simulate(answer->question, options.simulation, context);
  for (std::size_t i = 0; i < answer->simulated.size(); ++i) add_rows(*answer, i);
  Reply reply;
  reply.text = in_format(
      context.format, [&] { return to_tables(*answer, context.quiet); },
      [&] { return to_json_text(*answer, context); }, [&] { return to_csv(*answer); });
  if (answer->optimistic() > 0) reply.status = no_answer;
  reply.draw = [answer](const std::string& file) {
    plots::Picture picture = multistage_axes(answer->question);
    picture.note = "simulation with 95 % intervals; the models are approximate";
    picture.curves = {simulated_curve(answer->simulated, answer->question.curve),
                      model_curve(answer->blocking, answer->question.curve, "blocking"),
                      model_curve(answer->published, answer->question.curve, "published")};
    for (std::size_t i = 1; i < picture.curves.size(); ++i) picture.curves[i].style = plots::Style::line;
    plots::draw(picture, file);
  };
  return reply;
}

}  // namespace

Command add_validate_multistage(CLI::App& validate) {
  CLI::App* command =
      validate.add_subcommand("multistage", "throughput and delay of a combining multistage network");
  const auto options = std::make_shared<Options>();
  add_multistage_simulation_options(*command, options->simulation);
  add_plot_option(*command);
  command->footer(
      "Example:\n"
      "  tailbound validate multistage --nodes 64 --hot 0.08 --loads 0.3,0.8 --quiet\n"
      "prints\n"
      "\n"
      "    load  quantity    simulation          blocking   error  published    error\n"
      "     0.3  throughput  0.30022 +- 0.00039       0.3  -0.1 %     0.2989   -0.4 %\n"
      "     0.3  delay       6.9212 +- 0.003        6.869  -0.8 %      7.416   +7.2 %\n"
      "     0.3  hot_delay   7.804 +- 0.013           7.7  -1.3 %      8.846  +13.4 %\n"
      "     0.3  cold_delay  6.8443 +- 0.0025       6.796  -0.7 %      7.295   +6.6 %\n"
      "     0.8  throughput  0.7392 +- 0.0018      0.7436  +0.6 %     0.6916   -6.4 %\n"
      "     0.8  delay       14.968 +- 0.085        15.81  +5.6 %      12.14  -18.9 %\n"
      "     0.8  hot_delay   21.96 +- 0.22          22.56  +2.8 %      14.52  -33.9 %\n"
      "     0.8  cold_delay  14.359 +- 0.075        15.23  +6.0 %      11.96  -16.7 %\n"
      "\n"
      "and exits with status 1: at load 0.3 the delays of blocking, and at 0.8 its throughput, are better "
      "than\n"
      "the interval allows. Status 0 says that no number of blocking is optimistic in that way.\n");
  return {.app = command, .answer = [options](const Context& context) { return answer(*options, context); }};
}

}  // namespace tailbound::cli
