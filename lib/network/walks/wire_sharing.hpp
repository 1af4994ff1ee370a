#pragma once

#include <tailbound/network/channels/channel_graph.hpp>
#include <tailbound/network/mix/message_flows.hpp>
#include <tailbound/network/walks/one_lane.hpp>

#include <cstddef>
#include <optional>
#include <vector>

/// Which messages may move at the same time on the physical channels of a wormhole network, pair by pair of
/// routes.
///
/// MODEL     Messages that pass one channel one after the other never move at the same time: those with the
///           same first channel, or the same last channel without virtual channels. Any other two that cross
///           a physical channel may, if they can have different virtual channels of it. They meet there first
///           if they did not both come from one physical channel.
/// RESULT    sums of rates over pairs of routes, one route for each pair of nodes, variant and choice of
///           physical channels
/// COST      some 20 bytes and some 50 ns for each step of each route
/// SOURCE    docs/derivations/wormhole_finite_source.md, "Wires"
/// TESTS     tests/network/walks/wire_sharing_test.cpp
namespace tailbound::network {

/// For the messages that come to a channel from one other channel: mean rates of other messages on the
/// physical channel, each weighted by its mean length relative to that of all messages.
struct SharedTurn {
  std::size_t from = 0;  ///< channel
  double flow = 0;       ///< of these worms
  /// With other first and last channels: on the same virtual channel, and on others of the physical channel.
  double same = 0, cross = 0;
  double came_same = 0, came_cross = 0;  ///< the part of them that came from the same physical channel
  /// With the same last channel but another first one, from another physical channel.
  double end_same = 0, end_cross = 0;
  double of_source = 0;  ///< with the same first channel, on the same virtual channel
  double source_came =
      /// share of one first channel among those of the same channel that came from the same physical channel
      0;
};

struct SharedChannel {
  int lanes = 1;                        ///< virtual channels
  double volume = 0;                    ///< rate of its worms, weighted by their mean lengths
  std::vector<std::size_t> neighbours;  ///< other channels of its physical channel, also where messages enter
  std::vector<SharedTurn> turns;
  double one_source =
      0;  ///< for a channel at the end of routes: probability that two of its messages have one first channel
  std::vector<double> remaining;  ///< [n]: fraction of its messages that then still have n channels ahead
};

inline constexpr std::size_t max_shared_steps = 30'000'000;

/// For each channel of a graph of the network, or nothing if the routes have more than max_shared_steps
/// steps.
/// CONTRACT  graph = walk_graph(network, traffic)
[[nodiscard]] std::optional<std::vector<SharedChannel>> wire_sharing(const OneLane& network,
                                                                     const WormTraffic& traffic,
                                                                     const ChannelGraph& graph);
/// CONTRACT  graph = walk_kinds(network, kinds)
[[nodiscard]] std::optional<std::vector<SharedChannel>> kind_wire_sharing(
    const OneLane& network, const std::vector<MessageFlows>& kinds, const ChannelGraph& graph);

}  // namespace tailbound::network
