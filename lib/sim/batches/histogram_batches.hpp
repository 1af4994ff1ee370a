#pragma once

#include <tailbound/core/quantity.hpp>
#include <tailbound/sim/batches/batch_means.hpp>
#include <tailbound/sim/batches/replication.hpp>

#include <functional>
#include <optional>

/// Tails, means and percentiles from one histogram per batch.
namespace tailbound::sim {

using Histogram = std::vector<std::uint64_t>;  ///< [value]: number of occurrences

struct LevelEstimate {
  std::int64_t level = 0;
  numeric::Estimate<unit::Probability> probability;  ///< P(X > level)
  std::uint64_t count = 0;                           ///< number of times X > level was seen
};

[[nodiscard]] double total_count(const Histogram& histogram);

class HistogramBatches {
 public:
  /// \param of  selects the histogram in a batch's counts
  HistogramBatches(const std::vector<const Counts*>& counts,
                   const std::function<Histogram(const Counts&)>& of, double confidence);

  /// P(X > level)
  /// \throws InvalidArgument  level < 0; nothing was counted
  [[nodiscard]] LevelEstimate tail(std::int64_t level) const;
  [[nodiscard]] std::vector<LevelEstimate> tails(const std::vector<std::int64_t>& levels) const;
  template <class Unit>
  [[nodiscard]] numeric::Estimate<Unit> mean() const {
    return estimate<Unit>(weighted_, totals_, confidence_);
  }
  /// The smallest t with P(X <= t) >= fraction; its interval follows from the ends of the intervals of P(X >
  /// t).
  [[nodiscard]] numeric::Estimate<unit::Slot> percentile(double fraction) const;
  /// The level, between whole ones, at which P(X > level) has the given value: ln P is interpolated linearly.
  /// None where P(X > 0) is below it, and where fewer than `enough` values beyond were counted.
  [[nodiscard]] std::optional<double> level_at(double probability, std::uint64_t enough = 1) const;
  /// Values counted in all batches.
  [[nodiscard]] double all() const;

 private:
  double confidence_;
  std::vector<Histogram> histograms_;
  std::vector<double> totals_, weighted_;
};

}  // namespace tailbound::sim
