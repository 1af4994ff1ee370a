#include <tailbound/answers/latency_times.hpp>
#include <tailbound/numeric/rational.hpp>

#include <algorithm>
#include <map>

namespace tailbound::answers {
namespace {

using Latency = std::pair<std::size_t, int>;

/// All latencies that a batch may have counted: every delay up to the maximum of its row.
std::vector<Latency> all_latencies(const std::vector<const sim::Counts*>& batches,
                                   const std::vector<DelayRow>& rows) {
  std::vector<Latency> latencies;
  for (const DelayRow& row : rows) {
    std::size_t size = 0;
    for (const sim::Counts* batch : batches) size = std::max(size, (*batch)[row.row].size());
    for (std::size_t slots = 0; slots < size; ++slots) latencies.emplace_back(slots, row.queues);
  }
  return latencies;
}

double approximate(const Latency& latency, const SlotTime& time) {
  const double slot = numeric::nearest_double(time.slot), hop = numeric::nearest_double(time.hop);
  return static_cast<double>(latency.first) * slot + latency.second * (slot + hop);
}

std::vector<Latency> by_time(std::vector<Latency> latencies, const SlotTime& time) {
  std::stable_sort(latencies.begin(), latencies.end(), [&](const Latency& a, const Latency& b) {
    return approximate(a, time) < approximate(b, time);
  });
  return latencies;
}

/// Counts of a batch in the order of `latencies`.
sim::HistogramBatches in_order(const std::vector<const sim::Counts*>& batches,
                               const std::vector<DelayRow>& rows, const std::vector<Latency>& latencies,
                               double confidence) {
  std::map<int, std::vector<std::size_t>> positions;  // by number of queues, for each delay
  for (std::size_t i = 0; i < latencies.size(); ++i) positions[latencies[i].second].push_back(i);
  return {batches,
          [&](const sim::Counts& batch) {
            sim::Histogram histogram(latencies.size());
            for (const DelayRow& row : rows)
              for (std::size_t slots = 0; slots < batch[row.row].size(); ++slots)
                histogram[positions.at(row.queues)[slots]] += batch[row.row][slots];
            return histogram;
          },
          confidence};
}

}  // namespace

LatencyTimes::LatencyTimes(const std::vector<const sim::Counts*>& batches, const std::vector<DelayRow>& rows,
                           const SlotTime& time, double confidence)
    : time_(time),
      confidence_(confidence),
      latencies_(by_time(all_latencies(batches, rows), time)),
      positions_(in_order(batches, rows, latencies_, confidence)) {
  for (const sim::Counts* batch : batches) {
    double total = 0, sum = 0;
    for (const DelayRow& row : rows)
      for (std::size_t slots = 0; slots < (*batch)[row.row].size(); ++slots) {
        const auto count = static_cast<double>((*batch)[row.row][slots]);
        total += count;
        sum += count * approximate({slots, row.queues}, time);
      }
    totals_.push_back(total);
    sums_.push_back(sum);
  }
}

double LatencyTimes::time_of(const Latency& latency) const {
  return numeric::nearest_double(numeric::Integer(latency.first) * time_.slot +
                                 numeric::Integer(latency.second) * (time_.slot + time_.hop));
}

double LatencyTimes::time_at(double position) const {
  const auto at = static_cast<std::size_t>(position);
  if (at < latencies_.size()) return time_of(latencies_[at]);
  // Longer than any observed latency.
  return time_of({latencies_.back().first + 1, latencies_.back().second});
}

numeric::Estimate<unit::Time> LatencyTimes::mean() const {
  return sim::estimate<unit::Time>(sums_, totals_, confidence_);
}

numeric::Estimate<unit::Time> LatencyTimes::percentile(double fraction) const {
  const numeric::Estimate<unit::Slot> position = positions_.percentile(fraction);
  return {time_at(position.value), time_at(position.lower), time_at(position.upper), confidence_};
}

}  // namespace tailbound::answers
