#pragma once

#include <tailbound/queue/arrivals/markov_arrivals.hpp>
#include <tailbound/queue/tail_bounds/source_bound.hpp>

#include <optional>

/// A proved upper bound for the queue of any number of on-off sources, computed in microseconds.
///
/// MODEL     queue/markov/markov_queue.hpp, with arrivals from groups of identical on-off sources
///           (OnOffGroup), whose bursts go as a whole to this queue with probability `share`.
/// METHOD    Let M(z) be one source's matrix of changes of state, each weighted with z^packets. If M(z) v <=
///           w v with v > 0 and the product of all w is at most z, then z^(S_N - N) times the product of
///           v(state) is a supermartingale, S_N the packets of N slots. Reversed in time the sources have the
///           same distribution, and Q > n means that S_N - N reaches n for some N. At that time at least two
///           sources are ON here, and for each other source the mean of v given the slots in which it sent is
///           bounded. The inequalities are checked in intervals; z is close to the best value, for which they
///           are equalities.
/// RESULT    Bursts with per-burst destinations, on-rate 1: 1.1 to 2 times the true value at loads from
///           1/2 on, up to 100 times at 1/10. With small on-rates (per-packet destinations) more, growing
///           with the burst length. Combined with last_empty_slot.hpp, which is tight at small loads: 1 to 2
///           times at all loads.
/// SOURCE    docs/derivations/burst_bound.md
/// TESTS     tests/queue/tail_bounds/burst_bound_test.cpp
namespace tailbound::queue {

/// \param digits  to which decay rate and prefactor approach the best ones of this kind, 1 .. 1000
/// \return none for arrivals given as blocks, and for a share below 1 of a source that never stops
/// \throws Unstable         rho >= 1
/// \throws InvalidArgument  digits out of range
/// \throws LimitExceeded    a load so close to 1 that more than 2^16 bits would be needed
/// COST  below a millisecond per group
[[nodiscard]] std::optional<ExponentialBound> burst_bound(const MarkovArrivals& arrivals,
                                                          numeric::Digits digits = {10});

/// Each group as a chain of OFF, ON here and ON elsewhere.
/// \throws InvalidArgument  a source that never stops with a share below 1
[[nodiscard]] std::vector<SourceChain> source_chains(const std::vector<OnOffGroup>& groups);

/// burst_bound() combined with the bound by the last empty slot. Same arguments; none where burst_bound() is
/// none.
[[nodiscard]] std::optional<SourceBound> source_bound(const MarkovArrivals& arrivals,
                                                      numeric::Digits digits = {10});

}  // namespace tailbound::queue
