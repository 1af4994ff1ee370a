#pragma once

#include <tailbound/network/channels/worm_ends.hpp>
#include <tailbound/network/mix/message_kinds.hpp>
#include <tailbound/network/worms/worm_network_file.hpp>
#include <tailbound/network/worms/worm_topology.hpp>
#include <tailbound/numeric/rational.hpp>

#include <cstdint>
#include <string>
#include <vector>

/// The load above which a wormhole network cannot carry its traffic with any routers: some physical channel
/// would have to carry more than one flit per cycle.
///
/// MODEL     Flows and routes as in the simulator. Injection and ejection channels are physical channels too.
///           Parallel physical channels of which a message takes any free one count as one channel of that
///           capacity.
/// RESULT    exact: a sum of rational numbers over the flows, or the closed form for uniform traffic
/// SOURCE    docs/derivations/wormhole.md, "What a physical channel can carry"
/// EXCLUDES  blocking: a network may saturate far below the bound, but never above it
/// TESTS     tests/network/walks/channel_bound_test.cpp
namespace tailbound::network {

/// The physical channel with the highest utilization; one of them if several have it.
struct ChannelBound {
  std::string channel;  ///< its name
  /// flits per cycle and physical channel at load 1 [flit/cycle/node], above 0
  numeric::Rational utilization;
  /// Nodes that send over the channels with at least busy_channel of this utilization: the number of sources
  /// that share the saturation.
  std::uint32_t senders = 0;

  /// Below this load the utilization of every channel is below 1 [flits/cycle/node].
  [[nodiscard]] numeric::Rational load() const { return 1 / utilization; }
};

/// As a percentage of the highest utilization.
inline constexpr int busy_channel_percent = 90;

/// For the traffic of its pattern.  COST  a few additions if that is uniform, otherwise a call of
/// next_station() for each channel of each route  \throws InvalidArgument  a field out of range
[[nodiscard]] ChannelBound channel_bound(const WormTopology& topology);

/// For its own traffic.  COST  a rational addition for each channel of each route
[[nodiscard]] ChannelBound channel_bound(const RoutedWormNetwork& network);

/// For messages of several kinds: their rates times their mean lengths, answers included. Exact if the rates
/// of each kind are given exactly (MessageKind::rates), or are equal for all of its flows; otherwise for
/// these doubles.
/// \param network  VirtualNetworks if the kinds have several virtual networks
/// COST  two calls of next_station() for each station of each route, at most max_bound_calls together, and a
/// rational addition for each station and different rate
/// \throws LimitExceeded  more calls, or routes that divide into parts other than halves
[[nodiscard]] ChannelBound channel_bound(const WormNetwork& network, const std::vector<MessageKind>& kinds);
inline constexpr double max_bound_calls = 2e8;

/// For hypercubes whose messages of M flits are broadcasts with probability b, over trees with random bases
/// (hypercube_worms.hpp): utilization for a rate of 1/M message/cycle/node.
/// \param dimensions  from 1
/// \param broadcast   b, from 0 to 1
[[nodiscard]] ChannelBound channel_bound(int dimensions, const WormEnds& ends,
                                         const numeric::Rational& broadcast);

}  // namespace tailbound::network
