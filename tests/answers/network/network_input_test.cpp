#include <catch2/catch.hpp>
#include <tailbound/answers/network/network_input.hpp>
#include <tailbound/core/error.hpp>
#include <tailbound/numeric/rational.hpp>

#include <algorithm>
#include <string>

// Network files with their own flows, with flows from a matrix, or uniform traffic; and at other loads.

using namespace tailbound;
using answers::NetworkTopology;
using numeric::Rational;

namespace {

const std::string wires =
    "hosts = [\"a\", \"b\", \"c\"]\nswitches = [\"s\"]\n[[link]]\nfrom = [\"a\", \"b\", \"c\"]\nto = "
    "\"s\"\nboth = "
    "true\n";
const std::string matrix = "from,c\na,0.2\nb,0.3\n";

NetworkTopology read(const std::string& more) {
  return answers::read_network({"folder/net.toml", wires + more},
                               [](const std::string& path, const auto& take) {
                                 CHECK(path == "folder/demand.csv");
                                 take(matrix.substr(0, 5));
                                 take(matrix.substr(5));
                               });
}

}  // namespace

TEST_CASE("Network input: flows of the file, of its matrix, of another matrix", "[answers][network]") {
  const NetworkTopology own = read("[[flow]]\nfrom = \"a\"\nto = \"b\"\nrate = 0.5\n");
  CHECK(own.network.flows.size() == 1);
  CHECK(own.file == "folder/net.toml");
  CHECK(read("[traffic]\nmatrix = \"demand.csv\"\n").network.flows.size() == 2);
  const NetworkTopology other = answers::read_network({"net.toml", wires + "[traffic]\nuniform = 0.5\n"},
                                                      {"other.csv", matrix}, network::RouteRule::shortest);
  CHECK(other.network.flows.size() == 2);
  CHECK(other.matrix == "other.csv");
  CHECK_THROWS_WITH(read(""), Catch::Contains("folder/net.toml:1:1: the network has no flows"));
  CHECK(
      answers::read_uniform_network({"net.toml", wires}, network::RouteRule::shortest).network.flows.size() ==
      6);
  CHECK_THROWS_WITH(
      answers::read_uniform_network({"net.toml", wires + "[[flow]]\nfrom = \"a\"\nto = \"b\"\nrate = 0.5\n"},
                                    network::RouteRule::shortest),
      Catch::Contains("uniform is given together with the flows of net.toml"));
}

TEST_CASE("Network input: other traffic keeps the route of the file unless another is given",
          "[answers][network]") {
  // Two paths from a to b.
  const std::string text =
      "hosts = [\"a\", \"b\"]\nswitches = [\"s\", \"t\", \"u\", \"v\"]\n"
      "link = [{from = \"a\", to = \"s\", both = true}, {from = \"s\", to = [\"u\", \"v\"], both = true}, "
      "{from = [\"u\", \"v\"], to = \"t\", both = true}, {from = \"t\", to = \"b\", both = true}]\n"
      "[traffic]\nuniform = 0.5\n";
  const auto routes = [](const NetworkTopology& topology) { return topology.network.flows[0].routes.size(); };
  CHECK(routes(answers::read_uniform_network({"net.toml", text}, std::nullopt)) == 2);
  CHECK(routes(answers::read_uniform_network({"net.toml", text + "route = \"shortest\"\n"}, std::nullopt)) ==
        1);
  const answers::NamedText spread{"net.toml", text + "route = \"spread\"\n"};
  CHECK(routes(answers::read_uniform_network(spread, std::nullopt)) == 2);
  CHECK(routes(answers::read_uniform_network(spread, network::RouteRule::shortest)) == 1);
  const answers::NamedText demand{"demand.csv", ",a,b\na,0,0.25\nb,0.25,0\n"};
  CHECK(routes(answers::read_network(spread, demand, std::nullopt)) == 2);
  CHECK(routes(answers::read_network(spread, demand, network::RouteRule::shortest)) == 1);
}

TEST_CASE("Network input: networks spread packets by default, messages of wormhole networks take one path",
          "[answers][network]") {
  // Two paths from a to b, in a file of another program: uniform traffic and a matrix.
  const answers::NamedText square{"square.txt", "a s\ns u\ns v\nu t\nv t\nt b\n"};
  const answers::NamedText demand{"demand.csv", "from,to,rate\na,b,0.25\n"};
  const auto rule_of = [](const NetworkTopology& topology) {
    REQUIRE(topology.rules().size() == 1);
    return topology.rules().front();
  };
  const auto routes = [](const NetworkTopology& topology) { return topology.network.flows[0].routes.size(); };
  const NetworkTopology uniform = answers::read_uniform_network(square, std::nullopt);
  CHECK(rule_of(uniform) == network::RouteRule::spread);
  CHECK(routes(answers::read_network(square, demand, std::nullopt)) == 2);
  const NetworkTopology worms = answers::read_network(square, demand, std::nullopt, network::FileUse::worms);
  CHECK(routes(worms) == 1);
  CHECK(rule_of(worms) == network::RouteRule::shortest);
  const NetworkTopology hashed = answers::read_network(square, demand, network::RouteRule::ecmp);
  CHECK(routes(hashed) == 1);
  CHECK(hashed.route_seed == 1);
  CHECK(answers::read_network(square, demand, network::RouteRule::ecmp, network::FileUse::packets, {}, 5)
            .route_seed == 5);
  CHECK_FALSE(uniform.route_seed);
  CHECK_THROWS_WITH(
      answers::read_network(square, demand, std::nullopt, network::FileUse::packets, {}, 5),
      Catch::Contains("route-seed is 5; it must be omitted, or given for a network with routes"));
}

TEST_CASE("Network input: at each load, up to the capacity of the links", "[answers][network]") {
  const NetworkTopology uniform =
      answers::read_uniform_network({"net.toml", wires}, network::RouteRule::shortest);
  const auto networks = answers::at_loads(
      uniform, {.uniform = {Rational(1) / 2, Rational(1) / 5}, .load_scale = {1, Rational(3) / 2}});
  REQUIRE(networks.size() == 4);
  CHECK(networks[1].network.flows[0].rate == Rational(3) / 8);
  CHECK(networks[1].uniform == Rational(1) / 2);
  CHECK(networks[1].load_scale == Rational(3) / 2);
  CHECK(networks[2].network.flows[0].rate == Rational(1) / 10);
  CHECK(answers::at_loads(uniform, {}).front().network.flows[0].rate == Rational(1) / 2);
  const auto rejected = [&](const answers::Loads& loads, const std::string& expected) {
    CHECK_THROWS_WITH(answers::at_loads(uniform, loads), Catch::Contains(expected));
  };
  rejected({.uniform = {0}}, "uniform is 0; it must be above 0");
  rejected({.uniform = {2}}, "below 1, where the link");
  rejected({.uniform = {1}}, "uniform is 1; it must be below 1, where the link s -> ");
  rejected({.uniform = {Rational(1) / 2}, .load_scale = {3}}, "load scale is 3; it must be below 2, where");
  rejected({.load_scale = {-1}}, "load scale is -1; it must be above 0");
  CHECK_NOTHROW(answers::at_loads(uniform, {.uniform = {1}}, answers::Overload::allowed));
}

TEST_CASE("Network input: files of other programs, with uniform traffic or a matrix", "[answers][network]") {
  const answers::NamedText dot{"net.dot",
                               "graph { s -- h1 [speed=25]; s -- h2 [speed=25]; s -- h3 [speed=100] }"};
  const NetworkTopology uniform = answers::read_uniform_network(dot, network::RouteRule::shortest);
  CHECK(uniform.network.flows.size() == 6);
  CHECK(uniform.network.remarks.front() == "read as DOT (Graphviz): 3 hosts, 1 switch, 3 links");
  const NetworkTopology requested =
      answers::read_network(dot, {"m.csv", ",h1,h2\nh3,20G,30G\nh1,,5G\n"}, network::RouteRule::shortest);
  REQUIRE(requested.network.flows.size() == 3);
  CHECK(requested.network.flows[1].rate == Rational(6) / 5);  // of a host of four lanes
  CHECK(answers::read_uniform_network(dot, network::RouteRule::shortest, {"h1"}).network.flows.size() == 2);
  const auto none = [](const std::string&, const auto&) { FAIL("no file is named"); };
  CHECK_THROWS_WITH(answers::read_network(dot, none),
                    Catch::Contains("net.dot:1:1: the file has no traffic"));
  // A unit of speeds without one.
  const auto in_megabits = [&](const answers::NamedText& file) {
    return answers::read_uniform_network(file, std::nullopt, {}, {}, network::SpeedUnit::megabits);
  };
  CHECK(in_megabits(dot).network.gbps == Rational(1) / 40);
  CHECK_THROWS_WITH(in_megabits({"net.toml", "hosts = [\"a\"]\n"}),
                    "speed-unit is Mbit/s; it must be omitted: in a TOML file speeds have units");
  // For wormhole networks, speeds are ignored, of any size.
  CHECK(answers::read_network({"ring", "a b 10000\nb c 10000\nc a 10000\n"}, none, network::FileUse::worms)
            .network.links.size() == 6);
  // For wormhole networks: identical parallel links of a bundle.
  const NetworkTopology worms =
      answers::read_network({"ring", "a b 10\nb c 40\nc a 10\nc a 10\n"}, none, network::FileUse::worms);
  CHECK(worms.network.flows.size() == 6);
  CHECK(worms.network.links.size() == 6);
  CHECK(std::count_if(worms.network.links.begin(), worms.network.links.end(), [](const network::Link& link) {
          return link.rate == network::LinkRate{.packets = 2};
        }) == 2);
}
