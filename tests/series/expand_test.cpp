#include <catch2/catch.hpp>
#include <tailbound/series/expand.hpp>
#include <tailbound/symbolic/pgf.hpp>

#include <string>

using namespace tailbound;
using namespace tailbound::series;
using numeric::Interval;
using numeric::Rational;
using symbolic::parse_pgf;

namespace {

bool contains(const Interval& interval, const Rational& value) {
  return numeric::to_rational(numeric::lower(interval)) <= value &&
         value <= numeric::to_rational(numeric::upper(interval));
}

/// base^exponent, coefficient lists, by plain multiplication.
std::vector<Rational> naive_power(const std::vector<Rational>& base, int exponent, std::size_t order) {
  std::vector<Rational> result(order, 0);
  result[0] = 1;
  for (int n = 0; n < exponent; ++n) {
    std::vector<Rational> next(order, 0);
    for (std::size_t i = 0; i < order; ++i)
      for (std::size_t j = 0; j < base.size() && i + j < order; ++j)
        next[i + j] = next[i + j] + result[i] * base[j];
    result = next;
  }
  return result;
}

}  // namespace

TEST_CASE("powers agree with plain multiplication, intervals enclose them and stay non-negative") {
  struct Row {
    const char* text;
    std::vector<Rational> base;
    int exponent;
  };
  const numeric::PrecisionScope scope({100});
  const Rational tenth = Rational(1) / 10;
  for (const Row& row : {Row{"(1/10+9/10*z)^16", {tenth, 9 * tenth}, 16},
                         Row{"(1/10+2/10*z+7/10*z^3)^5", {tenth, 2 * tenth, 0, 7 * tenth}, 5},
                         // So many factors that squaring takes fewer additions.
                         Row{"(1/10+2/10*z+7/10*z^3)^60", {tenth, 2 * tenth, 0, 7 * tenth}, 60},
                         Row{"(3/10*z+7/10*z^2)^6", {0, 3 * tenth, 7 * tenth}, 6}}) {
    const auto program = parse_pgf(row.text).program();
    for (const std::size_t order : {std::size_t(4), std::size_t(40)}) {
      const auto expected = naive_power(row.base, row.exponent, order);
      REQUIRE(expand<Rational>(program, order) == expected);
      const auto intervals = expand<Interval>(program, order);
      const auto doubles = expand<double>(program, order);
      for (std::size_t j = 0; j < order; ++j) {
        CHECK(contains(intervals[j], expected[j]));
        CHECK(numeric::lower(intervals[j]) >= 0);
        CHECK(doubles[j] == Approx(numeric::nearest_double(expected[j])).epsilon(1e-13));
      }
    }
  }
}

TEST_CASE("a quotient times its divisor is the dividend; intervals enclose the exact quotient") {
  const numeric::PrecisionScope scope({200});
  const auto quotient = parse_pgf("(1/2+z/3)^2/(2-z+z^2/5)^3").program();
  const auto divisor = parse_pgf("(2-z+z^2/5)^3").program();
  const auto q = expand<Rational>(quotient, 60), d = expand<Rational>(divisor, 60);
  const auto intervals = expand<Interval>(quotient, 60);
  const auto dividend = expand<Rational>(parse_pgf("(1/2+z/3)^2").program(), 60);
  for (std::size_t n = 0; n < 60; ++n) {
    Rational total = 0;
    for (std::size_t j = 0; j <= n; ++j) total = total + q[j] * d[n - j];
    CHECK(total == dividend[n]);
    CHECK(contains(intervals[n], q[n]));
  }
}

TEST_CASE("exp: coefficients of exp(z) are 1/n!, and of exp(rho (z-1)) Poisson") {
  const numeric::PrecisionScope scope({150});
  Rational expected = 1;
  const auto exact = expand<Rational>(parse_pgf("exp(z)").program(), 30);
  const auto poisson = expand<Interval>(parse_pgf("exp(9/10*(z-1))").program(), 30);
  Interval entry = exp(-numeric::to_interval(Rational(9) / 10));
  for (long n = 0; n < 30; ++n) {
    const auto at = static_cast<std::size_t>(n);
    CHECK(exact[at] == expected);
    expected = expected / (n + 1);
    // two enclosures of one number meet, and are narrow
    CHECK(numeric::lower(entry) <= numeric::upper(poisson[at]));
    CHECK(numeric::lower(poisson[at]) <= numeric::upper(entry));
    CHECK(numeric::relative_width(numeric::lower(poisson[at]), numeric::upper(poisson[at])) < 1e-40);
    entry = entry * numeric::to_interval(Rational(9) / 10) / Interval(n + 1);
  }
}

TEST_CASE("expansion about 1: removable zeros, also obscured by rounding") {
  const numeric::PrecisionScope scope({120});
  for (const char* text : {"(z^3-1)/(3*(z-1))", "(10/3*z^2-10/3)/(20/3*z-20/3)"}) {
    const auto program = parse_pgf(text).program();
    const auto exact = expand_about<Rational>(program, 1, 4);
    const auto intervals = expand_about<Interval>(program, 1, 4);
    CHECK(exact[0] == 1);
    for (std::size_t j = 0; j < 4; ++j) CHECK(contains(intervals[j], exact[j]));
    CHECK(expand_about<double>(program, 1, 2)[0] == Approx(1));
  }
  CHECK(expand_about<Rational>(parse_pgf("(exp(z-1)-1)/(z-1)").program(), 1, 3)[2] == Rational(1) / 6);
}

TEST_CASE("a million terms of a short power, and errors") {
  const auto program = parse_pgf("(1-9/10000000+9/10000000*z)^1000000").program();
  const auto coefficients = expand<double>(program, 100);
  CHECK(coefficients[0] == Approx(std::exp(-0.9)).epsilon(1e-5));
  CHECK_THROWS_AS(expand<Rational>(parse_pgf("exp(z+1)").program(), 3), Irrational);
  CHECK_THROWS_AS(expand<Rational>(parse_pgf("1/z").program(), 3), InvalidArgument);
  CHECK_THROWS_AS(expand<double>(program, 2'000'000), LimitExceeded);
  CHECK_THROWS_AS(expand<double>(parse_pgf("(1/(2-z))*(1/(3-z))").program(), 1'000'000), LimitExceeded);
}

TEST_CASE("evaluation encloses the exact value") {
  const numeric::PrecisionScope scope({100});
  const auto program = parse_pgf("(1/10+9/10*z)^16/(2-z)").program();
  const Rational z = Rational(1) / 3;
  const Rational exact = evaluate<Rational>(program, z);
  CHECK(exact == numeric::pow(Rational(2) / 5, 16) / (Rational(5) / 3));
  CHECK(contains(evaluate<Interval>(program, numeric::to_interval(z)), exact));
  CHECK_THROWS_AS(evaluate<Interval>(program, Interval(2)), InvalidArgument);
}
