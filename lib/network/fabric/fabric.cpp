#include <tailbound/core/error.hpp>
#include <tailbound/network/fabric/fabric.hpp>
#include <tailbound/numeric/rational.hpp>

#include <algorithm>
#include <map>
#include <numeric>
#include <utility>

namespace tailbound::network {
namespace {

using numeric::Integer;

/// Calls take(destination, rate) for each node that `source` sends to.
template <class Take>
void for_each_destination(const ProductDemand& demand, std::size_t source, Take take) {
  if (demand.out[source] == 0) return;
  for (std::size_t d = 0; d < demand.in.size(); ++d)
    if (demand.in[d] != 0 && demand.together(source, d))
      take(d, demand.values[demand.out[source]] * demand.values[demand.in[d]]);
}

/// Total attraction of the receivers of each group.
std::map<std::uint32_t, Rational> attractions(const ProductDemand& demand) {
  std::map<std::uint32_t, std::map<std::uint32_t, std::uint64_t>> counts;
  for (std::size_t d = 0; d < demand.in.size(); ++d)
    if (demand.in[d] != 0) ++counts[demand.group.empty() ? 0 : demand.group[d]][demand.in[d]];
  std::map<std::uint32_t, Rational> sums;
  for (const auto& [group, receivers] : counts) {
    Rational sum = 0;
    for (const auto& [value, count] : receivers)
      sum = sum + demand.values[value] * Integer(static_cast<unsigned long>(count));
    sums.emplace(group, sum);
  }
  return sums;
}

void add_sent(std::vector<Rational>& sent, const ProductDemand& demand) {
  const std::map<std::uint32_t, Rational> all = attractions(demand);
  for (std::size_t s = 0; s < demand.out.size(); ++s) {
    if (demand.out[s] == 0) continue;
    const auto found = all.find(demand.group.empty() ? 0 : demand.group[s]);
    if (found == all.end()) continue;
    sent[s] = sent[s] + demand.values[demand.out[s]] * (found->second - demand.values[demand.in[s]]);
  }
}

void add_sent(std::vector<Rational>& sent, const SparseDemand& demand) {
  // Equal rates of a node are counted before they are summed, as exact sums are slow. Four bytes per entry.
  std::vector<std::size_t> begin(sent.size() + 1, 0);
  for (const auto& entry : demand.entries) ++begin[entry.from + 1];
  std::partial_sum(begin.begin(), begin.end(), begin.begin());
  std::vector<std::uint32_t> rates(demand.entries.size());
  std::vector<std::size_t> next(begin.begin(), begin.end() - 1);
  for (const auto& entry : demand.entries) rates[next[entry.from]++] = entry.rate;
  const auto place = [&rates](std::size_t at) { return rates.begin() + static_cast<std::ptrdiff_t>(at); };
  for (std::size_t node = 0; node < sent.size(); ++node) {
    std::sort(place(begin[node]), place(begin[node + 1]));
    for (auto at = place(begin[node]); at != place(begin[node + 1]);) {
      const auto end = std::upper_bound(at, place(begin[node + 1]), *at);
      sent[node] = sent[node] + demand.values[*at] * Integer(static_cast<unsigned long>(end - at));
      at = end;
    }
  }
}

/// Flows and routes of one demand, source by source.
class Writer {
 public:
  explicit Writer(Network& network) : network_(network), first_(network.flows.size()) {}

  void add(const Demand& demand) {
    prefix_ = demand.name.empty() ? "" : demand.name + ": ";
    route_ = demand.route;
    if (const auto* product = std::get_if<ProductDemand>(&demand.rates)) {
      for (std::size_t s = 0; s < network_.nodes.size(); ++s)
        for_each_destination(*product, s, [&](std::size_t d, const Rational& rate) { add(s, d, rate); });
      return;
    }
    const auto& sparse = std::get<SparseDemand>(demand.rates);
    std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t> by_source;
    for (const auto& entry : sparse.entries) {
      if (by_source.size() == max_routes) too_many();
      by_source.emplace(std::pair{entry.from, entry.to}, entry.rate);
    }
    for (const auto& [ends, rate] : by_source) add(ends.first, ends.second, sparse.values[rate]);
  }

  void find_paths() {
    auto routes = find_routes(network_, requests_);
    for (std::size_t i = 0; i < routes.size(); ++i) {
      Flow& flow = network_.flows[first_ + i];
      if (routes[i].empty())
        throw NoAnswer("no route leads from " + network_.nodes[flow.source].name + " to " +
                       network_.nodes[flow.destination].name);
      flow.routes = std::move(routes[i]);
    }
  }

 private:
  [[noreturn]] static void too_many() {
    throw LimitExceeded("the traffic has more than 1000000 flows, the limit for listing them");
  }

  void add(std::size_t source, std::size_t destination, const Rational& rate) {
    if (network_.flows.size() == max_routes) too_many();
    Flow flow;
    flow.name = prefix_ + network_.nodes[source].name + " -> " + network_.nodes[destination].name;
    flow.source = source;
    flow.destination = destination;
    flow.rate = rate;
    flow.rule = route_;
    network_.flows.push_back(std::move(flow));
    requests_.push_back({source, destination, route_});
  }

  Network& network_;
  std::size_t first_;  ///< of the flows added
  std::string prefix_;
  RouteRule route_{};
  std::vector<RouteRequest> requests_;
};

}  // namespace

std::vector<Rational> sent_by_node(const Fabric& fabric) {
  std::vector<Rational> sent(fabric.network.nodes.size(), 0);
  for (const Demand& demand : fabric.demands)
    std::visit([&](const auto& rates) { add_sent(sent, rates); }, demand.rates);
  return sent;
}

std::vector<std::optional<RouteRule>> rules_of(const Fabric& fabric) {
  std::vector<std::optional<RouteRule>> rules;
  for (const Demand& demand : fabric.demands) rules.emplace_back(demand.route);
  std::sort(rules.begin(), rules.end());
  rules.erase(std::unique(rules.begin(), rules.end()), rules.end());
  return rules;
}

void add_flows(Network& network, std::span<const Demand> demands) {
  Writer writer(network);
  for (const Demand& demand : demands) writer.add(demand);
  writer.find_paths();
  require_valid(network);
}

Network written_out(const Fabric& fabric) {
  Network network = fabric.network;
  add_flows(network, fabric.demands);
  return network;
}

}  // namespace tailbound::network
