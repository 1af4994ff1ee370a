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

/// Flit-level simulation of unicasts and broadcasts in a wormhole hypercube: latencies at given rates, and
/// the saturation rate.
///
/// MODEL     sim/broadcast/broadcast_replication.hpp
/// RESULT    estimates; reproducible for the same query, independent of threads and resumption
/// TESTS     tests/answers/broadcast/broadcast_test.cpp, tests/golden/hypercube_test.cpp
namespace tailbound::answers {

/// The simulated network, without a rate. Legal sizes: network::simulated_hypercubes.
struct SimulatedHypercube {
  BroadcastHypercube hypercube;   ///< with a start-up time of an integer number of cycles
  std::int64_t buffer_flits = 1;  ///< of each virtual channel, 1 .. 1 000 000
};

// --- latencies

struct SimulateHypercubeQuery {
  SimulatedHypercube network;
  /// Messages/cycle/node, above 0 and at most 1; or fractions of the saturation rate of the model, above 0.
  /// They may exceed 1, as the simulated network may carry more.
  OfferedLoads offered{.measure = LoadMeasure::messages, .values = {}};
  std::vector<numeric::Rational> percentiles{};  ///< of both latencies, as fractions from 0 to 1
  RunLength length{};                            ///< [cycles]
  /// For all rates together, if `length` has no cycles: a few seconds on one core, except near saturation; >
  /// 0.
  double flit_hops = 2e8;
  double confidence = 0.95;  ///< of each interval, above 0 and below 1
};

/// One simulated rate, with its own warm-up and batches, and by default its own number of cycles.
struct SimulatedBroadcasts {
  double rate = 0;                                     ///< [messages/cycle/node]
  numeric::Model<unit::Ratio> fraction_of_saturation;  ///< of the model's saturation rate
  Simulated simulated;
  sim::BroadcastEstimates found;
};

struct SimulateHypercubeAnswer {
  numeric::Model<unit::MessagesPerCycle> model_saturation;
  std::vector<SimulatedBroadcasts> points;  ///< one per answered rate, in the order of the query
  bool stopped = false;                     ///< before all was simulated; the last point may be partial
  std::vector<Refusal> refused{};           ///< rates without an answer
};

/// \throws InvalidArgument  a field out of range; a checkpoint with several rates
/// \throws Overloaded       of a single rate: the queues at the ports grow without bound
/// \throws NoAnswer         no rate has an answer: the reason of the first
/// \throws Stopped          before any result
[[nodiscard]] SimulateHypercubeAnswer answer(const SimulateHypercubeQuery& query, const Run& run);

/// Capacity of its physical channels, exact [messages/cycle/node].
[[nodiscard]] network::ChannelBound channel_bound(const BroadcastHypercube& hypercube);

/// The rate rounded to nine significant digits, so that it can be typed.
[[nodiscard]] numeric::Rational typed_rate(double rate);

// --- saturation

struct HypercubeSaturationQuery {
  SimulatedHypercube network;
  SaturationLength length;
};
using HypercubeSaturationAnswer = SaturationAnswer<unit::MessagesPerCycle>;

/// The saturation rate of the network.
/// \throws InvalidArgument  a field out of range
/// \throws NoAnswer         the network carries 1 message/cycle/node
/// \throws Stopped          before saturation was found
[[nodiscard]] HypercubeSaturationAnswer answer(const HypercubeSaturationQuery& query, const Run& run);

}  // namespace tailbound::answers
