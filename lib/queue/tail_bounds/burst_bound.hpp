#pragma once

#include <tailbound/queue/arrivals/markov_arrivals.hpp>
#include <tailbound/queue/tail_bounds/source_bound.hpp>

#include <optional>

/// A proved upper bound of the queue with on-off sources, of any number and in microseconds.
///
/// MODEL     queue/markov/markov_queue.hpp, with arrivals from groups of equal on-off sources (OnOffGroup), whose bursts come
///           here as a whole with probability `share`.
/// METHOD    Let M(z) be one source's matrix of changes of state, each weighted with z^packets. If M(z) v <= w v with
///           v > 0 and the product of all w is at most z, then z^(S_N - N) times the product of v(state) is a
///           supermartingale, S_N the packets of N slots. Backwards in time the sources have the same law, and
///           Q > n says that S_N - N reaches n for some N; there at least two sources are ON here, and of each other the
///           mean of v given the slots in which it sent is bounded.
///           The inequalities are checked in intervals; z is next to the best one, for which they are equalities.
/// RESULT    Bursts that keep their output, on-rate 1: 1.1 to 2 times the truth at loads from a half on, up to 100 times at
///           1/10, and more with small on-rates (scattered bursts), the longer the bursts are. With last_empty_slot.hpp
///           beside it, which is near at small loads: 1 to 2 times at all of them.
/// SOURCE    docs/derivations/burst_bound.md
/// TESTS     tests/queue/tail_bounds/burst_bound_test.cpp
namespace tailbound::queue {

/// \param digits  to which the decay rate and the prefactor come near the best ones of this kind, 1 .. 1000
/// \return none for arrivals given as blocks, and for a share below 1 of a source that never stops
/// \throws Unstable         rho >= 1
/// \throws InvalidArgument  digits out of range
/// \throws LimitExceeded    a load so near 1 that more than 2^16 bits would be needed
/// COST  below a millisecond for a group
[[nodiscard]] std::optional<ExponentialBound> burst_bound(const MarkovArrivals& arrivals,
                                                          numeric::Digits digits = {10});

/// Each group as a chain of OFF, ON here and ON elsewhere.
/// \throws InvalidArgument  a source that never stops with a share below 1
[[nodiscard]] std::vector<SourceChain> source_chains(const std::vector<OnOffGroup>& groups);

/// burst_bound(), and beside it the one by the last empty slot: of the same arguments, none where it is none.
[[nodiscard]] std::optional<SourceBound> source_bound(const MarkovArrivals& arrivals,
                                                      numeric::Digits digits = {10});

}  // namespace tailbound::queue
