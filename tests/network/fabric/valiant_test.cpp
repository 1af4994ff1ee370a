#include <catch2/catch.hpp>
#include <tailbound/core/error.hpp>
#include <tailbound/network/demands/fabrics.hpp>
#include <tailbound/network/fabric/fabric_listing.hpp>
#include <tailbound/network/fabric/fabric_rates.hpp>
#include <tailbound/network/files/network_file.hpp>
#include <tailbound/numeric/rational.hpp>
#include <tests/support/random_fabrics.hpp>

#include <algorithm>
#include <functional>
#include <map>
#include <random>
#include <set>
#include <string>
#include <utility>
#include <vector>

// Valiant routes against their definition, enumerated packet by packet, and against known results for
// dragonflies.

using namespace tailbound;
using namespace tailbound::network;
using numeric::Rational;

namespace {

/// The traffic from a node over a link [packets/slot].
using Passed = std::map<std::pair<std::size_t, std::size_t>, Rational>;

/// By the definition: distances by relaxing all links until nothing changes, one packet's probabilities at a
/// time.
class Walker {
 public:
  explicit Walker(const Network& network) : network_(network) {
    for (const Node& node : network.nodes)
      if (!node.host && node.group != Node::no_group) groups_.insert(node.group);
  }

  void send(std::size_t from, std::size_t to, const Rational& rate, Passed& passed) const {
    const std::uint32_t a = group_of(from), b = group_of(to);
    const auto take = [&](std::size_t link, const Rational& part) {
      Rational& its = passed.try_emplace({from, link}, 0).first->second;
      its = its + part;
    };
    const auto to_end = [to](std::size_t node) { return node == to; };
    if (a == b) return walk(from, rate, to_end, take, [](std::size_t, const Rational&) {});
    std::set<std::uint32_t> others = groups_;
    others.erase(a);
    others.erase(b);
    for (const std::uint32_t group : others)
      walk(
          from, rate / static_cast<unsigned long>(others.size()),
          [&](std::size_t node) { return !network_.nodes[node].host && network_.nodes[node].group == group; },
          take,
          [&](std::size_t node, const Rational& part) {
            walk(node, part, to_end, take, [](std::size_t, const Rational&) {});
          });
  }

 private:
  [[nodiscard]] std::uint32_t group_of(std::size_t node) const {
    if (!network_.nodes[node].host) return network_.nodes[node].group;
    for (const Link& link : network_.links)
      if (link.from == node) return network_.nodes[link.to].group;
    return Node::no_group;
  }

  template <class IsEnd, class Take, class Arrive>
  void walk(std::size_t node, const Rational& part, IsEnd is_end, Take take, Arrive arrive) const {
    std::vector<std::size_t> distance(network_.nodes.size(), 1'000'000);
    for (std::size_t i = 0; i < distance.size(); ++i)
      if (is_end(i)) distance[i] = 0;
    const auto through = [&](const Link& link) {
      return distance[link.to] == 0 || !network_.nodes[link.to].host ? distance[link.to] + 1 : 1'000'000;
    };
    for (bool again = true; std::exchange(again, false);)
      for (const Link& link : network_.links)
        if (through(link) < distance[link.from]) {
          distance[link.from] = through(link);
          again = true;
        }
    const std::function<void(std::size_t, const Rational&)> step = [&](std::size_t at, const Rational& its) {
      if (distance[at] == 0) return arrive(at, its);
      Rational weights = 0;
      std::vector<std::size_t> links;
      for (std::size_t i = 0; i < network_.links.size(); ++i)
        if (network_.links[i].from == at && through(network_.links[i]) == distance[at]) {
          links.push_back(i);
          weights = weights + network_.links[i].weight;
        }
      for (const std::size_t link : links) {
        const Rational each = its * network_.links[link].weight / weights;
        take(link, each);
        step(network_.links[link].to, each);
      }
    };
    step(node, part);
  }

  const Network& network_;
  std::set<std::uint32_t> groups_;
};

Fabric shaped_fabric(const FabricShape& shape, const std::string& traffic) {
  return read_fabric(to_toml(shape, std::nullopt) + "\n" + traffic, "fabric.toml").fabric;
}

/// Rates of the fabric, and of its listed flows, match the definition.
void require_defined(const Fabric& fabric) {
  const Network& network = fabric.network;
  Passed passed;
  const Walker walker(network);
  for (const Demand& demand : fabric.demands) {
    REQUIRE(demand.route == RouteRule::valiant);
    const auto nodes = network.nodes.size();
    for (std::size_t s = 0; s < nodes; ++s)
      if (const auto* product = std::get_if<ProductDemand>(&demand.rates))
        for (std::size_t d = 0; d < nodes; ++d) {
          if (product->out[s] != 0 && product->in[d] != 0 && product->together(s, d))
            walker.send(s, d, product->values[product->out[s]] * product->values[product->in[d]], passed);
        }
    if (const auto* sparse = std::get_if<SparseDemand>(&demand.rates))
      for (const auto& entry : sparse->entries)
        walker.send(entry.from, entry.to, sparse->values[entry.rate], passed);
  }
  std::vector<std::map<Rational, std::int64_t>> sources(network.links.size());
  for (const auto& [ends, rate] : passed) ++sources[ends.second][rate];
  const FabricGraph graph(fabric);
  const FabricRates rates = fabric_rates(graph, fabric_orbits(graph));
  const std::vector<QueueTraffic> listed = queue_traffic(written_out(fabric), Sources::independent_sources);
  for (std::size_t link = 0; link < network.links.size(); ++link) {
    if (!network.has_queue(link)) continue;
    INFO(network.link_name(link));
    std::vector<SourceRate> expected;
    for (const auto& [rate, count] : sources[link]) expected.push_back({rate, count});
    REQUIRE(listed[link].sources == expected);
    const std::uint32_t queue = rates.queue_of_link()[link];
    REQUIRE((queue == FabricRates::none) == expected.empty());
    if (!expected.empty()) REQUIRE(rates.traffic(network, rates.queues()[queue]).sources == expected);
  }
}

/// Offered loads of the links between two groups of a dragonfly, and from one group to the next.
struct GlobalLoads {
  Rational all = 0, maximum = 0;
};

GlobalLoads global_loads(const Fabric& fabric) {
  const FabricGraph graph(fabric);
  const FabricRates rates = fabric_rates(graph, fabric_orbits(graph));
  GlobalLoads loads;
  const Network& network = fabric.network;
  for (std::size_t link = 0; link < network.links.size(); ++link) {
    const Node &from = network.nodes[network.links[link].from], &to = network.nodes[network.links[link].to];
    if (from.host || to.host || from.group == to.group) continue;
    const std::uint32_t queue = rates.queue_of_link()[link];
    const Rational load = queue == FabricRates::none ? Rational(0) : rates.queues()[queue].load;
    loads.all = loads.all + load;
    if (load > loads.maximum) loads.maximum = load;
  }
  return loads;
}

}  // namespace

TEST_CASE("Valiant routes: rates match the definition exactly", "[network][valiant]") {
  const std::string uneven =
      "[[traffic]]\ngravity = [[\"h[0..2]\", 0.3, 1], [\"h[3..9]\", 0.1, 2]]\nroute = \"valiant\"\n";
  const std::string list =
      "[[traffic]]\nname = \"p\"\npermutation = \"random\"\nrate = \"1/7\"\nroute = \"valiant\"\n";
  const std::string groups = "[[traffic]]\nname = \"g\"\nuniform = 0.1\ngroups = 5\nroute = \"valiant\"\n";
  const Dragonfly fly{2, 1, 2, 5};
  require_defined(shaped_fabric(fly, uneven));
  require_defined(shaped_fabric(fly, list));
  require_defined(shaped_fabric(fly, uneven + list + groups));
  require_defined(shaped_fabric(Dragonfly{3, 1, 1, 4}, "[traffic]\nuniform = 0.3\nroute = \"valiant\"\n"));
  Fabric weighted = shaped_fabric(fly, uneven + list);
  std::mt19937_64 random(5);
  for (Link& link : weighted.network.links) link.weight = 1 + static_cast<int>(random() % 3);
  require_defined(weighted);
}

TEST_CASE("Valiant routes: a dragonfly's global links carry each packet twice", "[network][valiant]") {
  // One switch per group: each shortest route is one link. With uniform traffic each packet passes two
  // instead of one.
  const std::string uniform = "[traffic]\nuniform = \"1/5\"\nroute = ";
  const Dragonfly mesh{1, 2, 6, 7};
  const GlobalLoads minimal = global_loads(shaped_fabric(mesh, uniform + "\"spread\"\n")),
                    valiant = global_loads(shaped_fabric(mesh, uniform + "\"valiant\"\n"));
  CHECK(minimal.all == Rational(14) / 5 * 12 / 13);
  CHECK(valiant.all == 2 * minimal.all);
  CHECK(minimal.maximum == minimal.all / 42);
  CHECK(valiant.maximum == valiant.all / 42);
  // Each group sends to the next: one link takes all traffic, or all links an equal part.
  const std::string next = "[traffic]\npermutation = \"shift\"\nshift = 2\nrate = \"1/5\"\nroute = ";
  const GlobalLoads worst = global_loads(shaped_fabric(mesh, next + "\"spread\"\n")),
                    spread = global_loads(shaped_fabric(mesh, next + "\"valiant\"\n"));
  CHECK(worst.maximum == Rational(2) / 5);
  CHECK(spread.all == 2 * worst.all);
  // A link other than the one between the two groups is the first link for a fifth of the group's traffic,
  // and the second for another fifth.
  CHECK(spread.maximum == Rational(2) * 2 / 25);
}

TEST_CASE("Valiant routes: disconnected groups are not drawn, invalid input is rejected",
          "[network][valiant]") {
  const Dragonfly mesh{1, 1, 3, 4};
  const std::string text = to_toml(mesh, FabricTraffic{Rational(1) / 4, RouteRule::valiant});
  const auto without = [&](const std::string& what) {
    const std::vector<std::string> failed{what};
    return read_fabric(text, "fabric.toml", FlowsFrom::file, failed).fabric;
  };
  // With three groups left, the third one is always drawn.
  const Fabric three = without("s3_0");
  const FabricGraph graph(three);
  CHECK(graph.groups()->drawn == std::vector<std::uint32_t>{0, 1, 2});
  require_defined([&] {
    Fabric bare = three;
    bare.network.nodes.back().group = Node::no_group;  // the definition does not model failures
    return bare;
  }());
  const std::vector<std::string> two{"s3_0", "s2_0"};
  CHECK_THROWS_WITH(read_fabric(text, "fabric.toml", FlowsFrom::file, two),
                    Catch::Contains("groups is 2; it must be 3 or more"));
  CHECK_THROWS_AS(to_toml(Dragonfly{2, 1, 1, 2}, FabricTraffic{1, RouteRule::valiant}), InvalidArgument);
  CHECK_THROWS_AS(to_toml(FatTree{}, FabricTraffic{1, RouteRule::valiant}), InvalidArgument);
  const auto rejected = [&](const std::string& groups, const char* why) {
    std::string file = text;
    file.replace(file.find("groups = 1"), 10, groups);
    CHECK_THROWS_WITH(read_network(file, "fabric.toml"), Catch::Contains(why));
    CHECK_THROWS_WITH(read_fabric(file, "fabric.toml"), Catch::Contains(why));
  };
  rejected("", "groups is 0");
  rejected("groups = 0", "a whole number above 0");
  rejected("groups = [\"s[0..3]_0\", \"s1_0\"]", "the switch \"s1_0\" is in two groups");
  rejected("groups = [[\"h0\"]]", "\"h0\" is not among the switches");
  std::string ungrouped = text;
  ungrouped.replace(ungrouped.find("groups = 1"), 10, "groups = [\"s0_0\", \"s1_0\", \"s2_0\"]");
  CHECK_THROWS_WITH(read_fabric(ungrouped, "fabric.toml"),
                    Catch::Contains("fabric.toml:20:9: ") && Catch::Contains("h3 is in no group"));
  Fabric lone = read_fabric(text, "fabric.toml").fabric;
  lone.network.nodes.back().group = Node::no_group;
  CHECK_THROWS_WITH(FabricGraph(lone), Catch::Contains("h3 is in no group"));
  CHECK_THROWS_WITH(written_out(lone), Catch::Contains("h3 is in no group"));
  CHECK_THROWS_WITH(read_network("switches = [\"s\", \"t\"]\ngroups = 1", "worms.toml", FileUse::worms),
                    Catch::Contains("no flows"));
}

TEST_CASE("Valiant routes: groups survive writing and reading a network", "[network][valiant]") {
  const Network network =
      written_out(shaped_fabric(Dragonfly{2, 1, 1, 3}, "[traffic]\nuniform = 0.1\nroute = \"valiant\"\n"));
  const Network again = read_network(to_toml(network), "again.toml").network;
  for (std::size_t node = 0; node < network.nodes.size(); ++node)
    CHECK(again.nodes[node].group == network.nodes[node].group);
}

TEST_CASE("Valiant routes: the count for listing matches the routes", "[network][valiant]") {
  // A mesh of n switches with a host each: n (n - 1) pairs of n - 2 routes.
  const auto mesh = [](int switches) {
    return shaped_fabric(Dragonfly{1, 1, switches - 1, switches},
                         "[traffic]\nuniform = 0.1\nroute = \"valiant\"\n");
  };
  const Fabric maximum = mesh(101), more = mesh(102);  // 999 900 and 1 030 200
  CHECK(can_be_listed(FabricGraph(maximum)));
  CHECK_FALSE(can_be_listed(FabricGraph(more)));
  CHECK(written_out(mesh(6)).flows.front().routes.size() == 4);
}
