#include <tailbound/queue/slotted/slotted_queue.hpp>

#include <catch2/catch.hpp>
#include <string>
#include <tests/support/checked_models.hpp>
#include <tests/support/random_models.hpp>
#include <tests/support/reference_tail.hpp>

// Random queues of every kind against the literal expansion of Q(z) (tests/support/reference_tail.hpp). Every
// run uses the first 2 000 models, the full one all 20 000.

using namespace tailbound;
using namespace tailbound::test;
using queue::Arithmetic;

namespace {

constexpr std::uint64_t first_seed = 20'041'000;

void check_models(std::int64_t models) {
  Tally tally;
  std::int64_t failures = 0;
  for (std::int64_t i = 0; i < models && failures < 10; ++i) {
    const RandomModel model = random_model(first_seed + static_cast<std::uint64_t>(i));
    const std::vector<Reference> references = reference_tails(model.traffic, model.levels);
    const queue::SlottedQueue slotted{model.traffic.arrivals()};
    std::vector<Arithmetic> arithmetics = {Arithmetic::automatic};
    const Arithmetic others[] = {Arithmetic::double_precision, Arithmetic::multiprecision,
                                 Arithmetic::interval, Arithmetic::extended};
    arithmetics.push_back(others[i % 4]);
    const std::int64_t deepest = model.levels.back();
    if (model.traffic.kind != Traffic::Kind::poisson && deepest <= 60 &&
        reference_cost(model.traffic, deepest) < 1e6)
      arithmetics.push_back(Arithmetic::exact);
    for (const Arithmetic arithmetic : arithmetics) {
      std::string wrong;
      try {
        wrong = wrong_tails(model, slotted, arithmetic, references, tally);
      } catch (const std::exception& error) {
        wrong = std::string("unexpected error: ") + error.what();
      }
      if (!wrong.empty()) {
        ++failures;
        FAIL_CHECK(queue::name(arithmetic) << ": " << wrong << "\n" << model.text());
      }
    }
  }
  CHECK(failures == 0);
  // The run is meaningless if the arithmetics give up too often.
  CHECK(tally.enclosures > 2 * models);
  CHECK(tally.exact > models / 4);
  CHECK(tally.answered_double > models / 20);
  WARN(models << " models: " << tally.enclosures << " enclosures and " << tally.exact
              << " exact values hold the reference; machine arithmetic answered " << tally.answered_double
              << " times and rejected " << tally.rejected_double << " times");
}

}  // namespace

TEST_CASE("random models: the true tail is in every enclosure", "[queue][random]") {
  check_models(500);
}

TEST_CASE("random models, all of them: the true tail is in every enclosure", "[.full][queue][random]") {
  check_models(20'000);
}

TEST_CASE("random models: the minimum level is found, and proved on both sides", "[queue][random]") {
  Random random(31);
  for (int i = 0; i < 300; ++i) {
    RandomModel model = random_model(static_cast<std::uint64_t>(random.between(1, 1'000'000'000)));
    if (reference_cost(model.traffic, 30) > 1e6) continue;
    // A target between the tails of two neighbouring levels, or exactly one of them.
    const std::int64_t level = random.between(0, 30);
    const Reference at = reference_tail(model.traffic, level);
    if (at.lower <= power_of_ten(-300)) continue;
    Fraction target = at.upper;
    // Poisson tails are irrational, so no target is met with equality; one part in 10^70 is close enough.
    if (model.traffic.kind == Traffic::Kind::poisson) target += target * power_of_ten(-70);
    if (random.one_in(2)) target = (target + reference_tail(model.traffic, level + 1).upper) / 2;
    if (target >= 1 || target.str().size() > 4000) continue;
    INFO(model.text() << " target of level " << level);
    // Brute force from level 0.
    std::int64_t minimum = 0;
    while (reference_tail(model.traffic, minimum).lower > target) ++minimum;
    const auto found = queue::min_level({model.traffic.arrivals()}, to_rational(target), {{model.digits}});
    CHECK(found.level.value == minimum);
    CHECK(encloses(found.at.probability, reference_tail(model.traffic, minimum)));
    if (minimum == 0) {
      CHECK(found.before.empty());
    } else {
      REQUIRE(found.before.size() == 1);
      CHECK(found.before.front().level.value == minimum - 1);
      CHECK(encloses(found.before.front().probability, reference_tail(model.traffic, minimum - 1)));
      CHECK(fraction_of(to_enclosure(found.before.front().probability).upper()) > target);
    }
  }
}
