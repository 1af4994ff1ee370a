#pragma once

#include <tailbound/numeric/proved.hpp>
#include <tailbound/queue/flows/flows.hpp>
#include <tailbound/queue/slotted/slotted_queue.hpp>

#include <cstdint>
#include <vector>

/// Periodic flows of one period, exactly.
///
/// MODEL     as queue/flows/flows.hpp: N flows, flow i a batch of s_i packets every T slots, phases
///           independent and uniform; K = sum s_i < T
/// RESULT    P(Q > q) = sum_{m=0}^{T-2} P(S_m = q + 1 + m) (T - K + q)/(T - 1 - m), S_m = sum_i s_i
///           Bernoulli((m + 1)/T): let m be the last of the windows that bring m + 1 + q packets. The slots
///           before it are exchangeable, and by the ballot theorem the queue was empty before it with the
///           probability given by the last factor. All terms positive. For single packets also the N*D/D/1
///           queue with continuous phases: P(work > q). This is the fraction of time and of random phases.
///           The fraction of phases for which the queue *ever* exceeds q is larger, up to T times: counted
///           exactly for few flows; for single packets at most T ((T-1)/T)^N (P0(Q > q) - P0(Q > q + 1)), P0
///           of N flows on T - 1 slots; at most T P(Q > q) in any case.
/// SOURCE    docs/derivations/policed_traffic.md, section 2; Roberts, Virtamo 1991, for single packets
/// EXCLUDES  different periods (queue/flows/flow_bounds.hpp)
/// TESTS     tests/queue/flows/periodic_flows_test.cpp
namespace tailbound::queue {

/// P(Q > level), to a relative width of 10^-digits.
///
/// COST      O(N log N) operations for equal batches; for c different ones O(T N^(c - 1)) or more
/// \param level   >= 0
/// \param digits  1 .. 1000
/// \throws InvalidArgument  as check_flows(); not periodic, or of different periods; level, digits out of
///                          range
/// \throws Unstable         K >= T
/// \throws LimitExceeded    more than some 10^10 products
[[nodiscard]] LevelProbability periodic_tail(const std::vector<FlowGroup>& flows, std::int64_t level,
                                             numeric::Digits digits = {});

/// The same as a fraction, for up to some hundred flows.  \throws as periodic_tail()
[[nodiscard]] numeric::Exact<unit::Probability> periodic_tail_exact(const std::vector<FlowGroup>& flows,
                                                                    std::int64_t level);

/// Smallest level n with P(Q > n) <= target, and the tails on both sides.
/// \param target  0 < target < 1  \throws as periodic_tail()
[[nodiscard]] TailBoundary periodic_min_level(const std::vector<FlowGroup>& flows,
                                              const numeric::Rational& target, numeric::Digits digits = {});

/// P(Q > level in any slot): the probability over the phases that the level is ever exceeded, as a fraction.
/// COST  for equal batches O(T N level^2) products of long numbers
/// \throws as periodic_tail(); LimitExceeded above 10^7 products
[[nodiscard]] numeric::Exact<unit::Probability> periodic_ever_exact(const std::vector<FlowGroup>& flows,
                                                                    std::int64_t level);
/// A fast upper bound of the same.  \throws as periodic_tail()
[[nodiscard]] numeric::UpperBound<unit::Probability> periodic_ever_bound(const std::vector<FlowGroup>& flows,
                                                                         std::int64_t level);
/// Exact where that is cheap, otherwise the bound.
[[nodiscard]] numeric::Claim<unit::Probability> periodic_ever(const std::vector<FlowGroup>& flows,
                                                              std::int64_t level);

struct EverBoundary {
  std::int64_t level = 0;
  numeric::Claim<unit::Probability> probability;  ///< of ever exceeding it: at most the target
};
/// A level that is ever exceeded with at most the target probability; the smallest one where the probability
/// is exact.
/// \param target  0 < target < 1  \throws as periodic_tail()
[[nodiscard]] EverBoundary periodic_ever_level(const std::vector<FlowGroup>& flows,
                                               const numeric::Rational& target);

}  // namespace tailbound::queue
