#pragma once

#include <tailbound/answers/wormhole/simulated_loads.hpp>
#include <tailbound/answers/wormhole/wormhole.hpp>
#include <tailbound/network/walks/channel_bound.hpp>
#include <tailbound/sim/worm/simulate_worms.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

/// Flit-level simulation of a wormhole network: latencies at given loads, and the saturation load.
///
/// MODEL     sim/worm/worm_replication.hpp
/// RESULT    estimates; reproducible for the same query, independent of threads and resumption
/// TESTS     tests/answers/wormhole/wormhole_test.cpp, tests/golden/wormhole_test.cpp
namespace tailbound::answers {

/// The simulated network, without a load.
struct SimulatedWormhole {
  WormholeNetwork network;                   ///< fat-trees: at most network::max_simulated_fat_tree_nodes
  std::optional<WormholeVariant> variant{};  ///< of the model; default usual_variant()
  network::WormMessages messages{};          ///< lengths up to 1 000 000
  /// Of each link: 1 .. 64; has a default. For a user-defined network only its own number.
  std::optional<int> virtual_channels{};
  std::int64_t buffer_flits = 1;  ///< of each virtual channel, 1 .. 1 000 000
  sim::WormArrivals arrivals = sim::WormArrivals::poisson;
  network::RouterTiming timing{};
  std::int64_t think = 0;  ///< cycles from the arrival of a message to its answer
};

/// Size of the simulated network.
struct WormholeLayout {
  std::string name;
  std::size_t channels = 0;  ///< virtual channels, including injection and ejection
  std::size_t wires = 0;     ///< physical channels that they share
};

// --- latencies

/// The saturation load to which fractions refer.
enum class FractionsOf {
  model,      ///< that of the model, as in `wormhole`
  simulated,  ///< the largest load found stable, searched first
};
[[nodiscard]] constexpr auto names_of(FractionsOf) {
  return std::array{"model", "simulated"};
}

struct SimulateWormholeQuery {
  SimulatedWormhole network;
  /// Flits/cycle/node, above 0 and at most 1; or fractions above 0 of the saturation load of the model, which
  /// the network may exceed, or of the simulated one.
  OfferedLoads offered;
  std::vector<numeric::Rational> percentiles{};  ///< of latency, as fractions from 0 to 1
  RunLength length{};                            ///< [cycles]
  double flit_hops = 6e8;  ///< of all loads together, if `length` has no cycles: seconds on one core; > 0
  /// Default: the model's if this network has a model, otherwise the simulated one.
  std::optional<FractionsOf> fractions_of{};
  SaturationLength search{};  ///< search for the simulated saturation load, if fractions refer to it
  double confidence = 0.95;   ///< of each interval, above 0 and below 1
};

/// One simulated load, with its own warm-up and batches, and by default its own number of cycles.
struct SimulatedWorms {
  double load = 0;  ///< [flits/cycle/node]
  /// Of the simulated saturation load if it was searched, otherwise of the model's; none if there is neither.
  std::optional<numeric::Model<unit::Ratio>> fraction_of_saturation;
  Simulated simulated;
  sim::WormEstimates
      found;  ///< with the ten busiest channels; percentiles as in the query, none if no message arrived
};

struct SimulateWormholeAnswer {
  WormholeLayout layout;
  ChannelLimit<unit::FlitsPerCycle> limit;  ///< loads above it are not simulated
  /// Saturation load of the model of this network, if it has one.
  std::optional<numeric::Model<unit::FlitsPerCycle>> model_saturation;
  std::string no_model;                ///< why there is none
  std::vector<SimulatedWorms> points;  ///< one per answered load, in the order of the query
  bool stopped = false;                ///< before all was simulated; the last point may be partial
  std::vector<Refusal> refused{};      ///< loads without an answer
  /// If fractions refer to it: they are relative to the largest stable load.
  std::optional<sim::SimulatedSaturation> simulated_saturation{};
};

/// \throws InvalidArgument  a field out of range; a fraction that exceeds 1 flit/cycle/node; a checkpoint
///                          with several loads, or of another simulation; fractions of a model that does not
///                          exist
/// \throws LimitExceeded    the network is too large
/// \throws Overloaded       of a single load: the source queues grow without bound
/// \throws NoAnswer         of a single load, or the reason of the first if none has an answer: it exceeds
///                          the capacity of a physical channel; packets block each other (deadlock)
/// \throws Stopped          before there was a point
[[nodiscard]] SimulateWormholeAnswer answer(const SimulateWormholeQuery& query, const Run& run);

// --- saturation

struct WormholeSaturationQuery {
  SimulatedWormhole network;
  SaturationLength length;
};

struct WormholeSaturationAnswer : SaturationAnswer<unit::FlitsPerCycle> {
  WormholeLayout layout;
};

/// The saturation load of the network.
/// \throws InvalidArgument  a field out of range
/// \throws LimitExceeded    the network is too large
/// \throws NoAnswer         the network carries 1 flit/cycle/node, and its channels carry more; packets block
///                          each other
///                          permanently (deadlock)
/// \throws Stopped          before saturation was found
[[nodiscard]] WormholeSaturationAnswer answer(const WormholeSaturationQuery& query, const Run& run);

// --- parts, for answers that compare the simulation with a model

/// The network as the simulator represents it, without a load.
/// \throws InvalidArgument, LimitExceeded
[[nodiscard]] sim::WormModel simulator_model(const SimulatedWormhole& network);

/// The model of the simulated network: the same as that of `wormhole`.
[[nodiscard]] WormholeModel wormhole_model_of(const SimulatedWormhole& network);

/// Capacity of its physical channels, exactly.
[[nodiscard]] network::ChannelBound channel_bound(const WormholeNetwork& network);
/// With its own messages.
[[nodiscard]] network::ChannelBound channel_bound(const SimulatedWormhole& network,
                                                  const sim::WormModel& simulated);

/// As answer(), with wormhole_model_of(query.network).
[[nodiscard]] SimulateWormholeAnswer simulate_worms(const SimulateWormholeQuery& query,
                                                    const sim::WormModel& network, const WormholeModel& model,
                                                    const Run& run);

}  // namespace tailbound::answers
