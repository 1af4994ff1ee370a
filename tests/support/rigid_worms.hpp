#pragma once

#include <tailbound/network/worms/worm_network.hpp>

#include <cstdint>
#include <vector>

/// A second simulator of wormhole networks, as different from the first as possible: worms are rigid (with
/// buffers of one flit and physical channels of their own a worm moves as a whole or not at all), each cycle
/// is solved as a fixed point over all worms, and numbers come from another generator.
namespace tailbound::test {

struct RigidResult {
  std::vector<double> batch_latency;  ///< mean of each batch [cycles]
  std::vector<double> batch_wait;     ///< at the source
};

/// Poisson messages of `flits` flits at `load` flits/cycle/node, uniform traffic.
/// \param network  with a physical channel for each channel
[[nodiscard]] RigidResult simulate_rigid_worms(const network::WormNetwork& network, double load,
                                               std::uint32_t flits, std::int64_t batch_cycles, int batches,
                                               std::uint64_t seed);

}  // namespace tailbound::test
