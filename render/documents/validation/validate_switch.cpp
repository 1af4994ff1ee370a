#include <fmt/format.h>
#include <tailbound/core/choice.hpp>
#include <tailbound/core/error.hpp>
#include <tailbound/numeric/text/plain.hpp>
#include <tailbound/render/documents/parts/simulation.hpp>
#include <tailbound/render/documents/parts/validated.hpp>
#include <tailbound/render/documents/validation/validate_switch.hpp>

#include <algorithm>

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

Validation switch_validation(const std::string& level_unit) {
  return {.command = "validate switch",
          .inputs = validated_switch_inputs().columns(),
          .predicted = "bound",
          .level_unit = level_unit};
}

const char* unit_of(const std::vector<ValidateSwitchPoint>& points) {
  return points.front().first.cells ? "cells" : "packets";
}

std::vector<std::string> notes(const std::vector<ValidateSwitchPoint>& points) {
  return {fmt::format(
      "T: {} in all queues just after the arrivals of a slot, those in service included. The bound is "
      "proved; the approximation is not.{}",
      unit_of(points),
      points.front().first.cells ? " A packet is lost if any of its cells is; all arrive in one slot." : "")};
}

Picture picture(const std::vector<ValidateSwitchPoint>& points) {
  if (!same(points, [](const ValidateSwitchPoint& point) { return switch_in_words(point.first); }))
    throw NoAnswer("a picture shows one switch; give one of --inputs, --outputs, --load and --threshold");
  Picture picture{
      .title = title(points),
      .x_label = fmt::format("memory M [{}]", unit_of(points)),
      .y_label = of_losses(points) ? fmt::format("fraction of {} lost", unit_of(points)) : "P(T > M)",
      .note = "95 % intervals; " + in_words(points.front().second.simulation.simulated)};
  return level_picture(rows_of(points), "bound, proved", CurveStyle::points, std::move(picture));
}

}  // namespace

Layout validate_switch_layout() {
  return layout_of(switch_validation("packets"));
}

Cells inputs_of(const ValidateSwitchQuery& query) {
  return validated_switch_inputs().cells(query);
}

Document document(std::vector<ValidateSwitchPoint> given, std::size_t requested) {
  const auto points = share(std::move(given));
  std::vector<ValidatedPoint> all;
  for (const auto& [query, answer] : *points)
    all.push_back({.inputs = inputs_of(query),
                   .compared = answer,
                   .simulated = answer.simulation.simulated,
                   .name = switch_in_words(query)});
  return validated_document(switch_validation(unit_of(*points)), title(*points), notes(*points), all,
                            requested, [points](const Document&) { return picture(*points); });
}

}  // namespace tailbound::render
