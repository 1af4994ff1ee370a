#include <tailbound/bounds/multistage/published.hpp>
#include <tailbound/queue/delay/deterministic_queue.hpp>

#include <cmath>

namespace tailbound::bounds::multistage {
namespace {

/// Rates of messages, and of the generated hot requests that they carry.
struct Rates {
  double cold = 0, hot = 0, requests = 0;
};

/// One queue: arrivals (after the merge of s flows) and departures.
struct Passed {
  Rates out;
  double time = 0;  ///< E[T]
  StageFigures figures;
};

/// The rate of arrivals that remain separate messages is C + H'(1 - Z), and Z depends on it through the
/// occupancy: Z = F(Z) with decreasing F, so bisection finds the only root.
Passed pass(const Rates& in, const network::CombiningMultistage& network) {
  const std::int64_t capacity = network.buffer + 1;
  std::vector<double> combines;
  if (in.hot > 0) combines = queue::CombiningMix(in.cold, in.hot, network.combining).combining(capacity);
  const auto occupancy_at = [&](double z) {
    return queue::deterministic_queue(in.cold + in.hot * (1 - z), capacity);
  };
  const auto mean_of_combining = [&](const queue::DeterministicOccupancy& occupancy) {
    double z = 0;
    for (std::size_t l = 2; l < combines.size(); ++l) z += occupancy.probability[l] * combines[l];
    return z;
  };
  double low = 0, high = 0;
  if (in.hot > 0 && network.combining != 1) high = mean_of_combining(occupancy_at(0));
  while (high - low > 1e-15 && std::nextafter(low, high) < high) {
    const double middle = (low + high) / 2;
    if (middle <= low || middle >= high) break;
    (mean_of_combining(occupancy_at(middle)) > middle ? low : high) = middle;
  }
  const double z = (low + high) / 2;
  const queue::DeterministicOccupancy occupancy = occupancy_at(z);
  const double offered = in.cold + in.hot * (1 - z);
  const double admit = occupancy.accepted / offered;
  return {.out = {.cold = in.cold * admit,
                  .hot = in.hot * (1 - z) * admit,
                  .requests = in.requests * (z + (1 - z) * admit)},
          .time = occupancy.time(),
          .figures = {.occupancy = occupancy.mean, .combining = z, .utilization = occupancy.accepted}};
}

}  // namespace

Point published(const network::CombiningMultistage& network, double load) {
  network::check(network);
  const int stages = network::stage_count(network.network);
  const auto nodes = static_cast<double>(network.network.nodes);
  const auto size = static_cast<double>(network.network.switch_size);
  const double h = numeric::nearest_double(network.hot);

  Point point;
  point.load = load;
  Rates rates{.cold = (1 - h) * load, .hot = h * load, .requests = h * load};
  std::vector<double> cold_after{rates.cold}, time_until{0};  // [i]: before stage i of the hot path
  for (int stage = 0; stage < stages; ++stage) {
    const Passed passed = pass(rates, network);
    rates = passed.out;
    cold_after.push_back(rates.cold);
    time_until.push_back(time_until.back() + passed.time);
    point.hot_path.push_back(passed.figures);
    if (stage + 1 < stages) rates.hot *= size, rates.requests *= size;  // s subtrees meet
  }
  point.hot_delay = time_until.back();
  const double hot_throughput = size * rates.requests / nodes;
  double cold_throughput = cold_after.back(), cold_delay = time_until.back();
  double group = size - 1;  // g_j memories, whose path leaves the hot one after stage n - j
  for (int j = 1; j <= stages; ++j, group *= size) {
    const auto left = static_cast<std::size_t>(stages - j + 1);
    Rates cold{.cold = cold_after[left]};
    double time = time_until[left];
    for (int stage = stages - j + 1; stage < stages && cold.cold > 0; ++stage) {
      const Passed passed = pass(cold, network);
      cold = passed.out;
      time += passed.time;
    }
    cold_throughput += group * cold.cold;
    cold_delay += group * time;
  }
  cold_throughput /= nodes;
  point.cold_delay = cold_delay / nodes;
  point.throughput = hot_throughput + cold_throughput;
  point.delay = (hot_throughput * point.hot_delay + cold_throughput * point.cold_delay) / point.throughput;
  return point;
}

}  // namespace tailbound::bounds::multistage
