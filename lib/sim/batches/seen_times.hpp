#pragma once

#include <tailbound/core/quantity.hpp>
#include <tailbound/numeric/truth.hpp>
#include <tailbound/sim/batches/replication.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

/// Times of simulated packets, as counted by a run: means, tails and percentiles with intervals.
///
/// MODEL     packets are counted by their waits, in one row of the counts for each transfer time: their
///           latency is both together. Times are in one unit, that of `wait_of`.
/// RESULT    estimates from batches (sim/batches/batch_means.hpp).
/// TESTS     tests/sim/seen_times_test.cpp
namespace tailbound::sim {

/// A row of the counts: packets that took equally long apart from their waits.
struct SeenRow {
  std::size_t row = 0;
  double transfer = 0;  ///< of their latency, what is not waiting
  double queues = 0;    ///< passed
  double packets = 1;   ///< fraction of the packets that is counted for this answer
};

class SeenTimes {
 public:
  /// \param batches  two or more
  /// \param wait_of  position in a row -> the wait that is counted there, strictly increasing
  /// \param average_of  the same, of their mean; default: wait_of
  /// \param latency  with the transfer times, otherwise the waits alone
  SeenTimes(const std::vector<const Counts*>& batches, const std::vector<SeenRow>& rows,
            const std::function<double(std::size_t)>& wait_of, bool latency,
            const std::function<double(std::size_t)>& average_of = {});

  [[nodiscard]] bool any() const { return !times_.empty(); }
  [[nodiscard]] double packets() const;
  /// The times that were counted, ascending.
  [[nodiscard]] const std::vector<double>& times() const { return times_; }
  /// P(X > t).  \pre any()
  [[nodiscard]] numeric::Estimate<unit::Probability> tail(double t, double confidence = 0.95) const;
  /// Packets with X > t.
  [[nodiscard]] std::uint64_t count(double t) const;
  [[nodiscard]] numeric::Estimate<unit::Slot> mean(double confidence = 0.95) const;

  /// Smallest counted t with P(X <= t) >= p, with the t at which the ends of the interval reach p.
  struct Percentile {
    double t = 0;
    std::optional<double> at_least{}, at_most{};  ///< none: beyond what was counted
  };
  /// \param exceeded  1 - p;  none if p is beyond what was counted
  [[nodiscard]] std::optional<Percentile> percentile(double exceeded, double confidence = 0.95) const;

  /// Relative half-width of an interval of 95 % up to which a probability is known.
  static constexpr double resolved_to = 0.2;
  [[nodiscard]] static bool is_resolved(const numeric::Estimate<unit::Probability>& tail,
                                        double to = resolved_to);
  /// The longest t for which P(X > t) is.
  [[nodiscard]] std::optional<double> deepest_resolved(double known_to = resolved_to) const;

 private:
  /// Position of the last time that is at most t; none if t is below all of them.
  [[nodiscard]] std::optional<std::size_t> position(double t) const;
  [[nodiscard]] numeric::Estimate<unit::Probability> tail_at(std::size_t position, double confidence) const;

  std::vector<double> times_;
  std::vector<std::vector<double>> beyond_;  ///< [batch][position]: packets with longer times
  std::vector<double> packets_, sums_;       ///< [batch]
};

}  // namespace tailbound::sim
