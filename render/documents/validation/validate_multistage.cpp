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

/// One quantity by simulation and both variants.
struct VariantsRow {
  const char* quantity = nullptr;
  ShownComparison blocking;
  std::optional<ShownComparison> published{};
};

template <class Unit>
VariantsRow row(const char* quantity, const ComparedVariants<Unit>& compared) {
  return {quantity, compared.blocking, compared.published};
}

std::vector<VariantsRow> rows_of(const ValidateMultistageAnswer& answer) {
  std::vector<VariantsRow> rows{row("throughput", answer.throughput)};
  if (answer.delay) rows.push_back(row("delay", *answer.delay));
  if (answer.hot_delay) rows.push_back(row("hot_delay", *answer.hot_delay));
  if (answer.cold_delay) rows.push_back(row("cold_delay", *answer.cold_delay));
  return rows;
}

Fields<ShownComparison> variant_fields(const std::string& variant) {
  return {{{variant, variant, "", Shape::model,
            "value of that variant of the model; published covers only --links any", Style::plain, 4},
           &ShownComparison::predicted},
          {error_column(variant + "_error"), &ShownComparison::error},
          {verdict_column(variant + "_verdict", "is"),
           [](const ShownComparison& of) { return verdict_name(of.verdict); }}};
}

const Table<VariantsRow>& variants_table() {
  static const Table<VariantsRow> table{
      "rows",
      "one row per quantity: the simulation and each variant of the model that covers such links",
      {{{"quantity", "quantity", "", Shape::text, "throughput, delay, hot_delay or cold_delay"},
        &VariantsRow::quantity},
       {{"simulation", "simulation", "", Shape::estimate, "by simulation"},
        [](const VariantsRow& of) { return of.blocking.simulated; }},
       {variant_fields("blocking"), &VariantsRow::blocking},
       {variant_fields("published"), &VariantsRow::published}}};
  return table;
}

const Fields<ValidateMultistagePoint>& validated_multistage_results() {
  using Point = ValidateMultistagePoint;
  static const Fields<Point> fields{
      {{"optimistic_rows", "underestimates", "", Shape::whole,
        "rows in which blocking has more throughput or less delay than the interval of the simulation"},
       [](const Point& of) { return of.second.of_blocking.underestimates(); }},
      {{"rows_judged", "rows judged", "", Shape::whole, "quantities with a verdict"},
       [](const Point& of) { return of.second.of_blocking.judged(); }},
      {simulation_fields(), simulated_of<Point>}};
  return fields;
}

/// The published variant has no output conflicts.
bool has_published(const std::vector<ValidateMultistagePoint>& points) {
  return std::any_of(points.begin(), points.end(),
                     [](const ValidateMultistagePoint& point) { return point.second.published.has_value(); });
}

std::string verdict_of_all(const std::vector<ValidateMultistagePoint>& points) {
  std::vector<Tally> tallies;
  for (const ValidateMultistagePoint& point : points) tallies.push_back(point.second.of_blocking);
  return conclusion(tallies, "the model (blocking)");
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
  const auto at_load = [all = share(points)](bounds::multistage::Variant variant) {
    return [all, variant](std::size_t i, const numeric::Rational& load) {
      const answers::SimulateMultistageQuery& query = (*all)[i].first.simulation;
      return modelled_flow({query.network, load, query.service}, variant);
    };
  };
  using bounds::multistage::Variant;
  DrawnFlow blocking{.name = "blocking",
                     .style = CurveStyle::line,
                     .throughput = {},
                     .delay = {},
                     .at_load = at_load(Variant::blocking)};
  DrawnFlow published{.name = "published",
                      .style = CurveStyle::dashed,
                      .throughput = {},
                      .delay = {},
                      .at_load = at_load(Variant::published)};
  for (const ValidateMultistagePoint& point : points) {
    const ValidateMultistageAnswer& answer = point.second;
    simulation.throughput.push_back(shown(answer.simulation.throughput));
    simulation.delay.push_back(shown(answer.simulation.delay));
    blocking.throughput.push_back(shown(answer.blocking.throughput));
    blocking.delay.push_back(shown(answer.blocking.delay));
    published.throughput.push_back(answer.published ? shown(answer.published->throughput) : Value(None{}));
    published.delay.push_back(answer.published ? shown(answer.published->delay) : Value(None{}));
  }
  std::vector<DrawnFlow> flows{simulation, blocking};
  if (has_published(points)) flows.push_back(published);
  return flow_picture(document, title(points), curve, flows,
                      "simulation with 95 % intervals; the models are approximate");
}

}  // namespace

Layout validate_multistage_layout() {
  Layout layout{.command = "validate multistage", .inputs = {}, .results = {}};
  layout.inputs = simulated_combining_fields().columns();
  layout.results = validated_multistage_results().columns();
  layout.tables = {variants_table().layout()};
  layout.quiet = {"optimistic_rows"};
  return layout;
}

Document document(const std::vector<ValidateMultistagePoint>& points, std::size_t requested,
                  MultistageCurve curve) {
  const auto result_of = [](const ValidateMultistagePoint& point) -> Result {
    const auto& [query, answer] = point;
    return {.inputs = simulated_combining_fields().cells(query.simulation),
            .cells = validated_multistage_results().cells(point),
            .tables = {variants_table().rows(share(rows_of(answer)))},
            .lines = simulation_lines(answer.simulation.simulated)};
  };
  Document document = validated_document(
      validate_multistage_layout(), Headline::without_numbers(verdict_of_all(points) + "."),
      capitalized(title(points)) +
          (has_published(points) ? "; two models and simulation" : "; model and simulation"),
      notes(points), points, requested, result_of,
      [points, curve](const Document& drawn) { return picture(drawn, points, curve); });
  if (points.size() > 1)
    for (Result& result : document.results)
      result.tables.front().caption = "At " + point_in_words(document, result) + ":";
  return document;
}

}  // namespace tailbound::render
