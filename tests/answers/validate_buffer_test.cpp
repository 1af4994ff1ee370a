#include <catch2/catch.hpp>
#include <tailbound/answers/validate_buffer.hpp>
#include <tailbound/core/error.hpp>
#include <tests/support/rational.hpp>

// Results depend on the seed alone.

namespace {

using namespace tailbound;
using namespace tailbound::answers;
using tailbound::test::rational;

ValidateBufferQuestion small_switch() {
  ValidateBufferQuestion question{.inputs = 4, .load = rational("0.8")};
  question.length.slots = 20'000;
  return question;
}

}  // namespace

TEST_CASE("answers: the occupancy both ways") {
  ValidateBufferQuestion question = small_switch();
  question.levels = {Packets(0), Packets(10)};
  const ValidateBufferAnswer both = answers::answer(question);
  CHECK(both.confidence_of_each == Approx(1 - 0.05 / 3));
  REQUIRE(both.tail.size() == 2);
  CHECK(both.tail[0].above.span()->upper == Approx(0.8));
  CHECK(both.tail[1].above.count == both.simulation.queues[0].tail[1].count);
  // 0.8 + 3/4 0.64 / 0.4: four sources of 0.2
  CHECK(std::get<numeric::Exact<unit::Packet>>(*both.mean_occupancy.predicted).value == 2);
  CHECK(both.tally.rows() == 3);
  CHECK(both.tally.judged() == 3);
}

TEST_CASE("answers: occupancies are compared where the analysis says 0.5 to 1e-6 unless told") {
  const ValidateBufferQuestion question = small_switch();
  const ValidateBufferAnswer both = answers::answer(question);
  REQUIRE(both.tail.size() >= 9);
  CHECK(both.tail.front().above.span()->upper <= 0.5);
  CHECK(both.tail.back().above.span()->upper <= 1e-6);
  const auto curve = compared_curve(question, both);
  REQUIRE(curve.size() > 10);
  CHECK(curve.front().level == Packets(0));
  CHECK(curve.front().above.span()->upper == Approx(0.8));
}

TEST_CASE("answers: the occupancy of correlated arrivals both ways") {
  ValidateBufferQuestion question = small_switch();
  question.load = rational("0.6");
  question.burst = traffic::Burst{.slots = 8};
  question.levels = {Packets(1), Packets(4)};
  const ValidateBufferAnswer both = answers::answer(question);
  CHECK(both.tally.optimistic() == 0);
  for (const ComparedOccupancy& row : both.tail)
    CHECK(std::holds_alternative<numeric::Enclosure<unit::Probability>>(*row.above.predicted));
}

TEST_CASE("answers: occupancies that cannot be compared are refused") {
  ValidateBufferQuestion question = small_switch();
  question.load = 1;
  CHECK_THROWS_AS(answers::answer(question), Unstable);
  question.load = 0;
  CHECK_THROWS_AS(answers::answer(question), InvalidArgument);
  question.load = rational("0.5");
  question.inputs = 1;
  CHECK_THROWS_AS(answers::answer(question), InvalidArgument);
}
