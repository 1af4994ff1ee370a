#pragma once

#include <tailbound/network/channels/channel_graph.hpp>
#include <tailbound/network/worms/worm_network.hpp>

#include <cstdint>

/// Where worms go next, by the channels that they came by.
///
/// MODEL     Worms of a channel that came by different ones go different ways on. A trail is a channel and the last
///           few before it; from all ways, how many worms are on each, and what follows.
/// EXCLUDES  stations of several channels, where the way depends on which of them is free
/// TESTS     tests/network/walks/worm_trails_test.cpp
namespace tailbound::network {

/// Steps that all ways together may have.
inline constexpr std::uint64_t most_trail_steps = 100'000'000;

/// Fills `graph.trails`; false, and none are there, if a station has several channels or the steps are too many.
///
/// COST   two calls of next_station() for each pair, variant and channel of its way
/// \param graph   of the same network and traffic, by walk_graph()
/// \param depth   channels remembered before the one where a worm is, 1 or 2
/// \throws InvalidArgument  depth out of range, or a graph of another network
bool add_trails(ChannelGraph& graph, const WormNetwork& network, const WormTraffic& traffic, int depth);

}  // namespace tailbound::network
