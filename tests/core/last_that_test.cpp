#include <tailbound/core/last_that.hpp>

#include <catch2/catch.hpp>
#include <cmath>
#include <limits>

namespace tailbound {
namespace {

TEST_CASE("bisection: the first and the last number for every place of the change") {
  for (std::int64_t low = -3; low <= 3; ++low)
    for (std::int64_t high = low; high <= low + 20; ++high)
      for (std::int64_t change = low; change <= high; ++change) {
        CAPTURE(low, high, change);
        CHECK(first_that(low, high, [&](std::int64_t n) {
                REQUIRE(n >= low);
                REQUIRE(n < high);
                return n >= change;
              }) == change);
        CHECK(last_that(low, high, [&](std::int64_t n) {
                REQUIRE(n >= low);
                REQUIRE(n <= high);
                return n < change;
              }) == change - 1);
      }
  CHECK(last_that(0, 9, [](std::int64_t) { return true; }) == 9);
}

TEST_CASE("bisection: an interval is halved to neighbouring numbers, or to a relative width") {
  for (const double zero : {1e-300, 0.1, 0.5, 1 - 1e-16}) {
    const auto [low, high] = halved(0.0, 1.0, [&](double x) { return x < zero; });
    CHECK(low < zero);
    CHECK(high >= zero);
    CHECK(std::nextafter(low, 1.0) == high);
  }
  int evaluated = 0;
  const auto [low, high] = halved(
      1.0, 2.0,
      [&](double x) {
        ++evaluated;
        return x * x < 2;
      },
      1e-6);
  CHECK(evaluated == 20);
  CHECK(low * low < 2);
  CHECK(high * high >= 2);
  CHECK(high - low <= 1e-6 * high);
}

}  // namespace
}  // namespace tailbound
