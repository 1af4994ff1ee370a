#include <tailbound/bounds/path/aged_delay.hpp>
#include <tailbound/core/error.hpp>

#include <catch2/catch.hpp>
#include <tests/support/ends.hpp>
#include <tests/support/rational.hpp>

#include <cmath>
#include <string>
#include <vector>

using namespace tailbound;
using namespace tailbound::bounds;
using network::TreeRouting;
using tailbound::test::computed;
using tailbound::test::rational;

namespace {

struct AgedTree {
  int radix = 4, levels = 3;
  std::string load = "0.6", burst = "16";
  TreeRouting routing = TreeRouting::random_root;
  std::string on_rate = "1";
};

struct AgedTreeDelay {
  BurstPaths paths;
  AgedDelay delay;
  std::vector<Route> routes;

  explicit AgedTreeDelay(const AgedTree& tree)
      : paths(
            burst_tree({tree.radix, tree.levels}, rational(tree.load), tree.routing, rational(tree.on_rate))),
        delay(paths, rational(tree.burst)),
        routes(delay.routes()) {
    const auto turns = network::tree_paths({tree.radix, tree.levels}, rational(tree.load), tree.routing,
                                           network::Sources::independent_sources);
    for (std::size_t i = 0; i < routes.size(); ++i) routes[i].share = turns[i].share;
  }

  [[nodiscard]] ClaimedDelayAnswer at(const std::vector<int>& slots) {
    bounds::DelayQuery query;
    for (const int t : slots) query.levels.emplace_back(t);
    query.percentiles = {rational("999999/1000000")};
    return delay.claims(routes, query);
  }
  [[nodiscard]] double above(int t) { return computed(at({t}).above.front().probability); }
  [[nodiscard]] std::int64_t percentile() { return at({}).queueing.front().slots.value; }
};

struct AgedRow {
  int slots;
  double probability;
};

/// Five digits are given.
void check_tails(const AgedTree& tree, const std::vector<AgedRow>& rows) {
  AgedTreeDelay delay(tree);
  for (const AgedRow& row : rows) CHECK(delay.above(row.slots) == Approx(row.probability).epsilon(2e-5));
}

}  // namespace

TEST_CASE("aged bursts: random-root trees", "[aged_delay]") {
  check_tails({}, {{0, 0.995170288},
                   {60, 0.494819186},
                   {162, 0.100318933},
                   {292, 1.02442354e-2},
                   {538, 1.02319081e-4},
                   {658, 1.01403759e-5}});
  check_tails({.radix = 8, .levels = 2, .load = "0.8", .burst = "64"},
              {{400, 0.617569873}, {1000, 0.197346971}, {2000, 1.89362106e-2}, {3000, 1.40062970e-3}});
  // Without the limit on M these are 0.01 to 0.2 % larger.
  check_tails({.radix = 16, .load = "0.5", .burst = "4"},
              {{5, 0.689356}, {20, 0.201182}, {40, 3.13806e-2}, {60, 4.43352e-3}, {80, 6.00155e-4}});
  check_tails({.radix = 16, .levels = 2, .load = "0.85"},
              {{200, 0.505899450}, {700, 1.91977930e-2}, {1200, 3.67560279e-4}});
}

TEST_CASE("aged bursts: the percentile of one in a million", "[aged_delay]") {
  CHECK(AgedTreeDelay({}).percentile() == 778);
}

TEST_CASE("aged bursts: nearest-ancestor trees", "[aged_delay]") {
  const AgedTree tree{.routing = TreeRouting::nearest_ancestor};
  check_tails(tree, {{39, 0.491908654}, {121, 0.100377824}, {232, 9.99794001e-3}, {445, 1.01745333e-4}});
  const BurstPaths paths = AgedTreeDelay(tree).paths;
  REQUIRE(paths.queues.size() == 5);  // up 1, 2; down 3, 2, 1
  CHECK(paths.queues[2].links == Approx(3));
  CHECK(paths.queues[3].links == Approx(5.769).epsilon(1e-3));
  CHECK(paths.queues[4].links == Approx(4.531).epsilon(1e-3));
  CHECK(paths.queues[4].load == Approx(0.6));
}

TEST_CASE("aged bursts: other lengths are rescaled", "[aged_delay]") {
  AgedTreeDelay grid({.load = "0.5"}), longer({.load = "0.5", .burst = "31.5"});  // 31 = 2 x 15.5
  for (const int t : {5, 40, 150})
    CHECK(longer.above(2 * t + 1) == Approx(std::sqrt(grid.above(t) * grid.above(t + 1))).epsilon(0.02));
  // The mean is the sum of all tails.
  AgedTreeDelay shorter({.load = "0.5", .burst = "5"});
  std::vector<int> slots;
  for (int t = 0; t < 2000; ++t) slots.push_back(t);
  for (AgedTreeDelay* each : {&grid, &longer, &shorter}) {
    const ClaimedDelayAnswer answer = each->at(slots);
    double sum = 0;
    for (const ClaimedSlotProbability& above : answer.above) sum += computed(above.probability);
    CHECK(computed(answer.mean_queueing) == Approx(sum).epsilon(3e-4));
  }
}

TEST_CASE("aged bursts: delays increase with load, burst and levels", "[aged_delay]") {
  const auto above = [](const AgedTree& tree, int t) { return AgedTreeDelay(tree).above(t); };
  for (const int t : {10, 100}) {
    double before = 0;
    for (const char* load : {"0.3", "0.5", "0.7"}) {
      const double now = above({.levels = 2, .load = load}, t);
      CHECK(now > before);
      before = now;
    }
    before = 0;
    for (const char* burst : {"3", "8", "30", "100"}) {
      const double now = above({.levels = 2, .load = "0.5", .burst = burst}, t);
      CHECK(now > before);
      before = now;
    }
    CHECK(above({.levels = 3, .load = "0.5"}, t) > above({.levels = 2, .load = "0.5"}, t));
  }
}

TEST_CASE("aged bursts: with many ports hops depend on each other only through the age", "[aged_delay]") {
  // s falls to 0: the distribution is that of independent hops given the age.
  const AgedTree tree{.radix = 64, .levels = 2, .load = "0.5"};
  AgedTreeDelay as_is(tree);
  BurstPaths apart = as_is.paths;
  for (BurstPath& path : apart.paths)
    for (double& each : path.forwarded) each = 0;
  AgedDelay without(apart, 16);
  bounds::DelayQuery query;
  query.levels = {Slots(20), Slots(100)};
  const auto other = without.claims(as_is.routes, query);
  CHECK(computed(other.above[0].probability) == as_is.above(20));
  CHECK(computed(other.above[1].probability) == as_is.above(100));
}

TEST_CASE("aged bursts: on-rates below 1, deep levels, and errors", "[aged_delay]") {
  AgedTreeDelay half({.radix = 8, .levels = 2, .load = "0.4", .burst = "32", .on_rate = "0.5"});
  CHECK(half.above(39) == Approx(0.1067).epsilon(1e-3));
  AgedTreeDelay deep({});
  const double ninth = deep.above(1100);
  CHECK(ninth < 1e-8);
  CHECK(ninth > 1e-11);
  CHECK(deep.above(1200) < ninth);
  CHECK_THROWS_AS(AgedTreeDelay({.load = "0.5", .burst = "1.5"}), InvalidArgument);
  CHECK_THROWS_AS(AgedTreeDelay({.load = "0.9999"}).above(5), LimitExceeded);
  CHECK_THROWS_AS(deep.above(1'000'000), LimitExceeded);
  // Below 1e-24 the distribution is extrapolated.
  CHECK(deep.above(4000) == Approx(deep.above(3900) * deep.above(3900) / deep.above(3800)).epsilon(0.05));
}

TEST_CASE("aged bursts: lightly loaded queues, with most levels below rounding", "[aged_delay]") {
  for (const AgedTree& tree :
       {AgedTree{.load = "0.01"}, AgedTree{.load = "0.1"},
        AgedTree{.radix = 16, .load = "0.001", .burst = "4", .routing = TreeRouting::nearest_ancestor},
        AgedTree{.radix = 8, .levels = 4, .load = "0.02", .burst = "50"}, AgedTree{.load = "0.001"}}) {
    AgedTreeDelay delay(tree);
    const ClaimedDelayAnswer answer = delay.at({0, 10, 100});
    double before = 1;
    for (const ClaimedSlotProbability& above : answer.above) {
      CHECK(computed(above.probability) > 0);
      CHECK(computed(above.probability) < before);
      before = computed(above.probability);
    }
    CHECK(computed(answer.mean_queueing) > 0);
  }
}
