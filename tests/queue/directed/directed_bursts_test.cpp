#include <tailbound/core/error.hpp>
#include <tailbound/queue/delay/markov_delay.hpp>
#include <tailbound/queue/directed/directed_engine.hpp>
#include <tailbound/queue/directed/directed_modes.hpp>
#include <tailbound/queue/markov/markov_queue.hpp>

#include <catch2/catch.hpp>
#include <cmath>
#include <tests/support/ends.hpp>
#include <tests/support/finite_chain.hpp>
#include <tests/support/fraction.hpp>
#include <tests/support/markov_chain.hpp>
#include <tests/support/random_models.hpp>
#include <tests/support/rational.hpp>
#include <tests/support/switch_inputs.hpp>

using namespace tailbound;
using namespace tailbound::test;
using queue::MarkovArrivals;
using queue::MarkovQueue;
using queue::OnOffGroup;
using tailbound::test::rational;

namespace {}  // namespace

TEST_CASE("bursts to one output: 4 inputs, load 0.6, bursts of 16", "[queue][directed][reference]") {
  // From a chain solved by an independent program.
  MarkovQueue queue(MarkovArrivals::on_off({switch_inputs(4, "0.6", "16")}));
  REQUIRE(queue.certified());
  CHECK(queue.arrivals().phases() == 15);
  CHECK(queue.min_level(rational("1e-9")) == 526);
  CHECK(apart(ends(queue.tail(525)).middle(), 1.0182224076e-9L) < 1e-10);
  CHECK(apart(ends(queue.tail(526)).middle(), 9.8090758745e-10L) < 1e-10);
  CHECK(apart(ends(queue.mean_occupancy()).middle(), 10.185106306L) < 1e-10);
  // Deep in the tail each further packet divides by the same number.
  const auto decay = queue.decay_rate();
  REQUIRE(decay);
  const long double ratio = ends(queue.tail(2000)).middle() / ends(queue.tail(2001)).middle();
  CHECK(apart(std::log(ratio), static_cast<long double>(decay->lower())) < 1e-9);
}

TEST_CASE("bursts to one output: equal to their blocks", "[queue][directed][exact]") {
  Random random(71);
  for (int i = 0; i < 24; ++i) {
    // On-rates below 1 use block matrices, on-rate 1 passages that end in silent slots.
    OnOffGroup group = random_group(random, i % 4 != 3, {.sources = i % 4 == 3 ? 3 : 5, .burst = 1500});
    if (i == 0) group = switch_inputs(4, "0.4", "1");  // every burst lasts one slot
    if (i == 1) group = switch_inputs(4, "0.6", "2");  // alpha + beta above 1
    MarkovQueue queue(MarkovArrivals::on_off({group}));
    MarkovQueue other(MarkovArrivals::blocks(to_rational(lumped_blocks({group}))));
    INFO(text(group));
    CHECK(queue.arrivals().load() == other.arrivals().load());
    CHECK(queue.arrivals().phases() == other.arrivals().phases());
    for (const std::int64_t level :
         {std::int64_t{0}, std::int64_t{1}, std::int64_t{2}, random.between(3, 9), random.between(10, 100)}) {
      const Ends one = ends(queue.tail(level)), two = ends(other.tail(level));
      INFO("level " << level << " " << one.text() << " " << two.text());
      CHECK(one.meets(two));
      CHECK(one.narrow(10));
      const Ends mass = ends(queue.probability(level));
      CHECK(mass.meets(ends(other.probability(level))));
      CHECK(mass.narrow(10));
    }
    const Ends mean = ends(queue.mean_occupancy());
    CHECK(mean.meets(ends(other.mean_occupancy())));
    CHECK(mean.narrow(10));
    const std::int64_t capacity = random.between(1, 12);
    CHECK(ends(queue.loss(capacity)).meets(ends(other.loss(capacity))));
    CHECK(ends(queue.loss(capacity)).narrow(10));
  }
}

TEST_CASE("bursts to one output: two inputs with bursts of one slot", "[queue][directed][exact]") {
  // Two packets arrive when both silent inputs draw this output; neither sends in the next slot.
  const OnOffGroup group = switch_inputs(2, "0.25", "1");
  MarkovQueue queue(MarkovArrivals::on_off({group}));
  CHECK(ends(queue.tail(0)).contains(Fraction(1, 4)));
  CHECK(ends(queue.tail(1)).contains(Fraction(1, 64)));
  CHECK(ends(queue.tail(1)).narrow(10));
  CHECK(ends(queue.tail(2)).upper == 0);
  CHECK(queue.min_level(rational("1e-6")) == 2);
}

TEST_CASE("bursts to one output: long chains solved state by state", "[queue][directed][chain]") {
  Random random(72);
  for (int i = 0; i < 30; ++i) {
    const OnOffGroup group = random_group(random, i % 3 != 2, {.sources = 3, .burst = 1500});
    if (fraction_of(MarkovArrivals::on_off({group}).load()) > Fraction(6, 10)) continue;
    const auto law = chain_law(convert<long double>(lumped_blocks({group})), 400);
    MarkovQueue queue(MarkovArrivals::on_off({group}), {8});
    INFO(text(group));
    long double last = 0;
    for (const long double value : law.back()) last += value;
    if (last > 1e-20L) continue;
    for (const std::size_t n : {0U, 1U, 2U, 5U, 20U}) {
      long double mass = 0;
      for (const long double value : law[n]) mass += value;
      if (mass < 1e-10L) continue;
      CHECK(apart(ends(queue.probability(static_cast<std::int64_t>(n))).middle(), mass) < 1e-9);
    }
  }
}

TEST_CASE("bursts to one output: losses, exactly", "[queue][directed][exact]") {
  Random random(73);
  for (int i = 0; i < 12; ++i) {
    const OnOffGroup group = random_group(random, i % 3 != 2, {.sources = 2, .burst = 1500});
    const auto blocks = lumped_blocks({group});
    INFO(text(group));
    for (const int digits : {10, 25}) {
      MarkovQueue queue(MarkovArrivals::on_off({group}), {digits});
      for (const std::int64_t capacity : {1, 2, 3}) {
        const Ends loss = ends(queue.loss(capacity));
        CHECK(loss.contains(chain_loss(blocks, capacity)));
        CHECK(loss.narrow(digits));
      }
    }
  }
}

TEST_CASE("bursts to one output together with other sources", "[queue][directed][exact]") {
  const OnOffGroup one = switch_inputs(2, "0.3", "3"),
                   other{traffic::on_off(rational("1/10"), {rational("4"), 1}), 2, 1},
                   slow{traffic::on_off(rational("1/5"), {rational("2"), rational("1/2")}), 1,
                        rational("2/3")};
  for (const std::vector<OnOffGroup>& groups :
       {std::vector{one, other}, std::vector{other, slow}, std::vector{slow, switch_inputs(1, "0.2", "5")}}) {
    MarkovQueue queue(MarkovArrivals::on_off(groups));
    MarkovQueue blocks(MarkovArrivals::blocks(to_rational(lumped_blocks(groups))));
    CHECK(queue.arrivals().load() == blocks.arrivals().load());
    for (const std::int64_t level : {0, 1, 2, 7, 30}) {
      CHECK(ends(queue.tail(level)).meets(ends(blocks.tail(level))));
      CHECK(ends(queue.tail(level)).narrow(10));
    }
    CHECK(ends(queue.mean_occupancy()).meets(ends(blocks.mean_occupancy())));
    const auto decay = queue.decay_rate();
    REQUIRE(decay);
    const long double ratio = ends(blocks.tail(400)).middle() / ends(blocks.tail(401)).middle();
    CHECK(apart(std::log(ratio), static_cast<long double>(decay->lower())) < 1e-6);
  }
}

TEST_CASE("all bursts to one output are ordinary sources", "[queue][directed][limit]") {
  for (const std::int64_t count : {2, 5}) {
    const traffic::OnOff source =
        traffic::on_off(rational("0.7") / numeric::Rational(static_cast<long>(count)), {rational("12"), 1});
    MarkovQueue ordinary(MarkovArrivals::on_off({{source, count, 1}}));
    MarkovQueue nearly(MarkovArrivals::on_off({{source, count, 1 - rational("1e-12")}}));
    for (const std::int64_t level : {0, 1, 10, 100})
      CHECK(apart(ends(ordinary.tail(level)).middle(), ends(nearly.tail(level)).middle()) < 1e-10);
    CHECK(apart(ends(ordinary.mean_occupancy()).middle(), ends(nearly.mean_occupancy()).middle()) < 1e-10);
    CHECK(apart(static_cast<long double>(ordinary.decay_rate()->lower()),
                static_cast<long double>(nearly.decay_rate()->lower())) < 1e-9);
  }
}

TEST_CASE("bursts to one output: certified for more inputs and longer bursts", "[queue][directed]") {
  for (const auto& [count, load, burst] :
       {std::tuple{8L, "0.6", "1000"}, std::tuple{16L, "0.9", "16"}, std::tuple{16L, "0.3", "1"},
        std::tuple{24L, "0.6", "100"}, std::tuple{32L, "0.6", "16"}}) {
    MarkovQueue queue(MarkovArrivals::on_off({switch_inputs(count, load, burst)}));
    INFO(count << " inputs, load " << load << ", burst " << burst);
    REQUIRE(queue.certified());
    CHECK(ends(queue.mean_occupancy()).narrow(10));
    Ends above = ends(queue.tail(0));
    CHECK(above.meets({fraction_of(queue.arrivals().load()), fraction_of(queue.arrivals().load())}));
    for (std::int64_t level = 1; level < 60; ++level) {
      const Ends mass = ends(queue.probability(level)), tail = ends(queue.tail(level));
      // Two sums of different terms.
      CHECK(Ends{mass.lower + tail.lower, mass.upper + tail.upper}.meets(above));
      CHECK(tail.narrow(10));
      above = tail;
    }
  }
  // The mean is the sum of the tails.
  MarkovQueue queue(MarkovArrivals::on_off({switch_inputs(16, "0.6", "4")}));
  long double sum = 0;
  for (std::int64_t level = 0; level < 600; ++level) sum += ends(queue.tail(level)).middle();
  CHECK(apart(sum, ends(queue.mean_occupancy()).middle()) < 1e-12);
}

TEST_CASE("spectral approximation: agrees with certified results", "[queue][directed][modal]") {
  for (const auto& [count, load, burst] :
       {std::tuple{24L, "0.6", "16"}, std::tuple{34L, "0.8", "16"}, std::tuple{34L, "0.5", "200"}}) {
    const OnOffGroup group = switch_inputs(count, load, burst);
    const auto proof = queue::make_directed_engine(group, rational(load), 64);
    const auto modes = queue::make_directed_modes_engine(group, rational(load), 12);
    INFO(count << " inputs, load " << load << ", burst " << burst);
    CHECK(apart(static_cast<long double>(modes->mean().lower), ends(proof->mean()).middle()) < 1e-10);
    for (const std::size_t level : {0U, 1U, 3U, 20U, 100U, 400U}) {
      CHECK(apart(static_cast<long double>(modes->tail(level).lower), ends(proof->tail(level)).middle()) <
            1e-9);
      CHECK(apart(static_cast<long double>(modes->probability(level).lower),
                  ends(proof->probability(level)).middle()) < 1e-9);
    }
    if (count <= 32) continue;
    // The digits that an approximation states.
    MarkovQueue queue(MarkovArrivals::on_off({group}));
    CHECK_FALSE(queue.certified());
    for (const std::int64_t level : {0, 10, 100}) {
      const auto tail = approximated(queue.tail(level));
      CHECK(tail.agreed_digits >= 9);
      CHECK(apart(static_cast<long double>(tail.value),
                  ends(proof->tail(static_cast<std::size_t>(level))).middle()) <
            std::pow(10.0, 1 - tail.agreed_digits));
    }
  }
}

TEST_CASE("bursts to one of very many outputs: starts tend to Poisson", "[queue][directed][limit]") {
  // i ON here: each stays with probability 3/4, Poisson ones start; load 0.3.
  constexpr std::size_t maximum = 18;
  const long double stay = 0.75L, starts = 0.3L * (1 - stay);
  PlainBlocks<long double> blocks(maximum + 1,
                                  std::vector(maximum + 1, std::vector<long double>(maximum + 1, 0)));
  for (std::size_t i = 0; i <= maximum; ++i)
    for (std::size_t kept = 0; kept <= i; ++kept) {
      long double p = 1;
      for (std::size_t c = 0; c < kept; ++c)
        p *= static_cast<long double>(i - c) / static_cast<long double>(c + 1) * stay;
      p *= std::pow(1 - stay, static_cast<long double>(i - kept)) * std::exp(-starts);
      for (std::size_t fresh = 0; kept + fresh <= maximum; ++fresh) {
        blocks[i][i][kept + fresh] += p;
        p *= starts / static_cast<long double>(fresh + 1);
      }
    }
  const auto law = chain_law(blocks, 120);
  double before = 1;
  for (const std::int64_t count : {64, 1024, 16384, 1 << 20}) {
    MarkovQueue queue(MarkovArrivals::on_off({switch_inputs(count, "0.3", "4")}));
    double worst = 0;
    for (const std::size_t n : {0U, 1U, 2U, 5U, 10U}) {
      long double mass = 0;
      for (const long double value : law[n]) mass += value;
      worst = std::max(
          worst,
          apart(static_cast<long double>(approximated(queue.probability(static_cast<std::int64_t>(n))).value),
                mass));
    }
    INFO(count << " inputs: " << worst);
    CHECK(worst < before / 8);  // like 1 / count
    CHECK(worst < 30.0 / static_cast<double>(count));
    before = worst;
  }
}

TEST_CASE("bursts to one output: invalid arguments are rejected", "[queue][directed]") {
  CHECK_FALSE(MarkovQueue(MarkovArrivals::on_off({switch_inputs(64, "0.6", "16")})).certified());
  CHECK_FALSE(MarkovQueue(MarkovArrivals::on_off({switch_inputs(64, "0.6", "16", "0.9")})).certified());
  MarkovQueue many(MarkovArrivals::on_off({switch_inputs(64, "0.6", "16")}));
  CHECK_THROWS_AS(many.loss(1'000'000), LimitExceeded);
  CHECK_THROWS_AS(many.tail(100'000'000), LimitExceeded);
  traffic::OnOff endless = traffic::on_off(rational("0.3"), {rational("3"), 1});
  endless.stop = 0;
  endless.load = 1;
  CHECK_THROWS_AS(MarkovArrivals::on_off({{endless, 2, rational("1/4")}}), InvalidArgument);
  CHECK(queue::never_waits(
      MarkovArrivals::on_off({{traffic::on_off(rational("0.6"), {rational("4"), 1}), 1, rational("1/2")}})));
  CHECK_FALSE(queue::never_waits(MarkovArrivals::on_off({switch_inputs(4, "0.6", "16")})));
}
