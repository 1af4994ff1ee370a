#include <tailbound/network/channels/channel_graph.hpp>

#include <algorithm>
#include <utility>

namespace tailbound::network {
namespace {

/// Messages per cycle from one channel to each channel of a station, by station; 0 for stations it has no
/// turn to.
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

/// The relation between two messages on channels of one station. They are never on the same channel. If both
/// came by one channel, or both continue on one, one has passed before the other uses the physical channel.
class StationMates {
 public:
  explicit StationMates(const ChannelGraph& graph)
      : graph_(graph), come_apart_(graph.stations.size(), 1), go_apart_(graph.stations.size(), 1) {
    find_flows();
    for (std::size_t i = 0; i < graph.stations.size(); ++i)
      if (graph.stations[i].channels.size() == 1) come_apart_[i] = 0;
    for (const Flow& flow : flows_)
      if (graph.stations[flow.to].channels.size() == 1)
        go_apart_[flow.from] -= square(flow.rate / graph.stations[flow.from].rate);
    // Decreases to its limit; without cycles in as many rounds as there are stations on a path.
    for (int round = 0; round < 1000 && come_together(); ++round) {
    }
  }

  [[nodiscard]] bool of_one_station(std::size_t one, std::size_t other) const {
    return graph_.channels[one].station == graph_.channels[other].station;
  }
  /// How much more often than independent messages two messages occupy these two channels at the same time.
  [[nodiscard]] double together(std::size_t one, std::size_t other) const {
    if (!of_one_station(one, other)) return 1;
    const auto channels = static_cast<double>(graph_.stations[graph_.channels[one].station].channels.size());
    return channels / (channels - 1);
  }
  /// The probability that they came, or that they continue, by different channels; 1 for different stations.
  [[nodiscard]] double come_apart(std::size_t one, std::size_t other) const {
    return of_one_station(one, other) ? come_apart_[graph_.channels[one].station] : 1;
  }
  [[nodiscard]] double go_apart(std::size_t one, std::size_t other) const {
    return of_one_station(one, other) ? go_apart_[graph_.channels[one].station] : 1;
  }

 private:
  /// Between stations.
  struct Flow {
    std::size_t from, to;
    double rate;
  };

  static double square(double x) { return x * x; }

  void find_flows() {
    std::vector<double> rate(graph_.stations.size(), 0);
    for (std::size_t from = 0; from < graph_.stations.size(); ++from) {
      for (const std::size_t channel : graph_.stations[from].channels)
        for (const Turn& turn : graph_.channels[channel].turns)
          rate[turn.station] += graph_.channels[channel].rate * turn.probability;
      for (const std::size_t channel : graph_.stations[from].channels)
        for (const Turn& turn : graph_.channels[channel].turns)
          if (const double its = std::exchange(rate[turn.station], 0); its > 0)
            flows_.push_back({from, turn.station, its});
    }
  }

  /// One round; did anything change? Two messages that came by one station diverged when they arrived at it.
  bool come_together() {
    std::vector<double> next(graph_.stations.size(), 1);
    for (const Flow& flow : flows_)
      next[flow.to] -= square(flow.rate / graph_.stations[flow.to].rate) * (1 - come_apart_[flow.from]);
    bool changed = false;
    for (std::size_t i = 0; i < next.size(); ++i) {
      if (graph_.stations[i].channels.size() == 1) continue;
      changed = changed || come_apart_[i] - next[i] > 1e-15;
      come_apart_[i] = next[i];
    }
    return changed;
  }

  const ChannelGraph& graph_;
  std::vector<Flow> flows_;
  std::vector<double> come_apart_, go_apart_;  ///< [station]
};

}  // namespace

double partner_rate(const ChannelGraph& graph) {
  std::size_t wires = 0;
  for (const Channel& channel : graph.channels) wires = std::max(wires, channel.wire + 1);
  std::vector<std::vector<std::size_t>> on_wire(wires);
  for (std::size_t i = 0; i < graph.channels.size(); ++i) on_wire[graph.channels[i].wire].push_back(i);

  FlowsOf flows(graph);
  const StationMates mates(graph);
  double met = 0, messages = 0;
  for (std::size_t i = 0; i < graph.channels.size(); ++i) {
    const bool single = graph.stations[graph.channels[i].station].channels.size() == 1;
    const std::vector<std::size_t>& same_wire = on_wire[graph.channels[i].wire];
    for (const std::size_t before : same_wire) {
      // Two messages at the same time are never on the same channel of a station.
      if (before == i && !single) continue;
      double rate = graph.channels[i].rate;
      if (before != i) {
        rate *= mates.together(i, before) * mates.come_apart(i, before);
        met += rate * graph.channels[before].rate * mates.go_apart(i, before);
      }
      // For each turn: messages on the other virtual channels of the next physical channel that were on this
      // one, on any of its virtual channels.
      flows.choose(before);
      for (const Turn& turn : graph.channels[i].turns) {
        const std::vector<std::size_t>& nexts = graph.stations[turn.station].channels;
        const double each = rate * turn.probability / static_cast<double>(nexts.size());
        for (const std::size_t next : nexts)
          for (const std::size_t other : on_wire[graph.channels[next].wire]) {
            // Messages from the same channel are already excluded for channels of one station.
            if (other == next || (before == i && mates.of_one_station(next, other))) continue;
            met -= each * mates.together(next, other) * mates.go_apart(next, other) * flows.to(other);
          }
      }
    }
  }
  for (const Source& source : graph.sources) messages += graph.channels[source.channel].rate;
  return messages > 0 ? met / messages : 0;
}

}  // namespace tailbound::network
