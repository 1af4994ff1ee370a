#include <tailbound/core/error.hpp>
#include <tailbound/numeric/rational.hpp>
#include <tailbound/sim/crossbar/simulate_crossbar.hpp>
#include <tailbound/sim/splitting/rare_crossbar.hpp>

#include <catch2/catch.hpp>
#include <cmath>
#include <string>
#include <tests/support/cut_replication.hpp>
#include <tests/support/estimate.hpp>
#include <tests/support/rational.hpp>
#include <vector>

/// Random runs have fixed seeds: a test that passes once passes always.
namespace tailbound::sim {
namespace {

using test::rational;
using test::sure;
using traffic::CrossbarScheduler;

CrossbarModel model_of(std::size_t ports, const char* load, CrossbarScheduler scheduler,
                       std::int64_t iterations = 0, const char* speedup = "1") {
  CrossbarModel model;
  model.rates.assign(ports, rational(load));
  model.outputs = static_cast<std::int64_t>(ports);
  model.scheduler = scheduler;
  model.iterations = iterations;
  model.speedup = rational(speedup);
  return model;
}

numeric::Estimate<unit::Probability> rare(const CrossbarModel& model, CrossbarQueue of, std::int64_t level,
                                          double path_slots) {
  const RareCrossbarModel rare = rare_crossbar_model(model, of, level);
  const RunPlan plan =
      make_plan(2000, 500, static_cast<std::int64_t>(path_slots / rare.plan.paths / 2), 2, 1);
  return rare_crossbar_tail(rare, run_rare_crossbar(rare, plan), sure).probability;
}

/// Splitting and plain simulation of the same probability: both intervals of 99.99 % hold a common value.
void compare_plain(const CrossbarModel& model, CrossbarQueue of, std::int64_t level) {
  CAPTURE(describe(model), level);
  const CrossbarEstimates plain =
      crossbar_estimates(model, run_crossbar(model, make_plan(6400, 1000, 300'000, 2, 3)),
                         {.levels = {level}, .confidence = sure});
  const auto seen =
      of == CrossbarQueue::input ? plain.input.tail[0].probability : plain.voq->tail[0].probability;
  const auto split = rare(model, of, level, 600'000);
  CAPTURE(seen.value, seen.lower, seen.upper, split.value, split.lower, split.upper);
  CHECK(split.lower < seen.upper);
  CHECK(seen.lower < split.upper);
  CHECK(split.upper / split.value < 1.5);  // it would notice
}

TEST_CASE("rare crossbar: splitting and plain simulation agree near 1e-3") {
  compare_plain(model_of(8, "0.8", CrossbarScheduler::islip, 3), CrossbarQueue::input, 9);
  compare_plain(model_of(8, "0.8", CrossbarScheduler::islip, 3), CrossbarQueue::voq, 3);
  compare_plain(model_of(4, "0.8", CrossbarScheduler::pim), CrossbarQueue::input, 9);
  compare_plain(model_of(4, "0.5", CrossbarScheduler::fifo), CrossbarQueue::input, 5);
  compare_plain(model_of(4, "0.8", CrossbarScheduler::greedy), CrossbarQueue::input, 5);
  compare_plain(model_of(8, "0.9", CrossbarScheduler::islip, 1, "3/2"), CrossbarQueue::input, 9);
  CrossbarModel bursty = model_of(4, "0.5", CrossbarScheduler::islip);
  bursty.burst = traffic::Burst{4, 1};
  compare_plain(bursty, CrossbarQueue::input, 30);
}

TEST_CASE("rare crossbar: tails of 16 ports agree with an independent RESTART simulation") {
  const auto near = [](const numeric::Estimate<unit::Probability>& found, double value, double factor) {
    CAPTURE(value, found.value, found.lower, found.upper);
    CHECK(found.lower < value * factor);
    CHECK(found.upper > value / factor);
  };
  // The other program's half-widths are 10 to 40 % at 1e-6.
  near(rare(model_of(16, "0.8", CrossbarScheduler::islip, 4), CrossbarQueue::input, 14, 1'000'000), 8.5e-7,
       1.3);
  near(rare(model_of(16, "0.5", CrossbarScheduler::islip, 4), CrossbarQueue::voq, 4, 1'000'000), 2.00e-8,
       1.3);
  near(rare(model_of(16, "0.9", CrossbarScheduler::islip, 4, "2"), CrossbarQueue::input, 4, 1'000'000),
       1.7e-7, 1.4);
}

TEST_CASE("rare crossbar: tails down to 1e-12", "[.full]") {
  const auto near = [](const numeric::Estimate<unit::Probability>& found, double value, double factor) {
    CAPTURE(value, found.value, found.lower, found.upper);
    CHECK(found.lower < value * factor);
    CHECK(found.upper > value / factor);
  };
  const auto islip = [](const char* load) { return model_of(16, load, CrossbarScheduler::islip, 4); };
  near(rare(islip("0.5"), CrossbarQueue::input, 8, 1e7), 5.6e-11, 1.5);
  near(rare(islip("0.8"), CrossbarQueue::input, 20, 3e7), 1.8e-10, 1.5);
  near(rare(islip("0.9"), CrossbarQueue::input, 36, 5e7), 3.4e-9, 1.6);
  near(rare(islip("0.9"), CrossbarQueue::input, 46, 5e7), 2.1e-12, 2);
  near(rare(islip("0.8"), CrossbarQueue::voq, 12, 3e7), 1.5e-9, 1.6);
  near(rare(model_of(4, "0.8", CrossbarScheduler::islip), CrossbarQueue::input, 28, 3e7), 1.2e-10, 1.6);
}

TEST_CASE("rare crossbar: cut anywhere it is the same") {
  for (const CrossbarScheduler scheduler :
       {CrossbarScheduler::islip, CrossbarScheduler::fifo, CrossbarScheduler::pim}) {
    const RareCrossbarModel model =
        rare_crossbar_model(model_of(4, "0.5", scheduler), CrossbarQueue::input, 6);
    const auto whole = make_rare_crossbar_replication(model, {2, 0}),
               parts = make_rare_crossbar_replication(model, {2, 0});
    whole->advance(1000);
    test::advance_in_parts(*parts, 1000);
    test::require_equal(parts->take_counts(), whole->take_counts());
  }
}

TEST_CASE("rare crossbar: rejects what it does not simulate") {
  const auto rejected = [](CrossbarModel model, CrossbarQueue of, const char* argument) {
    try {
      static_cast<void>(rare_crossbar_model(model, of, std::int64_t{5}));
      FAIL(argument);
    } catch (const InvalidArgument& error) {
      CHECK(error.argument() == argument);
    }
  };
  rejected(model_of(4, "0.5", CrossbarScheduler::maxweight), CrossbarQueue::input, "scheduler");
  rejected(model_of(4, "0.5", CrossbarScheduler::fifo), CrossbarQueue::voq, "queue");
  CrossbarModel bursty = model_of(4, "0.4", CrossbarScheduler::fifo);
  bursty.burst = traffic::Burst{4, 1};
  rejected(bursty, CrossbarQueue::input, "burst");
  CrossbarModel finite = model_of(4, "0.5", CrossbarScheduler::islip);
  finite.buffer = 5;
  rejected(finite, CrossbarQueue::input, "buffer");
  CHECK_THROWS_AS(rare_crossbar_model(model_of(4, "0.5", CrossbarScheduler::islip), CrossbarQueue::input,
                                      std::int64_t{0}),
                  InvalidArgument);
}

}  // namespace
}  // namespace tailbound::sim
