#include <tailbound/numeric/rational.hpp>
#include <tailbound/sim/crossbar/crossbar_replication.hpp>
#include <tailbound/sim/switch/switch_replication.hpp>

#include <algorithm>
#include <catch2/catch.hpp>
#include <tests/support/rational.hpp>
#include <vector>

/// Critical cells first: departures of an output-queued switch, slot by slot, and bounded inputs.
namespace tailbound::sim {
namespace {

using test::rational;

CrossbarModel critical(std::size_t ports, const char* load, std::optional<traffic::Burst> burst) {
  CrossbarModel model;
  model.rates.assign(ports, rational(load));
  model.outputs = static_cast<std::int64_t>(ports);
  model.burst = burst;
  model.scheduler = traffic::CrossbarScheduler::ccf;
  model.speedup = 2;
  return model;
}

struct Compared {
  std::int64_t differing = 0;  ///< slots in which some output holds another number of cells
  std::uint64_t late = 0, above = 0;
};

/// Next to `simulate switch` with the same arrivals. Equal numbers of cells for every output after every slot
/// are equal departures.
Compared beside_output_queues(const CrossbarModel& model, std::int64_t slots) {
  SwitchModel output_queued{.rates = model.rates, .outputs = model.outputs, .burst = model.burst};
  const RandomKey key{5, 1};
  const auto crossbar = make_crossbar_replication(model, key);
  const auto reference = make_switch_replication(output_queued, key);
  Compared result;
  for (std::int64_t slot = 0; slot < slots; ++slot) {
    crossbar->advance(1);
    reference->advance(1);
    if (crossbar->columns() != reference->lengths()) ++result.differing;
  }
  const Counts counts = crossbar->take_counts();
  result.late = counts[CrossbarRows::late].front();
  result.above = counts[CrossbarRows::above].front();
  CHECK(crossbar->balance().conserved());
  CHECK(crossbar->balance().left > 0);
  return result;
}

void compare_all(std::int64_t slots) {
  for (const std::size_t ports : std::vector<std::size_t>{2, 3, 4, 8, 16})
    for (const auto& burst : {std::optional<traffic::Burst>(), std::optional(traffic::Burst{10, 1})})
      for (const bool priorities : {false, true}) {
        CrossbarModel model = critical(ports, "0.85", burst);
        if (priorities) model.priorities = {rational("0.2"), rational("0.3"), rational("0.5")};
        CAPTURE(describe(model));
        const Compared found = beside_output_queues(model, slots);
        CHECK(found.differing == 0);
        CHECK(found.late == 0);
        CHECK(found.above == 0);
      }
}

TEST_CASE("critical cells first: departures equal those of the output-queued switch in every slot") {
  compare_all(20'000);
}

TEST_CASE("critical cells first: the same over 10^7 slots", "[.full]") {
  compare_all(500'000);
}

TEST_CASE("critical cells first: one phase per slot is not enough, and 2 - 1/k is") {
  CrossbarModel model = critical(4, "0.95", {});
  model.speedup = 1;
  const Compared one = beside_output_queues(model, 20'000);
  CHECK(one.differing > 1000);
  CHECK(one.late > 1000);
  model.speedup = rational("7/4");
  const Compared fewer = beside_output_queues(model, 50'000);
  CHECK(fewer.differing == 0);
  CHECK(fewer.late == 0);
  CHECK(fewer.above > 0);  // the bound of the inputs needs speedup 2
}

TEST_CASE("critical cells first: with priorities each class waits as behind an output-queued switch") {
  CrossbarModel model = critical(4, "0.9", {});
  model.priorities = {rational("0.5"), rational("0.5")};
  const auto run = make_crossbar_replication(model, {1, 0});
  run->advance(400'000);
  const Counts counts = run->take_counts();
  const auto mean = [](const std::vector<std::uint64_t>& histogram) {
    double sum = 0, count = 0;
    for (std::size_t delay = 0; delay < histogram.size(); ++delay) {
      sum += static_cast<double>(delay) * static_cast<double>(histogram[delay]);
      count += static_cast<double>(histogram[delay]);
    }
    return sum / count;
  };
  // The first class is a queue of its own with load 0.45 of 4 inputs; both together have 3 x 0.9 / (8 x 0.1).
  const double first = mean(counts[CrossbarRows::count]), second = mean(counts[CrossbarRows::count + 1]);
  CHECK(first == Approx(3 * 0.45 / (8 * 0.55)).epsilon(0.02));
  CHECK((first + second) / 2 == Approx(3 * 0.9 / (8 * 0.1)).epsilon(0.05));
}

TEST_CASE("critical cells first: with output buffers of B cells no input holds more") {
  CrossbarModel model = critical(4, "0.95", {});
  model.output_buffer = 3;
  const auto run = make_crossbar_replication(model, {1, 0});
  run->advance(50'000);
  CHECK(run->balance().lost > 100);
  const Counts counts = run->take_counts();
  CHECK(counts[CrossbarRows::input].size() <= 4);
  CHECK(counts[CrossbarRows::column].size() <= 4);
  CHECK(counts[CrossbarRows::late].front() == 0);
}

}  // namespace
}  // namespace tailbound::sim
