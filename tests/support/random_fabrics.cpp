#include <tailbound/core/error.hpp>
#include <tailbound/network/demands/demands.hpp>
#include <tailbound/network/fabric/fabric_listing.hpp>
#include <tailbound/numeric/rational.hpp>
#include <tests/support/random_fabrics.hpp>

#include <algorithm>
#include <set>
#include <string>
#include <utility>

namespace tailbound::test {
namespace {

using network::Fabric;
using network::ProductDemand;
using network::RouteRule;
using network::SparseDemand;
using numeric::Rational;

class Maker {
 public:
  explicit Maker(std::mt19937_64& random)
      : random_(random), hosts_(2 + below(below(4) == 0 ? 169 : 40)), switches_(1 + below(30)) {}

  Fabric make() {
    auto& nodes = fabric_.network.nodes;
    for (std::size_t i = 0; i < hosts_; ++i) nodes.push_back({"h" + std::to_string(i), true});
    for (std::size_t i = 0; i < switches_; ++i) nodes.push_back({"s" + std::to_string(i), false});
    regular_ = below(2) == 0;
    const std::size_t first = wire_switches();
    for (std::size_t i = 0; i < hosts_; ++i) {
      const std::size_t to = regular_ ? i % (switches_ - first) : below(switches_ - first);
      wire(i, hosts_ + first + to);
      if (!regular_ && below(8) == 0) wire(i, hosts_ + below(switches_));
    }
    const std::size_t classes = 1 + below(2);
    for (std::size_t i = 0; i < classes; ++i)
      fabric_.demands.push_back({classes > 1 ? "class " + std::to_string(i) : "",
                                 below(4) == 0 ? RouteRule::shortest : RouteRule::spread,
                                 below(3) == 0 ? decltype(network::Demand::rates)(listed()) : product()});
    return std::move(fabric_);
  }

 private:
  std::size_t below(std::size_t n) { return static_cast<std::size_t>(random_() % n); }

  void wire(std::size_t a, std::size_t b) {
    if (a == b || !wired_.emplace(std::min(a, b), std::max(a, b)).second) return;
    const int rate = regular_ ? 1 : 1 + static_cast<int>(below(2));
    for (const auto& [from, to] : {std::pair{a, b}, std::pair{b, a}})
      fabric_.network.links.push_back({.from = from,
                                       .to = to,
                                       .rate = {.packets = rate},
                                       .weight = regular_ ? 1 : 1 + static_cast<int>(below(3))});
  }

  /// Connected.  \return the first switch with hosts
  std::size_t wire_switches() {
    const std::size_t spines = 1 + switches_ / 3;
    switch (below(3)) {
      case 0:
        for (std::size_t i = 1; i < switches_; ++i) wire(hosts_ + i, hosts_ + below(i));
        for (std::size_t i = 0; i < 2 * switches_; ++i)
          wire(hosts_ + below(switches_), hosts_ + below(switches_));
        return 0;
      case 1:
        for (std::size_t by = 1; by <= 1 + below(2); ++by)
          for (std::size_t i = 0; i < switches_; ++i) wire(hosts_ + i, hosts_ + (i + by) % switches_);
        return 0;
      default:
        if (switches_ <= spines) {
          for (std::size_t i = 1; i < switches_; ++i) wire(hosts_, hosts_ + i);
          return 0;
        }
        for (std::size_t i = spines; i < switches_; ++i)
          for (std::size_t j = 0; j < spines; ++j) wire(hosts_ + i, hosts_ + j);
        return spines;
    }
  }

  ProductDemand product() {
    const std::size_t nodes = hosts_ + switches_;
    const auto n = static_cast<unsigned long>(nodes);
    ProductDemand demand;
    demand.out.assign(nodes, 0);
    demand.in.assign(nodes, 0);
    if (below(3) == 0) {  // uniform
      demand.values = {0, Rational(1) / 5, Rational(1) / numeric::Integer(n)};
      for (std::size_t i = 0; i < hosts_; ++i) demand.out[i] = 1, demand.in[i] = 2;
    } else {
      demand.values = {0, Rational(1) / 2};
      for (unsigned long v = 1; v < 4; ++v)
        demand.values.push_back(Rational(1) * (v * v) / numeric::Integer(20 * n));
      for (std::size_t i = 0; i < nodes; ++i) {
        demand.out[i] = below(4) == 0 ? 0 : 1;
        demand.in[i] = static_cast<std::uint32_t>(below(4));
        if (demand.in[i] == 1) demand.in[i] = 4;
      }
    }
    if (below(2) == 0) {
      const std::size_t groups = 1 + below(3);
      for (std::size_t i = 0; i < nodes; ++i)
        demand.group.push_back(static_cast<std::uint32_t>(regular_ ? i * groups / nodes : below(groups)));
    }
    return demand;
  }

  SparseDemand listed() {
    const std::size_t nodes = hosts_ + switches_;
    const auto n = static_cast<unsigned long>(nodes);
    SparseDemand demand;
    demand.values = {0, Rational(1) / numeric::Integer(7 * n), Rational(2) / numeric::Integer(9 * n)};
    for (std::uint32_t to = 0; to < nodes; ++to)
      for (std::uint32_t from = 0; from < nodes; ++from)
        if (from != to && below(5) == 0)
          demand.entries.push_back({from, to, 1 + static_cast<std::uint32_t>(below(2))});
    if (demand.entries.empty()) demand.entries.push_back({0, 1, 1});
    return demand;
  }

  std::mt19937_64& random_;
  std::size_t hosts_, switches_;
  bool regular_ = false;
  Fabric fabric_;
  std::set<std::pair<std::size_t, std::size_t>> wired_;
};

}  // namespace

Fabric random_fabric(std::mt19937_64& random) {
  return Maker(random).make();
}

std::optional<Fabric> with_valiant(Fabric fabric, std::mt19937_64& random, std::uint64_t max_pairs) {
  auto& nodes = fabric.network.nodes;
  std::vector<std::size_t> switches;
  for (std::size_t node = 0; node < nodes.size(); ++node)
    if (!nodes[node].host) switches.push_back(node);
  const std::size_t groups = 3 + random() % 4;
  for (std::size_t i = 0; i < switches.size(); ++i)
    nodes[switches[i]].group = static_cast<std::uint32_t>(i * groups / switches.size());
  // All switches of a host are in one group.
  for (bool again = true; std::exchange(again, false);) {
    std::vector<std::uint32_t> of_host(nodes.size(), network::Node::no_group);
    for (const network::Link& link : fabric.network.links) {
      if (!nodes[link.from].host || nodes[link.to].host) continue;
      std::uint32_t &its = of_host[link.from], &group = nodes[link.to].group;
      if (its != network::Node::no_group && its != group) {
        const std::uint32_t gone = std::max(its, group), kept = std::min(its, group);
        for (const std::size_t node : switches)
          if (nodes[node].group == gone) nodes[node].group = kept;
        again = true;
      }
      its = group;
    }
  }
  bool any = false;
  for (network::Demand& demand : fabric.demands)
    if (random() % 2 == 0) {
      demand.route = RouteRule::valiant;
      any = true;
    }
  if (!any) fabric.demands.front().route = RouteRule::valiant;
  try {
    const network::FabricGraph graph(fabric);
    if (network::sending_pairs(fabric) > max_pairs || !network::can_be_listed(graph)) return std::nullopt;
  } catch (const InvalidArgument&) {
    return std::nullopt;
  }
  return fabric;
}

Fabric with_uniform(Fabric fabric, const Rational& rate, RouteRule route) {
  std::vector<network::Party> parties;
  for (std::uint32_t node = 0; node < fabric.network.nodes.size(); ++node)
    if (fabric.network.nodes[node].host) parties.push_back({.node = node, .sends = rate, .attracts = 1});
  fabric.demands = {{"", route, network::product_demand(fabric.network.nodes.size(), parties)}};
  return fabric;
}

}  // namespace tailbound::test
