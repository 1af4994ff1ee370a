#include <fmt/format.h>
#include <tailbound/answers/latency_ns.hpp>
#include <tailbound/core/choice.hpp>
#include <tailbound/core/error.hpp>
#include <tailbound/numeric/rational.hpp>
#include <tailbound/numeric/text/plain.hpp>
#include <tailbound/render/documents/delay/cross_check.hpp>
#include <tailbound/render/documents/delay/delay.hpp>
#include <tailbound/render/documents/delay/delay_words.hpp>
#include <tailbound/render/documents/delay/fabric.hpp>
#include <tailbound/render/documents/delay/load_scale.hpp>
#include <tailbound/render/documents/network/network_picture.hpp>
#include <tailbound/render/documents/parts/topology.hpp>
#include <tailbound/render/documents/parts/units.hpp>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>
#include <memory>
#include <type_traits>

namespace tailbound::render {
namespace {

using namespace answers;
using numeric::plain;
using numeric::Rational;
using numeric::Rounding;

/// Maximum number of columns P(D > t) in a text table.
constexpr std::size_t max_level_columns = 6;
/// Maximum number of sources of a queue that are listed individually.
constexpr std::size_t max_sources = 64;

// --- fields ----------------------------------------------------------------------------------------------

/// A row of a table: its entry, and its position there.
struct DelayRow {
  const DelayEntry& entry;
  std::size_t at = 0;

  [[nodiscard]] const StatedPercentile& queueing() const { return entry.found().delay.queueing[at]; }
  [[nodiscard]] const StatedPercentile& latency() const { return entry.found().delay.latency[at]; }
  [[nodiscard]] const StatedSlotProbability& above() const { return entry.found().delay.above[at]; }
  [[nodiscard]] const network::QueueTraffic& traffic() const {
    return entry.answer().paths.queues.traffic[entry.path().longest[at]];
  }
  /// Its minimum buffer, if requested.
  [[nodiscard]] std::optional<bounds::ClaimedBufferSize> size() const {
    return entry.query().drop ? entry.answer().buffers[entry.path().longest[at]] : std::nullopt;
  }
};

/// A reorder buffer and its targets.
struct Reordered {
  const ReorderTargets& targets;
  const ReorderAnswer& found;

  [[nodiscard]] Value of(const std::optional<numeric::Enclosure<unit::Probability>>& probability) const {
    return probability ? shown_reorder(found, *probability) : Value(None{});
  }
};

std::optional<Reordered> reordered(const DelayEntry& entry) {
  if (!entry.found().reorder) return std::nullopt;
  return Reordered{*entry.query().reorder, *entry.found().reorder};
}
Reordered reordered(const ReorderPoint& point) {
  return {point.first.targets, point.second};
}

/// A row of its tail.
struct ReorderLevel {
  Reordered reordered;
  numeric::Digits digits;
  std::size_t at = 0;

  [[nodiscard]] Value probability() const { return reordered.of(reordered.found.tail[at]); }
};

const Fields<Reordered>& reorder_inputs() {
  static const Fields<Reordered> fields{
      {{"reorder", "reorder target", "", Shape::given,
        "EPS; the reorder buffer is the smallest b with P(R > b) <= EPS"},
       [](const Reordered& of) { return of.targets.probability; },
       if_present},
      {{"flow_rate", "flow rate", "packets/slot", Shape::given,
        "rate of the flow that is reordered, above 0, at most 1", Style::hidden},
       [](const Reordered& of) { return of.found.flow_rate; }}};
  return fields;
}

const Fields<Reordered>& reorder_results() {
  const auto sized = [](const Reordered& of) { return of.found.size.has_value(); };
  static const Fields<Reordered> fields{
      {{"reorder_buffer", "reorder buffer", "packets", Shape::whole,
        "smallest b with P(R > b) <= EPS; R: delivered packets of a flow that wait for an earlier one"},
       [](const Reordered& of) { return of.found.size->buffer; },
       sized},
      {{"reorder_probability", "", "", Shape::claim, "P(R > b)", Style::hidden},
       [](const Reordered& of) { return of.of(of.found.size->at); },
       sized},
      {{"reorder_probability_before", "", "", Shape::claim, "P(R > b - 1) > EPS; null if b is 0",
        Style::hidden},
       [](const Reordered& of) { return of.of(of.found.size->before); },
       sized}};
  return fields;
}

Column probability_column(const char* key, const char* heading, const char* meaning,
                          Style style = Style::plain, int digits = 0) {
  return {key, heading, "", Shape::number, meaning, style, digits};
}

const Column certainty_column{"certainty", "kind", "", Shape::text, "kind of number"};

const Table<ReorderLevel>& reorder_table() {
  static const Table<ReorderLevel> table{
      "reorder_tail",
      "distribution of the reorder buffer of a flow, one row per level",
      {{{"level", "b", "packets", Shape::whole, "b"},
        [](const ReorderLevel& row) { return row.reordered.targets.levels[row.at]; }},
       {probability_column("probability", "P(R > b)", "P(R > b)"), &ReorderLevel::probability},
       {certainty_column, [](const ReorderLevel& row) { return certainty(row.probability(), row.digits); }}}};
  return table;
}

const Fields<DelayFlow>& flow_fields() {
  static const Fields<DelayFlow> fields{
      {delay_columns().flow, &DelayFlow::name},
      {{"source", "source", "", Shape::text, "host that sends the flow", Style::hidden}, &DelayFlow::source},
      {{"destination", "destination", "", Shape::text, "host that receives the flow", Style::hidden},
       &DelayFlow::destination},
      {{"rate", "rate", "packets/slot", Shape::given, "of the flow"}, &DelayFlow::rate}};
  return fields;
}

/// Those that follow the topology.
const Fields<DelayEntry>& delay_input_fields() {
  static const Fields<DelayEntry> fields{
      {flow_fields(), [](const DelayEntry& of) { return of.path().name.empty() ? nullptr : &of.path(); }},
      {{"class", "class", "", Shape::whole, "priority class; class 1 is served first"},
       [](const DelayEntry& of) { return of.path().priority; },
       [](const DelayEntry& of) { return of.answer().paths.classes > 1; }},
      {{"hops_model", "hops", "", Shape::text,
        "proved for one queue, or how waits at successive queues depend on each other: chain (each on the "
        "previous one, bursts also on their age), independent, bound (any "
        "dependence); or simulated"},
       [](const DelayEntry& of) { return answered_by(of.found()); }},
      {{"hops_reason", "why", "", Shape::text,
        "why a more accurate model does not apply: the assumption violated or the limit exceeded",
        Style::hidden},
       [](const DelayEntry& of) { return of.found().hops_reason; },
       [](const DelayEntry& of) { return !of.found().hops_reason.empty(); }},
      {drop_target_fields(), [](const DelayEntry& of) { return of.query().drop; }},
      {reorder_inputs(), [](const DelayEntry& of) { return reordered(of); }},
      {delay_columns().digits, [](const DelayEntry& of) { return of.query().digits.count; }},
      {unit_fields(), [](const DelayEntry& of) { return of.query().units; }},
      {hop_column(), [](const DelayEntry& of) { return of.query().hop_ns; }, if_present}};
  return fields;
}

const Fields<ReorderPoint>& reorder_point_inputs() {
  static const Fields<ReorderPoint> fields{
      {{"delays", "delays", "", Shape::text, "file with the distribution of the delays"},
       [](const ReorderPoint& of) { return of.first.file; }},
      {reorder_inputs(), [](const ReorderPoint& of) { return reordered(of); }},
      {delay_columns().digits, [](const ReorderPoint& of) { return of.first.digits.count; }},
      {unit_fields(), [](const ReorderPoint& of) { return of.first.units; }}};
  return fields;
}

bool is_simulated(const DelayEntry& of) {
  return of.found().anchor.has_value();
}

/// In ns, if units define the slot time.
bool knows_ns(const DelayEntry& of) {
  return of.query().units.slot_ns().has_value();
}

const Fields<DelayEntry>& delay_result_fields() {
  static const Fields<DelayEntry> fields{
      {delay_columns().queues, [](const DelayEntry& of) { return of.path().longest.size(); }},
      {{"mean_queueing_slots", "mean queueing", "slots", Shape::number,
        "E[D], queueing delay, transmission excluded", Style::plain, 5},
       [](const DelayEntry& of) { return of.found().delay.mean_queueing; }},
      {delay_columns().mean_latency_slots,
       [](const DelayEntry& of) { return of.found().delay.mean_latency; }},
      {{"mean_latency_ns", "mean latency", "ns", Shape::number, "the same in ns, per-hop latency included",
        Style::hidden},
       [](const DelayEntry& of) { return shown(of.found().mean_ns); },
       &knows_ns},
      {{"anchor_slots", "", "", Shape::slots,
        "of simulated delays: the longest delay t that the samples resolve; beyond it P(D > t) is "
        "extrapolated",
        Style::hidden},
       [](const DelayEntry& of) { return of.in_slots(of.found().anchor->slots); },
       &is_simulated},
      {{"anchor_probability", "", "", Shape::estimate, "P(D > anchor_slots)", Style::hidden},
       [](const DelayEntry& of) { return of.found().anchor->probability; },
       &is_simulated},
      {{"anchor_power", "", "", Shape::model,
        "decay of the extrapolated tail relative to that of the analysis; null: as simulated over two "
        "decades",
        Style::hidden},
       [](const DelayEntry& of) -> Value {
         const auto& power = of.found().anchor->power;
         return power ? Value(Model{*power}) : Value(None{});
       },
       &is_simulated},
      {{"total_buffer", "buffers", "packets", Shape::whole,
        "total buffer of the queues on the longest route, packets in service included"},
       [](const DelayEntry& of) { return of.answer().total_buffer(of.flow); },
       [](const DelayEntry& of) { return of.query().drop.has_value(); }},
      {reorder_results(), [](const DelayEntry& of) { return reordered(of); }}};
  return fields;
}

/// Probability that an arbitrary packet exceeds the previous slot, as far as known.
Value before_of(const StatedPercentile& percentile) {
  return percentile.before.empty() ? Value(None{}) : shown(percentile.before.front().probability);
}

const Table<DelayRow>& delay_percentile_table() {
  static const Table<DelayRow> table{
      "percentiles",
      "of the delay, one row per percentile",
      {{delay_columns().percentile,
        [](const DelayRow& of) { return Rational(of.queueing().probability * 100); }},
       {delay_columns().exceeded_by,
        [](const DelayRow& of) { return Rational(1 - of.queueing().probability); }},
       {{"queueing_slots", "queueing", "slots", Shape::slots,
         "smallest t with P(D <= t) >= p; a fraction where links differ in speed", Style::plain,
         slots_digits},
        [](const DelayRow& of) { return of.entry.in_slots(of.queueing().slots); }},
       {delay_columns().latency_slots,
        [](const DelayRow& of) { return of.entry.in_slots(of.latency().slots); }},
       {{"latency_ns", "latency", "ns", Shape::given, "the same in ns, per-hop latency included"},
        [](const DelayRow& of) { return entry_latency_ns(of.entry, of.at); },
        [](const DelayRow& of) { return knows_ns(of.entry); }},
       {probability_column("queueing_probability", "P(D > t)", "P(D > queueing_slots), at most 1 - p",
                           Style::plain, 4),
        [](const DelayRow& of) { return of.queueing().at.probability; }},
       {probability_column("queueing_probability_before", "P(D > t - 1)",
                           "P(D > queueing_slots - 1), above 1 - p; null at the minimum delay", Style::plain,
                           4),
        [](const DelayRow& of) { return before_of(of.queueing()); }},
       {{"queueing_slots_at_least", "", "", Shape::slots,
         "lower end of the 95 % interval of queueing_slots, of simulated delays", Style::hidden},
        [](const DelayRow& of) { return of.entry.in_slots(of.queueing().at_least); },
        [](const DelayRow& of) { return is_simulated(of.entry); }},
       {{"queueing_slots_at_most", "", "", Shape::slots, "its upper end; null: beyond the samples",
         Style::hidden},
        [](const DelayRow& of) { return of.entry.in_slots(of.queueing().at_most); },
        [](const DelayRow& of) { return is_simulated(of.entry); }},
       {{"latency_slots_at_least", "", "", Shape::slots, "the same of latency_slots", Style::hidden},
        [](const DelayRow& of) { return of.entry.in_slots(of.latency().at_least); },
        [](const DelayRow& of) { return is_simulated(of.entry); }},
       {{"latency_slots_at_most", "", "", Shape::slots, "the same of latency_slots", Style::hidden},
        [](const DelayRow& of) { return of.entry.in_slots(of.latency().at_most); },
        [](const DelayRow& of) { return is_simulated(of.entry); }},
       {{"certainty", "kind", "", Shape::text, "proved, convolved, simulated or extrapolated"},
        [](const DelayRow& of) -> std::string {
          return is_simulated(of.entry) ? kind_in_words(of.entry, shown(of.queueing().at.probability))
                                        : name_of(of.entry.found().kind);
        }},
       {delay_columns().latency_probability, [](const DelayRow& of) { return of.latency().at.probability; }},
       {delay_columns().latency_probability_before,
        [](const DelayRow& of) { return before_of(of.latency()); }}}};
  return table;
}

const Table<DelayRow>& level_table() {
  static const Table<DelayRow> table{
      "ccdf",
      "distribution of the queueing delay, one row per level",
      {{{"slots", "t", "slots", Shape::slots, "t", Style::plain, 0, ""},
        [](const DelayRow& of) { return of.entry.in_slots(of.above().slots); }},
       {probability_column("probability", "P(D > t)", "P(D > t)"),
        [](const DelayRow& of) { return of.above().probability; }},
       {certainty_column,
        [](const DelayRow& of) { return kind_in_words(of.entry, shown(of.above().probability)); }}}};
  return table;
}

const Table<DelayRow>& hop_table() {
  static const Table<DelayRow> table{
      "hops",
      "queues of the longest route, in order",
      {{{"hop", "hop", "", Shape::whole, "1, 2, .."}, [](const DelayRow& of) { return of.at + 1; }},
       {{"link", "link", "", Shape::text, "in a network: left -> right"},
        [](const DelayRow& of) { return of.entry.path().links[of.at]; },
        [](const DelayRow& of) { return !of.entry.path().links.empty(); }},
       {{"load", "load", "packets/slot", Shape::given, "utilization of the queue"},
        [](const DelayRow& of) { return of.traffic().load; }},
       {{"sources", "sources", "", Shape::text, "sources that feed it, in words"},
        [](const DelayRow& of) { return sources_in_words(of.traffic()); }},
       {Fields<bounds::ClaimedBufferSize>{
            {{"buffer", "buffer", "packets", Shape::whole,
              "B: the minimum that meets the target; packet in service included", Style::plain, 0, ""},
             &bounds::ClaimedBufferSize::buffer},
            {probability_column("probability", "P or loss at B", "the criterion at B"),
             &bounds::ClaimedBufferSize::at}},
        &DelayRow::size}}};
  return table;
}

/// Identical sources of a queue.
struct FeedingSources {
  std::size_t hop = 0;
  std::int64_t count = 0;
  Rational rate;
  const network::BurstySource* bursty = nullptr;  ///< null for sources without bursts
  std::optional<Rational> before{};               ///< for a class below others: its rate of these packets
};

const Table<FeedingSources>& source_table() {
  static const auto of_bursts = [](auto getter) {
    return [getter](const FeedingSources& of) {
      return of.bursty != nullptr ? std::optional<Rational>(getter(*of.bursty)) : std::nullopt;
    };
  };
  static const Table<FeedingSources> table{
      "hop_sources",
      "sources that feed the queues of `hops`; absent for a queue with more than 64 kinds of sources",
      {{{"hop", "hop", "", Shape::whole, "queue number"}, &FeedingSources::hop},
       {{"count", "count", "", Shape::whole, "number of identical sources"}, &FeedingSources::count},
       {{"rate", "rate", "packets/slot", Shape::given, "rate of each"}, &FeedingSources::rate},
       {{"rate_before", "before", "packets/slot", Shape::given,
         "rate of each in the classes with precedence; omitted if there is none"},
        &FeedingSources::before,
        if_present},
       {{"burst", "burst", "", Shape::given, "mean burst length [slots]; null without bursts"},
        of_bursts([](const network::BurstySource& each) { return Rational(1 / each.source.stop); })},
       {{"on_rate", "on-rate", "", Shape::given, "packets per slot within a burst; null without bursts"},
        of_bursts([](const network::BurstySource& each) { return each.source.on_rate; })},
       {{"share", "share", "", Shape::given,
         "fraction of its bursts that pass this queue, each burst as a whole; null without bursts"},
        of_bursts([](const network::BurstySource& each) { return each.share; })}}};
  return table;
}

/// Of the queues of a flow's longest route; none for a queue with too many.
std::vector<FeedingSources> sources_of(const DelayEntry& entry) {
  std::vector<FeedingSources> rows;
  const DelayFlow& flow = entry.path();
  for (std::size_t hop = 0; hop < flow.longest.size(); ++hop) {
    const network::QueueTraffic& traffic = DelayRow{entry, hop}.traffic();
    if (traffic.sources.size() + traffic.bursts.size() + traffic.classes.size() > max_sources) continue;
    for (const network::ClassSource& source : traffic.classes)
      rows.push_back({hop + 1, source.count, source.own, nullptr, source.higher});
    for (const network::SourceRate& source : traffic.sources)
      rows.push_back({hop + 1, source.count, source.rate});
    for (const network::BurstySource& each : traffic.bursts)
      rows.push_back({hop + 1, each.count, bursts_rate(each), &each});
  }
  return rows;
}

Rows reorder_rows(const std::shared_ptr<const ReorderAnswer>& reorder, const ReorderTargets& targets,
                  numeric::Digits digits, bool in_text) {
  Rows rows = reorder_table().rows(reorder->tail.size(), [reorder, targets, digits](std::size_t i) {
    return ReorderLevel{{targets, *reorder}, digits, i};
  });
  rows.in_text = in_text;
  return rows;
}

/// Sources by the queues of a point that they feed.
using KnownSources = std::map<std::pair<std::size_t, std::vector<std::size_t>>,
                              std::shared_ptr<const std::vector<FeedingSources>>>;

std::vector<Rows> tables_of(const DelayEntry& entry, bool in_text, KnownSources& known) {
  std::vector<Rows> tables;
  const auto add = [&](const Table<DelayRow>& table, std::size_t size) {
    tables.push_back(table.rows(size, [entry](std::size_t i) { return DelayRow{entry, i}; }));
    tables.back().in_text = in_text;
  };
  add(delay_percentile_table(), entry.found().delay.queueing.size());
  add(level_table(), entry.found().delay.above.size());
  add(hop_table(), entry.path().longest.size());
  auto& sources = known[{entry.point, entry.path().longest}];
  if (!sources) sources = share(sources_of(entry));
  tables.push_back(source_table().rows(
      sources->size(), [entry, its = sources](std::size_t i) -> const FeedingSources& { return (*its)[i]; }));
  tables.back().in_text = false;
  if (entry.found().reorder && !entry.found().reorder->tail.empty()) {
    const std::shared_ptr<const ReorderAnswer> reorder(entry.points, &*entry.found().reorder);
    tables.push_back(reorder_rows(reorder, *entry.query().reorder, entry.query().digits, in_text));
  }
  if (const auto& check = entry.answer().check; check && !check->levels.empty()) {
    std::vector<std::optional<std::size_t>> flows{checked_flow(entry)};
    if (flows.front() && entry.flow == 0) flows.emplace_back();
    tables.push_back(check_rows(*check, flows));
  }
  return tables;
}

/// Percentiles and P(D > t) as columns of a text table; in data formats they are tables of each result.
void add_text_columns(Document& document, const std::vector<DelayEntry>& entries) {
  const DelayQuery& first = entries.front().query();
  const bool ns = first.units.slot_ns().has_value();
  for (const Rational& p : first.percentiles) {
    const bool slots = !in_ns(entries.front());
    if (slots)
      document.text_columns.push_back({percent_text(p), percent_text(p) + " %", "", Shape::text, ""});
    if (ns)
      document.text_columns.push_back(
          {percent_text(p) + " ns", percent_text(p) + (slots ? " % latency" : " %"), "ns", Shape::given, ""});
  }
  const bool levels = first.levels.size() <= max_level_columns;
  if (levels)
    for (const Slots level : first.levels)
      document.text_columns.push_back({fmt::format("above {}", level.value),
                                       fmt::format("P(D > {})", level.value), "", Shape::number, ""});
  for (std::size_t i = 0; i < entries.size(); ++i) {
    const StatedDelay& delay = entries[i].found().delay;
    Cells& cells = document.results[i].text_cells;
    for (std::size_t j = 0; j < delay.queueing.size(); ++j) {
      const std::string key = percent_text(delay.queueing[j].probability);
      cells.push_back({key, Text{slots_in_words(entries[i], delay.queueing[j].slots) + " / " +
                                 slots_in_words(entries[i], delay.latency[j].slots)}});
      if (ns) cells.push_back({key + " ns", entry_latency_ns(entries[i], j)});
    }
    if (levels)
      for (const StatedSlotProbability& above : delay.above)
        cells.push_back({"above " + slots_in_words(entries[i], above.slots), shown(above.probability)});
  }
}

Headline reorder_headline(const Document& document, const std::vector<ReorderPoint>& points) {
  const auto& [query, answer] = points.front();
  if (const std::string buffer = range_in_words(document, "reorder_buffer"); !buffer.empty()) {
    std::vector<Value> quoted;
    for (const ReorderPoint& point : points)
      if (point.second.size) quoted.push_back(shown_reorder(point.second, point.second.size->at));
    return {"Minimum reorder buffer:", fmt::format("{} packet{}", buffer, buffer == "1" ? "" : "s"), "",
            quoted};
  }
  if (answer.tail.empty()) return Headline::without_numbers("Reorder buffer.");
  const std::size_t deepest = answer.tail.size() - 1;
  const Value at = shown_reorder(answer, answer.tail[deepest]);
  return {
      fmt::format("P(R > {})", query.targets.levels.at(deepest).value), brief(at, query.digits), "", {at}};
}

/// Flow rates are shown in text where they were given.
void show_flow_rates(Layout& layout) {
  for (Column& column : layout.inputs)
    if (column.key == "flow_rate") column.style = Style::plain;
}

}  // namespace

const DelayColumns& delay_columns() {
  static const DelayColumns columns{
      .percentile = {"percentile", "percentile", "%", Shape::given, "p"},
      .exceeded_by = {"exceeded_by", "", "", Shape::given, "1 - p as a fraction", Style::hidden},
      .latency_slots = {"latency_slots", "latency", "slots", Shape::slots, "smallest t with P(T <= t) >= p",
                        Style::plain, slots_digits},
      .latency_probability =
          probability_column("latency_probability", "", "P(T > latency_slots), at most 1 - p", Style::hidden),
      .latency_probability_before = probability_column(
          "latency_probability_before", "",
          "P(T > latency_slots - 1), above 1 - p; null at the minimum latency", Style::hidden),
      .digits = {"digits", "digits", "", Shape::whole, "significant digits to certify", Style::hidden},
      .flow = {"flow", "flow", "", Shape::text, "flow of a network, by name"},
      .mean_latency_slots = {"mean_latency_slots", "mean latency", "slots", Shape::number,
                             "E[T], T = D + one packet time per queue; the link of the sender takes none",
                             Style::hidden},
      .queues = {"queues", "queues", "", Shape::whole, "queues on the longest route"}};
  return columns;
}

const Fields<bounds::DropTarget>& drop_target_fields() {
  using bounds::DropTarget;
  static const Fields<DropTarget> fields{
      {{"drop", "target", "", Shape::given, "EPS, the target of each buffer, between 0 and 1"},
       &DropTarget::probability},
      {{"criterion", "criterion", "", Shape::text,
        "criterion of the buffers; overflow: P(Q > B); or loss: fraction of packets lost"},
       &DropTarget::criterion}};
  return fields;
}

Layout delay_layout() {
  Layout layout{.command = "delay", .inputs = {}, .results = {}};
  layout.inputs = merged(topology_fields().columns(), delay_input_fields().columns());
  layout.inputs = merged(std::move(layout.inputs), reorder_point_inputs().columns());
  layout.inputs = merged(std::move(layout.inputs), load_scale_inputs());
  layout.results = merged(delay_result_fields().columns(), load_scale_results());
  layout.results = merged(std::move(layout.results), fabric_results());
  layout.tables = {delay_percentile_table().layout(), level_table().layout(), hop_table().layout(),
                   source_table().layout(), reorder_table().layout()};
  layout.tables = joined(std::move(layout.tables), load_scale_tables());
  layout.tables = joined(std::move(layout.tables), fabric_tables());
  layout.tables.push_back(check_table());
  layout.quiet = {"percentile", "queueing_slots", "latency_slots"};
  layout.quiet_table = "percentiles";
  return layout;
}

Cells inputs_of(const DelayQuery& query) {
  Cells cells = topology_fields().cells(query.topology);
  if (query.drop) drop_target_fields().add(*query.drop, cells);
  cells.push_back({delay_columns().digits.key, Whole{query.digits.count}});
  unit_fields().add(query.units, cells);
  if (query.hop_ns) cells.push_back({hop_column().key, Given{*query.hop_ns}});
  return cells;
}

Cells inputs_of(const ReorderQuery& query) {
  Cells cells{{"delays", Text{query.file}}, {delay_columns().digits.key, Whole{query.digits.count}}};
  if (query.targets.probability) cells.push_back({"reorder", Given{*query.targets.probability}});
  cells.push_back({"flow_rate", Given{query.flow_rate}});
  return cells;
}

Document document(std::vector<DelayPoint> given) {
  const auto points = share(std::move(given));
  const std::vector<DelayEntry> entries = delay_entries(points);
  const DelayQuery& first = points->front().first;
  const bool one = entries.size() == 1;
  Layout layout = delay_layout();
  if (first.drop)
    for (TableLayout& table : layout.tables)
      for (Column& column : table.columns)
        if (table.key == "hops" && column.key == "probability")
          column.heading =
              first.drop->criterion == bounds::Criterion::loss ? "loss(buffer)" : "P(Q > buffer)";
  if (first.flow_rate) show_flow_rates(layout);
  if (!one) {
    layout.quiet.clear();
    layout.quiet_table.clear();
  }
  Document document{
      .layout = std::make_shared<const Layout>(std::move(layout)),
      .headline = delay_headline(entries),
      .settings = one ? delay_settings(entries.front()) : delay_settings(*points, entries.size()),
      .results = {},
      .notes = delay_notes(*points, one),
      .digits = first.digits};
  KnownSources known;
  Cells topology;  // of all flows of a point: a network with many flows is not read again for each of them
  for (const DelayEntry& entry : entries) {
    if (entry.flow == 0) topology = topology_fields().cells(entry.query().topology);
    Result& result = document.results.emplace_back();
    result.inputs = topology;
    delay_input_fields().add(entry, result.inputs);
    result.cells = delay_result_fields().cells(entry);
    result.tables = tables_of(entry, one, known);
    if (one) result.lines = delay_lines(entry);
  }
  if (!one) {
    add_text_columns(document, entries);
    document.merged_by = "flow";
  }
  if (const auto& [query, last] = points->back(); last.stopped) {
    document.stopped = true;
    document.stopped_after = fmt::format("{} of {} flows", last.flows.size(), last.paths.flows.size());
  }
  document = with_units(std::move(document), scale_of(first.units));
  document.picture = [points, without_picture = document] { return delay_picture(without_picture, points); };
  if (points->size() == 1)
    document.further_pictures = {[points] { return picture_of_network(points->front().first.topology); }};
  return document;
}

Document document(const std::vector<ReorderPoint>& points) {
  const ReorderQuery& first = points.front().first;
  const bool one = points.size() == 1;
  Layout layout = delay_layout();
  show_flow_rates(layout);
  layout.quiet = {"reorder_buffer"};
  layout.quiet_table.clear();
  if (!first.targets.probability) {
    layout.quiet = {"level", "probability"};
    layout.quiet_table = "reorder_tail";
  }
  Document document{.layout = std::make_shared<const Layout>(std::move(layout)),
                    .headline = {},
                    .settings = "Delays from " + first.file + ".",
                    .results = {},
                    .notes = {"R: delivered packets that wait for an earlier one. Assumed: delays are "
                              "independent of one another."},
                    .digits = first.digits};
  for (const ReorderPoint& point : points) {
    const auto& [query, answer] = point;
    Result& result = document.results.emplace_back();
    result.inputs = reorder_point_inputs().cells(point);
    result.cells = reorder_results().cells(reordered(point));
    if (!answer.tail.empty())
      result.tables.push_back(
          reorder_rows(std::make_shared<const ReorderAnswer>(answer), query.targets, query.digits, true));
    if (one) {
      if (answer.size)
        result.lines = {
            {"reorder buffer", reorder_in_words(query.targets, answer, query.digits, scale_of(query.units))}};
      else
        result.lines = {{"flow", plain(query.flow_rate) + " packets per slot"}};
    }
    result.caption = "flow of " + plain(query.flow_rate) + " packets per slot";
  }
  document.headline = reorder_headline(document, points);
  document = with_units(std::move(document), scale_of(first.units));
  document.picture = []() -> Picture { throw NoAnswer("nothing to draw: the delays are given"); };
  return document;
}

}  // namespace tailbound::render
