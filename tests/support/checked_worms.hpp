#pragma once

#include <cstdint>
#include <string>
#include <tests/support/random_worms.hpp>

/// Random wormhole networks asked of the simulation, its model and its documents: what contradicts what.
namespace tailbound::test {

struct WormTally {
  std::int64_t networks = 0, saturations = 0, bounded = 0;  ///< searched; where the search ended at the bound
  std::int64_t modelled = 0, without_model = 0, deadlocks = 0, carried = 0;  ///< carried: at any legal load
  double nearest = 0;  ///< the highest greatest stable load over its bound
};

/// - the bound of the physical channels is that of walking all messages, counted here;
/// - no simulated saturation is above it, nor is the model's;
/// - the model beside the simulation is that of `wormhole`: the same settings, the same saturation, the same loads for
///   the same fractions; or both have none, and the simulation says why;
/// - what is delivered is not more than what is offered, and no message is faster than in an empty network;
/// - worms block each other for ever only where channels wait for each other in a circle, and that is said.
///
/// Everything else that is thrown is wrong.
/// \return "what: how", empty if nothing is wrong
[[nodiscard]] std::string wrong_worms(const RandomWorms& worms, WormTally& tally);

/// The same of random_worms(seed); what is wrong, with the smallest network of which the same is wrong.
[[nodiscard]] std::string checked_worms(std::uint64_t seed, WormTally& tally);

}  // namespace tailbound::test
