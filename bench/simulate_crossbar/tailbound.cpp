#include <benchmark/benchmark.h>
#include <tailbound/numeric/rational.hpp>
#include <tailbound/sim/crossbar/crossbar_replication.hpp>

/// Slots per second of an input-queued switch, sources, random numbers, delays and statistics included. CPU
/// time, one core.
namespace tailbound::bench {
namespace {

using traffic::CrossbarScheduler;

void one_crossbar(benchmark::State& state, std::size_t ports, const char* load, CrossbarScheduler scheduler,
                  std::int64_t iterations) {
  constexpr std::int64_t slots = 64'000;
  sim::CrossbarModel model;
  model.rates.assign(ports, numeric::parse_rational(load, "load"));
  model.outputs = static_cast<std::int64_t>(ports);
  model.scheduler = scheduler;
  model.iterations = iterations;
  if (scheduler == CrossbarScheduler::ccf) model.speedup = 2;
  const auto simulated = sim::make_crossbar_replication(model, {1, 0});
  simulated->advance(slots);
  static_cast<void>(simulated->take_counts());
  const std::uint64_t before = simulated->balance().came;
  for (auto _ : state) simulated->advance(slots);
  if (!simulated->balance().conserved()) state.SkipWithError("cells were lost");
  state.counters["cells"] = benchmark::Counter(static_cast<double>(simulated->balance().came - before),
                                               benchmark::Counter::kIsRate);
  state.counters["slots"] = benchmark::Counter(
      static_cast<double>(slots) * static_cast<double>(state.iterations()), benchmark::Counter::kIsRate);
}

BENCHMARK_CAPTURE(one_crossbar, islip_4, 16, "0.8", CrossbarScheduler::islip, 4)
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(one_crossbar, islip_1, 16, "0.8", CrossbarScheduler::islip, 1)
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(one_crossbar, pim, 16, "0.8", CrossbarScheduler::pim, 0)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(one_crossbar, greedy, 16, "0.8", CrossbarScheduler::greedy, 0)
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(one_crossbar, maxweight, 16, "0.8", CrossbarScheduler::maxweight, 0)
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(one_crossbar, crosspoint, 16, "0.8", CrossbarScheduler::crosspoint, 0)
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(one_crossbar, fifo, 16, "0.5", CrossbarScheduler::fifo, 0)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(one_crossbar, tdm, 16, "0.8", CrossbarScheduler::tdm, 0)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(one_crossbar, critical_cells, 16, "0.8", CrossbarScheduler::ccf, 0)
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(one_crossbar, islip_6_of_64, 64, "0.8", CrossbarScheduler::islip, 6)
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(one_crossbar, islip_8_of_256, 256, "0.8", CrossbarScheduler::islip, 8)
    ->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace tailbound::bench

BENCHMARK_MAIN();
