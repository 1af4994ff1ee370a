#include <cln/rational.h>
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

ValidatedUnit validated_unit(const Units& units) {
  return {.suffix = "bytes", .unit = "bytes", .factor = scale_of(units).bytes_of_packet};
}

/// As the command buffer asks for it.
Traffic traffic_of(const ValidateBufferQuestion& question) {
  if (question.burst)
    return {.source = BurstyInputs{.inputs = question.inputs,
                                   .load = question.load,
                                   .burst = *question.burst,
                                   .destination = question.destination}};
  return {.source = EqualInputs{question.inputs, question.load}};
}

std::string title(const std::vector<ValidateBufferPoint>& points) {
  std::vector<Traffic> traffics;
  for (const ValidateBufferPoint& point : points) traffics.push_back(traffic_of(point.first));
  std::vector<const Traffic*> all;
  for (const Traffic& traffic : traffics) all.push_back(&traffic);
  return "Occupancy by analysis and by simulation: " + in_words(traffics.front(), all);
}

const Fields<ValidateBufferPoint>& validated_buffer_results() {
  using Point = ValidateBufferPoint;
  static const Fields<Point> fields{
      {{"mean_prediction", "mean of Q", "packets", Shape::claim, "mean occupancy by analysis", Style::plain,
        6},
       [](const Point& of) { return shown(*of.second.mean_occupancy.predicted); }},
      {{"mean_simulation", "simulated", "packets", Shape::estimate, "the same by simulation"},
       [](const Point& of) { return of.second.mean_occupancy.simulated; }},
      {judged_fields(), judged},
      {simulation_fields(), simulated_of}};
  return fields;
}

Cells argument(const char* quantity, std::string what, Value level) {
  return {{"quantity", Text{quantity}}, {"what", Text{std::move(what)}}, {"level", std::move(level)}};
}

std::vector<ValidatedRow> rows_of(const ValidateBufferAnswer& answer) {
  std::vector<ValidatedRow> rows;
  for (const ComparedOccupancy& row : answer.tail)
    rows.push_back(
        {.argument = argument("occupancy_tail", fmt::format("P(Q > {})", row.level.value), shown(row.level)),
         .compared = compared(row.above)});
  rows.push_back({.argument = argument("mean_occupancy", "mean of Q", None{}),
                  .compared = compared(answer.mean_occupancy),
                  .in_unit = true});
  return rows;
}

std::vector<Line> lines(const ValidateBufferPoint& point) {
  const auto& [question, answer] = point;
  return joined<Line>({{"conclusion", conclusion(answer.tally)},
                       {"intervals", intervals_in_words(answer.confidence_of_each, answer.tally.rows(),
                                                        question.confidence)}},
                      simulation_lines(answer.simulation.simulated));
}

std::vector<std::string> notes(const std::vector<ValidateBufferPoint>& points) {
  std::vector<std::string> notes;
  if (points.size() > 1) {
    std::vector<Tally> tallies;
    std::vector<const Simulated*> runs;
    for (const ValidateBufferPoint& point : points) {
      tallies.push_back(point.second.tally);
      runs.push_back(&point.second.simulation.simulated);
    }
    notes.push_back(
        fmt::format("Of all points together {}. The intervals of a point hold together in {:g} % of "
                    "such runs: {}.",
                    conclusion(tallies), 100 * points.front().first.confidence, batches_in_words(runs)));
  }
  notes.push_back("Q: packets in the queue just after the arrivals of a slot, the one in service included. " +
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
  const auto& [question, answer] = points.front();
  picture.x_label = "n [" + packets + "]";
  picture.y_label = "P(Q > n)";
  picture.note = "95 % intervals; " + in_words(answer.simulation.simulated);
  std::vector<ValidatedLevel> curve;
  for (const ComparedOccupancy& point : compared_curve(question, answer))
    curve.push_back({.level = static_cast<double>(point.level.value),
                     .predicted = shown(*point.above.predicted),
                     .simulated = shown(point.above.simulated)});
  return validated_picture(curve, std::move(picture));
}

}  // namespace

Layout validate_buffer_layout() {
  Layout layout{.command = "validate buffer", .inputs = {}, .results = {}};
  for (const Column& column : traffic_fields().columns())
    for (const char* asked :
         {"traffic", "inputs", "burst", "on_rate", "burst_destination", "load", "packets_per_slot"})
      if (column.key == asked) layout.inputs.push_back(column);
  layout.inputs = joined(std::move(layout.inputs), unit_fields().columns());
  layout.results = validated_buffer_results().columns();
  layout.tables = {validated_table({{"level", "n", "packets", Shape::whole,
                                     "n of P(Q > n), or B of losses; null of the mean", Style::hidden}},
                                   validated_unit({}))};
  layout.quiet = {"what", "prediction", "simulation", "verdict"};
  layout.quiet_table = "rows";
  return layout;
}

Document document(std::vector<ValidateBufferPoint> given, std::size_t asked, const Units& units) {
  const auto points = share(std::move(given));
  const auto result_of = [unit = validated_unit(units), &units](const ValidateBufferPoint& point) -> Result {
    const auto& [question, answer] = point;
    const Traffic traffic = traffic_of(question);
    return {.inputs = joined(traffic_fields().cells(traffic), unit_fields().cells(units)),
            .cells = validated_buffer_results().cells(point),
            .tables = {validated_rows(rows_of(answer), unit)},
            .lines = lines(point),
            .caption = in_words(traffic) + ": " + conclusion(answer.tally)};
  };
  return validated_document(
      validate_buffer_layout(), title(*points), notes(*points), *points, asked, result_of,
      [points, units](const Document& document) { return picture(document, *points, units); },
      scale_of(units));
}

}  // namespace tailbound::render
