#pragma once

#include <tailbound/network/worms/worm_network.hpp>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

/// A wormhole network in which the virtual channels of a station on one physical channel are merged into one.
///
/// MODEL     Virtual channels of a station on one physical channel are equivalent: messages take any of them,
///           with the same routes afterwards. So routes and flows are those of one channel per physical
///           channel; the original number is kept.
/// TESTS     tests/network/walks/wire_sharing_test.cpp
namespace tailbound::network {

class OneLane final : public WormNetwork {
 public:
  explicit OneLane(std::shared_ptr<const WormNetwork> of);

  /// Virtual channels per physical channel of a station.
  [[nodiscard]] std::uint32_t lanes(std::uint32_t station) const { return lanes_[station]; }

  [[nodiscard]] std::uint32_t next_station(const WormHead& head) const override;
  /// "(1,2) -> (2,2)": the name of all merged channels.
  [[nodiscard]] std::string channel_name(std::uint32_t channel) const override;
  [[nodiscard]] std::string node_name(std::uint32_t node) const override { return of_->node_name(node); }

 private:
  std::shared_ptr<const WormNetwork> of_;
  std::vector<std::uint32_t> lanes_;  ///< [station]
  std::vector<std::uint32_t> first_;  ///< [channel]: the first of those that it represents
};

}  // namespace tailbound::network
