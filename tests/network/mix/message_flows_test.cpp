#include <tailbound/core/error.hpp>
#include <tailbound/network/mix/message_flows.hpp>
#include <tailbound/network/mix/virtual_networks.hpp>
#include <tailbound/network/walks/worm_trails.hpp>
#include <tailbound/network/walks/worm_walk.hpp>
#include <tailbound/network/worms/worm_topology.hpp>

#include <catch2/catch.hpp>
#include <map>
#include <memory>

// Messages of several kinds: their rates, and the channels and trails of all of them together.

namespace tailbound::network {
namespace {

std::vector<MessageKind> two_kinds() {
  const numeric::Rational quarter = numeric::Rational(1) / numeric::Rational(4);
  std::vector<MessageKind> kinds{{.share = quarter * 3, .lengths = 1},
                                 {.share = quarter, .lengths = 9, .virtual_network = 1}};
  for (std::uint32_t node = 1; node < 16; ++node) kinds[1].traffic.flows.push_back({0, node, 1.0 / 15});
  return kinds;
}

std::shared_ptr<const WormNetwork> mesh(int virtual_channels) {
  return worm_network({.shape = WormShape::mesh, .nodes = 16}, virtual_channels);
}

TEST_CASE("message flows: one message per unit of time from each node that sends") {
  const VirtualNetworks both({mesh(2), mesh(1)}, {"a", "b"});
  const auto flows = flows_of(two_kinds(), both.layout(), 2);
  REQUIRE(flows.size() == 2);
  std::vector<double> sent;
  for (const MessageFlows& its : flows) {
    double rate = 0;
    its.for_each_pair(16, [&](std::uint32_t, std::uint32_t, double each) { rate += each; });
    sent.push_back(rate);
  }
  CHECK(sent[0] == Approx(12));
  CHECK(sent[1] == Approx(4));
  CHECK(flows[0].size == Approx(1.0 / 3));
  CHECK(flows[1].size == Approx(3));
  CHECK(flows[1].first_variant == both.variants());
  CHECK(flows[0].pairs(16) == 240);
  CHECK(flows[1].pairs(16) == 15);
  auto kinds = two_kinds();
  kinds[1].virtual_network = 2;
  CHECK_THROWS_AS(flows_of(kinds, both.layout(), 2), InvalidArgument);
}

TEST_CASE("message flows: channels and trails of each kind") {
  const VirtualNetworks both({mesh(1), mesh(1)}, {"a", "b"});
  const auto flows = flows_of(two_kinds(), both.layout(), 2);
  ChannelGraph graph = walk_kinds(both, flows);
  for (const int depth : {0, 2}) {
    REQUIRE(add_kind_trails(graph, both, flows, depth));
    CHECK(graph.remembers == (depth > 0));
    std::map<std::size_t, double> shares;
    for (const Trail& trail : graph.trails) {
      shares[trail.channel] += trail.share;
      // A virtual network of its own: one kind on each channel.
      CHECK(trail.kind ==
            both.of_channel(0) +
                (graph.channels[trail.channel].name.find(", b") == std::string::npos ? 0U : 1U));
    }
    REQUIRE(shares.size() == graph.channels.size());
    for (const auto& [channel, share] : shares) CHECK(share == Approx(1));
  }
  double of_first = 0, of_second = 0;
  for (const Source& source : graph.sources)
    (graph.channels[source.channel].name.find(", b") == std::string::npos ? of_first : of_second) +=
        source.weight;
  CHECK(of_first == Approx(0.75));
  CHECK(of_second == Approx(0.25));
}

TEST_CASE("message flows: two kinds of one virtual network have trails of one family") {
  const auto network = mesh(1);
  auto kinds = two_kinds();
  kinds[1].virtual_network = 0;
  const auto flows = flows_of(kinds, network->layout(), 1);
  ChannelGraph graph = walk_kinds(*network, flows);
  REQUIRE(add_kind_trails(graph, *network, flows, 0));
  std::map<std::size_t, std::size_t> channel_of;
  for (const Trail& trail : graph.trails) {
    const auto [found, fresh] = channel_of.emplace(trail.family, trail.channel);
    CHECK(found->second == trail.channel);
  }
  CHECK(channel_of.size() == graph.channels.size());
  CHECK(graph.trails.size() > graph.channels.size());
}

}  // namespace
}  // namespace tailbound::network
