#include <tailbound/answers/buffer/pgf.hpp>

#include <catch2/catch.hpp>

#include <string>

// Formulas as answers. Their correctness is tested in tests/queue/slotted/slotted_formula_test.cpp.

using namespace tailbound;
using answers::PgfOf;
using symbolic::Expression;
using symbolic::Pgf;

namespace {

Expression number(const char* text) {
  return symbolic::parse_expression(text, "number");
}

answers::PgfQuery query(PgfOf of) {
  return {.arrivals = Pgf::equal_inputs(16, number("9/10")), .of = of};
}

std::string rejected(const answers::PgfQuery& requested) {
  try {
    static_cast<void>(answers::answer(requested));
  } catch (const InvalidArgument& error) {
    return error.argument();
  }
  return "nothing";
}

}  // namespace

TEST_CASE("pgf: requested moments", "[answers]") {
  const auto arrivals = answers::answer(query(PgfOf::arrivals));
  CHECK(arrivals.definition.name == "A");
  CHECK(arrivals.mean.equals(number("9/10")));
  CHECK(arrivals.zero.equals(number("(1 - 9/160)^16")));
  const auto occupancy = answers::answer(query(PgfOf::occupancy));
  CHECK(occupancy.definition.name == "Q");
  CHECK(occupancy.mean.equals(number("4.696875")));
  CHECK(occupancy.zero.equals(number("1/10")));
  const auto wait = answers::answer(query(PgfOf::wait));
  CHECK(wait.definition.name == "W");
  CHECK(wait.mean.equals(number("4.696875/0.9 - 1")));  // Little's law, without the own service slot
}

TEST_CASE("pgf: conditions on symbolic parameters", "[answers]") {
  const Expression k = Expression::symbol("k"), rho = Expression::symbol("rho");
  const auto found = answers::answer(answers::PgfQuery{.arrivals = Pgf::equal_inputs(k, rho)});
  CHECK(found.zero.equals(1 - rho));
  CHECK_FALSE(found.definition.remarks.empty());
}

TEST_CASE("pgf: incompatible settings", "[answers]") {
  auto requested = query(PgfOf::arrivals);
  requested.cancelled = true;
  CHECK(rejected(requested) == "cancel");
  requested = query(PgfOf::wait);
  requested.packets_per_slot = 2;
  CHECK(rejected(requested) == "packets per slot");
  requested = {.arrivals = Pgf::poisson(Expression::symbol("rho")), .cancelled = true};
  CHECK_THROWS_AS(answers::answer(requested), answers::NotCancelled);
  requested = {.arrivals = symbolic::parse_pgf("(1 + z)/3", "A"), .of = PgfOf::arrivals};
  CHECK(rejected(requested) == "arrivals");
  CHECK_THROWS_AS(answers::checked(symbolic::parse_pgf("2*z - z^2", "A")), InvalidArgument);
  CHECK_NOTHROW(answers::checked(symbolic::parse_pgf("2*p*z - z^2", "A")));
  CHECK_THROWS_AS(answers::answer(answers::PgfQuery{.arrivals = Pgf::equal_inputs(2, 1)}), Unstable);
}

TEST_CASE("pgf: one bursty source", "[answers]") {
  answers::OnOffPgfQuery requested{.load = number("3/5"), .burst = 16, .inputs = 32};
  // D(z) at z = 1 is the transition matrix of the chain: its rows sum to 1.
  const queue::OnOffFormula found = answers::answer(requested);
  for (const auto& row : found.entry) CHECK((row[0] + row[1]).substitute("z", 1).equals(1));
  CHECK(found.stop.equals(number("1/16")));
  requested.load = Expression::symbol("z");
  CHECK_THROWS_AS(answers::answer(requested), InvalidArgument);
}

TEST_CASE("pgf: impossible parameters of an on-off source are rejected", "[answers]") {
  const auto argument = [](const answers::OnOffPgfQuery& requested) {
    try {
      static_cast<void>(answers::answer(requested));
    } catch (const InvalidArgument& rejected) {
      return rejected.argument();
    }
    return std::string("nothing");
  };
  const Expression p = Expression::symbol("p");
  // At load 0.8 a burst of 3 would need 3/4 of a slot between bursts: D00 = -1/3.
  CHECK(argument({.load = number("4/5"), .burst = 3, .inputs = 4}) == "burst");
  CHECK(argument({.load = number("4/5"), .burst = 4, .inputs = 4}) == "nothing");
  CHECK(argument({.load = number("4/5"), .burst = 3, .on_rate = number("9/10"), .inputs = p}) == "burst");
  CHECK(argument({.load = p, .burst = number("1/2"), .inputs = 4}) == "burst");
  CHECK(argument({.load = p, .burst = 1, .inputs = 4}) == "nothing");
  CHECK(argument({.load = number("4/5"), .burst = p, .on_rate = number("1/2"), .inputs = 4}) ==
        "load of a source");
  CHECK(argument({.load = number("4/5"), .burst = 3, .on_rate = p, .inputs = 4}) == "burst");
  CHECK(argument({.load = p, .burst = p, .on_rate = number("3/2"), .inputs = 4}) == "on-rate");
  CHECK(argument({.load = p, .burst = p, .inputs = number("3/2")}) == "inputs");
  // Numbers within a formula are numbers.
  CHECK(argument({.load = number("4/5"), .burst = 3 + p - p, .inputs = 4}) == "burst");
}

TEST_CASE("pgf: named distributions", "[answers]") {
  CHECK(answers::pgf_of_text("geometric(1/2)", "--arrivals").expression().equals(number("1/(2-z)")));
  CHECK(answers::pgf_of_text("negbin(3,1/4)", "--arrivals").mean().equals(number("9")));
  CHECK(answers::pgf_of_text("1/2*binomial(40,1/80) + 1/2*uniform(2,4)", "--arrivals")
            .expression()
            .equals(number("1/2*(79/80+z/80)^40 + (z^2+z^3+z^4)/6")));
  CHECK_THROWS_WITH(answers::pgf_of_text("logarithmic(0.7)", "--arrivals"),
                    Catch::Contains("from 1 packet on") && Catch::Contains("buffer, occupancy"));
}
