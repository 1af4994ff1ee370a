#include <tailbound/bounds/wormhole/length_classes.hpp>

#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>

// Lengths as classes: moments of merged lengths, and the cost of two messages on one physical channel.

namespace tailbound::bounds::wormhole::finite {
namespace {

using network::MessageLengths;

Lengths lengths(const MessageLengths& law, double buffer, double path) {
  return lengths_of({.kinds = {{.lengths = law}}, .buffer_flits = buffer}, path, 4);
}

/// Mean of l^n, relative to M^n; of merged lengths for n up to 2.
double moment(const Lengths& all, int n) {
  double sum = 0;
  for (const auto& [t, share] : all.laws.front()) {
    const LengthClass& its = all.classes[t];
    sum += share * (std::pow(its.size, n) + (n == 2 ? its.variance : 0));
  }
  return sum;
}

TEST_CASE("length classes: each of a few lengths, with the channels it occupies") {
  const Lengths all = lengths(MessageLengths::parse("1:3,5:1,9:1"), 4, 3);
  REQUIRE(all.classes.size() == 3);
  CHECK(all.flits == Approx(3.4));
  CHECK(all.classes[0].held == 1);
  CHECK(all.classes[1].held == 2);
  CHECK(all.classes[2].held == 0);  // 3 channels are all of its path
  CHECK(all.classes[1].levels == 3);
  CHECK(all.classes[1].size == Approx(5 / 3.4));
  CHECK(all.slack == Approx(3 / 3.4));
  CHECK(all.singles.front().size() == 3);
  CHECK(moment(all, 1) == Approx(1));
}

TEST_CASE("length classes: many lengths keep their moments") {
  for (const double buffer : {1.0, 4.0}) {
    const Lengths uniform = lengths(MessageLengths::parse("1-64:1"), buffer, 7.3);
    CHECK(uniform.classes.size() <= 11);
    CHECK(moment(uniform, 1) == Approx(1).epsilon(1e-12));
    CHECK(moment(uniform, 2) == Approx(65 * 129 / 6.0 / 32.5 / 32.5).epsilon(1e-10));
    for (const Lengths::Single& one : uniform.singles.front())
      CHECK((one.flits == 1) == (uniform.classes[one.of].flits == 1));
    for (const std::int64_t mean : {2, 7, 1000}) {
      const Lengths geometric = lengths(MessageLengths::geometric(mean), buffer, 7.3);
      const auto m = static_cast<double>(mean);
      CHECK(geometric.classes.size() <= 11);
      double shares = 0;
      for (const LengthClass& its : geometric.classes) shares += its.share;
      CHECK(shares == Approx(1).epsilon(1e-10));
      CHECK(moment(geometric, 1) == Approx(1).epsilon(1e-9));
      CHECK(moment(geometric, 2) == Approx((2 * m - 1) / m).epsilon(1e-9));
    }
  }
  // Beyond the path's channels to the fifth moment: of a geometric law, with nothing below but 1 flit.
  const Lengths long_ones = lengths(MessageLengths::geometric(10), 1, 1.5);
  double third = 0, fifth = 0, exact3 = 0, exact5 = 0;
  for (const LengthClass& its : long_ones.classes)
    third += its.share * std::pow(its.flits, 3), fifth += its.share * std::pow(its.flits, 5);
  for (int l = 1; l < 2000; ++l) {
    const double share = std::pow(0.9, l - 1) / 10;
    exact3 += share * std::pow(l, 3), exact5 += share * std::pow(l, 5);
  }
  CHECK(third == Approx(exact3).epsilon(1e-9));
  CHECK(fifth == Approx(exact5).epsilon(1e-9));
}

TEST_CASE("length classes: networks with long paths have few classes too") {
  const Lengths all = lengths(MessageLengths::geometric(100), 1, 200.5);
  CHECK(all.classes.size() <= 20);
  CHECK(moment(all, 1) == Approx(1).epsilon(1e-9));
}

TEST_CASE("length classes: what two messages lose to each other") {
  CHECK(pair_loss(1, 1) == Approx(0.5));
  CHECK(pair_loss(1, 5) == Approx(0.80625));
  CHECK(pair_loss(5, 5) == Approx(0.950781).margin(1e-6));
  CHECK(pair_loss(2, 17) == Approx(0.984022).margin(1e-6));
  CHECK(pair_loss(9, 9) == Approx(0.979392).margin(1e-6));
  CHECK(pair_loss(5, 1) == Approx(pair_loss(1, 5)));
  CHECK(pair_loss(1000, 1001) == 1);
  for (const double flits : {1.0, 3.0, 20.0, 600.0}) CHECK(pair_loss(flits, 700) <= 1);
}

}  // namespace
}  // namespace tailbound::bounds::wormhole::finite
