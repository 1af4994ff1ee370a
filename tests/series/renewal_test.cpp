#include <tailbound/series/renewal.hpp>

#include <catch2/catch.hpp>

#include <cmath>
#include <random>

using tailbound::numeric::Interval;
using tailbound::numeric::PrecisionScope;
using tailbound::numeric::Rational;
using tailbound::numeric::Real;
using tailbound::series::extend;
using tailbound::series::RenewalEquation;
namespace numeric = tailbound::numeric;

namespace {

/// Multiples of 2^-20, which every type represents exactly.
template <class T>
RenewalEquation<T> in(const RenewalEquation<long>& equation) {
  RenewalEquation<T> result;
  for (const long entry : equation.kernel) result.kernel.push_back(T(entry) / T(1 << 20));
  for (const long entry : equation.forcing) result.forcing.push_back(T(entry) / T(1 << 20));
  return result;
}

}  // namespace

TEST_CASE("renewal equation: each arithmetic's loop against rationals", "[series][renewal]") {
  std::mt19937_64 random(20261123);
  const PrecisionScope scope({96});
  for (int round = 0; round < 300; ++round) {
    RenewalEquation<long> drawn;
    const auto order = random() % 40, forced = random() % 50, count = 1 + random() % 90,
               first = random() % (count + 1);
    for (std::size_t j = 0; j < order; ++j)
      drawn.kernel.push_back(static_cast<long>(random() % (2 * (1 << 20) / (order + 1))));
    for (std::size_t j = 0; j < forced; ++j) drawn.forcing.push_back(static_cast<long>(random() % (1 << 20)));

    const auto exact_equation = in<Rational>(drawn);
    std::vector<Rational> exact;
    extend(exact_equation, exact, count);

    const auto doubles = in<double>(drawn);
    const auto reals = in<Real>(drawn);
    const auto intervals = in<Interval>(drawn);
    std::vector<double> machine;
    std::vector<Real> floating;
    std::vector<Interval> enclosed;
    for (const std::size_t reach : {first, count}) {  // in two steps, as for successive queries
      extend(doubles, machine, reach);
      extend(reals, floating, reach);
      extend(intervals, enclosed, reach);
    }
    REQUIRE(machine.size() == count);
    REQUIRE(floating.size() == count);
    REQUIRE(enclosed.size() == count);
    for (std::size_t n = 0; n < count; ++n) {
      CAPTURE(round, order, forced, count, first, n);
      // One per each of n + 1 steps, and that of the sum itself; second-order terms are far below.
      const double units =
          static_cast<double>(n + 1) * tailbound::series::roundings_per_step(std::min(n, order)) * 1.001;
      const auto error = [&](const Rational& value) {
        return exact[n] == 0 ? numeric::nearest_double(value)
                             : std::fabs(numeric::nearest_double((value - exact[n]) / exact[n]));
      };
      CHECK(error(numeric::to_rational(machine[n])) <= std::ldexp(units, -53));
      CHECK(error(numeric::to_rational(floating[n])) <= std::ldexp(units, -96));
      CHECK(numeric::compare(numeric::lower(enclosed[n]), exact[n]) <= 0);
      CHECK(numeric::compare(numeric::upper(enclosed[n]), exact[n]) >= 0);
      CHECK(numeric::relative_width(numeric::lower(enclosed[n]), numeric::upper(enclosed[n])) <=
            std::ldexp(units * 2 * static_cast<double>(order + 1), -96));
    }
  }
}
