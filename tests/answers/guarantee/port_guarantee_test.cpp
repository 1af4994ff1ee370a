#include <tailbound/answers/guarantee/port_guarantee.hpp>
#include <tailbound/core/error.hpp>
#include <tailbound/numeric/rational.hpp>

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
  PortGuaranteeQuery query{.flows = {policed_group(100, ratio(1, 125), 4)}};
  const auto never = answer(query);
  CHECK(never.level->buffer == 400);
  CHECK(never.never.wait == 399);
  CHECK(never.load == ratio(4, 5));
  query.assurance = ShareOfTime{billionth};
  const auto time = answer(query);
  CHECK(time.level->buffer == 152);
  CHECK(time.level->needed == 96);
  CHECK(!time.level->minimum);
  query.flows = {periodic_group(100, 125)};
  const auto periodic = answer(query);
  CHECK(periodic.level->buffer == 24);
  CHECK(periodic.level->minimum);
  CHECK(periodic.level->proof == FlowProof::exact);
  query.assurance = ShareOfStarts{billionth};
  CHECK(answer(query).level->buffer == 27);
}

TEST_CASE("fraction of time in which a port's capacity is exceeded") {
  PortGuaranteeQuery query{.flows = {periodic_group(3, 5)}, .capacity = 1};
  const auto exact = answer(query);
  const auto tail = numeric::to_enclosure(*exact.exact);
  CHECK(static_cast<double>(tail.upper()) == Approx(17.0 / 125));
  CHECK(std::get<numeric::Exact<unit::Probability>>(*exact.ever).value == ratio(13, 25));
  query.flows = {policed_group(100, ratio(1, 125), 4)};
  query.capacity = 96;
  const auto bounds = answer(query);
  CHECK(bounds.witnessed->value < 1e-9);
  CHECK(bounds.maximum->value > 1e-9);
}

TEST_CASE("what fits a buffer, and one more does not") {
  PortGuaranteeQuery query{.flows = {policed_group(1, ratio(1, 125), 4)},
                           .assurance = ShareOfTime{billionth},
                           .capacity = 64,
                           .solve = PortSolve::flows};
  const auto flows = answer(query);
  PortGuaranteeQuery back{.flows = flows.flows, .assurance = query.assurance};
  CHECK(answer(back).level->buffer <= 64);
  ++back.flows.front().count;
  CHECK(answer(back).level->buffer > 64);
  query.assurance = Never{};
  CHECK(answer(query).max_flows == 16);

  query = {.flows = {policed_group(100, ratio(1, 1000), 4)},
           .assurance = ShareOfTime{billionth},
           .capacity = 120,
           .solve = PortSolve::rate};
  const auto rate = answer(query);
  back.flows = {policed_group(100, *rate.max_rate, 4)};
  CHECK(answer(back).level->buffer <= 120);
  back.flows.front().buckets.front().rate = *rate.max_rate * ratio(1001, 1000);
  CHECK(answer(back).level->buffer > 120);

  query.flows = {periodic_group(100, 1)};
  query.capacity = 24;
  CHECK(answer(query).min_period <= 125);
  query.flows = {policed_group(100, ratio(1, 1000), 4)};
  query.capacity = 3;
  CHECK_THROWS_WITH(answer(query), Catch::Contains("a buffer of 3 packets does not suffice"));
}

TEST_CASE("start-ups need periodic flows of equal period; loads are below one packet per slot") {
  PortGuaranteeQuery query{.flows = {periodic_group(10, 100), periodic_group(10, 200)},
                           .assurance = ShareOfStarts{billionth}};
  CHECK_THROWS_WITH(answer(query),
                    Catch::Contains("--ever is given for flows other than periodic flows of one period"));
  query = {.flows = {periodic_group(11, 10)}};
  CHECK_THROWS_AS(answer(query), Unstable);
  query = {.flows = {periodic_group(10, 10)}};
  CHECK_THROWS_WITH(answer(query), Catch::Contains("exactly 1 packet per slot"));
}

TEST_CASE("one flow four times is four flows, also with a peak rate and with shallow buckets") {
  for (const FlowGroup& group :
       {FlowGroup{
            .kind = FlowKind::regulated, .count = 4, .buckets = {{ratio(1, 5), 20}, traffic::peak_of(5)}},
        FlowGroup{.kind = FlowKind::regulated, .count = 4, .buckets = {{ratio(1, 7), 3}}},
        FlowGroup{.kind = FlowKind::regulated, .count = 4, .buckets = {{ratio(3, 20), 1}}}}) {
    FlowGroup single = group;
    single.count = 1;
    PortGuaranteeQuery together{.flows = {group}}, apart{.flows = {single, single, single, single}};
    for (const Assurance& assurance : {Assurance{}, Assurance{ShareOfTime{ratio(1, 1000)}}}) {
      together.assurance = apart.assurance = assurance;
      const auto one = answer(together), four = answer(apart);
      CHECK(one.never.packets == four.never.packets);
      CHECK(one.never.window == four.never.window);
      CHECK(one.load == four.load);
      CHECK(one.level->buffer == four.level->buffer);
      CHECK(one.level->needed == four.level->needed);
    }
  }
}

TEST_CASE("a rate that fits a buffer is at most the peak rate") {
  FlowGroup group = policed_group(100, ratio(1, 1000), 4);
  group.buckets.push_back(traffic::peak_of(ratio(1, 200)));
  PortGuaranteeQuery query{.flows = {group}, .capacity = 100, .solve = PortSolve::rate};
  CHECK(answer(query).max_rate == ratio(1, 200));
  // Two packets of each flow come at once, at any rate.
  query.flows = {policed_group(2, ratio(1, 1000), 20)};
  query.flows.front().buckets.push_back({ratio(2, 5), 2});
  query.capacity = 4;
  CHECK(answer(query).max_rate == ratio(2, 5));
  query.capacity = 3;
  CHECK_THROWS_WITH(answer(query), Catch::Contains("does not suffice"));
}

TEST_CASE("a peak rate that does not bind changes no guarantee") {
  const FlowGroup plain = policed_group(3, ratio(1, 20), 4);
  for (const numeric::Rational& peak : {ratio(4, 1), ratio(9, 2), ratio(100, 1)}) {
    FlowGroup peaked = plain;
    peaked.buckets.push_back(traffic::peak_of(peak));
    PortGuaranteeQuery query{.flows = {plain}, .assurance = ShareOfTime{ratio(1, 1000)}},
        other{.flows = {peaked}, .assurance = ShareOfTime{ratio(1, 1000)}};
    const auto one = answer(query), two = answer(other);
    CHECK(one.never.packets == two.never.packets);
    CHECK(one.level->buffer == two.level->buffer);
    CHECK(one.level->needed == two.level->needed);
    CHECK(std::get<numeric::UpperBound<unit::Probability>>(*one.level->probability).value ==
          std::get<numeric::UpperBound<unit::Probability>>(*two.level->probability).value);
  }
}
