#include <bench/generating_function/queries.hpp>

#include <pari/pari.h>

#include <string>

namespace tailbound::bench {
namespace {

void pari_formula(benchmark::State& state, const GeneratingFunction& query) {
  static const bool started = [] {
    pari_init(1U << 30U, 1U << 16U);
    return true;
  }();
  benchmark::DoNotOptimize(started);
  const pari_sp top = avma;
  const GEN closure = gp_read_str(
      "(k) -> {my(p = 1/(2*k), R = 1 - ((1 - p + p*'z)^k - 1)\\('z - 1)); R /= content(R); Str(R)}");
  std::string text;
  for (auto _ : state) {
    const pari_sp before = avma;
    text = GSTR(closure_callgen1(closure, stoi(query.inputs)));
    avma = before;
  }
  avma = top;
  check(state, query, text);
}

BENCHMARK_CAPTURE(pari_formula, inputs_200, small)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(pari_formula, inputs_2000, large)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace tailbound::bench
