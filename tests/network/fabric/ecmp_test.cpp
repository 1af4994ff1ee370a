#include <catch2/catch.hpp>
#include <tailbound/core/error.hpp>
#include <tailbound/network/demands/fabrics.hpp>
#include <tailbound/network/demands/uniform_traffic.hpp>
#include <tailbound/network/fabric/fabric_listing.hpp>
#include <tailbound/network/fabric/fabric_symmetry.hpp>
#include <tailbound/network/fabric/routing.hpp>
#include <tailbound/network/files/network_file.hpp>
#include <tailbound/numeric/rational.hpp>

#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <vector>

// Routes by a hash: one of the shortest paths per flow, the same for the same seed, in proportion to weights
// over the seeds.

using namespace tailbound;
using namespace tailbound::network;

namespace {

/// a and b, joined over s, two or more switches, and t.
Network between(const std::string& middle, const std::string& keys) {
  return read_network(
             "hosts = [\"a\", \"b\"]\nswitches = [\"s\", \"t\", \"u\", \"v\"]\n"
             "link = [{from = \"a\", to = \"s\", both = true}, {from = \"t\", to = \"b\", both = "
             "true}, {from = \"s\", to = [" +
                 middle + "], both = true" + keys + "}, {from = [\"u\", \"v\"], to = \"t\"}]\n",
             "net", FileUse::packets, FlowsFrom::elsewhere)
      .network;
}

Route hashed(Network& network, std::uint64_t seed) {
  network.route_seed = seed;
  const std::vector<RouteRequest> request{{0, 1, RouteRule::ecmp}};
  const auto routes = find_routes(network, request);
  REQUIRE(routes.front().size() == 1);
  return routes.front().front();
}

}  // namespace

TEST_CASE("ECMP: every flow has one of its shortest paths, with the whole rate") {
  const std::string file = to_toml(LeafSpine{4, 4, 2, 1}, FabricTraffic{Rational(1) / 2, RouteRule::ecmp});
  const Network network = read_network(file, "net").network;
  REQUIRE(network.flows.size() == 56);
  const Network all =
      read_network(to_toml(LeafSpine{4, 4, 2, 1}, FabricTraffic{Rational(1) / 2, RouteRule::spread}), "net")
          .network;
  std::map<std::size_t, int> spines;
  for (std::size_t i = 0; i < network.flows.size(); ++i) {
    const Flow& flow = network.flows[i];
    CHECK(flow.rule == RouteRule::ecmp);
    REQUIRE(flow.routes.size() == 1);
    CHECK(flow.routes.front().share == 1);
    const auto& possible = all.flows[i].routes;
    CHECK(std::any_of(possible.begin(), possible.end(),
                      [&](const Route& route) { return route.links == flow.routes.front().links; }));
    if (possible.size() == 4) ++spines[network.links[flow.routes.front().links[2]].from];
  }
  CHECK(spines.size() == 4);
  for (const auto& [spine, flows] : spines) CHECK(flows > 4);  // 48 flows, 12 on average
}

TEST_CASE("ECMP: the hash is the same on every machine, and another with another seed") {
  CHECK(ecmp_hash(0, 1, 2, 1) == 0xd022233fa9dedcbU);
  CHECK(ecmp_hash(0, 1, 2, 1) != ecmp_hash(0, 1, 2, 2));
  CHECK(ecmp_hash(0, 1, 2, 1) != ecmp_hash(1, 0, 2, 1));
  CHECK(ecmp_hash(0, 1, 2, 1) != ecmp_hash(0, 1, 3, 1));
  const std::string seeded =
      "route_seed = 9\n" + to_toml(LeafSpine{}, FabricTraffic{Rational(1) / 2, RouteRule::ecmp});
  const auto links_of = [](const Network& network) {
    std::vector<std::vector<std::size_t>> links;
    for (const Flow& flow : network.flows) links.push_back(flow.routes.front().links);
    return links;
  };
  const auto first = links_of(read_network(seeded, "net").network);
  CHECK(first == links_of(read_network(seeded, "net").network));
  CHECK(first != links_of(read_network(seeded, "net", FileUse::packets, FlowsFrom::file, {}, 10).network));
}

TEST_CASE("ECMP: over many seeds links are chosen in proportion to their weights") {
  const int seeds = 4000;
  for (const int weight : {1, 3}) {
    Network network = between("\"u\", \"v\"", "");
    for (Link& link : network.links)
      if (network.nodes[link.from].name == "s" && network.nodes[link.to].name == "v") link.weight = weight;
    int by_v = 0;
    for (int seed = 0; seed < seeds; ++seed) {
      const Route route = hashed(network, static_cast<std::uint64_t>(seed));
      by_v += network.nodes[network.links[route.links[1]].to].name == "v" ? 1 : 0;
    }
    const double share = weight / (1.0 + weight);
    // Six standard deviations.
    CHECK(std::abs(by_v - seeds * share) < 6 * std::sqrt(seeds * share * (1 - share)));
  }
}

TEST_CASE("ECMP: parallel links are different paths") {
  Network network = between("\"u\"", ", wires = 2");
  std::map<std::size_t, int> taken;
  for (std::uint64_t seed = 0; seed < 100; ++seed) ++taken[hashed(network, seed).links[1]];
  CHECK(taken.size() == 2);
}

TEST_CASE("ECMP: networks computed as a whole do not have it; it lists one route per pair") {
  // Spread, the pairs would have 8 * 7 * 16 * 1116 routes.
  const std::string file =
      to_toml(LeafSpine{8, 1'116, 4, 1}, FabricTraffic{Rational(1) / 100, RouteRule::ecmp});
  const Fabric fabric = read_fabric(file, "net").fabric;
  CHECK(can_be_listed(FabricGraph(fabric)));
  CHECK_THROWS_WITH(fabric_orbits(FabricGraph(fabric)), Catch::Contains("route is ecmp; it must be spread"));
}
