#pragma once

#include <tailbound/answers/broadcast/broadcast.hpp>
#include <tailbound/answers/points/run.hpp>
#include <tailbound/answers/simulation/simulation.hpp>
#include <tailbound/answers/wormhole/offered_loads.hpp>
#include <tailbound/answers/wormhole/simulated_loads.hpp>
#include <tailbound/core/quantity.hpp>
#include <tailbound/network/walks/channel_bound.hpp>
#include <tailbound/numeric/truth.hpp>
#include <tailbound/sim/broadcast/simulate_broadcasts.hpp>

#include <cstdint>
#include <vector>

/// Unicasts and broadcasts in a wormhole hypercube, simulated flit by flit: latencies at the rates asked for,
/// and the greatest rate that is carried.
///
/// MODEL     sim/broadcast/broadcast_replication.hpp
/// RESULT    estimates; the same for the same question, whatever the threads and however often it was resumed
/// TESTS     tests/answers/broadcast/broadcast_test.cpp, tests/golden/hypercube_test.cpp
namespace tailbound::answers {

/// What is simulated, but for the rate. Legal sizes: network::simulated_hypercubes.
struct SimulatedHypercube {
  BroadcastHypercube hypercube;   ///< with a start-up time of whole cycles
  std::int64_t buffer_flits = 1;  ///< of each virtual channel, 1 .. 1 000 000
};

// --- latencies

struct SimulateHypercubeQuestion {
  SimulatedHypercube network;
  /// Messages/cycle/node, above 0 and at most 1; or fractions of the saturation rate of the model's first
  /// variant, above 0 and also above 1, as the simulated network carries more.
  OfferedLoads offered{.measure = LoadMeasure::messages, .values = {}};
  std::vector<numeric::Rational> percentiles{};  ///< of both latencies, as fractions from 0 to 1
  RunLength length{};                            ///< [cycles]
  /// Of all rates together, where `length` has no cycles: some seconds on one core, but for rates near
  /// saturation; > 0.
  double flit_hops = 2e8;
  double confidence = 0.95;  ///< of each interval, above 0 and below 1
};

/// One rate, simulated; each has its own warm-up, batches and, unless told, cycles.
struct SimulatedBroadcasts {
  double rate = 0;                                     ///< [messages/cycle/node]
  numeric::Model<unit::Ratio> fraction_of_saturation;  ///< of the saturation rate of the first variant
  Simulated simulated;
  sim::BroadcastEstimates found;
};

struct SimulateHypercubeAnswer {
  numeric::Model<unit::MessagesPerCycle> model_saturation;  ///< of the first variant
  std::vector<SimulatedBroadcasts> points;                  ///< one a rate, in the order of the question
  bool stopped = false;  ///< before all was simulated; the last point may be cut short
};

/// \throws InvalidArgument  a field out of range; a checkpoint with several rates
/// \throws Overloaded       the queues at the ports grow without end at a rate
/// \throws Stopped          before anything could be said
[[nodiscard]] SimulateHypercubeAnswer answer(const SimulateHypercubeQuestion& question, const Run& run);

/// What its physical channels can carry, exactly [messages/cycle/node].
[[nodiscard]] network::ChannelBound channel_bound(const BroadcastHypercube& hypercube);

/// A rate that people can type: the nearest of nine significant digits.
[[nodiscard]] numeric::Rational typed_rate(double rate);

// --- saturation

struct HypercubeSaturationQuestion {
  SimulatedHypercube network;
  SaturationLength length;
};
using HypercubeSaturationAnswer = SaturationAnswer<unit::MessagesPerCycle>;

/// The greatest rate that the network carries.
/// \throws InvalidArgument  a field out of range
/// \throws NoAnswer         the network carries 1 message/cycle/node
/// \throws Stopped          before saturation was found
[[nodiscard]] HypercubeSaturationAnswer answer(const HypercubeSaturationQuestion& question, const Run& run);

}  // namespace tailbound::answers
