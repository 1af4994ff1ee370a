#include <benchmark/benchmark.h>
#include <tailbound/sim/rare/rare_queue.hpp>
#include <tailbound/sim/splitting/rare_tree.hpp>

#include <algorithm>

/// Rare events on one core: time to a 95 % interval of the given width. `half_width_percent` is the width
/// reached; `paths` the slots simulated in each slot of the main path.
namespace tailbound::bench {
namespace {

using numeric::parse_rational;

/// One queue, 16 inputs, load 0.9: to 2 %.
void one_queue(benchmark::State& state, sim::RareEvent event) {
  const sim::RareQueueModel model{{{parse_rational("9/160", "rate"), 16}}, event, state.range(0)};
  double slots = 0, worst = 0;
  std::uint64_t seed = 0;
  for (auto _ : state) {
    const sim::RareQueueEstimate estimate = sim::estimate_rare_queue(model, ++seed);
    slots += static_cast<double>(estimate.slots);
    worst = std::max(worst, 100 * estimate.relative_width());
  }
  state.counters["slots"] = benchmark::Counter(slots, benchmark::Counter::kIsRate);
  state.counters["half_width_percent"] = worst;
}
BENCHMARK_CAPTURE(one_queue, overflow, sim::RareEvent::overflow)
    ->Arg(40)
    ->Arg(157)
    ->Arg(600)
    ->MeasureProcessCPUTime()
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(one_queue, loss, sim::RareEvent::loss)
    ->Arg(157)
    ->MeasureProcessCPUTime()
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(one_queue, wait, sim::RareEvent::wait)
    ->Arg(156)
    ->MeasureProcessCPUTime()
    ->Unit(benchmark::kMillisecond);

/// 4-ary 3-tree, load 0.7, random roots, P(Q > 29) near 1e-9.
void tree(benchmark::State& state) {
  const auto stage = static_cast<int>(state.range(0));
  const sim::RareTreeModel model{{{4, 3}, parse_rational("0.7", "load")}, stage, 29};
  double queue_slots = 0, worst = 0, paths = 0, main_slots = 0;
  std::uint64_t seed = 0;
  for (auto _ : state) {
    const auto plan = sim::automatic_plan(model, state.range(1), 4, ++seed);
    const auto run = sim::run_rare_tree(model, plan);
    for (const sim::Counts* counts : run.all()) {
      queue_slots += static_cast<double>((*counts)[sim::RareTreeRows::queue_slots][0]);
      paths += static_cast<double>((*counts)[sim::RareTreeRows::path_slots][0]);
      main_slots += static_cast<double>((*counts)[sim::RareTreeRows::slots][0]);
    }
    const auto tail = sim::rare_tree_estimates(model, run, {29})[0].probability;
    worst = std::max(worst, 50 * (tail.upper - tail.lower) / tail.value);
  }
  state.counters["queue_slots"] = benchmark::Counter(queue_slots, benchmark::Counter::kIsRate);
  state.counters["paths"] = paths / main_slots;
  state.counters["half_width_percent"] = worst;
}
BENCHMARK(tree)
    ->Args({2, 100'000})
    ->Args({4, 100'000})
    ->MeasureProcessCPUTime()
    ->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace tailbound::bench

BENCHMARK_MAIN();
