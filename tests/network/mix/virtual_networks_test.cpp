#include <tailbound/core/error.hpp>
#include <tailbound/network/mix/virtual_networks.hpp>
#include <tailbound/network/worms/worm_topology.hpp>

#include <catch2/catch.hpp>
#include <set>

namespace tailbound::network {
namespace {

std::shared_ptr<const WormNetwork> mesh(int virtual_channels) {
  return worm_network({.shape = WormShape::mesh, .nodes = 16}, virtual_channels);
}

TEST_CASE("virtual networks: stations and channels of their own on the same physical channels") {
  const VirtualNetworks both({mesh(2), mesh(3)}, {"request", "reply"});
  const WormLayout& layout = both.layout();
  const WormLayout &request = both.network(0).layout(), &reply = both.network(1).layout();
  CHECK(layout.channels.size() == request.channels.size() + reply.channels.size());
  CHECK(layout.stations.size() == request.stations.size() + reply.stations.size());
  CHECK(layout.wires == request.wires);
  CHECK(layout.variants == 2);
  std::set<std::string> names;
  for (std::uint32_t i = 0; i < layout.channels.size(); ++i) names.insert(both.channel_name(i));
  CHECK(names.size() == layout.channels.size());
  for (std::uint32_t variant = 0; variant < 2; ++variant) {
    WormHead head{.source = 1, .destination = 14, .variant = variant};
    WormHead alone{.source = 1, .destination = 14};
    for (;;) {
      const std::uint32_t station = both.next_station(head);
      const std::uint32_t expected = both.network(variant).next_station(alone);
      if (expected == WormNetwork::arrived) {
        CHECK(station == WormNetwork::arrived);
        break;
      }
      CHECK(both.of_station(station) == variant);
      CHECK(station == expected + both.first_station(variant));
      head.channel = layout.stations[station].first;
      alone.channel = both.network(variant).layout().stations[expected].first;
      CHECK(both.of_channel(head.channel) == variant);
      CHECK(layout.channels[head.channel].wire ==
            both.network(variant).layout().channels[alone.channel].wire);
      ++head.passed;
      ++alone.passed;
    }
  }
}

TEST_CASE("virtual networks: of one network only") {
  CHECK_THROWS_AS(VirtualNetworks({}, {}), InvalidArgument);
  CHECK_THROWS_AS(VirtualNetworks({mesh(1), worm_network({.shape = WormShape::mesh, .nodes = 64}, 1)}, {}),
                  InvalidArgument);
}

}  // namespace
}  // namespace tailbound::network
