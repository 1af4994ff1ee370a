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

}  // namespace

double partner_rate(const ChannelGraph& graph) {
  std::size_t wires = 0;
  for (const Channel& channel : graph.channels) wires = std::max(wires, channel.wire + 1);
  std::vector<std::vector<std::size_t>> on_wire(wires);
  for (std::size_t i = 0; i < graph.channels.size(); ++i) on_wire[graph.channels[i].wire].push_back(i);

  FlowsOf flows(graph);
  double met = 0, messages = 0;
  for (std::size_t i = 0; i < graph.channels.size(); ++i) {
    const std::vector<std::size_t>& same_wire = on_wire[graph.channels[i].wire];
    for (const std::size_t other : same_wire)
      if (other != i) met += graph.channels[i].rate * graph.channels[other].rate;
    // For each way on: worms on the next wire's other channels that were on this one, on any of its channels.
    for (const std::size_t before : same_wire) {
      flows.choose(before);
      for (const Turn& turn : graph.channels[i].turns) {
        const std::vector<std::size_t>& nexts = graph.stations[turn.station].channels;
        const double each = graph.channels[i].rate * turn.probability / static_cast<double>(nexts.size());
        for (const std::size_t next : nexts)
          for (const std::size_t other : on_wire[graph.channels[next].wire])
            if (other != next) met -= each * flows.to(other);
      }
    }
  }
  for (const Source& source : graph.sources) messages += graph.channels[source.channel].rate;
  return messages > 0 ? met / messages : 0;
}

}  // namespace tailbound::network
