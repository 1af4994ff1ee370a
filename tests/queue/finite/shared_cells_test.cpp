#include <tailbound/bounds/sizing/packet_loss.hpp>
#include <tailbound/queue/finite/shared_memory.hpp>
#include <tailbound/queue/slotted/slotted_queue.hpp>
#include <tailbound/sim/switch/simulate_switch.hpp>

#include <catch2/catch.hpp>
#include <cmath>
#include <random>

// Memory shared by packets of several cells, all arriving in one slot.

using namespace tailbound;
using numeric::Rational;
using queue::MemoryRule;
using queue::SharedMemory;
using traffic::PacketSizes;
using Measure = queue::MemoryRule::Measure;

namespace {

double number(const numeric::UpperBound<unit::Probability>& bound) {
  return static_cast<double>(bound.value);
}

traffic::CellCounts random_cells(std::mt19937_64& random) {
  std::string list;
  std::uniform_int_distribution<int> bytes(1, 9), weight(1, 5);
  for (int kinds = std::uniform_int_distribution<int>(1, 3)(random); kinds > 0; --kinds)
    list += (list.empty() ? "" : ",") + std::to_string(bytes(random)) + ":" + std::to_string(weight(random));
  return PacketSizes::of_list(list, "sizes").cells(1);
}

queue::SharedSwitch switch_of(std::int64_t inputs, const Rational& load, std::int64_t outputs,
                              const traffic::CellCounts& cells) {
  queue::SharedSwitch fed =
      queue::uniform_switch(std::vector<Rational>(static_cast<std::size_t>(inputs), load), outputs);
  fed.cells = cells;
  return fed;
}

}  // namespace

// Independent method: the slotted queue with the generating function of a slot's cells, in enclosures.
TEST_CASE("shared memory of cells: one output matches the slotted queue of cells, 100 random cases",
          "[queue][shared]") {
  std::mt19937_64 random(5);
  for (int repeat = 0; repeat < 100; ++repeat) {
    const auto inputs = std::uniform_int_distribution<int>(2, 6)(random);
    const Rational load = Rational(std::uniform_int_distribution<int>(10, 90)(random)) / 100;
    const traffic::CellCounts cells = random_cells(random);
    const std::vector<Rational> rates(static_cast<std::size_t>(inputs), load / Rational(inputs));
    const series::StopLoss found = queue::occupancy(rates, 40, cells);
    const queue::SlottedQueue other = bounds::cell_queue({.inputs = inputs, .load = load, .cells = cells});
    for (const std::size_t level : {0U, 1U, 7U, 38U}) {
      const auto tail = queue::occupancy_tail(other, Packets(static_cast<std::int64_t>(level))).probability;
      const auto truth = static_cast<double>(numeric::to_enclosure(tail).upper());
      CHECK(static_cast<double>(found.tail[level]) == Approx(truth).epsilon(1e-12).margin(1e-300));
      CHECK(static_cast<double>(found.excess[level] - found.excess[level + 1]) ==
            Approx(truth).epsilon(1e-9).margin(1e-16));
    }
    const auto mean = queue::mean_occupancy(other);
    REQUIRE(std::holds_alternative<numeric::Exact<unit::Packet>>(mean));
    CHECK(queue::mean_occupancy(rates, cells) == std::get<numeric::Exact<unit::Packet>>(mean).value);
  }
}

// T is then Q, and the cells left by earlier slots are independent of the slot's arrivals: the loss bound is
// the expected excess of Q itself.
TEST_CASE("shared memory of cells: with one output the expected excess is exact", "[queue][shared]") {
  std::mt19937_64 random(6);
  for (int repeat = 0; repeat < 30; ++repeat) {
    const auto inputs = std::uniform_int_distribution<int>(2, 6)(random);
    const Rational load = Rational(std::uniform_int_distribution<int>(10, 90)(random)) / 100;
    const traffic::CellCounts cells = random_cells(random);
    SharedMemory shared(switch_of(inputs, load / Rational(inputs), 1, cells), {.measure = Measure::loss});
    const series::StopLoss queue = queue::occupancy(
        std::vector<Rational>(static_cast<std::size_t>(inputs), load / Rational(inputs)), 60, cells);
    for (const int memory : {0, 3, 20, 50}) {
      const long double excess = queue.excess[static_cast<std::size_t>(memory)];
      CHECK(
          number(shared.bound(Packets(memory))) ==
          Approx(std::min(1.0, static_cast<double>(excess) / numeric::nearest_double(load))).epsilon(1e-12));
    }
    CHECK(shared.mean() ==
          queue::mean_occupancy(
              std::vector<Rational>(static_cast<std::size_t>(inputs), load / Rational(inputs)), cells));
  }
}

TEST_CASE("shared memory of cells: bounds are above simulation", "[queue][shared]") {
  const traffic::CellCounts cells = PacketSizes::of_list("1:2,3:1,8:1", "sizes").cells(1);
  for (const auto& [ports, load] : {std::pair{2, "0.6"}, {4, "0.8"}, {8, "0.7"}}) {
    const Rational each = numeric::parse_rational(load, "load");
    sim::SwitchModel model = sim::switch_model(ports, each);
    model.sizes = cells.classes;
    const auto simulated = [&](const std::optional<std::int64_t>& memory,
                               const std::optional<Rational>& alpha) {
      model.memory = memory;
      model.threshold = alpha;
      const sim::RunPlan plan = sim::automatic_plan(numeric::nearest_double(each), 1, 200'000, 4, 7, {});
      return sim::switch_estimates(model, sim::run_switch(model, plan),
                                   {.total_levels = {10, 40, 80}, .confidence = 0.9999});
    };
    const auto open = simulated(std::nullopt, std::nullopt);
    SharedMemory overflow(switch_of(ports, each, ports, cells), {});
    for (const sim::LevelEstimate& level : open.total_tail)
      CHECK(number(overflow.bound(Packets(level.level))) >= level.probability.lower);
    CHECK(open.mean_total.lower <= numeric::nearest_double(overflow.mean()));
    CHECK(open.mean_total.upper >= numeric::nearest_double(overflow.mean()));
    SharedMemory loss(switch_of(ports, each, ports, cells), {.measure = Measure::loss});
    const auto full = simulated(60, std::nullopt);
    CHECK(full.lost > 0);
    CHECK(number(loss.bound(Packets(60))) >= full.cell_loss.lower);
    SharedMemory threshold(switch_of(ports, each, ports, cells),
                           {.measure = Measure::loss, .threshold = Rational(1)});
    CHECK(number(threshold.bound(Packets(60))) >= simulated(60, Rational(1)).cell_loss.lower);
  }
}
