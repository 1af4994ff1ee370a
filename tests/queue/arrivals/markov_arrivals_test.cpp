#include <tailbound/core/error.hpp>
#include <tailbound/queue/arrivals/markov_arrivals.hpp>

#include <catch2/catch.hpp>
#include <tests/support/fraction.hpp>
#include <tests/support/markov_chain.hpp>

using namespace tailbound;
using namespace tailbound::test;
using Catch::Matchers::Contains;
using queue::MarkovArrivals;
using traffic::OnOff;

namespace {

queue::RationalBlocks blocks(const PlainBlocks<Fraction>& plain) {
  return to_rational(plain);
}

OnOff source(const Fraction& load, const Fraction& burst) {
  return traffic::on_off(to_rational(load), {to_rational(burst)});
}

}  // namespace

TEST_CASE("on-off arrivals: load and phases", "[queue][markov]") {
  const OnOff one = source(Fraction(1, 50), 4), other = source(Fraction(1, 20), 9);
  const MarkovArrivals both = MarkovArrivals::on_off({{one, 10}, {other, 4}});
  CHECK(fraction_of(both.load()) == Fraction(2, 5));
  CHECK(both.phases() == 55);
  // Always ON: no memory.
  const OnOff always{.load = to_rational(Fraction(1, 30)),
                     .on_rate = to_rational(Fraction(1, 30)),
                     .start = to_rational(Fraction(1, 2)),
                     .stop = 0};
  const MarkovArrivals mixed = MarkovArrivals::on_off({{one, 10}, {always, 9}});
  CHECK(mixed.phases() == 11);
  CHECK(fraction_of(mixed.load()) == Fraction(1, 2));
  // More phases than fit into 64 bits.
  const OnOff rare = source(Fraction(Whole(1), Whole(100'000'000)), 4);
  CHECK(
      MarkovArrivals::on_off({{rare, 1 << 20}, {rare, 1 << 20}, {rare, 1 << 20}, {rare, 1 << 20}}).phases() ==
      std::int64_t{1} << 62);
}

TEST_CASE("arrivals as blocks: load from the stationary distribution", "[queue][markov]") {
  // A source as its blocks, alone and two of them.
  const OnOff one = source(Fraction(3, 10), 5), two = source(Fraction(1, 10), Fraction(7, 2));
  CHECK(fraction_of(MarkovArrivals::blocks(blocks(product_blocks({one}))).load()) == Fraction(3, 10));
  const MarkovArrivals pair = MarkovArrivals::blocks(blocks(product_blocks({one, two})));
  CHECK(fraction_of(pair.load()) == Fraction(2, 5));
  CHECK(pair.phases() == 4);
  CHECK(fraction_of(MarkovArrivals::blocks(blocks(counted_blocks(two, 6))).load()) == Fraction(3, 5));
  // Trailing zero blocks are dropped.
  PlainBlocks<Fraction> longer = product_blocks({one});
  longer.push_back({{0, 0}, {0, 0}});
  const MarkovArrivals cut = MarkovArrivals::blocks(blocks(longer));
  CHECK(std::get<queue::RationalBlocks>(cut.form()).size() == 2);
}

namespace {

/// The stationary distribution by elimination without subtraction.
std::vector<Fraction> stationary(std::vector<std::vector<Fraction>> p) {
  for (std::size_t n = p.size(); n-- > 1;) {
    Fraction out = 0;
    for (std::size_t j = 0; j < n; ++j) out += p[n][j];
    for (std::size_t i = 0; i < n; ++i) {
      p[i][n] /= out;
      for (std::size_t j = 0; j < n; ++j) p[i][j] += p[i][n] * p[n][j];
    }
  }
  std::vector<Fraction> law{1};
  Fraction total = 1;
  for (std::size_t n = 1; n < p.size(); ++n) {
    Fraction mass = 0;
    for (std::size_t i = 0; i < n; ++i) mass += law[i] * p[i][n];
    law.push_back(mass);
    total += mass;
  }
  for (Fraction& mass : law) mass /= total;
  return law;
}

/// Two blocks of a random chain: some entries 0, denominators of up to `digits` digits.
PlainBlocks<Fraction> random_chain(Random& random, std::size_t phases, int digits) {
  PlainBlocks<Fraction> d(2, std::vector<std::vector<Fraction>>(phases, std::vector<Fraction>(phases, 0)));
  for (std::size_t i = 0; i < phases; ++i) {
    std::vector<Whole> parts(2 * phases, 0);
    Whole sum = 0;
    for (std::size_t k = 0; k < parts.size(); ++k) {
      const bool next = k == (i + 1) % phases;  // a cycle through all phases
      if (!next && random.one_in(3)) continue;
      for (int digit = 0; digit < digits; ++digit) parts[k] = parts[k] * 10 + random.between(0, 9);
      parts[k] += 1;
      sum += parts[k];
    }
    for (std::size_t k = 0; k < parts.size(); ++k) d[k / phases][i][k % phases] = Fraction(parts[k], sum);
  }
  return d;
}

}  // namespace

TEST_CASE("arrivals as blocks: two methods give the exact load", "[queue][markov][exact]") {
  Random random(20261122);
  for (int round = 0; round < 60; ++round) {
    const auto phases = static_cast<std::size_t>(random.between(1, 9));
    const auto d =
        random_chain(random, phases, static_cast<int>(random.between(1, round % 10 == 0 ? 30 : 3)));
    auto p = d[0];
    for (std::size_t i = 0; i < phases; ++i)
      for (std::size_t j = 0; j < phases; ++j) p[i][j] += d[1][i][j];
    const std::vector<Fraction> law = stationary(p);
    Fraction load = 0;
    for (std::size_t i = 0; i < phases; ++i)
      for (const Fraction& entry : d[1][i]) load += law[i] * entry;
    CHECK(fraction_of(MarkovArrivals::blocks(blocks(d)).load()) == load);
  }
  // 64 phases: six unequal sources, whose loads add up.
  std::vector<OnOff> sources;
  Fraction load = 0;
  for (int i = 0; i < 6; ++i) {
    sources.push_back(source(Fraction(Whole(1), Whole(8 + i)), 2 + i % 2));
    load += Fraction(Whole(1), Whole(8 + i));
  }
  const MarkovArrivals many = MarkovArrivals::blocks(blocks(product_blocks(sources)));
  CHECK(many.phases() == 64);
  CHECK(fraction_of(many.load()) == load);
}

TEST_CASE("on-off arrivals: impossible ones are rejected", "[queue][markov][errors]") {
  const OnOff good = source(Fraction(1, 50), 4);
  CHECK_THROWS_AS(MarkovArrivals::on_off({}), InvalidArgument);
  CHECK_THROWS_AS(MarkovArrivals::on_off({{good, 0}}), InvalidArgument);
  CHECK_THROWS_AS(MarkovArrivals::on_off({{good, (1 << 20) + 1}}), InvalidArgument);
  const auto with = [&](numeric::Rational OnOff::*field, const Fraction& value) {
    OnOff bad = good;
    bad.*field = to_rational(value);
    return std::vector<queue::OnOffGroup>{{bad, 1}};
  };
  CHECK_THROWS_WITH(MarkovArrivals::on_off(with(&OnOff::start, 0)), Contains("alpha is 0"));
  CHECK_THROWS_WITH(MarkovArrivals::on_off(with(&OnOff::start, 2)), Contains("alpha is 2"));
  CHECK_THROWS_WITH(MarkovArrivals::on_off(with(&OnOff::on_rate, Fraction(3, 2))),
                    Contains("on-rate is 3/2"));
  CHECK_THROWS_WITH(MarkovArrivals::on_off(with(&OnOff::stop, -1)), Contains("beta is -1"));
  CHECK_THROWS_WITH(MarkovArrivals::on_off(with(&OnOff::load, Fraction(1, 3))), Contains("load of a source"));
}

TEST_CASE("Markov arrivals: alternating sources are rejected", "[queue][markov][errors]") {
  // ON and OFF in every slot: two of them are in phase always or never.
  const OnOff alternating = source(Fraction(1, 2), 1), other = source(Fraction(1, 2), 2);
  CHECK_THROWS_WITH(MarkovArrivals::on_off({{alternating, 2}}), Contains("burst is 1 slot"));
  CHECK_THROWS_AS(MarkovArrivals::on_off({{alternating, 1}, {other, 3}, {alternating, 1}}), InvalidArgument);
  CHECK(fraction_of(MarkovArrivals::on_off({{alternating, 1}, {other, 3}}).load()) == 2);
}

TEST_CASE("arrivals as blocks: invalid blocks are rejected", "[queue][markov][errors]") {
  const auto rejected = [](const PlainBlocks<Fraction>& plain, const std::string& message) {
    CHECK_THROWS_AS(MarkovArrivals::blocks(blocks(plain)), InvalidArgument);
    CHECK_THROWS_WITH(MarkovArrivals::blocks(blocks(plain)), Contains(message));
  };
  const Fraction half(1, 2), third(1, 3);
  rejected({}, "blocks is an empty list");
  rejected({{}}, "phases is 0");
  rejected({{{half, half}}}, "row 1 of D_0");  // 1 x 2
  rejected({{{half, 0}, {0, half}}, {{half, 0}}}, "D_1 is 1 rows");
  rejected({{{half, 0}, {0}}, {{0, half}, {half, 0}}}, "row 2 of D_0");
  rejected({{{half, 0}, {0, half}}, {{0, third}, {half, 0}}}, "the sum of row 1");
  rejected({{{half, 0}, {0, half}}, {{0, half}, {half, third}}}, "the sum of row 2");
  rejected({{{half, -half}, {0, half}}, {{half, half}, {half, 0}}}, "an entry in row 1 of D_0 is -1/2");
  rejected({{{0, 0}, {0, half}}, {{0, Fraction(3, 2)}, {half, 0}}}, "an entry in row 1 of D_1 is 3/2");
  // Phase 3 is never left; phase 2 is never re-entered.
  rejected({{{half, 0, 0}, {half, 0, half}, {0, 0, half}}, {{half, 0, 0}, {0, 0, 0}, {0, 0, half}}},
           "phases 1 communicate with each other, but not with 2, 3");
  rejected({{{0, half, 0}, {half, 0, 0}, {0, half, 0}}, {{half, 0, 0}, {half, 0, 0}, {0, 0, half}}},
           "phases 1, 2 communicate with each other, but not with 3");
  PlainBlocks<Fraction> wide(
      1, std::vector<std::vector<Fraction>>(257, std::vector<Fraction>(257, Fraction(Whole(1), Whole(257)))));
  rejected(wide, "phases is 257");
  const PlainBlocks<Fraction> many(1025, {{Fraction(Whole(1), Whole(1025))}});
  CHECK_THROWS_AS(MarkovArrivals::blocks(blocks(many)), LimitExceeded);
  // More digits than the exact load with that many phases supports: 1/3 of each odd digit.
  Random random(3);
  CHECK_THROWS_WITH(MarkovArrivals::blocks(blocks(random_chain(random, 80, 40))),
                    Contains("too many for the exact load of 80 phases"));
}
