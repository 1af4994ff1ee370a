#pragma once

#include <tailbound/bounds/multistage/combining.hpp>

/// The fixed point over the queues of bounds/multistage/blocking_queue.hpp: docs/derivations/multistage.md,
/// section 5. Internal to the bounds module.
namespace tailbound::bounds::multistage {

/// \param load         0 < load <= 1
/// \param max_rounds  limit of the iteration if it does not converge; at least 1
/// \throws InvalidArgument  a field out of range
/// \throws LimitExceeded    as BlockingQueue
[[nodiscard]] Point blocking(const network::CombiningMultistage& network, double load,
                             int max_rounds = 10'000);

}  // namespace tailbound::bounds::multistage
