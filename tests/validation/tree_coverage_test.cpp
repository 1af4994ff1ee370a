#include <tailbound/queue/slotted/slotted_queue.hpp>
#include <tailbound/sim/tree/simulate_tree.hpp>

#include <catch2/catch.hpp>

namespace {

using namespace tailbound;
using numeric::Rational;

/// The first level whose tail is at most `bar`, and that tail.
std::pair<std::int64_t, double> level_near(const queue::SlottedQueue& queue, double bar) {
  for (std::int64_t level = 0;; ++level) {
    const auto tail = numeric::to_enclosure(queue::occupancy_tail(queue, Packets(level)).probability);
    const auto value = static_cast<double>(tail.lower());
    if (value <= bar) return {level, value};
  }
}

struct Coverage {
  int cases = 0, covered = 0;
};

/// 95 % intervals of P(Q > n) at the queues of one switch, over radices, loads, depths and seeds, compared
/// with the exact tail. The first hop of any tree is such a queue.
Coverage cover(int cases) {
  Coverage coverage;
  const std::int64_t radices[] = {2, 4, 8, 16};
  const double bars[] = {0.3, 0.05, 0.005};
  for (int i = 0; i < cases; ++i) {
    const std::int64_t radix = radices[i % 4];
    const Rational load = Rational(2 + i / 4 % 8) / Rational(10);
    const queue::SlottedQueue queue{series::Arrivals::equal_inputs(radix, load), 1};
    const auto [level, exact] = level_near(queue, bars[i % 3]);
    if (exact == 0) continue;  // two inputs at low load: the next level is far below any bar
    const sim::TreeModel model{{radix, 1}, load};
    const sim::RunPlan plan = sim::automatic_plan(model, 120'000, 4, 1000 + static_cast<std::uint64_t>(i));
    const auto estimates =
        sim::tree_estimates(model, sim::run_tree(model, plan), {.occupancy_levels = {level}});
    const auto& interval = estimates.stages.front().tail.front().probability;
    ++coverage.cases;
    if (interval.lower <= exact && exact <= interval.upper) ++coverage.covered;
  }
  return coverage;
}

}  // namespace

// Intervals with coverage 0.95 fall outside [43, 60] of 60 with probability 5e-7.
TEST_CASE("simulated first hops: intervals cover the exact tails", "[validation][sim]") {
  const Coverage coverage = cover(60);
  INFO(coverage.covered << " of " << coverage.cases);
  CHECK(coverage.cases == 60);
  CHECK(coverage.covered >= 48);
}

// Outside 90 to 99 % of 200: probability 0.003.
TEST_CASE("simulated first hops: 200 cases are covered in 90 to 99 %", "[.full][validation][sim]") {
  const Coverage coverage = cover(200);
  WARN("the 95 % intervals cover " << coverage.covered << " of " << coverage.cases << " exact values");
  CHECK(coverage.cases == 200);
  CHECK(coverage.covered >= 180);
  CHECK(coverage.covered <= 198);
}
