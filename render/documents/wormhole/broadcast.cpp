#include <fmt/format.h>
#include <tailbound/answers/accuracy/accuracy_settings.hpp>
#include <tailbound/numeric/rational.hpp>
#include <tailbound/render/documents/accuracy/accuracy.hpp>
#include <tailbound/render/documents/parts/units.hpp>
#include <tailbound/render/documents/wormhole/broadcast.hpp>
#include <tailbound/render/documents/worms/hypercube.hpp>
#include <tailbound/render/documents/worms/saturation.hpp>
#include <tailbound/render/documents/worms/worm_ends.hpp>
#include <tailbound/render/documents/worms/worm_network.hpp>
#include <tailbound/render/sweep_picture.hpp>

#include <algorithm>
#include <cmath>
#include <memory>

namespace tailbound::render {
namespace {

using answers::BroadcastAnswer;
using answers::BroadcastChannels;
using answers::BroadcastHypercube;
using answers::BroadcastPoint;
using answers::BroadcastQuery;

Cells input_cells(const BroadcastQuery& query, std::size_t i, const BroadcastPoint& point) {
  return joined(hypercube_fields().cells(query.hypercube), rate_cells(query.offered, i, point.rate));
}

/// A rate of a hypercube.
struct BroadcastAtRate {
  const BroadcastAnswer& answer;
  const BroadcastPoint& point;

  /// Null if the model has no saturation rate.
  template <class Number>
  [[nodiscard]] Value of_saturation(const Number& number) const {
    return answer.saturated ? Value(shown(number)) : Value(None{});
  }
};

const Fields<BroadcastAtRate>& broadcast_results() {
  using Of = BroadcastAtRate;
  static const Fields<Of> fields{
      {{"saturation_rate", "saturation", "messages/cycle/node", Shape::model,
        "saturation rate; null if the model has no solution above solved_rate, although solved_utilization "
        "is "
        "below 97 %",
        Style::hidden},
       [](const Of& of) { return of.of_saturation(of.answer.saturation); }},
      {{"solved_rate", "", "messages/cycle/node", Shape::model, "the largest rate with a solution",
        Style::hidden},
       [](const Of& of) { return of.answer.saturation; }},
      {{"solved_utilization", "", "", Shape::model,
        "the largest utilization there, of ports, links, their virtual channels and ejection channels",
        Style::hidden},
       [](const Of& of) { return of.answer.fullness; }},
      {fraction_column("rate / saturation_rate, below 1; null if that is"),
       [](const Of& of) { return of.of_saturation(of.point.fraction_of_saturation); }},
      {{"unicast_latency", "unicast", "cycles", Shape::model, "mean unicast latency"},
       [](const Of& of) { return of.point.unicast_latency; }},
      {{"broadcast_latency", "broadcast", "cycles", Shape::model,
        "mean broadcast latency, from its start to the last receiver"},
       [](const Of& of) { return of.point.broadcast_latency; }},
      {{"multiplexing", "multiplexing", "", Shape::model,
        "mean multiplexing degree: busy virtual channels per link, seen by one of them"},
       [](const Of& of) { return of.point.multiplexing; }},
      {{"source_wait", "injection wait", "cycles", Shape::model, "mean wait for an injection channel"},
       [](const Of& of) { return of.point.source_wait; }},
      {{"source_utilization", "injection busy", "", Shape::model,
        "utilization of an injection channel, below 1", Style::hidden},
       [](const Of& of) { return of.point.source_utilization; }},
      {{"ejection_wait", "ejection wait", "cycles", Shape::model,
        "mean wait for an ejection channel; null if ejection is unlimited", Style::hidden},
       [](const Of& of) { return shown(of.point.ejection_wait); }}};
  return fields;
}

/// The channels of a dimension, counted from 0.
struct DimensionRow {
  const BroadcastChannels& channels;
  std::size_t dimension = 0;
};

const Table<DimensionRow>& dimension_table() {
  using Row = DimensionRow;
  static const Table<Row> table{
      "channels",
      "channels of each dimension",
      {{{"dimension", "dimension", "", Shape::whole, "1 to n"},
        [](const Row& of) { return of.dimension + 1; }},
       {{"utilization", "utilization", "", Shape::model, "utilization of a channel, below 1", Style::percent},
        [](const Row& of) { return of.channels.utilization; }},
       {{"service", "occupancy time", "cycles", Shape::model, "mean occupancy time of a virtual channel"},
        [](const Row& of) { return of.channels.service; }},
       {{"wait", "wait", "cycles", Shape::model,
         "mean wait of a header that finds all virtual channels busy"},
        [](const Row& of) { return of.channels.wait; }},
       {{"all_busy", "all busy", "", Shape::model, "probability that all virtual channels are busy"},
        [](const Row& of) { return of.channels.all_busy; }},
       {{"blocking", "blocking", "cycles", Shape::model, "mean of that wait over all headers"},
        [](const Row& of) { return of.channels.blocking; }},
       {{"multiplexing", "multiplexing", "", Shape::model,
         "mean number of busy virtual channels, seen by one of them"},
        [](const Row& of) { return of.channels.multiplexing; }}}};
  return table;
}

Rows dimension_rows(const BroadcastPoint& point) {
  const auto channels = share(point.dimensions);
  Rows rows = dimension_table().rows(channels->size(), [channels](std::size_t i) {
    return DimensionRow{(*channels)[i], i};
  });
  rows.caption = "Channels of each dimension, all identical:";
  return rows;
}

Line saturation_line(const BroadcastAnswer& answer) {
  const std::string rate = fmt::format("{:.10g} messages/cycle/node", answer.saturation.value);
  if (answer.saturated) return {"saturation", rate};
  return {"no answer above", rate + ": " + answers::no_solution_in_words(answer.fullness.value)};
}

std::vector<Line> lines(const BroadcastQuery& query, const BroadcastAnswer& answer) {
  const BroadcastPoint& point = answer.points.front();
  const auto cycles = [](const numeric::Model<unit::Cycle>& time) {
    return fmt::format("{} cycles", brief(shown(time)));
  };
  std::string rate = fmt::format("{:.6g} messages/cycle/node", point.rate);
  if (answer.saturated)
    rate += fmt::format(", {:.1f} % of saturation", 100 * point.fraction_of_saturation.value);
  std::vector<Line> lines{{"rate", std::move(rate)},
                          {"unicast", cycles(point.unicast_latency)},
                          {"broadcast", cycles(point.broadcast_latency) +
                                            (query.hypercube.broadcast == 0 ? " (hypothetical)" : "")},
                          {"multiplexing", fmt::format("{:.4f}", point.multiplexing.value)},
                          {"injection wait", cycles(point.source_wait)}};
  if (point.ejection_wait) lines.push_back({"ejection wait", cycles(*point.ejection_wait)});
  lines.push_back(saturation_line(answer));
  return lines;
}

const AccuracyKeys hypercube_accuracy_keys{{answers::Quantity::mean_latency, "unicast"},
                                           {answers::Quantity::broadcast_latency, "broadcast"},
                                           {answers::Quantity::saturation, "saturation"}};

answers::Accuracy accuracy_of(const BroadcastQuery& query, const BroadcastAnswer& answer) {
  std::vector<double> fractions;
  for (const BroadcastPoint& point : answer.points) fractions.push_back(point.rate / answer.saturation.value);
  return answers::accuracy(answers::requested_accuracy(query.hypercube, std::move(fractions)));
}

std::vector<BroadcastHypercube> hypercubes_of(const std::vector<BroadcastRatesAnswered>& networks) {
  std::vector<BroadcastHypercube> all;
  for (const BroadcastRatesAnswered& network : networks) all.push_back(network.first.hypercube);
  return all;
}

std::vector<std::string> notes(const std::vector<BroadcastRatesAnswered>& networks, bool omitted_tables) {
  std::vector<std::string> notes{
      "Approximate model: messages share physical channels. Broadcast latency: until the last receiver."};
  std::vector<StatedAccuracy> accuracy;
  for (const auto& [query, answer] : networks)
    accuracy.push_back({.network = network_in_words(query.hypercube),
                        .accuracy = accuracy_of(query, answer),
                        .command = measuring_command(query)});
  notes.push_back(accuracy_note(accuracy));
  notes = joined(std::move(notes), unicast_notes(hypercubes_of(networks)));
  for (const auto& [query, answer] : networks)
    if (!answer.saturated && networks.size() == 1)
      notes.push_back(fmt::format(
          "No answer above rate {:.5g}: {}. This is not a saturation rate: the network may carry more "
          "(`tailbound simulate hypercube` with --saturation). Fractions are of this rate.",
          answer.saturation.value, answers::no_solution_in_words(answer.fullness.value)));
  if (omitted_tables)
    notes.push_back(
        fmt::format("Channels of each dimension: in JSON and CSV, or here with up to {} rates.", max_tables));
  return notes;
}

/// The saturation rate, and of a single rate the latencies there.
Headline headline(const Document& document, const std::vector<BroadcastRatesAnswered>& networks) {
  std::vector<ModelEnd> ends;
  std::vector<Value> quoted;
  for (const auto& [query, answer] : networks) ends.push_back({answer.saturation.value, answer.saturated});
  std::string text;
  if (document.results.size() == 1) {
    const BroadcastPoint& point = networks.front().second.points.front();
    const bool broadcasts = networks.front().first.hypercube.broadcast > 0;
    const char* const key = broadcasts ? "broadcast_latency" : "unicast_latency";
    quoted.push_back(value_of(document.results.front().cells, key));
    text = fmt::format("; {} latency {} cycles at rate {:.4g}", broadcasts ? "broadcast" : "unicast",
                       range_in_words(document, key), point.rate);
  }
  return saturation_headline("rate", "messages/cycle/node", ends, text, quoted);
}

std::string settings(const Document& document, const std::vector<BroadcastRatesAnswered>& networks) {
  const auto& [query, answer] = networks.front();
  return capitalized(in_words(query.hypercube, hypercubes_of(networks))) +
         offered_in_words(document, "rate") + ".";
}

Picture picture(const Document& document, const std::vector<BroadcastRatesAnswered>& networks) {
  const auto& [query, answer] = networks.front();
  Picture picture = latency_axes(title_in_words(query.hypercube, hypercubes_of(networks)));
  picture.note = "an approximate model";
  const bool broadcasts = std::any_of(
      networks.begin(), networks.end(),
      [](const BroadcastRatesAnswered& network) { return network.first.hypercube.broadcast > 0; });
  std::vector<DrawnLatency> latencies{{"unicast_latency", "unicast", 1}};
  if (broadcasts) latencies.insert(latencies.begin(), {"broadcast_latency", "broadcast"});
  picture.note += ends_in_words(hypercubes_of(networks));
  picture = latency_picture(document, latencies, std::move(picture));
  const bool by_rate = std::any_of(networks.begin(), networks.end(),
                                   [](const auto& network) { return network.second.points.size() > 1; });
  // A line for each network, of each latency.
  if (picture.curves.size() == networks.size() * latencies.size() && (by_rate || networks.size() == 1))
    for (std::size_t i = 0; i < picture.curves.size(); ++i) {
      const auto& [its, found] = networks[i % networks.size()];
      constexpr double nearest = 0.98;  // of saturation
      std::vector<double> rates{nearest * found.saturation.value};
      for (const BroadcastPoint& point : found.points) rates.push_back(point.rate);
      picture.curves[i].style = CurveStyle::line;
      picture.curves[i].course =
          latency_course(its.hypercube,
                         broadcasts && i < networks.size() ? &answers::BroadcastLatencies::broadcast
                                                           : &answers::BroadcastLatencies::unicast,
                         std::move(rates));
    }
  if (networks.size() > 1) return picture;
  picture.x_label = "rate [messages/cycle/node]";
  picture.note += fmt::format("; start-up {}", brief(Given{query.hypercube.startup}));
  picture.curves.push_back(vertical_limit(
      fmt::format("{} {:.5g}", answer.saturated ? "saturation," : "no answer above", answer.saturation.value),
      answer.saturation.value));
  return picture;
}

}  // namespace

Layout broadcast_layout() {
  Layout layout{.command = "broadcast", .inputs = {}, .results = {}};
  layout.inputs = joined(hypercube_fields().columns(), rate_columns());
  layout.results = joined(broadcast_results().columns(), accuracy_columns(hypercube_accuracy_keys));
  layout.tables = {dimension_table().layout()};
  return layout;
}

Cells inputs_of(const BroadcastQuery& query) {
  return joined(hypercube_fields().cells(query.hypercube), rate_cells(query.offered));
}

Document document(const std::vector<BroadcastRatesAnswered>& networks) {
  std::size_t results = 0;
  for (const auto& [query, answer] : networks) results += answer.points.size();
  Layout layout = broadcast_layout();
  if (networks.size() > 1) layout.results.front().style = Style::plain;  // saturation differs
  Document document{.layout = std::make_shared<const Layout>(std::move(layout)),
                    .headline = {},
                    .settings = {},
                    .results = {},
                    .notes = notes(networks, results > max_tables)};
  for (const auto& [query, answer] : networks) {
    const answers::Accuracy accuracy = accuracy_of(query, answer);
    const std::string command = measuring_command(query);
    for (std::size_t i = 0; i < answer.points.size(); ++i) {
      const BroadcastPoint& point = answer.points[i];
      Result& result = document.results.emplace_back();
      result.inputs = input_cells(query, i, point);
      result.cells = joined(
          broadcast_results().cells({answer, point}),
          accuracy_cells(accuracy, hypercube_accuracy_keys, point.rate / answer.saturation.value, command));
      result.tables = {dimension_rows(point)};
      result.tables.front().in_text = results <= max_tables;
      if (results == 1) {
        result.lines = lines(query, answer);
        continue;
      }
      result.caption = fmt::format("rate {:.6g}", point.rate);
    }
  }
  document.headline = headline(document, networks);
  if (networks.size() > 1)
    for (Result& result : document.results) result.caption = point_title(document, result);
  document.settings = settings(document, networks);
  document.picture = [document, networks] { return picture(document, networks); };
  return document;
}

}  // namespace tailbound::render
