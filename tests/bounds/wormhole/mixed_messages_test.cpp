#include <tailbound/bounds/wormhole/latency.hpp>
#include <tailbound/network/files/network_file.hpp>
#include <tailbound/network/mix/message_flows.hpp>
#include <tailbound/network/mix/virtual_networks.hpp>
#include <tailbound/network/walks/one_lane.hpp>
#include <tailbound/network/walks/worm_trails.hpp>
#include <tailbound/network/walks/worm_walk.hpp>
#include <tailbound/network/worms/worm_network_file.hpp>
#include <tailbound/network/worms/worm_topology.hpp>

#include <algorithm>
#include <catch2/catch.hpp>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

// Messages of several lengths, kinds and virtual networks: values of an independent program with the same
// equations, identities, and an exact solution.

namespace tailbound::bounds::wormhole {
namespace {

using network::MessageKind;
using network::MessageLengths;
using network::WormShape;
using network::WormTopology;
using Networks = std::vector<std::shared_ptr<const network::WormNetwork>>;

struct Mixed {
  std::vector<MessageKind> kinds;
  std::int64_t buffer_flits = 1;
  network::RouterTiming timing{};
};

/// All virtual networks; with history of routes or without.
Model model_of(const Networks& networks, const Mixed& mixed, int history, bool one_way = false) {
  std::shared_ptr<const network::WormNetwork> all = networks.front();
  if (networks.size() > 1)
    all = std::make_shared<const network::VirtualNetworks>(networks, std::vector<std::string>{"a", "b", "c"});
  const auto flows =
      network::flows_of(mixed.kinds, all->layout(), static_cast<std::uint32_t>(networks.size()));
  const Worms worms{.kinds = kinds_of(mixed.kinds),
                    .buffer_flits = static_cast<double>(mixed.buffer_flits),
                    .timing = mixed.timing};
  const bool shares = all->layout().shares_wires() && !one_way;
  const network::OneLane one(all);
  const network::WormNetwork& walked = shares ? static_cast<const network::WormNetwork&>(one) : *all;
  network::ChannelGraph graph = network::walk_kinds(walked, flows);
  if (history > 0 || flows.size() > 1) REQUIRE(network::add_kind_trails(graph, walked, flows, history));
  if (!shares) return Model(std::move(graph), Equations::finite_source, worms);
  const auto wires = network::kind_wire_sharing(one, flows, graph);
  REQUIRE(wires);
  return Model(std::move(graph), Equations::finite_source, worms, *wires);
}

Model model_of(const WormTopology& topology, const std::vector<int>& virtual_channels, const Mixed& mixed) {
  Networks networks;
  for (const int channels : virtual_channels) networks.push_back(network::worm_network(topology, channels));
  const bool history = topology.shape == WormShape::torus ||
                       topology.shape == WormShape::unidirectional_torus ||
                       std::any_of(mixed.kinds.begin(), mixed.kinds.end(),
                                   [](const MessageKind& kind) { return !kind.traffic.flows.empty(); });
  return model_of(networks, mixed, history ? 2 : 0, topology.shape == WormShape::unidirectional_torus);
}

WormTopology mesh(std::int64_t side) {
  return {.shape = WormShape::mesh, .nodes = side * side};
}

std::vector<MessageKind> law(std::string_view text) {
  return {{.lengths = MessageLengths::parse(text)}};
}

/// All other nodes to these, or from these to all others.
network::WormTraffic corners(bool to) {
  network::WormTraffic traffic;
  for (std::uint32_t node = 0; node < 16; ++node)
    for (const std::uint32_t corner : {0U, 3U, 12U, 15U})
      if (node != corner)
        traffic.flows.push_back(to ? network::WormFlow{node, corner, 1} : network::WormFlow{corner, node, 1});
  const double senders = to ? 16 : 4;
  for (network::WormFlow& flow : traffic.flows)
    flow.rate = senders / static_cast<double>(traffic.flows.size());
  return traffic;
}

std::vector<MessageKind> requests_and_replies(bool memory) {
  std::vector<MessageKind> kinds{
      {.name = "request", .share = numeric::Rational(1) / numeric::Rational(2), .lengths = 1},
      {.name = "reply",
       .share = numeric::Rational(1) / numeric::Rational(2),
       .lengths = 5,
       .virtual_network = 1}};
  if (memory) {
    kinds[0].traffic = corners(true);
    kinds[1].traffic = corners(false);
  }
  return kinds;
}

network::Network star() {
  return network::read_network(R"(hosts = ["a", "b", "c", "z"]
switches = ["s"]
[[link]]
from = ["a", "b", "c"]
to = "s"
[[link]]
from = "s"
to = "z"
[[flow]]
from = "a"
to = "z"
rate = 1
[[flow]]
from = "b"
to = "z"
rate = 1
[[flow]]
from = "c"
to = "z"
rate = 1
)",
                               "star.toml", network::FileUse::worms)
      .network;
}

void check_point(const Model& model, double load, double latency, double wait,
                 const std::vector<double>& by_length) {
  const Point point = model.solve(load);
  REQUIRE(point.solved());
  const double flits = model.worms().mean_flits();
  CHECK(point.latency(flits) == Approx(latency).margin(1.1e-6));
  CHECK(flits * point.source_wait == Approx(wait).margin(1.1e-6));
  std::vector<double> found;
  double mean = 0, source = 0;
  for (const KindFigures& kind : point.kinds) {
    mean += kind.share * kind.latency;
    source += kind.share * kind.source_wait;
    for (const LengthFigures& length : kind.lengths) found.push_back(length.latency);
  }
  CHECK(mean == Approx(point.latency(flits)).epsilon(1e-12));
  CHECK(source == Approx(wait).margin(1.1e-6));
  REQUIRE(found.size() == by_length.size());
  for (std::size_t i = 0; i < found.size(); ++i) CHECK(found[i] == Approx(by_length[i]).margin(1.1e-6));
}

TEST_CASE("mixed messages: values of an independent program, several lengths") {
  const auto control = law("1:60%,5:40%");
  const Model plain = model_of(mesh(4), {1}, {control, 1});
  check_point(plain, 0.2, 8.198621, 0.932535, {6.598621, 10.598621});
  check_point(plain, 0.3, 11.345401, 3.062643, {9.745401, 13.745401});
  const Model deep = model_of(mesh(4), {1}, {law("1:80%,9:20%"), 4});
  check_point(deep, 0.2, 9.231651, 1.307632, {7.631651, 15.631651});
  check_point(deep, 0.3, 13.958956, 4.342369, {12.358956, 20.358956});
  const Model two = model_of(mesh(4), {2}, {control, 4});
  check_point(two, 0.3, 9.273877, 1.259349, {7.352722, 12.155610});
  check_point(two, 0.45, 13.394702, 3.892184, {11.405837, 16.377998});
  const Model four = model_of(mesh(8), {4}, {control, 4});
  check_point(four, 0.2, 13.447121, 0.954806, {10.707841, 17.556041});
  check_point(four, 0.3, 20.473138, 3.301773, {17.228140, 25.340635});
  check_point(model_of({.shape = WormShape::unidirectional_torus, .nodes = 36}, {2}, {control, 1}), 0.08,
              11.125469, 0.468185, {9.378861, 13.745382});
  check_point(model_of({.shape = WormShape::hypercube, .nodes = 64}, {2}, {control, 4}), 0.4, 10.710996,
              1.772453, {8.860511, 13.486724});
}

TEST_CASE("mixed messages: overhang in two-way tori, by the messages of each input") {
  // The other program weights the overhang of an input in (41) by the square of its share: 11.466725 and
  // 15.933138.
  const Model torus = model_of({.shape = WormShape::torus, .nodes = 64}, {4}, {law("1:60%,5:40%"), 4});
  check_point(torus, 0.25, 11.466911, 1.097237, {9.243426, 14.802139});
  check_point(torus, 0.37, 15.934526, 3.139369, {13.614082, 19.415192});
}

TEST_CASE("mixed messages: values of an independent program, one length") {
  check_point(model_of(mesh(8), {1}, {law("32"), 1}), 0.171428, 90.774362, 23.441240, {90.774362});
  check_point(model_of(mesh(8), {4}, {law("5"), 8}), 0.324225, 30.840528, 4.973301, {30.840528});
}

TEST_CASE("mixed messages: values of an independent program, classes") {
  const Model two = model_of(mesh(4), {2, 2}, {requests_and_replies(false), 4});
  check_point(two, 0.3, 9.200645, 0.702472, {5.494138, 12.907152});
  check_point(two, 0.5, 13.425298, 3.119351, {6.269032, 20.581564});
  check_point(model_of(mesh(4), {2, 2}, {requests_and_replies(true), 4}), 0.15, 9.305151, 1.462457,
              {5.558647, 13.051655});
  const auto part = [](int percent) { return numeric::Rational(percent) / numeric::Rational(100); };
  std::vector<MessageKind> three{
      {.share = part(40), .lengths = 1},
      {.share = part(20), .lengths = MessageLengths::parse("1:50%,5:50%"), .virtual_network = 1},
      {.share = part(40), .lengths = 5, .virtual_network = 2}};
  check_point(model_of(mesh(4), {4, 4, 4}, {three, 4, {.router_cycles = 1, .credit_cycles = 1}}), 0.4,
              15.647932, 2.115494, {9.823030, 10.948524, 18.688971, 21.887426});
}

TEST_CASE("mixed messages: a law of geometric lengths with deeper buffers") {
  // 28.395623 where the law ends at 1e-9.
  const Point point = model_of(mesh(8), {1}, {{{.lengths = MessageLengths::geometric(8)}}, 4}).solve(0.15);
  CHECK(point.latency(8) == Approx(28.395629).margin(1.1e-6));
  CHECK(8 * point.source_wait == Approx(4.205665).margin(1.1e-6));
  CHECK(point.kinds.front().lengths.empty());
}

TEST_CASE("mixed messages: kinds of one virtual network are one") {
  const auto half = numeric::Rational(1) / numeric::Rational(2);
  const auto part = [](int percent) { return numeric::Rational(percent) / numeric::Rational(100); };
  for (const int channels : {1, 2})
    for (const std::int64_t buffer : {1, 4}) {
      CAPTURE(channels, buffer);
      const auto latency = [&](const std::vector<MessageKind>& kinds) {
        const Model model = model_of(mesh(4), {channels}, {kinds, buffer});
        const Point point = model.solve(0.35);
        REQUIRE(point.solved());
        return point.latency(model.worms().mean_flits());
      };
      const double one = latency(law("5"));
      CHECK(latency({{.share = half, .lengths = 5}, {.share = half, .lengths = 5}}) ==
            Approx(one).epsilon(1e-9));
      const double mixture = latency(law("1:60%,5:40%"));
      CHECK(latency({{.share = part(60), .lengths = 1}, {.share = part(40), .lengths = 5}}) ==
            Approx(mixture).epsilon(1e-9));
      const MessageLengths both = MessageLengths::parse("1:60%,5:40%");
      CHECK(latency({{.share = part(30), .lengths = both}, {.share = part(70), .lengths = both}}) ==
            Approx(mixture).epsilon(1e-9));
    }
}

TEST_CASE("mixed messages: with one virtual channel latencies of lengths differ by serialization") {
  for (const std::int64_t buffer : {1, 4}) {
    const Model model = model_of(mesh(5), {1}, {law("1:2,3:1,20:1"), buffer});
    const double saturation = model.saturation();
    for (const double part : {0.0, 0.5, 0.95}) {
      const auto lengths = model.solve(part * saturation).kinds.front().lengths;
      CHECK(lengths[1].latency - lengths[0].latency == Approx(2).epsilon(1e-9));
      CHECK(lengths[2].latency - lengths[0].latency == Approx(19).epsilon(1e-9));
      if (part == 0) CHECK(lengths[0].latency == Approx(model.graph().mean_distance));
    }
  }
}

TEST_CASE("mixed messages: several sources of one destination, by Pollaczek and Khinchine") {
  // The order of service does not depend on lengths: lambda E l^2 / (2 (1 - rho)) = 14.32 at the source and
  // for the last channel.
  const network::RoutedWormNetwork star_network(star());
  const auto shared = std::shared_ptr<const network::WormNetwork>(&star_network, [](const auto*) {});
  std::vector<MessageKind> kinds = law("1:1,20:1");
  kinds.front().traffic = star_network.traffic();
  const Model model = model_of(Networks{shared}, {kinds, 1}, 2);
  check_point(model, 0.2, 25.683228, 7.947329, {16.183228, 35.183228});
  CHECK(model.solve(0.2).latency(10.5) == Approx(25.82).epsilon(0.006));
}

TEST_CASE("mixed messages: a class of hardly any messages changes nothing for the others") {
  const auto rare = numeric::Rational(1) / numeric::Rational(100'000);
  std::vector<MessageKind> kinds{{.share = 1 - rare, .lengths = 5},
                                 {.share = rare, .lengths = 5, .virtual_network = 1}};
  const double alone = model_of(mesh(4), {2}, {law("5"), 4}).solve(0.3).kinds.front().latency;
  const double beside = model_of(mesh(4), {2, 2}, {kinds, 4}).solve(0.3).kinds.front().latency;
  CHECK(beside == Approx(alone).epsilon(0.003));
}

TEST_CASE("mixed messages: links carry the flits of all classes, and one class saturates first") {
  const Model model = model_of(mesh(4), {2, 2}, {requests_and_replies(true), 4});
  const Point point = model.solve(0.15);
  // Flits per cycle, of all injection channels together: the load of the 16 nodes that send.
  double sent = 0;
  for (const network::Source& source : model.graph().sources) {
    const std::size_t i = source.channel;
    sent += 0.15 * model.graph().channels[i].rate * model.size(i);
    CHECK(point.channels[i].flits >= 0.15 * model.graph().channels[i].rate * model.size(i) - 1e-12);
  }
  CHECK(sent == Approx(0.15 * 16).epsilon(1e-9));
  for (std::size_t i = 0; i < point.channels.size(); ++i) {
    double together = 0;
    for (std::size_t j = 0; j < point.channels.size(); ++j)
      if (model.graph().channels[j].wire == model.graph().channels[i].wire)
        together += 0.15 * model.graph().channels[j].rate * model.size(j);
    CHECK(point.channels[i].flits == Approx(together).epsilon(1e-9));
  }
  // Each of four memories sends a fifth of the requests' number of five flits: far more than it receives.
  const SaturationSides sides = model.saturation_sides();
  CHECK(sides.kind == 1);
  CHECK(model.graph().channels[sides.channel].name.find("injection") == 0);
  CHECK(sides.below == Approx(0.2763).epsilon(2e-3));
}

TEST_CASE("mixed messages: kinds have trails, shares of 1, and lengths from 1") {
  const Model model = model_of(mesh(4), {2, 2}, {requests_and_replies(false), 4});
  network::ChannelGraph graph = model.graph();
  graph.trails.clear();
  CHECK_THROWS_AS(Model(graph, Equations::finite_source, model.worms()), InvalidArgument);
  Worms half = model.worms();
  half.kinds.pop_back();
  CHECK_THROWS_AS(Model(model.graph(), Equations::finite_source, half), InvalidArgument);
  half.kinds.front().share = 1;
  CHECK_THROWS_AS(Model(model.graph(), Equations::finite_source, half), InvalidArgument);
  CHECK_THROWS_AS(Model(model.graph(), Equations::published, model.worms()), InvalidArgument);
}

}  // namespace
}  // namespace tailbound::bounds::wormhole
