#include <tailbound/core/error.hpp>
#include <tailbound/queue/finite/finite_queue.hpp>

#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <tests/support/rational.hpp>
#include <variant>
#include <vector>

// Finite buffers in overload, for which there is no stable infinite queue.

namespace tailbound::queue {
namespace {

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

}  // namespace
}  // namespace tailbound::queue
