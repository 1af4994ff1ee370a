#include <fmt/format.h>
#include <tailbound/answers/latency_ns.hpp>
#include <tailbound/core/choice.hpp>
#include <tailbound/core/error.hpp>
#include <tailbound/numeric/rational.hpp>
#include <tailbound/numeric/text/plain.hpp>
#include <tailbound/render/documents/delay/cross_check.hpp>
#include <tailbound/render/documents/delay/delay_words.hpp>
#include <tailbound/render/documents/parts/topology.hpp>
#include <tailbound/render/documents/parts/units.hpp>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <map>

namespace tailbound::render {
namespace {

using namespace answers;
using numeric::plain;
using numeric::Rational;

constexpr const char* independent_arrivals = "independent source arrivals at every queue";

/// Do bursts reach queues after upstream queues have stretched them?
bool stretches(const DelayQuery& query, const FlowDelay& found) {
  const auto* tree = std::get_if<TreeTopology>(&query.topology);
  return found.hops == Hops::chain && tree != nullptr && tree->bursts_keep_path();
}

bool any_as(const DelayAnswer& answer, Hops hops) {
  return std::any_of(answer.flows.begin(), answer.flows.end(),
                     [hops](const FlowDelay& flow) { return flow.hops == hops; });
}
bool any_as(const std::vector<DelayPoint>& points, Hops hops) {
  return std::any_of(points.begin(), points.end(),
                     [hops](const DelayPoint& point) { return any_as(point.second, hops); });
}

/// For trees whose bursts keep their path.
bool any_burst(const std::vector<DelayPoint>& points) {
  return std::any_of(points.begin(), points.end(), [](const DelayPoint& point) {
    const auto* tree = std::get_if<TreeTopology>(&point.first.topology);
    return tree != nullptr && tree->bursts_keep_path();
  });
}

std::size_t count_of(const std::vector<DelayPoint>& points, DelayKind kind) {
  std::size_t count = 0;
  for (const DelayPoint& point : points)
    count +=
        static_cast<std::size_t>(std::count_if(point.second.flows.begin(), point.second.flows.end(),
                                               [kind](const FlowDelay& flow) { return flow.kind == kind; }));
  return count;
}

/// How the hops of convolved delays depend on each other.
std::string hops_in_words(const std::vector<DelayPoint>& points) {
  const bool chain = any_as(points, Hops::chain), others = any_as(points, Hops::independent);
  if (chain && others) return "waits depend on the previous one where a model of that exists";
  if (chain)
    return any_burst(points) ? "a wait depends on the age of the burst and on the previous wait"
                             : "each wait depends on the previous one";
  const bool assumed = std::any_of(points.begin(), points.end(), [](const DelayPoint& point) {
    return std::any_of(point.second.flows.begin(), point.second.flows.end(), [](const FlowDelay& flow) {
      return flow.kind == DelayKind::convolved && !flow.one_queue;
    });
  });
  return assumed ? "hops are added as if independent" : "a queue has too many bursty sources for a proof";
}

bool any_checked(const std::vector<DelayPoint>& points) {
  return std::any_of(points.begin(), points.end(), [](const DelayPoint& point) {
    return point.second.check && !point.second.check->skipped;
  });
}

/// The kinds of the results.
std::string truth_in_words(const std::vector<DelayPoint>& points) {
  const std::size_t proved = count_of(points, DelayKind::proved),
                    convolved = count_of(points, DelayKind::convolved),
                    simulated = count_of(points, DelayKind::simulated);
  if (proved > 0 && any_as(points, Hops::bound) && convolved + simulated == 0)
    return any_as(points, Hops::independent)
               ? "Rows with hops bound are upper bounds, the others exact or certified."
               : "Upper bounds of probabilities, means and percentiles.";
  if (convolved + simulated == 0) return "Every number is exact or certified.";
  std::string text;
  if (convolved > 0)
    text = fmt::format("Convolved, not proved{}: {}.",
                       proved > 0 ? ", except flows that wait in one queue" : "", hops_in_words(points));
  if (convolved > 0 && any_checked(points)) text += " A simulation of this network agrees.";
  if (convolved > 0 && !any_checked(points))
    text += " Not compared with a simulation (by default a single network and load is).";
  if (simulated > 0)
    text += fmt::format("{}{}imulated with 95 % intervals; rarer delays are extrapolated.",
                        text.empty() ? "" : " ",
                        convolved + proved > 0 ? counted(simulated, "flow") + " s" : std::string("S"));
  return text;
}

/// Is the buffer of a queue on the flow's longest route computed as if its arrivals were independent?
bool assumes_arrivals(const DelayAnswer& answer, const DelayFlow& flow) {
  return std::any_of(flow.longest.begin(), flow.longest.end(), [&](std::size_t queue) {
    const auto& buffer = answer.buffers[queue];
    return answer.paths.queues.fed_by_sources[queue] == 0 && buffer &&
           std::holds_alternative<numeric::Approximation<unit::Probability>>(buffer->at);
  });
}
bool assumes_arrivals(const DelayEntry& entry) {
  return assumes_arrivals(entry.answer(), entry.path());
}

/// Is the reorder buffer of a flow computed as if the delays of its packets were independent?
bool reorders(const DelayPoint& point, bool in_order) {
  return std::any_of(point.second.flows.begin(), point.second.flows.end(), [&](const FlowDelay& flow) {
    return flow.reorder && flow.reorder->in_order == in_order;
  });
}

/// About buffers of queues and of flows.
void add_buffer_notes(std::vector<std::string>& notes, const std::vector<DelayPoint>& points) {
  const auto any = [&](const auto& holds) { return std::any_of(points.begin(), points.end(), holds); };
  if (any([](const DelayPoint& point) {
        const auto& flows = point.second.paths.flows;
        return point.first.drop && std::any_of(flows.begin(), flows.end(), [&](const DelayFlow& flow) {
                 return assumes_arrivals(point.second, flow);
               });
      }))
    notes.push_back(fmt::format("Buffers of queues behind other queues: {}.", assumed_arrivals));
  if (any([](const DelayPoint& point) { return reorders(point, true); }))
    notes.emplace_back(
        "Reorder buffer of a flow of one path: 0, exact; packets leave FIFO queues in their order.");
  if (any([](const DelayPoint& point) { return reorders(point, false); }))
    notes.emplace_back(
        "Reorder buffer of a flow of several paths: computed as if the delays of its packets were "
        "independent "
        "of each other; its accuracy was not measured.");
}

std::string latency_in_words(const DelayEntry& entry) {
  const std::size_t hops = entry.path().longest.size();
  std::string words = entry.path().routes.size() > 1
                          ? "queueing delay D + one slot per queue on the packet's route"
                          : fmt::format("queueing delay D + {}, one per queue", counted(hops, "slot"));
  if (!entry.answer().steps.are_slots())
    words = "queueing delay D + " + latency_slots_in_words(entry.query().topology);
  if (entry.query().hop_ns) words += "\nin ns, " + hop_in_words(*entry.query().hop_ns);
  return words;
}

/// Is the bound of hops proved for all queues of a path, not assumed for some?
bool bound_is_proved(const Topology& topology) {
  const auto* tree = std::get_if<TreeTopology>(&topology);
  return tree != nullptr && tree->tree.levels == 1;
}

}  // namespace

std::vector<DelayEntry> delay_entries(const Shared<DelayPoint>& points) {
  std::vector<DelayEntry> entries;
  for (std::size_t i = 0; i < points->size(); ++i)
    for (std::size_t flow = 0; flow < (*points)[i].second.flows.size(); ++flow)
      entries.push_back({points, i, flow});
  return entries;
}

std::string slots_in_words(const DelayEntry& entry, Slots steps) {
  return slots_in_words(steps, entry.answer().steps.per_slot);
}
std::string slots_in_words(Slots steps, std::int64_t per_slot) {
  const Value value = time_in_slots(steps, per_slot);
  const auto* fraction = std::get_if<Given>(&value);
  return fraction != nullptr ? plain(numeric::nearest_double(fraction->value), slots_digits) : brief(value);
}

bool in_ns(const DelayEntry& entry) {
  return !entry.answer().steps.are_slots() && entry.query().units.slot_ns().has_value();
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
  if (std::holds_alternative<TreeTopology>(entry.query().topology)) return std::nullopt;
  return entry.flow;
}

std::string kind_in_words(const DelayEntry& entry, const Value& value) {
  if (entry.found().kind == DelayKind::simulated)
    return std::holds_alternative<Model>(value) ? "extrapolated" : "simulated";
  if (entry.found().hops == Hops::bound && !entry.found().one_queue &&
      !bound_is_proved(entry.query().topology))
    return "upper bound, assumed in part (see below)";
  return certainty(value, entry.query().digits);
}

Value shown_reorder(const ReorderAnswer& reorder, const numeric::Enclosure<unit::Probability>& probability) {
  constexpr int computed_digits = 4;
  if (reorder.in_order) return shown(numeric::Exact<unit::Probability>{probability.proof(), 0});
  if (!reorder.computed) return shown(probability);
  return Approximation{probability.upper(), computed_digits};
}

std::string reorder_in_words(const ReorderTargets& targets, const ReorderAnswer& reorder,
                             numeric::Digits digits, const UnitScale& scale) {
  const bounds::ReorderBuffer& size = *reorder.size;
  const std::string bytes = bytes_in_words(shown(size.buffer), scale);
  const std::string text =
      fmt::format("{} for one flow of {} packets per slot{}\n", counted(size.buffer.value, "packet"),
                  plain(reorder.flow_rate), bytes.empty() ? "" : ", " + bytes);
  if (reorder.in_order) return text + "P(R > 0) = 0, exact: no packet overtakes another on one path";
  return text + fmt::format("P(R > {}) = {} <= {}{}", size.buffer.value,
                            brief(shown_reorder(reorder, size.at), digits), plain(*targets.probability),
                            size.before ? fmt::format(" < P(R > {}) = {}", size.buffer.value - 1,
                                                      brief(shown_reorder(reorder, *size.before), digits))
                                        : "");
}

namespace {

/// "Incomplete: of 3 of 240 flows, " of a run that was stopped; otherwise empty.
std::string incomplete(const std::vector<DelayPoint>& points) {
  if (!points.back().second.stopped) return {};
  std::size_t done = 0, requested = 0;
  for (const DelayPoint& point : points) {
    done += point.second.flows.size();
    requested += point.second.paths.flows.size();
  }
  return fmt::format("Incomplete: of {} of {} flows, ", done, requested);
}

/// "; a 21-packet buffer at each hop; a 7-packet reorder buffer", as far as requested.
std::string buffers_in_headline(const std::vector<DelayEntry>& entries) {
  std::optional<Packets> buffer, reorder;
  for (const DelayEntry& entry : entries) {
    if (entry.query().drop)
      for (const std::size_t queue : entry.path().longest)
        if (const auto& size = entry.answer().buffers[queue])
          buffer = std::max(buffer.value_or(Packets(0)), size->buffer);
    if (entry.found().reorder && entry.found().reorder->size)
      reorder = std::max(reorder.value_or(Packets(0)), entry.found().reorder->size->buffer);
  }
  std::string text;
  if (buffer) text += fmt::format("; {} buffer at each hop", with_article(buffer->value, "packet"));
  if (reorder)
    text += reorder->value == 0 ? "; no reorder buffer is needed"
                                : fmt::format("; {} reorder buffer", with_article(reorder->value, "packet"));
  return text;
}

/// Buffers in a headline.
std::vector<Value> quoted_buffers(const std::vector<DelayEntry>& entries) {
  std::vector<Value> quoted;
  for (const DelayEntry& entry : entries) {
    if (entry.query().drop)
      for (const std::size_t queue : entry.path().longest)
        if (const auto& size = entry.answer().buffers[queue]) quoted.push_back(shown(size->at));
    if (const auto& reorder = entry.found().reorder; reorder && reorder->size)
      quoted.push_back(shown_reorder(*reorder, reorder->size->at));
  }
  return quoted;
}

/// "Simulated, extrapolated from 1e-5 on.", "Convolved, checked by simulation."; empty if proved.
std::string kinds_in_headline(const std::vector<DelayEntry>& entries) {
  std::size_t simulated = 0, convolved = 0, extrapolated = 0;
  for (const DelayEntry& entry : entries) {
    const FlowDelay& found = entry.found();
    if (found.kind == DelayKind::convolved) ++convolved;
    if (found.kind != DelayKind::simulated) continue;
    ++simulated;
    const auto& latency = found.delay.latency;
    if (std::any_of(latency.begin(), latency.end(), [](const StatedPercentile& each) {
          return std::holds_alternative<numeric::Model<unit::Probability>>(each.at.probability);
        }))
      ++extrapolated;
  }
  const auto& check = entries.front().answer().check;
  const char* of_model = check && !check->skipped ? "convolved, checked by simulation" : "convolved";
  if (simulated == 0) return convolved == 0 ? std::string() : capitalized(of_model) + ".";
  const std::string of_samples = extrapolated == 0 ? "simulated" : "simulated and extrapolated";
  if (simulated == entries.size()) return capitalized(of_samples) + ".";
  return fmt::format("{} of {} flows {}, the others {}.", simulated, entries.size(), of_samples,
                     convolved == 0 ? "proved" : of_model);
}

}  // namespace

std::string answered_by(const FlowDelay& found) {
  return found.kind == DelayKind::simulated ? "simulated"
         : found.one_queue                  ? "one queue"
                                            : name_of(found.hops);
}

Headline delay_headline(const std::vector<DelayEntry>& entries) {
  const auto percentile = [](const DelayEntry& entry) {
    const auto& all = entry.found().delay.latency;
    return std::max_element(all.begin(), all.end(),
                            [](const auto& a, const auto& b) { return a.probability < b.probability; });
  };
  std::vector<Value> quoted = quoted_buffers(entries);
  if (entries.front().found().delay.latency.empty()) {
    const auto mean = [](const DelayEntry& entry) { return shown(entry.found().delay.mean_queueing); };
    const auto [minimum, maximum] = std::minmax_element(
        entries.begin(), entries.end(),
        [&](const DelayEntry& a, const DelayEntry& b) { return height(mean(a)) < height(mean(b)); });
    for (const DelayEntry& entry : entries) quoted.push_back(mean(entry));
    const numeric::Digits digits = entries.front().query().digits;
    return Headline("mean queueing delay",
                    range_in_words(brief(mean(*minimum), digits), brief(mean(*maximum), digits)) + " slots",
                    buffers_in_headline(entries), quoted)
        .after(incomplete(*entries.front().points));
  }
  const auto time_in_ns = [&](const DelayEntry& entry) {
    return entry_latency_ns(
        entry, static_cast<std::size_t>(percentile(entry) - entry.found().delay.latency.begin()));
  };
  const bool ns = !std::holds_alternative<None>(time_in_ns(entries.front()));
  const auto [minimum, maximum] =
      std::minmax_element(entries.begin(), entries.end(), [&](const DelayEntry& a, const DelayEntry& b) {
        return ns ? height(time_in_ns(a)) < height(time_in_ns(b))
                  : percentile(a)->slots < percentile(b)->slots;
      });
  const auto time = [&](const DelayEntry& entry) {
    return ns ? brief(time_in_ns(entry)) : slots_in_words(entry, percentile(entry)->slots);
  };
  const std::string slots = range_in_words(time(*minimum), time(*maximum));
  const bool bounds = std::all_of(entries.begin(), entries.end(), [](const DelayEntry& entry) {
    return entry.found().hops == Hops::bound && !entry.found().one_queue;
  });
  for (const DelayEntry& entry : entries) quoted.push_back(shown(percentile(entry)->at.probability));
  const std::string largest = time(*maximum);
  std::string text =
      fmt::format("{}{} % of packets have a latency of at most {} {}", bounds ? "at least " : "",
                  percent_text(percentile(entries.front())->probability), largest,
                  ns               ? "ns"
                  : largest == "1" ? "slot"
                                   : "slots");
  if (slots != largest) text += fmt::format(" ({} results: {})", entries.size(), slots);
  Headline headline(text + buffers_in_headline(entries) + ".", quoted);
  if (const std::string kinds = kinds_in_headline(entries); !kinds.empty()) headline = headline.then(kinds);
  return headline.after(incomplete(*entries.front().points));
}

std::string delay_settings(const DelayEntry& only) {
  const DelayFlow& flow = only.path();
  return fmt::format("{}{}; {}{} in series.", flow.name.empty() ? "" : "Flow " + flow.name + ", ",
                     in_words(only.query().topology), flow.routes.size() > 1 ? "up to " : "",
                     counted(flow.longest.size(), "queue"));
}

std::string delay_settings(const std::vector<DelayPoint>& points, std::size_t results) {
  const DelayQuery& first = points.front().first;
  std::vector<const Topology*> all;
  for (const DelayPoint& point : points) all.push_back(&point.first.topology);
  const bool ns = first.units.slot_ns() && !points.front().second.steps.are_slots();
  const std::string what = first.percentiles.empty() ? ""
                           : ns                      ? "; columns: latency"
                                                     : "; columns: queueing delay / latency [slots]";
  const std::string topology = in_words(first.topology, all);
  if (std::holds_alternative<TreeTopology>(first.topology)) return capitalized(topology) + what + ".";
  return (points.size() == 1 ? fmt::format("{} of ", counted(results, "flow")) : std::string()) + topology +
         what + ".";
}

std::vector<Line> delay_lines(const DelayEntry& only) {
  const DelayQuery& query = only.query();
  const FlowDelay& found = only.found();
  const UnitScale scale = scale_of(query.units);
  const Value mean = shown(found.delay.mean_queueing);
  const std::string mean_ns = ns_in_words(mean, scale);
  std::vector<Line> lines{
      {"mean queueing", fmt::format("{} slots, {}{}", brief(mean, query.digits), kind_in_words(only, mean),
                                    mean_ns.empty() ? "" : "; " + mean_ns)},
      {"latency", latency_in_words(only)},
      {"model", truth_in_words(*only.points)},
      {"delay of a hop", "FIFO queueing delay, service excluded"},
      {"arrivals", stretches(query, found)
                       ? "bursts as sent at the first queue, spread by upstream queues at later ones"
                       : independent_arrivals}};
  if (!found.hops_reason.empty())
    lines.push_back({"hops", fmt::format("{}; a more accurate model does not apply: {}", name_of(found.hops),
                                         found.hops_reason)});
  if (scale.ns_of_slot) lines.push_back({"slot", ns_in_words(Whole{1}, scale)});
  if (found.reorder && found.reorder->size)
    lines.push_back(
        {"reorder buffer", reorder_in_words(*query.reorder, *found.reorder, query.digits, scale)});
  if (query.drop) {
    const Packets total = only.answer().total_buffer(only.flow);
    const std::string bytes = bytes_in_words(shown(total), scale);
    lines.push_back(
        {"buffers",
         fmt::format("{} packets in total{} for {} at each hop, packets in service included{}", total.value,
                     bytes.empty() ? "" : ", " + bytes, plain(query.drop->probability),
                     assumes_arrivals(only) ? fmt::format("\n{}", assumed_arrivals) : "")});
  }
  return lines;
}

namespace {

/// Are its delays simulated?
std::vector<bool> simulated_flows(const DelayAnswer& answer) {
  std::vector<bool> simulated;
  for (const FlowDelay& flow : answer.flows) simulated.push_back(flow.kind == DelayKind::simulated);
  return simulated;
}

/// Where extrapolation begins, and by what; empty if nothing is extrapolated.
std::string extrapolation_in_words(const DelayAnswer& answer) {
  double rarest = 1, commonest = 0;
  std::size_t all = 0, by_analysis = 0;
  for (const FlowDelay& flow : answer.flows) {
    if (!flow.anchor) continue;
    ++all;
    if (flow.anchor->power) ++by_analysis;
    rarest = std::min(rarest, flow.anchor->probability.value);
    commonest = std::max(commonest, flow.anchor->probability.value);
  }
  if (all == 0) return {};
  const std::string from = probability_in_words(rarest), to = probability_in_words(commonest);
  return fmt::format("Extrapolated below P(D > t) = {}: {}.", from == to ? from : from + " to " + to,
                     by_analysis == all ? "by the tail of the analysis, with the decay that was simulated"
                     : by_analysis == 0
                         ? "with the decay of the last two decades that were simulated"
                         : "by the tail of the analysis where both fall equally, otherwise with the "
                           "decay of the last two decades that were simulated");
}

}  // namespace

std::vector<std::string> delay_notes(const std::vector<DelayPoint>& points, bool one) {
  const DelayQuery& first = points.front().first;
  std::vector<std::string> notes;
  std::string truth = truth_in_words(points);
  if (one) {
    if (std::string ports = switch_in_words(first.topology); !ports.empty())
      notes.push_back(std::move(ports));
  } else {
    notes.push_back("Latency: queueing delay and " + latency_slots_in_words(first.topology) +
                    "; arrivals: " + independent_arrivals);
    if (first.hop_ns) notes.push_back("In ns, " + hop_in_words(*first.hop_ns));
    if (first.drop)
      notes.emplace_back(
          "Buffers: total of the queues on the longest path, packets in service included, each queue for the "
          "target");
    if (std::string ports = switch_in_words(first.topology); !ports.empty())
      notes.push_back(std::move(ports));
    notes.push_back(std::move(truth));
  }
  add_buffer_notes(notes, points);
  for (const DelayPoint& point : points) add_remarks(notes, point.first.topology);
  for (const auto& [query, answer] : points)
    if (any_as(answer, Hops::bound))
      if (std::string caution = capitalized(bound_caution(query.topology)) + ".";
          std::find(notes.begin(), notes.end(), caution) == notes.end())
        notes.push_back(std::move(caution));
  for (const auto& [query, answer] : points) {
    if (!answer.check) continue;
    std::vector<std::string> flows;
    if (std::holds_alternative<NetworkTopology>(query.topology))
      for (const DelayFlow& flow : answer.paths.flows) flows.push_back(flow.name);
    for (std::string& note : check_notes(*answer.check, flows, simulated_flows(answer)))
      if (std::find(notes.begin(), notes.end(), note) == notes.end()) notes.push_back(std::move(note));
    if (std::string note = extrapolation_in_words(answer); !note.empty()) notes.push_back(std::move(note));
  }
  if (!one) {
    std::map<std::string, std::size_t> reasons;
    for (const DelayPoint& point : points)
      for (const FlowDelay& flow : point.second.flows)
        if (!flow.hops_reason.empty() && flow.kind != DelayKind::simulated) ++reasons[flow.hops_reason];
    for (const auto& [reason, count] : reasons)
      notes.push_back(
          fmt::format("A less accurate model was used for {}: {}", counted(count, "flow"), reason));
  }
  return notes;
}

std::string bound_caution(const Topology& topology) {
  const auto* tree = std::get_if<TreeTopology>(&topology);
  return bound_is_proved(topology) ? "the bound is proved"
         : tree == nullptr || tree->routing == network::TreeRouting::random_root
             ? "the bound is proved up to the root and assumed below it, where links carry packets of the "
               "same leaves"
             : "the bound is proved for the first queue of the upward path and assumed for the others";
}

}  // namespace tailbound::render
