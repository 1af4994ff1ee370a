#include <fmt/format.h>
#include <tailbound/bounds/guarantee/network_guarantee.hpp>
#include <tailbound/core/error.hpp>
#include <tailbound/network/policed/policed_file.hpp>
#include <tailbound/numeric/rational.hpp>

#include <catch2/catch.hpp>
#include <string>
#include <tests/support/policed_examples.hpp>
#include <tests/support/rational.hpp>
#include <vector>

// docs/derivations/time_sensitive.md: whole packets, overload, trees, preemption, gates, cut-through.

using namespace tailbound;
using bounds::GuaranteeMethod;
using bounds::NetworkGuarantee;
using numeric::Rational;
using numeric::to_fraction;
using tailbound::test::avionics;
using tailbound::test::bytes;
using tailbound::test::crossed_line;
using tailbound::test::flow;
using tailbound::test::ratio;
using tailbound::test::ring;

namespace {

NetworkGuarantee guaranteed(const std::string& toml, bool whole_packets = true) {
  return bounds::guarantee(network::read_policed_network(toml, "test.toml").network,
                           {.whole_packets = whole_packets, .whole_slots = false});
}

std::vector<std::string> delays(const NetworkGuarantee& found) {
  std::vector<std::string> all;
  for (const auto& flow : found.flows)
    for (const auto& route : flow.routes) all.push_back(route.tfa ? to_fraction(*route.tfa) : route.none);
  return all;
}

/// One port of rate 1 byte/us with three classes.
std::string port(const std::string& keys, const std::vector<std::string>& flows) {
  std::string toml = bytes + "hosts = [\"a\", \"b\"]\n";
  for (const char* name : {"A", "B", "C"}) toml += fmt::format("[[class]]\nname = \"{}\"\n", name);
  toml += "[[link]]\nfrom = \"a\"\nto = \"b\"\nrate = 8\nscheduler = \"priority\"\n" + keys + "\n";
  int number = 0;
  for (const std::string& its : flows)
    toml += flow(fmt::format("name = \"f{}\"\nfrom = \"a\"\nto = \"b\"\n{}", ++number, its));
  return toml;
}

std::string periodic(const char* its, int packet, int period) {
  return fmt::format("class = \"{}\"\npacket = {}\nperiod = {}", its, packet, period);
}

}  // namespace

TEST_CASE("whole packets: lines, rings and avionics attain what is simulated, or come closer") {
  CHECK(delays(guaranteed(crossed_line(2, 15, 1))).front() == "520");
  CHECK(delays(guaranteed(crossed_line(2, 15, 1), false)).front() == "3880/7");
  CHECK(delays(guaranteed(crossed_line(4, 25, 1))).front() == "1020");
  CHECK(delays(guaranteed(crossed_line(4, 25, 4))).front() == "179210/39");
  CHECK(delays(guaranteed(crossed_line(8, 25, 1))).front() == "2320");
  CHECK(delays(guaranteed(ring(5, 4, 15, 1))).front() == "820");
  CHECK(delays(guaranteed(ring(8, 5, 14, 1))).front() == "1520");
  CHECK(delays(guaranteed(avionics(false))) == std::vector<std::string>{"272", "272", "312", "232", "312"});
  CHECK(delays(guaranteed(avionics(false), false)) ==
        std::vector<std::string>{"67124/245", "67124/245", "76924/245", "232", "76924/245"});
}

TEST_CASE("whole packets in cycles: stages descend from the certificate") {
  const NetworkGuarantee found = guaranteed(ring(5, 4, 15, 1));
  REQUIRE(found.stages.size() > 1);
  for (std::size_t stage = 1; stage < found.stages.size(); ++stage)
    for (std::size_t i = 0; i < found.cyclic.size(); ++i)
      CHECK(found.stages[stage][i] <= found.stages[stage - 1][i]);
  CHECK(found.stages.back()[0] == found.queues[found.cyclic[0]].variation);
  CHECK(guaranteed(ring(5, 4, 15, 1), false).stages.size() == 1);
}

TEST_CASE("a flow to several destinations counts once at each port") {
  const NetworkGuarantee found = guaranteed(avionics(true));
  CHECK(delays(found) == std::vector<std::string>{"312", "272", "312", "272", "312", "312", "272"});
  CHECK(found.queues[0].backlog == 8000);
  CHECK(*found.flows[5].delay(GuaranteeMethod::best) == 312);
  CHECK(found.flows[5].routes[1].hops.size() == 3);
}

TEST_CASE("a lower class that is overloaded takes the bound from no other") {
  const auto network = [](int rate) {
    return port("", {periodic("A", 10, 100), "class = \"B\"\npacket = 30\nbucket = { rate = " +
                                                 std::to_string(rate) + ", burst = 60 }"});
  };
  const NetworkGuarantee found = guaranteed(network(9));
  CHECK(delays(found).front() == delays(guaranteed(network(2))).front());
  CHECK_FALSE(found.flows[1].delay(GuaranteeMethod::best));
  CHECK_THAT(found.queues[1].none, Catch::Contains("class B at a -> b is offered 125.0 % of its service"));
  // Behind it two such links of half a port's rate are all that its flows can use.
  const std::string tree = bytes + "hosts = [\"a\", \"b\", \"z\"]\nswitches = [\"s\", \"t\", \"u\"]\n" +
                           "[[link]]\nfrom = [\"a\", \"b\"]\nto = [\"s\", \"t\"]\nrate = 8\n" +
                           "[[link]]\nfrom = [\"s\", \"t\"]\nto = \"u\"\nrate = 8\n[[link]]\nfrom = "
                           "\"u\"\nto = \"z\"\nrate = 16\n" +
                           flow(
                               "name = \"a\"\nfrom = \"a\"\nto = \"z\"\npath = [\"s\", \"u\"]\npacket = "
                               "10\nbucket = { rate = 20, burst = 10 }") +
                           flow(
                               "name = \"b\"\nfrom = \"b\"\nto = \"z\"\npath = [\"t\", \"u\"]\npacket = "
                               "10\nbucket = { rate = 20, burst = 10 }");
  const NetworkGuarantee behind = guaranteed(tree);
  CHECK_FALSE(behind.flows[0].delay(GuaranteeMethod::best));
  for (std::size_t q = 0; q < behind.queues.size(); ++q)
    CHECK(behind.queues[q].none.empty() == (q != 0 && q != 3));  // the links of the hosts
  CHECK(behind.queues[2].backlog == 20);
}

TEST_CASE("preemption: an express packet waits for a fragment, an interrupted one for cuts") {
  const std::vector<std::string> flows{periodic("A", 84, 5000), periodic("B", 1542, 5000)};
  CHECK(delays(guaranteed(port("", flows))) == std::vector<std::string>{"1626", "1626"});
  CHECK(delays(guaranteed(port("preemptable = [\"B\", \"C\"]", flows))) ==
        std::vector<std::string>{"227", "1650"});
  CHECK(delays(guaranteed(port("preemptable = [\"B\", \"C\"]\nfragment = 128", flows))) ==
        std::vector<std::string>{"291", "1650"});
  CHECK(delays(guaranteed(port("preemptable = [\"B\", \"C\"]", flows), false)).back() == "2062500/1223");
  // A packet that is shorter than what cannot be cut.
  CHECK(delays(guaranteed(
                   port("preemptable = [\"B\", \"C\"]", {periodic("A", 84, 5000), periodic("B", 100, 5000)})))
            .front() == "184");
}

TEST_CASE("gates: windows of whole packets carry what they are made for") {
  const auto gated = [](const char* gates, const std::vector<std::string>& flows, const char* keys = "") {
    return guaranteed(port(std::string("gates = [ ") + gates + " ]\n" + keys, flows));
  };
  const std::string others =
      "class = \"B\"\npacket = { max = 30, min = 10 }\nbucket = { rate = \"8/5\", burst = 60 }";
  const NetworkGuarantee one =
      gated("{ time = 10, open = \"A\" }, { time = 90, open = \"B\" }", {periodic("A", 10, 100), others});
  CHECK(delays(one) == std::vector<std::string>{"110", "100"});
  CHECK(one.queues[1].backlog == 68);
  const std::string its = periodic("A", 10, 100);
  const NetworkGuarantee three =
      gated("{ time = 30, open = \"A\" }, { time = 70, open = \"B\" }", {its, its, its, others});
  CHECK(delays(three) == std::vector<std::string>{"110", "110", "110", "180"});
  CHECK(three.queues[0].backlog == 40);
  CHECK(three.queues[1].backlog == 72);
  // The same list, shifted: windows that touch over its end are one.
  CHECK(delays(gated("{ time = 10, open = \"A\" }, { time = 70, open = \"B\" }, { time = 20, open = \"A\" }",
                     {its, its, its, others})) == delays(three));
  const NetworkGuarantee joint = gated(
      "{ time = 60, open = [\"A\", \"B\"] }, { time = 40, open = [\"B\", \"C\"] }",
      {its, periodic("A", 10, 150), "class = \"B\"\npacket = 20\nbucket = { rate = \"8/5\", burst = 40 }"});
  CHECK(delays(joint).front() == "110");
  CHECK(joint.queues[0].backlog == 20);
  // A higher class that is open in a part of a window and has no bound leaves none to those below.
  const NetworkGuarantee overloaded =
      gated("{ time = 10, open = [\"A\", \"B\"] }, { time = 90, open = \"B\" }",
            {periodic("A", 5, 25), periodic("B", 2, 100)});
  CHECK_FALSE(overloaded.queues[0].none.empty());
  CHECK_THAT(overloaded.queues[1].none, Catch::Contains("depends on an overloaded one"));
  CHECK_THROWS_WITH(
      gated("{ time = 30, open = [\"A\", \"B\"] }, { time = 70, open = \"B\" }",
            {its, periodic("B", 30, 1000)}),
      Catch::Contains("the window of class A at a -> b is 30") && Catch::Contains("longer by 10"));
  CHECK_THROWS_WITH(gated("{ time = 9, open = \"A\" }, { time = 91, open = \"B\" }", {its}),
                    Catch::Contains("at least 10, the time of its longest packet"));
  CHECK_THROWS_WITH(gated("{ time = 9, open = \"B\" }", {its}), Catch::Contains("never open to class A"));
}

TEST_CASE("gates: a line of 1 Gbit/s with a window for control") {
  const auto cell = [](const char* gates) {
    std::string toml =
        bytes + "hosts = [\"a\", \"b\"]\n[[class]]\nname = \"control\"\n[[class]]\nname = \"other\"\n" +
        "[[link]]\nfrom = \"a\"\nto = \"b\"\nrate = 1000\nscheduler = \"priority\"\ngates = [ " + gates +
        " ]\n";
    for (int i = 0; i < 4; ++i)
      toml += flow(fmt::format(
          "name = \"c{}\"\nfrom = \"a\"\nto = \"b\"\nclass = \"control\"\npacket = 1250\nperiod = 500", i));
    for (int i = 0; i < 10; ++i)
      toml += flow(fmt::format(
          "name = \"o{}\"\nfrom = \"a\"\nto = \"b\"\nclass = \"other\"\npacket = {{ max = 1542, min = 84 }}\n"
          "bucket = {{ rate = 20, burst = 1542 }}",
          i));
    return delays(guaranteed(toml));
  };
  const auto apart = cell("{ time = 50, open = \"control\" }, { time = 450, open = \"other\" }");
  CHECK(apart.front() == "500");
  CHECK(apart.back() == "23212/125");
  const auto early = cell(
      "{ time = 37, open = \"control\" }, { time = 13, open = [\"control\", \"other\"] }, "
      "{ time = 450, open = \"other\" }");
  CHECK(early.front() == "64042/125");
  CHECK(early.back() == "31587/125");
}

TEST_CASE("cut-through counts headers between switches") {
  const auto line = [](const std::string& keys, int first = 100) {
    std::string toml =
        bytes + "hosts = [\"a\", \"b\", \"x1\", \"x2\", \"x3\", \"y1\", \"y2\"]\nswitches = \"s[1..3]\"\n";
    const auto link = [&](const char* from, const char* to, int rate, const std::string& its = "") {
      toml += fmt::format("[[link]]\nfrom = \"{}\"\nto = \"{}\"\nrate = {}\n{}\n", from, to, rate, its);
    };
    link("a", "s1", first);
    link("s1", "s2", 100, keys);
    link("s2", "s3", 100, keys);
    link("s3", "b", 100, keys);
    for (int i = 1; i <= 3; ++i) link(fmt::format("x{}", i).c_str(), fmt::format("s{}", i).c_str(), 100);
    link("s2", "y1", 100);
    link("s3", "y2", 100);
    for (const auto& [from, to] : {std::pair{"a", "b"}, {"x1", "y1"}, {"x2", "y2"}, {"x3", "b"}})
      toml += flow(fmt::format(
          "from = \"{}\"\nto = \"{}\"\npacket = 1250\nbucket = {{ rate = 1, burst = 1250 }}", from, to));
    return toml;
  };
  CHECK(delays(guaranteed(line(""))).front() == "700");
  const NetworkGuarantee found = guaranteed(line("cut_through = 64"));
  CHECK(delays(found).front() == "10384/25");
  CHECK(found.flows[0].routes[0].minimum == ratio(10384, 25) - 300);
  CHECK_THROWS_WITH(guaranteed(line("cut_through = 64", 10)),
                    Catch::Contains("the cut-through of s1 -> s2") && Catch::Contains("a -> s1 is slower"));
}

TEST_CASE("offsets of one clock keep flows apart") {
  const auto line = [](const char* offsets) {
    std::string toml = bytes + "hosts = [\"a\", \"b\", \"x\"]\nswitches = \"s\"\n" +
                       "[[link]]\nfrom = [\"a\", \"x\"]\nto = \"s\"\nrate = 8\n[[link]]\nfrom = \"s\"\nto = "
                       "\"b\"\nrate = 8\n";
    for (int i = 0; i < 4; ++i)
      toml += flow(fmt::format("name = \"f{}\"\nfrom = \"a\"\nto = \"b\"\npacket = 125\nperiod = 1000\n", i) +
                   (offsets == nullptr ? "" : fmt::format("clock = \"{}\"\noffset = {}", offsets, 250 * i)));
    return guaranteed(toml + flow("name = \"x\"\nfrom = \"x\"\nto = \"b\"\npacket = 125\nperiod = 1000"));
  };
  const NetworkGuarantee without = line(nullptr), with = line("plc");
  CHECK(delays(without).front() == "750");
  CHECK(without.queues[0].backlog == 500);
  CHECK(delays(with).front() == "375");
  CHECK(with.queues[0].backlog == 125);
}
