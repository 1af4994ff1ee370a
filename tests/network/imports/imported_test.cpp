#include <tailbound/core/error.hpp>
#include <tailbound/network/files/network_file.hpp>
#include <tailbound/network/imports/imported.hpp>
#include <tailbound/network/reading/format_names.hpp>

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

TEST_CASE("topologies of SimAI and astra-sim are read", "[network][imports]") {
  // Two servers of two GPUs; the NVLink switches 4 and 5 are listed apart from the others.
  const std::string links =
      "0 4 3600Gbps 0.000025ms 0\n1 4 3600Gbps 0.000025ms 0\n2 5 3600Gbps 0.000025ms 0\n3 5 3600Gbps "
      "0.000025ms 0\n0 6 400Gbps 0.0005ms 0\n1 7 400Gbps 0.0005ms 0\n2 6 400Gbps 0.0005ms 0\n3 7 400Gbps "
      "0.0005ms 0\n";
  for (const char* front : {"8 2 2 2 8 H100\n4 5\n6 7\n", "8 2 2 2 8 A100 8\n4 5 6 7\n"}) {
    CAPTURE(front);
    const Network simai = imported(front + links);
    CHECK(host_names(simai) == std::multiset<std::string>{"0", "1", "2", "3"});
    CHECK(simai.links.size() == 16);
    CHECK(link_list(simai).count("0 > 4 9") == 1);
    CHECK(simai.gbps == rational("400"));
    CHECK(has_remark(simai, "read as a topology of SimAI: 4 hosts, 4 switches, 8 links"));
  }
  CHECK_THAT(import_rejection("8 2 2 2 9 H100\n4 5\n6 7\n" + links),
             Catch::Contains("announces 9 links, but the file has 8"));
  // Without switches, with and without the empty line of their list.
  for (const char* front : {"3 0 3\n\n", "3 0 3\n"}) {
    const Network ring =
        imported(front + std::string("0 1 400Gbps 1us 0\n1 2 400Gbps 1us 0\n2 0 400Gbps 1us 0\n"));
    CHECK(host_names(ring).empty());
    CHECK(ring.nodes.size() == 3);
    CHECK(ring.links.size() == 6);
    CHECK(has_remark(ring, "no hosts: every node sends and receives"));
  }
}

TEST_CASE("node-link JSON of networkx is read", "[network][imports]") {
  const std::string nodes = R"({"directed": false, "multigraph": true, "graph": {"name": "two"}, "nodes": [
      {"id": "s1"}, {"id": "s2"}, {"id": "h1", "type": "host"}, {"id": "h2", "type": "host"}], )";
  const std::string links = R"([{"source": "s1", "target": "s2", "capacity": 100, "weight": 3},
      {"source": "s1", "target": "h1", "capacity": "25G", "key": 0}, {"source": "s2", "target": "h2",
       "speed_gbps": 25.0, "color": "red"}]})";
  for (const char* key : {"\"links\": ", "\"edges\": "}) {
    const Network network = imported(nodes + key + links);
    CHECK(link_list(network) == small_links);
    CHECK(network.name == "two");
    CHECK(has_remark(network, "attributes of links ignored: weight, color"));
  }
  CHECK(link_list(imported(R"({"directed": true, "nodes": [{"id": 0}, {"id": 1}], "links": [
                               {"source": 0, "target": 1}]})")) == std::multiset<std::string>{"0 > 1"});
  // Old versions give positions, and tuples as names.
  CHECK(link_list(imported(R"({"nodes": [{"id": [0, 0]}, {"id": [0, 1]}], "links": [
                               {"source": 0, "target": 1}]})")) ==
        std::multiset<std::string>{"0,0 > 0,1", "0,1 > 0,0"});
  CHECK_THAT(import_rejection(R"({"nodes": [{"id": 1}], "links": [{"source": 1, "target": 7}]})"),
             Catch::Contains("the node \"7\", which is not listed"));
  CHECK_THAT(import_rejection("{\"nodes\": [1,\n 2"),
             Catch::StartsWith("file:2:") && Catch::Contains("not valid JSON"));
  CHECK_THAT(import_rejection("{\"flows\": []}"), Catch::Contains("\"nodes\" and \"links\""));
  CHECK_THAT(import_rejection("{\"nodes\": [3], \"links\": []}"), Catch::Contains("has no \"id\""));
}

TEST_CASE("cable lists are read by the names of their columns", "[network][imports]") {
  for (const char* text :
       {"source,source port,destination,destination "
        "port,speed\ns1,1,s2,1,100G\ns1,2,h1,eth0,25G\ns2,2,h2,,25G\n",
        "Device A;Port A;Device B;Port B;Speed (Gbps);Cable\ns1;1;s2;1;100;DAC\ns1;2;h1;0;25;DAC\n"
        "s2;2;h2;0;25;DAC\n",
        "id\ta\tb\tbandwidth_mbps\n0\ts1\ts2\t100000\n1\ts1\th1\t25000\n2\ts2\th2\t25000\n",
        "to_node,from_node,rate\ns2,s1,100G\nh1,s1,25G\nh2,s2,25G\n"}) {
    CAPTURE(text);
    const Network network = imported(text);
    CHECK(network.gbps == rational("25"));
    CHECK(network.links.size() == 6);
    CHECK(link_list(network).count("s1 > s2 4") == 1);
  }
  CHECK(has_remark(imported("source,source port,destination,speed\na,1,b,1G\n"),
                   "columns: from \"source\" to \"destination\", speed \"speed\"; ignored: \"source port\""));
  CHECK(has_remark(imported("a,b,10G\n"), "no header line: columns taken as source and target, then speed"));
  // A first row of names is not taken for a header.
  CHECK(imported("a,b\nb,c\n").nodes.size() == 3);
  CHECK_THAT(
      import_rejection("s1,1,s2,1,100G\ns1,2,h1,0,25G\n"),
      Catch::Contains("without a header line has the columns source, target and, possibly, speed; this "
                      "one has 5; name the columns"));
  CHECK_THAT(import_rejection("s1,s2,red\ns1,h1,blue\n"),
             Catch::Contains("the third column of a list without a header line is the speed, not \"red\""));
}

TEST_CASE("output of ibnetdiscover is read", "[network][imports]") {
  const std::string leaf =
      "#\n# Topology file: generated on Mon\n#\nvendid=0x2c9\nswitchguid=0x1(1)\n"
      "Switch\t4 \"S-01\"\t\t# \"leaf1\" enhanced port 0 lid 1 lmc 0\n"
      "[1]\t\"H-11\"[1](11) \t\t# \"node1 HCA-1\" lid 11 4xHDR\n"
      "[3]\t\"S-02\"[3]\t\t# \"spine1\" lid 2 4xHDR\n[4]\t\"S-02\"[4]\t\t# \"spine1\" lid 2 2xHDR\n";
  const std::string rest =
      "\nSwitch\t4 \"S-02\"\t\t# \"spine1\" enhanced port 0 lid 2 lmc 0\n"
      "[3]\t\"S-01\"[3]\t\t# \"leaf1\" lid 1 4xHDR\n[4]\t\"S-01\"[4]\t\t# \"leaf1\" lid 1 2xHDR\n"
      "\ncaguid=0x11\nCa\t1 \"H-11\"\t\t# \"node1 HCA-1\"\n"
      "[1](11) \t\"S-01\"[1]\t\t# lid 11 lmc 0 \"leaf1\" lid 1 4xHDR\n";
  const Network network = imported(leaf + rest);
  CHECK(host_names(network) == std::multiset<std::string>{"node1 HCA-1"});
  CHECK(link_list(network) == std::multiset<std::string>{"leaf1 > node1 HCA-1 2", "node1 HCA-1 > leaf1 2",
                                                         "leaf1 > spine1 2", "spine1 > leaf1 2",
                                                         "leaf1 > spine1", "spine1 > leaf1"});
  CHECK(network.gbps == rational("100"));
  CHECK(has_remark(network, "lanes times the data rate of a lane (2xHDR, 4xHDR)"));
  CHECK_THAT(import_rejection("Switch\t4 \"S-01\"\n[1]\t\"H-11\"[1] # \"n\" lid 1 4xABC\n"),
             Catch::StartsWith("file:2:") && Catch::Contains("such as 4xHDR"));
  CHECK_THAT(import_rejection("Switch\t4 \"S-01\"\n[1]\tH-11\n"),
             Catch::Contains("a port must be written as"));
}

TEST_CASE("the endpoints of containerlab are read", "[network][imports]") {
  for (const char* links :
       {"    - endpoints: [\"s1:e1\", \"s2:e1\"]\n    - endpoints: ['s1:e2', 'h1:eth1']\n    - endpoints: "
        "[s2:e2, h2:eth1]\n",
        "    - endpoints:\n      - s1:e1\n      - s2:e1  # up\n    - endpoints: [\"s1:e2\",\n        "
        "\"h1:eth1\"]\n    - type: veth\n      endpoints:\n        - node: s2\n          interface: e2\n     "
        "   "
        "- node: h2\n          interface: eth1\n"}) {
    CAPTURE(links);
    const Network lab =
        imported("name: lab\ntopology:\n  nodes:\n    s1: {kind: srl}\n    h1: {kind: linux}\n  links:\n" +
                 std::string(links));
    CHECK(lab.links.size() == 6);
    CHECK(link_list(lab).count("s2 > h2") == 1);
    CHECK(host_names(lab) == std::multiset<std::string>{"h1", "h2"});
  }
  CHECK(
      has_remark(imported("topology:\n  links:\n  - endpoints: [\"a:1\", \"b:1\"]\n  - endpoints: [\"a:2\", "
                          "\"host:eth0\"]\n"),
                 "1 links to the machine of containerlab ignored"));
  CHECK_THAT(import_rejection("topology:\n  links:\n    - endpoints: [\"a:1\"]\n"),
             Catch::StartsWith("file:3:") && Catch::Contains("must be two"));
}

TEST_CASE("every readable format is in the list of formats", "[network][imports]") {
  for (const char* format : {"GraphML", "GML", "DOT", "edge list", "networkx JSON", "BookSim", "HPCC",
                             "astra-sim", "SimAI", "htsim", "ibnetdiscover", "containerlab"})
    CHECK_THAT(foreign_formats, Catch::Contains(format));
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
  CHECK_THAT(import_rejection("% src dst pir\n0 1 0.1\n"),
             Catch::Contains("a traffic table of Noxim") && Catch::Contains("--matrix"));
  CHECK_FALSE(foreign_format("1 2 3 4 5 6\nabc\n"));
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
