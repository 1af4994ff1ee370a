#include <tailbound/core/error.hpp>
#include <tailbound/numeric/rational.hpp>
#include <tailbound/queue/crossbar/time_division.hpp>

#include <catch2/catch.hpp>
#include <cmath>
#include <cstdint>
#include <deque>
#include <random>
#include <utility>
#include <vector>

#include <tests/support/rational.hpp>

// TDM crossbars: independent values, identities between laws and means, a simulation cell by cell.

using namespace tailbound;
using numeric::Rational;
using queue::ProvedMemory;
using queue::TimeDivision;
using tailbound::test::ratio;

namespace {

double value(const numeric::Enclosure<unit::Probability>& enclosure) {
  CHECK(enclosure.relative_width() < 1e-12);
  return enclosure.lower().convert_to<double>();
}

/// One input of k, with its cells.
struct SimulatedInput {
  double mean_wait = 0;
  std::vector<double> wait_above, queue_above, input_above;
};
SimulatedInput simulated_input(int ports, double load, int slots) {
  std::mt19937_64 random(11);
  std::uniform_real_distribution<double> any(0, 1);
  std::uniform_int_distribution<std::size_t> output(0, static_cast<std::size_t>(ports) - 1);
  std::vector<std::deque<int>> queues(static_cast<std::size_t>(ports));
  constexpr std::size_t levels = 40;
  SimulatedInput seen{.wait_above = std::vector<double>(levels, 0),
                      .queue_above = std::vector<double>(levels, 0),
                      .input_above = std::vector<double>(levels, 0)};
  double cells = 0, waits = 0;
  const auto count = [](std::vector<double>& above, std::size_t value, double weight) {
    for (std::size_t n = 0; n < std::min(value, above.size()); ++n) above[n] += weight;
  };
  for (int slot = 0; slot < slots; ++slot) {
    if (any(random) < load) queues[output(random)].push_back(slot);
    std::size_t total = 0;
    for (const auto& queue : queues) {
      count(seen.queue_above, queue.size(), 1.0 / ports / slots);
      total += queue.size();
    }
    count(seen.input_above, total, 1.0 / slots);
    auto& served = queues[static_cast<std::size_t>(slot % ports)];
    if (served.empty()) continue;
    const auto wait = static_cast<std::size_t>(slot - served.front());
    served.pop_front();
    ++cells;
    waits += static_cast<double>(wait);
    count(seen.wait_above, wait, 1);
  }
  seen.mean_wait = waits / cells;
  for (double& each : seen.wait_above) each /= cells;
  return seen;
}

}  // namespace

TEST_CASE("TDM: independent values", "[time_division]") {
  TimeDivision switched(16, ratio(4, 5));
  CHECK(switched.mean_wait().value == ratio(75, 2));
  const std::vector<std::pair<std::int64_t, double>> waits{
      {0, 0.9868421053}, {1, 0.9729916898}, {24, 0.5366359958}, {100, 0.06091402261}, {239, 0.001144094601}};
  for (const auto& [slots, probability] : waits)
    CHECK(value(switched.wait_above(slots)) == Approx(probability).epsilon(1e-9));
  const std::vector<double> queues{0.6978826196, 0.4499635434, 0.2853477326, 0.1805751230};
  for (std::size_t n = 0; n < queues.size(); ++n)
    CHECK(value(switched.queue_above(static_cast<std::int64_t>(n))) == Approx(queues[n]).epsilon(1e-9));
}

TEST_CASE("TDM: laws and means agree", "[time_division]") {
  for (const auto& [ports, load] :
       {std::pair{1, ratio(9, 10)}, {2, ratio(1, 2)}, {3, ratio(7, 10)}, {16, ratio(1, 10)}}) {
    TimeDivision switched(ports, load);
    double wait = 0, cells = 0;
    for (std::int64_t t = 0; t < 600; ++t) wait += switched.wait_above(t).lower().convert_to<double>();
    for (std::int64_t n = 0; n < 200; ++n) cells += switched.queue_above(n).lower().convert_to<double>();
    const double mean = numeric::nearest_double(switched.mean_wait().value),
                 rate = numeric::nearest_double(load);
    CHECK(wait == Approx(mean).epsilon(1e-10).margin(1e-15));
    CHECK(cells * ports == Approx(rate * (1 + mean)).epsilon(1e-10));
  }
}

TEST_CASE("TDM: a simulated input", "[time_division]") {
  constexpr int ports = 4;
  TimeDivision switched(ports, ratio(7, 10));
  const SimulatedInput seen = simulated_input(ports, 0.7, 2'000'000);
  CHECK(numeric::nearest_double(switched.mean_wait().value) == Approx(seen.mean_wait).epsilon(0.01));
  for (const std::size_t level : {0U, 1U, 3U, 6U, 10U, 20U})
    CHECK(value(switched.wait_above(static_cast<std::int64_t>(level))) ==
          Approx(seen.wait_above[level]).epsilon(0.02));
  for (const std::size_t level : {0U, 1U, 2U, 4U})
    CHECK(value(switched.queue_above(static_cast<std::int64_t>(level))) ==
          Approx(seen.queue_above[level]).epsilon(0.03));
  for (const std::size_t level : {2U, 5U, 10U, 15U}) {
    const double bound = switched.input_above(static_cast<std::int64_t>(level)).value.convert_to<double>();
    CHECK(bound >= seen.input_above[level]);
    if (level >= 10) CHECK(bound < 100 * seen.input_above[level]);
  }
}

TEST_CASE("TDM: smallest levels for a target", "[time_division]") {
  TimeDivision switched(16, ratio(9, 10));
  for (const Rational& target : {ratio(1, 2), ratio(1, 1000), ratio(1, 1'000'000'000)}) {
    const std::int64_t wait = switched.min_wait(target), queue = switched.min_queue(target);
    CHECK(numeric::compare(switched.wait_above(wait).upper(), target) <= 0);
    if (wait > 0) CHECK(numeric::compare(switched.wait_above(wait - 1).lower(), target) > 0);
    CHECK(numeric::compare(switched.queue_above(queue).upper(), target) <= 0);
    if (queue > 0) CHECK(numeric::compare(switched.queue_above(queue - 1).lower(), target) > 0);
    const ProvedMemory input = switched.min_input(target);
    CHECK(numeric::compare(input.at.value, target) <= 0);
    if (input.memory.value > 0)
      CHECK(numeric::compare(switched.input_above(input.memory.value - 1).value, target) > 0);
  }
}

TEST_CASE("TDM: limits", "[time_division]") {
  CHECK_THROWS_AS(TimeDivision(16, Rational(1)), Unstable);
  CHECK_THROWS_AS(TimeDivision(16, Rational(0)), InvalidArgument);
  CHECK_THROWS_AS(TimeDivision(0, ratio(1, 2)), InvalidArgument);
  TimeDivision switched(4, ratio(1, 2));
  CHECK_THROWS_AS(switched.min_wait(Rational(0)), InvalidArgument);
  CHECK_THROWS_AS(switched.min_input(Rational(1)), InvalidArgument);
  TimeDivision single(1, ratio(1, 2));
  CHECK(single.mean_wait().value == 0);
  CHECK(single.min_wait(ratio(1, 1000)) == 0);
}
