#include <catch2/catch.hpp>
#include <tailbound/bounds/wormhole/latency.hpp>
#include <tailbound/core/error.hpp>
#include <tailbound/network/channels/cube.hpp>

#include <algorithm>
#include <cmath>
#include <random>

// Latency over graphs of channels: known values, and a simple second implementation on random graphs.

namespace {

using namespace tailbound::bounds::wormhole;
using tailbound::InvalidArgument;
using tailbound::bounds::Stop;
using tailbound::network::ChannelGraph;
using tailbound::network::Cube;
using tailbound::network::cube_graph;
using tailbound::network::CubeLinks;
using tailbound::network::Turn;
using tailbound::network::VirtualChannels;

double saturation(const Cube& cube, Saturated rule = Saturated::first_source) {
  return Model(cube_graph(cube)).saturation(rule);
}

Cube torus(CubeLinks links) {
  return {.links = links, .radix = 8, .virtual_channels = VirtualChannels::own_wires};
}

TEST_CASE("wormhole: known saturation loads") {
  CHECK(saturation({.radix = 4}) == Approx(0.40650887984).margin(5e-12));
  CHECK(saturation({.radix = 8}) == Approx(0.188562033161).margin(5e-13));
  CHECK(saturation(torus(CubeLinks::unidirectional_torus)) == Approx(0.0980471610364).margin(5e-14));
  CHECK(saturation(torus(CubeLinks::torus)) == Approx(0.273040179216).margin(5e-13));
  CHECK(saturation({.radix = 2, .dimensions = 6}) == Approx(0.480707067011).margin(5e-13));
}

TEST_CASE(
    "wormhole: the first source and the mean source differ by 2 % in a small mesh, 0.006 % in a large") {
  const auto difference = [](std::int64_t radix) {
    return saturation({.radix = radix}, Saturated::mean_source) / saturation({.radix = radix}) - 1;
  };
  CHECK(difference(4) == Approx(0.02).margin(0.005));
  CHECK(difference(16) == Approx(0.00006).margin(0.000005));
}

/// Messages of `flits` flits over random channels whose turns lead to later stations or, in cyclic graphs, to
/// any. Rates solve the flow balance, by iteration.
ChannelGraph random_graph(std::mt19937& random, bool cyclic) {
  const auto integer = [&](std::size_t minimum, std::size_t largest) {
    return std::uniform_int_distribution<std::size_t>(minimum, largest)(random);
  };
  const std::size_t sources = integer(1, 3), inner = integer(2, 8), last = sources + inner;
  ChannelGraph graph;
  graph.mean_distance = 5;
  for (std::size_t station = 0; station <= last; ++station) {
    const std::size_t servers = station < sources || station == last ? 1 : integer(1, 3);
    graph.stations.push_back({.channels = {}, .servers = static_cast<int>(servers), .rate = 0});
    for (std::size_t server = 0; server < servers; ++server) {
      graph.stations.back().channels.push_back(graph.channels.size());
      graph.channels.push_back(
          {.name = "channel", .station = station, .wire = graph.channels.size(), .rate = 0, .turns = {}});
      if (station == last) continue;
      // One turn to the ejection, so that all messages leave; up to two others.
      std::vector<Turn>& turns = graph.channels.back().turns;
      turns.push_back({.station = last, .probability = 1, .own_share = 0});
      for (std::size_t extra = integer(0, 2); extra > 0; --extra) {
        const std::size_t minimum = cyclic ? sources : std::max(sources, station + 1);
        if (minimum >= last) break;
        const std::size_t to = integer(minimum, last - 1);
        bool fresh = to != station;
        for (const Turn& turn : turns) fresh = fresh && turn.station != to;
        if (fresh) turns.push_back({.station = to, .probability = 1, .own_share = 0});
      }
      for (Turn& turn : turns) turn.probability = 1 / static_cast<double>(turns.size());
    }
  }
  for (std::size_t s = 0; s < sources; ++s)
    graph.sources.push_back({.channel = s, .weight = 1 / static_cast<double>(sources)});
  for (int round = 0; round < 3000; ++round) {
    std::vector<double> rates(graph.stations.size(), 0);
    for (std::size_t s = 0; s < sources; ++s) rates[s] = 1;
    for (const auto& channel : graph.channels)
      for (const Turn& turn : channel.turns) rates[turn.station] += channel.rate * turn.probability;
    for (auto& channel : graph.channels)
      channel.rate = 1e-9 + rates[channel.station] / graph.stations[channel.station].servers;
  }
  for (auto& station : graph.stations)
    for (const std::size_t channel : station.channels) station.rate += graph.channels[channel].rate;
  for (auto& channel : graph.channels)
    for (Turn& turn : channel.turns)
      turn.own_share = std::min(1.0, graph.stations[turn.station].servers * channel.rate * turn.probability /
                                         graph.stations[turn.station].rate);
  return graph;
}

/// Eq. (11) literally, iterated over all channels until nothing changes; M/M/m waits from sums of powers. The
/// mean W_s + x_s; negative if a station is overloaded.
double plain_latency(const ChannelGraph& graph, double flits, double message_rate) {
  std::vector<double> service(graph.channels.size(), flits), wait(graph.stations.size(), 0),
      mean(graph.stations.size(), flits);
  for (int round = 0; round < 5000; ++round) {
    for (std::size_t j = 0; j < graph.stations.size(); ++j) {
      const auto& station = graph.stations[j];
      double sum = 0, rate = 0;
      for (const std::size_t i : station.channels) {
        sum += service[i] * graph.channels[i].rate;
        rate += graph.channels[i].rate;
      }
      mean[j] = sum / rate;
      const double m = station.servers, a = message_rate * station.rate * mean[j];
      if (a >= m) return -1;
      double powers = 0, term = 1;
      for (int n = 0; n < station.servers; ++n, term *= a / n) powers += term;
      const double queued = term * m / (m - a);
      const double c2 = std::pow((mean[j] - flits) / mean[j], 2);
      wait[j] = (1 + c2) / 2 * queued / (powers + queued) * mean[j] / (m - a);
    }
    for (std::size_t i = 0; i < graph.channels.size(); ++i) {
      if (graph.channels[i].turns.empty()) continue;
      service[i] = 0;
      for (const Turn& turn : graph.channels[i].turns)
        service[i] += turn.probability * (mean[turn.station] + (1 - turn.own_share) * wait[turn.station]);
    }
  }
  double latency = 0;
  for (const auto& source : graph.sources)
    latency += source.weight * (wait[graph.channels[source.channel].station] + service[source.channel]);
  return latency;
}

TEST_CASE("wormhole: random graphs match a second implementation, and the scaling law") {
  const bool cyclic = GENERATE(false, true);
  std::mt19937 random(cyclic ? 71 : 70);
  int cycles = 0, direct = 0;
  for (int trial = 0; trial < 60; ++trial) {
    const ChannelGraph graph = random_graph(random, cyclic);
    const Model network(graph);
    (network.cyclic() ? cycles : direct) += 1;
    const double limit = network.saturation();
    REQUIRE(limit > 0);
    for (const double fraction : {0.2, 0.7, 0.95}) {
      const Point point = network.solve(fraction * limit);
      INFO(trial << ": " << in_words(point.ending));
      REQUIRE(point.ending.stop == (network.cyclic() ? Stop::converged : Stop::direct));
      // (Latency - (D - 1)) / length is the same for every length.
      for (const double flits : {1.0, 16.0, 100.0}) {
        const double plain = plain_latency(graph, flits, fraction * limit / flits);
        CHECK(point.latency(flits) - graph.mean_distance + 1 == Approx(plain).epsilon(1e-13));
        CHECK(plain / flits == Approx(point.source_wait + point.service).epsilon(1e-13));
      }
    }
    CHECK(plain_latency(graph, 16, 1.001 * limit / 16) < 0);
    CHECK(network.solve(1.001 * limit).ending.stop == Stop::saturated);
  }
  CHECK((cyclic ? cycles : direct) >= 20);
}

TEST_CASE("wormhole: shared links") {
  CHECK(shared_length(0) == 1);
  for (const double partners : {0.01, 0.3, 2.0}) {
    const double t = shared_length(partners);
    CHECK(t == Approx(1 / (1 - (1 - std::exp(-2 * partners * t)) / 2)).epsilon(1e-13));
    CHECK((t > 1 && t < 2));
  }
  const Cube own = torus(CubeLinks::unidirectional_torus);
  const Cube shared{.links = own.links, .radix = own.radix};
  const double load = 0.05;
  CHECK(Model(cube_graph(shared)).solve(load).service > Model(cube_graph(own)).solve(load).service);
  CHECK(saturation(shared) < saturation(own));
}

TEST_CASE("wormhole: cycles of channels are found and valid") {
  std::mt19937 random(72);
  int cycles = 0;
  for (int trial = 0; trial < 200; ++trial) {
    const ChannelGraph graph = random_graph(random, true);
    const std::size_t n = graph.stations.size();
    std::vector<std::vector<bool>> reaches(n, std::vector<bool>(n, false));
    for (const auto& channel : graph.channels)
      for (const Turn& turn : channel.turns) reaches[channel.station][turn.station] = true;
    for (std::size_t via = 0; via < n; ++via)
      for (std::size_t from = 0; from < n; ++from)
        for (std::size_t to = 0; to < n; ++to)
          if (reaches[from][via] && reaches[via][to]) reaches[from][to] = true;
    bool expected = false;
    for (std::size_t i = 0; i < n; ++i) expected = expected || reaches[i][i];

    const Model network(graph);
    REQUIRE(network.cyclic() == expected);
    const std::vector<std::size_t>& cycle = network.cycle();
    for (std::size_t i = 0; i < cycle.size(); ++i) {
      const auto& turns = graph.channels[cycle[i]].turns;
      const std::size_t next = graph.channels[cycle[(i + 1) % cycle.size()]].station;
      CHECK(std::any_of(turns.begin(), turns.end(), [&](const Turn& turn) { return turn.station == next; }));
    }
    cycles += expected;
  }
  CHECK((cycles > 50 && cycles < 200));
}

TEST_CASE("wormhole: a link with many virtual channels carries at most one flit per cycle") {
  // Four sources send over any of four virtual channels of one link, each occupied twice as long as its
  // messages.
  ChannelGraph graph;
  graph.mean_distance = 2;
  for (std::size_t i = 0; i < 4; ++i) {
    graph.stations.push_back({.channels = {i}, .servers = 1, .rate = 1});
    graph.channels.push_back({.name = "source",
                              .station = i,
                              .wire = i,
                              .rate = 1,
                              .turns = {{.station = 4, .probability = 1, .own_share = 1}}});
    graph.sources.push_back({.channel = i, .weight = 0.25});
  }
  graph.stations.push_back({.channels = {4, 5, 6, 7}, .servers = 4, .rate = 4});
  for (int i = 0; i < 4; ++i)
    graph.channels.push_back({.name = "virtual channel", .station = 4, .wire = 4, .rate = 1, .turns = {}});
  CHECK(Model(graph).saturation() == Approx(0.25).epsilon(1e-14));
  for (std::size_t i = 4; i < 8; ++i) graph.channels[i].wire = i;
  CHECK(Model(graph).saturation() > 0.9);
}

TEST_CASE("wormhole: busiest channels, sorted and without sources") {
  const Model network(cube_graph({.radix = 4}));
  const Point point = network.solve(0.3);
  const std::vector<std::size_t> all = network.busiest(point, 10'000);
  CHECK(all.size() == network.graph().channels.size() - 16);
  CHECK(network.busiest(point) == all.front());
  for (std::size_t i = 1; i < all.size(); ++i)
    CHECK(point.channels[all[i - 1]].utilization >= point.channels[all[i]].utilization);
  const std::vector<std::size_t> three = network.busiest(point, 3);
  CHECK(three == std::vector<std::size_t>(all.begin(), all.begin() + 3));
  for (const std::size_t channel : all)
    CHECK(network.graph().channels[channel].name.find("injection") == std::string::npos);
}

TEST_CASE("wormhole: at load 0 a message takes M + D - 1") {
  const Model network(cube_graph({.radix = 5, .dimensions = 3}));
  CHECK(network.solve(0).latency(20) == Approx(20 + network.graph().mean_distance - 1).epsilon(1e-15));
}

TEST_CASE("wormhole: invalid graphs are rejected") {
  const ChannelGraph good = cube_graph({.radix = 3});
  CHECK_THROWS_AS(Model(good).solve(-1), InvalidArgument);
  const auto reject = [&](auto&& spoil) {
    ChannelGraph graph = good;
    spoil(graph);
    CHECK_THROWS_AS(Model(graph), InvalidArgument);
  };
  reject([](ChannelGraph& graph) { graph.channels[0].station = 10'000; });
  reject([](ChannelGraph& graph) { graph.channels[0].rate = 0; });
  reject([](ChannelGraph& graph) { graph.channels[0].turns[0].probability += 0.1; });
  reject([](ChannelGraph& graph) { graph.channels[0].turns[0].station = 10'000; });
  reject([](ChannelGraph& graph) { graph.stations[0].servers = 0; });
  reject([](ChannelGraph& graph) { graph.stations[0].channels.clear(); });
  reject([](ChannelGraph& graph) { graph.sources.pop_back(); });
}

}  // namespace
