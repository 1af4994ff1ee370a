#include <tailbound/sim/batches/histogram_batches.hpp>

#include <algorithm>
#include <cmath>
#include <numeric>

namespace tailbound::sim {

double total_count(const Histogram& histogram) {
  return static_cast<double>(std::accumulate(histogram.begin(), histogram.end(), std::uint64_t{0}));
}

HistogramBatches::HistogramBatches(const std::vector<const Counts*>& counts,
                                   const std::function<Histogram(const Counts&)>& of, double confidence)
    : confidence_(confidence) {
  for (const Counts* batch : counts) {
    histograms_.push_back(of(*batch));
    const Histogram& histogram = histograms_.back();
    totals_.push_back(total_count(histogram));
    double sum = 0;
    for (std::size_t i = 0; i < histogram.size(); ++i)
      sum += static_cast<double>(i) * static_cast<double>(histogram[i]);
    weighted_.push_back(sum);
  }
}

LevelEstimate HistogramBatches::tail(std::int64_t level) const {
  if (level < 0) throw InvalidArgument("level", std::to_string(level), "at least 0");
  std::vector<double> counts;
  LevelEstimate result{level, {}, 0};
  for (const Histogram& histogram : histograms_) {
    const auto first = std::min<std::size_t>(histogram.size(), static_cast<std::size_t>(level) + 1);
    const std::uint64_t count = std::accumulate(histogram.begin() + static_cast<std::ptrdiff_t>(first),
                                                histogram.end(), std::uint64_t{0});
    result.count += count;
    counts.push_back(static_cast<double>(count));
  }
  result.probability = estimate<unit::Probability>(counts, totals_, confidence_);
  return result;
}

std::vector<LevelEstimate> HistogramBatches::tails(const std::vector<std::int64_t>& levels) const {
  std::vector<LevelEstimate> result;
  for (const std::int64_t level : levels) result.push_back(tail(level));
  return result;
}

numeric::Estimate<unit::Slot> HistogramBatches::percentile(double fraction) const {
  if (!(fraction > 0 && fraction < 1))
    throw InvalidArgument("percentile", std::to_string(fraction), "above 0 and below 1, as a fraction");
  std::size_t size = 0;
  for (const Histogram& histogram : histograms_) size = std::max(size, histogram.size());
  // P(X > level) decreases, and so do (except for noise) the ends of its interval: the first level that
  // satisfies the condition.
  const auto last = static_cast<std::int64_t>(size);
  std::int64_t low = last, middle = last, high = last;
  std::vector<double> beyond = totals_;  // the level; whole numbers
  for (std::int64_t level = 0; level < last && high == last; ++level) {
    for (std::size_t batch = 0; batch < histograms_.size(); ++batch)
      if (const Histogram& histogram = histograms_[batch]; static_cast<std::size_t>(level) < histogram.size())
        beyond[batch] -= static_cast<double>(histogram[static_cast<std::size_t>(level)]);
    const auto probability = estimate<unit::Probability>(beyond, totals_, confidence_);
    if (probability.lower <= 1 - fraction) low = std::min(low, level);
    if (probability.value <= 1 - fraction) middle = std::min(middle, level);
    if (probability.upper <= 1 - fraction) high = level;
  }
  return {static_cast<double>(middle), static_cast<double>(low), static_cast<double>(high), confidence_};
}

std::optional<double> HistogramBatches::level_at(double probability, std::uint64_t enough) const {
  if (!(probability > 0 && probability < 1))
    throw InvalidArgument("probability", std::to_string(probability), "above 0 and below 1");
  Histogram sum;
  for (const Histogram& histogram : histograms_)
    for (std::size_t i = 0; i < histogram.size(); ++i) count_at(sum, i, histogram[i]);
  const double total = total_count(sum);
  double above = total, before = total;  // values beyond the level, and beyond the one before it
  for (std::size_t level = 0; level < sum.size(); ++level) {
    before = above;
    above -= static_cast<double>(sum[level]);
    if (above >= probability * total) continue;
    if (level == 0 || above < static_cast<double>(enough)) return std::nullopt;
    const double drop = std::log(before / above);
    return static_cast<double>(level) - std::log(probability * total / above) / drop;
  }
  return std::nullopt;
}

double HistogramBatches::all() const {
  return std::accumulate(totals_.begin(), totals_.end(), 0.0);
}

}  // namespace tailbound::sim
