#include <fmt/format.h>
#include <tailbound/core/choice.hpp>
#include <tailbound/core/error.hpp>
#include <tailbound/numeric/text/plain.hpp>
#include <tailbound/render/documents/parts/comparison.hpp>
#include <tailbound/render/documents/parts/simulation.hpp>
#include <tailbound/render/documents/parts/units.hpp>
#include <tailbound/render/documents/parts/validated.hpp>
#include <tailbound/render/documents/validation/validate_switch.hpp>
#include <tailbound/render/sweep_picture.hpp>

#include <algorithm>
#include <map>
#include <memory>

namespace tailbound::render {
namespace {

using namespace answers;
using bounds::Criterion;
using numeric::plain;

bool of_losses(const std::vector<ValidateSwitchPoint>& points) {
  return points.front().first.criterion == Criterion::loss;
}

std::string switch_in_words(const ValidateSwitchQuery& query) {
  return fmt::format(
      "{} x {} switch at load {}{}{}", query.traffic.inputs, query.outputs, plain(query.traffic.load),
      query.cells
          ? fmt::format(", packets of {} in cells of {} bytes", query.cells->name, query.cells->cell_bytes)
          : "",
      query.threshold ? ", dynamic threshold " + plain(*query.threshold) : "");
}

template <class Key>
bool same(const std::vector<ValidateSwitchPoint>& points, const Key& key) {
  return std::all_of(points.begin(), points.end(),
                     [&](const ValidateSwitchPoint& point) { return key(point) == key(points.front()); });
}

std::string title(const std::vector<ValidateSwitchPoint>& points) {
  const bool one =
      same(points, [](const ValidateSwitchPoint& point) { return switch_in_words(point.first); });
  return fmt::format("{} of a shared memory, proof and simulation: {}",
                     of_losses(points) ? "Losses" : "Occupancy",
                     one ? switch_in_words(points.front().first) : "several switches");
}

const Fields<ValidateSwitchQuery>& validated_switch_inputs() {
  using Query = ValidateSwitchQuery;
  static const Fields<SwitchCells> cells{
      {{"sizes", "sizes", "", Shape::text, "of packets of several cells"}, &SwitchCells::name},
      {{"cell_bytes", "cell", "bytes", Shape::whole, "of these"}, &SwitchCells::cell_bytes}};
  static const Fields<Query> fields{
      {{"inputs", "inputs", "", Shape::whole, "inputs of the switch, 1 to 1024"},
       [](const Query& of) { return of.traffic.inputs; }},
      {{"outputs", "outputs", "", Shape::whole, "of the switch, each with a queue"}, &Query::outputs},
      {{"load", "load", "packets/slot", Shape::given, "of each input; with sizes, of cells"},
       [](const Query& of) { return of.traffic.load; }},
      {{"memory", "memory", "", Shape::whole,
        "M, that all queues share, of losses [packets; with sizes, cells]"},
       [](const Query& of) { return of.memories.front(); },
       [](const Query& of) { return of.criterion == Criterion::loss && of.memories.size() == 1; }},
      {cells, &Query::cells},
      {{"threshold", "threshold", "", Shape::given, "alpha of a dynamic threshold"},
       &Query::threshold,
       if_present},
      {{"criterion", "criterion", "", Shape::text,
        "overflow: P(T > M) with unlimited memory; or loss: fraction of packets lost"},
       &Query::criterion}};
  return fields;
}

const Fields<ValidateSwitchPoint>& validated_switch_results() {
  static const Fields<ValidateSwitchPoint> fields{{judged_fields(), judged},
                                                  {simulation_fields(), simulated_of<ValidateSwitchPoint>}};
  return fields;
}

std::vector<std::string> notes(const std::vector<ValidateSwitchPoint>& points) {
  std::vector<std::string> notes;
  const bool cells = points.front().first.cells.has_value();
  notes.push_back(fmt::format(
      "T: {} in all queues just after the arrivals of a slot, those in service included. The bound is "
      "proved; the approximation is not. {}{}",
      cells ? "cells" : "packets",
      cells ? "A packet is lost if any of its cells is; all arrive in one slot. " : "", verdicts_in_words()));
  return notes;
}

/// Of numbers against memory; an estimate is drawn with its interval.
Curve curve_of(const char* title, CurveStyle style, const std::vector<const ValidateSwitchAnswer*>& answers,
               const auto& height) {
  std::multimap<std::int64_t, Value> heights;
  for (const ValidateSwitchAnswer* answer : answers)
    for (const ComparedMemory& row : answer->memories)
      if (std::optional<Value> value = height(row)) heights.emplace(row.memory.value, *std::move(value));
  Curve curve{.title = title, .style = style};
  for (const auto& [memory, value] : heights) add_point(curve, static_cast<double>(memory), value, true);
  return curve;
}

Picture picture(const std::vector<ValidateSwitchPoint>& points) {
  if (!same(points, [](const ValidateSwitchPoint& point) { return switch_in_words(point.first); }))
    throw NoAnswer("a picture shows one switch; give one of --inputs, --outputs, --load and --threshold");
  Picture picture{.title = title(points),
                  .x_label = fmt::format("memory M [{}]", points.front().first.cells ? "cells" : "packets"),
                  .y_label = of_losses(points) ? fmt::format("fraction of {} lost",
                                                             points.front().first.cells ? "cells" : "packets")
                                               : "P(T > M)",
                  .note = "95 % intervals; " + in_words(points.front().second.simulation.simulated),
                  .powers_of_ten = true};
  std::vector<const ValidateSwitchAnswer*> answers;
  for (const ValidateSwitchPoint& point : points) answers.push_back(&point.second);
  picture.curves = memory_curves(answers, "bound, proved");
  return picture;
}

}  // namespace

Shared<ValidatedRow> memory_rows(const ValidateSwitchAnswer& answer, const MemoryRowNames& names) {
  const bool of_cells = names.losses && names.cells;
  const char* quantity = !names.losses ? names.tail : of_cells ? "cell_loss" : "packet_loss";
  std::vector<ValidatedRow> rows;
  for (const ComparedMemory& row : answer.memories) {
    const std::string symbol = names.losses ? fmt::format("loss({})", row.memory.value)
                                            : fmt::format("P({} > {})", names.letter, row.memory.value);
    rows.push_back({.quantity = quantity,
                    .what = (of_cells ? "cell " : "") + symbol,
                    .level = shown(row.memory),
                    .compared = row.measure,
                    .about = row.about});
    if (row.packets)
      rows.push_back({.quantity = "packet_loss",
                      .what = "packet " + symbol,
                      .level = shown(row.memory),
                      .compared = *row.packets});
  }
  if (answer.mean)
    rows.push_back(
        {.quantity = names.mean, .what = fmt::format("mean of {}", names.letter), .compared = *answer.mean});
  return share(std::move(rows));
}

Table<ValidatedRow> memory_table(const std::string& predicted) {
  static const Fields<ShownComparison> approximation{
      {{"approximation", "approximation", "", Shape::model, "the same, not proved"},
       &ShownComparison::predicted},
      {error_column("approximation_error"), &ShownComparison::error}};
  return {
      "rows",
      "what was compared, a row each",
      {validated_quantity(),
       {{"level", "M", "packets", Shape::whole, "M; null of the mean", Style::hidden}, &ValidatedRow::level},
       {comparison_fields({.predicted = predicted, .counted = true}), &ValidatedRow::compared},
       {approximation, &ValidatedRow::about}}};
}

std::vector<Curve> memory_curves(const std::vector<const ValidateSwitchAnswer*>& answers,
                                 const char* predicted) {
  using Height = std::optional<Value>;
  std::vector<Curve> curves{
      curve_of(predicted, CurveStyle::points, answers,
               [](const ComparedMemory& row) -> Height { return shown(*row.measure.predicted); }),
      curve_of("approximation", CurveStyle::points, answers,
               [](const ComparedMemory& row) -> Height {
                 return row.about ? Height(shown(*row.about->predicted)) : std::nullopt;
               }),
      curve_of("simulation", CurveStyle::points, answers,
               [](const ComparedMemory& row) -> Height { return shown(row.measure.simulated); })};
  std::erase_if(curves, [](const Curve& curve) { return curve.points.empty(); });
  return curves;
}

Layout validate_switch_layout() {
  Layout layout{.command = "validate switch", .inputs = {}, .results = {}};
  layout.inputs = validated_switch_inputs().columns();
  layout.results = validated_switch_results().columns();
  layout.tables = {memory_table("bound").layout()};
  layout.quiet = {"what", "prediction", "simulation", "verdict"};
  layout.quiet_table = "rows";
  return layout;
}

Cells inputs_of(const ValidateSwitchQuery& query) {
  return validated_switch_inputs().cells(query);
}

Document document(std::vector<ValidateSwitchPoint> given, std::size_t requested) {
  const auto points = share(std::move(given));
  const auto result_of = [](const ValidateSwitchPoint& point) -> Result {
    const auto& [query, answer] = point;
    const MemoryRowNames names{.losses = query.criterion == Criterion::loss,
                               .cells = query.cells.has_value()};
    return {.inputs = inputs_of(query),
            .cells = validated_switch_results().cells(point),
            .tables = {memory_table("bound").rows(memory_rows(answer, names))},
            .lines = validated_lines(point),
            .caption = switch_in_words(query) + ": " + conclusion(answer.tally, "the bound")};
  };
  return validated_document(validate_switch_layout(), headline_of(*points, "the bound"), title(*points),
                            notes(*points), *points, requested, result_of,
                            [points](const Document&) { return picture(*points); });
}

}  // namespace tailbound::render
