#include <tailbound/core/error.hpp>
#include <tailbound/queue/directed/directed_engine.hpp>
#include <tailbound/queue/markov/markov_queue.hpp>
#include <tailbound/queue/passage/finite_passage.hpp>
#include <tailbound/queue/tail_bounds/burst_bound.hpp>
#include <tailbound/queue/tail_bounds/train_bound.hpp>

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
using queue::GeometricTrains;
using queue::MarkovArrivals;
using queue::MarkovQueue;
using queue::OnOffGroup;
using tailbound::test::rational;

namespace {

/// Each input individually: free, sending here or sending elsewhere; packets of the state at the start of a
/// slot.
PlainBlocks<Fraction> inputs_one_by_one(const GeometricTrains& trains) {
  const Fraction load = fraction_of(trains.load), length = fraction_of(trains.length),
                 inputs(Whole(trains.inputs));
  const Fraction start = load / (load + length * (1 - load)), stop = 1 / length;
  const Fraction fresh[3] = {1 - start, start / inputs, start * (inputs - 1) / inputs};
  PlainBlocks<Fraction> all{{{Fraction(1)}}};
  for (std::int64_t input = 0; input < trains.inputs; ++input) {
    const std::size_t phases = all.front().size();
    PlainBlocks<Fraction> next(
        all.size() + 1,
        std::vector<std::vector<Fraction>>(phases * 3, std::vector<Fraction>(phases * 3, Fraction(0))));
    for (std::size_t b = 0; b < all.size(); ++b)
      for (std::size_t i = 0; i < phases; ++i)
        for (std::size_t j = 0; j < phases; ++j)
          for (std::size_t s = 0; s < 3; ++s)
            for (std::size_t t = 0; t < 3; ++t) {
              Fraction move = s == 0 ? fresh[t] : Fraction(stop * fresh[t]);
              if (s != 0 && s == t) move += 1 - stop;
              next[b + (s == 1 ? 1 : 0)][i * 3 + s][j * 3 + t] += all[b][i][j] * move;
            }
    all = std::move(next);
  }
  return all;
}

}  // namespace

TEST_CASE("geometric trains equal their inputs taken individually", "[queue][trains][geometric][exact]") {
  for (const auto& [count, load, length] : {std::tuple{2L, "0.8", "7.42"}, std::tuple{3L, "0.9", "3/2"},
                                            std::tuple{3L, "0.3", "12"}, std::tuple{2L, "0.95", "1.01"}}) {
    const GeometricTrains trains{.inputs = count, .load = rational(load), .length = rational(length)};
    const auto plain = inputs_one_by_one(trains);
    MarkovQueue queue(MarkovArrivals::trains(trains));
    MarkovQueue blocks(MarkovArrivals::blocks(to_rational(plain)));
    INFO(count << " inputs, load " << load << ", length " << length);
    REQUIRE(queue.certified());
    CHECK(queue.arrivals().phases() == (count + 1) * (count + 2) / 2);
    // The load is that of the blocks: the start probability preserves it.
    CHECK(blocks.arrivals().load() == rational(load));
    for (const std::int64_t level : {0, 1, 2, 7, 40, 150})
      CHECK(ends(queue.tail(level)).meets(ends(blocks.tail(level))));
    CHECK(ends(queue.mean_occupancy()).meets(ends(blocks.mean_occupancy())));
    for (const std::int64_t capacity : {1, 2, 3, 11})
      CHECK(ends(queue.loss(capacity)).meets(ends(blocks.loss(capacity))));
    if (count == 2)
      for (const std::int64_t capacity : {1, 2, 3})
        CHECK(ends(queue.loss(capacity)).contains(chain_loss(plain, capacity)));
  }
}

TEST_CASE("losses from silent-phase passages equal those from passages over all phases",
          "[queue][directed][finite]") {
  for (const auto& [count, load, burst] :
       {std::tuple{2L, "0.7", "5"}, std::tuple{5L, "0.6", "16"}, std::tuple{9L, "0.9", "10"}}) {
    const OnOffGroup group = switch_inputs(count, load, burst);
    const auto narrow = queue::make_directed_engine(group, rational(load), 64);
    const queue::Outward<long double> plain(queue::Side::nearest, 64);
    queue::FinitePassage<long double> wide(queue::directed_blocks<long double>(group), plain);
    INFO(count << " inputs, load " << load << ", burst " << burst);
    for (const std::size_t capacity : {1U, 2U, 3U, 7U, 8U, 9U, 10U, 11U, 40U}) {
      const auto sums = wide.sums(capacity, 0);
      REQUIRE(sums);
      const auto found = narrow->loss(capacity);
      const long double loss = sums->lost / (sums->mass * numeric::nearest_long_double(rational(load)));
      INFO("capacity " << capacity);
      CHECK(static_cast<long double>(found.lower) <= loss * (1 + 1e-14L));
      CHECK(static_cast<long double>(found.upper) >= loss * (1 - 1e-14L));
      CHECK(static_cast<long double>(found.upper) <= static_cast<long double>(found.lower) * (1 + 1e-10L));
    }
  }
}

TEST_CASE("spectral losses agree with certified ones", "[queue][directed][modal]") {
  const GeometricTrains trains{.inputs = 18, .load = rational("0.8"), .length = rational("7.42")};
  const OnOffGroup bursts = switch_inputs(20, "0.6", "16");
  for (const queue::DirectedGroup& group : {queue::DirectedGroup(trains), queue::DirectedGroup(bursts)}) {
    const numeric::Rational load = group.follow ? trains.load : rational("0.6");
    const auto proof = queue::make_directed_engine(group, load, 64),
               modes = queue::make_directed_modes_engine(group, load, 12);
    CHECK(apart(modes->mean(), proof->mean()) < 1e-10);
    for (const std::size_t level : {0U, 1U, 5U, 60U}) {
      CHECK(apart(modes->tail(level), proof->tail(level)) < 1e-10);
      CHECK(apart(modes->probability(level), proof->probability(level)) < 1e-10);
    }
    for (const std::size_t capacity : {1U, 2U, 25U})
      CHECK(apart(modes->loss(capacity), proof->loss(capacity)) < 1e-10);
  }
}

TEST_CASE("spectral results agree with certified ones for on-rates below 1", "[queue][directed][modal]") {
  for (const auto& [count, load, burst, rate] :
       {std::tuple{4L, "0.4", "16", "1/2"}, std::tuple{8L, "0.6", "30", "9/10"},
        std::tuple{9L, "0.3", "4", "2/5"}}) {
    const OnOffGroup group = switch_inputs(count, load, burst, rate);
    MarkovQueue proof(MarkovArrivals::on_off({group}));
    REQUIRE(proof.certified());
    // With all modes only very large numbers ON here are omitted.
    const auto all = queue::make_directed_modes_engine(group, rational(load), static_cast<int>(count + 1));
    const auto few = queue::make_directed_modes_engine(group, rational(load), 4);
    INFO(count << " inputs, load " << load << ", burst " << burst << ", on-rate " << rate);
    CHECK(apart(static_cast<long double>(all->mean().lower), ends(proof.mean_occupancy()).middle()) < 1e-10);
    for (const std::size_t level : {0U, 1U, 5U, 60U}) {
      const long double tail = ends(proof.tail(static_cast<std::int64_t>(level))).middle();
      CHECK(apart(static_cast<long double>(all->tail(level).lower), tail) < 1e-9);
      CHECK(apart(static_cast<long double>(few->tail(level).lower), tail) < 1e-2);
    }
    for (const std::size_t capacity : {1U, 6U, 25U})
      CHECK(apart(static_cast<long double>(all->loss(capacity).lower),
                  ends(proof.loss(static_cast<std::int64_t>(capacity))).middle()) < 1e-9);
  }
}

TEST_CASE("losses of deep buffers decay like the tail", "[queue][directed][modal]") {
  // With three sources four modes are complete, so only the depth remains: 4 000 packets, or 300 with
  // on-rates below 1; one capacity before and two beyond.
  struct Case {
    OnOffGroup group;
    const char* load;
    std::vector<std::size_t> capacities;
  };
  for (const auto& [group, load, capacities] :
       {Case{switch_inputs(3, "0.6", "200"), "0.6", {3900, 4100, 5500}},
        Case{switch_inputs(3, "0.4", "16", "1/2"), "0.4", {290, 310, 500}}}) {
    MarkovQueue proof(MarkovArrivals::on_off({group}));
    const auto modes = queue::make_directed_modes_engine(group, rational(load), 4);
    for (const std::size_t capacity : capacities) {
      const long double loss = ends(proof.loss(static_cast<std::int64_t>(capacity))).middle(),
                        found = static_cast<long double>(modes->loss(capacity).lower);
      INFO(group.count << " inputs, capacity " << capacity << ": " << loss << " " << found);
      CHECK(apart(found, loss) < 1e-6);
    }
  }
}

TEST_CASE("beyond the certified inputs, losses and lower on-rates are approximated", "[queue][directed]") {
  MarkovQueue many(MarkovArrivals::on_off({switch_inputs(64, "0.6", "16")}));
  MarkovQueue rarer(MarkovArrivals::on_off({switch_inputs(20, "0.4", "8", "1/2")}));
  MarkovQueue trains(
      MarkovArrivals::trains({.inputs = 256, .load = rational("0.8"), .length = rational("7.42")}));
  const auto bound = [](const OnOffGroup& group, std::int64_t capacity) {
    return static_cast<long double>(
        queue::burst_bound(MarkovArrivals::on_off({group}))->loss(capacity).value);
  };
  for (MarkovQueue* queue : {&many, &rarer, &trains}) {
    CHECK_FALSE(queue->certified());
    const auto loss = approximated(queue->loss(30)), tail = approximated(queue->tail(30));
    CHECK(loss.agreed_digits >= 6);
    CHECK(tail.agreed_digits >= 6);
    CHECK(loss.value > approximated(queue->loss(31)).value);
    CHECK(approximated(queue->tail(0)).agreed_digits >= 6);
    CHECK(apart(static_cast<long double>(approximated(queue->tail(0)).value),
                numeric::nearest_long_double(queue->arrivals().load())) < 1e-6);
    const std::int64_t capacity = queue->min_capacity(rational("1/1000"));
    CHECK(static_cast<long double>(approximated(queue->loss(capacity)).value) <= 1e-3L);
    CHECK(static_cast<long double>(approximated(queue->loss(capacity - 1)).value) > 1e-3L);
  }
  CHECK(static_cast<long double>(approximated(many.loss(30)).value) <
        bound(switch_inputs(64, "0.6", "16"), 30));
  CHECK(static_cast<long double>(approximated(rarer.loss(30)).value) <
        bound(switch_inputs(20, "0.4", "8", "1/2"), 30));
}

TEST_CASE("geometric trains: invalid arguments are rejected", "[queue][trains][geometric][errors]") {
  CHECK_THROWS_AS(MarkovArrivals::trains({.inputs = 1, .load = rational("0.5"), .length = 2}),
                  InvalidArgument);
  CHECK_THROWS_AS(MarkovArrivals::trains({.inputs = 4, .load = 0, .length = 2}), InvalidArgument);
  CHECK_THROWS_AS(MarkovArrivals::trains({.inputs = 4, .load = rational("0.5"), .length = 1}),
                  InvalidArgument);
  CHECK_THROWS_AS(MarkovQueue(MarkovArrivals::trains({.inputs = 4, .load = 1, .length = 2})), Unstable);
}
