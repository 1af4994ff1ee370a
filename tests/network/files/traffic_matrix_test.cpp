#include <tailbound/core/error.hpp>
#include <tailbound/network/demands/demands.hpp>
#include <tailbound/network/files/network_file.hpp>
#include <tailbound/network/reading/table_rows.hpp>

#include <catch2/catch.hpp>
#include <map>
#include <string>
#include <tests/support/rational.hpp>

using namespace tailbound;
using namespace tailbound::network;

namespace {

const std::string three_hosts =
    "hosts = [\"a\", \"b\", \"c\"]\nswitches = [\"s\"]\n[[link]]\nfrom = [\"a\", \"b\", \"c\"]\nto = "
    "\"s\"\nboth = true\n";

/// "a -> b" and its rate, from a matrix for a star of three.
std::map<std::string, std::string> flows_of(const std::string& csv,
                                            std::vector<std::string>* remarks = nullptr,
                                            const std::string& toml = three_hosts) {
  Network network = read_network(toml, "net.toml", FileUse::packets, FlowsFrom::elsewhere).network;
  add_traffic_matrix(network, csv, "m.csv");
  std::map<std::string, std::string> flows;
  for (const Flow& flow : network.flows) flows[flow.name] = numeric::to_fraction(flow.rate);
  if (remarks != nullptr) *remarks = network.remarks;
  return flows;
}

std::string matrix_rejection(const std::string& csv) {
  try {
    (void)flows_of(csv);
  } catch (const ParseError& error) {
    return error.what();
  }
  return "no error";
}

const std::map<std::string, std::string> star_flows{{"a -> b", "1/5"},  {"a -> c", "1/10"},
                                                    {"b -> a", "1/10"}, {"b -> c", "3/10"},
                                                    {"c -> a", "1/5"},  {"c -> b", "1/10"}};

}  // namespace

TEST_CASE("a traffic matrix is read in the layouts of common programs", "[network][matrix]") {
  for (const char* csv : {
           ",a,b,c\na,0,0.2,0.1\nb,0.1,0,0.3\nc,0.2,0.1,0\n",
           ";a;b;c\na;0;0.2;0.1\nb;0.1;0;0.3\nc;0.2;0.1;0\n",
           ";a;b;c\na;0;0,2;0,1\nb;0,1;0;0,3\nc;0,2;0,1;0\n",           // decimal commas
           "\ta\tb\tc\na\t\t0.2\t0.1\nb\t0.1\t\t0.3\nc\t0.2\t0.1\t\n",  // a spreadsheet's tabs
           "| | a | b | c |\n|---|---|---|---|\n| a | - | 0.2 | 0.1 |\n| b | 0.1 | - | 0.3 |\n| c | 0.2 | "
           "0.1 | - |\n",
           ",a,b,c\na,-,20%,10 %\nb,10%,-,30%\nc,20%,10%,-\n",       // percent and dashes
           ",a,b,c\na,nan,0.2,0.1\nb,0.1,NaN,0.3\nc,0.2,0.1,nan\n",  // pandas' missing diagonal
           ",a,b,c,\na,0,0.2,0.1,\nb,0.1,0,0.3,\nc,0.2,0.1,0,\n",    // a comma at the end of each row
           "a,b,c\na,0,0.2,0.1\nb,0.1,0,0.3\nc,0.2,0.1,0\n",         // R: no corner
           "dst\\src,a,b,c\na,,0.1,0.2\nb,0.2,,0.1\nc,0.1,0.3,\n",   // columns send
           "to/from,a,b,c\na,,0.1,0.2\nb,0.2,,0.1\nc,0.1,0.3,\n",
           "src\\dst,a,b,c\na,0,0.2,0.1\nb,0.1,0,0.3\nc,0.2,0.1,0\n",
           "0,0.2,0.1\n0.1,0,0.3\n0.2,0.1,0\n",                // no names
           "0 0.2 0.1\n0.1 0 0.3\n0.2 0.1 0\n",                // numpy.savetxt
           ",0,1,2\n0,0,0.2,0.1\n1,0.1,0,0.3\n2,0.2,0.1,0\n",  // pandas' index
           ",1,2,3\n1,0,0.2,0.1\n2,0.1,0,0.3\n3,0.2,0.1,0\n",
           ",,a,b,c\n0,a,0,0.2,0.1\n1,b,0.1,0,0.3\n2,c,0.2,0.1,0\n",  // and a column of names
           ",a,b,c,Total\na,0,0.2,0.1,0.3\nb,0.1,0,0.3,0.4\nc,0.2,0.1,0,0.3\nTotal,0.3,0.3,0.4,1\n",
           "src,dst,rate\na,b,0.2\na,c,0.1\nb,a,0.1\nb,c,0.3\nc,a,0.2\nc,b,0.1\n",
           "Demand;Destination;Source\n0,2;b;a\n0,1;c;a\n0,1;a;b\n0,3;c;b\n0,2;a;c\n0,1;b;c\n",
           ",source,target,weight\n0,a,b,0.2\n1,a,c,0.1\n2,b,a,0.1\n3,b,c,0.3\n4,c,a,0.2\n5,c,b,0.1\n",
           "# demands\na\t->\tb:\t0.2\t# 200 Mbit/s\na -> c: 0.1\nb -> a: 10%\nb -> c: 0.3\nc -> a: 0.2\nc "
           "-> b: 0.1\n",
       }) {
    CAPTURE(csv);
    CHECK(flows_of(csv) == star_flows);
  }
}

TEST_CASE("nodes in a list of pairs may be numbers", "[network][matrix]") {
  const std::map<std::string, std::string> two{{"a -> c", "1/5"}, {"b -> a", "1/10"}};
  CHECK(flows_of("src,dst,rate\n0,2,0.2\n1,0,0.1\n") == two);
  CHECK(flows_of("src,dst,rate\n1,3,0.2\n2,1,0.1\n") == two);
  CHECK_THAT(matrix_rejection("src,dst,rate\n1,2,0.2\n"),
             Catch::Contains("may count the 3 sending nodes from 0 or from 1"));
  CHECK_THAT(matrix_rejection("src,dst,rate\n0,5,0.2\n"),
             Catch::Contains("m.csv:2:1: the node \"0\" is not in the network"));
  // Without names of columns, where it cannot be a matrix.
  const std::string four =
      "hosts = [\"a\", \"b\", \"c\", \"d\"]\nswitches = [\"s\"]\n[[link]]\nfrom = [\"a\", \"b\", \"c\", "
      "\"d\"]\nto = \"s\"\nboth = true\n";
  std::vector<std::string> remarks;
  CHECK(flows_of("0 2 0.2\n1 0 0.1\n", &remarks, four) == two);
  CHECK(remarks.back() == "m.csv: no header line: columns taken as source, destination and rate");
  CHECK(flows_of("a,c,20%\nb,a,0.1\n", nullptr, four) == two);
}

TEST_CASE("traffic tables of Noxim are read", "[network][matrix]") {
  const std::map<std::string, std::string> flows{{"a -> c", "1/5"}, {"b -> a", "1/20"}, {"c -> a", "1/10"}};
  std::vector<std::string> remarks;
  CHECK(flows_of("% src dst pir por t_on t_off t_period\n0 2 0.2\n1 0 0.1 0.1 0 1000 2000\n2 0 0.1 0.3\n",
                 &remarks) == flows);
  CHECK(remarks.size() == 4);
  CHECK_THAT(remarks[0], Catch::Contains("a traffic table of Noxim: rates are packets per cycle"));
  CHECK_THAT(remarks[1], Catch::Contains("their mean rates are used (rows: 1)"));
  CHECK_THAT(remarks[2], Catch::Contains("por is ignored"));
  CHECK_THAT(remarks[3], Catch::Contains("0 is the node a"));
  // Without the comment; rows of one pair add up.
  CHECK(
      flows_of(
          "0 2 0.2 0.2 0 2000 2000\n1 0 0.1 0.1 0 500 2000\n1 0 0.1 0.1 1500 2000 2000\n2 0 0.1 0.1 0 9 9\n",
          nullptr) == flows);
  CHECK(flows_of("src,dst,pir\n0,2,0.2\n1,0,0.05\n2,0,0.1\n") == flows);
  CHECK_THAT(matrix_rejection("% src dst pir\n0 2 0.2\n1 0\n"),
             Catch::StartsWith("m.csv:3:1: the row has no pir"));
  CHECK_THAT(matrix_rejection("% src dst pir\n0 3 0.2\n"), Catch::Contains("numbered from 0 to 2"));
  CHECK_THAT(matrix_rejection("% src dst pir\n0 2 0.2 0.2 5\n"),
             Catch::Contains("t_on needs t_off and t_period"));
  CHECK_THAT(matrix_rejection("% src dst pir\n0 2 0.2 0.2 5 4 9\n"),
             Catch::Contains("t_on must be below t_off"));
}

TEST_CASE("ambiguous matrices get a remark", "[network][matrix]") {
  const auto remark = [](const std::string& csv) {
    std::vector<std::string> remarks;
    (void)flows_of(csv, &remarks);
    return remarks.empty() ? std::string("none") : remarks.front();
  };
  CHECK(remark(",a,b,c\na,0,0.2,0.1\n") == "none");
  CHECK(remark("dst\\src,a,b,c\na,,0.1,0.2\n") ==
        "m.csv: rows receive and columns send, according to its first cell \"dst\\src\"");
  CHECK_THAT(remark("0,0.2,0.1\n0.1,0,0.3\n0.2,0.1,0\n"), Catch::Contains("the first is the node a"));
  CHECK_THAT(remark(",a,b,sum\na,0,0.2,0.2\n"),
             Catch::Contains("the rows and columns of totals agree with the sums and are ignored"));
  CHECK_THAT(remark("a -> b: 0.2\n"), Catch::Contains("left -> right: rate"));
}

TEST_CASE("an undecidable matrix is rejected", "[network][matrix]") {
  CHECK_THAT(matrix_rejection("dst,a,b,c\na,,0.1,0.2\n"),
             Catch::Contains("does not show whether rows or columns receive"));
  CHECK_THAT(matrix_rejection(",a,b,total\na,0,0.2,0.4\n"),
             Catch::Contains("m.csv:2:9: the sum is \"0.4\", but the rates add up to 0.2"));
  CHECK_THAT(matrix_rejection("0,0.2\n0.1,0\n"), Catch::Contains("m.csv:"));
  CHECK_THAT(matrix_rejection(",a,b,c\na,0,nan,0.1\n"),
             Catch::Contains("not a number; leave the cell blank"));
  CHECK_THAT(matrix_rejection(",a,b,c\na,0,20G,0.1\n"),
             Catch::Contains("\"20G\", a speed; give link speeds in the network file"));
  CHECK_THAT(matrix_rejection(",a,b,x\na,0,0.1,0.1\n"),
             Catch::Contains("the node \"x\" is not in the network"));
  CHECK_THAT(matrix_rejection("0,0.2,0.1\n0.1,0,0.3\n"), Catch::Contains("3 sending nodes, but has 2 rows"));
  CHECK_THAT(matrix_rejection("a,b,0.2\n"), Catch::StartsWith("m.csv:1"));
}

TEST_CASE("speeds in a matrix are relative to the network's links", "[network][matrix]") {
  const std::string fast = three_hosts + "rate = \"50G\"\n";
  CHECK(flows_of(",a,b,c\na,0,10G,5Gbps\nb,5G,0,15G\nc,10G,5000Mbps,0\n", nullptr, fast) == star_flows);
}

TEST_CASE("connections of htsim share the rate of their source", "[network][matrix]") {
  const auto flows = flows_of(
      "Nodes 3\nConnections 3\n0->1 id 1 start 0 size 2000\n0->2 id 2 start 0 size 9\n2->1 id 3 start 0\n");
  CHECK(flows == std::map<std::string, std::string>{{"a -> b", "1/2"}, {"a -> c", "1/2"}, {"c -> b", "1"}});
}

TEST_CASE("lists of pairs may have any column order and separator", "[network][matrix]") {
  const Network network =
      read_network(three_hosts, "net.toml", FileUse::packets, FlowsFrom::elsewhere).network;
  const auto read = [&](const std::string& csv) {
    SparseDemandReader reader(network, "pairs.csv");
    for (const char c : csv) reader.take({&c, 1});
    return reader.finish();
  };
  const SparseDemand first = read("from,to,rate\na,b,0.2\nb,c,0.3\n");
  for (const char* csv :
       {"src;dst;demand\na;b;0,2\nb;c;0,3\n", "rate\tdst\tsrc\n20%\tb\ta\n30%\tc\tb\n",
        "\"a\" -> b: 0.2\nb -> c: 0.3 # later\n", "id,source,target,rate\n1,a,b,0.2\n2,b,c,0.3\n"}) {
    CAPTURE(csv);
    if (std::string(csv).front() == '"') {
      CHECK_THROWS_AS(read(csv), ParseError);  // names of such a list have no quotes
      continue;
    }
    CHECK(read(csv).entries == first.entries);
    CHECK(read(csv).values == first.values);
  }
  CHECK_THROWS_WITH(read("a,b,0.2\n"),
                    Catch::Contains("the first line must name the columns from, to and rate"));
  CHECK_THROWS_WITH(read("from,to,rate\na,b\n"), Catch::Contains("a line must have three cells"));
}
