#pragma once

#include <tailbound/answers/broadcast/broadcast.hpp>
#include <tailbound/answers/broadcast/simulate_hypercube.hpp>
#include <tailbound/answers/comparison.hpp>
#include <tailbound/answers/points/run.hpp>

#include <array>
#include <cstddef>
#include <vector>

/// How far are the models of broadcasts in hypercubes off their simulation?
///
/// TESTS     tests/answers/broadcast/broadcast_test.cpp, tests/golden/hypercube_test.cpp
namespace tailbound::answers {

struct ValidateBroadcastQuestion {
  SimulateHypercubeQuestion simulation;                  ///< its percentiles are not compared
  Replication replication = broadcast_variants.front();  ///< the variant that is judged
};

enum class BroadcastQuantity { unicast_latency, broadcast_latency };  ///< means

/// One latency at one rate, by the simulation and by each variant.
struct BroadcastComparison {
  double rate = 0;                                     ///< [messages/cycle/node]
  numeric::Model<unit::Ratio> fraction_of_saturation;  ///< of the saturation rate of the first variant
  BroadcastQuantity quantity{};
  /// In the order of broadcast_variants; without a prediction where one does not cover the network, too.
  std::array<Comparison<unit::Cycle>, broadcast_variants.size()> variants;
};

struct ValidateBroadcastAnswer {
  SimulateHypercubeAnswer simulation;
  std::size_t judged = 0;  ///< the place in broadcast_variants of the variant that is judged
  /// Unicasts before broadcasts, rate by rate, of what was sent.
  std::vector<BroadcastComparison> rows;
  Tally tally;  ///< of the variant that is judged
  /// The models are of buffers of one flit, and deeper ones were simulated.
  bool deeper_buffers = false;
};

/// \throws as the simulation
/// \throws NoAnswer  no message was delivered while measured
[[nodiscard]] ValidateBroadcastAnswer answer(const ValidateBroadcastQuestion& question, const Run& run);

/// The same simulation, another variant judged.  \pre covers(replication, ..) of the network
[[nodiscard]] ValidateBroadcastAnswer judged_by(ValidateBroadcastAnswer answer, Replication replication);

}  // namespace tailbound::answers
