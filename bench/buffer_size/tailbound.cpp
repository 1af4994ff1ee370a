#include <bench/buffer_size/queries.hpp>
#include <tailbound/bounds/sizing/max_load.hpp>
#include <tailbound/series/renewal.hpp>

#include <cmath>
#include <vector>

namespace tailbound::bench {
namespace {

using numeric::parse_rational;
using queue::Arithmetic;

/// Everything from the exact inputs to the proved answer.
void size_buffer(benchmark::State& state, const char* load, const char* target, int digits,
                 Arithmetic arithmetic, std::int64_t expected) {
  const numeric::Rational exact_load = parse_rational(load, "load");
  const bounds::DropTarget drop{parse_rational(target, "drop")};
  std::int64_t buffer = 0;
  for (auto _ : state) {
    const queue::SlottedQueue queue{series::Arrivals::equal_inputs(16, exact_load), 1};
    bounds::BufferSize size = bounds::buffer_size(queue, drop, {{digits}, arithmetic});
    buffer = size.buffer.value;
    benchmark::DoNotOptimize(size);
  }
  if (buffer != expected) state.SkipWithError("wrong answer");
}

void floor_of_the_recurrence(benchmark::State& state) {
  // The bare products of the recurrence in double, nothing proved: 157 levels of 15 products.
  std::vector<double> pmf{std::pow(1 - 0.9 / 16, 16)};
  for (int j = 0; j < 16; ++j) pmf.push_back(pmf.back() * (16 - j) / (j + 1) * (0.9 / 16) / (1 - 0.9 / 16));
  series::RenewalEquation<double> equation;
  std::vector<double> above(16), beyond(16);
  double sum = 0, excess = 0;
  for (std::size_t j = 16; j-- > 0;) {
    sum += pmf[j + 1];
    above[j] = sum;
    beyond[j] = excess;
    excess += sum;
  }
  for (std::size_t j = 1; j < 16; ++j) equation.kernel.push_back(above[j] / pmf[0]);
  for (std::size_t j = 0; j < 16; ++j) equation.forcing.push_back((beyond[j] + 0.1 * above[j]) / pmf[0]);
  std::vector<double> values;
  for (auto _ : state) {
    values.clear();
    series::extend(equation, values, answer + 1);
    benchmark::DoNotOptimize(values.data());
  }
  if (!(values.back() < 1e-15 && values[answer - 1] > 1e-15)) state.SkipWithError("wrong answer");
}

void largest_load(benchmark::State& state) {
  const queue::SlottedQueue queue{series::Arrivals::equal_inputs(16, parse_rational("0.9", "load")), 1};
  const bounds::DropTarget drop{parse_rational("1e-15", "drop")};
  for (auto _ : state) benchmark::DoNotOptimize(bounds::max_load(queue, Packets(answer), drop));
}

/// 10 000 loads from 0.1 to 0.9, each from its exact number to its proved buffer.
void sizings_over_loads(benchmark::State& state) {
  std::vector<numeric::Rational> loads;
  for (long i = 0; i < 10'000; ++i) loads.push_back(numeric::Rational(10'000 + 8 * i) / 100'000);
  const bounds::DropTarget drop{parse_rational("1e-15", "drop")};
  std::int64_t sum = 0;
  for (auto _ : state) {
    sum = 0;
    for (const numeric::Rational& load : loads) {
      const queue::SlottedQueue queue{series::Arrivals::equal_inputs(16, load), 1};
      sum += bounds::buffer_size(queue, drop).buffer.value;
    }
  }
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(loads.size()));
  state.SetLabel("sum of buffers " + std::to_string(sum));
}

BENCHMARK_CAPTURE(size_buffer, tailbound_certified, "0.9", "1e-15", 10, Arithmetic::automatic, 157);
BENCHMARK_CAPTURE(size_buffer, tailbound_interval_38_digits, "0.9", "1e-15", 38, Arithmetic::interval, 157);
BENCHMARK_CAPTURE(size_buffer, tailbound_multiprecision_60_digits, "0.9", "1e-15", 60,
                  Arithmetic::multiprecision, 157);
BENCHMARK_CAPTURE(size_buffer, tailbound_exact, "0.9", "1e-15", 10, Arithmetic::exact, 157)
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(size_buffer, tailbound_load_0_98_200_digits, "0.98", "1e-15", 200, Arithmetic::automatic,
                  805);
BENCHMARK_CAPTURE(size_buffer, tailbound_load_0_9999, "0.9999", "1e-15", 10, Arithmetic::automatic, 161896);
BENCHMARK(floor_of_the_recurrence);
BENCHMARK(largest_load);
BENCHMARK(sizings_over_loads)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace tailbound::bench

BENCHMARK_MAIN();
