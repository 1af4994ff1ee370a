#include <catch2/catch.hpp>
#include <tailbound/answers/simulation/simulate_tree.hpp>
#include <tailbound/core/error.hpp>
#include <tests/support/rational.hpp>

#include <cmath>

// What tests/sim verifies is not tested again: these tests check that queries reach the simulator and answers
// are complete. Results depend only on the seed.

namespace {

using namespace tailbound;
using namespace tailbound::answers;
using tailbound::test::rational;

SimulateTreeQuery small_simulation() {
  SimulateTreeQuery query{.topology = TreeTopology{.tree = {4, 2}, .load = rational("0.8")}};
  query.percentiles = {rational("0.5"), rational("0.999999")};
  query.length.slots = 4000;
  return query;
}

/// a -> switch -> b
SimulateTreeQuery small_network(const char* rate) {
  network::Network network{.name = "line",
                           .nodes = {{"a", true}, {"s", false}, {"b", true}},
                           .links = {{.from = 0, .to = 1}, {.from = 1, .to = 2}},
                           .flows = {}};
  network.flows.push_back(
      {.name = "ab", .source = 0, .destination = 2, .rate = rational(rate), .routes = {{.links = {0, 1}}}});
  SimulateTreeQuery query{.topology = NetworkTopology{.network = network}};
  query.length.slots = 2000;
  return query;
}

}  // namespace

TEST_CASE("answers: a simulated tree, queue by queue") {
  SimulateTreeQuery query = small_simulation();
  query.occupancy_levels = {Packets(0), Packets(5)};
  query.delay_levels = {Slots(0), Slots(10)};
  const SimulateTreeAnswer answer = answers::answer(query);
  REQUIRE(answer.queues.size() == 3);
  CHECK(answer.queues[0].hop == 1);
  CHECK(answer.queues[0].up);
  CHECK(answer.queues[2].level == 1);
  CHECK_FALSE(answer.queues[2].up);
  CHECK(answer.queues[0].link.empty());
  for (const SimulatedQueue& queue : answer.queues) {
    REQUIRE(queue.tail.size() == 2);
    CHECK(queue.load.value == Approx(0.8).epsilon(0.02));
    CHECK(queue.tail[0].count > queue.tail[1].count);
    CHECK(queue.dropped == 0);
  }
  REQUIRE(answer.delay_ccdf.size() == 2);
  CHECK(answer.delay_ccdf[0].probability.value > answer.delay_ccdf[1].probability.value);
  CHECK(answer.mean_latency.value == Approx(answer.mean_queueing.value + 3));
  CHECK(answer.flows.empty());
  CHECK(answer.reorder_tail.empty());
  CHECK_FALSE(answer.simulated.stopped());
  CHECK(answer.simulated.plan.slots == plan_of(query).slots);
}

TEST_CASE("answers: percentiles of too few packets have no upper end") {
  const SimulateTreeAnswer answer = answers::answer(small_simulation());
  REQUIRE(answer.percentiles.size() == 2);
  CHECK(std::isfinite(answer.percentiles[0].queueing.upper));
  CHECK(std::isinf(answer.percentiles[1].queueing.upper));
  CHECK(std::isinf(answer.percentiles[1].latency.upper));
}

TEST_CASE("answers: reorder levels as given, or up to the largest observed") {
  SimulateTreeQuery query = small_simulation();
  query.reorder_levels.emplace();
  const SimulateTreeAnswer found = answers::answer(query);
  REQUIRE(found.reorder_tail.size() > 2);
  CHECK(found.reorder_tail.back().count == 0);
  CHECK(found.reorder_tail[found.reorder_tail.size() - 2].count > 0);
  query.reorder_levels = {Packets(2), Packets(0)};
  const SimulateTreeAnswer requested = answers::answer(query);
  REQUIRE(requested.reorder_tail.size() == 2);
  CHECK(requested.reorder_tail[0].level == 2);
  CHECK(requested.reorder_tail[0].count == found.reorder_tail[2].count);
  query.buffer = Packets(4);
  CHECK_THROWS_AS(answers::answer(query), InvalidArgument);
}

TEST_CASE("answers: a simulated network, link by link and flow by flow") {
  SimulateTreeQuery query = small_network("0.5");
  const SimulateTreeAnswer answer = answers::answer(query);
  REQUIRE(answer.queues.size() == 1);
  CHECK(answer.queues[0].link == "s -> b");
  CHECK(answer.queues[0].hop == 0);
  REQUIRE(answer.flows.size() == 1);
  CHECK(answer.flows[0].name == "ab");
  CHECK(answer.flows[0].packets == answer.packets);
  REQUIRE(answer.flows[0].mean_queueing);
  CHECK(answer.flows[0].mean_queueing->value == 0);
  query.reorder_levels.emplace();
  CHECK_THROWS_AS(answers::answer(query), InvalidArgument);
}

TEST_CASE("answers: a simulated network with flow control") {
  SimulateTreeQuery query = small_network("0.5");
  query.control = {.buffer = 1, .round_trip = 4};
  CHECK(plan_of(query).warmup >= plan_of(query).slots / 10 - 64);
  const SimulateTreeAnswer saturated = answers::answer(query);
  REQUIRE(saturated.carried);
  CHECK(saturated.carried->throughput.value == 0.25);
  CHECK(saturated.carried->offered == rational("0.5"));
  CHECK(saturated.carried->saturated);
  CHECK_FALSE(saturated.has_delays());
  CHECK(saturated.percentiles.empty());
  CHECK_FALSE(saturated.flows[0].mean_queueing);
  REQUIRE(saturated.queues.size() == 2);
  CHECK(saturated.queues[0].link == "a -> s");
  CHECK(saturated.queues[0].blocked->value == Approx(0.75).epsilon(0.01));
  CHECK(saturated.queues[0].growth->value == Approx(0.25).epsilon(0.05));
  CHECK_FALSE(saturated.queues[1].buffered);
  query.control->round_trip = 1;
  query.percentiles = {rational("0.9")};
  const SimulateTreeAnswer light = answers::answer(query);
  REQUIRE(light.has_delays());
  CHECK(light.mean_queueing.value == 0);
  CHECK(light.percentiles.size() == 1);
  query.control = {.buffer = 2, .round_trip = 3};  // carries 2/3
  const SimulateTreeAnswer waiting = answers::answer(query);
  REQUIRE(waiting.has_delays());
  CHECK(waiting.mean_queueing.value > 0);
  const auto curve = whole_delay_ccdf(query, waiting);
  REQUIRE_FALSE(curve.empty());
  CHECK(curve.front().level == 0);
  CHECK(curve.front().count > 0);
  query.buffer = Packets(3);
  CHECK_THROWS_AS(answers::answer(query), InvalidArgument);
  query.buffer.reset();
  query.topology = TreeTopology{.tree = {4, 2}, .load = rational("0.5")};
  CHECK_THROWS_AS(answers::answer(query), InvalidArgument);
}

TEST_CASE("answers: the plot of a simulated tree is from the same run") {
  const SimulateTreeQuery query = small_simulation();
  const SimulateTreeAnswer answer = answers::answer(query);
  const auto curve = whole_delay_ccdf(query, answer);
  REQUIRE(curve.size() > 10);
  CHECK(curve.size() <= 62);
  CHECK(curve.front().level == 0);
  CHECK(curve.back().count > 0);
  SimulateTreeQuery at_its_levels = query;
  for (const sim::LevelEstimate& level : curve) at_its_levels.delay_levels.emplace_back(level.level);
  const SimulateTreeAnswer requested = answers::answer(at_its_levels);
  for (std::size_t i = 0; i < curve.size(); ++i) CHECK(curve[i].count == requested.delay_ccdf[i].count);
  CHECK(whole_occupancy_tail(query, answer).front().level == 0);
}

TEST_CASE("answers: a buffer allows loads that are unstable without") {
  SimulateTreeQuery query = small_simulation();
  std::get<TreeTopology>(query.topology).load = 1;
  CHECK_THROWS_AS(answers::answer(query), Unstable);
  CHECK_THROWS_AS(plan_of(query), Unstable);
  query.buffer = Packets(4);
  const SimulateTreeAnswer answer = answers::answer(query);
  CHECK(answer.queues[0].dropped > 0);
  CHECK(answer.queues[0].loss.value > 0);
}

TEST_CASE("answers: unsupported trees are rejected by name") {
  const auto rejected = [](const TreeTopology& topology, const char* argument) {
    SimulateTreeQuery query{.topology = topology};
    query.length.slots = 1000;
    try {
      static_cast<void>(answers::answer(query));
      FAIL("not rejected");
    } catch (const InvalidArgument& error) {
      CHECK(error.argument() == argument);
    }
  };
  rejected({.tree = {1, 2}, .load = rational("0.5")}, "radix");
  rejected({.tree = {4, 17}, .load = rational("0.5")}, "levels");
  rejected({.tree = {1024, 3}, .load = rational("0.5")}, "radix^levels");
  rejected({.tree = {4, 2}, .load = 0}, "load");
  rejected({.tree = {4, 2}, .load = rational("1.5")}, "load");
  // Sources that alternate ON and OFF keep their phases permanently.
  rejected({.tree = {4, 2}, .load = rational("0.5"), .burst = traffic::Burst{.slots = 1}}, "burst");
}
