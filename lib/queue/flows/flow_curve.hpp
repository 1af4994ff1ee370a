#pragma once

#include <tailbound/queue/flows/flows.hpp>

#include <cstdint>
#include <vector>

/// Arrival curves: the most that flows send in a window.
///
/// MODEL     as queue/flows/flows.hpp
/// RESULT    alpha(m), the most packets of a flow in m + 1 slots: s (floor(m/T) + 1) of batches; the minimum
///           of floor(b + r m) over its buckets, each with its sustained rate and depth (traffic::sustained).
/// SOURCE    docs/derivations/policed_traffic.md, section 1
/// TESTS     tests/queue/flows/never_exceeded_test.cpp
/// Internal to the queue module.
namespace tailbound::queue {

/// For one flow of a group.
class FlowCurve {
 public:
  /// \throws InvalidArgument  as check_flows()
  explicit FlowCurve(const FlowGroup& group);

  /// alpha(m); 0 for m = -1. For regulated flows whose rate() is below 1.
  [[nodiscard]] std::int64_t maximum(std::int64_t m) const;
  /// The first slot after `m` in which the greedy source sends.
  [[nodiscard]] std::int64_t next_sent(std::int64_t m) const;
  /// Long-run rate that is let through [packets/slot], and the smallest spread: alpha(m) <= spread + rate m.
  [[nodiscard]] const numeric::Rational& rate() const { return lines_.front().rate; }
  [[nodiscard]] const numeric::Rational& spread() const { return lines_.front().burst; }
  /// alpha(m) <= burst + rate m for each of these; rate() and spread() are the first.
  [[nodiscard]] const std::vector<traffic::TokenBucket>& lines() const { return lines_; }

 private:
  /// whole m + floor((first + rate m) / unit), rate < unit; from m = `until` on the first limit is no higher.
  struct Limit {
    std::int64_t first, whole, rate, unit, until;
    [[nodiscard]] std::int64_t at(std::int64_t m) const;
  };
  void add(const traffic::TokenBucket& bucket);

  /// alpha(m) = step times the minimum of these at m.
  std::int64_t step_ = 1;
  std::vector<Limit> limits_;
  std::vector<traffic::TokenBucket> lines_;
};

/// For all groups together.
class FlowCurves {
 public:
  /// \throws InvalidArgument  as check_flows()  \throws Unstable  load >= 1
  explicit FlowCurves(const std::vector<FlowGroup>& groups);

  [[nodiscard]] const FlowCurve& operator[](std::size_t group) const { return curves_[group]; }
  [[nodiscard]] const numeric::Rational& load() const { return load_; }
  /// The sum of all alpha(m).
  [[nodiscard]] std::int64_t maximum(std::int64_t m) const;
  /// The sum of the lines at m, less m: at least maximum(m) - m, and concave.
  [[nodiscard]] numeric::Rational above(std::int64_t m) const;
  /// Where above() is largest.
  [[nodiscard]] std::int64_t peak() const { return peak_; }
  /// The last m with above(m) > level, -1 if there is none: later windows cannot bring more than level + m
  /// packets.
  [[nodiscard]] std::int64_t last_above(std::int64_t level) const;
  /// The first one.
  [[nodiscard]] std::int64_t first_above(std::int64_t level) const;
  /// The first slot after `m` in which one of the greedy sources sends.
  [[nodiscard]] std::int64_t next_sent(std::int64_t m) const;

 private:
  std::vector<std::int64_t> counts_;
  std::vector<FlowCurve> curves_;
  numeric::Rational load_;
  std::int64_t peak_ = 0;
};

}  // namespace tailbound::queue
