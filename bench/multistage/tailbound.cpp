#include <benchmark/benchmark.h>
#include <tailbound/bounds/multistage/combining.hpp>

#include <algorithm>

/// A figure of the model: 60 points, 30 loads up to 1 for hot fractions of 8 and 16 %. CPU time, one core.
namespace tailbound::bench {
namespace {

using bounds::multistage::Variant;

void figure(benchmark::State& state, std::int64_t nodes, std::int64_t size, std::int64_t combining,
            Variant variant) {
  int max_rounds = 0;
  for (auto _ : state)
    for (const char* hot : {"2/25", "4/25"})
      for (int step = 1; step <= 30; ++step) {
        const network::CombiningMultistage network{.network = {nodes, size},
                                                   .buffer = 4,
                                                   .hot = numeric::parse_rational(hot, "hot"),
                                                   .combining = combining,
                                                   .links = network::Links::any};
        const auto load = numeric::parse_rational(std::to_string(step) + "/30", "load");
        const bounds::multistage::Point point = solve(network, load, variant);
        if (point.ending.stop == bounds::Stop::too_many_rounds)
          state.SkipWithError("a point did not converge");
        max_rounds = std::max(max_rounds, point.ending.rounds);
      }
  state.counters["most_rounds"] = max_rounds;
}

BENCHMARK_CAPTURE(figure, nodes_64, 64, 2, 2, Variant::blocking)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(figure, nodes_256, 256, 2, 2, Variant::blocking)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(figure, nodes_256_switch_4, 256, 4, 2, Variant::blocking)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(figure, nodes_256_combining_4, 256, 2, 4, Variant::blocking)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(figure, nodes_64_no_combining, 64, 2, 1, Variant::blocking)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(figure, nodes_256_no_combining, 256, 2, 1, Variant::blocking)
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(figure, nodes_256_published, 256, 2, 2, Variant::published)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace tailbound::bench

BENCHMARK_MAIN();
