#pragma once

#include <tailbound/bounds/path/path_delay.hpp>

#include <vector>

/// Latency percentiles as times, with a constant latency per queue passed for links and pipelines.
///
/// MODEL     bounds/path/path_delay.hpp; the latency of a packet that waits D slots on a route of L queues is
///           D slot + L (slot + hop); where links differ in speed, by the ticks of each.
namespace tailbound::answers {

struct SlotTime {
  numeric::Rational slot;     ///< of a slot, or of a tick of bounds::PathDelay [ns], above 0
  numeric::Rational hop = 0;  ///< added by each queue passed [ns], at least 0
  /// Ticks of a packet at each queue; empty: 1.
  std::vector<std::int64_t> ticks{};

  /// The latency of a packet that never waits [ns].
  [[nodiscard]] numeric::Rational minimum(const bounds::Route& route) const;
};

/// For each percentile of `found.latency` the minimum time t with P(latency <= t) >= p [ns], exactly.
/// \param delays  the source of `found`, with these routes
/// \throws LimitExceeded  routes of different lengths and a delay of more than 10^6 slots, or a probability
///                        too
///                        close to a percentile;  others as bounds::DelayLaw::claims()
[[nodiscard]] std::vector<numeric::Rational> latency_ns(const std::vector<bounds::Route>& routes,
                                                        const bounds::ClaimedDelayAnswer& found,
                                                        bounds::DelayLaw& delays, const SlotTime& time);

/// The mean latency [ns]: the mean of D, plus the slot and hop time for the mean number of queues on the
/// route. As exact, enclosed or computed as that mean.
[[nodiscard]] numeric::Claim<unit::Time> mean_latency_ns(const std::vector<bounds::Route>& routes,
                                                         const numeric::Claim<unit::Slot>& mean_queueing,
                                                         const SlotTime& time);

}  // namespace tailbound::answers
