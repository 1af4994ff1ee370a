#include <fmt/format.h>
#include <tailbound/core/error.hpp>
#include <tailbound/numeric/rational.hpp>
#include <tailbound/render/documents/crossbar/simulate_crossbar.hpp>
#include <tailbound/render/documents/parts/simulation.hpp>
#include <tailbound/render/documents/parts/units.hpp>
#include <tailbound/render/documents/simulation/simulate_tree.hpp>
#include <tailbound/render/sweep_picture.hpp>

#include <memory>

namespace tailbound::render {
namespace {

using namespace answers;
using RareCrossbarPoint = SimulateRareCrossbarPoint;

const Fields<SimulateRareCrossbarQuery>& rare_crossbar_input_fields() {
  using Query = SimulateRareCrossbarQuery;
  static const Fields<Query> fields{
      {{"of", "of", "", Shape::text, "--rare: whose packets are counted: input, or voq"}, &Query::of},
      {{"rare", "rare", "", Shape::given,
        "--rare: the level n, at least 1; or a probability below 1, the target for P(> n)"},
       [](const Query& of) {
         return std::holds_alternative<Packets>(of.rare) ? numeric::Rational(std::get<Packets>(of.rare).value)
                                                         : std::get<numeric::Rational>(of.rare);
       }}};
  return fields;
}

const Fields<RareCrossbarPoint>& rare_crossbar_result_fields() {
  static const Fields<RareCrossbarPoint> fields{
      {{"level", "n", "packets", Shape::whole, "--rare: n of P(> n)"},
       [](const RareCrossbarPoint& of) { return of.second.level; }},
      {{"probability", "P(> n)", "", Shape::estimate, "--rare: P(> level) of an input, or a VOQ"},
       [](const RareCrossbarPoint& of) { return of.second.probability; }},
      {{"method", "method", "", Shape::text, "--rare: splitting", Style::hidden},
       [](const RareCrossbarPoint&) { return "splitting"; }}};
  return fields;
}

const char* crossbar_queue_in_words(const SimulateRareCrossbarQuery& query) {
  return query.of == sim::CrossbarQueue::input ? "input" : "VOQ";
}

std::string rare_crossbar_title(const std::vector<RareCrossbarPoint>& points) {
  std::vector<const sim::CrossbarModel*> models;
  for (const RareCrossbarPoint& point : points) models.push_back(&point.first.model);
  return capitalized(in_words(models));
}

}  // namespace

std::vector<Column> rare_crossbar_columns() {
  return rare_crossbar_result_fields().columns();
}
std::vector<Column> rare_crossbar_inputs() {
  return rare_crossbar_input_fields().columns();
}

Cells inputs_of(const SimulateRareCrossbarQuery& query, const Units& units) {
  return joined(joined(crossbar_fields().cells(query.model), rare_crossbar_input_fields().cells(query)),
                unit_fields().cells(units));
}

Document document(std::vector<RareCrossbarPoint> points, std::size_t requested, const Units& units) {
  Layout layout = simulate_crossbar_layout();
  layout.quiet = {"level", "probability"};
  const std::string title = rare_crossbar_title(points);
  Document document{.layout = std::make_shared<const Layout>(std::move(layout)),
                    .headline = {},
                    .settings = title + ".",
                    .results = {}};
  std::vector<const Simulated*> runs;
  for (const RareCrossbarPoint& point : points) {
    Result& result = document.results.emplace_back();
    result.inputs = inputs_of(point.first, units);
    result.cells =
        joined(rare_crossbar_result_fields().cells(point), simulation_fields().cells(point.second.simulated));
    runs.push_back(&point.second.simulated);
  }
  const auto& [query, answer] = points.front();
  if (points.size() == 1) {
    document.headline = {fmt::format("P({} > {})", crossbar_queue_in_words(query), answer.level.value),
                         brief(shown(answer.probability)),
                         "",
                         {shown(answer.probability)}};
    document.results.front().lines = rare_lines(answer);
    document.notes.push_back(
        fmt::format("Packets of one {} just after the arrivals of a slot.", crossbar_queue_in_words(query)));
  } else {
    document.headline = {"P(> n)", range_in_words(document, "probability"), "",
                         values_of(document, "probability")};
    document.notes.push_back(
        fmt::format("Packets of one input, or VOQ, just after the arrivals of a slot. Estimates with 95 % "
                    "intervals from {}.",
                    batches_in_words(runs)));
  }
  document = with_units(std::move(document), scale_of(units));
  mark_stopped(document, runs, requested);
  document.picture = [document, title] {
    return sweep_picture(
        document,
        {.axes = {"rare", "load", "speedup", "iterations", "burst", "inputs", "outputs"},
         .height = "probability",
         .powers_of_ten = true},
        {.title = title, .x_label = {}, .y_label = "P(> n)", .note = "simulation, 95 % intervals"});
  };
  return document;
}

}  // namespace tailbound::render
