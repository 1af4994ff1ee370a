#pragma once

#include <tailbound/queue/delay/hop_delay.hpp>
#include <tailbound/queue/delay/marked_queue.hpp>
#include <tailbound/queue/markov/markov_queue.hpp>
#include <tailbound/queue/priority/priority_queue.hpp>

#include <optional>
#include <variant>

/// The delay of a packet at a queue with Markovian arrivals.
///
/// MODEL     queue/delay/hop_delay.hpp, one packet per slot; W of an arbitrary packet, not of an arbitrary
///           slot.
/// RESULT    P(W = w) = P(Q = w+1) / rho and P(W > w) = P(Q > w+1) / rho, as without bursts (a packet that
///           waits w slots is counted once at each of the positions w, ..., 0).
/// SOURCE    docs/derivations/bursty_queue.md
/// TESTS     tests/queue/delay/markov_delay_test.cpp
namespace tailbound::queue {

/// A queue on a packet's path: independent or Markovian arrivals; packets of a class that waits for a higher
/// one; or the packets of one source.
using HopQueue = std::variant<SlottedQueue, MarkovArrivals, ClassQueue, FlowQueue, MarkedArrivals>;

/// A hop's delay, and whether it is proved.
struct ClaimedHopDelay {
  series::Distribution<long double> values;
  /// Digits to which two computations agree; the bounds of `values` are then no more reliable. Empty: proved.
  std::optional<int> agreed_digits;
};

/// P(delay = t) and P(delay > t), t = 0 .. size - 1.
/// COST   as `size` levels of MarkovQueue::tail()
/// \throws LimitExceeded  as MarkovQueue::tail()
[[nodiscard]] ClaimedHopDelay hop_delay(MarkovQueue& queue, HopDelay delay, std::size_t size);

/// The wait of one source's packets.
[[nodiscard]] series::Distribution<long double> hop_delay(MarkedQueue& queue, std::size_t size);

/// E[delay] [slots]: E[Q]/rho - 1 for the wait (Little), E[Q] for occupancy.
[[nodiscard]] numeric::Claim<unit::Slot> mean_hop_delay(MarkovQueue& queue, HopDelay delay);

/// A number to compute with in place of a claim. An approximation has no bounds; those implied by its
/// agreeing digits are used.
struct ClaimBounds {
  numeric::Interval bounds;
  std::optional<int> agreed_digits;  ///< empty: the bounds are proved
};
[[nodiscard]] ClaimBounds claim_bounds(const ProbabilityClaim& claim);
[[nodiscard]] ClaimBounds claim_bounds(const numeric::Claim<unit::Packet>& claim);
[[nodiscard]] ClaimBounds claim_bounds(const numeric::Claim<unit::Slot>& claim);

/// Whether no packet ever waits: a single source sends at most one packet per slot.
[[nodiscard]] bool never_waits(const HopQueue& queue);

}  // namespace tailbound::queue
