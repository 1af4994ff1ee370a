#include <tailbound/core/error.hpp>
#include <tailbound/numeric/rational.hpp>
#include <tailbound/sim/classes/simulate_classes.hpp>

#include <catch2/catch.hpp>
#include <cmath>
#include <numeric>
#include <tests/support/rational.hpp>
#include <vector>

using namespace tailbound;
using sim::ClassEstimates;
using sim::ClassModel;
using sim::ClassRows;
using sim::Schedule;
using tailbound::test::rational;

namespace {

ClassModel class_model(std::int64_t inputs, const std::vector<const char*>& loads) {
  ClassModel model{.inputs = inputs, .loads = {}};
  for (const char* load : loads) model.loads.push_back(rational(load));
  return model;
}

std::vector<ClassEstimates> simulated(const ClassModel& model, std::int64_t slots,
                                      const sim::ClassQueries& queries) {
  const sim::ClassWork work = sim::class_work(model);
  const sim::RunPlan plan = sim::automatic_plan(work.utilization, 1, slots, 4, 1, work.memory);
  return sim::class_estimates(model, sim::run_classes(model, plan), queries);
}

/// Within one and a half intervals, and the interval has at most the given relative width.
template <class Unit>
void check_near(const numeric::Estimate<Unit>& found, double value, double widest = 0.1) {
  CHECK(std::abs(found.value - value) <= 1.5 * (found.upper - found.value));
  CHECK(found.upper - found.value < widest * value);
}

sim::Counts counted(const ClassModel& model, int pieces) {
  auto now = sim::make_class_replication(model, {7, 0});
  for (int i = 0; i < pieces; ++i) {
    now->advance(6000 / pieces);
    sim::ByteWriter writer;
    now->save(writer);
    const std::string bytes = writer.take();
    now = sim::make_class_replication(model, {7, 0});
    sim::ByteReader reader(bytes);
    now->load(reader);
  }
  return now->take_counts();
}

}  // namespace

TEST_CASE("simulated classes: known results for two classes", "[classes]") {
  const auto found = simulated(class_model(4, {"0.4", "0.4"}), 3'000'000,
                               {.occupancy_levels = {10}, .wait_levels = {10}, .percentiles = {0.99}});
  REQUIRE(found.size() == 2);
  check_near(found[0].mean_occupancy, 0.5);
  check_near(found[1].mean_occupancy, 1.5);
  check_near(*found[1].mean_wait, 2.75);
  check_near(found[1].occupancy.front().probability, 2.19347306e-3);
  check_near(found[1].wait.front().probability, 4.05475246e-2);
  CHECK(found[1].percentiles.front().wait.value == 16);
  ClassModel small = class_model(4, {"0.4", "0.4"});
  small.capacities = {1'000'000, 10};
  const auto lossy = simulated(small, 3'000'000, {});
  check_near(lossy[1].loss, 1.07577047e-3);
  CHECK(lossy[0].lost == 0);
}

TEST_CASE(
    "simulated classes: inputs, bursts and joint distributions offer their loads; packets are conserved",
    "[classes]") {
  ClassModel bursts = class_model(8, {"0.3", "0.2"});
  bursts.burst = traffic::Burst{.slots = 5, .on_rate = rational("0.5")};
  ClassModel joint = class_model(1, {"0.25", "0.5"});
  joint.joint = {{{0, 0}, rational("1/2")}, {{1, 0}, rational("1/4")}, {{0, 2}, rational("1/4")}};
  for (const ClassModel& model : {class_model(3, {"0.2", "0.1", "0.4"}), bursts, joint}) {
    const auto found = simulated(model, 400'000, {});
    for (std::size_t c = 0; c < found.size(); ++c) {
      const double load = numeric::nearest_double(model.loads[c]);
      CHECK(found[c].served.value == Approx(load).epsilon(0.03));
      // Little's law: E[L] = rho (E[W] + 1).
      CHECK(found[c].mean_occupancy.value ==
            Approx(found[c].served.value * (found[c].mean_wait->value + 1)).epsilon(0.01));
    }
  }
}

TEST_CASE("simulated classes: queues lie between service first and last", "[classes]") {
  ClassModel even = class_model(8, {"0.4", "0.4"});
  for (const Schedule schedule : {Schedule::wrr, Schedule::drr}) {
    even.schedule = schedule;
    even.weights = {1, 1};
    const auto found = simulated(even, 400'000, {.occupancy_levels = {0, 2, 6}});
    CHECK(found[0].mean_occupancy.value == Approx(found[1].mean_occupancy.value).epsilon(0.05));
    for (const ClassEstimates& its : found)
      for (std::size_t i = 0; i < 3; ++i) {
        CHECK(its.alone[i].count <= its.occupancy[i].count);
        CHECK(its.occupancy[i].count <= its.last[i].count);
      }
  }
  // With an overloaded output and small buffers, classes are served according to their weights.
  ClassModel full = class_model(8, {"1.5", "1.5", "1.5"});
  full.capacities = {20, 20, 20};
  full.schedule = Schedule::drr;
  full.weights = {rational("1"), rational("2"), rational("0.5")};
  const auto shared = simulated(full, 200'000, {});
  CHECK(shared[0].served.value == Approx(2.0 / 7).epsilon(0.01));
  CHECK(shared[1].served.value == Approx(4.0 / 7).epsilon(0.01));
  CHECK(shared[2].served.value == Approx(1.0 / 7).epsilon(0.01));
}

TEST_CASE("simulated classes: a saved run continues unchanged", "[classes]") {
  ClassModel drr = class_model(6, {"0.3", "0.3", "0.3"});
  drr.schedule = Schedule::drr;
  drr.weights = {1, rational("0.75"), 3};
  ClassModel bursts = class_model(4, {"0.3", "0.3"});
  bursts.burst = traffic::Burst{.slots = 9};
  ClassModel capacities = class_model(4, {"0.9", "0.3"});
  capacities.capacities = {3, 4};
  for (const ClassModel& model : {drr, bursts, capacities}) CHECK(counted(model, 1) == counted(model, 6));
}

TEST_CASE("simulated classes: invalid parameters are rejected", "[classes]") {
  const auto rejected = [](ClassModel model, auto change) {
    change(model);
    CHECK_THROWS_AS(sim::make_class_replication(model, {}), InvalidArgument);
  };
  const ClassModel model = class_model(4, {"0.3", "0.3"});
  rejected(model, [](ClassModel& m) { m.inputs = 0; });
  rejected(model, [](ClassModel& m) { m.loads.front() = 0; });
  rejected(model, [](ClassModel& m) { m.weights = {1, 1}; });
  rejected(model, [](ClassModel& m) { m.schedule = Schedule::wrr; });
  rejected(model, [](ClassModel& m) {
    m.schedule = Schedule::wrr;
    m.weights = {1, rational("1/2")};
  });
  rejected(model, [](ClassModel& m) { m.capacities = {1}; });
  rejected(model, [](ClassModel& m) { m.capacities = {1, 0}; });
  CHECK_THROWS_AS(sim::make_class_replication(class_model(4, {"0.5", "0.5"}), {}), Unstable);
}
