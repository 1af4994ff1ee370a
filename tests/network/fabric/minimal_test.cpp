#include <catch2/catch.hpp>
#include <tailbound/core/error.hpp>
#include <tailbound/network/demands/fabrics.hpp>
#include <tailbound/network/fabric/fabric_listing.hpp>
#include <tailbound/network/fabric/fabric_rates.hpp>
#include <tailbound/network/files/network_file.hpp>
#include <tailbound/numeric/rational.hpp>
#include <tests/support/random_fabrics.hpp>

#include <algorithm>
#include <array>
#include <functional>
#include <map>
#include <optional>
#include <random>
#include <string>
#include <utility>
#include <vector>

// Minimal routes of dragonflies against their definition, enumerated over pairs of a node and "has it
// crossed?", and against known results for adversarial traffic.

using namespace tailbound;
using namespace tailbound::network;
using numeric::Rational;

namespace {

constexpr std::size_t never = 1'000'000;

/// The traffic from a node over a link [packets/slot].
using Passed = std::map<std::pair<std::size_t, std::size_t>, Rational>;

std::uint32_t group_of(const Network& network, std::size_t node) {
  if (!network.nodes[node].host) return network.nodes[node].group;
  for (const Link& link : network.links)
    if (link.from == node) return network.nodes[link.to].group;
  return Node::no_group;
}

/// Minimum number of links from each node to `to`, before and after the one link between two groups: relaxed
/// until nothing changes.
using Distances = std::array<std::vector<std::size_t>, 2>;

Distances distances(const Network& network, std::size_t to, bool crosses) {
  Distances fewest{std::vector<std::size_t>(network.nodes.size(), never),
                   std::vector<std::size_t>(network.nodes.size(), never)};
  fewest[crosses ? 1 : 0][to] = 0;
  for (bool again = true; std::exchange(again, false);)
    for (const Link& link : network.links) {
      if (network.nodes[link.to].host && link.to != to) continue;
      const bool within = group_of(network, link.from) == group_of(network, link.to);
      for (std::size_t crossed = 0; crossed < 2; ++crossed) {
        if (!within && crossed == 1) continue;
        const std::size_t there = fewest[within ? crossed : 1][link.to] + 1;
        if (there < fewest[crossed][link.from]) {
          fewest[crossed][link.from] = there;
          again = true;
        }
      }
    }
  return fewest;
}

/// \return whether there is a route
bool send(const Network& network, std::size_t from, std::size_t to, const Rational& rate, Passed& passed) {
  const Distances fewest = distances(network, to, group_of(network, from) != group_of(network, to));
  if (fewest[0][from] >= never) return false;
  const std::function<void(std::size_t, std::size_t, const Rational&)> step =
      [&](std::size_t at, std::size_t crossed, const Rational& part) {
        if (at == to) return;
        struct Next {
          std::size_t link, crossed;
        };
        std::vector<Next> next;
        Rational weights = 0;
        for (std::size_t i = 0; i < network.links.size(); ++i) {
          const Link& link = network.links[i];
          if (link.from != at || (network.nodes[link.to].host && link.to != to)) continue;
          const bool within = group_of(network, link.from) == group_of(network, link.to);
          if (!within && crossed == 1) continue;
          const std::size_t behind = within ? crossed : 1;
          if (fewest[behind][link.to] + 1 != fewest[crossed][at]) continue;
          next.push_back({i, behind});
          weights = weights + link.weight;
        }
        for (const Next& each : next) {
          const Rational share = part * network.links[each.link].weight / weights;
          Rational& its = passed.try_emplace({from, each.link}, 0).first->second;
          its = its + share;
          step(network.links[each.link].to, each.crossed, share);
        }
      };
  step(from, 0, rate);
  return true;
}

/// Rates of the fabric, and of its listed flows, match the definition.
/// \return false  if a pair has no route, which both reject
bool require_defined(const Fabric& fabric) {
  const Network& network = fabric.network;
  Passed passed;
  bool all = true;
  const auto nodes = network.nodes.size();
  for (const Demand& demand : fabric.demands) {
    REQUIRE(demand.route == RouteRule::minimal);
    for (std::size_t s = 0; s < nodes; ++s)
      if (const auto* product = std::get_if<ProductDemand>(&demand.rates))
        for (std::size_t d = 0; d < nodes; ++d)
          if (s != d && product->out[s] != 0 && product->in[d] != 0 && product->together(s, d))
            all = send(network, s, d, product->values[product->out[s]] * product->values[product->in[d]],
                       passed) &&
                  all;
    if (const auto* sparse = std::get_if<SparseDemand>(&demand.rates))
      for (const auto& entry : sparse->entries)
        all = send(network, entry.from, entry.to, sparse->values[entry.rate], passed) && all;
  }
  const FabricGraph graph(fabric);
  if (!all) {
    CHECK_THROWS_AS(fabric_rates(graph, fabric_orbits(graph)), NoAnswer);
    CHECK_THROWS(written_out(fabric));
    return false;
  }
  // In slots of the network, and in packet times of each link.
  std::vector<std::map<Rational, std::int64_t>> sources(network.links.size()), own(network.links.size());
  const std::vector<int> lanes = network.lanes();
  const std::vector<Rational> limits = network.send_limits();
  for (const auto& [ends, rate] : passed) {
    const Rational packets = network.links[ends.second].rate.value();
    const std::int64_t its_lanes = numeric::to_int64(-numeric::floor(-limits[ends.first] / packets));
    sources[ends.second][rate / lanes[ends.first]] += lanes[ends.first];
    own[ends.second][rate / packets / its_lanes] += its_lanes;
  }
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
    expected.clear();
    for (const auto& [rate, count] : own[link]) expected.push_back({rate, count});
    if (!expected.empty()) REQUIRE(rates.traffic(network, rates.queues()[queue]).sources == expected);
  }
  return true;
}

Fabric built_fabric(const std::string& text) {
  return read_fabric(text, "fabric.toml").fabric;
}
Fabric built_fabric(const FabricShape& shape, const std::string& traffic) {
  return built_fabric(to_toml(shape, std::nullopt) + "\n" + traffic);
}

/// The offered load of the busiest link.
Rational fullest(const Fabric& fabric) {
  const FabricGraph graph(fabric);
  const FabricRates rates = fabric_rates(graph, fabric_orbits(graph));
  Rational maximum = 0;
  for (const FabricRates::Queue& queue : rates.queues()) maximum = std::max(maximum, queue.load);
  return maximum;
}

const std::string minimal = "route = \"minimal\"\n";

}  // namespace

TEST_CASE("minimal routes: rates match the definition exactly", "[network][minimal]") {
  CHECK(require_defined(built_fabric(Dragonfly{3, 1, 1, 4}, "[traffic]\nuniform = 0.3\n" + minimal)));
  CHECK(require_defined(built_fabric(
      Dragonfly{2, 2, 1, 3}, "[traffic]\npermutation = \"shift\"\nshift = 4\nrate = 0.2\n" + minimal)));
  CHECK(require_defined(
      built_fabric(Dragonfly{3, 1, 2, 5},
                   "[[traffic]]\ngravity = [[\"h[0..2]\", 0.3, 1], [\"h[3..9]\", 0.1, 2]]\n" + minimal +
                       "[[traffic]]\nname = \"p\"\npermutation = \"random\"\nrate = \"1/7\"\n" + minimal)));
  // Groups that are rings, two links of unequal weights between two of them, and a switch that sends.
  CHECK(require_defined(built_fabric(
      "hosts = \"h[0..11]\"\nswitches = \"s[0..2]_[0..3]\"\ngroups = 4\n"
      "link = [{each = \"i = 0..11\", from = \"h[i]\", to = \"s[i/4]_[i%4]\", both = true},\n"
      "  {each = \"g = 0..2, a = 0..3\", from = \"s[g]_[a]\", to = \"s[g]_[(a+1)%4]\", both = true},\n"
      "  {each = \"g = 0..2\", from = \"s[g]_0\", to = \"s[(g+1)%3]_1\", both = true, weight = 3},\n"
      "  {each = \"g = 0..2\", from = \"s[g]_2\", to = \"s[(g+1)%3]_3\", both = true}]\n"
      "[[traffic]]\nuniform = 0.1\n" +
      minimal + "[[traffic]]\nname = \"s\"\nuniform = 0.2\nfrom = \"s1_1\"\nto = \"h[0..5]\"\n" + minimal)));
}

TEST_CASE("minimal routes: random networks with groups match the definition", "[network][minimal]") {
  std::mt19937_64 random(17);
  int routes = 0, rejected = 0;
  for (int i = 0; i < 120 && routes < 25; ++i) {
    auto fabric = test::with_valiant(test::random_fabric(random), random, 300);
    if (!fabric || fabric->network.nodes.size() > 40) continue;
    INFO("network " << i);
    for (Demand& demand : fabric->demands) demand.route = RouteRule::minimal;
    // Nearly complete: a link between the first switches of each pair of groups.
    std::map<std::uint32_t, std::size_t> first;
    for (std::size_t node = 0; node < fabric->network.nodes.size(); ++node)
      if (!fabric->network.nodes[node].host) first.try_emplace(fabric->network.nodes[node].group, node);
    if (random() % 4 != 0)
      for (const auto& [a, from] : first)
        for (const auto& [b, to] : first)
          if (a != b && std::none_of(fabric->network.links.begin(), fabric->network.links.end(),
                                     [from = from, to = to](const Link& link) {
                                       return link.from == from && link.to == to;
                                     }))
            fabric->network.links.push_back({.from = from, .to = to});
    try {
      const FabricGraph graph(*fabric);
    } catch (const InvalidArgument&) {
      continue;
    }
    ++(require_defined(*fabric) ? routes : rejected);
  }
  CHECK(routes >= 8);
  CHECK(rejected >= 3);
}

TEST_CASE("minimal routes: adversarial traffic saturates a dragonfly", "[network][minimal]") {
  // All hosts of a group send to the next group, over one link shared by a p hosts, which is saturated at
  // 1/(a p). With shortest routes of 72 hosts some take two global links, which no minimal route does, and
  // 1/4 would be carried.
  for (const auto& [a, p, h] : {std::array{4, 2, 2}, std::array{2, 1, 1}, std::array{3, 2, 1}}) {
    const Dragonfly shape{a, p, h, a * h + 1};
    const auto shift = [&, a = a, p = p](const std::string& route) {
      return built_fabric(shape, "[traffic]\npermutation = \"shift\"\nshift = " + std::to_string(a * p) +
                                     "\nrate = \"1/100\"\nroute = \"" + route + "\"\n");
    };
    CHECK(fullest(shift("minimal")) == Rational(a * p) / 100);
  }
  CHECK(fullest(built_fabric(
            Dragonfly{4, 2, 2, 9},
            "[traffic]\npermutation = \"shift\"\nshift = 8\nrate = \"1/100\"\nroute = \"shortest\"\n")) ==
        Rational(4) / 100);
  // Uniform traffic: each link between groups carries the traffic from a p hosts to a p others.
  const Rational each = Rational(1) / 10 / 71;
  const Fabric uniform = built_fabric(Dragonfly{4, 2, 2, 9}, "[traffic]\nuniform = 0.1\n" + minimal);
  const FabricGraph graph(uniform);
  const FabricRates rates = fabric_rates(graph, fabric_orbits(graph));
  for (std::size_t link = 0; link < uniform.network.links.size(); ++link) {
    const auto& nodes = uniform.network.nodes;
    const Link& its = uniform.network.links[link];
    if (nodes[its.from].host || nodes[its.to].host || nodes[its.from].group == nodes[its.to].group) continue;
    CHECK(rates.queues()[rates.queue_of_link()[link]].load == 64 * each);
  }
}

TEST_CASE("minimal routes: two groups suffice, none are rejected", "[network][minimal]") {
  CHECK(require_defined(built_fabric(Dragonfly{2, 1, 1, 2}, "[traffic]\nuniform = 0.3\n" + minimal)));
  CHECK_THROWS_WITH(to_toml(FatTree{}, FabricTraffic{1, RouteRule::minimal}),
                    Catch::Contains("minimal") && Catch::Contains("dragonfly"));
  CHECK_THROWS_WITH(built_fabric(FatTree{}, "[traffic]\nuniform = 0.3\n" + minimal),
                    Catch::Contains("groups is 0") && Catch::Contains("dragonfly"));
  const std::string text = to_toml(Dragonfly{1, 2, 3, 4}, FabricTraffic{Rational(1) / 4, RouteRule::minimal});
  CHECK(require_defined(built_fabric(text)));
  // Without the link between two groups there is no minimal route, even if there are many others.
  const std::vector<std::string> failed{"s0_0 -> s1_0"};
  const Fabric without = read_fabric(text, "fabric.toml", FlowsFrom::file, failed).fabric;
  const FabricGraph graph(without);
  CHECK_THROWS_WITH(fabric_rates(graph, fabric_orbits(graph)), Catch::Contains("no route leads from h"));
  CHECK_THROWS_WITH(
      read_network("switches = [\"s\", \"t\"]\nlink = [{from = \"s\", to = \"t\"}]\n[traffic]\nuniform = "
                   "true\nroute = \"minimal\"\n",
                   "worms.toml", FileUse::worms),
      Catch::Contains("groups is 0"));
}
