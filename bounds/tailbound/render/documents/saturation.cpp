#include <fmt/format.h>
#include <tailbound/render/documents/observed.hpp>
#include <tailbound/render/documents/saturation.hpp>
#include <tailbound/render/documents/units.hpp>
#include <tailbound/render/sweep_picture.hpp>

#include <algorithm>
#include <memory>

namespace tailbound::render {
namespace {

using answers::LoadMeasure;

/// "greatest_stable_rate"
std::string measured_key(const char* stem, LoadMeasure measure) {
  return fmt::format("{}_{}", stem, answers::name(measure));
}

/// model / simulation - 1
double error_of(const FoundSaturation& saturation) {
  return saturation.model / saturation.found.greatest_stable - 1;
}

Cells result_cells(const FoundSaturation& saturation) {
  const auto key = [&](const char* stem) { return measured_key(stem, saturation.measure); };
  return {{key("greatest_stable"), observed(saturation.found.greatest_stable)},
          {key("least_unstable"), observed(saturation.found.least_unstable)},
          {key("model_saturation"), Model{saturation.model}},
          {"error", observed(error_of(saturation))},
          {"messages_per_node", given(saturation.found.messages)},
          {"seed", Whole{static_cast<std::int64_t>(saturation.search.seed)}},
          {"replications", Whole{saturation.search.replications}}};
}

/// From the least load to the greatest.
Rows probe_rows(const FoundSaturation& saturation) {
  const auto probes = std::make_shared<std::vector<sim::SaturationProbe>>(saturation.found.probes);
  std::sort(probes->begin(), probes->end(), [](const auto& a, const auto& b) { return a.load < b.load; });
  return {.key = "probes",
          .size = probes->size(),
          .row = [probes, load = std::string(answers::name(saturation.measure))](std::size_t i) -> Cells {
            const sim::SaturationProbe& probe = (*probes)[i];
            return {{load, given(probe.load)},
                    {"delivered", observed(probe.delivered)},
                    {"waiting_first_half", observed(probe.stability.waiting_first)},
                    {"waiting_second_half", observed(probe.stability.waiting_second)},
                    {"not_carried", observed(probe.stability.not_carried)},
                    {"stable", Flag{probe.stability.stable}}};
          }};
}

std::vector<Line> lines(const FoundSaturation& saturation) {
  const char* unit = answers::unit_of(saturation.measure);
  return {{"greatest stable", fmt::format("{:.5g} {}", saturation.found.greatest_stable, unit)},
          {"least unstable", fmt::format("{:.5g} {}", saturation.found.least_unstable, unit)},
          {"model", fmt::format("{:.5g} {}, {:+.1f} % of the greatest stable {}", saturation.model, unit,
                                100 * error_of(saturation), answers::name(saturation.measure))}};
}

std::string headline(const std::vector<SaturationPoint>& points) {
  const FoundSaturation& first = points.front().saturation;
  const char* load = answers::name(first.measure);
  if (points.size() > 1) return fmt::format("The greatest {} that each network carries, by simulation", load);
  return fmt::format("By simulation up to {:.5g} {} are carried:\n{}", first.found.greatest_stable,
                     answers::unit_of(first.measure), points.front().network);
}

std::vector<std::string> notes(const std::vector<SaturationPoint>& points) {
  const FoundSaturation& first = points.front().saturation;
  const char* load = answers::name(first.measure);
  const bool alike = std::all_of(points.begin(), points.end(), [&](const SaturationPoint& point) {
    return point.saturation.found.messages == first.found.messages;
  });
  return {fmt::format(
              "Each {}: {} replications in which every node generates {} messages while measured and half as "
              "many before, seed {}. Waiting: messages at a source, the mean over half of the measured time.",
              load, first.search.replications,
              alike ? fmt::format("{:.0f}", first.found.messages) : std::string("messages_per_node"),
              first.search.seed),
          "Unstable: more than 0.5 % of the messages stay at their sources, in each replication some. An "
          "estimate, without an interval."};
}

/// What is delivered of what is offered.
Picture picture_of_one(const SaturationPoint& point) {
  const FoundSaturation& saturation = point.saturation;
  const char* unit = answers::unit_of(saturation.measure);
  Picture picture{.title = point.title,
                  .x_label = fmt::format("offered {} [{}]", answers::name(saturation.measure), unit),
                  .y_label = fmt::format("delivered [{}]", unit),
                  .note = "simulation"};
  Curve curve{.title = "delivered"};
  for (const sim::SaturationProbe& probe : saturation.found.probes)
    curve.points.emplace_back(probe.load, probe.delivered);
  std::sort(curve.points.begin(), curve.points.end());
  Curve all{.title = "all that is offered", .style = CurveStyle::dashed};
  for (const double load : {curve.points.front().first, curve.points.back().first})
    all.points.emplace_back(load, load);
  picture.curves = {std::move(curve), std::move(all)};
  return picture;
}

Picture picture_of_all(const Document& document, const std::vector<SaturationPoint>& points,
                       const std::vector<std::string>& axes) {
  const LoadMeasure measure = points.front().saturation.measure;
  return sweep_picture(
      document, {.axes = axes, .height = measured_key("greatest_stable", measure)},
      {.title = document.headline,
       .x_label = {},
       .y_label = fmt::format("greatest stable {} [{}]", answers::name(measure), answers::unit_of(measure)),
       .note = "simulation"});
}

}  // namespace

std::vector<Column> saturation_input_columns() {
  return {{"precision", "precision", "", Shape::given,
           "of a search for saturation, relative, 0.0005 to 0.5: where it ends", Style::hidden}};
}

std::vector<Column> saturation_columns(LoadMeasure measure) {
  const std::string load = answers::name(measure), unit = answers::unit_of(measure);
  return {{measured_key("greatest_stable", measure), "greatest stable", unit, Shape::estimate,
           "of --saturation: the greatest " + load + " at which the queues at the sources do not grow"},
          {measured_key("least_unstable", measure), "least unstable", unit, Shape::estimate,
           "of --saturation: the least at which they do"},
          {measured_key("model_saturation", measure), "model", unit, Shape::model,
           "the " + load + " at which the model saturates"},
          {"error", "error", "", Shape::estimate,
           "of --saturation: model_saturation_" + load + " / greatest_stable_" + load + " - 1",
           Style::signed_percent},
          {"messages_per_node", "messages", "", Shape::given,
           "of --saturation: generated at each node while measured, in the mean", Style::hidden}};
}

TableLayout saturation_table(LoadMeasure measure) {
  const std::string load = answers::name(measure), unit = answers::unit_of(measure);
  Column offered{load, load, unit, Shape::given, "offered"};
  offered.digits = 5;
  return {"probes",
          "what the search for saturation looked at, from the least " + load + " to the greatest",
          {offered,
           {"delivered", "delivered", unit, Shape::estimate, "what was carried"},
           {"waiting_first_half", "waiting, first half", "", Shape::estimate,
            "messages at a source, mean over the first half of the measured time"},
           {"waiting_second_half", "second half", "", Shape::estimate, "mean over the second half"},
           {"not_carried", "not carried", "", Shape::estimate,
            "fraction of the messages that stay at their sources", Style::percent},
           {"stable", "stable", "", Shape::flag, "do the queues at the sources not grow?"}}};
}

Document saturation_document(Layout layout, const std::vector<SaturationPoint>& points,
                             const std::vector<std::string>& axes) {
  layout.quiet.clear();  // the table
  layout.quiet_table.clear();
  Document document{.layout = std::make_shared<const Layout>(std::move(layout)),
                    .headline = headline(points),
                    .results = {},
                    .notes = notes(points)};
  for (const SaturationPoint& point : points) {
    Result& result = document.results.emplace_back();
    result.inputs = joined(point.inputs, {{"precision", Given{point.length.precision}}});
    result.cells = result_cells(point.saturation);
    result.tables.push_back(probe_rows(point.saturation));
    result.caption = point.network;
    if (points.size() == 1) result.lines = lines(point.saturation);
  }
  document.picture = [document, points, axes] {
    return points.size() == 1 ? picture_of_one(points.front()) : picture_of_all(document, points, axes);
  };
  return document;
}

}  // namespace tailbound::render
