#include <tailbound/queue/markov/markov_queue.hpp>

#include <benchmark/benchmark.h>

#include <string>

namespace tailbound::bench {
namespace {

using numeric::parse_rational;
using numeric::Rational;

/// k sources, load 0.6 for the queue, mean burst 16 slots, each packet to this queue with probability 1 / k.
queue::MarkovArrivals bursty(std::int64_t sources) {
  const Rational share = Rational(1) / Rational(static_cast<long>(sources));
  const traffic::OnOff source =
      traffic::on_off(parse_rational("0.6", "load"), {.slots = Rational(16), .on_rate = Rational(1)});
  return queue::MarkovArrivals::on_off({{traffic::thinned(source, share), sources}});
}

/// From the exact inputs to the minimum levels for all four targets.
void size_buffers(benchmark::State& state) {
  const std::int64_t sources = state.range(0);
  std::string levels;
  bool certified = false;
  for (auto _ : state) {
    queue::MarkovQueue queue(bursty(sources));
    levels.clear();
    for (const char* target : {"1e-6", "1e-9", "1e-12", "1e-15"})
      levels +=
          (levels.empty() ? "" : ", ") + std::to_string(queue.min_level(parse_rational(target, "target")));
    certified = queue.certified();
  }
  if (sources == 32 && levels != "16, 24, 33, 41") state.SkipWithError("wrong answer");
  state.SetLabel(levels + (certified ? " (proved)" : " (approximations)"));
}

/// The same with each burst to one output.
void size_buffers_directed(benchmark::State& state) {
  const std::int64_t sources = state.range(0);
  const traffic::OnOff source =
      traffic::on_off(parse_rational("0.6", "load"), {.slots = Rational(16), .on_rate = Rational(1)});
  std::int64_t level = 0;
  bool certified = false;
  for (auto _ : state) {
    queue::MarkovQueue queue(queue::MarkovArrivals::on_off(
        {{source, sources, Rational(1) / Rational(static_cast<long>(sources))}}));
    level = queue.min_level(parse_rational("1e-9", "target"));
    certified = queue.certified();
  }
  if (sources == 4 && level != 526) state.SkipWithError("wrong answer");
  state.SetLabel(std::to_string(level) + (certified ? " (proved)" : " (approximation)"));
}

BENCHMARK(size_buffers_directed)
    ->Arg(4)
    ->Arg(8)
    ->Arg(16)
    ->Arg(32)
    ->Arg(64)
    ->Arg(1024)
    ->Unit(benchmark::kMillisecond);
BENCHMARK(size_buffers)->Arg(16)->Arg(32)->Arg(64)->Arg(1024)->Arg(4096)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace tailbound::bench

BENCHMARK_MAIN();
