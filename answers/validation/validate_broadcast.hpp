#pragma once

#include <tailbound/answers/broadcast/broadcast.hpp>
#include <tailbound/answers/broadcast/simulate_hypercube.hpp>
#include <tailbound/answers/points/run.hpp>
#include <tailbound/answers/validation/compared.hpp>

/// Comparison of the broadcast model of hypercubes with simulation.
///
/// TESTS     tests/answers/broadcast/broadcast_test.cpp, tests/golden/hypercube_test.cpp
namespace tailbound::answers {

struct ValidateBroadcastQuery {
  SimulateHypercubeQuery simulation;  ///< its percentiles are not compared
};

/// The mean latencies of unicasts and of broadcasts at each rate, for the kinds of messages that were sent.
struct ValidateBroadcastAnswer : ValidatedLoads<SimulateHypercubeAnswer> {
  /// The model assumes buffers of one flit, but deeper ones were simulated.
  bool deeper_buffers = false;
};

/// \throws as the simulation
/// \throws NoAnswer  no message was delivered during measurement
[[nodiscard]] ValidateBroadcastAnswer answer(const ValidateBroadcastQuery& query, const Run& run);

}  // namespace tailbound::answers
