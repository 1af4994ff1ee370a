#include <tailbound/answers/simulation/simulate_switch.hpp>
#include <tailbound/core/error.hpp>

#include <catch2/catch.hpp>
#include <stop_token>

namespace tailbound::answers {
namespace {

using numeric::parse_rational;

SimulateSwitchQuestion question_of(std::int64_t inputs, const char* load) {
  SimulateSwitchQuestion question{.model = sim::switch_model(inputs, parse_rational(load, "load"))};
  question.length.slots = 20'000;
  return question;
}

TEST_CASE("simulate switch: given levels, or up to the largest observed") {
  SimulateSwitchQuestion question = question_of(4, "0.8");
  question.levels = {Packets(7), Packets(3)};
  const SimulateSwitchAnswer asked = answer(question);
  REQUIRE(asked.tail.size() == 2);
  CHECK(asked.tail[0].level == 7);
  CHECK(asked.tail[0].total.count < asked.tail[1].total.count);
  CHECK(asked.tail[1].output->count > 0);
  CHECK_FALSE(asked.tail[1].hot);
  CHECK(asked.output_load == parse_rational("0.8", "load"));
  question.levels.clear();
  const SimulateSwitchAnswer spread = answer(question);
  CHECK(spread.tail.front().level == 0);
  CHECK(spread.tail.back().total.count == 0);
  CHECK(spread.tail[spread.tail.size() - 2].total.count > 0);
  const std::vector<SwitchLevel> whole = whole_tail(question, spread);
  CHECK(whole.size() <= 61);
  CHECK(whole.front().total.count == spread.tail.front().total.count);
}

TEST_CASE("simulate switch: the load of the busiest output") {
  SimulateSwitchQuestion question = question_of(4, "0.6");
  question.model.hot = parse_rational("0.1", "hot");
  CHECK(answer(question).output_load == parse_rational("0.78", "load"));  // 2.4 (0.1 + 0.9 / 4)
  question.model.outputs = 2;
  CHECK_THROWS_AS(answer(question), Unstable);
  question.model.buffer = 10;
  const SimulateSwitchAnswer overloaded = answer(question);
  CHECK(overloaded.output_load == parse_rational("1.32", "load"));
  CHECK(overloaded.found.hot->loss.lower > 0.2);
  CHECK(overloaded.found.hot->mean.value > overloaded.found.output->mean.value);
}

TEST_CASE("simulate switch: stopped before two batches, resumed to the same result") {
  SimulateSwitchQuestion question = question_of(3, "0.7");
  question.model.memory = 9;
  std::stop_source stop;
  stop.request_stop();
  CHECK_THROWS_AS(answer(question, {.stop = stop.get_token()}), Stopped);
  std::string kept;
  Run run;
  run.checkpoint = [&](const std::string& bytes) { kept = bytes; };
  run.checkpoint_interval = std::chrono::milliseconds(1);
  question.length.slots = 4'000'000;
  const SimulateSwitchAnswer whole = answer(question, run);
  REQUIRE_FALSE(kept.empty());
  const SimulateSwitchAnswer again = answer(question, {.resume = kept});
  CHECK(again.found.lost == whole.found.lost);
  CHECK(again.found.mean_total.value == whole.found.mean_total.value);
  question.model.memory = 10;
  CHECK_THROWS_AS(answer(question, {.resume = kept}), InvalidArgument);
}

}  // namespace
}  // namespace tailbound::answers
