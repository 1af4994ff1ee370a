#include <tailbound/network/walks/one_lane.hpp>
#include <tailbound/network/walks/wire_sharing.hpp>
#include <tailbound/network/walks/worm_walk.hpp>
#include <tailbound/network/worms/cube_worms.hpp>

#include <algorithm>
#include <catch2/catch.hpp>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

// Sums over pairs of routes, against an enumeration of each pair.

namespace tailbound::network {
namespace {

struct Path {
  std::vector<std::uint32_t> channels;
  double rate = 0;
};

std::vector<Path> all_paths(const OneLane& network) {
  std::vector<Path> paths;
  const WormLayout& layout = network.layout();
  for (std::uint32_t source = 0; source < layout.nodes; ++source)
    for (std::uint32_t destination = 0; destination < layout.nodes; ++destination)
      for (std::uint32_t variant = 0; variant < layout.variants && source != destination; ++variant) {
        WormHead head{.source = source, .destination = destination, .variant = variant};
        Path path{.channels = {}, .rate = 1.0 / (layout.nodes - 1) / layout.variants};
        for (std::uint32_t next = network.next_station(head); next != WormNetwork::arrived;
             next = network.next_station(head)) {
          head.channel = layout.stations[next].first;
          ++head.passed;
          path.channels.push_back(head.channel);
        }
        paths.push_back(std::move(path));
      }
  return paths;
}

TEST_CASE("merged virtual channels: the same routes, and their original number") {
  const auto worms =
      std::shared_ptr<const WormNetwork>(make_cube_worms({.links = CubeLinks::torus, .radix = 4}, 5));
  const OneLane one(worms);
  CHECK(one.layout().wires == worms->layout().wires);
  for (std::uint32_t station = 0; station < one.layout().stations.size(); ++station) {
    CHECK(one.layout().stations[station].count == 1);
    CHECK(one.lanes(station) == worms->layout().stations[station].count);
  }
  for (std::uint32_t to = 1; to < 16; ++to) {
    WormHead head{.source = 0, .destination = to}, single = head;
    for (std::uint32_t next = worms->next_station(head); next != WormNetwork::arrived;
         next = worms->next_station(head)) {
      REQUIRE(one.next_station(single) == next);
      const auto [first, count] = worms->layout().stations[next];
      head.channel = first + head.passed % count;
      single.channel = one.layout().stations[next].first;
      CHECK(worms->channel_name(head.channel).find(one.channel_name(single.channel)) == 0);
      ++head.passed;
      ++single.passed;
    }
    CHECK(one.next_station(single) == WormNetwork::arrived);
  }
}

TEST_CASE("shared channels: each pair of routes separately") {
  const std::vector<std::pair<Cube, int>> networks{
      {{.radix = 3}, 2},
      {{.links = CubeLinks::torus, .radix = 4}, 2},
      {{.links = CubeLinks::torus, .radix = 4}, 4},
      {{.radix = 3, .ends = {Injection::one, Ejection::channels}}, 2},
      {{.radix = 2, .dimensions = 3, .ends = all_port}, 3}};
  for (const auto& [cube, virtual_channels] : networks) {
    CAPTURE(name(cube), virtual_channels);
    const OneLane network(make_cube_worms(cube, virtual_channels));
    const ChannelGraph graph = walk_graph(network, {});
    const auto found = wire_sharing(network, {}, graph);
    REQUIRE(found);
    const std::vector<Path> paths = all_paths(network);
    const WormLayout& layout = network.layout();
    std::vector<std::uint32_t> on_wire(layout.wires);
    for (const WormChannel& channel : layout.channels) ++on_wire[channel.wire];
    const auto wire = [&](std::uint32_t channel) { return layout.channels[channel].wire; };
    const auto alone = [&](std::uint32_t channel) {
      return on_wire[wire(channel)] == 1 && network.lanes(layout.channels[channel].station) == 1;
    };
    // Virtual channels that no message uses do not share: in a torus of 4, one dateline class on some links.
    std::map<std::uint32_t, std::uint32_t> lanes_used;
    std::set<std::uint32_t> used;
    for (const Path& path : paths)
      for (const std::uint32_t channel : path.channels)
        if (used.insert(channel).second)
          lanes_used[wire(channel)] += network.lanes(layout.channels[channel].station);
    // Means over the messages of a turn, by the names of its channels.
    std::map<std::pair<std::string, std::string>, std::map<std::string, double>> sums;
    for (const Path& own : paths)
      for (std::size_t k = 1; k < own.channels.size(); ++k) {
        const std::uint32_t channel = own.channels[k], before = own.channels[k - 1];
        if (lanes_used[wire(channel)] == 1) continue;
        auto& sum = sums[{network.channel_name(before), network.channel_name(channel)}];
        sum["flow"] += own.rate;
        for (const Path& other : paths)
          for (std::size_t l = 1; l < other.channels.size(); ++l) {
            if (wire(other.channels[l]) != wire(channel)) continue;
            const double both = own.rate * other.rate;
            const bool first = alone(own.channels.front()) && own.channels.front() == other.channels.front();
            const bool last = alone(own.channels.back()) && own.channels.back() == other.channels.back();
            const bool came = wire(other.channels[l - 1]) == wire(before);
            const std::string kind = other.channels[l] == channel ? "same" : "cross";
            if (!first && !last) sum[kind] += both;
            if (!first && !last && came) sum["came " + kind] += both;
            if (!first && last && !came) sum["end " + kind] += both;
            if (first && kind == "same") sum["of source"] += both;
          }
      }
    std::size_t turns = 0;
    for (std::size_t i = 0; i < found->size(); ++i)
      for (const SharedTurn& turn : (*found)[i].turns) {
        ++turns;
        const auto at = sums.find({graph.channels[turn.from].name, graph.channels[i].name});
        REQUIRE(at != sums.end());
        auto& sum = at->second;
        CHECK(turn.flow == Approx(sum["flow"]));
        for (const auto& [value, key] :
             std::vector<std::pair<double, const char*>>{{turn.same, "same"},
                                                         {turn.cross, "cross"},
                                                         {turn.came_same, "came same"},
                                                         {turn.came_cross, "came cross"},
                                                         {turn.end_same, "end same"},
                                                         {turn.end_cross, "end cross"},
                                                         {turn.of_source, "of source"}})
          CHECK(value == Approx(sum[key] / turn.flow).margin(1e-12));
      }
    CHECK(turns == sums.size());
  }
}

TEST_CASE("shared channels: how often two messages before one end are of one source") {
  const OneLane network(make_cube_worms({.radix = 3}, 2));
  WormTraffic traffic;  // to node 4 from 0, 1 and 2, and a pair that sends alone
  traffic.flows = {{0, 4, 1.0}, {1, 4, 0.6}, {2, 4, 0.4}, {3, 5, 2.0}};
  const ChannelGraph graph = walk_graph(network, traffic);
  const auto found = wire_sharing(network, traffic, graph);
  REQUIRE(found);
  std::vector<double> at_ends;
  for (std::size_t i = 0; i < found->size(); ++i)
    if (graph.channels[i].turns.empty()) at_ends.push_back((*found)[i].one_source);
  REQUIRE(at_ends.size() == 2);
  std::sort(at_ends.begin(), at_ends.end());
  CHECK(at_ends[0] == Approx((1 + 0.36 + 0.16) / 4));
  CHECK(at_ends[1] == Approx(1));
}

}  // namespace
}  // namespace tailbound::network
