#include <cln/rational.h>
#include <fmt/format.h>
#include <tailbound/core/choice.hpp>
#include <tailbound/numeric/text/plain.hpp>
#include <tailbound/render/documents/delay/delay.hpp>
#include <tailbound/render/documents/parts/simulation.hpp>
#include <tailbound/render/documents/parts/topology.hpp>
#include <tailbound/render/documents/parts/units.hpp>
#include <tailbound/render/documents/parts/validated.hpp>
#include <tailbound/render/documents/validation/validate_delay.hpp>

#include <algorithm>
#include <memory>

namespace tailbound::render {
namespace {

using namespace answers;
using numeric::plain;

ValidatedUnit slot_unit(const Units& units) {
  return {.suffix = "ns", .unit = "ns", .factor = units.slot_ns()};
}

std::string title(const std::vector<ValidateDelayPoint>& points) {
  std::vector<const Topology*> all;
  for (const ValidateDelayPoint& point : points) all.push_back(&point.first.topology);
  return "Delay by analysis and by simulation: " + in_words(points.front().first.topology, all);
}

const Fields<ValidateDelayPoint>& validated_delay_inputs() {
  using Point = ValidateDelayPoint;
  static const Fields<Point> fields{
      {topology_fields(), [](const Point& of) { return of.first.topology; }},
      {delay_columns().sources, [](const Point& of) { return of.first.sources; }},
      {delay_columns().hop_delay, [](const Point& of) { return of.first.hop_delay; }},
      {{"hops", "hops", "", Shape::text,
        "how waits depend on each other by analysis: chain, independent or bound"},
       [](const Point& of) { return of.second.hops; }}};
  return fields;
}

const Fields<ValidateDelayPoint>& validated_delay_results() {
  using Point = ValidateDelayPoint;
  static const Fields<Point> fields{
      {{"packets", "packets", "", Shape::whole, "delivered while measured", Style::hidden},
       [](const Point& of) { return of.second.simulation.packets; }},
      {{"mean_prediction_slots", "mean of D", "slots", Shape::claim, "mean queueing delay by analysis",
        Style::plain, 6},
       [](const Point& of) { return shown(*of.second.mean_queueing.predicted); }},
      {{"mean_simulation_slots", "simulated", "slots", Shape::estimate, "the same by simulation"},
       [](const Point& of) { return of.second.mean_queueing.simulated; }},
      {judged_fields(), judged},
      {simulation_fields(), simulated_of}};
  return fields;
}

Cells argument(const char* quantity, std::string what, Value delay, Value percentile) {
  return {{"quantity", Text{quantity}},
          {"what", Text{std::move(what)}},
          {"delay_slots", std::move(delay)},
          {"percentile", std::move(percentile)}};
}

std::vector<ValidatedRow> rows_of(const ValidateDelayAnswer& answer) {
  std::vector<ValidatedRow> rows;
  for (const ComparedDelay& row : answer.tail)
    rows.push_back(
        {.argument = argument("ccdf", fmt::format("P(D > {})", row.level.value), shown(row.level), None{}),
         .compared = compared(row.above)});
  for (const ComparedPercentile& row : answer.percentiles)
    rows.push_back({.argument = argument("queueing_slots", plain(row.fraction * 100) + " % of D", None{},
                                         Given{row.fraction * 100}),
                    .compared = compared(row.queueing),
                    .in_unit = true});
  rows.push_back({.argument = argument("mean_queueing_slots", "mean of D", None{}, None{}),
                  .compared = compared(answer.mean_queueing),
                  .in_unit = true});
  for (const ComparedLatency& row : answer.latencies)
    rows.push_back({.argument = argument("latency_ns", plain(row.fraction * 100) + " % of T", None{},
                                         Given{row.fraction * 100}),
                    .compared = compared(row.latency),
                    .only_unit = true});
  if (answer.mean_latency)
    rows.push_back({.argument = argument("mean_latency_ns", "mean of T", None{}, None{}),
                    .compared = compared(*answer.mean_latency),
                    .only_unit = true});
  return rows;
}

std::vector<Line> lines(const ValidateDelayPoint& point) {
  const auto& [question, answer] = point;
  return joined<Line>({{"conclusion", conclusion(answer.tally)},
                       {"intervals", intervals_in_words(answer.confidence_of_each, answer.tally.rows(),
                                                        question.confidence)}},
                      simulation_lines(answer.simulation.simulated));
}

/// "T: .. . ", where latencies are compared.
std::string latency_in_words(const ValidateDelayQuestion& question) {
  if (!question.time) return "";
  return fmt::format("T: latency in ns, D, {}, and {}. ", latency_slots_in_words(),
                     hop_in_words(question.time->hop));
}

std::vector<std::string> notes(const std::vector<ValidateDelayPoint>& points) {
  std::vector<std::string> notes;
  if (points.size() > 1) {
    std::vector<Tally> tallies;
    std::vector<const Simulated*> runs;
    for (const ValidateDelayPoint& point : points) {
      tallies.push_back(point.second.tally);
      runs.push_back(&point.second.simulation.simulated);
    }
    notes.push_back(
        fmt::format("Of all points together {}. The intervals of a point hold together in {:g} % of "
                    "such runs: {}.",
                    conclusion(tallies), 100 * points.front().first.confidence, batches_in_words(runs)));
  }
  notes.push_back("D: queueing delay of all packets, in slots. " + latency_in_words(points.front().first) +
                  verdicts_in_words());
  if (std::string ports = switch_in_words(points.front().first.topology); !ports.empty())
    notes.push_back(std::move(ports));
  for (const auto& [question, answer] : points) {
    const std::string caution = model_caution(answer.omissions, question.topology, answer.hops);
    const std::string note = "model: " + caution;
    if (!caution.empty() && std::find(notes.begin(), notes.end(), note) == notes.end()) notes.push_back(note);
  }
  return notes;
}

Picture picture(const Document& document, const std::vector<ValidateDelayPoint>& points, const Units& units) {
  const auto slot = units.slot_ns();
  const std::string slots = slot ? "slots of " + brief(Given{*slot}) + " ns" : "slots";
  Picture picture{.title = title(points), .x_label = {}, .y_label = "mean of D [" + slots + "]", .note = {}};
  if (points.size() > 1) {
    picture.note = "simulation with the intervals of each point's rows";
    return validated_sweep(document, {"load", "load_scale", "uniform", "burst", "on_rate", "radix", "levels"},
                           "mean_prediction_slots", "mean_simulation_slots", std::move(picture));
  }
  const auto& [question, answer] = points.front();
  picture.x_label = "t [" + slots + "]";
  picture.y_label = "P(D > t)";
  picture.note = "95 % intervals; " + in_words(answer.simulation.simulated);
  if (question.time)
    picture.note +=
        ". Latency is D, " + latency_slots_in_words() + ", and " + hop_in_words(question.time->hop);
  std::vector<ValidatedLevel> curve;
  for (const ComparedDelay& point : compared_curve(question, answer))
    curve.push_back({.level = static_cast<double>(point.level.value),
                     .predicted = shown(*point.above.predicted),
                     .simulated = shown(point.above.simulated)});
  picture = validated_picture(curve, std::move(picture));
  if (question.fabric) return picture;
  const std::vector<Hops> possible =
      possible_hops(question.topology, {question.sources, question.hop_delay, {}, {}});
  if (answer.hops == Hops::bound ||
      std::find(possible.begin(), possible.end(), Hops::bound) == possible.end())
    return picture;
  ValidateDelayQuestion bounded = question;
  bounded.hops = Hops::bound;
  Curve bound{.title = "upper bound", .style = CurveStyle::line};
  for (const ComparedDelay& point : compared_curve(bounded, answer))
    if (const auto y = log10_height(shown(*point.above.predicted)))
      bound.points.emplace_back(static_cast<double>(point.level.value), *y);
  picture.curves.push_back(std::move(bound));
  return picture;
}

}  // namespace

Layout validate_delay_layout() {
  Layout layout{.command = "validate delay", .inputs = {}, .results = {}};
  layout.inputs = joined(validated_delay_inputs().columns(), unit_fields().columns());
  layout.inputs.push_back(hop_column());
  layout.results = validated_delay_results().columns();
  layout.tables = {validated_table(
      {{"delay_slots", "t", "slots", Shape::whole, "t of P(D > t); null of other rows", Style::hidden},
       {"percentile", "percentile", "", Shape::given, "in percent; null of other rows", Style::hidden}},
      slot_unit({}))};
  layout.quiet = {"what", "prediction", "simulation", "verdict"};
  layout.quiet_table = "rows";
  return layout;
}

Document document(std::vector<ValidateDelayPoint> given, std::size_t asked, const Units& units) {
  const auto points = share(std::move(given));
  const auto result_of = [unit = slot_unit(units), &units](const ValidateDelayPoint& point) -> Result {
    const auto& [question, answer] = point;
    Cells inputs = joined(validated_delay_inputs().cells(point), unit_fields().cells(units));
    if (question.time) inputs.push_back({hop_column().key, Given{question.time->hop}});
    return {.inputs = std::move(inputs),
            .cells = validated_delay_results().cells(point),
            .tables = {validated_rows(rows_of(answer), unit)},
            .lines = lines(point),
            .caption = in_words(question.topology) + ": " + conclusion(answer.tally)};
  };
  return validated_document(
      validate_delay_layout(), title(*points), notes(*points), *points, asked, result_of,
      [points, units](const Document& document) { return picture(document, *points, units); },
      scale_of(units));
}

}  // namespace tailbound::render
