#include <fmt/format.h>
#include <tailbound/core/error.hpp>
#include <tailbound/numeric/rational.hpp>
#include <tailbound/numeric/text/plain.hpp>
#include <tailbound/render/documents/buffer/buffer_columns.hpp>
#include <tailbound/render/documents/parts/comparison.hpp>
#include <tailbound/render/documents/parts/simulation.hpp>
#include <tailbound/render/documents/parts/units.hpp>
#include <tailbound/render/documents/parts/validated.hpp>
#include <tailbound/render/documents/validation/validate_sized_buffer.hpp>
#include <tailbound/render/documents/validation/validate_switch.hpp>

#include <algorithm>
#include <memory>
#include <string>

namespace tailbound::render {
namespace {

using namespace answers;
using numeric::plain;

using SizedBufferPoints = std::vector<ValidateSizedBufferPoint>;

bool of_losses(const SizedBufferPoints& points) {
  return points.front().first.capacity.has_value();
}

/// Is an upper bound compared instead of the value itself?
bool bound_only(const ValidateSizedBufferPoint& point) {
  return std::holds_alternative<numeric::UpperBound<unit::Probability>>(
      *point.second.memories.front().measure.predicted);
}

/// "the bound" if there is nothing else.
std::string predicted_name(const SizedBufferPoints& points) {
  return std::all_of(points.begin(), points.end(), bound_only) ? "bound" : "analysis";
}

/// Without its buffer.
std::string queue_in_words(const ValidateSizedBufferQuery& query) {
  return fmt::format(
      "{} at load {}, packets of {} in cells of {} bytes, {}", counted(query.inputs, "input"),
      plain(query.load), query.cells.name, query.cells.cell_bytes,
      query.arrive == CellArrival::whole ? "all cells of a packet in one slot" : "cell by cell");
}

bool of_one_queue(const SizedBufferPoints& points) {
  return std::all_of(points.begin(), points.end(), [&](const ValidateSizedBufferPoint& point) {
    return queue_in_words(point.first) == queue_in_words(points.front().first);
  });
}

std::string title(const SizedBufferPoints& points) {
  return fmt::format("{}, {} and simulation: {}", of_losses(points) ? "Losses" : "Occupancy",
                     predicted_name(points) == "bound" ? "proof" : "analysis",
                     of_one_queue(points) ? queue_in_words(points.front().first)
                                          : "output queues, packets of several sizes");
}

const Fields<ValidateSizedBufferQuery>& validated_sizes_inputs() {
  using Query = ValidateSizedBufferQuery;
  static const Fields<Query> fields{
      {{"traffic", "traffic", "", Shape::text, "bernoulli", Style::hidden},
       [](const Query&) { return "bernoulli"; }},
      {{"inputs", "inputs", "", Shape::whole, "of the switch"}, [](const Query& of) { return of.inputs; }},
      {{"load", "load", "cells/slot", Shape::given, "load of each queue and input"},
       [](const Query& of) { return of.load; }},
      {{"sizes", "sizes", "", Shape::text,
        "packet sizes: imix, a list or a file; with sizes all counts are in cells"},
       [](const Query& of) { return of.cells.name; }},
      {{"cell_bytes", "cell", "bytes", Shape::whole, "--sizes: bytes in a cell"},
       [](const Query& of) { return of.cells.cell_bytes; }},
      {{"arrive", "arrive", "", Shape::text,
        "--sizes: whole, all cells of a packet in one slot; or cells, one per slot"},
       [](const Query& of) { return of.arrive; }},
      {{"capacity", "capacity", "cells", Shape::whole, "--sizes: B, of which the losses are compared"},
       [](const Query& of) { return of.capacity; },
       if_present}};
  return fields;
}

const Fields<ValidateSizedBufferPoint>& validated_sizes_results() {
  using Point = ValidateSizedBufferPoint;
  static const Fields<Point> fields{{mean_fields("mean of Q", "cells", "mean occupancy by analysis"),
                                     [](const Point& of) { return of.second.mean; }},
                                    {judged_fields(), judged},
                                    {simulation_fields(), simulated_of<Point>}};
  return fields;
}

std::vector<std::string> notes(const SizedBufferPoints& points) {
  std::vector<std::string> notes;
  const bool bound = std::any_of(points.begin(), points.end(), bound_only);
  notes.push_back(fmt::format(
      "Q: cells just after the arrivals of a slot, cell in service included. {}{}{}",
      of_losses(points) ? "A packet that does not fit counts as lost; the cells that fit are kept. " : "",
      bound ? "The bound is proved; the geometric approximation is not. " : "", verdicts_in_words()));
  return notes;
}

Picture picture(const Document& document, const SizedBufferPoints& points) {
  Picture picture{.title = title(points),
                  .x_label = {},
                  .y_label = "mean of Q [cells]",
                  .note = "simulation with the intervals of each point's rows"};
  if (!of_one_queue(points)) {
    if (of_losses(points))
      throw NoAnswer(
          "a picture of losses shows one queue; give one of --inputs, --load, --cell-bytes and --arrive");
    return validated_sweep(document, {"load", "inputs", "cell_bytes"}, "mean_prediction", "mean_simulation",
                           std::move(picture));
  }
  picture.x_label = of_losses(points) ? "buffer B [cells]" : "n [cells]";
  picture.y_label = of_losses(points) ? "fraction of cells lost" : "P(Q > n)";
  picture.note += "; " + in_words(points.front().second.simulation.simulated);
  picture.powers_of_ten = true;
  std::vector<const ValidateSwitchAnswer*> answers;
  for (const ValidateSizedBufferPoint& point : points) answers.push_back(&point.second);
  picture.curves = memory_curves(answers, predicted_name(points).c_str());
  return picture;
}

}  // namespace

Layout with_validated_sizes(Layout buffer) {
  add_missing(buffer.inputs, validated_sizes_inputs().columns());
  add_missing(buffer.results, validated_sizes_results().columns());
  add_missing(buffer.tables.front().columns, memory_table("analysis").fields.columns());
  return buffer;
}

Cells inputs_of(const ValidateSizedBufferQuery& query) {
  return validated_sizes_inputs().cells(query);
}

Document document(std::vector<ValidateSizedBufferPoint> given, std::size_t requested) {
  const auto points = std::make_shared<const SizedBufferPoints>(std::move(given));
  const Table<ValidatedRow> table = memory_table(predicted_name(*points));
  Layout layout{.command = "validate buffer",
                .inputs = validated_sizes_inputs().columns(),
                .results = validated_sizes_results().columns(),
                .tables = {table.layout()},
                .quiet = {"what", "prediction", "simulation", "verdict"},
                .quiet_table = "rows"};
  const auto result_of = [&table](const ValidateSizedBufferPoint& point) -> Result {
    const auto& [query, answer] = point;
    const std::string predicted = bound_only(point) ? "the bound" : "the analysis";
    const MemoryRowNames names{.losses = query.capacity.has_value(),
                               .cells = true,
                               .letter = 'Q',
                               .tail = "occupancy_tail",
                               .mean = "mean_occupancy"};
    return {.inputs = inputs_of(query),
            .cells = validated_sizes_results().cells(point),
            .tables = {table.rows(memory_rows(answer, names))},
            .lines = validated_lines(point),
            .caption = queue_in_words(query) + ": " + conclusion(answer.tally, predicted)};
  };
  return validated_document(std::move(layout), headline_of(*points, "the " + predicted_name(*points)),
                            title(*points), notes(*points), *points, requested, result_of,
                            [points](const Document& document) { return picture(document, *points); });
}

}  // namespace tailbound::render
