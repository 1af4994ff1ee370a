#pragma once

#include <tailbound/network/channels/channel_graph.hpp>
#include <tailbound/network/walks/one_lane.hpp>

#include <cstddef>
#include <optional>
#include <vector>

/// Who may move beside whom on the wires of a wormhole network, pair by pair of ways.
///
/// MODEL     Worms that pass one channel one after the other never move at the same time: those of one first channel or
///           of one last channel that has no virtual channels. Any other two that come to a wire may, if they can have
///           different virtual channels of it. They meet there first if they did not both come by one wire.
/// RESULT    sums of rates over pairs of ways, one for each pair of nodes, variant and choice of wires
/// COST      some forty bytes for each step of each way; a few searches of tables for each
/// SOURCE    docs/derivations/wormhole_finite_source.md, "Wires"
/// TESTS     tests/network/walks/wire_sharing_test.cpp
namespace tailbound::network {

/// Of the worms that come to a channel from one other: means over these of rates of others on the wire [messages/cycle].
struct SharedTurn {
  std::size_t from = 0;  ///< channel
  double flow = 0;       ///< of these worms
  /// Of other first and last channels: on the same channel, and on others of its wire.
  double same = 0, cross = 0;
  double came_same = 0, came_cross = 0;  ///< those of them that came by the same wire
  /// Of the same last channel but another first one, that came by another wire.
  double end_same = 0, end_cross = 0;
  double of_source = 0;  ///< of the same first channel, on the same channel
  double source_came =
      0;  ///< share of one first channel among those of the same channel that came by the same wire
};

struct SharedChannel {
  int lanes = 1;                    ///< virtual channels
  double rate = 0;                  ///< of its worms
  std::vector<std::size_t> beside;  ///< other channels of its wire
  std::vector<SharedTurn> turns;
  double one_source =
      0;  ///< of a channel at the end of ways: probability that two of its worms have one first channel
  std::vector<double>
      remaining;  ///< [so many]: share of its worms that then have still that many channels before them
};

inline constexpr std::size_t most_shared_steps = 6'000'000;

/// For each channel of a graph of the network, or nothing where the ways have more than most_shared_steps steps.
/// CONTRACT  graph = walk_graph(network, traffic)
[[nodiscard]] std::optional<std::vector<SharedChannel>> wire_sharing(const OneLane& network,
                                                                     const WormTraffic& traffic,
                                                                     const ChannelGraph& graph);

}  // namespace tailbound::network
