#pragma once

#include <tailbound/network/channels/channel_graph.hpp>
#include <tailbound/network/worms/worm_network.hpp>

/// The channels and flows of any wormhole network, by walking the ways of its messages.
///
/// MODEL     A message of each pair that the traffic has takes each variant with the same probability, and at
/// a
///           station each of its channels with the same probability, independently: so ways split, and come
///           together again.
/// RESULT    the channels that are used, with the flows between them. Shares of several servers are held to
/// 1:
///           own_share = min(1, m f / lambda). Without splits other than in powers of two, uniform traffic is
///           counted in whole numbers, and rates are correctly rounded but for two divisions.
/// EXCLUDES  classes of equal channels: what a network has of symmetry is not used
/// TESTS     tests/network/walks/worm_walk_test.cpp
namespace tailbound::network {

/// Steps from a station to the next one that a walk may take in all.
inline constexpr std::uint64_t most_walk_steps = 5'000'000'000;
/// Channels, and turns from one to another, that the graph may have.
inline constexpr std::size_t most_walk_turns = 20'000'000;

/// METHOD  Way by way, all messages of a pair and variant at the same time: after each step they are spread
///         over some channels, and those that wait for the same station are one.
/// COST    a call of next_station() for each pair, variant, step and channel that may be met there: some 5 to
///         10 ns each; memory for channels and turns
/// \throws InvalidArgument  the traffic is not as WormTraffic says; a way does not end within
///                          WormLayout::longest_way
/// \throws LimitExceeded    beyond the limits above
[[nodiscard]] ChannelGraph walk_graph(const WormNetwork& network, const WormTraffic& traffic);

}  // namespace tailbound::network
