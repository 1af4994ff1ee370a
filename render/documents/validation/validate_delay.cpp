#include <fmt/format.h>
#include <tailbound/core/choice.hpp>
#include <tailbound/numeric/rational.hpp>
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

Table<ValidatedRow> validated_delay_table(const Units& units) {
  return validated_table(
      {{{"delay_slots", "t", "slots", Shape::whole, "t of P(D > t); null in other rows", Style::hidden},
        &ValidatedRow::level},
       {{"percentile", "percentile", "", Shape::given, "in percent; null in other rows", Style::hidden},
        &ValidatedRow::percentile}},
      {.suffix = "ns", .unit = "ns", .factor = units.slot_ns()});
}

std::string title(const std::vector<ValidateDelayPoint>& points) {
  std::vector<const Topology*> all;
  for (const ValidateDelayPoint& point : points) all.push_back(&point.first.topology);
  return "Delay, analysis and simulation: " + in_words(points.front().first.topology, all);
}

Fields<ValidateDelayPoint> validated_delay_inputs(const Units& units) {
  using Point = ValidateDelayPoint;
  return {{topology_fields(), [](const Point& of) { return of.first.topology; }},
          {{"hops_model", "hops", "", Shape::text,
            "dependence of successive waits in the analysis: chain, independent or bound"},
           [](const Point& of) { return of.second.hops; }},
          {unit_fields(), [units](const Point&) { return units; }},
          {hop_column(), [](const Point& of) { return of.first.time->hop; },
           [](const Point& of) { return of.first.time.has_value(); }}};
}

const Fields<ValidateDelayPoint>& validated_delay_results() {
  using Point = ValidateDelayPoint;
  static const Fields<Point> fields{
      {{"packets", "packets", "", Shape::whole, "delivered while measured", Style::hidden},
       [](const Point& of) { return of.second.simulation.packets; }},
      {mean_fields("mean of D", "slots", "mean queueing delay by analysis", "_slots"),
       [](const Point& of) { return of.second.mean_queueing; }},
      {judged_fields(), judged},
      {simulation_fields(), simulated_of<Point>}};
  return fields;
}

std::vector<ValidatedRow> rows_of(const ValidateDelayAnswer& answer) {
  std::vector<ValidatedRow> rows;
  for (const ComparedDelay& row : answer.tail)
    rows.push_back({.quantity = "ccdf",
                    .what = fmt::format("P(D > {})", row.level.value),
                    .level = shown(row.level),
                    .compared = row.above});
  for (const ComparedPercentile& row : answer.percentiles)
    rows.push_back({.quantity = "queueing_slots",
                    .what = plain(row.fraction * 100) + " % of D",
                    .percentile = Given{row.fraction * 100},
                    .compared = row.queueing,
                    .in_unit = true});
  rows.push_back({.quantity = "mean_queueing_slots",
                  .what = "mean of D",
                  .compared = answer.mean_queueing,
                  .in_unit = true});
  for (const ComparedLatency& row : answer.latencies)
    rows.push_back({.quantity = "latency_ns",
                    .what = plain(row.fraction * 100) + " % of T",
                    .percentile = Given{row.fraction * 100},
                    .compared = row.latency,
                    .only_unit = true});
  if (answer.mean_latency)
    rows.push_back({.quantity = "mean_latency_ns",
                    .what = "mean of T",
                    .compared = *answer.mean_latency,
                    .only_unit = true});
  return rows;
}

/// "T: .. . ", if latencies are compared.
std::string latency_in_words(const ValidateDelayQuery& query) {
  if (!query.time) return "";
  return fmt::format("T: latency in ns, D, {}, and {}. ", latency_slots_in_words(),
                     hop_in_words(query.time->hop));
}

std::vector<std::string> notes(const std::vector<ValidateDelayPoint>& points) {
  std::vector<std::string> notes;
  if (points.size() > 1) notes.push_back(points_in_words(points));
  for (const ValidateDelayPoint& point : points) add_remarks(notes, point.first.topology);
  notes.push_back("D: queueing delay of all packets. " + latency_in_words(points.front().first) +
                  verdicts_in_words());
  if (std::string ports = switch_in_words(points.front().first.topology); !ports.empty())
    notes.push_back(std::move(ports));
  for (const auto& [query, answer] : points) {
    const std::string caution = model_caution(answer.omissions, query.topology, answer.hops);
    const std::string note = capitalized(caution) + ".";
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
  const auto& [query, answer] = points.front();
  picture.x_label = "t [" + slots + "]";
  picture.y_label = "P(D > t)";
  picture.note = "95 % intervals; " + in_words(answer.simulation.simulated);
  if (query.time)
    picture.note += ". Latency is D, " + latency_slots_in_words() + ", and " + hop_in_words(query.time->hop);
  std::vector<ValidatedLevel> curve;
  for (const ComparedDelay& point : compared_curve(query, answer))
    curve.push_back({.level = static_cast<double>(point.level.value),
                     .predicted = shown(*point.above.predicted),
                     .simulated = shown(point.above.simulated)});
  picture = validated_picture(curve, std::move(picture));
  if (query.fabric) return picture;
  const std::vector<Hops> possible = possible_hops(query.topology);
  // The upper bound, or the most conservative model.
  const auto highest = std::find_if(possible.begin(), possible.end(),
                                    [](Hops hops) { return hops == Hops::bound || hops == Hops::safe; });
  if (highest == possible.end() || answer.hops == *highest) return picture;
  ValidateDelayQuery bounded = query;
  bounded.hops = *highest;
  Curve bound{.title = *highest == Hops::bound ? "upper bound" : "conservative", .style = CurveStyle::steps};
  for (const ComparedDelay& point : compared_curve(bounded, answer))
    if (const auto y = log10_height(shown(*point.above.predicted)))
      bound.points.emplace_back(static_cast<double>(point.level.value), *y);
  picture.curves.push_back(std::move(bound));
  return picture;
}

}  // namespace

Layout validate_delay_layout() {
  Layout layout{.command = "validate delay", .inputs = {}, .results = {}};
  layout.inputs = validated_delay_inputs({}).columns();
  layout.results = validated_delay_results().columns();
  layout.tables = {validated_delay_table({}).layout()};
  layout.quiet = {"what", "prediction", "simulation", "verdict"};
  layout.quiet_table = "rows";
  return layout;
}

Cells inputs_of(const ValidateDelayQuery& query, const Units& units) {
  Cells cells = joined(topology_fields().cells(query.topology), unit_fields().cells(units));
  if (query.time) cells.push_back({hop_column().key, Given{query.time->hop}});
  return cells;
}

Document document(std::vector<ValidateDelayPoint> given, std::size_t requested, const Units& units) {
  const auto points = share(std::move(given));
  const auto result_of = [&units](const ValidateDelayPoint& point) -> Result {
    const auto& [query, answer] = point;
    return {.inputs = validated_delay_inputs(units).cells(point),
            .cells = validated_delay_results().cells(point),
            .tables = {validated_delay_table(units).rows(share(rows_of(answer)))},
            .lines = validated_lines(point),
            .caption = in_words(query.topology) + ": " + conclusion(answer.tally)};
  };
  return validated_document(
      validate_delay_layout(), headline_of(*points), title(*points), notes(*points), *points, requested,
      result_of, [points, units](const Document& document) { return picture(document, *points, units); },
      scale_of(units));
}

}  // namespace tailbound::render
