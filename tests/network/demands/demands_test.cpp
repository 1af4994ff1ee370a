#include <tailbound/core/error.hpp>
#include <tailbound/network/demands/demands.hpp>
#include <tailbound/network/demands/fabrics.hpp>
#include <tailbound/network/demands/failures.hpp>
#include <tailbound/network/files/network_file.hpp>
#include <tailbound/network/queue_traffic.hpp>
#include <tailbound/network/reading/node_names.hpp>

#include <catch2/catch.hpp>

#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

using namespace tailbound;
using namespace tailbound::network;
using numeric::Rational;
using numeric::to_fraction;

namespace {

using Rates = std::map<std::pair<std::string, std::string>, Rational>;

/// Every pair's rate, from the list of flows of a network.
Rates rates_of(const Network& network) {
  Rates rates;
  for (const Flow& flow : network.flows) {
    Rational& sum = rates[{network.nodes[flow.source].name, network.nodes[flow.destination].name}];
    sum = sum + flow.rate;
  }
  return rates;
}

const std::string star_of_four =
    "hosts = \"h[0..3]\"\nswitches = \"s\"\n"
    "link = [{each = \"i = 0..3\", from = \"h[i]\", to = \"s\", both = true}]\n";

Rates rates(const std::string& traffic) {
  const Network network = read_network(star_of_four + traffic, "net.toml").network;
  const Rates listed = rates_of(network);
  CHECK(listed == rates_of(written_out(read_fabric(star_of_four + traffic, "net.toml").fabric)));
  return listed;
}

std::string rejection(const std::string& toml) {
  for (const bool listed : {true, false}) {
    try {
      if (listed)
        (void)read_network(toml, "net.toml");
      else
        (void)read_fabric(toml, "net.toml");
    } catch (const ParseError& error) {
      if (!listed) return error.what();
    } catch (const LimitExceeded& error) {
      if (!listed) return std::string("limit: ") + error.what();
    }
  }
  return "no error";
}

std::string sparse_message(const std::string& csv) {
  const Network network = read_network(star_of_four + "[traffic]\nuniform = 0.1\n", "net.toml").network;
  try {
    SparseDemandReader reader(network, "pairs.csv");
    reader.take(csv);
    (void)reader.finish();
  } catch (const ParseError& error) {
    return error.what();
  }
  return "no error";
}

}  // namespace

TEST_CASE("name ranges expand with the last range changing fastest", "[network][node_names]") {
  CHECK(expand_names("h[0..2], a[1..2]_[8..9], core", 100) ==
        std::vector<std::string>{"h0", "h1", "h2", "a1_8", "a1_9", "a2_8", "a2_9", "core"});
  for (const char* wrong : {"", "a,", "h[", "h]", "h[1]", "h[3..2]", "h[a..b]", "h[0..1", "h[-1..2]",
                            "h[0..99999999999]", "h[0..999999999999999999999]", "h[0..9][0..9][0..9]"})
    CHECK_THROWS_AS(expand_names(wrong, 100), InvalidArgument);
}

TEST_CASE("whole-number formulas round down and have non-negative remainders", "[network][node_names]") {
  const std::vector<std::string> variables{"i", "j"};
  const std::vector<std::int64_t> values{7, 3};
  for (const auto& [text, expected] :
       std::vector<std::pair<std::string, std::int64_t>>{{"i/j*j+i%j", 7},
                                                         {"(i-9)%8", 6},
                                                         {"-i/2", -4},
                                                         {" 2 * ( i + j ) - 1 ", 19},
                                                         {"--3", 3},
                                                         {"1-2-3", -4}})
    CHECK(WholeFormula(text, variables).of(values) == expected);
  for (const char* wrong : {"", "k", "i+", "(i", "i)", "1 2", "i//j", "1e3", "9999999999999999"})
    CHECK_THROWS_AS(WholeFormula(wrong, variables), InvalidArgument);
  CHECK_THROWS_AS(WholeFormula("i/(j-3)", variables).of(values), InvalidArgument);
  CHECK_THROWS_AS(WholeFormula("999999999999999*i", variables).of(values), InvalidArgument);
  std::string pairs;
  Ranges("i = 0..2, j = i+1..3").for_each(100, [&](auto its) {
    pairs += std::to_string(its[0]) + std::to_string(its[1]) + " ";
  });
  CHECK(pairs == "01 02 03 12 13 23 ");
  CHECK_THROWS_AS(Ranges("i = 0..999999999").for_each(1000, [](auto) {}), InvalidArgument);
  CHECK_THROWS_AS(Ranges("i = 0..1, i = 0..1"), InvalidArgument);
}

TEST_CASE("compact traffic equals its list of flows", "[network][demands]") {
  const Rates uniform = rates("[[traffic]]\nuniform = 0.3\n");
  CHECK(uniform.size() == 12);
  for (const auto& [pair, rate] : uniform) CHECK(rate == Rational(1) / 10);
  // In the legacy form of [traffic].
  CHECK(uniform == rates_of(read_network(star_of_four + "[traffic]\nuniform = 0.3\n", "net.toml").network));

  const Rates groups = rates("[[traffic]]\nuniform = 0.3\ngroups = 2\n");
  CHECK(groups == Rates{{{"h0", "h1"}, Rational(3) / 10},
                        {{"h1", "h0"}, Rational(3) / 10},
                        {{"h2", "h3"}, Rational(3) / 10},
                        {{"h3", "h2"}, Rational(3) / 10}});
  const Rates incast = rates("[[traffic]]\nuniform = 0.25\nfrom = \"h[1..3]\"\nto = \"h0\"\n");
  CHECK(incast.size() == 3);
  CHECK(incast.at({"h2", "h0"}) == Rational(1) / 4);

  // The hot node gets a fifth of the other nodes' traffic, in addition to its part of the rest.
  const Rates hot = rates("[[traffic]]\nuniform = 0.3\nhot = \"h0\"\nhot_share = 0.2\n");
  CHECK(hot.at({"h1", "h0"}) == Rational(3) / 10 * (Rational(1) / 5 + Rational(4) / 15));
  CHECK(hot.at({"h1", "h2"}) == Rational(3) / 10 * Rational(4) / 15);
  CHECK(hot.at({"h0", "h2"}) == Rational(1) / 10);

  const Rates gravity = rates("[[traffic]]\ngravity = [[\"h[0..1]\", 0.6, 1], [\"h[2..3]\", 0, 2]]\n");
  CHECK(gravity.size() == 6);
  CHECK(gravity.at({"h0", "h1"}) == Rational(6) / 50);
  CHECK(gravity.at({"h0", "h3"}) == Rational(12) / 50);

  CHECK(rates("[[traffic]]\npermutation = \"shift\"\nrate = 0.5\nshift = 3\n") ==
        Rates{{{"h0", "h3"}, Rational(1) / 2},
              {{"h1", "h0"}, Rational(1) / 2},
              {{"h2", "h1"}, Rational(1) / 2},
              {{"h3", "h2"}, Rational(1) / 2}});
  CHECK(rates("[[traffic]]\npermutation = \"transpose\"\nrate = 0.5\n").size() == 2);
  CHECK(rates("[[traffic]]\npermutation = \"bit-reverse\"\nrate = 0.5\n").count({"h1", "h2"}) == 1);
  CHECK(rates("[[traffic]]\npermutation = \"reverse\"\nrate = 0.5\n").count({"h1", "h2"}) == 1);
  // Several demands, with additional flows; the rates of a node are summed.
  const Rates all = rates(
      "[[flow]]\nfrom = \"h0\"\nto = \"h1\"\nrate = 0.1\n[[traffic]]\nname = \"a\"\nuniform = 0.3\n"
      "[[traffic]]\nname = \"b\"\npermutation = \"shift\"\nrate = 0.6\n");
  CHECK(all.at({"h0", "h1"}) == Rational(8) / 10);
}

TEST_CASE("link weights split packets on spread routes", "[network][fabric_file]") {
  const std::string text =
      "hosts = \"h[0..1]\"\nswitches = \"a, b, c, d\"\nlink = [{from = \"h0\", to = \"a\"}, {from = \"d\", "
      "to = \"h1\"},\n"
      "{from = \"a\", to = \"b\", weight = 3}, {from = \"a\", to = \"c\"}, {from = [\"b\", \"c\"], to = "
      "\"d\"}]\n"
      "[[flow]]\nfrom = \"h0\"\nto = \"h1\"\nrate = 0.8\npath = \"spread\"\n";
  const Network network = read_network(text, "net.toml").network;
  REQUIRE(network.flows[0].routes.size() == 2);
  CHECK(network.flows[0].routes[0].share == Rational(3) / 4);
  CHECK(network.flows[0].routes[1].share == Rational(1) / 4);
  CHECK(read_network(to_toml(network), "again").network.links[2].weight == 3);
}

TEST_CASE("failures are removed before routes are found", "[network][failures]") {
  const std::string tree = to_toml(FatTree{4, 3}, FabricTraffic{});
  const auto links = [&](const std::vector<std::string>& without) {
    return read_fabric(tree, "net.toml", FlowsFrom::file, without).fabric.network.links.size();
  };
  const std::size_t whole = links({});
  CHECK(links({"core0"}) == whole - 8);
  CHECK(links({"edge0 -> agg0", "agg0 -> edge0"}) == whole - 2);
  CHECK(links({"3 random"}) == whole - 6);
  CHECK(links({"edge0 -> agg0", "31 random 7"}) == whole - 64);
  CHECK_THROWS_WITH(links({"edge0 -> agg0", "32 random"}),
                    Catch::Contains("at most 31 links between switches"));
  CHECK_THROWS_WITH(links({"edge0 -> core0"}), Catch::Contains("a link of the network"));
  CHECK_THROWS_WITH(links({"nobody"}), Catch::Contains("a node of the network, a link"));
  CHECK_THROWS_AS(failures_of(" ,, "), InvalidArgument);
  CHECK(failures_of(" a -> b ,core0,, 2 random ") == std::vector<std::string>{"a -> b", "core0", "2 random"});
  // In the fat-tree without one core switch, the others carry its load: the links up from agg0, which had two
  // of them.
  const auto load = [&](const std::string& text, const char* link) {
    for (const QueueTraffic& traffic :
         queue_traffic(read_network(text, "t").network, Sources::independent_sources))
      if (traffic.name == link) return traffic.load;
    return Rational(-1);
  };
  const std::string broken = "without = [\"core0\"]\n" + tree;
  CHECK(load(tree, "agg0 -> core1") == Rational(2) / 5);
  CHECK(load(broken, "agg0 -> core1") > load(tree, "agg0 -> core1"));
  CHECK(load(broken, "agg0 -> core0") == Rational(-1));
  // A disconnected host neither sends nor receives.
  const Network cut = read_network("without = [\"edge0\"]\n" + tree, "t").network;
  CHECK(cut.flows.size() == 14 * 13);
}

TEST_CASE("invalid compact traffic is rejected with its location", "[network][demands]") {
  const auto rejected = [](const std::string& traffic, const std::string& what) {
    CHECK_THAT(rejection(star_of_four + traffic), Catch::Contains(what));
  };
  rejected("[[traffic]]\n", "4:1: traffic must have exactly one of uniform");
  rejected("[[traffic]]\nuniform = 2\n", "5:11: the rate of uniform traffic is \"2\"");
  rejected("[[traffic]]\nuniform = 0.1\nfrom = \"h[0..9]\"\n",
           "6:8: the list of names is \"h[0..9]\"; it must be at most 5");
  rejected("[[traffic]]\nuniform = 0.1\nfrom = \"x\"\n", "6:8: the node \"x\" is not among");
  rejected("[[traffic]]\nuniform = 0.1\nfrom = \"h0\"\nto = \"h0\"\n", "4:1: there is no traffic");
  rejected("[[traffic]]\nuniform = 0.1\nhot = \"h0\"\n", "needs the key \"hot_share\"");
  rejected("[[traffic]]\nuniform = 0.1\nhot = \"s\"\nhot_share = 0.1\n", "receives no traffic");
  rejected("[[traffic]]\nuniform = 0.1\nrate = 0.1\n", "has no key \"rate\"");
  rejected("[[traffic]]\npermutation = \"transpose\"\nrate = 0.1\nfrom = \"h[0..2]\"\n",
           "it must be a square");
  rejected("[[traffic]]\npermutation = \"bit-reverse\"\nrate = 0.1\nfrom = \"h[0..2]\"\n", "a power of 2");
  rejected("[[traffic]]\npermutation = \"random\"\nshift = 1\nrate = 0.1\n", "\"shift\" does not apply to");
  rejected("[[traffic]]\ngravity = [[\"h0\", 0.1]]\n", "must be a list such as");
  rejected("[[traffic]]\ngravity = [[\"h0\", 0.1, -1]]\n", "it must be from 0 to 10^9");
  rejected("[[traffic]]\nuniform = 0.6\n[[traffic]]\nuniform = 0.1\n",
           "two tables of traffic have no \"name\"");
  rejected("[[traffic]]\nuniform = 0.6\n[[traffic]]\nname = \"b\"\nuniform = 0.6\n",
           "sends 6/5 packets per slot in total");
}

TEST_CASE("invalid or too many formula links are rejected with their location", "[network][node_names]") {
  const auto rejected = [](const std::string& links, const std::string& what) {
    CHECK_THAT(
        rejection("hosts = \"h[0..3]\"\nswitches = \"s[0..1]\"\n" + links + "\n[traffic]\nuniform = 0.1\n"),
        Catch::Contains(what));
  };
  rejected("link = [{each = \"i = 0..4\", from = \"h[i]\", to = \"s0\"}]",
           "3:17: the node \"h4\" is not among");
  rejected("link = [{each = \"i = 0..3\", from = \"h[j]\", to = \"s0\"}]", "the formula is \"j\"");
  rejected("link = [{each = \"i = 0..99999999999\", from = \"h[i%4]\", to = \"s0\"}]",
           "3:17: the link from \"h0\" to \"s0\" is listed twice");
  rejected("link = [{each = \"i = 0..99999999999, j = 1..0\", from = \"h[i]\", to = \"s0\"}]",
           "4000000 steps");
  rejected("link = [{each = \"i = 0..3\", pairs = [[1, 2]], from = \"h[i]\", to = \"s0\"}]",
           "give one of them");
  rejected("link = [{pairs = [[1, 2, 3]], from = \"h[i]\", to = \"s[j]\"}]", "must be a list of pairs");
  rejected("link = [{pairs = [[9, 0]], from = \"h[i]\", to = \"s[j]\"}]", "the node \"h9\" is not among");
  CHECK_THAT(rejection("hosts = \"h[0..99999999999]\""), Catch::Contains("1:9: the list of names"));
  CHECK_THAT(rejection("hosts = \"h[0..299999]\""), Catch::Contains("at most 200000 in all"));
  CHECK_THAT(rejection("hosts = [\"h[0..3]\"]\nswitches = [\"s\"]\nlink = [{from = \"h[0..3]\", to = \"s\", "
                       "both = true}]"),
             Catch::Contains("no flows"));  // in a list names are taken literally
}

TEST_CASE("a list of pairs does not depend on the chunks of the file", "[network][demands]") {
  const Network network = read_network(star_of_four + "[traffic]\nuniform = 0.1\n", "net.toml").network;
  const std::string csv = "# pairs\nfrom, to, rate\r\nh3, h0, 0.25\n\n \"h0\" ,h1,1/4\nh1,h2,0\nh0,h3,0.5";
  const std::vector<SparseDemand::Entry> expected{{3, 0, 1}, {0, 1, 1}, {0, 3, 2}};
  for (std::size_t size = 1; size < csv.size(); ++size) {
    SparseDemandReader reader(network, "pairs.csv");
    for (std::size_t at = 0; at < csv.size(); at += size) reader.take(std::string_view(csv).substr(at, size));
    const SparseDemand demand = reader.finish();
    REQUIRE(demand.entries == expected);
    REQUIRE(demand.values == std::vector<Rational>{0, Rational(1) / 4, Rational(1) / 2});
  }
}

TEST_CASE("an invalid list of pairs is rejected with its location", "[network][demands]") {
  const std::string head = "from,to,rate\n";
  const auto rejected = [](const std::string& csv, const std::string& what) {
    CHECK_THAT(sparse_message(csv), Catch::Contains(what));
  };
  rejected("", "pairs.csv:1:1: there is no traffic");
  rejected("a,b,c\n", "1:1: the first line must name");
  rejected(head + "h0,h1\n", "2:1: a line must have three cells");
  rejected(head + "h0,h1,0.1,\n", "2:1: a line must have three cells");
  rejected(head + "h0, x,0.1\n", "2:5: the node \"x\" is not in the network");
  rejected(head + "h0,h1,two\n", "2:7: the rate is \"two\"");
  rejected(head + "h0,h1,2\n", "2:7: the rate is \"2\"; it must be above 0 and at most 1");
  rejected(head + "h0,h0,0.1\n", "2:4: traffic from \"h0\" to itself");
  rejected(head + "\"h0,h1,0.1\n", "2:1: the quotation mark that opens here");
  rejected(head + "h0,h1,0.1\nh1,h0,0.1\nh0,h1,0.2\n", "from \"h0\" to \"h1\" is listed twice");
  rejected(head + "h0,h1,0.6\nh0,h2,0.6\n", "\"h0\" sends 6/5 packets per slot or more");
  rejected(head + std::string(3'000, 'x'), "2:1: a line of more than 2000 bytes");
  rejected(head + "\xff\xfe,h1,0.1\n", "2:1: the node \"??\" is not");
}
