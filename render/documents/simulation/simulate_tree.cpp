#include <cln/rational.h>
#include <fmt/format.h>
#include <tailbound/core/error.hpp>
#include <tailbound/numeric/text/plain.hpp>
#include <tailbound/render/documents/parts/simulation.hpp>
#include <tailbound/render/documents/parts/topology.hpp>
#include <tailbound/render/documents/parts/units.hpp>
#include <tailbound/render/documents/simulation/simulate_tree.hpp>
#include <tailbound/render/sweep_picture.hpp>

#include <cmath>
#include <memory>

namespace tailbound::render {
namespace {

using namespace answers;
using numeric::plain;

bool of_tree(const SimulateTreeQuestion& question) {
  return std::holds_alternative<TreeTopology>(question.topology);
}

std::string room_in_words(const SimulateTreeQuestion& question) {
  if (!question.buffer) return "";
  return fmt::format(", room for {} packet{}", question.buffer->value,
                     *question.buffer == Packets(1) ? "" : "s");
}

std::string title(const std::vector<SimulateTreePoint>& points) {
  const SimulateTreeQuestion& first = points.front().first;
  std::vector<const Topology*> all;
  bool same_room = true;
  for (const SimulateTreePoint& point : points) {
    all.push_back(&point.first.topology);
    same_room = same_room && point.first.buffer == first.buffer;
  }
  return in_words(first.topology, all) + (same_room ? room_in_words(first) : "");
}

Cells input_cells(const SimulateTreeQuestion& question, const Units& units) {
  Cells cells = topology_cells(question.topology);
  if (question.buffer) cells.push_back({"buffer", shown(*question.buffer)});
  cells = joined(std::move(cells), unit_cells(units));
  if (question.time) cells.push_back({"hop_ns", Given{question.time->hop}});
  return cells;
}

/// In ns: with what hops add where that was asked for. Nothing without units.
Cells time_cells(const char* key, const std::optional<numeric::Estimate<unit::Time>>& time,
                 const numeric::Estimate<unit::Slot>& slots, const Units& units) {
  if (time) return {{key, shown(*time)}};
  if (const auto slot = units.slot_ns()) return {{key, scaled(shown(slots), *slot)}};
  return {};
}

Cells result_cells(const SimulateTreeAnswer& answer, const Units& units) {
  Cells cells{{"packets", Whole{static_cast<std::int64_t>(answer.packets)}},
              {"mean_queueing_slots", shown(answer.mean_queueing)},
              {"mean_latency_slots", shown(answer.mean_latency)}};
  cells = joined(std::move(cells),
                 time_cells("mean_latency_ns", answer.mean_latency_time, answer.mean_latency, units));
  return joined(std::move(cells), simulation_cells(answer.simulated));
}

// --- tables

Cells level_cells(const char* key, const sim::LevelEstimate& level) {
  return {{key, Whole{level.level}},
          {"probability", shown(level.probability)},
          {"count", Whole{static_cast<std::int64_t>(level.count)}}};
}

Cells where(const SimulateTreeQuestion& question, const SimulatedQueue& queue) {
  if (of_tree(question)) return {{"hop", Whole{queue.hop}}};
  return {{"link", Text{queue.link}}};
}

Cells queue_cells(const SimulateTreeQuestion& question, const SimulatedQueue& queue) {
  Cells cells = where(question, queue);
  if (of_tree(question)) {
    cells.push_back({"direction", Text{queue.up ? "up" : "down"}});
    cells.push_back({"switch_level", Whole{queue.level}});
  }
  cells.push_back({"load", shown(queue.load)});
  cells.push_back({"mean_occupancy", shown(queue.mean_occupancy)});
  if (question.buffer) {
    cells.push_back({"dropped", Whole{static_cast<std::int64_t>(queue.dropped)}});
    cells.push_back({"loss", shown(queue.loss)});
  }
  return cells;
}

std::vector<Rows> tables_of(const Shared<SimulateTreePoint>& points, std::size_t at, const Units& units) {
  const auto& [question, answer] = (*points)[at];
  const bool alone = points->size() == 1;
  const auto rows = [&](const char* key, std::size_t size,
                        Cells (*row)(const SimulateTreePoint& point, std::size_t i)) {
    return Rows{
        .key = key, .size = size, .row = [points, at, row](std::size_t i) { return row((*points)[at], i); }};
  };
  std::vector<Rows> tables{
      {.key = "percentiles", .size = answer.percentiles.size(), .row = [points, at, units](std::size_t i) {
         const SimulatedPercentile& its = (*points)[at].second.percentiles[i];
         return joined<Cell>({{"percentile", Given{its.fraction * 100}},
                              {"queueing_slots", shown(its.queueing)},
                              {"latency_slots", shown(its.latency)}},
                             time_cells("latency_ns", its.latency_time, its.latency, units));
       }}};
  if (!answer.delay_ccdf.empty())
    tables.push_back(
        rows("ccdf", answer.delay_ccdf.size(), [](const SimulateTreePoint& point, std::size_t i) {
          return level_cells("slots", point.second.delay_ccdf[i]);
        }));
  if (question.reorder_levels)
    tables.push_back(
        rows("reorder_tail", answer.reorder_tail.size(), [](const SimulateTreePoint& point, std::size_t i) {
          return level_cells("level", point.second.reorder_tail[i]);
        }));
  tables.push_back(rows(of_tree(question) ? "hops" : "links", answer.queues.size(),
                        [](const SimulateTreePoint& point, std::size_t i) {
                          return queue_cells(point.first, point.second.queues[i]);
                        }));
  tables.back().in_text = alone;
  if (!question.occupancy_levels.empty())
    tables.push_back(rows("tail", answer.queues.size() * question.occupancy_levels.size(),
                          [](const SimulateTreePoint& point, std::size_t i) {
                            const std::size_t levels = point.first.occupancy_levels.size();
                            const SimulatedQueue& queue = point.second.queues[i / levels];
                            return joined(where(point.first, queue),
                                          level_cells("level", queue.tail[i % levels]));
                          }));
  if (!answer.flows.empty()) {
    tables.push_back(
        rows("flows", answer.flows.size(), [](const SimulateTreePoint& point, std::size_t i) -> Cells {
          const SimulatedFlow& flow = point.second.flows[i];
          return {{"flow", Text{flow.name}},
                  {"packets", Whole{static_cast<std::int64_t>(flow.packets)}},
                  {"mean_queueing_slots", shown(flow.mean_queueing)}};
        }));
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
  const auto& [question, answer] = point;
  std::string latency = slots_in_words(shown(answer.mean_latency), scale);
  if (question.time)
    latency = fmt::format("{} slots; {} ns with {}", brief(shown(answer.mean_latency)),
                          brief(shown(*answer.mean_latency_time)), hop_in_words(question.time->hop));
  return joined<Line>({{"mean queueing", slots_in_words(shown(answer.mean_queueing), scale)},
                       {"mean latency", std::move(latency)},
                       {"packets", fmt::format("{} delivered while measured", answer.packets)}},
                      simulation_lines(answer.simulated));
}

std::vector<std::string> notes(const std::vector<SimulateTreePoint>& points,
                               const std::vector<const Simulated*>& runs) {
  const auto& [question, answer] = points.front();
  std::string note =
      fmt::format("Estimates with {:g} % intervals from {}. D: queueing delay of all packets, in slots",
                  100 * question.confidence, batches_in_words(runs));
  if (question.reorder_levels) note += "; R: packets that wait for an older one of their leaf";
  if (question.buffer) note += "; a buffer counts the packet in service";
  if (question.time && points.size() > 1)
    note += "; latencies in ns with " + hop_in_words(question.time->hop);
  std::vector<std::string> all{note + "."};
  const std::string ports = question.fabric ? "" : switch_in_words(question.topology);
  all.push_back("Latency: queueing and " + latency_slots_in_words() + "." +
                (ports.empty() ? "" : " " + ports));
  if (question.fabric)
    all.emplace_back(
        "Queues between nodes of the same kinds, whose names differ from the first digit on, are counted "
        "together; "
        "occupancies are looked at in every eighth slot.");
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
    picture.note += "; latency is D, " + latency_slots_in_words() + ", and " + hop_in_words(time->hop);
  if (const SimulateTreeQuestion& asked = points.front().first;
      !asked.occupancy_levels.empty() || asked.reorder_levels)
    picture.note += "; queues and reorder buffers are in the tables";
  const std::size_t drawn = std::min(points.size(), most_curves_told_apart);
  for (std::size_t i = 0; i < drawn; ++i) {
    Curve curve =
        bars(points[i], points.size() == 1 ? "simulation" : point_title(document, document.results[i]));
    if (!curve.points.empty()) picture.curves.push_back(std::move(curve));
  }
  if (drawn < points.size()) picture.note += fmt::format("; the first {} of {} points", drawn, points.size());
  if (picture.curves.empty()) throw NoAnswer("there is nothing to draw: no packet was delayed");
  return picture;
}

// --- rare events

const char* name(RareMethod method) {
  return method == RareMethod::importance_sampling ? "importance sampling" : "splitting";
}

/// Importance sampling has cycles of one queue, and neither a warm-up nor replications; splitting is a
/// simulation slot by slot.
Cells run_cells(const SimulateRareAnswer& answer) {
  if (answer.method == RareMethod::splitting) return simulation_cells(answer.simulated);
  const Simulated& its = answer.simulated;
  return {{"complete", Flag{!its.stopped()}},
          {"seed", Whole{static_cast<std::int64_t>(its.plan.seed)}},
          {"batches", Whole{static_cast<std::int64_t>(its.batches())}},
          {"cycles", Whole{answer.cycles()}}};
}

/// Of the parts of a sum, which there must be some of.
std::string interval_in_words(const SimulateRareAnswer& answer) {
  const auto& probability = *answer.probability;
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
  lines.push_back({"took", course_in_words(its)});
  return lines;
}

Layout simulate_tree_layout() {
  Layout layout{.command = "simulate tree", .inputs = {}, .results = {}};
  layout.inputs = joined<Column>(
      topology_columns(),
      {{"buffer", "room", "packets", Shape::whole,
        "of each queue, that of the packet in service included; what does not fit is lost"},
       {"rare", "rare", "", Shape::given,
        "of --rare: the level n, at least 1; or a probability below 1, near which P(Q > n) is to be"},
       {"hop", "hop", "", Shape::whole, "of --rare: whose queue, 1 for the first"}});
  layout.inputs = joined(std::move(layout.inputs), unit_columns());
  layout.inputs.push_back(hop_column());
  layout.results = joined<Column>(
      {{.key = "packets",
        .heading = "packets",
        .unit = "",
        .shape = Shape::whole,
        .meaning = "delivered while measured"},
       {"mean_queueing_slots", "mean queueing", "slots", Shape::estimate,
        "mean queueing delay of all packets, the sum of their waits"},
       {"mean_latency_slots", "mean latency", "slots", Shape::estimate,
        "that and a slot for each queue on the way; the sender's own link takes none"},
       {"mean_latency_ns", "mean latency", "ns", Shape::estimate, "the same in ns, with what the hops add"},
       {"level", "n", "packets", Shape::whole, "of --rare: n of P(Q > n)"},
       {"probability", "P(Q > n)", "", Shape::estimate,
        "of --rare: P(Q > level) of the hop's queue; null where no path came there"},
       {"method", "method", "", Shape::text, "of --rare: importance sampling or splitting"}},
      simulation_columns());
  layout.results.push_back({"cycles", "cycles", "", Shape::whole,
                            "of --rare by importance sampling: cycles of the queue that were simulated",
                            Style::hidden});
  const auto levels = [](Column level, const char* symbol) -> std::vector<Column> {
    return {std::move(level),
            {"probability", symbol, "", Shape::estimate, symbol},
            {"count", "seen", "", Shape::whole, "how often it was seen"}};
  };
  const Column hop{"hop", "hop", "", Shape::whole, "1 for the first queue that packets meet"},
      link{"link", "link", "", Shape::text,
           "left -> right, by the names of its ends; of a network answered as a whole a kind of links"};
  const std::vector<Column> queue{
      {"load", "load", "packets/slot", Shape::estimate, "packets served"},
      {"mean_occupancy", "mean occupancy", "packets", Shape::estimate, "just after the arrivals of a slot"},
      {"dropped", "dropped", "", Shape::whole, "packets that found no room"},
      {"loss", "loss", "", Shape::estimate, "fraction of the packets that come"}};
  layout.tables = {
      {"percentiles",
       "percentiles of delays, in whole slots; upper is null where the packets are too few to show it",
       {{"percentile", "percentile", "", Shape::given, "in percent"},
        {"queueing_slots", "queueing", "slots", Shape::estimate, "of the queueing delay D"},
        {"latency_slots", "latency", "slots", Shape::estimate, "of the latency"},
        {"latency_ns", "latency", "ns", Shape::estimate, "of the latency in ns, with what the hops add"}}},
      {"ccdf", "the distribution of the queueing delay D of all packets, a row a delay",
       levels({.key = "slots",
               .heading = "t",
               .unit = "slots",
               .shape = Shape::whole,
               .meaning = "t",
               .stem = ""},
              "P(D > t)")},
      {"reorder_tail", "packets of a leaf that wait for an older one, a row a level",
       levels({"level", "b", "packets", Shape::whole, "b"}, "P(R > b)")},
      {"hops", "the queues of a tree, alike at each hop",
       joined<Column>(
           {hop,
            {"direction", "links", "", Shape::text, "up or down"},
            {"switch_level", "from level", "", Shape::whole, "that of the switches, 1 next to the leaves"}},
           queue)},
      {"links", "the queues of a network that a flow passes", joined<Column>({link}, queue)},
      {"tail", "the distribution of each queue just after the arrivals of a slot, a row a queue and level",
       joined<Column>({hop, link}, levels({"level", "n", "packets", Shape::whole, "n"}, "P(Q > n)"))},
      {"flows",
       "the flows of a network",
       {{"flow", "flow", "", Shape::text, "its name"},
        {"packets", "packets", "", Shape::whole, "delivered while measured"},
        {"mean_queueing_slots", "mean queueing", "slots", Shape::estimate,
         "null where no packet of it was delivered"}}}};
  layout.quiet = {"percentile", "queueing_slots", "latency_slots"};
  layout.quiet_table = "percentiles";
  return layout;
}

Document document(std::vector<SimulateTreePoint> given, std::size_t asked, const Units& units) {
  const auto points = share(std::move(given));
  std::vector<const Simulated*> runs;
  for (const SimulateTreePoint& point : *points) runs.push_back(&point.second.simulated);
  Document document{.layout = std::make_shared<const Layout>(simulate_tree_layout()),
                    .headline = fmt::format("Simulation of {}{}",
                                            of_tree(points->front().first) ? "the " : "", title(*points)),
                    .results = {},
                    .notes = notes(*points, runs)};
  for (std::size_t i = 0; i < points->size(); ++i) {
    const auto& [question, answer] = (*points)[i];
    Result& result = document.results.emplace_back();
    result.inputs = input_cells(question, units);
    result.cells = result_cells(answer, units);
    result.tables = tables_of(points, i, units);
    result.caption = in_words(question.topology) + room_in_words(question);
    if (points->size() == 1) result.lines = lines((*points)[i], scale_of(units));
  }
  document = with_units(std::move(document), scale_of(units));
  mark_stopped(document, runs, asked);
  document.picture = [document, points, units] { return picture(document, *points, units); };
  return document;
}

Document document(const std::vector<SimulateRarePoint>& points, std::size_t asked, const Units& units) {
  auto layout = simulate_tree_layout();
  layout.quiet = {"level", "probability"};
  layout.quiet_table.clear();
  Document document{
      .layout = std::make_shared<const Layout>(std::move(layout)), .headline = {}, .results = {}};
  std::vector<const Simulated*> runs;
  bool found = false, missed = false;
  for (const auto& [question, answer] : points) {
    Result& result = document.results.emplace_back();
    result.inputs = topology_cells(Topology(question.topology));
    result.inputs.push_back({"rare", std::holds_alternative<Packets>(question.rare)
                                         ? Given{std::get<Packets>(question.rare).value}
                                         : Given{std::get<numeric::Rational>(question.rare)}});
    result.inputs.push_back({"hop", Whole{question.hop}});
    result.inputs = joined(std::move(result.inputs), unit_cells(units));
    result.cells = joined<Cell>({{"level", shown(answer.level)},
                                 {"probability", shown(answer.probability)},
                                 {"method", Text{name(answer.method)}}},
                                run_cells(answer));
    runs.push_back(&answer.simulated);
    (answer.probability ? found : missed) = true;
  }
  const auto& [question, answer] = points.front();
  if (!found)
    throw NoAnswer(fmt::format("no path reached a queue of more than {} packets: more --slots are needed",
                               answer.level.value));
  if (points.size() == 1) {
    document.headline = fmt::format("P(Q > {}) at hop {} = {} in the {}", answer.level.value, question.hop,
                                    brief(shown(*answer.probability)), rare_title(points));
    document.results.front().lines = rare_lines(answer);
  } else {
    document.headline = "Rare events in the " + rare_title(points);
    document.notes.push_back(
        fmt::format("Q: packets of the hop's queue just after the arrivals of a slot. Estimates "
                    "with 95 % intervals from {}.",
                    batches_in_words(runs)));
    if (missed)
      document.notes.emplace_back(
          "Where there is no probability no path reached a queue as long: more --slots are needed.");
  }
  document = with_units(std::move(document), scale_of(units));
  mark_stopped(document, runs, asked);
  document.picture = [document] {
    return sweep_picture(document,
                         {.axes = {"rare", "load", "hop", "burst", "on_rate", "radix", "levels"},
                          .height = "probability",
                          .powers_of_ten = true,
                          .style = CurveStyle::bars},
                         {.title = document.headline,
                          .x_label = {},
                          .y_label = "P(Q > n)",
                          .note = "simulation, 95 % intervals"});
  };
  return document;
}

}  // namespace tailbound::render
