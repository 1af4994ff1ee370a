#include <fmt/format.h>
#include <tailbound/render/documents/parts/simulation.hpp>
#include <tailbound/render/documents/parts/traffic.hpp>
#include <tailbound/render/documents/parts/units.hpp>
#include <tailbound/render/documents/parts/validated.hpp>
#include <tailbound/render/documents/validation/validate_buffer.hpp>

#include <memory>

namespace tailbound::render {
namespace {

using namespace answers;

Table<ValidatedRow> validated_buffer_table(const Units& units) {
  return validated_table({{{"level", "n", "packets", Shape::whole,
                            "n of P(Q > n), or B of losses; null for the mean", Style::hidden},
                           &ValidatedRow::level}},
                         {.suffix = "bytes", .unit = "bytes", .factor = scale_of(units).bytes_of_packet});
}

/// As for the command buffer.
Traffic traffic_of(const ValidateBufferQuery& query) {
  if (!query.classes.empty())
    return {.source =
                TrafficClass{.inputs = query.inputs, .loads = query.classes, .priority = query.priority}};
  if (query.burst)
    return {.source = BurstyInputs{.inputs = query.inputs,
                                   .load = query.load,
                                   .burst = *query.burst,
                                   .destination = query.destination}};
  return {.source = EqualInputs{query.inputs, query.load}};
}

std::string title(const std::vector<ValidateBufferPoint>& points) {
  std::vector<Traffic> traffics;
  for (const ValidateBufferPoint& point : points) traffics.push_back(traffic_of(point.first));
  std::vector<const Traffic*> all;
  for (const Traffic& traffic : traffics) all.push_back(&traffic);
  return "Occupancy, analysis and simulation: " + in_words(traffics.front(), all);
}

const Fields<ValidateBufferPoint>& validated_buffer_results() {
  using Point = ValidateBufferPoint;
  static const Fields<Point> fields{{mean_fields("mean of Q", "packets", "mean occupancy by analysis"),
                                     [](const Point& of) { return of.second.mean_occupancy; }},
                                    {judged_fields(), judged},
                                    {simulation_fields(), simulated_of<Point>}};
  return fields;
}

std::vector<ValidatedRow> rows_of(const ValidateBufferAnswer& answer) {
  std::vector<ValidatedRow> rows;
  for (const ComparedOccupancy& row : answer.tail)
    rows.push_back({.quantity = "occupancy_tail",
                    .what = fmt::format("P(Q > {})", row.level.value),
                    .level = shown(row.level),
                    .compared = row.above});
  rows.push_back({.quantity = "mean_occupancy",
                  .what = "mean of Q",
                  .compared = answer.mean_occupancy,
                  .in_unit = true});
  return rows;
}

std::vector<std::string> notes(const std::vector<ValidateBufferPoint>& points) {
  std::vector<std::string> notes;
  if (points.size() > 1) notes.push_back(points_in_words(points));
  notes.push_back("Q: packets just after the arrivals of a slot, packet in service included. " +
                  verdicts_in_words());
  return notes;
}

Picture picture(const Document& document, const std::vector<ValidateBufferPoint>& points,
                const Units& units) {
  const std::string packets =
      units.packet_bytes ? fmt::format("packets of {} bytes", *units.packet_bytes) : "packets";
  Picture picture{
      .title = title(points), .x_label = {}, .y_label = "mean of Q [" + packets + "]", .note = {}};
  if (points.size() > 1) {
    picture.note = "simulation with the intervals of each point's rows";
    return validated_sweep(document, {"load", "burst", "on_rate", "inputs"}, "mean_prediction",
                           "mean_simulation", std::move(picture));
  }
  const auto& [query, answer] = points.front();
  picture.x_label = "n [" + packets + "]";
  picture.y_label = "P(Q > n)";
  picture.note = "95 % intervals; " + in_words(answer.simulation.simulated);
  std::vector<ValidatedLevel> curve;
  for (const ComparedOccupancy& point : compared_curve(query, answer))
    curve.push_back({.level = static_cast<double>(point.level.value),
                     .predicted = shown(*point.above.predicted),
                     .simulated = shown(point.above.simulated)});
  return validated_picture(curve, std::move(picture));
}

}  // namespace

Layout validate_buffer_layout() {
  Layout layout{.command = "validate buffer", .inputs = {}, .results = {}};
  for (const Column& column : traffic_fields().columns())
    for (const char* requested : {"traffic", "inputs", "burst", "on_rate", "burst_destination", "class",
                                  "class_loads", "load", "packets_per_slot"})
      if (column.key == requested) layout.inputs.push_back(column);
  layout.inputs = joined(std::move(layout.inputs), unit_fields().columns());
  layout.results = validated_buffer_results().columns();
  layout.tables = {validated_buffer_table({}).layout()};
  layout.quiet = {"what", "prediction", "simulation", "verdict"};
  layout.quiet_table = "rows";
  return layout;
}

Cells inputs_of(const ValidateBufferQuery& query, const Units& units) {
  return joined(traffic_fields().cells(traffic_of(query)), unit_fields().cells(units));
}

Document document(std::vector<ValidateBufferPoint> given, std::size_t requested, const Units& units) {
  const auto points = share(std::move(given));
  const auto result_of = [&units](const ValidateBufferPoint& point) -> Result {
    const auto& [query, answer] = point;
    const Traffic traffic = traffic_of(query);
    return {.inputs = inputs_of(query, units),
            .cells = validated_buffer_results().cells(point),
            .tables = {validated_buffer_table(units).rows(share(rows_of(answer)))},
            .lines = validated_lines(point),
            .caption = in_words(traffic) + ": " + conclusion(answer.tally)};
  };
  return validated_document(
      validate_buffer_layout(), headline_of(*points), title(*points), notes(*points), *points, requested,
      result_of, [points, units](const Document& document) { return picture(document, *points, units); },
      scale_of(units));
}

}  // namespace tailbound::render
