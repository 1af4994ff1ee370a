#include <tailbound/answers/agreed_digits.hpp>
#include <tailbound/answers/comparison.hpp>
#include <tailbound/answers/delay/delay.hpp>
#include <tailbound/answers/latency_ns.hpp>
#include <tailbound/answers/points/points.hpp>
#include <tailbound/bounds/sizing/output_queue.hpp>
#include <tailbound/network/alike_flows.hpp>
#include <tailbound/network/clocks/link_clocks.hpp>
#include <tailbound/sim/network/clocked_replication.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <memory>
#include <set>
#include <stdexcept>
#include <utility>

namespace tailbound::answers {
namespace {

using bounds::Route;
using numeric::Rational;

/// Where its arrivals are assumed to be independent, nothing of it is proved.
bounds::ClaimedBufferSize buffer_of(const bounds::NetworkQueues& queues, std::size_t position,
                                    const bounds::DropTarget& target, numeric::Digits digits) {
  if (const std::string& reason = queues.traffic[position].no_model; !reason.empty()) throw NoAnswer(reason);
  const queue::HopQueue& queue = queues.queues[position];
  const bool proved = queues.fed_by_sources[position] != 0;
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

/// Shared by equivalent flows; none: their delay cannot be computed.
using SharedLaw = std::shared_ptr<const FlowLaw>;

/// The results for one flow.
struct Part {
  FlowDelay flow;
  SharedLaw law{};
  std::vector<std::pair<std::size_t, bounds::ClaimedBufferSize>> buffers{};  ///< of queues not met before
};

/// For each requested flow the first one that is equivalent to it (network/alike_flows.hpp).
std::vector<std::size_t> alike_flows(const Topology& topology, const DelayPaths& paths) {
  std::vector<std::size_t> first(paths.flows.size());
  for (std::size_t flow = 0; flow < first.size(); ++flow) first[flow] = flow;
  const auto* its = std::get_if<NetworkTopology>(&topology);
  if (its == nullptr || first.size() < 2) return first;
  const network::AlikeFlows alike = network::alike_flows(its->network);
  std::map<std::string, std::size_t> class_of;
  for (std::size_t flow = 0; flow < its->network.flows.size(); ++flow)
    class_of[its->network.flows[flow].name] = alike.flow_class[flow];
  std::map<std::size_t, std::size_t> first_of;
  for (std::size_t flow = 0; flow < first.size(); ++flow)
    first[flow] = first_of.try_emplace(class_of.at(paths.flows[flow].name), flow).first->second;
  return first;
}

/// Is the delay proved?
bool is_proved(const FlowLaw& law, const bounds::ClaimedDelayAnswer& delay) {
  return law.hops == Hops::bound ||
         !std::holds_alternative<numeric::Approximation<unit::Slot>>(delay.mean_queueing);
}

/// Does a simulation check or replace the analysis? Trees with other classes have no simulator, and a query
/// that names a model of the hops wants its numbers.
bool is_simulated(const DelayQuery& query) {
  const auto* tree = std::get_if<TreeTopology>(&query.topology);
  return query.by != DelayBy::analysis && !query.hops && (tree == nullptr || !tree->waits_for_others());
}

/// Computes one flow after another.
class Delays {
 public:
  /// Both outlive this.
  Delays(const DelayQuery& query, const DelayAnswer& answer)
      : query_(query),
        answer_(answer),
        model_(query.topology, answer.paths, query.model()),
        alike_(alike_flows(query.topology, answer.paths)) {}

  /// The first flow with the same law.
  [[nodiscard]] std::size_t alike(std::size_t flow) const { return alike_[flow]; }
  /// Is nothing computed for the flow?
  [[nodiscard]] bool copies(std::size_t flow) const {
    return computed_as(flow) != flow && !query_.reorder && !query_.drop;
  }

  [[nodiscard]] Part of(std::size_t flow) {
    const DelayFlow& its = answer_.paths.flows[flow];
    const std::size_t first = computed_as(flow);
    Part part;
    if (first == flow) {
      compute(part, flow);
      laws_.push_back(part.law);
    } else {
      part.flow = answer_.flows[first];
      part.flow.reorder.reset();
      part.law = laws_[first];
      laws_.push_back(part.law);
    }
    if (query_.reorder) part.flow.reorder = reorder(its, part.law ? *part.law : model_.of(flow));
    if (query_.drop) add_buffers(part, its);
    return part;
  }

  /// By the analysis, even where the simulation is usually better.
  [[nodiscard]] Part analysed(std::size_t flow) {
    Part part;
    compute(part, flow, true);
    return part;
  }

  /// P(D > t) of flows by their positions, then of all packets if there are levels for these.
  /// \param laws   of all flows, as found by of()
  /// \param flows  number of level lists that belong to flows
  [[nodiscard]] std::vector<std::vector<double>> tails(const std::vector<SharedLaw>& laws, std::size_t flows,
                                                       const std::vector<std::vector<Slots>>& levels) const {
    // Flows with identical delays are computed once, at the levels of all of them.
    std::map<std::size_t, std::set<Slots>> wanted;
    for (std::size_t i = 0; i < levels.size(); ++i)
      for (std::size_t flow = i < flows ? i : 0; flow < (i < flows ? i + 1 : laws.size()); ++flow)
        wanted[computed_as(flow)].insert(levels[i].begin(), levels[i].end());
    std::map<std::size_t, std::map<Slots, double>> known;
    for (const auto& [flow, slots] : wanted) {
      const std::vector<Slots> requested(slots.begin(), slots.end());
      const auto found = laws[flow] ? tail(*laws[flow], requested) : std::nullopt;
      for (std::size_t i = 0; i < requested.size(); ++i)
        known[flow][requested[i]] = found ? (*found)[i] : std::numeric_limits<double>::quiet_NaN();
    }
    std::vector<std::vector<double>> tails(levels.size());
    for (std::size_t i = 0; i < levels.size(); ++i)
      for (const Slots level : levels[i])
        tails[i].push_back(i < flows ? known[computed_as(i)][level] : mixed(known, level, laws.size()));
    return tails;
  }

  /// P(D > t) at levels in steps.
  [[nodiscard]] std::vector<StatedSlotProbability> of_levels(std::size_t flow,
                                                             const std::vector<Slots>& levels) {
    FlowLaw law = model_.of(flow);
    const bounds::DelayQuery query{.levels = answer_.steps.in_ticks(levels), .percentiles = {}};
    return stated(model_.claims(law, query), answer_.steps).above;
  }
  [[nodiscard]] std::optional<std::vector<double>> tail_of(std::size_t flow,
                                                           const std::vector<Slots>& levels) {
    try {
      return tail(model_.of(flow), levels);
    } catch (const LimitExceeded&) {
      return std::nullopt;
    }
  }

  /// P(D > t) by the model at levels in steps; none where it does not reach.
  [[nodiscard]] std::optional<std::vector<double>> tail(const FlowLaw& law,
                                                        const std::vector<Slots>& levels) const {
    try {
      FlowLaw its = law;
      std::vector<double> tails;
      const bounds::DelayQuery query{.levels = answer_.steps.in_ticks(levels), .percentiles = {}};
      for (const auto& above : model_.claims(its, query).above)
        tails.push_back(span_of(to_predicted(above.probability)).upper);
      return tails;
    } catch (const LimitExceeded&) {
      return std::nullopt;
    } catch (const NoAnswer&) {
      return std::nullopt;
    }
  }

 private:
  /// By the analysis, unless it does not reach so far. Its errors are those of the query if no simulation
  /// answers instead.
  void compute(Part& part, std::size_t flow, bool always = false) {
    FlowDelay& its = part.flow;
    its.kind = DelayKind::simulated;
    if (!always && !is_computed(flow)) return;
    try {
      FlowLaw law = model_.of(flow);
      const auto claims =
          model_.claims(law, {.levels = answer_.steps.in_ticks(answer_.steps.of_slots(query_.levels)),
                              .percentiles = query_.percentiles});
      its.delay = stated(claims, answer_.steps);
      its.kind = is_proved(law, claims) ? DelayKind::proved : DelayKind::convolved;
      its.hops_reason = law.reason;
      its.hops = law.hops;
      its.one_queue = model_.one_queue(flow);
      if (const auto slot = query_.units.slot_ns()) {
        const SlotTime time =
            answer_.paths.in_ticks({.slot = *slot, .hop = query_.hop_ns.value_or(Rational(0))});
        its.latency_ns = latency_ns(law.routes, claims, *law.law, time);
        its.mean_ns = stated(mean_latency_ns(law.routes, claims.mean_queueing, time));
      }
      part.law = std::make_shared<const FlowLaw>(std::move(law));
    } catch (const LimitExceeded& error) {
      if (!is_simulated(query_)) throw;
      its.hops_reason = error.what();
    } catch (const NoAnswer& error) {
      if (!is_simulated(query_)) throw;
      its.hops_reason = error.what();
    }
  }

  /// The convolution of bursts through several queues is slow and rarely right: their delays are simulated.
  [[nodiscard]] bool is_computed(std::size_t flow) const {
    if (!is_simulated(query_) || std::holds_alternative<TreeTopology>(query_.topology)) return true;
    const auto bursty = [this](const Route& route) {
      return std::any_of(route.queues.begin(), route.queues.end(), [this](std::size_t queue) {
        return !answer_.paths.queues.traffic[queue].bursts.empty();
      });
    };
    const auto& routes = answer_.paths.flows[flow].routes;
    return model_.one_queue(flow) || std::none_of(routes.begin(), routes.end(), bursty);
  }

  /// The first flow with the same computed delays, by symmetry or in the model.
  [[nodiscard]] std::size_t computed_as(std::size_t flow) const {
    return alike_[flow] != flow ? alike_[flow] : model_.identical(flow);
  }

  /// Of all packets of the flows.
  [[nodiscard]] double mixed(std::map<std::size_t, std::map<Slots, double>>& known, Slots level,
                             std::size_t flows) const {
    double sum = 0, total = 0;
    for (std::size_t flow = 0; flow < flows; ++flow) {
      const double rate = numeric::nearest_double(answer_.paths.flows[flow].rate);
      sum += rate * known[computed_as(flow)][level];
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
        part.buffers.emplace_back(queue, buffer_of(answer_.paths.queues, queue, *query_.drop, query_.digits));
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
  std::vector<std::size_t> alike_;  ///< of each requested flow
  std::vector<SharedLaw> laws_{};   ///< of the flows so far
};

/// Groups of flows that are simulated together: those with the same law.
struct FlowGroups {
  std::vector<std::size_t> of_network{};  ///< group of each flow of the network
  std::vector<std::size_t> requested{};   ///< group of each requested flow
};

FlowGroups groups_of(const DelayQuery& query, const Delays& delays, const DelayPaths& paths) {
  FlowGroups groups;
  const auto* its = std::get_if<NetworkTopology>(&query.topology);
  if (its == nullptr) return groups;
  std::map<std::string, std::size_t> group_of;
  std::map<std::size_t, std::size_t> numbers;  // by the first flow
  for (std::size_t flow = 0; flow < paths.flows.size(); ++flow) {
    groups.requested.push_back(numbers.try_emplace(delays.alike(flow), numbers.size()).first->second);
    group_of[paths.flows[flow].name] = groups.requested.back();
  }
  for (const network::Flow& flow : its->network.flows) {
    const auto found = group_of.find(flow.name);
    groups.of_network.push_back(found == group_of.end() ? numbers.size() : found->second);
  }
  return groups;
}

/// What the pieces of an answer share: an aborted one may still use it.
struct Work {
  DelayQuery query;
  DelayAnswer answer{};
  std::optional<Delays> delays{};
  /// Of the finished flows: those of `delays` may be one more, or half written by an aborted piece.
  std::vector<SharedLaw> laws{};

  explicit Work(const DelayQuery& its) : query(its) {}
};

/// The simulation of an answer, and how it settles each flow.
class Settled {
 public:
  explicit Settled(const std::shared_ptr<Work>& work)
      : work_(work),
        query_(work->query),
        answer_(work->answer),
        groups_(groups_of(query_, *work->delays, answer_.paths)) {}

  void settle(const Run& run) {
    const bool proved = answer_.proved();
    const DelayEffort effort = query_.by == DelayBy::simulation ? DelayEffort::requested
                               : proved                         ? DelayEffort::brief
                                                                : DelayEffort::usual;
    answer_.simulated = std::make_shared<const SimulatedDelays>(
        simulated_delays(query_.topology, groups_.of_network, effort, run));
    if (answer_.simulated->skipped()) {
      answer_.check = answer_.simulated->length();
      for (std::size_t flow = 0; flow < work_->laws.size(); ++flow)
        if (!work_->laws[flow])
          throw LimitExceeded(answer_.flows[flow].hops_reason + "; --simulate answers by a long simulation");
      return;
    }
    check(run);
    settle_each(run);
  }

 private:
  [[nodiscard]] bool is_tree() const { return std::holds_alternative<TreeTopology>(query_.topology); }
  [[nodiscard]] std::optional<std::size_t> group_of(std::size_t flow) const {
    return is_tree() ? std::nullopt : std::optional(groups_.requested[flow]);
  }

  void check(const Run& run) {
    CheckedDelays requested;
    requested.groups = groups_.requested;
    requested.all = is_tree() || !query_.flow;
    requested.bounds = answer_.flows.front().hops == Hops::bound;
    requested.computed = [&](const std::vector<std::vector<Slots>>& levels) {
      // In a tree all packets form the only flow.
      const std::size_t flows = levels.size() - (requested.all && !is_tree() ? 1 : 0);
      return as_piece(
          run, [work = work_, flows, levels] { return work->delays->tails(work->laws, flows, levels); });
    };
    answer_.check = cross_check(*answer_.simulated, requested);
  }

  /// The result of its comparison with the simulation.
  enum class Finding { agrees, differs, weak };
  [[nodiscard]] Finding finding(std::size_t flow, bool tail_agrees, const CheckedLevel* rarest) const {
    constexpr double well_checked = 5e-3;
    if (!work_->laws[flow]) return Finding::differs;
    const SeenTimes waits = answer_.simulated->waits(group_of(flow));
    if (!waits.any()) return Finding::weak;
    if (!tail_agrees || !mean_agrees(flow, waits)) return Finding::differs;
    return rarest != nullptr && rarest->simulated.upper <= 2 * well_checked ? Finding::agrees : Finding::weak;
  }

  /// Within the interval or 10 % of it.
  [[nodiscard]] bool mean_agrees(std::size_t flow, const SeenTimes& waits) const {
    const auto simulated = waits.mean();
    const double computed =
        span_of(answer_.flows[flow].delay.mean_queueing).upper * static_cast<double>(answer_.steps.per_slot);
    return simulated.lower <= agreeing_factor * computed && computed <= agreeing_factor * simulated.upper;
  }

  /// Flows whose packets are too few for a check of their own follow the others.
  void settle_each(const Run& run) {
    std::vector<char> agrees(answer_.flows.size(), 1);
    std::vector<const CheckedLevel*> rarest(answer_.flows.size());
    for (const CheckedLevel& level : answer_.check->levels) {
      if (!level.flow && !is_tree()) continue;
      const std::size_t flow = level.flow.value_or(0);
      if (level.agreement != Agreement::agrees) agrees[flow] = 0;
      rarest[flow] = &level;
    }
    std::vector<Finding> findings;
    bool agreed = false, differed = false;
    for (std::size_t flow = 0; flow < answer_.flows.size(); ++flow) {
      const bool known = answer_.flows[flow].kind == DelayKind::proved;
      const std::size_t first = work_->delays->alike(flow);
      findings.push_back(known           ? Finding::agrees
                         : first != flow ? findings[first]
                                         : finding(flow, agrees[flow] != 0, rarest[flow]));
      agreed = agreed || (!known && findings.back() == Finding::agrees);
      differed = differed || findings.back() == Finding::differs;
    }
    for (std::size_t flow = 0; flow < answer_.flows.size(); ++flow) {
      if (answer_.flows[flow].kind == DelayKind::proved) continue;
      const bool convolved =
          findings[flow] == Finding::agrees || (findings[flow] == Finding::weak && agreed && !differed);
      if (convolved && query_.by != DelayBy::simulation) continue;
      if (answer_.simulated->waits(group_of(flow)).any())
        simulate(flow);
      else if (!work_->laws[flow])
        analyse(flow, run);
    }
  }

  /// No packet of the flow was simulated.
  void analyse(std::size_t flow, const Run& run) {
    Part part = as_piece(run, [work = work_, flow] { return work->delays->analysed(flow); });
    if (!part.law)
      throw NoAnswer("no packet of flow " + answer_.paths.flows[flow].name +
                     " was simulated, and its delay is not computed: " + part.flow.hops_reason);
    part.flow.reorder = std::move(answer_.flows[flow].reorder);
    answer_.flows[flow] = std::move(part.flow);
    work_->laws[flow] = std::move(part.law);
  }

  void simulate(std::size_t flow) {
    FlowDelay& its = answer_.flows[flow];
    if (const std::size_t first = work_->delays->alike(flow); first != flow) {
      std::optional<ReorderAnswer> reorder = std::move(its.reorder);
      its = answer_.flows[first];
      its.reorder = std::move(reorder);
      return;
    }
    const ConvolvedTail convolved = [&](const std::vector<Slots>& levels) {
      return work_->laws[flow] ? work_->delays->tail(*work_->laws[flow], levels) : std::nullopt;
    };
    its.kind = DelayKind::simulated;
    its.one_queue = false;
    its.delay = simulated_delay(*answer_.simulated, group_of(flow),
                                {answer_.steps.of_slots(query_.levels), query_.percentiles}, convolved,
                                its.anchor.emplace());
    const auto slot = query_.units.slot_ns();
    if (!slot) return;
    SimulatedTimes times = simulated_latency_ns(*answer_.simulated, group_of(flow), query_.percentiles,
                                                convolved, *slot, query_.hop_ns.value_or(Rational(0)));
    its.latency_ns = std::move(times.percentiles);
    its.mean_ns = times.mean;
  }

  std::shared_ptr<Work> work_;
  const DelayQuery& query_;
  DelayAnswer& answer_;
  FlowGroups groups_;
};

/// The flows before the first that has no answer yet.
DelayAnswer cut_short(Work& work, const Run& run) {
  DelayAnswer& answer = work.answer;
  const auto unknown = std::find_if(work.laws.begin(), work.laws.end(), [](const auto& law) { return !law; });
  if (unknown == work.laws.begin()) throw Stopped("stopped before the delay of a flow was known");
  answer.flows.resize(static_cast<std::size_t>(unknown - work.laws.begin()));
  answer.check.reset();
  answer.stopped = true;
  if (run.cut) run.cut();
  return answer;
}

/// Of a file, or of a tree.
std::string topology_name(const Topology& topology) {
  if (const auto* network = std::get_if<NetworkTopology>(&topology)) return network->file;
  const auto& tree = std::get<TreeTopology>(topology);
  return "a tree of radix " + std::to_string(tree.tree.radix) + " at load " + numeric::to_fraction(tree.load);
}

bool proved(const FlowDelay& flow) {
  return flow.kind == DelayKind::proved;
}

DelaySteps steps_of(const Topology& topology, const DelayPaths& paths) {
  const auto* its = std::get_if<NetworkTopology>(&topology);
  if (its == nullptr || network::has_unit_speeds(its->network)) return {};
  const std::int64_t steps = network::link_clocks(its->network, sim::WaitBins::min_packet).slot;
  return {steps, steps / paths.ticks_per_slot};
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

/// The last step in a picture of the flow's delay.
std::int64_t reach(const StatedDelay& delay) {
  std::int64_t last = 1;
  for (const StatedPercentile& percentile : delay.queueing) last = std::max(last, percentile.slots.value);
  for (const StatedSlotProbability& above : delay.above) last = std::max(last, above.slots.value);
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
  return std::all_of(flows.begin(), flows.end(),
                     [](const FlowDelay& flow) { return flow.kind == DelayKind::proved; });
}

DelayAnswer answer(const DelayQuery& query, const Run& run) {
  if (const auto* its = std::get_if<NetworkTopology>(&query.topology); its != nullptr && query.drop)
    for (const network::Node& node : its->network.nodes)
      if (node.shared_memory)
        throw InvalidArgument("drop",
                              "requested although " + node.name + " has a memory shared by its queues",
                              "requested only for flows without bursts and fixed paths; otherwise remove "
                              "shared_memory from the file");
  const auto work = std::make_shared<Work>(query);
  DelayAnswer& answer = work->answer;
  answer.paths = as_piece(run, [work] { return delay_paths(work->query.topology, work->query.flow); });
  answer.buffers.resize(answer.paths.queues.queues.size());
  answer.steps = steps_of(query.topology, answer.paths);
  work->delays.emplace(work->query, answer);
  const std::size_t count = answer.paths.flows.size();
  for (std::size_t flow = 0; flow < count; ++flow) {
    Part part;
    try {
      // Equivalent flows only copy: no piece of its own for each of many thousands.
      part = work->delays->copies(flow) && !run.stop.stop_requested()
                 ? work->delays->of(flow)
                 : as_piece(run, [work, flow] { return work->delays->of(flow); });
    } catch (const Stopped&) {
      return cut_short(*work, run);
    }
    for (auto& [queue, size] : part.buffers) answer.buffers[queue] = std::move(size);
    answer.flows.push_back(std::move(part.flow));
    work->laws.push_back(std::move(part.law));
    if (run.progress) run.progress(static_cast<double>(flow + 1) / static_cast<double>(count), 0);
  }
  if (!is_simulated(query)) return answer;
  try {
    Settled(work).settle(run);
  } catch (const Stopped&) {
    answer.check.emplace().skipped = true;
  }
  require_uncontradicted(query, answer);
  if (run.stop.stop_requested() && answer.check->skipped) return cut_short(*work, run);
  return answer;
}

std::vector<std::vector<std::size_t>> identical_flows(const DelayAnswer& answer) {
  std::map<std::pair<double, std::vector<Slots>>, std::size_t> known;  // by mean and percentiles
  std::vector<std::vector<std::size_t>> groups;
  for (std::size_t flow = 0; flow < answer.flows.size(); ++flow) {
    const StatedDelay& delay = answer.flows[flow].delay;
    std::pair<double, std::vector<Slots>> key{span_of(delay.mean_queueing).upper, {}};
    for (const StatedPercentile& percentile : delay.queueing) key.second.push_back(percentile.slots);
    const auto [place, is_new] = known.try_emplace(std::move(key), groups.size());
    if (is_new) groups.emplace_back();
    groups[place->second].push_back(flow);
  }
  std::stable_sort(groups.begin(), groups.end(), [&](const auto& a, const auto& b) {
    return reach(answer.flows[a.front()].delay) > reach(answer.flows[b.front()].delay);
  });
  return groups;
}

std::vector<StatedSlotProbability> delay_curve(const DelayQuery& query, const DelayAnswer& answer,
                                               std::size_t flow) {
  constexpr std::int64_t drawn = 1'000;  // levels, at least: no pixel of a picture is without a level
  const FlowDelay& its = answer.flows[flow];
  const std::int64_t last = reach(its.delay), step = std::max<std::int64_t>(1, last / drawn);
  std::vector<Slots> levels;
  for (std::int64_t t = 0; t <= last; t += step) levels.emplace_back(t);
  DelayQuery drawn_query = query;
  drawn_query.digits = {3};
  drawn_query.hops = its.hops;
  if (its.hops == Hops::chain) drawn_query.hops.reset();  // as far as the model applies
  drawn_query.levels.clear();
  drawn_query.percentiles.clear();
  drawn_query.units = {};
  drawn_query.reorder.reset();
  drawn_query.drop.reset();
  Delays delays(drawn_query, answer);
  if (its.kind != DelayKind::simulated) return delays.of_levels(flow, levels);
  const FlowGroups groups = groups_of(query, delays, answer.paths);
  const SimulatedDelays simulated =
      answer.simulated ? *answer.simulated
                       : simulated_delays(query.topology, groups.of_network, DelayEffort::requested);
  const ConvolvedTail convolved = [&](const std::vector<Slots>& at) { return delays.tail_of(flow, at); };
  DelayAnchor anchor;
  const auto group = groups.requested.empty() ? std::nullopt : std::optional(groups.requested[flow]);
  return simulated_delay(simulated, group, {levels, {}}, convolved, anchor).above;
}

}  // namespace tailbound::answers
