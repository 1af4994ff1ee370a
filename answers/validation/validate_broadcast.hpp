#pragma once

#include <tailbound/answers/broadcast/broadcast.hpp>
#include <tailbound/answers/broadcast/simulate_hypercube.hpp>
#include <tailbound/answers/comparison.hpp>
#include <tailbound/answers/points/run.hpp>

#include <array>
#include <cstddef>
#include <vector>

/// Comparison of the broadcast models of hypercubes with simulation.
///
/// TESTS     tests/answers/broadcast/broadcast_test.cpp, tests/golden/hypercube_test.cpp
namespace tailbound::answers {

struct ValidateBroadcastQuery {
  SimulateHypercubeQuery simulation;                     ///< its percentiles are not compared
  Replication replication = broadcast_variants.front();  ///< the judged variant
};

enum class BroadcastQuantity { unicast_latency, broadcast_latency };  ///< mean values

/// One latency at one rate, by simulation and by each variant.
struct BroadcastComparison {
  double rate = 0;                                     ///< [messages/cycle/node]
  numeric::Model<unit::Ratio> fraction_of_saturation;  ///< as in the simulation
  BroadcastQuantity quantity{};
  /// In the order of broadcast_variants; without a prediction where a variant does not cover the network.
  std::array<Comparison<unit::Cycle>, broadcast_variants.size()> variants;
};

struct ValidateBroadcastAnswer {
  SimulateHypercubeAnswer simulation;
  std::size_t judged = 0;  ///< index of the judged variant in broadcast_variants
  /// Unicasts before broadcasts, rate by rate, for the kinds of messages that were sent.
  std::vector<BroadcastComparison> rows;
  Tally tally;  ///< of the judged variant
  /// The models assume buffers of one flit, but deeper ones were simulated.
  bool deeper_buffers = false;
};

/// \throws as the simulation
/// \throws NoAnswer  no message was delivered during measurement
[[nodiscard]] ValidateBroadcastAnswer answer(const ValidateBroadcastQuery& query, const Run& run);

/// The same simulation with another judged variant.  \pre covers(replication, ..) of the network
[[nodiscard]] ValidateBroadcastAnswer judged_by(ValidateBroadcastAnswer answer, Replication replication);

}  // namespace tailbound::answers
