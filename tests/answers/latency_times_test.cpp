#include <catch2/catch.hpp>
#include <tailbound/answers/latency_times.hpp>
#include <tailbound/numeric/rational.hpp>
#include <tailbound/sim/batches/batch_means.hpp>

#include <algorithm>
#include <random>
#include <vector>

// Latencies of simulated packets as times, compared with a sorted list of all packets.

using namespace tailbound;
using answers::DelayRow;
using answers::LatencyTimes;
using answers::SlotTime;
using numeric::Rational;

namespace {

const std::vector<DelayRow> rows{{0, 1}, {1, 3}, {2, 5}};

/// Batches of packets: rows 0, 1 and 2 count delays of packets that met 1, 3 and 5 queues.
std::vector<sim::Counts> random_batches(int batches) {
  std::mt19937_64 random(20260303);
  std::vector<sim::Counts> all;
  for (int batch = 0; batch < batches; ++batch) {
    sim::Counts& counts = all.emplace_back(3);
    for (int packet = 0; packet < 400; ++packet) {
      auto& row = counts[random() % 3];
      std::size_t delay = 0;
      while (random() % 3 != 0) ++delay;
      if (row.size() <= delay) row.resize(delay + 1);
      ++row[delay];
    }
  }
  return all;
}

std::vector<const sim::Counts*> pointers(const std::vector<sim::Counts>& batches) {
  std::vector<const sim::Counts*> result;
  for (const sim::Counts& batch : batches) result.push_back(&batch);
  return result;
}

/// The latency of each packet, sorted.
std::vector<double> all_packets(const std::vector<sim::Counts>& batches, double slot, double hop) {
  std::vector<double> times;
  for (const sim::Counts& batch : batches)
    for (const DelayRow& row : rows)
      for (std::size_t delay = 0; delay < batch[row.row].size(); ++delay)
        times.insert(times.end(), batch[row.row][delay],
                     static_cast<double>(delay) * slot + row.queues * (slot + hop));
  std::sort(times.begin(), times.end());
  return times;
}

}  // namespace

TEST_CASE("latency times: means and percentiles are those of all packets", "[answers][simulate]") {
  const std::vector<sim::Counts> batches = random_batches(12);
  for (const Rational& hop : {Rational(0), Rational(5) / 2, Rational(7), Rational(100)}) {
    const LatencyTimes times(pointers(batches), rows, SlotTime{.slot = 4, .hop = hop}, 0.95);
    const std::vector<double> packets = all_packets(batches, 4, numeric::nearest_double(hop));
    double sum = 0;
    for (const double time : packets) sum += time;
    CHECK(times.mean().value == Approx(sum / static_cast<double>(packets.size())).epsilon(1e-12));
    CHECK(times.mean().lower < times.mean().value);
    for (const double fraction : {0.01, 0.3, 0.5, 0.77, 0.9, 0.99, 0.999}) {
      // The minimum time exceeded by at most 1 - fraction of the packets.
      std::size_t minimum = 0;
      while (static_cast<double>(packets.end() -
                                 std::upper_bound(packets.begin(), packets.end(), packets[minimum])) >
             (1 - fraction) * static_cast<double>(packets.size()) * (1 + 1e-12))
        ++minimum;
      const auto found = times.percentile(fraction);
      INFO(numeric::nearest_double(hop) << " ns, " << fraction);
      CHECK(found.value == Approx(packets[minimum]).epsilon(1e-12));
      CHECK(found.lower <= found.value);
      CHECK(found.upper >= found.value);
    }
  }
}

TEST_CASE("latency times: without hop times they are the latencies in slots", "[answers][simulate]") {
  const std::vector<sim::Counts> batches = random_batches(8);
  const LatencyTimes times(pointers(batches), rows, SlotTime{.slot = Rational(1) / 2, .hop = 0}, 0.9);
  const sim::HistogramBatches slots(
      pointers(batches),
      [](const sim::Counts& batch) {
        sim::Histogram sum(100);
        for (const DelayRow& row : rows)
          for (std::size_t delay = 0; delay < batch[row.row].size(); ++delay)
            sum[delay + static_cast<std::size_t>(row.queues)] += batch[row.row][delay];
        return sum;
      },
      0.9);
  for (const double fraction : {0.1, 0.5, 0.9, 0.99}) {
    CHECK(2 * times.percentile(fraction).value == slots.percentile(fraction).value);
    CHECK(2 * times.percentile(fraction).lower == slots.percentile(fraction).lower);
    CHECK(2 * times.percentile(fraction).upper == slots.percentile(fraction).upper);
  }
  CHECK(2 * times.mean().value == Approx(slots.mean<unit::Slot>().value).epsilon(1e-12));
  CHECK(2 * times.mean().upper == Approx(slots.mean<unit::Slot>().upper).epsilon(1e-12));
}
