#pragma once

#include <tailbound/bounds/multistage/combining.hpp>

/// The queues of bounds/multistage/blocking_queue.hpp put together: docs/derivations/multistage.md,
/// section 5.
/// Internal to the bounds module.
namespace tailbound::bounds::multistage {

/// \param load         0 < load <= 1
/// \param most_rounds  of the iteration, which ends so where it does not settle; at least 1
/// \throws InvalidArgument  a field out of range
/// \throws LimitExceeded    as BlockingQueue
[[nodiscard]] Point blocking(const network::CombiningMultistage& network, double load,
                             int most_rounds = 10'000);

}  // namespace tailbound::bounds::multistage
