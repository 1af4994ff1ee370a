#include <catch2/catch.hpp>
#include <tailbound/network/channels/dateline_classes.hpp>
#include <tailbound/network/demands/fabrics.hpp>
#include <tailbound/network/files/network_file.hpp>
#include <tailbound/network/worms/worm_network_file.hpp>
#include <tailbound/numeric/rational.hpp>

#include <algorithm>
#include <string>
#include <vector>

// Classes of virtual channels by datelines: their number in known networks, and no cycle of (link, class).

using namespace tailbound;
using namespace tailbound::network;

namespace {

Network worms_of(const FabricShape& shape, RouteRule rule) {
  return read_network(to_toml(shape, FabricTraffic{Rational(1) / 2, rule}), "net", FileUse::worms).network;
}

int most_classes(const Network& network) {
  int most = 1;
  for (const Link& link : network.links) most = std::max(most, link.classes);
  return most;
}

/// The number of classes, after checking that the routes then cannot deadlock.
int classes_of(Network network) {
  add_dateline_classes(network);
  CHECK_FALSE(can_deadlock(network));
  const RoutedWormNetwork worms(network);  // checks it
  for (const Link& link : network.links)
    if (network.nodes[link.from].host || network.nodes[link.to].host) CHECK(link.classes == 1);
  CHECK(network.remarks.empty() == (most_classes(network) == 1));
  return most_classes(network);
}

}  // namespace

TEST_CASE("datelines: a torus with dimension-order routes needs two classes") {
  for (const Torus& torus : {Torus{{5}, 1}, Torus{{5, 5}, 1}, Torus{{4, 5}, 2}, Torus{{5, 5, 5}, 1}}) {
    const Network network = worms_of(torus, RouteRule::shortest);
    CHECK(can_deadlock(network));
    CHECK(classes_of(network) == 2);
  }
}

TEST_CASE("datelines: a dragonfly needs two classes for minimal routes, three for Valiant routes") {
  const Dragonfly dragonfly{.routers = 3, .hosts = 1, .wires = 1, .groups = 4};
  CHECK(can_deadlock(worms_of(dragonfly, RouteRule::minimal)));
  CHECK(classes_of(worms_of(dragonfly, RouteRule::minimal)) == 2);
  CHECK(classes_of(worms_of(dragonfly, RouteRule::valiant)) == 3);
}

TEST_CASE("datelines: spread routes, random graphs") {
  CHECK(classes_of(worms_of(Torus{{4, 4}, 1}, RouteRule::spread)) <= 4);
  for (std::uint64_t seed = 1; seed <= 20; ++seed)
    CHECK(classes_of(worms_of(Jellyfish{.switches = 12, .degree = 3, .hosts = 1, .seed = seed},
                              RouteRule::shortest)) <= 4);
}

TEST_CASE("datelines: routes that cannot deadlock keep one class") {
  const Network tree = worms_of(FatTree{4, 3}, RouteRule::spread);
  CHECK_FALSE(can_deadlock(tree));
  Network after = tree;
  add_dateline_classes(after);
  CHECK(most_classes(after) == 1);
  CHECK(after.flows.front().routes.front().classes.empty());
}

TEST_CASE("datelines: given classes are seen") {
  const auto ring = [](const std::string& back) {
    return "switches = [\"A\", \"B\", \"C\"]\nlink = [{from = \"A\", to = \"B\", classes = 2}, {from = "
           "\"B\", to "
           "= \"C\", classes = 2}, {from = \"C\", to = \"A\", classes = 2}]\nflow = [{from = \"A\", to = "
           "\"C\", "
           "rate = 1, path = [\"B\"]}, {from = \"B\", to = \"A\", rate = 1, path = [\"C\"]}, {from = \"C\", "
           "to = "
           "\"B\", rate = 1, path = [\"A\"], classes = " +
           back + "}]\n";
  };
  const NetworkFile same = read_network(ring("[0, 0]"), "ring", FileUse::worms);
  CHECK(same.has_classes);
  CHECK(can_deadlock(same.network));
  CHECK_FALSE(can_deadlock(read_network(ring("[0, 1]"), "ring", FileUse::worms).network));
}
