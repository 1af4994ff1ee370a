#include <tailbound/core/quantity.hpp>
#include <tailbound/numeric/proved.hpp>
#include <tailbound/numeric/text/plain.hpp>
#include <tailbound/render/value.hpp>
#include <tailbound/series/arrivals.hpp>
#include <tailbound/symbolic/pgf.hpp>

#include <catch2/catch.hpp>

#include <type_traits>

using namespace tailbound;
using numeric::Assumption;
using numeric::Theorem;

namespace {

using Exact = numeric::Exact<unit::Probability>;
using Enclosure = numeric::Enclosure<unit::Probability>;
using UpperBound = numeric::UpperBound<unit::Probability>;
using Approximation = numeric::Approximation<unit::Probability>;
using Claim = numeric::Claim<unit::Probability>;
using numeric::Rational;
using numeric::Real;

// Claims that must not compile: numbers without a proof,
static_assert(!std::is_constructible_v<Exact, Rational> && !std::is_constructible_v<Enclosure, Real, Real> &&
              !std::is_constructible_v<UpperBound, Real>);
static_assert(std::is_constructible_v<Exact, Theorem, Rational> &&
              std::is_constructible_v<Enclosure, Theorem, Real, Real>);
// empty ones,
static_assert(!std::is_default_constructible_v<Exact> && !std::is_default_constructible_v<Enclosure> &&
              !std::is_default_constructible_v<numeric::Proof>);
// what was computed or estimated without one,
static_assert(!std::is_constructible_v<Enclosure, Approximation> &&
              !std::is_constructible_v<Exact, Approximation> &&
              !std::is_constructible_v<Enclosure, numeric::Estimate<unit::Probability>> &&
              !std::is_constructible_v<UpperBound, numeric::Model<unit::Probability>>);
// the proof of another quantity,
static_assert(!std::is_constructible_v<numeric::Exact<unit::Packet>, Exact> &&
              !std::is_convertible_v<Enclosure, numeric::Enclosure<unit::Slot>>);

}  // namespace

TEST_CASE("a claim without a value claims nothing", "[numeric][proof]") {
  const Claim claim;
  CHECK(std::get<Approximation>(claim).agreed_digits == 0);
}

TEST_CASE("assumptions travel with a proof and with what is computed from it", "[numeric][proof]") {
  const numeric::Proof plain = Theorem::slotted_queue;
  const numeric::Proof assuming{Theorem::slotted_queue, Assumption::later_coefficients};
  CHECK(plain.assumptions().none());
  CHECK((plain & assuming).assumptions().has(Assumption::later_coefficients));
  CHECK((assuming & plain) == (plain & assuming));
  const numeric::PrecisionScope scope(numeric::Precision{64});
  const Exact third(assuming, Rational(1) / 3);
  CHECK(numeric::enclose(third, {64}).proof() == assuming);
  CHECK(numeric::to_enclosure(numeric::Proved<unit::Probability>(third)).proof() == assuming);
}

TEST_CASE("an intermediate value is never shown as proved", "[numeric][proof]") {
  const numeric::PrecisionScope scope(numeric::Precision{64});
  for (const Assumption assumption : {Assumption::independent_hops, Assumption::converged}) {
    const numeric::Proof proof{Theorem::convolution, assumption};
    CHECK(render::kind_of(render::shown(Exact(proof, Rational(1) / 3))) == "approximation");
    CHECK(render::kind_of(render::shown(Enclosure(proof, Real(0.25), Real(0.5)))) == "approximation");
    CHECK(render::kind_of(render::shown(Claim(Exact(proof, Rational(1) / 3)))) == "approximation");
  }
  CHECK(render::kind_of(render::shown(Exact(Theorem::convolution, Rational(1) / 3))) == "exact");
}

TEST_CASE("coefficients that were not checked are named with every number that rests on them",
          "[numeric][proof]") {
  const numeric::PrecisionScope scope(numeric::Precision{64});
  const numeric::Proof proof{Theorem::slotted_queue, Assumption::later_coefficients};
  CHECK(render::certainty(render::shown(Exact(proof, Rational(1) / 3)), {10}) ==
        "exact if no later coefficient of A(z) is negative");
  CHECK(render::certainty(render::shown(Exact(Theorem::slotted_queue, Rational(1) / 3)), {10}) == "exact");
}
