#include <tailbound/bounds/sizing/buffer_size.hpp>
#include <tailbound/core/choice.hpp>
#include <tailbound/core/error.hpp>

#include <catch2/catch.hpp>
#include <string>
#include <tests/support/finite_chain.hpp>
#include <tests/support/random_models.hpp>
#include <tests/support/rational.hpp>
#include <tests/support/reference_tail.hpp>

using namespace tailbound;
using namespace tailbound::test;
using bounds::Criterion;
using queue::Arithmetic;

namespace {

bounds::BufferSize size_for(const Traffic& traffic, const Fraction& target,
                            Criterion criterion = Criterion::overflow, const queue::Accuracy& accuracy = {}) {
  return bounds::buffer_size({traffic.arrivals()}, {to_rational(target), criterion}, accuracy);
}

queue::LevelProbability drop(const Traffic& traffic, std::int64_t capacity, Criterion criterion,
                             const queue::Accuracy& accuracy = {}, int served = 1) {
  return bounds::drop_probability({traffic.arrivals(), served}, Packets(capacity), criterion, accuracy);
}

Reference known(const Fraction& value) {
  return {value, value};
}

/// Small traffic whose finite chain is quick to solve in fractions.
Traffic small_traffic(Random& random) {
  const Fraction load(Whole(random.between(1, 999)), Whole(1000));
  switch (random.between(0, 2)) {
    case 0:
      return Traffic::equal(random.between(1, 5), load);
    case 1: {
      std::vector<Fraction> rates;
      const std::int64_t count = random.between(2, 5);
      for (std::int64_t i = 0; i < count; ++i)
        rates.push_back(load * Fraction(Whole(random.between(0, 100)), Whole(100 * count)));
      rates[0] += Fraction(1, 2000);
      return Traffic::unequal(rates);
    }
    default:
      return Traffic::pmf(random_pmf(random, random.between(2, 7), load));
  }
}

}  // namespace

TEST_CASE("loss equals that of the finite chain, exactly, in 500 random cases", "[bounds][loss]") {
  Random random(51);
  for (int i = 0; i < 500; ++i) {
    const Traffic traffic = small_traffic(random);
    const std::int64_t capacity = random.between(0, 8);
    const Fraction expected = finite_chain_loss(fraction_pmf(traffic), capacity);
    INFO(traffic.text() << " capacity " << capacity << " loss " << expected);
    const auto exact = drop(traffic, capacity, Criterion::loss, {{10}, Arithmetic::exact});
    REQUIRE(std::holds_alternative<numeric::Exact<unit::Probability>>(exact.probability));
    CHECK(fraction_of(std::get<numeric::Exact<unit::Probability>>(exact.probability).value) == expected);
    CHECK(exact.level.value == capacity);
    for (const int digits : {10, 30}) {
      const auto enclosed = drop(traffic, capacity, Criterion::loss, {{digits}});
      INFO(show(enclosed.probability));
      CHECK(encloses(enclosed.probability, known(expected)));
      CHECK(narrow(enclosed.probability, digits));
    }
    const auto interval = drop(traffic, capacity, Criterion::loss, {{30}, Arithmetic::interval});
    CHECK(encloses(interval.probability, known(expected)));
    CHECK(narrow(interval.probability, 30));
    const auto fast = drop(traffic, capacity, Criterion::loss, {{8}, Arithmetic::double_precision});
    CHECK(encloses(fast.probability, known(expected)));
    CHECK(narrow(fast.probability, 8));
  }
}

TEST_CASE("loss of four inputs, load 0.8, six packets", "[bounds][loss]") {
  const Traffic traffic = Traffic::equal(4, Fraction(4, 5));
  const auto loss = drop(traffic, 6, Criterion::loss, {{12}});
  CHECK(encloses(loss.probability, {parse_decimal("0.008056019001065"), parse_decimal("0.008056019001075")}));
  const auto overflow = drop(traffic, 6, Criterion::overflow, {{12}});
  CHECK(encloses(overflow.probability,
                 {parse_decimal("0.031218101527945"), parse_decimal("0.031218101527955")}));
}

TEST_CASE("loss with several packets per slot equals the chain, or is rejected", "[bounds][loss][servers]") {
  for (const int served : {2, 3})
    for (const std::int64_t capacity : {1, 3, 6}) {
      const Traffic traffic = Traffic::equal(6, Fraction(served * 3, 5));
      const Fraction expected = finite_chain_loss(fraction_pmf(traffic), capacity, served);
      INFO("served " << served << " capacity " << capacity << " loss " << expected);
      try {
        const auto loss = drop(traffic, capacity, Criterion::loss, {}, served);
        INFO(show(loss.probability));
        CHECK(encloses(loss.probability, known(expected)));
      } catch (const Error& rejection) {
        CHECK(std::string(rejection.what()).size() > 10);
      }
    }
}

TEST_CASE("Finite queue: no empty slot", "[bounds][loss][edge]") {
  // With 1, 2 or 3 packets in every slot the occupancy never falls below 1, so level 0 must be excluded.
  const std::vector<numeric::Rational> pmf{0, to_rational(Fraction(1, 2)), to_rational(Fraction(1, 3)),
                                           to_rational(Fraction(1, 6))};
  const std::vector<Fraction> fractions{0, Fraction(1, 2), Fraction(1, 3), Fraction(1, 6)};
  for (const int served : {2, 3, 4})
    for (const std::int64_t capacity : {1, 2, 3, 5, 8}) {
      const queue::SlottedQueue queue{.arrivals = series::Arrivals::from_pmf(pmf),
                                      .packets_per_slot = served};
      const Fraction expected = finite_chain_loss(fractions, capacity, served);
      INFO(served << " served, buffer " << capacity << ", loss " << expected);
      const auto loss = bounds::drop_probability(queue, Packets(capacity), Criterion::loss, {});
      CHECK(encloses(loss.probability, known(expected)));
    }
}

TEST_CASE("sixteen inputs at 1e-15: table of buffers", "[bounds][buffer]") {
  struct Row {
    const char* load;
    std::int64_t buffer;
    const char* probability;
  };
  const Row rows[] = {{"0.2", 13, "8.6466613888e-17"},  {"0.5", 26, "7.3853673643e-16"},
                      {"0.6", 35, "4.4519256302e-16"},  {"0.8", 76, "6.9264081050e-16"},
                      {"0.9", 157, "8.7035435578e-16"}, {"0.98", 805, "9.6354659546e-16"}};
  for (const Row& row : rows) {
    const Traffic traffic = Traffic::equal(16, parse_decimal(row.load));
    for (const int digits : {10, 38}) {
      const auto answer = size_for(traffic, power_of_ten(-15), Criterion::overflow, {{digits}});
      INFO("load " << row.load << " digits " << digits << " " << show(answer.at.probability));
      CHECK(answer.buffer.value == row.buffer);
      const Fraction value = parse_decimal(row.probability);
      // Eleven digits, rounded from the 40 of data/reference/slotted_queue.csv.
      const Fraction half = parse_decimal(row.probability[15] == '7' ? "5e-28" : "5e-27");
      CHECK(encloses(answer.at.probability, {value - half, value + half}));
      CHECK(encloses(answer.at.probability, reference_tail(traffic, row.buffer)));
      CHECK(narrow(answer.at.probability, digits));
      REQUIRE(answer.before.has_value());
      CHECK(answer.before->level.value == row.buffer - 1);
      CHECK(encloses(answer.before->probability, reference_tail(traffic, row.buffer - 1)));
    }
  }
}

TEST_CASE("the minimum buffer is that of a brute-force search", "[bounds][buffer]") {
  Random random(52);
  int with_loss = 0;
  for (int i = 0; i < 100; ++i) {
    const Traffic traffic = small_traffic(random);
    const Fraction target = Fraction(Whole(random.between(1, 99)), Whole(100)) *
                            power_of_ten(-static_cast<int>(random.between(0, 6)));
    INFO(traffic.text() << " target " << target);
    {
      std::int64_t minimum = 0;
      while (reference_tail(traffic, minimum).upper > target) ++minimum;
      const auto answer = size_for(traffic, target);
      CHECK(answer.buffer.value == minimum);
      CHECK(answer.before.has_value() == (minimum > 0));
      CHECK(encloses(answer.at.probability, reference_tail(traffic, minimum)));
      CHECK(answer.at.level.value == minimum);
    }
    const std::vector<Fraction> pmf = fraction_pmf(traffic);
    std::int64_t minimum = 0;
    Fraction loss = finite_chain_loss(pmf, 0), before = 2;
    while (loss > target && minimum < 9) {
      before = loss;
      loss = finite_chain_loss(pmf, ++minimum);
    }
    if (loss > target) continue;  // too deep to solve the chain quickly
    ++with_loss;
    const auto answer = size_for(traffic, target, Criterion::loss);
    INFO("by loss " << minimum);
    CHECK(answer.buffer.value == minimum);
    CHECK(encloses(answer.at.probability, known(loss)));
    REQUIRE(answer.before.has_value());  // a buffer of 0 loses everything
    CHECK(encloses(answer.before->probability, known(before)));
  }
  CHECK(with_loss > 40);
}

TEST_CASE("a target met with equality is met", "[bounds][buffer][edge]") {
  const Traffic two = Traffic::equal(2, Fraction(1, 2));  // P(Q > 1) = 1/9
  CHECK(size_for(two, Fraction(1, 9)).buffer.value == 1);
  CHECK(size_for(two, Fraction(1, 9) - power_of_ten(-250)).buffer.value == 2);
  CHECK(size_for(two, Fraction(1, 2)).buffer.value == 0);
  // loss(1) = 1/9 / (8/9) = 1/8 at this load, where (1 - rho)/rho = 1.
  CHECK(finite_chain_loss(fraction_pmf(two), 1) == Fraction(1, 8));
  CHECK(size_for(two, Fraction(1, 8), Criterion::loss).buffer.value == 1);
  CHECK(size_for(two, Fraction(1, 8) - power_of_ten(-250), Criterion::loss).buffer.value == 2);
  CHECK(size_for(two, Fraction(1, 8) + power_of_ten(-250), Criterion::loss).buffer.value == 1);
}

TEST_CASE("below load 1/2 overflow needs a smaller buffer than loss", "[bounds][buffer]") {
  const Traffic light = Traffic::equal(16, Fraction(1, 20));
  const Fraction target = Fraction(reference_tail(light, 6).lower * 2);
  CHECK(size_for(light, target).buffer < size_for(light, target, Criterion::loss).buffer);
}

TEST_CASE("targets and capacities out of range are rejected", "[bounds][errors]") {
  const Traffic traffic = Traffic::equal(16, Fraction(9, 10));
  for (const Fraction& target : {Fraction(0), Fraction(1), Fraction(-1), Fraction(3, 2)})
    for (const Criterion criterion : {Criterion::overflow, Criterion::loss})
      CHECK_THROWS_AS(size_for(traffic, target, criterion), InvalidArgument);
  for (const Criterion criterion : {Criterion::overflow, Criterion::loss}) {
    CHECK_THROWS_AS(drop(traffic, -1, criterion), InvalidArgument);
    // A finite buffer has losses at any load.
    if (criterion == Criterion::overflow)
      CHECK_THROWS_AS(drop(Traffic::equal(16, 1), 5, criterion), Unstable);
    else
      CHECK_NOTHROW(drop(Traffic::equal(16, 1), 5, criterion));
    // The loss is at least 1 - 10/11 at load 1.1.
    CHECK_THROWS_AS(size_for(Traffic::equal(16, Fraction(11, 10)), power_of_ten(-3), criterion), LoadTooHigh);
    CHECK_THROWS_AS(drop(traffic, 10'000'000'000'000'000, criterion), Error);
    CHECK_THROWS_AS(drop(traffic, 20, criterion, {{200}, Arithmetic::double_precision}), LimitExceeded);
  }
  CHECK(std::string(name_of(Criterion::overflow)) == "overflow");
  CHECK(std::string(name_of(Criterion::loss)) == "loss");
}
