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
  };
  for (const auto& [what, with, why] : faults) rejected(replaced(two_switches, what, with), why);
  rejected(two_switches + "\n[traffic]\nuniform = 0.5\n", "as a [[flow]] with a \"bucket\"");
}
