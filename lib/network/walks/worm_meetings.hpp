#pragma once

#include <tailbound/network/channels/channel_graph.hpp>
#include <tailbound/network/worms/worm_network.hpp>

#include <optional>
#include <vector>

/// Worms that hold each other up by sharing wires, pair by pair of ways.
///
/// MODEL     Two worms meet on a wire if they take different virtual channels of it. Those that come there on
///           the same channel pass one after the other and do not hold each other up. Of two that take the
///           same channel elsewhere (injection apart), one waits for the other there, so that only one of
///           them is held up.
/// SOURCE    docs/derivations/wormhole.md
/// TESTS     tests/network/walks/worm_meetings_test.cpp, worm_walk_test.cpp
/// Internal to the network module.
namespace tailbound::network {

/// Ways, one of each pair and variant, up to which all pairs of them are looked at.
inline constexpr std::size_t most_ways_met = 8192;

/// E of network/channels/channel_graph.hpp, or nothing where ways depend on which channel of a station is free, or are
/// more than most_ways_met.
/// COST  for each pair of ways that share a wire, the length of one
[[nodiscard]] std::optional<double> worms_met(const WormNetwork& network, const WormTraffic& traffic);

/// Channels of a wire from which on worms hardly ever wait for one of them.
inline constexpr int many_channels = 5;

/// Where worms take any of many channels of a wire: who moves on the wire beside whom.
///
/// MODEL     Two worms of one injection or ejection channel pass one after the other and never move at the same time;
///           any other two that come to a wire may. They meet first where they had not both come by
///           one wire; twice if their ways share wires in two stretches, as they can in rings one way round.
/// RESULT    the wires that are shared; empty where none is, or one by fewer than many_channels, where channels that worms
///           wait for together are of several wires, or a wire has a channel that is a station of its own: there which
///           channel a worm has matters
/// COST      four times the steps of all ways; 40 bytes a way
/// SOURCE    docs/derivations/wormhole_finite_source.md, (17)
/// CONTRACT  the traffic is as WormTraffic says
[[nodiscard]] std::vector<SharedWire> shared_wires(const WormNetwork& network, const WormTraffic& traffic);

}  // namespace tailbound::network
