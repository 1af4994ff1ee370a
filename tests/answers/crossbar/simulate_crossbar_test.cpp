#include <tailbound/answers/crossbar/simulate_crossbar.hpp>
#include <tailbound/answers/crossbar/simulate_rare_crossbar.hpp>
#include <tailbound/core/error.hpp>

#include <catch2/catch.hpp>
#include <cmath>
#include <tests/support/rational.hpp>

namespace tailbound::answers {
namespace {

using test::rational;
using traffic::CrossbarScheduler;

SimulateCrossbarQuery query_of(std::size_t ports, const char* load, CrossbarScheduler scheduler) {
  SimulateCrossbarQuery query{.model = {}};
  query.model.rates.assign(ports, rational(load));
  query.model.outputs = static_cast<std::int64_t>(ports);
  query.model.scheduler = scheduler;
  query.length.slots = 100'000;
  query.length.replications = 2;
  return query;
}

TEST_CASE("simulate crossbar: sizes lie between the levels that their probability separates") {
  SimulateCrossbarQuery query = query_of(8, "0.8", CrossbarScheduler::islip);
  query.drops = {rational("0.1"), rational("1e-3"), rational("1e-9")};
  for (std::int64_t n = 0; n < 60; ++n) query.levels.emplace_back(n), query.delays.emplace_back(n);
  const SimulateCrossbarAnswer found = answer(query);
  REQUIRE(found.sizes.size() == 3);
  for (std::size_t i = 0; i < 2; ++i) {
    const double probability = i == 0 ? 0.1 : 1e-3;
    const auto at = static_cast<std::size_t>(std::ceil(*found.sizes[i].input));
    CHECK(found.tail.at(at).input.probability.value <= probability);
    CHECK(found.tail.at(at - 1).input.probability.value >= probability);
    const auto slots = static_cast<std::size_t>(std::ceil(*found.sizes[i].delay));
    CHECK(found.found.delay.tail.at(slots).probability.value <= probability);
    CHECK(found.found.delay.tail.at(slots - 1).probability.value >= probability);
  }
  CHECK_FALSE(found.sizes[2].input);  // hardly seen
}

TEST_CASE("simulate crossbar: the bound of the output-queued switch follows the matrix") {
  // Two inputs for two outputs: output 0 receives 0.3 and 0.6, output 1 0.3 and 0.
  SimulateCrossbarQuery query = query_of(2, "0.6", CrossbarScheduler::maxweight);
  query.model.shares = {{rational("1/2"), rational("1/2")}, {1, 0}};
  const SimulateCrossbarAnswer found = answer(query);
  // 2 r1 r2 / (2 (1 - l)) = 0.18 / 0.1 for output 0; nothing waits at output 1. Of 1.2 packets per slot.
  CHECK(found.output_queued->value == rational("0.18") / rational("0.1") / rational("1.2"));
  CHECK(found.found.delay.mean.upper > numeric::nearest_double(found.output_queued->value));
  query.model.burst = traffic::Burst{4, 1};
  CHECK_FALSE(answer(query).output_queued);
}

TEST_CASE("simulate crossbar: above the maximum load the throughput only") {
  const SimulateCrossbarAnswer found = answer(query_of(4, "0.9", CrossbarScheduler::fifo));
  CHECK(found.found.saturated);
  CHECK(std::abs(found.found.carried.value - 325.0 / 496) < 0.005);
  CHECK_FALSE(answer(query_of(4, "0.6", CrossbarScheduler::fifo)).found.saturated);
}

TEST_CASE("simulate crossbar: a rare event by its level and by its probability") {
  SimulateRareCrossbarQuery query{.model = query_of(4, "0.6", CrossbarScheduler::islip).model};
  query.rare = rational("1e-6");
  query.length.slots = 3000;
  const SimulateRareAnswer by_probability = answer(query);
  query.rare = by_probability.level;
  const SimulateRareAnswer by_level = answer(query);
  CHECK(by_level.probability.lower < by_probability.probability.upper);
  CHECK(by_probability.probability.lower < by_level.probability.upper);
  CHECK(by_probability.probability.value < 5e-6);
  CHECK(by_probability.probability.value > 1e-8);
}

}  // namespace
}  // namespace tailbound::answers
