#include <cln/integer.h>
#include <cln/rational.h>
#include <fmt/format.h>
#include <tailbound/answers/latency_ns.hpp>
#include <tailbound/core/choice.hpp>
#include <tailbound/core/error.hpp>
#include <tailbound/numeric/text/plain.hpp>
#include <tailbound/render/documents/delay/cross_check.hpp>
#include <tailbound/render/documents/delay/delay.hpp>
#include <tailbound/render/documents/delay/delay_words.hpp>
#include <tailbound/render/documents/delay/fabric.hpp>
#include <tailbound/render/documents/delay/load_scale.hpp>
#include <tailbound/render/documents/parts/topology.hpp>
#include <tailbound/render/documents/parts/units.hpp>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <memory>
#include <type_traits>

namespace tailbound::render {
namespace {

using namespace answers;
using numeric::plain;
using numeric::Rational;
using numeric::Rounding;

/// More columns P(D > t) than these no text table has.
constexpr std::size_t most_level_columns = 6;
/// Sources of a queue are listed one by one up to so many.
constexpr std::size_t most_sources = 64;

// --- numbers ---------------------------------------------------------------------------------------------

/// Of the latency, in ns, with what each hop adds.
Value mean_latency_ns(const DelayEntry& entry) {
  return shown(answers::mean_latency_ns(
      entry.path().routes, entry.found().delay.mean_queueing,
      {.slot = *entry.question().units.slot_ns(), .hop = entry.question().hop_ns.value_or(Rational(0))}));
}

// --- words -----------------------------------------------------------------------------------------------

// --- cells -----------------------------------------------------------------------------------------------

Cells reorder_inputs(const std::optional<ReorderTargets>& targets, const Rational& flow_rate) {
  Cells cells;
  if (!targets) return cells;
  if (targets->probability) cells.push_back({"reorder", Given{*targets->probability}});
  cells.push_back({"flow_rate", Given{flow_rate}});
  return cells;
}

Cells input_cells(const DelayEntry& entry) {
  const DelayQuestion& question = entry.question();
  const DelayFlow& flow = entry.path();
  Cells cells = topology_cells(question.topology);
  if (!flow.name.empty())
    cells = joined(std::move(cells), {{"flow", Text{flow.name}},
                                      {"source", Text{flow.source}},
                                      {"destination", Text{flow.destination}},
                                      {"rate", Given{flow.rate}}});
  cells.push_back({"sources", Text{name_of(question.sources)}});
  cells.push_back({"delay", Text{name_of(question.hop_delay)}});
  cells.push_back({"hops", Text{entry.found().one_queue ? "one queue" : name_of(entry.found().hops)}});
  if (!entry.found().hops_reason.empty()) cells.push_back({"hops_reason", Text{entry.found().hops_reason}});
  if (question.drop) {
    cells.push_back({"drop", Given{question.drop->probability}});
    cells.push_back({"criterion", Text{name_of(question.drop->criterion)}});
  }
  if (entry.found().reorder)
    cells = joined(std::move(cells), reorder_inputs(question.reorder, entry.found().reorder->flow_rate));
  cells.push_back({"digits", Whole{question.digits.count}});
  cells = joined(std::move(cells), unit_cells(question.units));
  if (question.hop_ns) cells.push_back({"hop_ns", Given{*question.hop_ns}});
  return cells;
}

Cells reorder_cells(const ReorderAnswer& reorder) {
  if (!reorder.size) return {};
  return {{"reorder_buffer", shown(reorder.size->buffer)},
          {"reorder_probability", shown_reorder(reorder, reorder.size->at)},
          {"reorder_probability_before",
           reorder.size->before ? shown_reorder(reorder, *reorder.size->before) : Value(None{})}};
}

Cells result_cells(const DelayEntry& entry) {
  const FlowDelay& found = entry.found();
  Cells cells{{"queues", Whole{static_cast<std::int64_t>(entry.path().longest.size())}},
              {"mean_queueing_slots", shown(found.delay.mean_queueing)},
              {"mean_latency_slots", shown(found.delay.mean_latency)}};
  if (entry.question().units.slot_ns()) cells.push_back({"mean_latency_ns", mean_latency_ns(entry)});
  if (entry.question().drop)
    cells.push_back({"total_buffer", shown(entry.answer().total_buffer(entry.flow))});
  return found.reorder ? joined(std::move(cells), reorder_cells(*found.reorder)) : cells;
}

/// Whether and how often an arbitrary packet is above, as far as known.
Value before_of(const bounds::ClaimedPercentile& percentile) {
  return percentile.before.empty() ? Value(None{}) : shown(percentile.before.front().probability);
}

Cells percentile_cells(const DelayEntry& entry, std::size_t i) {
  const bounds::ClaimedPercentile& queueing = entry.found().delay.queueing[i];
  const bounds::ClaimedPercentile& latency = entry.found().delay.latency[i];
  Cells cells{{"percentile", Given{queueing.probability * 100}},
              {"exceeded_by", Given{1 - queueing.probability}},
              {"queueing_slots", shown(queueing.slots)},
              {"latency_slots", shown(latency.slots)}};
  if (entry.question().units.slot_ns()) cells.push_back({"latency_ns", entry_latency_ns(entry, i)});
  return joined(std::move(cells), {{"queueing_probability", shown(queueing.at.probability)},
                                   {"queueing_probability_before", before_of(queueing)},
                                   {"latency_probability", shown(latency.at.probability)},
                                   {"latency_probability_before", before_of(latency)}});
}

Cells level_cells(const DelayEntry& entry, std::size_t i) {
  const bounds::ClaimedSlotProbability& above = entry.found().delay.above[i];
  const Value probability = shown(above.probability);
  return {{"slots", shown(above.slots)},
          {"probability", probability},
          {"certainty", Text{kind_in_words(entry, probability)}}};
}

Cells hop_cells(const DelayEntry& entry, std::size_t hop) {
  const DelayFlow& flow = entry.path();
  const std::size_t queue = flow.longest[hop];
  const network::QueueTraffic& traffic = entry.answer().paths.queues.traffic[queue];
  Cells cells{{"hop", Whole{static_cast<std::int64_t>(hop + 1)}}};
  if (!flow.links.empty()) cells.push_back({"link", Text{flow.links[hop]}});
  cells.push_back({"load", Given{traffic.load}});
  cells.push_back({"sources", Text{sources_in_words(traffic)}});
  if (entry.question().drop) {
    const bounds::ClaimedBufferSize& size = *entry.answer().buffers[queue];
    cells.push_back({"buffer", shown(size.buffer)});
    cells.push_back({"probability", shown(size.at)});
  }
  return cells;
}

/// The sources of the queues of a flow's longest route, a row each; none of a queue that has too many.
std::vector<Cells> source_rows(const DelayEntry& entry) {
  std::vector<Cells> rows;
  const DelayFlow& flow = entry.path();
  for (std::size_t hop = 0; hop < flow.longest.size(); ++hop) {
    const network::QueueTraffic& traffic = entry.answer().paths.queues.traffic[flow.longest[hop]];
    if (traffic.sources.size() + traffic.bursts.size() > most_sources) continue;
    const auto add = [&](std::int64_t count, const Rational& rate, Value burst, Value on_rate, Value share) {
      rows.push_back({{"hop", Whole{static_cast<std::int64_t>(hop + 1)}},
                      {"count", Whole{count}},
                      {"rate", Given{rate}},
                      {"burst", std::move(burst)},
                      {"on_rate", std::move(on_rate)},
                      {"share", std::move(share)}});
    };
    for (const network::SourceRate& source : traffic.sources)
      add(source.count, source.rate, None{}, None{}, None{});
    for (const network::BurstySource& each : traffic.bursts)
      add(each.count, bursts_rate(each), Given{1 / each.source.stop}, Given{each.source.on_rate},
          Given{each.share});
  }
  return rows;
}

Cells reorder_level_cells(const ReorderTargets& targets, const ReorderAnswer& reorder, numeric::Digits digits,
                          std::size_t i) {
  const Value probability = shown_reorder(reorder, reorder.tail[i]);
  return {{"level", shown(targets.levels[i])},
          {"probability", probability},
          {"certainty", Text{certainty(probability, digits)}}};
}

Rows reorder_rows(const std::shared_ptr<const ReorderAnswer>& reorder, const ReorderTargets& targets,
                  numeric::Digits digits, bool in_text) {
  return {.key = "reorder_tail",
          .size = reorder->tail.size(),
          .row = [reorder, targets,
                  digits](std::size_t i) { return reorder_level_cells(targets, *reorder, digits, i); },
          .in_text = in_text};
}

std::vector<Rows> tables_of(const DelayEntry& entry, bool in_text) {
  std::vector<Rows> tables;
  const auto add = [&](const char* key, std::size_t size, Cells (*row)(const DelayEntry&, std::size_t)) {
    tables.push_back({.key = key,
                      .size = size,
                      .row = [entry, row](std::size_t i) { return row(entry, i); },
                      .in_text = in_text});
  };
  add("percentiles", entry.found().delay.queueing.size(), &percentile_cells);
  add("ccdf", entry.found().delay.above.size(), &level_cells);
  add("hops", entry.path().longest.size(), &hop_cells);
  tables.push_back({.key = "hop_sources",
                    .size = source_rows(entry).size(),
                    .row = [entry](std::size_t i) { return source_rows(entry)[i]; },
                    .in_text = false});
  if (entry.found().reorder && !entry.found().reorder->tail.empty()) {
    // Lives as long as the points do.
    const std::shared_ptr<const ReorderAnswer> reorder(entry.points, &*entry.found().reorder);
    tables.push_back(reorder_rows(reorder, *entry.question().reorder, entry.question().digits, in_text));
  }
  if (const auto& check = entry.answer().check; check && !check->levels.empty()) {
    std::vector<std::optional<std::size_t>> flows{checked_flow(entry)};
    if (flows.front() && entry.flow == 0) flows.emplace_back();
    tables.push_back(check_rows(*check, flows));
  }
  return tables;
}

/// Percentiles and P(D > t) as columns of a text table, that data formats have as tables of each result.
void add_text_columns(Document& document, const std::vector<DelayEntry>& entries) {
  const DelayQuestion& first = entries.front().question();
  const bool ns = first.units.slot_ns().has_value();
  for (const Rational& p : first.percentiles) {
    document.text_columns.push_back({percent_text(p), percent_text(p) + " %", "", Shape::text, ""});
    if (ns)
      document.text_columns.push_back(
          {percent_text(p) + " ns", percent_text(p) + " %", "ns", Shape::given, ""});
  }
  const bool levels = first.levels.size() <= most_level_columns;
  if (levels)
    for (const Slots level : first.levels)
      document.text_columns.push_back({fmt::format("above {}", level.value),
                                       fmt::format("P(D > {})", level.value), "", Shape::claim, ""});
  for (std::size_t i = 0; i < entries.size(); ++i) {
    const bounds::ClaimedDelayAnswer& delay = entries[i].found().delay;
    Cells& cells = document.results[i].text_cells;
    for (std::size_t j = 0; j < delay.queueing.size(); ++j) {
      const std::string key = percent_text(delay.queueing[j].probability);
      cells.push_back(
          {key, Text{fmt::format("{} / {}", delay.queueing[j].slots.value, delay.latency[j].slots.value)}});
      if (ns) cells.push_back({key + " ns", entry_latency_ns(entries[i], j)});
    }
    if (levels)
      for (const bounds::ClaimedSlotProbability& above : delay.above)
        cells.push_back({fmt::format("above {}", above.slots.value), shown(above.probability)});
  }
}

std::vector<Column> reorder_input_columns() {
  return {{"reorder", "reorder target", "", Shape::given, "EPS of the least b with P(R > b) <= EPS"},
          {"flow_rate", "flow rate", "packets/slot", Shape::given,
           "of the flow that is put in order, above 0, at most 1", Style::hidden}};
}

/// Flow rates are shown in text where they were asked for.
void show_flow_rates(Layout& layout) {
  for (Column& column : layout.inputs)
    if (column.key == "flow_rate") column.style = Style::plain;
}

}  // namespace

Layout delay_layout() {
  const auto probability = [](const char* key, const char* heading, const char* meaning, Style style,
                              int digits = 0) {
    return Column{.key = key,
                  .heading = heading,
                  .unit = "",
                  .shape = Shape::claim,
                  .meaning = meaning,
                  .style = style,
                  .digits = digits};
  };
  const Column kind{"certainty", "kind", "", Shape::text, "the kind of truth in words"};
  Layout layout{.command = "delay", .inputs = {}, .results = {}};
  layout.inputs = joined(
      topology_columns(),
      {{"flow", "flow", "", Shape::text, "of a network, by name"},
       {"source", "source", "", Shape::text, "host that sends the flow", Style::hidden},
       {"destination", "destination", "", Shape::text, "host that the flow is for", Style::hidden},
       {"rate", "rate", "packets/slot", Shape::given, "of the flow"},
       {"delays", "delays", "", Shape::text, "file of the delays' own distribution"},
       {"sources", "sources", "", Shape::text, "who feeds a queue: decoupled or first-hop"},
       {"delay", "delay", "", Shape::text, "of a hop: wait or occupancy"},
       {"hops", "hops", "", Shape::text,
        "how waits depend on each other: chain (each on the one before), independent, bound (as they "
        "may); or one queue"},
       {"hops_reason", "why", "", Shape::text,
        "why no sounder model answers: what the model contradicts, or which limit it meets", Style::hidden},
       {"drop", "target", "", Shape::given, "EPS, the target of each buffer, above 0 and below 1"},
       {"criterion", "criterion", "", Shape::text,
        "of the buffers; overflow: P(Q > B); or loss: the fraction of packets lost"}});
  layout.inputs = joined(std::move(layout.inputs), load_scale_inputs());
  layout.inputs = joined(std::move(layout.inputs), reorder_input_columns());
  layout.inputs.push_back(
      {"digits", "digits", "", Shape::whole, "significant digits to prove", Style::hidden});
  layout.inputs = joined(std::move(layout.inputs), unit_columns());
  layout.inputs.push_back(hop_column());
  layout.results = {
      {"queues", "queues", "", Shape::whole, "on the longest route"},
      {.key = "mean_queueing_slots",
       .heading = "mean queueing",
       .unit = "slots",
       .shape = Shape::claim,
       .meaning = "E[D], the time in queues without the packets' own slots",
       .digits = 5},
      {"mean_latency_slots", "mean latency", "slots", Shape::claim,
       "E[T], T = D + a slot for each queue passed; the sender's own link takes none", Style::hidden},
      {"mean_latency_ns", "mean latency", "ns", Shape::claim, "the same in ns, with what the hops add",
       Style::hidden},
      {"total_buffer", "buffers", "packets", Shape::whole,
       "room of all queues on the longest route; each counts the packet in service"},
      {"reorder_buffer", "reorder buffer", "packets", Shape::whole,
       "least b with P(R > b) <= EPS, R: the delivered packets of a flow that wait for an older one"},
      {"reorder_probability", "", "", Shape::claim, "P(R > b)", Style::hidden},
      {"reorder_probability_before", "", "", Shape::claim, "P(R > b - 1), above EPS; null if b is 0",
       Style::hidden}};
  layout.results = joined(std::move(layout.results), load_scale_results());
  layout.results = joined(std::move(layout.results), fabric_results());
  layout.tables = {
      {"percentiles",
       "of the delay, a row a percentile",
       {{"percentile", "percentile", "%", Shape::given, "p"},
        {"exceeded_by", "", "", Shape::given, "1 - p as a fraction: of so many packets", Style::hidden},
        {"queueing_slots", "queueing", "slots", Shape::whole, "the least t with P(D <= t) >= p"},
        {"latency_slots", "latency", "slots", Shape::whole, "the least t with P(T <= t) >= p"},
        {"latency_ns", "latency", "ns", Shape::given, "the same in ns, with what the hops add"},
        probability("queueing_probability", "P(D > t)", "P(D > queueing_slots), at most 1 - p", Style::plain,
                    4),
        probability("queueing_probability_before", "P(D > t - 1)",
                    "P(D > queueing_slots - 1), above 1 - p; null at the least possible delay", Style::plain,
                    4),
        probability("latency_probability", "", "P(T > latency_slots), at most 1 - p", Style::hidden),
        probability("latency_probability_before", "",
                    "P(T > latency_slots - 1), above 1 - p; null at the least possible delay",
                    Style::hidden)}},
      {"ccdf",
       "the distribution of the queueing delay, a row a level",
       {{.key = "slots", .heading = "t", .unit = "slots", .shape = Shape::whole, .meaning = "t", .stem = ""},
        probability("probability", "P(D > t)", "P(D > t)", Style::plain),
        kind}},
      {"hops",
       "the queues of the longest route, in their order",
       {{"hop", "hop", "", Shape::whole, "1, 2, .."},
        {"link", "link", "", Shape::text, "of a network: left -> right"},
        {"load", "load", "packets/slot", Shape::given, "of the queue"},
        {"sources", "sources", "", Shape::text, "that feed it, in words"},
        {.key = "buffer",
         .heading = "buffer",
         .unit = "packets",
         .shape = Shape::whole,
         .meaning = "B: the least that meets the target; the packet in service counts",
         .stem = ""},
        probability("probability", "P or loss at B", "the criterion at B", Style::plain)}},
      {"hop_sources",
       "the sources that feed the queues of `hops`; none of a queue with more than 64 kinds of them",
       {{"hop", "hop", "", Shape::whole, "of which queue"},
        {"count", "count", "", Shape::whole, "of sources alike"},
        {"rate", "rate", "packets/slot", Shape::given, "of each"},
        {"burst", "burst", "", Shape::given, "mean length of its bursts [slots]; null without"},
        {"on_rate", "on-rate", "", Shape::given, "packets a slot within a burst; null without"},
        {"share", "share", "", Shape::given,
         "of its bursts that come to this queue, each as a whole; null without bursts"}}},
      {"reorder_tail",
       "the distribution of the reorder buffer of a flow, a row a level",
       {{"level", "b", "packets", Shape::whole, "b"},
        probability("probability", "P(R > b)", "P(R > b)", Style::plain),
        kind}},
      load_scale_table()};
  layout.tables = joined(std::move(layout.tables), fabric_tables());
  layout.tables.push_back(check_table());
  layout.quiet = {"percentile", "queueing_slots", "latency_slots"};
  layout.quiet_table = "percentiles";
  return layout;
}

Document document(std::vector<DelayPoint> given) {
  const auto points = share(std::move(given));
  const std::vector<DelayEntry> entries = delay_entries(points);
  const DelayQuestion& first = points->front().first;
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
      .headline = one ? delay_headline(entries.front()) : delay_headline(*points, entries.size()),
      .results = {},
      .notes = delay_notes(*points, one),
      .digits = first.digits};
  for (const DelayEntry& entry : entries) {
    Result& result = document.results.emplace_back();
    result.inputs = input_cells(entry);
    result.cells = result_cells(entry);
    result.tables = tables_of(entry, one);
    if (one) result.lines = delay_lines(entry);
  }
  if (!one) add_text_columns(document, entries);
  if (const auto& [question, last] = points->back(); last.stopped) {
    document.stopped = true;
    document.stopped_after = fmt::format("{} of {} flows", last.flows.size(), last.paths.flows.size());
  }
  document = with_units(std::move(document), scale_of(first.units));
  document.picture = [points, without_picture = document] { return delay_picture(without_picture, points); };
  return document;
}

Document document(const std::vector<ReorderPoint>& points) {
  const ReorderQuestion& first = points.front().first;
  const bool one = points.size() == 1;
  Layout layout = delay_layout();
  show_flow_rates(layout);
  layout.quiet = {"reorder_buffer"};
  layout.quiet_table.clear();
  if (!first.targets.probability) {
    layout.quiet = {"level", "probability"};
    layout.quiet_table = "reorder_tail";
  }
  Document document{
      .layout = std::make_shared<const Layout>(std::move(layout)),
      .headline = "Reorder buffer for the delays of " + first.file,
      .results = {},
      .notes = {"R: delivered packets that wait for an older one; delays are taken as independent "
                "of one another."},
      .digits = first.digits};
  for (const auto& [question, answer] : points) {
    Result& result = document.results.emplace_back();
    result.inputs = {{"delays", Text{question.file}}};
    result.inputs = joined(std::move(result.inputs), reorder_inputs(question.targets, answer.flow_rate));
    result.inputs.push_back({"digits", Whole{question.digits.count}});
    result.inputs = joined(std::move(result.inputs), unit_cells(question.units));
    result.cells = reorder_cells(answer);
    if (!answer.tail.empty())
      result.tables.push_back(reorder_rows(std::make_shared<const ReorderAnswer>(answer), question.targets,
                                           question.digits, true));
    if (one) {
      if (answer.size)
        result.lines = {{"reorder buffer", reorder_in_words(question.targets, answer, question.digits,
                                                            scale_of(question.units))}};
      else
        result.lines = {{"flow", plain(question.flow_rate) + " packets a slot"}};
    }
    result.caption = "flow of " + plain(question.flow_rate) + " packets a slot";
  }
  document = with_units(std::move(document), scale_of(first.units));
  document.picture = []() -> Picture { throw NoAnswer("there is nothing to draw: the delays are given"); };
  return document;
}

}  // namespace tailbound::render
