#include <tailbound/core/error.hpp>
#include <tailbound/network/mix/virtual_networks.hpp>

#include <algorithm>
#include <limits>
#include <utility>

namespace tailbound::network {
namespace {

/// The layouts one after the other, on the physical channels of the first.
WormLayout combined(const std::vector<std::shared_ptr<const WormNetwork>>& networks) {
  require(!networks.empty(), "class", "none", "at least one");
  WormLayout all = networks.front()->layout();
  all.channels.clear();
  all.stations.clear();
  all.variants *= static_cast<std::uint32_t>(networks.size());
  for (const auto& network : networks) {
    const WormLayout& its = network->layout();
    require(
        its.wires == all.wires && its.nodes == all.nodes && its.variants * networks.size() == all.variants,
        "class", its.name, "the same network in each virtual network");
    const auto channel = static_cast<std::uint32_t>(all.channels.size());
    const auto station = static_cast<std::uint32_t>(all.stations.size());
    for (const WormChannel& one : its.channels) all.channels.push_back({one.station + station, one.wire});
    for (const WormStation& one : its.stations) all.stations.push_back({one.first + channel, one.count});
  }
  return all;
}

std::uint32_t last_at_most(const std::vector<std::uint32_t>& first, std::uint32_t at) {
  return static_cast<std::uint32_t>(std::upper_bound(first.begin(), first.end(), at) - first.begin() - 1);
}

}  // namespace

VirtualNetworks::VirtualNetworks(std::vector<std::shared_ptr<const WormNetwork>> networks,
                                 std::vector<std::string> names)
    : WormNetwork(combined(networks)), networks_(std::move(networks)), names_(std::move(names)) {
  names_.resize(networks_.size());
  std::uint32_t channel = 0, station = 0;
  for (const auto& network : networks_) {
    first_channel_.push_back(channel);
    first_station_.push_back(station);
    channel += static_cast<std::uint32_t>(network->layout().channels.size());
    station += static_cast<std::uint32_t>(network->layout().stations.size());
  }
}

std::uint32_t VirtualNetworks::of_channel(std::uint32_t channel) const {
  return last_at_most(first_channel_, channel);
}

std::uint32_t VirtualNetworks::of_station(std::uint32_t station) const {
  return last_at_most(first_station_, station);
}

std::uint32_t VirtualNetworks::next_station(const WormHead& head) const {
  const std::uint32_t k = head.variant / variants();
  WormHead its = head;
  its.variant %= variants();
  if (head.passed > 0) its.channel -= first_channel_[k];
  const std::uint32_t station = networks_[k]->next_station(its);
  return station == arrived ? arrived : station + first_station_[k];
}

std::string VirtualNetworks::channel_name(std::uint32_t channel) const {
  const std::uint32_t k = of_channel(channel);
  std::string name = networks_[k]->channel_name(channel - first_channel_[k]);
  if (names_[k].empty()) return name;
  const std::size_t lane = name.find(", virtual channel ");
  return name.insert(lane == std::string::npos ? name.size() : lane, ", " + names_[k]);
}

}  // namespace tailbound::network
