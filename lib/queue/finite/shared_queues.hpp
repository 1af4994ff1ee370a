#pragma once

#include <tailbound/queue/finite/shared_memory.hpp>
#include <tailbound/series/distribution.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>

/// The memory shared by output queues, from the distribution of each queue alone.
///
/// MODEL     shared_memory.hpp with one cell per packet, any number of sources, and outputs that serve any
///           number of packets per slot
/// RESULT    its bounds of P(T > M) and of the loss where all outputs share freely, with T* = Q_1* + ... +
///           Q_N* in place of T~. It is not necessary to know which input sends to which outputs, and with
///           many inputs this costs little. Large memories are counted in blocks, as there
/// SOURCE    docs/derivations/shared_memory.md, "From the queues' laws alone"
/// TESTS     tests/queue/finite/shared_queues_test.cpp
namespace tailbound::queue {

/// Outputs whose queues have the same distribution. The arrivals of a slot at one of them are a sum of
/// independent numbers that are 0 or 1.
struct OutputQueues {
  std::int64_t count = 1;
  numeric::Rational load;    ///< of one output [packets/slot], above 0, below packets_per_slot
  int packets_per_slot = 1;  ///< C
  /// P(Q = n) and P(Q > n) just after arrivals, n = 0 .. size - 1, not tilted; as small_sources_delay().
  std::function<series::Distribution<long double>(std::size_t size, double log2_min)> law;
};

/// Smallest M whose bound is at most `target`.
/// COST  as SharedMemory::minimum()
/// \param target  1e-600 .. below 1
/// \param pulse   called now and then; an exception that it throws ends the computation
/// \throws LimitExceeded  a memory of more than 2^20 packets
[[nodiscard]] ProvedMemory min_memory(std::span<const OutputQueues> outputs, MemoryRule::Measure measure,
                                      const numeric::Rational& target,
                                      const std::function<void()>& pulse = {});

}  // namespace tailbound::queue
