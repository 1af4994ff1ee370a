#include <tailbound/network/channel_graph.hpp>

#include <algorithm>

namespace tailbound::network {
namespace {

/// Messages a cycle from one channel to each channel of a station, by station; 0 for those it has no turn to.
class FlowsOf {
 public:
  explicit FlowsOf(const ChannelGraph& graph) : graph_(graph), flow_(graph.stations.size(), 0) {}

  void choose(std::size_t channel) {
    for (const Turn& turn : graph_.channels[chosen_].turns) flow_[turn.station] = 0;
    chosen_ = channel;
    for (const Turn& turn : graph_.channels[chosen_].turns)
      flow_[turn.station] = graph_.channels[chosen_].rate * turn.probability /
                            static_cast<double>(graph_.stations[turn.station].channels.size());
  }
  [[nodiscard]] double to(std::size_t channel) const { return flow_[graph_.channels[channel].station]; }

 private:
  const ChannelGraph& graph_;
  std::vector<double> flow_;
  std::size_t chosen_ = 0;
};

/// How much more often than independently two worms that hold channels at the same time hold these two: those
/// of one station are never on the same.
double together(const ChannelGraph& graph, std::size_t one, std::size_t other) {
  if (graph.channels[one].station != graph.channels[other].station) return 1;
  const auto channels = static_cast<double>(graph.stations[graph.channels[one].station].channels.size());
  return channels / (channels - 1);
}

}  // namespace

double partner_rate(const ChannelGraph& graph) {
  std::size_t wires = 0;
  for (const Channel& channel : graph.channels) wires = std::max(wires, channel.wire + 1);
  std::vector<std::vector<std::size_t>> on_wire(wires);
  for (std::size_t i = 0; i < graph.channels.size(); ++i) on_wire[graph.channels[i].wire].push_back(i);

  FlowsOf partners(graph);
  double met = 0, messages = 0;
  for (std::size_t i = 0; i < graph.channels.size(); ++i)
    for (const std::size_t partner : on_wire[graph.channels[i].wire]) {
      if (partner == i) continue;
      const double rate = graph.channels[i].rate * together(graph, i, partner);
      met += rate * graph.channels[partner].rate;
      partners.choose(partner);
      for (const Turn& turn : graph.channels[i].turns) {
        const std::vector<std::size_t>& nexts = graph.stations[turn.station].channels;
        const double each = rate * turn.probability / static_cast<double>(nexts.size());
        for (const std::size_t next : nexts)
          for (const std::size_t other : on_wire[graph.channels[next].wire])
            if (other != next) met -= each * together(graph, next, other) * partners.to(other);
      }
    }
  for (const Source& source : graph.sources) messages += graph.channels[source.channel].rate;
  return messages > 0 ? met / messages : 0;
}

}  // namespace tailbound::network
