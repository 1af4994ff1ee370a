#include <tailbound/core/error.hpp>
#include <tailbound/core/last_that.hpp>
#include <tailbound/numeric/rational.hpp>
#include <tailbound/numeric/text/plain.hpp>
#include <tailbound/queue/flows/flow_curve.hpp>

#include <algorithm>
#include <numeric>
#include <optional>

namespace tailbound::queue {
namespace {

using numeric::Integer;
using numeric::Rational;

constexpr std::int64_t last_window = std::int64_t{1} << 60;

}  // namespace

FlowCurve::FlowCurve(const FlowGroup& group) {
  if (group.kind != FlowKind::regulated) {
    step_ = group.batch;
    limits_.push_back(
        {.first = group.period, .whole = 0, .rate = 1, .unit = group.period, .until = last_window});
    lines_.push_back({Rational(group.batch) / Rational(group.period), Rational(group.batch)});
    return;
  }
  std::vector<traffic::TokenBucket> buckets = traffic::binding(group.buckets);
  std::sort(buckets.begin(), buckets.end(), [](const auto& a, const auto& b) { return a.rate < b.rate; });
  for (const traffic::TokenBucket& bucket : buckets) add(bucket);
}

void FlowCurve::add(const traffic::TokenBucket& bucket) {
  const Integer common = numeric::lcm(numeric::denominator(bucket.rate), numeric::denominator(bucket.burst));
  const Integer whole = numeric::floor(bucket.rate);
  Limit limit{.first = numeric::to_int64(numeric::numerator(bucket.burst * common)),
              .whole = numeric::to_int64(whole),
              .rate = numeric::to_int64(numeric::numerator((bucket.rate - whole) * common)),
              .unit = numeric::to_int64(common),
              .until = last_window};
  // Lower bound of the fractional part of b + r m over all m, which is attained.
  const std::int64_t never_used = limit.first % std::gcd(limit.rate, limit.unit);
  lines_.push_back({bucket.rate, bucket.burst - Rational(never_used) / Rational(limit.unit)});
  if (lines_.size() > 1) {
    const Rational meet = (spread() - lines_.back().burst) / (bucket.rate - rate());
    if (meet < last_window) limit.until = numeric::to_int64(numeric::ceiling(meet));
  }
  limits_.push_back(limit);
}

/// Without overflow: rate < unit <= 10^9.
std::int64_t FlowCurve::Limit::at(std::int64_t m) const {
  return whole * m + first / unit + rate * (m / unit) + (first % unit + rate * (m % unit)) / unit;
}

std::int64_t FlowCurve::maximum(std::int64_t m) const {
  if (m < 0) return 0;
  std::int64_t packets = limits_.front().at(m);
  for (const Limit& limit : limits_)
    if (m < limit.until) packets = std::min(packets, limit.at(m));
  return step_ * packets;
}

std::int64_t FlowCurve::next_sent(std::int64_t m) const {
  const std::int64_t now = maximum(m);
  return 1 + last_that(m + 1, last_window - 1, [&](std::int64_t at) { return maximum(at) == now; });
}

FlowCurves::FlowCurves(const std::vector<FlowGroup>& groups) {
  check_flows(groups);
  std::vector<std::int64_t> corners{0};
  for (const FlowGroup& group : groups) {
    counts_.push_back(group.count);
    curves_.emplace_back(group);
    load_ = load_ + Rational(group.count) * curves_.back().rate();
    const auto& lines = curves_.back().lines();
    for (const auto& one : lines)
      for (const auto& other : lines) {
        if (other.rate <= one.rate || other.burst >= one.burst) continue;
        const Rational meet = (one.burst - other.burst) / (other.rate - one.rate);
        const std::int64_t corner =
            meet < Rational(last_window) ? numeric::to_int64(numeric::floor(meet)) : last_window;
        corners.insert(corners.end(), {corner, corner + 1});
      }
  }
  if (load_ >= 1) throw Unstable(numeric::plain(load_));
  Rational largest = above(0);
  for (const std::int64_t corner : corners)
    if (const Rational here = above(corner); here > largest) {
      largest = here;
      peak_ = corner;
    }
}

std::int64_t FlowCurves::maximum(std::int64_t m) const {
  std::int64_t sum = 0;
  for (std::size_t i = 0; i < curves_.size(); ++i) sum += counts_[i] * curves_[i].maximum(m);
  return sum;
}

Rational FlowCurves::above(std::int64_t m) const {
  Rational sum = Rational(-m);
  for (std::size_t i = 0; i < curves_.size(); ++i) {
    std::optional<Rational> minimum;
    for (const auto& line : curves_[i].lines()) {
      const Rational here = line.burst + line.rate * Rational(m);
      if (!minimum || here < *minimum) minimum = here;
    }
    sum = sum + Rational(counts_[i]) * *minimum;
  }
  return sum;
}

std::int64_t FlowCurves::last_above(std::int64_t level) const {
  const Rational bar = Rational(level);
  if (above(peak_) <= bar) return -1;
  const std::int64_t last =
      last_that(peak_ + 1, last_window + 1, [&](std::int64_t m) { return above(m) > bar; });
  if (last > last_window)
    throw LimitExceeded("windows of more than 2^60 slots would matter at a load of " +
                        numeric::to_fraction(load_));
  return last;
}

std::int64_t FlowCurves::first_above(std::int64_t level) const {
  const Rational bar = Rational(level);
  if (above(0) > bar || above(peak_) <= bar) return 0;
  return first_that(std::int64_t{1}, peak_, [&](std::int64_t m) { return above(m) > bar; });
}

std::int64_t FlowCurves::next_sent(std::int64_t m) const {
  std::int64_t next = last_window;
  for (const FlowCurve& curve : curves_) next = std::min(next, curve.next_sent(m));
  return next;
}

}  // namespace tailbound::queue
