#include <fmt/format.h>
#include <tailbound/core/choice.hpp>
#include <tailbound/numeric/rational.hpp>
#include <tailbound/numeric/text/plain.hpp>
#include <tailbound/render/documents/delay/delay.hpp>
#include <tailbound/render/documents/delay/delay_words.hpp>
#include <tailbound/render/documents/delay/load_scale.hpp>
#include <tailbound/render/documents/parts/topology.hpp>
#include <tailbound/render/documents/parts/units.hpp>
#include <tailbound/render/sweep_picture.hpp>

#include <algorithm>
#include <memory>

namespace tailbound::render {
namespace {

using namespace answers;
using bounds::Criterion;
using numeric::plain;
using numeric::Rational;

const LatencyTarget* latency_of(const LoadScaleQuery& query) {
  return std::get_if<LatencyTarget>(&query.requested);
}
const BufferTarget* buffer_of(const LoadScaleQuery& query) {
  return std::get_if<BufferTarget>(&query.requested);
}

const char* kind_name(ScaleLimit::Kind kind) {
  switch (kind) {
    case ScaleLimit::Kind::link:
      return "link";
    case ScaleLimit::Kind::node:
      return "node";
    case ScaleLimit::Kind::burst:
      break;
  }
  return "burst";
}

/// "20/19 (1.052631579)" or "1.25"
std::string factor_in_words(const Rational& factor) {
  const std::string text = plain(factor);
  return text.find_first_of("/a") == std::string::npos ? text : text + " (" + brief(factor, {10}) + ")";
}

// --- fields

const Fields<LatencyTarget>& latency_fields() {
  static const Fields<LatencyTarget> fields{
      {{"percentile", "percentile", "", Shape::given,
        "--solve: p [%], the percentile of each flow's latency that must be within the time"},
       [](const LatencyTarget& of) { return Rational(of.percentile * 100); }},
      {{"within_slots", "within [slots]", "", Shape::given,
        "--solve: maximum latency of that percentile [slots]"},
       &LatencyTarget::within,
       [](const LatencyTarget& of) { return !of.time; }},
      {{"within_ns", "within [ns]", "", Shape::given, "the same in ns, per-hop latency included"},
       &LatencyTarget::within,
       [](const LatencyTarget& of) { return of.time.has_value(); }}};
  return fields;
}

const Fields<BufferTarget>& buffer_fields() {
  static const Fields<BufferTarget> fields{
      {{"capacity", "capacity", "packets", Shape::whole,
        "--solve: buffer of each queue [packets], packet in service included"},
       &BufferTarget::capacity}};
  return fields;
}

/// With the rules of the routes of a fabric.
NetworkTopology topology_of(const LoadScaleQuery& query) {
  NetworkTopology topology = query.topology;
  if (query.fabric) topology.fabric_rules = network::rules_of(*query.fabric);
  return topology;
}

const Fields<LoadScaleQuery>& load_scale_input_fields() {
  using Query = LoadScaleQuery;
  static const Fields<Query> fields{
      {topology_fields(), [](const Query& of) { return Topology(topology_of(of)); }},
      {delay_columns().flow, &Query::flow, if_present},
      {drop_target_fields(),
       [](const Query& of) {
         const BufferTarget* target = buffer_of(of);
         return target != nullptr ? &target->drop : nullptr;
       }},
      {{"solve", "solve", "", Shape::text, "the unknown: load-scale"},
       [](const Query&) { return "load-scale"; }},
      {latency_fields(), &latency_of},
      {buffer_fields(), &buffer_of},
      {delay_columns().digits, [](const Query& of) { return of.digits.count; }},
      {unit_fields(), &Query::units},
      {hop_column(),
       [](const Query& of) {
         const LatencyTarget* target = latency_of(of);
         return target != nullptr && target->time ? std::optional(target->time->hop) : std::nullopt;
       },
       if_present}};
  return fields;
}

/// For a target the flow or queue closest to it, otherwise the limiting link.
std::string limit_name(const LoadScaleAnswer& answer) {
  if (!answer.target) return answer.first_limit().name;
  return (answer.target->at_missed ? *answer.target->at_missed : answer.target->at_met).name;
}

std::optional<Value> missed_probability(const LoadScaleAnswer& answer) {
  if (!answer.target) return std::nullopt;
  return answer.target->at_missed ? shown(answer.target->at_missed->probability) : Value(None{});
}

const Fields<LoadScaleAnswer>& load_scale_result_fields() {
  using Answer = LoadScaleAnswer;
  static const auto of_links = [](const Answer& of) { return !of.target; };
  static const auto of_target = [](const Answer& of) { return of.target.has_value(); };
  static const Fields<Answer> fields{
      {{"max_load_scale", "maximum load scale", "", Shape::claim,
        "--solve: supremum of the factors; a target is met at its lower end and missed at its upper end"},
       &Answer::largest},
      {{"safe_load_scale", "safe load scale", "", Shape::given,
        "--solve: a factor at which the target is met, a short decimal", Style::hidden},
       [](const Answer& of) { return of.target->met; },
       of_target},
      {{"attained", "attained", "", Shape::flag,
        "--solve: true if the maximum is attained, false if a queue would then be unstable", Style::hidden},
       [](const Answer& of) { return of.first_limit().attained(); },
       of_links},
      {{"limit", "limit", "", Shape::text,
        "what limits the factor: link (utilization 1), node (sends a packet in every slot) or burst (bursts "
        "of a flow one slot apart)"},
       [](const Answer& of) { return kind_name(of.first_limit().kind); },
       of_links},
      {{"limit_name", "at", "", Shape::text,
        "its name: left -> right of a link; for a target the flow or the queue nearest to it"},
       &limit_name},
      {{"probability_met", "probability", "", Shape::claim,
        "--solve: P(latency > within), or the criterion of the buffers, at the safe factor; maximum over "
        "all"},
       [](const Answer& of) { return of.target->at_met.probability; },
       of_target},
      {{"probability_missed", "", "", Shape::claim,
        "the same at the upper end, above the target; null if it is met up to the limit of the links",
        Style::hidden},
       &missed_probability,
       if_present}};
  return fields;
}

const Table<ScaleLimit>& limit_table() {
  static const Table<ScaleLimit> table{
      "limits",
      "--solve: what limits the factor, the tightest first",
      {{{"limit", "limit", "", Shape::text, "link, node or burst"},
        [](const ScaleLimit& of) { return kind_name(of.kind); }},
       {{"name", "of", "", Shape::text, "link, node or flow"}, &ScaleLimit::name},
       {{"load", "load", "packets/slot", Shape::given, "its load at factor 1"}, &ScaleLimit::load},
       {{"takes", "capacity", "packets/slot", Shape::given, "capacity of it"}, &ScaleLimit::takes},
       {{"load_scale", "load scale", "", Shape::proved, "capacity / load"}, &ScaleLimit::factor}}};
  return table;
}

/// Limits of one kind with the same load and capacity.
struct LimitGroup {
  const ScaleLimit* first = nullptr;
  std::uint64_t count = 0;
};

std::vector<LimitGroup> groups_of(const std::vector<ScaleLimit>& limits) {
  std::vector<LimitGroup> groups;
  for (const ScaleLimit& limit : limits) {
    // Limits are sorted by their factor, so equal ones are among the last groups.
    auto its = groups.rbegin();
    const auto same = [&](const LimitGroup& group) {
      return group.first->kind == limit.kind && group.first->load == limit.load &&
             group.first->takes == limit.takes;
    };
    while (its != groups.rend() && its->first->factor == limit.factor && !same(*its)) ++its;
    if (its != groups.rend() && same(*its))
      its->count += limit.alike;
    else
      groups.push_back({&limit, limit.alike});
  }
  return groups;
}

const Table<LimitGroup>& limit_group_table() {
  static const Table<LimitGroup> table{
      "limit_groups",
      "--solve: the rows of `limits` that differ only in their names, as one row",
      {{{"limit", "limit", "", Shape::text, "link, node or burst"},
        [](const LimitGroup& of) { return kind_name(of.first->kind); }},
       {{"name", "of", "", Shape::text, "the first link, node or flow"},
        [](const LimitGroup& of) { return of.first->name; }},
       {{"identical", "count", "", Shape::whole, "number of them with the same load and capacity"},
        &LimitGroup::count},
       {{"load", "load", "packets/slot", Shape::given, "load of one at factor 1"},
        [](const LimitGroup& of) { return of.first->load; }},
       {{"takes", "capacity", "packets/slot", Shape::given, "capacity of one"},
        [](const LimitGroup& of) { return of.first->takes; }},
       {{"load_scale", "load scale", "", Shape::proved, "capacity / load"},
        [](const LimitGroup& of) { return of.first->factor; }}}};
  return table;
}

// --- text

/// "P(T > 30)", "P(Q > 64)" or "loss(64)"
std::string symbol(const LoadScaleQuery& query) {
  if (const LatencyTarget* target = latency_of(query))
    return fmt::format("P(latency > {}{})", plain(target->within), target->time ? " ns" : "");
  const BufferTarget& target = *buffer_of(query);
  return fmt::format("{}{})", target.drop.criterion == Criterion::overflow ? "P(Q > " : "loss(",
                     target.capacity.value);
}

/// The target at the factor: "99.99 % of each flow's packets within 30 slots".
std::string target_in_words(const LoadScaleQuery& query) {
  if (const LatencyTarget* target = latency_of(query))
    return fmt::format("{} % of the packets of {} within {} {}", plain(target->percentile * 100),
                       query.flow ? *query.flow : "each flow", plain(target->within),
                       target->time ? "ns" : "slots");
  const BufferTarget& target = *buffer_of(query);
  return fmt::format("{} <= {} at each queue{}", symbol(query), plain(target.drop.probability),
                     query.flow ? " of " + *query.flow : "");
}

Headline sentence(const LoadScalePoint& point) {
  const auto& [query, answer] = point;
  const ScaleLimit& limit = answer.first_limit();
  if (answer.target)
    return {"maximum load scale",
            plain(answer.target->met),
            ": " + target_in_words(query),
            {shown(answer.largest())}};
  return Headline::without_numbers(fmt::format("Load scale {} {} is stable; there {}.",
                                               limit.attained() ? "up to" : "below",
                                               factor_in_words(limit.factor), limit.in_words()));
}

std::string title(const std::vector<LoadScalePoint>& points) {
  std::vector<Topology> networks;
  for (const LoadScalePoint& point : points) networks.emplace_back(point.first.topology);
  std::vector<const Topology*> all;
  for (const Topology& network : networks) all.push_back(&network);
  return capitalized(in_words(networks.front(), all)) + "; all rates scaled by one factor";
}

std::vector<Line> lines(const LoadScalePoint& point) {
  const auto& query = point.first;
  const auto& answer = point.second;
  const ScaleLimit& limit = answer.first_limit();
  const std::string stable =
      fmt::format("all rates times {} {}, exact: there {}", limit.attained() ? "up to" : "less than",
                  factor_in_words(limit.factor), limit.in_words());
  if (!answer.target) return {{"answer", "exact: independent of the queueing model"}};
  const LoadScaleOfTarget& target = *answer.target;
  const auto at = [&](const NearestToTarget& nearest) {
    return fmt::format("{} = {} of {}", symbol(query), brief(shown(nearest.probability), query.digits),
                       nearest.name);
  };
  std::string proof = fmt::format("met at {}, where {}", plain(target.met), at(target.at_met));
  if (target.missed)
    proof += fmt::format("\nmissed at {}, where {}", plain(*target.missed), at(*target.at_missed));
  else
    proof += "\nand up to the limit of the links";
  const Value largest = shown(answer.largest());
  return {{std::holds_alternative<Approximation>(largest) ? "computed" : "proof", proof},
          {"answer", certainty(largest, query.digits)},
          {"stable", stable}};
}

std::vector<std::string> notes(const std::vector<LoadScalePoint>& points) {
  const auto& [query, answer] = points.front();
  std::vector<std::string> notes;
  for (const LoadScalePoint& point : points) add_remarks(notes, Topology(topology_of(point.first)));
  if (buffer_of(query) != nullptr &&
      std::any_of(points.begin(), points.end(), [](const LoadScalePoint& point) {
        return std::holds_alternative<Approximation>(shown(point.second.largest()));
      }))
    notes.push_back(fmt::format("Buffers of queues behind other queues: {}.", assumed_arrivals));
  if (points.size() > 1)
    notes.emplace_back(answer.target
                           ? "Each factor meets the target at its lower end and misses it at its upper end."
                           : "Each factor is exact: below it every queue is stable.");
  if (latency_of(query) != nullptr) {
    notes.emplace_back("T: latency, queueing delay and " + latency_slots_in_words(topology_of(query)) +
                       std::string(query.units.slot_ns() ? ", per-hop latency included." : "."));
    const bool assumed = std::any_of(points.begin(), points.end(), [](const LoadScalePoint& point) {
      return point.second.omissions.correlated_waits || point.second.omissions.spread_bursts;
    });
    if (assumed)
      notes.emplace_back(
          "Hops are added as if independent, which is not compared with a simulation here: tailbound delay "
          "at that load does.");
  }
  return notes;
}

}  // namespace

std::vector<Column> load_scale_inputs() {
  return load_scale_input_fields().columns();
}

std::vector<Column> load_scale_results() {
  return load_scale_result_fields().columns();
}

std::vector<TableLayout> load_scale_tables() {
  return {limit_table().layout(), limit_group_table().layout()};
}

Cells inputs_of(const LoadScaleQuery& query) {
  return load_scale_input_fields().cells(query);
}

Document document(std::vector<LoadScalePoint> given) {
  const auto points = share(std::move(given));
  const bool one = points->size() == 1;
  Layout layout = delay_layout();
  layout.quiet = {points->front().second.target ? "safe_load_scale" : "max_load_scale"};
  layout.quiet_table.clear();
  Document document{.layout = std::make_shared<const Layout>(std::move(layout)),
                    .headline = one ? sentence(points->front()) : Headline(),
                    .settings = title(*points) + ".",
                    .results = {},
                    .notes = notes(*points),
                    .digits = points->front().first.digits};
  for (std::size_t i = 0; i < points->size(); ++i) {
    const auto& [query, answer] = (*points)[i];
    Result& result = document.results.emplace_back();
    result.inputs = inputs_of(query);
    result.cells = load_scale_result_fields().cells(answer);
    result.tables = {limit_table().rows(
        answer.limits.size(),
        [points, i](std::size_t j) -> const ScaleLimit& { return (*points)[i].second.limits[j]; })};
    result.tables.back().in_text = false;
    const auto groups = share(groups_of(answer.limits));
    // The limits themselves belong to `points`.
    result.tables.push_back(limit_group_table().rows(
        groups->size(), [points, groups](std::size_t j) -> const LimitGroup& { return (*groups)[j]; }));
    result.tables.back().in_text = one;
    if (one) result.lines = lines((*points)[i]);
  }
  std::vector<Value> proof;
  for (const LoadScalePoint& point : *points) proof.push_back(shown(point.second.largest()));
  if (!one) document.headline = range_headline(document, "Maximum load scale", "", proof);
  document = with_units(std::move(document), scale_of(points->front().first.units));
  document.picture = [document, points] {
    return sweep_picture(document,
                         {.axes = {"within_slots", "within_ns", "percentile", "drop", "capacity", "uniform"},
                          .height = "max_load_scale"},
                         {.title = title(*points), .x_label = {}, .y_label = "maximum load scale"});
  };
  return document;
}

}  // namespace tailbound::render
