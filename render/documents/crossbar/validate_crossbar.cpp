#include <tailbound/core/error.hpp>
#include <tailbound/render/documents/crossbar/simulate_crossbar.hpp>
#include <tailbound/render/documents/crossbar/validate_crossbar.hpp>
#include <tailbound/render/documents/parts/simulation.hpp>
#include <tailbound/render/documents/parts/validated.hpp>

#include <algorithm>

namespace tailbound::render {
namespace {

using namespace answers;

std::string validated_title(const std::vector<ValidateCrossbarPoint>& points) {
  std::vector<sim::CrossbarModel> models;
  for (const ValidateCrossbarPoint& point : points)
    models.push_back(simulated_crossbar(point.first.analysis));
  std::vector<const sim::CrossbarModel*> all;
  for (const sim::CrossbarModel& model : models) all.push_back(&model);
  return "Analysis and simulation: " + in_words(all);
}

Validation crossbar_validation() {
  return {.command = "validate crossbar",
          .inputs = crossbar_fields().columns(),
          .predicted = "analysis",
          .level_unit = "packets"};
}

/// Of one quantity: the first row's.
Picture crossbar_levels(const std::vector<ValidateCrossbarPoint>& points) {
  if (points.size() > 1) throw NoAnswer("a picture shows one switch; give one value of every option");
  std::vector<ComparedRow> rows;
  for (const ComparedRow& row : points.front().second.rows)
    if (row.quantity == ComparedQuantity::delay_tail) rows.push_back(row);
  if (rows.empty()) throw NoAnswer("nothing to draw: no tail of the delay is known");
  return level_picture(rows, "analysis", CurveStyle::points,
                       {.title = validated_title(points),
                        .x_label = "t [slots]",
                        .y_label = "P(D > t)",
                        .note = "95 % intervals; " + in_words(points.front().second.simulation.simulated)});
}

}  // namespace

Layout validate_crossbar_layout() {
  return layout_of(crossbar_validation());
}

Cells inputs_of(const ValidateCrossbarQuery& query) {
  return crossbar_fields().cells(simulated_crossbar(query.analysis));
}

Document document(std::vector<ValidateCrossbarPoint> given, std::size_t requested) {
  const auto points = share(std::move(given));
  std::vector<ValidatedPoint> all;
  for (const auto& [query, answer] : *points)
    all.push_back({.inputs = inputs_of(query), .compared = answer, .simulated = answer.simulation.simulated});
  return validated_document(crossbar_validation(), validated_title(*points),
                            {"D: slots from arrival to departure; packets of an input, a VOQ and an output "
                             "just after the arrivals of "
                             "a slot."},
                            all, requested, [points](const Document&) { return crossbar_levels(*points); });
}

}  // namespace tailbound::render
