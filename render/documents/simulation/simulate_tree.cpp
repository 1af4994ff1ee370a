#include <fmt/format.h>
#include <tailbound/core/choice.hpp>
#include <tailbound/core/error.hpp>
#include <tailbound/network/clocks/link_clocks.hpp>
#include <tailbound/numeric/rational.hpp>
#include <tailbound/numeric/text/plain.hpp>
#include <tailbound/render/documents/parts/simulation.hpp>
#include <tailbound/render/documents/parts/topology.hpp>
#include <tailbound/render/documents/parts/units.hpp>
#include <tailbound/render/documents/simulation/flow_control.hpp>
#include <tailbound/render/documents/simulation/simulate_tree.hpp>
#include <tailbound/render/sweep_picture.hpp>

#include <algorithm>
#include <cmath>
#include <memory>

namespace tailbound::render {
namespace {

using namespace answers;
using numeric::plain;
using numeric::Rational;

bool of_tree(const SimulateTreeQuery& query) {
  return std::holds_alternative<TreeTopology>(query.topology);
}

std::string capacity_in_words(const SimulateTreeQuery& query) {
  if (query.control) return control_in_words(*query.control);
  if (!query.buffer) return "";
  return fmt::format(", buffers of {} packet{}", query.buffer->value, *query.buffer == Packets(1) ? "" : "s");
}

std::string title(const std::vector<SimulateTreePoint>& points) {
  const SimulateTreeQuery& first = points.front().first;
  std::vector<const Topology*> all;
  bool same_capacity = true;
  for (const SimulateTreePoint& point : points) {
    all.push_back(&point.first.topology);
    same_capacity = same_capacity && capacity_in_words(point.first) == capacity_in_words(first);
  }
  return in_words(first.topology, all) + (same_capacity ? capacity_in_words(first) : "");
}

/// A point with its additional time units.
struct SimulatedInUnits {
  const SimulateTreePoint& point;
  const Units& units;

  [[nodiscard]] const SimulateTreeQuery& query() const { return point.first; }
  [[nodiscard]] const SimulateTreeAnswer& answer() const { return point.second; }
  /// In ns, including the time added by hops if given. None without units.
  [[nodiscard]] std::optional<Value> ns(const std::optional<numeric::Estimate<unit::Time>>& time,
                                        const numeric::Estimate<unit::Slot>& slots) const {
    if (time) return shown(*time);
    if (const auto slot = units.slot_ns()) return scaled(shown(slots), *slot);
    return std::nullopt;
  }
};

const Column hop_number{"hop", "hop", "", Shape::whole, "--rare: hop of the queue, 1 for the first"};

/// A query with its additional time units.
struct TreeInputs {
  const SimulateTreeQuery& query;
  const Units& units;
};

const Fields<TreeInputs>& simulated_tree_inputs() {
  using Of = TreeInputs;
  static const Fields<Of> fields{
      {topology_fields(), [](const Of& of) { return of.query.topology; }},
      {{"buffer", "room", "packets", Shape::whole,
        "buffer of each queue, packet in service included; overflow is lost. With "
        "flow control that of each link at its receiver"},
       [](const Of& of) { return of.query.control ? Packets(of.query.control->buffer) : of.query.buffer; },
       if_present},
      {control_inputs(), [](const Of& of) { return of.query.control; }},
      {unit_fields(), [](const Of& of) { return of.units; }},
      {hop_column(), [](const Of& of) { return of.query.time->hop; },
       [](const Of& of) { return of.query.time.has_value(); }}};
  return fields;
}

const Fields<SimulatedInUnits>& simulated_tree_results() {
  using Of = SimulatedInUnits;
  static const auto has_delays = [](const Of& of) { return of.answer().has_delays(); };
  static const Fields<Of> fields{
      {{"packets", "packets", "", Shape::whole, "delivered while measured"},
       [](const Of& of) { return of.answer().packets; }},
      {carried_fields(), [](const Of& of) { return of.answer().carried; }},
      {{"mean_queueing_slots", "mean queueing", "slots", Shape::estimate,
        "mean queueing delay of all packets, the sum of their waits"},
       [](const Of& of) { return of.answer().mean_queueing; },
       has_delays},
      {{"mean_latency_slots", "mean latency", "slots", Shape::estimate,
        "mean queueing delay + one slot per queue; the link of the sender takes none"},
       [](const Of& of) { return of.answer().mean_latency; },
       has_delays},
      {{"mean_latency_ns", "mean latency", "ns", Shape::estimate, "the same in ns, per-hop latency included"},
       [](const Of& of) {
         return of.answer().has_delays() ? of.ns(of.answer().mean_latency_time, of.answer().mean_latency)
                                         : std::nullopt;
       },
       if_present},
      {simulation_fields(), [](const Of& of) { return of.answer().simulated; }}};
  return fields;
}

// --- tables

/// One row of a table: its point, and its position there.
struct SimulatedRow {
  SimulatedInUnits of;
  std::size_t at = 0;

  [[nodiscard]] const SimulatedPercentile& percentile() const { return of.answer().percentiles[at]; }
  [[nodiscard]] const SimulatedQueue& queue() const { return of.answer().queues[at]; }
  /// None of a link that delivers, with flow control: its receiver always accepts.
  template <class Number>
  [[nodiscard]] std::optional<Number> if_dropping(const Number& number) const {
    return of.query().control && !queue().buffered ? std::nullopt : std::optional(number);
  }
  [[nodiscard]] bool of_finite_queue() const {
    const auto& control = of.query().control;
    return of.query().buffer.has_value() || (control && control->by == sim::BackPressure::pause);
  }
};

const Table<SimulatedRow>& simulated_percentiles() {
  using Row = SimulatedRow;
  static const Table<Row> table{
      "percentiles",
      "percentiles of delays, in whole slots; upper is null if there are too few packets to determine it",
      {{{"percentile", "percentile", "", Shape::given, "in percent"},
        [](const Row& row) { return Rational(row.percentile().fraction * 100); }},
       {{"queueing_slots", "queueing", "slots", Shape::estimate, "of the queueing delay D"},
        [](const Row& row) { return row.percentile().queueing; }},
       {{"latency_slots", "latency", "slots", Shape::estimate, "of the latency"},
        [](const Row& row) { return row.percentile().latency; }},
       {{"latency_ns", "latency", "ns", Shape::estimate, "of the latency in ns, per-hop latency included"},
        [](const Row& row) { return row.of.ns(row.percentile().latency_time, row.percentile().latency); },
        if_present}}};
  return table;
}

Fields<sim::LevelEstimate> level_fields(const Column& level, const char* symbol) {
  using Level = sim::LevelEstimate;
  return {{level, &Level::level},
          {{"probability", symbol, "", Shape::estimate, symbol}, &Level::probability},
          {{"count", "observed", "", Shape::whole, "observations"}, &Level::count}};
}

const Table<sim::LevelEstimate>& simulated_delays() {
  static const Table<sim::LevelEstimate> table{
      "ccdf", "distribution of the queueing delay D of all packets, one row per delay",
      level_fields({"slots", "t", "slots", Shape::whole, "t", Style::plain, 0, ""}, "P(D > t)")};
  return table;
}

const Table<sim::LevelEstimate>& simulated_reordering() {
  static const Table<sim::LevelEstimate> table{
      "reorder_tail",
      "packets of a host, to all destinations together, that wait for an earlier one, one row per level",
      level_fields({"level", "b", "packets", Shape::whole, "b"}, "P(R > b)")};
  return table;
}

const Column link_name{
    "link", "link", "", Shape::text,
    "left -> right, names of its ends; in a network evaluated as a whole a group of links"};
const Column hop_of_queue{"hop", "hop", "", Shape::whole, "1 for the first queue of a packet"};

const Fields<SimulatedRow>& queue_fields_simulated() {
  using Row = SimulatedRow;
  static const Fields<Row> fields{
      {{"load", "load", "packets/slot", Shape::estimate, "packets served"},
       [](const Row& row) { return row.queue().load; }},
      {{"blocked", "blocked", "", Shape::estimate,
        "flow control: fraction of the slots in which a packet was ready and could not be sent"},
       [](const Row& row) { return row.queue().blocked; },
       if_present},
      {{"mean_occupancy", "mean occupancy", "packets", Shape::estimate, "just after the arrivals of a slot"},
       [](const Row& row) { return row.queue().mean_occupancy; }},
      {{"mean_buffered", "mean buffered", "packets", Shape::estimate,
        "flow control: in the buffer at the receiver of the link"},
       [](const Row& row) { return row.queue().buffered; },
       [](const Row& row) { return row.of.query().control.has_value(); }},
      {{"growth", "growth", "packets/slot", Shape::estimate,
        "flow control: of the queue of a host that sends more than the network takes, or null"},
       [](const Row& row) { return row.queue().growth; },
       [](const Row& row) { return row.of.answer().carried && row.of.answer().carried->saturated; }},
      {{"dropped", "dropped", "", Shape::whole,
        "packets lost; with flow control at the receiver, null of a link that delivers"},
       [](const Row& row) { return row.if_dropping(row.queue().dropped); },
       &Row::of_finite_queue},
      {{"loss", "loss", "", Shape::estimate, "fraction of the arriving packets"},
       [](const Row& row) { return row.if_dropping(row.queue().loss); },
       &Row::of_finite_queue}};
  return fields;
}

const Table<SimulatedRow>& simulated_hops() {
  using Row = SimulatedRow;
  static const Table<Row> table{
      "hops",
      "queues of a tree, identical at each hop",
      {{hop_of_queue, [](const Row& row) { return row.queue().hop; }},
       {{"direction", "links", "", Shape::text, "up or down"},
        [](const Row& row) { return row.queue().up ? "up" : "down"; }},
       {{"switch_level", "from level", "", Shape::whole, "level of the switches, 1 next to the leaves"},
        [](const Row& row) { return row.queue().level; }},
       queue_fields_simulated()}};
  return table;
}

const Table<SimulatedRow>& simulated_links() {
  static const Table<SimulatedRow> table{
      "links",
      "queues of a network on the path of a flow",
      {{link_name, [](const SimulatedRow& row) { return row.queue().link; }}, queue_fields_simulated()}};
  return table;
}

/// A level of a queue.
struct TailOfQueue {
  bool of_tree = false;
  const SimulatedQueue& queue;
  const sim::LevelEstimate& level;
};

const Table<TailOfQueue>& simulated_tails() {
  using Row = TailOfQueue;
  static const Table<Row> table{
      "tail",
      "queue-length distributions just after the arrivals of a slot, one row per queue and level",
      {{hop_of_queue, [](const Row& row) { return row.queue.hop; }, &Row::of_tree},
       {link_name, [](const Row& row) { return row.queue.link; },
        [](const Row& row) { return !row.of_tree; }},
       {level_fields({"level", "n", "packets", Shape::whole, "n"}, "P(Q > n)"),
        [](const Row& row) -> const sim::LevelEstimate& { return row.level; }}}};
  return table;
}

const Table<SimulatedFlow>& simulated_flows() {
  using Flow = SimulatedFlow;
  static const Table<Flow> table{
      "flows",
      "the flows of a network",
      {{{"flow", "flow", "", Shape::text, "name of the flow"}, &Flow::name},
       {{"packets", "packets", "", Shape::whole, "delivered while measured"}, &Flow::packets},
       {{"offered", "offered", "packets/slot", Shape::given, "flow control: rate of the flow"},
        &Flow::offered,
        [](const Flow& of) { return of.throughput.has_value(); }},
       {{"throughput", "throughput", "packets/slot", Shape::estimate, "flow control: packets delivered"},
        &Flow::throughput,
        if_present},
       {{"mean_queueing_slots", "mean queueing", "slots", Shape::estimate,
         "null if no packet of the flow was delivered"},
        &Flow::mean_queueing}}};
  return table;
}

std::vector<Rows> tables_of(const Shared<SimulateTreePoint>& points, std::size_t at, const Units& units) {
  const auto& [query, answer] = (*points)[at];
  const bool alone = points->size() == 1;
  std::vector<Rows> tables;
  const auto add = [&](const Table<SimulatedRow>& table, std::size_t size) {
    tables.push_back(table.rows(size, [points, at, units](std::size_t i) {
      return SimulatedRow{{(*points)[at], units}, i};
    }));
  };
  const auto add_levels = [&](const Table<sim::LevelEstimate>& table,
                              std::vector<sim::LevelEstimate> SimulateTreeAnswer::*levels) {
    const SimulateTreeAnswer& found = (*points)[at].second;
    tables.push_back(
        table.rows((found.*levels).size(), [points, at, levels](std::size_t i) -> const sim::LevelEstimate& {
          return ((*points)[at].second.*levels)[i];
        }));
  };
  if (answer.has_delays()) add(simulated_percentiles(), answer.percentiles.size());
  if (!answer.delay_ccdf.empty()) add_levels(simulated_delays(), &SimulateTreeAnswer::delay_ccdf);
  if (query.reorder_levels) add_levels(simulated_reordering(), &SimulateTreeAnswer::reorder_tail);
  add(of_tree(query) ? simulated_hops() : simulated_links(), answer.queues.size());
  tables.back().in_text = alone;
  if (!query.occupancy_levels.empty()) {
    std::vector<std::size_t> with_tail;  // not the queues of hosts
    for (std::size_t i = 0; i < answer.queues.size(); ++i)
      if (!answer.queues[i].tail.empty()) with_tail.push_back(i);
    const std::size_t rows = with_tail.size() * query.occupancy_levels.size();
    tables.push_back(
        simulated_tails().rows(rows, [points, at, with_tail = std::move(with_tail)](std::size_t i) {
          const auto& [requested, found] = (*points)[at];
          const std::size_t levels = requested.occupancy_levels.size();
          const SimulatedQueue& queue = found.queues[with_tail[i / levels]];
          return TailOfQueue{of_tree(requested), queue, queue.tail[i % levels]};
        }));
  }
  if (!answer.flows.empty()) {
    tables.push_back(simulated_flows().rows(
        answer.flows.size(),
        [points, at](std::size_t i) -> const SimulatedFlow& { return (*points)[at].second.flows[i]; }));
    tables.back().in_text = alone;
  }
  return tables;
}

// --- text

/// "1.173 +- 0.008 slots, 60.1 +- 0.4 ns"
std::string slots_in_words(const Value& slots, const UnitScale& scale) {
  const std::string ns = ns_in_words(slots, scale);
  return brief(slots) + " slots" + (ns.empty() ? "" : ", " + ns);
}

std::vector<Line> lines(const SimulateTreePoint& point, const UnitScale& scale) {
  const auto& [query, answer] = point;
  if (!answer.has_delays()) return joined(carried_lines(answer), simulation_lines(answer.simulated));
  std::string latency = slots_in_words(shown(answer.mean_latency), scale);
  if (query.time)
    latency = fmt::format("{} slots; {} ns with {}", brief(shown(answer.mean_latency)),
                          brief(shown(*answer.mean_latency_time)), hop_in_words(query.time->hop));
  std::vector<Line> all{{"mean queueing", slots_in_words(shown(answer.mean_queueing), scale)},
                        {"mean latency", std::move(latency)},
                        {"packets", fmt::format("{} delivered while measured", answer.packets)}};
  if (answer.carried) all = joined(std::move(all), carried_lines(answer));
  return joined(std::move(all), simulation_lines(answer.simulated));
}

Headline mean_in_words(const Document& document) {
  const std::string mean = range_in_words(document, "mean_queueing_slots");
  if (mean.empty()) return Headline::without_numbers("No packet was delivered.");
  return {"mean queueing delay", mean + " slots", "", values_of(document, "mean_queueing_slots")};
}

std::vector<std::string> notes(const std::vector<SimulateTreePoint>& points,
                               const std::vector<const Simulated*>& runs) {
  const auto& [query, answer] = points.front();
  std::string note =
      fmt::format("Estimates with {:g} % intervals from {}. D: queueing delay of all packets, in slots",
                  100 * query.confidence, batches_in_words(runs));
  if (query.reorder_levels)
    note += "; R: packets that wait for an earlier one of the same host, all its destinations together";
  if (query.buffer) note += "; buffers include the packet in service";
  if (query.control) note += ", the wait at the host included";
  if (query.time && points.size() > 1) note += "; latencies in ns include " + hop_in_words(query.time->hop);
  std::vector<std::string> all{note + "."};
  for (const SimulateTreePoint& point : points) add_remarks(all, point.first.topology);
  const std::string ports = query.fabric ? "" : switch_in_words(query.topology);
  all.push_back("Latency: queueing delay and " + latency_slots_in_words(query.topology) + "." +
                (ports.empty() ? "" : " " + ports));
  if (query.fabric)
    all.emplace_back("Queues between nodes whose names differ only in their numbers are counted together" +
                     std::string(network::has_unit_speeds(std::get<NetworkTopology>(query.topology).network)
                                     ? "; occupancies are sampled every eighth slot."
                                     : "."));
  if (query.control) add_control_notes(all, points);
  if (points.size() > 1)
    all.emplace_back("Loads, occupancies and losses of each queue: --format json or csv, or one point.");
  return all;
}

// --- picture

std::string ticks_in_words(const UnitScale& scale) {
  return scale.ns_of_slot ? fmt::format("slots of {} ns", brief(Given{*scale.ns_of_slot})) : "slots";
}

Curve bars(const SimulateTreePoint& point, std::string title) {
  Curve curve{.title = std::move(title), .style = CurveStyle::bars};
  for (const sim::LevelEstimate& level : whole_delay_ccdf(point.first, point.second))
    add_point(curve, static_cast<double>(level.level), shown(level.probability), true);
  return curve;
}

Picture picture(const Document& document, const std::vector<SimulateTreePoint>& points, const Units& units) {
  Picture picture{.title = "Queueing delay, " + title(points),
                  .x_label = "t [" + ticks_in_words(scale_of(units)) + "]",
                  .y_label = "P(D > t)",
                  .note = "simulation, 95 % intervals",
                  .powers_of_ten = true};
  if (points.size() == 1) picture.note += ": " + in_words(points.front().second.simulated);
  if (const auto& time = points.front().first.time)
    picture.note += "; latency is D, " + latency_slots_in_words(points.front().first.topology) + ", and " +
                    hop_in_words(time->hop);
  if (const SimulateTreeQuery& requested = points.front().first;
      !requested.occupancy_levels.empty() || requested.reorder_levels)
    picture.note += "; queues and reorder buffers are in the tables";
  const std::size_t drawn = std::min(points.size(), max_distinct_curves);
  for (std::size_t i = 0; i < drawn; ++i) {
    if (!points[i].second.has_delays()) continue;
    Curve curve =
        bars(points[i], points.size() == 1 ? "simulation" : point_title(document, document.results[i]));
    if (!curve.points.empty()) picture.curves.push_back(std::move(curve));
  }
  if (drawn < points.size()) picture.note += fmt::format("; the first {} of {} points", drawn, points.size());
  if (picture.curves.empty())
    throw NoAnswer(points.front().second.has_delays() ? "nothing to draw: no packet was delayed"
                                                      : "nothing to draw: delays have no distribution");
  return picture;
}

// --- rare events

const char* name(RareMethod method) {
  return method == RareMethod::importance_sampling ? "importance sampling" : "splitting";
}

bool of_cycles(const SimulateRareAnswer& answer) {
  return answer.method == RareMethod::importance_sampling;
}

/// Importance sampling has cycles of one queue, and neither warm-up nor replications; splitting is a
/// slot-by-slot simulation.
Cells run_cells(const SimulateRareAnswer& answer) {
  Cells cells = simulation_fields().cells(answer.simulated);
  if (of_cycles(answer))
    std::erase_if(cells, [](const Cell& cell) {
      return cell.key != "complete" && cell.key != "seed" && cell.key != "batches";
    });
  return cells;
}

const Fields<SimulateRareQuery>& rare_inputs() {
  static const Fields<SimulateRareQuery> fields{
      {topology_fields(), [](const SimulateRareQuery& of) { return Topology(of.topology); }},
      {{"rare", "rare", "", Shape::given,
        "--rare: the level n, at least 1; or a probability below 1, the target for P(Q > n)"},
       [](const SimulateRareQuery& of) {
         const auto* level = std::get_if<Packets>(&of.rare);
         return level != nullptr ? Rational(level->value) : std::get<Rational>(of.rare);
       }},
      {hop_number, [](const SimulateRareQuery& of) { return of.hop; }}};
  return fields;
}

const Fields<SimulateRareAnswer>& rare_results() {
  using Answer = SimulateRareAnswer;
  static const Fields<Answer> fields{
      {{"level", "n", "packets", Shape::whole, "--rare: n of P(Q > n)"}, &Answer::level},
      {{"probability", "P(Q > n)", "", Shape::estimate, "--rare: P(Q > level) of the queue of the hop"},
       &Answer::probability},
      {{"method", "method", "", Shape::text, "--rare: importance sampling or splitting"},
       [](const Answer& of) { return name(of.method); }}};
  return fields;
}

const Fields<SimulateRareAnswer>& cycle_fields() {
  static const Fields<SimulateRareAnswer> fields{
      {{"cycles", "cycles", "", Shape::whole, "--rare by importance sampling: simulated cycles of the queue",
        Style::hidden},
       &SimulateRareAnswer::cycles,
       &of_cycles}};
  return fields;
}

/// The parts of a sum, of which at least one must exist.
std::string interval_in_words(const SimulateRareAnswer& answer) {
  const auto& probability = answer.probability;
  return fmt::format("{:.2g} %; 95 % interval from {} batches",
                     100 * (probability.upper - probability.value) / probability.value,
                     answer.simulated.batches());
}

std::string rare_title(const std::vector<SimulateRarePoint>& points) {
  std::vector<Topology> trees;
  for (const SimulateRarePoint& point : points) trees.emplace_back(point.first.topology);
  std::vector<const Topology*> all;
  for (const Topology& tree : trees) all.push_back(&tree);
  return in_words(trees.front(), all);
}

}  // namespace

std::vector<Line> rare_lines(const SimulateRareAnswer& answer) {
  std::vector<Line> lines{{"interval", interval_in_words(answer)}, {"method", name(answer.method)}};
  if (answer.method == RareMethod::splitting)
    return joined(std::move(lines), simulation_lines(answer.simulated));
  const Simulated& its = answer.simulated;
  lines.push_back({"simulated", fmt::format("{} cycles of the queue{}, seed {}", answer.cycles(),
                                            its.stopped() ? fmt::format(" in {} of {} batches", its.batches(),
                                                                        its.planned_batches())
                                                          : "",
                                            its.plan.seed)});
  lines.push_back({"took", outcome_in_words(its)});
  return lines;
}

Layout simulate_tree_layout() {
  return {.command = "simulate tree",
          .inputs = merged(simulated_tree_inputs().columns(),
                           joined(rare_inputs().columns(), unit_fields().columns())),
          .results = joined(merged(simulated_tree_results().columns(),
                                   joined(rare_results().columns(), simulation_fields().columns())),
                            cycle_fields().columns()),
          .tables = {simulated_percentiles().layout(), simulated_delays().layout(),
                     simulated_reordering().layout(), simulated_hops().layout(), simulated_links().layout(),
                     simulated_tails().layout(), simulated_flows().layout()},
          .quiet = {"percentile", "queueing_slots", "latency_slots"},
          .quiet_table = "percentiles"};
}

Cells inputs_of(const SimulateTreeQuery& query, const Units& units) {
  return simulated_tree_inputs().cells({query, units});
}

Cells inputs_of(const SimulateRareQuery& query, const Units& units) {
  return joined(rare_inputs().cells(query), unit_fields().cells(units));
}

Document document(std::vector<SimulateTreePoint> given, std::size_t requested, const Units& units) {
  const auto points = share(std::move(given));
  std::vector<const Simulated*> runs;
  for (const SimulateTreePoint& point : *points) runs.push_back(&point.second.simulated);
  Document document{.layout = std::make_shared<const Layout>(simulate_tree_layout()),
                    .headline = {},
                    .settings = fmt::format("Simulation of {}.", title(*points)),
                    .results = {},
                    .notes = notes(*points, runs)};
  for (std::size_t i = 0; i < points->size(); ++i) {
    const auto& [query, answer] = (*points)[i];
    Result& result = document.results.emplace_back();
    result.inputs = inputs_of(query, units);
    result.cells = simulated_tree_results().cells({(*points)[i], units});
    result.tables = tables_of(points, i, units);
    result.caption = in_words(query.topology) + capacity_in_words(query);
    if (points->size() == 1) result.lines = lines((*points)[i], scale_of(units));
  }
  const bool all_have_delays = std::all_of(points->begin(), points->end(),
                                           [](const auto& point) { return point.second.has_delays(); });
  document.headline = all_have_delays ? mean_in_words(document) : carried_in_words(document, *points);
  if (!all_have_delays) {  // --quiet
    auto layout = simulate_tree_layout();
    layout.quiet = {"throughput"};
    layout.quiet_table.clear();
    document.layout = std::make_shared<const Layout>(std::move(layout));
  }
  document = with_units(std::move(document), scale_of(units));
  mark_stopped(document, runs, requested);
  document.picture = [document, points, units] { return picture(document, *points, units); };
  return document;
}

Document document(const std::vector<SimulateRarePoint>& points, std::size_t requested, const Units& units) {
  auto layout = simulate_tree_layout();
  layout.quiet = {"level", "probability"};
  layout.quiet_table.clear();
  Document document{.layout = std::make_shared<const Layout>(std::move(layout)),
                    .headline = {},
                    .settings = capitalized(rare_title(points)) + ".",
                    .results = {}};
  std::vector<const Simulated*> runs;
  for (const SimulateRarePoint& point : points) {
    const SimulateRareAnswer& answer = point.second;
    Result& result = document.results.emplace_back();
    result.inputs = inputs_of(point.first, units);
    result.cells =
        joined(joined(rare_results().cells(answer), run_cells(answer)), cycle_fields().cells(answer));
    runs.push_back(&answer.simulated);
  }
  const auto& [query, answer] = points.front();
  if (points.size() == 1) {
    const Value probability = shown(answer.probability);
    document.headline = {fmt::format("P(Q > {})", answer.level.value),
                         brief(probability),
                         fmt::format(" at hop {}", query.hop),
                         {probability}};
    document.results.front().lines = rare_lines(answer);
  } else {
    document.headline = {"P(Q > n)", range_in_words(document, "probability"), "",
                         values_of(document, "probability")};
    document.notes.push_back(
        fmt::format("Q: packets in the queue of the hop just after the arrivals of a slot. Estimates with 95 "
                    "% intervals from {}.",
                    batches_in_words(runs)));
  }
  document = with_units(std::move(document), scale_of(units));
  mark_stopped(document, runs, requested);
  document.picture = [document, title = capitalized(rare_title(points))] {
    return sweep_picture(
        document,
        {.axes = {"rare", "load", "hop", "burst", "on_rate", "radix", "levels"},
         .height = "probability",
         .powers_of_ten = true},
        {.title = title, .x_label = {}, .y_label = "P(Q > n)", .note = "simulation, 95 % intervals"});
  };
  return document;
}

}  // namespace tailbound::render
