#pragma once

#include <tailbound/queue/slotted/slotted_queue.hpp>
#include <tailbound/series/distribution.hpp>

#include <array>

/// What one queue adds to the delay of a packet.
///
/// MODEL     W = slots that an arbitrary packet waits, its own service slot not counted; first in, first out,
///           random order within a slot. With V = packets left by earlier slots and J = packets of its own
///           slot that it finds ahead, P(J = j) = P(A > j) / rho:  W = floor((V + J) / C).
/// RESULT    W(z) = V(z) B1(z) / rho, P(W = w) = P(Q = w+1) / rho for C = 1.
/// SOURCE    docs/derivations/path_delay.md
///           FlowQueue: of the packets of one source. V is independent of its slot, and J are the packets of
///           the other sources that come first in random order.
/// EXCLUDES  correlated slots (queue/delay/markov_delay.hpp)
/// TESTS     tests/queue/delay/hop_delay_test.cpp, data/reference/path_delay.csv
namespace tailbound::queue {

enum class HopDelay {
  wait,       ///< W
  occupancy,  ///< Q, the published figure read literally; for C = 1
};
[[nodiscard]] constexpr auto names_of(HopDelay) {
  return std::array{"wait", "occupancy"};
}

/// `count` sources that send at most one packet per slot each, with probability `rate`.
struct SlotSources {
  numeric::Rational rate;
  std::int64_t count = 1;
};

/// The packets of one source at a queue of independent slots.
struct FlowQueue {
  /// Maximum number of sources besides it.
  static constexpr std::int64_t max_sources = 2048;

  SlottedQueue queue;               ///< of all sources
  std::vector<SlotSources> others;  ///< of all sources but the one whose packets wait
};

/// Maximum number of slots of a delay distribution, C = 1: a few arrays of long doubles of this length take 1
/// GB, and their transforms minutes.
inline constexpr std::int64_t max_delay_slots = std::int64_t{1} << 23;

/// Maximum `size` of the functions below [slots]: max_delay_slots / C.
[[nodiscard]] std::size_t longest_delay(const SlottedQueue& queue);

/// P(delay = t) and P(delay > t), t = 0 .. size - 1, in long double with a proved rounding bound.
/// \param log2_min  values from 2^log2_min on keep their relative accuracy; smaller ones are affected by
///                    the truncation of the arrivals. At least -15 000.
/// \param digits      required of sums of a few such delays; up to 10 allow a faster arithmetic
/// COST   2 size C K products, K = length of the arrivals' support that counts.
/// \throws Unstable         rho >= C
/// \throws InvalidArgument  rho = 0: no packet is delayed because there is none; occupancy with C > 1
/// \throws LimitExceeded    size > longest_delay(), or as series::enclosed_arrival_tails()
[[nodiscard]] series::Distribution<long double> hop_delay(const SlottedQueue& queue, HopDelay delay,
                                                          std::size_t size, double log2_min,
                                                          numeric::Digits digits = {18});
/// P(Q = n) and P(Q > n) just after arrivals, n = 0 .. size - 1; C of any size. Otherwise as hop_delay().
[[nodiscard]] series::Distribution<long double> occupancy_law(const SlottedQueue& queue, std::size_t size,
                                                              double log2_min);
/// hop_delay() in MPFR arithmetic of `bits` bits. \throws also LimitExceeded beyond 4e8 products
[[nodiscard]] series::Distribution<numeric::Real> hop_delay(const SlottedQueue& queue, HopDelay delay,
                                                            std::size_t size, double log2_min, int bits);

/// The same for FlowQueue; the delay is the wait.  \throws also LimitExceeded  more than max_sources others
[[nodiscard]] series::Distribution<long double> hop_delay(const FlowQueue& flow, std::size_t size,
                                                          double log2_min, numeric::Digits digits = {18});
[[nodiscard]] series::Distribution<numeric::Real> hop_delay(const FlowQueue& flow, std::size_t size,
                                                            double log2_min, int bits);
/// \throws LimitExceeded  as ExactValues
[[nodiscard]] std::vector<numeric::Rational> exact_hop_delay(const FlowQueue& flow, std::size_t size);
/// E[W] [slots]: exact for one packet per slot. Errors as hop_delay().
[[nodiscard]] numeric::Proved<unit::Slot> mean_hop_delay(const FlowQueue& flow, numeric::Digits digits = {});
[[nodiscard]] std::size_t longest_delay(const FlowQueue& flow);

/// P(delay = t), t = 0 .. size - 1, exactly.
/// \throws LimitExceeded  as ExactValues
[[nodiscard]] std::vector<numeric::Rational> exact_hop_delay(const SlottedQueue& queue, HopDelay delay,
                                                             std::size_t size);

/// E[delay] [slots]: E[Q]/rho - 1 for the wait (Little), E[Q] for occupancy. Errors as hop_delay().
[[nodiscard]] numeric::Proved<unit::Slot> mean_hop_delay(const SlottedQueue& queue, HopDelay delay,
                                                         numeric::Digits digits = {});

}  // namespace tailbound::queue
