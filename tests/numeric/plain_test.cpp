#include <catch2/catch.hpp>
#include <tailbound/numeric/rational.hpp>
#include <tailbound/numeric/text/decimal.hpp>
#include <tailbound/numeric/text/plain.hpp>

#include <bit>
#include <cmath>
#include <cstdint>
#include <random>

using tailbound::numeric::parse_rational;
using tailbound::numeric::plain;

TEST_CASE("plain: rationals in readable form") {
  CHECK(plain(parse_rational("9/10", "x")) == "0.9");
  CHECK(plain(parse_rational("1e-15", "x")) == "1e-15");
  CHECK(plain(parse_rational("1/3", "x")) == "1/3");
  CHECK(plain(parse_rational("12", "x")) == "12");
}

TEST_CASE("plain: doubles, shortest or rounded") {
  CHECK(plain(0.1) == "0.1");
  CHECK(plain(0.0001) == "0.0001");
  CHECK(plain(0.00001) == "1e-05");
  CHECK(plain(100000.0) == "100000");
  CHECK(plain(0.0) == "0");
  CHECK(plain(-2.5) == "-2.5");
  CHECK(plain(1e300) == "1e+300");
  CHECK(plain(0.08861234, 3) == "0.0886");
  CHECK(plain(1.0, 6) == "1");
}

TEST_CASE("decimals of doubles: shortest decimal that reads as the double") {
  using tailbound::numeric::nearest_double;
  using tailbound::numeric::rounded_decimal;
  using tailbound::numeric::shortest_decimal;
  CHECK(shortest_decimal(0.1) == parse_rational("1/10", "x"));
  CHECK(shortest_decimal(-1e-300) == parse_rational("-1e-300", "x"));
  CHECK(rounded_decimal(1.0 / 3, 3) == parse_rational("0.333", "x"));
  CHECK(rounded_decimal(2e20 / 3, 2) == parse_rational("67e18", "x"));
  std::mt19937_64 random(1);
  for (int i = 0; i < 2000; ++i) {
    const double value = std::bit_cast<double>(random());
    if (!std::isfinite(value)) continue;
    CHECK(nearest_double(shortest_decimal(value)) == value);
    CHECK(nearest_double(rounded_decimal(value, 17)) == value);
  }
}
