#include <tailbound/core/error.hpp>
#include <tailbound/network/hypercube.hpp>
#include <tailbound/network/worms/hypercube_worms.hpp>

#include <bit>

namespace tailbound::network {
namespace {

using Index = std::uint32_t;

Index ports_of(Index dimensions, WormEnds ends) {
  return ends.injection == Injection::ports ? dimensions : 1;
}

/// Stations: the ports of all nodes, node by node, then their links, then their ejection channels, if any.
WormLayout layout_of(Index dimensions, Index lanes, WormEnds ends) {
  const Index ports = ports_of(dimensions, ends);
  const bool ejects = ends.ejection == Ejection::one;
  WormLayout layout;
  layout.name = std::to_string(dimensions) + "-dimensional hypercube with " + std::to_string(ports) +
                " port" + (ports == 1 ? "" : "s");
  layout.nodes = Index{1} << dimensions;
  layout.variants = ports;
  layout.longest_path = dimensions + (ejects ? 2 : 1);
  const auto add_stations = [&](Index count, Index channels_each) {
    for (Index i = 0; i < count; ++i, ++layout.wires) {
      const auto station = static_cast<Index>(layout.stations.size());
      layout.stations.push_back({static_cast<Index>(layout.channels.size()), channels_each});
      for (Index lane = 0; lane < channels_each; ++lane) layout.channels.push_back({station, layout.wires});
    }
  };
  add_stations(layout.nodes * ports, 1);
  add_stations(layout.nodes * dimensions, lanes);
  if (ejects) add_stations(layout.nodes, 1);
  return layout;
}

class HypercubeWorms final : public WormNetwork {
 public:
  HypercubeWorms(Index dimensions, Index lanes, WormEnds ends)
      : WormNetwork(layout_of(dimensions, lanes, ends)),
        dimensions_(dimensions),
        ports_(ports_of(dimensions, ends)),
        links_(layout().nodes * ports_),
        ejections_(links_ + layout().nodes * dimensions),
        ejects_(ends.ejection == Ejection::one) {}

  [[nodiscard]] Index next_station(const WormHead& head) const override {
    if (head.passed == 0) return head.source * ports_ + head.variant;
    Index node = head.source;
    if (head.passed > 1) {
      const Index station = layout().channels[head.channel].station;
      if (station >= ejections_) return arrived;
      node = end_of(station);
    }
    const Index differ = node ^ head.destination;
    if (differ == 0) return ejects_ ? ejections_ + node : arrived;
    return links_ + node * dimensions_ + static_cast<Index>(std::bit_width(differ)) - 1;
  }

  [[nodiscard]] std::string channel_name(Index channel) const override {
    const Index station = layout().channels[channel].station;
    if (station < links_)
      return (ports_ == 1 ? "injection at " : "port " + std::to_string(station % ports_ + 1) + " of ") +
             node_name(station / ports_);
    if (station >= ejections_) return "ejection at " + node_name(station - ejections_);
    const Index from = (station - links_) / dimensions_;
    return node_name(from) + " -> " + node_name(end_of(station)) + ", virtual channel " +
           std::to_string(channel - layout().stations[station].first);
  }

  [[nodiscard]] std::string node_name(Index node) const override { return std::to_string(node); }

 private:
  /// The node that a link's station leads to.
  [[nodiscard]] Index end_of(Index station) const {
    const Index link = station - links_;
    return (link / dimensions_) ^ (Index{1} << (link % dimensions_));
  }
  Index dimensions_, ports_, links_, ejections_;  ///< the last two: first stations of each
  bool ejects_;
};

}  // namespace

std::unique_ptr<WormNetwork> make_hypercube_worms(int dimensions, int virtual_channels, WormEnds ends) {
  constexpr HypercubeLimits limits = simulated_hypercubes;
  if (dimensions < 1 || dimensions > limits.dimensions)
    throw InvalidArgument("dimensions", std::to_string(dimensions),
                          "from 1 to " + std::to_string(limits.dimensions));
  if (virtual_channels < 1 || virtual_channels > limits.virtual_channels)
    throw InvalidArgument("virtual channels", std::to_string(virtual_channels),
                          "from 1 to " + std::to_string(limits.virtual_channels));
  check_without_channels(ends);
  return std::make_unique<HypercubeWorms>(static_cast<Index>(dimensions),
                                          static_cast<Index>(virtual_channels), ends);
}

}  // namespace tailbound::network
