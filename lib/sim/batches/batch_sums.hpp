#pragma once

#include <tailbound/sim/batches/batch_means.hpp>
#include <tailbound/sim/batches/batched_run.hpp>
#include <tailbound/sim/batches/histogram_batches.hpp>

#include <functional>
#include <numeric>
#include <optional>

/// Sums of the counts of every batch, and ratios of two sums with intervals. Internal to the sim module.
namespace tailbound::sim {

class BatchSums {
 public:
  using Sum = std::function<double(const Counts&)>;

  BatchSums(const RunResult& result, double confidence) : counts_(result.all()), confidence_(confidence) {}

  /// Nothing if the denominators are all 0.
  template <class Unit>
  [[nodiscard]] std::optional<numeric::Estimate<Unit>> ratio(const Sum& above, const Sum& below) const {
    const std::vector<double> numerators = each(above), denominators = each(below);
    if (std::accumulate(denominators.begin(), denominators.end(), 0.0) <= 0) return std::nullopt;
    return estimate<Unit>(numerators, denominators, confidence_);
  }
  [[nodiscard]] std::vector<double> each(const Sum& sum) const {
    std::vector<double> values;
    for (const Counts* counts : counts_) values.push_back(sum(*counts));
    return values;
  }
  [[nodiscard]] double total(const Sum& sum) const {
    const std::vector<double> values = each(sum);
    return std::accumulate(values.begin(), values.end(), 0.0);
  }
  [[nodiscard]] std::size_t size() const { return counts_.size(); }
  /// The histogram in a row.
  [[nodiscard]] HistogramBatches histogram(std::size_t row) const {
    return {counts_, [row](const Counts& counts) { return counts[row]; }, confidence_};
  }

  /// The count in `row` and `column`, over `unit`.
  [[nodiscard]] static Sum at(std::size_t row, std::size_t column, double unit = 1) {
    return [=](const Counts& counts) { return static_cast<double>(counts[row][column]) / unit; };
  }

 private:
  std::vector<const Counts*> counts_;
  double confidence_;
};

}  // namespace tailbound::sim
