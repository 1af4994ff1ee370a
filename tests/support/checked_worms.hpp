#pragma once

#include <cstdint>
#include <string>
#include <tests/support/random_worms.hpp>

/// Compares the simulation, the model and the documents of random wormhole networks.
namespace tailbound::test {

struct WormTally {
  std::int64_t networks = 0, saturations = 0, bounded = 0;  ///< searched; searches that ended at the bound
  std::int64_t modelled = 0, without_model = 0, deadlocks = 0, carried = 0;  ///< carried: at any legal load
  double nearest = 0;  ///< the highest ratio of a stable load to its bound
};

/// - the bound of the physical channels equals an enumeration of all messages here;
/// - neither the simulated saturation nor the model's exceeds it;
/// - the model shown with the simulation is that of `wormhole`: the same settings, the same saturation, the
///   same loads for the same fractions; or both have none, and the simulation gives the reason;
/// - the delivered load is at most the offered one, and no message is faster than in an empty network;
/// - deadlock occurs only if channels wait for each other in a cycle, and is reported.
///
/// All other exceptions count as failures.
/// \return "what: how", empty if nothing is wrong
[[nodiscard]] std::string wrong_worms(const RandomWorms& worms, WormTally& tally);

/// The same for random_worms(seed); the failure, with the smallest network that has the same failure.
[[nodiscard]] std::string checked_worms(std::uint64_t seed, WormTally& tally);

}  // namespace tailbound::test
