#include <catch2/catch.hpp>
#include <tailbound/answers/buffer/shared_buffer.hpp>
#include <tailbound/answers/simulation/simulate_rare_switch.hpp>
#include <tailbound/core/error.hpp>
#include <tests/support/rational.hpp>

// What tests/sim verifies is not tested again. Results depend only on the seed.

namespace {

using namespace tailbound;
using namespace tailbound::answers;
using tailbound::test::rational;

SimulateRareQuery rare(int radix, int levels, const char* load) {
  SimulateRareQuery query{.topology = {.tree = {radix, levels}, .load = rational(load)}};
  query.length.slots = 4000;
  return query;
}

}  // namespace

TEST_CASE("answers: choice of the method for a rare event") {
  SimulateRareQuery query = rare(4, 2, "0.8");
  CHECK(method_of(query) == RareMethod::importance_sampling);
  query.hop = 2;
  CHECK(method_of(query) == RareMethod::splitting);
  query.hop = 1;
  query.topology.routing = network::TreeRouting::nearest_ancestor;
  CHECK(method_of(query) == RareMethod::splitting);
  query.topology.tree.levels = 1;
  CHECK(method_of(query) == RareMethod::importance_sampling);
  query.hop = 2;
  CHECK_THROWS_AS(method_of(query), InvalidArgument);
}

TEST_CASE("answers: a rare event by its level or by its probability") {
  SimulateRareQuery query = rare(16, 1, "0.9");
  query.rare = rational("1e-15");
  const SimulateRareAnswer found = answers::answer(query);
  CHECK(found.probability.value == Approx(1e-15).epsilon(1));
  CHECK(found.cycles() >= 4000);
  query.rare = found.level;
  CHECK(answers::answer(query).probability.value == found.probability.value);
}

TEST_CASE("answers: events never observed by splitting have no probability") {
  SimulateRareQuery query = rare(2, 2, "0.3");
  query.hop = 3;
  query.rare = Packets(200);
  query.length.slots = 64;
  CHECK(method_of(query) == RareMethod::splitting);
  CHECK_THROWS_AS(answers::answer(query), NoAnswer);
}

TEST_CASE("answers: unsupported rare events are rejected") {
  SimulateRareQuery query = rare(4, 2, "0.8");
  query.rare = rational("1.5");
  CHECK_THROWS_AS(answers::answer(query), InvalidArgument);
  query.rare = Packets(0);
  CHECK_THROWS_AS(answers::answer(query), InvalidArgument);
  query.rare = Packets(10);
  query.length.warmup = 100;  // cycles need none
  CHECK_THROWS_AS(answers::answer(query), InvalidArgument);
  query.length.warmup.reset();
  query.topology.load = 1;
  CHECK_THROWS_AS(answers::answer(query), Unstable);
}

TEST_CASE("answers: rare totals of a switch lie between 0 and the proved bound") {
  SimulateRareSwitchQuery query{.model = sim::switch_model(4, rational("0.8"))};
  query.length.slots = 60'000;
  for (const auto& [level, truth] : {std::pair{25, 5.610669e-5}, std::pair{50, 4.4594903e-11}}) {
    query.rare = Packets(level);
    const SimulateRareAnswer found = answers::answer(query);
    CHECK(found.method == RareMethod::splitting);
    CHECK(found.level == Packets(level));
    CHECK(found.probability.value == Approx(truth).epsilon(0.5));
    const SharedBufferAnswer proved =
        answers::answer(SharedBufferQuery{.traffic = EqualSwitchInputs{4, rational("0.8")},
                                          .outputs = 4,
                                          .criterion = SizedCriterion::overflow,
                                          .requested = ProbabilityOf{Packets(level)}});
    REQUIRE(proved.about_at);
    CHECK(proved.about_at->value == Approx(truth).epsilon(1));
    CHECK(static_cast<double>(proved.at.value) > found.probability.upper);
  }
  query.rare = rational("1e-9");
  const SimulateRareAnswer near = answers::answer(query);
  CHECK(near.probability.value == Approx(1e-9).epsilon(0.6));
}

TEST_CASE("answers: rare losses of a memory, and unsupported settings of a switch") {
  SimulateRareSwitchQuery query{.model = sim::switch_model(4, rational("0.8"))};
  query.length.slots = 60'000;
  CHECK_THROWS_AS(answers::answer(query), InvalidArgument);  // an unlimited memory has no loss
  query.model.memory = 30;
  const SimulateRareAnswer found = answers::answer(query);
  CHECK(found.level == Packets(30));
  CHECK(found.probability.value == Approx(3.72870710e-7).epsilon(0.3));
  query.rare = Packets(20);
  CHECK_THROWS_AS(answers::answer(query), InvalidArgument);
  query.rare.reset();
  query.model.threshold = 1;
  CHECK_THROWS_AS(answers::answer(query), InvalidArgument);
}
