#include <catch2/catch.hpp>
#include <tailbound/core/error.hpp>
#include <tailbound/network/walks/worm_walk.hpp>
#include <tailbound/network/worms/cube_worms.hpp>
#include <tailbound/network/worms/hypercube_worms.hpp>

#include <cmath>
#include <map>
#include <memory>
#include <random>
#include <set>
#include <utility>
#include <vector>

// Graphs by enumeration of all routes: a mesh against closed forms and cube_graph(), random networks with
// splitting routes against a recursion over each single route.

namespace {

using namespace tailbound::network;
using tailbound::InvalidArgument;
using tailbound::LimitExceeded;

/// k x k, x before y. Links of a node: +x, -x, +y, -y; then all injections, then all ejections.
class PlainMesh : public WormNetwork {
 public:
  explicit PlainMesh(std::uint32_t k) : WormNetwork(layout_of(k)), k_(k) {}

  [[nodiscard]] std::uint32_t next_station(const WormHead& head) const override {
    const std::uint32_t nodes = k_ * k_;
    if (head.passed == 0) return 4 * nodes + head.source;
    if (head.channel >= 5 * nodes) return arrived;
    const std::uint32_t at = node_behind(head.channel);
    if (at % k_ != head.destination % k_) return 4 * at + (at % k_ < head.destination % k_ ? 0 : 1);
    if (at != head.destination) return 4 * at + (at < head.destination ? 2 : 3);
    return 5 * nodes + at;
  }
  [[nodiscard]] std::string channel_name(std::uint32_t channel) const override {
    const std::uint32_t nodes = k_ * k_;
    if (channel >= 5 * nodes) return "ejection at " + node_name(channel - 5 * nodes);
    if (channel >= 4 * nodes) return "injection at " + node_name(channel - 4 * nodes);
    return node_name(channel / 4) + " -> " + node_name(node_behind(channel));
  }
  [[nodiscard]] std::string node_name(std::uint32_t node) const override {
    return "(" + std::to_string(node % k_) + "," + std::to_string(node / k_) + ")";
  }

 private:
  static WormLayout layout_of(std::uint32_t k) {
    WormLayout layout{.name = "mesh",
                      .nodes = k * k,
                      .wires = 6 * k * k,
                      .longest_path = 2 * k,
                      .channels = {},
                      .stations = {}};
    for (std::uint32_t i = 0; i < layout.wires; ++i) {
      layout.channels.push_back({i, i});
      layout.stations.push_back({i, 1});
    }
    return layout;
  }
  [[nodiscard]] std::uint32_t node_behind(std::uint32_t channel) const {
    if (channel >= 4 * k_ * k_) return channel - 4 * k_ * k_;
    const std::uint32_t node = channel / 4;
    switch (channel % 4) {
      case 0:
        return node + 1;
      case 1:
        return node - 1;
      case 2:
        return node + k_;
      default:
        return node - k_;
    }
  }
  std::uint32_t k_;
};

std::map<std::string, double> rates(const ChannelGraph& graph) {
  std::map<std::string, double> result;
  for (const Channel& channel : graph.channels) result[channel.name] = channel.rate;
  return result;
}

/// (from, to) -> {messages per cycle, own share}, by the name of the station's first channel.
using Flows = std::map<std::pair<std::string, std::string>, std::pair<double, double>>;
Flows flows(const ChannelGraph& graph) {
  Flows result;
  for (const Channel& channel : graph.channels)
    for (const Turn& turn : channel.turns)
      result[{channel.name, graph.channels[graph.stations[turn.station].channels.front()].name}] = {
          channel.rate * turn.probability, turn.own_share};
  return result;
}

/// Inflow equals outflow at every channel; sent traffic equals received traffic.
void check_conservation(const ChannelGraph& graph) {
  std::vector<double> in(graph.stations.size(), 0);
  double sent = 0, received = 0;
  for (const Channel& channel : graph.channels) {
    double onward = 0;
    for (const Turn& turn : channel.turns) {
      in[turn.station] += channel.rate * turn.probability;
      onward += turn.probability;
    }
    const double ends = channel.turns.empty() ? 1 : channel.ends;
    received += ends * channel.rate;
    CHECK(onward + ends == Approx(1).epsilon(1e-13));
  }
  for (const Source& source : graph.sources) {
    const Station& station = graph.stations[graph.channels[source.channel].station];
    in[graph.channels[source.channel].station] += station.rate / static_cast<double>(station.channels.size());
    sent += graph.channels[source.channel].rate;
  }
  CHECK(sent == Approx(received).epsilon(1e-12));
  for (std::size_t i = 0; i < in.size(); ++i) {
    CHECK(in[i] == Approx(graph.stations[i].rate).epsilon(1e-12));
    double channels = 0;
    for (const std::size_t channel : graph.stations[i].channels) channels += graph.channels[channel].rate;
    CHECK(channels == Approx(graph.stations[i].rate).epsilon(1e-12));
  }
}

TEST_CASE("walk: a mesh under uniform traffic has closed-form rates and the flows of cube_graph()") {
  const std::uint32_t k = GENERATE(2u, 4u, 5u);
  const ChannelGraph graph = walk_graph(PlainMesh(k), {});
  check_conservation(graph);
  CHECK(graph.mean_distance == Approx(2.0 * k / 3 + 2).epsilon(1e-14));
  const double c = 1.0 / (k * k - 1);
  const auto rate = rates(graph);
  for (std::uint32_t x = 0; x + 1 < k; ++x) {
    const std::string link = "(" + std::to_string(x) + ",1) -> (" + std::to_string(x + 1) + ",1)";
    CHECK(rate.at(link) == Approx(c * k * (x + 1) * (k - 1 - x)).epsilon(1e-14));
  }
  const ChannelGraph other = cube_graph({.radix = k});
  CHECK(rate.size() == rates(other).size());
  for (const auto& [name, value] : rates(other)) CHECK(rate.at(name) == Approx(value).epsilon(1e-14));
  const Flows mine = flows(graph), theirs = flows(other);
  CHECK(mine.size() == theirs.size());
  for (const auto& [turn, value] : theirs) {
    CHECK(mine.at(turn).first == Approx(value.first).epsilon(1e-14));
    CHECK(mine.at(turn).second == Approx(value.second).epsilon(1e-14));
  }
}

constexpr WormEnds unlimited{.injection = Injection::one, .ejection = Ejection::unlimited};
constexpr WormEnds ports{.injection = Injection::ports, .ejection = Ejection::one};

TEST_CASE("walk: every mesh, torus and hypercube, channel by channel, has the flows of cube_graph()") {
  const auto cube =
      GENERATE(values<Cube>({{.links = CubeLinks::mesh, .radix = 3, .dimensions = 3},
                             {.links = CubeLinks::mesh, .radix = 2, .dimensions = 5},
                             {.links = CubeLinks::unidirectional_torus, .radix = 5},
                             {.links = CubeLinks::unidirectional_torus, .radix = 3, .dimensions = 3},
                             {.links = CubeLinks::torus, .radix = 4},
                             {.links = CubeLinks::torus, .radix = 5},
                             {.links = CubeLinks::torus, .radix = 4, .dimensions = 3},
                             {.links = CubeLinks::mesh, .radix = 4, .ends = unlimited},
                             {.links = CubeLinks::unidirectional_torus, .radix = 4, .ends = unlimited},
                             {.links = CubeLinks::torus, .radix = 4, .ends = unlimited},
                             {.links = CubeLinks::mesh, .radix = 2, .dimensions = 1, .ends = all_port},
                             {.links = CubeLinks::mesh, .radix = 2, .dimensions = 4, .ends = all_port},
                             {.links = CubeLinks::mesh, .radix = 2, .dimensions = 4, .ends = ports},
                             {.links = CubeLinks::mesh, .radix = 2, .dimensions = 4, .ends = unlimited}}));
  const auto network = make_cube_worms(cube, usual_virtual_channels(cube));
  const ChannelGraph graph = walk_graph(*network, {}), other = cube_graph(cube);
  check_conservation(graph);
  CHECK(graph.name == other.name);
  CHECK(graph.mean_distance == Approx(other.mean_distance).epsilon(1e-14));
  const auto rate = rates(graph), expected = rates(other);
  CHECK(rate.size() == expected.size());
  for (const auto& [name, value] : expected) CHECK(rate.at(name) == Approx(value).epsilon(1e-14));
  const Flows mine = flows(graph), theirs = flows(other);
  CHECK(mine.size() == theirs.size());
  for (const auto& [turn, value] : theirs) {
    CHECK(mine.at(turn).first == Approx(value.first).epsilon(1e-13));
    CHECK(mine.at(turn).second == Approx(value.second).epsilon(1e-13));
  }
  CHECK(graph.worms_met == Approx(other.worms_met).margin(1e-13));
  std::map<std::string, double> ends;
  for (const Channel& channel : graph.channels) ends[channel.name] = channel.ends;
  for (const Channel& channel : other.channels)
    if (!channel.turns.empty()) CHECK(ends.at(channel.name) == Approx(channel.ends).margin(1e-13));
  std::map<std::string, double> weights;
  for (const Source& source : graph.sources) weights[graph.channels[source.channel].name] = source.weight;
  CHECK(weights.size() == other.sources.size());
  for (const Source& source : other.sources)
    CHECK(weights.at(other.channels[source.channel].name) == Approx(source.weight).epsilon(1e-13));
}

TEST_CASE("walk: a hypercube for broadcasts has the rates of cube_graph(), for all ends") {
  for (const WormEnds& ends : {WormEnds{}, unlimited, ports, all_port}) {
    const auto network = make_hypercube_worms(4, 1, ends);
    const ChannelGraph mine = walk_graph(*network, {});
    const ChannelGraph other = cube_graph({.radix = 2, .dimensions = 4, .ends = ends});
    check_conservation(mine);
    check_conservation(other);
    CHECK(mine.mean_distance == Approx(other.mean_distance).epsilon(1e-14));
    CHECK(mine.channels.size() == other.channels.size());
    CHECK(mine.sources.size() == other.sources.size());
    // Dimensions are crossed in the other order, so channels have other names.
    std::multiset<long> of_mine, of_other;
    for (const Channel& channel : mine.channels) of_mine.insert(std::lround(channel.rate * 1e9));
    for (const Channel& channel : other.channels) of_other.insert(std::lround(channel.rate * 1e9));
    CHECK(of_mine == of_other);
  }
}

TEST_CASE("walk: given flows are counted exactly, and only used channels exist") {
  const PlainMesh mesh(4);
  const ChannelGraph graph = walk_graph(mesh, {{{0, 5, 1.5}, {1, 5, 0.25}, {15, 0, 0.25}}});
  check_conservation(graph);
  const auto rate = rates(graph);
  CHECK(rate.at("(0,0) -> (1,0)") == 1.5);
  CHECK(rate.at("(1,0) -> (1,1)") == 1.75);
  CHECK(rate.at("(0,1) -> (0,0)") == 0.25);
  // Three injections, two ejections, two links of the first flow (one of the second), six of the third.
  CHECK(rate.size() == 3 + 2 + 2 + 6);
}

/// Layers of stations with one to three channels each; the next station of a head is pseudo-random.
class RandomLayers : public WormNetwork {
 public:
  RandomLayers(std::uint32_t seed, std::uint32_t nodes, std::uint32_t layers, std::uint32_t variants)
      : RandomLayers(Plan(seed, nodes, layers, variants)) {}

  [[nodiscard]] std::uint32_t next_station(const WormHead& head) const override {
    const std::uint32_t nodes = layout().nodes;
    if (head.passed == 0) return head.source;
    const std::uint32_t at = layout().channels[head.channel].station;
    if (at >= layout().stations.size() - nodes) return arrived;
    const std::uint32_t layer = at < nodes ? 0 : 1 + (at - nodes) / width;
    std::seed_seq seed{seed_, head.source, head.destination, head.variant, head.passed, head.channel};
    std::vector<std::uint32_t> words(2);
    seed.generate(words.begin(), words.end());
    const bool leave = layer == layers_ || words[0] % 4 == 0;
    if (leave) return static_cast<std::uint32_t>(layout().stations.size()) - nodes + head.destination;
    return nodes + layer * width + words[1] % width;
  }
  [[nodiscard]] std::string channel_name(std::uint32_t channel) const override {
    return "c" + std::to_string(channel);
  }
  [[nodiscard]] std::string node_name(std::uint32_t node) const override {
    return "n" + std::to_string(node);
  }

 private:
  static constexpr std::uint32_t width = 3;
  struct Plan {
    Plan(std::uint32_t the_seed, std::uint32_t nodes, std::uint32_t the_layers, std::uint32_t variants)
        : seed(the_seed),
          layers(the_layers),
          layout{.name = "layers",
                 .nodes = nodes,
                 .wires = 0,
                 .variants = variants,
                 .longest_path = layers + 2,
                 .channels = {},
                 .stations = {}} {
      std::mt19937 random(seed);
      for (std::uint32_t station = 0; station < 2 * nodes + layers * width; ++station) {
        const bool inner = station >= nodes && station < nodes + layers * width;
        const std::uint32_t count = inner ? 1 + static_cast<std::uint32_t>(random() % 3) : 1;
        layout.stations.push_back({static_cast<std::uint32_t>(layout.channels.size()), count});
        for (std::uint32_t i = 0; i < count; ++i) layout.channels.push_back({station, layout.wires++});
      }
    }
    std::uint32_t seed, layers;
    WormLayout layout;
  };
  explicit RandomLayers(Plan plan)
      : WormNetwork(std::move(plan.layout)), seed_(plan.seed), layers_(plan.layers) {}
  std::uint32_t seed_, layers_;
};

/// Each single route, by recursion.
void follow(const WormNetwork& network, WormHead head, double rate, std::map<std::string, double>& rates,
            std::map<std::pair<std::string, std::string>, double>& flows, double& crossed) {
  const std::uint32_t station = network.next_station(head);
  if (station == WormNetwork::arrived) return;
  const WormStation& its = network.layout().stations[station];
  if (head.passed > 0) flows[{network.channel_name(head.channel), network.channel_name(its.first)}] += rate;
  crossed += rate;
  for (std::uint32_t i = 0; i < its.count; ++i) {
    WormHead next = head;
    ++next.passed;
    next.channel = its.first + i;
    rates[network.channel_name(next.channel)] += rate / its.count;
    follow(network, next, rate / its.count, rates, flows, crossed);
  }
}

TEST_CASE("walk: splitting and merging routes match a recursion over single routes") {
  const std::uint32_t seed = GENERATE(range(1u, 13u));
  const std::uint32_t nodes = 3 + seed % 3, variants = 1 + seed % 3;
  const RandomLayers network(seed, nodes, 4, variants);
  WormTraffic traffic;
  if (seed % 2 == 0)
    for (std::uint32_t i = 0; i < nodes; ++i) traffic.flows.push_back({i, (i + 1) % nodes, 0.3 + 0.1 * i});
  std::vector<WormFlow> all = traffic.flows;
  if (all.empty())
    for (std::uint32_t s = 0; s < nodes; ++s)
      for (std::uint32_t d = 0; d < nodes; ++d)
        if (s != d) all.push_back({s, d, 1.0 / (nodes - 1)});

  std::map<std::string, double> expected;
  std::map<std::pair<std::string, std::string>, double> expected_flows;
  double crossed = 0, sent = 0;
  for (const WormFlow& flow : all) {
    sent += flow.rate;
    for (std::uint32_t variant = 0; variant < variants; ++variant)
      follow(network, {.source = flow.source, .destination = flow.destination, .variant = variant},
             flow.rate / variants, expected, expected_flows, crossed);
  }
  const ChannelGraph graph = walk_graph(network, traffic);
  check_conservation(graph);
  CHECK(graph.mean_distance == Approx(crossed / sent).epsilon(1e-13));
  const auto found = rates(graph);
  CHECK(found.size() == expected.size());
  for (const auto& [name, rate] : expected) CHECK(found.at(name) == Approx(rate).epsilon(1e-13));
  const Flows turns = flows(graph);
  CHECK(turns.size() == expected_flows.size());
  std::map<std::string, const Station*> station_of;
  for (const Station& station : graph.stations)
    station_of[graph.channels[station.channels.front()].name] = &station;
  for (const auto& [turn, rate] : expected_flows) {
    CHECK(turns.at(turn).first == Approx(rate).epsilon(1e-13));
    const Station& station = *station_of.at(turn.second);
    CHECK(station.servers == static_cast<int>(station.channels.size()));
    CHECK(turns.at(turn).second ==
          Approx(std::min(1.0, station.servers * rate / station.rate)).epsilon(1e-13));
  }
  double weights = 0;
  for (const Source& source : graph.sources) weights += source.weight;
  CHECK(weights == Approx(1).epsilon(1e-14));
}

/// Two nodes send over two physical channels with two virtual channels each, a station of two, to two others.
class SharedLine : public WormNetwork {
 public:
  SharedLine() : WormNetwork(line()) {}
  [[nodiscard]] std::uint32_t next_station(const WormHead& head) const override {
    if (head.passed == 0) return head.source;
    if (head.passed == 3) return 2 + head.destination;
    return head.passed == 4 ? arrived : 1 + head.passed;
  }
  [[nodiscard]] std::string channel_name(std::uint32_t channel) const override {
    return std::to_string(channel);
  }
  [[nodiscard]] std::string node_name(std::uint32_t node) const override { return std::to_string(node); }

 private:
  // Stations: 0, 1 injection of nodes 0 and 1; 2, 3 the two physical channels in between; 4, 5 ejection of
  // nodes 2 and 3.
  static WormLayout line() {
    return {.name = "line",
            .nodes = 4,
            .wires = 6,
            .longest_path = 4,
            .channels = {{0, 0}, {1, 1}, {2, 2}, {2, 2}, {3, 3}, {3, 3}, {4, 4}, {5, 5}},
            .stations = {{0, 1}, {1, 1}, {2, 2}, {4, 2}, {6, 1}, {7, 1}}};
  }
};

TEST_CASE("walk: messages met on any free virtual channel match all pairs of routes") {
  const SharedLine line;
  REQUIRE(line.layout().shares_wires());
  const std::vector<WormFlow> sent{{0, 2, 0.7}, {0, 3, 0.3}, {1, 2, 0.5}, {1, 3, 0.5}};
  const ChannelGraph graph = walk_graph(line, {sent});
  // Each source sends one message after the other, so a message meets those of the other source, all at the
  // first physical channel; at the second one no others.
  CHECK(graph.worms_met == Approx(1).epsilon(1e-14));
  CHECK(walk_graph(line, {{{0, 2, 1}, {1, 3, 1}}}).worms_met == Approx(1).epsilon(1e-14));
}

TEST_CASE("walk: fractions of messages ending on a link are at most 1") {
  for (const int virtual_channels : {3, 6, 7}) {
    const auto cube = make_hypercube_worms(6, virtual_channels);
    for (const Channel& channel : walk_graph(*cube, {}).channels) CHECK(channel.ends <= 1);
  }
}

TEST_CASE("walk: invalid networks and traffic are rejected") {
  const PlainMesh mesh(3);
  const auto reject = [&](std::vector<WormFlow> sent) {
    CHECK_THROWS_AS(walk_graph(mesh, {std::move(sent)}), InvalidArgument);
  };
  reject({{0, 0, 1}});
  reject({{0, 9, 1}});
  reject({{0, 1, 0}});
  reject({{0, 1, -1}});
  reject({{0, 1, 1}, {0, 1, 1}});
  class Endless : public PlainMesh {
   public:
    Endless() : PlainMesh(3) {}
    [[nodiscard]] std::uint32_t next_station(const WormHead& head) const override {
      return head.passed == 0 ? 36 : head.passed % 2 == 1 ? 0 : 5;
    }
  };
  CHECK_THROWS_AS(walk_graph(Endless(), {}), InvalidArgument);
  class Vast : public WormNetwork {
   public:
    Vast()
        : WormNetwork({.name = "vast",
                       .nodes = 100'000,
                       .wires = 1,
                       .longest_path = 1,
                       .channels = {},
                       .stations = {}}) {}
    [[nodiscard]] std::uint32_t next_station(const WormHead&) const override { return arrived; }
    [[nodiscard]] std::string channel_name(std::uint32_t) const override { return {}; }
    [[nodiscard]] std::string node_name(std::uint32_t) const override { return {}; }
  };
  CHECK_THROWS_AS(walk_graph(Vast(), {}), LimitExceeded);
}

}  // namespace
