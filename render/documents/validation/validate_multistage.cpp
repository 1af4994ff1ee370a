#include <fmt/format.h>
#include <tailbound/numeric/rational.hpp>
#include <tailbound/render/documents/parts/validated.hpp>
#include <tailbound/render/documents/validation/validate_multistage.hpp>

#include <algorithm>
#include <memory>
#include <optional>

namespace tailbound::render {
namespace {

using namespace answers;

std::string title(const std::vector<ValidateMultistagePoint>& points) {
  std::vector<CombiningPoint> all;
  std::vector<SimulateMultistageQuery> queries;
  for (const ValidateMultistagePoint& point : points) {
    const SimulateMultistageQuery& query = queries.emplace_back(point.first.simulation);
    all.push_back({query.network, query.load, query.service});
  }
  const std::string wiring = wiring_in_words(queries);
  return in_words(all) + (wiring.empty() ? "" : ", " + wiring);
}

/// One quantity by the model and by simulation.
struct QuantityRow {
  const char* quantity = nullptr;
  ShownComparison compared;
};

std::vector<QuantityRow> rows_of(const ValidateMultistageAnswer& answer) {
  std::vector<QuantityRow> rows{{"throughput", answer.throughput}};
  if (answer.delay) rows.push_back({"delay", *answer.delay});
  if (answer.hot_delay) rows.push_back({"hot_delay", *answer.hot_delay});
  if (answer.cold_delay) rows.push_back({"cold_delay", *answer.cold_delay});
  return rows;
}

const Table<QuantityRow>& quantity_table() {
  static const Table<QuantityRow> table{
      "rows",
      "one row per quantity, by the model and by simulation",
      {{{"quantity", "quantity", "", Shape::text, "throughput, delay, hot_delay or cold_delay"},
        &QuantityRow::quantity},
       {comparison_fields({.predicted = "model"}), &QuantityRow::compared}}};
  return table;
}

const Fields<ValidateMultistagePoint>& validated_multistage_results() {
  using Point = ValidateMultistagePoint;
  static const Fields<Point> fields{
      {{"underestimated_rows", "underestimates", "", Shape::whole,
        "rows in which the model has more throughput or less delay than the interval of the simulation"},
       [](const Point& of) { return of.second.tally.underestimates(); }},
      {{"rows_judged", "rows judged", "", Shape::whole, "quantities with a verdict"},
       [](const Point& of) { return of.second.tally.judged(); }},
      {simulation_fields(), simulated_of<Point>}};
  return fields;
}

std::string verdict_of_all(const std::vector<ValidateMultistagePoint>& points) {
  std::vector<Tally> tallies;
  for (const ValidateMultistagePoint& point : points) tallies.push_back(point.second.tally);
  return conclusion(tallies, "the model");
}

std::vector<std::string> notes(const std::vector<ValidateMultistagePoint>& points) {
  std::vector<std::string> notes;
  if (points.size() > 1)
    notes.push_back(fmt::format("Simulated: {}.", batches_in_words(validated_runs(points))));
  notes.push_back(
      "inside: within the 95 % interval of the simulation; throughput above and delays below it are "
      "underestimates of congestion. Error: model / simulation - 1.");
  return notes;
}

Picture picture(const Document& document, const std::vector<ValidateMultistagePoint>& points,
                MultistageCurve curve) {
  DrawnFlow simulation{.name = "simulation", .style = CurveStyle::bars, .throughput = {}, .delay = {}};
  DrawnFlow model{.name = "model",
                  .style = CurveStyle::line,
                  .throughput = {},
                  .delay = {},
                  .at_load = [all = share(points)](std::size_t i, const numeric::Rational& load) {
                    const answers::SimulateMultistageQuery& query = (*all)[i].first.simulation;
                    return modelled_flow({query.network, load, query.service});
                  }};
  for (const ValidateMultistagePoint& point : points) {
    const ValidateMultistageAnswer& answer = point.second;
    simulation.throughput.push_back(shown(answer.simulation.throughput));
    simulation.delay.push_back(shown(answer.simulation.delay));
    model.throughput.push_back(shown(answer.model.throughput));
    model.delay.push_back(shown(answer.model.delay));
  }
  return flow_picture(document, title(points), curve, {simulation, model},
                      "simulation with 95 % intervals; the model is approximate");
}

}  // namespace

Layout validate_multistage_layout() {
  Layout layout{.command = "validate multistage", .inputs = {}, .results = {}};
  layout.inputs = simulated_combining_fields().columns();
  layout.results = validated_multistage_results().columns();
  layout.tables = {quantity_table().layout()};
  layout.quiet = {"underestimated_rows"};
  return layout;
}

Document document(const std::vector<ValidateMultistagePoint>& points, std::size_t requested,
                  MultistageCurve curve) {
  const auto result_of = [](const ValidateMultistagePoint& point) -> Result {
    const auto& [query, answer] = point;
    return {.inputs = simulated_combining_fields().cells(query.simulation),
            .cells = validated_multistage_results().cells(point),
            .tables = {quantity_table().rows(share(rows_of(answer)))},
            .lines = simulation_lines(answer.simulation.simulated)};
  };
  Document document = validated_document(
      validate_multistage_layout(), Headline::without_numbers(verdict_of_all(points) + "."),
      capitalized(title(points)) + "; model and simulation", notes(points), points, requested, result_of,
      [points, curve](const Document& drawn) { return picture(drawn, points, curve); });
  if (points.size() > 1)
    for (Result& result : document.results)
      result.tables.front().caption = "At " + point_in_words(document, result) + ":";
  return document;
}

}  // namespace tailbound::render
