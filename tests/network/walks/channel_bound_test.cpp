#include <catch2/catch.hpp>
#include <tailbound/network/files/network_file.hpp>
#include <tailbound/network/mix/virtual_networks.hpp>
#include <tailbound/network/walks/channel_bound.hpp>
#include <tailbound/network/worms/hypercube_worms.hpp>
#include <tailbound/numeric/rational.hpp>

#include <algorithm>
#include <map>
#include <string>
#include <tuple>
#include <vector>

// The closed forms and sums of rational numbers against an enumeration of all messages, channel by channel,
// in whole numbers.

namespace tailbound::network {
namespace {

using numeric::Rational;

/// Source, destination and rate.
using RatedFlows = std::vector<std::tuple<std::uint32_t, std::uint32_t, Rational>>;

RatedFlows uniform(std::uint32_t nodes) {
  RatedFlows flows;
  for (std::uint32_t source = 0; source < nodes; ++source)
    for (std::uint32_t destination = 0; destination < nodes; ++destination)
      if (source != destination) flows.emplace_back(source, destination, 1 / Rational(nodes - 1));
  return flows;
}

/// Maximum traffic over a physical channel: for a layout whose stations have one physical channel each, or
/// all the same number.
Rational walked(const WormNetwork& network, const RatedFlows& flows) {
  const WormLayout& layout = network.layout();
  std::vector<Rational> of_wire(layout.wires, Rational(0));
  for (const auto& [source, destination, rate] : flows) {
    for (std::uint32_t variant = 0; variant < layout.variants; ++variant) {
      WormHead head{.source = source, .destination = destination, .variant = variant};
      std::map<std::uint32_t, Rational> here{{network.next_station(head), rate}};
      for (head.passed = 1; !here.empty(); ++head.passed) {
        std::map<std::uint32_t, Rational> next;
        for (const auto& [station, part] : here) {
          const auto [first, count] = layout.stations[station];
          for (head.channel = first; head.channel < first + count; ++head.channel) {
            Rational& sum = of_wire[layout.channels[head.channel].wire];
            sum = sum + part / count;
            const std::uint32_t onward = network.next_station(head);
            if (onward != WormNetwork::arrived) next[onward] = next[onward] + part / count;
          }
        }
        here = std::move(next);
      }
    }
  }
  return *std::max_element(of_wire.begin(), of_wire.end()) / Rational(layout.variants);
}

TEST_CASE("channel bound: closed forms of uniform traffic match an enumeration of all messages") {
  const auto agrees = [](const WormTopology& topology, int virtual_channels) {
    const auto network = worm_network(topology, virtual_channels);
    const ChannelBound bound = channel_bound(topology);
    CAPTURE(name(topology), bound.channel, virtual_channels);
    CHECK(bound.utilization == walked(*network, uniform(network->layout().nodes)));
    CHECK(bound.load() * bound.utilization == 1);
    CHECK(bound.senders == topology.nodes);
    const auto& channels = network->layout().channels;
    CHECK(std::any_of(channels.begin(), channels.end(), [&](const WormChannel& channel) {
      const auto at = static_cast<std::uint32_t>(&channel - channels.data());
      return network->channel_name(at).find(bound.channel) == 0;
    }));
  };
  for (const WormShape shape : {WormShape::mesh, WormShape::unidirectional_torus, WormShape::torus})
    for (const int dimensions : {1, 2, 3})
      for (const std::int64_t nodes : legal_nodes(shape, dimensions))
        if (nodes <= 64 && (dimensions > 1 || nodes <= 9))
          for (const Ejection ejection : {Ejection::one, Ejection::unlimited})
            agrees({.shape = shape, .nodes = nodes, .dimensions = dimensions, .ends = {.ejection = ejection}},
                   nodes == 27                ? 4
                   : shape == WormShape::mesh ? 1
                                              : 2);
  for (const std::int64_t nodes : {2, 4, 8, 16})
    for (const WormEnds& ends : {WormEnds{}, all_port, WormEnds{.injection = Injection::ports},
                                 WormEnds{.ejection = Ejection::unlimited}})
      agrees({.shape = WormShape::hypercube, .nodes = nodes, .ends = ends}, nodes == 8 ? 3 : 1);
  for (const std::int64_t nodes : {4, 16, 64})
    agrees({.shape = WormShape::butterfly_fat_tree, .nodes = nodes}, 1);
  agrees({.nodes = 12, .sides = {3, 4}}, 2);
  agrees({.nodes = 30, .dimensions = 3, .sides = {5, 2, 3}}, 1);
  agrees({.shape = WormShape::torus, .nodes = 24, .sides = {3, 4}, .concentration = 2}, 3);
  agrees({.nodes = 16, .ends = {Injection::channels, Ejection::channels}, .concentration = 4}, 2);
  agrees({.shape = WormShape::hypercube, .nodes = 16, .concentration = 2}, 1);
  CHECK(channel_bound(WormTopology{.nodes = 64}).load() == Rational(63) / 128);
}

TEST_CASE("channel bound: patterns match an enumeration of all messages") {
  for (const WormShape shape :
       {WormShape::mesh, WormShape::torus, WormShape::hypercube, WormShape::butterfly_fat_tree})
    for (const WormPatternName pattern : {WormPatternName::transpose, WormPatternName::shuffle,
                                          WormPatternName::neighbour, WormPatternName::hot_spot}) {
      WormTopology topology{.shape = shape, .nodes = 16, .pattern = {.name = pattern}};
      if (pattern == WormPatternName::hot_spot) topology.pattern.hot_share = Rational(1) / 5;
      const PatternFlows all = pattern_flows(grid_of(topology), topology.pattern);
      RatedFlows flows;
      for (const PatternFlows::Flow& flow : all.flows)
        flows.emplace_back(flow.source, flow.destination, all.rates[flow.rate]);
      const ChannelBound bound = channel_bound(topology);
      CAPTURE(name(topology), bound.channel);
      CHECK(bound.utilization == walked(*worm_network(topology, usual_virtual_channels(topology)), flows));
      CHECK(bound.senders >= 1);
    }
}

TEST_CASE("channel bound: kinds of messages by their flits") {
  const std::shared_ptr<const WormNetwork> mesh = worm_network({.nodes = 16}, 2);
  const std::shared_ptr<const WormNetwork> wider = worm_network({.nodes = 16}, 3);
  MessageKind a{.name = "a", .share = Rational(1) / 3, .lengths = MessageLengths::parse("1:3,5:2")};
  MessageKind b{.name = "b", .share = Rational(2) / 3, .lengths = 9, .virtual_network = 1};
  const VirtualNetworks both({mesh, wider}, {"a", "b"});
  // Uniform traffic: the lengths do not matter.
  const ChannelBound uniform_bound = channel_bound(WormTopology{.nodes = 16});
  const ChannelBound bound = channel_bound(both, {a, b});
  CHECK(bound.utilization == uniform_bound.utilization);
  CHECK(bound.senders == 16);
  CHECK(bound.channel.find(", ") == std::string::npos);
  // Enumerated, with rates that no double holds: thirds of a to one node, b uniform.
  RatedFlows flows = uniform(16);
  const Rational mean = mean_flits({a, b}), each = Rational(2) / 3 * 9 / mean;
  for (auto& [source, destination, rate] : flows) rate = rate * each;
  for (const std::uint32_t source : {1U, 7U}) {
    const Rational rate = source == 1 ? Rational(1) / 3 : Rational(2) / 3;
    a.traffic.flows.push_back({source, 15, numeric::nearest_double(2 * rate)});
    a.rates.push_back(rate);
    flows.emplace_back(source, 15, 16 * Rational(1) / 3 * Rational(13) / 5 / mean * rate);
  }
  const ChannelBound mixed = channel_bound(both, {a, b});
  CHECK(mixed.utilization == walked(*mesh, flows));
  a.rates.pop_back();
  CHECK_THROWS_AS(channel_bound(both, {a, b}), InvalidArgument);
  // At load 1 each of four controllers sends 10/3 flits per cycle in replies, and 2/15 in requests.
  MessageKind request{.share = Rational(1) / 2, .lengths = 1}, reply{.share = Rational(1) / 2, .lengths = 5};
  reply.virtual_network = 1;
  reply.answers = 0;
  for (std::uint32_t node = 0; node < 16; ++node)
    for (const std::uint32_t controller : {0U, 3U, 12U, 15U})
      if (node != controller) {
        request.traffic.flows.push_back({node, controller, 16.0 / 60});
        reply.traffic.flows.push_back({controller, node, 4.0 / 60});
      }
  const ChannelBound memory = channel_bound(both, {request, reply});
  CHECK(memory.load() == Rational(15) / 52);
  CHECK(memory.channel == "injection at (0,0)");
  CHECK(memory.senders == 4);
  // Routes that divide, and parallel physical channels.
  const auto tree = worm_network({.shape = WormShape::butterfly_fat_tree, .nodes = 64}, 1);
  CHECK(channel_bound(*tree, {a = {.lengths = 3}}).utilization ==
        channel_bound(WormTopology{.shape = WormShape::butterfly_fat_tree, .nodes = 64}).utilization);
}

TEST_CASE("channel bound: broadcasts over trees with every root and base, message by message") {
  for (const int dimensions : {1, 2, 3, 4}) {
    const std::uint32_t nodes = 1U << dimensions, n = static_cast<std::uint32_t>(dimensions);
    std::vector<Rational> sent(nodes * n), received(nodes);  // over each link, and at each node
    for (std::uint32_t root = 0; root < nodes; ++root)
      for (std::uint32_t base = 0; base < n; ++base) {
        const BroadcastTree tree{.dimensions = n, .base = base};
        std::vector<std::pair<std::uint32_t, std::uint32_t>> steps{{root, n}};  // node, relative dimension
        while (!steps.empty()) {
          const auto [node, relative] = steps.back();
          steps.pop_back();
          for (std::uint32_t r = 0; r < relative; ++r) {
            const std::uint32_t dimension = tree.dimension(r), to = node ^ (1U << dimension);
            sent[node * n + dimension] = sent[node * n + dimension] + Rational(1) / n;
            received[to] = received[to] + Rational(1) / n;
            steps.emplace_back(to, r);
          }
        }
      }
    for (const Rational& link : sent) CHECK(link == sent.front());
    for (const Rational& node : received) CHECK(node == static_cast<long>(nodes - 1));
    CHECK(channel_bound(dimensions, {}, 1).utilization == received.front());
    CHECK(channel_bound(dimensions, {.injection = Injection::ports, .ejection = Ejection::unlimited}, 1)
              .utilization == sent.front());
    // Without broadcasts the hypercubes are those of `wormhole`.
    for (const WormEnds& ends : {WormEnds{}, all_port})
      CHECK(channel_bound(dimensions, ends, 0).utilization ==
            channel_bound(WormTopology{.shape = WormShape::hypercube, .nodes = nodes, .ends = ends})
                .utilization);
  }
}

Network star() {
  Network network;
  network.nodes = {{"x", true}, {"y", true}, {"z", true}, {"t"}, {"u"}};
  network.links = {{.from = 0, .to = 3},
                   {.from = 1, .to = 3},
                   {.from = 3, .to = 2},
                   {.from = 3, .to = 4},
                   {.from = 4, .to = 2}};
  network.links[2].classes = 2;
  network.links[2].virtual_channels = 3;
  const auto flow = [](std::size_t from, std::size_t to, const Rational& rate, std::vector<Route> routes) {
    return Flow{.name = "flow", .source = from, .destination = to, .rate = rate, .routes = std::move(routes)};
  };
  network.flows = {
      flow(0, 2, Rational(1) / 3, {{.links = {0, 2}, .classes = {0, 1}}}),
      flow(1, 2, Rational(1) / 7,
           {{.links = {1, 2}, .share = Rational(2) / 5}, {.links = {1, 3, 4}, .share = Rational(3) / 5}}),
      flow(3, 2, Rational(1) / 2, {{.links = {2}}})};
  return network;
}

TEST_CASE("channel bound: flows of a file, by routes, classes and parallel channels, in rational numbers") {
  Network network = star();
  // Three nodes send; at load 1 their rates sum to 3.
  const Rational all = Rational(1) / 3 + Rational(1) / 7 + Rational(1) / 2;
  const Rational shared = Rational(1) / 3 + Rational(1) / 7 * Rational(2) / 5 + Rational(1) / 2;
  const ChannelBound bound = channel_bound(RoutedWormNetwork(network));
  CHECK(bound.channel == "t -> z");
  CHECK(bound.utilization == 3 * shared / all);
  CHECK(bound.senders == 3);
  network.links[2].rate.packets = 3;  // now the switch's own channel is busier
  const ChannelBound wider = channel_bound(RoutedWormNetwork(network));
  CHECK(wider.channel == "injection at t");
  CHECK(wider.utilization == 3 * (Rational(1) / 2) / all);
  CHECK(wider.senders == 1);
  // The same as one kind of messages, with the rates of the file.
  const RoutedWormNetwork routed(network);
  MessageKind kind{.traffic = routed.traffic()};
  for (const WormFlow& flow : kind.traffic.flows)
    kind.rates.push_back(network.flows[flow.source == 0 ? 0 : flow.source == 1 ? 1 : 2].rate);
  const ChannelBound as_kind = channel_bound(routed, {kind});
  CHECK(as_kind.channel == wider.channel);
  CHECK(as_kind.utilization == wider.utilization);
  CHECK(as_kind.senders == 1);
  const auto channels = RoutedWormNetwork(network).physical_channels();
  REQUIRE(channels.size() == 6);
  for (const PhysicalChannel& channel : channels)
    if (channel.name == "t -> z") {
      CHECK(channel.utilization == shared / all);
      CHECK(channel.sources == std::vector<std::uint32_t>{0, 1, 3});
    }
}

}  // namespace
}  // namespace tailbound::network
