#include <tailbound/core/error.hpp>
#include <tailbound/numeric/rational.hpp>

#include <catch2/catch.hpp>
#include <cmath>
#include <limits>
#include <string>
#include <tests/support/fraction.hpp>
#include <tests/support/random_models.hpp>

using namespace tailbound;
using namespace tailbound::test;

namespace {

Fraction parsed(const std::string& text) {
  return fraction_of(numeric::parse_rational(text, "load"));
}

}  // namespace

namespace {

template <class A, class B>
concept divides = requires(const A& a, const B& b) {
  a / b;
};
// A quotient of integers meant as a fraction does not compile.
static_assert(!divides<numeric::Integer, numeric::Integer> && !divides<numeric::Integer, int> &&
              !divides<long, numeric::Integer>);
static_assert(divides<numeric::Rational, numeric::Integer> && divides<numeric::Integer, numeric::Rational>);

}  // namespace

TEST_CASE("decimals and fractions are read exactly", "[numeric][rational]") {
  CHECK(parsed("0.9") == Fraction(9, 10));
  CHECK(parsed("9/10") == Fraction(9, 10));
  CHECK(parsed(" 9/10\t") == Fraction(9, 10));
  CHECK(parsed("1e-15") == power_of_ten(-15));
  CHECK(parsed("-.5E3") == Fraction(-500));
  CHECK(parsed("+5.") == Fraction(5));
  CHECK(parsed("1.5/2") == Fraction(3, 4));
  CHECK(parsed("1e2/3e-1") == Fraction(1000, 3));
  CHECK(parsed("-1/-3") == Fraction(1, 3));
  CHECK(parsed("0") == 0);
  CHECK(parsed("-0.000e9") == 0);
  CHECK(parsed("007") == 7);
  CHECK(parsed("10^-9") == power_of_ten(-9));
  CHECK(parsed("2^-4") == Fraction(1, 16));
  CHECK(parsed("2**10") == 1024);
  CHECK(parsed("2.5*10^-3") == Fraction(1, 400));
  CHECK(parsed("3*2^(-2)") == Fraction(3, 4));
  CHECK(parsed("-2^3") == -8);
  CHECK(parsed("0^0") == 1);
  CHECK(parsed("0.1") != fraction_of(numeric::Real(0.1)));  // not through double
  CHECK(parsed("1e100000") == Fraction(boost::multiprecision::pow(Whole(10), 100000)));
  CHECK(parsed("12345678901234567890123456789.000000000000000000001") ==
        parse_decimal("12345678901234567890123456789.000000000000000000001"));
}

TEST_CASE("random decimals are read as GMP reads them", "[numeric][rational]") {
  Random random(11);
  for (int i = 0; i < 500; ++i) {
    std::string digits, fraction;
    for (std::int64_t n = random.between(1, 60); n > 0; --n)
      digits += static_cast<char>('0' + random.between(0, 9));
    for (std::int64_t n = random.between(0, 60); n > 0; --n)
      fraction += static_cast<char>('0' + random.between(0, 9));
    const std::string text = (random.one_in(2) ? "-" : "") + digits + "." + fraction + "e" +
                             std::to_string(random.between(-300, 300));
    INFO(text);
    CHECK(parsed(text) == parse_decimal(text));
  }
}

TEST_CASE("invalid numbers are rejected with the argument's name", "[numeric][rational]") {
  const std::string long_text = "0." + std::string(10'000, '1');
  for (const std::string& text : {std::string(),
                                  std::string("  "),
                                  std::string("."),
                                  std::string("e5"),
                                  std::string("1e"),
                                  std::string("1e+"),
                                  std::string("1/0"),
                                  std::string("1/"),
                                  std::string("/2"),
                                  std::string("1/2/3"),
                                  std::string("0x10"),
                                  std::string("nan"),
                                  std::string("inf"),
                                  std::string("1,5"),
                                  std::string("1 2"),
                                  std::string("--1"),
                                  std::string("1e100001"),
                                  std::string("1e-100001"),
                                  std::string("1e99999999999"),
                                  std::string("0.9z"),
                                  std::string("10^"),
                                  std::string("^2"),
                                  std::string("2^0.5"),
                                  std::string("0^-1"),
                                  std::string("1/2^3"),
                                  std::string("2^3^4"),
                                  std::string("10^100001"),
                                  std::string("12345678901234567890^100000"),
                                  std::string("1\0002", 3),
                                  long_text}) {
    INFO(text.substr(0, 40));
    try {
      (void)numeric::parse_rational(text, "drop");
      FAIL_CHECK("accepted");
    } catch (const InvalidArgument& error) {
      CHECK(error.argument() == "drop");
      CHECK(std::string(error.what()).size() < 400);
    }
  }
}

TEST_CASE("invalid numbers: suggestions", "[numeric][rational][errors]") {
  const auto why = [](const char* text) {
    try {
      (void)numeric::parse_rational(text, "load");
    } catch (const InvalidArgument& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  CHECK_THAT(why("0,5"), Catch::Contains("Use a decimal point: 0.5"));
  CHECK_THAT(why("1,024"), Catch::Contains("Do not separate thousands: 1024"));
  CHECK_THAT(why("0.1-0.9"), Catch::Contains("Write a range as FIRST:LAST:STEP"));
  CHECK_THAT(why("85%"), Catch::Contains("omit the percent sign"));
  CHECK_THAT(why("x"), !Catch::Contains("point:"));
}

TEST_CASE("rationals print as fractions that read back", "[numeric][rational]") {
  CHECK(numeric::to_fraction(to_rational(Fraction(9, 10))) == "9/10");
  CHECK(numeric::to_fraction(to_rational(Fraction(6, 2))) == "3");
  CHECK(numeric::to_fraction(to_rational(Fraction(-1, 3))) == "-1/3");
  CHECK(numeric::to_fraction(0) == "0");
  CHECK(numeric::bit_size(to_rational(Fraction(1, 1024))) == 1 + 11);
  Random random(12);
  for (int i = 0; i < 200; ++i) {
    const Fraction value(Whole(random.between(-1'000'000'000'000, 1'000'000'000'000)),
                         Whole(random.between(1, 1'000'000'000'000)));
    CHECK(parsed(numeric::to_fraction(to_rational(value))) == value);
  }
}

TEST_CASE("the nearest double and long double are the nearest", "[numeric][rational]") {
  Random random(13);
  for (int i = 0; i < 2000; ++i) {
    Fraction value(Whole(random.between(1, 1'000'000'000'000'000'000)),
                   Whole(random.between(1, 1'000'000'000'000'000'000)));
    value *= power_of_ten(static_cast<int>(random.between(-280, 260)));
    if (random.one_in(2)) value = -value;
    const double near = numeric::nearest_double(to_rational(value));
    const auto gap = [&](double x) {
      Fraction exact;
      mpq_set_d(exact.backend().data(), x);
      return boost::multiprecision::abs(Fraction(exact - value));
    };
    INFO(value << " -> " << near);
    CHECK(gap(near) <= gap(std::nextafter(near, HUGE_VAL)));
    CHECK(gap(near) <= gap(std::nextafter(near, -HUGE_VAL)));

    // The exact long double: the double next to it plus the rest.
    const long double wide = numeric::nearest_long_double(to_rational(value));
    const auto high = static_cast<double>(wide);
    Fraction exact_high, exact_low;
    mpq_set_d(exact_high.backend().data(), high);
    mpq_set_d(exact_low.backend().data(), static_cast<double>(wide - high));
    const Fraction off = boost::multiprecision::abs(Fraction(exact_high + exact_low - value));
    CHECK(off * Fraction(Whole(1) << 63) <= 2 * boost::multiprecision::abs(value));
  }
  CHECK(numeric::nearest_double(0) == 0);
  CHECK(numeric::nearest_long_double(0) == 0);
  // A tie goes to the even mantissa.
  CHECK(numeric::nearest_double(to_rational(Fraction((Whole(1) << 53) + 1))) == 9007199254740992.0);
}

namespace {

/// Of any length up to 64 bits, often at the ends of what is held without GMP.
Fraction any_fraction(Random& random) {
  const auto integer = [&] {
    const std::int64_t most = std::numeric_limits<std::int64_t>::max();
    if (random.one_in(8)) return most - random.between(0, 2);
    return random.between(0, most >> random.between(0, 62));
  };
  const Fraction size(Whole(integer()), Whole(std::max<std::int64_t>(1, integer())));
  return random.one_in(2) ? Fraction(-size) : size;
}

}  // namespace

TEST_CASE("rationals compute as GMP's fractions do, short and long ones", "[numeric][rational]") {
  Random random(14);
  for (int i = 0; i < 20'000; ++i) {
    Fraction x = any_fraction(random), y = any_fraction(random);
    if (random.one_in(4)) x *= any_fraction(random);
    const numeric::Rational a = to_rational(x), b = to_rational(y);
    REQUIRE(numeric::to_fraction(a + b) == Fraction(x + y).str());
    REQUIRE(numeric::to_fraction(a - b) == Fraction(x - y).str());
    REQUIRE(numeric::to_fraction(a * b) == Fraction(x * y).str());
    if (y != 0) REQUIRE(numeric::to_fraction(a / b) == Fraction(x / y).str());
    REQUIRE((a < b) == (x < y));
    REQUIRE((a == b) == (x == y));
    REQUIRE(a + b - b == a);
    REQUIRE(a - a == 0);
    REQUIRE(numeric::floor(a) <= a);
    REQUIRE(a < numeric::floor(a) + 1);
    REQUIRE(numeric::ceiling(a) == -numeric::floor(-a));
    REQUIRE(numeric::abs(a - numeric::round(a)) <= numeric::Rational(1) / 2);
    REQUIRE(numeric::Rational(numeric::numerator(a), numeric::denominator(a)) == a);
    numeric::Rational moved = a, copy = moved;
    moved = std::move(copy);
    copy = moved;
    REQUIRE(copy == a);
  }
  CHECK(numeric::round(to_rational(Fraction(5, 2))) == 2);
  CHECK(numeric::round(to_rational(Fraction(-7, 2))) == -4);
  CHECK(numeric::pow(to_rational(Fraction(-2, 3)), -3) == to_rational(Fraction(-27, 8)));
  CHECK(numeric::mod(-7, 3) == 2);
  CHECK(numeric::Rational(std::numeric_limits<std::int64_t>::min()) ==
        -numeric::pow(numeric::Rational(2), 63));
  CHECK_THROWS_AS(numeric::Rational(1) / 0, std::overflow_error);
  CHECK_THROWS_AS(numeric::pow(numeric::Rational(0), -1), std::overflow_error);
  CHECK_THROWS_AS(numeric::to_int64(numeric::Integer(1) << 63), std::range_error);
}
