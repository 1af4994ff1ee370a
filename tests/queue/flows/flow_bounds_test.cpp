#include <tailbound/core/error.hpp>
#include <tailbound/numeric/rational.hpp>
#include <tailbound/queue/flows/flow_bounds.hpp>
#include <tailbound/queue/flows/periodic_flows.hpp>
#include <tailbound/queue/flows/window_law.hpp>

#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <numeric>
#include <random>
#include <tests/support/flow_groups.hpp>
#include <tests/support/fraction.hpp>
#include <vector>

using namespace tailbound;
using namespace tailbound::test;
using queue::FlowBounds;
using queue::FlowGroup;
using queue::FlowKind;
using queue::FlowLevel;
using queue::FlowProof;

namespace {

/// Packets of a flow, slot by slot, period after period.
using Sent = std::vector<std::int64_t>;

/// Flows of several periods: P(Q > 0), P(Q > 1), .. by all phases of all but the first, over a common period.
std::vector<Fraction> by_all_phases(const std::vector<Sent>& flows, std::size_t levels) {
  std::size_t common = 1;
  std::int64_t all = 0;
  for (const Sent& flow : flows) common = std::lcm(common, flow.size());
  std::vector<std::size_t> phases(flows.size(), 0);
  std::vector<std::int64_t> above(levels, 0);
  for (bool more = true; more; ++all) {
    std::int64_t waiting = 0;
    for (std::size_t t = 0; t < 2 * common; ++t) {
      waiting = std::max<std::int64_t>(waiting - 1, 0);
      for (std::size_t i = 0; i < flows.size(); ++i) waiting += flows[i][(t + phases[i]) % flows[i].size()];
      if (t < common) continue;
      for (std::size_t q = 0; q < levels && static_cast<std::int64_t>(q) < waiting; ++q) ++above[q];
    }
    more = false;
    for (std::size_t i = 1; i < flows.size() && !more; ++i) {
      more = ++phases[i] < flows[i].size();
      if (!more) phases[i] = 0;
    }
  }
  std::vector<Fraction> tails;
  for (const std::int64_t slots : above)
    tails.push_back(Fraction(slots) / Fraction(all * static_cast<std::int64_t>(common)));
  return tails;
}
std::vector<Fraction> by_all_phases(const std::vector<FlowGroup>& flows, std::size_t levels) {
  std::vector<Sent> sent;
  for (const FlowGroup& flow : flows) {
    sent.emplace_back(static_cast<std::size_t>(flow.period), 0);
    sent.back().front() = flow.batch;
  }
  return by_all_phases(sent, levels);
}

/// Traffic that passes all buckets, period after period: in each slot, with a chance of 1 in `rarity`, all
/// that still conforms.
Sent conforming_period(const std::vector<traffic::TokenBucket>& buckets, int period, int rarity,
                       std::mt19937& random) {
  const std::int64_t slots = period;
  Sent sent(static_cast<std::size_t>(period), 0);
  const auto conforms = [&](const traffic::TokenBucket& bucket) {
    if (std::accumulate(sent.begin(), sent.end(), numeric::Rational(0)) > bucket.rate * slots) return false;
    for (std::int64_t first = 0; first < slots; ++first) {
      std::int64_t sum = 0;
      for (std::int64_t m = 0; m < slots; ++m) {
        sum += sent[static_cast<std::size_t>((first + m) % slots)];
        if (sum > bucket.burst + bucket.rate * m) return false;
      }
    }
    return true;
  };
  for (std::int64_t& packets : sent) {
    if (std::uniform_int_distribution<int>(1, rarity)(random) > 1) continue;
    do ++packets;
    while (std::all_of(buckets.begin(), buckets.end(), conforms));
    --packets;
  }
  return sent;
}

/// A conforming source that waits or bursts at random: it saves tokens until it has `patience` of them.
struct RandomSource {
  double rate, burst, tokens;
  bool sending = false;
  std::int64_t next(std::mt19937_64& random, double idle_bias, double eagerness) {
    tokens = std::min(burst, tokens + rate);
    if (!sending && tokens >= idle_bias && std::uniform_real_distribution<>()(random) < eagerness)
      sending = true;
    if (!sending) return 0;
    const auto packets = static_cast<std::int64_t>(tokens + 1e-9);
    tokens -= static_cast<double>(packets);
    sending = false;
    return packets;
  }
};

}  // namespace

TEST_CASE("buffers of independent flows: known values") {
  struct Row {
    FlowGroup flows;
    std::int64_t never, level, needed;
  };
  for (const Row& row :
       {Row{sporadic(20, 25), 20, 13, 13}, Row{sporadic(100, 125), 100, 25, 24},
        Row{regulated(100, "1/125", "1"), 100, 25, 24}, Row{sporadic(100, 110), 100, 29, 29},
        Row{sporadic(800, 1000), 800, 43, 40}, Row{sporadic(900, 1000), 900, 67, 62},
        Row{sporadic(950, 1000), 950, 84, 79},
        // One packet deep, but not treated as sporadic: only by the convex order.
        Row{regulated(100, "1/125", "1.001"), 100, 36, 24}, Row{regulated(100, "1/125", "4"), 400, 152, 96},
        Row{regulated(100, "1/125", "16"), 1600, 634, 382}, Row{regulated(500, "1/625", "4"), 2000, 195, 147},
        Row{regulated(50, "1/100", "16"), 800, 242, 200}, Row{regulated(500, "1/1000", "4"), 2000, 70, 63}}) {
    INFO(row.flows.count << " flows, never more than " << row.never);
    const FlowBounds bounds({row.flows});
    const FlowLevel found = bounds.min_level(rational("1e-9"));
    CHECK(bounds.never_exceeded().packets == row.never);
    CHECK(found.level == row.level);
    CHECK(found.proof == FlowProof::windows);
    CHECK(numeric::compare(found.probability.value, rational("1e-9")) <= 0);
    CHECK(found.needed == row.needed);
    CHECK(numeric::compare(found.pattern_probability.value, rational("1e-9")) > 0);
    CHECK(found.pattern.exact);
    CHECK(queue::periodic_min_level(found.pattern.flows, rational("1e-9")).level.value == row.needed);
  }
}

TEST_CASE("periodic flows of several periods: bounds enclose the tail") {
  const FlowBounds bounds({periodic(20, 100), periodic(60, 200), periodic(120, 400)});
  const FlowLevel found = bounds.min_level(rational("1e-9"));
  CHECK(found.level == 28);
  CHECK(found.needed == 26);
  CHECK(found.proof == FlowProof::periods);
  CHECK_FALSE(found.pattern.exact);
  CHECK(static_cast<double>(bounds.lower(10).value) == Approx(6.29e-4).epsilon(1e-3));
  CHECK(static_cast<double>(bounds.upper(10).value) == Approx(5.91e-3).epsilon(1e-3));
  CHECK(static_cast<double>(bounds.lower(15).value) == Approx(1.5e-5).epsilon(1e-2));
  CHECK(static_cast<double>(bounds.upper(15).value) == Approx(1.53e-4).epsilon(2e-3));
}

TEST_CASE("flows of one period: bounds equal the exact tail") {
  const FlowBounds bounds({periodic(30, 125), periodic(70, 125)});
  const FlowLevel found = bounds.min_level(rational("1e-9"));
  CHECK(found.level == 24);
  CHECK(found.needed == 24);
  CHECK(found.proof == FlowProof::exact);
  CHECK(static_cast<double>(bounds.upper(24).value) == Approx(8.07105018422809e-10).epsilon(1e-9));
  CHECK(static_cast<double>(bounds.lower(24).value) == Approx(8.07105018422809e-10).epsilon(1e-9));
}

TEST_CASE("small sets of periods lie between their bounds, as any kind of flow") {
  std::mt19937 random(5);
  const auto pick = [&](int low, int high) { return std::uniform_int_distribution<int>(low, high)(random); };
  for (int compared = 0; compared < 60;) {
    std::vector<FlowGroup> flows, loose;
    for (int i = pick(1, 3); i > 0; --i) {
      flows.push_back(periodic(1, pick(2, 9), pick(1, 3)));
      const FlowGroup& flow = flows.back();
      if (pick(0, 1) == 0)
        loose.push_back(sporadic(1, flow.period, flow.batch));
      else
        loose.push_back(regulated(1, {{ratio(flow.batch, flow.period), numeric::Rational(flow.batch)}}));
    }
    if (queue::load(flows) >= 1) continue;
    ++compared;
    const FlowBounds bounds(flows), others(loose);
    CHECK(bounds.never_exceeded().packets == others.never_exceeded().packets);
    const auto levels = static_cast<std::size_t>(bounds.never_exceeded().packets) + 1;
    const std::vector<Fraction> truth = by_all_phases(flows, levels);
    for (std::size_t q = 0; q < levels; ++q) {
      const auto level = static_cast<std::int64_t>(q);
      REQUIRE(fraction_of(bounds.lower(level).value) <= truth[q]);
      REQUIRE(truth[q] <= fraction_of(bounds.upper(level).value));
      REQUIRE(truth[q] <= fraction_of(others.upper(level).value));
      REQUIRE(fraction_of(others.lower(level).value) <= truth[q]);
    }
  }
}

TEST_CASE("simulated phases stay between the bounds") {
  const std::vector<FlowGroup> flows{periodic(20, 100), periodic(60, 200), periodic(120, 400)};
  const FlowBounds bounds(flows);
  std::mt19937_64 random(6);
  constexpr int runs = 20'000, common = 400;
  std::vector<double> sum(11, 0), squares(11, 0);
  for (int run = 0; run < runs; ++run) {
    std::vector<int> sent(common, 0);
    for (const FlowGroup& group : flows)
      for (std::int64_t i = 0; i < group.count; ++i)
        for (auto t = std::uniform_int_distribution<std::int64_t>(0, group.period - 1)(random); t < common;
             t += group.period)
          ++sent[static_cast<std::size_t>(t)];
    std::vector<int> above(sum.size(), 0);
    int waiting = 0;
    for (int t = 0; t < 2 * common; ++t) {
      waiting = std::max(waiting - 1, 0) + sent[static_cast<std::size_t>(t % common)];
      if (t < common) continue;
      for (std::size_t q = 0; q < above.size() && static_cast<int>(q) < waiting; ++q) ++above[q];
    }
    for (std::size_t q = 0; q < above.size(); ++q) {
      const double share = static_cast<double>(above[q]) / common;
      sum[q] += share;
      squares[q] += share * share;
    }
  }
  for (std::size_t q = 0; q < sum.size(); ++q) {
    const double mean = sum[q] / runs, error = std::sqrt((squares[q] / runs - mean * mean) / runs);
    // Six standard errors: a false alarm in some 10^8 levels.
    CHECK(mean - 6 * error <= static_cast<double>(bounds.upper(static_cast<std::int64_t>(q)).value));
    CHECK(mean + 6 * error >= static_cast<double>(bounds.lower(static_cast<std::int64_t>(q)).value));
  }
}

TEST_CASE("simulated policed bursts stay below the bound") {
  const std::vector<FlowGroup> flows{regulated(20, "1/40", "4"), sporadic(10, 50)};
  const FlowBounds bounds(flows);
  std::mt19937_64 random(8);
  constexpr int levels = 30, pieces = 40, slots = 20'000;
  // Patience 4: all or nothing; 1: one packet at a time after idle times; both at random times.
  for (const auto& [idle_bias, eagerness] : {std::pair{4.0, 1.0}, {4.0, 0.05}, {1.0, 0.02}, {2.5, 0.1}}) {
    std::vector<double> sum(levels, 0), squares(levels, 0);
    for (int piece = 0; piece < pieces; ++piece) {
      std::vector<RandomSource> sources;
      std::vector<double> since;
      for (int i = 0; i < 20; ++i)
        sources.push_back(
            {.rate = 1.0 / 40, .burst = 4, .tokens = std::uniform_real_distribution<>(0, 4)(random)});
      for (int i = 0; i < 10; ++i) since.push_back(std::uniform_int_distribution<>(0, 50)(random));
      std::vector<double> above(levels, 0);
      std::int64_t waiting = 0;
      for (int t = -2000; t < slots; ++t) {
        waiting = std::max<std::int64_t>(waiting - 1, 0);
        for (RandomSource& source : sources) waiting += source.next(random, idle_bias, eagerness);
        for (double& last : since) {
          last += 1;
          if (last >= 50 && std::uniform_real_distribution<>()(random) < eagerness) {
            last = 0;
            ++waiting;
          }
        }
        if (t < 0) continue;
        for (std::size_t q = 0; q < levels && static_cast<std::int64_t>(q) < waiting; ++q) above[q] += 1;
      }
      for (std::size_t q = 0; q < levels; ++q) {
        sum[q] += above[q] / slots;
        squares[q] += above[q] / slots * (above[q] / slots);
      }
    }
    for (std::size_t q = 0; q < levels; ++q) {
      const double mean = sum[q] / pieces, error = std::sqrt((squares[q] / pieces - mean * mean) / pieces);
      CHECK(mean - 7 * error <= static_cast<double>(bounds.upper(static_cast<std::int64_t>(q)).value));
    }
  }
}

TEST_CASE("levels of mixed kinds meet their targets") {
  for (const char* target : {"0.1", "1e-4", "1e-9", "1e-15", "1e-100"}) {
    for (const std::vector<FlowGroup>& flows :
         {std::vector<FlowGroup>{periodic(20, 100), sporadic(60, 200), regulated(20, "1/100", "4.5")},
          {regulated(20, "1/100", "4.5"), regulated(20, {{ratio(1, 80), 2}, traffic::one_per_slot()})},
          {regulated(100, "3/400", "4")},
          {regulated(7, "2/19", "1.2"), periodic(3, 31, 2)}}) {
      const FlowBounds bounds(flows);
      const FlowLevel found = bounds.min_level(rational(target));
      CHECK(numeric::compare(found.probability.value, rational(target)) <= 0);
      CHECK(numeric::compare(bounds.upper(found.level).value, rational(target)) <= 0);
      CHECK(found.needed <= found.level);
      CHECK(found.level <= bounds.never_exceeded().packets);
      if (found.needed > 0)
        CHECK(numeric::compare(bounds.lower(found.needed - 1).value, rational(target)) > 0);
      // Example traffic conforms: it never queues more and offers no more.
      for (const auto& pattern : bounds.patterns()) {
        CHECK(queue::load(pattern.flows) <= queue::load(flows));
        REQUIRE(pattern.sent.size() == pattern.flows.size());
        bool at_once = true;
        for (std::size_t i = 0; i < pattern.sent.size(); ++i) {
          const auto& sent = pattern.sent[i];
          at_once = at_once && sent.size() == 1;
          CHECK(std::accumulate(sent.begin(), sent.end(), std::int64_t{0}) == pattern.flows[i].batch);
        }
        if (at_once) CHECK(queue::never_exceeded(pattern.flows).packets <= bounds.never_exceeded().packets);
      }
    }
  }
}

TEST_CASE("flows with a peak rate have example traffic that sends at the peak") {
  const FlowGroup deep = regulated(100, {{ratio(1, 125), 16}, traffic::one_per_slot()});
  const FlowBounds bounds({deep});
  const FlowLevel found = bounds.min_level(rational("1e-9"));
  CHECK(found.level == 634);
  CHECK(found.needed > 340);
  CHECK(found.needed <= 382);  // all at once
  REQUIRE(found.pattern.sent.size() == 1);
  CHECK(found.pattern.sent.front() == std::vector<std::int64_t>(16, 1));
  CHECK(found.pattern.flows.front().period == 2000);
  // Four packets would take four times the longest period.
  const auto slow = FlowBounds({regulated(2, "1/1000000000", "4")}).patterns();
  CHECK(slow.front().flows == std::vector<FlowGroup>{periodic(2, 1'000'000'000)});
  // For any buckets: applied to them, period after period, no token is missing.
  std::mt19937 random(9);
  const auto pick = [&](int low, int high) { return std::uniform_int_distribution<int>(low, high)(random); };
  for (int round = 0; round < 200; ++round) {
    const int unit = pick(1, 5);
    const std::vector<traffic::TokenBucket> buckets{
        {ratio(pick(1, 3), 40), ratio(pick(unit, 12 * unit), unit)},
        {ratio(pick(1, 8), pick(4, 9)), ratio(pick(4, 9), 4)}};
    if (queue::load({regulated(1, buckets)}) >= 1) continue;
    const FlowBounds some({regulated(1, buckets)});
    for (const auto& pattern : some.patterns()) {
      std::vector<numeric::Rational> held;
      for (const auto& bucket : buckets) held.push_back(bucket.burst);
      for (std::int64_t t = 0; t < 4 * pattern.flows.front().period; ++t) {
        const auto slot = static_cast<std::size_t>(t % pattern.flows.front().period);
        const auto& sent = pattern.sent.front();
        for (std::size_t i = 0; i < buckets.size(); ++i) {
          if (t > 0) held[i] = std::min(buckets[i].burst, numeric::Rational(held[i] + buckets[i].rate));
          if (slot < sent.size()) held[i] = held[i] - numeric::Rational(sent[slot]);
          REQUIRE(held[i] >= 0);
        }
      }
    }
  }
}

TEST_CASE("any conforming traffic with a peak rate stays below the bound") {
  std::mt19937 random(14);
  const auto pick = [&](int low, int high) { return std::uniform_int_distribution<int>(low, high)(random); };
  for (int compared = 0; compared < 200;) {
    std::vector<FlowGroup> flows;
    std::vector<Sent> sent;
    for (int i = pick(1, 2); i > 0; --i) {
      const int unit = pick(1, 3);
      std::vector<traffic::TokenBucket> buckets{{ratio(pick(1, 3), 9), pick(2, 7)},
                                                traffic::peak_of(ratio(pick(1, 5 * unit), unit))};
      if (pick(0, 1) == 0) buckets.back().burst = ratio(pick(unit, 8 * unit), unit);
      flows.push_back(regulated(1, buckets));
      sent.push_back(conforming_period(buckets, pick(9, 30), pick(1, 4), random));
    }
    if (queue::load(flows) >= 1) continue;
    ++compared;
    const FlowBounds bounds(flows);
    const auto levels = static_cast<std::size_t>(bounds.never_exceeded().packets) + 1;
    const std::vector<Fraction> truth = by_all_phases(sent, levels);
    for (std::size_t q = 0; q < levels; ++q)
      REQUIRE(truth[q] <= fraction_of(bounds.upper(static_cast<std::int64_t>(q)).value));
    CHECK(truth.back() == 0);
    const FlowLevel found = bounds.min_level(ratio(1, pick(5, 1000)));
    CHECK(found.needed <= found.level);
    CHECK(found.level <= bounds.never_exceeded().packets);
    // Lower bounds: the tail of the flows' own example traffic.
    std::vector<Fraction> highest(levels, Fraction(0));
    for (const auto& pattern : bounds.patterns()) {
      std::vector<Sent> example;
      for (std::size_t i = 0; i < pattern.flows.size(); ++i) {
        Sent one = pattern.sent[i];
        one.resize(static_cast<std::size_t>(pattern.flows[i].period), 0);
        example.insert(example.end(), static_cast<std::size_t>(pattern.flows[i].count), one);
      }
      const std::vector<Fraction> its = by_all_phases(example, levels);
      for (std::size_t q = 0; q < levels; ++q) highest[q] = std::max(highest[q], its[q]);
    }
    for (std::size_t q = 0; q < levels; ++q)
      REQUIRE(fraction_of(bounds.lower(static_cast<std::int64_t>(q)).value) <= highest[q]);
  }
}

TEST_CASE("the distribution of a pattern is that over all its phases") {
  std::mt19937 random(10);
  const auto pick = [&](int low, int high) { return std::uniform_int_distribution<int>(low, high)(random); };
  for (int round = 0; round < 100; ++round) {
    std::vector<std::int64_t> sent(static_cast<std::size_t>(pick(1, 5)));
    for (std::int64_t& packets : sent) packets = pick(0, 3);
    const std::int64_t period = pick(static_cast<int>(sent.size()), 9), slots = pick(1, 20);
    std::vector<int> counts(200, 0);
    for (std::int64_t phase = 0; phase < period; ++phase) {
      std::int64_t packets = 0;
      for (std::int64_t t = phase; t < phase + slots; ++t)
        if (t % period < static_cast<std::int64_t>(sent.size()))
          packets += sent[static_cast<std::size_t>(t % period)];
      ++counts[static_cast<std::size_t>(packets)];
    }
    const auto law = queue::pattern_law<long double>(sent, period, slots);
    for (std::size_t n = 0; n < counts.size(); ++n) {
      const std::int64_t at = static_cast<std::int64_t>(n) - law.first;
      const long double mass = at >= 0 && at < static_cast<std::int64_t>(law.mass.size())
                                   ? law.mass[static_cast<std::size_t>(at)]
                                   : 0;
      REQUIRE(mass == static_cast<long double>(counts[n]) / static_cast<long double>(period));
    }
  }
}

TEST_CASE("the distribution of a window is that of its flows") {
  const auto law = queue::law_of<long double>({{3, 2, ratio(1, 3)}, {2, 4, ratio(1, 5)}, {4, 6, 0}}, 2, 1000);
  // By hand: 2 Binomial(3, 1/3) + 4 Binomial(2, 1/5), in grains of 2.
  const std::vector<Fraction> three{Fraction(8, 27), Fraction(12, 27), Fraction(6, 27), Fraction(1, 27)},
      two{Fraction(16, 25), Fraction(8, 25), Fraction(1, 25)};
  REQUIRE(law.first == 0);
  REQUIRE(law.mass.size() == 8);
  for (std::size_t n = 0; n < 8; ++n) {
    Fraction sum(0);
    for (std::size_t j = 0; j < 3; ++j)
      if (2 * j <= n && n - 2 * j < 4) sum += two[j] * three[n - 2 * j];
    CHECK(std::abs(law.mass[n] / static_cast<long double>(sum) - 1) < law.units * 0x1p-64L);
  }
  const auto wide = queue::binomial_law<long double>(1'000'000, ratio(1, 3), 200);
  CHECK(wide.mass.size() < 20'000);
  CHECK(wide.dropped < 1e-58L);
  CHECK(std::abs(std::accumulate(wide.mass.begin(), wide.mass.end(), 0.0L) - 1) < 1e-13L);
}

TEST_CASE("independent flows: arguments out of range are rejected") {
  CHECK_THROWS_AS(FlowBounds({periodic(4, 4)}), Unstable);
  const FlowBounds bounds({sporadic(4, 5)});
  CHECK_THROWS_WITH(bounds.upper(-1), Catch::Contains("level is -1"));
  CHECK_THROWS_WITH(bounds.lower(-1), Catch::Contains("level is -1"));
  CHECK_THROWS_WITH(bounds.min_level(0), Catch::Contains("target"));
  CHECK(bounds.upper(4).value == 0);
}
