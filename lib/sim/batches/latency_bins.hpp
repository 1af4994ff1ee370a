#pragma once

#include <tailbound/core/quantity.hpp>
#include <tailbound/sim/batches/histogram_batches.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>

/// Histograms of latencies, whose bins are a power of two cycles wide.
/// Internal to the sim module.
namespace tailbound::sim {

/// The last one counts all values beyond.
inline constexpr std::size_t latency_bins = std::size_t{1} << 17U;

/// Width of a bin [cycles] for latencies of about `cycles`: 1, and more from 2 048 on.
[[nodiscard]] std::uint64_t bin_of(std::uint64_t cycles);

/// Adds one to the bin; the histogram grows as needed.
void count_in_bin(Histogram& histogram, std::uint64_t bin);

/// [cycles], from bins of the given width. Nothing if the value is beyond the last bin, or nothing was
/// counted.
/// \throws InvalidArgument  fraction not between 0 and 1
[[nodiscard]] std::optional<numeric::Estimate<unit::Slot>> latency_percentile(
    const HistogramBatches& latencies, double fraction, std::uint64_t bin_cycles);

}  // namespace tailbound::sim
