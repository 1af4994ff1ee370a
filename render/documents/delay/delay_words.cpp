#include <fmt/format.h>
#include <tailbound/answers/accuracy/accuracy_settings.hpp>
#include <tailbound/answers/latency_ns.hpp>
#include <tailbound/core/choice.hpp>
#include <tailbound/core/error.hpp>
#include <tailbound/numeric/rational.hpp>
#include <tailbound/numeric/text/plain.hpp>
#include <tailbound/render/documents/accuracy/accuracy.hpp>
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
  if (any_contradicted(points)) return "A simulation contradicts the model.";
  const bool chain = any_as(points, Hops::chain), safe = any_as(points, Hops::safe),
             others = any_as(points, Hops::independent) || any_as(points, Hops::bound);
  if ((chain || safe) && others)
    return std::string("Numerical, not proved") + (any_as(points, Hops::bound)
                                                       ? "; rows with hops bound are upper bounds."
                                                       : ", except flows that wait in one queue.");
  if (safe && !chain) return "Numerical, not proved; conservative: effects that reduce delay are omitted.";
  if (chain || safe)
    return any_burst(points)
               ? "Numerical, not proved: a wait depends on the age of the burst and on the previous wait."
               : "Numerical, not proved: each wait depends on the previous one.";
  if (any_as(points, Hops::bound) && !any_as(points, Hops::independent))
    return "Upper bounds of probabilities, means and percentiles.";
  const bool proved = std::all_of(points.begin(), points.end(),
                                  [](const DelayPoint& point) { return point.second.proved(); });
  const bool assumed = std::any_of(points.begin(), points.end(), [](const DelayPoint& point) {
    return std::any_of(point.second.flows.begin(), point.second.flows.end(), [](const FlowDelay& flow) {
      return flow.hops == Hops::independent && !flow.one_queue;
    });
  });
  return proved    ? "Every number is exact or certified."
         : assumed ? "Numerical, not proved: hops are added as if independent."
                   : "Numerical, not proved: a queue has too many bursty sources for a proof.";
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
  if (entry.query().hop_ns) words += "\nin ns, " + hop_in_words(*entry.query().hop_ns);
  return words;
}

/// model_caution() of each kind of hops in the answer.
std::vector<std::string> cautions(const DelayQuery& query, const DelayAnswer& answer) {
  std::vector<std::string> lines;
  for (const Hops hops : {Hops::chain, Hops::safe, Hops::independent, Hops::bound}) {
    const auto& flows = answer.flows;
    const auto its = std::find_if(flows.begin(), flows.end(), [&](const FlowDelay& flow) {
      return flow.hops == hops && !flow.one_queue;
    });
    if (its == flows.end()) continue;
    if (std::string caution = model_caution(answer.paths.omissions, query.topology, hops); !caution.empty())
      lines.push_back(std::move(caution));
  }
  return lines;
}

/// P(D > t) of trees down to which models are compared with simulations, and of networks from files.
constexpr double deepest_of_trees = 1e-6, deepest_of_networks = 1e-3;

answers::Accuracy tree_accuracy(const TreeTopology& tree, Hops hops) {
  return answers::accuracy(answers::requested_accuracy(tree, hops, {deepest_of_trees}));
}

/// Measured agreement with simulations of this tree.
std::string tree_caution(const TreeTopology& tree, Hops hops) {
  return "accuracy (model / simulation - 1): " +
         clause(tree_accuracy(tree, hops), measuring_command(tree, hops));
}

/// The smallest P(D > t) down to which the model was compared with simulations; none if it was not.
std::optional<double> measured_down_to(const Topology& topology, Hops hops) {
  const auto* tree = std::get_if<TreeTopology>(&topology);
  if (tree == nullptr) return hops == Hops::chain ? std::optional(deepest_of_networks) : std::nullopt;
  const auto range = tree_accuracy(*tree, hops).errors(answers::Quantity::tail);
  return range ? std::optional(range->up_to) : std::nullopt;
}

/// The smallest probability that a flow's answers are about.
double rarest_of(const DelayQuery& query, const FlowDelay& flow) {
  double rarest = 1;
  for (const Rational& p : query.percentiles)
    rarest = std::min(rarest, numeric::nearest_double(Rational(1 - p)));
  for (const bounds::ClaimedSlotProbability& above : flow.delay.above)
    if (const auto power = log10_height(shown(above.probability)); power && std::isfinite(*power))
      rarest = std::min(rarest, std::pow(10.0, *power));
  return rarest;
}

/// Of answers about rarer delays than were ever compared with simulations; empty if there are none.
std::string beyond_measurement(const std::vector<DelayPoint>& points) {
  double rarest = 1;
  std::optional<double> measured;
  for (const auto& [query, answer] : points)
    for (const FlowDelay& flow : answer.flows) {
      if (flow.one_queue || flow.hops == Hops::bound) continue;
      const auto down_to = measured_down_to(query.topology, flow.hops);
      const double its = rarest_of(query, flow);
      constexpr double rounding = 1e-9;
      if (!down_to || its >= *down_to * (1 - rounding)) continue;
      measured = std::max(measured.value_or(0), *down_to);
      rarest = std::min(rarest, its);
    }
  if (!measured) return {};
  return fmt::format(
      "Answers about P(D > t) below {} lie beyond what was measured, here down to {}: their error is "
      "unknown.",
      probability_in_words(*measured), probability_in_words(std::max(rarest, 1e-300)));
}

/// Is the bound of hops proved for all queues of a path, not assumed for some?
bool bound_is_proved(const Topology& topology) {
  const auto* tree = std::get_if<TreeTopology>(&topology);
  return tree != nullptr && tree->tree.levels == 1;
}

/// For a network with its own flows.
constexpr const char* chain_caution =
    "on 240 random networks of 2 to 6 switches, 98 % of the P(D > t) down to 1e-3 were within 25 % of "
    "simulation, none underestimated by more";

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
  if (std::holds_alternative<TreeTopology>(entry.query().topology)) return std::nullopt;
  return entry.flow;
}

std::string kind_in_words(const DelayEntry& entry, const Value& value) {
  const auto& check = entry.answer().check;
  if (check && check->contradicted(checked_flow(entry))) return "contradicted by simulation";
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

}  // namespace

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
  const auto [minimum, maximum] = std::minmax_element(
      entries.begin(), entries.end(),
      [&](const DelayEntry& a, const DelayEntry& b) { return percentile(a)->slots < percentile(b)->slots; });
  const std::string slots = range_in_words(std::to_string(percentile(*minimum)->slots.value),
                                           std::to_string(percentile(*maximum)->slots.value));
  const bool bounds = std::all_of(entries.begin(), entries.end(), [](const DelayEntry& entry) {
    return entry.found().hops == Hops::bound && !entry.found().one_queue;
  });
  const bool contradicted = std::any_of(entries.begin(), entries.end(), [](const DelayEntry& entry) {
    return entry.answer().check && entry.answer().check->contradicted();
  });
  for (const DelayEntry& entry : entries) quoted.push_back(shown(percentile(entry)->at.probability));
  const std::string largest = std::to_string(percentile(*maximum)->slots.value);
  std::string text =
      fmt::format("{}{} % of packets have a latency of at most {} slot{}", bounds ? "at least " : "",
                  percent_text(percentile(entries.front())->probability), largest, largest == "1" ? "" : "s");
  if (slots != largest) text += fmt::format(" ({} results: {})", entries.size(), slots);
  if (entries.size() == 1) {
    const auto at =
        static_cast<std::size_t>(percentile(entries.front()) - entries.front().found().delay.latency.begin());
    if (const Value ns = entry_latency_ns(entries.front(), at); !std::holds_alternative<None>(ns))
      text += fmt::format(" ({} ns)", brief(ns));
  }
  return Headline(text + buffers_in_headline(entries) + ".", quoted)
      .after(incomplete(*entries.front().points) + (contradicted ? "contradicted: " : ""));
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
  const std::string what = first.percentiles.empty() ? "" : "; columns: queueing delay / latency [slots]";
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

std::vector<std::string> delay_notes(const std::vector<DelayPoint>& points, bool one) {
  const DelayQuery& first = points.front().first;
  std::vector<std::string> notes;
  std::string truth = truth_in_words(points);
  if (one) {
    if (std::string ports = switch_in_words(first.topology); !ports.empty())
      notes.push_back(std::move(ports));
  } else {
    notes.push_back("Latency: queueing delay and " + latency_slots_in_words() +
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
    for (const std::string& caution : cautions(query, answer))
      if (std::find(notes.begin(), notes.end(), capitalized(caution) + ".") == notes.end())
        notes.push_back(capitalized(caution) + ".");
  if (std::string beyond = beyond_measurement(points); !beyond.empty()) notes.push_back(std::move(beyond));
  for (const auto& [query, answer] : points) {
    if (!answer.check) continue;
    std::vector<std::string> flows;
    if (std::holds_alternative<NetworkTopology>(query.topology))
      for (const DelayFlow& flow : answer.paths.flows) flows.push_back(flow.name);
    const bool bounds = std::all_of(answer.flows.begin(), answer.flows.end(),
                                    [](const FlowDelay& flow) { return flow.hops == Hops::bound; });
    for (std::string& note : check_notes(*answer.check, flows, bounds ? "bound" : "computed"))
      if (std::find(notes.begin(), notes.end(), note) == notes.end()) notes.push_back(std::move(note));
  }
  if (!one) {
    std::map<std::string, std::size_t> reasons;
    for (const DelayPoint& point : points)
      for (const FlowDelay& flow : point.second.flows)
        if (!flow.hops_reason.empty()) ++reasons[flow.hops_reason];
    for (const auto& [reason, count] : reasons)
      notes.push_back(
          fmt::format("A less accurate model was used for {}: {}", counted(count, "flow"), reason));
  }
  return notes;
}

std::string model_caution(const DelayOmissions& omissions, const Topology& topology, Hops hops) {
  const auto* only_tree = std::get_if<TreeTopology>(&topology);
  if (hops == Hops::bound)
    return bound_is_proved(topology) ? "the bound is proved"
           : only_tree == nullptr || only_tree->routing == network::TreeRouting::random_root
               ? "the bound is proved up to the root and assumed below it, where links carry packets of the "
                 "same leaves"
               : "the bound is proved for the first queue of the upward path and assumed for the others";
  const bool tree = only_tree != nullptr;
  if (hops == Hops::chain || hops == Hops::safe) return tree ? tree_caution(*only_tree, hops) : chain_caution;
  if (omissions.spread_bursts)
    return "hops are modelled as independent, without the spreading of bursts by upstream queues: " +
           (tree ? tree_caution(*only_tree, hops)
                 : std::string("the bulk may be overestimated and the tail underestimated"));
  if (omissions.correlated_waits)
    return "hops are modelled as independent although waits are positively correlated: " +
           (tree ? tree_caution(*only_tree, hops) : std::string("rare delays are underestimated"));
  return {};
}

}  // namespace tailbound::render
