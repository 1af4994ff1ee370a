#include <bench/path_delay/queries.hpp>

#include <string>

namespace tailbound::bench {
namespace {

using bounds::DelayQuery;
using bounds::PathDelay;
using numeric::Rational;

Rational number(const char* text) {
  return numeric::parse_rational(text, "number");
}

/// From the exact inputs to enclosures of P(D > t) for every t until it passes 1e-18; nothing is cached
/// between rounds.
void five_hops_to_1e_18(benchmark::State& state) {
  DelayQuery query;
  for (std::int64_t t = 0; t <= last_slot; ++t) query.levels.emplace_back(t);
  double last = 1;
  for (auto _ : state) {
    const Hops hops = five_hops("0.9");
    PathDelay delays(hops.queues, queue::HopDelay::wait);
    const bounds::DelayAnswer answer = delays.answer({&hops.route, 1}, query);
    last = static_cast<double>(numeric::to_enclosure(answer.above.back().probability).upper());
  }
  if (!(last < 1e-18 && last > 1e-19)) state.SkipWithError("wrong answer");
}

/// The same starting from the queues' numbers, for a few of the 266 levels.
void five_hops_ten_levels(benchmark::State& state) {
  DelayQuery query;
  for (std::int64_t i = 1; i <= 10; ++i) query.levels.emplace_back(last_slot * i / 10);
  for (auto _ : state) {
    const Hops hops = five_hops("0.9");
    PathDelay delays(hops.queues, queue::HopDelay::wait);
    benchmark::DoNotOptimize(delays.answer({&hops.route, 1}, query));
  }
}

/// A tree of 262 144 leaves: means, and percentiles from the median to 1 - 1e-15 of both delays.
void tree_of_64(benchmark::State& state, const char* load, network::TreeRouting routing) {
  DelayQuery query;
  for (const char* p : {"0.5", "0.9", "0.99", "0.999", "0.9999", "0.99999", "0.999999"})
    query.percentiles.push_back(number(p));
  for (const char* rest : {"1e-9", "1e-12", "1e-15"}) query.percentiles.push_back(1 - number(rest));
  std::int64_t last = 0;
  for (auto _ : state) {
    const bounds::TreeDelay tree =
        bounds::tree_delay({64, 3}, number(load), routing, network::Sources::independent_sources);
    PathDelay delays(tree.network.queues, queue::HopDelay::wait);
    last = delays.answer(tree.routes, query).latency.back().slots.value;
  }
  state.SetLabel("last percentile " + std::to_string(last));
}

/// Every flow's 99.9999th percentile.
void all_flows(benchmark::State& state) {
  const network::Network network = torus();
  const DelayQuery query{{}, {number("0.999999")}};
  std::int64_t sum = 0;
  std::size_t queues = 0;
  for (auto _ : state) {
    const bounds::NetworkDelay delay = bounds::network_delay(network, network::Sources::independent_sources);
    PathDelay delays(delay.network.queues, queue::HopDelay::wait);
    queues = delay.network.queues.size();
    sum = 0;
    for (const bounds::FlowDelay& flow : delay.flows)
      sum += delays.answer(flow.routes, query).latency.front().slots.value;
  }
  state.SetLabel(std::to_string(network.flows.size()) + " flows, " + std::to_string(queues) +
                 " queues, sum of percentiles " + std::to_string(sum));
}

BENCHMARK(five_hops_to_1e_18)->Unit(benchmark::kMicrosecond);
BENCHMARK(five_hops_ten_levels)->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(tree_of_64, random_root_0_9, "0.9", network::TreeRouting::random_root)
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(tree_of_64, nearest_ancestor_0_9, "0.9", network::TreeRouting::nearest_ancestor)
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(tree_of_64, random_root_0_99, "0.99", network::TreeRouting::random_root)
    ->Unit(benchmark::kMillisecond);
BENCHMARK(all_flows)->Unit(benchmark::kMillisecond)->Iterations(1);

}  // namespace
}  // namespace tailbound::bench

BENCHMARK_MAIN();
