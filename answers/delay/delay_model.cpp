#include <tailbound/answers/delay/delay_model.hpp>
#include <tailbound/bounds/network/wired_delay.hpp>
#include <tailbound/bounds/path/aged_delay.hpp>
#include <tailbound/bounds/path/delay_bound.hpp>
#include <tailbound/core/choice.hpp>
#include <tailbound/core/error.hpp>
#include <tailbound/network/clocks/link_clocks.hpp>
#include <tailbound/numeric/rational.hpp>

#include <algorithm>
#include <cmath>
#include <ios>
#include <tuple>
#include <utility>

namespace tailbound::answers {
namespace {

using bounds::Route;
using numeric::Rational;

using Meets = bounds::WiredDelay::Meets;

/// Maximum delay in slots for hops treated as a chain; the default takes about a second.
constexpr std::size_t usual_slots = 448, max_model_slots = 4096;
/// Why only independent hops exist for a flow of a network.
constexpr const char* not_derived = "bursts: each wait is that of an arbitrary packet of its queue";
constexpr const char* binary_tree =
    "in binary trees the chain model underestimates rare delays of bursts with per-packet destinations: "
    "simulated P(D > t) is 1.2 times the computed value at 1e-2, 1.8 times at 1e-4 (see --hops chain)";
/// Why only independent hops exist in a network of links of different speeds.
constexpr const char* of_speeds =
    "links of different speeds: each wait is that of an arbitrary packet of its queue, in slots of its link";
/// The same for a class with lower priority.
constexpr const char* below_others =
    "a class with lower priority: each wait is that of an arbitrary packet of the class at its queue; "
    "successive waits are added as independent";
/// Minimum number of links per queue for which bounds/path/dependent_delay.hpp was measured to be more
/// accurate.
constexpr std::size_t fewest_links_of_a_chain = 4;

/// The bound of a tree's routes, which are identified by their lengths.
class BoundLaw final : public bounds::DelayLaw {
 public:
  explicit BoundLaw(const TreeTopology& topology) {
    for (bounds::BoundedRoute& route :
         bounds::bounded_tree(topology.tree, topology.load, topology.routing, topology.burst))
      by_length_[route.later.size() + 1] = std::move(route);
  }

  bounds::ClaimedDelayAnswer claims(std::span<const Route> routes, const bounds::DelayQuery& query) override {
    std::vector<bounds::BoundedRoute> bounded;
    for (const Route& route : routes) {
      bounded.push_back(by_length_.at(route.queues.size()));
      bounded.back().share = route.share;
    }
    bounds::BoundedDelayAnswer found = bounds::delay_bound(bounded, query);
    Rational mean = 0, hops = 0;
    for (const bounds::BoundedRoute& route : bounded) {
      mean = mean + route.share * route.mean_wait;
      hops = hops + route.share * Rational(static_cast<std::int64_t>(route.later.size()) + 1);
    }
    return {std::move(found.above), std::move(found.queueing), std::move(found.latency), upper(mean),
            upper(mean + hops)};
  }

 private:
  static numeric::Claim<unit::Slot> upper(const Rational& mean) {
    return numeric::UpperBound<unit::Slot>{
        numeric::Theorem::delay_bound,
        numeric::enclose(numeric::Exact<unit::Slot>{numeric::Theorem::delay_bound, mean}, {128}).upper()};
  }

  std::map<std::size_t, bounds::BoundedRoute> by_length_;
};

/// A tree with bursts that keep their path through several queues; null otherwise.
const TreeTopology* burst_tree_of(const Topology& topology) {
  const auto* tree = std::get_if<TreeTopology>(&topology);
  return tree != nullptr && tree->bursts_keep_path() && tree->tree.levels > 1 ? tree : nullptr;
}

/// Does a model of dependent hops exist?
bool derived(const Topology& topology) {
  const auto* tree = std::get_if<TreeTopology>(&topology);
  return tree == nullptr || !tree->burst || tree->tree.levels > 1;
}

/// The first class that has flows.
int highest_class(const network::Network& network) {
  int highest = network.classes();
  for (const network::Flow& flow : network.flows) highest = std::min(highest, flow.priority);
  return highest;
}

/// A network whose flows have different classes; null otherwise.
const network::Network* classes_of(const Topology& topology) {
  const auto* network = std::get_if<NetworkTopology>(&topology);
  return network != nullptr && network->network.classes() > highest_class(network->network)
             ? &network->network
             : nullptr;
}

/// Links with clocks of their own.
bool has_speeds(const Topology& topology) {
  const auto* network = std::get_if<NetworkTopology>(&topology);
  return network != nullptr && !network::has_unit_speeds(network->network);
}

/// One queue of a class that waits for others.
bool is_lower_class(const Topology& topology) {
  const auto* tree = std::get_if<TreeTopology>(&topology);
  return tree != nullptr && tree->waits_for_others();
}

/// Why other models of hops are not available.
std::string why_no_other(const Topology& topology) {
  if (has_speeds(topology)) return "the chain model does not cover links of different speeds";
  if (classes_of(topology) != nullptr || is_lower_class(topology))
    return "the chain model does not cover classes with lower priority (by default it is used for the "
           "highest class where it applies)";
  if (!derived(topology)) return "other values of --hops cover bursts through several queues";
  if (burst_tree_of(topology) != nullptr)
    return "no bound is known for bursts that keep their path (--destination per-burst)";
  return "bound is derived for trees";
}

/// The number with one digit more than its arithmetic guarantees.
template <class Unit>
numeric::Claim<Unit> as_computed(const numeric::Claim<Unit>& claim, numeric::Digits digits) {
  const numeric::PrecisionScope scope(numeric::to_precision({digits.count + 3}));
  const auto computed = [&](const numeric::Real& value) -> numeric::Claim<Unit> {
    return numeric::Approximation<Unit>{numeric::Real(value.str(digits.count + 1, std::ios_base::scientific)),
                                        digits.count};
  };
  if (const auto* exact = std::get_if<numeric::Exact<Unit>>(&claim))
    return exact->value == 0 || exact->value == 1
               ? claim
               : computed(numeric::to_real(exact->value, numeric::Rounding::nearest));
  if (const auto* bounds = std::get_if<numeric::Enclosure<Unit>>(&claim))
    return computed((numeric::Real(bounds->lower()) + numeric::Real(bounds->upper())) / 2);
  return claim;
}

/// For hops added as if they were independent: the arithmetic is proved, the sum is not.
bounds::ClaimedDelayAnswer as_computed(bounds::ClaimedDelayAnswer answer, numeric::Digits digits) {
  const auto each = [&](bounds::ClaimedSlotProbability& value) {
    value.probability = as_computed(value.probability, digits);
  };
  std::for_each(answer.above.begin(), answer.above.end(), each);
  for (auto* percentiles : {&answer.queueing, &answer.latency})
    for (bounds::ClaimedPercentile& percentile : *percentiles) {
      each(percentile.at);
      std::for_each(percentile.before.begin(), percentile.before.end(), each);
    }
  answer.mean_queueing = as_computed(answer.mean_queueing, digits);
  answer.mean_latency = as_computed(answer.mean_latency, digits);
  return answer;
}

/// The routes of all flows, each with its share of all packets.
std::vector<Route> mixed(const DelayPaths& paths, const std::vector<const std::vector<Route>*>& routes) {
  Rational total = 0;
  for (const DelayFlow& flow : paths.flows) total = total + flow.rate;
  std::map<std::pair<std::vector<std::size_t>, std::size_t>, Rational> shares;
  for (std::size_t i = 0; i < routes.size(); ++i)
    for (const Route& route : *routes[i]) {
      Rational& share = shares[{route.queues, route.passed}];
      share = share + route.share * paths.flows[i].rate / total;
    }
  std::vector<Route> result;
  for (const auto& [met, share] : shares) result.push_back({met.first, share, met.second});
  return result;
}

}  // namespace

/// The highest class of a network, treated as if it were alone.
struct DelayModel::HighestClass {
  Topology topology;
  DelayPaths paths;
  DelayModel model;

  HighestClass(const NetworkTopology& whole, const DelayModelQuery& query)
      : topology(alone(whole)), paths(delay_paths(topology)), model(topology, paths, query) {}

 private:
  static NetworkTopology alone(NetworkTopology whole) {
    whole.network = network::without_lower_classes(whole.network, highest_class(whole.network));
    return whole;
  }
};

/// What the source of a flow sends over a link, of the flow's class and of higher ones.
queue::ClassSource class_source(const network::Network& network, const DelayFlow& flow, std::size_t link) {
  queue::ClassSource source{.higher = 0, .own = 0};
  for (const network::Flow& each : network.flows) {
    if (network.nodes[each.source].name != flow.source || each.priority > flow.priority) continue;
    Rational& rate = each.priority == flow.priority ? source.own : source.higher;
    for (const network::Route& route : each.routes)
      if (std::find(route.links.begin(), route.links.end(), link) != route.links.end())
        rate = rate + each.rate * route.share;
  }
  return source;
}

struct DelayModel::Laws {
  std::vector<queue::HopQueue> queues;  ///< of DelayPaths, then those of the packets of one source
  std::optional<bounds::PathDelay> independent{};
  std::optional<bounds::DependentPaths> paths{};
  std::vector<std::size_t> flow_in_paths{};  ///< of each requested flow
  std::optional<bounds::DependentDelay> chain{};
  std::optional<bounds::WiredDelay> wired{};  ///< of a network
  std::unique_ptr<BoundLaw> bound{};
  bool bursts = false;  ///< of a tree
  std::optional<bounds::AgedDelay> aged{};
  std::string no_chain{};  ///< why hops of bursts through a tree do not form a chain; empty if they do
  bool speeds = false;     ///< links have clocks of their own
  std::vector<std::size_t> identical{};
  std::vector<char> one_queue{};  ///< of each requested flow: whether it waits in one queue, of sources only
  /// Whether its delay there is known: that of an arbitrary packet of the queue, or of `own_routes`.
  std::vector<char> exact{};
  std::vector<std::vector<Route>> own_routes{};  ///< by the queues of its source's packets; else empty
  std::unique_ptr<HighestClass> highest{};  ///< of a network with classes, if one of its flows is requested
  std::vector<std::optional<std::size_t>> flow_in_highest{};  ///< of each requested flow
  std::vector<std::size_t> flow_of_highest{};                 ///< the requested flow for each of them
  bool use_wired = false;
  bool chain_first = false;  ///< of a network: enough links feed each queue for the chain of trees
};

std::vector<Hops> possible_hops(const Topology& topology) {
  if (!derived(topology) || classes_of(topology) != nullptr || is_lower_class(topology) ||
      has_speeds(topology))
    return {Hops::independent};
  if (burst_tree_of(topology) != nullptr) return {Hops::chain, Hops::independent};
  if (std::holds_alternative<TreeTopology>(topology)) return {Hops::chain, Hops::independent, Hops::bound};
  return {Hops::chain, Hops::independent};
}

numeric::Claim<unit::Probability> not_proved(const numeric::Claim<unit::Probability>& claim,
                                             numeric::Digits digits) {
  return as_computed(claim, digits);
}

DelayModel::DelayModel(const Topology& topology, const DelayPaths& paths, const DelayModelQuery& query)
    : paths_(paths), query_(query), laws_(std::make_unique<Laws>(Laws{.queues = paths.queues.queues})) {
  const auto* tree = std::get_if<TreeTopology>(&topology);
  const bool is_derived = derived(topology);
  if (tree != nullptr) {
    laws_->bursts = tree->burst.has_value();
    laws_->flow_in_paths = {0};
    laws_->one_queue = laws_->exact = {tree->tree.levels == 1};
  } else if (has_speeds(topology)) {
    laws_->speeds = true;
    laws_->one_queue.assign(paths.flows.size(), 0);
    laws_->exact = laws_->one_queue;
  } else if (const network::Network* classes = classes_of(topology); classes != nullptr) {
    find_classes(std::get<NetworkTopology>(topology));
  } else {
    const network::Network& network = std::get<NetworkTopology>(topology).network;
    std::map<std::string, std::size_t> by_name;
    for (std::size_t i = 0; i < network.flows.size(); ++i) by_name[network.flows[i].name] = i;
    laws_->wired.emplace(network);
    for (const DelayFlow& flow : paths.flows) {
      laws_->flow_in_paths.push_back(by_name.at(flow.name));
      const Meets meets = laws_->wired->meets(laws_->flow_in_paths.back());
      laws_->one_queue.push_back(meets != Meets::several);
      laws_->exact.push_back(meets == Meets::one);
    }
    find_own_routes();
  }
  std::vector<std::int64_t> ticks;
  for (const network::QueueTraffic& traffic : paths.queues.traffic) ticks.push_back(traffic.ticks);
  laws_->independent.emplace(std::move(laws_->queues), queue::HopDelay::wait, query.digits, std::move(ticks));
  if (query.hops) {
    const std::vector<Hops> possible = possible_hops(topology);
    if (std::find(possible.begin(), possible.end(), *query.hops) == possible.end()) {
      std::string legal;
      for (const Hops hops : possible) legal += (legal.empty() ? "" : " or ") + std::string(name_of(hops));
      throw InvalidArgument("hops", name_of(*query.hops), legal + ": " + why_no_other(topology));
    }
  }
  if (classes_of(topology) != nullptr || is_lower_class(topology) || laws_->speeds) return;
  const Hops wanted = query.hops.value_or(Hops::chain);
  if (const TreeTopology* bursts = burst_tree_of(topology); bursts != nullptr && is_derived) {
    if (wanted == Hops::independent) return;
    try {
      laws_->aged.emplace(
          bounds::burst_tree(bursts->tree, bursts->load, bursts->routing, bursts->burst->on_rate),
          bursts->burst->slots);
    } catch (const InvalidArgument& error) {
      if (query.hops) throw;
      laws_->no_chain = error.what();
    }
    return;
  }
  if (wanted == Hops::bound) laws_->bound = std::make_unique<BoundLaw>(*tree);
  if (wanted != Hops::chain || !is_derived) return;
  if (!query.hops && tree != nullptr && tree->burst && tree->tree.radix == 2) {
    laws_->no_chain = binary_tree;
    return;
  }
  if (tree != nullptr) {
    laws_->paths = bounds::dependent_tree(tree->tree, tree->load, tree->routing, tree->burst);
  } else {
    laws_->paths = bounds::dependent_network(std::get<NetworkTopology>(topology).network);
  }
  laws_->chain.emplace(laws_->paths->hops, query.hops ? max_model_slots : usual_slots);
  std::map<std::vector<std::pair<std::vector<std::size_t>, Rational>>, std::size_t> first;
  for (std::size_t flow = 0; flow < paths.flows.size(); ++flow) {
    std::size_t identical = paths.flows[flow].identical;
    if (laws_->wired && laws_->exact[flow] == 0) {
      identical = flow;  // the model itself finds identical flows
    } else if (const auto* routes = chained(flow)) {
      std::vector<std::pair<std::vector<std::size_t>, Rational>> met;
      for (const Route& route : *routes) met.emplace_back(route.queues, route.share);
      identical = first.try_emplace(std::move(met), flow).first->second;
    } else if (chained(identical) != nullptr) {
      identical = flow;
    }
    laws_->identical.push_back(identical);
  }
  laws_->use_wired = laws_->wired.has_value();
  std::size_t fewest = 0;  // of those flows that meet several queues
  for (const std::size_t flow : laws_->flow_in_paths)
    if (const std::size_t its = tree != nullptr ? 0 : laws_->wired->fewest_links(flow); its > 0)
      fewest = fewest == 0 ? its : std::min(fewest, its);
  laws_->chain_first = fewest >= fewest_links_of_a_chain;
  const bool any =
      tree != nullptr || std::any_of(laws_->flow_in_paths.begin(), laws_->flow_in_paths.end(),
                                     [&](std::size_t flow) { return !laws_->wired->routes(flow).empty(); });
  if (query.hops && !any) throw InvalidArgument("hops", "chain", "independent: every flow meets bursts");
}

DelayModel::~DelayModel() = default;

/// The queues of the packets of one source, each once.
class DelayModel::OwnQueues {
 public:
  /// \param brief  within a second
  OwnQueues(std::vector<queue::HopQueue>& queues, bool brief)
      : queues_(queues), left_(brief ? max_brief_work : max_work) {}

  /// Its position among the queues; none if there are too many sources.
  std::optional<std::size_t> of(const bounds::WiredDelay::SourceRoute& its) {
    if (its.bursts) {
      if (!its.bursts->affordable() || !spend(std::pow(its.bursts->states(), 3))) return std::nullopt;
      queues_.emplace_back(*its.bursts);
      return queues_.size() - 1;
    }
    std::vector<std::pair<Rational, std::int64_t>> others;
    std::map<Rational, std::int64_t> counts{{its.own, 1}};
    std::int64_t all = 0;
    for (const queue::SlotSources& each : its.others) {
      others.emplace_back(each.rate, each.count);
      counts[each.rate] += each.count;
      all += each.count;
    }
    if (all > queue::FlowQueue::max_sources) return std::nullopt;
    const auto [place, is_new] = by_sources_.try_emplace({its.own, std::move(others)}, std::nullopt);
    if (is_new && spend(static_cast<double>(all) * static_cast<double>(all))) {
      place->second = queues_.size();
      network::QueueTraffic traffic;
      traffic.load = 0;
      for (const auto& [rate, count] : counts) {
        traffic.sources.push_back({rate, count});
        traffic.load = traffic.load + rate * Rational(count);
      }
      queues_.emplace_back(queue::FlowQueue{bounds::slotted_queue(traffic), its.others});
    }
    return place->second;
  }
  /// Of a class after higher ones.
  std::size_t of(const network::QueueTraffic& traffic, const queue::ClassSource& own) {
    std::vector<std::tuple<Rational, Rational, std::int64_t>> all;
    for (const network::ClassSource& each : traffic.classes)
      all.emplace_back(each.higher, each.own, each.count);
    const auto [place, is_new] =
        by_classes_.try_emplace({own.higher, own.own, std::move(all)}, queues_.size());
    if (is_new) {
      auto its = std::get<queue::ClassQueue>(bounds::hop_queue(traffic));
      its.of = own;
      queues_.emplace_back(std::move(its));
    }
    return place->second;
  }

 private:
  /// Work of the laws of all of them together: about 10 s. Beyond, other models answer.
  static constexpr double max_work = 5e7, max_brief_work = 1.5e4;
  bool spend(double work) {
    if (work > left_) return false;
    left_ -= work;
    return true;
  }

  std::vector<queue::HopQueue>& queues_;
  double left_;  ///< work
  std::map<std::pair<Rational, std::vector<std::pair<Rational, std::int64_t>>>, std::optional<std::size_t>>
      by_sources_;
  std::map<std::tuple<Rational, Rational, std::vector<std::tuple<Rational, Rational, std::int64_t>>>,
           std::size_t>
      by_classes_;
};

/// Where sources differ, so do the waits of their packets.
/// \param queue_of  (route) -> position among the queues; none if it is not known
template <class QueueOf>
void DelayModel::set_own_routes(std::size_t flow, const std::vector<bounds::WiredDelay::SourceRoute>& found,
                                const QueueOf& queue_of) {
  std::map<std::pair<std::vector<std::size_t>, std::size_t>, Rational> shares;
  for (const bounds::WiredDelay::SourceRoute& its : found) {
    std::vector<std::size_t> queues;
    if (its.own > 0) {
      const std::optional<std::size_t> queue = queue_of(its);
      if (!queue) return;
      queues.push_back(*queue);
    }
    const std::size_t passed = its.hops - queues.size();
    Rational& share = shares.try_emplace({std::move(queues), passed}, 0).first->second;
    share = share + its.share;
  }
  laws_->exact[flow] = 1;
  for (const auto& [met, share] : shares) laws_->own_routes[flow].push_back({met.first, share, met.second});
}

void DelayModel::find_own_routes() {
  laws_->own_routes.resize(paths_.flows.size());
  OwnQueues own(laws_->queues, query_.brief);
  for (std::size_t flow = 0; flow < paths_.flows.size(); ++flow)
    if (laws_->exact[flow] == 0)
      if (const auto found = laws_->wired->source_routes(laws_->flow_in_paths[flow]))
        set_own_routes(flow, *found, [&](const auto& its) { return own.of(its); });
}

void DelayModel::find_classes(const NetworkTopology& topology) {
  const network::Network& network = topology.network;
  const int highest = highest_class(network);
  laws_->own_routes.resize(paths_.flows.size());
  OwnQueues own(laws_->queues, query_.brief);
  std::map<int, bounds::WiredDelay> models;  // of a class and the higher ones
  std::map<int, std::vector<network::QueueTraffic>> traffics;
  std::map<std::string, std::size_t> position;
  for (int priority = 1; priority <= network.classes(); ++priority) {
    const network::Network its = network::without_lower_classes(network, priority);
    models.try_emplace(priority, its);
    for (std::size_t i = 0; i < its.flows.size(); ++i)
      if (its.flows[i].priority == priority) position[its.flows[i].name] = i;
  }
  for (std::size_t flow = 0; flow < paths_.flows.size(); ++flow) {
    const DelayFlow& its = paths_.flows[flow];
    const Meets meets = models.at(its.priority).meets(position.at(its.name));
    const bool identical = std::all_of(its.routes.begin(), its.routes.end(), [&](const Route& route) {
      return std::all_of(route.queues.begin(), route.queues.end(), [&](std::size_t queue) {
        const network::QueueTraffic& traffic = paths_.queues.traffic[queue];
        return traffic.classes.size() + traffic.sources.size() <= 1;
      });
    });
    laws_->one_queue.push_back(its.priority == highest ? meets != Meets::several
                                                       : meets == Meets::one && identical);
    laws_->exact.push_back(laws_->one_queue.back());
    laws_->flow_in_highest.emplace_back();
    if (its.priority != highest) {
      const auto found = laws_->exact.back() == 0
                             ? models.at(its.priority).source_routes(position.at(its.name))
                             : std::nullopt;
      if (!found) continue;
      std::vector<network::QueueTraffic>& traffic = traffics[its.priority];
      if (traffic.empty()) traffic = network::class_traffic(network, its.priority);
      set_own_routes(flow, *found, [&](const auto& route) -> std::optional<std::size_t> {
        if (traffic[route.link].classes.empty()) return own.of(route);
        return own.of(traffic[route.link], class_source(network, its, route.link));
      });
      continue;
    }
    if (!laws_->highest) laws_->highest = std::make_unique<HighestClass>(topology, query_);
    laws_->flow_in_highest.back() = position.at(its.name);
  }
  if (!laws_->highest) return;
  laws_->flow_of_highest.resize(laws_->highest->paths.flows.size());
  for (std::size_t flow = 0; flow < paths_.flows.size(); ++flow)
    if (const auto& inner = laws_->flow_in_highest[flow]) laws_->flow_of_highest[*inner] = flow;
}

const std::vector<Route>* DelayModel::chained(std::size_t flow) const {
  if (!laws_->chain || laws_->exact[flow] != 0) return nullptr;
  const std::vector<Route>& routes = laws_->paths->flows[laws_->flow_in_paths[flow]];
  return routes.empty() || laws_->paths->hops->exact(routes) ? nullptr : &routes;
}

bool DelayModel::one_queue(std::size_t flow) const {
  if (!laws_->flow_in_highest.empty())
    if (const auto& inner = laws_->flow_in_highest[flow]) return laws_->highest->model.one_queue(*inner);
  return laws_->exact[flow] != 0;
}

FlowLaw DelayModel::first_of(std::vector<FlowLaw> laws) const {
  FlowLaw first = std::move(laws.front());
  first.otherwise.assign(std::make_move_iterator(laws.begin() + 1), std::make_move_iterator(laws.end()));
  return first;
}

FlowLaw DelayModel::of_bursts() const {
  const Hops wanted = query_.hops.value_or(Hops::chain);
  std::vector<Route> routes = laws_->aged->routes();
  for (std::size_t i = 0; i < routes.size(); ++i) routes[i].share = paths_.flows.front().routes[i].share;
  return {wanted, &*laws_->aged, std::move(routes)};
}

FlowLaw DelayModel::of(std::size_t flow) {
  if (!laws_->flow_in_highest.empty()) {
    if (const auto& inner = laws_->flow_in_highest[flow]) return laws_->highest->model.of(*inner);
    FlowLaw law = independent(flow);
    if (law.assumed) law.reason = below_others;
    return law;
  }
  if (laws_->bound) {
    const auto& routes = paths_.flows[flow].routes;
    return {Hops::bound, laws_->bound.get(), routes};
  }
  std::vector<FlowLaw> laws;
  if (laws_->aged) laws.push_back(of_bursts());
  if (const auto* routes = chained(flow)) laws.push_back({Hops::chain, &*laws_->chain, *routes});
  if (laws_->use_wired && laws_->exact[flow] == 0) {
    const std::size_t its = laws_->flow_in_paths[flow];
    if (const auto& routes = laws_->wired->routes(its); !routes.empty())
      laws.insert(laws_->chain_first && laws_->wired->fewest_links(its) > 0 ? laws.end() : laws.begin(),
                  {Hops::chain, &*laws_->wired, routes});
  }
  const bool any = !laws.empty();
  if (!any || !query_.hops) laws.push_back(independent(flow));
  if (laws.front().law == &*laws_->independent && !laws_->own_routes.empty() &&
      !laws_->own_routes[flow].empty())
    laws.push_back({.hops = Hops::independent,
                    .law = &*laws_->independent,
                    .routes = paths_.flows[flow].routes,
                    .assumed = true,
                    .reason = not_derived});
  if (!any && laws_->use_wired && laws_->exact[flow] == 0) laws.front().reason = not_derived;
  if (!any && !laws_->no_chain.empty()) laws.front().reason = laws_->no_chain;
  if (laws_->speeds) laws.front().reason = of_speeds;
  return first_of(std::move(laws));
}

FlowLaw DelayModel::of_all() {
  if (laws_->bound) return {Hops::bound, laws_->bound.get(), paths_.flows.front().routes};
  if (laws_->aged) return of(0);
  if (!laws_->chain) return independent_of_all();
  std::vector<const std::vector<Route>*> by_chain, by_wires;
  bool exact = true;
  for (std::size_t flow = 0; flow < paths_.flows.size(); ++flow) {
    const std::size_t its = laws_->flow_in_paths[flow];
    exact = exact && laws_->one_queue[flow] != 0;
    if (const auto& routes = laws_->paths->flows[its]; !routes.empty()) by_chain.push_back(&routes);
    if (!laws_->use_wired) continue;
    if (const auto& routes = laws_->wired->routes(its); !routes.empty()) by_wires.push_back(&routes);
  }
  if (exact) return independent_of_all();
  std::vector<FlowLaw> laws;
  if (by_chain.size() == paths_.flows.size())
    laws.push_back({Hops::chain, &*laws_->chain, mixed(paths_, by_chain)});
  if (by_wires.size() == paths_.flows.size())
    laws.insert(laws_->chain_first ? laws.end() : laws.begin(),
                {Hops::chain, &*laws_->wired, mixed(paths_, by_wires)});
  if (laws.empty() || !query_.hops) laws.push_back(independent_of_all());
  return first_of(std::move(laws));
}

FlowLaw DelayModel::independent(std::size_t flow) {
  if (!laws_->flow_in_highest.empty())
    if (const auto& inner = laws_->flow_in_highest[flow]) return laws_->highest->model.independent(*inner);
  const bool own = !laws_->own_routes.empty() && !laws_->own_routes[flow].empty();
  if (!own)
    for (const Route& route : paths_.flows[flow].routes)
      for (const std::size_t queue : route.queues)
        if (const std::string& reason = paths_.queues.traffic[queue].no_model; !reason.empty())
          throw NoAnswer(reason);
  return {.hops = Hops::independent,
          .law = &*laws_->independent,
          .routes = own ? laws_->own_routes[flow] : paths_.flows[flow].routes,
          .assumed = laws_->exact[flow] == 0};
}

FlowLaw DelayModel::independent_of_all() {
  const bool assumed =
      std::any_of(laws_->one_queue.begin(), laws_->one_queue.end(), [](char one) { return one == 0; });
  return {.hops = Hops::independent,
          .law = &*laws_->independent,
          .routes = paths_.all_routes(),
          .assumed = assumed};
}

bounds::ClaimedDelayAnswer DelayModel::claims(FlowLaw& law, const bounds::DelayQuery& query) const {
  for (;;) {
    const auto replaced = [&](const Error& error) {
      if (law.otherwise.empty()) return false;
      FlowLaw next = first_of(std::move(law.otherwise));
      next.reason = law.reason.empty() ? error.what() : law.reason;  // why the first of them fails
      law = std::move(next);
      return true;
    };
    try {
      bounds::ClaimedDelayAnswer answer = law.law->claims(law.routes, query);
      return law.assumed ? as_computed(std::move(answer), query_.digits) : answer;
    } catch (const LimitExceeded& error) {
      if (!replaced(error)) throw;
    } catch (const bounds::Contradiction& error) {
      if (!replaced(error)) throw;
    }
  }
}

bounds::DelayDistribution DelayModel::distribution(const FlowLaw& law, const std::vector<Route>& routes,
                                                   const Rational& negligible) {
  if (laws_->speeds) throw NoAnswer("the reorder buffer is not computed for links of different speeds");
  if (law.hops == Hops::bound)
    throw InvalidArgument("hops", "bound given together with a reorder buffer",
                          "chain or independent: a later packet can also shorten the reorder queue");
  if (laws_->highest && law.law != &*laws_->independent)
    return laws_->highest->model.distribution(law, routes, negligible);
  if (laws_->bursts)
    throw NoAnswer(
        "the reorder buffer is not computed for bursty traffic: the model assumes independent packets of a "
        "flow, which is wrong by a factor of up to 20 for bursts; simulate tree --reorder estimates it");
  // Probabilities of a chain have about four digits, so the truncated part need not be smaller.
  if (law.hops == Hops::chain) {
    const Rational coarser = negligible * 10'000'000;
    const Rational negligible_here = coarser < 1 ? coarser : Rational(1);
    return law.law == &*laws_->chain ? laws_->chain->distribution(routes, negligible_here)
                                     : laws_->wired->distribution(routes, negligible_here);
  }
  return laws_->independent->distribution(routes, negligible);
}

std::size_t DelayModel::identical(std::size_t flow) const {
  if (!laws_->flow_in_highest.empty())
    if (const auto& inner = laws_->flow_in_highest[flow])
      return laws_->flow_of_highest[laws_->highest->model.identical(*inner)];
  const auto own = [&](std::size_t one) {
    return one < laws_->own_routes.size() && !laws_->own_routes[one].empty();
  };
  if (own(flow)) {
    const auto same = [](const Route& a, const Route& b) {
      return a.queues == b.queues && a.share == b.share && a.passed == b.passed;
    };
    const std::vector<Route>& its = laws_->own_routes[flow];
    std::size_t first = 0;
    while (!std::equal(its.begin(), its.end(), laws_->own_routes[first].begin(),
                       laws_->own_routes[first].end(), same))
      ++first;
    return first;
  }
  const std::size_t found = laws_->identical.empty() ? paths_.flows[flow].identical : laws_->identical[flow];
  return own(found) ? flow : found;
}

}  // namespace tailbound::answers
