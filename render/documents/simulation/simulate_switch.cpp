#include <fmt/format.h>
#include <tailbound/core/choice.hpp>
#include <tailbound/core/error.hpp>
#include <tailbound/numeric/rational.hpp>
#include <tailbound/numeric/text/plain.hpp>
#include <tailbound/render/documents/parts/simulation.hpp>
#include <tailbound/render/documents/parts/traffic.hpp>
#include <tailbound/render/documents/parts/units.hpp>
#include <tailbound/render/documents/simulation/simulate_switch.hpp>
#include <tailbound/render/documents/simulation/simulate_tree.hpp>
#include <tailbound/render/sweep_picture.hpp>

#include <algorithm>
#include <memory>

namespace tailbound::render {
namespace {

using namespace answers;
using numeric::plain;
using numeric::Rational;
using sim::PacketArrival;
using sim::SwitchModel;

constexpr std::size_t max_tails_in_text = 8;  ///< for at most this many points with given levels

bool equal_rates(const SwitchModel& model) {
  return std::equal(model.rates.begin() + 1, model.rates.end(), model.rates.begin());
}

const char* unit_of(const SwitchModel& model) {
  return model.sizes.empty() ? "packets" : "cells";
}

std::vector<Rational> sizes_of(const SwitchModel& model) {
  std::vector<Rational> sizes;
  for (const traffic::CellClass& size : model.sizes) sizes.emplace_back(static_cast<long>(size.cells));
  return sizes;
}
std::vector<Rational> shares_of(const SwitchModel& model) {
  std::vector<Rational> shares;
  for (const traffic::CellClass& size : model.sizes) shares.push_back(size.share);
  return shares;
}
bool has_sizes(const SwitchModel& model) {
  return !model.sizes.empty();
}

const Fields<SwitchModel>& simulated_switch_inputs() {
  using Model = SwitchModel;
  static const Fields<Model> fields{
      {{"inputs", "inputs", "", Shape::whole, "K independent inputs"},
       [](const Model& of) { return of.rates.size(); }},
      {{"outputs", "outputs", "", Shape::whole, "N outputs, one queue each"}, &Model::outputs},
      {{"load", "load", "packets/slot", Shape::given, "load of each input; with sizes in cells per slot"},
       [](const Model& of) { return of.rates.front(); },
       &equal_rates},
      {{"rates", "rates", "packets/slot", Shape::givens, "rates of unequal inputs", Style::hidden},
       &Model::rates,
       [](const Model& of) { return !equal_rates(of); }},
      {{"hot", "hot", "", Shape::given,
        "fraction of the packets sent to output 0 in addition to its uniform share of the rest; absent if 0"},
       &Model::hot,
       [](const Model& of) { return of.hot > 0; }},
      {burst_fields("an input"), &Model::burst},
      {destination_column(), &Model::destination, &Model::burst},
      {{"size_cells", "sizes", "", Shape::givens, "packet sizes [cells]", Style::hidden},
       &sizes_of,
       &has_sizes},
      {{"size_shares", "shares", "", Shape::givens, "fractions of the packets with these sizes",
        Style::hidden},
       &shares_of,
       &has_sizes},
      {{"arrive", "arrive", "", Shape::text,
        "whole: all cells of a packet in one slot; or cells: one per slot, a train"},
       &Model::arrival,
       &has_sizes},
      {{"memory", "memory", "packets", Shape::whole,
        "memory shared by all queues; a packet that finds it full is lost. With sizes in cells"},
       &Model::memory,
       if_present},
      {{"threshold", "threshold", "", Shape::given,
        "alpha: an output accepts a packet only while its queue is below alpha times the free memory"},
       &Model::threshold,
       if_present},
      {{"buffer", "room", "packets", Shape::whole, "buffer of each output queue. With sizes in cells"},
       &Model::buffer,
       if_present}};
  return fields;
}

const Column rare_target{"rare", "rare", "", Shape::given,
                         "--rare with unlimited memory: the level n, at least 1; or a probability below 1, "
                         "the target for P(T > n)"};

const Column lost_packets{"loss", "lost", "", Shape::estimate,
                          "fraction of the packets that lost at least one cell"};

bool loses(const SimulateSwitchPoint& point) {
  return point.first.model.finite();
}

const Fields<SimulateSwitchPoint>& simulated_switch_results() {
  using Point = SimulateSwitchPoint;
  static const Fields<Point> fields{
      {{"output_load", "load of an output", "packets/slot", Shape::proved,
        "offered load of the busiest output; with sizes in cells", Style::hidden},
       [](const Point& of) { return of.second.output_load; }},
      {{"mean_total", "mean T", "packets", Shape::estimate,
        "mean occupancy of all queues together; with sizes in cells"},
       [](const Point& of) { return of.second.found.mean_total; }},
      {{"mean_queue", "mean Q", "packets", Shape::estimate,
        "mean occupancy of one of the identical outputs; with sizes in cells"},
       [](const Point& of) { return of.second.found.output->mean; },
       [](const Point& of) { return of.second.found.output.has_value(); }},
      {{"mean_hot", "mean hot Q", "packets", Shape::estimate, "of the hot output"},
       [](const Point& of) { return of.second.found.hot->mean; },
       [](const Point& of) { return of.second.found.hot.has_value(); }},
      {lost_packets, [](const Point& of) { return of.second.found.packet_loss; }, &loses},
      {{"cell_loss", "cells lost", "", Shape::estimate, "fraction of the cells, where packets have sizes"},
       [](const Point& of) { return of.second.found.cell_loss; },
       [](const Point& of) { return loses(of) && has_sizes(of.first.model); }},
      {{"queue_loss", "lost, others", "", Shape::estimate,
        "fraction of the cells to outputs other than the hot one"},
       [](const Point& of) { return of.second.found.output->loss; },
       [](const Point& of) { return loses(of) && of.second.found.hot && of.second.found.output; }},
      {{"hot_loss", "lost, hot", "", Shape::estimate, "fraction of the cells to the hot output"},
       [](const Point& of) { return of.second.found.hot->loss; },
       [](const Point& of) { return loses(of) && of.second.found.hot; }},
      {{"lost", "packets lost", "", Shape::whole, "packets lost while measured", Style::hidden},
       [](const Point& of) { return of.second.found.hurt; },
       &loses},
      {{"packets", "packets", "", Shape::whole, "sent while measured", Style::hidden},
       [](const Point& of) { return of.second.found.packets; }},
      {simulation_fields(), [](const Point& of) { return of.second.simulated; }}};
  return fields;
}

Fields<sim::LevelEstimate> seen_fields(const char* key, const char* symbol, const char* meaning,
                                       const char* seen) {
  using Level = sim::LevelEstimate;
  return {{{key, symbol, "", Shape::estimate, meaning}, &Level::probability},
          {{key + std::string("_count"), "observed", "", Shape::whole, seen}, &Level::count}};
}

const Table<SwitchLevel>& switch_tails() {
  static const Table<SwitchLevel> table{
      "tail",
      "distributions of T (all queues) and Q (one output) just after the arrivals of a slot, one row per "
      "level",
      {{{"level", "n", "packets", Shape::whole, "n; with sizes in cells"}, &SwitchLevel::level},
       {seen_fields("total", "P(T > n)", "P(T > n)", "observations [slots]"), &SwitchLevel::total},
       {seen_fields("queue", "P(Q > n)", "P(Q > n) of the identical outputs",
                    "observations, all identical outputs together"),
        &SwitchLevel::output},
       {seen_fields("hot_queue", "P(hot Q > n)", "P(Q > n) of the hot output", "observations [slots]"),
        &SwitchLevel::hot}}};
  return table;
}

const Table<sim::SwitchPackets>& packet_sizes() {
  using Packets = sim::SwitchPackets;
  static const Table<Packets> table{
      "sizes",
      "packets of each size",
      {{{"cells", "cells", "", Shape::whole, "cells per packet"}, &Packets::cells},
       {{"packets", "packets", "", Shape::whole, "sent while measured"}, &Packets::packets},
       {{"lost", "lost packets", "", Shape::whole, "of these"}, &Packets::hurt},
       {{"loss", "lost", "", Shape::estimate, "fraction that lost at least one cell"}, &Packets::loss}}};
  return table;
}

bool tails_in_text(const std::vector<SimulateSwitchPoint>& points) {
  return points.size() == 1 || (points.size() <= max_tails_in_text && !points.front().first.levels.empty());
}

std::vector<Rows> tables_of(const Shared<SimulateSwitchPoint>& points, std::size_t at) {
  const auto& [query, answer] = (*points)[at];
  std::vector<Rows> tables{switch_tails().rows(
      answer.tail.size(),
      [points, at](std::size_t i) -> const SwitchLevel& { return (*points)[at].second.tail[i]; })};
  if (loses((*points)[at]) && has_sizes(query.model))
    tables.push_back(packet_sizes().rows(answer.found.sizes.size(),
                                         [points, at](std::size_t i) -> const sim::SwitchPackets& {
                                           return (*points)[at].second.found.sizes[i];
                                         }));
  for (Rows& rows : tables) rows.in_text = tails_in_text(*points);
  return tables;
}

// --- text

/// States what the points have in common; the table shows what differs.
template <class Point, class Of>
bool common(const std::vector<Point>& points, const Of& of) {
  return std::all_of(points.begin(), points.end(), [&](const Point& point) {
    return of(point.first.model) == of(points.front().first.model);
  });
}

template <class Point>
std::string title(const std::vector<Point>& points) {
  const SwitchModel& model = points.front().first.model;
  const auto size = [](const SwitchModel& m) { return std::pair{m.rates.size(), m.outputs}; };
  std::string text = common(points, size) ? fmt::format("{} x {} switch", model.rates.size(), model.outputs)
                                          : "output-queued switches";
  if (!equal_rates(model))
    text += ", inputs with unequal rates";
  else if (common(points, [](const SwitchModel& m) { return m.rates.front(); }))
    text += " at load " + plain(model.rates.front());
  if (model.burst && common(points, [](const SwitchModel& m) { return std::pair{m.burst, m.destination}; })) {
    text += fmt::format(", bursts of {} slots", plain(model.burst->slots));
    if (model.burst->on_rate != 1)
      text += fmt::format(" at {} packets per slot", plain(model.burst->on_rate));
    text += " (" + in_words(model.destination) + ")";
  }
  if (!model.sizes.empty()) {
    text += ", packets of";
    for (const traffic::CellClass& its : model.sizes)
      text += fmt::format("{} {}", &its == &model.sizes.front() ? "" : ",", its.cells);
    text += model.arrival == PacketArrival::whole ? " cells, all in one slot" : " cells, one per slot";
  }
  if (model.hot > 0 && common(points, [](const SwitchModel& m) { return m.hot; }))
    text += fmt::format(", hot output 0 with an additional {} of the packets", plain(model.hot));
  if (model.memory && common(points, [](const SwitchModel& m) { return m.memory; }))
    text += fmt::format(", memory of {} {}", *model.memory, unit_of(model));
  if (model.threshold && common(points, [](const SwitchModel& m) { return m.threshold; }))
    text += fmt::format(", dynamic threshold {}", plain(*model.threshold));
  if (model.buffer && common(points, [](const SwitchModel& m) { return m.buffer; }))
    text += fmt::format(", buffer of {} {} per output", *model.buffer, unit_of(model));
  return text;
}

std::vector<Line> lines(const SimulateSwitchPoint& point) {
  const auto& [query, answer] = point;
  const sim::SwitchEstimates& found = answer.found;
  const std::string unit = unit_of(query.model);
  std::vector<Line> lines{
      {"all queues", fmt::format("{} {} on average", brief(shown(found.mean_total)), unit)}};
  if (found.output)
    lines.push_back({"one output", fmt::format("{} {}{}", brief(shown(found.output->mean)), unit,
                                               found.hot ? ", each except the hot one" : "")});
  if (found.hot)
    lines.push_back({"hot output", fmt::format("{} {}, offered {} per slot", brief(shown(found.hot->mean)),
                                               unit, plain(answer.output_load))});
  if (query.model.finite()) {
    lines.push_back({"lost", fmt::format("{} of the packets ({} of {})", brief(shown(found.packet_loss)),
                                         found.hurt, found.packets)});
    if (!query.model.sizes.empty())
      lines.push_back({"", fmt::format("{} of the cells ({} of {})", brief(shown(found.cell_loss)),
                                       found.lost, found.cells)});
    if (found.hot && found.output)
      lines.push_back({"", fmt::format("{} at the hot output, {} at the others",
                                       brief(shown(found.hot->loss)), brief(shown(found.output->loss)))});
  } else {
    lines.push_back({"packets", fmt::format("{} sent while measured, none lost", found.packets)});
  }
  return joined(std::move(lines), simulation_lines(answer.simulated));
}

/// The loss of finite buffers, otherwise the mean occupancy of all queues.
Headline headline(const Document& document, const SwitchModel& model) {
  if (model.finite())
    if (const std::string loss = range_in_words(document, lost_packets.key); !loss.empty())
      return {"Fraction of packets lost:", loss, "", values_of(document, lost_packets.key)};
  return {"Mean occupancy of all queues:",
          fmt::format("{} {}", range_in_words(document, "mean_total"), unit_of(model)), "",
          values_of(document, "mean_total")};
}

template <class Point>
std::vector<const Simulated*> runs_of(const std::vector<Point>& points) {
  std::vector<const Simulated*> runs;
  for (const Point& point : points) runs.push_back(&point.second.simulated);
  return runs;
}

std::vector<std::string> notes(const std::vector<SimulateSwitchPoint>& points) {
  const SwitchModel& model = points.front().first.model;
  std::string note = fmt::format(
      "Estimates with {:g} % intervals from {}. T: {} in all queues, Q: in one output queue, just after the "
      "arrivals of a slot",
      100 * points.front().first.confidence, batches_in_words(runs_of(points)), unit_of(model));
  const bool loses = std::any_of(points.begin(), points.end(),
                                 [](const SimulateSwitchPoint& point) { return point.first.model.finite(); });
  if (loses && !model.sizes.empty()) note += "; a packet is lost if any of its cells is";
  std::vector<std::string> all{note + "."};
  if (!tails_in_text(points))
    all.emplace_back("Tails of T and Q: --format json or csv, or --occupancy with up to 8 points.");
  return all;
}

/// In cells, where other queries count packets of one cell.
std::shared_ptr<const Layout> in_cells(Layout layout) {
  const auto rename = [](std::vector<Column>& columns) {
    for (Column& column : columns)
      if (column.unit.rfind("packets", 0) == 0) column.unit = "cells" + column.unit.substr(7);
  };
  rename(layout.inputs);
  rename(layout.results);
  for (TableLayout& table : layout.tables) rename(table.columns);
  return std::make_shared<const Layout>(std::move(layout));
}

// --- picture

Picture tails_picture(const Document& document, const std::vector<SimulateSwitchPoint>& points) {
  Picture picture{.title = "Occupancy, " + title(points),
                  .x_label = fmt::format("n [{}]", unit_of(points.front().first.model)),
                  .y_label = points.size() == 1 ? "P(> n)" : "P(T > n)",
                  .note = "simulation, 95 % intervals",
                  .powers_of_ten = true};
  if (points.size() == 1) picture.note += ": " + in_words(points.front().second.simulated);
  const auto draw = [&](const std::string& name, const SimulateSwitchPoint& point, const auto& of) {
    Curve curve{.title = name, .style = CurveStyle::bars};
    for (const SwitchLevel& level : whole_tail(point.first, point.second))
      if (const sim::LevelEstimate* its = of(level); its != nullptr && its->count > 0)
        add_point(curve, static_cast<double>(level.level), shown(its->probability), true);
    if (!curve.points.empty()) picture.curves.push_back(std::move(curve));
  };
  const auto optional = [](const std::optional<sim::LevelEstimate>& level) {
    return level ? &*level : nullptr;
  };
  const std::size_t drawn = std::min(points.size(), max_distinct_curves);
  for (std::size_t i = 0; i < drawn; ++i)
    draw(points.size() == 1 ? "T, all queues" : point_title(document, document.results[i]), points[i],
         [](const SwitchLevel& level) { return &level.total; });
  if (points.size() == 1) {
    draw("Q, one output", points.front(), [&](const SwitchLevel& level) { return optional(level.output); });
    draw("Q, the hot output", points.front(), [&](const SwitchLevel& level) { return optional(level.hot); });
  }
  if (drawn < points.size()) picture.note += fmt::format("; the first {} of {} points", drawn, points.size());
  if (picture.curves.empty()) throw NoAnswer("nothing to draw: all queues were empty");
  return picture;
}

/// For several switches with loss the loss, otherwise the occupancy.
Picture picture(const Document& document, const std::vector<SimulateSwitchPoint>& points) {
  const Sweep losses{.axes = {"memory", "buffer", "threshold", "load", "burst", "hot", "inputs", "outputs"},
                     .height = "loss",
                     .powers_of_ten = true};
  const bool lose = std::all_of(points.begin(), points.end(),
                                [](const SimulateSwitchPoint& point) { return point.second.found.hurt > 0; });
  if (points.size() == 1 || !lose || !varies(document, losses)) return tails_picture(document, points);
  return sweep_picture(document, losses,
                       {.title = "Loss, " + title(points),
                        .x_label = {},
                        .y_label = "fraction of the packets lost",
                        .note = "simulation, 95 % intervals"});
}

const Fields<SimulateRareSwitchPoint>& rare_switch_results() {
  using Point = SimulateRareSwitchPoint;
  const auto of_level = [](const Point& of) { return !of.first.of_losses(); };
  static const Fields<Point> fields{
      {lost_packets, [](const Point& of) { return of.second.probability; },
       [](const Point& of) { return of.first.of_losses(); }},
      {{"level", "n", "packets", Shape::whole, "--rare: n of P(T > n); with sizes in cells"},
       [](const Point& of) { return of.second.level; },
       of_level},
      {{"probability", "P(T > n)", "", Shape::estimate, "--rare: P(T > level) with unlimited memory"},
       [](const Point& of) { return of.second.probability; },
       of_level},
      {{"method", "method", "", Shape::text, "--rare: splitting", Style::hidden},
       [](const Point&) { return "splitting"; }}};
  return fields;
}

}  // namespace

Layout simulate_switch_layout() {
  Layout layout{.command = "simulate switch",
                .inputs = simulated_switch_inputs().columns(),
                .results = merged(simulated_switch_results().columns(),
                                  joined(rare_switch_results().columns(), simulation_fields().columns())),
                .tables = {switch_tails().layout(), packet_sizes().layout()},
                .quiet = {"mean_total", "mean_queue", "loss"}};
  layout.inputs.push_back(rare_target);
  layout.inputs = joined(std::move(layout.inputs), unit_fields().columns());
  return layout;
}

Cells inputs_of(const SimulateSwitchQuery& query, const Units& units) {
  return joined(simulated_switch_inputs().cells(query.model), unit_fields().cells(units));
}

Cells inputs_of(const SimulateRareSwitchQuery& query, const Units& units) {
  Cells cells = joined(simulated_switch_inputs().cells(query.model), unit_fields().cells(units));
  if (query.rare)
    cells.push_back({rare_target.key, std::holds_alternative<Packets>(*query.rare)
                                          ? Given{std::get<Packets>(*query.rare).value}
                                          : Given{std::get<Rational>(*query.rare)}});
  return cells;
}

Document document(std::vector<SimulateSwitchPoint> given, std::size_t requested, const Units& units) {
  const auto points = share(std::move(given));
  Document document{.layout = std::make_shared<const Layout>(simulate_switch_layout()),
                    .headline = {},
                    .settings = "Simulation: " + title(*points) + ".",
                    .results = {},
                    .notes = notes(*points)};
  for (std::size_t i = 0; i < points->size(); ++i) {
    const auto& [query, answer] = (*points)[i];
    Result& result = document.results.emplace_back();
    result.inputs = inputs_of(query, units);
    result.cells = simulated_switch_results().cells((*points)[i]);
    result.tables = tables_of(points, i);
    if (points->size() == 1) result.lines = lines((*points)[i]);
  }
  if (points->size() > 1)
    for (Result& result : document.results) result.caption = point_title(document, result);
  document.headline = headline(document, points->front().first.model);
  document = with_units(std::move(document), scale_of(units));
  if (!points->front().first.model.sizes.empty()) document.layout = in_cells(*document.layout);
  mark_stopped(document, runs_of(*points), requested);
  document.picture = [document, points] { return picture(document, *points); };
  return document;
}

// --- rare events

Document document(std::vector<SimulateRareSwitchPoint> points, std::size_t requested, const Units& units) {
  Layout layout = simulate_switch_layout();
  const bool losses = points.front().first.of_losses();
  const char* key = losses ? "loss" : "probability";
  layout.quiet =
      losses ? std::vector<std::string>{"memory", "loss"} : std::vector<std::string>{"level", "probability"};
  Document document{.layout = std::make_shared<const Layout>(std::move(layout)),
                    .headline = {},
                    .settings = capitalized(title(points)) + ".",
                    .results = {}};
  for (const SimulateRareSwitchPoint& point : points) {
    const auto& [query, answer] = point;
    Result& result = document.results.emplace_back();
    result.inputs = inputs_of(query, units);
    result.cells = joined(rare_switch_results().cells(point), simulation_fields().cells(answer.simulated));
  }
  const auto& [query, answer] = points.front();
  const char* unit = unit_of(query.model);
  if (points.size() == 1) {
    const std::string probability = brief(shown(answer.probability));
    const std::vector<Value> quoted{shown(answer.probability)};
    document.headline = losses
                            ? Headline(fmt::format("{} of the packets are lost.", probability), quoted)
                            : Headline(fmt::format("P(T > {})", answer.level.value), probability, "", quoted);
    document.results.front().lines = rare_lines(answer);
    if (!losses)
      document.notes.push_back(fmt::format("T: {} in all queues just after the arrivals of a slot.", unit));
  } else {
    document.headline = {losses ? "Fraction of packets lost:" : "P(T > n)", range_in_words(document, key), "",
                         values_of(document, key)};
    document.notes.push_back(fmt::format(
        "{}Estimates with 95 % intervals from {}.",
        losses ? "" : fmt::format("T: {} in all queues just after the arrivals of a slot. ", unit),
        batches_in_words(runs_of(points))));
  }
  document = with_units(std::move(document), scale_of(units));
  if (!query.model.sizes.empty()) document.layout = in_cells(*document.layout);
  mark_stopped(document, runs_of(points), requested);
  document.picture = [document, key, losses, title = capitalized(title(points))] {
    return sweep_picture(document,
                         {.axes = {losses ? "memory" : "rare", "load", "burst", "hot", "inputs", "outputs"},
                          .height = key,
                          .powers_of_ten = true},
                         {.title = title,
                          .x_label = {},
                          .y_label = losses ? "fraction of the packets lost" : "P(T > n)",
                          .note = "simulation, 95 % intervals"});
  };
  return document;
}

}  // namespace tailbound::render
