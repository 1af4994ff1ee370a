#include <tailbound/core/error.hpp>
#include <tailbound/queue/markov/markov_queue.hpp>
#include <tailbound/queue/slotted/slotted_queue.hpp>
#include <tailbound/queue/tail_bounds/burst_bound.hpp>

#include <catch2/catch.hpp>
#include <cmath>
#include <tests/support/ends.hpp>
#include <tests/support/fraction.hpp>
#include <tests/support/markov_chain.hpp>
#include <tests/support/random_models.hpp>
#include <tests/support/rational.hpp>
#include <tests/support/switch_inputs.hpp>

using namespace tailbound;
using namespace tailbound::test;
using queue::ExponentialBound;
using queue::MarkovArrivals;
using queue::MarkovQueue;
using queue::OnOffGroup;
using tailbound::test::rational;

namespace {

ExponentialBound bound_of(std::vector<OnOffGroup> groups) {
  const auto bound = queue::burst_bound(MarkovArrivals::on_off(std::move(groups)));
  REQUIRE(bound);
  return *bound;
}

/// Sources OFF, ON here or ON elsewhere, individually: 3^count phases, packets of the state in the slot.
PlainBlocks<long double> product_of_directed(const std::vector<OnOffGroup>& groups) {
  PlainBlocks<long double> all{{{1.0L}}};
  for (const OnOffGroup& group : groups) {
    const auto real = [](const numeric::Rational& value) { return numeric::nearest_long_double(value); };
    const long double start = real(group.source.start), stop = real(group.source.stop),
                      share = real(group.share), rate = real(group.source.on_rate);
    const long double moves[3][3] = {
        {1 - start, start * share, start * (1 - share)}, {stop, 1 - stop, 0}, {stop, 0, 1 - stop}};
    for (std::int64_t one = 0; one < group.count; ++one) {
      const std::size_t phases = all.front().size();
      PlainBlocks<long double> next(all.size() + 1, std::vector<std::vector<long double>>(
                                                        phases * 3, std::vector<long double>(phases * 3)));
      for (std::size_t b = 0; b < all.size(); ++b)
        for (std::size_t i = 0; i < phases; ++i)
          for (std::size_t j = 0; j < phases; ++j)
            for (std::size_t s = 0; s < 3; ++s)
              for (std::size_t t = 0; t < 3; ++t) {
                const long double sends = s == 1 ? rate : 0;
                next[b][i * 3 + s][j * 3 + t] += all[b][i][j] * moves[s][t] * (1 - sends);
                next[b + 1][i * 3 + s][j * 3 + t] += all[b][i][j] * moves[s][t] * sends;
              }
      all = std::move(next);
    }
  }
  return all;
}

/// Identical directed sources: the phase is the number ON here and the number ON elsewhere.
PlainBlocks<long double> counted_directed(const OnOffGroup& group) {
  const auto real = [](const numeric::Rational& value) { return numeric::nearest_long_double(value); };
  const auto binomial = [](std::int64_t n, std::int64_t k, long double p) {
    if (k < 0 || k > n) return 0.0L;
    long double value = 1;
    for (std::int64_t i = 0; i < k; ++i)
      value *= p * static_cast<long double>(n - i) / static_cast<long double>(i + 1);
    for (std::int64_t i = k; i < n; ++i) value *= 1 - p;
    return value;
  };
  std::vector<std::pair<std::int64_t, std::int64_t>> phases;
  for (std::int64_t here = 0; here <= group.count; ++here)
    for (std::int64_t there = 0; here + there <= group.count; ++there) phases.emplace_back(here, there);
  const std::size_t size = phases.size();
  PlainBlocks<long double> blocks(
      static_cast<std::size_t>(group.count) + 1,
      std::vector<std::vector<long double>>(size, std::vector<long double>(size)));
  for (std::size_t i = 0; i < size; ++i)
    for (std::size_t j = 0; j < size; ++j) {
      const auto [here, there] = phases[i];
      const auto [then_here, then_there] = phases[j];
      long double moves = 0;
      for (std::int64_t x = 0; x <= std::min(here, then_here); ++x)
        for (std::int64_t y = 0; y <= std::min(there, then_there); ++y) {
          const std::int64_t fresh = then_here - x + then_there - y;
          moves += binomial(here, x, 1 - real(group.source.stop)) *
                   binomial(there, y, 1 - real(group.source.stop)) *
                   binomial(group.count - here - there, fresh, real(group.source.start)) *
                   binomial(fresh, then_here - x, real(group.share));
        }
      for (std::int64_t b = 0; b <= here; ++b)
        blocks[static_cast<std::size_t>(b)][i][j] = moves * binomial(here, b, real(group.source.on_rate));
    }
  return blocks;
}

/// P(Q > n) of the chain truncated at a top level: slightly below the true value if the top is high.
std::vector<long double> tails(const PlainBlocks<long double>& blocks, std::int64_t top) {
  const auto law = chain_law(blocks, top);
  std::vector<long double> above(law.size());
  long double sum = 0;
  for (std::size_t n = law.size(); n-- > 0;) {
    above[n] = sum;
    for (const long double value : law[n]) sum += value;
  }
  return above;
}

/// Fraction of packets lost with a buffer of `capacity`.
long double plain_loss(const PlainBlocks<long double>& blocks, std::int64_t capacity) {
  const auto law = chain_law(blocks, capacity);
  long double lost = 0, offered = 0;
  for (std::int64_t n = 0; n <= capacity; ++n)
    for (std::size_t i = 0; i < blocks.front().size(); ++i)
      for (std::size_t b = 0; b < blocks.size(); ++b)
        for (const long double entry : blocks[b][i]) {
          const long double rate = law[static_cast<std::size_t>(n)][i] * entry;
          const auto packets = static_cast<std::int64_t>(b);
          offered += rate * static_cast<long double>(packets);
          lost += rate * static_cast<long double>(std::max<std::int64_t>(
                             std::max<std::int64_t>(n - 1, 0) + packets - capacity, 0));
        }
  return lost / offered;
}

template <class Unit>
long double value(const numeric::UpperBound<Unit>& bound) {
  return static_cast<long double>(bound.value);
}

long double lower_end(const queue::ProbabilityClaim& claim) {
  if (const auto* exact = std::get_if<numeric::Exact<unit::Probability>>(&claim))
    return numeric::nearest_long_double(exact->value);
  REQUIRE(std::holds_alternative<numeric::Enclosure<unit::Probability>>(claim));
  return static_cast<long double>(std::get<numeric::Enclosure<unit::Probability>>(claim).lower());
}

queue::SourceBound closest_of(const MarkovArrivals& arrivals) {
  auto bound = queue::source_bound(arrivals);
  REQUIRE(bound);
  return std::move(*bound);
}

}  // namespace

TEST_CASE("burst bound, per-burst destinations: values from an independent chain", "[queue][burst_bound]") {
  // P(Q > 526) of 4 inputs, load 0.6, mean burst 16, and the bound 1.44 times as much.
  const ExponentialBound four = bound_of({switch_inputs(4, "0.6", "16")});
  CHECK(near(static_cast<long double>(four.decay_rate().value), 0.0373353956L, 1e-8L));
  CHECK(near(value(four.tail(526)) / 9.8090758745e-10L, 1.43876L, 1e-4L));
  CHECK(near(value(four.tail(525)) / 1.0182224076e-9L, 1.43876L, 1e-4L));
  CHECK(four.min_level(rational("1e-9")) == 536);

  struct Case {
    OnOffGroup group;
    std::int64_t top;
    std::vector<std::pair<std::int64_t, long double>> ratios;
  };
  const Case cases[] = {{switch_inputs(4, "0.8", "4"), 300, {{5, 1.1867L}, {50, 1.2099L}}},
                        {switch_inputs(6, "0.5", "8"), 260, {{5, 1.39533L}, {50, 1.82728L}}}};
  for (const auto& [group, top, ratios] : cases) {
    const ExponentialBound bound = bound_of({group});
    const std::vector<long double> truth = tails(counted_directed(group), top);
    for (const auto& [level, ratio] : ratios) {
      const long double found = value(bound.tail(level)) / truth[static_cast<std::size_t>(level)];
      INFO(level << " " << found);
      CHECK(near(found, ratio, 1e-4L));
    }
  }
}

TEST_CASE("burst bound: weights of a silent source slot by slot", "[queue][burst_bound]") {
  // The prefactor (8) with the minimum mean of v, found by following the conditional distribution of a source
  // for 20 000 slots without a packet: from the stationary distribution, and from a slot with one.
  struct Case {
    OnOffGroup group;
    bool alone;
  };
  const traffic::OnOff per_packet = traffic::on_off(rational("0.0375"), {rational("64"), rational("1/16")});
  for (const auto& [group, alone] : {Case{switch_inputs(4, "0.6", "16"), false},
                                     {switch_inputs(16, "0.1", "4"), false},
                                     {switch_inputs(6, "0.5", "2"), false},
                                     {switch_inputs(8, "0.4", "16", "1/2"), false},
                                     {{.source = per_packet, .count = 16}, true}}) {
    const auto real = [](const numeric::Rational& one) { return numeric::nearest_long_double(one); };
    const long double a = real(group.source.start), b = real(group.source.stop),
                      r = real(group.source.on_rate), s = real(group.share),
                      m = static_cast<long double>(group.count);
    const ExponentialBound bound = bound_of({group});
    const long double z = std::exp(static_cast<long double>(bound.decay_rate().value)),
                      w = std::pow(z, 1 / m), y = 1 - r + r * z, own = b / (w - (1 - b) * y),
                      other = b / (w - (1 - b)), on = a / (a + b);
    long double minimum = 1e9L;
    for (const bool sent : {false, true}) {
      // OFF, here, elsewhere.
      long double off = sent ? 0 : 1 - on, here = sent ? 1 : s * on, away = sent ? 0 : (1 - s) * on;
      for (int slot = 0; slot < 20'000; ++slot) {
        const long double then_off = off * (1 - a) + (here + away) * b,
                          then_here = (off * a * s + here * (1 - b)) * (1 - r),
                          then_away = off * a * (1 - s) + away * (1 - b),
                          all = then_off + then_here + then_away;
        off = then_off / all, here = then_here / all, away = then_away / all;
        // For a source that may be elsewhere the sharper half of the proof excludes that it is here.
        const long double mean =
            alone || r == 1 ? off + here * own + away * other : (off + away * other) / (off + away);
        minimum = std::min(minimum, mean);
      }
    }
    const long double mean = 1 - on + s * on * own + (1 - s) * on * other;
    const long double prefactor = std::pow(mean, m) / (own * own * std::pow(minimum, m - 2));
    INFO(group.count << " sources, on-rate " << r << ": " << value(bound.prefactor()) << " " << prefactor);
    CHECK(value(bound.prefactor()) >= prefactor * (1 - 1e-6L));
    CHECK(near(value(bound.prefactor()), prefactor, alone || r == 1 ? 1e-6L : 0.1L));
  }
}

TEST_CASE("burst bound: per-burst destinations stay below the bound", "[queue][burst_bound][random]") {
  Random random(71);
  for (int i = 0; i < 700; ++i) {
    const std::int64_t count = random.between(2, 3);
    const Fraction load(Whole(random.between(5, 90)), Whole(100));
    const Fraction rate =
        random.one_in(2) ? Fraction(1) : Fraction(Whole(random.between(20, 99)), Whole(100));
    const Fraction burst(Whole(random.between_magnitudes(100, 1500)), Whole(100));
    // A share of its own: these sources need not make up a switch.
    const Fraction share(Whole(random.between(1, 11)), Whole(12));
    if (load >= rate || burst < std::max(Fraction(1), Fraction(load / (rate - load))) ||
        load * share * count >= 1)
      continue;
    const OnOffGroup group{
        .source = traffic::on_off(to_rational(load), {to_rational(burst), to_rational(rate)}),
        .count = count,
        .share = to_rational(share)};
    INFO(count << " sources of load " << load << ", burst " << burst << ", on-rate " << rate << ", share "
               << share);
    queue::SourceBound bound = closest_of(MarkovArrivals::on_off(std::vector<OnOffGroup>{group}));
    const PlainBlocks<long double> blocks = counted_directed(group);
    const std::vector<long double> truth = tails(blocks, 30);
    // The closer bound takes longer.
    const bool closest = i % 5 == 0;
    for (std::int64_t n = 30; n-- > 0;)
      CHECK(value(closest ? bound.tail(n) : bound.exponential().tail(n)) >=
            truth[static_cast<std::size_t>(n)] * (1 - 1e-12L));
    for (const std::int64_t capacity : {7, 2, 1})
      CHECK(value(closest ? bound.loss(capacity) : bound.exponential().loss(capacity)) >=
            plain_loss(blocks, capacity) * (1 - 1e-12L));
  }
}

TEST_CASE("burst bound: on-off sources stay below the bound", "[queue][burst_bound][random]") {
  Random random(72);
  for (int i = 0; i < 400; ++i) {
    const MarkovModel model = random_on_off(random);
    INFO(model.text);
    queue::SourceBound bound = closest_of(model.arrivals);
    const std::vector<long double> truth = tails(convert<long double>(model.blocks), 24);
    const bool closest = i % 8 == 0;
    for (auto n = static_cast<std::int64_t>(truth.size()); n-- > 0;)
      CHECK(value(closest ? bound.tail(n) : bound.exponential().tail(n)) >=
            truth[static_cast<std::size_t>(n)] * (1 - 1e-12L));
    if (i % 4 == 0)
      for (const std::int64_t capacity : {16, 4, 1})
        CHECK(value(closest ? bound.loss(capacity) : bound.exponential().loss(capacity)) >=
              plain_loss(convert<long double>(model.blocks), capacity) * (1 - 1e-12L));
  }
}

namespace {
void check_deep_tails(int models) {
  Random random(74);
  for (int i = 0; i < models; ++i) {
    const MarkovModel model = random_on_off(random);
    INFO(model.text);
    queue::SourceBound bound = closest_of(model.arrivals);
    MarkovQueue queue(model.arrivals, {4});
    for (const std::int64_t level : {100, 20, 5, 1, 0})
      CHECK(value(bound.tail(level)) >= lower_end(queue.tail(level)));
    const auto mean = queue.mean_occupancy();
    if (const auto* enclosure = std::get_if<numeric::Enclosure<unit::Packet>>(&mean))
      CHECK(bound.exponential().mean_occupancy().value >= enclosure->lower());
  }
}
}  // namespace

TEST_CASE("burst bound: enclosures of deep tails lie below it", "[queue][burst_bound][random]") {
  check_deep_tails(12);
}
TEST_CASE("burst bound: enclosures of deep tails lie below it, more models",
          "[.full][queue][burst_bound][random]") {
  check_deep_tails(60);
}

TEST_CASE("burst bound: mixed groups stay below the bound", "[queue][burst_bound][random]") {
  Random random(73);
  for (int i = 0; i < 60; ++i) {
    std::vector<OnOffGroup> groups;
    for (int g = 0; g < 2; ++g) {
      const Fraction load(Whole(random.between(5, 60)), Whole(100));
      const Fraction burst(Whole(random.between_magnitudes(150, 900)), Whole(100));
      const Fraction share = random.one_in(3) ? Fraction(1) : Fraction(Whole(random.between(1, 5)), Whole(6));
      groups.push_back({.source = traffic::on_off(to_rational(load), {to_rational(burst)}),
                        .count = g == 0 ? random.between(1, 2) : 1,
                        .share = to_rational(share)});
    }
    const MarkovArrivals arrivals = MarkovArrivals::on_off(groups);
    if (arrivals.load() >= 1) continue;
    queue::SourceBound bound = closest_of(arrivals);
    const PlainBlocks<long double> blocks = product_of_directed(groups);
    const std::vector<long double> truth = tails(blocks, 20);
    for (std::size_t n = 20; n-- > 0;)
      CHECK(value(bound.tail(static_cast<std::int64_t>(n))) >= truth[n] * (1 - 1e-12L));
    CHECK(value(bound.loss(6)) >= plain_loss(blocks, 6) * (1 - 1e-12L));
  }
  // Groups of one kind are merged.
  const OnOffGroup whole = switch_inputs(4, "0.7", "9");
  OnOffGroup half = whole;
  half.count = 2;
  const ExponentialBound one = bound_of({whole}), two = bound_of({half, half});
  CHECK(near(value(one.tail(100)), value(two.tail(100)), 1e-12L));
  CHECK(near(value(one.loss(100)), value(two.loss(100)), 1e-12L));
}

TEST_CASE("burst bound: independent slots have Kingman's prefactor", "[queue][burst_bound]") {
  // alpha + beta = 1: v is constant, and G = 1.
  const traffic::OnOff source{
      .load = rational("0.15"), .on_rate = 1, .start = rational("0.15"), .stop = rational("0.85")};
  const ExponentialBound bound = bound_of({{.source = source, .count = 6}});
  CHECK(near(static_cast<long double>(bound.prefactor().value), 1, 1e-15L));
  const auto exact = queue::decay_rate({series::Arrivals::equal_inputs(6, rational("0.9"))}, {12});
  REQUIRE(exact);
  CHECK(near(static_cast<long double>(bound.decay_rate().value), static_cast<long double>(exact->lower()),
             1e-11L));
}

TEST_CASE("burst bound: very many sources, and loads close to 1", "[queue][burst_bound]") {
  // With more inputs of a switch more bursts meet at an output, with decreasing increments.
  long double before = 0;
  for (const std::int64_t inputs : {4, 16, 64, 1024, 1 << 20}) {
    const ExponentialBound bound = bound_of({switch_inputs(inputs, "0.6", "16")});
    CHECK(value(bound.tail(200)) > before);
    before = value(bound.tail(200));
    const std::int64_t level = bound.min_level(rational("1e-12"));
    CHECK(value(bound.tail(level)) <= 1e-12L);
    CHECK(value(bound.tail(level - 1)) > 1e-12L);
    const std::int64_t capacity = bound.min_capacity(rational("1e-12"));
    CHECK(value(bound.loss(capacity)) <= 1e-12L);
    CHECK(value(bound.loss(capacity - 1)) > 1e-12L);
  }
  const ExponentialBound full = bound_of({switch_inputs(8, "0.999999", "1e6")});
  CHECK(full.decay_rate().value > 0);
  CHECK(value(full.tail(full.min_level(rational("1e-30")))) <= 1e-30L);
}

TEST_CASE("burst bound: queues with no or few waiting packets", "[queue][burst_bound]") {
  // One source sends at most one packet per slot.
  const ExponentialBound one = bound_of({switch_inputs(1, "0.6", "16")});
  CHECK(value(one.tail(1)) == 0);
  CHECK(value(one.loss(1)) == 0);
  CHECK(value(one.loss(0)) == 1);
  CHECK(value(one.tail(0)) >= 0.6L);
  CHECK(one.min_level(rational("0.6")) == 0);
  CHECK(one.min_level(rational("0.5")) == 1);
  // Two that are never ON in successive slots: at most two packets, followed by two slots of time.
  const ExponentialBound two = bound_of({{.source = traffic::on_off(rational("0.3"), {1}), .count = 2}});
  CHECK(value(two.tail(2)) < 1e-300L);
  CHECK(value(two.tail(1)) >= 0.09L);
  CHECK(value(two.tail(1)) < 0.22L);
  // One always ON, one not.
  const traffic::OnOff always{
      .load = rational("0.3"), .on_rate = rational("0.3"), .start = rational("0.5"), .stop = 0};
  const ExponentialBound mixed = bound_of({{.source = always}, switch_inputs(2, "0.5", "4")});
  CHECK(value(mixed.tail(40)) < value(mixed.tail(20)));
  CHECK_FALSE(queue::burst_bound(MarkovArrivals::blocks({{{rational("0.5")}}, {{rational("0.5")}}})));
}

TEST_CASE("burst bound: invalid arguments are rejected", "[queue][burst_bound][errors]") {
  CHECK_THROWS_AS(queue::burst_bound(
                      MarkovArrivals::on_off({switch_inputs(4, "0.9", "16"), switch_inputs(4, "0.1", "2")})),
                  Unstable);
  CHECK_THROWS_AS(queue::burst_bound(MarkovArrivals::on_off({switch_inputs(4, "0.9", "16")}), {0}),
                  InvalidArgument);
  const ExponentialBound bound = bound_of({switch_inputs(4, "0.6", "16")});
  CHECK_THROWS_AS(bound.tail(-1), InvalidArgument);
  CHECK_THROWS_AS(bound.loss(-1), InvalidArgument);
  CHECK_THROWS_AS(bound.min_level(0), InvalidArgument);
  CHECK_THROWS_AS(bound.min_capacity(1), InvalidArgument);
}
