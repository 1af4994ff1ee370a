#include <tailbound/core/error.hpp>
#include <tailbound/core/last_that.hpp>
#include <tailbound/numeric/rational.hpp>
#include <tailbound/numeric/text/plain.hpp>
#include <tailbound/queue/flows/flow_curve.hpp>

#include <algorithm>
#include <numeric>
#include <string>

namespace tailbound::queue {
namespace {

using numeric::Integer;
using numeric::Rational;

/// Maximum number of tokens for which a pattern is sought; otherwise the greedy source is listed as far as
/// needed.
constexpr long max_pattern_tokens = 1 << 22;
constexpr std::int64_t last_window = std::int64_t{1} << 60;

/// floor((first + rate m) / unit) without overflow: rate, unit <= 10^9.
std::int64_t whole_tokens(std::int64_t first, std::int64_t rate, std::int64_t unit, std::int64_t m) {
  return first / unit + rate * (m / unit) + (first % unit + rate * (m % unit)) / unit;
}

}  // namespace

FlowCurve::FlowCurve(const FlowGroup& group) {
  if (group.kind != FlowKind::regulated) {
    step_ = group.batch;
    first_ = unit_ = group.period;
    rate_ = 1;
    lines_.push_back({Rational(group.batch) / Rational(group.period), Rational(group.batch)});
    return;
  }
  const std::vector<traffic::TokenBucket> buckets = traffic::binding(group.buckets);
  // A peak rate of whole packets.
  const auto line = std::find_if(buckets.begin(), buckets.end(), [](const traffic::TokenBucket& bucket) {
    return bucket.rate == bucket.burst && numeric::is_integer(bucket.rate);
  });
  const bool on_line = buckets.size() == 2 && line != buckets.end();
  const auto& deep = buckets[on_line && line == buckets.begin() ? 1 : 0];
  if (buckets.size() == 1)
    read_bucket(deep, std::nullopt);
  else if (on_line && deep.rate < 1)
    read_bucket(deep, *line);
  else
    read_buckets(buckets);
}

void FlowCurve::read_bucket(const traffic::TokenBucket& bucket,
                            const std::optional<traffic::TokenBucket>& line) {
  const Integer common = numeric::lcm(numeric::denominator(bucket.rate), numeric::denominator(bucket.burst));
  unit_ = numeric::to_int64(common);
  rate_ = numeric::to_int64(numeric::numerator(bucket.rate * common));
  first_ = numeric::to_int64(numeric::numerator(bucket.burst * common));
  // Lower bound of the fractional part of b + r m over all m, which is attained.
  const std::int64_t never_used = first_ % std::gcd(rate_, unit_);
  lines_.push_back({bucket.rate, bucket.burst - Rational(never_used) / Rational(unit_)});
  if (!line) return;
  line_ = numeric::to_int64(numeric::numerator(line->rate));
  lines_.push_back(*line);
}

void FlowCurve::read_buckets(const std::vector<traffic::TokenBucket>& buckets) {
  buckets_ = buckets;
  Integer common = 1;
  Rational deepest = 1;
  for (const auto& bucket : buckets) {
    common = numeric::lcm(
        common, numeric::lcm(numeric::denominator(bucket.rate), numeric::denominator(bucket.burst)));
    deepest = std::max(deepest, bucket.burst);
  }
  const auto minimum = std::min_element(buckets.begin(), buckets.end(),
                                        [](const auto& a, const auto& b) { return a.rate < b.rate; });
  lines_.push_back(*minimum);
  if (common <= max_pattern_tokens && deepest <= max_pattern_tokens) {
    try {
      pattern_.emplace(buckets);
      const auto length = static_cast<std::int64_t>(pattern_->cycle().size()),
                 slots = static_cast<std::int64_t>(pattern_->start().size()) + length;
      const std::int64_t a_turn = pattern_->maximum(slots - 1) - pattern_->maximum(slots - 1 - length);
      // The maximum is in the start or the first cycle, as later cycles repeat it.
      std::int64_t spread = 0;
      for (std::int64_t m = 0; m < slots; ++m)
        spread = std::max(spread, pattern_->maximum(m) * length - a_turn * m);
      lines_.front() = {pattern_->rate(), Rational(spread) / Rational(length)};
    } catch (const LimitExceeded&) {
      pattern_.reset();
    }
  }
  for (const auto& bucket : buckets)
    if (bucket.rate != lines_.front().rate) lines_.push_back(bucket);
}

std::int64_t FlowCurve::maximum(std::int64_t m) const {
  if (m < 0) return 0;
  if (unit_ > 0) {
    const std::int64_t packets = step_ * whole_tokens(first_, rate_, unit_, m);
    // min(packets, line (m + 1)) without overflow
    return line_ == 0 || m + 1 > packets / line_ ? packets : line_ * (m + 1);
  }
  if (pattern_) return pattern_->maximum(m);
  const auto listed = static_cast<std::int64_t>(sums_.size());
  if (m >= listed) {
    constexpr std::int64_t max_slots = traffic::GreedyPattern::max_slots;
    if (m >= max_slots)
      throw LimitExceeded("the buckets of rate " + numeric::to_fraction(buckets_.front().rate) + " and " +
                          std::to_string(buckets_.size() - 1) + " others would have to be followed for " +
                          std::to_string(m) + " slots; " + std::to_string(max_slots) + " is the limit");
    sums_ = traffic::greedy_slots(buckets_, std::min(max_slots, std::max<std::int64_t>(1024, 2 * m)));
    std::partial_sum(sums_.begin(), sums_.end(), sums_.begin());
  }
  return sums_[static_cast<std::size_t>(m)];
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
