#include <catch2/catch.hpp>
#include <tailbound/core/error.hpp>
#include <tailbound/series/pgf_check.hpp>
#include <tailbound/symbolic/pgf.hpp>

using namespace tailbound;
using series::check_pgf;

namespace {
series::PgfFacts check(const char* text) {
  return check_pgf(symbolic::parse_pgf(text).program());
}
}  // namespace

TEST_CASE("PGFs are accepted, with their largest batch") {
  CHECK(check("(1/10+9/10*z)^16").largest_batch == 16);
  CHECK(check("(1/10+9/10*z)^1000000").largest_batch == 1'000'000);
  CHECK(check("(z^3-1)/(3*(z-1))").largest_batch == 2);
  CHECK(check("(1-z)^2/4+z").largest_batch == 2);  // 1/4 + z/2 + z^2/4
  CHECK_FALSE(check("1/(2-z)").largest_batch);
  CHECK(check("1/(2-z)").all_coefficients);
  CHECK(check("exp(9/10*(z-1))").all_coefficients);
  CHECK(check("(exp(z)-1)/(exp(1)-1)").all_coefficients);
  CHECK_FALSE(check("(exp(z-1)-1)/(z-1)").all_coefficients);
}

TEST_CASE("invalid PGFs are rejected with the failed condition") {
  CHECK_THROWS_WITH(check("9/10*z"), Catch::Contains("A(1) is 9/10"));
  CHECK_THROWS_WITH(check("9/8-z^3/8"), Catch::Contains("coefficient of z^3 is -1/8"));
  CHECK_THROWS_WITH(check("exp(z)"), Catch::Contains("A(1) is about 2.718"));
  CHECK_THROWS_WITH(check("exp(z-1)*(2-z)"), Catch::Contains("coefficient of z^3 is about -0.061313"));
  CHECK_THROWS_WITH(check("3/(2+z)"), Catch::Contains("coefficient of z^1 is -3/4"));
  CHECK_THROWS_AS(check("1/z"), InvalidArgument);
}
