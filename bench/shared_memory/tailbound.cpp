#include <tailbound/queue/finite/shared_approximation.hpp>

#include <benchmark/benchmark.h>

#include <cmath>

namespace tailbound::bench {
namespace {

/// Minimum shared memory of `ports` ports at load 0.8 with P(T > M) <= 1e-15, proved, from the inputs on.
void min_memory(benchmark::State& state) {
  const numeric::Rational target = numeric::parse_rational("1e-15", "target");
  const std::vector<numeric::Rational> rates(static_cast<std::size_t>(state.range(0)),
                                             numeric::Rational(4) / 5);
  for (auto _ : state) {
    queue::SharedMemory memory(queue::uniform_switch(rates, state.range(0)), {});
    benchmark::DoNotOptimize(memory.minimum(target));
  }
}
BENCHMARK(min_memory)->Arg(4)->Arg(16)->Arg(64)->Arg(256)->Unit(benchmark::kMicrosecond);

/// The corresponding approximation, Var T included.
void approximation(benchmark::State& state) {
  const std::vector<numeric::Rational> rates(static_cast<std::size_t>(state.range(0)),
                                             numeric::Rational(4) / 5);
  const queue::SharedSwitch fed = queue::uniform_switch(rates, state.range(0));
  for (auto _ : state) {
    auto about = queue::SharedApproximation::of(fed, {});
    benchmark::DoNotOptimize(about->minimum(std::log(1e-15), Packets(349)));
  }
}
BENCHMARK(approximation)->Arg(64)->Unit(benchmark::kMicrosecond);

}  // namespace
}  // namespace tailbound::bench

BENCHMARK_MAIN();
