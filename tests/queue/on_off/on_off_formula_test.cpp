#include <catch2/catch.hpp>
#include <tailbound/queue/on_off/on_off_formula.hpp>
#include <tailbound/traffic/on_off.hpp>

namespace tailbound::queue {
namespace {

using numeric::parse_rational;
using numeric::Rational;
using symbolic::Expression;

Rational at(const Expression& formula, const Rational& z) {
  const auto value = formula.substitute("z", Expression(z)).simplified().as_rational();
  REQUIRE(value.has_value());
  return *value;
}

TEST_CASE("on-off formula: the matrix is that of the thinned source") {
  for (const char* load : {"1/10", "3/5"})
    for (const char* on_rate : {"1", "4/5"}) {
      const Rational rho = parse_rational(load, "l"), rate = parse_rational(on_rate, "r");
      const traffic::OnOff source =
          traffic::thinned(traffic::on_off(rho, {16, rate}), parse_rational("1/32", "k"));
      const OnOffFormula formula = on_off_formula(rho, 16, rate, 32);
      CHECK(at(formula.start, 1) == source.start);
      CHECK(at(formula.stop, 1) == source.stop);
      for (const char* point : {"0", "1", "3/2"}) {
        const Rational z = parse_rational(point, "z"), w = 1 - source.on_rate + source.on_rate * z;
        CHECK(at(formula.entry[0][0], z) == 1 - source.start);
        CHECK(at(formula.entry[0][1], z) == source.start);
        CHECK(at(formula.entry[1][0], z) == source.stop * w);
        CHECK(at(formula.entry[1][1], z) == (1 - source.stop) * w);
        CHECK(at(formula.determinant, z) ==
              at(formula.entry[0][0] * formula.entry[1][1] - formula.entry[0][1] * formula.entry[1][0], z));
      }
      // 1 is an eigenvalue at z = 1, and its slope there is the load of the source at this queue.
      CHECK(1 - at(formula.trace, 1) + at(formula.determinant, 1) == 0);
      const Rational slope =
          (at(formula.trace.derivative("z"), 1) - at(formula.determinant.derivative("z"), 1)) /
          (2 - at(formula.trace, 1));
      CHECK(slope == source.load);
    }
}

TEST_CASE("on-off formula: symbols are kept, and all languages print all parts") {
  const OnOffFormula formula =
      on_off_formula(Expression::symbol("p"), Expression::symbol("L"), 1, Expression::symbol("k"));
  CHECK(formula.start.equals(Expression::symbol("p") /
                             (Expression::symbol("L") * (1 - Expression::symbol("p")))));
  using Catch::Matchers::Contains;
  const std::string text = print(formula, symbolic::Language::text);
  for (const char* part : {"D00(z)", "D01(z)", "D10(z)", "D11(z)", "T(z)", "Delta(z)",
                           "lambda1(z) = (T(z) + sqrt(", "lambda2(z) = (T(z) - sqrt("})
    CHECK_THAT(text, Contains(part));
  CHECK_THAT(print(formula, symbolic::Language::c),
             Contains("double lambda1(double z, double L, double k, double p)"));
  CHECK_THAT(print(formula, symbolic::Language::latex), Contains("\\lambda_2(z) = \\frac{"));
}

}  // namespace
}  // namespace tailbound::queue
