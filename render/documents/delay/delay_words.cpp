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
#include <tailbound/render/documents/delay/delay_words.hpp>
#include <tailbound/render/documents/parts/topology.hpp>
#include <tailbound/render/documents/parts/units.hpp>

#include <algorithm>
#include <cctype>
#include <map>

namespace tailbound::render {
namespace {

using namespace answers;
using numeric::plain;
using numeric::Rational;

std::string arrivals_in_words(network::Sources sources) {
  return sources == network::Sources::decoupled
             ? "decoupled: every queue is fed by all sources whose packets pass it"
             : "first-hop: every queue is fed by the links into its switch, as in the published model";
}

/// Do bursts reach queues after upstream queues have stretched them?
bool stretches(const DelayQuestion& question, const FlowDelay& found) {
  const auto* tree = std::get_if<TreeTopology>(&question.topology);
  return found.hops == Hops::chain && tree != nullptr && tree->bursts_keep_path();
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

/// For trees whose bursts keep their path.
bool any_burst(const std::vector<DelayPoint>& points) {
  return std::any_of(points.begin(), points.end(), [](const DelayPoint& point) {
    const auto* tree = std::get_if<TreeTopology>(&point.first.topology);
    return tree != nullptr && tree->bursts_keep_path();
  });
}

bool any_contradicted(const std::vector<DelayPoint>& points) {
  return std::any_of(points.begin(), points.end(), [](const DelayPoint& point) {
    return point.second.check && point.second.check->contradicted();
  });
}

/// The kind of the results.
std::string truth_in_words(const std::vector<DelayPoint>& points) {
  if (any_contradicted(points)) return "numbers are those of the model, which a simulation contradicts.";
  const bool chain = any_as(points, Hops::chain), safe = any_as(points, Hops::safe),
             others = any_as(points, Hops::independent) || any_as(points, Hops::bound);
  if ((chain || safe) && others)
    return "each number states its kind: where hops depend on each other it is numerical, not proved.";
  if (safe && !chain)
    return "numbers are numerical and conservative, not proved: what lowers delays is left out of the model.";
  if (chain || safe)
    return any_burst(points)
               ? "numbers are numerical, not proved: waits depend on the age of the burst and on the wait "
                 "before."
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

std::string latency_in_words(const DelayEntry& entry) {
  const std::size_t hops = entry.path().longest.size();
  std::string words = entry.path().routes.size() > 1
                          ? "queueing + queues passed (a packet meets them in number as it is routed)"
                          : fmt::format("queueing + {}, one for each queue", counted(hops, "slot"));
  if (entry.question().hop_ns) words += "\nin ns also " + hop_in_words(*entry.question().hop_ns);
  return words;
}

/// model_caution() of each kind of hops in the answer.
std::vector<std::string> cautions(const DelayQuestion& question, const DelayAnswer& answer) {
  std::vector<std::string> lines;
  for (const Hops hops : {Hops::chain, Hops::safe, Hops::independent, Hops::bound}) {
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

/// Measured agreement with simulations of this tree.
std::string tree_caution(const TreeTopology& tree, Hops hops) {
  constexpr double deepest = 1e-6;
  return "accuracy, as model / simulation - 1: " +
         clause(answers::accuracy(answers::asked_accuracy(tree, hops, {deepest})),
                measuring_command(tree, hops));
}

/// For a network with its own flows.
constexpr const char* chain_caution =
    "on 240 random networks of 2 to 6 switches, 98 % of the flows' P(D > t) down to 1e-3 are within 25 % of "
    "simulation, "
    "and none is underestimated by more; rarer delays were not compared";

}  // namespace

std::vector<DelayEntry> delay_entries(const Shared<DelayPoint>& points) {
  std::vector<DelayEntry> entries;
  for (std::size_t i = 0; i < points->size(); ++i)
    for (std::size_t flow = 0; flow < (*points)[i].second.flows.size(); ++flow)
      entries.push_back({points, i, flow});
  return entries;
}

std::string percent_text(const Rational& p) {
  return plain(p * 100);
}

Value entry_latency_ns(const DelayEntry& entry, std::size_t percentile) {
  const auto& times = entry.found().latency_ns;
  return percentile < times.size() ? Value(Given{times[percentile]}) : Value(None{});
}

Rational bursts_rate(const network::BurstySource& each) {
  return each.source.load * each.share;
}

std::string sources_in_words(const network::QueueTraffic& traffic) {
  if (traffic.classes.size() == 1)
    return fmt::format("{} x {} after {}", traffic.classes.front().count, plain(traffic.classes.front().own),
                       plain(traffic.classes.front().higher));
  if (traffic.sources.empty() && traffic.bursts.size() == 1)
    return fmt::format("{} on-off x {}", traffic.bursts.front().count,
                       plain(bursts_rate(traffic.bursts.front())));
  if (traffic.bursts.empty() && traffic.sources.size() == 1)
    return fmt::format("{} x {}", traffic.sources.front().count, plain(traffic.sources.front().rate));
  std::int64_t count = 0;
  for (const network::SourceRate& source : traffic.sources) count += source.count;
  for (const network::ClassSource& source : traffic.classes) count += source.count;
  for (const network::BurstySource& source : traffic.bursts) count += source.count;
  return fmt::format("{} unequal", count);
}

std::optional<std::size_t> checked_flow(const DelayEntry& entry) {
  if (std::holds_alternative<TreeTopology>(entry.question().topology)) return std::nullopt;
  return entry.flow;
}

std::string kind_in_words(const DelayEntry& entry, const Value& value) {
  const auto& check = entry.answer().check;
  if (check && check->contradicted(checked_flow(entry))) return "contradicted by simulation";
  return certainty(value, entry.question().digits);
}

Value shown_reorder(const ReorderAnswer& reorder, const numeric::Enclosure<unit::Probability>& probability) {
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
                     brief(shown_reorder(reorder, size.at), digits), plain(*targets.probability),
                     size.before ? fmt::format(" < P(R > {}) = {}", size.buffer.value - 1,
                                               brief(shown_reorder(reorder, *size.before), digits))
                                 : "");
}

std::string delay_headline(const DelayEntry& only) {
  const DelayFlow& flow = only.path();
  return fmt::format("Delay {}{}: {}{} in a row",
                     flow.name.empty() ? "through the " : "of " + flow.name + " in ",
                     in_words(only.question().topology), flow.routes.size() > 1 ? "up to " : "",
                     counted(flow.longest.size(), "queue"));
}

std::string delay_headline(const std::vector<DelayPoint>& points, std::size_t results) {
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

std::vector<Line> delay_lines(const DelayEntry& only) {
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
      {"arrivals", stretches(question, found)
                       ? "bursts at the first queue as sent, later as queues upstream have stretched them"
                       : arrivals_in_words(question.sources)}};
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

std::vector<std::string> delay_notes(const std::vector<DelayPoint>& points, bool one) {
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
  for (const DelayPoint& point : points) add_remarks(notes, point.first.topology);
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

std::string model_caution(const DelayOmissions& omissions, const Topology& topology, Hops hops) {
  const auto* only_tree = std::get_if<TreeTopology>(&topology);
  if (hops == Hops::bound)
    return only_tree != nullptr && only_tree->tree.levels == 1 ? "the bound is proved"
           : only_tree == nullptr || only_tree->routing == network::TreeRouting::random_root
               ? "the bound is proved up to the root, assumed below: there links carry packets of the same "
                 "leaves"
               : "the bound is proved for the first queue on the way up, assumed for the others";
  const bool tree = only_tree != nullptr;
  if (hops == Hops::chain || hops == Hops::safe) return tree ? tree_caution(*only_tree, hops) : chain_caution;
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

}  // namespace tailbound::render
