#include <catch2/catch.hpp>
#include <tailbound/core/error.hpp>
#include <tailbound/network/demands/uniform_traffic.hpp>
#include <tailbound/network/files/network_file.hpp>
#include <tailbound/network/queue_traffic.hpp>
#include <tailbound/numeric/rational.hpp>

#include <algorithm>
#include <functional>
#include <random>
#include <string>
#include <vector>

// Uniform traffic, against counts by hand and an independent search.

using namespace tailbound;
using namespace tailbound::network;
using numeric::Rational;

namespace {

/// Nodes and links without flows.
Network bare(const std::string& toml) {
  return read_network(toml, "net.toml", FileUse::packets, FlowsFrom::elsewhere).network;
}

Network star(int hosts) {
  Network network{.name = "star", .nodes = {}, .links = {}, .flows = {}};
  for (int i = 0; i < hosts; ++i) network.nodes.push_back({"h" + std::to_string(i), true});
  network.nodes.push_back({"s", false});
  const std::size_t centre = network.nodes.size() - 1;
  for (std::size_t host = 0; host < centre; ++host) {
    network.links.push_back({.from = host, .to = centre});
    network.links.push_back({.from = centre, .to = host});
  }
  return network;
}

/// Hosts and switches with random links.
Network random_network(std::mt19937_64& random, std::size_t hosts, std::size_t switches) {
  Network network;
  for (std::size_t i = 0; i < hosts; ++i) network.nodes.push_back({"h" + std::to_string(i), true});
  for (std::size_t i = 0; i < switches; ++i) network.nodes.push_back({"s" + std::to_string(i), false});
  for (std::size_t from = 0; from < network.nodes.size(); ++from)
    for (std::size_t to = 0; to < network.nodes.size(); ++to)
      if (from != to && random() % 5 == 0) network.links.push_back({.from = from, .to = to});
  return network;
}

/// Is there a route from one node to another? Depth first; hosts do not forward.
bool reaches(const Network& network, std::size_t from, std::size_t to) {
  std::vector<bool> met(network.nodes.size(), false);
  const std::function<bool(std::size_t)> search = [&](std::size_t node) {
    if (node == to) return true;
    if (met[node] || (node != from && network.nodes[node].host)) return false;
    met[node] = true;
    return std::any_of(network.links.begin(), network.links.end(),
                       [&](const Link& link) { return link.from == node && search(link.to); });
  };
  return search(from);
}

}  // namespace

TEST_CASE("uniform traffic: around one switch each queue has all other hosts as sources", "[network]") {
  for (const int hosts : {2, 3, 9}) {
    Network network = star(hosts);
    add_uniform_traffic(network, Rational(9) / 10);
    CHECK(network.flows.size() == static_cast<std::size_t>(hosts * (hosts - 1)));
    CHECK_NOTHROW(require_valid(network));
    CHECK(network.flows.front().name == "h0 -> h1");
    for (const QueueTraffic& traffic : queue_traffic(network, Sources::independent_sources)) {
      CHECK(traffic.load == Rational(9) / 10);
      if (traffic.name.rfind("s -> ", 0) != 0) continue;
      REQUIRE(traffic.sources.size() == 1);
      CHECK(traffic.sources[0].count == hosts - 1);
      CHECK(traffic.sources[0].rate == Rational(9) / 10 / (hosts - 1));
    }
  }
}

TEST_CASE("uniform traffic: every end sends to all reachable ends only", "[network]") {
  std::mt19937_64 random(20260301);
  const Rational rate = Rational(3) / 7;
  int unreached = 0;
  for (int trial = 0; trial < 60; ++trial) {
    Network network = random_network(random, trial % 3 == 0 ? 0 : 5, 6);
    const RouteRule rule = trial % 2 == 0 ? RouteRule::shortest : RouteRule::spread;
    const std::vector<std::size_t> ends = ends_of(network);
    CHECK(ends.size() == (trial % 3 == 0 ? 6 : 5));
    try {
      add_uniform_traffic(network, rate, rule);
    } catch (const InvalidArgument&) {
      for (const std::size_t a : ends)
        for (const std::size_t b : ends) CHECK((a == b || !reaches(network, a, b)));
      continue;
    }
    REQUIRE_NOTHROW(require_valid(network));
    for (const std::size_t a : ends) {
      Rational sent = 0;
      int destinations = 0;
      for (const std::size_t b : ends) {
        const auto flow = std::find_if(network.flows.begin(), network.flows.end(), [&](const Flow& its) {
          return its.source == a && its.destination == b;
        });
        CHECK((flow != network.flows.end()) == (a != b && reaches(network, a, b)));
        if (flow == network.flows.end()) {
          unreached += a != b ? 1 : 0;
          continue;
        }
        CHECK(flow->name == network.nodes[a].name + " -> " + network.nodes[b].name);
        sent = sent + flow->rate;
        ++destinations;
      }
      CHECK(sent == (destinations > 0 ? rate : Rational(0)));
      for (const Flow& flow : network.flows)
        if (flow.source == a) CHECK(flow.rate == rate / destinations);
    }
  }
  CHECK(unreached > 20);  // that case occurred
}

TEST_CASE("uniform traffic: invalid parameters are rejected", "[network]") {
  const auto rejected = [](Network network, const Rational& rate) {
    CHECK_THROWS_AS(add_uniform_traffic(network, rate), InvalidArgument);
    CHECK(network.flows.size() <= 1);
  };
  rejected(star(4), 0);
  rejected(star(4), Rational(-1) / 2);
  rejected(star(4), Rational(11) / 10);
  rejected(star(1), Rational(1) / 2);
  rejected(star(1001), Rational(1) / 2);
  rejected({.name = "", .nodes = {{"a", true}, {"b", true}}, .links = {}, .flows = {}}, 1);
  Network own = star(3);
  own.flows.push_back({.name = "x", .source = 0, .destination = 1, .rate = 1, .routes = {{{0, 3}}}});
  rejected(own, Rational(1) / 2);
  Network maximum = star(4);
  CHECK_NOTHROW(add_uniform_traffic(maximum, 1));
}

TEST_CASE("uniform traffic: in a file", "[network]") {
  const std::string nodes =
      "hosts = [\"a\", \"b\", \"c\"]\nswitches = [\"s\"]\n[[link]]\nfrom = [\"a\", \"b\", \"c\"]\nto = "
      "\"s\"\nboth "
      "= true\n";
  const Network network = read_network(nodes + "[traffic]\nuniform = 0.3\n", "net.toml").network;
  Network expected = bare(nodes);
  add_uniform_traffic(expected, Rational(3) / 10);
  CHECK(to_toml(network) == to_toml(expected));
  CHECK(read_network(nodes + "[traffic]\nuniform = \"1/3\"\nroute = \"spread\"\n", "net.toml")
            .network.flows[0]
            .rate == Rational(1) / 6);
  // Traffic added by the caller replaces [traffic].
  const NetworkFile replaced =
      read_network(nodes + "[traffic]\nuniform = 0.3\n", "net.toml", FileUse::packets, FlowsFrom::elsewhere);
  CHECK(replaced.network.flows.empty());

  const auto message = [&](const std::string& more) -> std::string {
    try {
      (void)read_network(nodes + more, "net.toml");
    } catch (const ParseError& error) {
      return error.what();
    }
    return "no error";
  };
  CHECK_THAT(message("[traffic]\nuniform = true\n"),
             Catch::StartsWith("net.toml:8:11: the rate of uniform traffic must be a number"));
  CHECK_THAT(message("[traffic]\nuniform = 0\n"),
             Catch::Contains("net.toml:8:11: ") && Catch::Contains("above 0"));
  CHECK_THAT(message("[traffic]\nuniform = 1.5\n"), Catch::Contains("at most 1"));
  CHECK_THAT(message("[traffic]\nuniform = 0.5\nmatrix = \"x.csv\"\n"),
             Catch::Contains("net.toml:9:10: [traffic] has a matrix and uniform traffic"));
  CHECK_THAT(message("[[flow]]\nfrom = \"a\"\nto = \"b\"\nrate = 0.1\n[traffic]\nuniform = 0.5\n"),
             Catch::Contains("uniform traffic and flows"));
  CHECK_THAT(message(""), Catch::Contains("the network has no flows"));
}
