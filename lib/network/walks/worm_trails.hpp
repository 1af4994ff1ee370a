#pragma once

#include <tailbound/network/channels/channel_graph.hpp>
#include <tailbound/network/worms/worm_network.hpp>

#include <cstdint>

/// Where messages go next, given their previous channels.
///
/// MODEL     Messages of a channel with different previous channels take different routes from there. A trail
///           is a channel and the last few before it. All routes together give the number of messages on each
///           trail, and the trails that follow.
/// EXCLUDES  stations of several channels, where the route depends on which of them is free
/// TESTS     tests/network/walks/worm_trails_test.cpp
namespace tailbound::network {

/// Maximum number of steps of all routes together.
inline constexpr std::uint64_t max_trail_steps = 100'000'000;

/// Fills `graph.trails`. Returns false, without trails, if a station has several channels or there are too
/// many steps.
///
/// COST   two calls of next_station() for each pair, variant and channel of its route
/// \param graph   of the same network and traffic, from walk_graph()
/// \param depth   number of previous channels remembered, 1 or 2
/// \throws InvalidArgument  depth out of range, or a graph of another network
bool add_trails(ChannelGraph& graph, const WormNetwork& network, const WormTraffic& traffic, int depth);

}  // namespace tailbound::network
