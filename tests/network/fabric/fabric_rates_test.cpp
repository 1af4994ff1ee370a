#include <catch2/catch.hpp>
#include <tailbound/core/error.hpp>
#include <tailbound/network/clocks/link_clocks.hpp>
#include <tailbound/network/demands/fabrics.hpp>
#include <tailbound/network/fabric/fabric_rates.hpp>
#include <tailbound/network/files/network_file.hpp>
#include <tailbound/numeric/rational.hpp>
#include <tests/support/random_fabrics.hpp>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <map>
#include <random>
#include <set>
#include <sstream>
#include <string>

// The rates of all queues of a fabric without lists of routes: against the same network with every route
// listed, by conservation of flow, and orbits against constructed symmetries.

using namespace tailbound;
using namespace tailbound::network;
using numeric::Rational;

namespace {

struct Counted {
  FabricOrbits orbits;
  FabricRates rates;
};

Counted counted(const Fabric& fabric) {
  const FabricGraph graph(fabric);
  FabricOrbits orbits = fabric_orbits(graph);
  FabricRates rates = fabric_rates(graph, orbits);
  return {std::move(orbits), std::move(rates)};
}

/// Every link's traffic equals that of queue_traffic() in packet times of this link, number for number.
void require_equal_to_routes(const Fabric& fabric) {
  const Network network = written_out(fabric);
  std::map<LinkRate, std::vector<QueueTraffic>> listed;
  for (const Link& link : network.links)
    if (listed.count(link.rate) == 0)
      listed[link.rate] = queue_traffic(
          in_slots_of(network, link.rate.value(), std::vector<bool>(network.links.size(), true)),
          Sources::independent_sources);
  const FabricRates rates = counted(fabric).rates;
  for (std::size_t link = 0; link < network.links.size(); ++link) {
    INFO(fabric.network.link_name(link));
    const std::uint32_t queue = rates.queue_of_link()[link];
    const LinkRate& rate = network.links[link].rate;
    const QueueTraffic& traffic = listed[rate][link];
    if (!fabric.network.has_queue(link) || traffic.sources.empty()) {
      REQUIRE(queue == FabricRates::none);
      continue;
    }
    REQUIRE(queue != FabricRates::none);
    const QueueTraffic found = rates.traffic(fabric.network, rates.queues()[queue]);
    REQUIRE(found.sources == traffic.sources);
    REQUIRE(found.load == traffic.load);
    REQUIRE(found.rate == traffic.rate);
    REQUIRE(rates.queues()[queue].rate == rate);
    REQUIRE(rates.queues()[queue].load == traffic.load * rate.value());
    const auto rounded = rates.sources(rates.queues()[queue]);
    for (std::size_t i = 0; i < rounded.size(); ++i) {
      const long double exact = numeric::nearest_long_double(found.sources[i].rate);
      REQUIRE(std::abs(rounded[i].rate - exact) <= (FabricRates::rate_units + 1) * 0x1p-64L * exact);
    }
  }
}

/// For each switch, incoming plus sent traffic equals outgoing plus received traffic, exactly.
void require_conserved(const Fabric& fabric, const FabricRates& rates) {
  const Network& network = fabric.network;
  const std::vector<Rational> sent = sent_by_node(fabric);
  std::vector<Rational> balance = sent;
  const auto& queue_of = rates.queue_of_link();
  const auto moved = [&](std::size_t link) {
    if (!network.has_queue(link)) return sent[network.links[link].from];  // hosts have one link here
    return queue_of[link] == FabricRates::none ? Rational(0) : rates.queues()[queue_of[link]].load;
  };
  for (std::size_t link = 0; link < network.links.size(); ++link) {
    balance[network.links[link].from] = balance[network.links[link].from] - moved(link);
    balance[network.links[link].to] = balance[network.links[link].to] + moved(link);
  }
  Rational received = 0, all = 0;
  for (std::size_t node = 0; node < network.nodes.size(); ++node) {
    if (network.nodes[node].host)
      received = received + balance[node];
    else
      REQUIRE(balance[node] == 0);
    all = all + sent[node];
  }
  REQUIRE(received == all);
}

std::size_t different(const std::vector<std::uint32_t>& firsts) {
  return std::set<std::uint32_t>(firsts.begin(), firsts.end()).size();
}

Fabric uniform(const FabricShape& shape, const Rational& rate) {
  const std::string text = to_toml(shape, std::nullopt);
  return test::with_uniform(read_fabric(text, "fabric.toml", FlowsFrom::elsewhere).fabric, rate);
}

/// Rings of the given sizes, one after the other, each switch with a host.
Fabric rings(const std::vector<std::size_t>& lengths) {
  Fabric fabric;
  std::size_t all = 0;
  for (const std::size_t length : lengths) all += length;
  for (std::size_t i = 0; i < all; ++i) fabric.network.nodes.push_back({"h" + std::to_string(i), true});
  for (std::size_t i = 0; i < all; ++i) fabric.network.nodes.push_back({"s" + std::to_string(i), false});
  const auto wire = [&](std::size_t a, std::size_t b) {
    fabric.network.links.push_back({.from = a, .to = b});
    fabric.network.links.push_back({.from = b, .to = a});
  };
  for (std::size_t i = 0; i < all; ++i) wire(i, all + i);
  std::size_t first = all;
  ProductDemand demand;
  demand.values = {0, Rational(1) / 100, 1};
  demand.out.assign(2 * all, 0);
  demand.in.assign(2 * all, 0);
  demand.group.assign(2 * all, 0);
  std::uint32_t group = 0;
  for (const std::size_t length : lengths) {
    for (std::size_t i = 0; i < length; ++i) {
      wire(first + i, first + (i + 1) % length);
      const std::size_t host = first - all + i;
      demand.out[host] = 1;
      demand.in[host] = 2;
      demand.group[host] = group;
    }
    first += length;
    ++group;
  }
  fabric.demands = {{"", RouteRule::spread, demand}};
  return fabric;
}

}  // namespace

TEST_CASE("fabric rates match listed routes, on random networks") {
  std::mt19937_64 random(1);
  for (int i = 0; i < 25; ++i) {
    INFO("network " << i);
    require_equal_to_routes(test::random_fabric(random));
  }
}

TEST_CASE("fabric rates match listed routes, on many random networks", "[.full]") {
  std::mt19937_64 random(2);
  for (int i = 0; i < 400; ++i) {
    INFO("network " << i);
    require_equal_to_routes(test::random_fabric(random));
  }
}

TEST_CASE("fabric rates match listed routes where speeds are fractions of each other") {
  std::mt19937_64 random(5);
  for (int i = 0; i < 10; ++i) {
    INFO("network " << i);
    Fabric fabric = test::random_fabric(random);
    for (Link& link : fabric.network.links) link.rate = {1 + static_cast<int>(random() % 3), 2};
    for (Link& link : fabric.network.links)
      if (link.rate.packets == 2) link.rate = {};
    require_equal_to_routes(fabric);
  }
}

TEST_CASE("fabric rates match listed Valiant routes, on random networks") {
  std::mt19937_64 random(3);
  int tried = 0, lists = 0, identical = 0;
  for (int i = 0; i < 120; ++i) {
    const auto fabric = test::with_valiant(test::random_fabric(random), random, 700);
    if (!fabric) continue;
    INFO("network " << i);
    require_equal_to_routes(*fabric);
    ++tried;
    const FabricOrbits orbits = fabric_orbits(FabricGraph(*fabric));
    if (different(orbits.arc) < orbits.arc.size()) ++identical;
    if (std::all_of(fabric->demands.begin(), fabric->demands.end(),
                    [](const Demand& demand) { return std::holds_alternative<SparseDemand>(demand.rates); }))
      ++lists;
  }
  CHECK(tried >= 15);
  CHECK(lists >= 2);
  CHECK(identical >= 1);
}

TEST_CASE("fabric rates match listed routes, on the usual fabrics") {
  for (const FabricShape& shape :
       {FabricShape(FatTree{4, 3}), FabricShape(FatTree{8, 2}), FabricShape(LeafSpine{5, 3, 4, 2}),
        FabricShape(Torus{{4, 5}, 2}), FabricShape(HyperX{{3, 4}, 2}), FabricShape(Dragonfly{4, 2, 2, 5}),
        FabricShape(SlimFly{5, 1}), FabricShape(Jellyfish{16, 4, 3, 7})}) {
    INFO(facts_of(shape).name);
    const Fabric fabric = uniform(shape, Rational(1) / 5);
    require_equal_to_routes(fabric);
    require_conserved(fabric, counted(fabric).rates);
  }
}

TEST_CASE("fabric rates: network files") {
  const auto text_of = [](const char* name) {
    std::ifstream file(std::filesystem::path(TAILBOUND_DATA_DIR) / "networks" / name);
    std::stringstream text;
    text << file.rdbuf();
    return text.str();
  };
  const Fabric bare = read_fabric(text_of("leaf_spine.toml"), "leaf_spine.toml", FlowsFrom::elsewhere).fabric;
  for (const RouteRule rule : {RouteRule::spread, RouteRule::shortest})
    require_equal_to_routes(test::with_uniform(bare, Rational(1) / 4, rule));
  FabricFile by_matrix = read_fabric(text_of("two_switches_by_matrix.toml"), "by_matrix.toml");
  const std::string csv = text_of("two_switches.csv");
  by_matrix.fabric.demands.push_back(
      {"", RouteRule::shortest, sparse_matrix(by_matrix.fabric.network, csv, "two_switches.csv")});
  require_equal_to_routes(by_matrix.fabric);
}

TEST_CASE("fabric rates: a fat-tree has few kinds of queues, and flow is conserved") {
  const Fabric fabric = uniform(FatTree{16, 3}, Rational(9) / 10);  // 1024 hosts
  const Counted found = counted(fabric);
  CHECK(different(found.orbits.vertex) == 3);
  CHECK(different(found.orbits.arc) == 4);
  CHECK(found.rates.queues().size() <= 5);
  require_conserved(fabric, found.rates);
  // A host receives its sending rate; an edge switch sends up all traffic except that for its own 8 hosts.
  for (std::size_t link = 0; link < fabric.network.links.size(); ++link) {
    const Link& its = fabric.network.links[link];
    if (!fabric.network.has_queue(link) || !fabric.network.nodes[its.to].host) continue;
    const auto queue = found.rates.queues()[found.rates.queue_of_link()[link]];
    REQUIRE(queue.load == Rational(9) / 10);
    const QueueTraffic traffic = found.rates.traffic(fabric.network, queue);
    REQUIRE(traffic.sources == std::vector<SourceRate>{{Rational(9) / 10230, 1023}});
  }
}

TEST_CASE("fabric rates: a slower or heavier link splits neighbouring orbits") {
  const Fabric even = uniform(FatTree{8, 3}, Rational(1) / 2);
  const std::size_t orbits = different(counted(even).orbits.arc);
  const auto switches = [&](const Link& link) {
    return !even.network.nodes[link.from].host && !even.network.nodes[link.to].host;
  };
  const std::size_t planted =
      static_cast<std::size_t>(std::find_if(even.network.links.begin(), even.network.links.end(), switches) -
                               even.network.links.begin());
  for (const bool heavier : {false, true}) {
    Fabric odd = even;
    for (Link& link : odd.network.links) link.rate.packets = 2;
    if (heavier)
      odd.network.links[planted].weight = 3;
    else
      odd.network.links[planted].rate.packets = 1;
    const Counted found = counted(odd);
    CHECK(different(found.orbits.arc) > orbits);
    // Only the planted link is a separate orbit because of its rate; links near it are split by their
    // position.
    const auto& queue_of = found.rates.queue_of_link();
    const FabricRates::Queue& queue = found.rates.queues()[queue_of[planted]];
    CHECK(queue.links == 1);
    require_equal_to_routes(odd);
    require_conserved(odd, found.rates);
  }
}

TEST_CASE("fabric rates: equal colours do not imply symmetry") {
  // All switches of a ring of six and of two rings of three have one colour if their groups are equal.
  Fabric fabric = rings({6, 3, 3});
  auto& demand = std::get<ProductDemand>(fabric.demands.front().rates);
  const Counted apart = counted(fabric);
  CHECK(different(apart.orbits.vertex) == 2);
  require_equal_to_routes(fabric);
  // One sender and one receiver in each ring, opposite or adjacent: now only reflections are symmetries.
  demand.out.assign(demand.out.size(), 0);
  demand.out[0] = demand.out[6] = demand.out[9] = 1;
  require_equal_to_routes(fabric);
  // Groups of six hosts: those of the long ring, and those of both short ones, two of which send to no
  // distant host.
  Fabric joined = rings({6, 3, 3});
  auto& groups = std::get<ProductDemand>(joined.demands.front().rates).group;
  for (std::uint32_t& group : groups) group = std::min(group, 1U);
  const FabricGraph graph(joined);
  const FabricOrbits orbits = fabric_orbits(graph);
  CHECK(orbits.colours < different(orbits.vertex));
  CHECK(orbits.vertex[0] != orbits.vertex[6]);
  CHECK_THROWS_AS(fabric_rates(graph, orbits), NoAnswer);
}

TEST_CASE("fabric rates: missing and too long routes are rejected") {
  Fabric fabric = rings({3, 3});
  std::get<ProductDemand>(fabric.demands.front().rates).group.clear();
  const FabricGraph graph(fabric);
  CHECK_THROWS_WITH(fabric_rates(graph, fabric_orbits(graph)), Catch::Contains("no route leads from h"));
  Fabric fine = rings({200});
  auto& values = std::get<ProductDemand>(fine.demands.front().rates).values;
  values[1] = values[1] / numeric::pow(Rational(7), 300);
  const FabricGraph ring(fine);
  CHECK_THROWS_WITH(fabric_rates(ring, fabric_orbits(ring)), Catch::Contains("the limit is 508"));
}

TEST_CASE("fabric rates: denominators above 124 bits") {
  Fabric fabric = rings({7});
  auto& values = std::get<ProductDemand>(fabric.demands.front().rates).values;
  values[1] = values[1] / numeric::pow(Rational(7), 30);
  require_equal_to_routes(fabric);
}
