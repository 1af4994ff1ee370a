#include <tailbound/core/error.hpp>
#include <tailbound/network/policed/policed_file.hpp>
#include <tailbound/numeric/rational.hpp>

#include <array>
#include <catch2/catch.hpp>
#include <string>
#include <tests/support/rational.hpp>
#include <utility>
#include <vector>

using namespace tailbound;
using namespace tailbound::test;
using network::PolicedFile;
using network::read_policed_network;
using network::Scheduler;
using tailbound::test::rational;

namespace {

const std::string two_switches = R"(
name = "line"
hosts = ["a", "b", "c"]
switches = ["s", "t"]
units = { size = "bytes", time = "us", rate = "Mbit/s" }

[[class]]
name = "control"
[[class]]
name = "rest"

[[link]]
from = ["a", "b"]
to = "s"
rate = 100
[[link]]
from = "s"
to = "t"
rate = 1000
latency = 2.5
wire = "1/10"
scheduler = "priority"
[[link]]
from = "t"
to = "c"
rate = 100
scheduler = "drr"
quantum = { control = 3000, rest = 1518 }
reshape = true

[[flow]]
from = "a"
to = "c"
class = "control"
bucket = { rate = 0.5, burst = 1518 }
packet = { max = 1518, min = 64 }
[[flow]]
name = "video"
from = "b"
to = "c"
class = "rest"
bucket = [{ rate = 20, burst = 6000 }, { rate = "100", burst = 1518 }]
packet = 1518
)";

std::string replaced(std::string text, const std::string& what, const std::string& with) {
  const std::size_t at = text.find(what);
  REQUIRE(at != std::string::npos);
  return text.replace(at, what.size(), with);
}

}  // namespace

TEST_CASE("a file with policed flows is read in its units") {
  const PolicedFile file = read_policed_network(two_switches, "line.toml");
  CHECK(file.name == "line");
  CHECK_FALSE(file.units.slotted());
  CHECK(file.units.rate == "Mbit/s");
  CHECK(file.network.classes == std::vector<std::string>{"control", "rest"});
  REQUIRE(file.network.ports.size() == 4);  // both hosts' links, s -> t, t -> c
  REQUIRE(file.network.flows.size() == 2);
  const auto& control = file.network.flows[0];
  CHECK(control.name == "a -> c");
  CHECK(control.traffic_class == 0);
  CHECK(control.path == std::vector<std::size_t>{0, 1, 2});
  CHECK(control.buckets ==
        std::vector<traffic::TokenBucket>{{ratio(1, 16), 1518}});  // 0.5 Mbit/s in bytes a us
  CHECK(control.shortest == 64);
  const auto& video = file.network.flows[1];
  CHECK(video.path == std::vector<std::size_t>{3, 1, 2});
  CHECK(video.buckets.size() == 2);
  CHECK(video.buckets[1].rate == rational("12.5"));
  const auto& middle = file.network.ports[1];
  CHECK(middle.name == "s -> t");
  CHECK(middle.rate == 125);
  CHECK(middle.latency == rational("2.5"));
  CHECK(middle.wire == rational("0.1"));
  CHECK(middle.scheduler == Scheduler::priority);
  const auto& last = file.network.ports[2];
  CHECK(last.quanta == std::vector<numeric::Rational>{3000, 1518});
  CHECK(last.reshaped);
}

TEST_CASE("without units policed flows use packets and slots") {
  const PolicedFile file = read_policed_network(R"(
hosts = ["a", "b"]
switches = ["s"]
[[link]]
from = ["a", "b"]
to = "s"
both = true
[[flow]]
from = "a"
to = "b"
bucket = { rate = "1/3", burst = 2 }
)",
                                                "f");
  CHECK(file.units.slotted());
  CHECK(file.network.classes.size() == 1);
  CHECK(file.network.ports.size() == 2);
  CHECK(file.network.flows[0].longest == 1);
}

TEST_CASE("invalid files with policed flows are rejected with their location") {
  const auto rejected = [](const std::string& text, const std::string& why) {
    INFO(why);
    try {
      (void)read_policed_network(text, "line.toml");
      FAIL("was read");
    } catch (const ParseError& error) {
      CHECK_THAT(error.what(), Catch::Contains(why) && Catch::Contains("line.toml"));
    }
  };
  const std::vector<std::array<std::string, 3>> faults{
      {"burst = 1518 }\npacket", "burst = 1500 }\npacket", "must be at least the longest packet"},
      {"rate = 0.5,", "rate = 0,", "must be above 0"},
      {"class = \"control\"\nbucket", "class = \"other\"\nbucket", "no [[class]] has"},
      {"class = \"control\"\nbucket", "bucket", "needs the key \"class\""},
      {"scheduler = \"priority\"", "scheduler = \"gates\"", "must be fifo, priority, drr or cbs"},
      {"quantum = { control = 3000, rest = 1518 }\n", "", "needs the key \"quantum\""},
      {"scheduler = \"drr\"", "scheduler = \"fifo\"", "applies only with scheduler = \"drr\""},
      {"quantum = { control = 3000, rest = 1518 }", "quantum = { control = 3000 }", "\"rest\""},
      {"time = \"us\"", "time = \"minutes\"", "must be one of ns, us, ms, s"},
      {"packet = 1518", "packet = { max = 64, min = 1518 }", "larger than its longest"},
      {"packet = 1518", "", "needs the key \"packet\""},
      {"name = \"video\"", "name = \"video\"\npath = \"spread\"", "give the nodes of its path"},
      {"name = \"video\"", "name = \"video\"\nrate = 0.5", "needs a \"bucket\""},
      {"rate = 1000\n", "", "needs the key \"rate\""},
      {"latency = 2.5", "latency = -1", "must be 0 or above"},
      {"quantum", "gates = [ { time = 5, open = \"rest\" } ]\nquantum",
       "\"gates\" applies only with scheduler"},
      {"latency = 2.5", "gates = []", "\"gates\" must be a list such as"},
      {"latency = 2.5", "gates = [ { time = 5, open = \"rests\" } ]", "did you mean rest"},
      {"latency = 2.5", "gates = [ { time = 0, open = [] } ]", "must be above 0"},
      {"latency = 2.5", "guard = \"fit\"", "\"guard\" applies only with \"gates\""},
      {"latency = 2.5", "gates = [ { time = 5, open = \"rest\" } ]\nguard = \"sdu\"",
       "must be fit, static or overrun"},
      {"latency = 2.5", "gates = [ { time = 5, open = \"rest\" } ]\nguard = \"static\"",
       "needs the key \"max_sdu\""},
      {"latency = 2.5", "gates = [ { time = 5, open = \"rest\" } ]\nmax_sdu = 9",
       "only with guard = \"static\""},
      {"latency = 2.5", "gates = [ { time = 5, open = \"rest\" } ]\npreemptable = \"rest\"",
       "not supported together"},
      {"quantum", "preemptable = \"rest\"\nquantum", "\"preemptable\" applies only with scheduler"},
      {"latency = 2.5", "preemptable = \"control\"", "the lowest classes must be the preemptable ones"},
      {"latency = 2.5", "fragment = 64", "\"fragment\" applies only with \"preemptable\""},
      {"latency = 2.5", "preemptable = \"rest\"\nfragment = 96", "must be 64, 128, 192 or 256"},
      {"latency = 2.5", "cut_through = 0", "must be above 0"},
      {"packet = 1518", "packet = 1518\nperiod = 500", "a period and a bucket"},
      {"packet = 1518", "packet = 1518\njitter = 500", "applies only with \"period\""},
      {"packet = { max = 1518, min = 64 }", "packet = { max = 1518, min = 64 }\nperiod = 9", "one length"},
      {"bucket = { rate = 0.5, burst = 1518 }", "", "needs the key \"bucket\" or \"period\""},
      {"to = \"c\"\nclass = \"control\"", "to = []\nclass = \"control\"", "has no destination"},
      {"to = \"c\"\nclass = \"control\"", "to = [\"c\", \"c\"]\nclass = \"control\"",
       "the destination \"c\" twice"},
      {"to = \"c\"\nclass = \"control\"", "to = [\"c\", \"t\"]\npath = [\"s\"]\nclass = \"control\"",
       "a list with the path to each"},
  };
  for (const auto& [what, with, why] : faults) rejected(replaced(two_switches, what, with), why);
  rejected(two_switches + "\n[traffic]\nuniform = 0.5\n", "as a [[flow]] with a \"bucket\"");
}

TEST_CASE("gates, preemption and periods are read in their units") {
  std::string text = replaced(two_switches, "latency = 2.5",
                              "gates = [ { time = 50, open = \"control\" }, { time = 0.5, open = [] } ]\n"
                              "guard = \"static\"\nmax_sdu = { control = 2000 }\ncut_through = 64");
  text = replaced(text, "bucket = { rate = 0.5, burst = 1518 }\npacket = { max = 1518, min = 64 }",
                  "period = 250\njitter = 5\nclock = \"plc\"\noffset = 20\npacket = 125");
  const PolicedFile file = read_policed_network(text, "line.toml");
  const auto& gated = file.network.ports[1];
  REQUIRE(gated.gates.size() == 2);
  CHECK(gated.gates[1].time == rational("0.5"));
  CHECK(gated.gates[0].open == std::vector<bool>{true, false});
  CHECK(gated.gates[1].open == std::vector<bool>{false, false});
  CHECK(gated.guard == network::Guard::fixed);
  // Classes without one: their longest packet.
  CHECK(gated.max_sdu == std::vector<numeric::Rational>{2000, 1518});
  CHECK(gated.cut_through == numeric::Rational(64));
  const auto& flow = file.network.flows[0];
  REQUIRE(flow.periodic);
  CHECK(flow.periodic->offset == numeric::Rational(20));
  CHECK(flow.buckets == std::vector<traffic::TokenBucket>{{ratio(1, 2), rational("127.5")}});
  CHECK(file.network.byte == 1);
  const PolicedFile cuts = read_policed_network(
      replaced(two_switches, "latency = 2.5", "preemptable = [\"rest\"]\nfragment = 128"), "line.toml");
  CHECK(cuts.network.ports[1].preemptable == std::vector<bool>{false, true});
  CHECK(cuts.network.ports[1].fragment == 128);
}

TEST_CASE("several destinations: routes are a tree of ports") {
  const std::string links = R"(
hosts = "a, b, c[0..1]"
switches = ["s", "t", "u"]
[[link]]
from = ["a", "b"]
to = "s"
[[link]]
from = "s"
to = ["t", "u"]
[[link]]
from = "t"
to = ["c0", "u"]
[[link]]
from = "u"
to = ["c0", "c1"]
)";
  const auto with = [&](const std::string& flow) {
    return read_policed_network(links + "[[flow]]\nbucket = { rate = 0.1, burst = 1 }\n" + flow, "tree.toml")
        .network;
  };
  const auto network =
      with("from = \"a\"\nto = \"c[0..1]\"\npath = [[\"s\", \"t\"], [\"s\", \"t\", \"u\"]]\n");
  const auto& flow = network.flows.front();
  CHECK(flow.name == "a -> c0, c1");
  CHECK(flow.path.size() == 5);
  CHECK(flow.before == std::vector<std::size_t>{0, 0, 1, 1, 3});
  REQUIRE(flow.destinations.size() == 2);
  CHECK(flow.destinations[1].name == "c1");
  CHECK(flow.routes() == std::vector<std::vector<std::size_t>>{{0, 1, 2}, {0, 1, 3, 4}});
  CHECK(with("from = \"a\"\nto = [\"c0\"]\n").flows.front().destinations.empty());
  CHECK_THROWS_WITH(
      with("from = \"a\"\nto = [\"c0\", \"c1\"]\npath = [[\"s\", \"t\", \"u\"], [\"s\", \"u\"]]\n"),
      Catch::Contains("enter \"u\" in two ways") && Catch::Contains("must be a tree"));
}
