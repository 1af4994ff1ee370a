#include <tailbound/answers/agreed_digits.hpp>
#include <tailbound/answers/comparison.hpp>
#include <tailbound/answers/delay/delay.hpp>
#include <tailbound/answers/latency_ns.hpp>
#include <tailbound/answers/points/points.hpp>
#include <tailbound/bounds/sizing/output_queue.hpp>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <stdexcept>
#include <utility>

namespace tailbound::answers {
namespace {

using bounds::Route;
using numeric::Rational;

/// \param proved  if not, its arrivals are assumed to be independent and nothing of it is proved
bounds::ClaimedBufferSize buffer_of(const queue::HopQueue& queue, bool proved,
                                    const bounds::DropTarget& target, numeric::Digits digits) {
  const auto output = std::visit(
      [&](const auto& its) { return bounds::output_queue(its, queue::Accuracy{.digits = digits}); }, queue);
  bounds::MinBufferSize smallest = output->min_buffer_size(target);
  bounds::ClaimedBufferSize result{smallest.buffer, std::move(smallest.at.probability), {}};
  if (smallest.before) result.before = std::move(smallest.before->probability);
  if (proved) return result;
  result.at = not_proved(result.at, digits);
  if (result.before) result.before = not_proved(*result.before, digits);
  return result;
}

/// Negligible probability of delays beyond the list, so that a reorder query is answered to several digits.
Rational negligible_for(const ReorderTargets& targets) {
  Rational minimum = targets.probability.value_or(Rational(1));
  if (!targets.levels.empty()) minimum = std::min<Rational>(minimum, power_of_ten(-30));
  return minimum * power_of_ten(-12);
}

/// The results for one flow.
struct Part {
  FlowDelay flow;
  FlowLaw law;
  std::vector<std::pair<std::size_t, bounds::ClaimedBufferSize>> buffers;  ///< of queues not met before
};

/// Computes one flow after another.
class Delays {
 public:
  /// Both outlive this.
  Delays(const DelayQuery& query, const DelayAnswer& answer)
      : query_(query), answer_(answer), model_(query.topology, answer.paths, query.model()) {}

  [[nodiscard]] Part of(std::size_t flow) {
    const DelayFlow& its = answer_.paths.flows[flow];
    Part part;
    const std::size_t identical = model_.identical(flow);
    FlowLaw law = identical == flow || answer_.flows[identical].hops != Hops::independent
                      ? model_.of(flow)
                      : model_.independent(flow);
    if (identical == flow) {
      part.flow.delay = model_.claims(law, {.levels = query_.levels, .percentiles = query_.percentiles});
      part.flow.hops_reason = law.reason;
      if (const auto slot = query_.units.slot_ns())
        part.flow.latency_ns = latency_ns(law.routes, part.flow.delay, *law.law,
                                          {.slot = *slot, .hop = query_.hop_ns.value_or(Rational(0))});
    } else {
      part.flow.delay = answer_.flows[identical].delay;
      part.flow.latency_ns = answer_.flows[identical].latency_ns;
      part.flow.hops_reason = answer_.flows[identical].hops_reason;
    }
    part.flow.hops = law.hops;
    part.flow.one_queue = model_.one_queue(flow);
    if (query_.reorder) part.flow.reorder = reorder(its, law);
    if (query_.drop) add_buffers(part, its);
    part.law = std::move(law);
    return part;
  }

  /// P(D > t) of flows by their positions, then of all packets if there are levels for these.
  /// \param laws   of all flows, as found by of()
  /// \param flows  number of level lists that belong to flows
  [[nodiscard]] std::vector<std::vector<double>> tails(const std::vector<FlowLaw>& laws, std::size_t flows,
                                                       const std::vector<std::vector<Slots>>& levels) const {
    // Flows with identical delays are computed once, at the levels of all of them.
    std::map<std::size_t, std::set<Slots>> wanted;
    for (std::size_t i = 0; i < levels.size(); ++i)
      for (std::size_t flow = i < flows ? i : 0; flow < (i < flows ? i + 1 : laws.size()); ++flow)
        wanted[model_.identical(flow)].insert(levels[i].begin(), levels[i].end());
    std::map<std::size_t, std::map<Slots, double>> known;
    for (const auto& [flow, slots] : wanted) {
      FlowLaw law = laws[flow];
      const bounds::ClaimedDelayAnswer found =
          model_.claims(law, {.levels = {slots.begin(), slots.end()}, .percentiles = {}});
      for (const auto& above : found.above)
        known[flow][above.slots] = span_of(to_predicted(above.probability)).upper;
    }
    std::vector<std::vector<double>> tails(levels.size());
    for (std::size_t i = 0; i < levels.size(); ++i)
      for (const Slots level : levels[i])
        tails[i].push_back(i < flows ? known[model_.identical(i)][level] : mixed(known, level, laws.size()));
    return tails;
  }

 private:
  /// Of all packets of the flows.
  [[nodiscard]] double mixed(std::map<std::size_t, std::map<Slots, double>>& known, Slots level,
                             std::size_t flows) const {
    double sum = 0, total = 0;
    for (std::size_t flow = 0; flow < flows; ++flow) {
      const double rate = numeric::nearest_double(answer_.paths.flows[flow].rate);
      sum += rate * known[model_.identical(flow)][level];
      total += rate;
    }
    return sum / total;
  }

  void add_buffers(Part& part, const DelayFlow& flow) const {
    for (const std::size_t queue : flow.longest) {
      const bool met = answer_.buffers[queue].has_value() ||
                       std::any_of(part.buffers.begin(), part.buffers.end(),
                                   [&](const auto& buffer) { return buffer.first == queue; });
      if (!met)
        part.buffers.emplace_back(
            queue, buffer_of(answer_.paths.queues.queues[queue],
                             answer_.paths.queues.fed_by_sources[queue] != 0, *query_.drop, query_.digits));
    }
  }

  /// Do all packets of the flow take the same path? Routes of a law are merged by their queues' traffic.
  [[nodiscard]] bool one_path(const DelayFlow& flow) const {
    if (const auto* tree = std::get_if<TreeTopology>(&query_.topology)) return tree->tree.levels == 1;
    const auto& flows = std::get<NetworkTopology>(query_.topology).network.flows;
    const auto its = std::find_if(flows.begin(), flows.end(),
                                  [&](const network::Flow& each) { return each.name == flow.name; });
    return its->routes.size() == 1;
  }

  ReorderAnswer reorder(const DelayFlow& flow, const FlowLaw& law) {
    const Rational rate = query_.flow_rate.value_or(flow.rate);
    if (one_path(flow)) return reorder_in_order(rate, *query_.reorder);
    std::vector<Route> routes = law.routes;
    if (std::holds_alternative<TreeTopology>(query_.topology)) {
      // In a tree the packets of one flow share the level at which they turn: in the worst case the top.
      const auto longest = std::max_element(routes.begin(), routes.end(), [](const Route& a, const Route& b) {
        return a.queues.size() < b.queues.size();
      });
      routes = {{longest->queues, 1}};
    }
    ReorderAnswer answer = reorder_answer(model_.distribution(law, routes, negligible_for(*query_.reorder)),
                                          rate, *query_.reorder);
    answer.computed = true;
    return answer;
  }

  const DelayQuery& query_;
  const DelayAnswer& answer_;
  DelayModel model_;
};

CrossCheck checked(const DelayQuery& query, const DelayAnswer& answer, const Delays& delays,
                   const std::vector<FlowLaw>& laws, const Run& run) {
  const bool tree = std::holds_alternative<TreeTopology>(query.topology);
  CheckedDelays requested;
  if (!tree)
    for (const DelayFlow& flow : answer.paths.flows) requested.flows.push_back(flow.name);
  requested.all = tree || !query.flow;
  requested.bounds = answer.flows.front().hops == Hops::bound;
  requested.computed = [&](const std::vector<std::vector<Slots>>& levels) {
    // In a tree all packets form the only flow.
    const std::size_t flows = levels.size() - (requested.all && !tree ? 1 : 0);
    return as_piece(run, [&] { return delays.tails(laws, flows, levels); });
  };
  try {
    return cross_check(query.topology, requested, *query.check, run);
  } catch (const Stopped&) {
    CrossCheck none;
    none.skipped = true;
    return none;
  }
}

/// Of a file, or of a tree.
std::string topology_name(const Topology& topology) {
  if (const auto* network = std::get_if<NetworkTopology>(&topology)) return network->file;
  const auto& tree = std::get<TreeTopology>(topology);
  return "a tree of radix " + std::to_string(tree.tree.radix) + " at load " + numeric::to_fraction(tree.load);
}

/// Are the delays of a flow proved?
bool proved(const FlowDelay& flow) {
  return flow.one_queue &&
         !std::holds_alternative<numeric::Approximation<unit::Slot>>(flow.delay.mean_queueing);
}

/// A proved number that a simulation excludes is a mistake of this program: its query is reported, not its
/// answer.
void require_uncontradicted(const DelayQuery& query, const DelayAnswer& answer) {
  const bool all = std::all_of(answer.flows.begin(), answer.flows.end(), proved);
  for (const CheckedLevel& level : answer.check->levels) {
    if (level.agreement == Agreement::agrees) continue;
    if (level.flow ? !proved(answer.flows[*level.flow]) : !all) continue;
    if (beyond_chance({level.computed, level.computed}, level.simulated.value,
                      {level.simulated.lower, level.simulated.upper}, level.count) == Verdict::inside)
      continue;
    const std::string flow = level.flow ? "flow " + answer.paths.flows[*level.flow].name : "all packets";
    throw std::logic_error("a proved delay is contradicted by simulation, please report " +
                           topology_name(query.topology) + ": " + flow + ", P(D > " +
                           std::to_string(level.slots.value) + ") = " + std::to_string(level.computed) +
                           ", simulated " + std::to_string(level.simulated.lower) + " .. " +
                           std::to_string(level.simulated.upper));
  }
}

/// The last slot in a picture of the flow's delay.
std::int64_t reach(const bounds::ClaimedDelayAnswer& delay) {
  std::int64_t last = 1;
  for (const bounds::ClaimedPercentile& percentile : delay.queueing)
    last = std::max(last, percentile.slots.value);
  for (const bounds::ClaimedSlotProbability& above : delay.above) last = std::max(last, above.slots.value);
  return last;
}

}  // namespace

std::vector<Rational> usual_percentiles() {
  std::vector<Rational> percentiles{Rational(1) / 2};
  for (const int nines : {1, 2, 4, 6}) percentiles.push_back(1 - power_of_ten(-nines));
  return percentiles;
}

Packets DelayAnswer::total_buffer(std::size_t flow) const {
  Packets total;
  for (const std::size_t queue : paths.flows[flow].longest) total = total + buffers[queue]->buffer;
  return total;
}

bool DelayAnswer::proved() const {
  return std::none_of(flows.begin(), flows.end(), [](const FlowDelay& flow) {
    return std::holds_alternative<numeric::Approximation<unit::Slot>>(flow.delay.mean_queueing);
  });
}

DelayAnswer answer(const DelayQuery& query, const Run& run) {
  if (const auto* its = std::get_if<NetworkTopology>(&query.topology); its != nullptr && query.drop)
    for (const network::Node& node : its->network.nodes)
      if (node.shared_memory)
        throw InvalidArgument("drop",
                              "requested although " + node.name + " has a memory shared by its queues",
                              "requested only for flows without bursts and fixed paths; otherwise remove "
                              "shared_memory from the file");
  DelayAnswer answer;
  answer.paths = as_piece(run, [&] { return delay_paths(query.topology, query.flow); });
  answer.buffers.resize(answer.paths.queues.queues.size());
  Delays delays(query, answer);
  std::vector<FlowLaw> laws;
  const std::size_t count = answer.paths.flows.size();
  for (std::size_t flow = 0; flow < count; ++flow) {
    Part part;
    try {
      part = as_piece(run, [&delays, flow] { return delays.of(flow); });
    } catch (const Stopped&) {
      if (flow == 0) throw Stopped("stopped before the delay of a flow was known");
      answer.stopped = true;
      if (run.cut) run.cut();
      break;
    }
    for (auto& [queue, size] : part.buffers) answer.buffers[queue] = std::move(size);
    answer.flows.push_back(std::move(part.flow));
    laws.push_back(std::move(part.law));
    if (run.progress) run.progress(static_cast<double>(flow + 1) / static_cast<double>(count), 0);
  }
  const auto* tree = std::get_if<TreeTopology>(&query.topology);
  const bool one_class =
      tree == nullptr || !tree->waits_for_others();  // other trees are simulated without classes
  if (query.check && !answer.stopped && one_class) answer.check = checked(query, answer, delays, laws, run);
  if (answer.check) require_uncontradicted(query, answer);
  if (answer.check && answer.check->skipped && run.stop.stop_requested()) {
    answer.check.reset();
    answer.stopped = true;
    if (run.cut) run.cut();
  }
  return answer;
}

std::vector<std::vector<std::size_t>> identical_flows(const DelayAnswer& answer) {
  std::map<std::pair<double, std::vector<Slots>>, std::size_t> known;  // by mean and percentiles
  std::vector<std::vector<std::size_t>> groups;
  for (std::size_t flow = 0; flow < answer.flows.size(); ++flow) {
    const bounds::ClaimedDelayAnswer& delay = answer.flows[flow].delay;
    std::pair<double, std::vector<Slots>> key{span_of(to_predicted(delay.mean_queueing)).upper, {}};
    for (const bounds::ClaimedPercentile& percentile : delay.queueing) key.second.push_back(percentile.slots);
    const auto [place, is_new] = known.try_emplace(std::move(key), groups.size());
    if (is_new) groups.emplace_back();
    groups[place->second].push_back(flow);
  }
  std::stable_sort(groups.begin(), groups.end(), [&](const auto& a, const auto& b) {
    return reach(answer.flows[a.front()].delay) > reach(answer.flows[b.front()].delay);
  });
  return groups;
}

std::vector<bounds::ClaimedSlotProbability> delay_curve(const DelayQuery& query, const DelayAnswer& answer,
                                                        std::size_t flow) {
  constexpr std::int64_t drawn = 1'000;  // levels, at least: no pixel of a picture is without a level
  const std::int64_t last = reach(answer.flows[flow].delay), step = std::max<std::int64_t>(1, last / drawn);
  bounds::DelayQuery requested;
  for (std::int64_t t = 0; t <= last; t += step) requested.levels.emplace_back(t);
  DelayModelQuery model = query.model();
  model.digits = {3};
  model.hops = answer.flows[flow].hops;
  if (*model.hops == Hops::chain) model.hops.reset();  // as far as the model applies
  DelayModel delays(query.topology, answer.paths, model);
  FlowLaw law = delays.of(flow);
  return delays.claims(law, requested).above;
}

}  // namespace tailbound::answers
