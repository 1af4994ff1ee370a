#include <tailbound/core/error.hpp>
#include <tailbound/network/hypercube.hpp>
#include <tailbound/network/hypercube_worms.hpp>

#include <bit>

namespace tailbound::network {
namespace {

using Index = std::uint32_t;

WormLayout layout_of(Index dimensions, Index lanes) {
  WormLayout layout;
  layout.name =
      std::to_string(dimensions) + "-dimensional hypercube with " + std::to_string(dimensions) + " ports";
  layout.nodes = Index{1} << dimensions;
  layout.variants = dimensions;
  layout.longest_way = dimensions + 1;
  const Index links = layout.nodes * dimensions;
  const auto add_stations = [&](Index channels_each) {
    for (Index i = 0; i < links; ++i, ++layout.wires) {
      const auto station = static_cast<Index>(layout.stations.size());
      layout.stations.push_back({static_cast<Index>(layout.channels.size()), channels_each});
      for (Index lane = 0; lane < channels_each; ++lane) layout.channels.push_back({station, layout.wires});
    }
  };
  add_stations(1);  // ports
  add_stations(lanes);
  return layout;
}

class HypercubeWorms final : public WormNetwork {
 public:
  HypercubeWorms(Index dimensions, Index lanes)
      : WormNetwork(layout_of(dimensions, lanes)),
        dimensions_(dimensions),
        links_(layout().nodes * dimensions) {}

  [[nodiscard]] Index next_station(const WormHead& head) const override {
    if (head.passed == 0) return head.source * dimensions_ + head.variant;
    const Index node = head.passed == 1 ? head.source : end_of(layout().channels[head.channel].station);
    const Index differ = node ^ head.destination;
    if (differ == 0) return arrived;
    return links_ + node * dimensions_ + static_cast<Index>(std::bit_width(differ)) - 1;
  }

  [[nodiscard]] std::string channel_name(Index channel) const override {
    const Index station = layout().channels[channel].station;
    if (station < links_)
      return "port " + std::to_string(station % dimensions_ + 1) + " of " + node_name(station / dimensions_);
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
  Index dimensions_, links_;
};

}  // namespace

std::unique_ptr<WormNetwork> make_hypercube_worms(int dimensions, int virtual_channels) {
  constexpr HypercubeLimits limits = simulated_hypercubes;
  if (dimensions < 1 || dimensions > limits.dimensions)
    throw InvalidArgument("dimensions", std::to_string(dimensions),
                          "from 1 to " + std::to_string(limits.dimensions));
  if (virtual_channels < 1 || virtual_channels > limits.virtual_channels)
    throw InvalidArgument("virtual channels", std::to_string(virtual_channels),
                          "from 1 to " + std::to_string(limits.virtual_channels));
  return std::make_unique<HypercubeWorms>(static_cast<Index>(dimensions),
                                          static_cast<Index>(virtual_channels));
}

}  // namespace tailbound::network
