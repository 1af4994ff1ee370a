#include <tailbound/core/error.hpp>
#include <tailbound/queue/finite/finite_queue.hpp>
#include <tailbound/symbolic/pgf.hpp>

#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <tests/support/rational.hpp>
#include <variant>
#include <vector>

// Finite buffers in overload, for which there is no stable infinite queue.

namespace tailbound::queue {
namespace {

using numeric::Rational;
using test::rational;

/// For K inputs that each send a packet with probability p, by iterating the chain until it is stationary.
double by_steps(int inputs, double p, int servers, std::size_t capacity) {
  std::vector<double> batch(static_cast<std::size_t>(inputs) + 1);
  for (int n = 0; n <= inputs; ++n)
    batch[static_cast<std::size_t>(n)] =
        std::exp(std::lgamma(inputs + 1.0) - std::lgamma(n + 1.0) - std::lgamma(inputs - n + 1.0)) *
        std::pow(p, n) * std::pow(1 - p, inputs - n);
  std::vector<double> now(capacity + 1, 0.0);
  now[0] = 1;
  double lost = 0;
  for (int slot = 0; slot < 20000; ++slot) {
    std::vector<double> next(capacity + 1, 0.0);
    lost = 0;
    for (std::size_t state = 0; state <= capacity; ++state) {
      const std::size_t left =
          state > static_cast<std::size_t>(servers) ? state - static_cast<std::size_t>(servers) : 0;
      for (std::size_t n = 0; n < batch.size(); ++n) {
        next[std::min(capacity, left + n)] += now[state] * batch[n];
        if (left + n > capacity) lost += now[state] * batch[n] * static_cast<double>(left + n - capacity);
      }
    }
    now = next;
  }
  return lost / (inputs * p);
}

double loss_of(const SlottedQueue& queue, std::int64_t capacity) {
  const LevelProbability found = loss_probability(queue, Packets(capacity));
  if (const auto* exact = std::get_if<numeric::Exact<unit::Probability>>(&found.probability))
    return numeric::nearest_double(exact->value);
  return std::get<numeric::Enclosure<unit::Probability>>(found.probability).lower().convert_to<double>();
}

TEST_CASE("overload: the loss of a finite buffer is that of its chain") {
  for (const auto& [inputs, p, servers, capacity] : {std::tuple{10, "0.5", 3, 20},
                                                     {10, "0.5", 3, 3},
                                                     {10, "0.5", 3, 1},
                                                     {16, "0.1", 1, 30},
                                                     {4, "1/4", 1, 12},
                                                     {4, "0.3", 1, 1},
                                                     {2, "0.9", 1, 50},
                                                     {8, "3/4", 6, 25},
                                                     {3, "0.99", 2, 6}}) {
    const SlottedQueue queue{.arrivals = series::Arrivals::equal_inputs(inputs, rational(p) * inputs),
                             .packets_per_slot = servers};
    CAPTURE(inputs, p, servers, capacity);
    CHECK(loss_of(queue, capacity) == Approx(by_steps(inputs, numeric::nearest_double(rational(p)), servers,
                                                      static_cast<std::size_t>(capacity)))
                                          .epsilon(1e-8));
  }
}

TEST_CASE("overload: 10 inputs of rate 1/2, 3 served per slot, buffer of 3") {
  const SlottedQueue queue{.arrivals = series::Arrivals::equal_inputs(10, 5), .packets_per_slot = 3};
  CHECK(loss_of(queue, 3) == Approx(0.41328125).epsilon(1e-12));
}

TEST_CASE("overload: if no slot has fewer arrivals than services, all excess is lost") {
  const SlottedQueue all{.arrivals = series::Arrivals::equal_inputs(10, 10), .packets_per_slot = 3};
  for (const std::int64_t capacity : {3, 5, 20, 1000})
    CHECK(loss_of(all, capacity) == Approx(0.7).epsilon(1e-12));
  CHECK(loss_of(all, 2) == Approx(0.8).epsilon(1e-12));
  CHECK(loss_of(all, 0) == 1);
  // Exactly as many: nothing is lost if they fit.
  const SlottedQueue even{.arrivals = series::Arrivals::equal_inputs(3, 3), .packets_per_slot = 3};
  CHECK(loss_of(even, 3) == Approx(0).margin(1e-12));
  CHECK(loss_of(even, 1) == Approx(2.0 / 3).epsilon(1e-12));
}

TEST_CASE("overload: the loss is continuous at the stability limit") {
  const auto loss = [](const char* load) {
    return loss_of({.arrivals = series::Arrivals::equal_inputs(8, rational(load)), .packets_per_slot = 1},
                   10);
  };
  CHECK(loss("1") == Approx(loss("0.999999")).epsilon(1e-4));
  CHECK(loss("1") == Approx(loss("1.000001")).epsilon(1e-4));
  CHECK(loss("1.2") > loss("1"));
}

std::int64_t minimum(const SlottedQueue& queue, const char* target) {
  return FiniteLosses(queue).min_capacity(rational(target)).level.value;
}

TEST_CASE("overload: the minimum buffer for a loss is that of the chain, at, below and above load C") {
  for (const auto& [inputs, p, servers, target] : {std::tuple{16, "1/16", 1, 0.01},
                                                   {16, "3/40", 1, 0.2},
                                                   {4, "1/4", 1, 0.01},
                                                   {4, "1/2", 2, 0.03},
                                                   {10, "1/2", 3, 0.41},
                                                   {8, "3/4", 6, 0.05},
                                                   {6, "9/20", 3, 0.02}}) {
    CAPTURE(inputs, p, servers, target);
    const SlottedQueue queue{.arrivals = series::Arrivals::equal_inputs(inputs, rational(p) * inputs),
                             .packets_per_slot = servers};
    std::int64_t smallest = 1;
    const double rate = numeric::nearest_double(rational(p));
    while (by_steps(inputs, rate, servers, static_cast<std::size_t>(smallest)) > target) ++smallest;
    CHECK(minimum(queue, std::to_string(target).c_str()) == smallest);
  }
}

TEST_CASE("overload: targets that equal a loss are decided") {
  for (const int servers : {1, 2, 3})
    for (const char* load : {"1/2", "1", "2", "5/2"}) {
      const SlottedQueue queue{.arrivals = series::Arrivals::equal_inputs(5, rational(load)),
                               .packets_per_slot = servers};
      for (const std::int64_t capacity : {1, 2, 4}) {
        CAPTURE(servers, load, capacity);
        const auto exact = std::get<numeric::Exact<unit::Probability>>(
            loss_probability(queue, Packets(capacity), {.arithmetic = Arithmetic::exact}).probability);
        CHECK(numeric::nearest_double(exact.value) ==
              Approx(by_steps(5, numeric::nearest_double(rational(load)) / 5, servers,
                              static_cast<std::size_t>(capacity)))
                  .epsilon(1e-9));
        const TailBoundary found = FiniteLosses(queue).min_capacity(exact.value);
        CHECK(found.level == Packets(capacity));
        CHECK(FiniteLosses(queue).min_capacity(exact.value * Rational(999'999) / 1'000'000).level >
              Packets(capacity));
      }
    }
}

TEST_CASE("overload: a target below the unavoidable loss is rejected with that limit") {
  const auto at = [](const char* load, int servers) {
    return SlottedQueue{.arrivals = series::Arrivals::equal_inputs(10, rational(load)),
                        .packets_per_slot = servers};
  };
  CHECK_THROWS_WITH(minimum(at("6/5", 1), "1/6"), Catch::Contains("1 - 1/load = 1/6"));
  CHECK_THROWS_WITH(minimum(at("5/2", 2), "0.1"), Catch::Contains("1 - 2/load = 0.2"));
  CHECK(minimum(at("6/5", 1), "0.1667") > 10);
  // Without an idle slot the limit itself is met.
  CHECK(minimum(at("10", 2), "4/5") == 2);
  CHECK_THROWS_AS(minimum(at("10", 2), "0.79"), LoadTooHigh);
}

TEST_CASE("overload: deep buffers at load 1 and just above") {
  const auto queue = [](const char* load) {
    return SlottedQueue{.arrivals = series::Arrivals::poisson(rational(load))};
  };
  // At load 1 the loss falls as 1/(2 B): the multiples of P(Q = 0) are near 2.
  CHECK(loss_of(queue("1"), 2'000) == Approx(1.0 / 4'000).epsilon(1e-3));
  CHECK(loss_of(queue("1.01"), 4'000) == Approx(1 - 1 / 1.01).epsilon(1e-9));
  CHECK(loss_of(queue("1.5"), 1'000'000'000) == Approx(1.0 / 3).epsilon(1e-12));
}

TEST_CASE("overload: a buffer out of reach is rejected with what is known", "[.full]") {
  const SlottedQueue two{.arrivals = series::Arrivals::equal_inputs(2, 1)};
  CHECK_THROWS_WITH(minimum(two, "1/100000000"), Catch::Contains("no buffer up to 1000000 packets"));
}

TEST_CASE("a queue without variance at load C is stable: Q = C in every slot") {
  const auto queues = {SlottedQueue{series::Arrivals::unequal_inputs({1, 1, 0}), 2},
                       SlottedQueue{series::Arrivals::equal_inputs(2, 2), 2},
                       SlottedQueue{series::Arrivals::from_pmf({0, 0, 1}), 2},
                       SlottedQueue{series::Arrivals::from_pgf(symbolic::parse_pgf("z^2", "A")), 2}};
  for (const SlottedQueue& queue : queues) {
    const std::vector<Packets> levels{Packets(0), Packets(1), Packets(2), Packets(9)};
    const auto tails = occupancy_tails(queue, levels);
    for (std::size_t i = 0; i < levels.size(); ++i)
      CHECK(std::get<numeric::Exact<unit::Probability>>(tails[i].probability).value == (i < 2 ? 1 : 0));
    CHECK(min_level(queue, rational("0.5")).level == Packets(2));
    CHECK(std::get<numeric::Exact<unit::Packet>>(mean_occupancy(queue)).value == 2);
    CHECK_FALSE(decay_rate(queue));
    CHECK(loss_of(queue, 2) == 0);
    CHECK(loss_of(queue, 1) == 0.5);
    CHECK(minimum(queue, "0.4") == 2);
  }
  // One packet more or less in some slots, and it is not.
  CHECK_THROWS_AS(
      mean_occupancy(
          {series::Arrivals::from_pmf({rational("0.1"), 0, rational("0.8"), 0, rational("0.1")}), 2}),
      Unstable);
  CHECK_THROWS_AS(mean_occupancy({series::Arrivals::equal_inputs(3, 3), 2}), Unstable);
}

TEST_CASE("P(Q > 0) = load decides targets that equal it") {
  for (const char* load : {"0.1", "1/3", "0.9"}) {
    const SlottedQueue queue{series::Arrivals::poisson(rational(load))};
    const TailBoundary found = min_level(queue, rational(load));
    CHECK(found.level == Packets(0));
    CHECK(std::get<numeric::Exact<unit::Probability>>(found.at.probability).value == rational(load));
    CHECK(min_level(queue, rational(load) * Rational(999'999) / 1'000'000).level > Packets(0));
  }
}

}  // namespace
}  // namespace tailbound::queue
