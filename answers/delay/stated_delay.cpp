#include <tailbound/answers/delay/stated_delay.hpp>
#include <tailbound/core/error.hpp>
#include <tailbound/numeric/rational.hpp>

#include <algorithm>
#include <cmath>

namespace tailbound::answers {
namespace {

using numeric::Rational;
using TailEstimate = numeric::Estimate<unit::Probability>;

/// The part of the tail before the anchor from which its decay is taken, as a factor, and where it begins at
/// most.
constexpr double decades = 100, bulk = 0.5;
/// Relative half-width of the interval of the anchor.
constexpr double anchored_to = 0.4;
/// Beyond these powers the convolved tail is not used.
constexpr double min_power = 0.4, max_power = 2.5;
constexpr std::int64_t max_extrapolated = 10'000'000, max_convolved = 4096;

StatedSlotProbability stated_level(const bounds::ClaimedSlotProbability& level) {
  return {level.slots, stated(level.probability)};
}

std::vector<StatedPercentile> stated_percentiles(const std::vector<bounds::ClaimedPercentile>& claims) {
  std::vector<StatedPercentile> result;
  for (const bounds::ClaimedPercentile& claim : claims) {
    StatedPercentile& each = result.emplace_back();
    each.probability = claim.probability;
    each.slots = claim.slots;
    each.at = stated_level(claim.at);
    for (const auto& before : claim.before) each.before.push_back(stated_level(before));
  }
  return result;
}

/// Half-width relative to the value.
double relative_error(const TailEstimate& estimate) {
  return (estimate.upper - estimate.lower) / 2 / estimate.value;
}

Slots whole(double t) {
  return Slots(std::llround(t));
}

}  // namespace

StatedDelay stated(const bounds::ClaimedDelayAnswer& claims) {
  StatedDelay result{{},
                     stated_percentiles(claims.queueing),
                     stated_percentiles(claims.latency),
                     stated(claims.mean_queueing),
                     stated(claims.mean_latency)};
  for (const auto& above : claims.above) result.above.push_back(stated_level(above));
  return result;
}

ExtendedTail::ExtendedTail(const SeenTimes& seen, const ConvolvedTail& convolved, double shift)
    : seen_(seen), convolved_(convolved), shift_(shift) {
  const std::vector<double>& times = seen.times();
  from_ = seen.deepest_resolved(anchored_to).value_or(times.front());
  at_ = seen.tail(from_);
  if (at_.value == 0) at_.value = at_.upper;  // nothing was seen there: what may have been missed
  double first = from_;
  TailEstimate begin = at_;
  for (const double t : times) {
    const TailEstimate tail = seen.tail(t);
    if (tail.value > std::min(decades * at_.value, bulk)) continue;
    if (t < from_) {
      first = t;
      begin = tail;
    }
    break;
  }
  const double fall = std::log(begin.value / at_.value);
  decay_ = fall > 0 ? fall / (from_ - first) : -std::log(std::min(at_.value, bulk)) / (from_ - shift_ + 1);
  const double until = std::max(0.0, from_ - shift_), since = std::max(0.0, first - shift_);
  const auto known = convolved_ ? convolved_({whole(since), whole(until)}) : std::nullopt;
  if (!known || !((*known)[0] > 0 && (*known)[1] > 0)) return;
  power_ = 1;
  const double convolved_fall = std::log((*known)[0] / (*known)[1]);
  if (fall <= bulk || convolved_fall <= 0) return;
  const double power = fall / convolved_fall, error = (relative_error(begin) + relative_error(at_)) / fall;
  if (std::abs(power - 1) > error) power_ = power;
  if (power < min_power || power > max_power) power_.reset();
}

std::optional<double> ExtendedTail::log_convolved(std::int64_t steps) {
  const auto wanted = static_cast<std::size_t>(steps);
  while (!ended_ && logs_.size() <= wanted) {
    std::vector<Slots> levels;
    const std::size_t first = logs_.size();
    const auto last = std::min<std::int64_t>(std::max<std::int64_t>(64, 2 * static_cast<std::int64_t>(first)),
                                             max_convolved);
    for (auto i = static_cast<std::int64_t>(first); i <= last; ++i)
      levels.push_back(whole(std::max(0.0, from_ - shift_) + static_cast<double>(i)));
    const auto found = levels.empty() ? std::nullopt : convolved_(levels);
    ended_ = !found;
    if (!found) break;
    for (const double tail : *found) {
      ended_ = !(tail > 0);
      if (ended_) break;
      logs_.push_back(std::log(tail));
    }
  }
  return wanted < logs_.size() ? std::optional(logs_[wanted]) : std::nullopt;
}

double ExtendedTail::beyond(std::int64_t steps) {
  if (!power_) return at_.value * std::exp(-decay_ * static_cast<double>(steps));
  if (const auto log = log_convolved(steps)) return at_.value * std::exp(*power_ * (*log - logs_.front()));
  if (logs_.size() < 2) return at_.value * std::exp(-decay_ * static_cast<double>(steps));
  // As it falls at its end.
  const std::size_t last = logs_.size() - 1, before = last - std::min<std::size_t>(last, 8);
  const double slope = (logs_[before] - logs_[last]) / static_cast<double>(last - before);
  return at_.value * std::exp(*power_ * (logs_[last] - logs_.front() -
                                         slope * (static_cast<double>(steps) - static_cast<double>(last))));
}

Stated<unit::Probability> ExtendedTail::above(double t) {
  if (t <= from_) return seen_.tail(t);
  return numeric::Model<unit::Probability>{beyond(static_cast<std::int64_t>(std::floor(t - from_)))};
}

ExtendedTail::Percentile ExtendedTail::percentile(double exceeded) {
  if (exceeded >= at_.value) {
    const auto found = seen_.percentile(exceeded);
    return {found->t, found->at_least, found->at_most};
  }
  std::int64_t low = 0, high = 1;  // above at `low`, at most at `high`
  while (beyond(high) > exceeded) {
    low = high;
    high *= 2;
    if (high > max_extrapolated) throw LimitExceeded("a percentile lies beyond 10000000 slots");
  }
  while (high - low > 1) {
    const std::int64_t middle = low + (high - low) / 2;
    (beyond(middle) > exceeded ? low : high) = middle;
  }
  return {from_ + static_cast<double>(high), std::nullopt, std::nullopt};
}

DelayAnchor ExtendedTail::anchor() const {
  return {whole(from_), at_, power_};
}

namespace {

std::optional<Slots> whole(const std::optional<double>& t) {
  return t ? std::optional(whole(*t)) : std::nullopt;
}

double exceeded_by(const Rational& percentile) {
  return numeric::nearest_double(Rational(1 - percentile));
}

std::vector<StatedPercentile> percentiles_of(ExtendedTail& tail, const std::vector<Rational>& requested,
                                             double minimum) {
  std::vector<StatedPercentile> result;
  for (const Rational& p : requested) {
    const ExtendedTail::Percentile found = tail.percentile(exceeded_by(p));
    StatedPercentile& each = result.emplace_back();
    each.probability = p;
    each.slots = whole(found.t);
    each.at = {each.slots, tail.above(found.t)};
    if (found.t > minimum) each.before = {{each.slots - Slots(1), tail.above(found.t - 1)}};
    each.at_least = whole(found.at_least);
    each.at_most = whole(found.at_most);
  }
  return result;
}

/// The longest transfer of a notable part of the packets, and the shortest.
std::pair<double, double> transfers(const std::vector<SeenRow>& rows) {
  double longest = 0, shortest = rows.front().transfer;
  for (const SeenRow& row : rows) {
    longest = std::max(longest, row.transfer);
    shortest = std::min(shortest, row.transfer);
  }
  return {longest, shortest};
}

}  // namespace

StatedDelay simulated_delay(const SimulatedDelays& simulated, std::optional<std::size_t> group,
                            const DelayLevels& requested, const ConvolvedTail& convolved,
                            DelayAnchor& anchor) {
  const SeenTimes waits = simulated.waits(group), latencies = simulated.latencies(group);
  const auto [longest, shortest] = transfers(simulated.rows(group));
  ExtendedTail wait(waits, convolved, 0), latency(latencies, convolved, longest);
  StatedDelay result{{},
                     percentiles_of(wait, requested.percentiles, 0),
                     percentiles_of(latency, requested.percentiles, shortest),
                     waits.mean(),
                     latencies.mean()};
  for (const Slots level : requested.levels)
    result.above.push_back({level, wait.above(static_cast<double>(level.value))});
  anchor = wait.anchor();
  return result;
}

SimulatedTimes simulated_latency_ns(const SimulatedDelays& simulated, std::optional<std::size_t> group,
                                    const std::vector<Rational>& percentiles, const ConvolvedTail& convolved,
                                    const Rational& slot, const Rational& hop) {
  constexpr double parts_of_ns = 1e6;
  std::vector<SeenRow> rows = simulated.rows(group);
  const double slot_ns = numeric::nearest_double(slot);
  for (SeenRow& row : rows) row.transfer *= 1 + numeric::nearest_double(hop) / slot_ns;
  const SeenTimes latencies = simulated.seen(rows, true);
  ExtendedTail tail(latencies, convolved, transfers(rows).first);
  const numeric::Estimate<unit::Slot> mean = latencies.mean();
  SimulatedTimes times{{mean.value * slot_ns, mean.lower * slot_ns, mean.upper * slot_ns, mean.confidence},
                       {}};
  for (const Rational& p : percentiles)
    times.percentiles.push_back(
        Rational(std::llround(tail.percentile(exceeded_by(p)).t * slot_ns * parts_of_ns)) /
        static_cast<std::int64_t>(parts_of_ns));
  return times;
}

}  // namespace tailbound::answers
