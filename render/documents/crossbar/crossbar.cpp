#include <fmt/format.h>
#include <tailbound/core/choice.hpp>
#include <tailbound/core/error.hpp>
#include <tailbound/numeric/text/plain.hpp>
#include <tailbound/render/documents/crossbar/crossbar.hpp>
#include <tailbound/render/documents/crossbar/crossbar_words.hpp>
#include <tailbound/render/documents/parts/units.hpp>
#include <tailbound/render/fields.hpp>
#include <tailbound/render/sweep_picture.hpp>

#include <algorithm>
#include <array>
#include <memory>
#include <utility>

namespace tailbound::render {
namespace {

using namespace answers;
using numeric::plain;
using numeric::Rational;
using traffic::CrossbarScheduler;

constexpr std::array basis_names{"proved", "backlogged", "observed"};

bool iterates(const CrossbarQuery& query) {
  return query.scheduler == CrossbarScheduler::pim || query.scheduler == CrossbarScheduler::islip;
}
bool of_saturation(const CrossbarQuery& query) {
  return std::holds_alternative<Saturation>(query.requested);
}
bool of_fifo_saturation(const CrossbarQuery& query) {
  return query.scheduler == CrossbarScheduler::fifo && of_saturation(query);
}
const MaxLoad* solves_load(const CrossbarQuery& query) {
  return std::get_if<MaxLoad>(&query.requested);
}

const Fields<CrossbarQuery>& crossbar_inputs() {
  using Query = CrossbarQuery;
  static const Fields<Query> fields{
      {{"scheduler", "scheduler", "", Shape::text,
        "fifo, pim, islip, greedy, maxweight, crosspoint, tdm, load-balanced or ccf"},
       &Query::scheduler},
      {{"inputs", "inputs", "", Shape::whole, "ports: inputs and, by default, outputs"}, &Query::inputs},
      {{"outputs", "outputs", "", Shape::whole, "number of outputs, if different"},
       &Query::outputs,
       if_present},
      {{"load", "load", "packets/slot", Shape::given, "of each input"}, &Query::load, if_present},
      {{"saturation", "", "", Shape::flag, "true: the maximum load", Style::hidden},
       [](const Query&) { return true; },
       &of_saturation},
      {{"burst", "burst", "slots", Shape::given, "mean burst length", Style::plain, 0, ""},
       &Query::burst,
       if_present},
      {{"iterations", "iterations", "", Shape::text, "of pim and islip; all: until no pair is added"},
       [](const Query& of) { return of.rounds() == 0 ? std::string("all") : std::to_string(of.rounds()); },
       &iterates},
      {{"crosspoint", "crosspoint", "", Shape::whole, "packets per crosspoint buffer"},
       &Query::crosspoint,
       [](const Query& of) { return of.scheduler == CrossbarScheduler::crosspoint; }},
      {{"speedup", "speedup", "", Shape::given, "scheduling phases per slot"}, &Query::phases},
      {{"output_speedup", "output speedup", "", Shape::whole, "packets that an output takes per slot"},
       &Query::output_speedup,
       &of_fifo_saturation},
      {{"output_buffer", "output buffer", "", Shape::whole, "packets per output, with back-pressure"},
       &Query::output_buffer,
       &of_fifo_saturation},
      {{"solve", "solve", "", Shape::text, "the unknown: load", Style::hidden},
       [](const Query&) { return "load"; },
       [](const Query& of) { return solves_load(of) != nullptr; }},
      {{"capacity", "capacity", "packets", Shape::whole, "--solve load: packets per input buffer"},
       [](const Query& of) { return solves_load(of)->capacity; },
       [](const Query& of) { return solves_load(of) != nullptr; }},
      {{"drop", "target", "", Shape::given, "EPS, target probability of each buffer, between 0 and 1"},
       [](const Query& of) { return solves_load(of) != nullptr ? solves_load(of)->drop : of.drop; },
       if_present},
      {{"digits", "digits", "", Shape::whole, "significant digits of proved numbers", Style::hidden},
       [](const Query& of) { return of.accuracy.digits.count; }}};
  return fields;
}

/// Of one of the three buffers.
template <std::optional<CrossbarBuffer> CrossbarAnswer::*which>
Fields<CrossbarAnswer> buffer_fields(const std::string& name, const std::string& heading,
                                     const std::string& meaning) {
  using Answer = CrossbarAnswer;
  const auto known = [](const Answer& of) { return (of.*which).has_value(); };
  return {{{name + "_cells", heading, "packets", Shape::whole,
            "minimum buffer for the target, " + meaning + "; the packets about to leave included",
            Style::plain, 0, name},
           [](const Answer& of) { return (of.*which)->cells; },
           known},
          {{name + "_real", "", "packets", Shape::model, "of a model: the same before rounding up",
            Style::hidden, 0, name + "_real"},
           [](const Answer& of) { return (of.*which)->real; },
           known},
          {{name + "_probability", "", "", Shape::number,
            "probability of more packets, or a proved bound of it", Style::hidden},
           [](const Answer& of) { return (of.*which)->at; },
           known},
          {{name + "_continued", "", "", Shape::flag, "true: below the simulated tails, not measured",
            Style::hidden},
           [](const Answer& of) { return (of.*which)->continued; },
           known}};
}

const Fields<CrossbarAnswer>& crossbar_results() {
  using Answer = CrossbarAnswer;
  static const Fields<Answer> fields{
      {{"solved_load", "load for buffer", "packets/slot", Shape::number,
        "--solve load: maximum load of each input for which the input buffer meets the target"},
       &Answer::load,
       if_present},
      {{"mean_delay", "mean delay", "slots", Shape::number, "E[D], queueing delay", Style::plain, 5},
       &Answer::mean,
       if_present},
      {{"mean_delay_bound", "", "slots", Shape::bound, "maxweight: proved upper bound of E[D]",
        Style::hidden},
       &Answer::mean_bound,
       if_present},
      {{"mean_delay_output_queued", "lower bound", "slots", Shape::number,
        "E[D] of the output-queued switch: a lower bound of E[D] for every scheduler and speedup",
        Style::plain, 5},
       &Answer::output_queued,
       if_present},
      {buffer_fields<&Answer::output>("output_queue", "output buffer", "per output"),
       [](const Answer& of) -> const Answer& { return of; }},
      {buffer_fields<&Answer::input>("input_queue", "input buffer", "per input"),
       [](const Answer& of) -> const Answer& { return of; }},
      {{"input_queue_sum", "", "", Shape::number,
        "ccf: k P(Q > cells), the bound of the input buffer as it was computed", Style::hidden},
       [](const Answer& of) { return of.input->sum; },
       [](const Answer& of) { return of.input && of.input->sum; }},
      {buffer_fields<&Answer::queue>("voq", "VOQ", "per virtual output queue"),
       [](const Answer& of) -> const Answer& { return of; }},
      {{"output_queued_cells", "output-queued", "packets", Shape::whole,
        "minimum buffer per output of the output-queued switch, same target", Style::plain, 0,
        "output_queued"},
       &Answer::output_queued_buffer,
       if_present},
      {{"maximum_load", "maximum load", "packets/slot", Shape::number, "that each input can carry"},
       &Answer::maximum},
      {{"maximum_load_basis", "", "", Shape::text,
        "proved; backlogged (throughput of inputs that always have packets); or observed (in simulations of "
        "uniform traffic)",
        Style::hidden},
       [](const Answer& of) { return basis_names.at(static_cast<std::size_t>(of.basis)); }},
      {{"many_ports_load", "", "packets/slot", Shape::proved,
        "fifo: limit of the maximum load for many ports", Style::hidden},
       &Answer::many_ports,
       if_present},
      {{"matching_load", "", "packets/slot", Shape::number,
        "islip: load that pim carries with as many iterations", Style::hidden},
       &Answer::matching,
       if_present},
      {{"near_matching", "", "", Shape::flag, "islip: true if the load is above matching_load - 0.1",
        Style::hidden},
       &Answer::near_matching,
       [](const Answer& of) { return of.matching.has_value(); }},
      {{"mean_delay_all_iterations", "", "slots", Shape::model,
        "islip: E[D] with all iterations, if near_matching", Style::hidden},
       &Answer::mean_all,
       if_present},
      {{"sparse", "", "", Shape::flag, "true: few simulated points near this load", Style::hidden},
       &Answer::sparse,
       [](const Answer& of) { return of.mean.has_value(); }}};
  return fields;
}

const Table<CrossbarPercentile>& percentile_table() {
  using Row = CrossbarPercentile;
  static const Table<Row> table{
      "percentiles",
      "percentiles of the queueing delay, one row per percentile",
      {{{"percentile", "percentile", "%", Shape::given, "p in percent"},
        [](const Row& of) { return Rational(of.probability * 100); }},
       {{"queueing_slots", "queueing delay", "slots", Shape::whole,
         "smallest t with P(D <= t) >= p; null if unknown to the model"},
        &Row::slots},
       {{"queueing_real", "", "slots", Shape::model, "of a model: the same before rounding up",
         Style::hidden},
        &Row::real},
       {{"continued", "", "", Shape::flag, "true: below the simulated tails, not measured", Style::hidden},
        &Row::continued}}};
  return table;
}

/// A row of P(D > t).
struct AboveRow {
  const CrossbarLevel& level;
  numeric::Digits digits;
};

const Table<AboveRow>& above_table() {
  using Row = AboveRow;
  static const Table<Row> table{
      "ccdf",
      "distribution of the queueing delay, one row per time",
      {{{"slots", "t", "slots", Shape::whole, "t"}, [](const Row& of) { return of.level.slots; }},
       {{"probability", "P(D > t)", "", Shape::number, "P(D > t); null if unknown to the model"},
        [](const Row& of) { return of.level.probability; }},
       {{"certainty", "kind", "", Shape::text, "kind of number"},
        [](const Row& of) {
          if (!of.level.probability) return std::string("not known");
          const Value value = shown(*of.level.probability);
          return std::holds_alternative<Model>(value) ? "model" : certainty(value, of.digits);
        }},
       {{"continued", "", "", Shape::flag, "true: below the simulated tails, not measured", Style::hidden},
        [](const Row& of) { return of.level.continued; }}}};
  return table;
}

std::vector<Rows> tables_of(const CrossbarPoint& point) {
  const auto& [query, answer] = point;
  std::vector<Rows> tables;
  if (!answer.percentiles.empty()) tables.push_back(percentile_table().rows(share(answer.percentiles)));
  if (!answer.above.empty()) {
    const auto levels = share(answer.above);
    tables.push_back(
        above_table().rows(levels->size(), [levels, digits = query.accuracy.digits](std::size_t i) {
          return AboveRow{(*levels)[i], digits};
        }));
  }
  return tables;
}

/// Percentiles and P(D > t) as columns of a text table; in data formats they are tables of each result.
void add_delay_columns(Document& document, const std::vector<CrossbarPoint>& points) {
  const CrossbarQuery& first = points.front().first;
  for (const Rational& p : first.percentiles)
    document.text_columns.push_back(
        {"percentile " + plain(p * 100), plain(p * 100) + " %", "slots", Shape::whole, ""});
  for (const Slots level : first.levels)
    document.text_columns.push_back({fmt::format("above {}", level.value),
                                     fmt::format("P(D > {})", level.value), "", Shape::number, "",
                                     Style::plain, 5});
  for (std::size_t i = 0; i < points.size(); ++i) {
    Cells& cells = document.results[i].text_cells;
    for (const CrossbarPercentile& each : points[i].second.percentiles)
      cells.push_back(
          {"percentile " + plain(each.probability * 100), each.slots ? shown(*each.slots) : Value(None{})});
    for (const CrossbarLevel& each : points[i].second.above)
      cells.push_back({fmt::format("above {}", each.slots.value), shown(each.probability)});
  }
}

/// What several points show: a buffer, the highest percentile or the mean.
std::string drawn_key(const std::vector<CrossbarPoint>& points) {
  const auto& [query, answer] = points.front();
  return of_saturation(query)            ? "maximum_load"
         : solves_load(query) != nullptr ? "solved_load"
         : answer.input                  ? "input_queue_cells"
                                         : "mean_delay";
}

/// A point as part of a picture: its y value.
std::optional<double> drawn_height(const CrossbarAnswer& answer, const Rational& percentile) {
  for (const CrossbarPercentile& each : answer.percentiles)
    if (each.probability == percentile && each.slots)
      return each.real ? each.real->value : static_cast<double>(each.slots->value);
  return std::nullopt;
}

/// E[D] of the output-queued switch against the load, if only loads and schedulers differ.
void add_lower_bound(Picture& picture, const Document& document, const std::vector<CrossbarPoint>& points) {
  const auto same = [&](const CrossbarPoint& of) {
    return of.first.inputs == points.front().first.inputs && of.first.burst == points.front().first.burst &&
           of.second.output_queued;
  };
  if (!varies(document, {.axes = {"load"}, .height = "mean_delay"}) ||
      !std::all_of(points.begin(), points.end(), same))
    return;
  Curve curve{.title = "output-queued switch: lower bound"};
  for (const CrossbarPoint& point : points)
    add_point(curve, numeric::nearest_double(*point.first.load()), shown(*point.second.output_queued), false);
  std::sort(curve.points.begin(), curve.points.end());
  curve.points.erase(std::unique(curve.points.begin(), curve.points.end()), curve.points.end());
  picture.curves.push_back(std::move(curve));
}

/// P(D > t) of a single point.
Picture distribution_picture(const CrossbarPoint& point) {
  const auto& [query, answer] = point;
  Picture picture{.title = "Queueing delay, " + switch_in_words(query),
                  .x_label = "queueing delay t [slots]",
                  .y_label = "P(D > t)",
                  .powers_of_ten = true};
  Curve curve{.title = "P(D > t)"};
  for (const CrossbarLevel& each : answer.above)
    if (each.probability)
      add_point(curve, static_cast<double>(each.slots.value), shown(*each.probability), true);
  for (const CrossbarPercentile& each : answer.percentiles)
    if (each.slots)
      add_point(curve, each.real ? each.real->value : static_cast<double>(each.slots->value),
                Given{1 - each.probability}, true);
  if (curve.points.empty())
    throw NoAnswer(
        "nothing to draw: give --percentiles or --ccdf, or --load, --inputs or --scheduler a list");
  std::sort(curve.points.begin(), curve.points.end());
  picture.curves.push_back(std::move(curve));
  return picture;
}

Picture crossbar_picture(const Document& document, const std::vector<CrossbarPoint>& points) {
  if (points.size() == 1) return distribution_picture(points.front());
  const CrossbarQuery& first = points.front().first;
  Document drawn = document;
  std::string key = drawn_key(points), label;
  if (key == "mean_delay" && !first.percentiles.empty()) {
    const Rational& highest = first.percentiles.back();
    key = "drawn_percentile";
    label = plain(highest * 100) + " % of the queueing delay [slots]";
    for (std::size_t i = 0; i < points.size(); ++i)
      if (const auto height = drawn_height(points[i].second, highest))
        drawn.results[i].cells.push_back({key, Model{*height}});
  } else {
    label = key == "mean_delay"          ? "mean delay [slots]"
            : key == "input_queue_cells" ? "input buffer [packets]"
                                         : "maximum load [packets/slot]";
  }
  Picture picture{.title = "Input-queued switch", .x_label = {}, .y_label = std::move(label)};
  picture = sweep_picture(drawn,
                          {.axes = {"load", "speedup", "inputs", "iterations", "output_buffer", "burst",
                                    "drop", "capacity", "crosspoint"},
                           .height = key},
                          std::move(picture));
  picture.log_y = key != "maximum_load" && key != "solved_load";
  if (key == "mean_delay") add_lower_bound(picture, document, points);
  return picture;
}

}  // namespace

Cells inputs_of(const CrossbarQuery& query, const Units& units) {
  return joined(crossbar_inputs().cells(query), unit_fields().cells(units));
}

Layout crossbar_layout() {
  return {.command = "crossbar",
          .inputs = joined(crossbar_inputs().columns(), unit_fields().columns()),
          .results = crossbar_results().columns(),
          .tables = {percentile_table().layout(), above_table().layout()},
          .quiet = {"mean_delay"}};
}

namespace {

/// With the number that was requested for --quiet.
std::shared_ptr<const Layout> layout_for(const std::vector<CrossbarPoint>& points) {
  Layout layout = crossbar_layout();
  layout.quiet = {drawn_key(points)};
  return std::make_shared<const Layout>(std::move(layout));
}

}  // namespace

Document document(const std::vector<CrossbarPoint>& points, const Units& units) {
  const CrossbarQuery& first = points.front().first;
  Document document{.layout = layout_for(points),
                    .headline = {},
                    .settings = capitalized(switches_in_words(points)) + ".",
                    .results = {},
                    .digits = first.accuracy.digits};
  for (const CrossbarPoint& point : points) {
    Result& result = document.results.emplace_back();
    result.inputs = inputs_of(point.first, units);
    result.cells = crossbar_results().cells(point.second);
    result.tables = tables_of(point);
    result.caption = switch_in_words(point.first);
    if (points.size() == 1) {
      result.lines = crossbar_lines(point, units);
    } else {
      for (Rows& rows : result.tables) rows.in_text = false;
    }
  }
  if (points.size() > 1) add_delay_columns(document, points);
  document.headline = crossbar_headline(document, points);
  document.notes = crossbar_notes(points);
  document = with_units(std::move(document), scale_of(units));
  document.picture = [points, without_picture = document] {
    return crossbar_picture(without_picture, points);
  };
  return document;
}

}  // namespace tailbound::render
