#include <tailbound/core/error.hpp>
#include <tailbound/numeric/rational.hpp>
#include <tailbound/queue/flows/periodic_flows.hpp>

#include <algorithm>
#include <catch2/catch.hpp>
#include <random>
#include <tests/support/ends.hpp>
#include <tests/support/flow_groups.hpp>
#include <tests/support/fraction.hpp>
#include <vector>

using namespace tailbound;
using namespace tailbound::test;
using queue::FlowGroup;
using queue::periodic_ever_bound;
using queue::periodic_ever_exact;
using queue::periodic_tail;
using queue::periodic_tail_exact;

namespace {

long double tail_value(const std::vector<FlowGroup>& flows, std::int64_t level) {
  return ends(numeric::to_claim(periodic_tail(flows, level).probability)).middle();
}
Fraction exact_tail(const std::vector<FlowGroup>& flows, std::int64_t level) {
  return fraction_of(periodic_tail_exact(flows, level).value);
}
Fraction exact_ever(const std::vector<FlowGroup>& flows, std::int64_t level) {
  return fraction_of(periodic_ever_exact(flows, level).value);
}

/// All phases enumerated: how often more than 0, 1, .. packets wait, or are ever reached.
struct AllPhases {
  std::vector<Fraction> above, ever;

  AllPhases(const std::vector<std::int64_t>& batches, std::int64_t period, std::size_t levels)
      : above(levels, Fraction(0)), ever(levels, Fraction(0)) {
    const auto slots = static_cast<std::size_t>(period);
    std::vector<std::size_t> phases(batches.size(), 0);
    std::int64_t all = 0;
    std::vector<std::int64_t> slots_above(levels, 0), ever_above(levels, 0);
    for (bool more = true; more; ++all) {
      std::vector<std::int64_t> sent(slots, 0);
      for (std::size_t i = 0; i < batches.size(); ++i) sent[phases[i]] += batches[i];
      std::int64_t waiting = 0, maximum = 0;
      for (int round = 0; round < 2; ++round) {  // once to settle
        for (std::size_t slot = 0; slot < slots; ++slot) {
          waiting = std::max<std::int64_t>(waiting - 1, 0) + sent[slot];
          if (round == 0) continue;
          maximum = std::max(maximum, waiting);
          for (std::size_t q = 0; q < levels && static_cast<std::int64_t>(q) < waiting; ++q) ++slots_above[q];
        }
      }
      for (std::size_t q = 0; q < levels && static_cast<std::int64_t>(q) < maximum; ++q) ++ever_above[q];
      more = false;
      for (std::size_t& phase : phases) {
        if (++phase < slots) {
          more = true;
          break;
        }
        phase = 0;
      }
    }
    for (std::size_t q = 0; q < levels; ++q) {
      above[q] = Fraction(slots_above[q]) / Fraction(all * period);
      ever[q] = Fraction(ever_above[q]) / Fraction(all);
    }
  }
};

}  // namespace

TEST_CASE("periodic flows: tails match known fractions") {
  CHECK(exact_tail({periodic(3, 5)}, 0) == Fraction(3, 5));
  CHECK(exact_tail({periodic(3, 5)}, 1) == Fraction(17, 125));
  CHECK(exact_tail({periodic(3, 5)}, 2) == Fraction(1, 125));
  CHECK(exact_tail({periodic(3, 5)}, 3) == 0);
  CHECK(exact_ever({periodic(3, 5)}, 1) == Fraction(13, 25));
  CHECK(exact_ever({periodic(3, 5)}, 2) == Fraction(1, 25));
  CHECK(exact_tail({periodic(5, 7)}, 2) == Fraction(803, 16807));
  CHECK(exact_ever({periodic(5, 7)}, 2) == Fraction(571, 2401));
  CHECK(exact_tail({periodic(3, 8, 2)}, 3) == Fraction(21, 256));
  CHECK(exact_ever({periodic(3, 8, 2)}, 3) == Fraction(7, 16));
  CHECK(exact_tail({periodic(2, 9, 3)}, 2) == Fraction(26, 81));
  CHECK(exact_ever({periodic(2, 9, 3)}, 4) == Fraction(1, 3));
}

TEST_CASE("periodic flows: known tails of many flows") {
  CHECK(near(tail_value({periodic(100, 125)}, 10), 1.91580485798814e-3L, 1e-14L));
  CHECK(near(tail_value({periodic(100, 125)}, 24), 8.07105018422809e-10L, 1e-14L));
  CHECK(near(tail_value({periodic(100, 125)}, 25), 2.12238093517603e-10L, 1e-14L));
  CHECK(near(tail_value({periodic(800, 1000)}, 40), 8.37334248765116e-10L, 1e-14L));
  CHECK(near(tail_value({periodic(50, 1600, 16)}, 200), 9.8093575936084e-10L, 1e-13L));
  CHECK(near(tail_value({periodic(100, 2000, 16)}, 382), 9.51114636921784e-10L, 1e-14L));
}

TEST_CASE("periodic flows: known probabilities of ever exceeding a level") {
  const auto bound = [](const std::vector<FlowGroup>& flows, std::int64_t level) {
    return static_cast<long double>(periodic_ever_bound(flows, level).value);
  };
  CHECK(near(static_cast<long double>(exact_ever({periodic(10, 12)}, 5)), 8.59701013877577e-3L, 1e-14L));
  CHECK(near(static_cast<long double>(exact_ever({periodic(20, 25)}, 11)), 9.15846085494822e-7L, 1e-14L));
  CHECK(near(bound({periodic(10, 12)}, 5), 8.75131e-3L, 1e-6L));
  CHECK(near(bound({periodic(20, 25)}, 11), 9.28368e-7L, 1e-6L));
  // 3.839e-8 exactly.
  CHECK(bound({periodic(100, 125)}, 24) > 3.839e-8L);
  CHECK(bound({periodic(100, 125)}, 24) < 1.25L * 3.839e-8L);
  const auto boundary = queue::periodic_ever_level({periodic(20, 25)}, rational("1e-6"));
  CHECK(boundary.level == 11);
  CHECK(queue::periodic_ever_level({periodic(100, 125)}, rational("1e-9")).level == 27);
}

TEST_CASE("periodic flows: known minimum buffers") {
  struct Row {
    FlowGroup flows;
    std::int64_t level;
  };
  for (const Row& row :
       {Row{periodic(20, 25), 13}, Row{periodic(100, 125), 24}, Row{periodic(100, 110), 29},
        Row{periodic(800, 1000), 40}, Row{periodic(900, 1000), 62}, Row{periodic(950, 1000), 79},
        Row{periodic(100, 500, 4), 96}, Row{periodic(100, 2000, 16), 382}, Row{periodic(500, 2500, 4), 147},
        Row{periodic(50, 1600, 16), 200}, Row{periodic(500, 4000, 4), 63}}) {
    INFO(row.flows.count << " flows, period " << row.flows.period);
    const auto minimum = queue::periodic_min_level({row.flows}, rational("1e-9"));
    CHECK(minimum.level.value == row.level);
    CHECK(numeric::surely_at_most(minimum.at.probability, rational("1e-9")));
    REQUIRE(minimum.before.size() == 1);
    CHECK(minimum.before.front().level.value == row.level - 1);
    CHECK(numeric::surely_above(minimum.before.front().probability, rational("1e-9")));
  }
  CHECK(queue::periodic_min_level({periodic(3, 5)}, ratio(17, 125)).level.value == 1);
  CHECK(queue::periodic_min_level({periodic(3, 5)}, ratio(16, 125)).level.value == 2);
  CHECK(queue::periodic_min_level({periodic(3, 5)}, rational("1e-9")).level.value == 3);
}

TEST_CASE("periodic flows: tails match enumeration of all phases") {
  std::mt19937 random(3);
  const auto pick = [&](int low, int high) { return std::uniform_int_distribution<int>(low, high)(random); };
  int compared = 0, full = 0;
  while (compared < 2000) {
    const std::int64_t period = pick(2, 7);
    std::vector<std::int64_t> batches(static_cast<std::size_t>(pick(1, 4)));
    std::int64_t packets = 0;
    std::vector<FlowGroup> flows;
    for (std::int64_t& batch : batches) {
      packets += batch = pick(1, 3);
      flows.push_back(periodic(1, period, batch));
    }
    if (packets >= period) continue;
    ++compared;
    if (packets == period - 1) ++full;
    const AllPhases tried(batches, period, static_cast<std::size_t>(packets) + 1);
    for (std::int64_t q = 0; q <= packets; ++q) {
      INFO(batches.size() << " flows, period " << period << ", " << packets << " packets, level " << q);
      const Fraction above = tried.above[static_cast<std::size_t>(q)],
                     ever = tried.ever[static_cast<std::size_t>(q)];
      REQUIRE(exact_tail(flows, q) == above);
      REQUIRE(exact_ever(flows, q) == ever);
      for (const int digits : {10, 30}) {
        const Ends found = ends(numeric::to_claim(periodic_tail(flows, q, {digits}).probability));
        REQUIRE(found.contains(above));
        REQUIRE(found.narrow(digits));
      }
      REQUIRE(fraction_of(periodic_ever_bound(flows, q).value) >= ever);
    }
  }
  CHECK(full > 10);
}

TEST_CASE("periodic flows: both methods agree") {
  std::mt19937 random(4);
  const auto pick = [&](int low, int high) { return std::uniform_int_distribution<int>(low, high)(random); };
  for (int round = 0; round < 40; ++round) {
    std::vector<FlowGroup> flows;
    std::int64_t packets = 0;
    for (int i = pick(1, 3); i > 0; --i) {
      flows.push_back(periodic(pick(1, 12), 0, pick(1, 5)));
      packets += flows.back().count * flows.back().batch;
    }
    for (FlowGroup& group : flows) group.period = packets + 1 + round * 3;
    const std::int64_t level = pick(0, static_cast<int>(packets) / 2);
    const Fraction exact = exact_tail(flows, level);
    for (const int digits : {12, 40}) {
      const Ends found = ends(numeric::to_claim(periodic_tail(flows, level, {digits}).probability));
      CHECK(found.contains(exact));
      CHECK(found.narrow(digits));
    }
  }
  // Identical groups are merged.
  CHECK(tail_value({periodic(30, 125), periodic(70, 125)}, 24) == tail_value({periodic(100, 125)}, 24));
}

TEST_CASE("periodic flows: deep levels and many flows") {
  const Ends deep = ends(numeric::to_claim(periodic_tail({periodic(100, 125)}, 99, {50}).probability));
  CHECK(deep.contains(exact_tail({periodic(100, 125)}, 99)));
  CHECK(deep.narrow(50));
  const Ends mixed =
      ends(numeric::to_claim(periodic_tail({periodic(40, 130), periodic(20, 130, 3)}, 90).probability));
  CHECK(mixed.contains(exact_tail({periodic(40, 130), periodic(20, 130, 3)}, 90)));
  CHECK(tail_value({periodic(900, 1000)}, 898) > 0);
  CHECK(tail_value({periodic(900, 1000)}, 900) == 0);
}

TEST_CASE("periodic flows: arguments out of range are rejected") {
  CHECK_THROWS_WITH(periodic_tail({periodic(3, 5)}, -1), Catch::Contains("level is -1"));
  CHECK_THROWS_WITH(periodic_tail({periodic(3, 5)}, 1, {0}), Catch::Contains("digits"));
  CHECK_THROWS_WITH(periodic_tail({periodic(1, 5), periodic(1, 7)}, 1), Catch::Contains("period is 7"));
  CHECK_THROWS_WITH(periodic_tail({sporadic(1, 5)}, 1), Catch::Contains("periodic"));
  CHECK_THROWS_AS(periodic_tail({periodic(5, 5)}, 1), Unstable);
  CHECK_THROWS_AS(periodic_tail_exact({periodic(100'000, 200'000)}, 1), LimitExceeded);
  CHECK_THROWS_AS(periodic_ever_exact({periodic(1000, 2000)}, 50), LimitExceeded);
  CHECK_THROWS_WITH(queue::periodic_min_level({periodic(3, 5)}, 1), Catch::Contains("target"));
}
