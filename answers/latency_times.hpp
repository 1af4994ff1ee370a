#pragma once

#include <tailbound/answers/latency_ns.hpp>
#include <tailbound/core/quantity.hpp>
#include <tailbound/numeric/truth.hpp>
#include <tailbound/sim/batches/histogram_batches.hpp>

#include <cstddef>
#include <utility>
#include <vector>

/// Latencies of simulated packets as times, with a constant latency per queue passed for links and pipelines.
///
/// MODEL     as latency_ns.hpp: the latency of a packet that waits D slots on a route of L queues is
///           D slot + L (slot + hop).
/// RESULT    estimates with intervals from batches (sim/batches/histogram_batches.hpp).
/// TESTS     tests/answers/latency_times_test.cpp
/// Internal to the answers module.
namespace tailbound::answers {

/// Counts of a simulation, [d]: delivered packets that waited d slots and passed a given number of queues.
struct DelayRow {
  std::size_t row;
  int queues;
};

class LatencyTimes {
 public:
  /// \param batches     two or more, with at least one packet; they outlive this
  /// \param confidence  of each interval
  LatencyTimes(const std::vector<const sim::Counts*>& batches, const std::vector<DelayRow>& rows,
               const SlotTime& time, double confidence);

  [[nodiscard]] numeric::Estimate<unit::Time> mean() const;
  /// The minimum time t with P(latency <= t) >= fraction; its interval follows from the ends of the intervals
  /// of P(latency > t).
  [[nodiscard]] numeric::Estimate<unit::Time> percentile(double fraction) const;

 private:
  /// Slots waited, queues met.
  using Latency = std::pair<std::size_t, int>;
  [[nodiscard]] double time_of(const Latency& latency) const;
  [[nodiscard]] double time_at(double position) const;

  SlotTime time_;
  double confidence_;
  std::vector<Latency> latencies_;  ///< distinct values, by time
  std::vector<double> totals_, sums_;
  sim::HistogramBatches positions_;
};

}  // namespace tailbound::answers
