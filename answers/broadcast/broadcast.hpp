#pragma once

#include <tailbound/answers/network/broadcast_hypercube.hpp>
#include <tailbound/answers/points/refusal.hpp>
#include <tailbound/answers/points/run.hpp>
#include <tailbound/answers/wormhole/offered_loads.hpp>
#include <tailbound/core/quantity.hpp>
#include <tailbound/network/hypercube.hpp>
#include <tailbound/numeric/rational.hpp>
#include <tailbound/numeric/truth.hpp>

#include <cstdint>
#include <optional>
#include <vector>

/// Unicast and broadcast latencies in a wormhole hypercube, and its saturation rate.
///
/// MODEL     bounds/wormhole/shared_wire.hpp
/// RESULT    approximate; measured errors: accuracy.hpp
/// SOURCE    docs/derivations/broadcast.md
/// TESTS     tests/answers/broadcast/broadcast_test.cpp, tests/golden/broadcast_test.cpp
namespace tailbound::answers {

struct BroadcastQuery {
  BroadcastHypercube hypercube;
  /// Messages/cycle/node, from 0; or fractions of the saturation rate, from 0 and below 1.
  OfferedLoads offered{.measure = LoadMeasure::messages, .values = {}};
};

/// The channels of one dimension.
struct BroadcastChannels {
  numeric::Model<unit::Ratio> utilization;  ///< below 1
  numeric::Model<unit::Cycle> service;      ///< mean time that a message holds a virtual channel
  numeric::Model<unit::Cycle> wait;         ///< mean wait of a head that finds all virtual channels busy
  numeric::Model<unit::Probability> all_busy;
  numeric::Model<unit::Cycle> blocking;      ///< mean of that wait over all heads
  numeric::Model<unit::Ratio> multiplexing;  ///< mean number of busy virtual channels, as seen by one of them
};

/// Mean values at one rate.
struct BroadcastPoint {
  double rate = 0;                                     ///< offered [messages/cycle/node]
  numeric::Model<unit::Ratio> fraction_of_saturation;  ///< of BroadcastAnswer::saturation, below 1
  numeric::Model<unit::Cycle> unicast_latency;
  numeric::Model<unit::Cycle> broadcast_latency;   ///< from its start to its arrival at the last receiver
  numeric::Model<unit::Ratio> multiplexing;        ///< mean over the dimensions
  numeric::Model<unit::Cycle> source_wait;         ///< for an injection channel
  numeric::Model<unit::Ratio> source_utilization;  ///< of an injection channel, below 1
  /// For an ejection channel; nothing if ejection is unlimited.
  std::optional<numeric::Model<unit::Cycle>> ejection_wait{};
  std::vector<BroadcastChannels> dimensions;  ///< [i - 1]: of dimension i; all identical
};

struct BroadcastAnswer {
  static constexpr bool stored = true;  ///< as bytes, for parts and ranks (points/stored.hpp)
  /// The largest rate with a solution of the model: the saturation rate only if `saturated`.
  numeric::Model<unit::MessagesPerCycle> saturation;
  numeric::Model<unit::Ratio> fullness;  ///< the largest utilization there
  bool saturated = true;                 ///< something is full there, or the rate agrees with simulation
  std::vector<BroadcastPoint> points;    ///< one per answered rate, in the order of the query
  bool stopped = false;                  ///< before all rates were computed
  std::vector<Refusal> refused{};        ///< rates without an answer
};

/// \throws InvalidArgument  a field out of range
/// \throws Saturated        of a single rate: it is at or beyond saturation
/// \throws Unanswered       of a single rate: it has no solution, although nothing is full
/// \throws NoAnswer         no rate has an answer: the reason of the first
[[nodiscard]] BroadcastAnswer answer(const BroadcastQuery& query, const Run& run);

// --- parts, for answers that compare the model with simulation

/// \throws InvalidArgument  a field out of range
[[nodiscard]] numeric::Model<unit::MessagesPerCycle> broadcast_saturation(
    const BroadcastHypercube& hypercube);

/// Mean latencies at one rate.
struct BroadcastLatencies {
  double rate = 0;  ///< messages/cycle/node
  numeric::Model<unit::Cycle> unicast, broadcast;
};

/// Nothing if the model is saturated.
/// \param rate  messages/cycle/node, from 0
/// \throws InvalidArgument  a field or the rate out of range
[[nodiscard]] std::optional<BroadcastLatencies> broadcast_latencies(const BroadcastHypercube& hypercube,
                                                                    double rate);

}  // namespace tailbound::answers
