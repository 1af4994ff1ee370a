#include <tailbound/sim/batches/seen_times.hpp>

#include <catch2/catch.hpp>

namespace tailbound::sim {
namespace {

/// Four batches; row 0: packets that pass one queue, row 1: two queues.
std::vector<sim::Counts> four_batches() {
  const sim::Counts one{{60, 20, 10}, {5, 0, 5}};
  return {one, one, {{60, 20, 10}, {5, 0, 5}}, {{58, 22, 10}, {5, 0, 5}}};
}

SeenTimes seen(const std::vector<sim::Counts>& batches, bool latency, double steps = 1) {
  std::vector<const sim::Counts*> pointers;
  for (const sim::Counts& batch : batches) pointers.push_back(&batch);
  return {pointers,
          {{0, 1}, {1, 2}},
          [steps](std::size_t at) { return steps * static_cast<double>(at); },
          latency};
}

}  // namespace

TEST_CASE("seen times: waits are pooled over rows, latencies differ by their transfers") {
  const auto batches = four_batches();
  const SeenTimes waits = seen(batches, false), latencies = seen(batches, true);
  CHECK(waits.packets() == 400);
  CHECK(waits.times() == std::vector<double>{0, 1, 2});
  CHECK(latencies.times() == std::vector<double>{1, 2, 3, 4});
  CHECK(waits.tail(0).value == Approx(142.0 / 400));
  CHECK(waits.tail(1).value == Approx(60.0 / 400));
  CHECK(waits.tail(1.9).value == Approx(60.0 / 400));
  CHECK(waits.tail(2).value == 0);
  CHECK(waits.tail(-1).value == 1);
  CHECK(waits.count(0) == 142);
  CHECK(waits.mean().value == Approx((82.0 + 120) / 400));
  // T = 1: 238; 2: 82 + 20; 3: 40; 4: 20
  CHECK(latencies.tail(1).value == Approx(162.0 / 400));
  CHECK(latencies.tail(2).value == Approx(60.0 / 400));
  CHECK(latencies.tail(3).value == Approx(20.0 / 400));
  CHECK(latencies.mean().value == Approx((238 + 204 + 120 + 80.0) / 400));
}

TEST_CASE("seen times: percentiles are the smallest time, with the ends of its interval") {
  const auto batches = four_batches();
  const SeenTimes waits = seen(batches, false, 2.5);
  CHECK(waits.percentile(0.5)->t == 0);
  CHECK(waits.percentile(0.2)->t == 2.5);
  CHECK(waits.percentile(0.01)->t == 5);
  const auto close = waits.percentile(0.356);  // P(D > 0) = 0.355
  CHECK(close->t == 0);
  CHECK(close->at_least == 0.0);
  CHECK(close->at_most == 2.5);
}

TEST_CASE("seen times: a level is resolved if its interval is narrow") {
  const auto batches = four_batches();
  const SeenTimes waits = seen(batches, false);
  CHECK(SeenTimes::is_resolved(waits.tail(0)));
  CHECK_FALSE(SeenTimes::is_resolved(waits.tail(2)));
  CHECK(waits.deepest_resolved() == 1.0);
  CHECK(waits.deepest_resolved(1e-9) == 1.0);  // 60 in each batch
  const std::vector<sim::Counts> none{{{}, {}}, {{}, {}}};
  CHECK_FALSE(seen(none, false).any());
}

}  // namespace tailbound::sim
