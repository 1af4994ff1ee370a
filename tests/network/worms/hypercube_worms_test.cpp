#include <tailbound/core/error.hpp>
#include <tailbound/network/worms/hypercube_worms.hpp>

#include <bit>
#include <catch2/catch.hpp>
#include <set>

#include <tests/support/worm_ends.hpp>

namespace tailbound::network {
namespace {

using Index = std::uint32_t;
using test::all_ends;

/// All kinds of injection and ejection.
TEST_CASE(
    "hypercube network: every route from every port crosses the differing dimensions, higher ones first") {
  const WormEnds ends = GENERATE(from_range(all_ends));
  for (const int n : {1, 2, 3, 5})
    for (const int lanes : {1, 3}) {
      const auto network = make_hypercube_worms(n, lanes, ends);
      const WormLayout& layout = network->layout();
      const auto dimensions = static_cast<Index>(n);
      const Index nodes = Index{1} << dimensions;
      const Index ports = ends.injection == Injection::ports ? dimensions : 1;
      const Index ejections = ends.ejection == Ejection::one ? nodes : 0;
      REQUIRE(layout.nodes == nodes);
      REQUIRE(layout.variants == ports);
      REQUIRE(layout.stations.size() == std::size_t{nodes} * (ports + dimensions) + ejections);
      REQUIRE(layout.wires == layout.stations.size());
      REQUIRE(layout.channels.size() ==
              std::size_t{nodes} * (ports + dimensions * static_cast<Index>(lanes)) + ejections);
      REQUIRE(layout.longest_path == dimensions + 1 + (ejections > 0 ? 1 : 0));
      std::set<Index> links_used;
      for (Index source = 0; source < nodes; ++source)
        for (Index destination = 0; destination < nodes; ++destination)
          for (Index port = 0; port < ports && source != destination; ++port) {
            WormHead head{.source = source, .destination = destination, .variant = port};
            std::vector<Index> stations;
            for (;;) {
              const Index station = network->next_station(head);
              if (station == WormNetwork::arrived) break;
              REQUIRE(stations.size() < layout.longest_path);
              stations.push_back(station);
              const WormStation& its = layout.stations[station];
              const bool link = station >= nodes * ports && station < nodes * (ports + dimensions);
              REQUIRE(its.count == (link ? static_cast<Index>(lanes) : 1U));
              head.channel = its.first + (source + destination) % its.count;
              REQUIRE(layout.channels[head.channel].station == station);
              ++head.passed;
            }
            REQUIRE(stations.front() == source * ports + port);
            // Its links, from the node numbers alone.
            Index at = source;
            std::size_t next = 1;
            for (Index bit = dimensions; bit-- > 0;) {
              if (((source ^ destination) >> bit & 1U) == 0) continue;
              REQUIRE(next < stations.size());
              REQUIRE(stations[next] == nodes * ports + at * dimensions + bit);
              links_used.insert(stations[next++]);
              at ^= Index{1} << bit;
            }
            if (ejections > 0) {
              REQUIRE(next < stations.size());
              REQUIRE(stations[next++] == nodes * (ports + dimensions) + destination);
            }
            REQUIRE(next == stations.size());
          }
      CHECK(links_used.size() == std::size_t{nodes} * dimensions);
      // a physical channel for each station, shared by its channels
      for (const WormStation& station : layout.stations)
        for (Index lane = 0; lane < station.count; ++lane)
          REQUIRE(layout.channels[station.first + lane].wire == layout.channels[station.first].wire);
    }
}

TEST_CASE("broadcast trees: every node receives once, for any root and base") {
  for (Index n = 1; n <= 8; ++n) {
    const Index nodes = Index{1} << n;
    std::vector<std::size_t> crossings(n);  // [dimension]
    for (Index root = 0; root < nodes; ++root)
      for (Index base = 0; base < n; ++base) {
        const BroadcastTree tree{.dimensions = n, .base = base};
        std::set<Index> reached{root};
        // and the relative dimension below which they send
        std::vector<std::pair<Index, Index>> have{{root, n}};
        Index steps = 0;  // of the longest chain
        std::vector<Index> depth(nodes);
        for (std::size_t i = 0; i < have.size(); ++i)
          for (Index relative = have[i].second; relative-- > 0;) {
            const Index dimension = tree.dimension(relative);
            REQUIRE(tree.relative(dimension) == relative);
            const Index to = have[i].first ^ (Index{1} << dimension);
            REQUIRE(reached.insert(to).second);
            have.emplace_back(to, relative);
            ++crossings[dimension];
            depth[to] = depth[have[i].first] + 1;
            steps = std::max(steps, depth[to]);
          }
        REQUIRE(reached.size() == nodes);
        REQUIRE(steps == n);
      }
    // N - 1 crossings per broadcast, and over all bases the same number in each dimension.
    for (const std::size_t count : crossings) CHECK(count == std::size_t{nodes} * (nodes - 1));
  }
}

TEST_CASE("hypercube network: names and errors") {
  const auto network = make_hypercube_worms(3, 2);
  CHECK(network->layout().name == "3-dimensional hypercube with 3 ports");
  CHECK(network->channel_name(4) == "port 2 of 1");
  CHECK(network->channel_name(24 + 2 * (5 * 3 + 1) + 1) == "5 -> 7, virtual channel 1");
  const auto single = make_hypercube_worms(3, 2, {});
  CHECK(single->layout().name == "3-dimensional hypercube with 1 port");
  CHECK(single->channel_name(4) == "injection at 4");
  CHECK(single->channel_name(8 + 2 * (5 * 3 + 1) + 1) == "5 -> 7, virtual channel 1");
  CHECK(single->channel_name(8 + 48 + 6) == "ejection at 6");
  for (const auto& [dimensions, channels] : {std::pair{0, 2}, {17, 2}, {3, 0}, {3, 65}})
    CHECK_THROWS_AS(make_hypercube_worms(dimensions, channels), InvalidArgument);
}

}  // namespace
}  // namespace tailbound::network
