#pragma once

#include <tailbound/answers/points/run.hpp>
#include <tailbound/answers/wormhole/offered_loads.hpp>
#include <tailbound/answers/wormhole/saturated.hpp>
#include <tailbound/bounds/wormhole/latency.hpp>
#include <tailbound/core/quantity.hpp>
#include <tailbound/network/worms/router_timing.hpp>
#include <tailbound/network/worms/worm_network_file.hpp>
#include <tailbound/network/worms/worm_topology.hpp>
#include <tailbound/numeric/truth.hpp>
#include <tailbound/sim/worm/worm_messages.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

/// What are the latencies in a wormhole network, where does it saturate, and which channels are busiest?
///
/// MODEL     bounds/wormhole/latency.hpp, finite_source.hpp
/// RESULT    approximate; how far it was off simulation: accuracy.hpp
/// SOURCE    docs/derivations/wormhole.md, wormhole_finite_source.md
/// TESTS     tests/answers/wormhole/wormhole_test.cpp, tests/golden/wormhole_test.cpp
namespace tailbound::answers {

/// Which equations are solved.
enum class WormholeVariant {
  finite_source,  ///< bounds/wormhole/finite_source.hpp
  paper,          ///< those published, of a butterfly fat-tree as printed
  conditional,    ///< of a butterfly fat-tree: those published with flows conserved
};
[[nodiscard]] constexpr auto names_of(WormholeVariant) {
  return std::array{"finite-source", "paper", "conditional"};
}

/// A network of somebody's own, with the flows in it.
struct OwnWormNetwork {
  std::shared_ptr<const network::RoutedWormNetwork> network;
  std::string file{};                   ///< that it was read from; empty if from none
  std::optional<std::string> matrix{};  ///< file of flows that was asked for beside it
};

using WormholeNetwork = std::variant<network::WormTopology, OwnWormNetwork>;

/// "8 x 8 mesh", or what an own network calls itself.
/// \throws InvalidArgument  no such topology
[[nodiscard]] std::string name(const WormholeNetwork& network);
/// Nodes, switches of an own network included.
[[nodiscard]] std::int64_t node_count(const WormholeNetwork& network);

/// Of each link where the question does not say; nothing of an own network.
[[nodiscard]] std::optional<int> usual_virtual_channels(const WormholeNetwork& network);

/// finite_source, but for a mesh or torus so large that it would take long: there paper.
[[nodiscard]] WormholeVariant usual_variant(const WormholeNetwork& network);

struct WormholeQuestion {
  WormholeNetwork network;
  std::int64_t flits = 32;  ///< of a message, the mean if geometric, 1 .. 10^9
  OfferedLoads offered;     ///< flits/cycle/node, from 0; or fractions of saturation, from 0 and below 1
  std::optional<WormholeVariant> variant{};  ///< usual_variant() unless told
  /// So many of the busiest channels are listed for each load; in all, at most most_channels_listed.
  std::optional<std::size_t> channels{};
  /// Of each link: 1 .. 64; the usual number unless told.
  /// Of an own network its own number alone.
  std::optional<int> virtual_channels{};
  sim::WormLengths lengths = sim::WormLengths::fixed;  ///< fixed alone by the published variants
  /// Of each channel, 1 .. 10^6; more than 1 by finite_source alone, with fixed lengths.
  std::int64_t buffer_flits = 1;
  network::RouterTiming timing{};  ///< other than the usual by finite_source alone, with Reallocate::empty
};

/// The network that a model is asked for, with all that the model depends on but the load.
struct ModelledWormhole {
  const WormholeNetwork& network;
  std::optional<WormholeVariant> variant{};
  std::int64_t flits = 32;
  sim::WormLengths lengths = sim::WormLengths::fixed;
  std::optional<int> virtual_channels{};
  std::int64_t buffer_flits = 1;
  network::RouterTiming timing{};
};

/// A model of this very network, or none: never that of another one.
struct WormholeModel {
  std::shared_ptr<const bounds::wormhole::Model> model{};
  std::string missing{};  ///< without one: why, as a clause ("it has no .."); empty otherwise
};
inline constexpr std::size_t most_channels_listed = 1'000'000;

/// A channel behind the sources.
struct WormholeChannel {
  std::string name;
  numeric::Model<unit::Ratio> utilization;  ///< of its station's servers
  numeric::Model<unit::Cycle> wait;         ///< mean, at its station
  numeric::Model<unit::Cycle> service;      ///< mean time for which a message holds it
  numeric::Model<unit::Ratio> variation;    ///< squared coefficient of variation of that time
  /// Messages that come at the very moment at which the one before them leaves; none where not modelled.
  std::optional<numeric::Model<unit::Ratio>> follow;
  /// Mean time that a message loses to others on its wire; none where no virtual channels share wires, or that is not
  /// known channel by channel.
  std::optional<numeric::Model<unit::Cycle>> sharing{};
  /// Of `service`: for credits, and until the channel is known to be free; none with the usual timing.
  std::optional<numeric::Model<unit::Cycle>> credits{};
};

/// Means at one load.
struct WormholePoint {
  double load = 0;                                     ///< offered [flits/cycle/node]
  numeric::Model<unit::Ratio> fraction_of_saturation;  ///< below 1
  numeric::Model<unit::Cycle> latency;      ///< of a message, from its birth until its tail has arrived
  numeric::Model<unit::Cycle> source_wait;  ///< from its birth until its head leaves the source
  numeric::Model<unit::Cycle> service;      ///< for which it holds its injection channel
  std::optional<WormholeChannel>
      bottleneck;                         ///< the busiest channel; none if there is none behind the sources
  std::vector<WormholeChannel> channels;  ///< as many as asked for or as there are, the busiest first
  bounds::Ending ending;                  ///< direct or converged
};

struct WormholeAnswer {
  static constexpr bool stored = true;             ///< as bytes, for parts and ranks (points/stored.hpp)
  std::string network;                             ///< its name
  numeric::Model<unit::FlitsPerCycle> saturation;  ///< the model solves this load
  numeric::Model<unit::FlitsPerCycle> unsolved;    ///< and not this one, just above
  std::string why_unsolved;                        ///< how its iteration ended
  numeric::Model<unit::Channel> mean_distance;     ///< of a message's path; without contention it is exact
  /// Channels that can wait for each other in a circle, each for the next: the routes can deadlock, which the
  /// model does not see. Empty if none can.
  std::vector<std::string> deadlock_cycle;
  /// Messages are shorter than the mean path: they hold fewer channels than it has. The model takes that into account
  /// by finite sources and fixed lengths; otherwise it overestimates their waits.
  bool shorter_than_path = false;
  std::vector<WormholePoint> points;  ///< one a load, in the order of the question
  bool stopped = false;               ///< before all loads were answered
};

/// \throws InvalidArgument  a field out of range; geometric lengths by a published variant; deeper buffers of what is
///                          not modelled
/// \throws LimitExceeded    the network is too large
/// \throws Saturated        one of the loads is at or beyond saturation
/// \throws NoAnswer         the iteration ended without a solution
/// \throws Stopped          before there was a point
[[nodiscard]] WormholeAnswer answer(const WormholeQuestion& question, const Run& run);

/// Load [flits/cycle/node] and mean latency [cycles], in the order of the loads.
using LatencyCurve = std::vector<std::pair<double, double>>;

/// For pictures: the model at the loads that were answered, between them where the curve bends most, and on until just
/// before it saturates.
/// \throws as answer()
[[nodiscard]] LatencyCurve latency_curve(const WormholeQuestion& question, const WormholeAnswer& answer);

/// The same up to the load `last`.
/// \param known  what was solved already
/// COST          some two dozen solutions
[[nodiscard]] LatencyCurve latency_curve(const bounds::wormhole::Model& model, std::int64_t flits,
                                         double last, const LatencyCurve& known = {});

// --- parts, for answers that show the model beside something else

/// Squared coefficient of variation of messages' lengths with this mean.
[[nodiscard]] double length_variation(sim::WormLengths lengths, std::int64_t flits);

/// The model of a network as `wormhole` asks for it, and as simulations and comparisons show it.
/// \throws InvalidArgument  a field out of range
/// \throws LimitExceeded    the network is too large
[[nodiscard]] WormholeModel wormhole_model_of(const ModelledWormhole& asked);

/// The model of a network, with the usual virtual channels; usual_variant() unless told.
/// \param worms  the published variants take all as the usual; buffers with a length_variation are of one flit
/// \throws InvalidArgument  no such topology; "variant": conditional, but of no butterfly fat-tree
/// \throws LimitExceeded    the network is too large
[[nodiscard]] bounds::wormhole::Model wormhole_model(const WormholeNetwork& network,
                                                     std::optional<WormholeVariant> variant = {},
                                                     bounds::wormhole::Worms worms = {});

/// Channel by channel, with virtual channels as they are told.
/// \throws InvalidArgument  no such topology; "virtual channels": out of range, or of an own network
/// \throws LimitExceeded    the network is too large
[[nodiscard]] std::shared_ptr<const network::WormNetwork> worm_network(const WormholeNetwork& network,
                                                                       std::optional<int> virtual_channels);

/// Who sends to whom there.
[[nodiscard]] network::WormTraffic traffic_of(const WormholeNetwork& network);

/// Calls of next_station(), at some 8 ns, that the walk over a network may take. What follows it takes as long as 50
/// of them for each wire and third power of its channels.
inline constexpr double most_walk_calls = 1e9;

/// By finite sources more virtual channels a link are as so many: worms no longer wait for one.
inline constexpr int most_channels_modelled = 8;

/// Channels of a message's path, injection and ejection included, whatever the virtual channels.
/// \throws InvalidArgument, LimitExceeded  as wormhole_model()
[[nodiscard]] double mean_distance(const WormholeNetwork& network);

/// Mean latency of messages of so many flits; nothing where the model has no solution.
/// \param load  [flits/cycle/node], from 0
[[nodiscard]] std::optional<numeric::Model<unit::Cycle>> wormhole_latency(
    const bounds::wormhole::Model& model, std::int64_t flits, double load);

}  // namespace tailbound::answers
