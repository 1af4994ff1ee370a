#pragma once

#include <tailbound/answers/accuracy/accuracy.hpp>
#include <tailbound/answers/points/refusal.hpp>
#include <tailbound/answers/points/run.hpp>
#include <tailbound/answers/wormhole/offered_loads.hpp>
#include <tailbound/answers/wormhole/saturated.hpp>
#include <tailbound/bounds/wormhole/latency.hpp>
#include <tailbound/core/quantity.hpp>
#include <tailbound/network/mix/message_classes.hpp>
#include <tailbound/network/mix/routed_mix.hpp>
#include <tailbound/network/worms/router_timing.hpp>
#include <tailbound/network/worms/worm_network_file.hpp>
#include <tailbound/network/worms/worm_topology.hpp>
#include <tailbound/numeric/truth.hpp>
#include <tailbound/sim/worm/worm_messages.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

/// Latencies of a wormhole network, its saturation load, and its busiest channels.
///
/// MODEL     bounds/wormhole/latency.hpp, finite_source.hpp
/// RESULT    approximate; measured errors: accuracy.hpp
/// SOURCE    docs/derivations/wormhole.md, wormhole_finite_source.md
/// TESTS     tests/answers/wormhole/wormhole_test.cpp, tests/golden/wormhole_test.cpp
namespace tailbound::answers {

/// The equations to solve.
enum class WormholeVariant {
  finite_source,  ///< bounds/wormhole/finite_source.hpp
  paper,          ///< the published equations: worse, and fast for a mesh or torus of any size
};
[[nodiscard]] constexpr auto names_of(WormholeVariant) {
  return std::array{"finite-source", "paper"};
}

/// A user-defined network with its flows.
struct OwnWormNetwork {
  std::shared_ptr<const network::RoutedWormNetwork> network;
  std::string file{};                                      ///< the file it was read from; empty if none
  std::optional<std::string> matrix{};                     ///< separate file of flows
  std::vector<std::optional<network::RouteRule>> rules{};  ///< network::rules_of() it
  std::optional<std::uint64_t> route_seed{};               ///< of its ECMP routes
  std::vector<std::string> remarks{};                      ///< how its file was understood
  /// Of a file with classes of messages; then `network` is its first virtual network.
  std::shared_ptr<const network::RoutedMix> classes{};
};

using WormholeNetwork = std::variant<network::WormTopology, OwnWormNetwork>;

/// "8 x 8 mesh", or the name of a user-defined network.
/// \throws InvalidArgument  no such topology
[[nodiscard]] std::string name(const WormholeNetwork& network);
/// Nodes, including the switches of a user-defined network.
[[nodiscard]] std::int64_t node_count(const WormholeNetwork& network);

/// Default of each link; nothing for a user-defined network.
[[nodiscard]] std::optional<int> usual_virtual_channels(const WormholeNetwork& network);

/// finite_source, except for a mesh or torus so large that it would take long: there paper.
[[nodiscard]] WormholeVariant usual_variant(const WormholeNetwork& network);

/// The messages of a network and their virtual networks.
struct WormMix {
  std::vector<network::MessageKind> kinds;
  std::shared_ptr<const network::WormNetwork> network;  ///< VirtualNetworks if there are several
};
/// \param virtual_channels  of each link, where a class does not give its own
/// \throws InvalidArgument  as network::message_mix(); "virtual channels": out of range, or for a file
[[nodiscard]] WormMix mix_of(const WormholeNetwork& network, const network::WormMessages& messages,
                             std::optional<int> virtual_channels);

/// Without classes: of one kind, without its traffic, which is that of the network.
/// \throws InvalidArgument  as network::message_mix()
[[nodiscard]] network::MessageMix messages_of(const WormholeNetwork& network,
                                              const network::WormMessages& messages);

/// M: mean length of all messages [flits].
[[nodiscard]] double mean_flits(const WormholeNetwork& network, const network::WormMessages& messages);

struct WormholeQuery {
  WormholeNetwork network;
  network::WormMessages messages{};  ///< of a file with classes: unused
  OfferedLoads offered;  ///< flits/cycle/node, from 0; or fractions of saturation, from 0 and below 1
  std::optional<WormholeVariant> variant{};  ///< default usual_variant()
  /// Number of busiest channels listed for each load; at most max_channels_listed in total.
  std::optional<std::size_t> channels{};
  /// Of each link: 1 .. 64; has a default.
  /// For a user-defined network only its own number.
  std::optional<int> virtual_channels{};
  std::int64_t buffer_flits = 1;   ///< of each channel, 1 .. 10^6; more than 1 only with finite_source
  network::RouterTiming timing{};  ///< non-default only with finite_source and Reallocate::empty
};

/// The network to model, with everything that the model depends on except the load.
struct ModelledWormhole {
  const WormholeNetwork& network;
  std::optional<WormholeVariant> variant{};
  network::MessageMix messages;           ///< messages_of() it
  std::optional<int> virtual_channels{};  ///< of each virtual network that has no number of its own
  std::int64_t buffer_flits = 1;
  network::RouterTiming timing{};
};

/// The model of exactly this network, or none; never that of a similar one.
struct WormholeModel {
  std::shared_ptr<const bounds::wormhole::Model> model{};
  std::string missing{};  ///< without a model: the reason, as a clause ("it has no .."); otherwise empty
};
inline constexpr std::size_t max_channels_listed = 1'000'000;

struct WormholeChannel {
  std::string name;
  /// Mean fraction of the channels of its station, virtual channels included, that messages hold.
  numeric::Model<unit::Ratio> utilization;
  numeric::Model<unit::Cycle> wait;       ///< mean, at its station
  numeric::Model<unit::Cycle> service;    ///< mean time that a message holds it
  numeric::Model<unit::Ratio> variation;  ///< squared coefficient of variation of that time
  /// Messages that arrive at the very moment the previous one leaves; none if not modeled.
  std::optional<numeric::Model<unit::Ratio>> follow;
  /// Mean time that a message loses to others on its physical channel; none if virtual channels do not share
  /// physical channels, or if it is not known per channel.
  std::optional<numeric::Model<unit::Cycle>> sharing{};
  /// Part of `service`: for credits, and until the channel is known to be free; none with default timing.
  std::optional<numeric::Model<unit::Cycle>> credits{};
};

/// Messages of one class, or of one length of it.
struct MessageLatency {
  std::string name{};                   ///< of its class; empty if there is only one
  std::optional<std::int64_t> flits{};  ///< none: all lengths of the class
  double share = 1;                     ///< of all messages
  numeric::Model<unit::Cycle> latency;
  numeric::Model<unit::Cycle> source_wait;  ///< source queueing
};

/// Mean values at one load.
struct WormholePoint {
  double load = 0;                                     ///< offered [flits/cycle/node]
  numeric::Model<unit::Ratio> fraction_of_saturation;  ///< of WormholeAnswer::saturation, below 1
  numeric::Model<unit::Cycle> latency;      ///< of a message, from generation until its tail has arrived
  numeric::Model<unit::Cycle> source_wait;  ///< source queueing: until its head leaves the source
  numeric::Model<unit::Cycle> service;      ///< network latency: the time it holds its injection channel
  /// The busiest channel after the sources; none if there are only injection channels.
  std::optional<WormholeChannel> bottleneck;
  WormholeChannel busiest_source;         ///< the busiest injection channel
  std::vector<WormholeChannel> channels;  ///< as many as requested, or all, the busiest first
  /// By class and length, where messages differ.
  std::vector<MessageLatency> by_length{};
  bounds::Ending ending;  ///< direct or converged
};

struct WormholeAnswer {
  static constexpr bool stored = true;  ///< as bytes, for parts and ranks (points/stored.hpp)
  std::string network;                  ///< its name
  /// The largest load with a solution of the model: the saturation load only if `saturated`.
  numeric::Model<unit::FlitsPerCycle> saturation;
  numeric::Model<unit::FlitsPerCycle> unsolved;  ///< and none at this one, just above
  numeric::Model<unit::Ratio> fullness;          ///< the largest utilization at the lower one
  std::string why_unsolved;                      ///< how its iteration ended
  /// With several classes: the one with most messages on the fullest channel there, and that channel.
  std::string saturating_class{}, saturating_channel{};
  numeric::Model<unit::Channel> mean_distance;  ///< of a message's path; exact without contention
  /// Channels that can wait for each other in a cycle: the routes can deadlock, which the model ignores.
  /// Empty if none can.
  std::vector<std::string> deadlock_cycle;
  /// Messages are shorter than the mean path and hold fewer channels than it has. The model accounts for that
  /// with finite sources; otherwise it overestimates their waits.
  bool shorter_than_path = false;
  std::vector<WormholePoint> points;  ///< one per answered load, in the order of the query
  bool stopped = false;               ///< before all loads were computed
  bool saturated = true;              ///< is_saturation()
  std::vector<Refusal> refused{};     ///< loads without an answer
};

/// \throws InvalidArgument  a field out of range; geometric lengths with a published variant; deeper buffers
///                          where they are not modeled
/// \throws LimitExceeded    the network is too large
/// \throws Saturated        of a single load: it is at or beyond saturation
/// \throws Unanswered       of a single load: it has no solution, although nothing is full
/// \throws NoAnswer         no load has an answer: the reason of the first
/// \throws Stopped          before there was a point
[[nodiscard]] WormholeAnswer answer(const WormholeQuery& query, const Run& run);

/// Settings for look-ups in the accuracy table.
/// \param at  fractions of the model's saturation load
[[nodiscard]] MeasuredModel measured_model(WormholeVariant variant);
[[nodiscard]] RequestedAccuracy requested_accuracy(const WormholeQuery& query, std::vector<double> at);

/// Is the largest load with a solution the saturation load: is a physical channel full there, or any
/// channel, or
/// was it measured to agree with simulation in networks like that of the query? A full channel is not enough
/// where each node sends to one other node, nor by the heuristic equations of unidirectional tori: these are
/// full far too early.
[[nodiscard]] bool is_saturation(const bounds::wormhole::SaturationSides& sides, const WormholeQuery& query);

/// For plots: the mean latency [cycles] of the model at any load [flits/cycle/node]; nothing if it has no
/// solution.
struct LatencyOfLoad {
  std::function<std::optional<double>(double load)> at;
  std::vector<double> loads;  ///< to draw: those requested, an almost idle network, the last one
};

/// Up to just below saturation.
/// \throws as answer()
[[nodiscard]] LatencyOfLoad latency_of_load(const WormholeQuery& query, const WormholeAnswer& answer);

/// Of all messages [cycles], and of each class and length as in WormholePoint::by_length, at some 40 loads up
/// to just below saturation.
struct LatenciesAtLoad {
  double load = 0, latency = 0;
  std::vector<MessageLatency> by_length;
};
/// \throws as answer()
[[nodiscard]] std::vector<LatenciesAtLoad> latencies_by_load(const WormholeQuery& query,
                                                             const WormholeAnswer& answer);

/// Up to the load `last`.  \param flits  mean length of all messages
[[nodiscard]] LatencyOfLoad latency_of_load(std::shared_ptr<const bounds::wormhole::Model> model,
                                            double flits, double last, std::vector<double> loads);

// --- parts, for answers that compare the model with simulation

/// The model of a network as used by `wormhole`, simulations and comparisons. Point::kinds is in the order of
/// messages.kinds.
/// \throws InvalidArgument  a field out of range
/// \throws LimitExceeded    the network is too large
[[nodiscard]] WormholeModel wormhole_model_of(const ModelledWormhole& requested);

/// The model of a network with default virtual channels; default usual_variant().
/// \param worms  one kind of messages; the published equations assume defaults
/// \throws InvalidArgument  no such topology
/// \throws LimitExceeded    the network is too large
[[nodiscard]] bounds::wormhole::Model wormhole_model(const WormholeNetwork& network,
                                                     std::optional<WormholeVariant> variant = {},
                                                     bounds::wormhole::Worms worms = {});

/// Channel by channel, with the given virtual channels.
/// \throws InvalidArgument  no such topology; "virtual channels": out of range, or for a user-defined network
/// \throws LimitExceeded    the network is too large
[[nodiscard]] std::shared_ptr<const network::WormNetwork> worm_network(const WormholeNetwork& network,
                                                                       std::optional<int> virtual_channels);

/// The traffic pattern of the network.
[[nodiscard]] network::WormTraffic traffic_of(const WormholeNetwork& network);

/// Maximum calls of next_station(), about 8 ns each, for the traversal of a network. The work after it takes
/// as long as 50 of them per physical channel and cube of its virtual channels.
inline constexpr double max_walk_calls = 1e9;

/// With finite sources, more virtual channels per link have no further effect: packets no longer wait for
/// one.
inline constexpr int max_channels_modelled = 8;

/// Channels of a message's path, including injection and ejection, for any number of virtual channels.
/// \throws InvalidArgument, LimitExceeded  as wormhole_model()
[[nodiscard]] double mean_distance(const WormholeNetwork& network);

/// Each class, where it has several lengths or there are several, and each length; none of messages of one
/// class and length.
/// \param kinds  of the network, as in its model
[[nodiscard]] std::vector<MessageLatency> latencies_of(const bounds::wormhole::Point& solved,
                                                       const std::vector<network::MessageKind>& kinds);

/// Mean latency of all messages, whose mean length is `flits`; nothing if the model has no solution.
/// \param load  [flits/cycle/node], from 0
[[nodiscard]] std::optional<numeric::Model<unit::Cycle>> wormhole_latency(
    const bounds::wormhole::Model& model, double flits, double load);

}  // namespace tailbound::answers
