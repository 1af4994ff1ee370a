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

/// Rows of text tables; the rest is in data formats.
constexpr std::size_t most_rows_shown = 16;

std::string fabric_in_words(const FabricTopology& topology) {
  std::string words = topology.name() + failures_in_words(topology.without);
  if (topology.uniform)
    words += fmt::format(" under uniform traffic of {} packets a slot", plain(*topology.uniform));
  if (topology.load_scale) words += fmt::format(" with its rates times {}", plain(*topology.load_scale));
  return words;
}

// --- cells

Cells input_cells(const FabricQuestion& question) {
  const FabricTopology& topology = question.topology;
  Cells cells{{"network", Text{topology.name()}}};
  if (topology.matrix) cells.push_back({"matrix", Text{*topology.matrix}});
  cells = joined(std::move(cells), failure_cells(topology.without));
  if (topology.uniform) cells.push_back({"uniform", Given{*topology.uniform}});
  if (topology.load_scale) cells.push_back({"load_scale", Given{*topology.load_scale}});
  if (question.flow) cells.push_back({"flow", Text{*question.flow}});
  cells.push_back({"sources", Text{"decoupled"}});
  cells.push_back({"delay", Text{"wait"}});
  if (question.drop) {
    cells.push_back({"drop", Given{question.drop->probability}});
    cells.push_back({"criterion", Text{name_of(question.drop->criterion)}});
  }
  cells.push_back({"digits", Whole{question.digits.count}});
  return joined(std::move(cells), unit_cells(question.units));
}

std::int64_t whole(std::uint64_t value) {
  return static_cast<std::int64_t>(value);
}

const std::vector<FabricPercentile>& percentiles_of(const FabricAnswer& answer) {
  return answer.pairs ? answer.pairs->all.percentiles : answer.pair->percentiles;
}

Packets greatest_buffer(const FabricAnswer& answer) {
  Packets greatest;
  for (const FabricQueueClass& queue : answer.queues) greatest = std::max(greatest, queue.buffer->buffer);
  return greatest;
}

/// Of switches whose queues share it; none where no switch does.
std::optional<Packets> greatest_memory(const FabricAnswer& answer) {
  std::optional<Packets> greatest;
  for (const FabricSwitchClass& its : answer.by_switch)
    if (its.memory) greatest = std::max(greatest.value_or(Packets(0)), its.memory->memory);
  return greatest;
}

Cells result_cells(const FabricPoint& point) {
  const FabricAnswer& answer = point.second;
  Cells cells{{"hosts", Whole{whole(answer.hosts)}},
              {"switches", Whole{whole(answer.switches)}},
              {"links", Whole{whole(answer.links)}},
              {"queue_classes", Whole{whole(answer.queues.size())}},
              {"greatest_load", Exact{answer.queues.empty() ? Rational(0) : answer.queues.front().load}}};
  if (answer.pairs) {
    cells.push_back({"pairs", Whole{whole(answer.pairs->all.pairs)}});
    cells.push_back({"mean_latency_slots", shown(answer.pairs->all.mean_latency)});
  } else {
    cells.push_back({"queues", Whole{answer.pair->hops}});
    cells.push_back({"mean_latency_slots", shown(answer.pair->mean_latency)});
  }
  const FabricPercentile& last = percentiles_of(answer).back();
  cells.push_back({"latency_slots", shown(last.slots)});
  if (answer.pairs) {
    cells.push_back({"mean_percentile_slots", Exact{last.mean}});
    cells.push_back({"worst_slots", shown(last.worst)});
    cells.push_back({"undecided", Whole{whole(answer.pairs->undecided)}});
  }
  if (point.first.drop) cells.push_back({"greatest_buffer", shown(greatest_buffer(answer))});
  if (const auto memory = greatest_memory(answer)) cells.push_back({"greatest_memory", shown(*memory)});
  return cells;
}

Cells percentile_cells(const FabricPercentile& percentile) {
  return {{"percentile", Given{percentile.probability * 100}},
          {"exceeded_by", Given{1 - percentile.probability}},
          {"latency_slots", shown(percentile.slots)},
          {"latency_probability", shown(percentile.at)},
          {"latency_probability_before", shown(percentile.before)}};
}

/// A row for each percentile of all pairs, then of those with so many queues on their way.
Cells pair_row(const network::Network& network, const bounds::FabricDelayAnswer& found, std::size_t row) {
  const std::size_t each = found.all.percentiles.size();
  const FabricPairs& pairs = row < each ? found.all : found.by_hops[row / each - 1];
  const FabricPercentile& percentile = pairs.percentiles[row % each];
  Cells cells{{"pair_queues", Text{row < each ? "all" : std::to_string(pairs.hops)}},
              {"pairs", Whole{whole(pairs.pairs)}},
              {"share", shown(pairs.share)}};
  cells = joined(std::move(cells), percentile_cells(percentile));
  return joined(std::move(cells), {{"best_slots", shown(percentile.best)},
                                   {"mean_percentile_slots", Exact{percentile.mean}},
                                   {"worst_slots", shown(percentile.worst)},
                                   {"worst_probability", shown(percentile.worst_at)},
                                   {"worst_pair", Text{network.nodes[percentile.from].name + " -> " +
                                                       network.nodes[percentile.to].name}}});
}

Cells queue_row(const FabricQueueClass& queue) {
  Cells cells{{"queue", Text{queue.name}},
              {"alike", Whole{whole(queue.queues)}},
              {"packets_per_slot", Whole{queue.packets_per_slot}},
              {"load", Exact{queue.load}},
              {"feeding", Whole{whole(queue.sources)}},
              {"mean_wait_slots", shown(queue.mean_wait)}};
  if (queue.buffer) {
    cells.push_back({"buffer", shown(queue.buffer->buffer)});
    cells.push_back({"probability", shown(queue.buffer->at.probability)});
    cells.push_back({"probability_before",
                     queue.buffer->before ? shown(queue.buffer->before->probability) : Value(None{})});
  }
  return cells;
}

Cells switch_row(const FabricSwitchClass& its, bool sharing) {
  Cells cells{{"switch", Text{its.name}},
              {"alike", Whole{whole(its.switches)}},
              {"ports", Whole{whole(its.queues)}},
              {"largest_buffer", shown(its.largest)},
              {"switch_buffer", shown(its.buffer)}};
  if (!sharing) return cells;
  cells.push_back({"shared_memory", its.memory ? shown(its.memory->memory) : Value(None{})});
  cells.push_back({"memory_probability", its.memory ? shown(its.memory->at) : Value(None{})});
  return cells;
}

std::string first_of(std::size_t shown_rows, std::size_t all, const char* what) {
  return shown_rows < all ? fmt::format("{} of {} {}:", shown_rows, all, what) : std::string();
}

std::vector<Rows> tables(const Shared<FabricPoint>& points, std::size_t i, bool one) {
  const FabricAnswer& answer = (*points)[i].second;
  std::vector<Rows> tables;
  if (answer.pairs) {
    const std::size_t rows = answer.pairs->all.percentiles.size() * (answer.pairs->by_hops.size() + 1);
    tables.push_back({.key = "pairs",
                      .size = rows,
                      .row =
                          [points, i](std::size_t row) {
                            const auto& [question, found] = (*points)[i];
                            return pair_row(question.topology.fabric->network, *found.pairs, row);
                          },
                      .in_text = one});
  } else {
    tables.push_back(
        {.key = "percentiles",
         .size = answer.pair->percentiles.size(),
         .row = [points,
                 i](std::size_t row) { return percentile_cells((*points)[i].second.pair->percentiles[row]); },
         .in_text = one});
  }
  const auto& check = answer.check;
  const auto add = [&](const char* key, const char* text_key, std::size_t size, const char* what, auto row) {
    const bool all = size <= most_rows_shown;
    tables.push_back({.key = key, .size = size, .row = row, .in_text = one && all});
    if (!all)
      tables.push_back({.key = text_key,
                        .size = most_rows_shown,
                        .row = row,
                        .caption = first_of(most_rows_shown, size, what),
                        .in_text = one});
  };
  add("queue_classes", "busiest_queues", answer.queues.size(), "kinds of queues, by load",
      [points, i](std::size_t row) { return queue_row((*points)[i].second.queues[row]); });
  if (!answer.by_switch.empty())
    add("switch_classes", "largest_switches", answer.by_switch.size(), "kinds of switches, by room",
        [points, i, sharing = greatest_memory(answer).has_value()](std::size_t row) {
          return switch_row((*points)[i].second.by_switch[row], sharing);
        });
  if (check && !check->levels.empty()) tables.push_back(check_rows(*check, {std::nullopt}));
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
                        greatest_buffer(answer).value,
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
  for (const FabricPoint& point : points)
    if (point.second.check)
      for (std::string& note : check_notes(*point.second.check, {})) notes.push_back(std::move(note));
  return notes;
}

Column claim(const char* key, const char* heading, const char* meaning, Style style, int digits = 0) {
  return {.key = key,
          .heading = heading,
          .unit = "",
          .shape = Shape::claim,
          .meaning = meaning,
          .style = style,
          .digits = digits};
}

std::vector<Column> queue_columns() {
  return {
      {"queue", "queue", "", Shape::text, "the first of them: left -> right"},
      {"alike", "alike", "", Shape::whole, "queues with the same traffic; or switches with the same room"},
      {"packets_per_slot", "", "", Shape::whole, "what the link takes [packets/slot]", Style::hidden},
      {.key = "load",
       .heading = "load",
       .unit = "packets/slot",
       .shape = Shape::proved,
       .meaning = "of one, exact",
       .digits = 6},
      {"feeding", "fed by", "", Shape::whole, "nodes that send through one of them"},
      {.key = "mean_wait_slots",
       .heading = "mean wait",
       .unit = "",
       .shape = Shape::claim,
       .meaning = "E[W] of one [slots]",
       .digits = 5},
      {"buffer", "buffer", "packets", Shape::whole, "least room of one for the target"},
      claim("probability", "P(. > B)", "of the criterion with that room, at most the target", Style::plain,
            4),
      claim("probability_before", "", "with one packet less, above the target; null if the room is 0",
            Style::hidden)};
}

std::vector<Column> switch_columns() {
  return {{"switch", "switch", "", Shape::text, "the first of them"},
          {"alike", "alike", "", Shape::whole, "switches whose queues need the same room"},
          {"ports", "queues", "", Shape::whole, "of one, with traffic"},
          {"largest_buffer", "largest buffer", "", Shape::whole, "of its queues [packets]"},
          {"switch_buffer", "all buffers", "packets", Shape::whole, "of one switch, each queue with its own"},
          {"shared_memory", "shared", "packets", Shape::whole,
           "least memory of one switch whose queues share it that is proved to be enough; null: they do not "
           "share"},
          claim("memory_probability", "", "upper bound of the criterion with that memory", Style::hidden)};
}

}  // namespace

std::vector<Column> fabric_results() {
  return {
      {"hosts", "hosts", "", Shape::whole, "of a network that is answered as a whole"},
      {"switches", "switches", "", Shape::whole, "of it"},
      {"links", "links", "", Shape::whole, "of it, each direction of a wire one"},
      {"queue_classes", "kinds of queues", "", Shape::whole, "queues that differ in their traffic"},
      {.key = "greatest_load",
       .heading = "greatest load",
       .unit = "packets/slot",
       .shape = Shape::proved,
       .meaning = "of the queue with the greatest share of what it takes, exact",
       .digits = 6},
      {"pairs", "pairs", "", Shape::whole,
       "hosts of which one sends to the other, once for each way of routing"},
      {"latency_slots", "latency", "slots", Shape::whole, "last percentile of the latency of all packets"},
      {.key = "mean_percentile_slots",
       .heading = "mean of pairs",
       .unit = "slots",
       .shape = Shape::proved,
       .meaning = "mean over all pairs of their own last percentiles",
       .digits = 5},
      {"worst_slots", "worst pair", "slots", Shape::whole, "last percentile of the worst pair"},
      {"undecided", "", "", Shape::whole,
       "percentiles of pairs within rounding of a boundary: the greater slot counts", Style::hidden},
      {"greatest_buffer", "greatest buffer", "packets", Shape::whole, "of all queues, for the target"},
      {"greatest_memory", "greatest memory", "packets", Shape::whole,
       "of all switches whose queues share one, for the target"}};
}

std::vector<TableLayout> fabric_tables() {
  const std::vector<Column> pairs{
      {"pair_queues", "queues", "", Shape::text,
       "on the ways of these pairs, of Valiant routes the fewest; all: whatever their ways"},
      {"pairs", "pairs", "", Shape::whole, "how many send"},
      {.key = "share",
       .heading = "packets",
       .unit = "",
       .shape = Shape::claim,
       .meaning = "their share of all packets",
       .style = Style::percent,
       .digits = 4},
      {"percentile", "percentile", "%", Shape::given, "p"},
      {"exceeded_by", "", "", Shape::given, "1 - p as a fraction: of so many packets", Style::hidden},
      {"latency_slots", "latency", "slots", Shape::whole,
       "the least t with P(T <= t) >= p, of all their packets"},
      claim("latency_probability", "P(T > t)", "P(T > latency_slots), at most 1 - p", Style::plain, 4),
      claim("latency_probability_before", "",
            "P(T > latency_slots - 1), above 1 - p; null at the least latency", Style::hidden),
      {"best_slots", "best", "", Shape::whole, "least of the pairs' own percentiles [slots]"},
      {.key = "mean_percentile_slots",
       .heading = "mean",
       .unit = "",
       .shape = Shape::proved,
       .meaning = "mean of the pairs' own percentiles, exact [slots]",
       .digits = 5},
      {"worst_slots", "worst", "", Shape::whole, "greatest of the pairs' own percentiles [slots]"},
      claim("worst_probability", "", "P(T > worst_slots) of that pair", Style::hidden),
      {"worst_pair", "worst pair", "", Shape::text, "the first of those alike"}};
  return {{"pairs", "of a network answered as a whole, a row for each percentile and number of queues passed",
           pairs},
          {"queue_classes", "queues with the same traffic, by falling share of what the link takes",
           queue_columns()},
          {"busiest_queues", "the first of them, where there are many", queue_columns()},
          {"switch_classes", "switches whose queues need the same room, by falling room", switch_columns()},
          {"largest_switches", "the first of them, where there are many", switch_columns()}};
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
    result.inputs = input_cells((*points)[i].first);
    result.cells = result_cells((*points)[i]);
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
