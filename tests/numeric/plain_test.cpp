#include <catch2/catch.hpp>
#include <tailbound/numeric/plain.hpp>

using tailbound::numeric::parse_rational;
using tailbound::numeric::plain;

TEST_CASE("plain: rationals as people write them") {
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
