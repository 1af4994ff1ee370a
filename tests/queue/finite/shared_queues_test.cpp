#include <tailbound/core/error.hpp>
#include <tailbound/numeric/rational.hpp>
#include <tailbound/queue/delay/small_sources.hpp>
#include <tailbound/queue/finite/shared_queues.hpp>

#include <catch2/catch.hpp>
#include <cmath>
#include <random>
#include <string>
#include <vector>

#include <tests/support/rational.hpp>

// Memory from the distributions of single queues: against the bound from the inputs, against sums computed
// one by one, and against simulated switches.

using namespace tailbound;
using tailbound::test::ratio;
using namespace tailbound::queue;
using numeric::parse_rational;
using numeric::Rational;
using Measure = MemoryRule::Measure;

namespace {

/// Each input sends with these rates to `count` identical outputs; the queue's distribution from the model of
/// many small sources.
OutputQueues small_source_outputs(const std::vector<Rational>& rates, std::int64_t count) {
  Rational load = 0;
  for (const Rational& rate : rates) load = load + rate;
  OutputQueues outputs{.count = count, .load = load, .packets_per_slot = 1, .law = {}};
  outputs.law = [rates, load](std::size_t size, double log2_min) {
    std::vector<SmallSource> sources;
    for (const Rational& rate : rates) sources.push_back({numeric::nearest_long_double(rate), 1});
    return small_sources_delay({sources, 2, &load}, HopDelay::occupancy, size, log2_min);
  };
  return outputs;
}

/// The same by the queue that serves any number of packets per slot.
OutputQueues slotted_outputs(const std::vector<Rational>& rates, std::int64_t count,
                             int packets_per_slot = 1) {
  Rational load = 0;
  for (const Rational& rate : rates) load = load + rate;
  OutputQueues outputs{.count = count, .load = load, .packets_per_slot = packets_per_slot, .law = {}};
  outputs.law = [rates, packets_per_slot](std::size_t size, double log2_min) {
    return occupancy_law(
        {.arrivals = series::Arrivals::unequal_inputs(rates), .packets_per_slot = packets_per_slot}, size,
        log2_min);
  };
  return outputs;
}

/// P(Q = n) just after arrivals, by iterating slots until nothing changes.
std::vector<double> settled_law(const std::vector<Rational>& rates, int packets_per_slot, std::size_t size) {
  std::vector<double> batch{1};
  for (const Rational& rate : rates) {
    const double p = numeric::nearest_double(rate);
    batch.push_back(0);
    for (std::size_t j = batch.size() - 1; j > 0; --j) batch[j] = batch[j] * (1 - p) + batch[j - 1] * p;
    batch[0] *= 1 - p;
  }
  std::vector<double> law(size, 0);
  law[0] = 1;
  for (int slot = 0; slot < 4000; ++slot) {
    std::vector<double> next(size, 0);
    for (std::size_t n = 0; n < size; ++n) {
      const std::size_t left = n - std::min(n, static_cast<std::size_t>(packets_per_slot));
      for (std::size_t j = 0; j < batch.size() && left + j < size; ++j) next[left + j] += law[n] * batch[j];
    }
    law = std::move(next);
  }
  return law;
}

/// The minimum memory and its bound from a distribution of the sum, in double.
std::pair<std::int64_t, double> min_of(const std::vector<double>& total, Measure measure, double load,
                                       double target) {
  std::vector<double> excess(total.size(), 0);
  double tail = 0;
  for (std::size_t n = total.size() - 1; n-- > 0;) {
    tail += total[n + 1];
    excess[n] = excess[n + 1] + tail;
  }
  for (std::size_t memory = 0; memory < total.size(); ++memory) {
    double bound = measure == Measure::loss ? excess[memory] / load : 1;
    for (std::size_t a = 0; measure == Measure::overflow && a <= memory; ++a)
      bound = std::min(bound, excess[a] / static_cast<double>(memory + 1 - a));
    if (bound <= target) return {static_cast<std::int64_t>(memory), bound};
  }
  return {-1, 1};
}

std::vector<double> folded(const std::vector<double>& x, const std::vector<double>& y) {
  std::vector<double> z(x.size(), 0);
  for (std::size_t i = 0; i < x.size(); ++i)
    for (std::size_t j = 0; i + j < x.size(); ++j) z[i + j] += x[i] * y[j];
  return z;
}

}  // namespace

TEST_CASE("shared queues: matches sums computed one by one, for one or several packets per slot") {
  const std::vector<Rational> few{ratio(1, 10), ratio(1, 5), ratio(1, 4)};
  const std::vector<Rational> many(7, ratio(3, 14));  // 1.5 per slot
  const std::size_t size = 200;
  std::vector<double> total(size, 0);
  total[0] = 1;
  for (int i = 0; i < 3; ++i) total = folded(total, settled_law(few, 1, size));
  for (int i = 0; i < 2; ++i) total = folded(total, settled_law(many, 2, size));
  const double load = 3 * 0.55 + 2 * 1.5;
  for (const Measure measure : {Measure::overflow, Measure::loss})
    for (const char* text : {"1e-3", "1e-6", "1e-7", "1e-8", "1e-9", "3e-10", "1e-10", "3e-11", "1e-11"}) {
      const Rational target = parse_rational(text, "target");
      const auto [memory, bound] = min_of(total, measure, load, numeric::nearest_double(target));
      for (const OutputQueues& first : {small_source_outputs(few, 3), slotted_outputs(few, 3)}) {
        const std::vector<OutputQueues> outputs{first, slotted_outputs(many, 2, 2)};
        const ProvedMemory found = min_memory(outputs, measure, target);
        CAPTURE(text, static_cast<int>(measure));
        CHECK(found.memory.value == memory);
        const auto at = static_cast<double>(found.at.value);
        CHECK(at == Approx(bound).epsilon(1e-5));
        CHECK(at >= bound * (1 - 1e-9));
      }
    }
}

TEST_CASE("shared queues: above the bound from the inputs, and close to it") {
  std::mt19937 draw(7);
  for (int round = 0; round < 12; ++round) {
    const auto inputs = std::uniform_int_distribution<std::size_t>(2, 12)(draw);
    const auto outputs = std::uniform_int_distribution<long>(1, 10)(draw);
    const long percent = std::uniform_int_distribution<long>(20, 90)(draw);
    const std::vector<Rational> loads(inputs, ratio(percent * outputs, 100 * static_cast<long>(inputs)));
    if (loads.front() > 1) continue;
    const SharedSwitch fed = uniform_switch(loads, outputs);
    const Rational target = parse_rational("1e-7", "target");
    for (const Measure measure : {Measure::overflow, Measure::loss}) {
      const ProvedMemory known = SharedMemory(fed, {.measure = measure}).minimum(target);
      const std::vector<OutputQueues> laws{small_source_outputs(fed.outputs.front().rates, outputs)};
      const ProvedMemory found = min_memory(laws, measure, target);
      CAPTURE(inputs, outputs, percent, static_cast<int>(measure));
      CHECK(found.memory.value >= known.memory.value);
      CHECK(static_cast<double>(found.memory.value) <= 1.5 * static_cast<double>(known.memory.value) + 3);
    }
  }
}

TEST_CASE("shared queues: errors of a distribution keep the bound conservative") {
  const std::vector<Rational> rates(4, ratio(1, 5));
  const Rational target = parse_rational("1e-6", "target");
  const std::vector<OutputQueues> sharp{small_source_outputs(rates, 4)};
  const ProvedMemory known = min_memory(sharp, Measure::loss, target);
  const auto shaken = [&](long double relative, long double absolute) {
    std::vector<OutputQueues> outputs = sharp;
    outputs.front().law = [&, law = sharp.front().law](std::size_t size, double log2_min) {
      series::Distribution<long double> values = law(size, log2_min);
      for (auto* each : {&values.mass, &values.tail})
        for (long double& value : *each) value = std::max(0.0L, value * (1 - relative) - absolute);
      values.mass_units += static_cast<double>(relative) * 0x1.01p64;
      values.tail_units += static_cast<double>(relative) * 0x1.01p64;
      values.mass_error += absolute;
      values.tail_error += absolute;
      return values;
    };
    return min_memory(outputs, Measure::loss, target);
  };
  for (const ProvedMemory& found : {shaken(0x1p-20L, 0), shaken(0, 1e-16L)}) {
    const bool more = found.memory.value > known.memory.value;
    CHECK((more || (found.memory.value == known.memory.value && found.at.value >= known.at.value)));
    CHECK(found.memory.value <= known.memory.value + 1);
  }
}

TEST_CASE("shared queues: a simulated switch stays below the bound") {
  // 6 inputs of load 0.7 to 4 outputs of 0.3 to 0.9 and one of two packets per slot with 1.5; a correct bound
  // passes at least 95 % of the draws: above it only by four standard deviations of batches.
  const std::vector<double> shares{0.3, 0.6, 0.9, 0.9, 1.5};
  std::vector<OutputQueues> outputs;
  for (std::size_t i = 0; i < shares.size(); ++i) {
    const std::vector<Rational> rates(6, ratio(std::lround(shares[i] * 10), 60));
    outputs.push_back(i == 4 ? slotted_outputs(rates, 1, 2) : small_source_outputs(rates, 1));
  }
  const Rational target = parse_rational("0.01", "target");
  const auto memory = static_cast<int>(min_memory(outputs, Measure::overflow, target).memory.value);
  std::mt19937_64 draw(11);
  std::uniform_real_distribution<double> uniform;
  std::vector<int> queues(shares.size(), 0);
  std::vector<double> batches;
  for (int batch = 0; batch < 40; ++batch) {
    int above = 0;
    constexpr int slots = 20'000;
    for (int slot = 0; slot < slots; ++slot) {
      for (std::size_t i = 0; i < queues.size(); ++i) queues[i] = std::max(0, queues[i] - (i == 4 ? 2 : 1));
      for (int input = 0; input < 6; ++input) {
        double at = uniform(draw) * 6;
        for (std::size_t i = 0; i < shares.size(); ++i) {
          if (at < shares[i]) {
            ++queues[i];
            break;
          }
          at -= shares[i];
        }
      }
      int total = 0;
      for (const int queue : queues) total += queue;
      above += total > memory ? 1 : 0;
    }
    if (batch > 0) batches.push_back(static_cast<double>(above) / slots);
  }
  double mean = 0, square = 0;
  for (const double value : batches) mean += value / static_cast<double>(batches.size());
  for (const double value : batches) square += (value - mean) * (value - mean);
  const double deviation = std::sqrt(square) / static_cast<double>(batches.size());
  CAPTURE(memory, mean, deviation);
  CHECK(mean - 4 * deviation <= 0.01);
  CHECK(mean > 0.0002);  // it is not trivially satisfied
}

TEST_CASE("shared queues: deep targets, many sources, and errors") {
  const std::vector<Rational> thousands(3000, ratio(1, 4000));
  const auto steps = [&](std::int64_t ports) {
    const std::vector<OutputQueues> outputs{small_source_outputs(thousands, ports)};
    std::vector<std::int64_t> minimum;
    for (const char* target : {"1e-9", "1e-18", "1e-27"})
      minimum.push_back(
          min_memory(outputs, Measure::overflow, parse_rational(target, "target")).memory.value);
    return std::pair(minimum[1] - minimum[0], minimum[2] - minimum[1]);
  };
  // With one queue nine decades always cost the same; with many ever less, but never less than with one.
  const auto [near, deep] = steps(1);
  CHECK(std::abs(deep - near) <= 1);
  const auto [near_of_many, deep_of_many] = steps(64);
  CHECK(near_of_many > deep_of_many);
  CHECK(deep_of_many >= deep);
  const std::vector<OutputQueues> full{
      small_source_outputs({ratio(1, 2), ratio(499'999'999, 1'000'000'000)}, 2)};
  CHECK_THROWS_AS(min_memory(full, Measure::loss, parse_rational("1e-9", "target")), LimitExceeded);
}
