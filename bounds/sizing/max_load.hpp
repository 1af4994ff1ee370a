#pragma once

#include <tailbound/bounds/sizing/buffer_size.hpp>

#include <optional>

/// The greatest load that a buffer can take, and the least speedup that makes a buffer enough.
///
/// MODEL     the traffic of `queue` thinned: each packet kept with probability s, so load = s rho. For
///           independent inputs and Poisson this is the same traffic at another load.
/// SOURCE    Singh and Dally 2004, section V ("speedup"): a speedup s turns load rho into rho / s.
namespace tailbound::bounds {

/// The boundary between loads that meet the target and loads that do not: it is met, proved, at
/// `lower` and missed, proved, at `upper`; upper/lower - 1 <= 10^-digits. All loads between 0 and
/// `lower` meet it (the drop probability grows with the load).
struct MaxLoad {
  numeric::Enclosure<unit::Load> load;
  queue::LevelProbability at_lower;  ///< the criterion at load.lower(): <= target
  /// The criterion at load.upper(): > target; none where `load` is the greatest that the traffic can have, which meets it.
  std::optional<queue::LevelProbability> at_upper{};
  std::optional<numeric::Rational> all_of_it{};  ///< that greatest load, exactly
};

/// \param queue  fixes the form of the traffic; its own load does not matter and may be unstable; that
///               of a PMF or a formula must be positive, and is the greatest that is tried
/// \throws NoAnswer  no positive load meets the target, or every stable one does
[[nodiscard]] MaxLoad max_load(const queue::SlottedQueue& queue, Packets capacity, const DropTarget& target,
                               const queue::Accuracy& accuracy = {});

/// The least s >= 1 such that `queue` at load rho / s meets the target. Exact 1 if it meets it already.
[[nodiscard]] numeric::Proved<unit::Ratio> min_speedup(const queue::SlottedQueue& queue, Packets capacity,
                                                       const DropTarget& target,
                                                       const queue::Accuracy& accuracy = {});

}  // namespace tailbound::bounds
