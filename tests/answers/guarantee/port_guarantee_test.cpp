#include <cln/rational.h>
#include <tailbound/answers/guarantee/port_guarantee.hpp>
#include <tailbound/core/error.hpp>

#include <catch2/catch.hpp>
#include <tests/support/rational.hpp>

using namespace tailbound;
using namespace tailbound::answers;
using queue::FlowGroup;
using queue::FlowKind;
using queue::FlowProof;
using tailbound::test::ratio;

namespace {

const numeric::Rational billionth = ratio(1, 1'000'000'000);

FlowGroup policed_group(std::int64_t count, const numeric::Rational& rate, long burst) {
  return {.kind = FlowKind::regulated, .count = count, .buckets = {{rate, burst}}};
}
FlowGroup periodic_group(std::int64_t count, std::int64_t period, std::int64_t batch = 1) {
  return {.kind = FlowKind::periodic, .count = count, .period = period, .batch = batch};
}

}  // namespace

TEST_CASE("a port's buffer: never exceeded, for a fraction of time, for a fraction of start-ups") {
  PortGuaranteeQuestion asked{.flows = {policed_group(100, ratio(1, 125), 4)}};
  const auto never = answer(asked);
  CHECK(never.level->buffer == 400);
  CHECK(never.never.wait == 399);
  CHECK(never.load == ratio(4, 5));
  asked.how_sure = ShareOfTime{billionth};
  const auto time = answer(asked);
  CHECK(time.level->buffer == 152);
  CHECK(time.level->needed == 96);
  CHECK(!time.level->least);
  asked.flows = {periodic_group(100, 125)};
  const auto periodic = answer(asked);
  CHECK(periodic.level->buffer == 24);
  CHECK(periodic.level->least);
  CHECK(periodic.level->proof == FlowProof::exact);
  asked.how_sure = ShareOfStarts{billionth};
  CHECK(answer(asked).level->buffer == 27);
}

TEST_CASE("fraction of time in which a port's capacity is exceeded") {
  PortGuaranteeQuestion asked{.flows = {periodic_group(3, 5)}, .capacity = 1};
  const auto exact = answer(asked);
  const auto tail = numeric::to_enclosure(*exact.exact);
  CHECK(static_cast<double>(tail.upper()) == Approx(17.0 / 125));
  CHECK(std::get<numeric::Exact<unit::Probability>>(*exact.ever).value == ratio(13, 25));
  asked.flows = {policed_group(100, ratio(1, 125), 4)};
  asked.capacity = 96;
  const auto bounds = answer(asked);
  CHECK(bounds.witnessed->value < 1e-9);
  CHECK(bounds.most->value > 1e-9);
}

TEST_CASE("what fits a buffer, and one more does not") {
  PortGuaranteeQuestion asked{.flows = {policed_group(1, ratio(1, 125), 4)},
                              .how_sure = ShareOfTime{billionth},
                              .capacity = 64,
                              .solve = PortSolve::flows};
  const auto flows = answer(asked);
  PortGuaranteeQuestion back{.flows = flows.flows, .how_sure = asked.how_sure};
  CHECK(answer(back).level->buffer <= 64);
  ++back.flows.front().count;
  CHECK(answer(back).level->buffer > 64);
  asked.how_sure = Never{};
  CHECK(answer(asked).most_flows == 16);

  asked = {.flows = {policed_group(100, ratio(1, 1000), 4)},
           .how_sure = ShareOfTime{billionth},
           .capacity = 120,
           .solve = PortSolve::rate};
  const auto rate = answer(asked);
  back.flows = {policed_group(100, *rate.greatest_rate, 4)};
  CHECK(answer(back).level->buffer <= 120);
  back.flows.front().buckets.front().rate = *rate.greatest_rate * ratio(1001, 1000);
  CHECK(answer(back).level->buffer > 120);

  asked.flows = {periodic_group(100, 1)};
  asked.capacity = 24;
  CHECK(answer(asked).least_period <= 125);
  asked.flows = {policed_group(100, ratio(1, 1000), 4)};
  asked.capacity = 3;
  CHECK_THROWS_WITH(answer(asked), Catch::Contains("a buffer of 3 packets is not enough"));
}

TEST_CASE("start-ups need periodic flows of equal period; loads are below one packet per slot") {
  PortGuaranteeQuestion asked{.flows = {periodic_group(10, 100), periodic_group(10, 200)},
                              .how_sure = ShareOfStarts{billionth}};
  CHECK_THROWS_WITH(answer(asked),
                    Catch::Contains("--ever is given for flows that are not periodic of one period"));
  asked = {.flows = {periodic_group(10, 10)}};
  CHECK_THROWS_AS(answer(asked), Unstable);
}
