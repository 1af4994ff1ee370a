#include <tailbound/core/error.hpp>
#include <tailbound/network/tree.hpp>

#include <catch2/catch.hpp>
#include <tests/support/rational.hpp>

#include <map>
#include <string>

using namespace tailbound;
using namespace tailbound::network;
using numeric::Rational;
using tailbound::test::rational;

namespace {

/// "up from level 2", the name of this link's queue in the closed form.
std::string kind(const Network& network, std::size_t link) {
  const auto level = [&](std::size_t node) {
    return network.nodes[node].host ? 0 : std::stoi(network.nodes[node].name.substr(6));
  };
  const int from = level(network.links[link].from), to = level(network.links[link].to);
  REQUIRE(std::abs(from - to) == 1);
  return (to > from ? "up from level " : "down from level ") + std::to_string(from);
}

std::map<std::string, QueueTraffic> by_kind(const std::vector<TreePath>& paths) {
  std::map<std::string, QueueTraffic> kinds;
  for (const TreePath& path : paths)
    for (const QueueTraffic& hop : path.hops) {
      const auto [place, is_new] = kinds.emplace(hop.name, hop);
      if (!is_new) REQUIRE(place->second.sources == hop.sources);
    }
  return kinds;
}

struct Shape {
  std::int64_t radix;
  int levels;
};

}  // namespace

TEST_CASE("the closed form of a tree matches its routes, queue by queue", "[network][tree]") {
  for (const auto& [radix, levels] : {Shape{2, 1}, Shape{2, 2}, Shape{2, 3}, Shape{2, 4}, Shape{3, 1},
                                      Shape{3, 2}, Shape{3, 3}, Shape{4, 2}, Shape{5, 2}, Shape{7, 1}})
    for (const TreeRouting routing : {TreeRouting::random_root, TreeRouting::nearest_ancestor}) {
      const Tree tree{.radix = radix, .levels = levels};
      const Rational load = rational("9/10");
      const Network network = tree_network(tree, load, routing);
      for (const Sources sources : {Sources::independent_sources, Sources::first_hop}) {
        CAPTURE(radix, levels, static_cast<int>(routing), static_cast<int>(sources));
        const auto expected = by_kind(tree_paths(tree, load, routing, sources));
        const auto found = queue_traffic(network, sources);
        std::map<std::string, int> seen;
        for (std::size_t link = 0; link < network.links.size(); ++link) {
          if (!network.has_queue(link)) continue;
          const std::string name = kind(network, link);
          CAPTURE(name, found[link].name);
          REQUIRE(expected.count(name) == 1);
          const QueueTraffic& form = expected.at(name);
          REQUIRE(found[link].sources == form.sources);
          REQUIRE(found[link].load == form.load);
          REQUIRE(found[link].rate == form.rate);
          ++seen[name];
        }
        CHECK(seen.size() == expected.size());
      }
    }
}

TEST_CASE("shares and lengths of the paths match the routes", "[network][tree]") {
  for (const auto& [radix, levels] : {Shape{2, 3}, Shape{3, 2}, Shape{4, 2}}) {
    const Tree tree{.radix = radix, .levels = levels};
    const Network network = tree_network(tree, rational("1/2"), TreeRouting::nearest_ancestor);
    std::map<std::size_t, Rational> share_of_hops;
    for (const Flow& flow : network.flows)
      for (const Route& route : flow.routes) {
        Rational& share = share_of_hops.try_emplace(route.links.size() - 1, 0).first->second;
        share = share + flow.rate * route.share /
                            (rational("1/2") * numeric::pow(Rational(static_cast<long>(radix)), levels));
      }
    Rational sum = 0;
    for (const TreePath& path :
         tree_paths(tree, rational("1/2"), TreeRouting::nearest_ancestor, Sources::independent_sources)) {
      CHECK(path.hops.size() == static_cast<std::size_t>(2 * path.turn - 1));
      CHECK(share_of_hops.at(path.hops.size()) == path.share);
      sum = sum + path.share;
    }
    CHECK(sum == 1);
  }
}

TEST_CASE("rates of a tree match a calculation by hand", "[network][tree]") {
  // 2-ary 2-tree, load 4/5: half the packets turn at level 1.
  const auto paths = tree_paths({.radix = 2, .levels = 2}, rational("4/5"), TreeRouting::nearest_ancestor,
                                Sources::independent_sources);
  REQUIRE(paths.size() == 2);
  CHECK(paths[0].share == rational("1/2"));
  CHECK(paths[0].hops[0].sources == std::vector<SourceRate>{{rational("1/5"), 4}});
  CHECK(paths[1].hops[0].sources == std::vector<SourceRate>{{rational("1/5"), 2}});
  CHECK(paths[1].hops[1].sources == std::vector<SourceRate>{{rational("1/5"), 2}});
  CHECK(paths[1].hops[0].load == rational("2/5"));
  CHECK(paths[1].hops[1].load == rational("2/5"));
  CHECK(paths[1].hops[2].load == rational("4/5"));

  // 2-ary 3-tree, load 4/5, link by link: 2 parents send 4/5 (3/4)/2 each down to level 1, the 2 children 4/5
  // (1/8) each; at level 2 the parents send 4/5 (1/2)/2 and the one other child 4/5 (2/8): the same.
  const auto first = tree_paths({.radix = 2, .levels = 3}, rational("4/5"), TreeRouting::nearest_ancestor,
                                Sources::first_hop);
  REQUIRE(first.size() == 3);
  CHECK(first[0].hops[0].sources == std::vector<SourceRate>{{rational("1/10"), 2}, {rational("3/10"), 2}});
  CHECK(first[1].hops[1].sources == std::vector<SourceRate>{{rational("1/5"), 3}});
  CHECK(first[2].hops[2].sources == std::vector<SourceRate>{{rational("2/5"), 1}});

  // The setting of Singh and Dally: 16-ary 3-tree, random roots, every hop with 16 input links of load 1/16.
  const auto paper =
      tree_paths({.radix = 16, .levels = 3}, rational("0.9"), TreeRouting::random_root, Sources::first_hop);
  REQUIRE(paper.size() == 1);
  REQUIRE(paper[0].hops.size() == 5);
  for (const QueueTraffic& hop : paper[0].hops)
    CHECK(hop.sources == std::vector<SourceRate>{{rational("9/160"), 16}});
  const auto theorem = tree_paths({.radix = 16, .levels = 3}, rational("0.9"), TreeRouting::random_root,
                                  Sources::independent_sources);
  const std::vector<std::int64_t> counts{16, 256, 4096, 4096, 4096};
  for (std::size_t hop = 0; hop < counts.size(); ++hop) {
    REQUIRE(theorem[0].hops[hop].sources.size() == 1);
    CHECK(theorem[0].hops[hop].sources[0].count == counts[hop]);
    CHECK(theorem[0].hops[hop].load == rational("0.9"));
  }
}

TEST_CASE("loads of large trees sum correctly", "[network][tree]") {
  for (const auto& [radix, levels] : {Shape{64, 3}, Shape{1024, 2}, Shape{2, 16}, Shape{16, 5}}) {
    CAPTURE(radix, levels);
    const Tree tree{.radix = radix, .levels = levels};
    for (const Sources sources : {Sources::independent_sources, Sources::first_hop}) {
      Rational hops_of_a_packet = 0, sum = 0;
      std::map<std::string, QueueTraffic> kinds =
          by_kind(tree_paths(tree, rational("3/4"), TreeRouting::nearest_ancestor, sources));
      for (const TreePath& path : tree_paths(tree, rational("3/4"), TreeRouting::nearest_ancestor, sources)) {
        sum = sum + path.share;
        hops_of_a_packet = hops_of_a_packet + path.share * Rational(2 * path.turn - 1);
      }
      CHECK(sum == 1);
      // Each kind of queue exists once per leaf: the total load is that of the leaves times the hops.
      Rational carried = 0;
      for (const auto& [name, traffic] : kinds) carried = carried + traffic.load;
      CHECK(carried == rational("3/4") * hops_of_a_packet);
    }
  }
}

TEST_CASE("trees out of range are rejected", "[network][tree]") {
  const auto paths = [](std::int64_t radix, int levels, const char* load) {
    return tree_paths({.radix = radix, .levels = levels}, rational(load), TreeRouting::random_root,
                      Sources::independent_sources);
  };
  CHECK_THROWS_WITH(paths(1, 3, "1/2"), Catch::Contains("radix is 1; it must be a whole number from 2"));
  CHECK_THROWS_WITH(paths(1025, 1, "1/2"), Catch::Contains("radix is 1025"));
  CHECK_THROWS_WITH(paths(2, 0, "1/2"), Catch::Contains("levels is 0"));
  CHECK_THROWS_WITH(paths(2, 17, "1/2"), Catch::Contains("levels is 17"));
  CHECK_THROWS_WITH(paths(1024, 3, "1/2"), Catch::Contains("radix^levels is 1024^3"));
  CHECK_THROWS_WITH(paths(2, 2, "0"), Catch::Contains("load is 0"));
  CHECK_THROWS_WITH(paths(2, 2, "1.01"), Catch::Contains("load is 101/100"));
  CHECK_NOTHROW(paths(2, 16, "1"));
  CHECK_THROWS_AS(tree_network({.radix = 16, .levels = 3}, rational("1/2"), TreeRouting::random_root),
                  LimitExceeded);
  CHECK_THROWS_AS(tree_network({.radix = 1024, .levels = 2}, rational("1/2"), TreeRouting::nearest_ancestor),
                  LimitExceeded);
  // 64 leaves to 64 leaves over 16 roots; that is within the limit.
  CHECK(tree_network({.radix = 4, .levels = 3}, rational("1/2"), TreeRouting::random_root).flows.size() ==
        4096);
}
