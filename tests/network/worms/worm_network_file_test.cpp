#include <catch2/catch.hpp>
#include <tailbound/core/error.hpp>
#include <tailbound/network/channels/cube.hpp>
#include <tailbound/network/channels/dateline_classes.hpp>
#include <tailbound/network/demands/fabrics.hpp>
#include <tailbound/network/files/network_file.hpp>
#include <tailbound/network/walks/worm_walk.hpp>
#include <tailbound/network/worms/worm_network_file.hpp>

#include <fstream>
#include <iterator>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include <tests/support/network_file.hpp>

// Wormhole networks from files: routes, classes and physical channels as written; a mesh and a ring against
// cube_graph(); errors with their location.

namespace {

using namespace tailbound::network;
using tailbound::InvalidArgument;
using tailbound::LimitExceeded;
using tailbound::ParseError;
using tailbound::test::network_file;

Network worm_network(const std::string& toml) {
  return read_network(toml, "net.toml", FileUse::worms).network;
}

/// "a -> s; s -> b" for the route of a message, by the first channels of its stations.
std::string path(const RoutedWormNetwork& worms, std::uint32_t source, std::uint32_t destination,
                 std::uint32_t variant = 0) {
  std::string text;
  WormHead head{.source = source, .destination = destination, .variant = variant};
  for (;; ++head.passed) {
    const std::uint32_t station = worms.next_station(head);
    if (station == WormNetwork::arrived) return text;
    head.channel = worms.layout().stations[station].first;
    text += (text.empty() ? "" : "; ") + worms.channel_name(head.channel);
  }
}

/// hosts a, b, c; switches s, t; a, b - s - t - c. Four lines.
std::string worm_frame(const std::string& trunk_keys = "") {
  return "hosts = [\"a\", \"b\", \"c\"]\nswitches = [\"s\", \"t\"]\n"
         "link = [{from = [\"a\", \"b\"], to = \"s\", both = true}, {from = \"c\", to = \"t\", both = "
         "true},\n"
         "{from = \"s\", to = \"t\", both = true" +
         trunk_keys + "}]\n";
}
std::string with_flows(const std::string& flows, const std::string& trunk_keys = "") {
  return worm_frame(trunk_keys) + "flow = [" + flows + "]\n";
}
const std::string a_to_c = "{from = \"a\", to = \"c\", rate = 0.5";

TEST_CASE("wormhole file: hosts inject by their links, switches by channels of their own") {
  const RoutedWormNetwork worms(
      worm_network(with_flows(a_to_c + "}, {from = \"s\", to = \"t\", rate = 0.25}")));
  CHECK(path(worms, 0, 2) == "a -> s; s -> t; t -> c");
  CHECK(path(worms, 3, 4) == "injection at s; s -> t; ejection at t");
  CHECK(worms.layout().longest_path == 3);
  CHECK_FALSE(worms.layout().shares_wires());
  // Two nodes send: their rates are scaled to a sum of two.
  REQUIRE(worms.traffic().flows.size() == 2);
  CHECK(worms.traffic().flows[0].rate == Approx(4.0 / 3).epsilon(1e-15));
  CHECK(worms.traffic().flows[1].rate == Approx(2.0 / 3).epsilon(1e-15));
}

TEST_CASE("wormhole file: parallel channels, classes and virtual channels of a link") {
  const RoutedWormNetwork worms(worm_network(with_flows(
      a_to_c + ", path = [\"s\", \"t\"], classes = [0, 1, 0]}, {from = \"b\", to = \"c\", rate = 0.1}",
      ", rate = 2, classes = 2, virtual_channels = 3")));
  CHECK(path(worms, 0, 2) == "a -> s; s -> t, wire 0, class 1, virtual channel 0; t -> c");
  CHECK(path(worms, 1, 2) == "b -> s; s -> t, wire 0, class 0, virtual channel 0; t -> c");
  CHECK(worms.layout().shares_wires());
  std::map<std::uint32_t, int> on_wire;
  std::vector<std::uint32_t> counts;
  for (const WormStation& station : worms.layout().stations) {
    if (worms.channel_name(station.first).rfind("s -> t", 0) != 0) continue;
    counts.push_back(station.count);
    for (std::uint32_t i = 0; i < station.count; ++i)
      ++on_wire[worms.layout().channels[station.first + i].wire];
    CHECK(worms.channel_name(station.first + 5).find(", wire 1, ") != std::string::npos);
    CHECK(worms.channel_name(station.first + 5).find(", virtual channel 2") != std::string::npos);
  }
  // Two classes, each of two physical channels with three channels; each physical channel has those of all
  // classes.
  CHECK(counts == std::vector<std::uint32_t>{6, 6});
  REQUIRE(on_wire.size() == 2);
  for (const auto& [wire, channels] : on_wire) CHECK(channels == 6);
}

TEST_CASE("wormhole file: shares of routes become variants") {
  const RoutedWormNetwork worms(worm_network(
      "hosts = [\"a\", \"b\"]\nswitches = [\"s\", \"t\", \"u\"]\n"
      "link = [{from = \"a\", to = [\"s\", \"t\", \"u\"]}, {from = [\"s\", \"t\", \"u\"], to = \"b\"}]\n"
      "flow = [{from = \"a\", to = \"b\", rate = 1, routes = [{share = \"1/6\", path = [\"s\"]}, {share = "
      "0.5, "
      "path = [\"t\"]}, {share = \"1/3\", path = [\"u\"]}]}]"));
  REQUIRE(worms.layout().variants == 6);
  std::map<std::string, int> count;
  for (std::uint32_t variant = 0; variant < 6; ++variant) ++count[path(worms, 0, 1, variant)];
  CHECK(count ==
        std::map<std::string, int>{{"a -> s; s -> b", 1}, {"a -> t; t -> b", 3}, {"a -> u; u -> b", 2}});
  const ChannelGraph graph = walk_graph(worms, worms.traffic());
  double weights = 0;
  for (const Source& source : graph.sources) {
    weights += source.weight;
    const Channel& channel = graph.channels[source.channel];
    const double share = channel.name == "a -> s" ? 1.0 / 6 : channel.name == "a -> t" ? 0.5 : 1.0 / 3;
    CHECK(channel.rate == Approx(share).epsilon(1e-15));
    CHECK(source.weight == Approx(share).epsilon(1e-15));
  }
  CHECK(weights == Approx(1).epsilon(1e-15));
}

/// All rates and flows, by the names of channels; those of `names` under other names.
void check_same(const ChannelGraph& graph, const ChannelGraph& expected,
                const std::map<std::string, std::string>& names) {
  const auto name_in = [&](const ChannelGraph& its, std::size_t channel) {
    const std::string& name = its.channels[channel].name;
    return names.count(name) == 0 ? name : names.at(name);
  };
  const auto flows = [&](const ChannelGraph& its) {
    std::map<std::pair<std::string, std::string>, double> result;
    for (std::size_t i = 0; i < its.channels.size(); ++i) {
      result[{name_in(its, i), ""}] = its.channels[i].rate;
      for (const Turn& turn : its.channels[i].turns)
        result[{name_in(its, i), name_in(its, its.stations[turn.station].channels.front())}] =
            its.channels[i].rate * turn.probability;
    }
    return result;
  };
  const auto mine = flows(graph), theirs = flows(expected);
  CHECK(mine.size() == theirs.size());
  for (const auto& [key, value] : theirs) {
    INFO(key.first << " | " << key.second);
    REQUIRE(mine.count(key) == 1);
    CHECK(mine.at(key) == Approx(value).epsilon(1e-13));
  }
  CHECK(graph.mean_distance == Approx(expected.mean_distance).epsilon(1e-13));
  CHECK(graph.worms_met == Approx(expected.worms_met).margin(1e-13));
}

TEST_CASE("wormhole file: a mesh with dimension-order shortest routes equals cube_graph()") {
  std::string nodes, links_x, links_y;
  const auto label = [](int x, int y) { return "\"(" + std::to_string(x) + "," + std::to_string(y) + ")\""; };
  for (int y = 0; y < 4; ++y)
    for (int x = 0; x < 4; ++x) {
      nodes += label(x, y) + ", ";
      if (x < 3) links_x += "{from = " + label(x, y) + ", to = " + label(x + 1, y) + ", both = true},";
      if (y < 3) links_y += "{from = " + label(x, y) + ", to = " + label(x, y + 1) + ", both = true},";
    }
  // Among equally short routes, the link listed first: x before y.
  const Network network = worm_network("switches = [" + nodes + "]\nlink = [" + links_x + links_y +
                                       "]\n[traffic]\nuniform = true\n");
  CHECK(network.flows.size() == 16 * 15);
  const RoutedWormNetwork worms(network);
  check_same(walk_graph(worms, worms.traffic()), cube_graph({.radix = 4}), {});
}

TEST_CASE("wormhole file: a generated mesh equals cube_graph(), without deadlock") {
  const Network network = read_network(to_toml(Mesh{{4, 4}, 1}, FabricTraffic{1, default_route_of(Mesh{})}),
                                       "mesh", FileUse::worms)
                              .network;
  CHECK_FALSE(can_deadlock(network));
  std::map<std::string, std::string> names;
  const auto label = [](int x, int y) { return "(" + std::to_string(x) + "," + std::to_string(y) + ")"; };
  const auto mine = [](int x, int y) { return "s" + std::to_string(y) + "_" + std::to_string(x); };
  for (int y = 0; y < 4; ++y)
    for (int x = 0; x < 4; ++x) {
      const std::string host = "h" + std::to_string(4 * y + x);
      names[host + " -> " + mine(x, y)] = "injection at " + label(x, y);
      names[mine(x, y) + " -> " + host] = "ejection at " + label(x, y);
      for (const auto& [to_x, to_y] : {std::pair{x + 1, y}, {x - 1, y}, {x, y + 1}, {x, y - 1}})
        names[mine(x, y) + " -> " + mine(to_x, to_y)] = label(x, y) + " -> " + label(to_x, to_y);
    }
  const RoutedWormNetwork worms(network);
  check_same(walk_graph(worms, worms.traffic()), cube_graph({.radix = 4}), names);
}

TEST_CASE("wormhole file: the example ring is the torus of one dimension") {
  const Network ring = worm_network(network_file("worm_ring.toml"));
  const RoutedWormNetwork worms(ring);
  const ChannelGraph torus =
      cube_graph({.links = CubeLinks::unidirectional_torus, .radix = 4, .dimensions = 1});
  std::map<std::string, std::string> names;
  const std::string letters = "abcd", capitals = "ABCD";
  for (std::size_t i = 0; i < 4; ++i) {
    const std::string host(1, letters[i]), node(1, capitals[i]), next(1, capitals[(i + 1) % 4]);
    const std::string here = "(" + std::to_string(i) + ")", there = "(" + std::to_string((i + 1) % 4) + ")";
    names["injection at " + here] = host + " -> " + node;
    names["ejection at " + here] = node + " -> " + host;
    names[here + " -> " + there + ", low"] = node + " -> " + next + ", class 0";
    names[here + " -> " + there + ", high"] = node + " -> " + next + ", class 1";
  }
  check_same(walk_graph(worms, worms.traffic()), torus, names);
  // Written and read back, classes and all.
  CHECK(to_toml(worm_network(to_toml(ring))) == to_toml(ring));
  CHECK(to_toml(ring).find("classes = [0, 1, 1, 0]") != std::string::npos);
}

TEST_CASE("wormhole file: uniform traffic is between hosts, on spread routes if requested") {
  const Network network = worm_network(
      "hosts = [\"a\", \"b\", \"c\"]\nswitches = [\"s\", \"t\"]\n"
      "link = [{from = [\"a\", \"b\", \"c\"], to = [\"s\", \"t\"], both = true, virtual_channels = 2}]\n"
      "[traffic]\nuniform = true\nroute = \"spread\"\n");
  CHECK(network.flows.size() == 6);
  const RoutedWormNetwork worms(network);
  CHECK(worms.layout().variants == 2);
  for (const Channel& channel : walk_graph(worms, worms.traffic()).channels)
    CHECK(channel.rate == Approx(0.25).epsilon(1e-15));
}

TEST_CASE("wormhole file: messages that follow each other do not share a channel") {
  const auto partners = [](const std::string& flows) {
    const RoutedWormNetwork worms(worm_network(
        "hosts = [\"a\", \"b\"]\nswitches = [\"s\", \"t\", \"u\"]\nlink = [{from = [\"a\", "
        "\"b\"], to = \"s\"}, "
        "{from = \"s\", to = \"t\", virtual_channels = 2}, {from = \"t\", to = \"u\"}]\nflow = [" +
        flows + "]\n"));
    return partner_rate(walk_graph(worms, worms.traffic()));
  };
  const auto flow = [](const std::string& from, const std::string& to) {
    return "{from = \"" + from + "\", to = \"" + to + "\", rate = 0.5},";
  };
  CHECK(partners(flow("a", "t")) == Approx(0).margin(1e-14));                   // one after the other
  CHECK(partners(flow("a", "t") + flow("b", "t")) == Approx(0).margin(1e-14));  // both to one ejection
  // A message to t meets those of the other host to u, half of them, and vice versa.
  CHECK(partners(flow("a", "t") + flow("a", "u") + flow("b", "t") + flow("b", "u")) ==
        Approx(0.5).epsilon(1e-14));
}

std::string worm_message(const std::string& toml) {
  try {
    (void)read_network(toml, "net.toml", FileUse::worms);
  } catch (const ParseError& error) {
    return error.what();
  }
  return "no error";
}

TEST_CASE("wormhole file: errors have their location") {
  const auto [toml, expected] = GENERATE(table<std::string, std::string>({
      {with_flows(a_to_c + "}", ", virtual_channels = 0"),
       "net.toml:4:56: the virtual channels of a link must be a whole number from 1 to 16"},
      {with_flows(a_to_c + "}", ", virtual_channels = 17"), "from 1 to 16"},
      {with_flows(a_to_c + "}", ", virtual_channels = 1.5"), "a whole number"},
      {with_flows(a_to_c + "}", ", classes = 0"),
       "the classes of virtual channels of a link must be a whole number from 1 to 16"},
      {with_flows(a_to_c + "}", ", rate = 0"), "the rate of a link must be a whole number from 1 to 32"},
      {with_flows(a_to_c + "}", ", buffer = 2"),
       "its keys are from, to, rate, both, weight, each, pairs, virtual_channels, classes"},
      {with_flows(a_to_c + ", burst = 16}"), "has no key \"burst\""},
      {with_flows(a_to_c + ", classes = [0]}"), "has \"classes\"; its \"path\" must be a list of nodes"},
      {with_flows(a_to_c + ", path = [\"s\", \"t\"], classes = [0, 0]}"),
       "one number for each of its 3 links"},
      {with_flows(a_to_c + ", path = [\"s\", \"t\"], classes = [0, 1, 0]}"),
       "the class on the link \"s -> t\" must be a whole number from 0 to 0"},
      {with_flows(a_to_c + ", path = [\"s\", \"t\"], classes = [0, -1, 0]}", ", classes = 2"), "from 0 to 1"},
      {with_flows(a_to_c + ", path = [\"s\", \"t\"], classes = [0, \"x\", 0]}"), "a whole number"},
      {with_flows(a_to_c + "}, " + a_to_c + ", name = \"again\"}"),
       "net.toml:5:45: a second flow from \"a\" to \"c\"; give one flow with the sum of their rates"},
      {with_flows("{from = \"s\", to = \"s\", rate = 0.5, loops = true, path = [\"s\", \"t\", \"s\"]}"),
       "leads from a node to itself; wormhole networks do not support this"},
      {with_flows("{from = \"a\", to = \"x\", rate = 0.5}"), "the node \"x\" is not among"},
      {with_flows("{from = \"a\", to = \"c\", rate = -0.5}"), "must be above 0"},
      {with_flows("{from = \"a\", to = \"c\"}"), "needs the key \"rate\""},
      {with_flows(a_to_c), "net.toml:"},
      {worm_frame() + "[traffic]\nuniform = true\nmatrix = \"x.csv\"\n", "a matrix and uniform traffic"},
      {worm_frame() + "[traffic]\nuniform = \"much\"\n", "the rate of uniform traffic"},
      {worm_frame() + "[traffic]\nuniform = false\n", "needs the key \"matrix\""},
      {"flow = [" + a_to_c + "}]\n" + worm_frame() + "[traffic]\nuniform = true\n",
       "uniform traffic and flows"},
      {"hosts = [\"a\"]\nswitches = [\"s\", \"t\"]\n[traffic]\nuniform = true\n", "two nodes or more"},
      {"switches = [\"s\", \"t\"]\n[traffic]\nuniform = true\n",
       "net.toml:3:11: no route leads from \"s\" to \"t\""},
      {worm_frame(), "the network has no flows"},
  }));
  INFO(toml);
  CHECK_THAT(worm_message(toml), Catch::Contains(expected));
}

TEST_CASE("wormhole file: wormhole keys are rejected in packet networks") {
  const auto rejected = [](const std::string& toml) {
    CHECK_THROWS_AS(read_network(toml, "net.toml"), ParseError);
  };
  rejected(with_flows(a_to_c + "}", ", virtual_channels = 2"));
  rejected(with_flows(a_to_c + ", path = [\"s\", \"t\"], classes = [0, 0, 0]}"));
  rejected(worm_frame() + "[traffic]\nuniform = true\n");
  CHECK_NOTHROW(read_network(network_file("two_switches.toml"), "net.toml", FileUse::worms));
}

TEST_CASE("wormhole file: invalid networks are rejected") {
  const Network good = worm_network(with_flows(a_to_c + "}"));
  const auto reject = [&](auto&& spoil) {
    Network network = good;
    spoil(network);
    CHECK_THROWS_AS(RoutedWormNetwork(network), InvalidArgument);
  };
  reject([](Network& network) { network.flows.clear(); });
  reject([](Network& network) { network.links[0].virtual_channels = 17; });
  reject([](Network& network) { network.links[0].classes = 0; });
  reject([](Network& network) { network.flows[0].routes[0].classes = {0}; });
  reject([](Network& network) { network.flows[0].routes[0].classes = {0, 1, 0}; });
  reject([](Network& network) { network.flows[0].burst = tailbound::traffic::Burst{.slots = 16}; });
  reject([](Network& network) {
    network.flows.push_back(network.flows[0]);
    network.flows[1].name = "again";
  });
  Network many = good;
  many.flows[0].routes.push_back(many.flows[0].routes[0]);
  many.flows[0].routes[0].share = tailbound::numeric::Rational(1) / 10'007;
  many.flows[0].routes[1].share = 1 - many.flows[0].routes[0].share;
  CHECK_THROWS_AS(RoutedWormNetwork(many), LimitExceeded);
}

}  // namespace
