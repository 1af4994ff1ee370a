#include <benchmark/benchmark.h>
#include <tailbound/bounds/wormhole/broadcast.hpp>
#include <tailbound/sim/broadcast/broadcast_replication.hpp>

/// Hypercubes with broadcasts: the models, and their simulation in flit-hops per second (one flit across one
/// port or link; sources, random numbers and statistics included). CPU time, one core.
namespace tailbound::bench {
namespace {

using bounds::wormhole::BroadcastCube;
using bounds::wormhole::Replication;

BroadcastCube cube(int dimensions, double flits, double broadcast, Replication replication) {
  return {.dimensions = dimensions,
          .virtual_channels = 4,
          .flits = flits,
          .broadcast = broadcast,
          .startup = 1,
          .replication = replication};
}

/// n = 4 .. 8, V = 2, 3, 4, 6, M = 32, 64, 100, b = 0, 0.005, 0.01, at 20, 50 and 80 % of saturation.
void grid(benchmark::State& state, Replication replication) {
  for (auto _ : state)
    for (const int n : {4, 5, 6, 7, 8})
      for (const std::int64_t V : {2, 3, 4, 6})
        for (const double M : {32, 64, 100})
          for (const double b : {0.0, 0.005, 0.01}) {
            BroadcastCube requested = cube(n, M, b, replication);
            requested.virtual_channels = V;
            const double saturation = bounds::wormhole::broadcast_saturation(requested);
            for (const double fraction : {0.2, 0.5, 0.8})
              benchmark::DoNotOptimize(bounds::wormhole::broadcast_latency(requested, fraction * saturation));
          }
}

void latency(benchmark::State& state, const BroadcastCube& requested) {
  const double rate = 0.5 * bounds::wormhole::broadcast_saturation(requested);
  for (auto _ : state) benchmark::DoNotOptimize(bounds::wormhole::broadcast_latency(requested, rate));
}

void saturation(benchmark::State& state, const BroadcastCube& requested) {
  for (auto _ : state) benchmark::DoNotOptimize(bounds::wormhole::broadcast_saturation(requested));
}

void simulation(benchmark::State& state, int dimensions, const char* rate) {
  const auto network =
      sim::make_broadcast_replication({.dimensions = dimensions,
                                       .virtual_channels = 4,
                                       .flits = 32,
                                       .rate = numeric::parse_rational(rate, "rate"),
                                       .broadcast = numeric::parse_rational("0.01", "broadcast"),
                                       .startup = 1},
                                      {1, 0});
  constexpr std::int64_t cycles = 5'000;
  network->advance(2 * cycles);
  static_cast<void>(network->take_counts());
  double flit_hops = 0, all_cycles = 0;
  for (auto _ : state) {
    network->advance(cycles);
    flit_hops += static_cast<double>(network->take_counts()[sim::BroadcastRows::crossings][0]);
    all_cycles += static_cast<double>(cycles);
  }
  if (!network->engine().balance().conserved()) state.SkipWithError("flits were lost");
  state.counters["flit_hops"] = benchmark::Counter(flit_hops, benchmark::Counter::kIsRate);
  state.counters["cycles"] = benchmark::Counter(all_cycles, benchmark::Counter::kIsRate);
}

BENCHMARK_CAPTURE(grid, conserving, Replication::conserving)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(grid, literal, Replication::literal)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(grid, shared_wire, Replication::shared_wire)->Unit(benchmark::kMillisecond);

#define MODEL(name, ...)                                                              \
  BENCHMARK_CAPTURE(latency, name, cube(__VA_ARGS__))->Unit(benchmark::kMicrosecond); \
  BENCHMARK_CAPTURE(saturation, name, cube(__VA_ARGS__))->Unit(benchmark::kMicrosecond)

MODEL(nodes_64_conserving, 6, 32, 0.01, Replication::conserving);
MODEL(nodes_64_shared_wire, 6, 32, 0.01, Replication::shared_wire);
MODEL(nodes_1048576_conserving, 20, 64, 1e-6, Replication::conserving);
MODEL(nodes_1048576_shared_wire, 20, 64, 1e-6, Replication::shared_wire);

BENCHMARK_CAPTURE(simulation, nodes_64_tenth, 6, "0.0024")->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(simulation, nodes_64_half, 6, "0.0118")->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(simulation, nodes_64_at_the_models_saturation, 6, "0.0236")->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(simulation, nodes_256_half, 8, "0.0088")->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace tailbound::bench

BENCHMARK_MAIN();
