#include <bench/generating_function/queries.hpp>
#include <tailbound/queue/slotted/slotted_formula.hpp>
#include <tailbound/symbolic/print.hpp>

#include <string>

namespace tailbound::bench {
namespace {

void tailbound_formula(benchmark::State& state, const GeneratingFunction& query) {
  std::string text;
  for (auto _ : state) {
    const auto arrivals = symbolic::Pgf::equal_inputs(query.inputs, numeric::parse_rational("1/2", "load"));
    const queue::SlottedFormula formula = queue::slotted_formula(arrivals);
    const auto cancelled = queue::cancelled_occupancy(formula);
    text = print(cancelled.value().expression(), symbolic::Language::text);
  }
  check(state, query, std::string_view(text).substr(text.find("/(") + 2));
}

BENCHMARK_CAPTURE(tailbound_formula, inputs_200, small)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(tailbound_formula, inputs_2000, large)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace tailbound::bench

BENCHMARK_MAIN();
