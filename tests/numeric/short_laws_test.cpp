#include <tailbound/numeric/complex_interval.hpp>
#include <tailbound/numeric/rational.hpp>
#include <tailbound/numeric/short_laws.hpp>

#include <catch2/catch.hpp>
#include <numeric>

namespace tailbound::numeric {
namespace {

TEST_CASE("short laws: binomial probabilities are the sum of single trials") {
  for (const std::int64_t count : {0, 1, 2, 7, 30}) {
    std::vector<Rational> exact{1};
    const Rational p = Rational(3) / Rational(10);
    for (std::int64_t i = 0; i < count; ++i) exact = convolved(exact, {1 - p, p});
    CHECK(std::accumulate(exact.begin(), exact.end(), Rational(0)) == 1);
    const std::vector<double> all = binomial(count, 0.3, 100);
    REQUIRE(all.size() == exact.size());
    for (std::size_t n = 0; n < all.size(); ++n)
      CHECK(all[n] == Approx(nearest_double(exact[n])).epsilon(1e-13).margin(0));
    CHECK(binomial(count, 1, 100).back() == 1);
  }
  CHECK(binomial(30, 0.3, 4).size() == 4);
}

TEST_CASE("short laws: a convolution is cut off or filled up, in either order") {
  const std::vector<double> x{1, 2, 3}, y{10, 1};
  CHECK(convolved(x, y) == std::vector<double>{10, 21, 32, 3});
  CHECK(convolved(y, x) == convolved(x, y));
  CHECK(convolved(x, y, 2) == std::vector<double>{10, 21});
  CHECK(convolved(x, y, 6) == std::vector<double>{10, 21, 32, 3, 0, 0});
}

TEST_CASE("complex intervals: (1 + 2i) (3 - i) = 5 + 5i, and its magnitude") {
  const ComplexInterval a{Interval(1), Interval(2)}, b{Interval(3), Interval(-1)};
  const ComplexInterval product = a * b, back = (a + b) - b;
  CHECK(lower(product.real) == 5);
  CHECK(upper(product.imaginary) == 5);
  CHECK(lower(back.imaginary) == 2);
  const Interval squared = magnitude(product) * magnitude(product);
  CHECK(lower(squared) <= 50);
  CHECK(upper(squared) >= 50);
  const Interval middle = midpoint(make_interval(Real(1), Real(4)));
  CHECK(lower(middle) == 2.5);
  CHECK(upper(middle) == 2.5);
}

}  // namespace
}  // namespace tailbound::numeric
