#pragma once

#include <tailbound/bounds/sizing/output_queue.hpp>

#include <functional>
#include <optional>

/// The largest mean burst, or the largest load, that a buffer tolerates, for any queue.
///
/// METHOD    The criterion is evaluated at numbers of four significant digits; the search interpolates its
///           logarithm, which is about linear in 1 / burst and in the load.
/// TESTS     tests/bounds/sizing/largest_parameter_test.cpp
namespace tailbound::bounds {

/// Two neighbouring numbers of four significant digits: the smaller meets the target, the larger misses it.
/// The criterion increases with the parameter.
struct LargestParameter {
  numeric::Rational met, missed;  ///< equal if the largest one that the traffic can have meets it
  ComputedProbability at_met;     ///< the criterion there
  std::optional<ComputedProbability> at_missed;  ///< none if all meet the target
};

/// The criterion with a given parameter; none where the queue is unstable.
using CriterionAt = std::function<std::optional<ComputedProbability>(const numeric::Rational& parameter)>;

/// The queue with a given parameter.
using QueueAt = std::function<std::unique_ptr<OutputQueue>(const numeric::Rational& parameter)>;

/// The longest mean burst [slots].
/// \param shortest  the shortest burst that the sources can have [slots], at least 1
/// \throws NoAnswer         the target is missed with the shortest bursts, or met with bursts of 10^6 slots
/// \throws InvalidArgument  a target outside ]0, 1[;  others as `queue_of` and its queue
[[nodiscard]] LargestParameter longest_burst(const QueueAt& queue_of, const numeric::Rational& shortest,
                                             Packets capacity, const DropTarget& target);

/// The highest load [packets/slot], or the largest share of it. A load with an unstable queue misses any
/// target.
/// \param limit  the largest one that the sources can have, above 0
/// \throws NoAnswer         already 1e-12 misses the target, or all loads with a stable queue meet it
/// \throws InvalidArgument  a target outside ]0, 1[;  others as `queue_at` and its queue
[[nodiscard]] LargestParameter highest_load(const QueueAt& queue_at, const numeric::Rational& limit,
                                            Packets capacity, const DropTarget& target);
/// \param start  where the search begins, if a load is known that is likely to meet the target
[[nodiscard]] LargestParameter highest_load(const CriterionAt& criterion_at, const numeric::Rational& limit,
                                            const numeric::Rational& target,
                                            const std::optional<numeric::Rational>& start = {});

}  // namespace tailbound::bounds
