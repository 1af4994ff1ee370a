#pragma once

#include <tailbound/sim/rare/rare_queue.hpp>

#include <functional>

/// Shared by the rare-event simulations of one queue, with and without bursty sources.
/// Internal to the sim module.
///
/// SOURCE    docs/derivations/rare_events.md
namespace tailbound::sim {

/// Distributions of arrivals are truncated where the rest is at most this.
constexpr double negligible = 1e-20;

/// The event is reached in a slot with Q > bar (before excess packets are dropped).
[[nodiscard]] std::int64_t event_bar(RareEvent event, std::int64_t level);

/// \throws InvalidArgument  a level outside 1 .. 10^9, for waits 0 .. 10^9
void check_event_level(RareEvent event, std::int64_t level);

/// \throws LimitExceeded  an event whose probability is below 1e-280
void require_in_reach(RareEvent event, std::int64_t level, double exponent);

/// The positive root of a convex function that is 0 and decreasing at 0: log z0 of the tilt.
/// \throws NoAnswer       with the text `no_root`: no root up to 600
/// \throws LimitExceeded  the root is below 1e-9: the load is too close to 1
[[nodiscard]] double positive_root(const std::function<double(double)>& growth, const char* no_root);

/// The probability from batches of cycles.
class CycleSums {
 public:
  CycleSums(RareEvent event, double load);
  /// `numerator`: the counts of the cycles of the batch, weighted by the likelihood ratios.
  void add(double numerator, std::uint64_t cycles, std::uint64_t hits, std::uint64_t slots);
  /// \throws NoAnswer  no cycle reached the event
  [[nodiscard]] RareQueueEstimate estimate(double confidence) const;

 private:
  RareEvent event_;
  double load_, per_cycle_;
  std::vector<double> numerators_, denominators_;
  RareQueueEstimate sums_;
};

}  // namespace tailbound::sim
