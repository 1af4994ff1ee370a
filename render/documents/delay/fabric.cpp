#include <fmt/format.h>
#include <tailbound/core/choice.hpp>
#include <tailbound/numeric/rational.hpp>
#include <tailbound/numeric/text/plain.hpp>
#include <tailbound/render/documents/delay/cross_check.hpp>
#include <tailbound/render/documents/delay/delay_words.hpp>
#include <tailbound/render/documents/delay/fabric.hpp>
#include <tailbound/render/documents/parts/topology.hpp>
#include <tailbound/render/documents/parts/units.hpp>
#include <tailbound/render/sweep_picture.hpp>

#include <algorithm>
#include <cmath>
#include <memory>
#include <string>

namespace tailbound::render {
namespace {

using namespace answers;
using bounds::FabricPairs;
using bounds::FabricPercentile;
using numeric::plain;
using numeric::Rational;

/// Maximum rows of text tables; data formats have all rows.
constexpr std::size_t max_rows_shown = 16;

std::string fabric_in_words(const FabricTopology& topology) {
  std::string words = topology.name() + failures_in_words(topology.without);
  if (topology.uniform)
    words += fmt::format(", uniform traffic of {} packets per slot", plain(*topology.uniform));
  if (topology.load_scale) words += fmt::format(", rates times {}", plain(*topology.load_scale));
  return words;
}

/// A number whose arithmetic is proved, but not its model: arrivals of a switch and waits are taken as
/// independent. It has the digits that both ends of its enclosure share, up to a maximum. 0 and 1 stay exact.
template <class Unit>
Value computed(const numeric::Proved<Unit>& proved, int max_digits = 10) {
  constexpr numeric::Proof independent{numeric::Theorem::convolution, numeric::Assumption::independent_hops};
  return std::visit(
      [&](const auto& truth) {
        if constexpr (requires { truth.value; })
          return shown_by_proof(Exact{truth.proof() & independent, truth.value}, max_digits);
        else
          return shown_by_proof(Enclosure{truth.proof() & independent, truth.lower(), truth.upper()},
                                max_digits);
      },
      proved);
}
template <class Unit>
Value computed_if_any(const std::optional<numeric::Enclosure<Unit>>& enclosure) {
  return enclosure ? computed<Unit>(*enclosure) : Value(None{});
}

// --- fields

const std::vector<FabricPercentile>& percentiles_of(const FabricAnswer& answer) {
  return answer.pairs ? answer.pairs->all.percentiles : answer.pair->percentiles;
}

std::optional<Packets> max_buffer(const FabricAnswer& answer) {
  std::optional<Packets> highest;
  for (const FabricQueueClass& queue : answer.queues)
    if (queue.buffer) highest = std::max(highest.value_or(Packets(0)), queue.buffer->buffer);
  return highest;
}

/// For switches with shared memory; none if there is no such switch.
std::optional<Packets> max_memory(const FabricAnswer& answer) {
  std::optional<Packets> highest;
  for (const FabricSwitchClass& its : answer.by_switch)
    if (its.memory) highest = std::max(highest.value_or(Packets(0)), its.memory->memory);
  return highest;
}

const Fields<FabricQuery>& fabric_input_fields() {
  using Query = FabricQuery;
  static const Fields<Query> fields{{network_fields<FabricTopology>(&FabricTopology::name), &Query::topology},
                                    {delay_columns().flow, &Query::flow, if_present},
                                    {drop_target_fields(), &Query::drop},
                                    {delay_columns().digits, [](const Query& of) { return of.digits.count; }},
                                    {unit_fields(), &Query::units},
                                    {hop_column(), &Query::hop_ns, if_present}};
  return fields;
}

Column claim(const char* key, const char* heading, const char* meaning, Style style = Style::plain,
             int digits = 0) {
  return {key, heading, "", Shape::claim, meaning, style, digits};
}

Column ns_column(const char* key, const char* heading, Style style = Style::plain) {
  return {key, heading, "ns", Shape::given, "the same in ns, per-hop latency included", style};
}
/// A time in ticks, in slots.
Value in_slots(const FabricAnswer& answer, Slots ticks) {
  return time_in_slots(ticks, answer.ticks_per_slot);
}
Column slots_column(const char* key, const char* heading, const char* unit, const char* meaning) {
  return {key, heading, unit, Shape::slots, meaning, Style::plain, slots_digits};
}
/// A time in ns.  \pre the duration of a slot is known
Rational in_ns(const FabricAnswer& answer, const Rational& slots) {
  return slots * *answer.slot_ns;
}
bool fabric_knows_ns(const FabricAnswer& answer) {
  return answer.slot_ns.has_value();
}
bool fabric_has_pairs(const FabricAnswer& answer) {
  return answer.pairs.has_value();
}
bool knows_ns_of_pairs(const FabricAnswer& answer) {
  return answer.slot_ns && answer.pairs;
}
Value fabric_mean_latency_ns(const FabricAnswer& answer, int max_digits) {
  const auto& mean = answer.pairs ? answer.pairs->all.mean_time : answer.pair->mean_time;
  return scaled(computed<unit::Slot>(mean, max_digits), *answer.slot_ns);
}

const Fields<FabricAnswer>& fabric_result_fields() {
  using Answer = FabricAnswer;
  static const Fields<Answer> fields{
      {delay_columns().queues, [](const Answer& of) { return of.pair->hops; },
       [](const Answer& of) { return !of.pairs; }},
      {delay_columns().mean_latency_slots,
       [](const Answer& of) {
         return computed<unit::Slot>(of.pairs ? of.pairs->all.mean_latency : of.pair->mean_latency);
       }},
      {{"mean_latency_ns", "mean latency", "ns", Shape::claim, "the same in ns, per-hop latency included",
        Style::hidden},
       [](const Answer& of) { return fabric_mean_latency_ns(of, 10); },
       &fabric_knows_ns},
      {{"hosts", "hosts", "", Shape::whole, "hosts of a network evaluated as a whole"}, &Answer::hosts},
      {{"switches", "switches", "", Shape::whole, "switches"}, &Answer::switches},
      {{"links", "links", "", Shape::whole, "links, one per direction"}, &Answer::links},
      {{"queue_class_count", "groups of queues", "", Shape::whole, "groups of queues with the same traffic"},
       [](const Answer& of) { return of.queues.size(); }},
      {{"max_load", "maximum load", "packets/slot", Shape::proved,
        "of the queue with the highest utilization, exact", Style::plain, 6},
       [](const Answer& of) { return of.queues.empty() ? Rational(0) : of.queues.front().load; }},
      {{"pair_count", "pairs", "", Shape::whole,
        "pairs of hosts of which one sends to the other, once for each routing"},
       [](const Answer& of) { return of.pairs->all.pairs; },
       &fabric_has_pairs},
      {slots_column("latency_slots", "latency", "slots", "last percentile of the latency of all packets"),
       [](const Answer& of) { return in_slots(of, percentiles_of(of).back().slots); }},
      {ns_column("latency_ns", "latency"),
       [](const Answer& of) { return in_ns(of, percentiles_of(of).back().time); }, &fabric_knows_ns},
      {{"mean_percentile_slots", "mean of pairs", "slots", Shape::proved,
        "mean of the last percentile over all pairs", Style::plain, 5},
       [](const Answer& of) { return of.pairs->all.percentiles.back().mean; },
       &fabric_has_pairs},
      {slots_column("worst_slots", "worst pair", "slots", "last percentile of the worst pair"),
       [](const Answer& of) { return in_slots(of, of.pairs->all.percentiles.back().worst); },
       &fabric_has_pairs},
      {{"undecided", "", "", Shape::whole,
        "percentiles of pairs within rounding of a slot boundary; the larger slot is given", Style::hidden},
       [](const Answer& of) { return of.pairs->undecided; },
       &fabric_has_pairs},
      {ns_column("mean_percentile_ns", "mean of pairs"),
       [](const Answer& of) { return in_ns(of, of.pairs->all.percentiles.back().mean_time); },
       &knows_ns_of_pairs},
      {ns_column("worst_ns", "worst pair"),
       [](const Answer& of) { return in_ns(of, of.pairs->all.percentiles.back().worst_time); },
       &knows_ns_of_pairs},
      {{"max_buffer", "largest buffer", "packets", Shape::whole, "of all queues, for the target"},
       &max_buffer,
       if_present},
      {{"max_memory", "largest memory", "packets", Shape::whole,
        "of all switches with shared memory, for the target"},
       &max_memory,
       if_present}};
  return fields;
}

/// A percentile, and its answer.
struct PercentileRow {
  const FabricAnswer& answer;
  const FabricPercentile& its;
};

/// \param latency, at, before  values for the selected packets
Fields<PercentileRow> fabric_percentiles(const Column& latency, const Column& at, const Column& before) {
  using Row = PercentileRow;
  return {{delay_columns().percentile, [](const Row& of) { return Rational(of.its.probability * 100); }},
          {delay_columns().exceeded_by, [](const Row& of) { return Rational(1 - of.its.probability); }},
          {latency, [](const Row& of) { return in_slots(of.answer, of.its.slots); }},
          {ns_column("latency_ns", "latency"), [](const Row& of) { return in_ns(of.answer, of.its.time); },
           [](const Row& of) { return fabric_knows_ns(of.answer); }},
          {at, [](const Row& of) { return computed<unit::Probability>(of.its.at); }},
          {before, [](const Row& of) {
             return of.answer.ticks_per_slot == 1 ? computed_if_any(of.its.before) : Value(None{});
           }}};
}

const Table<PercentileRow>& fabric_percentile_table() {
  static const Table<PercentileRow> table{
      "percentiles", "of the latency",
      fabric_percentiles(delay_columns().latency_slots, delay_columns().latency_probability,
                         delay_columns().latency_probability_before)};
  return table;
}

/// A percentile of all pairs, or of those with a given number of queues on their path.
struct PairRow {
  const network::Network& network;
  const FabricAnswer& answer;
  const FabricPairs& pairs;
  const FabricPercentile& percentile;
  bool all = false;
};

PairRow pair_row(const FabricPoint& point, std::size_t row) {
  const auto& [query, answer] = point;
  const bounds::FabricDelayAnswer& found = *answer.pairs;
  const std::size_t each = found.all.percentiles.size();
  const bool all = row < each;
  const FabricPairs& pairs = all ? found.all : found.by_hops[row / each - 1];
  return {query.topology.fabric->network, answer, pairs, pairs.percentiles[row % each], all};
}

std::string worst_pair(const PairRow& row) {
  return row.network.nodes[row.percentile.from].name + " -> " + row.network.nodes[row.percentile.to].name;
}

const Table<PairRow>& pair_table() {
  static const Table<PairRow> table{
      "pairs",
      "of a network evaluated as a whole, one row for each percentile and number of queues",
      {{{"pair_queues", "queues", "", Shape::text,
         "on the paths of these pairs, for Valiant routes the minimum; all: all paths"},
        [](const PairRow& of) { return of.all ? "all" : std::to_string(of.pairs.hops); }},
       {{"pairs", "pairs", "", Shape::whole, "pairs that send"},
        [](const PairRow& of) { return of.pairs.pairs; }},
       {{"share", "packets", "", Shape::claim, "their fraction of all packets", Style::percent, 4},
        [](const PairRow& of) { return of.pairs.share; }},
       {fabric_percentiles(
            slots_column("latency_slots", "latency", "slots",
                         "smallest t with P(T <= t) >= p, all their packets together"),
            claim("latency_probability", "P(T > t)", "P(T > latency_slots), at most 1 - p", Style::plain, 4),
            claim("latency_probability_before", "",
                  "P(T > latency_slots - 1), above 1 - p; null at the minimum latency", Style::hidden)),
        [](const PairRow& of) {
          return PercentileRow{of.answer, of.percentile};
        }},
       {slots_column("best_slots", "best", "", "minimum of the percentiles of the pairs [slots]"),
        [](const PairRow& of) { return in_slots(of.answer, of.percentile.best); }},
       {{"mean_percentile_slots", "mean", "", Shape::proved,
         "mean of the percentiles of the pairs, exact [slots]", Style::plain, 5},
        [](const PairRow& of) { return of.percentile.mean; }},
       {slots_column("worst_slots", "worst", "", "maximum of the percentiles of the pairs [slots]"),
        [](const PairRow& of) { return in_slots(of.answer, of.percentile.worst); }},
       {ns_column("worst_ns", "worst", Style::hidden),
        [](const PairRow& of) { return in_ns(of.answer, of.percentile.worst_time); },
        [](const PairRow& of) { return fabric_knows_ns(of.answer); }},
       {ns_column("mean_percentile_ns", "mean", Style::hidden),
        [](const PairRow& of) { return in_ns(of.answer, of.percentile.mean_time); },
        [](const PairRow& of) { return fabric_knows_ns(of.answer); }},
       {ns_column("best_ns", "best", Style::hidden),
        [](const PairRow& of) { return in_ns(of.answer, of.percentile.best_time); },
        [](const PairRow& of) { return fabric_knows_ns(of.answer); }},
       {claim("worst_probability", "", "P(T > worst_slots) of that pair", Style::hidden),
        [](const PairRow& of) { return computed<unit::Probability>(of.percentile.worst_at); }},
       {{"worst_pair", "worst pair", "", Shape::text, "the first of identical ones"}, &worst_pair}}};
  return table;
}

const Fields<FabricQueueClass>& queue_fields() {
  using Queues = FabricQueueClass;
  static const Fields<Queues> fields{
      {{"queue", "queue", "", Shape::text, "the first of them: left -> right"}, &Queues::name},
      {{"identical", "count", "", Shape::whole,
        "queues with the same traffic; or switches with the same buffers"},
       &Queues::queues},
      {{"packets_per_slot", "", "", Shape::slots, "capacity of the link [packets/slot]", Style::hidden},
       [](const Queues& of) {
         return of.rate.is_whole() ? Value(Whole{of.rate.packets}) : Value(Given{of.rate.value()});
       }},
      {{"load", "load", "packets/slot", Shape::proved, "load of one, exact", Style::plain, 6}, &Queues::load},
      {{"feeding", "fan-in", "", Shape::whole, "nodes that send through one of them"}, &Queues::sources},
      {{"mean_wait_slots", "mean wait", "", Shape::claim, "E[W] of one [slots]", Style::plain, 5},
       [](const Queues& of) { return computed_if_any(of.mean_wait); }},
      {{"buffer", "buffer", "packets", Shape::whole, "minimum buffer of one for the target"},
       [](const Queues& of) { return of.buffer->buffer; },
       &Queues::buffer},
      {claim("probability", "P(. > B)", "value of the criterion with that buffer, at most the target",
             Style::plain, 4),
       [](const Queues& of) { return computed<unit::Probability>(of.buffer->at.probability); },
       &Queues::buffer},
      {claim("probability_before", "", "with one packet less, above the target; null if the buffer is 0",
             Style::hidden),
       [](const Queues& of) {
         return of.buffer->before ? computed<unit::Probability>(of.buffer->before->probability)
                                  : Value(None{});
       },
       &Queues::buffer}};
  return fields;
}

/// A switch, and whether any switch shares its memory.
struct SwitchRow {
  const FabricSwitchClass& its;
  bool sharing = false;
};

const Fields<SwitchRow>& switch_fields() {
  static const Fields<SwitchRow> fields{
      {{"switch", "switch", "", Shape::text, "the first of them"},
       [](const SwitchRow& of) { return of.its.name; }},
      {{"identical", "count", "", Shape::whole, "switches whose queues need the same buffers"},
       [](const SwitchRow& of) { return of.its.switches; }},
      {{"ports", "queues", "", Shape::whole, "of one, with traffic"},
       [](const SwitchRow& of) { return of.its.queues; }},
      {{"largest_buffer", "largest buffer", "", Shape::whole, "of its queues [packets]"},
       [](const SwitchRow& of) { return of.its.largest; }},
      {{"switch_buffer", "all buffers", "packets", Shape::whole, "of one switch, separate queues"},
       [](const SwitchRow& of) { return of.its.buffer; }},
      {{"shared_memory", "shared", "packets", Shape::whole,
        "smallest shared memory of one switch that suffices, by an upper bound that is proved for "
        "independent arrivals; null if its queues share none"},
       [](const SwitchRow& of) { return of.its.memory ? shown(of.its.memory->memory) : Value(None{}); },
       &SwitchRow::sharing},
      {claim("memory_probability", "", "upper bound of the criterion with that memory", Style::hidden),
       [](const SwitchRow& of) { return of.its.memory ? shown(of.its.memory->at) : Value(None{}); },
       &SwitchRow::sharing}};
  return fields;
}

const char* const first_of_many = "the first of many rows";

const Table<FabricQueueClass>& queue_table() {
  static const Table<FabricQueueClass> table{
      "queue_classes", "queues with the same traffic, by decreasing utilization", queue_fields()};
  return table;
}

const Table<SwitchRow>& switch_table() {
  static const Table<SwitchRow> table{
      "switch_classes", "switches whose queues need the same buffers, by decreasing buffer", switch_fields()};
  return table;
}

std::string first_of(std::size_t shown_rows, std::size_t all, const char* what) {
  return shown_rows < all ? fmt::format("{} of {} {}:", shown_rows, all, what) : std::string();
}

/// The complete table for data formats; if it is long, also its first rows for text.
void add_rows(std::vector<Rows>& tables, Rows rows, const char* text_key, const char* what, bool one) {
  const std::size_t size = rows.size;
  rows.in_text = one && size <= max_rows_shown;
  tables.push_back(rows);
  if (size <= max_rows_shown) return;
  rows.key = text_key;
  rows.size = max_rows_shown;
  rows.caption = first_of(max_rows_shown, size, what);
  rows.in_text = one;
  tables.push_back(std::move(rows));
}

std::vector<Rows> tables(const Shared<FabricPoint>& points, std::size_t i, bool one) {
  const FabricAnswer& answer = (*points)[i].second;
  std::vector<Rows> tables;
  if (answer.pairs)
    tables.push_back(
        pair_table().rows(answer.pairs->all.percentiles.size() * (answer.pairs->by_hops.size() + 1),
                          [points, i](std::size_t row) { return pair_row((*points)[i], row); }));
  else
    tables.push_back(
        fabric_percentile_table().rows(answer.pair->percentiles.size(), [points, i](std::size_t row) {
          const FabricAnswer& its = (*points)[i].second;
          return PercentileRow{its, its.pair->percentiles[row]};
        }));
  tables.back().in_text = one;
  add_rows(tables,
           queue_table().rows(answer.queues.size(),
                              [points, i](std::size_t row) -> const FabricQueueClass& {
                                return (*points)[i].second.queues[row];
                              }),
           "busiest_queues", "groups of queues, by load", one);
  if (!answer.by_switch.empty())
    add_rows(tables,
             switch_table().rows(answer.by_switch.size(),
                                 [points, i, sharing = max_memory(answer).has_value()](std::size_t row) {
                                   return SwitchRow{(*points)[i].second.by_switch[row], sharing};
                                 }),
             "largest_switches", "groups of switches, by buffer", one);
  if (answer.check && !answer.check->levels.empty())
    tables.push_back(check_rows(*answer.check, {std::nullopt}));
  return tables;
}

// --- text

Headline headline(const FabricPoint& point) {
  const auto& [query, answer] = point;
  const FabricPercentile& last = percentiles_of(answer).back();
  const bool ns = fabric_knows_ns(answer);
  const auto time = [&, &answer = answer](Slots ticks, const Rational& in_slots) {
    return ns ? plain(in_ns(answer, in_slots)) : slots_in_words(ticks, answer.ticks_per_slot);
  };
  std::string text =
      fmt::format("{} % of packets have a latency of at most {} {}", plain(last.probability * 100),
                  time(last.slots, last.time), ns ? "ns" : "slots");
  if (!query.flow) text += fmt::format(" (worst pair: {})", time(last.worst, last.worst_time));
  if (query.drop)
    text += fmt::format("; {} buffers suffice", fmt::format("{}-packet", max_buffer(answer)->value));
  return {text + ".", {computed<unit::Probability>(last.at)}};
}

/// How the delays are known: what the simulation said of them.
std::string basis_in_words(const FabricAnswer& answer) {
  if (!answer.check || answer.check->levels.empty()) return "Convolved, not proved. ";
  const bool off =
      std::any_of(answer.check->levels.begin(), answer.check->levels.end(),
                  [](const auto& level) { return level.agreement != answers::Agreement::agrees; });
  return off ? "Convolved; a simulation of it differs, as said below. "
             : "Convolved, checked by simulation. ";
}

std::string settings(const FabricPoint& point) {
  const auto& [query, answer] = point;
  std::string text = basis_in_words(answer) + fabric_in_words(query.topology);
  if (query.flow) text += ", from " + *query.flow;
  if (query.drop)
    text += fmt::format("; each buffer for {} <= {}",
                        query.drop->criterion == bounds::Criterion::overflow ? "P(Q > B)" : "loss",
                        plain(query.drop->probability));
  if (const auto memory = max_memory(answer))
    text += fmt::format("; {} packets suffice for each shared memory", memory->value);
  return text + ".";
}

std::vector<Line> lines(const FabricPoint& point) {
  const auto& [query, answer] = point;
  std::vector<Line> lines{
      {"network",
       fmt::format(
           "{} hosts, {} switches, {} links; {} of queues", answer.hosts, answer.switches, answer.links,
           answer.queues.size() == 1 ? "one group" : std::to_string(answer.queues.size()) + " groups")}};
  if (answer.pairs)
    lines.push_back({"pairs", std::to_string(answer.pairs->all.pairs)});
  else
    lines.push_back({"queues", fmt::format("{} on its paths", answer.pair->hops)});
  const auto& mean = answer.pairs ? answer.pairs->all.mean_latency : answer.pair->mean_latency;
  lines.push_back({"mean latency", brief(computed<unit::Slot>(mean, 6)) + " slots"});
  if (!query.hop_ns) return lines;
  lines.back().text += "; " + brief(fabric_mean_latency_ns(answer, 6)) + " ns";
  lines.push_back({"", "in ns, " + hop_in_words(*query.hop_ns)});
  return lines;
}

std::vector<std::string> notes(const std::vector<FabricPoint>& points) {
  std::vector<std::string> notes{
      "T: latency, queueing delay and " +
          latency_slots_in_words(points.front().first.topology.fabric->network) +
          ". Mean, best and worst: over the percentiles of the host pairs; latency: of all packets together.",
      "Model: independent source arrivals at every queue; waits at successive queues are added as "
      "independent, so the deep tail is underestimated. Loads are exact, probabilities and buffers are "
      "computed, not proved."};
  if (std::any_of(points.begin(), points.end(),
                  [](const FabricPoint& point) { return max_memory(point.second).has_value(); }))
    notes.push_back(
        "Shared memory: one for all queues of a switch, no thresholds; an upper bound of P(T > M), or of "
        "the fraction of the switch's packets lost, proved for independent arrivals.");
  std::uint64_t undecided = 0;
  for (const FabricPoint& point : points)
    if (point.second.pairs) undecided += point.second.pairs->undecided;
  if (undecided > 0)
    notes.push_back(
        fmt::format("{} percentiles of pairs lie within rounding of a slot boundary: the larger slot is "
                    "given, an upper bound.",
                    undecided));
  for (const FabricPoint& point : points) {
    add_routes(notes, rules_of_traffic(point.first.topology));
    add_remarks(notes, point.first.topology.fabric->network);
    add_clocks(notes, point.first.topology.fabric->network);
  }
  for (const FabricPoint& point : points)
    if (point.second.check)
      for (std::string& note : check_notes(*point.second.check, {})) notes.push_back(std::move(note));
  return notes;
}

}  // namespace

std::vector<Column> fabric_results() {
  return fabric_result_fields().columns();
}

std::vector<TableLayout> fabric_tables() {
  return {pair_table().layout(),
          queue_table().layout(),
          {"busiest_queues", first_of_many, queue_fields().columns()},
          switch_table().layout(),
          {"largest_switches", first_of_many, switch_fields().columns()}};
}

Cells inputs_of(const FabricQuery& query) {
  return fabric_input_fields().cells(query);
}

Document document(std::vector<FabricPoint> given) {
  const auto points = share(std::move(given));
  const bool one = points->size() == 1;
  Layout layout = delay_layout();
  layout.quiet = {"latency_slots"};
  layout.quiet_table.clear();
  const FabricQuery& first = points->front().first;
  Document document{.layout = std::make_shared<const Layout>(std::move(layout)),
                    .headline = one ? headline(points->front()) : Headline(),
                    .settings = one ? settings(points->front()) : capitalized(first.topology.name()) + ".",
                    .results = {},
                    .notes = notes(*points),
                    .digits = first.digits};
  for (std::size_t i = 0; i < points->size(); ++i) {
    Result& result = document.results.emplace_back();
    result.inputs = inputs_of((*points)[i].first);
    result.cells = fabric_result_fields().cells((*points)[i].second);
    result.tables = tables(points, i, one);
    if (one) result.lines = lines((*points)[i]);
  }
  if (!one)
    document.headline = {fmt::format("{} % of packets have a latency of at most {} slots.",
                                     plain(percentiles_of(points->front().second).back().probability * 100),
                                     range_in_words(document, "latency_slots")),
                         {computed<unit::Probability>(percentiles_of(points->front().second).back().at)}};
  document = with_units(std::move(document), scale_of(first.units));
  document.picture = [document, points] {
    return sweep_picture(document, {.axes = {"uniform", "load_scale", "drop"}, .height = "latency_slots"},
                         {.title = "Latency of " + points->front().first.topology.name(),
                          .x_label = {},
                          .y_label = plain(percentiles_of(points->front().second).back().probability * 100) +
                                     " % of all packets [slots]"});
  };
  return document;
}

}  // namespace tailbound::render
