#include <tailbound/core/error.hpp>
#include <tailbound/network/files/network_file.hpp>
#include <tailbound/network/imports/imported.hpp>

#include <algorithm>
#include <catch2/catch.hpp>
#include <set>
#include <string>
#include <tests/support/rational.hpp>

using namespace tailbound;
using namespace tailbound::network;
using tailbound::test::rational;

namespace {

Network imported(const std::string& text) {
  const auto format = foreign_format(text);
  REQUIRE(format);
  return read_foreign(*format, text, "file");
}

std::string import_rejection(const std::string& text) {
  try {
    (void)imported(text);
  } catch (const ParseError& error) {
    return error.what();
  }
  return "no error";
}

/// "a - b 5/2", both directions if there are both.
std::multiset<std::string> link_list(const Network& network) {
  std::multiset<std::string> links;
  for (const Link& link : network.links) {
    std::string text = network.nodes[link.from].name + " > " + network.nodes[link.to].name;
    if (link.rate != LinkRate{}) text += " " + link.rate.text();
    links.insert(text);
  }
  return links;
}

std::multiset<std::string> host_names(const Network& network) {
  std::multiset<std::string> hosts;
  for (const Node& node : network.nodes)
    if (node.host) hosts.insert(node.name);
  return hosts;
}

bool has_remark(const Network& network, const std::string& what) {
  return std::any_of(network.remarks.begin(), network.remarks.end(),
                     [&](const std::string& remark) { return remark.find(what) != std::string::npos; });
}

const std::multiset<std::string> small_links{"s1 > s2 4", "s2 > s1 4", "s1 > h1",
                                             "h1 > s1",   "s2 > h2",   "h2 > s2"};

}  // namespace

TEST_CASE("networks of other programs are read", "[network][imports]") {
  for (const char* text : {
           "source,target,capacity\ns1,s2,100G\ns1,h1,25G\ns2,h2,25G\n",
           "s1 s2 100\ns1 h1 25\ns2 h2 25\n",
           "s1 s2 {'capacity': 100, 'name': 'x'}\ns1 h1 {'capacity': '25G'}\ns2 h2 {\"capacity\": 25.0}\n",
           "Target;Speed;Source\ns2;100Gbps;s1\nh1;25 Gbit;s1\nh2;25000Mbps;s2\n",
           "graph {\n  s1 -- s2 [speed=100];\n  s1 -- h1 [label=\"25G\"]; s2 -- h2 [bandwidth=\"25 Gb/s\"] }",
           "strict graph \"two\" { edge [speed=25] s1 -- s2 [speed=100]; {s1} -- {h1}; s2:n -- h2:s /* both "
           "*/ }",
           "graph [\n directed 0\n node [ id 1 label \"s1\" graphics [ x 1.0 y 2.0 ] ] node [ id 2 label "
           "\"s2\" ]\n node [ id "
           "3 label \"h1\" ] node [ id 4 label \"h2\" ]\n edge [ source 1 target 2 LinkSpeed \"100\" "
           "LinkSpeedUnits \"G\" ]\n "
           "edge [ source 1 target 3 LinkSpeedRaw 25000000000.0 ] edge [ source 2 target 4 capacity 25 ] ]",
           "<?xml version='1.0'?><graphml><key id='d0' for='edge' attr.name='capacity'/><key id='d1' "
           "for='node' "
           "attr.name='label'/><graph edgedefault='undirected'><node id='1'><data "
           "key='d1'>s1</data></node><node id='2'><data "
           "key='d1'>s2</data></node><node id='h1'/><node id='h2'/><edge source='1' target='2'><data "
           "key='d0'>100</data></edge><edge source='1' target='h1'><data key='d0'>25</data></edge><edge "
           "source='2' "
           "target='h2'><data key='d0'>25</data></edge></graph></graphml>",
       }) {
    CAPTURE(text);
    const Network network = imported(text);
    CHECK(link_list(network) == small_links);
    CHECK(host_names(network) == std::multiset<std::string>{"h1", "h2"});
    CHECK(network.gbps == rational("25"));
    CHECK(has_remark(network, "hosts, identified by their names"));
    // And as a network file.
    const Network again =
        read_network(to_toml(network), "again", FileUse::packets, FlowsFrom::elsewhere).network;
    CHECK(link_list(again) == small_links);
    CHECK(host_names(again) == host_names(network));
    CHECK(again.gbps == network.gbps);
  }
}

TEST_CASE("files of simulators are read", "[network][imports]") {
  const Network anynet =
      imported("router 0 node 0 node 1 router 1\nrouter 1 node 2 router 2 5\nrouter 2 node 3 node 4\n");
  CHECK(host_names(anynet) == std::multiset<std::string>{"n0", "n1", "n2", "n3", "n4"});
  CHECK(anynet.links.size() == 14);
  CHECK(has_remark(anynet, "latencies of channels are ignored"));

  const Network hpcc = imported(
      "6 2 5\n0 1\n0 1 100Gbps 0.001ms 0\n0 2 25Gbps 0.001ms 0\n0 3 25Gbps 0.001ms 0\n1 4 25Gbps 0.001ms "
      "0\n1 5 25Gbps "
      "0.001ms 0\n");
  CHECK(host_names(hpcc) == std::multiset<std::string>{"2", "3", "4", "5"});
  CHECK(link_list(hpcc).count("0 > 1 4") == 1);

  // Two leaves with two hosts, two spines with two parallel links each.
  const Network htsim = imported(
      "Nodes 4\nTiers 2\nPodsize 4\n\nTier 0\nDownlink_speed_Gbps 100\nRadix_Up 4\nRadix_Down 2\n\nTier 1\n"
      "Downlink_speed_Gbps 50\nRadix_Down 4\nBundle 2\nSwitch_Latency_ns 0\n");
  CHECK(host_names(htsim).size() == 4);
  CHECK(htsim.nodes.size() == 8);
  CHECK(htsim.links.size() == 2 * (4 + 2 * 2 * 2));
  CHECK(link_list(htsim).count("tor0 > spine1") == 2);
  CHECK(link_list(htsim).count("0 > tor0 2") == 1);
  CHECK(htsim.has_bundles());
  CHECK(has_remark(htsim, "Switch_Latency_ns ignored"));

  // k = 4: 16 hosts, 8 + 8 + 4 switches.
  const Network fat_tree = imported(
      "Nodes 16\nTiers 3\nPodsize 4\nTier 0\nDownlink_speed_Gbps 10\nRadix_Up 2\nRadix_Down 2\nTier "
      "1\nRadix_Up 2\n"
      "Radix_Down 2\nDownlink_speed_Gbps 10\nTier 2\nRadix_Down 4\nDownlink_speed_Gbps 10\n");
  CHECK(fat_tree.nodes.size() == 36);
  CHECK(fat_tree.links.size() == 2 * 48);
}

TEST_CASE("hosts are identified by kinds before names", "[network][imports]") {
  CHECK(host_names(imported("graph { h1 [type=switch]; a [type=host]; h1 -- a; h1 -- h2 }")) ==
        std::multiset<std::string>{"a", "h2"});
  const Network none = imported("a b\nb c\n");
  CHECK(host_names(none).empty());
  CHECK(has_remark(none, "no hosts: every node sends"));
  CHECK(has_remark(none, "no speeds"));
  // A ring of nodes named n1, n2, ..: none has a single neighbour.
  CHECK(host_names(imported("n1 n2\nn2 n3\nn3 n1\n")).empty());
}

TEST_CASE("links are directed if the file declares it", "[network][imports]") {
  CHECK(link_list(imported("digraph { a -> b -> c; a -> c [dir=both] }")) ==
        std::multiset<std::string>{"a > b", "b > c", "a > c", "c > a"});
  CHECK(link_list(imported("graph [ directed 1 node [ id 0 ] node [ id 1 ] edge [ source 0 target 1 ] ]")) ==
        std::multiset<std::string>{"0 > 1"});
}

TEST_CASE("character references, and comments at the start", "[network][imports]") {
  const Network gml = imported(
      "graph [ node [ id 0 label \"Z&#252;rich &amp; &quot;S&#xfc;d&quot;\" ] node [ id 1 label "
      "\"&#8364; & &none;\" ] edge [ source 0 target 1 ] ]");
  CHECK(gml.nodes[0].name == "Zürich & \"Süd\"");
  CHECK(gml.nodes[1].name == "€ & &none;");
  CHECK(link_list(imported("/* Created by\n igraph */\n\ngraph {\n 0 [name=a];\n 1 [name=b];\n 0 -- 1; }")) ==
        std::multiset<std::string>{"a > b", "b > a"});
}

TEST_CASE("parallel edges are links of a bundle", "[network][imports]") {
  const Network network = imported("graph { a -- b; a -- b; b -- c }");
  CHECK(network.links.size() == 6);
  CHECK(network.link_name(0) == "a -> b (wire 1)");
  CHECK(link_list(imported("strict graph { a -- b; b -- a; b -- c }")).size() == 4);
  CHECK(has_remark(imported("graph { a -- a; a -- b }"), "1 link from a node to itself ignored"));
}

TEST_CASE("speeds become fractions", "[network][imports]") {
  CHECK(link_list(imported("source,target,speed\na,b,10G\nb,c,2.4G\n")).count("a > b 25/6") == 1);
  // The ratio is too large for one speed to be a packet per slot: the fastest gets 128.
  const Network wide = imported("source,target,speed\na,b,100G\nb,c,155M\n");
  CHECK(link_list(wide).count("a > b 128") == 1);
  CHECK(has_remark(wide, "rounded down"));
  CHECK_THAT(import_rejection("source,target,speed\na,b,800G\nb,c,1M\n"),
             Catch::Contains("may differ by a factor of 16384"));
  CHECK(read_speed("125MBps") == rational("1"));
  CHECK(read_speed("10000000000") == rational("10"));
  CHECK_FALSE(read_speed("OC-192"));
  CHECK_FALSE(read_speed("0"));
}

TEST_CASE("formats are recognised from their first lines", "[network][imports]") {
  CHECK_FALSE(foreign_format(""));
  CHECK_FALSE(foreign_format("name = \"x\"\nhosts = [\"a\"]\n"));
  CHECK_FALSE(foreign_format("[[link]]\nfrom = \"a\"\n"));
  CHECK_FALSE(foreign_format("This is a text about networks and what they are.\nIt has lines.\n"));
  CHECK_FALSE(foreign_format("graph = 3\n"));
  CHECK(foreign_format("# made by hand\ngraph\n[\n node [ id 0 ]\n") == ForeignFormat::gml);
  CHECK(foreign_format("Creator \"yFiles\"\nVersion \"2.2\"\ngraph\n[\n") == ForeignFormat::gml);
  CHECK(foreign_format("digraph{a->b}") == ForeignFormat::dot);
  CHECK(foreign_format("graph\n{\n a -- b }") == ForeignFormat::dot);
  CHECK(foreign_format("Nodes 4\nConnections 2\n0->3 id 1\n") == ForeignFormat::htsim_connections);
  CHECK_THAT(import_rejection("Nodes 4\nConnections 2\n0->3 id 1\n"), Catch::Contains("give it as --matrix"));
  CHECK_THAT(import_rejection("<?xml version='1.0'?>\n<platform version='4.1'></platform>"),
             Catch::Contains("a platform of SimGrid"));
  CHECK_THAT(import_rejection("<html></html>"), Catch::Contains("XML but not GraphML"));
}

TEST_CASE("broken files are rejected with their location", "[network][imports]") {
  CHECK_THAT(import_rejection("<graphml><graph><node id='a'>"), Catch::Contains("not well-formed XML"));
  CHECK_THAT(
      import_rejection("<graphml>\n<graph>\n<node id='a'/><edge source='a' target='b'/></graph></graphml>"),
      Catch::StartsWith("file:3:") && Catch::Contains("\"b\", which is not listed"));
  CHECK_THAT(import_rejection("graph [ node [ id 0 ] edge [ source 0 target 1 ] ]"),
             Catch::Contains("\"1\", which is not listed"));
  CHECK_THAT(import_rejection("graph [ node [ id 0"), Catch::Contains("a [ is not closed"));
  CHECK_THAT(import_rejection("graph { a -- b"), Catch::Contains("a { is not closed"));
  CHECK_THAT(import_rejection("graph { a -- }"), Catch::Contains("a node is expected here"));
  CHECK_THAT(import_rejection("digraph { a -> \"b }"),
             Catch::Contains("quotation mark that opens here is not closed"));
  CHECK_THAT(import_rejection("router 0 node x\n"), Catch::Contains("must be a whole number, not \"x\""));
  CHECK_THAT(import_rejection("3 1 2\n0\n0 1 10Gbps 1ms 0\n"),
             Catch::Contains("announces 2 links, but the file has 1"));
  CHECK_THAT(import_rejection("3 1 1\n9\n0 1 10Gbps 1ms 0\n"), Catch::Contains("is not one of the 3 nodes"));
  CHECK_THAT(import_rejection("Nodes 5\nTiers 2\nTier 0\nRadix_Down 2\nRadix_Up 2\nTier 1\nRadix_Down 2\n"),
             Catch::Contains("Nodes (5) must be a multiple of 2"));
  std::string deep = "graph {";
  for (int i = 0; i < 100; ++i) deep += "{";
  CHECK_THAT(import_rejection(deep + "a -- b"), Catch::Contains("nested more than 32 deep"));
  CHECK_THAT(import_rejection("graph { a }"), Catch::Contains("has no links"));
}
