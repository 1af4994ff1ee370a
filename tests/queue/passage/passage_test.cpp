#include <tailbound/queue/passage/passage.hpp>
#include <tailbound/queue/passage/passage_bounds.hpp>

#include <catch2/catch.hpp>

#include <limits>

using namespace tailbound::queue;

namespace {

/// One phase: x = 1/2 + x/5 + 3/10 x^2 has the solutions 1 = G and 5/3.
Blocks<long double> one_phase() {
  Blocks<long double> blocks;
  for (const long double p : {0.5L, 0.2L, 0.3L}) {
    blocks.d.push_back(Matrix<long double>::Constant(1, 1, p));
    blocks.first_row.push_back(0);
  }
  blocks.ones = Column<long double>::Ones(1);
  blocks.roundings = 1;
  return blocks;
}

bool passes(long double candidate, Side side) {
  const Outward<long double> outward(side, 64);
  return Passage<long double>::make(one_phase(), Matrix<long double>::Constant(1, 1, candidate), outward)
      .has_value();
}

}  // namespace

TEST_CASE("only candidates on their side of G pass", "[queue][markov][proof]") {
  CHECK(passes(0.9L, Side::below));
  CHECK(passes(1 - 1e-15L, Side::below));
  // Not below G, though below its image: beyond the larger solution.
  CHECK_FALSE(passes(1.2L, Side::below));
  CHECK_FALSE(passes(2, Side::below));
  CHECK(passes(1.1L, Side::above));
  CHECK(passes(1 + 1e-15L, Side::above));
  CHECK_FALSE(passes(0.9L, Side::above));
  CHECK_FALSE(passes(2, Side::above));  // its images diverge
}

TEST_CASE("every passage is checked, however the candidate was improved", "[queue][markov][proof]") {
  const Outward<long double> below(Side::below, 64), above(Side::above, 64);
  const auto found = [](long double first, long double second, const Outward<long double>& outward) {
    const auto again = [second](Matrix<long double>& x, const Matrix<long double>&, int round) {
      x(0, 0) = second;
      return round < 3;
    };
    return CheckedCandidate<long double>::find(one_phase(), Matrix<long double>::Constant(1, 1, first),
                                               outward, again);
  };
  CHECK(found(0.9L, 0, below));
  CHECK(found(1.2L, 0, above));
  CHECK(found(0.9L, 1.2L, above));
  CHECK_FALSE(found(0.9L, 0.95L, above));
  CHECK_FALSE(found(2, 2, below));          // below its image, but its rows sum to more than 1
  CHECK_FALSE(found(-0.5L, -0.4L, below));  // below its image, but negative
  CHECK_FALSE(found(std::numeric_limits<long double>::quiet_NaN(), 1.2L, below));

  using Bounds = PassageBounds<long double>;
  CHECK(Bounds::make(64, [&](const Outward<long double>& outward) {
    return found(outward.side() == Side::below ? 0.9L : 1.2L, 1, outward);
  }));
  // Two upper bounds are not a lower bound.
  CHECK_FALSE(Bounds::make(64, [&](const Outward<long double>&) { return found(1.2L, 1, above); }));
}

TEST_CASE("bounds are rounded outward", "[queue][markov][proof]") {
  const Outward<long double> below(Side::below, 64), above(Side::above, 64);
  for (const double roundings : {0.0, 1.0, 100.0}) {
    CHECK(below.factor(roundings) <= 1 - static_cast<long double>(roundings + 1) * below.unit());
    CHECK(above.factor(roundings) >= 1 + static_cast<long double>(roundings + 1) * above.unit());
  }
  // x = 1 + x/3 is 3/2, which is representable; 1/3 is not, and its bounds are on both sides.
  const Row<long double> one = Row<long double>::Ones(1);
  const Matrix<long double> less = Matrix<long double>::Constant(1, 1, 1.0L / 3 * (1 - below.unit()));
  const Matrix<long double> more = Matrix<long double>::Constant(1, 1, 1.0L / 3 * (1 + 2 * below.unit()));
  const auto lower = solve_left<long double, Row<long double>>(one, less, below);
  const auto upper = solve_left<long double, Row<long double>>(one, more, above);
  REQUIRE(lower);
  REQUIRE(upper);
  CHECK((*lower)(0) < 1.5L);
  CHECK((*upper)(0) > 1.5L);
  CHECK((*upper)(0) - (*lower)(0) < 1e-15L);
}
