#include <tailbound/network/channel_graph.hpp>

#include <algorithm>

namespace tailbound::network {
namespace {

/// Messages a cycle that go from one channel to another.
double flow(const ChannelGraph& graph, std::size_t from, std::size_t to) {
  const Channel& channel = graph.channels[from];
  for (const Turn& turn : channel.turns)
    if (turn.station == graph.channels[to].station) return channel.rate * turn.probability;
  return 0;
}

}  // namespace

double partner_rate(const ChannelGraph& graph) {
  std::size_t wires = 0;
  for (const Channel& channel : graph.channels) wires = std::max(wires, channel.wire + 1);
  std::vector<std::vector<std::size_t>> on_wire(wires);
  for (std::size_t i = 0; i < graph.channels.size(); ++i) on_wire[graph.channels[i].wire].push_back(i);

  double met = 0, messages = 0;
  for (std::size_t i = 0; i < graph.channels.size(); ++i)
    for (const std::size_t partner : on_wire[graph.channels[i].wire]) {
      if (partner == i) continue;
      met += graph.channels[i].rate * graph.channels[partner].rate;
      for (const Turn& turn : graph.channels[i].turns) {
        const std::size_t next = graph.stations[turn.station].channels.front();
        for (const std::size_t other : on_wire[graph.channels[next].wire])
          if (other != next) met -= graph.channels[i].rate * turn.probability * flow(graph, partner, other);
      }
    }
  for (const Source& source : graph.sources) messages += graph.channels[source.channel].rate;
  return messages > 0 ? met / messages : 0;
}

}  // namespace tailbound::network
