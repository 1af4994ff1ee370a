#include <tailbound/bounds/guarantee/path_program.hpp>
#include <tailbound/network/policed/policed_file.hpp>
#include <tailbound/numeric/rational.hpp>

#include <algorithm>
#include <catch2/catch.hpp>
#include <random>
#include <string>
#include <tests/support/policed_examples.hpp>
#include <tests/support/policed_ports.hpp>
#include <tests/support/rational.hpp>
#include <vector>

using namespace tailbound;
using bounds::delay_bound;
using bounds::NetworkGuarantee;
using bounds::path_program;
using bounds::PathProgram;
using bounds::PathProgramBound;
using bounds::PathRowKind;
using network::PolicedNetwork;
using numeric::nearest_double;
using numeric::Rational;
using numeric::to_fraction;
using tailbound::test::avionics;
using tailbound::test::crossed_line;
using tailbound::test::ratio;
using tailbound::test::rational;
using tailbound::test::ring;

namespace {

PolicedNetwork read(const std::string& toml) {
  return network::read_policed_network(toml, "test.toml").network;
}

NetworkGuarantee facts_of(const PolicedNetwork& network, bool whole_packets) {
  return bounds::guarantee(network, {.whole_packets = whole_packets, .whole_slots = false});
}

/// \param route  of the flow; none if it has no program
std::optional<PathProgram> program_of(const PolicedNetwork& network, const NetworkGuarantee& facts,
                                      std::size_t flow = 0, std::size_t route = 0) {
  return path_program(network, facts, flow, facts.flows[flow].routes[route].hops);
}

Rational bound(const PathProgram& program) {
  const auto found = delay_bound(program);
  REQUIRE(found);
  return found->delay;
}

Rational bound(const std::string& toml, bool whole_packets, std::size_t flow = 0, std::size_t route = 0) {
  const PolicedNetwork network = read(toml);
  return bound(*program_of(network, facts_of(network, whole_packets), flow, route));
}

/// Without the time that a packet takes to pass a queue: only x[j][k] + wire <= x[j + 1][k].
Rational bound_without_passage(const PolicedNetwork& network, const NetworkGuarantee& facts) {
  PathProgram program = *program_of(network, facts);
  for (std::size_t row = 0; row < program.rows.size(); ++row)
    if (program.rows[row].kind == PathRowKind::passage) program.program.rows[row].limit = 0;
  return bound(program);
}

/// The row of that name, and no other.
std::size_t row_named(const PathProgram& program, const bounds::PathRow& name) {
  const auto found = std::find(program.rows.begin(), program.rows.end(), name);
  REQUIRE(found != program.rows.end());
  REQUIRE(std::find(found + 1, program.rows.end(), name) == program.rows.end());
  return static_cast<std::size_t>(found - program.rows.begin());
}

/// From the names of its rows alone.
std::optional<Rational> checked(const PathProgram& program, const std::vector<bounds::PathStep>& proof) {
  std::vector<bounds::Multiplier> multipliers;
  for (const bounds::PathStep& step : proof)
    multipliers.push_back({row_named(program, step.row), step.factor});
  const auto maximum = bounds::proved_bound(program.program, multipliers);
  return maximum ? std::optional<Rational>(*maximum + program.after) : std::nullopt;
}

}  // namespace

TEST_CASE("path programs of published and of crossed lines, rings, as fractions") {
  const auto without_passage = [](const std::string& toml) {
    const PolicedNetwork network = read(toml);
    return bound_without_passage(network, facts_of(network, false));
  };
  CHECK(to_fraction(bound(crossed_line(2, 15, 1), false)) == "535");
  CHECK(to_fraction(bound(crossed_line(4, 25, 1), false)) == "17095/16");
  CHECK(to_fraction(bound(crossed_line(4, 25, 4), false)) == "8852095/2496");
  CHECK(to_fraction(bound(crossed_line(8, 25, 1), false)) == "1189265/512");
  CHECK(to_fraction(without_passage(crossed_line(8, 25, 1))) == "1375295/576");
  CHECK(nearest_double(bound(ring(5, 4, 15, 1), false)) == Approx(1083.98).margin(0.005));
  CHECK(nearest_double(without_passage(ring(8, 5, 14, 1))) == Approx(1705.97).margin(0.005));
  CHECK(nearest_double(without_passage(ring(8, 5, 14, 3))) == Approx(4368.25).margin(0.005));
  CHECK(to_fraction(bound(avionics(false), false, 0)) == "333268/1225");
  CHECK(to_fraction(bound(avionics(false), false, 2)) == "382248/1225");
  CHECK(to_fraction(bound(avionics(false), false, 3)) == "232");
}

TEST_CASE("path programs use delays in whole packets") {
  CHECK(to_fraction(bound(crossed_line(2, 15, 1), true)) == "520");
  CHECK(to_fraction(bound(crossed_line(4, 25, 1), true)) == "2885/3");
  CHECK(to_fraction(bound(ring(5, 4, 15, 1), true)) == "820");
  // A flow to two destinations has a program for each route; it is cross traffic once at each port.
  CHECK(to_fraction(bound(avionics(true), true, 5, 0)) == "312");
  CHECK(to_fraction(bound(avionics(true), true, 5, 1)) == "272");
  // Only the delays, with curves that are not in whole packets.
  const auto only_delays = [](const std::string& toml) {
    const PolicedNetwork network = read(toml);
    const NetworkGuarantee whole = facts_of(network, true);
    NetworkGuarantee facts = facts_of(network, false);
    for (std::size_t q = 0; q < facts.queues.size(); ++q) facts.queues[q].delay = whole.queues[q].delay;
    return to_fraction(bound_without_passage(network, facts));
  };
  CHECK(only_delays(crossed_line(4, 25, 4)) == "8730095/2496");
  CHECK(only_delays(crossed_line(8, 25, 1)) == "779605/384");
}

TEST_CASE("path programs: a proof can be checked by the names of its rows") {
  const PolicedNetwork network = read(crossed_line(4, 25, 4));
  const NetworkGuarantee facts = facts_of(network, true);
  const PathProgram program = *program_of(network, facts);
  const PathProgramBound found = *delay_bound(program);
  CHECK(program.rows.size() == 248);
  CHECK(program.program.columns == 52);
  CHECK(bounds::path_program_size(network, facts, 0, facts.flows[0].routes[0].hops) == 248 * 52);
  CHECK(checked(program, found.proof) == found.delay);
  for (std::size_t i = 0; i < found.proof.size(); ++i) {
    auto wrong = found.proof;
    wrong[i].factor = wrong[i].factor * ratio(999'999, 1'000'000);
    CHECK_FALSE(checked(program, wrong));
  }
  auto shorter = found.proof;
  shorter.pop_back();
  CHECK_FALSE(checked(program, shorter));
}

TEST_CASE("path programs are never above the sum of delays") {
  std::mt19937 random(11);
  int routes = 0, below = 0;
  for (int i = 0; i < 200; ++i) {
    const PolicedNetwork network = test::random_ports(
        random, {.min_ports = 2, .max_ports = 6, .min_flows = 3, .max_flows = 8, .slowest = 12});
    CAPTURE(test::text_of(network));
    const NetworkGuarantee facts = facts_of(network, i % 2 == 0);
    for (std::size_t flow = 0; flow < network.flows.size(); ++flow) {
      const auto program = program_of(network, facts, flow);
      REQUIRE(program);
      const Rational delay = bound(*program);
      const Rational& tfa = *facts.flows[flow].routes[0].tfa;
      CHECK(delay <= tfa);
      ++routes;
      below += delay < tfa ? 1 : 0;
    }
  }
  CHECK(routes > 900);
  CHECK(4 * below > routes);
}

TEST_CASE("path programs: flows that leave the route and join it again") {
  PolicedNetwork network;
  network.classes = {"all"};
  for (int p = 0; p < 5; ++p) network.ports.push_back({.name = "p" + std::to_string(p), .rate = 1});
  const auto add = [&](const std::vector<std::size_t>& path) {
    network.flows.push_back({.name = "f", .path = path, .buckets = {{ratio(1, 8), 2}}});
  };
  add({0, 1, 2, 3});
  add({0, 4, 2, 3});  // by another port
  add({1, 0, 2, 3});  // not in the order of the route
  const NetworkGuarantee facts = facts_of(network, false);
  const PathProgram program = *program_of(network, facts);
  struct Part {
    std::size_t first, last, flows;
  };
  std::vector<Part> parts;
  for (const bounds::PathSet& set : program.sets) parts.push_back({set.first, set.last, set.flows.size()});
  const auto has = [&](std::size_t first, std::size_t last) {
    return std::any_of(parts.begin(), parts.end(), [&](const Part& part) {
      return part.first == first && part.last == last && part.flows == 1;
    });
  };
  CHECK(parts.size() == 6);
  CHECK(has(0, 3));  // the flow itself
  CHECK(has(0, 0));
  CHECK(has(1, 1));
  CHECK(std::count_if(parts.begin(), parts.end(), [](const Part& part) { return part.first == 2; }) == 2);
  CHECK(bound(program) <= *facts.flows[0].routes[0].tfa);
}

TEST_CASE("path programs: latencies, wires, classes; routes without one") {
  const auto crossing = [](const std::string& keys) {
    return test::bytes +
           "hosts = [\"a\", \"b\", \"c\"]\nswitches = [\"s\", \"t\"]\n"
           "[[class]]\nname = \"high\"\n[[class]]\nname = \"low\"\n"
           "[[link]]\nfrom = [\"a\", \"c\"]\nto = \"s\"\nrate = 100\n"
           "[[link]]\nfrom = \"s\"\nto = \"t\"\nrate = 100\n" +
           keys + "\n[[link]]\nfrom = \"t\"\nto = \"b\"\nrate = 100\n" +
           test::flow(
               "from = \"a\"\nto = \"b\"\npacket = 1250\nclass = \"low\"\nbucket = { rate = 10, burst = "
               "2500 }") +
           test::flow(
               "from = \"c\"\nto = \"b\"\npacket = 1250\nclass = \"high\"\nbucket = { rate = 10, burst = "
               "2500 }");
  };
  const auto delay = [&](const std::string& keys) { return bound(crossing(keys), false); };
  const Rational plain = delay("");
  CHECK(delay("wire = 7") == plain + 7);
  CHECK(delay("latency = 7") > plain);
  CHECK(delay("scheduler = \"priority\"") > plain);
  CHECK(delay("scheduler = \"drr\"\nquantum = 1250") > plain);
  const auto has_program = [&](const std::string& keys) {
    const PolicedNetwork network = read(crossing(keys));
    const NetworkGuarantee facts = facts_of(network, true);
    const bool has = program_of(network, facts).has_value();
    CHECK((bounds::path_program_size(network, facts, 0, facts.flows[0].routes[0].hops) > 0) == has);
    return has;
  };
  CHECK(has_program("scheduler = \"priority\""));
  CHECK_FALSE(has_program("scheduler = \"priority\"\npreemptable = \"low\""));
  CHECK_FALSE(has_program("reshape = true"));
  CHECK_FALSE(has_program("cut_through = 64"));
}
