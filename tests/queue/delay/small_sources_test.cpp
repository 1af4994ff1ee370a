#include <catch2/catch.hpp>
#include <tailbound/core/error.hpp>
#include <tailbound/numeric/rational.hpp>
#include <tailbound/queue/delay/small_sources.hpp>

#include <random>
#include <vector>

// The queue of many small sources, against the same sources listed one by one with interval arithmetic.

using namespace tailbound;
using namespace tailbound::queue;
using numeric::Rational;

namespace {

struct Sources {
  std::vector<std::pair<Rational, std::int64_t>> exact;
  Rational load = 0;

  void add(const Rational& rate, std::int64_t count) {
    exact.emplace_back(rate, count);
    load = load + rate * Rational(static_cast<long>(count));
  }
  [[nodiscard]] std::vector<SmallSource> rounded() const {
    std::vector<SmallSource> sources;
    for (const auto& [rate, count] : exact) sources.push_back({numeric::nearest_long_double(rate), count});
    return sources;
  }
  [[nodiscard]] SlottedQueue listed() const {
    std::vector<Rational> rates;
    for (const auto& [rate, count] : exact) rates.insert(rates.end(), static_cast<std::size_t>(count), rate);
    return {series::Arrivals::unequal_inputs(rates), 1};
  }
};

void require_overlap(const numeric::Enclosure<unit::Probability>& a,
                     const numeric::Enclosure<unit::Probability>& b) {
  REQUIRE(a.lower() <= b.upper());
  REQUIRE(b.lower() <= a.upper());
  REQUIRE(numeric::agree_to(a.lower(), a.upper(), numeric::Digits{12}));
}

void require_equal(const Sources& sources) {
  const std::vector<SmallSource> rounded = sources.rounded();
  const SmallSources small_sources{rounded, 1, &sources.load};
  constexpr std::size_t size = 60;
  constexpr int bits = 160;
  for (const HopDelay delay : {HopDelay::wait, HopDelay::occupancy}) {
    const auto found = small_sources_delay(small_sources, delay, size, -500);
    const numeric::PrecisionScope scope(numeric::Precision{bits});
    const auto listed = hop_delay(sources.listed(), delay, size, -500, bits);
    for (std::size_t t = 0; t < size; ++t) {
      INFO(t);
      const auto tail = series::enclose_tail(numeric::Theorem::sojourn, listed, t);
      if (tail.lower() > 0) {
        require_overlap(series::enclose_tail(numeric::Theorem::sojourn, found, t), tail);
        require_overlap(series::enclose_mass(numeric::Theorem::sojourn, found, t),
                        series::enclose_mass(numeric::Theorem::sojourn, listed, t));
      }
    }
  }
  const MeanBounds mean = mean_small_sources_wait(small_sources);
  const auto exact =
      std::get<numeric::Exact<unit::Slot>>(mean_hop_delay(sources.listed(), HopDelay::wait)).value;
  const long double nearest = numeric::nearest_long_double(exact);
  REQUIRE(mean.lower <= nearest);
  REQUIRE(mean.upper >= nearest);
  REQUIRE(mean.upper - mean.lower < 1e-15L * (1 + nearest / numeric::nearest_long_double(1 - sources.load)));
}

}  // namespace

TEST_CASE("many small sources: equal to sources listed one by one") {
  Sources few;
  few.add(Rational(1) / 3, 1);
  few.add(Rational(1) / 7, 3);
  require_equal(few);
  Sources one_large;
  one_large.add(Rational(9) / 10, 1);
  one_large.add(Rational(1) / 1000, 20);
  require_equal(one_large);
  Sources many;  // binomials by ratios
  many.add(Rational(1) / 2000, 900);
  many.add(Rational(1) / 1000, 65);
  many.add(Rational(1) / 50, 10);
  require_equal(many);
  std::mt19937_64 random(3);
  for (int i = 0; i < 6; ++i) {
    Sources drawn;
    for (int kind = 0; kind < 8; ++kind)
      drawn.add(Rational(static_cast<long>(1 + random() % 90)) / 9000,
                static_cast<std::int64_t>(1 + random() % 20));
    if (drawn.load < 1) require_equal(drawn);
  }
}

TEST_CASE("many small sources: 100 000 sources lie between a few and Poisson") {
  // E[W] of n equal sources is (1 - 1/n) rho / (2 (1 - rho)); their tails increase with n.
  const Rational load = Rational(4) / 5;
  double last = 0;
  for (const std::int64_t count : {10, 1000, 100'000}) {
    const std::vector<SmallSource> sources{
        {numeric::nearest_long_double(load / Rational(static_cast<long>(count))), count}};
    const SmallSources small_sources{sources, 1, &load};
    const auto wait = small_sources_delay(small_sources, HopDelay::wait, 40, -500);
    const double tail = static_cast<double>(wait.tail[30]);
    CHECK(tail > last);
    last = tail;
    const MeanBounds mean = mean_small_sources_wait(small_sources);
    CHECK(static_cast<double>(mean.lower) ==
          Approx(2.0 * (1 - 1.0 / static_cast<double>(count))).epsilon(1e-12));
  }
  const auto poisson = hop_delay({series::Arrivals::poisson(load), 1}, HopDelay::wait, 40, -500);
  CHECK(last < static_cast<double>(poisson.tail[30]));
  CHECK(last == Approx(static_cast<double>(poisson.tail[30])).epsilon(1e-3));
}

TEST_CASE("many small sources: overload is rejected") {
  const std::vector<SmallSource> sources{{0.5L, 2}};
  const Rational load = 1;
  const SmallSources small_sources{sources, 1, &load};
  CHECK_THROWS_AS(small_sources_delay(small_sources, HopDelay::wait, 10, -100), Unstable);
  CHECK_THROWS_AS(mean_small_sources_wait(small_sources), Unstable);
}
