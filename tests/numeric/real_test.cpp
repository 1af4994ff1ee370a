#include <tailbound/core/error.hpp>
#include <tailbound/core/quantity.hpp>
#include <tailbound/numeric/proved.hpp>
#include <tailbound/numeric/real.hpp>

#include <catch2/catch.hpp>
#include <cmath>
#include <stdexcept>
#include <tests/support/fraction.hpp>
#include <tests/support/random_models.hpp>

using namespace tailbound;
using namespace tailbound::test;
using numeric::Rounding;

namespace {

Fraction random_value(Random& random) {
  Fraction value(Whole(random.between(1, 1'000'000'000'000'000'000)),
                 Whole(random.between(1, 1'000'000'000)));
  value *= power_of_ten(static_cast<int>(random.between(-400, 400)));
  return random.one_in(2) ? Fraction(-value) : value;
}

numeric::Real real(double value) {
  return numeric::Real(value);
}

}  // namespace

TEST_CASE("precision is set in a scope and restored after it", "[numeric][precision]") {
  const unsigned real_before = numeric::Real::default_precision();
  const unsigned interval_before = numeric::Interval::default_precision();
  {
    const numeric::PrecisionScope outer({500});
    CHECK(outer.bits() >= 500);
    const unsigned real_outer = numeric::Real::default_precision();
    CHECK(mpfr_get_prec(numeric::Real(1).backend().data()) >= 500);
    CHECK(mpfi_get_prec(numeric::Interval(1).backend().data()) >= 500);
    {
      const numeric::PrecisionScope inner({2});
      CHECK(inner.bits() >= 2);
      CHECK(mpfr_get_prec(numeric::Real(1).backend().data()) < 100);
    }
    CHECK(numeric::Real::default_precision() == real_outer);
    try {
      const numeric::PrecisionScope thrown({4000});
      throw std::runtime_error("out");
    } catch (const std::runtime_error&) {
    }
    CHECK(numeric::Real::default_precision() == real_outer);
  }
  CHECK(numeric::Real::default_precision() == real_before);
  CHECK(numeric::Interval::default_precision() == interval_before);
}

TEST_CASE("digits turn into enough bits", "[numeric][precision]") {
  for (const int digits : {1, 10, 17, 38, 200, 1000, 10'000}) {
    const int bits = numeric::to_precision({digits}).bits;
    INFO(digits);
    CHECK((Whole(1) << static_cast<unsigned>(bits)) >=
          boost::multiprecision::pow(Whole(10), static_cast<unsigned>(digits)));
    CHECK(bits < 3.33 * digits + 4);
  }
}

TEST_CASE("rationals round in the given direction, to a neighbour", "[numeric][rounding]") {
  Random random(21);
  for (int i = 0; i < 1000; ++i) {
    const numeric::PrecisionScope scope({static_cast<int>(random.between(10, 300))});
    const Fraction value = random_value(random);
    const numeric::Rational rational = to_rational(value);
    const numeric::Real down = numeric::to_real(rational, Rounding::down);
    const numeric::Real up = numeric::to_real(rational, Rounding::up);
    const numeric::Real near = numeric::to_real(rational, Rounding::nearest);
    INFO(value << " at " << scope.bits() << " bits");
    CHECK(fraction_of(down) <= value);
    CHECK(fraction_of(up) >= value);
    // down and up are equal or neighbours
    numeric::Real next = down;
    mpfr_nextabove(next.backend().data());
    CHECK((mpfr_equal_p(down.backend().data(), up.backend().data()) != 0 ||
           mpfr_equal_p(next.backend().data(), up.backend().data()) != 0));
    CHECK((mpfr_equal_p(near.backend().data(), up.backend().data()) != 0 ||
           mpfr_equal_p(near.backend().data(), down.backend().data()) != 0));
    CHECK(2 * boost::multiprecision::abs(Fraction(fraction_of(near) - value)) <=
          fraction_of(up) - fraction_of(down));

    const numeric::Interval interval = numeric::to_interval(rational);
    CHECK(fraction_of(numeric::lower(interval)) == fraction_of(down));
    CHECK(fraction_of(numeric::upper(interval)) == fraction_of(up));
    const numeric::Interval made = numeric::make_interval(down, up);
    CHECK(fraction_of(numeric::lower(made)) == fraction_of(down));
    CHECK(fraction_of(numeric::upper(made)) == fraction_of(up));
  }
}

TEST_CASE("a real is a rational, exactly", "[numeric][rounding]") {
  Random random(22);
  for (int i = 0; i < 500; ++i) {
    const numeric::PrecisionScope scope({static_cast<int>(random.between(10, 2000))});
    const numeric::Real value = numeric::to_real(to_rational(random_value(random)), Rounding::nearest);
    CHECK(fraction_of(numeric::to_rational(value)) == fraction_of(value));
  }
  CHECK(fraction_of(numeric::to_rational(0.1)) == Fraction(Whole(3602879701896397), Whole(1) << 55));
  CHECK(fraction_of(numeric::to_rational(-5e-324)) == Fraction(Whole(-1), Whole(1) << 1074));
  CHECK(fraction_of(numeric::to_rational(real(0))) == 0);
  CHECK_THROWS_AS(numeric::to_rational(numeric::Real(INFINITY)), std::domain_error);
  CHECK_THROWS_AS(numeric::to_rational(numeric::Real(NAN)), std::domain_error);
}

TEST_CASE("decimal text is on the given side, within one unit of its last digit", "[numeric][rounding]") {
  Random random(23);
  for (int i = 0; i < 2000; ++i) {
    const numeric::PrecisionScope scope({static_cast<int>(random.between(40, 400))});
    const Fraction given = random_value(random);
    const int digits = static_cast<int>(random.between(2, 60));
    const numeric::Real as_real = numeric::to_real(to_rational(given), Rounding::nearest);
    for (const bool rational : {false, true}) {
      const Fraction value = rational ? given : fraction_of(as_real);
      const auto text = [&](Rounding rounding) {
        return rational ? numeric::to_decimal(to_rational(given), digits, rounding)
                        : numeric::to_decimal(as_real, digits, rounding);
      };
      const std::string down = text(Rounding::down), up = text(Rounding::up), near = text(Rounding::nearest);
      INFO(value.str().substr(0, 80) << " digits " << digits << ": " << down << " " << near << " " << up);
      const Fraction low = parse_decimal(down), high = parse_decimal(up), middle = parse_decimal(near);
      CHECK(low <= value);
      CHECK(high >= value);
      CHECK((middle == low || middle == high));
      CHECK(boost::multiprecision::abs(Fraction(middle - value)) * 2 <= high - low);
      // The two sides are at most one unit of digit number `digits` apart: 10^(1-digits) of the value.
      CHECK((high - low) <= boost::multiprecision::abs(value) * power_of_ten(1 - digits));
    }
  }
}

TEST_CASE("decimal text has the documented layout", "[numeric][rounding]") {
  const auto text = [](const char* value, int digits, Rounding rounding = Rounding::nearest) {
    return numeric::to_decimal(numeric::parse_rational(value, "x"), digits, rounding);
  };
  CHECK(text("8.7035435578e-16", 11) == "8.7035435578e-16");
  CHECK(text("157", 3) == "157");
  CHECK(parse_decimal(text("0.25", 2)) == Fraction(1, 4));
  CHECK(text("0", 5) == "0");
  CHECK(parse_decimal(text("9.9996", 4, Rounding::up)) == 10);
  CHECK(parse_decimal(text("9.9996", 4, Rounding::down)) == parse_decimal("9.999"));
  CHECK(parse_decimal(text("-9.9996", 4, Rounding::down)) == -10);
  CHECK(parse_decimal(text("-9.9996", 4, Rounding::up)) == parse_decimal("-9.999"));
  CHECK(parse_decimal(text("0.9", 17, Rounding::down)) == Fraction(9, 10));
  CHECK(parse_decimal(text("0.9", 17, Rounding::up)) == Fraction(9, 10));
  CHECK(numeric::to_decimal(numeric::Real(INFINITY), 5, Rounding::up) == "inf");
}

TEST_CASE("relative width is an upper bound, and a close one", "[numeric][width]") {
  Random random(24);
  for (int i = 0; i < 1000; ++i) {
    const numeric::PrecisionScope scope({static_cast<int>(random.between(40, 300))});
    const Fraction value = random_value(random);
    numeric::Real low = numeric::to_real(to_rational(value), Rounding::down), high = low;
    for (std::int64_t n = random.between(0, 3000); n > 0; --n) mpfr_nextabove(high.backend().data());
    const double width = numeric::relative_width(low, high);
    Fraction claimed;
    mpq_set_d(claimed.backend().data(), width);
    const Fraction a = boost::multiprecision::abs(fraction_of(low)),
                   b = boost::multiprecision::abs(fraction_of(high));
    const Fraction truth = (fraction_of(high) - fraction_of(low)) / std::min(a, b);
    CHECK(claimed >= truth);
    CHECK(claimed <= truth * (1 + power_of_ten(-14)));
  }
  CHECK(numeric::relative_width(real(0), real(0)) == 0);
  CHECK(std::isinf(numeric::relative_width(real(0), real(1))));
  CHECK(std::isinf(numeric::relative_width(real(-1), real(0))));
  CHECK(std::isinf(numeric::relative_width(real(-1), real(1))));
}

TEST_CASE("an enclosure contains its value and rejects reversed ends", "[numeric][enclosure]") {
  using Enclosure = numeric::Enclosure<unit::Probability>;
  CHECK_THROWS_AS(Enclosure(numeric::Theorem::input, real(2), real(1)), InvalidArgument);
  CHECK_THROWS_AS(Enclosure(numeric::Theorem::input, numeric::Real(NAN), real(1)), InvalidArgument);
  CHECK_THROWS_AS(Enclosure(numeric::Theorem::input, real(1), numeric::Real(NAN)), InvalidArgument);
  const Enclosure half(numeric::Theorem::input, real(0.25), real(0.5));
  CHECK(half.contains(to_rational(Fraction(1, 4))));
  CHECK(half.contains(to_rational(Fraction(1, 2))));
  CHECK(half.contains(to_rational(Fraction(1, 3))));
  CHECK_FALSE(half.contains(to_rational(Fraction(1, 4) - power_of_ten(-50))));
  CHECK_FALSE(half.contains(to_rational(Fraction(1, 2) + power_of_ten(-50))));
  CHECK(half.relative_width() == 1);

  Random random(25);
  for (int i = 0; i < 300; ++i) {
    const Fraction value = random_value(random);
    const numeric::Exact<unit::Probability> exact{numeric::Theorem::input, to_rational(value)};
    const int bits = static_cast<int>(random.between(20, 300));
    const Enclosure enclosure = numeric::enclose(exact, {bits});
    CHECK(enclosure.contains(exact.value));
    CHECK(enclosure.relative_width() <= std::ldexp(1.0, 1 - bits));
    const numeric::Proved<unit::Probability> proved = exact;
    CHECK(encloses(numeric::to_enclosure(proved, {bits}).lower(),
                   numeric::to_enclosure(proved, {bits}).upper(), {value, value}));
    CHECK(encloses(proved, {value, value}));
    CHECK_FALSE(encloses(proved, {value + 1, value + 1}));
    CHECK_FALSE(encloses(enclosure.lower(), enclosure.upper(), {value * 2, value * 2}));
  }
}

TEST_CASE("the interval of a real is that point, for any size", "[numeric][interval]") {
  const numeric::PrecisionScope scope({131});
  for (int exponent = -200; exponent <= 200; ++exponent)
    for (const double digits : {1.0, 0.9384765625, 1.0 / 3}) {
      const numeric::Real value =
          ldexp(numeric::Real(digits), exponent) + ldexp(numeric::Real(1), exponent - 100);
      const numeric::Interval point = numeric::to_interval(value);
      CHECK(numeric::lower(point) == value);
      CHECK(numeric::upper(point) == value);
    }
}

TEST_CASE("interval arithmetic rounds outward", "[numeric][interval]") {
  Random random(26);
  for (int i = 0; i < 500; ++i) {
    const numeric::PrecisionScope scope({static_cast<int>(random.between(10, 120))});
    const Fraction x = random_value(random), y = random_value(random);
    const numeric::Interval a = numeric::to_interval(to_rational(x)),
                            b = numeric::to_interval(to_rational(y));
    const auto holds = [](const numeric::Interval& interval, const Fraction& value) {
      return encloses(numeric::lower(interval), numeric::upper(interval), {value, value});
    };
    CHECK(holds(a + b, x + y));
    CHECK(holds(a - b, x - y));
    CHECK(holds(a * b, x * y));
    CHECK(holds(a / b, x / y));
  }
}
