#include <tailbound/queue/hops/burst_waits.hpp>

#include <algorithm>
#include <cmath>

namespace tailbound::queue {
namespace {

/// Smaller tails have no accurate ratio in double.
constexpr double min_tail = 1e-13;
/// Fitted to simulations: the size of the dependence, and the burst length in slots from which there is one.
constexpr double size_of_dependence = 0.38, fewest_slots = 3;

}  // namespace

std::vector<double> wait_with_bursts(std::span<const double> bursts, std::span<const double> smoothed,
                                     std::span<const double> alone) {
  std::vector<double> mass(bursts.size());
  double before = 1, ratio = 1;
  for (std::size_t w = 0; w < mass.size(); ++w) {
    if (alone[w] >= min_tail) ratio = smoothed[w] / alone[w];
    const double tail = std::clamp(bursts[w] * ratio, 0.0, before);
    mass[w] = before - tail;
    before = tail;
  }
  return mass;
}

double correlation_slots(const PerPacketSources& sources) {
  const auto& [load, mean_burst, on_rate] = sources;
  return 1 + (on_rate - load) / (1 - load) * (mean_burst * (1 - load / on_rate) - 1);
}

double burst_dependence(const PerPacketSources& sources, double forwarded, double radix, int levels) {
  const double burstiness = std::max(0.0, 1 - fewest_slots / correlation_slots(sources));
  return size_of_dependence * forwarded * forwarded * (1 + std::pow(radix, 2 - levels)) * burstiness;
}

}  // namespace tailbound::queue
