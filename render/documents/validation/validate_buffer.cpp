#include <fmt/format.h>
#include <tailbound/render/documents/parts/simulation.hpp>
#include <tailbound/render/documents/parts/traffic.hpp>
#include <tailbound/render/documents/parts/units.hpp>
#include <tailbound/render/documents/parts/validated.hpp>
#include <tailbound/render/documents/validation/validate_buffer.hpp>

namespace tailbound::render {
namespace {

using namespace answers;

Validation buffer_validation(const Units& units) {
  Validation validation{.command = "validate buffer",
                        .level_unit = "packets",
                        .unit = {.suffix = "bytes", .factor = scale_of(units).bytes_of_packet}};
  validation.inputs = joined(traffic_fields().columns(), unit_fields().columns());
  return validation;
}

std::string title(const std::vector<ValidateBufferPoint>& points) {
  std::vector<const Traffic*> all;
  for (const ValidateBufferPoint& point : points) all.push_back(&point.first.traffic);
  return "Occupancy, analysis and simulation: " + in_words(*all.front(), all);
}

Picture picture(const Document& document, const std::vector<ValidateBufferPoint>& points,
                const Units& units) {
  const std::string packets =
      units.packet_bytes ? fmt::format("packets of {} bytes", *units.packet_bytes) : "packets";
  Picture picture{
      .title = title(points), .x_label = {}, .y_label = "mean of Q [" + packets + "]", .note = {}};
  if (points.size() > 1) {
    picture.note = "simulation with the intervals of each point's rows";
    return sweep_of_points(document, {"load", "burst", "on_rate", "inputs"}, ComparedQuantity::mean_occupancy,
                           std::move(picture));
  }
  const auto& [query, answer] = points.front();
  picture.x_label = "n [" + packets + "]";
  picture.y_label = "P(Q > n)";
  picture.note = "95 % intervals; " + in_words(answer.simulation.simulated);
  return level_picture(compared_curve(query, answer), "analysis", CurveStyle::steps, std::move(picture));
}

}  // namespace

Layout validate_buffer_layout() {
  return layout_of(buffer_validation({}));
}

Cells inputs_of(const ValidateBufferQuery& query, const Units& units) {
  return joined(traffic_fields().cells(query.traffic), unit_fields().cells(units));
}

Document document(std::vector<ValidateBufferPoint> given, std::size_t requested, const Units& units) {
  const auto points = share(std::move(given));
  std::vector<ValidatedPoint> all;
  for (const auto& [query, answer] : *points)
    all.push_back({.inputs = inputs_of(query, units),
                   .compared = answer,
                   .simulated = answer.simulation.simulated,
                   .name = in_words(query.traffic)});
  return validated_document(
      buffer_validation(units), title(*points),
      {"Q: packets just after the arrivals of a slot, packet in service included."}, all, requested,
      [points, units](const Document& document) { return picture(document, *points, units); },
      scale_of(units));
}

}  // namespace tailbound::render
