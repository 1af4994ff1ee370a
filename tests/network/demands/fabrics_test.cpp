#include <tailbound/core/error.hpp>
#include <tailbound/network/demands/fabrics.hpp>
#include <tailbound/network/files/network_file.hpp>

#include <catch2/catch.hpp>

#include <algorithm>
#include <map>
#include <numeric>
#include <set>
#include <string>
#include <utility>
#include <vector>

using namespace tailbound;
using namespace tailbound::network;

namespace {

/// Switches and their links, counted from the network as read back.
struct Graph {
  explicit Graph(const Network& network) {
    std::vector<int> number(network.nodes.size(), -1);
    for (std::size_t node = 0; node < number.size(); ++node) {
      if (network.nodes[node].host) {
        ++hosts;
        continue;
      }
      number[node] = static_cast<int>(names.size());
      names.push_back(network.nodes[node].name);
    }
    neighbours.resize(names.size());
    hosts_of.resize(names.size(), 0);
    std::set<std::pair<std::size_t, std::size_t>> links;
    for (const Link& link : network.links) links.emplace(link.from, link.to);
    for (const auto& [from, to] : links) {
      REQUIRE(links.count({to, from}) == 1);
      const int a = number[from], b = number[to];
      if (a >= 0 && b >= 0) neighbours[static_cast<std::size_t>(a)].insert(b);
      if (a >= 0 && b < 0) ++hosts_of[static_cast<std::size_t>(a)];
    }
  }

  [[nodiscard]] std::vector<int> distances(std::size_t from) const {
    std::vector<int> distance(names.size(), -1);
    std::vector<std::size_t> queue{from};
    distance[from] = 0;
    for (std::size_t next = 0; next < queue.size(); ++next)
      for (const int other : neighbours[queue[next]]) {
        const auto to = static_cast<std::size_t>(other);
        if (distance[to] >= 0) continue;
        distance[to] = distance[queue[next]] + 1;
        queue.push_back(to);
      }
    return distance;
  }
  /// Between switches that have hosts; -1: not connected.
  [[nodiscard]] int diameter() const {
    int maximum = 0;
    for (std::size_t from = 0; from < names.size(); ++from) {
      if (hosts_of[from] == 0) continue;
      const std::vector<int> distance = distances(from);
      for (std::size_t to = 0; to < names.size(); ++to) {
        if (hosts_of[to] == 0) continue;
        if (distance[to] < 0) return -1;
        maximum = std::max(maximum, distance[to]);
      }
    }
    return maximum;
  }
  /// Length of the shortest cycle.
  [[nodiscard]] int girth() const {
    int minimum = 1000;
    for (std::size_t root = 0; root < names.size(); ++root) {
      std::vector<int> distance(names.size(), -1), parent(names.size(), -1);
      std::vector<std::size_t> queue{root};
      distance[root] = 0;
      for (std::size_t next = 0; next < queue.size(); ++next)
        for (const int other : neighbours[queue[next]]) {
          const auto to = static_cast<std::size_t>(other);
          if (distance[to] < 0) {
            distance[to] = distance[queue[next]] + 1;
            parent[to] = static_cast<int>(queue[next]);
            queue.push_back(to);
          } else if (parent[queue[next]] != other) {
            minimum = std::min(minimum, distance[to] + distance[queue[next]] + 1);
          }
        }
    }
    return minimum;
  }
  [[nodiscard]] std::set<std::size_t> degrees() const {
    std::set<std::size_t> all;
    for (const auto& each : neighbours) all.insert(each.size());
    return all;
  }
  [[nodiscard]] std::size_t wires() const {
    return std::accumulate(neighbours.begin(), neighbours.end(), std::size_t{0},
                           [](std::size_t sum, const auto& each) { return sum + each.size(); }) /
           2;
  }

  std::int64_t hosts = 0;
  std::vector<std::string> names;
  std::vector<std::set<int>> neighbours;
  std::vector<int> hosts_of;
};

Graph checked(const FabricShape& shape) {
  const std::string text = to_toml(shape, FabricTraffic{});
  const FabricFile file = read_fabric(text, "fabric.toml");
  const FabricFacts facts = facts_of(shape);
  INFO(facts.name);
  CHECK(file.fabric.network.name == facts.name);
  Graph graph(file.fabric.network);
  CHECK(graph.hosts == facts.hosts);
  CHECK(std::ssize(graph.names) == facts.switches);
  CHECK(static_cast<std::int64_t>(graph.wires()) == facts.switch_wires);
  CHECK(static_cast<std::int64_t>(file.fabric.network.links.size()) ==
        2 * (facts.switch_wires + facts.host_wires));
  CHECK(std::accumulate(graph.hosts_of.begin(), graph.hosts_of.end(), std::int64_t{0}) == facts.host_wires);
  if (facts.diameter) CHECK(graph.diameter() == *facts.diameter);
  std::size_t ports = 0;
  for (std::size_t i = 0; i < graph.names.size(); ++i)
    ports = std::max(ports, graph.neighbours[i].size() + static_cast<std::size_t>(graph.hosts_of[i]));
  CHECK(static_cast<int>(ports) == facts.ports);
  return graph;
}

/// Links from one half of the switches to the other, hosts in equal parts.
template <class Half>
std::int64_t across(const Graph& graph, Half half) {
  std::int64_t wires = 0, hosts = 0;
  for (std::size_t i = 0; i < graph.names.size(); ++i) {
    hosts += half(graph.names[i]) ? graph.hosts_of[i] : -graph.hosts_of[i];
    for (const int j : graph.neighbours[i])
      wires += half(graph.names[i]) && !half(graph.names[static_cast<std::size_t>(j)]) ? 1 : 0;
  }
  CHECK(hosts == 0);
  return wires;
}

}  // namespace

TEST_CASE("generated networks have the known counts", "[network][fabrics]") {
  CHECK(checked(FatTree{4, 3}).degrees() == std::set<std::size_t>{2, 4});
  CHECK(facts_of(FatTree{64, 3}).hosts == 65'536);
  CHECK(facts_of(FatTree{64, 3}).switches == 5'120);
  checked(FatTree{6, 2});
  checked(LeafSpine{5, 3, 7, 2});
  CHECK(checked(Mesh{{4, 4}, 1}).degrees() == std::set<std::size_t>{2, 3, 4});
  checked(Mesh{{2, 3, 4}, 2});
  checked(Mesh{{2}, 1});
  CHECK(checked(Torus{{4, 4}, 1}).degrees() == std::set<std::size_t>{4});
  checked(Torus{{2, 3, 4}, 2});
  checked(Torus{{2}, 1});
  CHECK(checked(HyperX{{4, 3}, 2}).degrees() == std::set<std::size_t>{5});
  checked(HyperX{{2, 2, 2}, 1});
  const Graph fly = checked(Dragonfly{4, 2, 2, 9});
  CHECK(fly.degrees() == std::set<std::size_t>{5});
  checked(Dragonfly{4, 2, 2, 3});
  checked(Dragonfly{1, 2, 3, 4});
  for (const auto& [q, degree] : {std::pair{4, 6}, {5, 7}, {7, 11}, {8, 12}, {9, 13}, {11, 17}, {13, 19}}) {
    const Graph slim = checked(SlimFly{q, {}});
    CHECK(slim.degrees() == std::set<std::size_t>{static_cast<std::size_t>(degree)});
  }
  CHECK(checked(SlimFly{5, 1}).girth() == 5);  // the graph of Hoffman and Singleton: 50 nodes of degree 7
  CHECK(facts_of(SlimFly{5, 1}).ports == 8);
}

TEST_CASE("known bisections match a cut from the definition", "[network][fabrics]") {
  const auto first_below = [](int bound) {
    return [bound](const std::string& name) { return std::stoi(name.substr(1)) < bound; };
  };
  CHECK(across(checked(Torus{{6, 4}, 1}), first_below(3)) == *facts_of(Torus{{6, 4}, 1}).bisection);
  CHECK(across(checked(Mesh{{6, 4}, 1}), first_below(3)) == *facts_of(Mesh{{6, 4}, 1}).bisection);
  CHECK(across(checked(HyperX{{4, 4}, 2}), first_below(2)) == *facts_of(HyperX{{4, 4}, 2}).bisection);
  // For a fat-tree half of the pods, and any half of the spine: all links of half of the pods cross.
  const Graph tree = checked(FatTree{4, 3});
  CHECK(across(tree, [](const std::string& name) {
          return (name[0] == 'c' && std::stoi(name.substr(4)) % 2 == 0) ||
                 (name[0] == 'e' && std::stoi(name.substr(4)) < 4) ||
                 (name[0] == 'a' && std::stoi(name.substr(3)) < 4);
        }) == *facts_of(FatTree{4, 3}).bisection);
}

TEST_CASE("a generated fat-tree matches its definition, link by link", "[network][fabrics]") {
  const Network network = read_fabric(to_toml(FatTree{6, 3}, FabricTraffic{}), "f").fabric.network;
  std::set<std::pair<std::string, std::string>> links, expected;
  for (const Link& link : network.links)
    links.emplace(network.nodes[link.from].name, network.nodes[link.to].name);
  const auto wire = [&](const std::string& a, int i, const std::string& b, int j) {
    const std::string from = a + std::to_string(i), to = b + std::to_string(j);
    expected.emplace(from, to);
    expected.emplace(to, from);
  };
  for (int pod = 0; pod < 6; ++pod)
    for (int lower = 0; lower < 3; ++lower)
      for (int i = 0; i < 3; ++i) {
        wire("h", (pod * 3 + lower) * 3 + i, "edge", pod * 3 + lower);
        wire("edge", pod * 3 + lower, "agg", pod * 3 + i);
        wire("agg", pod * 3 + lower, "core", lower * 3 + i);
      }
  CHECK(links == expected);
}

TEST_CASE("shortest routes in a mesh correct the last dimension first", "[network][fabrics]") {
  CHECK(default_route_of(Mesh{}) == RouteRule::shortest);
  CHECK(default_route_of(Torus{}) == RouteRule::spread);
  const Network network =
      read_fabric(to_toml(Mesh{{3, 4}, 1}, std::nullopt), "f", FlowsFrom::elsewhere).fabric.network;
  std::map<std::string, std::size_t> node;
  for (std::size_t i = 0; i < network.nodes.size(); ++i) node[network.nodes[i].name] = i;
  const auto path = [&](const char* from, const char* to) {
    const std::vector<RouteRequest> request{{node[from], node[to], RouteRule::shortest}};
    std::string text;
    const auto routes = find_routes(network, request);
    for (const std::size_t link : routes.front().front().links)
      text += (text.empty() ? "" : " ") + network.nodes[network.links[link].to].name;
    return text;
  };
  CHECK(path("h0", "h11") == "s0_0 s0_1 s0_2 s0_3 s1_3 s2_3 h11");
  CHECK(path("h11", "h0") == "s2_3 s2_2 s2_1 s2_0 s1_0 s0_0 h0");
  CHECK(path("h4", "h2") == "s1_0 s1_1 s1_2 s0_2 h2");
}

TEST_CASE("two groups of a dragonfly share one cable, at switches in turn", "[network][fabrics]") {
  const Graph fly = checked(Dragonfly{3, 1, 2, 7});
  std::map<std::pair<std::string, std::string>, int> between;
  for (std::size_t i = 0; i < fly.names.size(); ++i)
    for (const int j : fly.neighbours[i]) {
      const std::string a = fly.names[i].substr(0, fly.names[i].find('_'));
      const std::string& to = fly.names[static_cast<std::size_t>(j)];
      const std::string b = to.substr(0, to.find('_'));
      if (a != b) ++between[{a, b}];
    }
  CHECK(between.size() == 42);
  for (const auto& [groups, wires] : between) CHECK(wires == 1);
}

TEST_CASE("a jellyfish is a connected regular graph, and a function of its seed", "[network][fabrics]") {
  for (const Jellyfish& shape :
       {Jellyfish{20, 4, 3, 1}, Jellyfish{9, 4, 1, 5}, Jellyfish{6, 5, 1, 1}, Jellyfish{300, 11, 2, 7}}) {
    const Graph graph = checked(shape);
    CHECK(graph.degrees() == std::set<std::size_t>{static_cast<std::size_t>(shape.degree)});
    CHECK(graph.diameter() > 0);
  }
  const auto text = [](std::uint64_t seed) { return to_toml(Jellyfish{20, 4, 3, seed}, std::nullopt); };
  CHECK(text(1) == text(1));
  CHECK(text(1) != text(2));
}

TEST_CASE("invalid shapes are rejected with the reason", "[network][fabrics]") {
  const auto message = [](const FabricShape& shape) -> std::string {
    try {
      (void)to_toml(shape, std::nullopt);
    } catch (const InvalidArgument& error) {
      return error.what();
    }
    return "none";
  };
  CHECK(message(FatTree{5, 3}) == "radix is 5; it must be even, from 2 to 128");
  CHECK(message(FatTree{4, 4}) == "levels is 4; it must be from 2 to 3");
  CHECK(message(FatTree{96, 3}) == "the number of hosts and switches is 232704; it must be at most 200000");
  CHECK(message(Torus{{}, 1}) == "the number of sides is 0; it must be from 1 to 6");
  CHECK(message(Torus{{1000, 1000, 1000}, 1}) ==
        "the number of switches is more than 200000; it must be at most 200000");
  CHECK(message(Dragonfly{2, 1, 1, 4}) == "groups is 4; it must be from 2 to 3");
  CHECK(message(SlimFly{24, {}}) ==
        "prime is 24; it must be a prime or a power of a prime, such as 23 or 25");
  CHECK(message(SlimFly{3, {}}) == "prime is 3; it must be from 4 to 223");
  CHECK(message(Jellyfish{5, 3, 1, 1}) == "degree is 3; it must be even, as the number of switches is odd");
}
