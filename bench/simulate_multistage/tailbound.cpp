#include <benchmark/benchmark.h>
#include <tailbound/sim/multistage/simulate_multistage.hpp>

/// Stage services per second: one request through one queue, sources, random numbers and statistics included.
/// CPU time, one core.
namespace tailbound::bench {
namespace {

void one_core(benchmark::State& state, sim::MultistageModel model, std::int64_t slots) {
  const auto network = sim::make_multistage_replication(model, {1, 0});
  network->advance(slots);
  static_cast<void>(network->take_counts());
  double services = 0;
  for (auto _ : state) {
    network->advance(slots);
    const sim::Counts counts = network->take_counts();
    for (const std::uint64_t count : counts[sim::MultistageRows::services])
      services += static_cast<double>(count);
  }
  if (!network->balance().conserved()) state.SkipWithError("requests were lost");
  state.counters["services"] = benchmark::Counter(services, benchmark::Counter::kIsRate);
}

sim::MultistageModel network(std::int64_t nodes, std::int64_t size, std::int64_t combining,
                             const char* load) {
  return {.network = {.network = {nodes, size},
                      .buffer = 4,
                      .hot = numeric::parse_rational("0.08", "hot"),
                      .combining = combining,
                      .links = network::Links::any},
          .load = numeric::parse_rational(load, "load")};
}

BENCHMARK_CAPTURE(one_core, nodes_256_load_0_5, network(256, 2, 2, "0.5"), 1000)
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(one_core, nodes_256_load_1, network(256, 2, 2, "1"), 1000)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(one_core, nodes_256_no_combining, network(256, 2, 1, "1"), 2000)
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(one_core, nodes_256_switch_4, network(256, 4, 2, "0.5"), 1000)
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(one_core, nodes_65536, network(65536, 2, 2, "0.5"), 20)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace tailbound::bench

BENCHMARK_MAIN();
