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

/// A wormhole network simulated flit by flit: latencies at the loads asked for, and the greatest load that is
/// carried.
///
/// MODEL     sim/worm/worm_replication.hpp
/// RESULT    estimates; the same for the same question, whatever the threads and however often it was resumed
/// TESTS     tests/answers/wormhole/wormhole_test.cpp, tests/golden/wormhole_test.cpp
namespace tailbound::answers {

/// What is simulated, but for the load.
struct SimulatedWormhole {
  WormholeNetwork network;  ///< a butterfly fat-tree with at most network::most_simulated_fat_tree_nodes
  std::optional<WormholeVariant> variant{};  ///< of the model; usual_variant() unless told
  std::int64_t flits = 32;                   ///< of a message, the mean if geometric, 1 .. 1 000 000
  /// Of each link: 1 .. 64; the usual number unless told. Of an own network its own
  /// number alone.
  std::optional<int> virtual_channels{};
  std::int64_t buffer_flits = 1;  ///< of each virtual channel, 1 .. 1 000 000
  sim::WormLengths lengths = sim::WormLengths::fixed;
  sim::WormArrivals arrivals = sim::WormArrivals::poisson;
  network::RouterTiming timing{};
};

/// What the simulated network consists of.
struct WormholeLayout {
  std::string name;
  std::size_t channels = 0;  ///< virtual ones, injection and ejection included
  std::size_t wires = 0;     ///< that they share
};

// --- latencies

/// Which saturation load fractions are of.
enum class FractionsOf {
  model,      ///< that of the model, as `wormhole` has it
  simulated,  ///< the greatest load found stable, searched first
};
[[nodiscard]] constexpr auto names_of(FractionsOf) {
  return std::array{"model", "simulated"};
}

struct SimulateWormholeQuestion {
  SimulatedWormhole network;
  /// Flits/cycle/node, above 0 and at most 1; or fractions above 0 of the model's saturation load, beyond which a
  /// network may well carry more, or of the simulated one.
  OfferedLoads offered;
  std::vector<numeric::Rational> percentiles{};  ///< of latency, as fractions from 0 to 1
  RunLength length{};                            ///< [cycles]
  double flit_hops = 6e8;  ///< of all loads together, where `length` has no cycles: seconds on one core; > 0
  /// Unless told of the model where this network has one, else of the simulation.
  std::optional<FractionsOf> fractions_of{};
  SaturationLength search{};  ///< of the simulated saturation load, where fractions are of it
  double confidence = 0.95;   ///< of each interval, above 0 and below 1
};

/// One load, simulated; each has its own warm-up, batches and, unless told, cycles.
struct SimulatedWorms {
  double load = 0;  ///< [flits/cycle/node]
  /// Of the simulated saturation load where that was searched, else of the model's; none where there is neither.
  std::optional<numeric::Model<unit::Ratio>> fraction_of_saturation;
  Simulated simulated;
  sim::WormEstimates
      found;  ///< with the ten busiest channels; percentiles as in the question, none if none arrived
};

struct SimulateWormholeAnswer {
  WormholeLayout layout;
  ChannelLimit<unit::FlitsPerCycle> limit;                              ///< above it no load is simulated
  std::optional<numeric::Model<unit::FlitsPerCycle>> model_saturation;  ///< of the model of this very network
  std::string no_model;                                                 ///< why there is none
  std::vector<SimulatedWorms> points;  ///< one a load, in the order of the question
  bool stopped = false;                ///< before all was simulated; the last point may be cut short
  /// Where fractions are of it: they are of the greatest load that is stable.
  std::optional<sim::SimulatedSaturation> simulated_saturation{};
};

/// \throws InvalidArgument  a field out of range; a fraction that makes more than 1 flit/cycle/node; a checkpoint
///                          with several loads, or of another simulation; fractions of a model that there is not
/// \throws LimitExceeded    the network is too large
/// \throws Overloaded       the sources' queues grow without end at a load
/// \throws NoAnswer         a load is above what a physical channel can carry; worms block each other for ever
/// \throws Stopped          before there was a point
[[nodiscard]] SimulateWormholeAnswer answer(const SimulateWormholeQuestion& question, const Run& run);

// --- saturation

struct WormholeSaturationQuestion {
  SimulatedWormhole network;
  SaturationLength length;
};

struct WormholeSaturationAnswer : SaturationAnswer<unit::FlitsPerCycle> {
  WormholeLayout layout;
};

/// The greatest load that the network carries.
/// \throws InvalidArgument  a field out of range
/// \throws LimitExceeded    the network is too large
/// \throws NoAnswer         the network carries 1 flit/cycle/node, and its channels carry more; worms block each other
///                          for ever
/// \throws Stopped          before saturation was found
[[nodiscard]] WormholeSaturationAnswer answer(const WormholeSaturationQuestion& question, const Run& run);

// --- parts, for answers that show the simulation beside something else

/// The network as the simulator takes it, without a load.
/// \throws InvalidArgument, LimitExceeded
[[nodiscard]] sim::WormModel simulator_model(const SimulatedWormhole& network);

/// The model of what is simulated: the same that `wormhole` shows for this network.
[[nodiscard]] WormholeModel wormhole_model_of(const SimulatedWormhole& network);

/// What its physical channels can carry, exactly.
[[nodiscard]] network::ChannelBound channel_bound(const WormholeNetwork& network);

/// As answer(), with wormhole_model_of(question.network).
[[nodiscard]] SimulateWormholeAnswer simulate_worms(const SimulateWormholeQuestion& question,
                                                    const sim::WormModel& network, const WormholeModel& model,
                                                    const Run& run);

}  // namespace tailbound::answers
