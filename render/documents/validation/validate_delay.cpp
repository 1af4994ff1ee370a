#include <fmt/format.h>
#include <tailbound/core/choice.hpp>
#include <tailbound/numeric/rational.hpp>
#include <tailbound/render/documents/delay/delay.hpp>
#include <tailbound/render/documents/parts/simulation.hpp>
#include <tailbound/render/documents/parts/topology.hpp>
#include <tailbound/render/documents/parts/units.hpp>
#include <tailbound/render/documents/parts/validated.hpp>
#include <tailbound/render/documents/validation/validate_delay.hpp>

#include <algorithm>

namespace tailbound::render {
namespace {

using namespace answers;

std::string title(const std::vector<ValidateDelayPoint>& points) {
  std::vector<const Topology*> all;
  for (const ValidateDelayPoint& point : points) all.push_back(&point.first.topology);
  return "Delay, analysis and simulation: " + in_words(points.front().first.topology, all);
}

Fields<ValidateDelayPoint> validated_delay_inputs(const Units& units) {
  using Point = ValidateDelayPoint;
  return {{topology_fields(), [](const Point& of) { return of.first.topology; }},
          {{"hops_model", "hops", "", Shape::text,
            "dependence of successive waits in the analysis: chain, independent or bound"},
           [](const Point& of) { return of.second.hops; }},
          {unit_fields(), [units](const Point&) { return units; }},
          {hop_column(), [](const Point& of) { return of.first.time->hop; },
           [](const Point& of) { return of.first.time.has_value(); }}};
}

const Fields<ValidateDelayPoint>& validated_delay_results() {
  static const Fields<ValidateDelayPoint> fields{
      {{"packets", "packets", "", Shape::whole, "delivered while measured", Style::hidden},
       [](const ValidateDelayPoint& of) { return of.second.simulation.packets; }}};
  return fields;
}

Validation delay_validation(const Units& units) {
  return {.command = "validate delay",
          .inputs = validated_delay_inputs(units).columns(),
          .results = validated_delay_results().columns(),
          .level_unit = "slots",
          .unit = {.suffix = "ns", .factor = units.slot_ns()}};
}

/// " T: ..", if latencies are compared.
std::string latency_in_words(const ValidateDelayQuery& query) {
  if (!query.time) return "";
  return fmt::format(" T: latency in ns, D, {}, and {}.", latency_slots_in_words(query.topology),
                     hop_in_words(query.time->hop));
}

std::vector<std::string> notes(const std::vector<ValidateDelayPoint>& points) {
  std::vector<std::string> notes;
  for (const ValidateDelayPoint& point : points) add_remarks(notes, point.first.topology);
  notes.push_back("D: queueing delay of all packets." + latency_in_words(points.front().first));
  if (std::string ports = switch_in_words(points.front().first.topology); !ports.empty())
    notes.push_back(std::move(ports));
  for (const auto& [query, answer] : points) {
    if (answer.hops != Hops::bound) continue;
    const std::string note = capitalized(bound_caution(query.topology)) + ".";
    if (std::find(notes.begin(), notes.end(), note) == notes.end()) notes.push_back(note);
  }
  return notes;
}

Picture picture(const Document& document, const std::vector<ValidateDelayPoint>& points, const Units& units) {
  const auto slot = units.slot_ns();
  const std::string slots = slot ? "slots of " + brief(Given{*slot}) + " ns" : "slots";
  Picture picture{.title = title(points), .x_label = {}, .y_label = "mean of D [" + slots + "]", .note = {}};
  if (points.size() > 1) {
    picture.note = "simulation with the intervals of each point's rows";
    return sweep_of_points(document, {"load", "load_scale", "uniform", "burst", "on_rate", "radix", "levels"},
                           ComparedQuantity::mean_queueing, std::move(picture));
  }
  const auto& [query, answer] = points.front();
  picture.x_label = "t [" + slots + "]";
  picture.y_label = "P(D > t)";
  picture.note = "95 % intervals; " + in_words(answer.simulation.simulated);
  if (query.time)
    picture.note += ". Latency is D, " + latency_slots_in_words(query.topology) + ", and " +
                    hop_in_words(query.time->hop);
  picture = level_picture(compared_curve(query, answer), "analysis", CurveStyle::steps, std::move(picture));
  if (query.fabric) return picture;
  const std::vector<Hops> possible = possible_hops(query.topology);
  if (std::find(possible.begin(), possible.end(), Hops::bound) == possible.end() ||
      answer.hops == Hops::bound)
    return picture;
  ValidateDelayQuery bounded = query;
  bounded.hops = Hops::bound;
  Picture bound = level_picture(compared_curve(bounded, answer), "upper bound", CurveStyle::steps, {});
  picture.curves.push_back(std::move(bound.curves.front()));
  return picture;
}

}  // namespace

Layout validate_delay_layout() {
  return layout_of(delay_validation({}));
}

Cells inputs_of(const ValidateDelayQuery& query, const Units& units) {
  Cells cells = joined(topology_fields().cells(query.topology), unit_fields().cells(units));
  if (query.time) cells.push_back({hop_column().key, Given{query.time->hop}});
  return cells;
}

Document document(std::vector<ValidateDelayPoint> given, std::size_t requested, const Units& units) {
  const auto points = share(std::move(given));
  std::vector<ValidatedPoint> all;
  for (const ValidateDelayPoint& point : *points)
    all.push_back({.inputs = validated_delay_inputs(units).cells(point),
                   .cells = validated_delay_results().cells(point),
                   .compared = point.second,
                   .simulated = point.second.simulation.simulated,
                   .name = in_words(point.first.topology)});
  return validated_document(
      delay_validation(units), title(*points), notes(*points), all, requested,
      [points, units](const Document& document) { return picture(document, *points, units); },
      scale_of(units));
}

}  // namespace tailbound::render
