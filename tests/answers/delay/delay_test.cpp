#include <catch2/catch.hpp>
#include <tailbound/answers/delay/delay.hpp>
#include <tailbound/network/files/network_file.hpp>
#include <tailbound/numeric/rational.hpp>
#include <tests/support/rational.hpp>

#include <stop_token>

// Queries about delays of trees and networks. The numbers themselves are tested in
// tests/bounds/path/path_delay_test.cpp and network_delay_test.cpp.

using namespace tailbound;
using answers::DelayAnswer;
using answers::DelayQuery;
using numeric::Rational;
using tailbound::test::rational;

namespace {

/// Hosts a, b, c behind one switch, d behind another; a and b send to c at the same rate, b also to d.
answers::NetworkTopology two_switches() {
  const std::string text = R"(
hosts = ["a", "b", "c", "d"]
switches = ["left", "right"]
[[link]]
from = ["a", "b", "c"]
to = "left"
both = true
[[link]]
from = "d"
to = "right"
both = true
[[link]]
from = "left"
to = "right"
both = true
[[flow]]
from = "a"
to = "c"
rate = 0.3
[[flow]]
from = "b"
to = "c"
rate = 0.4
[[flow]]
from = "b"
to = "d"
rate = 0.2
[[flow]]
from = "a"
to = "d"
rate = 0.2
)";
  return {.network = network::read_network(text, "text").network, .file = "text", .matrix = {}};
}

answers::TreeTopology small_tree() {
  return {.tree = {4, 2}, .load = Rational(4) / 5};
}

}  // namespace

TEST_CASE("delay of a tree is the sum over its queues", "[answers][delay]") {
  DelayQuery query{.topology = small_tree()};
  query.percentiles = answers::usual_percentiles();
  query.levels = {Slots(0), Slots(7)};
  query.hops = answers::Hops::independent;
  const DelayAnswer answer = answers::answer(query);
  REQUIRE(answer.flows.size() == 1);
  CHECK_FALSE(answer.stopped);
  CHECK_FALSE(answer.proved());  // independence of hops is not proved
  CHECK(query.of_one_flow());

  const bounds::TreeDelay tree = bounds::tree_delay(
      {4, 2}, Rational(4) / 5, network::TreeRouting::random_root, network::Sources::independent_sources);
  bounds::PathDelay delays(tree.network.queues, queue::HopDelay::wait);
  const bounds::ClaimedDelayAnswer expected =
      delays.claims(tree.routes, {.levels = query.levels, .percentiles = query.percentiles});
  const answers::StatedDelay& found = answer.flows.front().delay;
  CHECK(static_cast<double>(std::get<numeric::Approximation<unit::Slot>>(found.mean_queueing).value) ==
        Approx(numeric::nearest_double(std::get<numeric::Exact<unit::Slot>>(expected.mean_queueing).value))
            .epsilon(1e-9));
  for (std::size_t i = 0; i < expected.queueing.size(); ++i) {
    CHECK(found.queueing[i].slots == expected.queueing[i].slots);
    CHECK(found.latency[i].slots == expected.queueing[i].slots + Slots(3));
  }
  CHECK(answer.paths.flows.front().longest.size() == 3);
  CHECK(answer.paths.flows.front().rate == Rational(4) / 5);
  CHECK(answer.paths.flows.front().links.empty());
}

TEST_CASE("delay of a network: flows, links and identical flows", "[answers][delay]") {
  DelayQuery query{.topology = two_switches()};
  query.percentiles = {rational("0.99")};
  query.drop = bounds::DropTarget{rational("1e-6")};
  query.hops = answers::Hops::independent;
  const DelayAnswer answer = answers::answer(query);
  REQUIRE(answer.flows.size() == 4);
  CHECK_FALSE(query.of_one_flow());
  const auto& flows = answer.paths.flows;
  CHECK(flows[0].source == "a");
  CHECK(flows[0].destination == "c");
  CHECK(flows[0].links == std::vector<std::string>{"left -> c"});
  CHECK(flows[2].links == std::vector<std::string>{"left -> right", "right -> d"});
  // a and b meet the same queues on their paths to c and to d.
  CHECK(flows[0].identical == 0);
  CHECK(flows[1].identical == 0);
  CHECK(flows[2].identical == 2);
  CHECK(flows[3].identical == 2);
  // They wait at the same queue; of unlike rates, the slower one meets more packets of the other.
  const auto mean_of = [&](std::size_t flow) {
    return std::get<numeric::Exact<unit::Slot>>(answer.flows[flow].delay.mean_queueing).value;
  };
  CHECK(mean_of(0) > mean_of(1));
  CHECK(mean_of(2) == mean_of(3));
  // Buffers of all queues on a longest route.
  for (std::size_t flow = 0; flow < flows.size(); ++flow) {
    std::int64_t sum = 0;
    for (const std::size_t queue : flows[flow].longest) {
      REQUIRE(answer.buffers[queue].has_value());
      sum += answer.buffers[queue]->buffer.value;
    }
    CHECK(answer.total_buffer(flow).value == sum);
  }
  const auto groups = answers::identical_flows(answer);
  REQUIRE(groups.size() == 3);
  CHECK(groups[0].size() + groups[1].size() + groups[2].size() == 4);

  query.flow = "b -> d";
  const DelayAnswer of_one = answers::answer(query);
  REQUIRE(of_one.flows.size() == 1);
  CHECK(of_one.paths.flows.front().name == "b -> d");
  CHECK(query.of_one_flow());
  CHECK(of_one.flows.front().delay.queueing.front().slots == answer.flows[2].delay.queueing.front().slots);

  query.flow = "c -> d";
  CHECK_THROWS_WITH(answers::answer(query), Catch::Contains("c -> d") && Catch::Contains("a -> c, b -> c"));
}

TEST_CASE("delay of all packets of all flows", "[answers][delay]") {
  const answers::DelayPaths paths = answers::delay_paths(two_switches());
  Rational sum = 0;
  const std::vector<bounds::Route> routes = paths.all_routes();
  CHECK(routes.size() == 2);
  for (const bounds::Route& route : routes) {
    CHECK(route.share == (route.queues.size() == 1 ? Rational(7) / 11 : Rational(4) / 11));
    sum = sum + route.share;
  }
  CHECK(sum == 1);
}

TEST_CASE("delay: omissions of the model", "[answers][delay]") {
  const auto omissions = [](const answers::Topology& topology) {
    return answers::delay_paths(topology).omissions;
  };
  answers::TreeTopology tree = small_tree();
  CHECK(omissions(tree).correlated_waits);
  CHECK_FALSE(omissions(tree).spread_bursts);
  tree.burst = traffic::Burst{.slots = 8};
  CHECK(omissions(tree).spread_bursts);
  // For a single queue nothing is omitted.
  tree.tree.levels = 1;
  CHECK_FALSE(omissions(tree).spread_bursts);
  CHECK_FALSE(omissions(tree).correlated_waits);
}

TEST_CASE("delay: reorder buffer of each flow, and for given delays", "[answers][delay][reorder]") {
  DelayQuery query{.topology = two_switches()};
  query.reorder =
      answers::ReorderTargets{.probability = rational("1e-6"), .levels = {Packets(0), Packets(2)}};
  const DelayAnswer answer = answers::answer(query);
  for (std::size_t i = 0; i < answer.flows.size(); ++i) {
    REQUIRE(answer.flows[i].reorder.has_value());
    CHECK(answer.flows[i].reorder->flow_rate == answer.paths.flows[i].rate);
    CHECK(answer.flows[i].reorder->tail.size() == 2);
  }
  query.flow_rate = rational("0.1");
  CHECK(answers::answer(query).flows.back().reorder->flow_rate == rational("0.1"));

  // Delay 0 or 1, one packet per slot: one packet waits if it was not delayed and the previous one was.
  const answers::ReorderAnswer given = answers::answer(answers::ReorderQuery{
      .delays = {rational("3/4"), rational("1/4")}, .flow_rate = 1, .targets = {.levels = {Packets(0)}}});
  CHECK_FALSE(given.size.has_value());
  CHECK(given.tail.size() == 1);
}

TEST_CASE("delay: a stop keeps the finished flows", "[answers][delay][stop]") {
  DelayQuery query{.topology = two_switches()};
  query.percentiles = {rational("0.9")};
  query.drop = bounds::DropTarget{rational("1e-6")};
  std::stop_source stop;
  answers::Run run{.stop = stop.get_token()};
  std::size_t begun = 0;
  run.progress = [&](double, double) {
    if (++begun == 3) stop.request_stop();
  };
  const DelayAnswer answer = answers::answer(query, run);
  CHECK(answer.stopped);
  REQUIRE(answer.flows.size() == 3);
  for (std::size_t flow = 0; flow < answer.flows.size(); ++flow)
    for (const std::size_t queue : answer.paths.flows[flow].longest) CHECK(answer.buffers[queue].has_value());
  CHECK_THROWS_AS(answers::answer(query, run), Stopped);
}

TEST_CASE("delay: curves for plots reach the last percentile", "[answers][delay]") {
  DelayQuery query{.topology = small_tree()};
  query.percentiles = answers::usual_percentiles();
  const DelayAnswer answer = answers::answer(query);
  const auto curve = answers::delay_curve(query, answer, 0);
  REQUIRE(curve.size() > 10);
  CHECK(curve.front().slots == Slots(0));
  CHECK(curve.back().slots == answer.flows.front().delay.queueing.back().slots);
}

TEST_CASE("default percentiles", "[answers][delay]") {
  const std::vector<Rational> expected{rational("0.5"), rational("0.9"), rational("0.99"), rational("0.9999"),
                                       rational("0.999999")};
  CHECK(answers::usual_percentiles() == expected);
}

TEST_CASE("units: a slot is the transmission time of a packet", "[answers][units]") {
  answers::Units units{.packet_bytes = 64};
  CHECK_FALSE(units.slot_ns().has_value());
  units.link_gbps = rational("100");
  CHECK(*units.slot_ns() == rational("5.12"));
  units.packet_bytes.reset();
  CHECK_FALSE(units.slot_ns().has_value());
}
