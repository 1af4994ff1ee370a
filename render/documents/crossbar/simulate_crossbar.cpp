#include <fmt/format.h>
#include <tailbound/core/error.hpp>
#include <tailbound/numeric/rational.hpp>
#include <tailbound/numeric/text/plain.hpp>
#include <tailbound/render/documents/crossbar/simulate_crossbar.hpp>
#include <tailbound/render/documents/parts/simulation.hpp>
#include <tailbound/render/documents/parts/units.hpp>
#include <tailbound/render/sweep_picture.hpp>

#include <algorithm>
#include <limits>
#include <memory>

namespace tailbound::render {
namespace {

using namespace answers;
using numeric::plain;
using numeric::Rational;
using traffic::CrossbarScheduler;

constexpr std::size_t most_tails_in_text = 8;  ///< for at most this many points with given levels

/// Above the maximum load delays and lengths depend on the length of the run.
bool is_stationary(const SimulateCrossbarPoint& point) {
  return !point.second.found.saturated;
}

const Fields<SimulateCrossbarPoint>& simulated_crossbar_results() {
  const auto found = [](auto member) {
    return [member](const SimulateCrossbarPoint& of) { return of.second.found.*member; };
  };
  using Found = sim::CrossbarEstimates;
  static const Fields<SimulateCrossbarPoint> fields{
      {{"mean_delay_slots", "mean D", "slots", Shape::estimate,
        "mean queueing delay: slots from arrival to departure. With a hot output: of the others. Null above "
        "the maximum load"},
       [](const SimulateCrossbarPoint& of) {
         return is_stationary(of) ? std::optional(of.second.found.delay.mean) : std::nullopt;
       }},
      {{"hot_delay_slots", "mean D, hot", "slots", Shape::estimate, "of packets for the hot output"},
       [](const SimulateCrossbarPoint& of) { return of.second.found.hot_delay->mean; },
       [](const SimulateCrossbarPoint& of) { return of.second.found.hot_delay && is_stationary(of); }},
      {{"output_queued_slots", "output-queued", "slots", Shape::proved,
        "mean delay of the output-queued switch with the same arrivals, a lower bound for every scheduler; "
        "for independent slots"},
       [](const SimulateCrossbarPoint& of) { return of.second.output_queued; },
       if_present},
      {{"mean_input", "mean input", "packets", Shape::estimate, "mean occupancy of an input"},
       [](const SimulateCrossbarPoint& of) { return of.second.found.input.mean; },
       &is_stationary},
      {{"mean_voq", "mean VOQ", "packets", Shape::estimate, "mean occupancy of a VOQ", Style::hidden},
       [](const SimulateCrossbarPoint& of) { return of.second.found.voq->mean; },
       [](const SimulateCrossbarPoint& of) { return of.second.found.voq && is_stationary(of); }},
      {{"mean_output", "mean output", "packets", Shape::estimate,
        "mean occupancy of an output queue, or of the crosspoints of an output, just before it sends"},
       [](const SimulateCrossbarPoint& of) { return of.second.found.output->mean; },
       [](const SimulateCrossbarPoint& of) { return of.second.found.output && is_stationary(of); }},
      {{"mean_column", "mean for an output", "packets", Shape::estimate,
        "mean number of packets for an output, anywhere in the switch", Style::hidden},
       [](const SimulateCrossbarPoint& of) { return of.second.found.column.mean; },
       &is_stationary},
      {{"carried", "carried", "packets/slot", Shape::estimate, "that left per slot and input"},
       found(&Found::carried)},
      {{"smallest_output", "smallest output", "packets/slot", Shape::estimate,
        "of the output that sends the fewest", Style::hidden},
       found(&Found::least)},
      {{"largest_output", "largest output", "packets/slot", Shape::estimate,
        "of the output that sends the most", Style::hidden},
       found(&Found::most)},
      {{"loss", "lost", "", Shape::estimate, "fraction of the packets lost, with finite buffers"},
       [](const SimulateCrossbarPoint& of) { return of.second.found.loss; },
       [](const SimulateCrossbarPoint& of) { return of.first.model.loses(); }},
      {{"saturated", "saturated", "", Shape::flag, "do the queues grow without limit?", Style::hidden},
       found(&Found::saturated)},
      {{"late", "late", "packets", Shape::whole,
        "packets that the output-queued switch would have sent before, with ccf"},
       found(&Found::late),
       [](const SimulateCrossbarPoint& of) { return of.first.model.scheduler == CrossbarScheduler::ccf; }},
      {{"above", "above", "slots", Shape::whole,
        "slots of inputs with more packets than the output of the last one, with ccf: 0 at speedup 2",
        Style::hidden},
       found(&Found::above),
       [](const SimulateCrossbarPoint& of) { return of.first.model.scheduler == CrossbarScheduler::ccf; }},
      {{"packets", "packets", "", Shape::whole, "that arrived while measured", Style::hidden},
       found(&Found::cells)},
      {simulation_fields(), [](const SimulateCrossbarPoint& of) { return of.second.simulated; }}};
  return fields;
}

Fields<sim::LevelEstimate> level_fields(const char* key, const char* symbol, const char* meaning) {
  using Level = sim::LevelEstimate;
  return {{{key, symbol, "", Shape::estimate, meaning}, &Level::probability},
          {{key + std::string("_count"), "observed", "", Shape::whole, "observations [slots]", Style::hidden},
           &Level::count}};
}

const Table<CrossbarTailLevel>& tails_table() {
  static const Table<CrossbarTailLevel> table{
      "tail",
      "occupancies just after the arrivals of a slot, one row per level",
      {{{"level", "n", "packets", Shape::whole, "n"}, &CrossbarTailLevel::level},
       {level_fields("input", "P(input > n)", "of an input"), &CrossbarTailLevel::input},
       {level_fields("voq", "P(VOQ > n)", "of a VOQ"), &CrossbarTailLevel::voq},
       {level_fields("output", "P(output > n)", "of an output queue, or of the crosspoints of an output"),
        &CrossbarTailLevel::output},
       {level_fields("column", "P(all for an output > n)",
                     "of all packets for an output, in the whole switch"),
        &CrossbarTailLevel::column}}};
  return table;
}

const Table<sim::LevelEstimate>& delays_table() {
  using Level = sim::LevelEstimate;
  static const Table<Level> table{
      "ccdf",
      "distribution of the queueing delay D",
      {{{"delay_slots", "t", "slots", Shape::whole, "t"}, &Level::level},
       {{"probability", "P(D > t)", "", Shape::estimate, "P(D > t)"}, &Level::probability},
       {{"count", "observed", "", Shape::whole, "packets with D > t"}, &Level::count}}};
  return table;
}

struct CrossbarPercentileRow {
  Rational percent;
  const numeric::Estimate<unit::Slot>& delay;
};

const Table<CrossbarPercentileRow>& percentiles_table() {
  static const Table<CrossbarPercentileRow> table{
      "percentiles",
      "percentiles of the queueing delay D",
      {{{"percentile", "percentile", "%", Shape::given, "p in percent"}, &CrossbarPercentileRow::percent},
       {{"delay_slots", "D", "slots", Shape::estimate, "smallest t with P(D <= t) >= p"},
        [](const CrossbarPercentileRow& of) { return of.delay; }}}};
  return table;
}

Value interpolated(const std::optional<double>& size) {
  constexpr double unknown = std::numeric_limits<double>::infinity();
  return size ? Value(Estimate{*size, -unknown, unknown, 0.95}) : Value(None{});
}

const Table<ExceededSizes>& sizes_table() {
  using Sizes = ExceededSizes;
  const auto column = [](const char* key, const char* heading, const char* unit, const char* meaning,
                         auto member) {
    return Fields<Sizes>::Part(Column{key, heading, unit, Shape::estimate, meaning},
                               [member](const Sizes& of) { return interpolated(of.*member); });
  };
  static const Table<Sizes> table{
      "sizes",
      "delays and sizes that are exceeded with a probability, interpolated between whole ones; omitted where "
      "fewer than 10 observations exceed them",
      {{{"drop", "exceeded", "", Shape::given, "probability"}, &Sizes::probability},
       column("delay_slots", "D", "slots", "of D", &Sizes::delay),
       column("input", "input", "packets", "of the packets of an input", &Sizes::input),
       column("voq", "VOQ", "packets", "of the packets of a VOQ", &Sizes::voq),
       column("column", "for an output", "packets", "of all packets for an output", &Sizes::column)}};
  return table;
}

bool rows_in_text(const std::vector<SimulateCrossbarPoint>& points) {
  return points.size() == 1 || (points.size() <= most_tails_in_text && !points.front().first.levels.empty());
}

std::vector<Rows> simulated_crossbar_rows(const Shared<SimulateCrossbarPoint>& points, std::size_t at) {
  const auto& [query, answer] = (*points)[at];
  std::vector<Rows> tables;
  if (!answer.found.saturated) {
    tables.push_back(percentiles_table().rows(query.percentiles.size(), [points, at](std::size_t i) {
      return CrossbarPercentileRow{Rational((*points)[at].first.percentiles[i] * 100),
                                   (*points)[at].second.found.delay.percentiles[i]};
    }));
    tables.push_back(delays_table().rows(answer.found.delay.tail.size(),
                                         [points, at](std::size_t i) -> const sim::LevelEstimate& {
                                           return (*points)[at].second.found.delay.tail[i];
                                         }));
    tables.push_back(sizes_table().rows(
        answer.sizes.size(),
        [points, at](std::size_t i) -> const ExceededSizes& { return (*points)[at].second.sizes[i]; }));
    tables.push_back(tails_table().rows(
        answer.tail.size(),
        [points, at](std::size_t i) -> const CrossbarTailLevel& { return (*points)[at].second.tail[i]; }));
  }
  for (Rows& rows : tables) rows.in_text = rows_in_text(*points);
  return tables;
}

// --- text

std::vector<const sim::CrossbarModel*> models_of(const std::vector<SimulateCrossbarPoint>& points) {
  std::vector<const sim::CrossbarModel*> models;
  for (const SimulateCrossbarPoint& point : points) models.push_back(&point.first.model);
  return models;
}

std::vector<const Simulated*> simulated_crossbar_runs(const std::vector<SimulateCrossbarPoint>& points) {
  std::vector<const Simulated*> runs;
  for (const SimulateCrossbarPoint& point : points) runs.push_back(&point.second.simulated);
  return runs;
}

std::vector<Line> simulated_crossbar_lines(const SimulateCrossbarPoint& point) {
  const auto& [query, answer] = point;
  const sim::CrossbarEstimates& found = answer.found;
  std::vector<Line> lines;
  if (found.saturated)
    lines.push_back({"saturated", "the queues grow during the whole run: the load is above its maximum"});
  lines.push_back({"carried", brief(shown(found.carried)) + " packets per slot and input"});
  if (!found.saturated && answer.output_queued)
    lines.push_back({"output-queued", fmt::format("{} slots mean delay of an output-queued switch (exact), a "
                                                  "lower bound",
                                                  brief(shown(*answer.output_queued)))});
  if (!found.saturated) {
    lines.push_back({"an input", brief(shown(found.input.mean)) + " packets on average"});
    if (found.output)
      lines.push_back({"an output", brief(shown(found.output->mean)) + " packets on average"});
  }
  if (found.hot_delay && !found.saturated)
    lines.push_back({"hot output", brief(shown(found.hot_delay->mean)) + " slots mean delay of its packets"});
  for (std::size_t i = 0; i < found.priority_delay.size(); ++i)
    lines.push_back({fmt::format("priority {}", i + 1),
                     brief(shown(found.priority_delay[i].mean)) + " slots mean delay"});
  if (query.model.scheduler == CrossbarScheduler::ccf)
    lines.push_back({"late", fmt::format("{} of {} packets left after their slot of the output-queued switch",
                                         found.late, found.left)});
  if (found.loss)
    lines.push_back({"lost", fmt::format("{} of the packets ({} of {})", brief(shown(*found.loss)),
                                         found.lost, found.cells)});
  return joined(std::move(lines), simulation_lines(answer.simulated));
}

Headline simulated_crossbar_headline(const Document& document,
                                     const std::vector<SimulateCrossbarPoint>& points) {
  if (std::none_of(points.begin(), points.end(), &is_stationary))
    return {"Maximum load, beyond which the queues grow:",
            range_in_words(document, "carried") + " packets per slot and input", "",
            values_of(document, "carried")};
  return {"Mean queueing delay:", range_in_words(document, "mean_delay_slots") + " slots", "",
          values_of(document, "mean_delay_slots")};
}

std::vector<std::string> simulated_crossbar_notes(const std::vector<SimulateCrossbarPoint>& points) {
  std::vector<std::string> notes{fmt::format(
      "Estimates with {:g} % intervals from {}. D: slots from arrival to departure; packets of an input, a "
      "VOQ and an output just after the arrivals of a slot.",
      100 * points.front().first.confidence, batches_in_words(simulated_crossbar_runs(points)))};
  if (!std::all_of(points.begin(), points.end(), &is_stationary))
    notes.emplace_back(
        "Without a delay: the load is above its maximum, and delays and lengths would depend on "
        "the length of the run.");
  if (!rows_in_text(points))
    notes.emplace_back("Percentiles and tails: --format json or csv, or --occupancy with up to 8 points.");
  return notes;
}

// --- picture

Picture simulated_crossbar_tails(const std::vector<SimulateCrossbarPoint>& points) {
  const auto& [query, answer] = points.front();
  Picture picture{.title = "Occupancy, " + in_words(models_of(points)),
                  .x_label = "n [packets]",
                  .y_label = "P(> n)",
                  .note = "simulation, 95 % intervals: " + in_words(answer.simulated),
                  .powers_of_ten = true};
  const std::vector<CrossbarTailLevel> whole = whole_tail(query, answer);
  const auto draw = [&](const char* name, const auto& of) {
    Curve curve{.title = name, .style = CurveStyle::bars};
    for (const CrossbarTailLevel& level : whole)
      if (const sim::LevelEstimate* its = of(level); its != nullptr && its->count > 0)
        add_point(curve, static_cast<double>(level.level), shown(its->probability), true);
    if (!curve.points.empty()) picture.curves.push_back(std::move(curve));
  };
  draw("an input", [](const CrossbarTailLevel& level) { return &level.input; });
  draw("a VOQ", [](const CrossbarTailLevel& level) { return level.voq ? &*level.voq : nullptr; });
  draw("all for an output", [](const CrossbarTailLevel& level) { return &level.column; });
  if (picture.curves.empty()) throw NoAnswer("nothing to draw: all queues were empty");
  return picture;
}

Picture simulated_crossbar_picture(const Document& document,
                                   const std::vector<SimulateCrossbarPoint>& points) {
  const Sweep delays{
      .axes = {"load", "speedup", "iterations", "scheduler", "burst", "inputs", "outputs", "hot"},
      .height = "mean_delay_slots",
      .powers_of_ten = true};
  if (points.size() == 1 || !varies(document, delays)) {
    if (!is_stationary(points.front())) throw NoAnswer("nothing to draw: the load is above its maximum");
    return simulated_crossbar_tails(points);
  }
  return sweep_picture(document, delays,
                       {.title = "Mean queueing delay, " + in_words(models_of(points)),
                        .x_label = {},
                        .y_label = "mean D [slots]",
                        .note = "simulation, 95 % intervals"});
}

}  // namespace

Layout simulate_crossbar_layout() {
  return {
      .command = "simulate crossbar",
      .inputs = joined(joined(crossbar_fields().columns(), rare_crossbar_inputs()), unit_fields().columns()),
      .results = merged(simulated_crossbar_results().columns(),
                        joined(rare_crossbar_columns(), simulation_fields().columns())),
      .tables = {percentiles_table().layout(), delays_table().layout(), sizes_table().layout(),
                 tails_table().layout()},
      .quiet = {"mean_delay_slots", "carried"}};
}

Cells inputs_of(const SimulateCrossbarQuery& query, const Units& units) {
  return joined(crossbar_fields().cells(query.model), unit_fields().cells(units));
}

Document document(std::vector<SimulateCrossbarPoint> given, std::size_t requested, const Units& units) {
  const auto points = share(std::move(given));
  Document document{.layout = std::make_shared<const Layout>(simulate_crossbar_layout()),
                    .headline = {},
                    .settings = "Simulation: " + in_words(models_of(*points)) + ".",
                    .results = {},
                    .notes = simulated_crossbar_notes(*points)};
  for (std::size_t i = 0; i < points->size(); ++i) {
    Result& result = document.results.emplace_back();
    result.inputs = inputs_of((*points)[i].first, units);
    result.cells = simulated_crossbar_results().cells((*points)[i]);
    result.tables = simulated_crossbar_rows(points, i);
    if (points->size() == 1) result.lines = simulated_crossbar_lines((*points)[i]);
  }
  if (points->size() > 1)
    for (Result& result : document.results) result.caption = point_title(document, result);
  document.headline = simulated_crossbar_headline(document, *points);
  document = with_units(std::move(document), scale_of(units));
  mark_stopped(document, simulated_crossbar_runs(*points), requested);
  document.picture = [document, points] { return simulated_crossbar_picture(document, *points); };
  return document;
}

}  // namespace tailbound::render
