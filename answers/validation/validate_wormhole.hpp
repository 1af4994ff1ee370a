#pragma once

#include <tailbound/answers/validation/compared.hpp>
#include <tailbound/answers/wormhole/simulate_wormhole.hpp>

#include <memory>
#include <optional>

/// Comparison of the wormhole model with simulation.
///
/// TESTS     tests/answers/wormhole/wormhole_test.cpp, tests/golden/wormhole_test.cpp
namespace tailbound::answers {

struct ValidateWormholeQuery {
  SimulateWormholeQuery simulation;  ///< its percentiles are not compared
};

/// Properties of the model. It models the simulated network: its virtual channels, buffers, lengths and ends.
struct WormholeModelled {
  std::optional<int> virtual_channels;  ///< of each link; nothing for a user-defined network
  bool bernoulli_arrivals = false;      ///< Poisson arrivals in the model, Bernoulli in the simulation
};

/// The mean latency at each load. Fractions refer to the saturation load of the compared model.
struct ValidateWormholeAnswer : ValidatedLoads<SimulateWormholeAnswer> {
  WormholeModelled modelled;
  /// For each load the latencies of the model by class and length, where messages differ; empty without a
  /// solution.
  std::vector<std::vector<MessageLatency>> by_length{};
  std::shared_ptr<const bounds::wormhole::Model>
      model;  ///< the compared model; null in an answer that was stored
};

/// \throws as the simulation
/// \throws NoAnswer  no model exists for the network; or no message was delivered during measurement
[[nodiscard]] ValidateWormholeAnswer answer(const ValidateWormholeQuery& query, const Run& run);

/// For plots: the model up to the largest compared load that it solves; nothing if it solves none.
[[nodiscard]] std::optional<LatencyOfLoad> latency_of_load(const ValidateWormholeQuery& query,
                                                           const ValidateWormholeAnswer& answer);

}  // namespace tailbound::answers
