#include <fmt/format.h>
#include <tailbound/answers/accuracy/accuracy_settings.hpp>
#include <tailbound/core/choice.hpp>
#include <tailbound/numeric/rational.hpp>
#include <tailbound/numeric/text/plain.hpp>
#include <tailbound/render/documents/accuracy/accuracy.hpp>
#include <tailbound/render/documents/multistage/multistage.hpp>
#include <tailbound/render/documents/parts/units.hpp>

#include <algorithm>
#include <memory>
#include <optional>
#include <set>
#include <string>

namespace tailbound::render {
namespace {

using namespace answers;
using numeric::plain;

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
  return "too many iterations";
}

bool unsettled(const MultistagePoint& point) {
  return point.second.ending.stop == bounds::Stop::too_many_rounds;
}

/// For points that differ only in their load.
std::string saturation_in_words(const MultistageAnswer& answer) {
  const double share = 100 * bounds::multistage::carried_share;
  if (!answer.saturation_load)
    return fmt::format("not reached: at load 1 the throughput is at least {:.0f} % of the load", share);
  const double load = answer.saturation_load->value, resolution = bounds::multistage::saturation_resolution;
  const double bound = numeric::nearest_double(answer.saturation_bound.value);
  return fmt::format(
      "load {:.4g} (to {:.1f} %); above it the throughput is below {}", load, 100 * resolution,
      load >= (1 - resolution) * bound ? "the load" : fmt::format("{:.0f} % of the load", share));
}

/// Empty if a load of 1 is possible.
std::string network_bound_in_words(const network::CombiningMultistage& network,
                                   const MultistageAnswer& answer, const std::string& separator = "; ") {
  const numeric::Rational& bound = answer.saturation_bound.value;
  if (bound >= 1) return {};
  const bool one = network.links == network::Links::one;
  const char* const why =
      network.combining != 1 ? "a link or server of the hot path has utilization 1 there, for any combining"
      : one ? "the link to the hot memory has utilization 1 there, 1 / (1 + h (N - 1)) (Pfister and Norton)"
            : "the last servers of the hot path have utilization 1 there, 1 / (1 - h + h N / s)";
  return fmt::format("throughput is at most {:.5g}, exact{}{}", numeric::nearest_double(bound), separator,
                     why);
}

std::string iteration_in_words(const MultistagePoint& point) {
  return bounds::in_words(point.second.ending);
}

std::string mean_or_none(const std::optional<numeric::Model<unit::Time>>& delay) {
  return delay ? fmt::format("{:.4g}", delay->value) : "no requests";
}

std::vector<Line> lines(const std::vector<MultistagePoint>& points) {
  const auto& [query, answer] = points.front();
  std::vector<Line> lines{
      {"throughput", fmt::format("{:.4g} requests per processor and service time, offered {}",
                                 answer.throughput.value, plain(query.load))},
      {"mean delay", fmt::format("{:.4g}; hot {}, cold {}", answer.delay.value,
                                 mean_or_none(answer.hot_delay), mean_or_none(answer.cold_delay))},
      {"saturation", saturation_in_words(answer)}};
  if (const std::string bound = network_bound_in_words(query.network, answer, "\n"); !bound.empty())
    lines.push_back({"bound", bound});
  lines.push_back({"iteration", iteration_in_words(points.front())});
  return lines;
}

const AccuracyKeys hot_spot_accuracy_keys{{Quantity::mean_delay, "delay"},
                                          {Quantity::throughput, "throughput"}};

Accuracy accuracy_of(const MultistagePoint& point) {
  return accuracy(requested_accuracy(point.first, point.second.saturated));
}

/// The command that measures all loads of a point's network.
std::string command_of(const std::vector<MultistagePoint>& points, const MultistagePoint& of) {
  std::vector<MultistageQuery> queries;
  for (const MultistagePoint& each : points)
    if (network::describe(each.first.network) == network::describe(of.first.network))
      queries.push_back(each.first);
  return measuring_command(queries);
}

std::string note_on_accuracy(const Document& document, const std::vector<MultistagePoint>& points) {
  std::vector<StatedAccuracy> all;
  for (std::size_t i = 0; i < points.size(); ++i)
    all.push_back({.network = network_in_words(document, document.results[i]),
                   .accuracy = accuracy_of(points[i]),
                   .command = command_of(points, points[i])});
  return accuracy_note(all);
}

const Fields<MultistageQuery>& multistage_inputs() {
  using Query = MultistageQuery;
  static const Fields<Query> fields{{combining_fields(), [](const Query& of) {
                                       return CombiningPoint{of.network, of.load, of.service};
                                     }}};
  return fields;
}

const Fields<MultistageAnswer>& multistage_results() {
  using Answer = MultistageAnswer;
  static const Fields<Answer> fields{
      flow_fields<Answer>(Shape::model),
      {{"saturated", "saturated", "", Shape::flag, "true if the throughput is below 98 % of the load"},
       &Answer::saturated},
      {{"saturation_load", "", "", Shape::model,
        "maximum load with a throughput of at least 98 % of it, to 0.1 %, independent of --loads; null if "
        "load 1 is carried",
        Style::hidden},
       [](const Answer& of) { return shown(of.saturation_load); }},
      {{"saturation_bound", "", "", Shape::proved,
        "upper bound of the throughput, exact: utilization of the links and servers of the hot path at most "
        "1",
        Style::hidden},
       &Answer::saturation_bound},
      {{"busiest_stage", "", "", Shape::whole,
        "stage with the highest utilization on the hot path, 0 for the first", Style::hidden},
       &Answer::busiest_stage},
      {{"iteration", "", "", Shape::text,
        "end of the iteration: direct (single pass), converged or too many iterations", Style::hidden},
       [](const Answer& of) { return name(of.ending.stop); }},
      {{"rounds", "", "", Shape::whole, "iterations, 0 if none", Style::hidden},
       [](const Answer& of) { return of.ending.rounds; }},
      {{"change", "", "", Shape::model, "maximum change in the last iteration", Style::hidden},
       [](const Answer& of) { return Value(Model{of.ending.change}); }}};
  return fields;
}

/// A queue of the hot path, by its stage.
struct HotStage {
  std::size_t stage;
  const MultistageQueue& queue;
};

const Table<HotStage>& hot_path_table() {
  const auto model = [](const char* key, const char* heading, const char* meaning, Style style) {
    return Column{key, heading, "", Shape::model, meaning, style, 4};
  };
  static const Table<HotStage> table{
      "hot_path",
      "queues on the path of hot requests, one row per stage",
      {{{"stage", "stage", "", Shape::whole, "0 is next to the processors"}, &HotStage::stage},
       {model("occupancy", "occupancy", "mean number of requests, in service or blocked included",
              Style::plain),
        [](const HotStage& of) { return shown(of.queue.occupancy); }},
       {model("combining", "combining", "probability that a hot request combines here", Style::plain),
        [](const HotStage& of) { return shown(of.queue.combining); }},
       {model("utilization", "utilization",
              "probability that the server is busy, waits for its link or is blocked", Style::percent),
        [](const HotStage& of) { return shown(of.queue.utilization); }}}};
  return table;
}

Rows hot_path(const MultistageAnswer& answer) {
  const auto stages = share(answer.hot_path);
  return hot_path_table().rows(stages->size(), [stages](std::size_t stage) {
    return HotStage{stage, (*stages)[stage]};
  });
}

std::string title(const std::vector<MultistagePoint>& points) {
  std::vector<CombiningPoint> all;
  for (const auto& [query, answer] : points) all.push_back({query.network, query.load, query.service});
  return in_words(all);
}

/// The throughput and delay of one point; of several, the saturation load of the networks.
Headline headline(const Document& document, const std::vector<MultistagePoint>& points) {
  const MultistageAnswer& answer = points.front().second;
  if (points.size() == 1)
    return {"throughput",
            fmt::format("{:.4g} requests per processor and service time", answer.throughput.value),
            fmt::format("; mean delay {:.4g}", answer.delay.value),
            {shown(answer.throughput), shown(answer.delay)}};
  std::vector<double> loads;
  std::set<std::string> networks, without_saturation;
  for (std::size_t i = 0; i < points.size(); ++i) {
    const std::string network = network_in_words(document, document.results[i]);
    networks.insert(network);
    if (const auto& load = points[i].second.saturation_load)
      loads.push_back(load->value);
    else
      without_saturation.insert(network);
  }
  if (loads.empty()) return Headline::without_numbers("Saturation is not reached at load 1.");
  std::string text;
  if (!without_saturation.empty())
    text = fmt::format("; {} of {} {} not saturate", without_saturation.size(),
                       counted(networks.size(), "network"), without_saturation.size() == 1 ? "does" : "do");
  return {"saturation load",
          range_in_words(loads) + " requests per processor and service time",
          text,
          {Model{loads.front()}}};
}

/// For each network, regardless of the given loads.
void add_saturation(std::vector<std::string>& notes, const Document& document,
                    const std::vector<MultistagePoint>& points) {
  constexpr std::size_t maximum = 8;
  std::vector<std::string> seen;
  for (std::size_t i = 0; i < points.size() && seen.size() < maximum; ++i) {
    std::string network = network_in_words(document, document.results[i]);
    if (std::find(seen.begin(), seen.end(), network) != seen.end()) continue;
    const std::string of = network.empty() ? "" : ", " + network;
    const auto& [query, answer] = points[i];
    notes.push_back(fmt::format("Saturation{}: {}.", of, saturation_in_words(answer)));
    if (const std::string bound = network_bound_in_words(query.network, answer); !bound.empty())
      notes.push_back(fmt::format("Bound{}: {}.", of, bound));
    seen.push_back(std::move(network));
  }
}

std::vector<std::string> notes(const Document& document, const std::vector<MultistagePoint>& points) {
  std::vector<std::string> notes;
  if (points.size() > 1) add_saturation(notes, document, points);
  if (points.size() > 1 && one_network(document))
    notes.push_back(fmt::format("Iteration: at load {}: {}.", plain(points.back().first.load),
                                iteration_in_words(points.back())));
  std::vector<std::string> open;
  for (std::size_t i = 0; i + 1 < points.size(); ++i)
    if (unsettled(points[i]))
      open.push_back(point_in_words(document, document.results[i]) + ": " + iteration_in_words(points[i]));
  if (!open.empty())
    notes.push_back(fmt::format("The iteration did not converge at {}{}.", open.front(),
                                open.size() > 1 ? fmt::format(", and at {} others", open.size() - 1) : ""));
  if (points.size() > max_hot_paths_in_text)
    notes.emplace_back("Queues on the path of hot requests: --format json or csv, or fewer points.");
  notes.emplace_back(
      "Approximate model. Delays from the entry into stage 0, in the unit of --service. Saturated: "
      "throughput below 98 % of the load.");
  notes.push_back(note_on_accuracy(document, points));
  return notes;
}

Picture picture(const Document& document, const std::vector<MultistagePoint>& points, MultistageCurve curve) {
  const Shared<MultistagePoint> all = share(points);
  DrawnFlow flow{.name = "model",
                 .style = CurveStyle::line,
                 .throughput = {},
                 .delay = {},
                 .at_load = [all](std::size_t i, const numeric::Rational& load) {
                   const answers::MultistageQuery& query = (*all)[i].first;
                   return modelled_flow({query.network, load, query.service});
                 }};
  for (const MultistagePoint& point : points) {
    flow.throughput.push_back(shown(point.second.throughput));
    flow.delay.push_back(shown(point.second.delay));
  }
  return flow_picture(document, title(points), curve, {flow}, "an approximate model");
}

}  // namespace

Layout multistage_layout() {
  return {.command = "multistage",
          .inputs = multistage_inputs().columns(),
          .results = joined(multistage_results().columns(), accuracy_columns(hot_spot_accuracy_keys)),
          .tables = {hot_path_table().layout()}};
}

Cells inputs_of(const MultistageQuery& query) {
  return multistage_inputs().cells(query);
}

Document document(const std::vector<MultistagePoint>& points, MultistageCurve curve) {
  Document document{.layout = std::make_shared<const Layout>(multistage_layout()),
                    .headline = {},
                    .settings = capitalized(title(points)) + ".",
                    .results = {}};
  for (const MultistagePoint& point : points)
    document.results.push_back({.inputs = inputs_of(point.first),
                                .cells = joined(multistage_results().cells(point.second),
                                                accuracy_cells(accuracy_of(point), hot_spot_accuracy_keys, 0,
                                                               measuring_command({point.first})))});
  for (std::size_t i = 0; i < points.size(); ++i) {
    Rows rows = hot_path(points[i].second);
    rows.caption = hot_path_caption(document, document.results[i]);
    rows.in_text = points.size() <= max_hot_paths_in_text && points[i].first.network.hot > 0;
    document.results[i].tables.push_back(std::move(rows));
  }
  if (points.size() == 1) document.results.front().lines = lines(points);
  document.headline = headline(document, points);
  document.notes = notes(document, points);
  document.picture = [document, points, curve] { return picture(document, points, curve); };
  return document;
}

}  // namespace tailbound::render
