#include <tailbound/core/error.hpp>
#include <tailbound/series/arrival_tails.hpp>
#include <tailbound/series/laws/named_laws.hpp>

#include <catch2/catch.hpp>
#include <cmath>
#include <tests/support/rational.hpp>

using namespace tailbound;
using numeric::Interval;
using numeric::Real;
using series::named_law;
using tailbound::test::rational;

namespace {

/// P(A = k), enclosed.
Interval at(const std::string& text, std::size_t k) {
  const auto law = named_law(text, "--arrivals");
  REQUIRE(law);
  const auto tails = series::enclosed_arrival_tails(*law, -400);
  return k < tails.pmf.size() ? tails.pmf[k] : Interval(0);
}

double number_at(const std::string& text, std::size_t k) {
  return static_cast<double>(numeric::lower(at(text, k)));
}

bool covers_value(const Interval& interval, const numeric::Rational& value) {
  return numeric::compare(numeric::lower(interval), value) <= 0 &&
         numeric::compare(numeric::upper(interval), value) >= 0;
}

std::string law_rejection(const std::string& text) {
  try {
    (void)named_law(text, "--arrivals");
  } catch (const InvalidArgument& error) {
    return error.what();
  } catch (const LimitExceeded& error) {
    return error.what();
  }
  return "no error";
}

}  // namespace

TEST_CASE("named distributions: probabilities", "[series][named_laws]") {
  for (const std::size_t k : {0U, 1U, 2U, 5U, 17U}) {
    const double n = static_cast<double>(k);
    CHECK(number_at("negbin(2.5, 0.4)", k) ==
          Approx(std::exp(std::lgamma(n + 2.5) - std::lgamma(n + 1) - std::lgamma(2.5)) * std::pow(0.4, 2.5) *
                 std::pow(0.6, n))
              .epsilon(1e-12));
    CHECK(number_at("geometric(1/3)", k) == Approx(std::pow(2.0 / 3, n) / 3).epsilon(1e-14));
    CHECK(number_at("logarithmic(0.7)", k) ==
          Approx(k == 0 ? 0 : -std::pow(0.7, n) / (n * std::log(0.3))).epsilon(1e-13));
    double sum = 0;
    for (int i = 1; i <= 20; ++i) sum += std::pow(i, -1.5);
    CHECK(number_at("zipf(1.5, 20)", k) == Approx(k == 0 ? 0 : std::pow(n, -1.5) / sum).epsilon(1e-13));
    CHECK(number_at("binomial(17, 0.25)", k) ==
          Approx(std::exp(std::lgamma(18) - std::lgamma(n + 1) - std::lgamma(18 - n)) * std::pow(0.25, n) *
                 std::pow(0.75, 17 - n))
              .epsilon(1e-12));
    const auto cdf = [](double x) { return std::erfc(-(std::log(x) - 0.5) / (0.8 * std::sqrt(2.0))) / 2; };
    const double all = cdf(30.5);
    CHECK(number_at("lognormal(0.5, 0.8, 30)", k) ==
          Approx(((k == 0 ? cdf(0.5) : cdf(n + 0.5) - cdf(n - 0.5))) / all).epsilon(1e-10));
    CHECK(number_at("uniform(2,6)", k) == (k >= 2 && k <= 6 ? 0.2 : 0.0));
  }
}

TEST_CASE("named distributions: rational ones are exact", "[series][named_laws]") {
  const auto table = [](const std::string& text) {
    const auto law = named_law(text, "--arrivals");
    REQUIRE(law);
    return std::get<series::PmfArrivals>(law->description()).probabilities;
  };
  CHECK(table("0.9 + 0.1*zipf(1,3)") ==
        std::vector{rational("9/10"), rational("6/110"), rational("3/110"), rational("2/110")});
  CHECK(table("1/2*binomial(2,1/3) + 1/2*uniform(1,1)") ==
        std::vector{rational("2/9"), rational("13/18"), rational("1/18")});
  CHECK(table("zipf(0,4)") == table("uniform(1,4)"));
  // geometric and negbin start at 0, as their formulas do; shares of either.
  for (const auto& [name, formula] :
       std::vector<std::pair<std::string, std::string>>{{"geometric(4/7)", "4/(7-3*z)"},
                                                        {"negbin(3, 0.8)", "(4/(5-z))^3"},
                                                        {"0.4 + 0.6*geometric(0.75)", "0.4+1.8/(4-z)"}}) {
    CAPTURE(name);
    const auto law = named_law(name, "--arrivals");
    const auto same = series::Arrivals::from_pgf(symbolic::parse_pgf(formula));
    REQUIRE(law);
    CHECK(law->load() == same.load());
    CHECK(law->second_factorial_moment() == same.second_factorial_moment());
    CHECK(series::exact_arrival_tails(*law, 20).above == series::exact_arrival_tails(same, 20).above);
    CHECK(series::named_law_formula(name, "--arrivals")->mean().equals(*law->load()));
  }
}

TEST_CASE("named distributions: irrational ones are enclosed to any precision", "[series][named_laws]") {
  for (const int bits : {64, 200, 700}) {
    const numeric::PrecisionScope scope({bits});
    // Rational values in the middle of irrational ones: ratios of neighbours, sums, means.
    const Interval zero = at("negbin(0.3, 0.6)", 0), one = at("negbin(0.3, 0.6)", 1);
    CHECK(covers_value(one / zero, rational("3/25")));
    CHECK(covers_value(at("zipf(1/2, 40)", 4) / at("zipf(1/2, 40)", 1), rational("1/2")));
    CHECK(covers_value(at("logarithmic(0.7)", 3) / at("logarithmic(0.7)", 2), rational("7/15")));
    for (const char* const text : {"negbin(0.3, 0.6)", "1/2*logarithmic(0.7) + 1/2", "0.9 + 0.1*zipf(1.5,64)",
                                   "0.8 + 0.2*lognormal(0.5, 0.8, 30)",
                                   "0.5*negbin(0.3,0.6) + 0.4*lognormal(1,1/5,9) + 0.1*uniform(2,3)"}) {
      CAPTURE(text, bits);
      const auto law = named_law(text, "--arrivals");
      const auto tails = series::enclosed_arrival_tails(*law, -2 * bits);
      Interval mass(0), first(0), second(0);
      for (std::size_t k = 0; k < tails.pmf.size(); ++k) {
        mass += tails.pmf[k];
        first += Interval(k) * tails.pmf[k];
        second += Interval(k) * Interval(k) * tails.pmf[k];
      }
      const auto close = [&](const Interval& sum, const Interval& value) {
        return abs(numeric::upper(sum) - numeric::upper(value)) < ldexp(Real(1), 24 - bits);
      };
      CHECK(close(mass, Interval(1)));
      CHECK(close(first, law->load_interval()));
      CHECK(close(second, law->load_interval() + law->second_factorial_moment_interval()));
      // Half of the packets: the same as the mean of the halved law, and as the load requested.
      const auto half = law->at_load(numeric::to_rational(numeric::lower(law->load_interval())) / 2);
      const auto kept = law->thinned(rational("1/2"));
      const auto of_half = series::enclosed_arrival_tails(half, -2 * bits),
                 of_kept = series::enclosed_arrival_tails(kept, -2 * bits);
      for (std::size_t k = 0; k < 8; ++k) CHECK(close(of_half.pmf[k], of_kept.pmf[k]));
      // Thinned by hand: sum_n P(n) C(n, k) / 2^n.
      Interval silent(0), power(1);
      for (const Interval& each : tails.pmf) {
        silent += each * power;
        power /= Interval(2);
      }
      CHECK(close(silent, of_kept.pmf[0]));
      CHECK(close(silent, Interval(1) - of_kept.above[0]));
    }
  }
}

TEST_CASE("named distributions: machine numbers agree with the enclosures", "[series][named_laws]") {
  const numeric::PrecisionScope scope({128});
  for (const char* const text : {"negbin(0.3, 0.6)", "1/2*logarithmic(0.7) + 1/2", "0.9 + 0.1*zipf(1.5,64)",
                                 "0.8 + 0.2*lognormal(0.5, 0.8, 30)"}) {
    CAPTURE(text);
    const auto law = named_law(text, "--arrivals");
    const auto fast = series::fast_arrival_tails(*law, -300);
    const auto enclosed = series::enclosed_arrival_tails(*law, -300);
    REQUIRE(fast);
    for (std::size_t j = 0; j < fast->size(); ++j) {
      const auto truth = static_cast<long double>(numeric::upper(enclosed.above[j]));
      CHECK(std::fabs(fast->above[j] - truth) <=
            truth * 0x1p-64L * static_cast<long double>(fast->error_units));
    }
  }
}

TEST_CASE("named distributions: mixtures", "[series][named_laws]") {
  CHECK(covers_value(at("0.9 + 0.1*zipf(1.5,64)", 0), rational("0.9")));
  CHECK(number_at("1/2*geometric(0.9) + 1/4*uniform(1,1)+1/4", 1) == Approx(0.5 * 0.09 + 0.25));
  CHECK(named_law("negbin(0.3, 3/4)", "--arrivals")->load() == rational("1/10"));
  CHECK(named_law("0*zipf(1.5,64) + binomial(3,1/2)", "--arrivals")->load() == rational("3/2"));
  CHECK_FALSE(named_law("exp(0.9*(z-1))", "--arrivals"));
  CHECK_FALSE(named_law("0.5 + 0.5*z", "--arrivals"));
  CHECK_THROWS_WITH(series::named_law_formula("negbin(0.3, 0.6)", "--arrivals"),
                    Catch::Contains("from 0 on"));
}

TEST_CASE("named distributions: errors", "[series][named_laws]") {
  CHECK_THAT(law_rejection("zipf(1.5)"), Catch::Contains("it must be of the form zipf(s,n)"));
  CHECK_THAT(law_rejection("0.5*zipf(1,4) + 0.4"), Catch::Contains("shares that sum to 1; they sum to 9/10"));
  CHECK_THAT(law_rejection("negbin(0,0.5)"), Catch::Contains("r of negbin is 0"));
  CHECK_THAT(law_rejection("negbin(1,1)"),
             Catch::Contains("p of negbin is 1; it must be above 0 and below 1"));
  CHECK_THAT(law_rejection("zipf(1,1e9)"), Catch::Contains("n of zipf"));
  CHECK_THAT(law_rejection("lognormal(1,0,5)"), Catch::Contains("sigma of lognormal is 0"));
  CHECK_THAT(law_rejection("zipf(1,4) + cauchy(2)"), Catch::Contains("it must be a sum of negbin(r,p)"));
  CHECK_THAT(law_rejection("zipf(1,4) zipf(1,4)"), Catch::Contains("expected + or the end at character 11"));
  CHECK_THAT(law_rejection("zipf(1,4"), Catch::Contains("closed by a parenthesis"));
}
