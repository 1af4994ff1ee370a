#include <tailbound/answers/guarantee/simulate_policed.hpp>
#include <tailbound/core/error.hpp>
#include <tailbound/numeric/rational.hpp>

#include <catch2/catch.hpp>
#include <stop_token>
#include <tests/support/two_policed_hops.hpp>

using namespace tailbound;
using answers::SimulatePolicedAnswer;
using answers::SimulatePolicedQuery;

namespace {

SimulatePolicedQuery about_two_policed_hops() {
  return {.file = network::read_policed_network(test::two_policed_hops, "two.toml"),
          .file_name = "two.toml",
          .packets = 2'000};
}

}  // namespace

TEST_CASE("simulated delays of policed flows are below their guarantees, and come close") {
  SimulatePolicedQuery query = about_two_policed_hops();
  const SimulatePolicedAnswer all = answer(query, {});
  REQUIRE(all.never);
  CHECK(all.flows.size() == 2);
  CHECK(all.queues.size() == 3);
  CHECK_FALSE(all.contradicted());
  // Three packets one by one, and that of the other flow in between.
  CHECK(all.seen.flows[0].delay == 5);
  CHECK(all.seen.flows[1].delay == 3);
  query.flow = "quick";
  const SimulatePolicedAnswer one = answer(query, {});
  CHECK(one.flows == std::vector<std::size_t>{1});
  CHECK(one.queues.size() == 2);
  CHECK(one.nearest().flow == 1);
  query.flow = "quack";
  CHECK_THROWS_AS(answer(query, {}), InvalidArgument);
}

TEST_CASE("sources that send between slots have bounds for arbitrary times") {
  const SimulatePolicedAnswer found = answer(about_two_policed_hops(), {});
  for (const bounds::FlowGuarantee& flow : found.never->flows) CHECK_FALSE(flow.routes[0].slots);
}

TEST_CASE("exceeding a guarantee is detected") {
  SimulatePolicedAnswer found = answer(about_two_policed_hops(), {});
  const SimulatePolicedAnswer right = found;
  found.seen.flows[1].delays = {*found.never_later({1, 0})};
  CHECK_FALSE(found.contradicted());
  found.seen.flows[1].delays = {*found.never_later({1, 0}) + numeric::Rational(1) / 1'000'000'000};
  CHECK(found.contradicted());
  found = right;
  found.seen.queues[0].backlog = found.never->queues[0].backlog + 1;
  CHECK(found.contradicted());
}

TEST_CASE("without a bound there are observations and a reason") {
  SimulatePolicedQuery query = about_two_policed_hops();
  for (network::PolicedFlow& flow : query.file.network.flows) flow.buckets[0].rate = numeric::Rational(3) / 4;
  query.flow = "slow";
  const SimulatePolicedAnswer found = answer(query, {});
  REQUIRE(found.never);
  CHECK_FALSE(found.never_later(found.routes.front()));
  CHECK(found.never->flows[0].routes[0].none.find("is offered 150.0 %") != std::string::npos);
  CHECK(found.flows == std::vector<std::size_t>{0});
  CHECK(found.queues.size() == 2);
  CHECK_FALSE(found.contradicted());
}

TEST_CASE("each destination has its own delay and its own bound") {
  SimulatePolicedQuery query = about_two_policed_hops();
  network::PolicedNetwork& network = query.file.network;
  // Slow packets also end at the switch; the quick one is only in the way behind it.
  network.flows[0].before = {0, 0};
  network.flows[0].destinations = {{"near", 0}, {"far", 1}};
  const SimulatePolicedAnswer found = answer(query, {});
  REQUIRE(found.routes.size() == 3);
  CHECK(found.delay(found.routes[0]) == 3);
  CHECK(found.delay(found.routes[1]) == 5);
  CHECK(found.never_later(found.routes[0]) == 3);
  CHECK_FALSE(found.contradicted());
  SimulatePolicedAnswer wrong = found;
  wrong.seen.flows[0].delays[0] = 4;
  CHECK(wrong.contradicted());
}

TEST_CASE("a stop before the first run leaves no answer") {
  std::stop_source stop;
  stop.request_stop();
  answers::Run run;
  run.stop = stop.get_token();
  CHECK_THROWS_AS(answer(about_two_policed_hops(), run), Stopped);
}
