#include <fmt/format.h>
#include <tailbound/core/choice.hpp>
#include <tailbound/core/error.hpp>
#include <tailbound/numeric/real.hpp>
#include <tailbound/numeric/text/plain.hpp>
#include <tailbound/render/documents/multistage/combining.hpp>

#include <algorithm>
#include <cmath>
#include <optional>
#include <string_view>

namespace tailbound::render {
namespace {

using answers::SimulateMultistageQuery;
using network::CombiningMultistage;
using numeric::plain;

std::string combining_name(const CombiningMultistage& network) {
  return network.combining ? std::to_string(*network.combining) : "unlimited";
}

std::string combining_in_words(const CombiningMultistage& network) {
  if (!network.combining) return "unlimited combining";
  return *network.combining == 1 ? "no combining" : fmt::format("combining up to {}", *network.combining);
}

const char* links_in_words(const CombiningMultistage& network) {
  return network.links == network::Links::one ? "links pass one request at a time"
                                              : "links pass any number at a time";
}

/// The description of a point, part by part.
std::vector<std::string> parts_of(const CombiningPoint& point) {
  const CombiningMultistage& network = point.network;
  return {fmt::format("{} nodes", network.network.nodes),
          fmt::format("{0} x {0} switches", network.network.switch_size),
          fmt::format("buffer {}", network.buffer),
          "hot " + plain(network.hot),
          combining_in_words(network),
          links_in_words(network),
          point.service == 1 ? "" : "service " + plain(point.service),
          "load " + plain(point.load)};
}

std::string with_commas(std::vector<std::string> parts) {
  parts.erase(std::remove(parts.begin(), parts.end(), std::string()), parts.end());
  return fmt::format("{}", fmt::join(parts, ", "));
}

std::string named(const Column& column, const Value& value) {
  if (column.key == "wiring") return brief(value) + " wiring";
  if (column.key == "combining" && brief(value) == "unlimited") return "unlimited combining";
  return column.heading + " " + brief(value);
}

std::string differences(const Document& document, const Result& result, std::string_view omitted = {}) {
  std::vector<std::string> parts;
  for (const Column* column : varying_inputs(document))
    if (column->key != omitted) parts.push_back(named(*column, value_of(result.inputs, column->key)));
  return with_commas(std::move(parts));
}

/// The input along which points of a curve are ordered.
const Column& axis_of(const Document& document) {
  const std::vector<const Column*> varying = varying_inputs(document);
  for (const char* key : {"load", "hot", "buffer", "nodes", "switch", "service"})
    for (const Column* column : varying)
      if (column->key == key) return *column;
  const auto& inputs = document.layout->inputs;
  return *std::find_if(inputs.begin(), inputs.end(),
                       [](const Column& column) { return column.key == "load"; });
}

void add_point(Curve& curve, double x, const Value& value) {
  const std::optional<double> y = height(value);
  if (!y || !std::isfinite(*y) || !std::isfinite(x)) return;
  curve.points.emplace_back(x, *y);
  if (const auto* estimate = std::get_if<Estimate>(&value))
    curve.ends.emplace_back(estimate->lower, estimate->open() ? *y : estimate->upper);
}

std::vector<std::size_t> in_order_of(const Document& document, const std::string& axis) {
  std::vector<std::size_t> order(document.results.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  const auto at = [&](std::size_t i) {
    return height(value_of(document.results[i].inputs, axis)).value_or(0);
  };
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return at(a) < at(b); });
  return order;
}

/// The names that distinguish the curves of each network, in the order of the results.
std::vector<std::string> groups_of(const Document& document, const std::string& axis) {
  std::vector<std::string> groups;
  for (const Result& result : document.results)
    if (std::string group = differences(document, result, axis);
        std::find(groups.begin(), groups.end(), group) == groups.end())
      groups.push_back(std::move(group));
  return groups;
}

}  // namespace

const Fields<CombiningPoint>& combining_fields() {
  using Point = CombiningPoint;
  static const Fields<Point> fields{
      {{"nodes", "nodes", "", Shape::whole,
        "processors, and memories: a power of the switch size, at most 2^20"},
       [](const Point& of) { return of.network.network.nodes; }},
      {{"switch", "switch", "", Shape::whole, "ports of a switch, 2 to 512"},
       [](const Point& of) { return of.network.network.switch_size; }},
      {{"buffer", "buffer", "", Shape::whole,
        "requests that can wait at an input port, excluding the one in service, 1 to 10000"},
       [](const Point& of) { return of.network.buffer; }},
      {{"hot", "hot", "", Shape::given, "fraction of the requests that go to one memory, 0 to 1"},
       [](const Point& of) { return of.network.hot; }},
      {{"combining", "combining", "", Shape::text,
        "maximum number of requests combined into one, 1 (no combining) to 1000000, or unlimited"},
       [](const Point& of) { return combining_name(of.network); }},
      {{"links", "links", "", Shape::text,
        "requests that an output link (also to a memory) passes at a time: one or any number"},
       [](const Point& of) { return of.network.links; }},
      {{"service", "service", "", Shape::given, "service time: the unit of delays, above 0"},
       &Point::service},
      {{"load", "load", "", Shape::given, "requests per processor and service time, above 0 and at most 1"},
       &Point::load}};
  return fields;
}

const Fields<SimulateMultistageQuery>& simulated_combining_fields() {
  using Query = SimulateMultistageQuery;
  static const Fields<Query> fields{
      {combining_fields(),
       [](const Query& of) {
         return CombiningPoint{of.network, of.load, of.service};
       }},
      {{"wiring", "wiring", "", Shape::text, "wiring of the stages: baseline or omega"}, &Query::wiring}};
  return fields;
}

std::string in_words(const std::vector<CombiningPoint>& points) {
  std::vector<std::vector<std::string>> all;
  for (const CombiningPoint& point : points) all.push_back(parts_of(point));
  const std::string shared = shared_in_words(all);
  return shared.empty() ? "combining multistage networks" : shared;
}

std::string wiring_in_words(const std::vector<SimulateMultistageQuery>& queries) {
  std::vector<std::vector<std::string>> all;
  for (const SimulateMultistageQuery& query : queries)
    all.push_back({fmt::format("{} wiring", name_of(query.wiring))});
  return shared_in_words(all);
}

std::pair<Value, Value> modelled_flow(const CombiningPoint& point) {
  try {
    const answers::MultistageAnswer found = answers::answer(
        answers::MultistageQuery{.network = point.network, .load = point.load, .service = point.service});
    return {shown(found.throughput), shown(found.delay)};
  } catch (const NoAnswer&) {
    return {};  // next to saturation
  }
}

bool one_network(const Document& document) {
  const std::vector<const Column*> varying = varying_inputs(document);
  return varying.empty() || (varying.size() == 1 && varying.front()->key == "load");
}

std::string point_in_words(const Document& document, const Result& result) {
  return differences(document, result);
}

std::string network_in_words(const Document& document, const Result& result) {
  return differences(document, result, "load");
}

std::string hot_path_caption(const Document& document, const Result& result) {
  const std::string where = point_in_words(document, result);
  return "Queues on the path of hot requests" + (where.empty() ? "" : ", " + where) + ":";
}

Picture flow_picture(const Document& document, const std::string& title, MultistageCurve curve,
                     const std::vector<DrawnFlow>& flows, const std::string& note) {
  const Column& axis = axis_of(document);
  const bool of_delay = curve == MultistageCurve::delay, over_load = axis.key == "load";
  const bool plain_times =
      std::all_of(document.results.begin(), document.results.end(),
                  [](const auto& result) { return height(value_of(result.inputs, "service")) == 1.0; });
  Picture picture{.title = (of_delay ? "Mean delay, " : "Throughput, ") + title,
                  .x_label = {},
                  .y_label = {},
                  .note = note};
  picture.x_label = over_load && of_delay ? "throughput [requests per processor and service time]"
                    : over_load           ? "load [requests per processor and service time]"
                                          : axis.heading;
  picture.y_label = !of_delay     ? "throughput [requests per processor and service time]"
                    : plain_times ? "mean delay [service times]"
                                  : "mean delay [in the unit of --service]";
  const std::vector<std::size_t> order = in_order_of(document, axis.key);
  const std::vector<std::string> groups = groups_of(document, axis.key);
  int colour = 0;
  for (const std::string& group : groups) {
    for (const DrawnFlow& flow : flows) {
      std::vector<std::string> names{flow.name, group};
      if (flows.size() == 1 && !group.empty()) names.erase(names.begin());
      Curve drawn{.title = with_commas(std::move(names)), .style = flow.style};
      if (flows.size() > 1 && groups.size() > 1) drawn.colour = colour;
      std::vector<double> loads;
      std::size_t any = 0;
      for (const std::size_t i : order) {
        if (differences(document, document.results[i], axis.key) != group) continue;
        const std::optional<double> x = height(
            over_load && of_delay ? flow.throughput[i] : value_of(document.results[i].inputs, axis.key));
        if (x) add_point(drawn, *x, of_delay ? flow.delay[i] : flow.throughput[i]);
        loads.push_back(height(value_of(document.results[i].inputs, "load")).value_or(0));
        any = i;
      }
      if (over_load && flow.at_load)
        drawn.course =
            Course{[at = flow.at_load, any, of_delay](double load) -> std::optional<Course::Place> {
                     const auto [throughput, delay] = at(any, numeric::to_rational(std::min(load, 1.0)));
                     const auto carried = height(throughput), its = height(delay);
                     if (!carried || !its) return std::nullopt;
                     return of_delay ? Course::Place{*carried, *its} : Course::Place{load, *carried};
                   },
                   std::move(loads)};
      if (!drawn.points.empty()) picture.curves.push_back(std::move(drawn));
    }
    ++colour;
  }
  if (picture.curves.empty()) throw NoAnswer("nothing to draw: no point has a number to show");
  if (picture.curves.size() > max_distinct_curves) {
    const std::size_t kept = max_distinct_curves / flows.size() * flows.size();
    picture.note += fmt::format(". The first {} of {} curves.", kept, picture.curves.size());
    picture.curves.resize(kept);
  }
  return picture;
}

}  // namespace tailbound::render
