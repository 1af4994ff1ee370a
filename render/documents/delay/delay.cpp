#include <cln/integer.h>
#include <cln/rational.h>
#include <fmt/format.h>
#include <tailbound/answers/accuracy/accuracy_settings.hpp>
#include <tailbound/answers/latency_ns.hpp>
#include <tailbound/core/choice.hpp>
#include <tailbound/core/error.hpp>
#include <tailbound/numeric/text/plain.hpp>
#include <tailbound/render/documents/accuracy/accuracy.hpp>
#include <tailbound/render/documents/delay/cross_check.hpp>
#include <tailbound/render/documents/delay/delay.hpp>
#include <tailbound/render/documents/delay/fabric.hpp>
#include <tailbound/render/documents/delay/load_scale.hpp>
#include <tailbound/render/documents/parts/topology.hpp>
#include <tailbound/render/documents/parts/units.hpp>
#include <tailbound/render/sweep_picture.hpp>

#include <algorithm>
#include <cctype>
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

/// More columns P(D > t) than these no text table has.
constexpr std::size_t most_level_columns = 6;
/// Sources of a queue are listed one by one up to so many.
constexpr std::size_t most_sources = 64;

/// One flow of one question: a result. What was asked and found is shared by all that show it.
struct Entry {
  Shared<DelayPoint> points;
  std::size_t point = 0, flow = 0;

  [[nodiscard]] const DelayQuestion& question() const { return (*points)[point].first; }
  [[nodiscard]] const DelayAnswer& answer() const { return (*points)[point].second; }
  [[nodiscard]] const DelayFlow& path() const { return answer().paths.flows[flow]; }
  [[nodiscard]] const FlowDelay& found() const { return answer().flows[flow]; }
};

std::vector<Entry> entries_of(const Shared<DelayPoint>& points) {
  std::vector<Entry> entries;
  for (std::size_t i = 0; i < points->size(); ++i)
    for (std::size_t flow = 0; flow < (*points)[i].second.flows.size(); ++flow)
      entries.push_back({points, i, flow});
  return entries;
}

std::string percent(const Rational& p) {
  return plain(p * 100);
}

// --- numbers ---------------------------------------------------------------------------------------------

/// Of the latency, in ns, with what each hop adds.
Value mean_latency_ns(const Entry& entry) {
  return shown(answers::mean_latency_ns(
      entry.path().routes, entry.found().delay.mean_queueing,
      {.slot = *entry.question().units.slot_ns(), .hop = entry.question().hop_ns.value_or(Rational(0))}));
}

/// Of the percentile with that number, where units say how long a slot is.
Value latency_ns(const Entry& entry, std::size_t percentile) {
  const auto& times = entry.found().latency_ns;
  return percentile < times.size() ? Value(Given{times[percentile]}) : Value(None{});
}

// --- words -----------------------------------------------------------------------------------------------

/// What comes to the queue of each source [packets/slot].
Rational rate_of(const network::BurstySource& each) {
  return each.source.load * each.share;
}

/// "16 x 0.05", "16 on-off x 0.05" or "3 unequal".
std::string sources_in_words(const network::QueueTraffic& traffic) {
  if (traffic.sources.empty() && traffic.bursts.size() == 1)
    return fmt::format("{} on-off x {}", traffic.bursts.front().count,
                       plain(rate_of(traffic.bursts.front())));
  if (traffic.bursts.empty() && traffic.sources.size() == 1)
    return fmt::format("{} x {}", traffic.sources.front().count, plain(traffic.sources.front().rate));
  std::int64_t count = 0;
  for (const network::SourceRate& source : traffic.sources) count += source.count;
  for (const network::BurstySource& source : traffic.bursts) count += source.count;
  return fmt::format("{} unequal", count);
}

std::string arrivals_in_words(network::Sources sources) {
  return sources == network::Sources::decoupled
             ? "decoupled: every queue is fed by all sources whose packets pass it"
             : "first-hop: every queue is fed by the links into its switch, as in the published model";
}

std::string hop_delay_in_words(queue::HopDelay delay) {
  return delay == queue::HopDelay::wait
             ? "wait: of an arbitrary packet, first in first out, its own slot not counted"
             : "occupancy: packets in the queue, the published figure read literally";
}

bool any_as(const std::vector<DelayPoint>& points, Hops hops) {
  return std::any_of(points.begin(), points.end(), [hops](const DelayPoint& point) {
    const auto& flows = point.second.flows;
    return std::any_of(flows.begin(), flows.end(),
                       [hops](const FlowDelay& flow) { return flow.hops == hops; });
  });
}

/// The flow's place in the cross-check: in a tree all packets are one flow.
std::optional<std::size_t> checked_flow(const Entry& entry) {
  if (std::holds_alternative<TreeTopology>(entry.question().topology)) return std::nullopt;
  return entry.flow;
}

/// Its kind in words, unless a simulation contradicts the flow.
std::string kind_in_words(const Entry& entry, const Value& value) {
  const auto& check = entry.answer().check;
  if (check && check->contradicted(checked_flow(entry))) return "contradicted by simulation";
  return certainty(value, entry.question().digits);
}

bool any_contradicted(const std::vector<DelayPoint>& points) {
  return std::any_of(points.begin(), points.end(), [](const DelayPoint& point) {
    return point.second.check && point.second.check->contradicted();
  });
}

/// What kind of truth the answers are.
std::string truth_in_words(const std::vector<DelayPoint>& points) {
  if (any_contradicted(points)) return "numbers are those of the model, which a simulation contradicts.";
  if (any_as(points, Hops::chain))
    return any_as(points, Hops::independent) || any_as(points, Hops::bound)
               ? "each number states its kind: where hops depend on each other it is numerical, not proved."
               : "numbers are numerical, not proved: each wait depends on the one before, as in the model.";
  if (any_as(points, Hops::bound) && !any_as(points, Hops::independent))
    return "probabilities and means are upper bounds, percentiles are at most those shown.";
  const bool proved = std::all_of(points.begin(), points.end(),
                                  [](const DelayPoint& point) { return point.second.proved(); });
  const bool assumed = std::any_of(points.begin(), points.end(), [](const DelayPoint& point) {
    return std::any_of(point.second.flows.begin(), point.second.flows.end(), [](const FlowDelay& flow) {
      return flow.hops == Hops::independent && !flow.one_queue;
    });
  });
  return proved    ? "as arithmetic every number is exact or certified."
         : assumed ? "numbers are numerical, not proved: hops are added as if they were independent."
                   : "numbers are numerical, not proved: a queue has too many bursty sources.";
}

std::string latency_in_words(const Entry& entry) {
  const std::size_t hops = entry.path().longest.size();
  std::string words = entry.path().routes.size() > 1
                          ? "queueing + queues passed (a packet meets them in number as it is routed)"
                          : fmt::format("queueing + {}, one for each queue", counted(hops, "slot"));
  if (entry.question().hop_ns) words += "\nin ns also " + hop_in_words(*entry.question().hop_ns);
  return words;
}

/// A probability of the reorder buffer, as proved or computed as the delays are.
Value shown_of(const ReorderAnswer& reorder, const numeric::Enclosure<unit::Probability>& probability) {
  constexpr int computed_digits = 4;
  if (!reorder.computed) return shown(probability);
  return Approximation{probability.upper(), computed_digits};
}

std::string reorder_in_words(const ReorderTargets& targets, const ReorderAnswer& reorder,
                             numeric::Digits digits, const UnitScale& scale) {
  const bounds::ReorderBuffer& size = *reorder.size;
  const std::string bytes = bytes_in_words(shown(size.buffer), scale);
  return fmt::format("{} for one flow of {} packets a slot{}\nP(R > {}) = {} <= {}{}",
                     counted(size.buffer.value, "packet"), plain(reorder.flow_rate),
                     bytes.empty() ? "" : ", " + bytes, size.buffer.value,
                     brief(shown_of(reorder, size.at), digits), plain(*targets.probability),
                     size.before ? fmt::format(" < P(R > {}) = {}", size.buffer.value - 1,
                                               brief(shown_of(reorder, *size.before), digits))
                                 : "");
}

std::string headline(const Entry& only) {
  const DelayFlow& flow = only.path();
  return fmt::format("Delay {}{}: {}{} in a row",
                     flow.name.empty() ? "through the " : "of " + flow.name + " in ",
                     in_words(only.question().topology), flow.routes.size() > 1 ? "up to " : "",
                     counted(flow.longest.size(), "queue"));
}

std::string headline(const std::vector<DelayPoint>& points, std::size_t results) {
  const DelayQuestion& first = points.front().first;
  std::vector<const Topology*> all;
  for (const DelayPoint& point : points) all.push_back(&point.first.topology);
  const std::string what = first.percentiles.empty() ? "" : ": percentiles as queueing / latency, in slots";
  if (std::holds_alternative<TreeTopology>(first.topology))
    return "Delay through " + std::string(points.size() == 1 ? "the " : "") + in_words(first.topology, all) +
           what;
  return fmt::format("Delay of {} of {}{}", points.size() == 1 ? counted(results, "flow") : "the flows",
                     in_words(first.topology, all), what);
}

// --- cells -----------------------------------------------------------------------------------------------

Cells reorder_inputs(const std::optional<ReorderTargets>& targets, const Rational& flow_rate) {
  Cells cells;
  if (!targets) return cells;
  if (targets->probability) cells.push_back({"reorder", Given{*targets->probability}});
  cells.push_back({"flow_rate", Given{flow_rate}});
  return cells;
}

Cells input_cells(const Entry& entry) {
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
          {"reorder_probability", shown_of(reorder, reorder.size->at)},
          {"reorder_probability_before",
           reorder.size->before ? shown_of(reorder, *reorder.size->before) : Value(None{})}};
}

Cells result_cells(const Entry& entry) {
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

Cells percentile_cells(const Entry& entry, std::size_t i) {
  const bounds::ClaimedPercentile& queueing = entry.found().delay.queueing[i];
  const bounds::ClaimedPercentile& latency = entry.found().delay.latency[i];
  Cells cells{{"percentile", Given{queueing.probability * 100}},
              {"exceeded_by", Given{1 - queueing.probability}},
              {"queueing_slots", shown(queueing.slots)},
              {"latency_slots", shown(latency.slots)}};
  if (entry.question().units.slot_ns()) cells.push_back({"latency_ns", latency_ns(entry, i)});
  return joined(std::move(cells), {{"queueing_probability", shown(queueing.at.probability)},
                                   {"queueing_probability_before", before_of(queueing)},
                                   {"latency_probability", shown(latency.at.probability)},
                                   {"latency_probability_before", before_of(latency)}});
}

Cells level_cells(const Entry& entry, std::size_t i) {
  const bounds::ClaimedSlotProbability& above = entry.found().delay.above[i];
  const Value probability = shown(above.probability);
  return {{"slots", shown(above.slots)},
          {"probability", probability},
          {"certainty", Text{kind_in_words(entry, probability)}}};
}

Cells hop_cells(const Entry& entry, std::size_t hop) {
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
std::vector<Cells> source_rows(const Entry& entry) {
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
      add(each.count, rate_of(each), Given{1 / each.source.stop}, Given{each.source.on_rate},
          Given{each.share});
  }
  return rows;
}

Cells reorder_level_cells(const ReorderTargets& targets, const ReorderAnswer& reorder, numeric::Digits digits,
                          std::size_t i) {
  const Value probability = shown_of(reorder, reorder.tail[i]);
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

std::vector<Rows> tables_of(const Entry& entry, bool in_text) {
  std::vector<Rows> tables;
  const auto add = [&](const char* key, std::size_t size, Cells (*row)(const Entry&, std::size_t)) {
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

// --- text ------------------------------------------------------------------------------------------------

std::vector<Line> lines(const Entry& only) {
  const DelayQuestion& question = only.question();
  const FlowDelay& found = only.found();
  const UnitScale scale = scale_of(question.units);
  const Value mean = shown(found.delay.mean_queueing);
  const std::string mean_ns = ns_in_words(mean, scale);
  std::vector<Line> lines{
      {"mean queueing", fmt::format("{} slots, {}{}", brief(mean, question.digits), kind_in_words(only, mean),
                                    mean_ns.empty() ? "" : "; " + mean_ns)},
      {"latency", latency_in_words(only)},
      {"delay of a hop", hop_delay_in_words(question.hop_delay)},
      {"arrivals", arrivals_in_words(question.sources)}};
  if (!found.hops_reason.empty())
    lines.push_back({"hops", fmt::format("{}, because a sounder model does not answer:\n{}",
                                         name_of(found.hops), found.hops_reason)});
  if (scale.ns_of_slot) lines.push_back({"slot", ns_in_words(Whole{1}, scale)});
  if (found.reorder && found.reorder->size)
    lines.push_back(
        {"reorder buffer", reorder_in_words(*question.reorder, *found.reorder, question.digits, scale)});
  if (question.drop) {
    const Packets total = only.answer().total_buffer(only.flow);
    const std::string bytes = bytes_in_words(shown(total), scale);
    lines.push_back(
        {"buffers",
         fmt::format("for {} at each hop, {} packets in all{}, those in service included",
                     plain(question.drop->probability), total.value, bytes.empty() ? "" : ", " + bytes)});
  }
  return lines;
}

/// model_caution() of each kind of hops in the answer.
std::vector<std::string> cautions(const DelayQuestion& question, const DelayAnswer& answer) {
  std::vector<std::string> lines;
  for (const Hops hops : {Hops::chain, Hops::independent, Hops::bound}) {
    const auto& flows = answer.flows;
    const auto its = std::find_if(flows.begin(), flows.end(), [&](const FlowDelay& flow) {
      return flow.hops == hops && !flow.one_queue;
    });
    if (its == flows.end()) continue;
    if (std::string caution = model_caution(answer.paths.omissions, question.topology, hops);
        !caution.empty())
      lines.push_back(std::move(caution));
  }
  return lines;
}

std::string after_latency(const Topology& topology) {
  const std::string ports = switch_in_words(topology);
  return "Latency: queueing and " + latency_slots_in_words() + "." + (ports.empty() ? "" : " " + ports);
}

std::vector<std::string> notes(const std::vector<DelayPoint>& points, bool one) {
  const DelayQuestion& first = points.front().first;
  std::vector<std::string> notes;
  std::string truth = truth_in_words(points);
  if (one) {
    notes.push_back("D: queueing delay in slots; " + truth);
    notes.push_back(after_latency(first.topology));
  } else {
    const bool same_sources = std::all_of(points.begin(), points.end(), [&](const DelayPoint& point) {
      return point.first.sources == first.sources;
    });
    notes.push_back("latency = queueing and " + latency_slots_in_words() +
                    (same_sources ? "; arrivals " + arrivals_in_words(first.sources) : std::string()));
    if (first.hop_ns) notes.push_back("in ns also " + hop_in_words(*first.hop_ns));
    if (first.drop)
      notes.emplace_back(
          "buffers: packets in all queues on the longest way, those in service included, each queue "
          "for the target");
    if (std::string ports = switch_in_words(first.topology); !ports.empty())
      notes.push_back(std::move(ports));
    truth.front() = static_cast<char>(std::toupper(static_cast<unsigned char>(truth.front())));
    notes.push_back(std::move(truth));
  }
  for (const auto& [question, answer] : points)
    for (const std::string& caution : cautions(question, answer))
      if (std::find(notes.begin(), notes.end(), "model: " + caution) == notes.end())
        notes.push_back("model: " + caution);
  for (const auto& [question, answer] : points) {
    if (!answer.check) continue;
    std::vector<std::string> flows;
    if (std::holds_alternative<NetworkTopology>(question.topology))
      for (const DelayFlow& flow : answer.paths.flows) flows.push_back(flow.name);
    for (std::string& note : check_notes(*answer.check, flows))
      if (std::find(notes.begin(), notes.end(), note) == notes.end()) notes.push_back(std::move(note));
  }
  if (!one) {
    std::map<std::string, std::size_t> reasons;
    for (const DelayPoint& point : points)
      for (const FlowDelay& flow : point.second.flows)
        if (!flow.hops_reason.empty()) ++reasons[flow.hops_reason];
    for (const auto& [reason, count] : reasons)
      notes.push_back(
          fmt::format("A less accurate model answers for {}: {}", counted(count, "flow"), reason));
  }
  return notes;
}

/// Percentiles and P(D > t) as columns of a text table, that data formats have as tables of each result.
void add_text_columns(Document& document, const std::vector<Entry>& entries) {
  const DelayQuestion& first = entries.front().question();
  const bool ns = first.units.slot_ns().has_value();
  for (const Rational& p : first.percentiles) {
    document.text_columns.push_back({percent(p), percent(p) + " %", "", Shape::text, ""});
    if (ns) document.text_columns.push_back({percent(p) + " ns", percent(p) + " %", "ns", Shape::given, ""});
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
      const std::string key = percent(delay.queueing[j].probability);
      cells.push_back(
          {key, Text{fmt::format("{} / {}", delay.queueing[j].slots.value, delay.latency[j].slots.value)}});
      if (ns) cells.push_back({key + " ns", latency_ns(entries[i], j)});
    }
    if (levels)
      for (const bounds::ClaimedSlotProbability& above : delay.above)
        cells.push_back({fmt::format("above {}", above.slots.value), shown(above.probability)});
  }
}

// --- pictures --------------------------------------------------------------------------------------------

std::string slots_label(const std::string& what, const Units& units) {
  const auto slot_ns = units.slot_ns();
  return what + (slot_ns ? " [slots of " + plain(*slot_ns) + " ns]" : " [slots]");
}

std::string joined_notes(const std::string& first, const std::string& then) {
  return first + (first.empty() ? "" : "; ") + then;
}

/// P(D > t) of one question's flows, the percentiles marked; of several flows the four whose last percentile is
/// greatest.
void add_curves(Picture& picture, const DelayPoint& point) {
  constexpr std::size_t most_curves = 4;
  const auto& question = point.first;
  const auto& answer = point.second;
  std::vector<std::vector<std::size_t>> groups = flows_alike(answer);
  if (groups.size() > most_curves) {
    picture.title += fmt::format(": the {} slowest of {} flows", most_curves, answer.flows.size());
    groups.resize(most_curves);
  }
  const auto title = [&](const std::vector<std::size_t>& group) {
    const std::string& name = answer.paths.flows[group.front()].name;
    return name.empty()        ? "P(D > t)"
           : group.size() == 1 ? name
                               : fmt::format("{} and {} like it", name, group.size() - 1);
  };
  Curve marks{.title = "percentiles", .style = CurveStyle::marks};
  for (const std::vector<std::size_t>& group : groups) {
    Curve curve{.title = title(group), .style = groups.size() == 1 ? CurveStyle::steps : CurveStyle::line};
    const auto add = [](Curve& to, const bounds::ClaimedSlotProbability& above) {
      const auto y = log10_height(shown(above.probability));
      if (!y || !(*y > -1e5)) return false;
      to.points.emplace_back(static_cast<double>(above.slots.value), *y);
      return true;
    };
    for (const bounds::ClaimedSlotProbability& above : delay_curve(question, answer, group.front()))
      add(curve, above);
    if (curve.points.empty()) {
      picture.note = joined_notes(picture.note, "never delayed: " + title(group));
      continue;
    }
    picture.curves.push_back(std::move(curve));
    for (const bounds::ClaimedPercentile& percentile : answer.flows[group.front()].delay.queueing)
      if (add(marks, {percentile.slots, percentile.at.probability}))
        marks.labels.push_back(
            groups.size() == 1
                ? fmt::format("{} %: {} slots", percent(percentile.probability), percentile.slots.value)
                : std::string());
  }
  if (picture.curves.empty()) throw NoAnswer("there is nothing to draw: no packet is ever delayed");
  if (!marks.points.empty()) picture.curves.push_back(std::move(marks));
}

const std::vector<std::string>& axes() {
  static const std::vector<std::string> names{"load",  "load_scale", "uniform", "burst",
                                              "radix", "levels",     "on_rate"};
  return names;
}

/// Percentiles of the latency against what varies: all of one flow, the last of several.
Picture sweep(const Document& document, const std::vector<Entry>& entries, Picture picture) {
  const DelayQuestion& first = entries.front().question();
  const bool one_flow = std::all_of(entries.begin(), entries.end(),
                                    [](const Entry& entry) { return entry.answer().flows.size() == 1; });
  std::vector<std::size_t> order(first.percentiles.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::sort(order.begin(), order.end(),
            [&](std::size_t a, std::size_t b) { return first.percentiles[a] > first.percentiles[b]; });
  if (!one_flow && order.size() > 1) order.resize(1);
  const bool in_ns = !order.empty() && first.units.slot_ns().has_value();
  picture.y_label =
      in_ns ? "latency [ns]" : slots_label(order.empty() ? "mean queueing delay" : "latency", first.units);
  if (first.hop_ns && !order.empty())
    picture.note = joined_notes(picture.note, "latencies with " + hop_in_words(*first.hop_ns));
  const auto add = [&](const std::string& what, const auto& number) {
    Document shown_only = document;
    for (std::size_t i = 0; i < entries.size(); ++i)
      shown_only.results[i].cells = {{"drawn", number(entries[i])}};
    const std::size_t already = picture.curves.size();
    picture = sweep_picture(shown_only, {.axes = axes(), .height = "drawn"}, std::move(picture));
    for (std::size_t i = already; i < picture.curves.size(); ++i) {
      std::string& title = picture.curves[i].title;
      title = title.empty() ? what : title + ", " + what;
    }
  };
  if (order.empty()) add("mean", [](const Entry& entry) { return shown(entry.found().delay.mean_queueing); });
  std::size_t drawn = 0;
  for (const std::size_t i : order) {
    // As many percentiles as can be told apart, the greatest first.
    const std::size_t curves_of_each = i == order.front() ? 0 : picture.curves.size() / drawn;
    if (picture.curves.size() + curves_of_each > most_curves_told_apart) break;
    add(percent(first.percentiles[i]) + " %", [i, in_ns](const Entry& entry) {
      return in_ns ? latency_ns(entry, i) : shown(entry.found().delay.latency[i].slots);
    });
    ++drawn;
  }
  return picture;
}

Picture picture(const Document& document, const Shared<DelayPoint>& points) {
  const DelayQuestion& first = points->front().first;
  std::vector<const Topology*> all;
  for (const auto& [question, answer] : *points) all.push_back(&question.topology);
  if (points->size() > 1 && varies(document, {.axes = axes(), .height = "mean_queueing_slots"}))
    return sweep(document, entries_of(points),
                 {.title = "Delay, " + in_words(first.topology, all), .x_label = {}, .y_label = {}});
  Picture picture{.title = "Queueing delay, " + in_words(first.topology, all),
                  .x_label = slots_label("t", first.units),
                  .y_label = "P(D > t)",
                  .powers_of_ten = true};
  if (first.hop_ns)
    picture.note = "latency is D, " + latency_slots_in_words() + ", and " + hop_in_words(*first.hop_ns);
  if (points->size() == 1) {
    add_curves(picture, points->front());
    return picture;
  }
  // Points that differ in names only: who feeds a queue, how packets are routed.
  const std::vector<const Column*> varying = varying_inputs(document);
  const std::vector<Entry> entries = entries_of(points);
  for (std::size_t i = 0; i < entries.size() && picture.curves.size() < most_curves_told_apart; ++i) {
    Curve curve{.title = {}, .style = CurveStyle::line};
    for (const Column* column : varying)
      if (column->style != Style::hidden)
        curve.title +=
            (curve.title.empty() ? "" : ", ") + brief(value_of(document.results[i].inputs, column->key));
    for (const bounds::ClaimedSlotProbability& above :
         delay_curve(entries[i].question(), entries[i].answer(), entries[i].flow))
      if (const auto y = log10_height(shown(above.probability)); y && *y > -1e5)
        curve.points.emplace_back(static_cast<double>(above.slots.value), *y);
    if (!curve.points.empty()) picture.curves.push_back(std::move(curve));
  }
  if (picture.curves.empty()) throw NoAnswer("there is nothing to draw: no packet is ever delayed");
  if (entries.size() > most_curves_told_apart)
    picture.note += fmt::format("{}The first {} of {} curves.", picture.note.empty() ? "" : " ",
                                most_curves_told_apart, entries.size());
  return picture;
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

namespace {

/// How near simulations of this tree came, as far as they went.
std::string tree_caution(const TreeTopology& tree, Hops hops) {
  constexpr double deepest = 1e-6;
  return "accuracy, as model / simulation - 1: " +
         clause(answers::accuracy(answers::asked_accuracy(tree, hops, {deepest})),
                measuring_command(tree, hops == Hops::chain));
}

/// Of a network with flows of its own.
constexpr const char* chain_caution =
    "on 240 random networks of 2 to 6 switches, 98 % of the flows' P(D > t) down to 1e-3 are within 25 % of "
    "simulation, "
    "and none is underestimated by more; rarer delays were not compared";

}  // namespace

std::string model_caution(const DelayOmissions& omissions, const Topology& topology, Hops hops) {
  const auto* only_tree = std::get_if<TreeTopology>(&topology);
  if (hops == Hops::bound)
    return only_tree != nullptr && only_tree->tree.levels == 1
               ? "the bound is proved"
               : "the bound is proved up to the root, assumed below: there links carry packets of the same "
                 "leaves";
  const bool tree = only_tree != nullptr;
  if (hops == Hops::chain) return tree ? tree_caution(*only_tree, hops) : chain_caution;
  if (omissions.later_hops)
    return "each hop is taken to be fed as the first one, and independent: simulated tails are heavier after "
           "the first "
           "hop";
  if (omissions.spread_bursts)
    return "hops are taken as independent and fed as if no queue upstream spread their bursts: " +
           (tree ? tree_caution(*only_tree, hops)
                 : std::string("simulated tails may be lighter where delays are usual, and heavier where "
                               "they are rare"));
  if (omissions.correlated_waits)
    return "hops are taken as independent, though waits are positively correlated: " +
           (tree ? tree_caution(*only_tree, hops)
                 : std::string("rare delays are more frequent than computed"));
  return {};
}

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
  const std::vector<Entry> entries = entries_of(points);
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
  Document document{.layout = std::make_shared<const Layout>(std::move(layout)),
                    .headline = one ? headline(entries.front()) : headline(*points, entries.size()),
                    .results = {},
                    .notes = notes(*points, one),
                    .digits = first.digits};
  for (const Entry& entry : entries) {
    Result& result = document.results.emplace_back();
    result.inputs = input_cells(entry);
    result.cells = result_cells(entry);
    result.tables = tables_of(entry, one);
    if (one) result.lines = lines(entry);
  }
  if (!one) add_text_columns(document, entries);
  if (const auto& [question, last] = points->back(); last.stopped) {
    document.stopped = true;
    document.stopped_after = fmt::format("{} of {} flows", last.flows.size(), last.paths.flows.size());
  }
  document = with_units(std::move(document), scale_of(first.units));
  document.picture = [points, without_picture = document] { return picture(without_picture, points); };
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
