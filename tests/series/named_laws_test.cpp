#include <tailbound/core/error.hpp>
#include <tailbound/series/laws/named_laws.hpp>

#include <catch2/catch.hpp>
#include <cmath>
#include <tests/support/rational.hpp>

using namespace tailbound;
using series::named_law;
using tailbound::test::rational;

namespace {

const std::vector<numeric::Rational>& law_of(const series::Arrivals& arrivals) {
  return std::get<series::PmfArrivals>(arrivals.description()).probabilities;
}

double at(const std::string& text, std::size_t k) {
  const auto law = named_law(text, "--arrivals");
  REQUIRE(law);
  const auto& values = law_of(*law);
  return k < values.size() ? numeric::nearest_double(values[k]) : 0;
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
    CHECK(at("negbin(2.5, 0.4)", k) ==
          Approx(std::exp(std::lgamma(n + 2.5) - std::lgamma(n + 1) - std::lgamma(2.5)) * std::pow(0.4, 2.5) *
                 std::pow(0.6, n))
              .epsilon(1e-12));
    CHECK(at("geometric(1/3)", k) == Approx(std::pow(2.0 / 3, n) / 3).epsilon(1e-14));
    CHECK(at("logarithmic(0.7)", k) ==
          Approx(k == 0 ? 0 : -std::pow(0.7, n) / (n * std::log(0.3))).epsilon(1e-13));
    double sum = 0;
    for (int i = 1; i <= 20; ++i) sum += std::pow(i, -1.5);
    CHECK(at("zipf(1.5, 20)", k) == Approx(k == 0 ? 0 : std::pow(n, -1.5) / sum).epsilon(1e-13));
    CHECK(at("binomial(17, 0.25)", k) ==
          Approx(std::exp(std::lgamma(18) - std::lgamma(n + 1) - std::lgamma(18 - n)) * std::pow(0.25, n) *
                 std::pow(0.75, 17 - n))
              .epsilon(1e-12));
    const auto cdf = [](double x) { return std::erfc(-(std::log(x) - 0.5) / (0.8 * std::sqrt(2.0))) / 2; };
    const double all = cdf(30.5);
    CHECK(at("lognormal(0.5, 0.8, 30)", k) ==
          Approx(((k == 0 ? cdf(0.5) : cdf(n + 0.5) - cdf(n - 0.5))) / all).epsilon(1e-10));
    CHECK(at("uniform(2,6)", k) == (k >= 2 && k <= 6 ? 0.2 : 0.0));
  }
}

TEST_CASE("named distributions: mixtures sum to exactly 1", "[series][named_laws]") {
  const auto law = named_law("0.9 + 0.1*zipf(1.5,64)", "--arrivals");
  REQUIRE(law);
  numeric::Rational sum = 0;
  for (const numeric::Rational& p : law_of(*law)) sum = sum + p;
  CHECK(sum == 1);
  CHECK(law_of(*law)[0] == rational("0.9"));
  CHECK(at("1/2*geometric(0.9) + 1/4*uniform(1,1)+1/4", 1) == Approx(0.5 * 0.09 + 0.25));
  // Means: r (1-p)/p to the digits of the table.
  const auto negbin = named_law("negbin(0.3, 3/4)", "--arrivals");
  CHECK(abs(*negbin->load() - rational("1/10")) < rational("1e-90"));
  CHECK_FALSE(named_law("exp(0.9*(z-1))", "--arrivals"));
  CHECK_FALSE(named_law("0.5 + 0.5*z", "--arrivals"));
}

TEST_CASE("named distributions: errors", "[series][named_laws]") {
  CHECK_THAT(law_rejection("zipf(1.5)"), Catch::Contains("it must be of the form zipf(s,n)"));
  CHECK_THAT(law_rejection("0.5*zipf(1,4) + 0.4"), Catch::Contains("shares that sum to 1; they sum to 9/10"));
  CHECK_THAT(law_rejection("negbin(0,0.5)"), Catch::Contains("r of negbin is 0"));
  CHECK_THAT(law_rejection("negbin(1,1)"),
             Catch::Contains("p of negbin is 1; it must be above 0 and below 1"));
  CHECK_THAT(law_rejection("zipf(1,1e9)"), Catch::Contains("n of zipf"));
  CHECK_THAT(law_rejection("geometric(1e-6)"), Catch::Contains("more than 65536 terms"));
  CHECK_THAT(law_rejection("zipf(1,4) + cauchy(2)"), Catch::Contains("it must be a sum of negbin(r,p)"));
  CHECK_THAT(law_rejection("zipf(1,4) zipf(1,4)"), Catch::Contains("expected + or the end at character 11"));
  CHECK_THAT(law_rejection("zipf(1,4"), Catch::Contains("closed by a parenthesis"));
}
