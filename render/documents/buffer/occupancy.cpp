#include <fmt/format.h>
#include <tailbound/core/error.hpp>
#include <tailbound/numeric/text/plain.hpp>
#include <tailbound/render/documents/buffer/occupancy.hpp>
#include <tailbound/render/documents/parts/traffic.hpp>
#include <tailbound/render/documents/parts/units.hpp>

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

std::string caption(const OccupancyQuestion& question) {
  return in_words(question.traffic);
}

Cells input_cells(const OccupancyQuestion& question, const Units& units) {
  Cells cells = traffic_cells(question.traffic);
  if (const auto* until = std::get_if<Until>(&question.levels))
    cells.push_back({"until", Given{until->tail}});
  return joined(joined(std::move(cells), accuracy_cells(question.accuracy)), unit_cells(units));
}

/// P(Q > n), the highest first; levels with no probability left are not drawn.
Curve tail_curve(const OccupancyAnswer& answer, std::string title, CurveStyle style) {
  Curve curve{.title = std::move(title), .style = style};
  for (const OccupancyLevel& level : answer.tail) {
    const auto y = log10_height(shown(level.tail.probability));
    if (y && std::isfinite(*y)) curve.points.emplace_back(static_cast<double>(level.level.value), *y);
  }
  std::sort(curve.points.begin(), curve.points.end());
  return curve;
}

/// The asymptote through the deepest level, and the same inputs without bursts.
void add_context(Picture& picture, const OccupancyPoint& point, const Curve& tail) {
  const auto& [question, answer] = point;
  const auto first = tail.points.front(), last = tail.points.back();
  if (answer.decay_rate && last.first > first.first) {
    constexpr double log10_of_e = 0.43429448190325183;
    const auto rate = static_cast<double>(answer.decay_rate->lower());
    picture.curves.push_back(
        {.title = fmt::format("asymptote, falls as exp(-{:.4g} n)", rate),
         .style = CurveStyle::dashed,
         .points = {{first.first, last.second + rate * log10_of_e * (last.first - first.first)}, last}});
  }
  std::vector<Packets> levels;
  for (const OccupancyLevel& level : answer.tail) levels.push_back(level.level);
  std::sort(levels.begin(), levels.end());
  Curve plain_curve{.title = "the same inputs and load without bursts", .style = CurveStyle::dashed};
  for (const OccupancyLevel& level : without_bursts(question, levels)) {
    const auto y = log10_height(shown(level.tail.probability));
    if (y && std::isfinite(*y)) plain_curve.points.emplace_back(static_cast<double>(level.level.value), *y);
  }
  if (!plain_curve.points.empty()) picture.curves.push_back(std::move(plain_curve));
}

Picture picture(const std::vector<OccupancyPoint>& points) {
  Picture picture{
      .title = "Packets in the queue, " + in_words(points.front().first.traffic, traffics_of(points)),
      .x_label = "level n [packets]",
      .y_label = "P(Q > n)",
      .powers_of_ten = true};
  double last = 0;
  for (const OccupancyPoint& point : points) {
    Curve tail = tail_curve(point.second, points.size() == 1 ? "P(Q > n)" : caption(point.first),
                            points.size() == 1 ? CurveStyle::steps : CurveStyle::line);
    if (tail.points.empty()) continue;
    if (tail.points.size() == 1) tail.style = CurveStyle::points_and_line;  // a step of one level is not seen
    last = std::max(last, tail.points.back().first);
    picture.curves.push_back(tail);
    if (points.size() == 1) add_context(picture, point, tail);
  }
  if (picture.curves.empty()) throw NoAnswer("there is nothing to draw: every tail asked for is zero");
  if (const auto* until = std::get_if<Until>(&points.front().first.levels)) {
    const double level = *log10_height(Given{until->tail});
    picture.curves.push_back(
        {.title = "target " + plain(until->tail),
         .style = CurveStyle::rule,
         .points = {{picture.curves.front().points.front().first, level}, {last, level}}});
  }
  return picture;
}

}  // namespace

Layout occupancy_layout() {
  Layout layout{.command = "occupancy", .inputs = {}, .results = {}};
  layout.inputs =
      joined(traffic_columns(), {{"until", "until", "", Shape::given,
                                  "levels from 0 to the first whose tail is at most this", Style::hidden}});
  layout.inputs = joined(joined(std::move(layout.inputs), accuracy_columns()), unit_columns());
  layout.results = {
      {"mean_occupancy", "mean occupancy", "packets", Shape::claim, "E[Q]"},
      {"decay_rate", "decay rate", "", Shape::proved,
       "P(Q > n) falls by exp(-decay_rate) a packet, deep in the tail; null where no packet ever "
       "waits [1/packet]"}};
  layout.tables = {{"tail",
                    "the distribution of the queue just after the arrivals of a slot, a row a level",
                    {{"level", "n", "packets", Shape::whole, "n"},
                     {"probability", "P(Q > n)", "", Shape::claim, "P(Q > n)"},
                     {"probability_bound", "proved: at most", "", Shape::bound,
                      "proved upper bound of P(Q > n), where `probability` is an approximation"},
                     {"certainty", "kind", "", Shape::text, "the kind of truth in words"},
                     {"method", "method", "", Shape::text, "as of the command buffer", Style::hidden}}}};
  layout.quiet = {"level", "probability"};
  layout.quiet_table = "tail";
  return layout;
}

Document document(const std::vector<OccupancyPoint>& points, const Units& units) {
  const OccupancyQuestion& first = points.front().first;
  Document document{.layout = std::make_shared<const Layout>(occupancy_layout()),
                    .headline =
                        "Q: packets in the queue just after the arrivals of a slot, those about to be served "
                        "included; " +
                        in_words(first.traffic, traffics_of(points)),
                    .results = {},
                    .digits = first.accuracy.digits};
  for (const auto& [question, answer] : points) {
    Result& result = document.results.emplace_back();
    result.inputs = input_cells(question, units);
    result.cells = {{"mean_occupancy", shown(answer.mean_occupancy)},
                    {"decay_rate", shown(answer.decay_rate)}};
    const auto shared = std::make_shared<const OccupancyAnswer>(answer);
    result.tables.push_back({.key = "tail",
                             .size = answer.tail.size(),
                             .row = [shared, digits = document.digits](std::size_t i) -> Cells {
                               const OccupancyLevel& level = shared->tail[i];
                               const Value probability = shown(level.tail.probability);
                               Cells cells{{"level", shown(level.level)}, {"probability", probability}};
                               if (level.bound) cells.push_back({"probability_bound", shown(*level.bound)});
                               return joined(std::move(cells),
                                             {{"certainty", Text{certainty(probability, digits)}},
                                              {"method", Text{level.tail.computation.name()}}});
                             }});
    result.caption = caption(question);
    if (points.size() > 1) continue;
    const Value mean = shown(answer.mean_occupancy);
    result.lines = {
        {"mean occupancy", brief(mean, document.digits) + " packets, " + certainty(mean, document.digits)}};
    if (answer.decay_rate)
      result.lines.push_back({"asymptote", fmt::format("deep in the tail P(Q > n) falls as exp(-{} n)",
                                                       brief(shown(*answer.decay_rate), document.digits))});
  }
  document = with_units(std::move(document), scale_of(units));
  document.picture = [points] { return picture(points); };
  return document;
}

}  // namespace tailbound::render
