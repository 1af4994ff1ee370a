#include <fmt/format.h>
#include <tailbound/core/error.hpp>
#include <tailbound/numeric/rational.hpp>
#include <tailbound/numeric/text/plain.hpp>
#include <tailbound/render/documents/buffer/buffer_columns.hpp>
#include <tailbound/render/documents/parts/simulation.hpp>
#include <tailbound/render/documents/parts/units.hpp>
#include <tailbound/render/documents/parts/validated.hpp>
#include <tailbound/render/documents/validation/validate_sized_buffer.hpp>

#include <algorithm>
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
      *point.second.rows.front().probability().predicted);
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

Validation sizes_validation(const std::string& predicted) {
  return {.command = "validate buffer",
          .inputs = validated_sizes_inputs().columns(),
          .predicted = predicted,
          .level_unit = "cells"};
}

std::vector<std::string> notes(const SizedBufferPoints& points) {
  const bool bound = std::any_of(points.begin(), points.end(), bound_only);
  return {fmt::format(
      "Q: cells just after the arrivals of a slot, cell in service included.{}{}",
      of_losses(points) ? " A packet that does not fit counts as lost; the cells that fit are kept." : "",
      bound ? " The bound is proved; the geometric approximation is not." : "")};
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
    return sweep_of_points(document, {"load", "inputs", "cell_bytes"}, ComparedQuantity::mean_occupancy,
                           std::move(picture));
  }
  picture.x_label = of_losses(points) ? "buffer B [cells]" : "n [cells]";
  picture.y_label = of_losses(points) ? "fraction of cells lost" : "P(Q > n)";
  picture.note += "; " + in_words(points.front().second.simulation.simulated);
  return level_picture(rows_of(points), predicted_name(points), CurveStyle::points, std::move(picture));
}

}  // namespace

Layout with_validated_sizes(Layout buffer) {
  const Layout sizes = layout_of(sizes_validation("analysis"));
  add_missing(buffer.inputs, sizes.inputs);
  add_missing(buffer.tables.front().columns, sizes.tables.front().columns);
  return buffer;
}

Cells inputs_of(const ValidateSizedBufferQuery& query) {
  return validated_sizes_inputs().cells(query);
}

Document document(std::vector<ValidateSizedBufferPoint> given, std::size_t requested) {
  const auto points = share(std::move(given));
  std::vector<ValidatedPoint> all;
  for (const ValidateSizedBufferPoint& point : *points)
    all.push_back({.inputs = inputs_of(point.first),
                   .compared = point.second,
                   .simulated = point.second.simulation.simulated,
                   .name = queue_in_words(point.first)});
  return validated_document(sizes_validation(predicted_name(*points)), title(*points), notes(*points), all,
                            requested,
                            [points](const Document& document) { return picture(document, *points); });
}

}  // namespace tailbound::render
