#pragma once

#include <tailbound/answers/broadcast/broadcast.hpp>
#include <tailbound/answers/broadcast/simulate_hypercube.hpp>
#include <tailbound/answers/comparison.hpp>
#include <tailbound/answers/points/run.hpp>

#include <vector>

/// Comparison of the broadcast model of hypercubes with simulation.
///
/// TESTS     tests/answers/broadcast/broadcast_test.cpp, tests/golden/hypercube_test.cpp
namespace tailbound::answers {

struct ValidateBroadcastQuery {
  SimulateHypercubeQuery simulation;  ///< its percentiles are not compared
};

enum class BroadcastQuantity { unicast_latency, broadcast_latency };  ///< mean values

/// One latency at one rate.
struct BroadcastComparison {
  double rate = 0;                                     ///< [messages/cycle/node]
  numeric::Model<unit::Ratio> fraction_of_saturation;  ///< as in the simulation
  BroadcastQuantity quantity{};
  Comparison<unit::Cycle> latency;
};

struct ValidateBroadcastAnswer {
  SimulateHypercubeAnswer simulation;
  /// Unicasts before broadcasts, rate by rate, for the kinds of messages that were sent.
  std::vector<BroadcastComparison> rows;
  Tally tally;
  /// The model assumes buffers of one flit, but deeper ones were simulated.
  bool deeper_buffers = false;
};

/// \throws as the simulation
/// \throws NoAnswer  no message was delivered during measurement
[[nodiscard]] ValidateBroadcastAnswer answer(const ValidateBroadcastQuery& query, const Run& run);

}  // namespace tailbound::answers
