#include <tailbound/sim/batches/batch_means.hpp>
#include <tailbound/sim/batches/seen_times.hpp>

#include <algorithm>
#include <numeric>

namespace tailbound::sim {
namespace {

std::size_t longest(const std::vector<const Counts*>& batches, std::size_t row) {
  std::size_t size = 0;
  for (const Counts* batch : batches) size = std::max(size, (*batch)[row].size());
  return size;
}

}  // namespace

SeenTimes::SeenTimes(const std::vector<const Counts*>& batches, const std::vector<SeenRow>& rows,
                     const std::function<double(std::size_t)>& wait_of, bool latency,
                     const std::function<double(std::size_t)>& average_of) {
  const auto time_of = [&](const SeenRow& row, std::size_t at) {
    return wait_of(at) + (latency ? row.transfer : 0);
  };
  for (const SeenRow& row : rows)
    for (std::size_t at = 0, end = longest(batches, row.row); at < end; ++at)
      times_.push_back(time_of(row, at));
  std::sort(times_.begin(), times_.end());
  times_.erase(std::unique(times_.begin(), times_.end()), times_.end());
  for (const Counts* batch : batches) {
    std::vector<double>& beyond = beyond_.emplace_back(times_.size(), 0.0);
    double packets = 0, sum = 0;
    for (const SeenRow& row : rows) {
      std::size_t place = 0;
      const auto& counts = (*batch)[row.row];
      for (std::size_t at = 0; at < counts.size(); ++at) {
        if (counts[at] == 0) continue;
        const double time = time_of(row, at), its = row.packets * static_cast<double>(counts[at]);
        while (times_[place] < time) ++place;
        beyond[place] += its;
        packets += its;
        sum += its * (average_of ? time - wait_of(at) + average_of(at) : time);
      }
    }
    double left = packets;
    for (double& each : beyond) each = left -= each;
    packets_.push_back(packets);
    sums_.push_back(sum);
  }
  if (packets() == 0) times_.clear();
}

double SeenTimes::packets() const {
  return std::accumulate(packets_.begin(), packets_.end(), 0.0);
}

std::optional<std::size_t> SeenTimes::position(double t) const {
  const auto after = std::upper_bound(times_.begin(), times_.end(), t);
  if (after == times_.begin()) return std::nullopt;
  return static_cast<std::size_t>(after - times_.begin()) - 1;
}

numeric::Estimate<unit::Probability> SeenTimes::tail_at(std::size_t position, double confidence) const {
  std::vector<double> seen;
  for (const auto& beyond : beyond_) seen.push_back(std::max(0.0, beyond[position]));
  return estimate<unit::Probability>(seen, packets_, confidence);
}

numeric::Estimate<unit::Probability> SeenTimes::tail(double t, double confidence) const {
  if (const auto place = position(t)) return tail_at(*place, confidence);
  return {1, 1, 1, confidence};
}

std::uint64_t SeenTimes::count(double t) const {
  const auto place = position(t);
  if (!place) return static_cast<std::uint64_t>(packets());
  double sum = 0;
  for (const auto& beyond : beyond_) sum += beyond[*place];
  return static_cast<std::uint64_t>(std::max(0.0, sum) + 0.5);
}

numeric::Estimate<unit::Slot> SeenTimes::mean(double confidence) const {
  return estimate<unit::Slot>(sums_, packets_, confidence);
}

std::optional<SeenTimes::Percentile> SeenTimes::percentile(double exceeded, double confidence) const {
  using Tail = numeric::Estimate<unit::Probability>;
  const auto first = [&](const auto& end) -> std::optional<double> {
    std::size_t from = 0, to = times_.size();
    while (from < to) {
      const std::size_t middle = from + (to - from) / 2;
      if (end(tail_at(middle, confidence)) <= exceeded)
        to = middle;
      else
        from = middle + 1;
    }
    return from < times_.size() ? std::optional(times_[from]) : std::nullopt;
  };
  const auto t = first([](const Tail& tail) { return tail.value; });
  if (!t) return std::nullopt;
  return Percentile{*t, first([](const Tail& tail) { return tail.lower; }),
                    first([](const Tail& tail) { return tail.upper; })};
}

bool SeenTimes::is_resolved(const numeric::Estimate<unit::Probability>& tail, double to) {
  return tail.value > 0 && tail.upper - tail.lower <= 2 * to * tail.value;
}

std::optional<double> SeenTimes::deepest_resolved(double known_to) const {
  std::optional<double> deepest;
  std::size_t from = 0, to = times_.size();  // known to the left of `from`, not at `to`
  while (from < to) {
    const std::size_t middle = from + (to - from) / 2;
    if (is_resolved(tail_at(middle, 0.95), known_to)) {
      deepest = times_[middle];
      from = middle + 1;
    } else {
      to = middle;
    }
  }
  return deepest;
}

}  // namespace tailbound::sim
