#include <tailbound/answers/latency_ns.hpp>
#include <tailbound/core/error.hpp>
#include <tailbound/numeric/rational.hpp>

#include <algorithm>
#include <map>
#include <utility>
#include <variant>

namespace tailbound::answers {
namespace {

using bounds::Route;
using numeric::Rational;

constexpr std::int64_t max_timed_slots = 1'000'000;

/// The ends of a probability.
struct TailEnds {
  Rational lower, upper;
};

TailEnds ends_of_tail(const numeric::Claim<unit::Probability>& claim) {
  if (const auto* exact = std::get_if<numeric::Exact<unit::Probability>>(&claim))
    return {exact->value, exact->value};
  if (const auto* enclosure = std::get_if<numeric::Enclosure<unit::Probability>>(&claim))
    return {numeric::to_rational(enclosure->lower()), numeric::to_rational(enclosure->upper())};
  if (const auto* bound = std::get_if<numeric::UpperBound<unit::Probability>>(&claim))
    return {numeric::to_rational(bound->value), numeric::to_rational(bound->value)};
  const Rational value =
      numeric::to_rational(std::get<numeric::Approximation<unit::Probability>>(claim).value);
  return {value, value};
}

/// Packets with the same minimum latency.
struct Length {
  Rational share, minimum;         ///< of the packets; their minimum latency, without queueing [ns]
  std::vector<Slots> percentiles;  ///< of their D
  std::vector<TailEnds> above;     ///< P(D > t), t = 0, 1, ..
};

class Mixture {
 public:
  Mixture(const std::vector<Route>& routes, const std::vector<Rational>& percentiles,
          bounds::DelayLaw& delays, const SlotTime& time)
      : slot_(time.slot) {
    std::map<Rational, std::vector<Route>> by_length;
    for (const Route& route : routes) by_length[time.minimum(route)].push_back(route);
    for (auto& [minimum, its] : by_length) {
      Length& length = lengths_.emplace_back();
      length.minimum = minimum;
      for (const Route& route : its) length.share = length.share + route.share;
      for (Route& route : its) route.share = route.share / length.share;
      for (const auto& percentile : delays.claims(its, {.levels = {}, .percentiles = percentiles}).queueing)
        length.percentiles.push_back(percentile.slots);
    }
    // No percentile of the mixture exceeds those of all its parts.
    Rational last = 0;
    for (const Length& length : lengths_)
      for (const Slots slots : length.percentiles)
        last = std::max<Rational>(last, length.minimum + Rational(slots.value) * slot_);
    std::size_t i = 0;
    for (const auto& [minimum, its] : by_length) {
      Length& length = lengths_[i++];
      bounds::DelayQuery query;
      for (std::int64_t t = 0; t <= slots_until(length, last); ++t) query.levels.emplace_back(t);
      for (const auto& above : delays.claims(its, query).above)
        length.above.push_back(ends_of_tail(above.probability));
    }
  }

  /// The minimum time with P(latency > time) <= `exceeded`.
  [[nodiscard]] Rational percentile(const Rational& exceeded) const {
    const Rational safe = min_time(exceeded, &TailEnds::upper);
    if (min_time(exceeded, &TailEnds::lower) != safe)
      throw LimitExceeded(
          "a probability of the latency is too close to a percentile to be distinguished from it");
    return safe;
  }

 private:
  /// Integer slots of queueing until that time; limited to the legal maximum.
  [[nodiscard]] std::int64_t slots_until(const Length& length, const Rational& time) const {
    const numeric::Integer slots = numeric::floor((time - length.minimum) / slot_);
    if (slots > max_timed_slots)
      throw LimitExceeded(
          "latencies in ns on routes of different lengths are computed to 1000000 slots of queueing");
    return numeric::to_int64(slots);
  }

  [[nodiscard]] Rational above(const Rational& time, Rational TailEnds::*end) const {
    Rational sum = 0;
    for (const Length& length : lengths_) {
      if (time < length.minimum) {
        sum = sum + length.share;
        continue;
      }
      const auto t = static_cast<std::size_t>(slots_until(length, time));
      sum = sum + length.share * (length.above[std::min(t, length.above.size() - 1)].*end);
    }
    return sum;
  }

  [[nodiscard]] Rational min_time(const Rational& exceeded, Rational TailEnds::*end) const {
    std::optional<Rational> minimum;
    for (const Length& length : lengths_) {
      std::int64_t from = 0, to = static_cast<std::int64_t>(length.above.size());
      while (from < to) {
        const std::int64_t middle = from + (to - from) / 2;
        if (above(length.minimum + Rational(middle) * slot_, end) <= exceeded)
          to = middle;
        else
          from = middle + 1;
      }
      const Rational time = length.minimum + Rational(from) * slot_;
      if (from < static_cast<std::int64_t>(length.above.size()) && (!minimum || time < *minimum))
        minimum = time;
    }
    if (!minimum) throw LimitExceeded("a percentile of the latency was not reached");
    return *minimum;
  }

  Rational slot_;
  std::vector<Length> lengths_;
};

}  // namespace

Rational SlotTime::minimum(const Route& route) const {
  const auto queues = static_cast<std::int64_t>(route.length());
  auto transfer = static_cast<std::int64_t>(route.passed);
  for (const std::size_t queue : route.queues) transfer += ticks.empty() ? 1 : ticks[queue];
  return Rational(transfer) * slot + Rational(queues) * hop;
}

std::vector<Rational> latency_ns(const std::vector<Route>& routes, const bounds::ClaimedDelayAnswer& found,
                                 bounds::DelayLaw& delays, const SlotTime& time) {
  const std::size_t queues = routes.front().length();
  const bool equal =
      std::all_of(routes.begin(), routes.end(), [&](const Route& route) { return route.length() == queues; });
  std::vector<Rational> times;
  if (equal || time.hop == 0) {
    const Rational hops = equal ? Rational(static_cast<std::int64_t>(queues)) * time.hop : Rational(0);
    for (const bounds::ClaimedPercentile& percentile : found.latency)
      times.push_back(Rational(percentile.slots.value) * time.slot + hops);
    return times;
  }
  std::vector<Rational> percentiles;
  for (const bounds::ClaimedPercentile& percentile : found.latency)
    percentiles.push_back(percentile.probability);
  if (percentiles.empty()) return times;
  const Mixture mixture(routes, percentiles, delays, time);
  for (const Rational& p : percentiles) times.push_back(mixture.percentile(1 - p));
  return times;
}

numeric::Claim<unit::Time> mean_latency_ns(const std::vector<Route>& routes,
                                           const numeric::Claim<unit::Slot>& mean_queueing,
                                           const SlotTime& time) {
  Rational minimum = 0;
  for (const Route& route : routes) minimum = minimum + route.share * time.minimum(route);
  const auto rounded = [&](const numeric::Real& slots, numeric::Rounding rounding) {
    const numeric::PrecisionScope scope(numeric::to_precision({static_cast<int>(slots.precision()) + 2}));
    return numeric::to_real(numeric::to_rational(slots) * time.slot + minimum, rounding);
  };
  if (const auto* exact = std::get_if<numeric::Exact<unit::Slot>>(&mean_queueing))
    return numeric::Exact<unit::Time>{exact->proof(), exact->value * time.slot + minimum};
  if (const auto* enclosure = std::get_if<numeric::Enclosure<unit::Slot>>(&mean_queueing))
    return numeric::Enclosure<unit::Time>(enclosure->proof(),
                                          rounded(enclosure->lower(), numeric::Rounding::down),
                                          rounded(enclosure->upper(), numeric::Rounding::up));
  if (const auto* bound = std::get_if<numeric::UpperBound<unit::Slot>>(&mean_queueing))
    return numeric::UpperBound<unit::Time>{bound->proof(), rounded(bound->value, numeric::Rounding::up)};
  const auto& computed = std::get<numeric::Approximation<unit::Slot>>(mean_queueing);
  return numeric::Approximation<unit::Time>{rounded(computed.value, numeric::Rounding::nearest),
                                            computed.agreed_digits};
}

}  // namespace tailbound::answers
