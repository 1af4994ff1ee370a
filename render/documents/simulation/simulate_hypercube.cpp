#include <cln/rational.h>
#include <fmt/format.h>
#include <tailbound/core/choice.hpp>
#include <tailbound/render/documents/parts/observed.hpp>
#include <tailbound/render/documents/parts/simulation.hpp>
#include <tailbound/render/documents/parts/units.hpp>
#include <tailbound/render/documents/simulation/simulate_hypercube.hpp>
#include <tailbound/render/documents/worms/hypercube.hpp>
#include <tailbound/render/documents/worms/saturation.hpp>

#include <memory>

namespace tailbound::render {
namespace {

using answers::BroadcastHypercube;
using answers::LoadMeasure;
using answers::SimulatedBroadcasts;
using answers::SimulatedHypercube;
using answers::SimulateHypercubeQuestion;

Value count_of(std::uint64_t count) {
  return Whole{static_cast<std::int64_t>(count)};
}

Cells input_cells(const SimulateHypercubeQuestion& question, std::size_t i,
                  const SimulatedBroadcasts& point) {
  return joined(hypercube_cells(question.network), rate_cells(question.offered, i, point.rate));
}

/// (1 + b (N - 2)) M rate
numeric::Rational offered_flits(const SimulateHypercubeQuestion& question, std::size_t i,
                                const SimulatedBroadcasts& point) {
  const BroadcastHypercube& hypercube = question.network.hypercube;
  const numeric::Rational rate =
      question.offered.of_saturation ? given(point.rate).value : question.offered.values[i];
  return (1 + hypercube.broadcast * (static_cast<long>(hypercube.nodes()) - 2)) *
         static_cast<long>(hypercube.flits) * rate;
}

Cells result_cells(const SimulateHypercubeQuestion& question, std::size_t i, double model_saturation,
                   const SimulatedBroadcasts& point) {
  const sim::BroadcastEstimates& found = point.found;
  const Cells cells{{"fraction_of_saturation", shown(point.fraction_of_saturation)},
                    {"unicast_latency", shown(found.unicast_latency)},
                    {"broadcast_latency", shown(found.broadcast_latency)},
                    {"unicast_wait", shown(found.unicast_wait)},
                    {"copy_latency", shown(found.copy_latency)},
                    {"copy_wait", shown(found.copy_wait)},
                    {"busy_channels", shown(found.busy)},
                    {"throughput", shown(found.throughput)},
                    {"offered_throughput", Exact{offered_flits(question, i, point)}},
                    {"generated_throughput", observed(found.generated)},
                    {"mean_links", observed(found.mean_links)},
                    {"unicasts", count_of(found.unicasts)},
                    {"broadcasts", count_of(found.broadcasts)},
                    {"copies", count_of(found.copies)},
                    {"model_saturation_rate", Model{model_saturation}}};
  return joined(cells, simulation_cells(point.simulated, "cycle"));
}

std::vector<Rows> tables(const SimulateHypercubeQuestion& question, const SimulatedBroadcasts& point) {
  const auto shared = std::make_shared<const sim::BroadcastEstimates>(point.found);
  return {{.key = "percentiles",
           .size = shared->percentiles.size(),
           .row = [shared, fractions = question.percentiles](std::size_t i) -> Cells {
             const sim::BroadcastPercentile& percentile = shared->percentiles[i];
             return {{"percentile", Given{fractions[i] * 100}},
                     {"unicast_latency", shown(percentile.unicast)},
                     {"broadcast_latency", shown(percentile.broadcast)}};
           },
           .caption = "Latencies, in percent of the messages:"},
          {.key = "channels",
           .size = shared->dimensions.size(),
           .row = [shared](std::size_t i) -> Cells {
             const sim::DimensionUse& use = shared->dimensions[i];
             return {{"dimension", Whole{static_cast<std::int64_t>(i + 1)}},
                     {"busy_channels", observed(use.busy)},
                     {"flits_per_cycle", observed(use.flits)}};
           },
           .caption = "Links of each dimension:"}};
}

std::string delivered_in_words(const SimulatedBroadcasts& point) {
  return fmt::format("{} delivered, {:.6g} generated; expected (1 + b (N-2)) M rate = {:.6g}",
                     brief(shown(point.found.throughput)), point.found.generated, point.found.offered);
}

std::string messages_in_words(const SimulatedBroadcasts& point) {
  return fmt::format("{} unicasts, {} broadcasts, {} copies", point.found.unicasts, point.found.broadcasts,
                     point.found.copies);
}

std::vector<Line> lines(const SimulatedBroadcasts& point) {
  const sim::BroadcastEstimates& found = point.found;
  const auto cycles = [](const std::optional<numeric::Estimate<unit::Slot>>& time) {
    return time ? brief(shown(*time)) + " cycles" : std::string("-");
  };
  const Line rate{"rate", fmt::format("{:.6g} messages/cycle/node, {:.1f} % of the model's saturation",
                                      point.rate, 100 * point.fraction_of_saturation.value)};
  const std::vector<Line> lines{
      rate,
      {"unicast", cycles(found.unicast_latency) + ", wait " + cycles(found.unicast_wait)},
      {"broadcast", cycles(found.broadcast_latency)},
      {"copy", cycles(found.copy_latency) + ", wait " + cycles(found.copy_wait)},
      {"busy channels", brief(shown(found.busy)) + " of a link"},
      {"messages", messages_in_words(point)},
      {"flits", "a cycle and node: " + delivered_in_words(point)}};
  return joined(lines, simulation_lines(point.simulated, "cycle"));
}

std::vector<SimulatedHypercube> networks_of(const std::vector<SimulatedHypercubeAnswered>& answered) {
  std::vector<SimulatedHypercube> all;
  for (const auto& [question, answer] : answered) all.push_back(question.network);
  return all;
}

std::vector<BroadcastHypercube> hypercubes_of(const std::vector<SimulatedHypercubeAnswered>& answered) {
  std::vector<BroadcastHypercube> all;
  for (const auto& [question, answer] : answered) all.push_back(question.network.hypercube);
  return all;
}

std::vector<const SimulatedBroadcasts*> points_of(const std::vector<SimulatedHypercubeAnswered>& networks) {
  std::vector<const SimulatedBroadcasts*> all;
  for (const auto& [question, answer] : networks)
    for (const SimulatedBroadcasts& point : answer.points) all.push_back(&point);
  return all;
}

std::vector<std::string> notes(const std::vector<SimulatedHypercubeAnswered>& networks) {
  const std::vector<const SimulatedBroadcasts*> points = points_of(networks);
  std::vector<std::string> notes;
  if (points.size() > 1)
    for (const SimulatedBroadcasts* point : points)
      if (points.size() <= most_tables)
        notes.push_back(fmt::format("rate {:.6g}: {}; {}; flits a cycle and node: {}", point->rate,
                                    messages_in_words(*point), in_words(point->simulated, "cycle"),
                                    delivered_in_words(*point)));
  if (points.size() > most_tables)
    notes.push_back(
        fmt::format("Percentiles, the links of each dimension, and how long was simulated are in the "
                    "data formats, and here with up to {} rates.",
                    most_tables));
  notes.push_back(fmt::format(
      "Estimates with {:.6g} % intervals, in cycles; of a broadcast until its last receiver, of a copy and "
      "of a "
      "unicast's wait from when it is handed to its injection channel. Busy channels: virtual channels of a "
      "link that "
      "belong "
      "to a message, in the mean. Of saturation: of the rate of the model's variant {}, which is on the low "
      "side.",
      100 * networks.front().first.confidence, name_of(answers::broadcast_variants.front())));
  return joined(std::move(notes), unicast_notes(hypercubes_of(networks)));
}

Picture picture(const Document& document, const std::vector<SimulatedHypercubeAnswered>& networks) {
  Picture picture =
      latency_axes(title_in_words(networks.front().first.network.hypercube, hypercubes_of(networks)));
  picture.note = fmt::format("simulation, {:.6g} % intervals", 100 * networks.front().first.confidence) +
                 ends_in_words(hypercubes_of(networks));
  return latency_picture(document, {{"broadcast_latency", "broadcast"}, {"unicast_latency", "unicast", 1}},
                         std::move(picture));
}

}  // namespace

Layout simulate_hypercube_layout() {
  Layout layout{.command = "simulate hypercube", .inputs = {}, .results = {}};
  layout.inputs = joined(joined(hypercube_columns(), rate_columns()), saturation_input_columns());
  const std::string flits = "flits/cycle/node";
  layout.results = {
      fraction_column("the rate over that at which the model's variant conserving saturates; may be above 1"),
      estimated_cycles("unicast_latency", "unicast",
                       "mean latency of unicasts; null where none was delivered"),
      estimated_cycles("broadcast_latency", "broadcast",
                       "mean latency of broadcasts until the last receiver; null where none ended"),
      estimated_cycles("unicast_wait", "unicast wait", "mean wait of a unicast for its injection channel"),
      estimated_cycles(
          "copy_latency", "copy",
          "mean latency of a copy of a broadcast, from when it is handed to its injection channel"),
      estimated_cycles("copy_wait", "copy wait", "mean wait of a copy for its injection channel",
                       Style::hidden),
      {"busy_channels", "busy channels", "", Shape::estimate,
       "virtual channels of a link that belong to a message, mean over all links"},
      {"throughput", "delivered", flits, Shape::estimate, "flits delivered"},
      {"offered_throughput", "offered", flits, Shape::proved,
       "(1 + b (N - 2)) M rate: what the throughput should be in the long run", Style::hidden},
      {"generated_throughput", "generated", flits, Shape::estimate,
       "flits that the messages generated while measured call for", Style::hidden},
      {"mean_links", "links", "", Shape::estimate, "of a unicast's way, mean", Style::hidden},
      {"unicasts", "unicasts", "", Shape::whole, "delivered while measured", Style::hidden},
      {"broadcasts", "broadcasts", "", Shape::whole, "ended while measured", Style::hidden},
      {"copies", "copies", "", Shape::whole, "of broadcasts, delivered while measured", Style::hidden}};
  layout.results = joined(joined(std::move(layout.results), saturation_columns(LoadMeasure::messages)),
                          simulation_columns("cycle"));
  layout.tables = {{"percentiles",
                    "of the latencies",
                    {{"percentile", "percentile", "", Shape::given, "in percent of the messages"},
                     estimated_cycles("unicast_latency", "unicast", "null where none was delivered"),
                     estimated_cycles("broadcast_latency", "broadcast", "null where none ended")}},
                   {"channels",
                    "links of each dimension",
                    {{"dimension", "dimension", "", Shape::whole, "1 to n"},
                     {"busy_channels", "busy channels", "", Shape::estimate,
                      "virtual channels of a link that belong to a message, mean"},
                     {"flits_per_cycle", "flits/cycle", "", Shape::estimate, "that cross a link"}}},
                   saturation_table(LoadMeasure::messages)};
  return layout;
}

Document document(const std::vector<SimulatedHypercubeAnswered>& networks, std::size_t asked) {
  const std::vector<const SimulatedBroadcasts*> points = points_of(networks);
  Layout layout = simulate_hypercube_layout();
  for (Column& column : layout.results)
    if (column.key == "model_saturation_rate") column.style = Style::hidden;
  const SimulatedHypercube& first = networks.front().first.network;
  Document document{.layout = std::make_shared<const Layout>(std::move(layout)),
                    .headline = "Simulation: " + in_words(first, networks_of(networks)),
                    .results = {},
                    .notes = notes(networks)};
  for (const auto& [question, answer] : networks)
    for (std::size_t i = 0; i < answer.points.size(); ++i) {
      const SimulatedBroadcasts& point = answer.points[i];
      Result& result = document.results.emplace_back();
      result.inputs = input_cells(question, i, point);
      result.cells = result_cells(question, i, answer.model_saturation.value, point);
      result.tables = tables(question, point);
      for (Rows& rows : result.tables) rows.in_text = points.size() <= most_tables;
      if (points.size() == 1) result.lines = lines(point);
      result.caption = (networks.size() > 1 ? in_words(question.network) + ",\n" : std::string()) +
                       fmt::format("rate {:.6g}", point.rate);
    }
  std::vector<const answers::Simulated*> simulated;
  for (const SimulatedBroadcasts* point : points) simulated.push_back(&point->simulated);
  mark_stopped(document, simulated, asked);
  document.picture = [document, networks] { return picture(document, networks); };
  return document;
}

Document document(const std::vector<HypercubeSaturationAnswered>& networks) {
  std::vector<SaturationPoint> points;
  for (const auto& [question, answer] : networks)
    points.push_back({.inputs = hypercube_cells(question.network),
                      .network = in_words(question.network),
                      .title = title_in_words(question.network.hypercube),
                      .length = question.length,
                      .saturation = found_saturation(answer)});
  return saturation_document(simulate_hypercube_layout(), points, hypercube_axes());
}

}  // namespace tailbound::render
