#pragma once

#include <tailbound/queue/exponential_bound.hpp>
#include <tailbound/queue/markov_arrivals.hpp>

#include <optional>

/// A proved upper bound of the queue with on-off sources, of any number and in microseconds.
///
/// MODEL     queue/markov_queue.hpp, with arrivals from groups of equal on-off sources (OnOffGroup), whose bursts come
///           here as a whole with probability `share`.
/// METHOD    Let M(z) be one source's matrix of changes of state, each weighted with z^packets. If M(z) v <= w v with
///           v > 0 and the product of all w is at most z, then z^(S_N - N) times the product of v(state) is a
///           supermartingale, S_N the packets of N slots. Backwards in time the sources have the same law, and
///           Q > n says that S_N - N reaches n for some N; there at least two sources are ON here, and of each other the
///           mean of v given the slots in which it sent is bounded.
///           The inequalities are checked in intervals; z is next to the best one, for which they are equalities.
/// RESULT    Bursts that keep their output, on-rate 1: 1.1 to 2 times the truth at loads from a half on, 3 to 14 times at
///           1/8 (5 sources). Scattered bursts (small on-rates): more, the longer the bursts are: at 16 inputs, load 0.6
///           and a target of 1e-9 a level of 22 as the truth (bursts of 4), 28 instead of 26 (16), 47 instead of 36 (64).
/// SOURCE    docs/derivations/burst_bound.md
/// TESTS     tests/queue/burst_bound_test.cpp
namespace tailbound::queue {

/// \param digits  to which the decay rate and the prefactor come near the best ones of this kind, 1 .. 1000
/// \return none for arrivals given as blocks, and for a share below 1 of a source that never stops
/// \throws Unstable         rho >= 1
/// \throws InvalidArgument  digits out of range
/// \throws LimitExceeded    a load so near 1 that more than 2^16 bits would be needed
/// COST  below a millisecond for a group
[[nodiscard]] std::optional<ExponentialBound> burst_bound(const MarkovArrivals& arrivals,
                                                          numeric::Digits digits = {10});

}  // namespace tailbound::queue
