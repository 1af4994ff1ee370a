#include <tailbound/core/error.hpp>
#include <tailbound/numeric/rational.hpp>
#include <tailbound/series/files/pmf_file.hpp>

#include <catch2/catch.hpp>

#include <random>
#include <string>
#include <vector>

using namespace tailbound;
using numeric::Rational;
using series::Normalise;
using series::parse_pmf;
using series::Pmf;
using series::read_pmf;

namespace {

std::vector<std::string> fractions(const std::string& text, Normalise normalise = Normalise::no) {
  std::vector<std::string> result;
  for (const auto& probability : parse_pmf(text, "arrivals.txt", normalise))
    result.push_back(numeric::to_fraction(probability));
  return result;
}

std::string rejection_of(const std::string& text) {
  try {
    (void)parse_pmf(text, "arrivals.txt");
  } catch (const ParseError& error) {
    return error.what();
  }
  return "no error";
}

using Fractions = std::vector<std::string>;

}  // namespace

TEST_CASE("a PMF of floats is normalized if its sum is 1 up to rounding", "[series][pmf_file]") {
  const char* const floats =
      "0.03063561211439813\n0.19321845204402724\n0.17414382170167084\n0.05815680939948175\n0."
      "11296128115240817\n"
      "0.102485851058977\n0.14856593508689092\n0.1798322374421461\n";
  const Pmf pmf = read_pmf(floats, "file");
  CHECK(pmf.sum != 1);
  Rational sum = 0;
  for (const Rational& each : pmf.probabilities) sum = sum + each;
  CHECK(sum == 1);
  CHECK_THROWS_AS(read_pmf(floats, "file", Normalise::no), ParseError);
  // At most 1e-9 for any number of printed digits; fractions are exact.
  CHECK_NOTHROW(read_pmf("0.3333333333\n0.3333333333\n0.3333333333\n", "file"));
  for (const char* text :
       {"0.33\n0.33\n0.33\n", "1/3\n1/3\n33/100\n", "0.5\n0.4\n", "0.5\n0.500000001\n0.00000001\n"}) {
    CAPTURE(text);
    CHECK_THROWS_WITH(read_pmf(text, "file"), Catch::Contains("up to rounding"));
    CHECK(read_pmf(text, "file", Normalise::yes).sum != 1);
  }
}

TEST_CASE("a PMF is read from all formats", "[series][pmf_file]") {
  const Fractions expected{"1/4", "0", "1/2", "1/4"};
  for (const char* text : {
           "0.25\n0\n0.5\n0.25\n",
           "# packets  probability\n0 0.25\n2 0.5\n3 0.25\n",
           "3,1/4\n2,0.5\n0,25e-2\n",
           "value,probability\n0,0.25\n2,0.5\n3,0.25\n",
           "[0.25, 0, 0.5, 0.25]\n",
           "[0.25, 0.0, 5.0e-1, 2.5E-1, 0.0, 0]",
           "1/4 + 1/2*z^2 + 1/4*z^3",
       }) {
    CAPTURE(text);
    CHECK(fractions(text) == expected);
  }
}

TEST_CASE("the probabilities must sum to exactly 1", "[series][pmf_file]") {
  CHECK(fractions("1/3\n1/3\n1/3") == Fractions{"1/3", "1/3", "1/3"});
  CHECK_THAT(rejection_of("0.3333\n0.3333\n0.3333"), Catch::Contains("sum to 0.99990000000000000") &&
                                                         Catch::Contains("9999/10000") &&
                                                         Catch::Contains("below 1"));
  CHECK_THAT(rejection_of("0.5\n0.5\n1e-30"), Catch::Contains("e-30") && Catch::Contains("above 1"));
  CHECK(fractions("0.3333\n0.3333\n0.3333", Normalise::yes) == Fractions{"1/3", "1/3", "1/3"});
  CHECK(fractions("3\n0\n1\n0", Normalise::yes) == Fractions{"3/4", "0", "1/4"});
}

TEST_CASE("PMF errors have positions", "[series][pmf_file]") {
  CHECK_THAT(rejection_of("0.5\n1\n-0.5"),
             Catch::Contains("arrivals.txt:3:1: the probability of 2 is negative"));
  CHECK_THAT(rejection_of("0\n0\n"), Catch::Contains("every probability is 0"));
  CHECK_THAT(rejection_of("0 0.5\n1048576 0.5\n"), Catch::Contains("arrivals.txt:2:9: the value is 1048576"));
  CHECK_THAT(rejection_of("0 0.5\n0 0.5\n"), Catch::Contains("arrivals.txt:2:3: index 0 appears twice"));
  CHECK_THAT(rejection_of("0.5\nhalf\n"), Catch::Contains("arrivals.txt:2:"));
  CHECK_THAT(rejection_of("3\n[0.5, 0.5]\n"), Catch::Contains("outside the list"));
  CHECK_THAT(rejection_of(""), Catch::Contains("no coefficients"));

  std::mt19937_64 random(3);
  std::string many = "[0";
  for (int i = 0; i < 40; ++i) {
    many += ",1/1";
    for (int digit = 0; digit < 2'000; ++digit) many += static_cast<char>('0' + random() % 10);
  }
  CHECK_THAT(rejection_of(many + "]"), Catch::Contains("a fraction of more than 131072 bits"));
}

TEST_CASE("normalised weights keep their ratios and sum to 1", "[series][pmf_file]") {
  std::mt19937_64 random(7);
  for (int round = 0; round < 200; ++round) {
    std::vector<unsigned long> weights(1 + random() % 30);
    for (auto& weight : weights) weight = random() % 1000;
    weights.back() = 1 + random() % 1000;
    std::string text;
    for (const auto weight : weights) text += std::to_string(weight) + "\n";
    const auto probabilities = parse_pmf(text, "weights", Normalise::yes);
    REQUIRE(probabilities.size() == weights.size());
    numeric::Rational sum = 0;
    for (std::size_t i = 0; i < weights.size(); ++i) {
      sum = sum + probabilities[i];
      REQUIRE(probabilities[i] * numeric::Integer(weights.back()) ==
              probabilities.back() * numeric::Integer(weights[i]));
    }
    REQUIRE(sum == 1);
  }
}
