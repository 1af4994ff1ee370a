#include <tailbound/network/channels/dateline_classes.hpp>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <optional>
#include <utility>

namespace tailbound::network {
namespace {

constexpr int max_classes = 16;

/// How the class of a message changes from one link of its route to the next.
enum class ClassChange { same, next, first };
using ChangeOf = std::function<ClassChange(std::size_t link, std::size_t then)>;

/// A directed graph: its cycles, and the strongly connected components in which they lie.
class Dependencies {
 public:
  using Edge = std::pair<std::size_t, std::size_t>;

  Dependencies(std::size_t size, std::vector<Edge> edges) : size_(size), edges_(std::move(edges)) {
    std::sort(edges_.begin(), edges_.end());
    edges_.erase(std::unique(edges_.begin(), edges_.end()), edges_.end());
    rank_.assign(size, 0);
    std::vector<std::size_t> order;
    search(all_in_order(), [&](std::size_t vertex, std::size_t) { order.push_back(vertex); });
    std::reverse(order.begin(), order.end());
    for (std::size_t at = 0; at < order.size(); ++at) rank_[order[at]] = at;
    find_components(order);
  }

  /// Does the edge close a cycle? Without these edges there is none.
  [[nodiscard]] bool closes(std::size_t from, std::size_t to) const { return rank_[to] <= rank_[from]; }
  [[nodiscard]] bool same_component(std::size_t from, std::size_t to) const {
    return component_[from] == component_[to];
  }
  [[nodiscard]] bool have_cycle() const {
    return std::any_of(edges_.begin(), edges_.end(),
                       [this](const Edge& edge) { return closes(edge.first, edge.second); });
  }

 private:
  [[nodiscard]] std::vector<std::size_t> all_in_order() const {
    std::vector<std::size_t> all(size_);
    for (std::size_t vertex = 0; vertex < size_; ++vertex) all[vertex] = vertex;
    return all;
  }

  /// Depth first from each of the roots; calls left(vertex, root) when a vertex is left.
  template <class Left>
  void search(const std::vector<std::size_t>& roots, Left left) const {
    std::vector<std::size_t> begin(size_ + 1, 0);
    for (const Edge& edge : edges_) ++begin[edge.first + 1];
    for (std::size_t vertex = 0; vertex < size_; ++vertex) begin[vertex + 1] += begin[vertex];
    std::vector<std::size_t> next = begin, stack;
    std::vector<bool> met(size_, false);
    for (const std::size_t root : roots) {
      if (met[root]) continue;
      met[root] = true;
      stack.assign(1, root);
      while (!stack.empty()) {
        const std::size_t vertex = stack.back();
        if (next[vertex] == begin[vertex + 1]) {
          left(vertex, root);
          stack.pop_back();
          continue;
        }
        const std::size_t to = edges_[next[vertex]++].second;
        if (met[to]) continue;
        met[to] = true;
        stack.push_back(to);
      }
    }
  }

  /// Kosaraju: in reverse order of leaving, what reaches a vertex backward is its component.
  void find_components(const std::vector<std::size_t>& order) {
    component_.assign(size_, 0);
    const auto turn = [this] {
      for (Edge& edge : edges_) std::swap(edge.first, edge.second);
      std::sort(edges_.begin(), edges_.end());
    };
    turn();
    search(order, [this](std::size_t vertex, std::size_t root) { component_[vertex] = root; });
    turn();
  }

  std::size_t size_;
  std::vector<Edge> edges_;
  std::vector<std::size_t> rank_, component_;
};

/// Hosts do not forward: their links are in no cycle.
bool between_switches(const Network& network, std::size_t link) {
  const Link& its = network.links[link];
  return !network.nodes[its.from].host && !network.nodes[its.to].host;
}

bool joins_groups(const Network& network, std::size_t link) {
  const Link& its = network.links[link];
  return network.nodes[its.from].group != network.nodes[its.to].group;
}

/// The class on each link of a route.
std::vector<int> classes_of(const Network& network, const Route& route, const ChangeOf& change_of) {
  std::vector<int> classes(route.links.size(), 0);
  for (std::size_t i = 1; i < classes.size(); ++i) {
    if (!between_switches(network, route.links[i - 1]) || !between_switches(network, route.links[i]))
      continue;
    const ClassChange change = change_of(route.links[i - 1], route.links[i]);
    classes[i] = change == ClassChange::first ? 0 : classes[i - 1] + (change == ClassChange::next ? 1 : 0);
  }
  return classes;
}

template <class Take>
void for_each_route(const Network& network, Take take) {
  for (const Flow& flow : network.flows)
    for (const Route& route : flow.routes) take(route);
}

/// Of (link, class), with `count` classes of each link; none if a route needs more.
std::optional<Dependencies> dependencies(const Network& network, int count, const ChangeOf& change_of) {
  std::vector<Dependencies::Edge> edges;
  int needed = 0;
  const auto each = static_cast<std::size_t>(count);
  for_each_route(network, [&](const Route& route) {
    if (needed > count) return;
    const std::vector<int> classes = classes_of(network, route, change_of);
    for (std::size_t i = 0; i < classes.size(); ++i) {
      needed = std::max(needed, classes[i] + 1);
      const auto at = [&](std::size_t step) {
        return route.links[step] * each + static_cast<std::size_t>(classes[step]);
      };
      if (i > 0 && needed <= count) edges.emplace_back(at(i - 1), at(i));
    }
  });
  if (needed > count) return std::nullopt;
  return Dependencies(network.links.size() * each, std::move(edges));
}

ClassChange never(std::size_t, std::size_t) {
  return ClassChange::same;
}

/// The number of classes of the routes; none if they are too many, or do not prevent deadlock.
std::optional<int> classes_needed(const Network& network, const ChangeOf& change_of) {
  int needed = 1;
  for_each_route(network, [&](const Route& route) {
    const std::vector<int> classes = classes_of(network, route, change_of);
    for (const int its : classes) needed = std::max(needed, its + 1);
  });
  if (needed > max_classes) return std::nullopt;
  const std::optional<Dependencies> found = dependencies(network, needed, change_of);
  return found->have_cycle() ? std::nullopt : std::optional(needed);
}

void set_classes(Network& network, const ChangeOf& change_of) {
  for (Flow& flow : network.flows)
    for (Route& route : flow.routes) {
      route.classes = classes_of(network, route, change_of);
      for (std::size_t i = 0; i < route.links.size(); ++i) {
        int& classes = network.links[route.links[i]].classes;
        classes = std::max(classes, route.classes[i] + 1);
      }
    }
}

}  // namespace

bool can_deadlock(const Network& network) {
  int count = 1;
  for (const Link& link : network.links) count = std::max(count, link.classes);
  std::vector<Dependencies::Edge> edges;
  for_each_route(network, [&](const Route& route) {
    const auto at = [&](std::size_t step) {
      return route.links[step] * static_cast<std::size_t>(count) +
             static_cast<std::size_t>(route.classes.empty() ? 0 : route.classes[step]);
    };
    for (std::size_t i = 1; i < route.links.size(); ++i) edges.emplace_back(at(i - 1), at(i));
  });
  return Dependencies(network.links.size() * static_cast<std::size_t>(count), std::move(edges)).have_cycle();
}

void add_dateline_classes(Network& network) {
  const std::optional<Dependencies> of_links = dependencies(network, 1, never);
  if (!of_links->have_cycle()) return;
  const ChangeOf datelines = [&](std::size_t link, std::size_t then) {
    if (!of_links->same_component(link, then)) return ClassChange::first;
    return of_links->closes(link, then) ? ClassChange::next : ClassChange::same;
  };
  const ChangeOf groups = [&](std::size_t link, std::size_t) {
    return joins_groups(network, link) ? ClassChange::next : ClassChange::same;
  };
  const ChangeOf each_link = [](std::size_t, std::size_t) { return ClassChange::next; };
  const ChangeOf* best = nullptr;
  int fewest = max_classes + 1;
  for (const ChangeOf* change_of : {&datelines, &groups, &each_link}) {
    const std::optional<int> needed = classes_needed(network, *change_of);
    if (!needed || *needed >= fewest) continue;
    fewest = *needed;
    best = change_of;
  }
  if (best == nullptr) return;
  set_classes(network, *best);
  network.remarks.push_back("the routes could deadlock: links have up to " + std::to_string(fewest) +
                            " classes of virtual channels, with datelines; \"classes\" in the file replaces "
                            "them");
}

}  // namespace tailbound::network
