#include <fmt/format.h>
#include <tailbound/numeric/rational.hpp>
#include <tailbound/numeric/text/plain.hpp>
#include <tailbound/render/documents/parts/observed.hpp>
#include <tailbound/render/documents/parts/simulation.hpp>
#include <tailbound/render/documents/parts/units.hpp>
#include <tailbound/render/documents/simulation/simulate_wormhole.hpp>
#include <tailbound/render/documents/worms/message_parts.hpp>
#include <tailbound/render/documents/worms/saturation.hpp>
#include <tailbound/render/documents/worms/worm_network.hpp>

#include <memory>

namespace tailbound::render {
namespace {

using answers::LoadMeasure;
using answers::SimulatedWorms;
using answers::SimulateWormholeAnswer;
using answers::SimulateWormholeQuery;

/// A load of a network.
struct SimulatedLoad {
  const SimulateWormholeAnswer& answer;
  const SimulatedWorms& point;
};

const Fields<SimulatedLoad>& simulated_load_results() {
  using Of = SimulatedLoad;
  static const Fields<Of> fields{
      {{"fraction_of_saturation", "of saturation", "", Shape::model,
        "fraction of the simulated saturation load if that was searched, otherwise of the model's; may "
        "exceed 1; null if there is neither",
        Style::percent},
       [](const Of& of) { return shown(of.point.fraction_of_saturation); }},
      {estimated_cycles(
           "latency", "latency",
           "mean latency of a message from generation to arrival of its tail; null if none arrived"),
       [](const Of& of) { return of.point.found.latency; }},
      {estimated_cycles("source_wait", "source queueing",
                        "mean time from generation until the head leaves the source"),
       [](const Of& of) { return of.point.found.source_wait; }},
      {estimated_cycles("service", "injection service",
                        "mean time from there until the tail leaves the injection channel"),
       [](const Of& of) { return of.point.found.service; }},
      {{"throughput", "", "flits/cycle/node", Shape::estimate, "flits delivered per sending node",
        Style::hidden},
       [](const Of& of) { return of.point.found.throughput; }},
      {{"mean_distance", "", "channels", Shape::estimate,
        "mean number of channels on the path of delivered messages, injection included, and ejection if it "
        "has a channel",
        Style::hidden},
       [](const Of& of) { return observed(of.point.found.mean_distance); }},
      {{"messages", "", "", Shape::whole, "delivered while measured", Style::hidden},
       [](const Of& of) { return of.point.found.messages; }},
      {simulated_worm_fields(), [](const Of& of) -> const auto& {return of.answer;
}
}  // namespace
, {
  simulation_fields("cycle"), [](const Of& of) { return of.point.simulated; }
}
};  // namespace tailbound::render
return fields;
}

/// The i-th percentile; None if no message arrived, or beyond the counted range.
Value percentile_of(const SimulatedWorms& point, std::size_t i) {
  return i < point.found.percentiles.size() ? shown(point.found.percentiles[i].latency) : Value(None{});
}

std::string percentile_key(std::size_t i) {
  return fmt::format("percentile_{}", i);
}

/// "99 % within"
std::string percentile_heading(const numeric::Rational& fraction) {
  return numeric::plain(numeric::Rational(fraction * 100)) + " % within";
}

struct LatencyPercentile {
  numeric::Rational fraction;
  Value latency;
};

const Table<LatencyPercentile>& simulated_latency_percentiles() {
  using Row = LatencyPercentile;
  static const Table<Row> table{
      "percentiles",
      "of the latency",
      {{{"percentile", "percentile", "", Shape::given, "in percent of the messages"},
        [](const Row& of) { return numeric::Rational(of.fraction * 100); }},
       {estimated_cycles("latency", "latency", "null if none arrived"), &Row::latency}}};
  return table;
}

const Table<sim::WormChannelUse>& busiest_table() {
  using Use = sim::WormChannelUse;
  static const Table<Use> table{
      "busiest",
      "the ten channels with the highest occupancy, sources excluded",
      {{{"channel", "channel", "", Shape::text, "its ends"}, &Use::name},
       {{"held", "occupancy", "", Shape::estimate, "occupancy: fraction of time allocated to a message"},
        &Use::occupancy},
       {{"flits_per_cycle", "flits/cycle", "", Shape::estimate, "flits that cross it"},
        [](const Use& of) { return observed(of.flits); }}}};
  return table;
}

std::vector<Rows> tables(const SimulateWormholeQuery& query, const SimulatedWorms& point) {
  std::vector<LatencyPercentile> percentiles;
  for (std::size_t i = 0; i < query.percentiles.size(); ++i)
    percentiles.push_back({query.percentiles[i], percentile_of(point, i)});
  std::vector<Rows> tables{simulated_latency_percentiles().rows(share(std::move(percentiles))),
                           busiest_table().rows(share(point.found.busiest))};
  const std::vector<MessagePart> parts = parts_of(point.found);
  if (!parts.empty()) {
    tables.push_back(part_rows(parts, Shape::estimate, false));
    tables.push_back(part_percentile_table().rows(share(percentiles_of(parts, query.percentiles))));
  }
  for (Rows& rows : tables) rows.in_text = false;
  return tables;
}

/// The percentiles and the busiest channel, in the table of loads.
Cells text_cells(const SimulateWormholeQuery& query, const SimulatedWorms& point) {
  Cells cells;
  for (std::size_t i = 0; i < query.percentiles.size(); ++i)
    cells.push_back({percentile_key(i), percentile_of(point, i)});
  cells = joined(std::move(cells), part_cells(parts_of(point.found)));
  if (point.found.busiest.empty()) return joined(std::move(cells), {{"channel", None{}}, {"held", None{}}});
  return joined(std::move(cells), busiest_table().fields.cells(point.found.busiest.front()));
}

std::vector<Column> text_columns(const SimulateWormholeQuery& query, const SimulatedWorms& point) {
  std::vector<Column> columns;
  for (std::size_t i = 0; i < query.percentiles.size(); ++i)
    columns.push_back({percentile_key(i), percentile_heading(query.percentiles[i]), "", Shape::estimate, ""});
  columns = joined(std::move(columns), part_columns(parts_of(point.found), Shape::estimate));
  columns.push_back({"channel", "busiest channel", "", Shape::text, ""});
  columns.push_back({"held", "occupancy", "", Shape::estimate, ""});
  return columns;
}

std::vector<Line> lines(const SimulateWormholeQuery& query, const SimulateWormholeAnswer& answer) {
  const SimulatedWorms& point = answer.points.front();
  const auto cycles = [](const Value& value) {
    return brief(value) + (std::holds_alternative<None>(value) ? "" : " cycles");
  };
  std::vector<Line> lines{{"load", load_in_words(answer, point)},
                          {"latency", cycles(shown(point.found.latency))},
                          {"source queueing", cycles(shown(point.found.source_wait))},
                          {"injection service", cycles(shown(point.found.service))}};
  for (std::size_t i = 0; i < query.percentiles.size(); ++i)
    lines.push_back({percentile_heading(query.percentiles[i]), cycles(percentile_of(point, i))});
  lines = joined(std::move(lines), part_lines(parts_of(point.found)));
  if (!point.found.busiest.empty()) {
    const sim::WormChannelUse& busiest = point.found.busiest.front();
    lines.push_back(
        {"busiest channel", fmt::format("{}, occupancy {}", busiest.name, brief(shown(busiest.occupancy)))});
  }
  lines.push_back({"messages", std::to_string(point.found.messages)});
  return joined(std::move(lines), simulation_lines(point.simulated, "cycle"));
}

std::vector<answers::WormholeNetwork> all_networks(const std::vector<SimulatedWormholeAnswered>& networks) {
  std::vector<answers::WormholeNetwork> all;
  for (const auto& [query, answer] : networks) all.push_back(query.network.network);
  return all;
}

/// \param networks  simulated at loads, or for saturation
template <class Answered>
std::vector<answers::SimulatedWormhole> simulated_networks(const std::vector<Answered>& networks) {
  std::vector<answers::SimulatedWormhole> all;
  for (const auto& [query, answer] : networks) all.push_back(query.network);
  return all;
}

std::vector<const SimulatedWorms*> points_of(const std::vector<SimulatedWormholeAnswered>& networks) {
  std::vector<const SimulatedWorms*> all;
  for (const auto& [query, answer] : networks)
    for (const SimulatedWorms& point : answer.points) all.push_back(&point);
  return all;
}

std::vector<std::string> notes(const std::vector<SimulatedWormholeAnswered>& networks) {
  const std::vector<const SimulatedWorms*> points = points_of(networks);
  std::vector<std::string> notes;
  if (points.size() > 1) notes = runs_in_words(points, networks.size() == 1);
  for (const auto& [query, answer] : networks)
    notes = joined(
        std::move(notes),
        saturation_notes(query, answer, networks.size() == 1 ? "" : in_words(query.network, answer.layout)));
  notes.push_back(
      fmt::format("Estimates with {:.6g} % intervals. Occupancy: fraction of time that the channel is "
                  "allocated to a message.",
                  100 * networks.front().first.confidence));
  for (std::string& note : hypercube_notes(all_networks(networks))) notes.push_back(std::move(note));
  return notes;
}

Headline headline(const Document& document, const std::vector<const SimulatedWorms*>& points) {
  const std::string latency = range_in_words(document, "latency");
  if (latency.empty()) return Headline::without_numbers("No message was delivered.");
  const auto [minimum, maximum] =
      std::minmax_element(points.begin(), points.end(),
                          [](const SimulatedWorms* a, const SimulatedWorms* b) { return a->load < b->load; });
  const std::string from = fmt::format("{:.4g}", (*minimum)->load),
                    to = fmt::format("{:.4g}", (*maximum)->load);
  return {
      "mean latency", latency + " cycles",
      fmt::format(" at {} flits/cycle/node", (from == to ? "load " : "loads ") + range_in_words(from, to)),
      values_of(document, "latency")};
}

Picture picture(const Document& document, const std::vector<SimulatedWormholeAnswered>& networks) {
  const auto& [query, answer] = networks.front();
  Picture picture{.title = networks.size() == 1 ? "Mean latency, " + title_in_words(query.network)
                                                : "Mean latency of wormhole networks, simulated",
                  .x_label = {},
                  .y_label = "mean latency [cycles]",
                  .note = fmt::format("simulation, {:.6g} % intervals", 100 * query.confidence)};
  const DrawnWorms drawn = drawn_worms(document, "latency");
  if (varies(drawn.document, drawn.sweep)) {
    picture = sweep_picture(drawn.document, drawn.sweep, std::move(picture));
  } else {
    for (const Result& result : document.results) {
      Curve curve{.title = point_title(document, result)};
      add_point(curve, height(value_of(result.inputs, "load")).value_or(0), value_of(result.cells, "latency"),
                false);
      if (!curve.points.empty()) picture.curves.push_back(std::move(curve));
    }
    picture.x_label = "load [flits/cycle/node]";
  }
  if (picture.curves.size() == 1) picture.curves.front().title = "simulation";
  if (picture.curves.empty()) throw NoAnswer("nothing to draw: no message was delivered");
  return picture;
}

}  // namespace

Layout simulate_wormhole_layout() {
  Layout layout{.command = "simulate wormhole",
                .inputs = joined(joined(simulated_worm_inputs().columns(), simulated_load_columns()),
                                 saturation_input_columns()),
                .results = {}};
  std::vector<Column> searched = saturation_columns(LoadMeasure::flits);
  std::erase_if(searched, [](const Column& column) {
    return column.key != "error" && column.key != "messages_per_node" &&
           column.key != "min_unstable_is_bound";
  });
  layout.results = merged(simulated_load_results().columns(),
                          joined(std::move(searched), simulation_fields("cycle").columns()));
  layout.tables = {simulated_latency_percentiles().layout(), busiest_table().layout(),
                   message_part_table(Shape::estimate).layout(), part_percentile_table().layout(),
                   saturation_table(LoadMeasure::flits)};
  return layout;
}

Cells inputs_of(const answers::SimulateWormholeQuery& query) {
  return joined(simulated_worm_inputs().cells(query.network), load_cells(query.offered));
}

Cells inputs_of(const answers::WormholeSaturationQuery& query) {
  return joined(simulated_worm_inputs().cells(query.network), search_cells(query.length));
}

Document document(const std::vector<SimulatedWormholeAnswered>& networks, std::size_t requested) {
  const auto& [first, found] = networks.front();
  Document document{.layout = std::make_shared<const Layout>(simulate_wormhole_layout()),
                    .headline = {},
                    .settings = {},
                    .results = {},
                    .notes = notes(networks)};
  document.text_columns = text_columns(first, found.points.front());
  for (const auto& [query, answer] : networks)
    for (std::size_t i = 0; i < answer.points.size(); ++i) {
      const SimulatedWorms& point = answer.points[i];
      Result& result = document.results.emplace_back();
      result.inputs =
          joined(simulated_worm_inputs().cells(query.network), load_cells(query, answer, i, point.load));
      result.cells = simulated_load_results().cells({answer, point});
      result.tables = tables(query, point);
      result.text_cells = text_cells(query, point);
    }
  name_uniform_traffic(document);
  document.headline = headline(document, points_of(networks));
  document.settings = "Simulation: " +
                      (networks.size() == 1 ? in_words(first.network, found.layout)
                                            : in_words(simulated_networks(networks))) +
                      offered_in_words(document, "load") + ".";
  if (document.results.size() == 1) document.results.front().lines = lines(first, found);
  std::vector<const answers::Simulated*> simulated;
  for (const SimulatedWorms* point : points_of(networks)) simulated.push_back(&point->simulated);
  mark_stopped(document, simulated, requested);
  document.picture = [document, networks] { return picture(document, networks); };
  return document;
}

Document document(const std::vector<WormholeSaturationAnswered>& networks) {
  std::vector<SaturationPoint> points;
  for (const auto& [query, answer] : networks)
    points.push_back({.inputs = simulated_worm_inputs().cells(query.network),
                      .network = in_words(query.network, answer.layout),
                      .title = title_in_words(query.network),
                      .length = query.length,
                      .saturation = found_saturation(answer)});
  Layout layout = simulate_wormhole_layout();
  for (Column& column : layout.results)
    for (const Column& shown : saturation_columns(LoadMeasure::flits))
      if (column.key == shown.key) column = shown;
  return saturation_document(std::move(layout), points, in_words(simulated_networks(networks)),
                             {"nodes", "dimensions", "flits", "virtual_channels", "buffer_flits"});
}

}  // namespace tailbound::render
