#include <catch2/catch.hpp>
#include <tailbound/answers/wormhole/offered_loads.hpp>
#include <tailbound/answers/wormhole/simulated_loads.hpp>
#include <tailbound/core/error.hpp>

// Offered loads, and runs at one load after another.

namespace {

using namespace tailbound;
using namespace tailbound::answers;
using numeric::parse_rational;

OfferedLoads offered(const char* value, bool of_saturation, LoadMeasure measure = LoadMeasure::flits) {
  return {.measure = measure, .of_saturation = of_saturation, .values = {parse_rational(value, "load")}};
}

struct Point {
  int at = 0;
  Simulated simulated;
};

Point finished(int at, bool complete) {
  Point point{.at = at, .simulated = {}};
  point.simulated.result.complete = complete;
  return point;
}

}  // namespace

TEST_CASE("offered loads: legal values") {
  check(offered("7", false));
  CHECK_THROWS_WITH(check(offered("-1", false)), "loads is -1; it must be at least 0 flits/cycle/node");
  CHECK_THROWS_WITH(check(offered("-1", false, LoadMeasure::messages)),
                    "rates is -1; it must be at least 0 messages/cycle/node");
  check(offered("0.999", true));
  CHECK_THROWS_WITH(check(offered("1", true)),
                    "fractions is 1; it must be at least 0 and below 1, the saturation load");
  check(offered("1.4", true), Fractions::any);
  check_simulated(offered("1", false));
  CHECK_THROWS_AS(check_simulated(offered("1.1", false)), InvalidArgument);
  CHECK_THROWS_AS(check_simulated(offered("0", false)), InvalidArgument);
  CHECK_THROWS_AS(check_simulated(offered("0", true)), InvalidArgument);
}

TEST_CASE("offered loads: fractions are of saturation") {
  const OfferedLoads half = offered("1/2", true), load = offered("1/2", false);
  CHECK(half.absolute(half.values.front(), 0.25) == 0.125);
  CHECK(load.absolute(load.values.front(), 0.25) == 0.5);
}

TEST_CASE("simulated loads: finished points are returned") {
  const std::vector<numeric::Rational> values{1, 2, 3};
  int calls = 0;
  const auto whole = simulate_each(
      values, {}, [&](const numeric::Rational&, const Run&) { return finished(++calls, true); });
  CHECK(whole.points.size() == 3);
  CHECK_FALSE(whole.stopped);

  calls = 0;
  const auto cut = simulate_each(values, {}, [&](const numeric::Rational&, const Run& part) {
    if (++calls == 2) part.cut();
    return finished(calls, calls < 2);
  });
  CHECK(cut.points.size() == 2);
  CHECK(cut.stopped);

  calls = 0;
  const auto before = [&](const numeric::Rational&, const Run&) {
    if (++calls == 2) throw Stopped("stopped");
    return finished(calls, true);
  };
  const auto between = simulate_each(values, {}, before);
  CHECK(between.points.size() == 1);
  CHECK(between.stopped);
  calls = 1;
  CHECK_THROWS_AS(simulate_each(values, {}, before), Stopped);
}

TEST_CASE("simulated loads: a checkpoint belongs to one simulation") {
  Run run;
  run.resume = "bytes";
  require_one_load_to_resume(run, 1);
  CHECK_THROWS_WITH(require_one_load_to_resume(run, 2),
                    "resume is given with several loads; it must be given with one load: it holds one "
                    "simulation");
}

TEST_CASE("simulated loads: the precision of a search") {
  CHECK(search_of({.precision = parse_rational("1/100", "precision")}, 3, 2, 4).first_guess == 1);
  CHECK(search_of({.precision = parse_rational("1/100", "precision")}, 0.3, 2, 4).precision == 0.01);
  CHECK(search_of({}, 0.3, 2, 4).bound == 2);
  CHECK(search_of({}, 0.3, 2, 4).senders == 4);
  CHECK_THROWS_AS(search_of({.precision = parse_rational("0.6", "precision")}, 0.3, 2, 4), InvalidArgument);
  CHECK_THROWS_AS(search_of({.precision = parse_rational("0.0004", "precision")}, 0.3, 2, 4),
                  InvalidArgument);
}
