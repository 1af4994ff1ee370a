#include <catch2/catch.hpp>
#include <tailbound/answers/simulate_rare.hpp>
#include <tailbound/core/error.hpp>
#include <tests/support/rational.hpp>

// What tests/sim shows to be right is not tested again. Results depend on the seed alone.

namespace {

using namespace tailbound;
using namespace tailbound::answers;
using tailbound::test::rational;

SimulateRareQuestion rare(int radix, int levels, const char* load) {
  SimulateRareQuestion question{.topology = {.tree = {radix, levels}, .load = rational(load)}};
  question.length.slots = 4000;
  return question;
}

}  // namespace

TEST_CASE("answers: the method that a rare event gets") {
  SimulateRareQuestion question = rare(4, 2, "0.8");
  CHECK(method_of(question) == RareMethod::importance_sampling);
  question.hop = 2;
  CHECK(method_of(question) == RareMethod::splitting);
  question.hop = 1;
  question.topology.routing = network::TreeRouting::nearest_ancestor;
  CHECK(method_of(question) == RareMethod::splitting);
  question.topology.tree.levels = 1;
  CHECK(method_of(question) == RareMethod::importance_sampling);
  question.hop = 2;
  CHECK_THROWS_AS(method_of(question), InvalidArgument);
}

TEST_CASE("answers: a rare event by its level or by its probability") {
  SimulateRareQuestion question = rare(16, 1, "0.9");
  question.rare = rational("1e-15");
  const SimulateRareAnswer found = answers::answer(question);
  REQUIRE(found.probability);
  CHECK(found.probability->value == Approx(1e-15).epsilon(1));
  CHECK(found.cycles() >= 4000);
  question.rare = found.level;
  CHECK(answers::answer(question).probability->value == found.probability->value);
}

TEST_CASE("answers: what splitting never saw has no probability") {
  SimulateRareQuestion question = rare(2, 2, "0.3");
  question.hop = 3;
  question.rare = Packets(200);
  question.length.slots = 64;
  const SimulateRareAnswer unseen = answers::answer(question);
  CHECK(unseen.method == RareMethod::splitting);
  CHECK(unseen.level == Packets(200));
  CHECK_FALSE(unseen.probability);
}

TEST_CASE("answers: rare events that cannot be simulated are refused") {
  SimulateRareQuestion question = rare(4, 2, "0.8");
  question.rare = rational("1.5");
  CHECK_THROWS_AS(answers::answer(question), InvalidArgument);
  question.rare = Packets(0);
  CHECK_THROWS_AS(answers::answer(question), InvalidArgument);
  question.rare = Packets(10);
  question.length.warmup = 100;  // cycles need none
  CHECK_THROWS_AS(answers::answer(question), InvalidArgument);
  question.length.warmup.reset();
  question.topology.load = 1;
  CHECK_THROWS_AS(answers::answer(question), Unstable);
}
