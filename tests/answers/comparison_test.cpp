#include <catch2/catch.hpp>
#include <tailbound/answers/comparison.hpp>

#include <cmath>
#include <limits>
#include <stdexcept>

// The verdict: position of a prediction relative to the simulation's interval.

namespace {

using namespace tailbound;
using namespace tailbound::answers;

using Probability = Comparison<unit::Probability>;
using Rate = Comparison<unit::Load>;

Probability model_of(double value, double lower, double upper) {
  return {.predicted = numeric::Model<unit::Probability>{value},
          .simulated = {(lower + upper) / 2, lower, upper}};
}

}  // namespace

TEST_CASE("comparison: verdicts") {
  CHECK(model_of(0.5, 0.4, 0.6).verdict() == Verdict::inside);
  CHECK(model_of(0.4, 0.4, 0.6).verdict() == Verdict::inside);
  CHECK(model_of(0.6, 0.4, 0.6).verdict() == Verdict::inside);
  CHECK(model_of(0.3, 0.4, 0.6).verdict() == Verdict::below);
  CHECK(model_of(0.7, 0.4, 0.6).verdict() == Verdict::above);
}

TEST_CASE("comparison: an enclosure agrees if any part of it is inside the interval") {
  Probability row = model_of(0, 0.4, 0.6);
  row.predicted =
      numeric::Enclosure<unit::Probability>(numeric::Theorem::input, numeric::Real(0.25), numeric::Real(0.5));
  CHECK(row.verdict() == Verdict::inside);
  row.predicted = numeric::Enclosure<unit::Probability>(numeric::Theorem::input, numeric::Real(0.25),
                                                        numeric::Real(0.375));
  CHECK(row.verdict() == Verdict::below);
  CHECK(row.error().value() == Approx(-0.25));
  row.predicted =
      numeric::Exact<unit::Probability>{numeric::Theorem::input, numeric::parse_rational("3/4", "p")};
  CHECK(row.verdict() == Verdict::above);
  CHECK(row.error().value() == Approx(0.5));
}

TEST_CASE("comparison: a saturated model and a rare tail are not judged") {
  Probability row = model_of(0.5, 0, 0.6);
  CHECK(row.verdict() == Verdict::inside);
  row.count = 3;
  CHECK(row.verdict() == Verdict::too_rare);
  row.predicted.reset();
  CHECK(row.verdict() == Verdict::saturated);
  CHECK_FALSE(row.error());
  CHECK_FALSE(row.underestimates());
  row = model_of(0.5, 0, 0);
  CHECK_FALSE(row.error());
}

TEST_CASE("comparison: a proved number that the simulation excludes is a failure of the program") {
  using numeric::Theorem;
  const auto exact = [](const char* value, double lower, double upper) {
    Probability row = model_of(0, lower, upper);
    row.predicted = numeric::Exact<unit::Probability>{Theorem::input, numeric::parse_rational(value, "p")};
    return row;
  };
  Tally tally;
  CHECK_NOTHROW(tally.add(exact("0.79", 0.4, 0.6)));  // by chance
  CHECK_THROWS_AS(tally.add(exact("0.81", 0.4, 0.6)), std::logic_error);
  CHECK_THROWS_AS(tally.add(exact("0.19", 0.4, 0.6)), std::logic_error);
  Probability row = exact("0.81", 0.4, 0.6);
  row.count = 99;
  CHECK_NOTHROW(tally.add(row));  // too few occurrences to say so
  row.count = 100;
  CHECK_THROWS_AS(tally.add(row), std::logic_error);
  row.simulated.upper = std::numeric_limits<double>::infinity();
  CHECK_NOTHROW(tally.add(row));

  row = model_of(0, 0.4, 0.6);
  row.predicted = numeric::UpperBound<unit::Probability>{Theorem::input, numeric::Real(0.81)};
  CHECK_NOTHROW(tally.add(row));  // a bound may be high
  row.predicted = numeric::UpperBound<unit::Probability>{Theorem::input, numeric::Real(0.19)};
  CHECK_THROWS_AS(tally.add(row), std::logic_error);
  row.predicted =
      numeric::Exact<unit::Probability>{{Theorem::convolution, numeric::Assumption::independent_hops}, 1};
  CHECK_NOTHROW(tally.add(row));  // not proved
  CHECK_NOTHROW(tally.add(model_of(0.9, 0.4, 0.6)));
}

TEST_CASE("comparison: chance explains three half-widths, and any distance of few occurrences") {
  CHECK(beyond_chance({0.79, 0.79}, 0.5, {0.4, 0.6}) == Verdict::inside);
  CHECK(beyond_chance({0.81, 0.81}, 0.5, {0.4, 0.6}) == Verdict::above);
  CHECK(beyond_chance({0.1, 0.19}, 0.5, {0.4, 0.6}) == Verdict::below);
  CHECK(beyond_chance({0.1, 0.21}, 0.5, {0.4, 0.6}) == Verdict::inside);
  CHECK(beyond_chance({0.81, 0.81}, 0.5, {0.4, 0.6}, 99) == Verdict::inside);
  CHECK(beyond_chance({0.81, 0.81}, 0.5, {0.4, 0.6}, 100) == Verdict::above);
  CHECK(beyond_chance({0.81, 0.81}, 0.2, {0, 0.4}, 1000) == Verdict::inside);
}

TEST_CASE("comparison: integers with an open interval") {
  Comparison<unit::Slot> row{.predicted = Slots(52),
                             .simulated = {53, 51, std::numeric_limits<double>::infinity()}};
  CHECK(row.verdict() == Verdict::inside);
  row.predicted = Slots(1000);
  CHECK(row.verdict() == Verdict::inside);
  row.predicted = Slots(50);
  CHECK(row.verdict() == Verdict::below);
}

TEST_CASE("comparison: predictions underestimate delays below, throughputs above the interval") {
  Rate row{.predicted = numeric::Model<unit::Load>{0.7}, .simulated = {0.5, 0.4, 0.6}};
  CHECK_FALSE(row.underestimates());
  CHECK(row.conservative());
  row.unsafe_side = UnsafeSide::above;
  CHECK(row.underestimates());
  CHECK_FALSE(row.conservative());
  CHECK(row.error().value() == Approx(0.4));
  CHECK(row.within(1.2));
  CHECK_FALSE(row.within(1.1));

  Tally tally;
  tally.add(row);
  tally.add(model_of(0.5, 0.4, 0.6));
  tally.add(model_of(0.3, 0.4, 0.6));
  Probability saturated = model_of(0.3, 0.4, 0.6);
  saturated.predicted.reset();
  tally.add(saturated);
  CHECK(tally.rows() == 4);
  CHECK(tally.judged() == 3);
  CHECK(tally.underestimates() == 2);
  CHECK(tally.conservative() == 0);
  CHECK(tally.count(Verdict::saturated) == 1);
}

TEST_CASE("comparison: joint confidence of intervals") {
  CHECK(confidence_of_each(1) == Approx(0.95));
  CHECK(confidence_of_each(16) == Approx(1 - 0.05 / 16));
  CHECK(confidence_of_each(0) == Approx(0.95));
}
