#pragma once

#include <tailbound/network/channels/channel_graph.hpp>
#include <tailbound/network/mix/message_flows.hpp>
#include <tailbound/network/worms/worm_network.hpp>

#include <cstdint>
#include <vector>

/// Where messages go next, given their previous channels.
///
/// MODEL     Messages of a channel with different previous channels take different routes from there. A trail
///           is a channel and the last few before it. All routes together give the number of messages on each
///           trail, and the trails that follow.
///           Kinds of messages have trails of their own.
/// EXCLUDES  history where stations have several channels: the route depends on which of them is free
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

/// Trails of each kind; without history also where stations have several channels.
///
/// COST   the same for each of its routes: one for each choice of channels
/// \param depth  0: trails are channels, each with one kind of messages
bool add_kind_trails(ChannelGraph& graph, const WormNetwork& network, const std::vector<MessageFlows>& kinds,
                     int depth);

}  // namespace tailbound::network
