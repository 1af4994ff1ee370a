#include <catch2/catch.hpp>
#include <tailbound/core/error.hpp>
#include <tailbound/traffic/on_off.hpp>
#include <tests/support/rational.hpp>

namespace tailbound::traffic {
namespace {

using numeric::Rational;
using test::rational;

TEST_CASE("on-off source: probabilities follow from load, burst and on-rate") {
  for (const char* load : {"0.05", "0.3", "0.6"})
    for (const char* slots : {"4", "16", "1000"})
      for (const char* on_rate : {"1", "0.75"}) {
        const OnOff source = on_off(rational(load), {rational(slots), rational(on_rate)});
        CHECK(1 / source.stop == rational(slots));
        CHECK(source.on_rate * source.start / (source.start + source.stop) == rational(load));
        CHECK(source.on_fraction() == source.start / (source.start + source.stop));
        const OnOff part = thinned(source, rational("1/32"));
        CHECK(part.load == source.load / 32);
        CHECK(part.on_fraction() == source.on_fraction());
      }
}

TEST_CASE("on-off source: the shortest burst turns ON with certainty") {
  const Rational minimum = shortest_burst(rational("0.9"), 1);
  CHECK(minimum == 9);
  CHECK(on_off(rational("0.9"), {minimum}).start == 1);
  CHECK(shortest_burst(rational("0.1"), 1) == 1);
}

TEST_CASE("on-off source: errors give the legal range") {
  using Catch::Matchers::Contains;
  CHECK_THROWS_WITH(on_off(rational("0.9"), {rational("4")}), Contains("at least 9 slots"));
  CHECK_THROWS_WITH(on_off(rational("0.1"), {rational("0.5")}), Contains("at least 1 slot"));
  CHECK_THROWS_WITH(on_off(rational("0.6"), {rational("16"), rational("0.6")}),
                    Contains("below its on-rate of 3/5"));
  CHECK_THROWS_AS(on_off(rational("0.6"), {rational("16"), rational("1.5")}), InvalidArgument);
  CHECK_THROWS_AS(on_off(rational("0"), {rational("16")}), InvalidArgument);
  CHECK_THROWS_AS(thinned(on_off(rational("0.1"), {rational("16")}), 2), InvalidArgument);
}

}  // namespace
}  // namespace tailbound::traffic
