#include <fmt/format.h>
#include <tailbound/numeric/text/plain.hpp>
#include <tailbound/render/documents/buffer/buffer_columns.hpp>
#include <tailbound/render/documents/guarantee/crossbar_guarantee.hpp>
#include <tailbound/render/documents/parts/units.hpp>
#include <tailbound/render/fields.hpp>
#include <tailbound/render/sweep_picture.hpp>
#include <tailbound/render/units.hpp>

#include <algorithm>
#include <memory>
#include <string>

namespace tailbound::render {
namespace {

using namespace answers;
using numeric::plain;
using traffic::TokenBucket;

constexpr const char* crossbar_basis =
    "Proved for all arrivals within the token buckets, dependent or not, and any order among cells of one "
    "slot. No certificate file is written for it. Attained where all cells of a column come at once; often "
    "larger than what happens.";

/// "0.5 cells per slot and 4 tokens"
std::string crossbar_bucket(const TokenBucket& bucket) {
  return fmt::format("{} cells per slot and {} tokens", plain(bucket.rate), plain(bucket.burst));
}

bool has_output_queues(const CrossbarGuaranteePoint& point) {
  return point.first.crossbar.speedup > 1;
}

const Fields<CrossbarGuaranteeQuery>& guaranteed_crossbar_inputs() {
  using Query = CrossbarGuaranteeQuery;
  static const Fields<Query> fields{
      {{"crossbar", "ports", "", Shape::whole, "--crossbar: inputs, and outputs"},
       [](const Query& of) { return of.crossbar.ports; }},
      {{"speedup", "speedup", "", Shape::whole, "--crossbar: phases per slot"},
       [](const Query& of) { return of.crossbar.speedup; }},
      {{"row_rate", "row rate", "cells/slot", Shape::given, "--crossbar: tokens per slot of an input"},
       [](const Query& of) { return of.crossbar.row.rate; }},
      {{"row_tokens", "row tokens", "", Shape::given, "--crossbar: depth of the bucket of an input"},
       [](const Query& of) { return of.crossbar.row.burst; }},
      {{"column_rate", "column rate", "cells/slot", Shape::given,
        "--crossbar: tokens per slot of the cells for an output"},
       [](const Query& of) { return of.crossbar.column.rate; }},
      {{"column_tokens", "column tokens", "", Shape::given, "--crossbar: depth of the bucket of an output"},
       [](const Query& of) { return of.crossbar.column.burst; }}};
  return fields;
}

const Fields<CrossbarGuaranteePoint>& guaranteed_crossbar_results() {
  using Point = CrossbarGuaranteePoint;
  static const Fields<Point> fields{
      {{"max_input_slots", "input delay", "slots", Shape::whole,
        "--crossbar: a cell leaves its input within these slots, that of its arrival included"},
       [](const Point& of) { return of.second.guarantee.input_slots; }},
      {{"input_buffer", "input buffer", "cells", Shape::whole, "--crossbar: never exceeded, per input"},
       [](const Point& of) { return of.second.guarantee.input_cells; }},
      {{"output_buffer", "output buffer", "cells", Shape::whole,
        "--crossbar: never exceeded, per output, the cell in transmission included; null without speedup"},
       [](const Point& of) {
         return has_output_queues(of) ? std::optional(of.second.guarantee.output_cells) : std::nullopt;
       }},
      {{"max_switch_slots", "switch delay", "slots", Shape::whole,
        "--crossbar: a cell is transmitted within these slots, that of its arrival included"},
       [](const Point& of) { return of.second.guarantee.switch_slots(); }}};
  return fields;
}

std::vector<Line> lines(const CrossbarGuaranteePoint& point, const UnitScale& scale) {
  const bounds::CrossbarGuarantee& found = point.second.guarantee;
  const auto within = [&](std::int64_t slots) {
    const std::string ns = ns_in_words(Whole{slots}, scale);
    return counted(slots, "slot") + (ns.empty() ? "" : ", " + ns) + ", the slot of its arrival included";
  };
  std::vector<Line> lines{
      {"input delay", within(found.input_slots)},
      {"input buffer", counted(found.input_cells, "cell") + " per input, never exceeded"}};
  if (has_output_queues(point))
    lines.push_back({"output buffer", counted(found.output_cells, "cell") + " per output, never exceeded"});
  lines.push_back({"switch delay", within(found.switch_slots())});
  return lines;
}

std::string crossbar_title(const std::vector<CrossbarGuaranteePoint>& points) {
  const bounds::PolicedCrossbar& first = points.front().first.crossbar;
  std::string title = "Crossbar, oldest cell first";
  if (points.size() == 1)
    title = fmt::format("{} x {} crossbar, oldest cell first, speedup {}", first.ports, first.ports,
                        first.speedup);
  return fmt::format("{}; inputs policed to {}, outputs to {}.", title, crossbar_bucket(first.row),
                     crossbar_bucket(first.column));
}

}  // namespace

Layout with_crossbar_guarantee(Layout guarantee) {
  add_missing(guarantee.inputs, guaranteed_crossbar_inputs().columns());
  add_missing(guarantee.results, guaranteed_crossbar_results().columns());
  return guarantee;
}

Cells inputs_of(const CrossbarGuaranteeQuery& query) {
  return guaranteed_crossbar_inputs().cells(query);
}

Document document(const std::vector<CrossbarGuaranteePoint>& points, const Units& units) {
  const bool single = points.size() == 1;
  Document document{
      .layout = std::make_shared<const Layout>(Layout{.command = "guarantee",
                                                      .inputs = guaranteed_crossbar_inputs().columns(),
                                                      .results = guaranteed_crossbar_results().columns(),
                                                      .tables = {},
                                                      .quiet = {"max_switch_slots"}}),
      .headline = {},
      .settings = crossbar_title(points),
      .results = {},
      .notes = {crossbar_basis}};
  for (const CrossbarGuaranteePoint& point : points) {
    Result& result = document.results.emplace_back();
    result.inputs = inputs_of(point.first);
    result.cells = guaranteed_crossbar_results().cells(point);
    if (single) result.lines = lines(point, scale_of(units));
  }
  document.headline = {"worst-case delay of the switch",
                       range_in_words(document, "max_switch_slots") + " slots", "",
                       values_of(document, "max_switch_slots")};
  document = with_units(std::move(document), scale_of(units));
  document.picture = [document, title = document.settings] {
    return sweep_picture(document, {.axes = {"crossbar", "speedup"}, .height = "max_switch_slots"},
                         {.title = title, .x_label = {}, .y_label = "worst-case delay [slots]"});
  };
  return document;
}

}  // namespace tailbound::render
