#include <cln/rational.h>
#include <tailbound/answers/delay_model.hpp>
#include <tailbound/bounds/delay_bound.hpp>
#include <tailbound/core/error.hpp>

#include <algorithm>
#include <utility>

namespace tailbound::answers {
namespace {

using bounds::Route;
using numeric::Rational;

/// Slots of a delay to which hops are looked at as a chain: unless told, as much as takes about a second.
constexpr std::size_t usual_slots = 448, most_slots = 4096;

/// The bound of a tree's routes, which are told from each other by their lengths.
class BoundLaw final : public bounds::DelayLaw {
 public:
  BoundLaw(const TreeTopology& topology, bounds::DelayLaw& decoupled, std::vector<Route> routes)
      : decoupled_(decoupled), routes_(std::move(routes)) {
    for (bounds::BoundedRoute& route : bounds::bounded_tree(topology.tree, topology.load, topology.routing))
      by_length_[route.later.size() + 1] = std::move(route);
  }

  bounds::ClaimedDelayAnswer claims(std::span<const Route> routes,
                                    const bounds::DelayQuestion& question) override {
    std::vector<bounds::BoundedRoute> bounded;
    for (const Route& route : routes) {
      bounded.push_back(by_length_.at(route.queues.size()));
      bounded.back().share = route.share;
    }
    bounds::BoundedDelayAnswer found = bounds::delay_bound(bounded, question);
    // A queue that is fed as if no queue lay upstream is the fuller one in the mean.
    const bounds::ClaimedDelayAnswer means = decoupled_.claims(routes, {});
    return {std::move(found.above), std::move(found.queueing), std::move(found.latency),
            upper(means.mean_queueing), upper(means.mean_latency)};
  }

 private:
  static numeric::Claim<unit::Slot> upper(const numeric::Claim<unit::Slot>& mean) {
    if (const auto* exact = std::get_if<numeric::Exact<unit::Slot>>(&mean))
      return numeric::UpperBound<unit::Slot>{numeric::enclose(*exact, {128}).upper()};
    return numeric::UpperBound<unit::Slot>{std::get<numeric::Enclosure<unit::Slot>>(mean).upper()};
  }

  bounds::DelayLaw& decoupled_;
  std::vector<Route> routes_;
  std::map<std::size_t, bounds::BoundedRoute> by_length_;
};

/// Is anything derived of dependent hops?
bool derived(const Topology& topology, const DelayModelQuestion& question) {
  const auto* tree = std::get_if<TreeTopology>(&topology);
  return question.sources == network::Sources::decoupled && question.hop_delay == queue::HopDelay::wait &&
         (tree == nullptr || !tree->burst);
}

const char* name(Hops hops) {
  return hops == Hops::chain ? "chain" : hops == Hops::bound ? "bound" : "independent";
}

/// The routes of all flows together, each with its share of the packets.
std::vector<Route> mixed(const DelayPaths& paths, const std::vector<const std::vector<Route>*>& routes) {
  Rational total = 0;
  for (const DelayFlow& flow : paths.flows) total = total + flow.rate;
  std::map<std::vector<std::size_t>, Rational> shares;
  for (std::size_t i = 0; i < routes.size(); ++i)
    for (const Route& route : *routes[i]) {
      Rational& share = shares[route.queues];
      share = share + route.share * paths.flows[i].rate / total;
    }
  std::vector<Route> result;
  for (const auto& [queues, share] : shares) result.push_back({queues, share});
  return result;
}

/// Of each flow: whether it meets one queue at most, and no packet comes to that from another queue.
std::vector<char> met_first(const network::Network& network) {
  std::vector<char> fed(network.links.size(), 0), result;
  const auto queues_of = [&](const network::Route& route) {
    std::vector<std::size_t> queues;
    for (const std::size_t link : route.links)
      if (network.has_queue(link)) queues.push_back(link);
    return queues;
  };
  for (const network::Flow& flow : network.flows)
    for (const network::Route& route : flow.routes) {
      const std::vector<std::size_t> queues = queues_of(route);
      for (std::size_t hop = 1; hop < queues.size(); ++hop) fed[queues[hop]] = 1;
    }
  for (const network::Flow& flow : network.flows)
    result.push_back(std::all_of(flow.routes.begin(), flow.routes.end(), [&](const network::Route& route) {
      const std::vector<std::size_t> queues = queues_of(route);
      return queues.empty() || (queues.size() == 1 && fed[queues.front()] == 0);
    }));
  return result;
}

}  // namespace

struct DelayModel::Laws {
  bounds::PathDelay independent;
  std::optional<bounds::DependentPaths> paths{};
  std::vector<std::size_t> flow_in_paths{};  ///< of each of the flows asked
  std::optional<bounds::DependentDelay> chain{};
  std::unique_ptr<BoundLaw> bound{};
  std::vector<std::size_t> alike{};
  std::vector<char> one_queue{};  ///< of each of the flows asked
};

std::vector<Hops> possible_hops(const Topology& topology, const DelayModelQuestion& question) {
  if (!derived(topology, question)) return {Hops::independent};
  if (std::holds_alternative<TreeTopology>(topology)) return {Hops::chain, Hops::independent, Hops::bound};
  return {Hops::chain, Hops::independent};
}

DelayModel::DelayModel(const Topology& topology, const DelayPaths& paths, const DelayModelQuestion& question)
    : paths_(paths),
      question_(question),
      laws_(std::make_unique<Laws>(
          Laws{bounds::PathDelay(paths.queues.queues, question.hop_delay, question.digits)})) {
  const auto* tree = std::get_if<TreeTopology>(&topology);
  const bool is_derived = derived(topology, question);
  if (tree != nullptr) {
    laws_->flow_in_paths = {0};
    laws_->one_queue = {tree->tree.levels == 1};
  } else {
    const network::Network& network = std::get<NetworkTopology>(topology).network;
    std::map<std::string, std::size_t> by_name;
    for (std::size_t i = 0; i < network.flows.size(); ++i) by_name[network.flows[i].name] = i;
    const std::vector<char> first = met_first(network);
    for (const DelayFlow& flow : paths.flows) {
      laws_->flow_in_paths.push_back(by_name.at(flow.name));
      laws_->one_queue.push_back(first[laws_->flow_in_paths.back()]);
    }
  }
  if (question.hops && *question.hops != Hops::independent) {
    if (!is_derived)
      throw InvalidArgument(
          "hops", name(*question.hops),
          "independent: other hops are derived for decoupled sources, the wait, without bursts");
    if (*question.hops == Hops::bound && tree == nullptr)
      throw InvalidArgument("hops", "bound", "chain or independent: the bound is derived for trees");
  }
  const Hops wanted = question.hops.value_or(Hops::chain);
  if (wanted == Hops::bound)
    laws_->bound = std::make_unique<BoundLaw>(*tree, laws_->independent, paths.flows.front().routes);
  if (wanted != Hops::chain || !is_derived) return;
  if (tree != nullptr) {
    laws_->paths = bounds::dependent_tree(tree->tree, tree->load, tree->routing);
  } else {
    laws_->paths = bounds::dependent_network(std::get<NetworkTopology>(topology).network);
  }
  laws_->chain.emplace(laws_->paths->hops, question.hops ? most_slots : usual_slots);
  std::map<std::vector<std::pair<std::vector<std::size_t>, Rational>>, std::size_t> first;
  for (std::size_t flow = 0; flow < paths.flows.size(); ++flow) {
    std::size_t alike = paths.flows[flow].alike;
    if (const auto* routes = chained(flow)) {
      std::vector<std::pair<std::vector<std::size_t>, Rational>> met;
      for (const Route& route : *routes) met.emplace_back(route.queues, route.share);
      alike = first.try_emplace(std::move(met), flow).first->second;
    } else if (chained(alike) != nullptr) {
      alike = flow;
    }
    laws_->alike.push_back(alike);
  }
  const bool any = std::any_of(laws_->flow_in_paths.begin(), laws_->flow_in_paths.end(),
                               [&](std::size_t flow) { return !laws_->paths->flows[flow].empty(); });
  if (question.hops && !any)
    throw InvalidArgument(
        "hops", "chain", "independent: every flow meets bursts, or a link that takes several packets a slot");
}

DelayModel::~DelayModel() = default;

const std::vector<Route>* DelayModel::chained(std::size_t flow) const {
  if (!laws_->chain) return nullptr;
  const std::vector<Route>& routes = laws_->paths->flows[laws_->flow_in_paths[flow]];
  return routes.empty() || laws_->paths->hops->exact(routes) ? nullptr : &routes;
}

bool DelayModel::one_queue(std::size_t flow) const {
  return laws_->one_queue[flow] != 0;
}

FlowLaw DelayModel::of(std::size_t flow) {
  if (laws_->bound) {
    const auto& routes = paths_.flows[flow].routes;
    return {Hops::bound, laws_->bound.get(), routes};
  }
  if (const auto* routes = chained(flow)) return {Hops::chain, &*laws_->chain, *routes};
  return independent(flow);
}

FlowLaw DelayModel::of_all() {
  if (laws_->bound) return {Hops::bound, laws_->bound.get(), paths_.flows.front().routes};
  if (!laws_->chain) return independent_of_all();
  std::vector<const std::vector<Route>*> routes;
  bool exact = true;
  for (std::size_t flow = 0; flow < paths_.flows.size(); ++flow) {
    const std::vector<Route>& its = laws_->paths->flows[laws_->flow_in_paths[flow]];
    if (its.empty()) return independent_of_all();
    exact = exact && chained(flow) == nullptr;
    routes.push_back(&its);
  }
  if (exact) return independent_of_all();
  return {Hops::chain, &*laws_->chain, mixed(paths_, routes)};
}

FlowLaw DelayModel::independent(std::size_t flow) {
  return {Hops::independent, &laws_->independent, paths_.flows[flow].routes};
}

FlowLaw DelayModel::independent_of_all() {
  return {Hops::independent, &laws_->independent, paths_.all_routes()};
}

bounds::ClaimedDelayAnswer DelayModel::claims(FlowLaw& law, const FlowLaw& independent,
                                              const bounds::DelayQuestion& question) const {
  if (question_.hops || law.hops != Hops::chain) return law.law->claims(law.routes, question);
  try {
    return law.law->claims(law.routes, question);
  } catch (const LimitExceeded&) {
    law = independent;
    return law.law->claims(law.routes, question);
  }
}

bounds::DelayDistribution DelayModel::distribution(const FlowLaw& law, const std::vector<Route>& routes,
                                                   const Rational& negligible) {
  if (law.hops == Hops::bound)
    throw InvalidArgument("hops", "bound given together with a reorder buffer",
                          "chain or independent: a later packet may as well lessen what waits");
  // Probabilities of a chain have some four digits: what is left out need not be smaller.
  if (law.hops == Hops::chain) {
    const Rational coarser = negligible * 10'000'000;
    return laws_->chain->distribution(routes, coarser < 1 ? coarser : Rational(1));
  }
  return laws_->independent.distribution(routes, negligible);
}

std::size_t DelayModel::alike(std::size_t flow) const {
  return laws_->alike.empty() ? paths_.flows[flow].alike : laws_->alike[flow];
}

}  // namespace tailbound::answers
