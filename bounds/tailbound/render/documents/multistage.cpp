#include <cln/rational.h>
#include <fmt/format.h>
#include <tailbound/answers/accuracy_settings.hpp>
#include <tailbound/numeric/plain.hpp>
#include <tailbound/render/documents/accuracy.hpp>
#include <tailbound/render/documents/multistage.hpp>
#include <tailbound/render/documents/units.hpp>

#include <algorithm>
#include <memory>
#include <optional>

namespace tailbound::render {
namespace {

using namespace answers;
using bounds::multistage::Variant;
using numeric::plain;

const char* name(Variant variant) {
  return variant == Variant::blocking ? "blocking" : "published";
}

const char* name(bounds::Stop stop) {
  switch (stop) {
    case bounds::Stop::direct:
      return "direct";
    case bounds::Stop::converged:
      return "converged";
    case bounds::Stop::saturated:
    case bounds::Stop::too_many_rounds:
      break;
  }
  return "too many rounds";
}

bool unsettled(const MultistagePoint& point) {
  return point.second.ending.stop == bounds::Stop::too_many_rounds;
}

/// The least load asked for at which processors stall.
const MultistagePoint* first_saturated(const std::vector<MultistagePoint>& points) {
  const MultistagePoint* first = nullptr;
  for (const MultistagePoint& point : points)
    if (point.second.saturated && (first == nullptr || point.first.load < first->first.load)) first = &point;
  return first;
}

/// Where the hot path is full, of points that differ in their load only.
/// \param separator  between what and where
std::string saturation_in_words(const std::vector<MultistagePoint>& points,
                                const std::string& separator = " ") {
  const auto& [question, answer] = points.front();
  if (question.network.combining == 1) {
    const numeric::Rational& limit = answer.saturation_without_combining.value;
    if (limit >= 1) return "the hot path's last queue can carry a load of 1";
    return fmt::format("the hot path is full from load {:.5g} on, where its last queue serves without rest",
                       numeric::nearest_double(limit));
  }
  const MultistagePoint* first = first_saturated(points);
  if (first == nullptr) return "not reached: at least 98 % of every load comes through";
  const std::size_t busiest = first->second.busiest_stage();
  return fmt::format(
      "from load {} on less than 98 % comes through;{}the hot path's queue at stage {} is busy {:.1f} % of "
      "the time "
      "there",
      plain(first->first.load), separator, busiest, 100 * first->second.hot_path[busiest].utilization.value);
}

std::string iteration_in_words(const MultistagePoint& point) {
  return point.first.variant == Variant::published ? "none: one pass from stage to stage"
                                                   : bounds::in_words(point.second.ending);
}

std::string mean_or_none(const std::optional<numeric::Model<unit::Time>>& delay) {
  return delay ? fmt::format("{:.4g}", delay->value) : "no requests";
}

std::vector<Line> lines(const std::vector<MultistagePoint>& points) {
  const auto& [question, answer] = points.front();
  return {{"throughput", fmt::format("{:.4g} requests a processor in a service time, of {}",
                                     answer.throughput.value, plain(question.load))},
          {"mean delay", fmt::format("{:.4g}; hot {}, cold {}", answer.delay.value,
                                     mean_or_none(answer.hot_delay), mean_or_none(answer.cold_delay))},
          {"saturation", saturation_in_words(points, "\n")},
          {"iteration", iteration_in_words(points.front())}};
}

const AccuracyKeys hot_spot_accuracy_keys{{Quantity::mean_delay, "delay"},
                                          {Quantity::throughput, "throughput"}};

Accuracy accuracy_of(const MultistagePoint& point) {
  return accuracy(asked_accuracy(point.first, point.second.saturated));
}

/// That which measures all loads of a point's network.
std::string command_of(const std::vector<MultistagePoint>& points, const MultistagePoint& of) {
  std::vector<MultistageQuestion> questions;
  for (const MultistagePoint& each : points)
    if (network::describe(each.first.network) == network::describe(of.first.network) &&
        each.first.variant == of.first.variant)
      questions.push_back(each.first);
  return measuring_command(questions);
}

std::string note_on_accuracy(const std::vector<MultistagePoint>& points) {
  std::vector<StatedAccuracy> all;
  for (const MultistagePoint& point : points)
    all.push_back({.network = network::describe(point.first.network),
                   .accuracy = accuracy_of(point),
                   .command = command_of(points, point)});
  return accuracy_note(all);
}

Cells input_cells(const MultistageQuestion& question) {
  return joined(combining_cells({question.network, question.load, question.service}),
                Cells{{"variant", Text{name(question.variant)}}});
}

Cells result_cells(const MultistageAnswer& answer) {
  return {{"throughput", shown(answer.throughput)},
          {"delay", shown(answer.delay)},
          {"hot_delay", shown(answer.hot_delay)},
          {"cold_delay", shown(answer.cold_delay)},
          {"saturated", Flag{answer.saturated}},
          {"saturation_without_combining", shown(answer.saturation_without_combining)},
          {"busiest_stage", Whole{static_cast<std::int64_t>(answer.busiest_stage())}},
          {"iteration", Text{name(answer.ending.stop)}},
          {"rounds", Whole{answer.ending.rounds}},
          {"change", Model{answer.ending.change}}};
}

Rows hot_path(const MultistageAnswer& answer) {
  const auto stages = share(answer.hot_path);
  return {.key = "hot_path", .size = stages->size(), .row = [stages](std::size_t stage) -> Cells {
            const MultistageQueue& queue = (*stages)[stage];
            return {{"stage", Whole{static_cast<std::int64_t>(stage)}},
                    {"occupancy", shown(queue.occupancy)},
                    {"combining", shown(queue.combining)},
                    {"utilization", shown(queue.utilization)}};
          }};
}

std::string title(const std::vector<MultistagePoint>& points) {
  std::vector<CombiningPoint> all;
  bool same_variant = true;
  for (const MultistagePoint& point : points) {
    all.push_back({point.first.network, point.first.load, point.first.service});
    same_variant = same_variant && point.first.variant == points.front().first.variant;
  }
  return in_words(all) +
         (same_variant ? fmt::format("; variant {}", name(points.front().first.variant)) : "");
}

std::vector<std::string> notes(const Document& document, const std::vector<MultistagePoint>& points) {
  std::vector<std::string> notes;
  if (points.size() > 1 && one_network(document)) {
    notes.push_back("Saturation: " + saturation_in_words(points) + ".");
    notes.push_back(fmt::format("Iteration: at load {}: {}.", plain(points.back().first.load),
                                iteration_in_words(points.back())));
  }
  for (std::size_t i = 0; i + 1 < points.size(); ++i)
    if (unsettled(points[i])) {
      notes.push_back(fmt::format("The iteration did not settle at {}: {}.",
                                  point_in_words(document, document.results[i]),
                                  iteration_in_words(points[i])));
      break;
    }
  if (points.size() > most_hot_paths_in_text)
    notes.emplace_back("Queues that hot requests pass: --format json or csv, or fewer points.");
  notes.emplace_back(
      "An approximate model; its digits are not proved. Delays from the entry into stage 0, in the unit of "
      "--service; throughput in requests a processor in a service time; saturated: less than 98 % of the "
      "load "
      "comes through.");
  notes.push_back(note_on_accuracy(points));
  return notes;
}

Picture picture(const Document& document, const std::vector<MultistagePoint>& points, MultistageCurve curve) {
  DrawnFlow flow{.name = name(points.front().first.variant), .throughput = {}, .delay = {}};
  for (const MultistagePoint& point : points) {
    flow.throughput.push_back(shown(point.second.throughput));
    flow.delay.push_back(shown(point.second.delay));
  }
  return flow_picture(document, title(points), curve, {flow}, "an approximate model");
}

}  // namespace

Layout multistage_layout() {
  Layout layout{.command = "multistage", .inputs = {}, .results = {}};
  layout.inputs =
      joined(combining_columns(), {{"variant", "variant", "", Shape::text,
                                    "of the model: blocking (full buffers stop those behind) or published"}});
  layout.results = joined(
      flow_columns(Shape::model),
      {{"saturated", "saturated", "", Shape::flag, "less than 98 % of the load comes through"},
       {"saturation_without_combining", "", "", Shape::proved,
        "load from which on the hot path is full where none combine (exact for the model)", Style::hidden},
       {"busiest_stage", "", "", Shape::whole, "whose queue on the hot path is busy most, 0 for the first",
        Style::hidden},
       {"iteration", "", "", Shape::text, "how it ended: direct (one pass), converged or too many rounds",
        Style::hidden},
       {"rounds", "", "", Shape::whole, "of the iteration, 0 where there is none", Style::hidden},
       {"change", "", "", Shape::model, "greatest change in the last round", Style::hidden}});
  layout.results = joined(std::move(layout.results), accuracy_columns(hot_spot_accuracy_keys));
  const auto model = [](const char* key, const char* heading, const char* meaning, Style style) {
    return Column{key, heading, "", Shape::model, meaning, style, 4};
  };
  layout.tables = {
      {"hot_path",
       "the queues that hot requests pass, a row a stage",
       {{"stage", "stage", "", Shape::whole, "0 for that next to the processors"},
        model("occupancy", "occupancy", "requests present, that in service or blocked included",
              Style::plain),
        model("combining", "combining", "probability that a hot request that comes here combines",
              Style::plain),
        model("utilization", "busy", "probability that the server works or is blocked", Style::percent)}}};
  return layout;
}

Document document(const std::vector<MultistagePoint>& points, MultistageCurve curve) {
  Document document{.layout = std::make_shared<const Layout>(multistage_layout()),
                    .headline = title(points),
                    .results = {}};
  for (const MultistagePoint& point : points)
    document.results.push_back({.inputs = input_cells(point.first),
                                .cells = joined(result_cells(point.second),
                                                accuracy_cells(accuracy_of(point), hot_spot_accuracy_keys, 0,
                                                               measuring_command({point.first})))});
  for (std::size_t i = 0; i < points.size(); ++i) {
    Rows rows = hot_path(points[i].second);
    rows.caption = hot_path_caption(document, document.results[i]);
    rows.in_text = points.size() <= most_hot_paths_in_text;
    document.results[i].tables.push_back(std::move(rows));
  }
  if (points.size() == 1) document.results.front().lines = lines(points);
  document.notes = notes(document, points);
  document.picture = [document, points, curve] { return picture(document, points, curve); };
  return document;
}

}  // namespace tailbound::render
