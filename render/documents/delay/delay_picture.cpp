#include <fmt/format.h>
#include <tailbound/answers/latency_ns.hpp>
#include <tailbound/core/error.hpp>
#include <tailbound/numeric/rational.hpp>
#include <tailbound/numeric/text/plain.hpp>
#include <tailbound/render/documents/delay/cross_check.hpp>
#include <tailbound/render/documents/delay/delay_words.hpp>
#include <tailbound/render/documents/parts/topology.hpp>
#include <tailbound/render/documents/parts/units.hpp>
#include <tailbound/render/sweep_picture.hpp>

#include <algorithm>
#include <cmath>

namespace tailbound::render {
namespace {

using namespace answers;
using numeric::plain;

std::string joined_notes(const std::string& first, const std::string& then) {
  return first + (first.empty() ? "" : "; ") + then;
}

double slots_of(const DelayAnswer& answer, Slots steps) {
  return static_cast<double>(steps.value) / static_cast<double>(answer.steps.per_slot);
}

/// P(D > t) of one query's flows, with the percentiles marked; for several flows the four with the largest
/// last percentile.
void add_curves(Picture& picture, const Shared<DelayPoint>& points) {
  constexpr std::size_t max_curves = 4;
  const DelayQuery& query = points->front().first;
  const DelayAnswer& answer = points->front().second;
  std::vector<std::vector<std::size_t>> groups = identical_flows(answer);
  if (groups.size() > max_curves) {
    picture.title += fmt::format(": the {} slowest of {} flows", max_curves, answer.flows.size());
    groups.resize(max_curves);
  }
  const auto title = [&](const std::vector<std::size_t>& group) {
    const std::string& name = answer.paths.flows[group.front()].name;
    return name.empty()        ? "P(D > t)"
           : group.size() == 1 ? name
                               : fmt::format("{} and {} identical", name, group.size() - 1);
  };
  Curve marks{.title = "percentiles", .style = CurveStyle::marks};
  for (const std::vector<std::size_t>& group : groups) {
    Curve curve{.title = title(group), .style = CurveStyle::steps};
    const auto add = [&](Curve& to, const answers::StatedSlotProbability& above) {
      const auto y = log10_height(shown(above.probability));
      if (!y || !(*y > -1e5)) return false;
      to.points.emplace_back(slots_of(answer, above.slots), *y);
      return true;
    };
    for (const answers::StatedSlotProbability& above : delay_curve(query, answer, group.front()))
      add(curve, above);
    if (curve.points.empty()) {
      picture.note = joined_notes(picture.note, "never delayed: " + title(group));
      continue;
    }
    picture.curves.push_back(std::move(curve));
    const auto& delay = answer.flows[group.front()].delay;
    const DelayEntry entry{points, 0, group.front()};
    for (std::size_t i = 0; i < delay.queueing.size(); ++i)
      if (add(marks, {delay.queueing[i].slots, delay.queueing[i].at.probability}))
        marks.labels.push_back(groups.size() == 1
                                   ? fmt::format("{} %: {} slots, latency {}",
                                                 percent_text(delay.queueing[i].probability),
                                                 slots_in_words(entry, delay.queueing[i].slots),
                                                 slots_in_words(entry, delay.latency.at(i).slots))
                                   : std::string());
  }
  if (picture.curves.empty()) throw NoAnswer("nothing to draw: no packet is ever delayed");
  if (!marks.points.empty()) picture.curves.push_back(std::move(marks));
}

const std::vector<std::string>& axes() {
  static const std::vector<std::string> names{"load",  "load_scale", "uniform", "burst",
                                              "radix", "levels",     "on_rate"};
  return names;
}

/// Percentiles of the latency against the varying input: all of one flow, the last one of several.
Picture sweep(const Document& document, const std::vector<DelayEntry>& entries, Picture picture) {
  const DelayQuery& first = entries.front().query();
  const bool one_flow = std::all_of(entries.begin(), entries.end(),
                                    [](const DelayEntry& entry) { return entry.answer().flows.size() == 1; });
  std::vector<std::size_t> order(first.percentiles.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::sort(order.begin(), order.end(),
            [&](std::size_t a, std::size_t b) { return first.percentiles[a] > first.percentiles[b]; });
  if (!one_flow && order.size() > 1) order.resize(1);
  const bool in_ns = !order.empty() && first.units.slot_ns().has_value();
  picture.y_label = in_ns           ? "latency [ns]"
                    : order.empty() ? "mean queueing delay [slots]"
                                    : "latency [slots]";
  if (first.hop_ns && !order.empty())
    picture.note = joined_notes(picture.note, "latency includes " + hop_in_words(*first.hop_ns));
  const auto add = [&](const std::string& what, const auto& number) {
    Document shown_only = document;
    for (std::size_t i = 0; i < entries.size(); ++i)
      shown_only.results[i].cells = {{"drawn", number(entries[i])}};
    const std::size_t already = picture.curves.size();
    picture = sweep_picture(shown_only, {.axes = axes(), .height = "drawn"}, std::move(picture));
    for (std::size_t i = already; i < picture.curves.size(); ++i) {
      std::string& title = picture.curves[i].title;
      title = title.empty() ? what : title + ", " + what;
    }
  };
  if (order.empty())
    add("mean", [](const DelayEntry& entry) { return shown(entry.found().delay.mean_queueing); });
  std::size_t drawn = 0;
  for (const std::size_t i : order) {
    // As many percentiles as can be distinguished, the largest first: of several curves each, one.
    const std::size_t curves_of_each = i == order.front() ? 0 : picture.curves.size() / drawn;
    if (curves_of_each > 2) {
      picture.note = joined_notes(picture.note, "the other percentiles are in the table");
      break;
    }
    if (picture.curves.size() + curves_of_each > max_distinct_curves) break;
    add(percent_text(first.percentiles[i]) + " %", [i, in_ns](const DelayEntry& entry) {
      return in_ns ? entry_latency_ns(entry, i) : entry.in_slots(entry.found().delay.latency[i].slots);
    });
    ++drawn;
  }
  return picture;
}

}  // namespace

Picture delay_picture(const Document& document, const Shared<DelayPoint>& points) {
  const DelayQuery& first = points->front().first;
  std::vector<const Topology*> all;
  for (const auto& [query, answer] : *points) all.push_back(&query.topology);
  if (points->size() > 1 && varies(document, {.axes = axes(), .height = "mean_queueing_slots"}))
    return sweep(document, delay_entries(points),
                 {.title = "Delay, " + in_words(first.topology, all), .x_label = {}, .y_label = {}});
  Picture picture{.title = "Queueing delay, " + in_words(first.topology, all),
                  .x_label = "t [slots]",
                  .y_label = "P(D > t)",
                  .powers_of_ten = true};
  if (first.hop_ns)
    picture.note =
        "latency is D, " + latency_slots_in_words(first.topology) + ", and " + hop_in_words(*first.hop_ns);
  if (points->size() == 1) {
    add_curves(picture, points);
    return picture;
  }
  // Points that differ only in names, such as sources or routing.
  const std::vector<const Column*> varying = varying_inputs(document);
  const std::vector<DelayEntry> entries = delay_entries(points);
  for (std::size_t i = 0; i < entries.size() && picture.curves.size() < max_distinct_curves; ++i) {
    Curve curve{.title = {}, .style = CurveStyle::steps};
    for (const Column* column : varying)
      if (column->style != Style::hidden)
        curve.title +=
            (curve.title.empty() ? "" : ", ") + brief(value_of(document.results[i].inputs, column->key));
    for (const answers::StatedSlotProbability& above :
         delay_curve(entries[i].query(), entries[i].answer(), entries[i].flow))
      if (const auto y = log10_height(shown(above.probability)); y && *y > -1e5)
        curve.points.emplace_back(slots_of(entries[i].answer(), above.slots), *y);
    if (!curve.points.empty()) picture.curves.push_back(std::move(curve));
  }
  if (picture.curves.empty()) throw NoAnswer("nothing to draw: no packet is ever delayed");
  if (entries.size() > max_distinct_curves)
    picture.note += fmt::format("{}The first {} of {} curves.", picture.note.empty() ? "" : " ",
                                max_distinct_curves, entries.size());
  return picture;
}

}  // namespace tailbound::render
