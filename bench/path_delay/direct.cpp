#include <bench/path_delay/queries.hpp>

#include <tailbound/series/distribution.hpp>

#include <map>
#include <variant>
#include <vector>

/// The same sums written as plainly as possible, nothing proved; and direct sums compared with transforms.
namespace tailbound::bench {
namespace {

using series::Distribution;
using series::Summation;

std::vector<double> plain_sum(const std::vector<double>& x, const std::vector<double>& y) {
  std::vector<double> z(x.size(), 0.0);
  for (std::size_t t = 0; t < z.size(); ++t)
    for (std::size_t n = 0; n <= t; ++n) z[t] += x[n] * y[t - n];
  return z;
}

/// No queue of this benchmark has arrivals with memory.
Distribution<long double> waits(const queue::HopQueue& queue, std::size_t size) {
  return queue::hop_delay(std::get<queue::SlottedQueue>(queue), queue::HopDelay::wait, size, -300);
}

std::vector<double> plain_masses(const queue::HopQueue& queue, std::size_t size) {
  const Distribution<long double> hop = waits(queue, size);
  return {hop.mass.begin(), hop.mass.end()};
}

/// The four sums alone, the five hops given.
void five_hops_plain(benchmark::State& state) {
  const Hops hops = five_hops("0.9");
  std::vector<std::vector<double>> masses;
  for (const std::size_t queue : hops.route.queues)
    masses.push_back(plain_masses(hops.queues[queue], static_cast<std::size_t>(last_slot) + 1));
  for (auto _ : state) {
    std::vector<double> sum = masses.front();
    for (std::size_t hop = 1; hop < masses.size(); ++hop) sum = plain_sum(sum, masses[hop]);
    benchmark::DoNotOptimize(sum.data());
  }
}

/// The sums of all flows alone, the hops given, to the length (a power of two) that contains each percentile.
void all_flows_plain(benchmark::State& state) {
  const bounds::NetworkDelay delay = bounds::network_delay(torus(), network::Sources::independent_sources);
  std::map<std::size_t, std::vector<std::vector<double>>> masses;  // by length, then by queue
  for (std::size_t size = 64; size <= 1024; size *= 2)
    for (const queue::HopQueue& queue : delay.network.queues)
      masses[size].push_back(plain_masses(queue, size));
  std::size_t unanswered = 0;
  for (auto _ : state) {
    unanswered = 0;
    for (const bounds::FlowDelay& flow : delay.flows) {
      bool found = false;
      for (std::size_t size = 64; size <= 1024 && !found; size *= 2) {
        const auto& queues = flow.routes.front().queues;
        std::vector<double> sum = masses[size][queues.front()];
        for (std::size_t hop = 1; hop < queues.size(); ++hop) sum = plain_sum(sum, masses[size][queues[hop]]);
        double at_most = 0;
        for (const double mass : sum) found |= (at_most += mass) >= 0.999999;
      }
      unanswered += !found;
    }
  }
  if (unanswered != 0) state.SkipWithError("lengths too short");
}

/// Five hops at load 0.999 summed, `size` entries each; for a transform, including the search for the tilt.
void long_sums(benchmark::State& state, Summation summation) {
  const Hops hops = five_hops("0.999");
  const auto size = static_cast<std::size_t>(state.range(0));
  std::vector<Distribution<long double>> of_queue;
  for (const queue::HopQueue& queue : hops.queues) of_queue.push_back(waits(queue, size));
  std::vector<const Distribution<long double>*> terms;
  for (const std::size_t queue : hops.route.queues) terms.push_back(&of_queue[queue]);
  for (auto _ : state) {
    const double tilt = summation == Summation::transform ? series::balancing_tilt(terms) : 1;
    Distribution<double> sum = series::tilted(*terms.front(), tilt);
    for (std::size_t hop = 1; hop < terms.size(); ++hop)
      sum = series::sum(sum, series::tilted(*terms[hop], tilt), summation);
    benchmark::DoNotOptimize(sum.tail.data());
  }
}

void long_sums_plain(benchmark::State& state) {
  const Hops hops = five_hops("0.999");
  std::vector<std::vector<double>> masses;
  for (const std::size_t queue : hops.route.queues)
    masses.push_back(plain_masses(hops.queues[queue], static_cast<std::size_t>(state.range(0))));
  for (auto _ : state) {
    std::vector<double> sum = masses.front();
    for (std::size_t hop = 1; hop < masses.size(); ++hop) sum = plain_sum(sum, masses[hop]);
    benchmark::DoNotOptimize(sum.data());
  }
}

void slots(benchmark::internal::Benchmark* sums) {
  for (const std::int64_t count : {256, 512, 768, 1024, 1500, 2048, 3000, 4096, 8192, 16384, 32768})
    sums->Arg(count);
}

BENCHMARK(five_hops_plain)->Unit(benchmark::kMicrosecond);
BENCHMARK(all_flows_plain)->Unit(benchmark::kMillisecond)->Iterations(1);
BENCHMARK_CAPTURE(long_sums, direct, Summation::direct)->Apply(slots)->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(long_sums, transform, Summation::transform)->Apply(slots)->Unit(benchmark::kMicrosecond);
BENCHMARK(long_sums_plain)->Arg(1024)->Arg(4096)->Arg(16384)->Unit(benchmark::kMicrosecond);

}  // namespace
}  // namespace tailbound::bench
