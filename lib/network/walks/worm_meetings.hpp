#pragma once

#include <tailbound/network/channels/channel_graph.hpp>
#include <tailbound/network/mix/message_flows.hpp>
#include <tailbound/network/worms/worm_network.hpp>

#include <optional>
#include <vector>

/// Messages that delay each other by sharing physical channels, pair by pair of routes.
///
/// MODEL     Two messages meet on a physical channel if they take different virtual channels of it. Messages
///           that reach it from the same channel pass one after the other and do not delay each other. If two
///           take the same channel elsewhere (injection apart), one waits for the other there, so only one of
///           them is delayed.
/// SOURCE    docs/derivations/wormhole.md
/// TESTS     tests/network/walks/worm_meetings_test.cpp, worm_walk_test.cpp
/// Internal to the network module.
namespace tailbound::network {

/// Maximum number of routes, one per pair and variant, for which all pairs are examined.
inline constexpr std::size_t max_paths_met = 8192;

/// E of network/channels/channel_graph.hpp, or nothing if routes depend on which channel of a station is
/// free, or exceed max_paths_met.
/// COST  for each pair of routes that share a physical channel, the length of one
/// \param kinds  other messages count by their mean length, relative to that of all messages
[[nodiscard]] std::optional<double> worms_met(const WormNetwork& network,
                                              const std::vector<MessageFlows>& kinds);

/// From this number of virtual channels on, messages hardly ever wait for one of them.
inline constexpr int many_channels = 5;

/// For messages that take any of many virtual channels of a physical channel: which ones move there at the
/// same time.
///
/// MODEL     Two messages with the same injection or ejection channel pass one after the other and never move
///           at the same time; any other two on a physical channel may. They meet first where they did not
///           both come from one physical channel; twice if their routes share physical channels in two
///           stretches, as they can in unidirectional rings.
/// RESULT    the shared physical channels. Empty if there are none, or if the virtual channel of a message
///           matters: one has fewer than many_channels, channels of one station are on several physical
///           channels, or a physical channel has a channel that is a station of its own
/// COST      four times the steps of all routes; 40 bytes per route
/// SOURCE    docs/derivations/wormhole_finite_source.md, (17)
/// CONTRACT  the traffic is as described at WormTraffic
[[nodiscard]] std::vector<SharedWire> shared_wires(const WormNetwork& network, const WormTraffic& traffic);

}  // namespace tailbound::network
