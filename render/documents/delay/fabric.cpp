#include <cln/rational.h>
#include <fmt/format.h>
#include <tailbound/core/choice.hpp>
#include <tailbound/numeric/text/plain.hpp>
#include <tailbound/render/documents/delay/cross_check.hpp>
#include <tailbound/render/documents/delay/delay.hpp>
#include <tailbound/render/documents/delay/fabric.hpp>
#include <tailbound/render/documents/parts/topology.hpp>
#include <tailbound/render/documents/parts/units.hpp>
#include <tailbound/render/sweep_picture.hpp>

#include <algorithm>
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
constexpr std::size_t most_rows_shown = 16;

std::string fabric_in_words(const FabricTopology& topology) {
  std::string words = topology.name() + failures_in_words(topology.without);
  if (topology.uniform)
    words += fmt::format(" under uniform traffic of {} packets a slot", plain(*topology.uniform));
  if (topology.load_scale) words += fmt::format(" with its rates times {}", plain(*topology.load_scale));
  return words;
}

// --- fields

const std::vector<FabricPercentile>& percentiles_of(const FabricAnswer& answer) {
  return answer.pairs ? answer.pairs->all.percentiles : answer.pair->percentiles;
}

std::optional<Packets> greatest_buffer(const FabricAnswer& answer) {
  std::optional<Packets> greatest;
  for (const FabricQueueClass& queue : answer.queues)
    if (queue.buffer) greatest = std::max(greatest.value_or(Packets(0)), queue.buffer->buffer);
  return greatest;
}

/// For switches with shared memory; none if there is no such switch.
std::optional<Packets> greatest_memory(const FabricAnswer& answer) {
  std::optional<Packets> greatest;
  for (const FabricSwitchClass& its : answer.by_switch)
    if (its.memory) greatest = std::max(greatest.value_or(Packets(0)), its.memory->memory);
  return greatest;
}

const Fields<FabricQuestion>& fabric_input_fields() {
  using Question = FabricQuestion;
  static const Fields<Question> fields{
      {network_fields<FabricTopology>(&FabricTopology::name), &Question::topology},
      {delay_columns().flow, &Question::flow, if_there},
      {delay_columns().sources, [](const Question&) { return "decoupled"; }},
      {delay_columns().hop_delay, [](const Question&) { return "wait"; }},
      {drop_target_fields(), &Question::drop},
      {delay_columns().digits, [](const Question& of) { return of.digits.count; }},
      {unit_fields(), &Question::units}};
  return fields;
}

Column claim(const char* key, const char* heading, const char* meaning, Style style = Style::plain,
             int digits = 0) {
  return {key, heading, "", Shape::claim, meaning, style, digits};
}

/// Of all pairs.
const Fields<bounds::FabricDelayAnswer>& pairs_fields() {
  using Pairs = bounds::FabricDelayAnswer;
  static const Fields<Pairs> fields{
      {{"mean_percentile_slots", "mean of pairs", "slots", Shape::proved,
        "mean over all pairs of their own last percentiles", Style::plain, 5},
       [](const Pairs& of) { return of.all.percentiles.back().mean; }},
      {{"worst_slots", "worst pair", "slots", Shape::whole, "last percentile of the worst pair"},
       [](const Pairs& of) { return of.all.percentiles.back().worst; }},
      {{"undecided", "", "", Shape::whole,
        "percentiles of pairs within rounding of a boundary: the greater slot counts", Style::hidden},
       &Pairs::undecided}};
  return fields;
}

const Fields<FabricAnswer>& fabric_result_fields() {
  using Answer = FabricAnswer;
  static const Fields<Answer> fields{
      {delay_columns().queues, [](const Answer& of) { return of.pair->hops; },
       [](const Answer& of) { return !of.pairs; }},
      {delay_columns().mean_latency_slots,
       [](const Answer& of) { return shown(of.pairs ? of.pairs->all.mean_latency : of.pair->mean_latency); }},
      {{"hosts", "hosts", "", Shape::whole, "of a network that is answered as a whole"}, &Answer::hosts},
      {{"switches", "switches", "", Shape::whole, "of it"}, &Answer::switches},
      {{"links", "links", "", Shape::whole, "of it, each direction of a wire one"}, &Answer::links},
      {{"queue_classes", "kinds of queues", "", Shape::whole, "queues that differ in their traffic"},
       [](const Answer& of) { return of.queues.size(); }},
      {{"greatest_load", "greatest load", "packets/slot", Shape::proved,
        "of the queue with the greatest share of what it takes, exact", Style::plain, 6},
       [](const Answer& of) { return of.queues.empty() ? Rational(0) : of.queues.front().load; }},
      {{"pairs", "pairs", "", Shape::whole,
        "hosts of which one sends to the other, once for each way of routing"},
       [](const Answer& of) { return of.pairs->all.pairs; },
       [](const Answer& of) { return of.pairs.has_value(); }},
      {{"latency_slots", "latency", "slots", Shape::whole, "last percentile of the latency of all packets"},
       [](const Answer& of) { return percentiles_of(of).back().slots; }},
      {pairs_fields(), &Answer::pairs},
      {{"greatest_buffer", "greatest buffer", "packets", Shape::whole, "of all queues, for the target"},
       &greatest_buffer,
       if_there},
      {{"greatest_memory", "greatest memory", "packets", Shape::whole,
        "of all switches whose queues share one, for the target"},
       &greatest_memory,
       if_there}};
  return fields;
}

/// \param latency, at, before  values for the selected packets
Fields<FabricPercentile> fabric_percentiles(const Column& latency, const Column& at, const Column& before) {
  using Percentile = FabricPercentile;
  return {{delay_columns().percentile, [](const Percentile& of) { return Rational(of.probability * 100); }},
          {delay_columns().exceeded_by, [](const Percentile& of) { return Rational(1 - of.probability); }},
          {latency, &Percentile::slots},
          {at, &Percentile::at},
          {before, &Percentile::before}};
}

const Table<FabricPercentile>& fabric_percentile_table() {
  static const Table<FabricPercentile> table{
      "percentiles", "of the latency",
      fabric_percentiles(delay_columns().latency_slots, delay_columns().latency_probability,
                         delay_columns().latency_probability_before)};
  return table;
}

/// A percentile of all pairs, or of those with a given number of queues on their path.
struct PairRow {
  const network::Network& network;
  const FabricPairs& pairs;
  const FabricPercentile& percentile;
  bool all = false;
};

PairRow pair_row(const network::Network& network, const bounds::FabricDelayAnswer& found, std::size_t row) {
  const std::size_t each = found.all.percentiles.size();
  const bool all = row < each;
  const FabricPairs& pairs = all ? found.all : found.by_hops[row / each - 1];
  return {network, pairs, pairs.percentiles[row % each], all};
}

std::string worst_pair(const PairRow& row) {
  return row.network.nodes[row.percentile.from].name + " -> " + row.network.nodes[row.percentile.to].name;
}

const Table<PairRow>& pair_table() {
  static const Table<PairRow> table{
      "pairs",
      "of a network answered as a whole, a row for each percentile and number of queues passed",
      {{{"pair_queues", "queues", "", Shape::text,
         "on the ways of these pairs, of Valiant routes the fewest; all: whatever their ways"},
        [](const PairRow& of) { return of.all ? "all" : std::to_string(of.pairs.hops); }},
       {{"pairs", "pairs", "", Shape::whole, "how many send"},
        [](const PairRow& of) { return of.pairs.pairs; }},
       {{"share", "packets", "", Shape::claim, "their share of all packets", Style::percent, 4},
        [](const PairRow& of) { return of.pairs.share; }},
       {fabric_percentiles(
            {"latency_slots", "latency", "slots", Shape::whole,
             "the least t with P(T <= t) >= p, of all their packets"},
            claim("latency_probability", "P(T > t)", "P(T > latency_slots), at most 1 - p", Style::plain, 4),
            claim("latency_probability_before", "",
                  "P(T > latency_slots - 1), above 1 - p; null at the least latency", Style::hidden)),
        [](const PairRow& of) -> const FabricPercentile& { return of.percentile; }},
       {{"best_slots", "best", "", Shape::whole, "least of the pairs' own percentiles [slots]"},
        [](const PairRow& of) { return of.percentile.best; }},
       {{"mean_percentile_slots", "mean", "", Shape::proved,
         "mean of the pairs' own percentiles, exact [slots]", Style::plain, 5},
        [](const PairRow& of) { return of.percentile.mean; }},
       {{"worst_slots", "worst", "", Shape::whole, "greatest of the pairs' own percentiles [slots]"},
        [](const PairRow& of) { return of.percentile.worst; }},
       {claim("worst_probability", "", "P(T > worst_slots) of that pair", Style::hidden),
        [](const PairRow& of) { return of.percentile.worst_at; }},
       {{"worst_pair", "worst pair", "", Shape::text, "the first of those alike"}, &worst_pair}}};
  return table;
}

const Fields<FabricQueueClass>& queue_fields() {
  using Queues = FabricQueueClass;
  static const Fields<Queues> fields{
      {{"queue", "queue", "", Shape::text, "the first of them: left -> right"}, &Queues::name},
      {{"alike", "alike", "", Shape::whole, "queues with the same traffic; or switches with the same room"},
       &Queues::queues},
      {{"packets_per_slot", "", "", Shape::whole, "what the link takes [packets/slot]", Style::hidden},
       &Queues::packets_per_slot},
      {{"load", "load", "packets/slot", Shape::proved, "of one, exact", Style::plain, 6}, &Queues::load},
      {{"feeding", "fed by", "", Shape::whole, "nodes that send through one of them"}, &Queues::sources},
      {{"mean_wait_slots", "mean wait", "", Shape::claim, "E[W] of one [slots]", Style::plain, 5},
       &Queues::mean_wait},
      {{"buffer", "buffer", "packets", Shape::whole, "least room of one for the target"},
       [](const Queues& of) { return of.buffer->buffer; },
       &Queues::buffer},
      {claim("probability", "P(. > B)", "of the criterion with that room, at most the target", Style::plain,
             4),
       [](const Queues& of) { return of.buffer->at.probability; }, &Queues::buffer},
      {claim("probability_before", "", "with one packet less, above the target; null if the room is 0",
             Style::hidden),
       [](const Queues& of) {
         return of.buffer->before ? shown(of.buffer->before->probability) : Value(None{});
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
      {{"alike", "alike", "", Shape::whole, "switches whose queues need the same room"},
       [](const SwitchRow& of) { return of.its.switches; }},
      {{"ports", "queues", "", Shape::whole, "of one, with traffic"},
       [](const SwitchRow& of) { return of.its.queues; }},
      {{"largest_buffer", "largest buffer", "", Shape::whole, "of its queues [packets]"},
       [](const SwitchRow& of) { return of.its.largest; }},
      {{"switch_buffer", "all buffers", "packets", Shape::whole, "of one switch, each queue with its own"},
       [](const SwitchRow& of) { return of.its.buffer; }},
      {{"shared_memory", "shared", "packets", Shape::whole,
        "least memory of one switch whose queues share it that is proved to be enough; null: they do not "
        "share"},
       [](const SwitchRow& of) { return of.its.memory ? shown(of.its.memory->memory) : Value(None{}); },
       &SwitchRow::sharing},
      {claim("memory_probability", "", "upper bound of the criterion with that memory", Style::hidden),
       [](const SwitchRow& of) { return of.its.memory ? shown(of.its.memory->at) : Value(None{}); },
       &SwitchRow::sharing}};
  return fields;
}

const char* const first_of_many = "the first of them, where there are many";

const Table<FabricQueueClass>& queue_table() {
  static const Table<FabricQueueClass> table{
      "queue_classes", "queues with the same traffic, by falling share of what the link takes",
      queue_fields()};
  return table;
}

const Table<SwitchRow>& switch_table() {
  static const Table<SwitchRow> table{
      "switch_classes", "switches whose queues need the same room, by falling room", switch_fields()};
  return table;
}

std::string first_of(std::size_t shown_rows, std::size_t all, const char* what) {
  return shown_rows < all ? fmt::format("{} of {} {}:", shown_rows, all, what) : std::string();
}

/// The complete table for data formats; if it is long, also its first rows for text.
void add_rows(std::vector<Rows>& tables, Rows rows, const char* text_key, const char* what, bool one) {
  const std::size_t size = rows.size;
  rows.in_text = one && size <= most_rows_shown;
  tables.push_back(rows);
  if (size <= most_rows_shown) return;
  rows.key = text_key;
  rows.size = most_rows_shown;
  rows.caption = first_of(most_rows_shown, size, what);
  rows.in_text = one;
  tables.push_back(std::move(rows));
}

std::vector<Rows> tables(const Shared<FabricPoint>& points, std::size_t i, bool one) {
  const FabricAnswer& answer = (*points)[i].second;
  std::vector<Rows> tables;
  if (answer.pairs)
    tables.push_back(
        pair_table().rows(answer.pairs->all.percentiles.size() * (answer.pairs->by_hops.size() + 1),
                          [points, i](std::size_t row) {
                            const auto& [question, found] = (*points)[i];
                            return pair_row(question.topology.fabric->network, *found.pairs, row);
                          }));
  else
    tables.push_back(fabric_percentile_table().rows(answer.pair->percentiles.size(),
                                                    [points, i](std::size_t row) -> const FabricPercentile& {
                                                      return (*points)[i].second.pair->percentiles[row];
                                                    }));
  tables.back().in_text = one;
  add_rows(tables,
           queue_table().rows(answer.queues.size(),
                              [points, i](std::size_t row) -> const FabricQueueClass& {
                                return (*points)[i].second.queues[row];
                              }),
           "busiest_queues", "kinds of queues, by load", one);
  if (!answer.by_switch.empty())
    add_rows(tables,
             switch_table().rows(answer.by_switch.size(),
                                 [points, i, sharing = greatest_memory(answer).has_value()](std::size_t row) {
                                   return SwitchRow{(*points)[i].second.by_switch[row], sharing};
                                 }),
             "largest_switches", "kinds of switches, by room", one);
  if (answer.check && !answer.check->levels.empty())
    tables.push_back(check_rows(*answer.check, {std::nullopt}));
  return tables;
}

// --- text

std::string headline(const FabricPoint& point) {
  const auto& [question, answer] = point;
  const FabricPercentile& last = percentiles_of(answer).back();
  std::string text = question.flow
                         ? fmt::format("{}, from {}: {} % of the packets take at most {} slots",
                                       fabric_in_words(question.topology), *question.flow,
                                       plain(last.probability * 100), last.slots.value)
                         : fmt::format("{}: {} % of all packets take at most {} slots; of the worst pair {}",
                                       fabric_in_words(question.topology), plain(last.probability * 100),
                                       last.slots.value, last.worst.value);
  if (question.drop)
    text += fmt::format(";\n{} packets are room enough for each queue: {} at most {}",
                        greatest_buffer(answer)->value,
                        question.drop->criterion == bounds::Criterion::overflow ? "P(Q > B)" : "its loss",
                        plain(question.drop->probability));
  if (const auto memory = greatest_memory(answer))
    text += fmt::format(";\n{} packets are proved to be enough for the memory of each switch that shares one",
                        memory->value);
  return text + ".";
}

std::vector<Line> lines(const FabricPoint& point) {
  const auto& [question, answer] = point;
  std::vector<Line> lines{
      {"network",
       fmt::format(
           "{} hosts, {} switches, {} links; {} of queues", answer.hosts, answer.switches, answer.links,
           answer.queues.size() == 1 ? "one kind" : std::to_string(answer.queues.size()) + " kinds")}};
  if (answer.pairs) {
    lines.push_back({"pairs", fmt::format("{} send; {} walked for all, {}", answer.pairs->all.pairs,
                                          counted(answer.pairs->destinations, "destination"),
                                          counted(answer.pairs->distributions, "distribution"))});
    lines.push_back({"mean latency", brief(shown(answer.pairs->all.mean_latency), {6}) + " slots"});
  } else {
    lines.push_back({"queues", fmt::format("{} on its ways", answer.pair->hops)});
    lines.push_back({"mean latency", brief(shown(answer.pair->mean_latency), {6}) + " slots"});
  }
  return lines;
}

std::vector<std::string> notes(const std::vector<FabricPoint>& points) {
  std::vector<std::string> notes{
      "T: latency, queueing and " + latency_slots_in_words() +
          ". Pairs: hosts of which one sends to the other; "
          "mean, "
          "best and worst are of the pairs' own percentiles, latency is of all their packets together.",
      "model: every queue is fed as its sources send; waits at successive queues are added as independent, "
      "though "
      "they are correlated: deep in the tail the sums are optimistic. Loads are exact, probabilities proved "
      "within "
      "the model."};
  if (std::any_of(points.begin(), points.end(),
                  [](const FabricPoint& point) { return greatest_memory(point.second).has_value(); }))
    notes.push_back(
        "shared: one memory for all queues of a switch, any queue may take all of it. An upper bound from "
        "the laws "
        "of the single queues: P(T > M), or the share of the switch's packets that is lost, is at most the "
        "target.");
  std::uint64_t undecided = 0;
  for (const FabricPoint& point : points)
    if (point.second.pairs) undecided += point.second.pairs->undecided;
  if (undecided > 0)
    notes.push_back(
        fmt::format("{} percentiles of pairs lie within rounding of a slot's boundary: the greater slot "
                    "is given, an upper bound.",
                    undecided));
  for (const FabricPoint& point : points) add_remarks(notes, point.first.topology.fabric->network);
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

Document document(std::vector<FabricPoint> given) {
  const auto points = share(std::move(given));
  const bool one = points->size() == 1;
  Layout layout = delay_layout();
  layout.quiet = {"latency_slots"};
  layout.quiet_table.clear();
  const FabricQuestion& first = points->front().first;
  Document document{
      .layout = std::make_shared<const Layout>(std::move(layout)),
      .headline = one ? headline(points->front()) : "Latencies of " + first.topology.name() + ":",
      .results = {},
      .notes = notes(*points),
      .digits = first.digits};
  for (std::size_t i = 0; i < points->size(); ++i) {
    Result& result = document.results.emplace_back();
    result.inputs = fabric_input_fields().cells((*points)[i].first);
    result.cells = fabric_result_fields().cells((*points)[i].second);
    result.tables = tables(points, i, one);
    if (one) result.lines = lines((*points)[i]);
  }
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
