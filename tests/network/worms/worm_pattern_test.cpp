#include <tailbound/core/choice.hpp>
#include <tailbound/core/error.hpp>
#include <tailbound/network/worms/worm_topology.hpp>

#include <catch2/catch.hpp>
#include <map>
#include <numeric>
#include <set>

namespace tailbound::network {
namespace {

using numeric::Rational;

std::map<std::uint32_t, std::uint32_t> destinations(const NodeGrid& grid, WormPatternName name) {
  std::map<std::uint32_t, std::uint32_t> to;
  for (const WormFlow& flow : pattern_traffic(grid, {.name = name}).flows) {
    CHECK(flow.rate == 1);
    to[flow.source] = flow.destination;
  }
  return to;
}

TEST_CASE("patterns: definitions by coordinates and bits") {
  const NodeGrid mesh{.sides = {8, 8}};
  const auto at = [](std::uint32_t x, std::uint32_t y) { return x + 8 * y; };
  const auto transpose = destinations(mesh, WormPatternName::transpose);
  const auto tornado = destinations(mesh, WormPatternName::tornado);
  const auto neighbour = destinations(mesh, WormPatternName::neighbour);
  const auto complement = destinations(mesh, WormPatternName::bit_complement);
  CHECK(transpose.size() == 56);  // the diagonal sends nothing
  CHECK(tornado.size() == 64);
  for (std::uint32_t y = 0; y < 8; ++y)
    for (std::uint32_t x = 0; x < 8; ++x) {
      if (x != y) CHECK(transpose.at(at(x, y)) == at(y, x));
      CHECK(tornado.at(at(x, y)) == at((x + 3) % 8, (y + 3) % 8));
      CHECK(neighbour.at(at(x, y)) == at((x + 1) % 8, (y + 1) % 8));
      CHECK(complement.at(at(x, y)) == at(7 - x, 7 - y));
    }
  CHECK(destinations(mesh, WormPatternName::shuffle).at(0b101100) == 0b011001);
  CHECK(destinations(mesh, WormPatternName::bit_reverse).at(0b101100) == 0b001101);
  // Unequal sides: the halves of the bits; several nodes of a router keep their positions.
  CHECK(destinations({.sides = {2, 8}}, WormPatternName::transpose).at(0b0110) == 0b1001);
  CHECK(destinations({.sides = {4, 4}, .concentration = 2}, WormPatternName::transpose).at(2 * 7 + 1) ==
        2 * 13 + 1);
  CHECK(destinations({.sides = {5}}, WormPatternName::tornado).at(4) == 1);
}

TEST_CASE("patterns: permutations, and each sender has total rate 1") {
  for (const WormShape shape :
       {WormShape::mesh, WormShape::torus, WormShape::hypercube, WormShape::butterfly_fat_tree})
    for (const WormPatternName name :
         {WormPatternName::transpose, WormPatternName::bit_complement, WormPatternName::bit_reverse,
          WormPatternName::shuffle, WormPatternName::tornado, WormPatternName::neighbour,
          WormPatternName::hot_spot}) {
      WormTopology topology{.shape = shape, .pattern = {.name = name}};
      if (name == WormPatternName::hot_spot)
        topology.pattern = {.name = name, .hot_node = 5, .hot_share = Rational(1) / 10};
      const WormTraffic traffic = traffic_of(topology);
      std::set<std::uint32_t> sources, destinations;
      double sum = 0, to_hot = 0;
      for (const WormFlow& flow : traffic.flows) {
        CHECK(flow.source != flow.destination);
        sources.insert(flow.source);
        destinations.insert(flow.destination);
        sum += flow.rate;
        if (flow.destination == 5 && flow.source == 7) to_hot = flow.rate;
      }
      CHECK(sum == Approx(static_cast<double>(sources.size())).epsilon(1e-12));
      CHECK(sources == destinations);
      if (name == WormPatternName::hot_spot) CHECK(to_hot == Approx(0.1 + 0.9 / 63).epsilon(1e-12));
    }
}

TEST_CASE("patterns: unsupported networks are rejected by name") {
  const auto rejected = [](const NodeGrid& grid, const WormPattern& pattern) {
    CHECK_THROWS_AS(pattern_traffic(grid, pattern), InvalidArgument);
  };
  rejected({.sides = {3, 3}}, {.name = WormPatternName::shuffle});
  rejected({.sides = {3, 5}}, {.name = WormPatternName::transpose});
  rejected({.sides = {4, 8}}, {.name = WormPatternName::transpose});
  rejected({.sides = {2, 2}}, {.name = WormPatternName::tornado});
  rejected({.sides = {4, 4}}, {.name = WormPatternName::hot_spot});
  rejected({.sides = {4, 4}}, {.name = WormPatternName::hot_spot, .hot_node = 16, .hot_share = 1});
  rejected({.sides = {4, 4}}, {.name = WormPatternName::hot_spot, .hot_share = 2});
  CHECK(pattern_traffic({.sides = {4, 4}}, {}).flows.empty());
}

TEST_CASE("sides and nodes per router: names, sizes, errors") {
  WormTopology topology{.nodes = 64, .sides = {4, 8}, .concentration = 2};
  CHECK(name(topology) == "4 x 8 mesh, 2 nodes per router");
  CHECK_FALSE(topology.usual());
  topology.nodes = 32;
  CHECK_THROWS_AS(check(topology), InvalidArgument);
  topology = {.nodes = 128, .concentration = 2, .pattern = {.name = WormPatternName::neighbour}};
  CHECK(name(topology) == "8 x 8 mesh, 2 nodes per router, neighbour traffic");
  topology.nodes = 127;
  CHECK_THROWS_AS(check(topology), InvalidArgument);
  topology = {.shape = WormShape::butterfly_fat_tree, .nodes = 64, .concentration = 2};
  CHECK_THROWS_AS(check(topology), InvalidArgument);
  topology = {.shape = WormShape::torus, .nodes = 16, .sides = {2, 8}};
  CHECK_THROWS_AS(check(topology), InvalidArgument);
}

}  // namespace
}  // namespace tailbound::network
