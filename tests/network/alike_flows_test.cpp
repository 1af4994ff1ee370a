#include <tailbound/network/alike_flows.hpp>
#include <tailbound/network/demands/demands.hpp>
#include <tailbound/network/demands/fabrics.hpp>
#include <tailbound/network/files/network_file.hpp>

#include <catch2/catch.hpp>

#include <algorithm>
#include <map>
#include <numeric>
#include <optional>
#include <random>
#include <set>
#include <string>
#include <utility>
#include <vector>

using namespace tailbound;
using namespace tailbound::network;
using numeric::Rational;

namespace {

using Classes = std::vector<std::size_t>;

std::size_t count(const Classes& classes) {
  return std::set<std::size_t>(classes.begin(), classes.end()).size();
}

Network uniform(const FabricShape& shape, RouteRule route) {
  return read_network(to_toml(shape, FabricTraffic{Rational(1) / 10, route}), "fabric.toml").network;
}

Network permuted(const FabricShape& shape, Permutation permutation, std::uint64_t by) {
  Fabric fabric = read_fabric(to_toml(shape, std::nullopt), "fabric.toml", FlowsFrom::elsewhere).fabric;
  std::vector<std::uint32_t> hosts;
  for (std::uint32_t i = 0; i < fabric.network.nodes.size(); ++i)
    if (fabric.network.nodes[i].host) hosts.push_back(i);
  fabric.demands.push_back(
      {"", RouteRule::spread, permutation_demand(hosts, Rational(1) / 2, permutation, by)});
  return written_out(fabric);
}

/// The network with its nodes, links, flows and routes in another order.
struct Relabelled {
  Network network;
  std::vector<std::size_t> flow;  ///< position in it of each flow
};

std::vector<std::size_t> shuffled(std::size_t size, std::mt19937& random) {
  std::vector<std::size_t> order(size);
  std::iota(order.begin(), order.end(), std::size_t{0});
  for (std::size_t left = size; left > 1; --left) std::swap(order[left - 1], order[random() % left]);
  return order;
}

Relabelled relabelled(const Network& network, std::mt19937& random) {
  const auto node = shuffled(network.nodes.size(), random), link = shuffled(network.links.size(), random),
             flow = shuffled(network.flows.size(), random);
  Relabelled result{network, flow};
  for (std::size_t i = 0; i < node.size(); ++i) {
    result.network.nodes[node[i]] = network.nodes[i];
    result.network.nodes[node[i]].name = "node " + std::to_string(node[i]);
  }
  for (std::size_t i = 0; i < link.size(); ++i) {
    Link& to = result.network.links[link[i]];
    to = network.links[i];
    to.from = node[to.from];
    to.to = node[to.to];
  }
  for (std::size_t i = 0; i < flow.size(); ++i) {
    Flow& to = result.network.flows[flow[i]];
    to = network.flows[i];
    to.name = "flow " + std::to_string(flow[i]);
    to.source = node[to.source];
    to.destination = node[to.destination];
    for (Route& route : to.routes)
      for (std::size_t& each : route.links) each = link[each];
    std::shuffle(to.routes.begin(), to.routes.end(), random);
  }
  return result;
}

/// Of each flow the first one of its class, for comparison.
Classes firsts(const Classes& classes) {
  std::map<std::size_t, std::size_t> first;
  Classes result;
  for (std::size_t i = 0; i < classes.size(); ++i)
    result.push_back(first.try_emplace(classes[i], i).first->second);
  return result;
}

/// Orbits of flows by definition: all permutations of all routes.
class AllPermutations {
 public:
  explicit AllPermutations(const Network& network) : network_(network), lanes_(network.lanes()) {
    for (std::size_t flow = 0; flow < network.flows.size(); ++flow)
      for (const Route& route : network.flows[flow].routes) {
        Hops hops{flow, route.share, {}};
        for (const std::size_t link : route.links)
          if (network.has_queue(link)) hops.links.push_back(link);
        routes_.push_back(hops);
      }
    orbit_.resize(network.flows.size());
    std::iota(orbit_.begin(), orbit_.end(), std::size_t{0});
    std::vector<std::size_t> order(routes_.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    do {
      try_order(order);
    } while (std::next_permutation(order.begin(), order.end()));
  }

  [[nodiscard]] Classes orbits() const {
    Classes result;
    for (std::size_t flow = 0; flow < orbit_.size(); ++flow) result.push_back(first(flow));
    return result;
  }

 private:
  struct Hops {
    std::size_t flow;
    Rational share;
    std::vector<std::size_t> links;
  };
  /// A mapping that is one to one.
  class OneToOne {
   public:
    [[nodiscard]] bool add(std::size_t from, std::size_t to) {
      return to_.try_emplace(from, to).first->second == to &&
             from_.try_emplace(to, from).first->second == from;
    }
    [[nodiscard]] const std::map<std::size_t, std::size_t>& all() const { return to_; }

   private:
    std::map<std::size_t, std::size_t> to_, from_;
  };

  [[nodiscard]] bool agree(std::size_t a, std::size_t b) const {
    const Flow &left = network_.flows[a], &right = network_.flows[b];
    return left.rate == right.rate && left.burst == right.burst && left.priority == right.priority &&
           left.routes.size() == right.routes.size() &&
           (left.burst.has_value() || lanes_[left.source] == lanes_[right.source]);
  }

  void try_order(const std::vector<std::size_t>& order) {
    OneToOne flows, links, sources;
    for (std::size_t i = 0; i < order.size(); ++i) {
      const Hops &from = routes_[i], &to = routes_[order[i]];
      if (from.share != to.share || from.links.size() != to.links.size()) return;
      if (!flows.add(from.flow, to.flow) || !agree(from.flow, to.flow)) return;
      if (!network_.flows[from.flow].burst &&
          !sources.add(network_.flows[from.flow].source, network_.flows[to.flow].source))
        return;
      for (std::size_t hop = 0; hop < from.links.size(); ++hop)
        if (!links.add(from.links[hop], to.links[hop]) ||
            network_.links[from.links[hop]].rate != network_.links[to.links[hop]].rate)
          return;
    }
    for (const auto& [from, to] : flows.all()) {
      const std::size_t a = first(from), b = first(to);
      orbit_[std::max(a, b)] = std::min(a, b);
    }
  }
  [[nodiscard]] std::size_t first(std::size_t flow) const {
    while (orbit_[flow] != flow) flow = orbit_[flow];
    return flow;
  }

  const Network& network_;
  std::vector<int> lanes_;
  std::vector<Hops> routes_;
  std::vector<std::size_t> orbit_;
};

/// Builds networks link by link.
struct Builder {
  Network network{};
  std::map<std::pair<std::size_t, std::size_t>, std::size_t> links{};

  std::size_t node(bool host) {
    network.nodes.push_back({"node " + std::to_string(network.nodes.size()), host});
    return network.nodes.size() - 1;
  }
  std::size_t link(std::size_t from, std::size_t to, const LinkRate& rate = {}) {
    network.links.push_back({from, to, rate});
    return links[{from, to}] = network.links.size() - 1;
  }
  /// Over these nodes.
  Route route(const std::vector<std::size_t>& nodes, const Rational& share = 1) {
    Route result{{}, share};
    for (std::size_t i = 1; i < nodes.size(); ++i) result.links.push_back(links.at({nodes[i - 1], nodes[i]}));
    return result;
  }
  void flow(std::size_t source, std::size_t destination, std::vector<Route> routes,
            const Rational& rate = Rational(1) / 10) {
    network.flows.push_back(
        {"flow " + std::to_string(network.flows.size()), source, destination, rate, std::move(routes)});
  }
};

/// A ring of switches with one host each; a flow from each host takes the next `hops` links of the ring.
void add_ring(Builder& built, std::size_t size, std::size_t hops) {
  std::vector<std::size_t> hosts, switches;
  for (std::size_t i = 0; i < size; ++i) {
    hosts.push_back(built.node(true));
    switches.push_back(built.node(false));
    built.link(hosts[i], switches[i]);
    built.link(switches[i], hosts[i]);
  }
  for (std::size_t i = 0; i < size; ++i) built.link(switches[i], switches[(i + 1) % size]);
  for (std::size_t i = 0; i < size; ++i) {
    std::vector<std::size_t> nodes{hosts[i]};
    for (std::size_t hop = 0; hop <= hops; ++hop) nodes.push_back(switches[(i + hop) % size]);
    nodes.push_back(hosts[(i + hops) % size]);
    built.flow(hosts[i], nodes.back(), {built.route(nodes)});
  }
}

/// Three switches, all joined, with two hosts each, and few flows between them, some over two routes.
Network random_small(std::mt19937& random) {
  Builder built;
  std::vector<std::size_t> hosts, switches;
  for (int i = 0; i < 3; ++i) switches.push_back(built.node(false));
  for (const std::size_t from : switches)
    for (const std::size_t to : switches)
      if (from != to) built.link(from, to, random() % 16 == 0 ? LinkRate{2, 1} : LinkRate{});
  for (std::size_t i = 0; i < 6; ++i) {
    hosts.push_back(built.node(true));
    built.link(hosts[i], switches[i / 2]);
    built.link(switches[i / 2], hosts[i]);
  }
  const bool two = random() % 2 == 0, same = random() % 2 == 0;
  std::size_t routes = 0;
  while (routes < 6) {
    const std::size_t s = random() % 6, d = random() % 6;
    if (s / 2 == d / 2) continue;
    const std::size_t from = switches[s / 2], to = switches[d / 2], third = switches[3 - s / 2 - d / 2];
    const Rational share = two ? Rational(1) / 2 : Rational(1);
    std::vector<Route> its{built.route({hosts[s], from, to, hosts[d]}, share)};
    if (two) its.push_back(built.route({hosts[s], from, third, to, hosts[d]}, share));
    routes += its.size();
    built.flow(hosts[s], hosts[d], its, Rational(!same && random() % 4 == 0 ? 2 : 1) / 20);
    if (!same && random() % 4 == 0) built.network.flows.back().burst = traffic::Burst{3};
    if (!same && random() % 8 == 0) built.network.flows.back().priority = 2;
  }
  return built.network;
}

}  // namespace

TEST_CASE("flows of a leaf-spine are equivalent within a leaf and between leaves", "[network][alike_flows]") {
  for (const RouteRule route : {RouteRule::spread, RouteRule::shortest}) {
    const Network network = uniform(LeafSpine{4, 3, 4, 1}, route);
    const AlikeFlows alike = alike_flows(network);
    REQUIRE(alike.first.size() == 2);
    for (std::size_t flow = 0; flow < network.flows.size(); ++flow) {
      const std::size_t hops = network.flows[flow].routes.front().links.size();
      const std::size_t first =
          network.flows[alike.first[alike.flow_class[flow]]].routes.front().links.size();
      CHECK(hops == first);
    }
    // From and to hosts, up and down; on shortest routes two spines have no traffic.
    CHECK(count(alike.link_class) == (route == RouteRule::spread ? 4 : 5));
    CHECK(count(alike.node_class) == (route == RouteRule::spread ? 3 : 4));
  }
}

TEST_CASE("classes of flows of the usual networks", "[network][alike_flows]") {
  CHECK(alike_flows(uniform(FatTree{4, 3}, RouteRule::spread)).first.size() == 3);
  CHECK(alike_flows(uniform(FatTree{4, 3}, RouteRule::shortest)).first.size() == 3);
  // As many as distances (dx, dy), in any order.
  CHECK(alike_flows(uniform(Torus{{4, 4}, 1}, RouteRule::spread)).first.size() == 4);
  CHECK(alike_flows(uniform(Torus{{5, 5}, 1}, RouteRule::spread)).first.size() == 5);
  CHECK(alike_flows(uniform(HyperX{{3, 3}, 2}, RouteRule::spread)).first.size() == 3);
  CHECK(alike_flows(permuted(LeafSpine{4, 2, 4, 1}, Permutation::shift, 4)).first.size() == 1);
  CHECK(alike_flows(permuted(Torus{{4, 4}, 1}, Permutation::reverse, 0)).first.size() == 1);
}

TEST_CASE("parts of a network without common queues may be equivalent each for itself",
          "[network][alike_flows]") {
  // A shift by 1: three of four flows stay within their leaf. The others share no queue with any flow, so
  // that the order of the leaves does not matter.
  const Network network = permuted(LeafSpine{4, 2, 4, 1}, Permutation::shift, 1);
  const AlikeFlows alike = alike_flows(network);
  CHECK(alike.first.size() == 2);
  Builder alone;
  add_ring(alone, 5, 2);
  CHECK(alike_flows(alone.network).first.size() == 1);
  add_ring(alone, 5, 2);
  CHECK(alike_flows(alone.network).first.size() == 1);
}

TEST_CASE("a failed link separates the flows that it concerns", "[network][alike_flows]") {
  const std::string text = to_toml(LeafSpine{3, 2, 2, 1}, FabricTraffic{Rational(1) / 10, RouteRule::spread});
  const Network whole = read_network(text, "whole.toml").network;
  std::string failed;
  for (const Link& link : whole.links)
    if (!whole.nodes[link.from].host && !whole.nodes[link.to].host) {
      failed = whole.nodes[link.from].name + " -> " + whole.nodes[link.to].name;
      break;
    }
  CAPTURE(failed);
  const Network network = read_network("without = [\"" + failed + "\"]\n" + text, "failed.toml").network;
  const AlikeFlows alike = alike_flows(network);
  // Within the leaf that lost its link to a spine or within another, from it, to it, between the others.
  CHECK(alike.first.size() == 5);
}

TEST_CASE("equal colours are not enough: a ring of six and two of three", "[network][alike_flows]") {
  Builder built;
  add_ring(built, 6, 2);
  add_ring(built, 3, 2);
  add_ring(built, 3, 2);
  const AlikeFlows alike = alike_flows(built.network);
  CHECK(alike.first == Classes{0, 6});
  CHECK(alike.flow_class == Classes{0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1});
}

TEST_CASE("rings of one colour and many sizes, where few permutations are symmetries",
          "[network][alike_flows]") {
  Builder built;
  for (const std::size_t size : {3U, 4U, 5U, 6U, 7U, 8U, 9U, 3U, 4U, 5U, 6U, 7U, 8U, 9U})
    add_ring(built, size, 2);
  const AlikeFlows alike = alike_flows(built.network);
  CHECK(alike.first == Classes{0, 3, 7, 12, 18, 25, 33});
  CHECK(std::equal(alike.flow_class.begin(), alike.flow_class.begin() + 42, alike.flow_class.begin() + 42,
                   alike.flow_class.end()));
}

TEST_CASE("equal colours and symmetric ends are not enough either", "[network][alike_flows]") {
  // Twelve hosts send over a bundle each: half of the packets over wire i, half over the next one of a ring
  // of six wires, or of one of two rings of three.
  Builder built;
  const std::size_t first = built.node(false), second = built.node(false);
  std::vector<std::size_t> wires;
  for (int i = 0; i < 12; ++i) wires.push_back(built.link(first, second));
  const std::size_t next[12] = {1, 2, 3, 4, 5, 0, 7, 8, 6, 10, 11, 9};
  for (std::size_t i = 0; i < 12; ++i) {
    const std::size_t source = built.node(true), destination = built.node(true);
    const std::size_t in = built.link(source, first), out = built.link(second, destination);
    built.flow(source, destination,
               {{{in, wires[i], out}, Rational(1) / 2}, {{in, wires[next[i]], out}, Rational(1) / 2}});
  }
  CHECK(alike_flows(built.network).flow_class == Classes{0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1});
}

TEST_CASE("rates, bursts, priorities, link rates and shares separate flows", "[network][alike_flows]") {
  Builder built;
  add_ring(built, 4, 2);
  REQUIRE(alike_flows(built.network).first.size() == 1);
  const auto classes = [&](const auto& change) {
    Network network = built.network;
    change(network);
    return alike_flows(network).first.size();
  };
  CHECK(classes([](Network& network) { network.flows[0].rate = Rational(1) / 11; }) == 4);
  CHECK(classes([](Network& network) { network.flows[0].burst = traffic::Burst{2}; }) == 4);
  CHECK(classes([](Network& network) { network.flows[0].priority = 2; }) == 4);
  CHECK(classes([](Network& network) {
          for (Flow& flow : network.flows) flow.burst = traffic::Burst{2};
          network.flows[0].burst = traffic::Burst{3};
        }) == 4);
  CHECK(classes([](Network& network) {
          for (Flow& flow : network.flows) flow.burst = traffic::Burst{2};
          network.flows[0].burst = traffic::Burst{2, Rational(1) / 2};
        }) == 4);
  CHECK(classes([](Network& network) { network.links.back().rate = {2, 1}; }) == 4);
  // Every second one: by two the ring is still symmetric.
  CHECK(classes([](Network& network) { network.flows[0].rate = network.flows[2].rate = Rational(1) / 9; }) ==
        2);
  // Names, marks of wormhole networks and weights do not matter.
  CHECK(classes([](Network& network) {
          network.flows[0].name = "another";
          network.links.back().virtual_channels = 2;
          network.links.back().weight = 3;
          network.flows[0].routes[0].classes = {0, 0, 0, 0};
        }) == 1);
}

TEST_CASE("flows of a node depend on each other unless they have bursts", "[network][alike_flows]") {
  // Two flows of one host and two of two, each through a queue of its own.
  const auto classes = [](bool bursts, int lanes) {
    Builder built;
    const std::size_t entry = built.node(false);
    std::vector<std::size_t> hosts;
    for (int i = 0; i < 3; ++i) {
      hosts.push_back(built.node(true));
      built.link(hosts.back(), entry, {i == 1 ? lanes : 1, 1});
    }
    for (std::size_t i = 0; i < 4; ++i) {
      const std::size_t source = hosts[i < 2 ? 0 : i - 1], destination = built.node(true);
      built.link(entry, destination);
      built.flow(source, destination, {built.route({source, entry, destination})});
      if (bursts) built.network.flows.back().burst = traffic::Burst{2};
    }
    return alike_flows(built.network).flow_class;
  };
  CHECK(classes(false, 1) == Classes{0, 0, 1, 1});
  CHECK(classes(true, 1) == Classes{0, 0, 0, 0});
  CHECK(classes(false, 2) == Classes{0, 0, 1, 2});
  CHECK(classes(true, 2) == Classes{0, 0, 0, 0});
}

TEST_CASE("flows with the same routes are equivalent, and so are two routes over the same links",
          "[network][alike_flows]") {
  Builder built;
  add_ring(built, 3, 1);
  const Flow flow = built.network.flows[0];
  built.network.flows.push_back(flow);
  CHECK(alike_flows(built.network).flow_class == Classes{0, 1, 1, 0});
  built.network.flows[3].rate = Rational(1) / 7;
  CHECK(alike_flows(built.network).flow_class == Classes{0, 1, 1, 2});
  built.network.flows.pop_back();
  Flow& first = built.network.flows[0];
  first.routes = {first.routes[0], first.routes[0]};
  first.routes[0].share = Rational(1) / 3;
  first.routes[1].share = Rational(2) / 3;
  CHECK(alike_flows(built.network).flow_class == Classes{0, 0, 0});
}

TEST_CASE("links and nodes that carry nothing are one class each", "[network][alike_flows]") {
  Builder built;
  add_ring(built, 3, 1);
  const std::size_t idle = built.node(false), host = built.node(true);
  built.link(idle, host);
  built.link(1, idle, {3, 1});
  const AlikeFlows alike = alike_flows(built.network);
  // The first switch may send more, but sends nothing of its own: it differs, its queue does not.
  CHECK(alike.flow_class == Classes{0, 0, 0});
  CHECK(alike.node_class == Classes{0, 1, 2, 3, 4, 5, 6, 6});
  CHECK(alike.link_class == Classes{0, 1, 2, 1, 3, 1, 4, 4, 4, 5, 5});
}

TEST_CASE("small networks have the orbits of all permutations of routes", "[network][alike_flows]") {
  std::mt19937 random(1);
  std::size_t joined = 0;
  for (int number = 0; number < 600; ++number) {
    CAPTURE(number);
    const Network network = random_small(random);
    REQUIRE_NOTHROW(require_valid(network));
    const Classes orbits = AllPermutations(network).orbits();
    CHECK(firsts(alike_flows(network).flow_class) == orbits);
    joined += network.flows.size() - count(orbits);
  }
  CHECK(joined > 100);
}

TEST_CASE("the order of nodes, links, flows and routes does not change the classes",
          "[network][alike_flows]") {
  std::mt19937 random(2);
  std::vector<Network> networks{
      uniform(LeafSpine{3, 2, 2, 1}, RouteRule::spread), uniform(Torus{{3, 4}, 1}, RouteRule::spread),
      uniform(Jellyfish{8, 3, 2, 5}, RouteRule::spread), permuted(FatTree{4, 3}, Permutation::random, 7),
      permuted(FatTree{4, 3}, Permutation::shift, 1)};
  for (int i = 0; i < 30; ++i) networks.push_back(random_small(random));
  for (const Network& network : networks) {
    const Relabelled other = relabelled(network, random);
    const AlikeFlows here = alike_flows(network), there = alike_flows(other.network);
    Classes moved;
    for (const std::size_t flow : other.flow) moved.push_back(there.flow_class[flow]);
    CHECK(firsts(moved) == firsts(here.flow_class));
    CHECK(count(there.link_class) == count(here.link_class));
    CHECK(count(there.node_class) == count(here.node_class));
  }
}
