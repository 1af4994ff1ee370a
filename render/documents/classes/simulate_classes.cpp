#include <fmt/format.h>
#include <fmt/ranges.h>
#include <tailbound/core/choice.hpp>
#include <tailbound/core/error.hpp>
#include <tailbound/numeric/rational.hpp>
#include <tailbound/numeric/text/plain.hpp>
#include <tailbound/render/documents/classes/simulate_classes.hpp>
#include <tailbound/render/documents/parts/simulation.hpp>
#include <tailbound/render/documents/parts/traffic.hpp>
#include <tailbound/render/documents/parts/units.hpp>
#include <tailbound/render/sweep_picture.hpp>

#include <algorithm>
#include <memory>

namespace tailbound::render {
namespace {

using namespace answers;
using numeric::plain;
using numeric::Rational;
using sim::ClassEstimates;
using sim::ClassModel;
using sim::Schedule;

std::vector<Rational> capacities_of(const ClassModel& model) {
  std::vector<Rational> capacities;
  for (const std::int64_t capacity : model.capacities) capacities.push_back(Rational(capacity));
  return capacities;
}

const Fields<ClassModel>& class_model_inputs() {
  using Model = ClassModel;
  static const Fields<Model> fields{
      {{"inputs", "inputs", "", Shape::whole,
        "K inputs, each at most one packet per slot; absent with a joint law"},
       &Model::inputs,
       [](const Model& of) { return of.joint.empty(); }},
      {{"class_loads", "loads of the classes", "packets/slot", Shape::givens,
        "of all classes, class 1 first"},
       &Model::loads},
      {{"load", "load", "packets/slot", Shape::given, "load of all classes together"}, &Model::load},
      {burst_fields("an input"), &Model::burst},
      {{"schedule", "schedule", "", Shape::text,
        "strict: class 1 first; wrr, drr: weighted and deficit round robin"},
       &Model::schedule},
      {{"weights", "weights", "", Shape::givens, "weights of wrr and drr, class 1 first"},
       &Model::weights,
       [](const Model& of) { return !of.weights.empty(); }},
      {{"buffers", "buffers", "packets", Shape::givens, "buffers of the classes, if finite"},
       &capacities_of,
       [](const Model& of) { return of.finite(); }}};
  return fields;
}

/// For one output with any traffic.
const Fields<SimulateClassesQuery>& output_inputs() {
  using Query = SimulateClassesQuery;
  static const Fields<Query> fields{{traffic_fields(), &Query::traffic},
                                    {{"capacity", "capacity", "packets", Shape::whole,
                                      "buffer, of each class, the packet in service included"},
                                     [](const Query& of) { return of.model.capacities.front(); },
                                     [](const Query& of) { return of.model.finite(); }}};
  return fields;
}

/// One class of a point.
struct ClassOf {
  const SimulateClassesPoint& point;
  std::size_t which;

  [[nodiscard]] const ClassEstimates& found() const { return point.second.classes[which]; }
};

const Table<ClassOf>& classes_table() {
  static const Table<ClassOf> table{
      "classes",
      "results per class",
      {{{"class", "class", "", Shape::whole, "class 1 is served first"},
        [](const ClassOf& of) { return of.which + 1; }},
       {{"load", "load", "packets/slot", Shape::given, "offered load"},
        [](const ClassOf& of) { return of.point.first.model.loads[of.which]; }},
       {{"served", "served", "packets/slot", Shape::estimate, "served load"},
        [](const ClassOf& of) { return of.found().served; }},
       {{"mean_occupancy", "mean occupancy", "packets", Shape::estimate, "just after the arrivals of a slot"},
        [](const ClassOf& of) { return of.found().mean_occupancy; }},
       {{"mean_wait_slots", "mean wait", "slots", Shape::estimate,
         "service excluded; null if none was served"},
        [](const ClassOf& of) { return of.found().mean_wait; }},
       {{"loss", "lost", "", Shape::estimate, "fraction of its packets lost, if buffers are finite"},
        [](const ClassOf& of) { return of.found().loss; },
        [](const ClassOf& of) { return of.point.first.model.finite(); }},
       {{"packets", "packets", "", Shape::whole, "packets that arrived while measured"},
        [](const ClassOf& of) { return of.found().packets; }}}};
  return table;
}

/// A level or a percentile of a class.
struct ClassPlace {
  const SimulateClassesQuery& query;
  const ClassEstimates& found;
  std::size_t which, at;
};

const Column place_of_class{"class", "class", "", Shape::whole, "class number"};

const Table<ClassPlace>& wait_percentiles() {
  static const Table<ClassPlace> table{
      "percentiles",
      "of the waits, one row per class and percentile",
      {{place_of_class, [](const ClassPlace& of) { return of.which + 1; }},
       {{"percentile", "percentile", "%", Shape::given, "p in percent"},
        [](const ClassPlace& of) { return Rational(of.query.percentiles[of.at] * 100); }},
       {{"wait_slots", "wait", "slots", Shape::estimate, "smallest t with P(W <= t) >= p"},
        [](const ClassPlace& of) { return of.found.percentiles[of.at].wait; }}}};
  return table;
}

const Table<ClassPlace>& class_tails() {
  const auto bound = [](const char* key, const char* heading, const char* meaning, auto member) {
    return Fields<ClassPlace>::Part(
        Column{key, heading, "", Shape::estimate, meaning},
        [member](const ClassPlace& of) { return (of.found.*member)[of.at].probability; },
        [member](const ClassPlace& of) { return !(of.found.*member).empty(); });
  };
  static const Table<ClassPlace> table{
      "tail",
      "occupancy just after the arrivals of a slot and wait of each class, one row per class and level",
      {{place_of_class, [](const ClassPlace& of) { return of.which + 1; }},
       {{"level", "n", "", Shape::whole, "n [packets, slots]"},
        [](const ClassPlace& of) { return of.found.occupancy[of.at].level; }},
       bound("first", "served first",
             "P(L > n) if the class were served first in the same slots: a lower bound",
             &ClassEstimates::alone),
       {{"occupancy", "P(L > n)", "", Shape::estimate, "P(L > n)"},
        [](const ClassPlace& of) { return of.found.occupancy[of.at].probability; }},
       bound("last", "served last", "P(L > n) if the class were served last: an upper bound",
             &ClassEstimates::last),
       {{"occupancy_count", "observed", "", Shape::whole, "observations [slots]", Style::hidden},
        [](const ClassPlace& of) { return of.found.occupancy[of.at].count; }},
       {{"wait", "P(W > n)", "", Shape::estimate, "P(W > n slots); null if no packet was served"},
        [](const ClassPlace& of) {
          return of.found.wait.empty() ? std::optional<numeric::Estimate<unit::Probability>>()
                                       : of.found.wait[of.at].probability;
        }}}};
  return table;
}

Rows rows_of(const Shared<SimulateClassesPoint>& points, std::size_t at, const Table<ClassPlace>& table,
             std::size_t size) {
  return table.rows(size * (*points)[at].second.classes.size(), [points, at, size](std::size_t i) {
    return ClassPlace{(*points)[at].first, (*points)[at].second.classes[i / size], i / size, i % size};
  });
}

std::vector<Rows> class_rows(const Shared<SimulateClassesPoint>& points, std::size_t at) {
  const auto& [query, answer] = (*points)[at];
  std::vector<Rows> tables{classes_table().rows(answer.classes.size(), [points, at](std::size_t i) {
    return ClassOf{(*points)[at], i};
  })};
  tables.push_back(rows_of(points, at, class_tails(), answer.classes.front().occupancy.size()));
  if (const std::size_t size = query.percentiles.size();
      size > 0 && std::all_of(answer.classes.begin(), answer.classes.end(),
                              [&](const ClassEstimates& its) { return its.percentiles.size() == size; }))
    tables.push_back(rows_of(points, at, wait_percentiles(), size));
  const bool few = points->size() == 1;
  for (std::size_t i = 1; i < tables.size(); ++i) tables[i].in_text = few;
  tables.front().in_text = true;
  return tables;
}

std::string schedule_in_words(const ClassModel& model) {
  if (model.schedule == Schedule::strict) return "strict priority";
  std::vector<std::string> weights;
  for (const Rational& weight : model.weights) weights.push_back(plain(weight));
  return fmt::format("{} round robin with weights {}",
                     model.schedule == Schedule::wrr ? "weighted" : "deficit", fmt::join(weights, ", "));
}

std::string title(const std::vector<SimulateClassesPoint>& points) {
  if (points.front().first.traffic) {
    std::vector<const Traffic*> all;
    for (const SimulateClassesPoint& point : points) all.push_back(&*point.first.traffic);
    return "output queue, " + in_words(*all.front(), all);
  }
  const ClassModel& model = points.front().first.model;
  std::vector<std::string> loads;
  for (const Rational& load : model.loads) loads.push_back(plain(load));
  std::string text =
      fmt::format("{} at loads {}", loads.size() == 1 ? "one class" : fmt::format("{} classes", loads.size()),
                  fmt::join(loads, ", "));
  if (model.burst) text += fmt::format(", bursts of {} slots", plain(model.burst->slots));
  const bool one_schedule = std::all_of(points.begin(), points.end(), [&](const SimulateClassesPoint& point) {
    return schedule_in_words(point.first.model) == schedule_in_words(model);
  });
  return one_schedule ? text + ", " + schedule_in_words(model) : text;
}

std::vector<const Simulated*> class_runs(const std::vector<SimulateClassesPoint>& points) {
  std::vector<const Simulated*> runs;
  for (const SimulateClassesPoint& point : points) runs.push_back(&point.second.simulated);
  return runs;
}

/// The mean wait of each class, or of several points how many they are.
Headline classes_headline(const std::vector<SimulateClassesPoint>& points) {
  const bool one_class = points.front().second.classes.size() == 1;
  if (points.size() > 1)
    return Headline::without_numbers(fmt::format("Waits and occupancies{} at {} settings.",
                                                 one_class ? "" : " of the classes", points.size()));
  std::vector<std::string> waits;
  std::vector<Value> quoted;
  for (const ClassEstimates& its : points.front().second.classes) {
    waits.push_back(its.mean_wait ? fmt::format("{:.4g}", its.mean_wait->value) : "-");
    quoted.push_back(shown(its.mean_wait));
  }
  return {one_class ? "Mean wait:" : "Mean wait by class:", fmt::format("{} slots", fmt::join(waits, ", ")),
          "", quoted};
}

std::vector<std::string> class_notes(const std::vector<SimulateClassesPoint>& points) {
  std::vector<std::string> notes{
      fmt::format("Estimates with {:g} % intervals from {}. L: packets of a class just after the arrivals of "
                  "a slot; W: wait, service excluded.",
                  100 * points.front().first.confidence, batches_in_words(class_runs(points)))};
  if (std::any_of(points.begin(), points.end(),
                  [](const auto& point) { return point.first.model.bounded(); }))
    notes.emplace_back(
        "Served first, served last: the same arrivals with the class served before and after all others; for "
        "any weights P(L > n) lies between.");
  return notes;
}

Picture class_picture(const Document& document, const std::vector<SimulateClassesPoint>& points) {
  Picture picture{.title = "Occupancy of " + title(points),
                  .x_label = "n [packets]",
                  .y_label = "P(L > n)",
                  .note = "simulation, 95 % intervals: " + in_words(points.front().second.simulated),
                  .powers_of_ten = true};
  for (std::size_t i = 0; i < points.size(); ++i) {
    const auto& [query, answer] = points[i];
    const std::string where = points.size() > 1 ? ", " + document.results[i].caption : "";
    const std::vector<ClassEstimates> whole = whole_tails(query, answer);
    for (std::size_t c = 0; c < whole.size(); ++c) {
      Curve curve{.title = fmt::format("class {}{}", c + 1, where), .style = CurveStyle::bars};
      for (const sim::LevelEstimate& level : whole[c].occupancy)
        if (level.count > 0)
          add_point(curve, static_cast<double>(level.level), shown(level.probability), true);
      if (!curve.points.empty()) picture.curves.push_back(std::move(curve));
    }
  }
  if (picture.curves.empty()) throw NoAnswer("nothing to draw: no packet arrived");
  return picture;
}

}  // namespace

Layout simulate_buffer_layout() {
  Layout layout = simulate_classes_layout();
  layout.command = "simulate buffer";
  layout.inputs = joined(output_inputs().columns(), unit_fields().columns());
  return layout;
}

Layout simulate_classes_layout() {
  return {.command = "simulate classes",
          .inputs = joined(class_model_inputs().columns(), unit_fields().columns()),
          .results = simulation_fields().columns(),
          .tables = {classes_table().layout(), class_tails().layout(), wait_percentiles().layout()},
          .quiet = {},
          .quiet_table = "classes"};
}

Cells inputs_of(const SimulateClassesQuery& query, const Units& units) {
  return joined(query.traffic ? output_inputs().cells(query) : class_model_inputs().cells(query.model),
                unit_fields().cells(units));
}

Document document(std::vector<SimulateClassesPoint> given, std::size_t requested, const Units& units) {
  const auto points = share(std::move(given));
  const bool output = points->front().first.traffic.has_value();
  Document document{
      .layout = std::make_shared<const Layout>(output ? simulate_buffer_layout() : simulate_classes_layout()),
      .headline = classes_headline(*points),
      .settings = "Simulation: " + title(*points) + ".",
      .results = {},
      .notes = class_notes(*points)};
  for (std::size_t i = 0; i < points->size(); ++i) {
    const auto& [query, answer] = (*points)[i];
    Result& result = document.results.emplace_back();
    result.inputs = inputs_of(query, units);
    result.cells = simulation_fields().cells(answer.simulated);
    result.tables = class_rows(points, i);
    if (points->size() == 1) result.lines = simulation_lines(answer.simulated);
  }
  if (points->size() > 1)
    for (Result& result : document.results) result.caption = point_title(document, result);
  document = with_units(std::move(document), scale_of(units));
  mark_stopped(document, class_runs(*points), requested);
  document.picture = [document, points] { return class_picture(document, *points); };
  return document;
}

}  // namespace tailbound::render
