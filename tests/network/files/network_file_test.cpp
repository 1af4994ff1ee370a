#include <tailbound/core/error.hpp>
#include <tailbound/network/files/network_file.hpp>
#include <tailbound/network/queue_traffic.hpp>
#include <tailbound/network/tree.hpp>

#include <catch2/catch.hpp>

#include <algorithm>
#include <ctime>
#include <fstream>
#include <functional>
#include <iterator>
#include <limits>
#include <map>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include <tests/support/network_file.hpp>

using namespace tailbound;
using namespace tailbound::network;
using numeric::Rational;
using numeric::to_fraction;
using test::network_file;

namespace {

/// "1/4 x2, 1/2 x1" for the sources of the link of that name.
std::string sources_of(const Network& network, const std::string& link, Sources sources) {
  for (const QueueTraffic& traffic : queue_traffic(network, sources)) {
    if (traffic.name != link) continue;
    std::string text;
    for (const SourceRate& source : traffic.sources)
      text += (text.empty() ? "" : ", ") + to_fraction(source.rate) + " x" + std::to_string(source.count);
    return text;
  }
  return "no such link";
}

/// The path of each route: "a left right b".
std::vector<std::string> routes_of_flow(const Network& network, const Flow& flow) {
  std::vector<std::string> result;
  for (const Route& route : flow.routes) {
    std::string stations = network.nodes[flow.source].name;
    for (const std::size_t link : route.links) stations += " " + network.nodes[network.links[link].to].name;
    result.push_back(to_fraction(route.share) + ": " + stations);
  }
  return result;
}

std::string message(const std::string& toml) {
  try {
    (void)read_network(toml, "net.toml");
  } catch (const ParseError& error) {
    return error.what();
  } catch (const LimitExceeded& error) {
    return std::string("limit: ") + error.what();
  }
  return "no error";
}

/// Are the networks equal, including names and order?
void check_equal(const Network& a, const Network& b) {
  CHECK(a.name == b.name);
  REQUIRE(a.nodes.size() == b.nodes.size());
  for (std::size_t i = 0; i < a.nodes.size(); ++i) {
    REQUIRE(a.nodes[i].name == b.nodes[i].name);
    REQUIRE(a.nodes[i].host == b.nodes[i].host);
  }
  REQUIRE(a.links.size() == b.links.size());
  for (std::size_t i = 0; i < a.links.size(); ++i) {
    REQUIRE(a.links[i].from == b.links[i].from);
    REQUIRE(a.links[i].to == b.links[i].to);
    REQUIRE(a.links[i].rate == b.links[i].rate);
  }
  REQUIRE(a.flows.size() == b.flows.size());
  for (std::size_t i = 0; i < a.flows.size(); ++i) {
    REQUIRE(a.flows[i].name == b.flows[i].name);
    REQUIRE(a.flows[i].source == b.flows[i].source);
    REQUIRE(a.flows[i].destination == b.flows[i].destination);
    REQUIRE(a.flows[i].rate == b.flows[i].rate);
    REQUIRE(a.flows[i].burst == b.flows[i].burst);
    REQUIRE(a.flows[i].routes.size() == b.flows[i].routes.size());
    for (std::size_t j = 0; j < a.flows[i].routes.size(); ++j) {
      REQUIRE(a.flows[i].routes[j].links == b.flows[i].routes[j].links);
      REQUIRE(a.flows[i].routes[j].share == b.flows[i].routes[j].share);
    }
  }
}

/// Nodes and links for the files below, six lines: a, b - s - t - c; also u next to s and t; d alone.
const std::string frame =
    "hosts = [\"a\", \"b\", \"c\", \"d\"]\n"
    "switches = [\"s\", \"t\", \"u\"]\n"
    "link = [{from = [\"a\", \"b\"], to = \"s\", both = true},\n"
    "  {from = \"s\", to = [\"t\", \"u\"], both = true}, {from = \"u\", to = \"t\"},\n"
    "  {from = \"t\", to = \"c\", rate = 3}, {from = \"c\", to = \"t\"}, {from = \"d\", to = \"t\"}, "
    "{from = \"d\", to = \"s\"}]\n"
    "\n";

/// One flow from a to c after the frame; `keys` begins at line 7, column 32.
std::string with_flow(const std::string& keys) {
  return frame + "flow = [{from = \"a\", to = \"c\", " + keys + "}]\n";
}

Network network_of(const std::string& toml) {
  return read_network(toml, "net.toml").network;
}

std::string matrix_message(const std::string& csv) {
  Network network = network_of(with_flow("rate = 0.5"));
  const Network before = network;
  try {
    add_traffic_matrix(network, csv, "demand.csv");
  } catch (const ParseError& error) {
    check_equal(network, before);
    return error.what();
  }
  return "no error";
}

/// A connected network of switches with random links and rates.
std::string random_file(std::mt19937_64& random, int switches, int flows) {
  const auto below = [&](int n) { return static_cast<int>(random() % static_cast<unsigned>(n)); };
  const auto label = [](int i) { return "\"n" + std::to_string(i) + "\""; };
  std::string text = "switches = [";
  for (int i = 0; i < switches; ++i) text += label(i) + ", ";
  text += "]\nlink = [\n";
  std::map<std::pair<int, int>, int> taken;
  for (int i = 0; i < 3 * switches; ++i) {
    const int from = i < switches ? i : below(switches);
    const int to = i < switches ? (i + 1) % switches : below(switches);
    if (from == to || taken.count({from, to}) != 0) continue;
    taken[{from, to}] = 1 + below(3);
    text += "{from = " + label(from) + ", to = " + label(to) +
            ", rate = " + std::to_string(taken[{from, to}]) + "},\n";
  }
  text += "]\nflow = [\n";
  for (int i = 0; i < flows; ++i) {
    const int from = below(switches), to = (from + 1 + below(switches - 1)) % switches;
    text += "{name = \"flow" + std::to_string(i) + "\", from = " + label(from) + ", to = " + label(to) +
            ", rate = \"" + std::to_string(1 + below(9)) + "/" + std::to_string(10 * flows + below(3)) +
            "\", path = \"" + (below(2) == 0 ? "shortest" : "spread") + "\"},\n";
  }
  return text + "]\n";
}

/// Processor time, minimum of three runs, in ticks.
double cost_of(const std::function<void()>& work) {
  double minimum = std::numeric_limits<double>::infinity();
  for (int run = 0; run < 3; ++run) {
    const std::clock_t begin = std::clock();
    work();
    minimum = std::min(minimum, static_cast<double>(std::clock() - begin));
  }
  return minimum;
}

/// A torus of 16 x 16 switches, 1 024 links, and flows between random switches.
std::string torus_file(int flows) {
  std::string text = "switches = [";
  const auto label = [](int x, int y) {
    return "\"n" + std::to_string(x % 16) + "." + std::to_string(y % 16) + "\"";
  };
  for (int i = 0; i < 256; ++i) text += label(i / 16, i) + ",";
  text += "]\nlink = [\n";
  for (int i = 0; i < 256; ++i)
    text += "{from=" + label(i / 16, i) + ",to=[" + label(i / 16 + 1, i) + "," + label(i / 16, i + 1) +
            "],both=true},\n";
  text += "]\nflow = [\n";
  std::mt19937_64 random(7);
  for (int i = 0; i < flows; ++i) {
    const int from = i % 256, to = (from + 1 + static_cast<int>(random() % 255)) % 256;
    text += "{name=\"f" + std::to_string(i) + "\",from=" + label(from / 16, from) +
            ",to=" + label(to / 16, to) + ",path=\"shortest\",rate=0.000" +
            std::to_string(1000 + random() % 9000) + "},\n";
  }
  return text + "]\n";
}

}  // namespace

TEST_CASE("the example network has the rates computed by hand", "[network][network_file]") {
  const NetworkFile read = read_network(network_file("two_switches.toml"), "two_switches.toml");
  CHECK(!read.matrix);
  const Network& network = read.network;
  CHECK(network.name == "two switches");
  CHECK(network.nodes.size() == 6);
  CHECK(network.links.size() == 10);
  CHECK(network.flows.size() == 5);
  CHECK(network.flows[0].name == "camera -> archive");

  // The trunk to the right: the camera sends 3/5 over it, the desk 1/3 + 1/4 = 7/12.
  CHECK(sources_of(network, "left -> right", Sources::independent_sources) == "7/12 x1, 3/5 x1");
  CHECK(sources_of(network, "left -> right", Sources::first_hop) == "7/12 x1, 3/5 x1");
  CHECK(sources_of(network, "right -> left", Sources::independent_sources) == "1/2 x1");
  // To the archive: 3/5 of the camera, 1/4 of the desk; by the trunk of two packets, 17/20 in two halves.
  CHECK(sources_of(network, "right -> archive", Sources::independent_sources) == "1/4 x1, 3/5 x1");
  CHECK(sources_of(network, "right -> archive", Sources::first_hop) == "17/40 x2");
  CHECK(sources_of(network, "right -> printer", Sources::independent_sources) == "1/3 x1");
  CHECK(sources_of(network, "right -> printer", Sources::first_hop) == "1/6 x2");
  CHECK(sources_of(network, "left -> desk", Sources::independent_sources) == "1/4 x1, 1/2 x1");
  CHECK(sources_of(network, "left -> desk", Sources::first_hop) == "1/4 x1, 1/2 x1");
  CHECK(sources_of(network, "left -> camera", Sources::independent_sources).empty());
  CHECK(sources_of(network, "camera -> left", Sources::independent_sources) == "17/20 x1");

  for (const QueueTraffic& traffic : queue_traffic(network, Sources::independent_sources)) {
    if (traffic.name != "left -> right") continue;
    CHECK(to_fraction(traffic.load) == "71/60");
    CHECK(traffic.rate.packets == 2);
  }
}

TEST_CASE("a traffic matrix equals its flows", "[network][network_file]") {
  NetworkFile by_matrix = read_network(network_file("two_switches_by_matrix.toml"), "net.toml");
  REQUIRE(by_matrix.matrix);
  CHECK(by_matrix.matrix->route == RouteRule::shortest);
  add_traffic_matrix(by_matrix.network, network_file(by_matrix.matrix->file), by_matrix.matrix->file,
                     by_matrix.matrix->route);
  CHECK(by_matrix.network.flows.size() == 5);
  const Network by_flows = network_of(network_file("two_switches.toml"));
  for (const Sources sources : {Sources::independent_sources, Sources::first_hop}) {
    const auto one = queue_traffic(by_matrix.network, sources), other = queue_traffic(by_flows, sources);
    REQUIRE(one.size() == other.size());
    for (std::size_t i = 0; i < one.size(); ++i) {
      CHECK(one[i].name == other[i].name);
      CHECK(one[i].sources == other[i].sources);
    }
  }
}

TEST_CASE("the example in docs/networks.md behaves as described there", "[network][network_file]") {
  const std::string page = network_file("../../docs/networks.md");
  const std::size_t begin = page.find("```toml\n") + 8;
  std::string example = page.substr(begin, page.find("```", begin) - begin);
  CHECK(sources_of(network_of(example), "s -> b", Sources::independent_sources) == "3/10 x1");
  const auto with = [&](const std::string& old, const std::string& changed) {
    std::string text = example;
    text.replace(text.find(old), old.size(), changed);
    return message(text);
  };
  for (const std::string& error : {with("rate = 0.3", "rate = 1.2"), with("both = true", "both = false")}) {
    CAPTURE(error);
    CHECK(page.find("    " + error + "\n") != std::string::npos);
  }
}

TEST_CASE("numbers are read exactly as written", "[network][network_file]") {
  const auto rate = [](const std::string& text) {
    return to_fraction(network_of(with_flow("rate = " + text)).flows[0].rate);
  };
  CHECK(rate("0.3") == "3/10");
  CHECK(rate("0.1000000000000000000000000000000001") ==
        "1000000000000000000000000000000001/10000000000000000000000000000000000");
  CHECK(rate("1e-3") == "1/1000");
  CHECK(rate("1") == "1");
  CHECK(rate("+0.2_5") == "1/4");
}

TEST_CASE("locations count characters, not bytes", "[network][network_file]") {
  const auto text = [](const std::string& byte_order_mark) {
    return byte_order_mark +
           "hosts = [\"zürich\", \"東京\"]\r\nswitches = [\"s\"]\r\n"
           "link = [{from = [\"zürich\", \"東京\"], to = \"s\", both = true}]\r\n"
           "flow = [{from = \"zürich\", to = \"東京\", rate = 0.3}, {rate = 0.7, to = \"zürich\",from = "
           "\"東京\"},\r\n"
           "  {name = \"é\", rate = 0.25, from = \"東京\", to = \"zürich\"}]\r\n";
  };
  for (const char* mark : {"", "\xEF\xBB\xBF"}) {
    const Network network = network_of(text(mark));
    REQUIRE(network.flows.size() == 3);
    CHECK(to_fraction(network.flows[0].rate) == "3/10");
    CHECK(to_fraction(network.flows[1].rate) == "7/10");
    CHECK(to_fraction(network.flows[2].rate) == "1/4");
  }
}

TEST_CASE("numbers before already read ones are found", "[network][network_file]") {
  // The rate is read first, then the shares to its left.
  const Network network = network_of(
      frame +
      "flow = [{name = \"é\", routes = [{share = 0.25, path = [\"s\", \"t\"]}, {share = 0.75, path = "
      "[\"s\",\"u\",\"t\"]}], to = \"c\", from = \"a\", rate = 0.5}]");
  CHECK(to_fraction(network.flows[0].rate) == "1/2");
  CHECK(routes_of_flow(network, network.flows[0]) ==
        std::vector<std::string>{"1/4: a s t c", "3/4: a s u t c"});
}

TEST_CASE("routes: shortest, spread, listed", "[network][network_file]") {
  const auto routes = [](const std::string& keys) {
    const Network network = network_of(with_flow("rate = 0.5" + keys));
    return routes_of_flow(network, network.flows[0]);
  };
  using Paths = std::vector<std::string>;
  CHECK(routes("") == Paths{"1: a s t c"});
  CHECK(routes(", path = \"shortest\"") == Paths{"1: a s t c"});
  CHECK(routes(", path = \"spread\"") == Paths{"1: a s t c"});
  for (const char* path : {"\"s\", \"u\", \"t\"", "\"a\", \"s\", \"u\", \"t\"", "\"s\", \"u\", \"t\", \"c\"",
                           "\"a\", \"s\", \"u\", \"t\", \"c\""})
    CHECK(routes(", path = [" + std::string(path) + "]") == Paths{"1: a s u t c"});
  CHECK(routes(", routes = [{share = 0.25, path = [\"s\", \"t\"]}, {share = \"3/4\", path = "
               "[\"s\",\"u\",\"t\"]}]") == Paths{"1/4: a s t c", "3/4: a s u t c"});
  CHECK(routes(", loops = true, path = [\"s\", \"u\", \"s\", \"t\"]") == Paths{"1: a s u s t c"});

  // Hosts do not forward: the route from u to b by the host h is as short as the one by s.
  const std::string bypass =
      "hosts = [\"h\"]\nswitches = [\"u\", \"s\", \"v\", \"b\"]\n"
      "link = [{from=\"u\", to=[\"h\",\"v\",\"s\"]}, {from=[\"h\",\"s\",\"v\"], to=\"b\"}]\n";
  for (const char* given : {"", ", path=\"shortest\""}) {
    const Network shortest =
        network_of(bypass + "flow = [{from=\"u\", to=\"b\", rate=1" + std::string(given) + "}]");
    CHECK(routes_of_flow(shortest, shortest.flows[0]) == Paths{"1: u v b"});
    CHECK(rules_of(shortest) == std::vector<std::optional<RouteRule>>{RouteRule::shortest});
  }
  const Network spread = network_of(bypass + "flow = [{from=\"u\", to=\"b\", rate=1, path=\"spread\"}]");
  CHECK(routes_of_flow(spread, spread.flows[0]) == Paths{"1/2: u v b", "1/2: u s b"});
  CHECK(rules_of(spread) == std::vector<std::optional<RouteRule>>{RouteRule::spread});
  // A message of a wormhole network, a flow with a guarantee: one route.
  const Network worms =
      read_network(bypass + "flow = [{from=\"u\", to=\"b\", rate=1}]", "net", FileUse::worms).network;
  CHECK(routes_of_flow(worms, worms.flows[0]) == Paths{"1: u v b"});

  const std::string only_by_host =
      "hosts = [\"h\"]\nswitches = [\"u\", \"b\", \"x\", \"y\"]\n"
      "link = [{from=\"u\", to=\"h\"}, {from=\"h\", to=\"b\"}, {from=\"u\", to=\"x\"}, {from=\"x\", "
      "to=\"y\"}";
  const std::string flow = "]\nflow = [{from=\"u\", to=\"b\", rate=1}]";
  CHECK_THAT(message(only_by_host + flow), Catch::Contains("4:9: no route leads from \"u\" to \"b\""));
  const Network around = network_of(only_by_host + ", {from=\"y\", to=\"b\"}" + flow);
  CHECK(routes_of_flow(around, around.flows[0]) == Paths{"1: u x y b"});

  // Equally at each node, not over the routes: 1/2 by s, then 1/2 each; 1/2 by v.
  const Network uneven = network_of(
      "switches = [\"a\",\"s\",\"v\",\"x\",\"y\",\"z\",\"b\"]\n"
      "link = [{from=\"a\",to=[\"s\",\"v\"]},{from=\"s\",to=[\"x\",\"y\"]},{from=\"v\",to=\"z\"},"
      "{from=[\"x\",\"y\",\"z\"],to=\"b\"}]\nflow = [{from=\"a\",to=\"b\",rate=1,path=\"spread\"}]");
  CHECK(routes_of_flow(uneven, uneven.flows[0]) == Paths{"1/4: a s x b", "1/4: a s y b", "1/2: a v z b"});
}

TEST_CASE("spreading over all shortest routes is a tree's routing", "[network][network_file]") {
  for (const auto& tree : {Tree{.radix = 2, .levels = 3}, Tree{.radix = 3, .levels = 2}}) {
    const Network expected = tree_network(tree, Rational(9) / 10, TreeRouting::nearest_ancestor);
    std::vector<RouteRequest> requests;
    for (const Flow& flow : expected.flows)
      if (flow.source != flow.destination)
        requests.push_back({flow.source, flow.destination, RouteRule::spread});
    const auto routes = find_routes(expected, requests);
    std::size_t next = 0;
    for (const Flow& flow : expected.flows) {
      if (flow.source == flow.destination) continue;
      std::map<std::vector<std::size_t>, std::string> one, other;
      for (const Route& route : flow.routes) one[route.links] = to_fraction(route.share);
      for (const Route& route : routes[next++]) other[route.links] = to_fraction(route.share);
      REQUIRE(one == other);
    }
  }
}

TEST_CASE("a network is written and read back unchanged", "[network][network_file]") {
  check_equal(network_of(to_toml(network_of(network_file("two_switches.toml")))),
              network_of(network_file("two_switches.toml")));
  for (const TreeRouting routing : {TreeRouting::random_root, TreeRouting::nearest_ancestor}) {
    const Network tree = tree_network({.radix = 2, .levels = 3}, Rational(7) / 9, routing);
    check_equal(network_of(to_toml(tree)), tree);
  }
  Network odd = network_of(with_flow("rate = 0.5"));
  odd.nodes[0].name = "quote \" backslash \\ tab \xC3\xA9";
  odd.name = "'#[]{}=,";
  odd.flows[0].name = "a.b.c.d.e.f.g.h.i.j.k";
  check_equal(network_of(to_toml(odd)), odd);
  std::mt19937_64 random(11);
  for (int round = 0; round < 30; ++round) {
    const Network network = network_of(random_file(random, 3 + round % 10, 1 + round));
    check_equal(network_of(to_toml(network)), network);
  }
}

TEST_CASE("switches with shared memory are all, ranges or a list", "[network][network_file]") {
  const auto sharing = [](const std::string& value) {
    const Network network =
        read_network("hosts = \"h[0..3]\"\nswitches = \"s[0..3], t\"\nshared_memory = " + value +
                         "\n[[link]]\nfrom = [\"h0\", \"s0\"]\nto = \"t\"\n[[flow]]\nfrom = "
                         "\"h0\"\nto = \"t\"\nrate = 0.5\n",
                     "net.toml")
            .network;
    const Network again = read_network(to_toml(network), "again").network;
    std::string names;
    for (std::size_t i = 0; i < network.nodes.size(); ++i) {
      CHECK(again.nodes[i].shared_memory == network.nodes[i].shared_memory);
      if (network.nodes[i].shared_memory) names += network.nodes[i].name + " ";
    }
    return names;
  };
  CHECK(sharing("true") == "s0 s1 s2 s3 t ");
  CHECK(sharing("false").empty());
  CHECK(sharing("\"s[1..2], t\"") == "s1 s2 t ");
  CHECK(sharing("[\"s3\"]") == "s3 ");
  CHECK_THROWS_WITH(sharing("\"h0\""),
                    Catch::Contains("net.toml:3:17: \"h0\" is a host; only switches have a shared memory"));
  CHECK_THROWS_WITH(sharing("[\"s0\", \"u\"]"),
                    Catch::Contains("net.toml:3:24: the node \"u\" is not among"));
  CHECK_THROWS_WITH(sharing("\"s[0..9]\""), Catch::Contains("net.toml:3:17"));
  CHECK_THROWS_WITH(sharing("7"), Catch::Contains("\"shared_memory\" must be true, a string such as"));
}

TEST_CASE("flows with bursts are read, written, and rejected with their location",
          "[network][network_file]") {
  const Network network = network_of(with_flow("rate = 0.3, burst = \"33/2\", on_rate = 0.75"));
  CHECK(network.flows[0].burst == traffic::Burst{Rational(33) / 2, Rational(3) / 4});
  CHECK(network_of(with_flow("rate = 0.3, burst = 16")).flows[0].burst == traffic::Burst{16});
  check_equal(network_of(to_toml(network)), network);
  check_equal(network_of(to_toml(network_of(with_flow("rate = 0.3, burst = 16.5")))),
              network_of(with_flow("rate = 0.3, burst = 16.5")));
  const auto rejected = [](const std::string& keys, const std::string& expected) {
    CAPTURE(keys);
    const std::string text = message(with_flow(keys));
    CHECK_THAT(text, Catch::StartsWith("net.toml:7:"));
    CHECK_THAT(text, Catch::Contains("the flow \"") && Catch::Contains(expected));
  };
  rejected("rate = 0.9, burst = 4", "at least 9 slots");
  rejected("rate = 0.9, burst = 0.5", "from 1 to 10^9 slots");
  rejected("rate = 0.9, burst = 1e10", "from 1 to 10^9 slots");
  rejected("rate = 0.9, burst = 0", "from 1 to 10^9 slots");
  rejected("rate = 0.9, burst = \"x\"", "must be a number");
  rejected("rate = 0.9, burst = true", "must be a number");
  rejected("rate = 0.5, burst = 20, on_rate = 0.5", "below its on-rate of 1/2");
  rejected("rate = 0.5, burst = 20, on_rate = 1.5", "above 0 and at most 1");
  rejected("rate = 0.5, on_rate = 1", "has \"on_rate\" but no \"burst\"; give both");

  // Rates of flows with bursts do not add up with those of other flows, nor with each other.
  Network busy = network_of(with_flow("rate = 0.9, burst = 20"));
  busy.flows.push_back(busy.flows[0]);
  busy.flows.push_back(busy.flows[0]);
  busy.flows[2].burst.reset();
  busy.flows[2].name = "plain";
  CHECK_NOTHROW(require_valid(busy));
  busy.flows[1].burst = traffic::Burst{2};
  CHECK_THROWS_WITH(require_valid(busy),
                    Catch::Contains(busy.flows[1].name) && Catch::Contains("at least 9"));
}

TEST_CASE("an invalid network file is rejected with its location", "[network][network_file]") {
  const auto rejected = [](const std::string& toml, const std::string& expected) {
    CAPTURE(toml);
    CHECK_THAT(message(toml), Catch::StartsWith("net.toml:" + expected));
  };
  const auto flow_rejected = [&](const std::string& keys, const std::string& expected) {
    rejected(with_flow(keys), "7:" + expected);
  };
  rejected("", "1:1: the file is empty");
  rejected("# nothing\n", "1:1: the file is empty");
  rejected("name = \"x\"", "1:1: the network has no nodes");
  rejected(frame, "1:1: the network has no flows");
  rejected("a = \xFF", "1:5: the text is not valid UTF-8");
  rejected("a = 1\nb = \"\xC3\xA9\xED\xA0\x80\"", "2:7: the text is not valid UTF-8");
  rejected(
      "hosts = [\"a\"]\nlinks = []\n",
      "2:1: a network file has no key \"links\"; its keys are name, hosts, switches, link, flow, traffic");
  rejected("hosts = [zürich]", "1:11: non-ASCII characters must be inside double quotes");
  rejected("é = 1", "1:1: non-ASCII characters must be inside double quotes");
  rejected("name = \"\"\"a\\\n  é\"\"\"", "2:3: a non-ASCII character must not follow a backslash");
  rejected("hosts = 8.\"é\"", "1:11: quotation marks must enclose a whole name or value");
  rejected("hosts = 8[\"é\"]", "1:10: a bracket inside a name or value");
  rejected("hosts = 8=\"é\"", "1:10: a second = after one key");
  rejected("hosts = 8\x05=\"é\"", "1:10: a control character");
  rejected("hosts = 8'é'", "1:10: quotation marks must enclose a whole name or value");
  rejected("hosts = [\"a\" \"b\"]", "1:14: quotation marks must enclose a whole name or value");
  CHECK_THAT(message("name = \"\"\"a\\\n  e\\\\é\"\"\""), Catch::Contains("no nodes"));
  rejected("hosts = [}]", "1:10: ");
  rejected("hosts = 1", "1:9: \"hosts\" must be a list of names");
  rejected("hosts = [\"a\"]\n[[\nlink]]", "2:3: a table without a name");
  rejected("[ =]", "1:3: a table without a name");
  rejected("[[[a]]", "1:3: a table without a name");
  rejected("hosts = [1]", "1:10: the name of a node must be a string");
  rejected("hosts = [\"\"]", "1:10: the name of a node is \"\"");
  rejected("hosts = [\"a\\nb\"]", "1:10: the name of a node is \"a?b\"");
  rejected("hosts = [\"" + std::string(201, 'x') + "\"]", "1:10: the name of a node is");
  rejected("hosts = [\"a\", \"b\"]\nswitches = [\n  \"a\"]", "3:3: the node \"a\" is listed twice");
  rejected("hosts = [\"a\"\n", "1:14: ");
  rejected("hosts = [\"a\"]\nhosts = [\"b\"]", "2:9: ");

  const std::string two = "hosts = [\"a\"]\nswitches = [\"s\"]\n";
  rejected(two + "link = 3", "3:8: \"link\" must be a list of tables: [[link]]");
  rejected(two + "[link]\nfrom = \"a\"", "3:1: \"link\" must be a list of tables");
  rejected(two + "link = [3]", "3:9: \"link\" must be a list of tables");
  rejected(two + "[[link]]\nfrom = \"a\"\n", "3:1: a [[link]] needs the key \"to\"");
  rejected(two + "[[link]]\nto = \"a\"\n", "3:1: a [[link]] needs the key \"from\"");
  rejected(two + "[[link]]\nfrom = \"a\"\nto = \"s\"\nspeed = 2",
           "6:1: a [[link]] has no key \"speed\"; its keys are from, to, rate, both");
  rejected(two + "[[link]]\nfrom = \"a\"\nto = \"x\"",
           "5:6: the node \"x\" is not among the hosts and switches");
  rejected(two + "[[link]]\nfrom = [\"a\", \"y\"]\nto = \"s\"", "4:14: the node \"y\" is not among");
  rejected(two + "[[link]]\nfrom = \"a\"\nto = \"a\"",
           "3:1: a link from \"a\" to \"a\" connects a node to itself");
  rejected(two + "[[link]]\nfrom = \"a\"\nto = \"s\"\nboth = true\n[[link]]\nfrom = \"s\"\nto = \"a\"",
           "7:1: the link from \"s\" to \"a\" is listed twice, once from each end");
  const auto link_rejected = [&](const std::string& keys, const std::string& expected) {
    rejected(two + "[[link]]\nfrom = \"a\"\nto = \"s\"\n" + keys, expected);
  };
  for (const char* rate : {"0", "129", "-1", "1.001", "\"1/129\""})
    link_rejected(std::string("rate = ") + rate, "6:8: the rate of a link is ");
  link_rejected("rate = true", "6:8: the rate of a link must be a number");
  link_rejected("rate = \"2 furlongs\"", "6:8: the rate of a link");
  link_rejected("rate = \"0G\"", "6:8: the rate of a link must be above 0");
  link_rejected("rate = \"10G\"\n[[link]]\nfrom = \"s\"\nto = \"a\"",
                "7:1: a link has no rate, and other links have speeds");
  link_rejected("rate = \"10G\"\n[[link]]\nfrom = \"s\"\nto = \"a\"\nrate = 2",
                "10:8: a rate is in packets per slot, and other links have speeds");
  link_rejected("rate = \"10G\"\n[[link]]\nfrom = \"s\"\nto = \"a\"\nrate = \"3333G\"",
                "10:8: the speed of a link over 10 Gbit/s is");
  link_rejected("wires = 0", "6:9: the wires of a bundle must be a whole number from 1 to 1024");
  rejected(two + "[[link]]\nfrom = \"a\"\nto = \"s\"\nboth = 1", "6:8: \"both\" must be true or false");

  flow_rejected("", "32: ");  // a comma before the brace
  flow_rejected("path = []", "9: the flow \"a -> c\" needs the key \"rate\"");
  flow_rejected("rate = 0", "39: the rate of the flow \"a -> c\" is 0; it must be above 0");
  flow_rejected("rate = 0.0", "39: the rate of the flow \"a -> c\" is 0; it must be above 0");
  flow_rejected("rate = -0.1", "39: the rate of the flow \"a -> c\" is \"-0.1\"; it must be above 0");
  flow_rejected("rate = 1.0001",
                "39: with this flow, \"a\" sends 10001/10000 packets per slot; it may send at most 1");
  flow_rejected("rate = \"fast\"", "39: the rate of the flow \"a -> c\" is \"fast\"; it must be a number");
  flow_rejected("rate = \"1/0\"", "39: the rate of the flow \"a -> c\" is \"1/0\"; it must be a number");
  flow_rejected("rate = nan", "39: the rate of the flow \"a -> c\" is \"nan\"; it must be a number");
  flow_rejected("rate = inf", "39: the rate of the flow \"a -> c\" is \"inf\"; it must be a number");
  flow_rejected("rate = true", "39: the rate of the flow \"a -> c\" must be a number");
  flow_rejected("rate = \"0e99999\"",
                "39: the rate of the flow \"a -> c\" is \"0e99999\"; it may have at most 200");
  flow_rejected("rate = \"1e-99\"",
                "39: the rate of the flow \"a -> c\" is \"1e-99\"; the common denominator");
  flow_rejected("rate = 0.5, speed = 1", "44: a [[flow]] has no key \"speed\"; its keys are name, from");
  flow_rejected("rate = 0.5, path = \"best\"", "51: the route must be \"shortest\", \"spread\"");
  flow_rejected("rate = 0.5, path = 3", "51: the route must be");
  flow_rejected("rate = 0.5, path = [\"t\"]",
                "52: the path needs a link from \"a\" to \"t\", but the network has no such link");
  flow_rejected("rate = 0.5, path = [\"s\", \"x\"]", "57: the node \"x\" is not among");
  flow_rejected("rate = 0.5, path = [\"s\", \"b\", \"s\", \"t\"]",
                "57: the path leads through \"b\", a host");
  flow_rejected("rate = 0.5, path = [\"s\", \"u\", \"s\", \"t\"]", "62: the path passes \"s\" twice");
  flow_rejected("rate = 0.5, loops = true, path = [\"s\", \"u\", \"s\", \"u\", \"t\"]",
                "81: the path takes the link from \"s\" to \"u\" twice");
  flow_rejected("rate = 0.5, loops = true", "9: the flow \"a -> c\" has loops = true; its \"path\"");
  flow_rejected("rate = 0.5, path = \"spread\", routes = []", "70: the flow \"a -> c\" has both");
  flow_rejected("rate = 0.5, routes = 1", "53: \"routes\" must be a list");
  flow_rejected("rate = 0.5, routes = []",
                "53: the shares of the flow \"a -> c\" sum to 0; they must sum to 1");
  flow_rejected("rate = 0.5, routes = [{share = 0.5, path = [\"s\", \"t\"]}]",
                "53: the shares of the flow \"a -> c\" sum to 1/2; they must sum to 1");
  flow_rejected("rate = 0.5, routes = [{share = 2, path = [\"s\", \"t\"]}]",
                "63: the share of a route of the flow \"a -> c\" is \"2\"");
  flow_rejected("rate = 0.5, routes = [{share = 1}]", "54: a route needs the key \"path\"");
  flow_rejected("rate = 0.5, routes = [{share = 1, way = []}]", "66: a route has no key \"way\"");

  rejected(frame + "[[flow]]\nfrom = \"a\"\nto = \"a\"\nrate = 0.5",
           "7:1: the flow \"a -> a\" leads from a node to itself");
  rejected(frame + "[[flow]]\nfrom = \"a\"\nto = \"d\"\nrate = 0.5",
           "7:1: no route leads from \"a\" to \"d\"");
  rejected(frame + "[[flow]]\nfrom = \"a\"\nto = \"z\"\nrate = 0.5", "9:6: the node \"z\" is not among");
  rejected(
      frame +
          "[[flow]]\nfrom = \"a\"\nto = \"b\"\nrate = 0.5\n[[flow]]\nfrom = \"a\"\nto = \"b\"\nrate = 0.1",
      "11:1: two flows are named \"a -> b\"");
  rejected(
      frame +
          "[[flow]]\nfrom = \"a\"\nto = \"b\"\nrate = 0.5\n[[flow]]\nfrom = \"a\"\nto = \"c\"\nrate = 0.6",
      "14:8: with this flow, \"a\" sends 11/10 packets per slot; it may send at most 1");

  rejected(frame + "[traffic]\nroute = \"spread\"", "7:1: [traffic] needs the key \"matrix\"");
  rejected(frame + "[traffic]\nmatrix = 1", "8:10: \"matrix\" must be a string");
  rejected(frame + "[traffic]\nmatrix = \"\"", "8:10: \"matrix\" must be the name");
  rejected(frame + "[traffic]\nmatrix = \"m.csv\"\nroute = \"x\"", "9:9: the route must be");
  rejected(frame + "[traffic]\nmatrix = \"m.csv\"\nrule = \"x\"", "9:1: [traffic] has no key \"rule\"");
  CHECK(message(frame + "[traffic]\nmatrix = \"m.csv\"\nroute = \"spread\"") == "no error");
}

TEST_CASE("an invalid traffic matrix is rejected with its location", "[network][network_file]") {
  const auto rejected = [](const std::string& csv, const std::string& expected) {
    CAPTURE(csv);
    CHECK_THAT(matrix_message(csv), Catch::StartsWith("demand.csv:" + expected));
  };
  CHECK(matrix_message(",a,\"b\"\r\n\"a\", ,0.1\r\n\n# end\nb,0.25, 0 \n") == "no error");
  CHECK(matrix_message("x,a\n") == "no error");  // the network has a flow of its own
  rejected("", "1:1: the traffic matrix is empty");
  rejected("\n  \n# a\n", "1:1: the traffic matrix is empty");
  rejected(",a,z\n", "1:4: the node \"z\" is not in the network");
  rejected(",a,b,a\n", "1:6: the destination \"a\" has two columns");
  rejected(",b\nx,1\n", "2:1: the node \"x\" is not in the network");
  rejected(",b\na,0.1\nb,\na,0.1\n", "4:1: the source \"a\" has two rows");
  rejected(",b,c\na,0.1\n", "2:1: the row of \"a\" has 2 cells; the first row has 3");
  rejected(",b,c\n\na,0.1,,2\n", "3:1: the row of \"a\" has 4 cells; the first row has 3");
  rejected(",b\na, much\n", "2:4: the rate of the flow \"a -> b\" is \"much\"; it must be a number");
  rejected(",b\na,-1\n", "2:3: the rate of the flow \"a -> b\" is \"-1\"; it must be above 0 and at most 3");
  rejected(",b\na,1.5\n", "2:3: with this flow, \"a\" sends 2 packets per slot; it may send at most 1");
  rejected(",b\na,3.5\n",
           "2:3: the rate of the flow \"a -> b\" is \"3.5\"; it must be above 0 and at most 3");
  rejected(",a\na,0.1\n", "2:3: the flow from \"a\" leads to itself");
  rejected(",c\na,0.1\n", "2:3: the flow \"a -> c\" is already in the network");
  rejected(",b\na,0.75\n", "2:3: with this flow, \"a\" sends 5/4 packets per slot");
  rejected(",b,d\nb,0,0.5\n", "2:5: no route leads from \"b\" to \"d\"");
  rejected(",\"b\na,0.75\n", "1:2: the quotation mark that opens here is not closed");
  rejected(",\"b\"x\n", "1:5: a comma or the end of the line must follow");
  rejected(",\xC3\xA9,\xFF\n", "1:4: the text is not valid UTF-8");
  rejected(",b\na,0e99999\n", "2:3: the rate of the flow \"a -> b\" is \"0e99999\"; it may have at most 200");

  Network bare = network_of(frame + "[traffic]\nmatrix = \"m.csv\"");
  CHECK_THROWS_WITH(add_traffic_matrix(bare, ",a\nb,0\n", "m.csv"),
                    "m.csv:1:1: the traffic matrix has no flows");
  add_traffic_matrix(bare, ",c\n\"b\",0.3\n", "m.csv", RouteRule::spread);
  CHECK(routes_of_flow(bare, bare.flows.at(0)) == std::vector<std::string>{"1: b s t c"});
}

TEST_CASE("a traffic matrix limits a node's rate as the network file does", "[network][network_file]") {
  // Node a sends 0.3 in bursts, which do not count, and 0.8 that do.
  Network network = network_of(frame +
                               "flow = [{from = \"a\", to = \"c\", rate = 0.3, burst = 16},\n"
                               "  {name = \"plain\", from = \"a\", to = \"c\", rate = 0.8}]\n");
  const auto rejected = [&network](const std::string& csv, const std::string& why) {
    CAPTURE(csv);
    const Network before = network;
    CHECK_THROWS_WITH(add_traffic_matrix(network, csv, "m.csv"), Catch::StartsWith("m.csv:" + why));
    check_equal(network, before);
  };
  rejected("", "1:1: the traffic matrix is empty");
  rejected(",b\na,0.201\n", "2:3: with this flow, \"a\" sends 1001/1000 packets per slot");
  add_traffic_matrix(network, ",b\na,0.2\n", "m.csv");
  CHECK(network.flows.size() == 3);
  check_equal(network_of(to_toml(network)), network);
  rejected(",d\na,0.001\n", "2:3: with this flow, \"a\" sends 1001/1000 packets per slot");
}

/// Quadratic time in the characters would take days, and a stack level for each would overflow the stack.
TEST_CASE("hostile files of a million characters and more are rejected", "[network][network_file]") {
  const std::string brackets(1'000'000, '[');
  CHECK_THAT(message("a = " + brackets),
             Catch::Contains("net.toml:1:21: values are nested more than 16 deep, the limit"));
  CHECK_THAT(message(brackets), Catch::Contains("net.toml:1:3: a table without a name"));
  CHECK_THAT(message("a = " + std::string(1'000'000, '{')), Catch::Contains("nested more than 16 deep"));
  std::string dots = "a", quoted_dots = "\"=\"";
  for (int i = 0; i < 1'000'000; ++i) {
    dots += ".a";
    quoted_dots += ".'='";
  }
  CHECK_THAT(message(dots + " = 1"),
             Catch::Contains("net.toml:1:16: a key has more than 8 parts, the limit"));
  CHECK_THAT(message("[" + dots + "]"), Catch::Contains("a key has more than 8 parts, the limit"));
  CHECK_THAT(message(quoted_dots + " = 1"), Catch::Contains("a key has more than 8 parts, the limit"));
  // Quotes at the end of a string's own text must not hide what follows.
  CHECK_THAT(message("x = [\"\"\"y\"\"\"\", {" + dots + " = 1}]"), Catch::Contains("a key has more than 8"));
  CHECK_THAT(message("x = ['''y''''', {" + dots + " = 1}]"), Catch::Contains("a key has more than 8"));
  CHECK_THAT(message("x = [\"\\\\\", {" + dots + " = 1}]"), Catch::Contains("a key has more than 8"));
  CHECK_THAT(message(std::string(64'000'001, 'x')), Catch::Contains("64000001 bytes; the limit is 64000000"));

  std::mt19937_64 random(5);
  std::string noise(10'000'000, ' '), printable = noise;
  for (char& c : noise) c = static_cast<char>(random());
  for (char& c : printable) c = static_cast<char>(' ' + static_cast<char>(random() % 95));
  CHECK_THAT(message(noise), Catch::Contains("the text is not valid UTF-8"));
  CHECK_THAT(message(printable), Catch::StartsWith("net.toml:1:"));
  CHECK(message(printable).size() < 500);
  CHECK_THAT(matrix_message(noise), Catch::Contains("the text is not valid UTF-8"));
  CHECK_THAT(matrix_message(printable), Catch::StartsWith("demand.csv:1:"));
  CHECK(matrix_message(printable).size() < 500);
  CHECK_THAT(matrix_message(std::string(10'000'000, ',')),
             Catch::Contains("1:100002: a row has more than 100001 cells"));
}

TEST_CASE("counts above the limits are rejected", "[network][network_file]") {
  std::string names;
  for (int i = 0; i < 200'001; ++i) names += "\"n" + std::to_string(i) + "\",";
  CHECK_THAT(message("switches = [" + names + "]"), Catch::Contains("more than 200000 nodes, the limit"));
  const auto list = [](const std::string& letter, int count) {
    std::string text = "[";
    for (int i = 0; i < count; ++i) text += '"' + letter + std::to_string(i) + "\",";
    return text + "]";
  };
  CHECK_THAT(message("hosts = " + list("h", 1'415) + "\nswitches = " + list("s", 1'415) +
                     "\nlink = [{from = " + list("h", 1'415) + ", to = " + list("s", 1'415) + "}]"),
             Catch::Contains("net.toml:3:9: more than 2000000 links, the limit"));
  // 101^3 routes from a to b.
  std::string stages = list("x", 101) + list("y", 101) + list("z", 101);
  stages.erase(std::remove_if(stages.begin(), stages.end(), [](char c) { return c == '[' || c == ']'; }),
               stages.end());
  CHECK_THAT(
      message("switches = [\"a\", \"b\", " + stages + "]\nlink = [{from = \"a\", to = " + list("x", 101) +
              "}, {from = " + list("x", 101) + ", to = " + list("y", 101) + "}, {from = " + list("y", 101) +
              ", to = " + list("z", 101) + "}, {from = " + list("z", 101) +
              ", to = \"b\"}]\nflow = [{from = \"a\", to = \"b\", rate = 1, "
              "path = \"spread\"}]"),
      Catch::Contains("limit: the flows have more than 1000000 routes in total, the limit; with \"ecmp\" or "
                      "\"shortest\" each flow has one"));
  // 30 diamonds in a row: 2^30 shortest routes, 60 links each.
  std::string diamonds = "switches = [", links = "link = [";
  for (int i = 0; i < 30; ++i) {
    const std::string n = std::to_string(i), next = std::to_string(i + 1);
    diamonds += "\"s" + n + "\",\"x" + n + "\",\"y" + n + "\",";
    links += "{from=\"s" + n + "\",to=[\"x" + n + "\",\"y" + n + "\"]},{from=[\"x" + n + "\",\"y" + n +
             "\"],to=\"s" + next + "\"},";
  }
  diamonds += "\"s30\"]\n" + links + "]\nflow = [{from=\"s0\",to=\"s30\",rate=1,path=";
  CHECK_THAT(message(diamonds + "\"spread\"}]"),
             Catch::Contains("limit: the routes of the flows have more than 20000000 links"));
  CHECK(message(diamonds + "\"shortest\"}]") == "no error");
}

TEST_CASE("reading a network takes linear time in its flows", "[network][network_file]") {
  // For a thousand queues. The machine's speed affects both costs equally; quadratic cost would be 256 times
  // as high.
  const std::string few = torus_file(1'000), many = torus_file(16'000);
  const auto reading = [](const std::string& toml) { return cost_of([&] { (void)network_of(toml); }); };
  CHECK(reading(many) < 64 * reading(few));
  const Network with_few = network_of(few), with_many = network_of(many);
  CHECK(with_few.links.size() == 1'024);
  CHECK(with_many.flows.size() == 16'000);
  for (const Sources sources : {Sources::independent_sources, Sources::first_hop}) {
    CHECK(queue_traffic(with_many, sources).size() == 1'024);
    const auto rates = [sources](const Network& network) {
      return cost_of([&] { (void)queue_traffic(network, sources); });
    };
    CHECK(rates(with_many) < 64 * rates(with_few));
  }
}
