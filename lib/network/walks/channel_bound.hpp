#pragma once

#include <tailbound/network/channels/worm_ends.hpp>
#include <tailbound/network/worms/worm_network_file.hpp>
#include <tailbound/network/worms/worm_topology.hpp>
#include <tailbound/numeric/rational.hpp>

#include <cstdint>
#include <string>

/// The load above which a wormhole network cannot carry its traffic, whatever its routers do: some physical channel
/// would have to take more than one flit per cycle.
///
/// MODEL     Flows and routes as the simulator has them. Injection and ejection channels are physical channels too.
///           Where worms take whichever of several parallel wires is free, these are one channel of so many wires.
/// RESULT    exact: a sum of rational numbers over the flows, or the closed form for uniform traffic
/// SOURCE    docs/derivations/wormhole.md, "What a physical channel can carry"
/// EXCLUDES  blocking: networks may saturate far below the bound, but none above
/// TESTS     tests/network/walks/channel_bound_test.cpp
namespace tailbound::network {

/// The physical channel with the highest utilization; one of them, where several have it.
struct ChannelBound {
  std::string channel;            ///< its name
  numeric::Rational utilization;  ///< flits per cycle and wire at load 1 [flit/cycle/node], above 0
  /// Nodes that send over the channels with at least busy_channel of this utilization: how many sources a saturation
  /// there is shared by.
  std::uint32_t senders = 0;

  /// Below this load the utilization of every channel is below 1 [flits/cycle/node].
  [[nodiscard]] numeric::Rational load() const { return 1 / utilization; }
};

/// As a fraction of the highest utilization.
inline constexpr int busy_channel_percent = 90;

/// Under the traffic of its pattern.  COST  a few additions if that is uniform, else a call of next_station() for
/// each channel of each way  \throws InvalidArgument  a field out of range
[[nodiscard]] ChannelBound channel_bound(const WormTopology& topology);

/// Under its own traffic.  COST  a rational addition for each channel of each route
[[nodiscard]] ChannelBound channel_bound(const RoutedWormNetwork& network);

/// Of hypercubes whose messages of M flits are broadcasts with probability b, by trees with random bases
/// (hypercube_worms.hpp): utilization for a rate of 1/M message/cycle/node.
/// \param dimensions  from 1
/// \param broadcast   b, from 0 to 1
[[nodiscard]] ChannelBound channel_bound(int dimensions, const WormEnds& ends,
                                         const numeric::Rational& broadcast);

}  // namespace tailbound::network
