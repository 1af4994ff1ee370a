#include <tailbound/network/fabric_listing.hpp>
#include <tailbound/network/routing.hpp>

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

namespace tailbound::network {
namespace {

/// As find_routes().
constexpr double most_search_steps = 5e9;

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

/// Routes to one vertex after the other, in double: counts beyond 2^53 are beyond all limits.
class Counter {
 public:
  explicit Counter(const FabricGraph& graph)
      : graph_(graph),
        one_search_(
            static_cast<double>(graph.fabric().network.nodes.size() + graph.fabric().network.links.size())) {}

  /// The nodes of `from` that send to those of `to`, so many pairs.
  void add(const FabricGraph::Bundle& from, const FabricGraph::Bundle& to, double pairs, RouteRule rule) {
    search(to.vertex);
    if (distance_[from.vertex] == FabricGraph::unreached) return;
    const double ways = rule == RouteRule::spread ? ways_[from.vertex] : 1;
    const double links = distance_[from.vertex] + (from.own ? 0.0 : 1.0) + (to.own ? 0.0 : 1.0);
    routes_ += pairs * ways;
    steps_ += pairs * ways * links;
  }
  /// find_routes() searches for each node.
  void add_destinations(double nodes) { searched_ += nodes * one_search_; }

  [[nodiscard]] bool too_many() const {
    return routes_ > static_cast<double>(most_routes) || steps_ > static_cast<double>(most_route_steps) ||
           searched_ > most_search_steps;
  }

 private:
  void search(std::uint32_t vertex) {
    if (vertex == destination_) return;
    destination_ = vertex;
    graph_.distances(vertex, distance_);
    order_.clear();
    for (std::uint32_t v = 0; v < graph_.size(); ++v)
      if (distance_[v] != FabricGraph::unreached) order_.push_back(v);
    std::sort(order_.begin(), order_.end(),
              [this](std::uint32_t a, std::uint32_t b) { return distance_[a] < distance_[b]; });
    ways_.assign(graph_.size(), 0);
    ways_[vertex] = 1;
    for (const std::uint32_t v : order_)
      for (const FabricGraph::Arc& arc : graph_.leaving(v))
        if (graph_.leads_closer(v, arc, distance_.data())) ways_[v] += ways_[arc.other];
  }

  const FabricGraph& graph_;
  double one_search_;
  std::uint32_t destination_ = FabricGraph::none;
  std::vector<std::uint16_t> distance_;
  std::vector<std::uint32_t> order_;
  std::vector<double> ways_;
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

}  // namespace tailbound::network
