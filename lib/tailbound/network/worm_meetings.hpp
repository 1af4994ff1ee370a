#pragma once

#include <tailbound/network/worm_network.hpp>

#include <optional>

/// Worms that hold each other up by sharing wires, pair by pair of ways.
///
/// MODEL     Two worms meet on a wire if they take different virtual channels of it. Those that come there on
///           the same channel pass one after the other and do not hold each other up. Of two that take the
///           same channel elsewhere (injection apart), one waits for the other there, so that only one of
///           them is held up.
/// SOURCE    docs/derivations/wormhole.md
/// TESTS     tests/network/worm_walk_test.cpp
namespace tailbound::network {

/// Ways, one of each pair and variant, up to which all pairs of them are looked at.
inline constexpr std::size_t most_ways_met = 8192;

/// E of network/channel_graph.hpp, or nothing where ways depend on which channel of a station is free, or are
/// more than most_ways_met.
/// COST  for each pair of ways that share a wire, the length of one
[[nodiscard]] std::optional<double> worms_met(const WormNetwork& network, const WormTraffic& traffic);

}  // namespace tailbound::network
