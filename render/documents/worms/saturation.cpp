#include <fmt/format.h>
#include <tailbound/numeric/text/plain.hpp>
#include <tailbound/render/documents/parts/observed.hpp>
#include <tailbound/render/documents/parts/units.hpp>
#include <tailbound/render/documents/worms/saturation.hpp>
#include <tailbound/render/documents/worms/worm_network.hpp>
#include <tailbound/render/sweep_picture.hpp>

#include <algorithm>
#include <memory>

namespace tailbound::render {
namespace {

using answers::LoadMeasure;

/// "max_stable_rate"
std::string measured_key(const char* stem, LoadMeasure measure) {
  return fmt::format("{}_{}", stem, answers::name(measure));
}

/// In hypercubes, whose loads are message rates, all sources are equal.
bool judges_sources(LoadMeasure measure) {
  return measure == LoadMeasure::flits;
}

/// model / simulation - 1
std::optional<double> error_of(const FoundSaturation& saturation) {
  if (!saturation.model) return std::nullopt;
  return *saturation.model / saturation.found.max_stable - 1;
}

const Fields<answers::SaturationLength>& search_inputs() {
  static const Fields<answers::SaturationLength> fields{
      {{"precision", "precision", "", Shape::given,
        "relative precision of a search for saturation, 0.0005 to 0.5", Style::hidden},
       &answers::SaturationLength::precision}};
  return fields;
}

Fields<FoundSaturation> saturation_fields(LoadMeasure measure) {
  using Found = FoundSaturation;
  const std::string load = answers::name(measure), unit = answers::unit_of(measure);
  return {
      {{measured_key("max_stable", measure), "maximum stable", unit, Shape::estimate,
        "--saturation: the largest " + load + " at which the source queues are stable"},
       [](const Found& of) { return observed(of.found.max_stable); }},
      {{measured_key("min_unstable", measure), "minimum unstable", unit, Shape::estimate,
        "--saturation: the smallest at which they are not"},
       [](const Found& of) { return observed(of.found.min_unstable); }},
      {{"min_unstable_is_bound", "", "", Shape::flag,
        "--saturation: the minimum unstable " + load + " is the channel bound, not simulated", Style::hidden},
       [](const Found& of) { return of.found.bounded; }},
      {{measured_key("channel_bound", measure), "channel bound", unit, Shape::proved,
        "above it a physical channel would have to carry more than 1 flit per cycle; exact, from flows and "
        "routes"},
       &Found::bound},
      {{"bounding_channel", "", "", Shape::text,
        "the physical channel with the highest utilization, or one of them", Style::hidden},
       &Found::channel},
      {model_saturation_column(measure),
       [](const Found& of) { return of.model ? Value(Model{*of.model}) : Value(None{}); }},
      {{"no_model", "", "", Shape::text, "why there is no saturation of a model; null if there is one",
        Style::hidden},
       [](const Found& of) { return of.model ? std::nullopt : std::optional(of.no_model); }},
      {{"error", "error", "", Shape::estimate,
        "--saturation: model_saturation_" + load + " / max_stable_" + load + " - 1", Style::signed_percent},
       [](const Found& of) {
         const std::optional<double> error = error_of(of);
         return error ? observed(*error) : Value(None{});
       }},
      {{"messages_per_node", "messages", "", Shape::given,
        "--saturation: messages generated per node while measured, on average", Style::hidden},
       [](const Found& of) { return Value(given(of.found.messages)); }}};
}

Cells result_cells(const FoundSaturation& saturation) {
  return joined(saturation_fields(saturation.measure).cells(saturation),
                {{"seed", Whole{static_cast<std::int64_t>(saturation.search.seed)}},
                 {"replications", Whole{saturation.search.replications}}});
}

Fields<sim::SourceShortfall> shortfall_fields() {
  using Group = sim::SourceShortfall;
  return {{{"short_sources", "sources short", "", Shape::whole,
            "sources in the group that significantly delivers less than it offers; null if there is none"},
           [](const Group& of) { return of.is_short ? std::optional(of.count) : std::nullopt; }},
          {{"short_source", "", "", Shape::text, "channel that the slowest of them waits for", Style::hidden},
           [](const Group& of) { return of.is_short ? std::optional(of.name) : std::nullopt; }},
          {{"short_not_carried", "not delivered", "", Shape::estimate,
            "fraction of their messages not delivered", Style::percent},
           [](const Group& of) { return of.is_short ? observed(of.not_carried) : Value(None{}); }}};
}

Table<sim::SaturationProbe> probe_table(LoadMeasure measure) {
  using Probe = sim::SaturationProbe;
  const std::string load = answers::name(measure), unit = answers::unit_of(measure);
  return {"probes",
          "loads probed by the search for saturation, from the smallest " + load + " to the largest",
          {{{load, load, unit, Shape::given, "offered", Style::plain, 5},
            [](const Probe& of) { return Value(given(of.load)); }},
           {{"delivered", "delivered", unit, Shape::estimate, "delivered load"},
            [](const Probe& of) { return observed(of.delivered); }},
           {{"waiting_first_half", "waiting, first half", "", Shape::estimate,
             "messages per source, mean over the first half of the measured time"},
            [](const Probe& of) { return observed(of.stability.waiting_first); }},
           {{"waiting_second_half", "second half", "", Shape::estimate, "mean over the second half"},
            [](const Probe& of) { return observed(of.stability.waiting_second); }},
           {{"not_carried", "not carried", "", Shape::estimate,
             "fraction of the messages that remain at their sources", Style::percent},
            [](const Probe& of) { return observed(of.stability.not_carried); }},
           {judges_sources(measure) ? shortfall_fields() : Fields<sim::SourceShortfall>{},
            [](const Probe& of) { return of.stability.shortfall.value_or(sim::SourceShortfall{}); }},
           {{"stable", "stable", "", Shape::flag, "true if the source queues are stable"},
            [](const Probe& of) { return of.stability.stable; }}}};
}

/// In order of increasing load.
Rows probe_rows(const FoundSaturation& saturation) {
  std::vector<sim::SaturationProbe> probes = saturation.found.probes;
  std::sort(probes.begin(), probes.end(), [](const auto& a, const auto& b) { return a.load < b.load; });
  return probe_table(saturation.measure).rows(share(std::move(probes)));
}

std::vector<Line> lines(const FoundSaturation& saturation) {
  const char* unit = answers::unit_of(saturation.measure);
  const std::optional<double> error = error_of(saturation);
  return {
      {"maximum stable", fmt::format("{:.5g} {}", saturation.found.max_stable, unit)},
      {"minimum unstable", fmt::format("{:.5g} {}{}", saturation.found.min_unstable, unit,
                                       saturation.found.bounded ? ", the channel bound, not simulated" : "")},
      {"channel bound", fmt::format("{} {}, exact: there the physical channel {} carries 1 flit per cycle",
                                    bound_in_words(saturation.bound), unit, saturation.channel)},
      {"model", error ? fmt::format("{:.5g} {}, {:+.1f} % relative to the maximum stable {}",
                                    *saturation.model, unit, 100 * *error, answers::name(saturation.measure))
                      : "none: " + saturation.no_model}};
}

std::vector<std::string> notes(const std::vector<SaturationPoint>& points) {
  const FoundSaturation& first = points.front().saturation;
  const char* load = answers::name(first.measure);
  const bool equal = std::all_of(points.begin(), points.end(), [&](const SaturationPoint& point) {
    return point.saturation.found.messages == first.found.messages;
  });
  return {fmt::format("Each {}: {} replications with {} measured messages per node after a warm-up of half "
                      "as many, seed {}. Waiting: mean messages per source over half of the measured time.",
                      load, first.search.replications,
                      equal ? fmt::format("{:.0f}", first.found.messages) : std::string("messages_per_node"),
                      first.search.seed),
          fmt::format("Unstable: more than 0.5 % of the messages remain at their sources{}. No {} above the "
                      "channel bound is simulated. An estimate without an interval.",
                      judges_sources(first.measure)
                          ? "; or a group of sources delivers significantly less than it offers (t test)"
                          : "",
                      load)};
}

/// Delivered against offered load.
Picture picture_of_one(const SaturationPoint& point) {
  const FoundSaturation& saturation = point.saturation;
  const char* unit = answers::unit_of(saturation.measure);
  Picture picture{.title = "Delivered load, " + point.title,
                  .x_label = fmt::format("offered {} [{}]", answers::name(saturation.measure), unit),
                  .y_label = fmt::format("delivered [{}]", unit),
                  .note = "simulation"};
  Curve curve{.title = "delivered"};
  for (const sim::SaturationProbe& probe : saturation.found.probes)
    curve.points.emplace_back(probe.load, probe.delivered);
  std::sort(curve.points.begin(), curve.points.end());
  Curve all{.title = "delivered = offered", .style = CurveStyle::dashed};
  const double first = curve.points.front().first, last = curve.points.back().first;
  all.course = straight({first, first}, {last, last});
  picture.curves = {std::move(curve), std::move(all)};
  return picture;
}

Picture picture_of_all(const Document& document, const std::vector<SaturationPoint>& points,
                       const std::vector<std::string>& axes) {
  const LoadMeasure measure = points.front().saturation.measure;
  return sweep_picture(
      document, {.axes = axes, .height = measured_key("max_stable", measure)},
      {.title = document.headline,
       .x_label = {},
       .y_label = fmt::format("maximum stable {} [{}]", answers::name(measure), answers::unit_of(measure)),
       .note = "simulation"});
}

}  // namespace

Headline saturation_headline(const std::string& what, const std::string& unit,
                             const std::vector<ModelEnd>& ends, const std::string& rest,
                             std::vector<Value> quoted) {
  std::vector<double> saturations, others;
  for (const ModelEnd& end : ends) (end.saturated ? saturations : others).push_back(end.load);
  if (saturations.empty())
    return Headline::without_numbers(
        fmt::format("No answer above {} {} {}.", what, range_in_words(others), unit));
  std::string of_others;
  if (!others.empty())
    of_others = fmt::format("; of {} of the {} networks no answer above {} {}", others.size(), ends.size(),
                            what, range_in_words(others));
  for (const double saturation : saturations) quoted.push_back(Model{saturation});
  return {"saturation " + what, range_in_words(saturations) + " " + unit, of_others + rest, quoted};
}

std::string bound_in_words(const numeric::Rational& load) {
  const std::string text = numeric::plain(load);
  if (text.find('/') == std::string::npos) return text;
  return fmt::format("{} ({:.5g})", text, numeric::nearest_double(load));
}

std::vector<Column> saturation_input_columns() {
  return search_inputs().columns();
}

Cells search_cells(const answers::SaturationLength& length) {
  return search_inputs().cells(length);
}

Column model_saturation_column(LoadMeasure measure) {
  return {measured_key("model_saturation", measure), "model", answers::unit_of(measure), Shape::model,
          fmt::format("saturation {} of the model of this network; null if there is none",
                      answers::name(measure))};
}

std::vector<Column> saturation_columns(LoadMeasure measure) {
  return saturation_fields(measure).columns();
}

TableLayout saturation_table(LoadMeasure measure) {
  return probe_table(measure).layout();
}

Document saturation_document(Layout layout, const std::vector<SaturationPoint>& points,
                             const std::string& common, const std::vector<std::string>& axes) {
  layout.quiet.clear();  // the table
  layout.quiet_table.clear();
  Document document{.layout = std::make_shared<const Layout>(std::move(layout)),
                    .headline = {},
                    .settings = capitalized(points.size() == 1 ? points.front().network : common) + ".",
                    .results = {},
                    .notes = notes(points)};
  for (const SaturationPoint& point : points) {
    Result& result = document.results.emplace_back();
    result.inputs = joined(point.inputs, search_cells(point.length));
    result.cells = result_cells(point.saturation);
    result.tables.push_back(probe_rows(point.saturation));
    result.caption = point.network;
    if (points.size() == 1) result.lines = lines(point.saturation);
  }
  name_uniform_traffic(document);
  const LoadMeasure measure = points.front().saturation.measure;
  std::vector<double> stable;
  for (const SaturationPoint& point : points) stable.push_back(point.saturation.found.max_stable);
  // Simulated, an estimate without an interval.
  document.headline = {fmt::format("maximum stable {}", answers::name(measure)),
                       fmt::format("{} {}", range_in_words(stable, 5), answers::unit_of(measure)),
                       ", simulated",
                       {Estimate{stable.front()}}};
  document.picture = [document, points, axes] {
    return points.size() == 1 ? picture_of_one(points.front()) : picture_of_all(document, points, axes);
  };
  return document;
}

}  // namespace tailbound::render
