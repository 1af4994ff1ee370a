#pragma once

#include <tailbound/bounds/sizing/buffer_size.hpp>

#include <optional>

/// Maximum load for a buffer, and minimum speedup for which a buffer suffices.
///
/// MODEL     the traffic of `queue` thinned: each packet kept with probability s, so load = s rho. For
///           independent inputs and Poisson this is the same traffic at another load.
/// SOURCE    Singh and Dally 2004, section V ("speedup"): a speedup s turns load rho into rho / s.
namespace tailbound::bounds {

/// The boundary between loads that meet the target and loads that do not. It is proved to be met at `lower`
/// and missed at `upper`; upper/lower - 1 <= 10^-digits. All loads between 0 and `lower` meet it (the drop
/// probability increases with the load). A load that meets a loss target may exceed what is served.
struct MaxLoad {
  numeric::Enclosure<unit::Load> load;
  queue::LevelProbability at_lower;  ///< the criterion at load.lower(): <= target
  /// The criterion at load.upper(): > target; none if the maximum load of the traffic meets it.
  std::optional<queue::LevelProbability> at_upper{};
  std::optional<numeric::Rational> all_of_it{};  ///< that maximum load, exactly
};

/// \param queue  sets the form of the traffic. Its own load does not matter and may be unstable; for a PMF or
///               a formula it must be positive and is the maximum load tried
/// \throws NoAnswer  no positive load meets the target, or every stable one does (overflow)
[[nodiscard]] MaxLoad max_load(const queue::SlottedQueue& queue, Packets capacity, const DropTarget& target,
                               const queue::Accuracy& accuracy = {});

/// Smallest s >= 1 such that `queue` at load rho / s meets the target. Exactly 1 if it already meets it.
[[nodiscard]] numeric::Proved<unit::Ratio> min_speedup(const queue::SlottedQueue& queue, Packets capacity,
                                                       const DropTarget& target,
                                                       const queue::Accuracy& accuracy = {});

}  // namespace tailbound::bounds
