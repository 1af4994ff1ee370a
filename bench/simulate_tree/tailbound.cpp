#include <benchmark/benchmark.h>
#include <tailbound/sim/tree/simulate_tree.hpp>

#include <cmath>

/// Packet-hops per second: one packet through one queue, sources, random numbers and statistics included. CPU
/// time, one core unless the name says otherwise.
namespace tailbound::bench {
namespace {

using numeric::parse_rational;

double packet_hops(const sim::TreeModel& model, const sim::Counts& counts) {
  const sim::TreeRows rows(model.tree);
  double hops = 0;
  for (int stage = 0; stage < rows.stages; ++stage) hops += sim::total_count(counts[rows.waits(stage)]);
  return hops;
}

void one_core(benchmark::State& state, sim::TreeModel model, std::int64_t slots) {
  const auto tree = sim::make_tree_replication(model, {1, 0});
  tree->advance(model.keeps_paths() ? 24'576 : 1024);  // long queues take long to fill
  (void)tree->take_counts();
  double hops = 0;
  for (auto _ : state) {
    tree->advance(slots);
    hops += packet_hops(model, tree->take_counts());
  }
  if (!tree->balance().conserved()) state.SkipWithError("packets were lost");
  const auto leaves = std::pow(static_cast<double>(model.tree.radix), model.tree.levels);
  state.counters["packet_hops"] = benchmark::Counter(hops, benchmark::Counter::kIsRate);
  state.counters["bytes_per_leaf"] = static_cast<double>(tree->memory()) / leaves;
  state.counters["MB"] = static_cast<double>(tree->memory()) / 1e6;
}

void threads(benchmark::State& state) {
  const sim::TreeModel model{{16, 3}, parse_rational("0.8", "load")};
  const sim::RunPlan plan{.replications = 2, .warmup = 512, .slots = 4096, .batches = 4};
  double hops = 0;
  for (auto _ : state) {
    const sim::RunResult result = sim::run_tree(model, plan, {.threads = static_cast<int>(state.range(0))});
    for (const sim::Counts* counts : result.all()) hops += packet_hops(model, *counts);
  }
  state.counters["packet_hops"] = benchmark::Counter(hops, benchmark::Counter::kIsRate);
}

sim::TreeModel tree(std::int64_t radix, int levels, const char* load,
                    network::TreeRouting routing = network::TreeRouting::random_root,
                    std::optional<std::int64_t> buffer = {}) {
  return {{radix, levels}, parse_rational(load, "load"), routing, buffer};
}
sim::TreeModel bursts(traffic::Destination destination) {
  sim::TreeModel model = tree(16, 3, "0.8");
  model.burst = {16};
  model.destination = destination;
  return model;
}
constexpr auto nearest = network::TreeRouting::nearest_ancestor;
constexpr auto random_root = network::TreeRouting::random_root;

BENCHMARK_CAPTURE(one_core, leaves_4096_radix_16_load_0_8, tree(16, 3, "0.8"), 2048)
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(one_core, leaves_4096_radix_16_load_0_2, tree(16, 3, "0.2"), 2048)
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(one_core, leaves_4096_nearest_ancestor, tree(16, 3, "0.8", nearest), 2048)
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(one_core, leaves_4096_buffer_32, tree(16, 3, "0.8", random_root, 32), 2048)
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(one_core, leaves_4096_bursts_per_packet, bursts(traffic::Destination::per_packet), 2048)
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(one_core, leaves_4096_bursts_each_to_one_destination,
                  bursts(traffic::Destination::per_burst), 2048)
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(one_core, leaves_64_radix_4, tree(4, 3, "0.8"), 65536)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(one_core, leaves_4096_radix_2, tree(2, 12, "0.8"), 1024)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(one_core, leaves_262144_radix_64, tree(64, 3, "0.8"), 64)->Unit(benchmark::kMillisecond);
BENCHMARK(threads)->Arg(1)->Arg(2)->UseRealTime()->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace tailbound::bench

BENCHMARK_MAIN();
