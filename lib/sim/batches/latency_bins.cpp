#include <tailbound/sim/batches/latency_bins.hpp>

#include <algorithm>
#include <bit>

namespace tailbound::sim {

std::uint64_t bin_of(std::uint64_t cycles) {
  return std::bit_floor(std::max<std::uint64_t>(1, cycles / 1024));
}

void count_in_bin(Histogram& histogram, std::uint64_t bin) {
  const auto place = std::min<std::size_t>(bin, latency_bins - 1);
  if (histogram.size() <= place) histogram.resize(place + 1);
  ++histogram[place];
}

std::optional<numeric::Estimate<unit::Slot>> latency_percentile(const HistogramBatches& latencies,
                                                                double fraction, std::uint64_t bin_cycles) {
  if (latencies.all() == 0) return std::nullopt;
  numeric::Estimate<unit::Slot> found = latencies.percentile(fraction);
  if (found.value + 1 >= static_cast<double>(latency_bins)) return std::nullopt;
  for (double* end : {&found.value, &found.lower, &found.upper}) *end *= static_cast<double>(bin_cycles);
  return found;
}

}  // namespace tailbound::sim
