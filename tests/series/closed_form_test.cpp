#include <tailbound/series/expand.hpp>
#include <tailbound/series/formulas/certified_series.hpp>
#include <tailbound/series/formulas/shape.hpp>
#include <tailbound/symbolic/pgf.hpp>

#include <algorithm>
#include <catch2/catch.hpp>
#include <random>
#include <tests/support/rational.hpp>
#include <tuple>

using namespace tailbound;
using numeric::Interval;
using numeric::Rational;
using numeric::Real;
using series::CertifiedSeries;
using series::closed_form;
using symbolic::parse_pgf;

namespace {

bool same(const std::string& one, const std::string& other) {
  const auto a = closed_form(parse_pgf(one).program()), b = closed_form(parse_pgf(other).program());
  if (!a || !b || a->terms.size() != b->terms.size()) return false;
  for (std::size_t i = 0; i < a->terms.size(); ++i)
    if (!(a->terms[i].factor == b->terms[i].factor && a->terms[i].exponent == b->terms[i].exponent))
      return false;
  return true;
}

bool encloses(const Interval& interval, const Rational& value) {
  return numeric::compare(numeric::lower(interval), value) <= 0 &&
         numeric::compare(numeric::upper(interval), value) >= 0;
}

std::vector<Interval> coefficients(const std::string& formula, std::size_t count, int bits) {
  auto series = CertifiedSeries::of(*closed_form(parse_pgf(formula).program()), bits);
  REQUIRE(series);
  series->extend(count / 2);  // in two steps, as its callers do
  series->extend(count);
  return series->intervals(count);
}

Real widest(const std::vector<Interval>& intervals) {
  Real width(0);
  for (const Interval& one : intervals)
    width = std::max(width, Real(numeric::upper(one) - numeric::lower(one)));
  return width;
}

/// A quotient without zeros of the divisor in |z| <= 1: its constant exceeds the sum of its other
/// coefficients.
std::string random_quotient(std::mt19937& random) {
  const auto pick = [&](int low, int high) { return std::uniform_int_distribution<int>(low, high)(random); };
  std::string divisor, dividend = std::to_string(pick(-9, 9));
  int sum = 1;
  for (int k = 1, degree = pick(1, 6); k <= degree; ++k) {
    const int c = pick(-9, 9);
    sum += std::abs(c);
    divisor += "+(" + std::to_string(c) + ")*z^" + std::to_string(k);
  }
  for (int k = 1, degree = pick(0, 7); k <= degree; ++k)
    dividend += "+(" + std::to_string(pick(-9, 9)) + ")*z^" + std::to_string(k);
  return "(" + dividend + ")/(" + std::to_string(sum) + divisor + ")";
}

}  // namespace

TEST_CASE("closed form: the same for every spelling", "[series][closed_form]") {
  CHECK(same("1/(6-7*z+2*z^2)", "1/((2-z)*(3-2*z))"));
  CHECK(same("(z^2-1)/(z-1)", "z+1"));
  CHECK(same("(z^3-1)/(3*(z-1))", "(1+z+z^2)/3"));
  CHECK(same("1/2/(1-z/2)", "1/(2-z)"));
  CHECK(same("(1/(2-z))^3", "1/(8-12*z+6*z^2-z^3)"));
  CHECK(same("z/(z*(2-z))", "1/(2-z)"));
  CHECK(same("exp(z/2)*exp(-1/2)", "exp(1/2*(z-1))"));
  CHECK(same("exp(1/20*((z/10)/(1-9/10*z)-1))", "exp(-1/20)*exp((z/200)/(1-9/10*z))"));
  CHECK(same("exp(z)^2*(1-z)/(1-z)^2", "exp(2*z)/(1-z)"));
  CHECK(same("exp(z)-exp(z)+z", "z"));
  CHECK_FALSE(same("exp(z)", "exp(2*z)"));
  CHECK_FALSE(closed_form(parse_pgf("exp(exp(z)-exp(1))").program()));
  CHECK_FALSE(closed_form(parse_pgf("(exp(z)-1)/(exp(1)-1)").program()));
  CHECK_FALSE(closed_form(parse_pgf("(1/2+z/2)^1000000").program()));
}

TEST_CASE("closed form: coefficients are enclosed", "[series][closed_form]") {
  const numeric::PrecisionScope scope({400});
  std::mt19937 random(20261128);
  for (int trial = 0; trial < 60; ++trial) {
    const std::string formula = random_quotient(random);
    CAPTURE(formula);
    const auto exact = series::expand<Rational>(parse_pgf(formula).program(), 150);
    const auto enclosed = coefficients(formula, 150, 128);
    for (std::size_t k = 0; k < exact.size(); ++k) REQUIRE(encloses(enclosed[k], exact[k]));
    CHECK(widest(enclosed) <= ldexp(Real(1), -127));
    // exp of it: against the series as written, at more digits than it loses.
    const std::string exponential = "(1-z/2)^2*exp(" + formula + ")";
    const auto powers = coefficients(exponential, 100, 128);
    const numeric::PrecisionScope fine({3000});
    const auto written = series::expand<Interval>(parse_pgf(exponential).program(), 100);
    for (std::size_t k = 0; k < powers.size(); ++k) REQUIRE(overlap(powers[k], written[k]));
    REQUIRE(widest(written) <= ldexp(Real(1), -200));
    CHECK(widest(powers) <= ldexp(Real(1), -126));
  }
}

TEST_CASE("closed form: zeros between powers are exact", "[series][closed_form]") {
  const numeric::PrecisionScope scope({200});
  for (const auto& [formula, first, period] :
       std::vector<std::tuple<std::string, std::size_t, std::size_t>>{{"z/(6-7*z^3+2*z^6)", 1, 3},
                                                                      {"z^2*(3+z^4)/(12-9*z^2+z^4)", 2, 2},
                                                                      {"exp(1/(6-7*z^2+2*z^4)-1)", 0, 2},
                                                                      {"z^5*exp(1/(6-7*z+2*z^2)-1)", 5, 1}}) {
    CAPTURE(formula);
    const auto enclosed = coefficients(formula, 40, 128);
    for (std::size_t k = 0; k < enclosed.size(); ++k) {
      const bool zero = numeric::lower(enclosed[k]) == 0 && numeric::upper(enclosed[k]) == 0;
      CHECK(zero == (k < first || (k - first) % period != 0));
    }
  }
}

TEST_CASE("closed form: no claim near or inside the unit disc", "[series][closed_form]") {
  const auto claimed = [](const std::string& formula) {
    return CertifiedSeries::of(*closed_form(parse_pgf(formula).program()), 64).has_value();
  };
  CHECK_FALSE(claimed("1/(1-z)"));
  CHECK_FALSE(claimed("1/(1+z^2)"));
  CHECK_FALSE(claimed("1/(1-2*z)"));
  CHECK_FALSE(claimed("1/z"));
  CHECK_FALSE(claimed("exp(1/(1-z))"));
  CHECK_FALSE(claimed("exp(1000000*z)"));
  CHECK(claimed("(1-z)/(1-z)"));
  CHECK(claimed("1/(1001-1000*z)"));
  CHECK(claimed("exp(100*z)/(5/4+z)"));
}

TEST_CASE("closed form: signs, poles and values", "[series][closed_form]") {
  const auto sign = [](const std::string& formula, std::size_t count) {
    return series::first_negative(closed_form(parse_pgf(formula).program())->terms.front().factor, count);
  };
  const std::string complex_poles = "1/(3-2*z+z^2/2)";
  const auto written = series::expand<Rational>(parse_pgf(complex_poles).program(), 40);
  const auto negative = std::find_if(written.begin(), written.end(), [](const Rational& c) { return c < 0; });
  REQUIRE(negative != written.end());
  const auto place = static_cast<std::size_t>(negative - written.begin());
  CHECK(sign(complex_poles, 40) == std::optional<std::size_t>(place));
  CHECK(sign(complex_poles, place) == std::nullopt);
  CHECK(sign("1/(6-7*z+2*z^2)", 1000) == std::nullopt);
  const numeric::PrecisionScope scope({128});
  const auto form = closed_form(parse_pgf("1/(6-7*z+2*z^2)").program());
  CHECK(series::free_of_poles(*form, Real(1), Real(1.4999)));
  CHECK_FALSE(series::free_of_poles(*form, Real(1), Real(1.75)));
  CHECK(encloses(series::value(*form, Interval(1)), Rational(1)));
  CHECK(series::is_plain(parse_pgf("1/2/(1-z/2)").program()));
  CHECK(series::is_plain(parse_pgf("exp(9/10*(z-1))").program()));
  CHECK_FALSE(series::is_plain(parse_pgf("1/(6-7*z+2*z^2)").program()));
  CHECK_FALSE(series::is_plain(parse_pgf("exp(1/(2-z)-1)").program()));
}
