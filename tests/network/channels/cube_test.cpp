#include <catch2/catch.hpp>
#include <tailbound/core/error.hpp>
#include <tailbound/network/channels/cube.hpp>

#include <map>
#include <set>
#include <utility>
#include <vector>

// Channel rates of meshes and tori: closed forms, and an enumeration of every pair of nodes.

namespace {

using namespace tailbound::network;
using tailbound::InvalidArgument;

/// A route through a two-dimensional network, by names of channels; and its share of the pair's messages.
struct Path {
  std::vector<std::string> channels;
  double share = 1;
};

std::string name(int x, int y) {
  return "(" + std::to_string(x) + "," + std::to_string(y) + ")";
}

/// Steps in one dimension: {signed steps, share}.
std::vector<std::pair<int, double>> moves(CubeLinks links, int k, int from, int to) {
  const int up = (to - from + k) % k;
  if (links == CubeLinks::mesh) return {{to - from, 1}};
  if (links == CubeLinks::unidirectional_torus || 2 * up < k) return {{up, 1}};
  if (2 * up == k) return {{up, 0.5}, {up - k, 0.5}};
  return {{up - k, 1}};
}

void go(std::vector<std::string>& path, CubeLinks links, int k, int& x, int& y, bool along_x, int steps) {
  const int direction = steps > 0 ? 1 : -1;
  for (int left = std::abs(steps); left > 0; --left) {
    int& at = along_x ? x : y;
    const std::string from = name(x, y);
    const int beyond = at + direction * left;  // a wrap is still ahead
    const bool low = beyond < 0 || beyond >= k;
    at = (at + direction + k) % k;
    path.push_back(from + " -> " + name(x, y) + (links == CubeLinks::mesh ? "" : low ? ", low" : ", high"));
  }
}

std::vector<Path> all_paths(CubeLinks links, int k) {
  std::vector<Path> paths;
  for (int s = 0; s < k * k; ++s)
    for (int d = 0; d < k * k; ++d) {
      if (s == d) continue;
      for (const auto& [dx, px] : moves(links, k, s % k, d % k))
        for (const auto& [dy, py] : moves(links, k, s / k, d / k)) {
          Path path{.channels = {"injection at " + name(s % k, s / k)}, .share = px * py};
          int x = s % k, y = s / k;
          go(path.channels, links, k, x, y, true, dx);
          go(path.channels, links, k, x, y, false, dy);
          path.channels.push_back("ejection at " + name(x, y));
          paths.push_back(path);
        }
    }
  return paths;
}

Cube square(CubeLinks links, int k) {
  return {.links = links, .radix = k};
}

TEST_CASE("cube: rates and flows match an enumeration of all pairs and are conserved") {
  const auto [links, k] = GENERATE(table<CubeLinks, int>({{CubeLinks::mesh, 4},
                                                          {CubeLinks::mesh, 5},
                                                          {CubeLinks::unidirectional_torus, 4},
                                                          {CubeLinks::unidirectional_torus, 5},
                                                          {CubeLinks::torus, 4},
                                                          {CubeLinks::torus, 5}}));
  const ChannelGraph graph = cube_graph(square(links, k));
  const double c = 1.0 / (k * k - 1);
  std::map<std::string, double> rates;
  std::map<std::pair<std::string, std::string>, double> flows;
  double distance = 0;
  for (const Path& path : all_paths(links, k)) {
    distance += path.share * static_cast<double>(path.channels.size());
    for (std::size_t i = 0; i < path.channels.size(); ++i) {
      rates[path.channels[i]] += c * path.share;
      if (i > 0) flows[{path.channels[i - 1], path.channels[i]}] += c * path.share;
    }
  }
  CHECK(graph.mean_distance == Approx(distance * c / (k * k)).epsilon(1e-13));
  CHECK(graph.channels.size() == rates.size());
  std::size_t turns = 0;
  std::vector<double> into(graph.channels.size(), 0);
  for (const Channel& channel : graph.channels) {
    INFO(channel.name);
    CHECK(channel.rate == Approx(rates[channel.name]).epsilon(1e-13));
    for (const Turn& turn : channel.turns) {
      ++turns;
      const Channel& next = graph.channels[graph.stations[turn.station].channels.front()];
      const double flow = flows[{channel.name, next.name}];
      CHECK(turn.probability * channel.rate == Approx(flow).epsilon(1e-13));
      CHECK(turn.own_share * next.rate == Approx(flow).epsilon(1e-13));
      into[graph.stations[turn.station].channels.front()] += flow;
    }
  }
  CHECK(turns == flows.size());
  for (const Source& source : graph.sources) into[source.channel] += 1;
  for (std::size_t i = 0; i < into.size(); ++i)
    CHECK(into[i] == Approx(graph.channels[i].rate).epsilon(1e-12));
}

TEST_CASE("cube: closed forms of distances and rates") {
  CHECK(cube_graph({.radix = 8}).mean_distance == Approx(2.0 * 8 / 3 + 2).epsilon(1e-14));
  CHECK(cube_graph(square(CubeLinks::unidirectional_torus, 8)).mean_distance ==
        Approx(64.0 / 9 + 2).epsilon(1e-14));
  CHECK(cube_graph(square(CubeLinks::torus, 8)).mean_distance == Approx(4.0 * 64 / 63 + 2).epsilon(1e-14));
  const ChannelGraph cube = cube_graph({.radix = 2, .dimensions = 6});
  CHECK(cube.mean_distance == Approx(3.0 * 64 / 63 + 2).epsilon(1e-14));
  for (const Channel& channel : cube.channels)
    if (channel.name[0] == '(') CHECK(channel.rate == Approx(32.0 / 63).epsilon(1e-14));
  const int k = 8;
  std::map<std::string, double> torus;
  for (const Channel& channel : cube_graph(square(CubeLinks::unidirectional_torus, k)).channels)
    torus[channel.name] = channel.rate;
  for (int i = 0; i < k; ++i) {
    const std::string link = name(i, 3) + " -> " + name((i + 1) % k, 3);
    const double c = 1.0 / (k * k - 1);
    CHECK(torus[link + ", low"] == Approx(c * k * i * (i + 1) / 2));
    CHECK(torus[link + ", high"] ==
          Approx(c * k * ((i + 1) * (k - 1 - i) + (k - 1 - i) * (k - 2 - i) / 2.0)));
  }
}

/// For two routes on different channels of one physical channel somewhere: 0 if they arrive there on the same
/// channel, one after the other; 1/2 if they take the same channel elsewhere, injection apart; otherwise 1.
double meeting(const Path& mine, const std::set<std::string>& other) {
  const auto partner_of = [](const std::string& channel) {
    const std::size_t comma = channel.rfind(", ");
    if (channel[0] != '(') return std::string("none");
    return channel.substr(0, comma) + (channel.substr(comma) == ", low" ? ", high" : ", low");
  };
  const auto shared = [&other](const std::string& channel) { return other.count(channel) > 0; };
  for (std::size_t i = 1; i < mine.channels.size(); ++i) {
    if (other.count(partner_of(mine.channels[i])) == 0) continue;
    if (shared(mine.channels[i - 1])) return 0;
    return std::any_of(mine.channels.begin() + 1, mine.channels.end(), shared) ? 0.5 : 1;
  }
  return 0;
}

TEST_CASE("cube: messages met on shared channels match a count over all pairs of routes") {
  const auto links = GENERATE(CubeLinks::unidirectional_torus, CubeLinks::torus);
  const auto k = GENERATE(3, 4, 5, 6);
  const std::vector<Path> paths = all_paths(links, k);
  std::vector<std::set<std::string>> sets;
  for (const Path& path : paths) sets.emplace_back(path.channels.begin(), path.channels.end());
  double met = 0;
  for (const Path& mine : paths)
    for (std::size_t other = 0; other < paths.size(); ++other)
      met += mine.share * paths[other].share * meeting(mine, sets[other]);
  const double pairs = k * k * (k * k - 1);
  Cube cube = square(links, k);
  CHECK(cube_graph(cube).worms_met == Approx(met / pairs / (k * k - 1)).epsilon(1e-12));
  cube.virtual_channels = VirtualChannels::own_wires;
  CHECK(cube_graph(cube).worms_met == 0);
}

TEST_CASE("cube: parameters out of range are rejected") {
  CHECK_THROWS_AS(cube_graph({.radix = 1}), InvalidArgument);
  CHECK_THROWS_AS(cube_graph({.radix = 129}), InvalidArgument);
  CHECK_THROWS_AS(cube_graph({.radix = 2, .dimensions = 15}), InvalidArgument);
  CHECK_THROWS_AS(cube_graph({.radix = 2, .dimensions = 0}), InvalidArgument);
  CHECK_THROWS_AS(cube_graph(square(CubeLinks::torus, 2)), InvalidArgument);
}

}  // namespace
