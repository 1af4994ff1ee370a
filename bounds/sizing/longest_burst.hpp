#pragma once

#include <tailbound/bounds/sizing/output_queue.hpp>

#include <functional>

/// The longest mean burst that a buffer tolerates.
///
/// METHOD    The criterion is evaluated at bursts of four significant digits; the search interpolates its
///           logarithm, which is about linear in 1 / burst.
/// TESTS     tests/bounds/sizing/longest_burst_test.cpp
namespace tailbound::bounds {

/// Two neighbouring mean bursts on the grid of four significant digits: the shorter meets the target, the
/// longer misses it. The criterion increases with the burst length.
struct LongestBurst {
  numeric::Rational met, missed;          ///< [slots]
  ComputedProbability at_met, at_missed;  ///< the criterion there
  std::unique_ptr<OutputQueue> queue;     ///< with the bursts that meet it
};

/// The queue with a given mean burst in slots.
using QueueOfBurst = std::function<std::unique_ptr<OutputQueue>(const numeric::Rational& slots)>;

/// \param shortest  the shortest burst that the sources can have [slots], at least 1
/// \throws NoAnswer         the target is missed with the shortest bursts, or met with bursts of 10^6 slots
/// \throws InvalidArgument  a target outside ]0, 1[;  others as `queue_of` and its queue
[[nodiscard]] LongestBurst longest_burst(const QueueOfBurst& queue_of, const numeric::Rational& shortest,
                                         Packets capacity, const DropTarget& target);

}  // namespace tailbound::bounds
