#pragma once

#include <tailbound/sim/rare/rare_queue.hpp>

#include <functional>

/// What the rare-event simulations of one queue share, whether its sources remember or not.
/// Internal to the sim module.
///
/// SOURCE    docs/derivations/rare_events.md
namespace tailbound::sim {

/// Laws of arrivals are cut where no more than this is left.
constexpr double negligible = 1e-20;

/// The event is met in a slot with Q > bar (before what does not fit is dropped).
[[nodiscard]] std::int64_t event_bar(RareEvent event, std::int64_t level);

/// \throws InvalidArgument  a level outside 1 .. 10^9, for waits 0 .. 10^9
void check_event_level(RareEvent event, std::int64_t level);

/// \throws LimitExceeded  an event whose probability is below 1e-280
void require_in_reach(RareEvent event, std::int64_t level, double exponent);

/// The root above 0 of a convex function that is 0 at 0 and falls there: log z0 of the tilt.
/// \throws NoAnswer       saying `no_root`: none up to 600
/// \throws LimitExceeded  the root is below 1e-9: the load is too close to 1
[[nodiscard]] double positive_root(const std::function<double(double)>& growth, const char* no_root);

/// The probability from batches of cycles.
class CycleSums {
 public:
  CycleSums(RareEvent event, double load);
  /// `numerator`: what the cycles of the batch counted, weighted by the likelihood ratios.
  void add(double numerator, std::uint64_t cycles, std::uint64_t hits, std::uint64_t slots);
  /// \throws NoAnswer  no cycle met the event
  [[nodiscard]] RareQueueEstimate estimate(double confidence) const;

 private:
  RareEvent event_;
  double load_, per_cycle_;
  std::vector<double> numerators_, denominators_;
  RareQueueEstimate sums_;
};

}  // namespace tailbound::sim
