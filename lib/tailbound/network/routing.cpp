#include <tailbound/core/error.hpp>
#include <tailbound/network/routing.hpp>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <numeric>

namespace tailbound::network {
namespace {

constexpr std::uint32_t unreached = std::numeric_limits<std::uint32_t>::max();
constexpr std::uint64_t most_search_steps = 5'000'000'000;

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

/// Finds the routes of one destination after the other.
class Router {
 public:
  explicit Router(const Network& network)
      : network_(network),
        leaving_(network, Neighbours::Side::leaving),
        entering_(network, Neighbours::Side::entering),
        distance_(network.nodes.size()),
        closer_(network.nodes.size()) {}

  /// Distances of all nodes to `destination`, over switches.
  void search(std::size_t destination);

  /// Routes to the destination of the last search.
  [[nodiscard]] std::vector<Route> routes(const RouteRequest& request);

 private:
  [[nodiscard]] bool leads_closer(std::size_t link) const {
    const std::size_t from = network_.links[link].from, to = network_.links[link].to;
    const bool forwards = distance_[to] == 0 || !network_.nodes[to].host;
    return forwards && distance_[to] != unreached && distance_[to] + 1 == distance_[from];
  }
  [[nodiscard]] const std::vector<std::size_t>& closer(std::size_t node);
  [[nodiscard]] Route shortest(std::size_t source);
  [[nodiscard]] std::vector<Route> spread(std::size_t source);
  void count_route(std::size_t steps);

  const Network& network_;
  Neighbours leaving_, entering_;
  std::vector<std::uint32_t> distance_;
  std::vector<std::vector<std::size_t>> closer_;  ///< of the nodes asked for since the last search
  std::vector<std::size_t> asked_;
  std::vector<std::size_t> queue_;
  std::size_t route_count_ = 0, step_count_ = 0;
  std::uint64_t search_steps_ = 0;
};

void Router::search(std::size_t destination) {
  search_steps_ += network_.nodes.size() + network_.links.size();
  if (search_steps_ > most_search_steps)
    throw LimitExceeded("finding the routes would take more than 5e9 steps");
  std::fill(distance_.begin(), distance_.end(), unreached);
  for (const std::size_t node : asked_) closer_[node].clear();
  asked_.clear();
  distance_[destination] = 0;
  queue_.assign(1, destination);
  for (std::size_t next = 0; next < queue_.size(); ++next) {
    const std::size_t node = queue_[next];
    if (node != destination && network_.nodes[node].host) continue;
    for (const std::size_t link : entering_.of(node)) {
      const std::size_t from = network_.links[link].from;
      if (distance_[from] != unreached) continue;
      distance_[from] = distance_[node] + 1;
      queue_.push_back(from);
    }
  }
}

void Router::count_route(std::size_t steps) {
  ++route_count_;
  step_count_ += steps;
  if (route_count_ > most_routes) throw LimitExceeded("the flows have more than 1000000 routes in all");
  if (step_count_ > most_route_steps)
    throw LimitExceeded("the routes of the flows have more than 20000000 links in all");
}

/// The links from `node` that lead closer, in their order; one at least if there is a way. Looked up once
/// a destination: a node may have 100 000 links and lie on the way of as many flows.
const std::vector<std::size_t>& Router::closer(std::size_t node) {
  std::vector<std::size_t>& links = closer_[node];
  if (!links.empty()) return links;
  for (const std::size_t link : leaving_.of(node))
    if (leads_closer(link)) links.push_back(link);
  asked_.push_back(node);
  return links;
}

Route Router::shortest(std::size_t source) {
  Route route;
  route.links.reserve(distance_[source]);
  for (std::size_t node = source; distance_[node] > 0; node = network_.links[route.links.back()].to)
    route.links.push_back(closer(node).front());
  return route;
}

/// Depth first, in the order of the links. An explicit stack: a way may be 100 000 nodes long.
std::vector<Route> Router::spread(std::size_t source) {
  struct Step {
    const std::vector<std::size_t>* choices;
    std::size_t next;
    Rational share;  ///< of a packet that comes here, for each unit of the choices' weights
  };
  std::vector<Route> routes;
  std::vector<std::size_t> links;
  std::vector<Step> stack;
  const auto enter = [&](std::size_t node, const Rational& share) {
    const std::vector<std::size_t>& choices = closer(node);
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
    if (distance_[node] == 0) {
      count_route(links.size());
      routes.push_back({links, share});
      links.pop_back();
    } else {
      enter(node, share);
    }
  }
  return routes;
}

std::vector<Route> Router::routes(const RouteRequest& request) {
  if (distance_[request.source] == unreached) return {};
  if (request.rule == RouteRule::spread) return spread(request.source);
  count_route(distance_[request.source]);
  return {shortest(request.source)};
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
