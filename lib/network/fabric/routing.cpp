#include <tailbound/core/error.hpp>
#include <tailbound/network/fabric/routing.hpp>
#include <tailbound/network/fabric/switch_groups.hpp>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <numeric>
#include <optional>
#include <unordered_map>
#include <utility>

namespace tailbound::network {
namespace {

constexpr std::uint32_t unreached = std::numeric_limits<std::uint32_t>::max();
constexpr std::uint64_t max_search_steps = 5'000'000'000;

/// The links that leave each node, or enter it, in the order of the network, in one array.
class Neighbours {
 public:
  enum class Side { leaving, entering };

  Neighbours(const Network& network, Side side) : begin_(network.nodes.size() + 1, 0) {
    const auto end = [side](const Link& link) { return side == Side::leaving ? link.from : link.to; };
    for (const Link& link : network.links) ++begin_[end(link) + 1];
    std::partial_sum(begin_.begin(), begin_.end(), begin_.begin());
    std::vector<std::size_t> next = begin_;
    links_.resize(network.links.size());
    for (std::size_t link = 0; link < network.links.size(); ++link)
      links_[next[end(network.links[link])]++] = link;
  }

  [[nodiscard]] std::span<const std::size_t> of(std::size_t node) const {
    return {links_.data() + begin_[node], begin_[node + 1] - begin_[node]};
  }

 private:
  std::vector<std::size_t> begin_, links_;
};

/// Distances of all nodes over switches, and the next links.
class Field {
 public:
  /// \param ends    where routes end: a node, or the switches of a group
  /// \param groups  for minimal routes, to one node that is in a group; null for all others
  void search(const Network& network, const Neighbours& entering, std::span<const std::uint32_t> ends,
              const SwitchGroups* groups = nullptr) {
    network_ = &network;
    groups_ = groups;
    toward_ = groups != nullptr ? groups->of_node[ends.front()] : SwitchGroups::none;
    distance_.assign(network.nodes.size(), unreached);
    closer_.clear();
    queue_.assign(ends.begin(), ends.end());
    for (const std::uint32_t end : ends) distance_[end] = 0;
    for (std::size_t next = 0; next < queue_.size(); ++next) {
      const std::uint32_t node = queue_[next];
      if (distance_[node] != 0 && network.nodes[node].host) continue;
      for (const std::size_t link : entering.of(node)) {
        const std::size_t from = network.links[link].from;
        if (distance_[from] != unreached || !may_pass(from, node)) continue;
        distance_[from] = distance_[node] + 1;
        queue_.push_back(static_cast<std::uint32_t>(from));
      }
    }
    queue_ = {};
  }

  [[nodiscard]] std::uint32_t distance(std::size_t node) const { return distance_[node]; }

  /// The links from `node` that lead closer, in their order; at least one if there is a route. Cached: a node
  /// may have 100 000 links and be on the routes of as many flows.
  [[nodiscard]] const std::vector<std::size_t>& closer(std::size_t node, const Neighbours& leaving) {
    std::vector<std::size_t>& links = closer_[node];
    if (links.empty())
      for (const std::size_t link : leaving.of(node))
        if (leads_closer(link)) links.push_back(link);
    return links;
  }

 private:
  [[nodiscard]] bool leads_closer(std::size_t link) const {
    const std::size_t from = network_->links[link].from, to = network_->links[link].to;
    const bool forwards = distance_[to] == 0 || !network_->nodes[to].host;
    return forwards && distance_[to] != unreached && distance_[to] + 1 == distance_[from] &&
           may_pass(from, to);
  }
  [[nodiscard]] bool may_pass(std::size_t from, std::size_t to) const {
    return groups_ == nullptr || minimal_link(groups_->of_node[from], groups_->of_node[to], toward_);
  }

  const Network* network_ = nullptr;
  const SwitchGroups* groups_ = nullptr;
  std::uint32_t toward_ = SwitchGroups::none;
  std::vector<std::uint32_t> distance_, queue_;
  std::unordered_map<std::size_t, std::vector<std::size_t>> closer_;
};

/// Finds the routes of one destination after the other.
class Router {
 public:
  explicit Router(const Network& network)
      : network_(network),
        leaving_(network, Neighbours::Side::leaving),
        entering_(network, Neighbours::Side::entering) {}

  void search(std::size_t destination) {
    const auto end = static_cast<std::uint32_t>(destination);
    destination_ = destination;
    count_search();
    to_destination_.search(network_, entering_, {&end, 1});
    minimal_to_ = SwitchGroups::none;
  }

  /// Routes to the destination of the last search.
  [[nodiscard]] std::vector<Route> routes(const RouteRequest& request);

 private:
  [[nodiscard]] Route shortest(std::size_t source);
  [[nodiscard]] Route hashed(std::size_t source);
  /// Along the links that `choose` takes of those that lead closer: (node, links) -> link.
  template <class Choose>
  [[nodiscard]] Route walk(std::size_t source, const Choose& choose);
  [[nodiscard]] std::vector<Route> spread(std::size_t source, Field& field);
  /// The same, not counted as routes: they are parts of at least as many.
  [[nodiscard]] std::vector<Route> legs(std::size_t source, Field& field) {
    const std::size_t routes_before = route_count_, steps_before = step_count_;
    std::vector<Route> found = spread(source, field);
    route_count_ = routes_before;
    step_count_ = steps_before;
    return found;
  }
  [[nodiscard]] std::vector<Route> valiant(const RouteRequest& request);
  [[nodiscard]] std::vector<Route> minimal(const RouteRequest& request);
  void find_groups(const RouteRequest& request);
  void prepare_groups();
  void count_search();
  void count_route(std::size_t steps);

  const Network& network_;
  Neighbours leaving_, entering_;
  Field to_destination_, minimal_;
  std::size_t destination_ = 0;
  std::size_t minimal_to_ = SwitchGroups::none;  ///< the destination of `minimal_`
  std::optional<SwitchGroups> groups_;
  std::vector<Field> to_group_;  ///< for the groups that may be drawn; others are empty
  std::size_t route_count_ = 0, step_count_ = 0;
  std::uint64_t search_steps_ = 0;
};

void Router::count_search() {
  search_steps_ += network_.nodes.size() + network_.links.size();
  if (search_steps_ > max_search_steps)
    throw LimitExceeded("finding the routes would take more than 5e9 steps, the limit");
}

void Router::count_route(std::size_t steps) {
  ++route_count_;
  step_count_ += steps;
  if (route_count_ > max_routes)
    throw LimitExceeded(
        "the flows have more than 1000000 routes in total, the limit; with \"ecmp\" or \"shortest\" each "
        "flow "
        "has one");
  if (step_count_ > max_route_steps)
    throw LimitExceeded(
        "the routes of the flows have more than 20000000 links in total, the limit; with \"ecmp\" or "
        "\"shortest\" each flow has one route");
}

template <class Choose>
Route Router::walk(std::size_t source, const Choose& choose) {
  Route route;
  route.links.reserve(to_destination_.distance(source));
  for (std::size_t node = source; to_destination_.distance(node) > 0;
       node = network_.links[route.links.back()].to)
    route.links.push_back(choose(node, to_destination_.closer(node, leaving_)));
  return route;
}

Route Router::shortest(std::size_t source) {
  return walk(source, [&](std::size_t, const std::vector<std::size_t>& links) {
    if (network_.links[links.front()].wire == 0) return links.front();
    const std::size_t next = network_.links[links.front()].to;
    const auto leads_there = [&](std::size_t link) { return network_.links[link].to == next; };
    const auto wires = static_cast<std::size_t>(std::count_if(links.begin(), links.end(), leads_there));
    auto wire = links.begin();
    for (std::size_t left = wire_of_flow(source, destination_, wires); left > 0; --left)
      wire = std::find_if(wire + 1, links.end(), leads_there);
    return *wire;
  });
}

/// At each node the link at whose share of the weights the hash lies.
Route Router::hashed(std::size_t source) {
  return walk(source, [&](std::size_t node, const std::vector<std::size_t>& links) {
    std::uint64_t weights = 0;
    for (const std::size_t link : links) weights += static_cast<std::uint64_t>(network_.links[link].weight);
    std::uint64_t left = ecmp_hash(source, destination_, node, network_.route_seed) % weights;
    const auto passes = [&](std::size_t link) {
      const auto weight = static_cast<std::uint64_t>(network_.links[link].weight);
      if (left < weight) return true;
      left -= weight;
      return false;
    };
    return *std::find_if(links.begin(), links.end(), passes);
  });
}

/// Depth first, in the order of the links. An explicit stack, as a route may have 100 000 nodes.
/// \pre the source is reached, and is not an end of routes
std::vector<Route> Router::spread(std::size_t source, Field& field) {
  struct Step {
    const std::vector<std::size_t>* choices;
    std::size_t next;
    Rational share;  ///< of packets that arrive here, per unit of the choices' weights
  };
  std::vector<Route> routes;
  std::vector<std::size_t> links;
  std::vector<Step> stack;
  const auto enter = [&](std::size_t node, const Rational& share) {
    const std::vector<std::size_t>& choices = field.closer(node, leaving_);
    numeric::Integer weights = 0;
    for (const std::size_t link : choices) weights = weights + network_.links[link].weight;
    stack.push_back({&choices, 0, share / weights});
  };
  enter(source, 1);
  while (!stack.empty()) {
    Step& step = stack.back();
    if (step.next == step.choices->size()) {
      stack.pop_back();
      if (!links.empty()) links.pop_back();
      continue;
    }
    links.push_back((*step.choices)[step.next++]);
    const std::size_t node = network_.links[links.back()].to;
    const Rational share = step.share * network_.links[links.back()].weight;
    if (field.distance(node) == 0) {
      count_route(links.size());
      routes.push_back({links, share});
      links.pop_back();
    } else {
      enter(node, share);
    }
  }
  return routes;
}

/// And checks that both ends are in one.
void Router::find_groups(const RouteRequest& request) {
  if (!groups_) groups_ = switch_groups(network_, request.rule);
  for (const std::size_t end : {request.source, request.destination})
    require_in_group(network_, *groups_, end, request.rule);
}

/// Within the group of the source, over one link to that of the destination, and within that.
std::vector<Route> Router::minimal(const RouteRequest& request) {
  find_groups(request);
  if (std::exchange(minimal_to_, request.destination) != request.destination) {
    const auto end = static_cast<std::uint32_t>(request.destination);
    count_search();
    minimal_.search(network_, entering_, {&end, 1}, &*groups_);
  }
  if (minimal_.distance(request.source) == unreached) return {};
  return spread(request.source, minimal_);
}

void Router::prepare_groups() {
  groups_ = switch_groups(network_, RouteRule::valiant);
  if (groups_->size() > max_group_distances / network_.nodes.size())
    throw LimitExceeded("more than 10000000 pairs of a node and a group, the limit for listed routes");
  to_group_.resize(groups_->size());
  for (const std::uint32_t group : groups_->drawn) {
    count_search();
    to_group_[group].search(network_, entering_, groups_->switches[group]);
  }
}

/// All routes to each group that may be drawn, with all continuations.
std::vector<Route> Router::valiant(const RouteRequest& request) {
  if (to_group_.empty()) prepare_groups();
  find_groups(request);
  const std::uint32_t from = groups_->of_node[request.source], to = groups_->of_node[request.destination];
  if (from == to) return spread(request.source, to_destination_);
  const Rational chance = Rational(1) / static_cast<unsigned long>(groups_->choices(from));
  std::vector<Route> routes;
  for (const std::uint32_t group : groups_->drawn) {
    if (group == from || group == to) continue;
    if (to_group_[group].distance(request.source) == unreached) return {};
    const std::vector<Route> first = legs(request.source, to_group_[group]);
    std::size_t last = SwitchGroups::none;
    std::vector<Route> second;  // from `last`
    for (const Route& leg : first) {
      const std::size_t entry = network_.links[leg.links.back()].to;
      if (to_destination_.distance(entry) == unreached) return {};
      if (std::exchange(last, entry) != entry) second = legs(entry, to_destination_);
      for (const Route& rest : second) {
        Route& route = routes.emplace_back(leg);
        route.links.insert(route.links.end(), rest.links.begin(), rest.links.end());
        route.share = chance * leg.share * rest.share;
        count_route(route.links.size());
      }
    }
  }
  return routes;
}

std::vector<Route> Router::routes(const RouteRequest& request) {
  if (to_destination_.distance(request.source) == unreached) return {};
  if (request.rule == RouteRule::valiant) return valiant(request);
  if (request.rule == RouteRule::minimal) return minimal(request);
  if (request.rule == RouteRule::spread) return spread(request.source, to_destination_);
  count_route(to_destination_.distance(request.source));
  return {request.rule == RouteRule::ecmp ? hashed(request.source) : shortest(request.source)};
}

}  // namespace

std::vector<std::vector<Route>> find_routes(const Network& network, std::span<const RouteRequest> requests) {
  std::vector<std::size_t> order(requests.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return requests[a].destination < requests[b].destination;
  });
  Router router(network);
  std::vector<std::vector<Route>> result(requests.size());
  for (std::size_t next = 0; next < order.size(); ++next) {
    const RouteRequest& request = requests[order[next]];
    if (next == 0 || requests[order[next - 1]].destination != request.destination)
      router.search(request.destination);
    result[order[next]] = router.routes(request);
  }
  return result;
}

}  // namespace tailbound::network
