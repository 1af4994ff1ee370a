#pragma once

#include <tailbound/network/channels/channel_graph.hpp>
#include <tailbound/network/mix/message_flows.hpp>
#include <tailbound/network/worms/worm_network.hpp>

#include <vector>

/// The channels and flows of any wormhole network, by enumerating the routes of its messages.
///
/// MODEL     A message of each pair in the traffic takes each variant with the same probability, and at a
///           station each of its channels with the same probability, independently: routes split and merge
///           again.
/// RESULT    the channels that are used, with the flows between them. Shares at stations of several servers
///           are limited to 1: own_share = min(1, m f / lambda). Without splits other than in powers of two,
///           uniform traffic is counted in whole numbers, and rates are correctly rounded except for two
///           divisions.
/// EXCLUDES  classes of identical channels: symmetries are not used
/// TESTS     tests/network/walks/worm_walk_test.cpp
namespace tailbound::network {

/// Maximum total number of steps from a station to the next one.
inline constexpr std::uint64_t max_walk_steps = 5'000'000'000;
/// Maximum number of channels, and of turns from one to another, in the graph.
inline constexpr std::size_t max_walk_turns = 20'000'000;

/// METHOD  Pair by pair and variant by variant, all messages at the same time: after each step they are
///         spread over some channels, and those that wait for the same station are merged.
/// COST    a call of next_station() for each pair, variant, step and channel that may be met there: some 5 to
///         10 ns each; memory for channels and turns
/// \throws InvalidArgument  the traffic is not as described at WormTraffic; a route does not end within
///                          WormLayout::longest_path
/// \throws LimitExceeded    beyond the limits above
[[nodiscard]] ChannelGraph walk_graph(const WormNetwork& network, const WormTraffic& traffic);

/// Of messages of several kinds, all together. worms_met is 0 if the network has more than max_paths_met
/// routes, or channels of which a message takes any; shared_wires is empty.
[[nodiscard]] ChannelGraph walk_kinds(const WormNetwork& network, const std::vector<MessageFlows>& kinds);

}  // namespace tailbound::network
