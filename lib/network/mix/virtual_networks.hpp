#pragma once

#include <tailbound/network/worms/worm_network.hpp>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

/// Several virtual networks: sets of virtual channels on the physical channels of one network.
///
/// MODEL     Each virtual network has all stations and channels of the network, with its own number of
///           virtual channels, and its own injection and ejection channels. They share the physical channels,
///           those at the ends of nodes too. A message stays in its virtual network, which its variant names:
///           variant v of virtual network k is number k variants() + v.
/// TESTS     tests/network/mix/virtual_networks_test.cpp
namespace tailbound::network {

class VirtualNetworks final : public WormNetwork {
 public:
  /// \param networks  the same network, with the virtual channels of each
  /// \param names     of each, for channels: "request"
  /// \throws InvalidArgument  "class": fewer than one, or physical channels that differ
  VirtualNetworks(std::vector<std::shared_ptr<const WormNetwork>> networks, std::vector<std::string> names);

  [[nodiscard]] std::uint32_t next_station(const WormHead& head) const override;
  /// "(1,2) -> (2,2), request, virtual channel 1"
  [[nodiscard]] std::string channel_name(std::uint32_t channel) const override;
  [[nodiscard]] std::string node_name(std::uint32_t node) const override {
    return networks_.front()->node_name(node);
  }

  /// Of each virtual network.
  [[nodiscard]] std::uint32_t variants() const { return networks_.front()->layout().variants; }
  [[nodiscard]] std::size_t count() const { return networks_.size(); }
  [[nodiscard]] const WormNetwork& network(std::size_t k) const { return *networks_[k]; }
  [[nodiscard]] std::shared_ptr<const WormNetwork> shared(std::size_t k) const { return networks_[k]; }
  /// The virtual network of a channel, and of a station.
  [[nodiscard]] std::uint32_t of_channel(std::uint32_t channel) const;
  [[nodiscard]] std::uint32_t of_station(std::uint32_t station) const;
  [[nodiscard]] std::uint32_t first_channel(std::size_t k) const { return first_channel_[k]; }
  [[nodiscard]] std::uint32_t first_station(std::size_t k) const { return first_station_[k]; }

 private:
  std::vector<std::shared_ptr<const WormNetwork>> networks_;
  std::vector<std::string> names_;
  std::vector<std::uint32_t> first_channel_, first_station_;  ///< [network]
};

}  // namespace tailbound::network
