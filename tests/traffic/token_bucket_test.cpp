#include <tailbound/core/error.hpp>
#include <tailbound/numeric/rational.hpp>
#include <tailbound/traffic/token_bucket.hpp>

#include <algorithm>
#include <catch2/catch.hpp>
#include <random>
#include <tests/support/rational.hpp>
#include <vector>

using namespace tailbound;
using namespace tailbound::test;
using tailbound::test::rational;
using traffic::GreedyPattern;
using traffic::one_per_slot;
using traffic::TokenBucket;

namespace {

/// Maximum packets of any source in `slots` consecutive slots, by enumeration.
std::int64_t most_by_trial(const std::vector<TokenBucket>& buckets, std::vector<numeric::Rational> held,
                           int slots, bool first) {
  if (slots == 0) return 0;
  std::int64_t most_now = 1'000'000;
  for (std::size_t i = 0; i < buckets.size(); ++i) {
    if (!first) held[i] = std::min(buckets[i].burst, numeric::Rational(held[i] + buckets[i].rate));
    most_now = std::min<std::int64_t>(most_now, numeric::to_int64(numeric::floor(held[i])));
  }
  std::int64_t best = 0;
  for (std::int64_t packets = 0; packets <= most_now; ++packets) {
    std::vector<numeric::Rational> left = held;
    for (numeric::Rational& tokens : left) tokens = tokens - numeric::Rational(packets);
    best = std::max(best, packets + most_by_trial(buckets, left, slots - 1, false));
  }
  return best;
}

}  // namespace

TEST_CASE("the greedy source sends floor(burst + rate m) in m + 1 slots") {
  for (const auto& [rate, burst] : {std::pair{"9/10", "20"}, {"1/3", "7/3"}, {"2/5", "1.4"}, {"5/4", "3"}}) {
    const TokenBucket bucket{rational(rate), rational(burst)};
    const GreedyPattern pattern({bucket});
    CHECK(pattern.rate() == bucket.rate);
    CHECK(pattern.maximum(-1) == 0);
    for (long m = 0; m < 300; ++m)
      REQUIRE(pattern.maximum(m) == numeric::to_int64(numeric::floor(bucket.burst + bucket.rate * m)));
  }
}

TEST_CASE("a full bucket that overflows lets through less than its rate") {
  const GreedyPattern pattern({{rational("2/5"), 1}});
  CHECK(pattern.rate() == ratio(1, 3));
  CHECK(pattern.maximum(2) == 1);
  CHECK(pattern.maximum(3) == 2);
}

TEST_CASE("a link passes one packet per slot until the bucket is empty") {
  const GreedyPattern pattern({{rational("9/10"), 20}, one_per_slot()});
  CHECK(pattern.maximum(190) == 191);  // m* = (b - 1)/(1 - r) = 190
  CHECK(pattern.maximum(191) == 191);
  CHECK(pattern.maximum(192) == 192);
  CHECK(pattern.rate() == ratio(9, 10));
  CHECK(pattern.cycle().size() == 10);
  for (long m = 0; m < 2000; ++m) {
    REQUIRE(pattern.sent(m) == pattern.maximum(m) - pattern.maximum(m - 1));
    REQUIRE(pattern.maximum(m) ==
            std::min<long>(m + 1, numeric::to_int64(numeric::floor(20 + ratio(9, 10) * m))));
  }
}

TEST_CASE("no source exceeds the greedy one's first slots in any window") {
  std::mt19937 random(7);
  const auto pick = [&](int low, int high) { return std::uniform_int_distribution<int>(low, high)(random); };
  for (int round = 0; round < 60; ++round) {
    std::vector<TokenBucket> buckets;
    for (int i = pick(1, 2); i > 0; --i) {
      const int unit = pick(1, 5);
      buckets.push_back({ratio(pick(1, 2 * unit), unit), ratio(pick(unit, 3 * unit), unit)});
    }
    const GreedyPattern pattern(buckets);
    const std::vector<std::int64_t> sent = traffic::greedy_slots(buckets, 60);
    std::vector<numeric::Rational> full;
    for (const TokenBucket& bucket : buckets) full.push_back(bucket.burst);
    std::int64_t sum = 0;
    for (int m = 0; m < 60; ++m) {
      sum += sent[static_cast<std::size_t>(m)];
      REQUIRE(pattern.maximum(m) == sum);
    }
    for (int m = 0; m < 5; ++m) CHECK(most_by_trial(buckets, full, m + 1, true) == pattern.maximum(m));
    // No two consecutive windows bring more than the greedy source.
    for (int m = 0; m < 20; ++m)
      for (int n = 0; n < 20; ++n)
        REQUIRE(pattern.maximum(m + n + 1) - pattern.maximum(m) <= pattern.maximum(n));
  }
}

TEST_CASE("a bucket is equivalent to one that discards no tokens while packets wait") {
  std::mt19937 random(9);
  const auto pick = [&](int low, int high) { return std::uniform_int_distribution<int>(low, high)(random); };
  int discarding = 0;
  for (int round = 0; round < 400; ++round) {
    const int unit = pick(1, 17), other = pick(1, 6);
    const TokenBucket bucket{ratio(pick(1, 2 * unit), unit), ratio(pick(other, 3 * other), other)};
    INFO(bucket.rate << ", " << bucket.burst);
    const TokenBucket its = traffic::sustained(bucket);
    const GreedyPattern pattern({bucket});
    REQUIRE(its.rate == pattern.rate());
    for (long m = 0; m < 120; ++m)
      REQUIRE(pattern.maximum(m) == numeric::to_int64(numeric::floor(its.burst + its.rate * m)));
    CHECK(traffic::sustained(its) == its);
    if (its.rate != bucket.rate) ++discarding;
  }
  CHECK(discarding > 100);
  // Without following the source: its first repetition may be far away.
  CHECK(traffic::sustained({ratio(999'999'999, 1'000'000'000), 1}) == TokenBucket{ratio(1, 2), 1});
  CHECK(traffic::sustained({ratio(333'333'334, 1'000'000'000), 1}) == TokenBucket{ratio(1, 3), 1});
  CHECK(traffic::sustained({ratio(5, 2), ratio(5, 2)}) == TokenBucket{2, 2});
  CHECK(traffic::sustained({10, 5}) == TokenBucket{5, 5});
  CHECK(traffic::sustained({ratio(9, 10), ratio(9, 5)}) == TokenBucket{ratio(9, 10), ratio(9, 5)});
  CHECK_THROWS_WITH(traffic::sustained({ratio(1, 2), ratio(1, 2)}), Catch::Contains("burst is 1/2"));
}

TEST_CASE("buckets that do not bind are omitted") {
  const TokenBucket slow{ratio(1, 5), 4};
  using Buckets = std::vector<TokenBucket>;
  CHECK(traffic::binding({slow, traffic::peak_of(100)}) == Buckets{slow});
  CHECK(traffic::binding({slow, traffic::peak_of(4)}) == Buckets{slow});
  CHECK(traffic::binding({traffic::peak_of(4), {ratio(1, 5), ratio(24, 5)}}).size() == 1);
  CHECK(traffic::binding({slow, traffic::peak_of(3)}) == Buckets{slow, {3, 3}});
  CHECK(traffic::binding({slow, slow, {ratio(1, 5), 5}, {ratio(1, 4), 4}}) == Buckets{slow});
  CHECK(traffic::binding({{ratio(9, 10), 1}, traffic::one_per_slot()}) == Buckets{{ratio(1, 2), 1}});
  // The same traffic, on random buckets.
  std::mt19937 random(10);
  const auto pick = [&](int low, int high) { return std::uniform_int_distribution<int>(low, high)(random); };
  for (int round = 0; round < 200; ++round) {
    Buckets buckets;
    for (int i = pick(1, 3); i > 0; --i) {
      const int unit = pick(1, 5);
      buckets.push_back(pick(0, 2) == 0 ? traffic::peak_of(ratio(pick(1, 4 * unit), unit))
                                        : TokenBucket{ratio(pick(1, unit), unit), ratio(pick(4, 20), 4)});
    }
    CHECK(traffic::greedy_slots(buckets, 80) == traffic::greedy_slots(traffic::binding(buckets), 80));
  }
}

TEST_CASE("buckets out of range are rejected by name") {
  CHECK_THROWS_WITH(GreedyPattern({}), Catch::Contains("buckets"));
  CHECK_THROWS_WITH(GreedyPattern({{0, 1}}), Catch::Contains("rate is 0"));
  CHECK_THROWS_WITH(GreedyPattern({{1, ratio(1, 2)}}), Catch::Contains("burst is 1/2"));
  CHECK_THROWS_WITH(GreedyPattern({{ratio(1, 2'000'000'001), 1}}), Catch::Contains("10^9"));
  CHECK_THROWS_AS(GreedyPattern({{ratio(99'999'999, 100'000'000), 2}}), LimitExceeded);
}
