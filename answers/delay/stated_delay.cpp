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
constexpr std::int64_t max_extrapolated = 1'000'000'000, max_convolved = 4096;

StatedSlotProbability stated_level(const bounds::ClaimedSlotProbability& level, const DelaySteps& steps) {
  return {Slots(level.slots.value * steps.per_tick), stated(level.probability)};
}

std::vector<StatedPercentile> stated_percentiles(const std::vector<bounds::ClaimedPercentile>& claims,
                                                 const DelaySteps& steps) {
  std::vector<StatedPercentile> result;
  for (const bounds::ClaimedPercentile& claim : claims) {
    StatedPercentile& each = result.emplace_back();
    each.probability = claim.probability;
    each.at = stated_level(claim.at, steps);
    each.slots = each.at.slots;
    for (const auto& before : claim.before)
      if (steps.are_slots()) each.before.push_back(stated_level(before, steps));
  }
  return result;
}

/// In slots. Where ticks are not slots, only delays without any wait are exact.
Stated<unit::Slot> stated_mean(const numeric::Claim<unit::Slot>& ticks, const DelaySteps& steps) {
  if (steps.are_slots()) return stated(ticks);
  if (const auto* exact = std::get_if<numeric::Exact<unit::Slot>>(&ticks))
    return numeric::Exact<unit::Slot>{exact->proof(), exact->value / steps.ticks_per_slot()};
  const auto& computed = std::get<numeric::Approximation<unit::Slot>>(ticks);
  return numeric::Approximation<unit::Slot>{numeric::Real(computed.value / steps.ticks_per_slot()),
                                            computed.agreed_digits};
}

numeric::Estimate<unit::Slot> in_slots(const numeric::Estimate<unit::Slot>& steps, std::int64_t per_slot) {
  const auto slot = static_cast<double>(per_slot);
  return {steps.value / slot, steps.lower / slot, steps.upper / slot, steps.confidence};
}

/// Half-width relative to the value.
double relative_error(const TailEstimate& estimate) {
  return (estimate.upper - estimate.lower) / 2 / estimate.value;
}

Slots whole(double t) {
  return Slots(std::llround(t));
}

}  // namespace

std::vector<Slots> DelaySteps::of_slots(std::vector<Slots> levels) const {
  for (Slots& level : levels) level = Slots(level.value * per_slot);
  return levels;
}

std::vector<Slots> DelaySteps::in_ticks(std::vector<Slots> levels) const {
  for (Slots& level : levels) level = Slots(level.value / per_tick);
  return levels;
}

StatedDelay stated(const bounds::ClaimedDelayAnswer& claims, const DelaySteps& steps) {
  StatedDelay result{{},
                     stated_percentiles(claims.queueing, steps),
                     stated_percentiles(claims.latency, steps),
                     stated_mean(claims.mean_queueing, steps),
                     stated_mean(claims.mean_latency, steps)};
  for (const auto& above : claims.above) result.above.push_back(stated_level(above, steps));
  return result;
}

ExtendedTail::ExtendedTail(const SeenTimes& seen, const ConvolvedTail& convolved, double shift,
                           std::int64_t stride)
    : seen_(seen), convolved_(convolved), shift_(shift), stride_(stride) {
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

std::optional<double> ExtendedTail::log_convolved(std::int64_t strides) {
  const auto wanted = static_cast<std::size_t>(strides);
  while (!ended_ && logs_.size() <= wanted) {
    std::vector<Slots> levels;
    const std::size_t first = logs_.size();
    const auto last = std::min<std::int64_t>(std::max<std::int64_t>(64, 2 * static_cast<std::int64_t>(first)),
                                             max_convolved);
    for (auto i = static_cast<std::int64_t>(first); i <= last; ++i)
      levels.push_back(whole(std::max(0.0, from_ - shift_) + static_cast<double>(i * stride_)));
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
  const double by_decay = at_.value * std::exp(-decay_ * static_cast<double>(steps));
  if (!power_) return by_decay;
  const double strides = static_cast<double>(steps) / static_cast<double>(stride_),
               floor = std::floor(strides);
  if (const auto high = log_convolved(static_cast<std::int64_t>(std::ceil(strides)))) {
    const double low = logs_[static_cast<std::size_t>(floor)];
    return at_.value * std::exp(*power_ * (low + (strides - floor) * (*high - low) - logs_.front()));
  }
  if (logs_.size() < 2) return by_decay;
  // As it falls at its end.
  const std::size_t last = logs_.size() - 1, before = last - std::min<std::size_t>(last, 8);
  const double slope = (logs_[before] - logs_[last]) / static_cast<double>(last - before);
  return at_.value *
         std::exp(*power_ * (logs_[last] - logs_.front() - slope * (strides - static_cast<double>(last))));
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
    if (high > max_extrapolated) throw LimitExceeded("a percentile lies beyond 10^9 packet times");
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

/// \param minimum  delay [steps]; none: no level before a percentile is requested
std::vector<StatedPercentile> percentiles_of(ExtendedTail& tail, const std::vector<Rational>& requested,
                                             std::optional<double> minimum) {
  std::vector<StatedPercentile> result;
  for (const Rational& p : requested) {
    const ExtendedTail::Percentile found = tail.percentile(exceeded_by(p));
    StatedPercentile& each = result.emplace_back();
    each.probability = p;
    each.slots = whole(found.t);
    each.at = {each.slots, tail.above(found.t)};
    if (minimum && found.t > *minimum) each.before = {{each.slots - Slots(1), tail.above(found.t - 1)}};
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
  // Models of links of different speeds have steps of their own, of up to a slot.
  const std::int64_t steps = simulated.steps();
  ExtendedTail wait(waits, convolved, 0, steps), latency(latencies, convolved, longest, steps);
  const auto before = [steps](double minimum) { return steps == 1 ? std::optional(minimum) : std::nullopt; };
  StatedDelay result{{},
                     percentiles_of(wait, requested.percentiles, before(0)),
                     percentiles_of(latency, requested.percentiles, before(shortest)),
                     in_slots(waits.mean(), steps),
                     in_slots(latencies.mean(), steps)};
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
  const double step_ns = numeric::nearest_double(slot) / static_cast<double>(simulated.steps());
  for (SeenRow& row : rows) row.transfer += row.queues * numeric::nearest_double(hop) / step_ns;
  const SeenTimes latencies = simulated.seen(rows, true);
  ExtendedTail tail(latencies, convolved, transfers(rows).first, simulated.steps());
  const numeric::Estimate<unit::Slot> mean = latencies.mean();
  SimulatedTimes times{{mean.value * step_ns, mean.lower * step_ns, mean.upper * step_ns, mean.confidence},
                       {}};
  for (const Rational& p : percentiles)
    times.percentiles.push_back(
        Rational(std::llround(tail.percentile(exceeded_by(p)).t * step_ns * parts_of_ns)) /
        static_cast<std::int64_t>(parts_of_ns));
  return times;
}

}  // namespace tailbound::answers
