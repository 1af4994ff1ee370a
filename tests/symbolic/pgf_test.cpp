#include <catch2/catch.hpp>
#include <tailbound/core/error.hpp>
#include <tailbound/symbolic/pgf.hpp>
#include <tailbound/symbolic/print.hpp>

#include <functional>
#include <optional>
#include <random>

using namespace tailbound;
using namespace tailbound::symbolic;
using numeric::Rational;

namespace {

std::vector<Rational> random_pmf(std::mt19937_64& random) {
  std::vector<Rational> pmf(1 + random() % 9);
  Rational total = 0;
  for (Rational& entry : pmf) {
    entry = Rational(static_cast<long>(1 + random() % 50));
    total = total + entry;
  }
  for (Rational& entry : pmf) entry = entry / total;
  return pmf;
}

bool same(const Expression& a, const std::string& text) {
  return a.equals(parse_expression(text));
}

}  // namespace

TEST_CASE("moments of random PMFs are their sums") {
  std::mt19937_64 random(1);
  for (int round = 0; round < 50; ++round) {
    const auto pmf = random_pmf(random);
    std::vector<Rational> sums(4, 0);
    for (std::size_t j = 0; j < pmf.size(); ++j) {
      Rational term = pmf[j];
      for (std::size_t n = 0; n < sums.size(); ++n) {
        sums[n] = sums[n] + term;
        term = term * Rational(static_cast<long>(j) - static_cast<long>(n));
      }
    }
    const Pgf pgf = Pgf::from_coefficients(pmf);
    const auto moments = pgf.factorial_moments(3);
    for (std::size_t n = 0; n < sums.size(); ++n) REQUIRE(moments[n].as_rational() == sums[n]);
    CHECK(pgf.variance().as_rational() == sums[2] + sums[1] - sums[1] * sums[1]);
  }
}

TEST_CASE("moments by the series at 1 agree with GiNaC's derivatives") {
  for (const char* text :
       {"(1-p+p*z)^7", "exp(rho*(z-1))", "(1-p)/(1-p*z)", "(1-p)*exp(rho*(z^2-1))+p*z^3"}) {
    const Pgf pgf = parse_pgf(text);
    Expression derivative = pgf.expression();
    for (int n = 1; n <= 3; ++n) {
      derivative = derivative.derivative("z");
      INFO(text);
      CHECK(pgf.factorial_moment(n).equals(derivative.substitute("z", 1)));
    }
  }
}

TEST_CASE("limits at 1 of rational and exponential formulas that read 0/0 there") {
  CHECK(same(parse_pgf("(z^3-1)/(3*(z-1))").value_at_one(), "1"));
  CHECK(same(parse_pgf("(exp(z-1)-1)/(z-1)").mean(), "1/2"));
  CHECK(same(parse_pgf("(z-1)^3/(exp(z-1)-1-(z-1)-(z-1)^2/2)").value_at_one(), "6"));
  CHECK(same(parse_pgf("(exp(z)-1)/(exp(1)-1)").mean(), "exp(1)/(exp(1)-1)"));
  CHECK(same(parse_pgf("(1-z^k)/(k*(1-z))").mean(), "(k-1)/2"));
  CHECK_THROWS_AS(parse_pgf("1/(z-1)").value_at_one(), InvalidArgument);
  CHECK_THROWS_AS(parse_pgf("1/(z-z)").value_at_one(), InvalidArgument);
}

TEST_CASE("A(1) = 1 is yes, no or unknown") {
  CHECK(parse_pgf("(1-p+p*z)^k").is_normalised() == Verdict::yes);
  CHECK(parse_pgf("(1+z)^2/5").is_normalised() == Verdict::no);
  CHECK(parse_pgf("a+b*z").is_normalised() == Verdict::unknown);
  CHECK(parse_pgf("exp(a)*exp(z-1)*exp(-a)").is_normalised() == Verdict::yes);
}

TEST_CASE("a million inputs cost no more than two") {
  const Pgf pgf = Pgf::equal_inputs(1'000'000, parse_expression("0.9"));
  CHECK(same(pgf.mean(), "9/10"));
  CHECK(same(pgf.variance(), "0.9*(1-0.9/1000000)"));
  CHECK(pgf.program().steps.size() < 10);
}

TEST_CASE("free parameters are named where numbers are required") {
  CHECK_THROWS_WITH(parse_pgf("(1-p+p*z)^k").program(), Catch::Contains("k, p"));
}

TEST_CASE("normal form sees through exp and symbolic powers") {
  CHECK(same(parse_expression("exp(a+b)-exp(a)*exp(b)"), "0"));
  CHECK(same(parse_expression("p^(k+1)-p*p^k"), "0"));
  CHECK(same(parse_expression("exp(2)-exp(1)^2"), "0"));
  CHECK_FALSE(same(parse_expression("exp(2)-exp(1)"), "0"));
  CHECK_FALSE(same(parse_expression("p^(k+1)"), "p^k"));
}

TEST_CASE("simplified: factors of factors are found, powers stay, values are the same") {
  CHECK(parse_expression("(z^2 - 1)*(z + 399)^200").simplified().text() == "-(399 + z)^200*(1 + z)*(1 - z)");
  CHECK(parse_expression("(z^2 - 1)^2/(z^2 + 3*z + 2)").simplified().text() == "(1 - z)^2*(1 + z)/(2 + z)");
  std::mt19937_64 random(77);
  for (int n = 0; n < 200; ++n) {
    std::string text;
    for (std::size_t i = 0, factors = 1 + random() % 4; i < factors; ++i) {
      text += i == 0 ? "(1" : random() % 3 == 0 ? "/(1" : "*(1";
      for (std::size_t j = 1, degree = 1 + random() % 3; j <= degree; ++j)
        text += " + " + std::to_string(random() % 4) + "*z^" + std::to_string(j);
      text += ")^" + std::to_string(1 + random() % 3);
    }
    const Expression given = parse_expression(text), simple = given.simplified();
    for (const Rational& z : {Rational(1) / 3, Rational(2), Rational(7) / 5}) {
      INFO(text << " became " << simple.text());
      CHECK(given.substitute("z", Expression(z)).as_rational() ==
            simple.substitute("z", Expression(z)).as_rational());
    }
  }
}

TEST_CASE("parser errors have positions") {
  const auto column = [](const std::string& text) -> std::size_t {
    try {
      (void)parse_expression(text);
    } catch (const ParseError& error) {
      return error.column();
    }
    return 0;
  };
  CHECK(column("2z") == 2);
  CHECK(column("z)") == 2);
  CHECK(column("(z") == 1);
  CHECK(column("z**2") == 3);
  CHECK(column("1/(1-1)") == 3);
  CHECK(column("1 + f(z)") == 5);
  CHECK(column("z^(1/2)") == 1);
  CHECK(column("") == 1);
  CHECK(column("z+") == 3);
  CHECK(column("9^9^9") == 1);
  CHECK(column("(2^1000000)^1000") > 0);
  CHECK(column(std::string(300, '(') + "z" + std::string(300, ')')) > 0);
  CHECK(column(std::string(300, '-') + "z") > 0);
  CHECK(column(std::string(70'000, '1')) > 0);
  CHECK(column("1e99999*1e99999*1e99999*1e99999") > 0);
  CHECK_THROWS_WITH(parse_expression("2z"), Catch::Contains("2*z"));
}

TEST_CASE("printed text reads back as the same formula and prints the same") {
  std::mt19937_64 random(2);
  const std::function<std::string(int)> make = [&](int depth) -> std::string {
    if (depth == 0) {
      const char* leaves[] = {"z", "p", "3", "1/7", "0.25", "rho"};
      return leaves[random() % 6];
    }
    const std::string a = make(depth - 1), b = make(depth - 1);
    switch (random() % 7) {
      case 0:
        return "(" + a + ")+(" + b + ")";
      case 1:
        return "(" + a + ")-(" + b + ")";
      case 2:
        return "(" + a + ")*(" + b + ")";
      case 3:
        return "(" + a + ")/(5+" + b + ")";
      case 4:
        return "-(" + a + ")";
      case 5:
        return "(" + a + ")^" + std::to_string(random() % 4);
      default:
        return "exp(" + a + ")";
    }
  };
  for (int round = 0; round < 500; ++round) {
    std::string text = make(1 + static_cast<int>(random() % 4));
    std::optional<Expression> read;
    try {
      read = parse_expression(text);
    } catch (const ParseError&) {
      continue;  // a random division by zero
    }
    const Expression& first = *read;
    const Expression again = parse_expression(first.text());
    INFO(text << "  ->  " << first.text());
    CHECK(again.text() == first.text());
    if (round % 10 == 0) CHECK(again.equals(first));
  }
}

TEST_CASE("nested formulas are printed in linear time") {
  std::string nested = "z";
  for (int depth = 0; depth < 40; ++depth) nested = "z^(-" + nested + ")";
  const Expression expression = parse_expression(nested);
  CHECK(expression.text() == nested);
  CHECK(parse_expression(print(expression, Language::maple)).text() == nested);
  for (const Language language : {Language::latex, Language::gp, Language::c})
    CHECK(print(expression, language).size() < 20 * nested.size());
}

TEST_CASE("reserved names get an underscore and stay distinct") {
  CHECK(spelled("D", Language::maple) == "D_");
  CHECK(spelled("D_", Language::maple) == "D__");
  CHECK(spelled("I", Language::gp) == "I_");
  CHECK(spelled("double", Language::c) == "double_");
  CHECK(spelled("p", Language::c) == "p");
  CHECK(print(parse_expression("rho*y1"), Language::latex) == "\\rho y_{1}");
}
