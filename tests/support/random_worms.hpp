#pragma once

#include <tailbound/answers/wormhole/simulate_wormhole.hpp>
#include <tailbound/network/network.hpp>

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

/// Random wormhole networks, the same on every machine for the same seed, and smaller versions of them.
namespace tailbound::test {

/// All inputs of a wormhole simulation except its load.
struct RandomWorms {
  std::uint64_t seed = 0;
  std::optional<network::WormTopology> topology;  ///< or else
  network::Network own{};                 ///< switches in a star, line, ring or tree, or joined at random
  std::optional<int> virtual_channels{};  ///< of a topology
  std::int64_t flits = 1, buffer_flits = 1;
  sim::WormLengths lengths = sim::WormLengths::fixed;
  sim::WormArrivals arrivals = sim::WormArrivals::poisson;
  std::optional<answers::WormholeVariant> variant{};

  [[nodiscard]] network::MessageLengths law() const;
  [[nodiscard]] answers::SimulatedWormhole simulated() const;
  /// The options, and the network of a file as text.
  [[nodiscard]] std::string text() const;
};

[[nodiscard]] RandomWorms random_worms(std::uint64_t seed);

/// Networks with one thing less each: a flow, a route, unused parts, nodes, channels, flits.
[[nodiscard]] std::vector<RandomWorms> smaller(const RandomWorms& worms);

/// The first of smaller() with the same property, and so on until none has it.
/// \param is_so  a property of `worms`
[[nodiscard]] RandomWorms shrunk(RandomWorms worms, const std::function<bool(const RandomWorms&)>& is_so);

}  // namespace tailbound::test
