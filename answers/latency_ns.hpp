#pragma once

#include <tailbound/bounds/path/path_delay.hpp>

#include <vector>

/// Percentiles of latencies as times, where each queue passed adds a time of its own: wires and pipelines.
///
/// MODEL     bounds/path/path_delay.hpp; the latency of a packet that waits D slots on a route of L queues is
///           D slot + L (slot + hop).
namespace tailbound::answers {

struct SlotTime {
  numeric::Rational slot;     ///< [ns], above 0
  numeric::Rational hop = 0;  ///< that each queue passed adds [ns], at least 0
};

/// For each percentile of `found.latency` the least time t with P(latency <= t) >= p [ns], exactly.
/// \param delays  that `found` was asked of, with these routes
/// \throws LimitExceeded  routes of different lengths and a delay of more than 10^6 slots, or a probability that
///                        is too near to a percentile;  others as bounds::DelayLaw::claims()
[[nodiscard]] std::vector<numeric::Rational> latency_ns(const std::vector<bounds::Route>& routes,
                                                        const bounds::ClaimedDelayAnswer& found,
                                                        bounds::DelayLaw& delays, const SlotTime& time);

/// The mean latency [ns]: of the mean of D, with a slot and what the hop adds for each queue that a packet meets in the
/// mean. As exact, enclosed or computed as that is.
[[nodiscard]] numeric::Claim<unit::Time> mean_latency_ns(const std::vector<bounds::Route>& routes,
                                                         const numeric::Claim<unit::Slot>& mean_queueing,
                                                         const SlotTime& time);

}  // namespace tailbound::answers
