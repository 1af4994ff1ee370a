#include <tailbound/bounds/guarantee/network_guarantee.hpp>
#include <tailbound/queue/flows/flow_bounds.hpp>
#include <tailbound/queue/flows/periodic_flows.hpp>
#include <tailbound/queue/policed/policed_queue.hpp>

#include <benchmark/benchmark.h>

#include <cstdint>
#include <random>
#include <string>
#include <vector>

// No competitor: the tools of network calculus that were found are Java, Python and MATLAB programs, and none
// covers the other benchmarks.

namespace tailbound::bench {
namespace {

using numeric::parse_rational;
using numeric::Rational;

const Rational quadrillionth = parse_rational("1e-15", "target");

void police_exactly(benchmark::State& state) {
  std::int64_t level = 0;
  for (auto _ : state) {
    queue::PolicedQueue queue({.inputs = 16, .share = Rational(1) / 16, .bucket = {Rational(9) / 10, 20}});
    level = queue.min_level(quadrillionth).level.value;
  }
  if (level != 177) state.SkipWithError("wrong answer");
}

void police_closed_form(benchmark::State& state) {
  std::int64_t level = 0;
  for (auto _ : state) {
    const queue::PolicedBound bound(
        {.inputs = 16, .share = Rational(1) / 16, .bucket = {Rational(9) / 10, 20}});
    level = bound.min_level(quadrillionth);
  }
  if (level != 177) state.SkipWithError("wrong answer");
}

/// P(Q > 62) of 900 flows that send every 1000 slots, to ten digits.
void periodic_tail(benchmark::State& state) {
  const std::vector<queue::FlowGroup> flows{{.count = state.range(0), .period = 1000}};
  for (auto _ : state) benchmark::DoNotOptimize(queue::periodic_tail(flows, 62));
}

void policed_flows(benchmark::State& state) {
  const std::vector<queue::FlowGroup> flows{
      {.kind = queue::FlowKind::regulated, .count = 100, .buckets = {{Rational(1) / 125, 4}}}};
  std::int64_t level = 0;
  for (auto _ : state) level = queue::FlowBounds(flows).min_level(parse_rational("1e-9", "target")).level;
  if (level != 152) state.SkipWithError("wrong answer");
}

/// Flows of five hops over `ports` ports of utilization 1/2: through layers at random, or around a ring.
network::PolicedNetwork flows_of_five_hops(long ports, long flows, bool ring) {
  constexpr long hops = 5;
  std::mt19937 random(1);
  const auto below = [&](long maximum) {
    return static_cast<long>(random() % static_cast<unsigned long>(maximum));
  };
  network::PolicedNetwork network;
  network.classes = {"all"};
  for (long port = 0; port < ports; ++port)
    network.ports.push_back({.name = std::to_string(port), .rate = 1});
  for (long f = 0; f < flows; ++f) {
    network::PolicedFlow flow{.name = std::to_string(f)};
    const long first = below(ports);
    for (long hop = 0; hop < hops; ++hop)
      flow.path.push_back(static_cast<std::size_t>(ring ? (first + hop) % ports
                                                        : hop * (ports / hops) + below(ports / hops)));
    flow.buckets = {{Rational(1) / (2 * flows * hops / ports), 1 + below(3)}};
    network.flows.push_back(std::move(flow));
  }
  return network;
}

void network_of_layers(benchmark::State& state) {
  const network::PolicedNetwork network = flows_of_five_hops(state.range(0), state.range(1), false);
  for (auto _ : state) benchmark::DoNotOptimize(bounds::guarantee(network));
}
void network_ring(benchmark::State& state) {
  const network::PolicedNetwork network = flows_of_five_hops(state.range(0), state.range(1), true);
  for (auto _ : state) benchmark::DoNotOptimize(bounds::guarantee(network));
}

BENCHMARK(police_exactly)->Unit(benchmark::kMicrosecond);
BENCHMARK(police_closed_form)->Unit(benchmark::kMicrosecond);
BENCHMARK(periodic_tail)->Arg(900)->Unit(benchmark::kMillisecond);
BENCHMARK(policed_flows)->Unit(benchmark::kMillisecond);
BENCHMARK(network_of_layers)->Args({100, 200})->Args({1000, 10000})->Unit(benchmark::kMillisecond);
BENCHMARK(network_ring)->Args({100, 1000})->Args({1000, 10000})->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace tailbound::bench

BENCHMARK_MAIN();
