#include <tailbound/answers/simulation/simulate_switch.hpp>
#include <tailbound/core/error.hpp>

#include <catch2/catch.hpp>
#include <stop_token>

namespace tailbound::answers {
namespace {

using numeric::parse_rational;

SimulateSwitchQuery query_of(std::int64_t inputs, const char* load) {
  SimulateSwitchQuery query{.model = sim::switch_model(inputs, parse_rational(load, "load"))};
  query.length.slots = 20'000;
  return query;
}

TEST_CASE("simulate switch: given levels, or up to the largest observed") {
  SimulateSwitchQuery query = query_of(4, "0.8");
  query.levels = {Packets(7), Packets(3)};
  const SimulateSwitchAnswer requested = answer(query);
  REQUIRE(requested.tail.size() == 2);
  CHECK(requested.tail[0].level == 7);
  CHECK(requested.tail[0].total.count < requested.tail[1].total.count);
  CHECK(requested.tail[1].output->count > 0);
  CHECK_FALSE(requested.tail[1].hot);
  CHECK(requested.output_load == parse_rational("0.8", "load"));
  query.levels.clear();
  const SimulateSwitchAnswer spread = answer(query);
  CHECK(spread.tail.front().level == 0);
  CHECK(spread.tail.back().total.count == 0);
  CHECK(spread.tail[spread.tail.size() - 2].total.count > 0);
  const std::vector<SwitchLevel> whole = whole_tail(query, spread);
  CHECK(whole.size() <= 61);
  CHECK(whole.front().total.count == spread.tail.front().total.count);
}

TEST_CASE("simulate switch: the load of the busiest output") {
  SimulateSwitchQuery query = query_of(4, "0.6");
  query.model.hot = parse_rational("0.1", "hot");
  CHECK(answer(query).output_load == parse_rational("0.78", "load"));  // 2.4 (0.1 + 0.9 / 4)
  query.model.outputs = 2;
  CHECK_THROWS_AS(answer(query), Unstable);
  query.model.buffer = 10;
  const SimulateSwitchAnswer overloaded = answer(query);
  CHECK(overloaded.output_load == parse_rational("1.32", "load"));
  CHECK(overloaded.found.hot->loss.lower > 0.2);
  CHECK(overloaded.found.hot->mean.value > overloaded.found.output->mean.value);
}

TEST_CASE("simulate switch: stopped before two batches, resumed to the same result") {
  SimulateSwitchQuery query = query_of(3, "0.7");
  query.model.memory = 9;
  std::stop_source stop;
  stop.request_stop();
  CHECK_THROWS_AS(answer(query, {.stop = stop.get_token()}), Stopped);
  std::string kept;
  Run run;
  run.checkpoint = [&](const std::string& bytes) { kept = bytes; };
  run.checkpoint_interval = std::chrono::milliseconds(1);
  query.length.slots = 4'000'000;
  const SimulateSwitchAnswer whole = answer(query, run);
  REQUIRE_FALSE(kept.empty());
  const SimulateSwitchAnswer again = answer(query, {.resume = kept});
  CHECK(again.found.lost == whole.found.lost);
  CHECK(again.found.mean_total.value == whole.found.mean_total.value);
  query.model.memory = 10;
  CHECK_THROWS_AS(answer(query, {.resume = kept}), InvalidArgument);
}

}  // namespace
}  // namespace tailbound::answers
