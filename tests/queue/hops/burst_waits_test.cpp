#include <tailbound/queue/hops/burst_waits.hpp>
#include <tailbound/queue/hops/queue_pair.hpp>
#include <tailbound/queue/hops/wait_score.hpp>

#include <catch2/catch.hpp>

#include <cmath>
#include <vector>

using namespace tailbound;

namespace {

std::vector<double> burst_waits_geometric(double ratio, std::size_t size) {
  std::vector<double> tails;
  for (double tail = ratio; tails.size() < size; tail *= ratio) tails.push_back(tail);
  return tails;
}

double burst_waits_sum(const double* values, std::size_t count) {
  double sum = 0;
  for (std::size_t i = 0; i < count; ++i) sum += values[i];
  return sum;
}

}  // namespace

TEST_CASE("waits with bursts: limits without bursts and without upstream queues") {
  const auto bursts = burst_waits_geometric(0.7, 20), smoothed = burst_waits_geometric(0.4, 20),
             alone = burst_waits_geometric(0.5, 20);
  const auto independent = queue::wait_with_bursts(alone, smoothed, alone);
  const auto independent_sources = queue::wait_with_bursts(bursts, alone, alone);
  double above_independent = 1, above_independent_sources = 1;
  for (std::size_t w = 0; w < 20; ++w) {
    above_independent -= independent[w];
    above_independent_sources -= independent_sources[w];
    CHECK(above_independent == Approx(smoothed[w]).margin(1e-15));
    CHECK(above_independent_sources == Approx(bursts[w]).margin(1e-15));
  }
}

TEST_CASE("waits with bursts: the ratio is kept for very small tails, and tails never increase") {
  // G^E/G^0 = 0.8^(w+1) until G^0 = 0.1^(w+1) is below 1e-13, then meaningless.
  std::vector<double> bursts = burst_waits_geometric(0.9, 30), alone = burst_waits_geometric(0.1, 30);
  std::vector<double> smoothed = burst_waits_geometric(0.08, 30);
  for (std::size_t w = 14; w < 30; ++w) smoothed[w] = 1;
  const auto mass = queue::wait_with_bursts(bursts, smoothed, alone);
  double above = 1;
  for (std::size_t w = 0; w < 30; ++w) {
    above -= mass[w];
    CHECK(mass[w] >= 0);
    if (w > 13) CHECK(above == Approx(bursts[w] * std::pow(0.8, 13)).epsilon(0.3));
    if (w < 12) CHECK(above == Approx(bursts[w] * std::pow(0.8, w + 1)).epsilon(1e-12));
  }
  smoothed = burst_waits_geometric(0.1, 30);
  smoothed[3] *= 3;  // more than the previous one
  const auto cut = queue::wait_with_bursts(bursts, smoothed, alone);
  CHECK(cut[3] == 0);
}

TEST_CASE("dependence by bursts: known value, none for short bursts or independent packets") {
  CHECK(queue::burst_dependence({0.6, 16, 1}, 0.25, 4, 3) == Approx(0.01577).margin(5e-6));
  CHECK(queue::burst_dependence({0.6, 16, 1}, 1.0 / 16, 16, 3) < 0.003);
  CHECK(queue::burst_dependence({0.6, 2.5, 1}, 0.25, 4, 3) == 0);
  CHECK(queue::burst_dependence({0.6, 7.5, 1}, 0.25, 4, 3) == Approx(0).margin(1e-15));
  // Uncorrelated for any on-rate: L (1 - load/on_rate) = 1.
  CHECK(queue::correlation_slots({0.6, 2.5, 1}) == Approx(1));
  CHECK(queue::correlation_slots({0.3, 2, 0.6}) == Approx(1));
  CHECK(queue::correlation_slots({0.6, 16, 1}) == Approx(6.4));
}

TEST_CASE("correlation of bursts below rate 1: same excess variance over many slots as at rate 1") {
  // The variance of the packets of m slots, divided by their mean, minus 1 - load, tends to 2 on_rate (1 - p)
  // (1/(alpha + beta) - 1), p = load/on_rate: summed here lag by lag.
  for (const queue::PerPacketSources& sources :
       {queue::PerPacketSources{0.5, 20, 0.8}, queue::PerPacketSources{0.3, 8, 0.4}}) {
    const double on = sources.load / sources.on_rate, stay = 1 - 1 / (sources.mean_burst * (1 - on));
    double excess = 0, covariance = sources.on_rate * sources.on_rate * on * (1 - on);
    for (int lag = 1; lag < 2000; ++lag) excess += 2 * (covariance *= stay) / sources.load;
    const double slots = queue::correlation_slots(sources);
    CHECK(2 * (1 - sources.load) * (slots - 1) == Approx(excess));
  }
}

TEST_CASE("pair kernel with more dependence: row sums are unchanged, and long waits follow long waits") {
  constexpr std::size_t size = 64;
  const queue::QueuePair pair{{{4, 0.15, 0}, {12, 0, 0.0375}}, 0.25};
  const queue::PairKernel kernel(pair, queue::pair_law(pair, size, 1e-6));
  const auto x = queue::wait_score(queue::lone_first(pair, size).wait);
  const auto y = queue::wait_score(queue::lone_second(pair, size).wait);
  const double s = queue::dependence_within(0.1, x, y);
  const queue::PairKernel more = kernel.with_dependence(s, x, y), same = kernel.with_dependence(0, x, y);
  for (const std::size_t w : {std::size_t{0}, std::size_t{3}, std::size_t{20}}) {
    const std::size_t count = size - w;
    const double listed = burst_waits_sum(kernel.row(w), count);
    CHECK(burst_waits_sum(more.row(w), count) == Approx(listed).epsilon(1e-9));
    // (12) written out
    double sum = 0;
    for (std::size_t to = 0; to < count; ++to) sum += kernel.row(w)[to] * (1 + s * x[w] * y[to]);
    for (std::size_t to = 0; to < count; ++to) {
      CHECK(more.row(w)[to] ==
            Approx(kernel.row(w)[to] * (1 + s * x[w] * y[to]) / sum * listed).epsilon(1e-9));
      CHECK(same.row(w)[to] == kernel.row(w)[to]);
    }
    const double above = burst_waits_sum(kernel.row(w) + 3, count - 3),
                 above_with = burst_waits_sum(more.row(w) + 3, count - 3);
    CHECK((above_with > above) == (x[w] > 0));
  }
}
