#include <fmt/format.h>
#include <tailbound/core/error.hpp>
#include <tailbound/numeric/text/plain.hpp>
#include <tailbound/render/documents/buffer/occupancy.hpp>
#include <tailbound/render/documents/parts/traffic.hpp>
#include <tailbound/render/documents/parts/units.hpp>
#include <tailbound/render/sweep_picture.hpp>

#include <algorithm>
#include <cmath>

namespace tailbound::render {
namespace {

using namespace answers;
using numeric::plain;

std::vector<const Traffic*> traffics_of(const std::vector<OccupancyPoint>& points) {
  std::vector<const Traffic*> all;
  for (const OccupancyPoint& point : points) all.push_back(&point.first.traffic);
  return all;
}

std::string caption(const OccupancyQuery& query) {
  return in_words(query.traffic);
}

const Fields<OccupancyQuery>& occupancy_inputs() {
  using Query = OccupancyQuery;
  static const Fields<Query> fields{
      {traffic_fields(), &Query::traffic},
      {{"until", "until", "", Shape::given, "levels from 0 to the first with P(Q > n) at most this",
        Style::hidden},
       [](const Query& of) { return std::get<Until>(of.levels).tail; },
       [](const Query& of) { return std::holds_alternative<Until>(of.levels); }},
      {accuracy_fields(), &Query::accuracy}};
  return fields;
}

const Fields<OccupancyAnswer>& occupancy_results() {
  using Answer = OccupancyAnswer;
  static const Fields<Answer> fields{
      {{"mean_occupancy", "mean occupancy", "packets", Shape::claim, "E[Q]"}, &Answer::mean_occupancy},
      {{"decay_rate", "decay rate", "", Shape::proved,
        "asymptotic decay rate of P(Q > n) [1/packet]; null if no packet ever waits, or if it cannot be "
        "enclosed"},
       &Answer::decay_rate}};
  return fields;
}

/// A row of the tail.
struct TailRow {
  const OccupancyLevel& level;
  numeric::Digits digits;
};

const Table<TailRow>& tail_table() {
  static const Table<TailRow> table{
      "tail",
      "queue-length distribution just after the arrivals of a slot (md1: at any time), one row per level",
      {{{"level", "n", "packets", Shape::whole, "n"}, [](const TailRow& of) { return of.level.level; }},
       {{"probability", "P(Q > n)", "", Shape::claim, "P(Q > n)"},
        [](const TailRow& of) { return of.level.tail.probability; }},
       {{"probability_bound", "proved: at most", "", Shape::bound,
         "proved upper bound of P(Q > n), where `probability` is an approximation"},
        [](const TailRow& of) { return of.level.bound; },
        if_present},
       {{"certainty", "kind", "", Shape::text, "kind of number"},
        [](const TailRow& of) { return certainty(shown(of.level.tail.probability), of.digits); }},
       {{"method", "method", "", Shape::text, "as in the command buffer", Style::hidden},
        [](const TailRow& of) { return of.level.tail.computation.name(); }}}};
  return table;
}

/// The asymptote through the deepest level, and the same inputs without bursts.
void add_context(Picture& picture, const OccupancyPoint& point, const Curve& tail) {
  const auto& [query, answer] = point;
  const auto first = tail.points.front(), last = tail.points.back();
  if (answer.decay_rate && last.first > first.first) {
    constexpr double log10_of_e = 0.43429448190325183;
    const auto rate = static_cast<double>(answer.decay_rate->lower());
    picture.curves.push_back(
        {.title = fmt::format("asymptote exp(-{:.4g} n)", rate),
         .style = CurveStyle::dashed,
         .course =
             straight({first.first, last.second + rate * log10_of_e * (last.first - first.first)}, last)});
  }
  std::vector<Packets> levels;
  for (const auto& [level, probability] : tail.points) levels.emplace_back(static_cast<std::int64_t>(level));
  Curve plain_curve =
      tail_curve(without_bursts(query, levels), "same inputs and load without bursts", CurveStyle::steps);
  if (!plain_curve.points.empty()) picture.curves.push_back(std::move(plain_curve));
}

/// P(Q > n) at every level from the first to the last requested.
Curve whole_tail(const OccupancyPoint& point, std::string title) {
  const auto& [query, answer] = point;
  if (answer.tail.size() < 2) return tail_curve(answer.tail, std::move(title), CurveStyle::points);
  const auto [first, last] =
      std::minmax_element(answer.tail.begin(), answer.tail.end(),
                          [](const OccupancyLevel& a, const OccupancyLevel& b) { return a.level < b.level; });
  if (last->level.value - first->level.value < static_cast<std::int64_t>(answer.tail.size()))
    return tail_curve(answer.tail, std::move(title), CurveStyle::steps);
  Curve curve = tail_curve(answers::tail_through(query.traffic, first->level, last->level), std::move(title),
                           CurveStyle::steps);
  curve.marked = tail_curve(answer.tail, {}, CurveStyle::points).points;
  return curve;
}

/// The deepest level, or of several points their means.
Headline headline(const std::vector<OccupancyPoint>& points) {
  const auto& [query, answer] = points.front();
  const numeric::Digits digits = query.accuracy.digits;
  if (points.size() > 1) {
    const bool classes = std::all_of(points.begin(), points.end(), [](const OccupancyPoint& point) {
      return std::holds_alternative<TrafficClass>(point.first.traffic.source);
    });
    if (!classes || points.size() > TrafficClass::max_classes)
      return Headline::without_numbers(
          fmt::format("Queue-length distributions of {} settings.", points.size()));
    std::string means;
    std::vector<Value> quoted;
    for (const OccupancyPoint& point : points) {
      quoted.push_back(shown(point.second.mean_occupancy));
      means += (means.empty() ? "" : ", ") + brief(quoted.back(), {4});
    }
    return {fmt::format("mean occupancy of {} classes:", points.size()), means + " packets", "", quoted};
  }
  const Value mean = shown(answer.mean_occupancy);
  if (answer.tail.empty()) return {"mean occupancy", brief(mean, digits) + " packets", "", {mean}};
  const OccupancyLevel& deepest = answer.tail.back();
  const Value tail = shown(deepest.tail.probability);
  return {fmt::format("P(Q > {})", deepest.level.value),
          brief(tail, digits),
          fmt::format("; mean occupancy {} packets", brief(mean, digits)),
          {tail, mean}};
}

Picture picture(const std::vector<OccupancyPoint>& points) {
  Picture picture{.title = "Queue length, " + in_words(points.front().first.traffic, traffics_of(points)),
                  .x_label = "level n [packets]",
                  .y_label = "P(Q > n)",
                  .powers_of_ten = true};
  double last = 0;
  for (const OccupancyPoint& point : points) {
    const Curve tail = whole_tail(point, points.size() == 1 ? "P(Q > n)" : caption(point.first));
    if (tail.points.empty()) continue;
    last = std::max(last, tail.points.back().first);
    picture.curves.push_back(tail);
    if (points.size() == 1) add_context(picture, point, tail);
  }
  if (picture.curves.empty()) throw NoAnswer("nothing to draw: P(Q > n) is zero at every level");
  if (const auto* until = std::get_if<Until>(&points.front().first.levels)) {
    const double first = picture.curves.front().points.front().first;
    picture.curves.push_back(target_curve(until->tail, first, last));
  }
  return picture;
}

}  // namespace

Curve tail_curve(const std::vector<OccupancyLevel>& tail, std::string title, CurveStyle style) {
  Curve curve{.title = std::move(title), .style = style};
  for (const OccupancyLevel& level : tail)
    add_point(curve, static_cast<double>(level.level.value), shown(level.tail.probability), true);
  std::sort(curve.points.begin(), curve.points.end());
  return curve;
}

Curve target_curve(const numeric::Rational& target, double from, double to) {
  const double level = *log10_height(Given{target});
  return {
      .title = "target " + plain(target), .style = CurveStyle::rule, .points = {{from, level}, {to, level}}};
}

Cells inputs_of(const OccupancyQuery& query, const Units& units) {
  return joined(occupancy_inputs().cells(query), unit_fields().cells(units));
}

Layout occupancy_layout() {
  return {.command = "occupancy",
          .inputs = joined(occupancy_inputs().columns(), unit_fields().columns()),
          .results = occupancy_results().columns(),
          .tables = {tail_table().layout()},
          .quiet = {"level", "probability"},
          .quiet_table = "tail"};
}

Document document(const std::vector<OccupancyPoint>& points, const Units& units) {
  const OccupancyQuery& first = points.front().first;
  const bool at_any_time = std::holds_alternative<PoissonAtAnyTime>(first.traffic.source);
  Document document{.layout = std::make_shared<const Layout>(occupancy_layout()),
                    .headline = headline(points),
                    .settings = "Output queue, " + in_words(first.traffic, traffics_of(points)) +
                                (at_any_time ? ". Q: packets at any time, the one in service included."
                                             : ". Q: packets just after the arrivals of a slot."),
                    .results = {},
                    .digits = first.accuracy.digits};
  for (const auto& [query, answer] : points) {
    Result& result = document.results.emplace_back();
    result.inputs = inputs_of(query, units);
    result.cells = occupancy_results().cells(answer);
    const auto shared = std::make_shared<const OccupancyAnswer>(answer);
    result.tables.push_back(
        tail_table().rows(answer.tail.size(), [shared, digits = document.digits](std::size_t i) {
          return TailRow{shared->tail[i], digits};
        }));
    result.caption = caption(query);
    if (points.size() > 1) continue;
    const Value mean = shown(answer.mean_occupancy);
    result.lines = {
        {"mean occupancy", brief(mean, document.digits) + " packets, " + certainty(mean, document.digits)}};
    if (answer.decay_rate)
      result.lines.push_back({"asymptote", fmt::format("P(Q > n) decays as exp(-{} n)",
                                                       brief(shown(*answer.decay_rate), document.digits))});
  }
  mark_untrusted(document, traffics_of(points));
  document = with_units(std::move(document), scale_of(units));
  document.picture = [points] { return picture(points); };
  return document;
}

}  // namespace tailbound::render
