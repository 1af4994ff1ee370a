#include <cln/rational.h>
#include <fmt/format.h>
#include <cli/multistage_command.hpp>
#include <cli/multistage_question.hpp>

#include <algorithm>
#include <memory>

namespace tailbound::cli {
namespace {

using bounds::multistage::Variant;
using numeric::Rational;

struct Options {
  MultistageOptions question;
  std::optional<std::string> variant;
};

struct Answer {
  MultistageQuestion question;
  Variant variant = Variant::blocking;
  std::vector<MultistagePoint> points;

  /// The least load asked for at which processors stall.
  [[nodiscard]] const MultistagePoint* first_saturated() const {
    const MultistagePoint* first = nullptr;
    for (const MultistagePoint& point : points)
      if (point.saturated() && (first == nullptr || point.load < first->load)) first = &point;
    return first;
  }
};

std::string optional_number(const std::optional<double>& number) {
  return number ? fmt::format("{:.4g}", *number) : "-";
}

/// Where the hot path is full.
std::string saturation_in_words(const Answer& answer) {
  if (answer.question.network.combining == 1) {
    const Rational limit = bounds::multistage::saturation_without_combining(answer.question.network);
    return limit >= 1 ? "the hot path's last queue can carry a load of 1"
                      : fmt::format(
                            "the hot path is full from load {:.5g} on, where its last queue serves without "
                            "rest",
                            numeric::nearest_double(limit));
  }
  const MultistagePoint* first = answer.first_saturated();
  if (first == nullptr) return "not reached: at least 98 % of every load comes through";
  std::size_t busiest = 0;
  for (std::size_t stage = 1; stage < first->hot_path.size(); ++stage)
    if (first->hot_path[stage].utilization > first->hot_path[busiest].utilization) busiest = stage;
  return fmt::format(
      "from load {} on less than 98 % comes through; the hot path's queue at stage {} is busy "
      "{:.1f} % of the time there",
      plain(first->load), busiest, 100 * first->hot_path[busiest].utilization);
}

std::string to_tables(const Answer& answer, bool quiet) {
  std::vector<std::vector<std::string>> rows{{"load", "throughput", "delay", "hot delay", "cold delay"}};
  for (const MultistagePoint& point : answer.points)
    rows.push_back({plain(point.load), fmt::format("{:.4f}", point.throughput),
                    fmt::format("{:.4g}", point.delay), optional_number(point.hot_delay),
                    optional_number(point.cold_delay)});
  const std::string table = to_table(rows, {true, true, true, true, true});
  if (quiet) return table;

  std::vector<std::vector<std::string>> stages{{"load", "stage", "occupancy", "combining", "busy"}};
  for (const MultistagePoint& point : answer.points)
    for (std::size_t stage = 0; stage < point.hot_path.size(); ++stage)
      stages.push_back({stage == 0 ? plain(point.load) : "", std::to_string(stage),
                        fmt::format("{:.4g}", point.hot_path[stage].occupancy),
                        fmt::format("{:.4f}", point.hot_path[stage].combining),
                        fmt::format("{:.1f} %", 100 * point.hot_path[stage].utilization)});
  std::string text =
      fmt::format("{}; variant {}\n\n{}\n  Queues that hot requests pass:\n\n{}\n", in_words(answer.question),
                  name(answer.variant), table, to_table(stages, {true, true, true, true, true}));
  text += fmt::format("  saturation  {}\n", saturation_in_words(answer));
  const auto unsettled = std::find_if(answer.points.begin(), answer.points.end(), [](const auto& point) {
    return point.ending.stop == bounds::Stop::too_many_rounds;
  });
  if (answer.variant == Variant::published)
    text += "  iteration   none: one pass from stage to stage\n";
  else
    for (const MultistagePoint& point : answer.points)
      if (&point == &answer.points.back() || (unsettled != answer.points.end() && &point == &*unsettled))
        text +=
            fmt::format("  iteration   at load {}: {}\n", plain(point.load), bounds::in_words(point.ending));
  return text +
         "\n  An approximate model; its digits are not proved. Delays from the entry into stage 0, in the "
         "unit of\n"
         "  --service; throughput in requests a processor in a service time. tailbound validate multistage\n"
         "  compares with simulation.\n";
}

const char* word(bounds::Stop stop) {
  switch (stop) {
    case bounds::Stop::direct:
      return "direct";
    case bounds::Stop::converged:
      return "converged";
    case bounds::Stop::saturated:
    case bounds::Stop::too_many_rounds:
      break;
  }
  return "too many rounds";
}

std::string to_json_text(const Answer& answer, const Context& context) {
  Json document = new_document(context, "multistage");
  document["inputs"] = inputs_json(answer.question);
  document["inputs"]["variant"] = name(answer.variant);
  document["kind"] = "model";
  const MultistagePoint* first = answer.first_saturated();
  document["saturation"] = {
      {"first_load", first == nullptr ? Json() : Json(numeric::to_fraction(first->load))},
      {"without_combining",
       numeric::to_fraction(bounds::multistage::saturation_without_combining(answer.question.network))}};
  const auto number = [](const std::optional<double>& value) { return value ? Json(*value) : Json(); };
  return to_text(document, "points", answer.points.size(), [&](std::size_t i) {
    const MultistagePoint& point = answer.points[i];
    Json stages = Json::array();
    for (const bounds::multistage::StageFigures& stage : point.hot_path)
      stages.push_back({{"occupancy", stage.occupancy},
                        {"combining", stage.combining},
                        {"utilization", stage.utilization}});
    return Json{{"load", numeric::to_fraction(point.load)},
                {"kind", "model"},
                {"throughput", point.throughput},
                {"delay", point.delay},
                {"hot_delay", number(point.hot_delay)},
                {"cold_delay", number(point.cold_delay)},
                {"hot_path", std::move(stages)},
                {"iteration",
                 {{"stop", word(point.ending.stop)},
                  {"rounds", point.ending.rounds},
                  {"change", point.ending.change}}}};
  });
}

std::string to_csv(const Answer& answer) {
  std::string text =
      csv_line({"load", "kind", "throughput", "delay", "hot_delay", "cold_delay", "iteration"});
  const auto number = [](const std::optional<double>& value) {
    return value ? fmt::format("{}", *value) : std::string();
  };
  for (const MultistagePoint& point : answer.points)
    text +=
        csv_line({numeric::to_fraction(point.load), "model", number(point.throughput), number(point.delay),
                  number(point.hot_delay), number(point.cold_delay), word(point.ending.stop)});
  return text;
}

Reply answer(const Options& options, const Context& context) {
  const auto answer = std::make_shared<Answer>();
  answer->question = read_multistage(options.question);
  answer->variant = read_variant(options.variant);
  answer->points = solve(answer->question, answer->variant, context);
  Reply reply;
  reply.text = in_format(
      context.format, [&] { return to_tables(*answer, context.quiet); },
      [&] { return to_json_text(*answer, context); }, [&] { return to_csv(*answer); });
  reply.draw = [answer](const std::string& file) {
    plots::Picture picture = multistage_axes(answer->question);
    picture.note = fmt::format("an approximate model, variant {}", name(answer->variant));
    picture.curves = {model_curve(answer->points, answer->question.curve, name(answer->variant))};
    plots::draw(picture, file);
  };
  return reply;
}

}  // namespace

Command add_multistage_command(CLI::App& program) {
  CLI::App* command = program.add_subcommand(
      "multistage", "combining multistage network under a hot spot: throughput, delay");
  const auto options = std::make_shared<Options>();
  add_multistage_options(*command, options->question, true);
  command->add_option("--variant", options->variant, "blocking (full buffers stop those behind) or published")
      ->type_name("NAME")
      ->group("Model");
  add_plot_option(*command);
  command->footer(
      "Example:\n"
      "  tailbound multistage --nodes 64 --hot 0.08 --loads 0.3,0.8\n"
      "prints\n"
      "\n"
      "  64 nodes, 2 x 2 switches, buffer 4, hot 0.08, combining up to 2; variant blocking\n"
      "\n"
      "    load  throughput  delay  hot delay  cold delay\n"
      "     0.3      0.3000  6.869        7.7       6.796\n"
      "     0.8      0.7436  15.81      22.56       15.23\n"
      "\n"
      "    Queues that hot requests pass:\n"
      "\n"
      "    load  stage  occupancy  combining    busy\n"
      "     0.3      0     0.3638     0.0049  30.0 %\n"
      "              1     0.3642     0.0017  32.4 %\n"
      "              2     0.4285     0.0048  37.1 %\n"
      "              3     0.5668     0.0168  46.3 %\n"
      "              4     0.8661     0.0663  62.5 %\n"
      "              5      1.407     0.2032  83.1 %\n"
      "     0.8      0      2.668     0.1030  88.1 %\n"
      "              1      3.506     0.2111  94.8 %\n"
      "              2      3.847     0.2924  97.1 %\n"
      "              3      3.821     0.3328  97.4 %\n"
      "              4       3.61     0.3473  97.0 %\n"
      "              5      3.193     0.3377  95.9 %\n"
      "\n"
      "    saturation  from load 0.8 on less than 98 % comes through; the hot path's queue at stage 3 is "
      "busy 97.4 % of the time there\n"
      "    iteration   at load 0.8: converged after 245 rounds (last change 9e-07)\n"
      "\n"
      "    An approximate model; its digits are not proved. Delays from the entry into stage 0, in the unit "
      "of\n"
      "    --service; throughput in requests a processor in a service time. tailbound validate multistage\n"
      "    compares with simulation.\n");
  return {.app = command, .answer = [options](const Context& context) { return answer(*options, context); }};
}

}  // namespace tailbound::cli
