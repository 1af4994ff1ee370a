#pragma once

#include <tailbound/sim/batches/replication.hpp>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>

/// What simulations of links by their own clocks have in common: a queue, the counts of waits, and how often
/// phases are drawn. Times are ticks (network/clocks/link_clocks.hpp).
namespace tailbound::sim {

/// Packet times of the slowest link between two draws of the phases. Estimates average over some hundred.
inline constexpr std::int64_t phase_slots = 512;

/// Bins of waits: exact up to 512 ticks, then 256 to each power of two (0.4 %). A bin includes its upper end
/// and not its lower one: P(D > t) is exact at the upper ends, where waits of whole packets are.
struct WaitBins {
  static constexpr std::int64_t min_packet = 32;  ///< ticks of a packet on the fastest link, at least
  static constexpr int bits = 8;

  [[nodiscard]] static std::size_t bin(std::int64_t ticks) {
    if (ticks == 0) return 0;
    const auto value = static_cast<std::uint64_t>(ticks - 1);
    const int shift = value < (2U << bits) ? 0 : 63 - bits - std::countl_zero(value);
    return (static_cast<std::size_t>(shift) << bits) + static_cast<std::size_t>(value >> shift) + 1;
  }
  /// The largest wait of a bin [ticks].
  [[nodiscard]] static std::int64_t last(std::size_t bin) {
    if (bin == 0) return 0;
    const auto head = static_cast<std::int64_t>(bin - 1 - (static_cast<std::size_t>(shift_of(bin)) << bits));
    return (head + 1) << shift_of(bin);
  }
  /// The mean of all its waits [ticks].
  [[nodiscard]] static double average(std::size_t bin) {
    return static_cast<double>(last(bin)) - 0.5 * (std::pow(2, shift_of(bin)) - 1);
  }

 private:
  [[nodiscard]] static int shift_of(std::size_t bin) {
    return bin == 0 || bin - 1 < (2U << bits) ? 0 : static_cast<int>((bin - 1) >> bits) - 1;
  }
};

/// A queue that sends its packets in order of arrival.
struct ClockedQueue {
  std::int64_t tick = 0;                  ///< of one packet
  std::int64_t free = 0;                  ///< when all its packets will have been sent
  std::int64_t size = 0, counted_to = 0;  ///< the packet in transmission is included

  /// Counts the ticks until then with their numbers of packets, which leave one packet time after the other.
  void settle(std::vector<std::uint64_t>& occupancy, std::int64_t until) {
    while (size > 0 && free - (size - 1) * tick <= until) {
      count(occupancy, free - (size - 1) * tick);
      --size;
    }
    count(occupancy, until);
  }
  /// The same where none leaves.
  void count(std::vector<std::uint64_t>& occupancy, std::int64_t until) {
    count_at(occupancy, static_cast<std::size_t>(size), static_cast<std::uint64_t>(until - counted_to));
    counted_to = until;
  }
  /// A packet joins.  \return when its transmission begins
  std::int64_t join(std::int64_t now) {
    const std::int64_t start = std::max(now, free);
    free = start + tick;
    ++size;
    return start;
  }
};

}  // namespace tailbound::sim
