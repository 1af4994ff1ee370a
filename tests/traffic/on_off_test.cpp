#include <catch2/catch.hpp>
#include <tailbound/core/error.hpp>
#include <tailbound/traffic/on_off.hpp>

namespace tailbound::traffic {
namespace {

using numeric::parse_rational;
using numeric::Rational;

Rational number(const char* text) {
  return parse_rational(text, "test");
}

TEST_CASE("on-off source: probabilities follow from load, burst and on-rate") {
  for (const char* load : {"0.05", "0.3", "0.6"})
    for (const char* slots : {"4", "16", "1000"})
      for (const char* on_rate : {"1", "0.75"}) {
        const OnOff source = on_off(number(load), {number(slots), number(on_rate)});
        CHECK(1 / source.stop == number(slots));
        CHECK(source.on_rate * source.start / (source.start + source.stop) == number(load));
        CHECK(source.on_fraction() == source.start / (source.start + source.stop));
        const OnOff part = thinned(source, number("1/32"));
        CHECK(part.load == source.load / 32);
        CHECK(part.on_fraction() == source.on_fraction());
      }
}

TEST_CASE("on-off source: the shortest burst turns ON with certainty") {
  const Rational least = shortest_burst(number("0.9"), 1);
  CHECK(least == 9);
  CHECK(on_off(number("0.9"), {least}).start == 1);
  CHECK(shortest_burst(number("0.1"), 1) == 1);
}

TEST_CASE("on-off source: what cannot exist is refused with what can") {
  using Catch::Matchers::Contains;
  CHECK_THROWS_WITH(on_off(number("0.9"), {number("4")}), Contains("at least 9 slots"));
  CHECK_THROWS_WITH(on_off(number("0.1"), {number("0.5")}), Contains("at least 1 slot"));
  CHECK_THROWS_WITH(on_off(number("0.6"), {number("16"), number("0.6")}),
                    Contains("below its on-rate of 3/5"));
  CHECK_THROWS_AS(on_off(number("0.6"), {number("16"), number("1.5")}), InvalidArgument);
  CHECK_THROWS_AS(on_off(number("0"), {number("16")}), InvalidArgument);
  CHECK_THROWS_AS(thinned(on_off(number("0.1"), {number("16")}), 2), InvalidArgument);
}

}  // namespace
}  // namespace tailbound::traffic
