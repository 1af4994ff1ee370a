#pragma once

#include <tailbound/network/worms/worm_network.hpp>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

/// A wormhole network in which the virtual channels of a station that share a wire are one.
///
/// MODEL     Virtual channels of a station on one wire are equal: worms take any of them, and go on alike. So ways and
///           flows are those of one channel a wire; how many there were is kept.
/// TESTS     tests/network/walks/wire_sharing_test.cpp
namespace tailbound::network {

class OneLane final : public WormNetwork {
 public:
  explicit OneLane(std::shared_ptr<const WormNetwork> of);

  /// Virtual channels of each wire of a station.
  [[nodiscard]] std::uint32_t lanes(std::uint32_t station) const { return lanes_[station]; }

  [[nodiscard]] std::uint32_t next_station(const WormHead& head) const override;
  /// "(1,2) -> (2,2)": of all of them.
  [[nodiscard]] std::string channel_name(std::uint32_t channel) const override;
  [[nodiscard]] std::string node_name(std::uint32_t node) const override { return of_->node_name(node); }

 private:
  std::shared_ptr<const WormNetwork> of_;
  std::vector<std::uint32_t> lanes_;  ///< [station]
  std::vector<std::uint32_t> first_;  ///< [channel]: the first of those that it stands for
};

}  // namespace tailbound::network
