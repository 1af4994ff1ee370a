#include <tailbound/queue/slotted/slotted_queue.hpp>
#include <tailbound/sim/rare/rare_arrivals.hpp>
#include <tailbound/sim/rare/rare_bursty_queue.hpp>
#include <tailbound/sim/splitting/rare_tree.hpp>
#include <tailbound/sim/tree/simulate_tree.hpp>

#include <catch2/catch.hpp>
#include <cmath>
#include <random>
#include <tests/support/cut_replication.hpp>

/// Random runs have fixed seeds: a test that passes once passes always. The stated false-alarm rate is the
/// probability that a correct program fails with a new seed.
namespace tailbound::sim {
namespace {

using network::TreeRouting;
using numeric::parse_rational;
using numeric::Rational;

constexpr auto random_root = TreeRouting::random_root;
constexpr auto nearest = TreeRouting::nearest_ancestor;

RareTreeModel model_of(int radix, int levels, const char* load, TreeRouting routing, int stage,
                       std::int64_t level, bool splitting = true) {
  return {{{radix, levels}, parse_rational(load, "load"), routing}, stage, level, splitting};
}

double exact_tail(const series::Arrivals& arrivals, std::int64_t level) {
  const auto tail = queue::occupancy_tail({arrivals}, Packets(level));
  return static_cast<double>(numeric::to_enclosure(tail.probability).lower());
}

/// Distance of two estimates in standard deviations of their difference (half widths are two deviations).
double distance(const numeric::Estimate<unit::Probability>& left,
                const numeric::Estimate<unit::Probability>& right) {
  return 2 * (left.value - right.value) /
         std::hypot((left.upper - left.lower) / 2, (right.upper - right.lower) / 2);
}

Counts counts_of(const RareTreeModel& model, std::int64_t slots) {
  const auto tree = make_rare_tree_replication(model, {1, 0});
  tree->advance(slots);
  return tree->take_counts();
}

// --- Which queues feed which -------------------------------------------------------------------------------

std::uint64_t queues_simulated(const RareTreeModel& model) {
  const Counts counts = counts_of(model, 5);
  return counts[RareTreeRows::queue_slots][0] / counts[RareTreeRows::path_slots][0];
}

TEST_CASE("rare tree: only the queues upstream are simulated") {
  for (int stage = 0; stage < 3; ++stage)
    CHECK(queues_simulated(model_of(4, 3, "0.5", random_root, stage, 5)) == (stage == 0   ? 1U
                                                                             : stage == 1 ? 5U
                                                                                          : 21U));
  // Hop 4: k down links of level 3, k^2 up links of level 2, and all k^2 up links of level 1 to them.
  CHECK(queues_simulated(model_of(4, 3, "0.5", random_root, 3, 5)) == 1 + 4 + 16 + 16);
  CHECK(queues_simulated(model_of(4, 3, "0.5", random_root, 4, 5)) == 1 + 4 + 16 + 64 + 64);
  CHECK(queues_simulated(model_of(16, 1, "0.5", nearest, 0, 5)) == 1);
  // Root links of nearest-ancestor routing: three of the four switches below.
  CHECK(queues_simulated(model_of(4, 3, "0.5", nearest, 2, 5)) == 1 + 3 + 12);
}

// Every stage of both routings, with and without bursts, against the packet simulation; the load is exact,
// too. 100 numbers within 4.5 deviations: a correct program fails with probability 8e-4.
TEST_CASE("rare tree: agrees with the packet simulation at every stage") {
  const auto [radix, levels] = GENERATE(std::pair{4, 2}, std::pair{3, 3}, std::pair{2, 4});
  const TreeRouting routing = GENERATE(random_root, nearest);
  TreeModel packets{{radix, levels}, parse_rational("0.8", "load"), routing};
  if (GENERATE(false, true)) packets.burst = {8, parse_rational("0.95", "on-rate")};
  packets.destination = traffic::Destination::per_packet;
  const auto run_of_packets = run_tree(packets, automatic_plan(packets, 40'000, 2, 11));
  const TreeEstimates seen = tree_estimates(packets, run_of_packets, {.occupancy_levels = {0, 1, 4, 8}});
  const auto paths =
      network::tree_paths(packets.tree, packets.load, routing, network::Sources::independent_sources);
  for (int stage = 0; stage < stage_count(packets.tree); ++stage) {
    const RareTreeModel model{packets, stage, 10};
    const auto run = run_rare_tree(model, automatic_plan(model, 60'000, 2, 5));
    const auto tails = rare_tree_estimates(model, run, {0, 1, 4, 8});
    CAPTURE(describe(model));
    const double load = numeric::nearest_double(paths.back().hops[static_cast<std::size_t>(stage)].load);
    CHECK(std::abs(tails[0].probability.value - load) <
          2.3 * (tails[0].probability.upper - tails[0].probability.lower));
    for (std::size_t i = 1; i < tails.size(); ++i) {
      CAPTURE(tails[i].level, tails[i].probability.value,
              seen.stages[static_cast<std::size_t>(stage)].tail[i].probability.value);
      CHECK(std::abs(distance(tails[i].probability,
                              seen.stages[static_cast<std::size_t>(stage)].tail[i].probability)) < 4.5);
    }
  }
}

// --- Splitting ---------------------------------------------------------------------------------------------

TEST_CASE("rare tree: factors follow the decay rate") {
  const RareTreeModel model = model_of(4, 3, "0.7", random_root, 2, 30);
  const auto factors = splitting_factors(model);
  REQUIRE(factors.size() == 32);
  CHECK(factors[0] == 1);
  CHECK(factors[1] == 1);
  const auto rate = queue::decay_rate({series::Arrivals::equal_inputs(64, parse_rational("0.7", "load"))});
  for (std::size_t i = 1; i < factors.size(); ++i) {
    const double ratio =
        factors[i] / std::exp(static_cast<double>(rate->lower()) * static_cast<double>(i - 1));
    CHECK(ratio > 0.6);
    CHECK(ratio < 1.7);
  }
  CHECK(likely_level(model, 1e-9) == std::lround(9 * std::log(10.0) / static_cast<double>(rate->lower())));
  const auto plain = splitting_factors(model_of(4, 3, "0.7", random_root, 2, 30, false));
  CHECK(plain == std::vector<double>(32, 1.0));
}

TEST_CASE("rare tree: without splitting there is one path") {
  const Counts counts = counts_of(model_of(4, 2, "0.8", random_root, 2, 10, false), 1000);
  CHECK(counts[RareTreeRows::slots][0] == 1000);
  CHECK(counts[RareTreeRows::path_slots][0] == 1000);
  const auto& occupancy = counts[RareTreeRows::occupancy];
  CHECK(total_count(occupancy) == 1000);
  CHECK(counts_of(model_of(4, 2, "0.8", random_root, 2, 10), 1000)[RareTreeRows::path_slots][0] > 2000);
}

struct TreeScore {
  int cases = 0, inside = 0;
  double sum = 0, squares = 0;  ///< of relative errors
  void add(const numeric::Estimate<unit::Probability>& estimate, double exact) {
    const double error = estimate.value / exact - 1;
    ++cases;
    inside += estimate.lower <= exact && exact <= estimate.upper;
    sum += error;
    squares += error * error;
  }
  /// Mean relative error in units of its deviation: near standard normal if unbiased.
  [[nodiscard]] double bias() const { return sum / std::sqrt(squares); }
};

/// Queues of the first stage, whose distribution is known: of one-level trees and of larger ones.
TreeScore coverage(int cases, std::int64_t slots) {
  std::mt19937_64 random(77);
  const auto uniform = [&](double from, double to) {
    return from + (to - from) * std::generate_canonical<double, 53>(random);
  };
  TreeScore score;
  for (int i = 0; i < cases; ++i) {
    RareTreeModel model;
    const auto percent = static_cast<int>(uniform(20, 80));
    model.tree.load = Rational(percent) / 100;
    model.tree.tree = {static_cast<std::int64_t>(2 + random() % 15), static_cast<int>(1 + random() % 3)};
    model.tree.routing = random() % 2 == 0 ? random_root : nearest;
    model.level = std::max<std::int64_t>(2, likely_level(model, std::pow(10, -uniform(4, 12))));
    const auto path = network::tree_paths(model.tree.tree, model.tree.load, model.tree.routing,
                                          network::Sources::first_hop);
    const network::SourceRate source = path.back().hops[0].sources.at(0);
    const double exact =
        exact_tail(series::Arrivals::equal_inputs(source.count, source.rate * numeric::Integer(source.count)),
                   model.level);
    CAPTURE(describe(model), exact);
    CHECK(exact < 2e-4);
    const auto seed = static_cast<std::uint64_t>(300 + i);
    const auto run = run_rare_tree(model, automatic_plan(model, slots, 4, seed));
    const auto estimate = rare_tree_estimates(model, run, {model.level})[0].probability;
    score.add(estimate, exact);
  }
  return score;
}

// A correct program fails with probability 0.02 or less with a new seed.
TEST_CASE("rare tree: intervals cover the exact value of the first hop, without bias") {
  const TreeScore score = coverage(40, 40'000);
  CAPTURE(score.inside, score.bias());
  CHECK(score.inside >= 34);
  CHECK(std::abs(score.bias()) < 3);
}

TEST_CASE("rare tree: intervals cover the exact value in 90 to 99 % of 200 cases", "[.full]") {
  const TreeScore score = coverage(200, 300'000);
  WARN("covered " << score.inside << " of 200, bias " << score.bias() << " standard deviations");
  CHECK(score.inside >= 180);
  CHECK(score.inside <= 198);
  CHECK(std::abs(score.bias()) < 3);
}

// One long run against exact values at every level: wrong weights at a level show below and above it.
TEST_CASE("rare tree: one queue at every level") {
  const RareTreeModel model = model_of(4, 1, "0.7", random_root, 0, 30);
  const auto run = run_rare_tree(model, automatic_plan(model, 200'000, 2, 8));
  const auto arrivals = series::Arrivals::equal_inputs(4, parse_rational("0.7", "load"));
  for (const LevelEstimate& tail : rare_tree_estimates(model, run, {0, 1, 2, 3, 5, 8, 13, 21, 30, 34})) {
    const double exact = exact_tail(arrivals, tail.level);
    CAPTURE(tail.level, tail.probability.value, exact);
    CHECK(std::abs(tail.probability.value - exact) < 2 * (tail.probability.upper - tail.probability.lower));
    CHECK(tail.probability.upper - tail.probability.lower < 0.3 * exact);
  }
}

// False alarm 1e-4 each.
TEST_CASE("rare tree: splitting agrees with plain simulation") {
  for (const TreeRouting routing : {random_root, nearest}) {
    const RareTreeModel split = model_of(4, 3, "0.7", routing, 2, 8);
    RareTreeModel plain = split;
    plain.splitting = false;
    const auto left =
        rare_tree_estimates(split, run_rare_tree(split, automatic_plan(split, 30'000, 2, 1)), {8});
    const auto right =
        rare_tree_estimates(plain, run_rare_tree(plain, automatic_plan(plain, 100'000, 2, 2)), {8});
    CAPTURE(left[0].probability.value, right[0].probability.value);
    CHECK(std::abs(distance(left[0].probability, right[0].probability)) < 4);
    CHECK(left[0].count > 20 * right[0].count);
  }
}

// 4 deviations: a correct program fails with probability 1e-4.
TEST_CASE("rare tree: splitting agrees with importance sampling for bursty leaves") {
  RareTreeModel model = model_of(8, 2, "0.6", random_root, 0, 16);
  model.tree.burst = {12};
  model.tree.destination = traffic::Destination::per_packet;
  const auto split =
      rare_tree_estimates(model, run_rare_tree(model, automatic_plan(model, 400'000, 2, 1)), {16})[0];
  const traffic::OnOff leaf = traffic::on_off(model.tree.load, *model.tree.burst);
  const RareBurstyQueueModel queue{{traffic::thinned(leaf, Rational(1) / 8), 8}, RareEvent::overflow, 16};
  const auto tilted = rare_bursty_queue_estimate(
      queue, run_rare_bursty_queue(queue, rare_bursty_queue_plan(queue, 200'000, 2)));
  CAPTURE(split.probability.value, tilted.probability.value, split.count);
  CHECK(tilted.probability.value < 2e-5);
  CHECK(std::abs(distance(split.probability, tilted.probability)) < 4);
  CHECK(split.probability.upper - split.probability.lower < 0.5 * split.probability.value);
}

TEST_CASE("rare tree: splitting agrees with plain simulation of packets at 1e-5", "[.full]") {
  for (const int stage : {2, 4}) {
    const std::int64_t level = 16;
    const RareTreeModel model = model_of(4, 3, "0.7", random_root, stage, level);
    const auto split = rare_tree_estimates(
        model, run_rare_tree(model, automatic_plan(model, 400'000, 4, 1), {.threads = 2}), {level})[0];
    const auto packets = tree_estimates(
        model.tree, run_tree(model.tree, automatic_plan(model.tree, 400'000, 4, 3), {.threads = 2}),
        {.occupancy_levels = {level}});
    const LevelEstimate& plain = packets.stages[static_cast<std::size_t>(stage)].tail[0];
    WARN("stage " << stage << ": split " << split.probability.value << " [" << split.probability.lower << ", "
                  << split.probability.upper << "], plain " << plain.probability.value << " ["
                  << plain.probability.lower << ", " << plain.probability.upper << "]");
    CHECK(split.probability.value < 2e-5);
    CHECK(split.probability.value > 5e-6);
    CHECK(std::abs(distance(split.probability, plain.probability)) < 3.5);
  }
}

TEST_CASE("rare tree: a probability near 1e-9 at hop 3 within 20 %", "[.full]") {
  const RareTreeModel model = model_of(4, 3, "0.7", random_root, 2, 29);
  const auto run = run_rare_tree(model, automatic_plan(model, 200'000, 4, 1));
  const auto estimate = rare_tree_estimates(model, run, {29})[0].probability;
  WARN("P(Q > 29) = " << estimate.value << " [" << estimate.lower << ", " << estimate.upper << "]");
  CHECK(estimate.value > 0.5e-9);
  CHECK(estimate.value < 2e-9);
  CHECK(estimate.upper - estimate.lower < 0.4 * estimate.value);
  // The model of independent source arrivals overestimates the simulation by tens of percent.
  const double independent_sources =
      exact_tail(series::Arrivals::equal_inputs(64, parse_rational("0.7", "load")), 29);
  CHECK(estimate.lower < independent_sources);
  CHECK(estimate.value > 0.3 * independent_sources);
}

// --- Independence of threads and splitting ----------------------------------------------------------------

TEST_CASE("rare tree: results do not depend on threads, splitting or resuming") {
  RareTreeModel model = model_of(3, 3, "0.8", nearest, 3, 15);
  if (GENERATE(false, true)) model.tree.burst = {10};
  model.tree.destination = traffic::Destination::per_packet;
  const RunPlan plan{.seed = 3, .replications = 3, .warmup = 100, .slots = 2000, .batches = 4};
  CHECK(run_rare_tree(model, plan).batches == run_rare_tree(model, plan, {.threads = 3}).batches);

  const auto whole = make_rare_tree_replication(model, {9, 0}),
             cut = make_rare_tree_replication(model, {9, 0});
  whole->advance(500);
  test::advance_in_parts(*cut, 500);
  CHECK(whole->take_counts() == cut->take_counts());
  const auto other = make_rare_tree_replication(model, {9, 1});
  other->advance(500);
  whole->advance(500);
  CHECK(whole->take_counts() != other->take_counts());
}

TEST_CASE("rare tree: invalid parameters are rejected") {
  const RareTreeModel good = model_of(4, 2, "0.5", random_root, 1, 5);
  const auto rejected = [&](const auto& spoil) {
    RareTreeModel model = good;
    spoil(model);
    return model;
  };
  const auto make = [](const RareTreeModel& model) { return make_rare_tree_replication(model, {}); };
  CHECK_NOTHROW(make(good));
  CHECK_NOTHROW(make(rejected([](auto& m) {
    m.tree.burst = {8};
    m.tree.destination = traffic::Destination::per_packet;
  })));
  CHECK_THROWS_AS(make(rejected([](auto& m) { m.tree.burst = {8}; })), InvalidArgument);
  CHECK_THROWS_AS(make(rejected([](auto& m) { m.tree.tree.radix = 1; })), InvalidArgument);
  CHECK_THROWS_AS(make(rejected([](auto& m) { m.tree.tree.levels = 11; })), InvalidArgument);
  CHECK_THROWS_AS(make(rejected([](auto& m) { m.tree.load = 1; })), Unstable);
  CHECK_THROWS_AS(make(rejected([](auto& m) { m.tree.load = 0; })), InvalidArgument);
  CHECK_THROWS_AS(make(rejected([](auto& m) { m.tree.buffer = 4; })), InvalidArgument);
  CHECK_THROWS_AS(make(rejected([](auto& m) { m.tree.observed_flows = 1; })), InvalidArgument);
  CHECK_THROWS_AS(make(rejected([](auto& m) { m.stage = 3; })), InvalidArgument);
  CHECK_THROWS_AS(make(rejected([](auto& m) { m.stage = -1; })), InvalidArgument);
  CHECK_THROWS_AS(make(rejected([](auto& m) { m.level = 0; })), InvalidArgument);
  CHECK_THROWS_AS(make(rejected([](auto& m) { m.level = 5000; })), LimitExceeded);
  CHECK_THROWS_AS(likely_level(good, 0), InvalidArgument);
}

}  // namespace
}  // namespace tailbound::sim
