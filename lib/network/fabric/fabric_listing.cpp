#include <tailbound/core/error.hpp>
#include <tailbound/network/fabric/fabric_listing.hpp>
#include <tailbound/network/fabric/routing.hpp>

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

namespace tailbound::network {
namespace {

/// As for find_routes().
constexpr double max_listing_steps = 5e9;

std::uint64_t pairs_of(const ProductDemand& demand) {
  std::map<std::uint32_t, std::pair<std::uint64_t, std::uint64_t>> groups;  // senders and receivers
  for (std::size_t node = 0; node < demand.out.size(); ++node) {
    auto& [senders, receivers] = groups[demand.group.empty() ? 0 : demand.group[node]];
    senders += demand.out[node] != 0 ? 1U : 0U;
    receivers += demand.in[node] != 0 ? 1U : 0U;
  }
  std::uint64_t pairs = 0;
  for (const auto& [group, both] : groups) pairs += both.first * both.second;
  return pairs;
}

/// Routes to one vertex after the other, as double: counts beyond 2^53 exceed all limits.
class Counter {
 public:
  explicit Counter(const FabricGraph& graph)
      : graph_(graph),
        one_search_(
            static_cast<double>(graph.fabric().network.nodes.size() + graph.fabric().network.links.size())),
        too_many_groups_(graph.groups() && graph.groups()->size() >
                                               max_group_distances / graph.fabric().network.nodes.size()) {}

  /// The nodes of `from` that send to those of `to`, `pairs` pairs.
  void add(const FabricGraph::Bundle& from, const FabricGraph::Bundle& to, double pairs, RouteRule rule) {
    search(to.vertex, rule == RouteRule::minimal ? rule : RouteRule::spread);
    if (distance_[from.vertex] == FabricGraph::unreached) return;
    const double ends = (from.own ? 0.0 : 1.0) + (to.own ? 0.0 : 1.0);
    if (rule == RouteRule::valiant && graph_.group(from.vertex) != graph_.group(to.vertex)) {
      for (const std::uint32_t group : graph_.groups()->drawn)
        if (group != graph_.group(from.vertex) && group != graph_.group(to.vertex)) {
          const ViaGroup found = via(group, from.vertex);
          routes_ += pairs * found.paths;
          steps_ += pairs * (found.links + found.paths * ends);
        }
      return;
    }
    const double paths = has_one_route(rule) ? 1 : paths_[from.vertex];
    routes_ += pairs * paths;
    steps_ += pairs * paths * (distance_[from.vertex] + ends);
  }
  /// find_routes() performs one search per node.
  void add_destinations(double nodes) { searched_ += nodes * one_search_; }

  [[nodiscard]] bool too_many() const {
    return too_many_groups_ || routes_ > static_cast<double>(max_routes) ||
           steps_ > static_cast<double>(max_route_steps) || searched_ > max_listing_steps;
  }

 private:
  void search(std::uint32_t vertex, RouteRule rule) {
    if (vertex == destination_ && rule == searched_by_) return;
    destination_ = vertex;
    searched_by_ = rule;
    graph_.distances(vertex, rule, distance_);
    const std::uint32_t toward = graph_.toward(vertex, rule);
    paths_.assign(graph_.size(), 0);
    paths_[vertex] = 1;
    order_.clear();
    for (std::uint32_t v = 0; v < graph_.size(); ++v)
      if (distance_[v] != FabricGraph::unreached) order_.push_back(v);
    std::sort(order_.begin(), order_.end(),
              [this](std::uint32_t a, std::uint32_t b) { return distance_[a] < distance_[b]; });
    for (const std::uint32_t v : order_)
      for (const FabricGraph::Arc& arc : graph_.leaving(v))
        if (graph_.leads_closer(v, arc, distance_.data(), toward)) paths_[v] += paths_[arc.other];
  }

  /// Valiant routes to the destination of the last search through one group.
  struct ViaGroup {
    double paths = 0, links = 0;  ///< their number, and their total number of links
  };
  [[nodiscard]] ViaGroup via(std::uint32_t group, std::uint32_t from) {
    auto& distance = to_group_[group];
    if (distance.empty()) graph_.distances_to_group(group, distance);
    if (distance[from] == FabricGraph::unreached) return {};
    via_.resize(graph_.size());
    is_met_.resize(graph_.size(), 0);
    met_.assign(1, from);
    for (std::size_t next = 0; next < met_.size(); ++next)
      for (const FabricGraph::Arc& arc : graph_.leaving(met_[next]))
        if (graph_.leads_closer(met_[next], arc, distance.data()) &&
            std::exchange(is_met_[arc.other], 1) == 0)
          met_.push_back(arc.other);
    for (std::size_t i = met_.size(); i-- > 0;) {
      const std::uint32_t v = met_[i];
      is_met_[v] = 0;
      ViaGroup& its = via_[v] = {};
      if (distance[v] == 0) {
        its.paths = paths_[v];
        its.links = paths_[v] * distance_[v];
        continue;
      }
      for (const FabricGraph::Arc& arc : graph_.leaving(v)) {
        if (!graph_.leads_closer(v, arc, distance.data())) continue;
        its.paths += via_[arc.other].paths;
        its.links += via_[arc.other].paths + via_[arc.other].links;
      }
    }
    return via_[from];
  }

  const FabricGraph& graph_;
  double one_search_;
  bool too_many_groups_;
  std::uint32_t destination_ = FabricGraph::none;
  RouteRule searched_by_ = RouteRule::spread;  ///< or minimal
  std::vector<std::uint16_t> distance_;
  std::vector<std::uint32_t> order_, met_;
  std::vector<double> paths_;
  std::map<std::uint32_t, std::vector<std::uint16_t>> to_group_;  ///< of the requested ones
  std::vector<ViaGroup> via_;
  std::vector<char> is_met_;
  double routes_ = 0, steps_ = 0, searched_ = 0;
};

void add_product(Counter& counter, const FabricGraph& graph, std::size_t demand, RouteRule rule) {
  const auto part = [&](const FabricGraph::Bundle& bundle) -> const FabricGraph::Signature::Part& {
    return graph.signatures()[bundle.signature].parts[demand];
  };
  std::map<std::uint32_t, std::vector<const FabricGraph::Bundle*>> senders;  // by group
  for (const FabricGraph::Bundle& bundle : graph.bundles()) {
    if (part(bundle).out != 0) senders[part(bundle).group].push_back(&bundle);
    if (part(bundle).in != 0) counter.add_destinations(bundle.count);
  }
  for (const FabricGraph::Bundle& to : graph.bundles()) {
    if (counter.too_many()) return;
    const auto found = senders.find(part(to).group);
    if (part(to).in == 0 || found == senders.end()) continue;
    for (const FabricGraph::Bundle* from : found->second) {
      const double others = from->count - (from == &to ? 1.0 : 0.0);
      if (others > 0) counter.add(*from, to, others * to.count, rule);
    }
  }
}

void add_sparse(Counter& counter, const FabricGraph& graph, const SparseDemand& demand, RouteRule rule) {
  std::uint32_t last = FabricGraph::none;
  for (const SparseDemand::Entry& entry : demand.entries)
    if (std::exchange(last, entry.to) != entry.to) counter.add_destinations(1);
  for (const SparseDemand::Entry& entry : demand.entries) {
    if (counter.too_many()) return;
    counter.add(graph.bundles()[graph.bundle_of(entry.from)], graph.bundles()[graph.bundle_of(entry.to)], 1,
                rule);
  }
}

}  // namespace

std::uint64_t sending_pairs(const Fabric& fabric) {
  std::uint64_t pairs = 0;
  for (const Demand& demand : fabric.demands)
    if (const auto* product = std::get_if<ProductDemand>(&demand.rates))
      pairs += pairs_of(*product);
    else
      pairs += std::get<SparseDemand>(demand.rates).entries.size();
  return pairs;
}

std::span<const SparseDemand::Entry> listed_to(const SparseDemand& demand, std::uint32_t node) {
  const auto [first, last] =
      std::equal_range(demand.entries.begin(), demand.entries.end(), SparseDemand::Entry{0, node, 0},
                       [](const auto& a, const auto& b) { return a.to < b.to; });
  return {first, last};
}

bool can_be_listed(const FabricGraph& graph) {
  Counter counter(graph);
  const std::vector<Demand>& demands = graph.fabric().demands;
  for (std::size_t demand = 0; demand < demands.size() && !counter.too_many(); ++demand)
    if (const auto* sparse = std::get_if<SparseDemand>(&demands[demand].rates))
      add_sparse(counter, graph, *sparse, demands[demand].route);
    else
      add_product(counter, graph, demand, demands[demand].route);
  return !counter.too_many();
}

void require_no_hashes(const Fabric& fabric) {
  for (const Demand& demand : fabric.demands)
    if (demand.route == RouteRule::ecmp)
      throw InvalidArgument("route", "ecmp",
                            "spread or another rule for a network computed as a whole (more than 100000 "
                            "pairs send, or switches with shared memory), whose flows are not listed");
}

}  // namespace tailbound::network
