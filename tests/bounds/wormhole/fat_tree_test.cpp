#include <catch2/catch.hpp>
#include <tailbound/bounds/wormhole/latency.hpp>
#include <tailbound/core/error.hpp>
#include <tailbound/network/channels/butterfly_fat_tree.hpp>
#include <tailbound/network/walks/worm_walk.hpp>
#include <tailbound/network/worms/fat_tree_worms.hpp>

#include <array>

// The butterfly fat-tree: known values, and its classes against single links.

namespace {

using namespace tailbound::bounds::wormhole;
using tailbound::InvalidArgument;
using tailbound::network::fat_tree_classes;
using tailbound::network::fat_tree_distance;
using tailbound::network::FatTreeVariant;

double saturation_of(int levels, FatTreeVariant variant) {
  return Model(fat_tree_classes(levels, variant)).saturation();
}

TEST_CASE("fat-tree: known saturation loads and distances") {
  CHECK(saturation_of(2, FatTreeVariant::paper) == Approx(0.3242062921286).margin(1e-13));
  CHECK(saturation_of(3, FatTreeVariant::paper) == Approx(0.1598583854367).margin(1e-13));
  CHECK(saturation_of(5, FatTreeVariant::paper) == Approx(0.03909233205330).margin(1e-14));
  CHECK(saturation_of(3, FatTreeVariant::conditional) == Approx(0.1597333899344).margin(1e-13));
  CHECK(saturation_of(5, FatTreeVariant::conditional) == Approx(0.03904524351525).margin(1e-14));
  CHECK(fat_tree_distance(2) == Approx(3.6).epsilon(1e-15));
  CHECK(fat_tree_distance(3) == Approx(38.0 / 7).epsilon(1e-15));
  CHECK(fat_tree_distance(4) == Approx(7.364705882).margin(1e-9));
  CHECK(fat_tree_distance(5) == Approx(9.343108504).margin(1e-9));
}

TEST_CASE("fat-tree: known latencies, N = 1024") {
  const Model tree(fat_tree_classes(5, FatTreeVariant::paper));
  const std::array<double, 4> fractions{0.1, 0.5, 0.8, 0.95};
  const std::array<double, 4> flits_16{24.846363, 28.094633, 35.010211, 53.935359};
  const std::array<double, 4> flits_32{41.349617, 47.846157, 61.677314, 99.527610};
  for (std::size_t i = 0; i < fractions.size(); ++i) {
    const Point point = tree.solve(fractions[i] * tree.saturation());
    REQUIRE(point.solved());
    CHECK(point.latency(16) == Approx(flits_16[i]).margin(6e-7));
    CHECK(point.latency(32) == Approx(flits_32[i]).margin(6e-7));
  }
}

TEST_CASE("fat-tree: individual links from all paths agree with the classes") {
  const int levels = GENERATE(1, 2, 3, 4);
  const Model classes(fat_tree_classes(levels, FatTreeVariant::conditional));
  const auto wires = tailbound::network::make_fat_tree_worms(levels);
  const Model walked(tailbound::network::walk_graph(*wires, {}));
  CHECK(walked.graph().channels.size() > classes.graph().channels.size());
  CHECK(walked.graph().mean_distance == Approx(fat_tree_distance(levels)).epsilon(1e-14));
  const double saturation = classes.saturation();
  CHECK(walked.saturation() == Approx(saturation).epsilon(1e-13));
  for (const double fraction : {0.0, 0.3, 0.8, 0.95})
    CHECK(walked.solve(fraction * saturation).latency(16) ==
          Approx(classes.solve(fraction * saturation).latency(16)).epsilon(1e-13));
}

TEST_CASE("fat-tree: flows of the conditional variant are conserved, those of the paper's are not") {
  const auto imbalance = [](FatTreeVariant variant) {
    const int levels = 4;
    const auto graph = fat_tree_classes(levels, variant);
    // Messages that rise beyond level l + 1: over either of two channels, from four below.
    double worst = 0;
    for (std::size_t l = 0; l + 1 < levels; ++l) {
      const auto& up = graph.channels[levels + l];
      const double rising = 4 * up.rate * up.turns.back().probability;
      worst = std::max(worst, std::abs(rising / (2 * graph.channels[levels + l + 1].rate) - 1));
    }
    return worst;
  };
  CHECK(imbalance(FatTreeVariant::conditional) < 1e-14);
  CHECK(imbalance(FatTreeVariant::paper) > 1e-3);
}

TEST_CASE("fat-tree: levels out of range are rejected") {
  CHECK_THROWS_AS(fat_tree_classes(0, FatTreeVariant::paper), InvalidArgument);
  CHECK_THROWS_AS(fat_tree_classes(13, FatTreeVariant::paper), InvalidArgument);
}

}  // namespace
