#include <catch2/catch.hpp>
#include <tailbound/answers/delay.hpp>
#include <tailbound/answers/validate_delay.hpp>
#include <tailbound/core/error.hpp>
#include <tests/support/rational.hpp>

// Results depend on the seed alone.

namespace {

using namespace tailbound;
using namespace tailbound::answers;
using tailbound::test::rational;

ValidateDelayQuestion small_tree() {
  ValidateDelayQuestion question{.topology = TreeTopology{.tree = {4, 2}, .load = rational("0.6")}};
  question.length.slots = 4000;
  return question;
}

}  // namespace

TEST_CASE("answers: delays both ways are those of the two questions alone") {
  ValidateDelayQuestion question = small_tree();
  question.levels = {Slots(2), Slots(6)};
  question.percentiles = {rational("0.99")};
  const ValidateDelayAnswer both = answers::answer(question);
  CHECK(both.confidence_of_each == Approx(1 - 0.05 / 4));
  CHECK(both.omissions.correlated_waits);
  CHECK(both.tally.rows() == 4);

  DelayQuestion analysis{.topology = question.topology};
  analysis.levels = question.levels;
  analysis.percentiles = question.percentiles;
  const DelayAnswer analysed = answers::answer(analysis);
  SimulateTreeQuestion simulation{.topology = question.topology};
  simulation.delay_levels = question.levels;
  simulation.percentiles = question.percentiles;
  simulation.confidence = both.confidence_of_each;
  simulation.length = question.length;
  const SimulateTreeAnswer simulated = answers::answer(simulation);
  REQUIRE(both.tail.size() == 2);
  for (std::size_t i = 0; i < 2; ++i) {
    CHECK(both.tail[i].level == question.levels[i]);
    CHECK(both.tail[i].above.span()->upper ==
          span_of(to_predicted(analysed.flows[0].delay.above[i].probability)).upper);
    CHECK(both.tail[i].above.simulated.value == simulated.delay_ccdf[i].probability.value);
    CHECK(both.tail[i].above.simulated.lower == simulated.delay_ccdf[i].probability.lower);
    CHECK(both.tail[i].above.count == simulated.delay_ccdf[i].count);
  }
  REQUIRE(both.percentiles.size() == 1);
  CHECK(std::get<Slots>(*both.percentiles[0].queueing.predicted) ==
        analysed.flows[0].delay.queueing[0].slots);
  CHECK(both.mean_queueing.simulated.value == simulated.mean_queueing.value);
}

TEST_CASE("answers: delays are compared where the analysis says 0.5 to 1e-6 unless told") {
  const ValidateDelayQuestion question = small_tree();
  const ValidateDelayAnswer both = answers::answer(question);
  REQUIRE(both.tail.size() >= 8);
  CHECK(both.tail.front().above.span()->upper <= 0.5);
  CHECK(both.tail.back().above.span()->upper <= 1e-6);
  CHECK(both.tail.back().above.span()->lower > 1e-7);
  const auto curve = compared_curve(question, both);
  REQUIRE(curve.size() > 5);
  CHECK(curve.front().level == Slots(0));
  CHECK(curve.front().above.predicted);
}

TEST_CASE("answers: delays that cannot be compared are refused") {
  ValidateDelayQuestion question = small_tree();
  std::get<TreeTopology>(question.topology).load = 1;
  CHECK_THROWS_AS(answers::answer(question), Unstable);
  std::get<TreeTopology>(question.topology).load = rational("0.5");
  std::get<TreeTopology>(question.topology).burst = traffic::Burst{.slots = 8};
  question.sources = network::Sources::first_hop;
  CHECK_THROWS_AS(answers::answer(question), InvalidArgument);
}
