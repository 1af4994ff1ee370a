#include <fmt/format.h>
#include <tailbound/core/choice.hpp>
#include <tailbound/numeric/rational.hpp>
#include <tailbound/render/documents/parts/observed.hpp>
#include <tailbound/render/documents/parts/simulation.hpp>
#include <tailbound/render/documents/parts/units.hpp>
#include <tailbound/render/documents/simulation/simulate_hypercube.hpp>
#include <tailbound/render/documents/worms/hypercube.hpp>
#include <tailbound/render/documents/worms/saturation.hpp>
#include <tailbound/render/documents/worms/worm_network.hpp>
#include <tailbound/render/sweep_picture.hpp>

#include <memory>

namespace tailbound::render {
namespace {

using answers::BroadcastHypercube;
using answers::LoadMeasure;
using answers::SimulatedBroadcasts;
using answers::SimulatedHypercube;
using answers::SimulateHypercubeQuery;

/// (1 + b (N - 2)) M rate
numeric::Rational offered_flits(const SimulateHypercubeQuery& query, std::size_t i,
                                const SimulatedBroadcasts& point) {
  const BroadcastHypercube& hypercube = query.network.hypercube;
  const numeric::Rational rate =
      query.offered.of_saturation ? given(point.rate).value : query.offered.values[i];
  return (1 + hypercube.broadcast * (static_cast<long>(hypercube.nodes()) - 2)) *
         static_cast<long>(hypercube.flits) * rate;
}

/// A rate of a hypercube.
struct SimulatedRate {
  const SimulateHypercubeQuery& query;
  const answers::SimulateHypercubeAnswer& answer;
  std::size_t at = 0;

  [[nodiscard]] const SimulatedBroadcasts& point() const { return answer.points[at]; }
  [[nodiscard]] const sim::BroadcastEstimates& found() const { return point().found; }
};

const Fields<SimulatedRate>& simulated_hypercube_results() {
  using Of = SimulatedRate;
  const auto flits = [](const char* key, const char* heading, Shape shape, const char* meaning,
                        Style style = Style::plain) {
    return Column{key, heading, "flits/cycle/node", shape, meaning, style};
  };
  static const Fields<Of> fields{
      {fraction_column("rate / model_saturation_rate; may exceed 1"),
       [](const Of& of) { return of.point().fraction_of_saturation; }},
      {estimated_cycles("unicast_latency", "unicast", "mean unicast latency; null if none was delivered"),
       [](const Of& of) { return of.found().unicast_latency; }},
      {estimated_cycles("broadcast_latency", "broadcast",
                        "mean broadcast latency until the last receiver; null if none was completed"),
       [](const Of& of) { return of.found().broadcast_latency; }},
      {estimated_cycles("unicast_wait", "unicast wait", "mean wait of a unicast for its injection channel"),
       [](const Of& of) { return of.found().unicast_wait; }},
      {estimated_cycles("copy_latency", "copy",
                        "mean latency of a copy of a broadcast, from its injection request"),
       [](const Of& of) { return of.found().copy_latency; }},
      {estimated_cycles("copy_wait", "copy wait", "mean wait of a copy for its injection channel",
                        Style::hidden),
       [](const Of& of) { return of.found().copy_wait; }},
      {{"busy_channels", "occupied channels", "", Shape::estimate,
        "occupied virtual channels per link, mean over all links"},
       [](const Of& of) { return of.found().busy; }},
      {flits("throughput", "delivered", Shape::estimate, "flits delivered"),
       [](const Of& of) { return of.found().throughput; }},
      {flits("offered_throughput", "offered", Shape::proved, "(1 + b (N - 2)) M rate: expected throughput",
             Style::hidden),
       [](const Of& of) { return offered_flits(of.query, of.at, of.point()); }},
      {flits("generated_throughput", "generated", Shape::estimate,
             "flits of the messages generated while measured", Style::hidden),
       [](const Of& of) { return observed(of.found().generated); }},
      {{"mean_links", "links", "", Shape::estimate, "mean path length of unicasts", Style::hidden},
       [](const Of& of) { return observed(of.found().mean_links); }},
      {{"unicasts", "unicasts", "", Shape::whole, "delivered while measured", Style::hidden},
       [](const Of& of) { return of.found().unicasts; }},
      {{"broadcasts", "broadcasts", "", Shape::whole, "completed while measured", Style::hidden},
       [](const Of& of) { return of.found().broadcasts; }},
      {{"copies", "copies", "", Shape::whole, "copies of broadcasts delivered while measured", Style::hidden},
       [](const Of& of) { return of.found().copies; }},
      {model_saturation_column(LoadMeasure::messages),
       [](const Of& of) { return of.answer.model_saturation; }},
      {simulation_fields("cycle"), [](const Of& of) { return of.point().simulated; }}};
  return fields;
}

/// Fraction of messages within a latency.
struct BroadcastPercentileRow {
  numeric::Rational fraction;
  const sim::BroadcastPercentile& its;
};

const Table<BroadcastPercentileRow>& simulated_broadcast_percentiles() {
  using Row = BroadcastPercentileRow;
  static const Table<Row> table{
      "percentiles",
      "percentiles of the latencies",
      {{{"percentile", "percentile", "", Shape::given, "in percent of the messages"},
        [](const Row& of) { return numeric::Rational(of.fraction * 100); }},
       {estimated_cycles("unicast_latency", "unicast", "null if none was delivered"),
        [](const Row& of) { return of.its.unicast; }},
       {estimated_cycles("broadcast_latency", "broadcast", "null if none was completed"),
        [](const Row& of) { return of.its.broadcast; }}}};
  return table;
}

/// A dimension, counted from 0.
struct DimensionUseRow {
  std::size_t dimension;
  const sim::DimensionUse& use;
};

const Table<DimensionUseRow>& simulated_dimensions() {
  using Row = DimensionUseRow;
  static const Table<Row> table{
      "channels",
      "links of each dimension",
      {{{"dimension", "dimension", "", Shape::whole, "1 to n"},
        [](const Row& of) { return of.dimension + 1; }},
       {{"busy_channels", "occupied channels", "", Shape::estimate,
         "mean number of occupied virtual channels"},
        [](const Row& of) { return observed(of.use.busy); }},
       {{"flits_per_cycle", "flits/cycle", "", Shape::estimate, "flits that cross a link"},
        [](const Row& of) { return observed(of.use.flits); }}}};
  return table;
}

std::vector<Rows> tables(const SimulateHypercubeQuery& query, const SimulatedBroadcasts& point) {
  const auto shared = std::make_shared<const sim::BroadcastEstimates>(point.found);
  std::vector<Rows> tables{simulated_broadcast_percentiles().rows(
                               shared->percentiles.size(),
                               [shared, fractions = query.percentiles](std::size_t i) {
                                 return BroadcastPercentileRow{fractions[i], shared->percentiles[i]};
                               }),
                           simulated_dimensions().rows(shared->dimensions.size(), [shared](std::size_t i) {
                             return DimensionUseRow{i, shared->dimensions[i]};
                           })};
  tables[0].caption = "Latencies, in percent of the messages:";
  tables[1].caption = "Links of each dimension:";
  return tables;
}

std::string delivered_in_words(const SimulatedBroadcasts& point) {
  return fmt::format("{} delivered, {:.6g} generated; expected {:.6g}, a broadcast counted once per receiver",
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
  const Line rate{"rate", fmt::format("{:.6g} messages/cycle/node, {:.1f} % of the model's largest rate",
                                      point.rate, 100 * point.fraction_of_saturation.value)};
  const std::vector<Line> lines{
      rate,
      {"unicast", cycles(found.unicast_latency) + ", wait " + cycles(found.unicast_wait)},
      {"broadcast", cycles(found.broadcast_latency)},
      {"copy", cycles(found.copy_latency) + ", wait " + cycles(found.copy_wait)},
      {"occupied channels", brief(shown(found.busy)) + " per link"},
      {"messages", messages_in_words(point)},
      {"flits", "per cycle and node: " + delivered_in_words(point)}};
  return joined(lines, simulation_lines(point.simulated, "cycle"));
}

/// \param answered  simulated at rates, or for saturation
template <class Answered>
std::vector<SimulatedHypercube> networks_of(const std::vector<Answered>& answered) {
  std::vector<SimulatedHypercube> all;
  for (const auto& [query, answer] : answered) all.push_back(query.network);
  return all;
}

std::vector<BroadcastHypercube> hypercubes_of(const std::vector<SimulatedHypercubeAnswered>& answered) {
  std::vector<BroadcastHypercube> all;
  for (const auto& [query, answer] : answered) all.push_back(query.network.hypercube);
  return all;
}

std::vector<const SimulatedBroadcasts*> points_of(const std::vector<SimulatedHypercubeAnswered>& networks) {
  std::vector<const SimulatedBroadcasts*> all;
  for (const auto& [query, answer] : networks)
    for (const SimulatedBroadcasts& point : answer.points) all.push_back(&point);
  return all;
}

std::vector<std::string> notes(const std::vector<SimulatedHypercubeAnswered>& networks) {
  const std::vector<const SimulatedBroadcasts*> points = points_of(networks);
  std::vector<std::string> notes;
  if (points.size() > 1)
    for (const SimulatedBroadcasts* point : points)
      if (points.size() <= max_tables)
        notes.push_back(fmt::format("rate {:.6g}: {}; {}; flits per cycle and node: {}", point->rate,
                                    messages_in_words(*point), in_words(point->simulated, "cycle"),
                                    delivered_in_words(*point)));
  if (points.size() > max_tables)
    notes.push_back(fmt::format(
        "Percentiles, links of each dimension and run lengths: in JSON and CSV, or here with up to {} rates.",
        max_tables));
  notes.push_back(fmt::format(
      "Estimates with {:.6g} % intervals. Broadcast latency: until the last receiver. Occupied channels: "
      "mean virtual channels per link. Saturation: of the model.",
      100 * networks.front().first.confidence));
  return joined(std::move(notes), unicast_notes(hypercubes_of(networks)));
}

Headline latencies_in_words(const Document& document) {
  std::string text;
  std::vector<Value> quoted;
  for (const char* kind : {"unicast", "broadcast"})
    if (const std::string latency = range_in_words(document, std::string(kind) + "_latency");
        !latency.empty()) {
      text += fmt::format("{}{} cycles is the mean {} latency", text.empty() ? "" : ", ", latency, kind);
      for (Value& value : values_of(document, std::string(kind) + "_latency"))
        quoted.push_back(std::move(value));
    }
  if (text.empty()) return Headline::without_numbers("No message was delivered.");
  return {text + ".", quoted};
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
  return {.command = "simulate hypercube",
          .inputs = joined(joined(simulated_hypercube_fields().columns(), rate_columns()),
                           saturation_input_columns()),
          .results =
              merged(simulated_hypercube_results().columns(),
                     joined(saturation_columns(LoadMeasure::messages), simulation_fields("cycle").columns())),
          .tables = {simulated_broadcast_percentiles().layout(), simulated_dimensions().layout(),
                     saturation_table(LoadMeasure::messages)}};
}

Cells inputs_of(const answers::SimulateHypercubeQuery& query) {
  return joined(simulated_hypercube_fields().cells(query.network), rate_cells(query.offered));
}

Cells inputs_of(const answers::HypercubeSaturationQuery& query) {
  return joined(simulated_hypercube_fields().cells(query.network), search_cells(query.length));
}

Document document(const std::vector<SimulatedHypercubeAnswered>& networks, std::size_t requested) {
  const std::vector<const SimulatedBroadcasts*> points = points_of(networks);
  Layout layout = simulate_hypercube_layout();
  for (Column& column : layout.results)
    if (column.key == model_saturation_column(LoadMeasure::messages).key) column.style = Style::hidden;
  const SimulatedHypercube& first = networks.front().first.network;
  Document document{.layout = std::make_shared<const Layout>(std::move(layout)),
                    .headline = {},
                    .settings = {},
                    .results = {},
                    .notes = notes(networks)};
  for (const auto& [query, answer] : networks)
    for (std::size_t i = 0; i < answer.points.size(); ++i) {
      const SimulatedBroadcasts& point = answer.points[i];
      Result& result = document.results.emplace_back();
      result.inputs =
          joined(simulated_hypercube_fields().cells(query.network), rate_cells(query.offered, i, point.rate));
      result.cells = simulated_hypercube_results().cells({query, answer, i});
      result.tables = tables(query, point);
      for (Rows& rows : result.tables) rows.in_text = points.size() <= max_tables;
      if (points.size() == 1) result.lines = lines(point);
      result.caption = fmt::format("rate {:.6g}", point.rate);
    }
  document.headline = latencies_in_words(document);
  if (networks.size() > 1)
    for (Result& result : document.results) result.caption = point_title(document, result);
  document.settings =
      "Simulation: " + in_words(first, networks_of(networks)) + offered_in_words(document, "rate") + ".";
  std::vector<const answers::Simulated*> simulated;
  for (const SimulatedBroadcasts* point : points) simulated.push_back(&point->simulated);
  mark_stopped(document, simulated, requested);
  document.picture = [document, networks] { return picture(document, networks); };
  return document;
}

Document document(const std::vector<HypercubeSaturationAnswered>& networks) {
  std::vector<SaturationPoint> points;
  for (const auto& [query, answer] : networks)
    points.push_back({.inputs = simulated_hypercube_fields().cells(query.network),
                      .network = in_words(query.network),
                      .title = title_in_words(query.network.hypercube),
                      .length = query.length,
                      .saturation = found_saturation(answer)});
  const std::vector<SimulatedHypercube> all = networks_of(networks);
  return saturation_document(simulate_hypercube_layout(), points, in_words(all.front(), all),
                             hypercube_axes());
}

}  // namespace tailbound::render
