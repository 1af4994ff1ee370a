#include <tailbound/bounds/sizing/claim_value.hpp>
#include <tailbound/bounds/sizing/largest_parameter.hpp>
#include <tailbound/numeric/rational.hpp>
#include <tailbound/numeric/text/plain.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace tailbound::bounds {
namespace {

using numeric::Rational;

constexpr double longest = 1e6, lightest = 1e-12;
constexpr double never = -1e300;                      ///< stands for the logarithm of 0
constexpr std::int64_t fewest = 1000, counts = 9000;  ///< four significant digits: 1000 .. 9999

/// Numbers of four significant digits in their order; 0 is 1.000.
using Place = std::int64_t;

Rational number_at(Place place) {
  const Place exponent = place >= 0 ? place / counts : -((counts - 1 - place) / counts);
  return Rational(static_cast<long>(fewest + place - exponent * counts)) *
         numeric::pow(Rational(10), static_cast<int>(exponent) - 3);
}

/// The nearest one.  \param number  above 0
Place place_of(double number) {
  const auto exponent = static_cast<std::int64_t>(std::floor(std::log10(number)));
  return exponent * counts + std::llround(number / std::pow(10.0, static_cast<double>(exponent - 3))) -
         fewest;
}
Place place_of(const Rational& number) {
  return place_of(numeric::nearest_double(number));
}

/// A point at which the criterion was evaluated.
struct Trial {
  Place place;
  double excess;  ///< logarithm of the criterion minus that of the target; no number if the queue is unstable
  bool met;
  std::optional<ComputedProbability> at{};  ///< none if the queue is unstable
};

class Search {
 public:
  /// \param scale  a function of the parameter in which the logarithm of the criterion is about linear
  Search(const CriterionAt& criterion_at, double (*scale)(double), Rational target)
      : criterion_at_(criterion_at), scale_(scale), target_(std::move(target)) {}

  [[nodiscard]] Trial try_at(Place place) const { return try_at(place, number_at(place)); }
  [[nodiscard]] Trial try_at(Place place, const Rational& parameter) const {
    std::optional<ComputedProbability> at = criterion_at_(parameter);
    if (!at) return {place, std::numeric_limits<double>::quiet_NaN(), false};
    const numeric::Real value = max_value(at->probability);
    const double drop = std::log(numeric::nearest_double(target_));
    const double excess = value > 0 ? static_cast<double>(log(value)) - drop : never;
    return {place, excess, numeric::compare(value, target_) <= 0, std::move(at)};
  }

  /// The point between the two where a line through them crosses the target; the middle if there is none.
  [[nodiscard]] Place guess(const Trial& met, const Trial& missed) const {
    if (!telling(met, missed)) return met.place + (missed.place - met.place) / 2;
    const double x0 = at(met), x1 = at(missed), share = met.excess / (met.excess - missed.excess);
    const double x = x0 + (x1 - x0) * share;
    return std::clamp(place_of(scale_(x)), met.place + 1, missed.place - 1);
  }
  [[nodiscard]] static bool telling(const Trial& met, const Trial& missed) {
    return met.excess > never && missed.excess > met.excess;
  }

  /// Moves the two together until they are neighbours.
  void narrow(Trial& met, Trial& missed) const {
    while (met.place + 1 < missed.place) {
      Trial trial = try_at(guess(met, missed));
      const Place middle = trial.place;
      const bool was_met = trial.met;
      (was_met ? met : missed) = std::move(trial);
      if (met.place + 1 == missed.place) break;
      if (!telling(met, missed)) continue;
      // The line is accurate near its ends: slightly beyond the crossing lies the other side.
      const Place crossing = guess(met, missed);
      const Place beyond = was_met ? std::min(2 * crossing - middle + 1, missed.place - 1)
                                   : std::max(2 * crossing - middle - 1, met.place + 1);
      Trial other = try_at(beyond);
      (other.met ? met : missed) = std::move(other);
    }
  }

 private:
  /// Each of the two scales is its own inverse.
  [[nodiscard]] double at(const Trial& trial) const {
    return scale_(numeric::nearest_double(number_at(trial.place)));
  }

  const CriterionAt& criterion_at_;
  double (*scale_)(double);
  Rational target_;
};

CriterionAt criterion_of(const QueueAt& queue_at, Packets capacity, Criterion criterion) {
  return [=](const Rational& parameter) -> std::optional<ComputedProbability> {
    try {
      return queue_at(parameter)->drop_probability(capacity, criterion);
    } catch (const Unstable&) {
      return std::nullopt;
    }
  };
}

}  // namespace

LargestParameter longest_burst(const QueueAt& queue_of, const Rational& shortest, Packets capacity,
                               const DropTarget& target) {
  const CriterionAt criterion_at = criterion_of(queue_of, capacity, target.criterion);
  const Search search(
      criterion_at, [](double slots) { return 1 / slots; }, target.probability);
  Place first = place_of(shortest);
  if (number_at(first) < shortest) ++first;
  Trial met = search.try_at(first);
  if (!met.met)
    throw NoAnswer("bursts of " + numeric::plain(number_at(first)) +
                   " slots, the shortest possible at this load, already miss the target of " +
                   numeric::plain(target.probability));
  const Place last = place_of(longest);
  const auto twice = [&](Place place) {
    return std::min(std::max(place_of(2 * number_at(place)), place + 1), last);
  };
  Trial missed = search.try_at(twice(first));
  while (missed.met) {
    if (missed.place == last)
      throw NoAnswer("bursts of " + std::to_string(static_cast<std::int64_t>(longest)) +
                     " slots still meet the target");
    met = std::move(missed);
    missed = search.try_at(twice(met.place));
  }
  search.narrow(met, missed);
  return {number_at(met.place), number_at(missed.place), std::move(*met.at), std::move(missed.at)};
}

LargestParameter highest_load(const CriterionAt& criterion_at, const Rational& limit, const Rational& target,
                              const std::optional<Rational>& start) {
  const Search search(
      criterion_at, [](double load) { return load; }, target);
  Place last = place_of(limit);
  if (number_at(last) < limit) ++last;
  Trial missed{last, std::numeric_limits<double>::quiet_NaN(), false};
  if (!start) {
    missed = search.try_at(last, limit);
    if (missed.met) return {limit, limit, std::move(*missed.at), {}};
  }
  Trial met = search.try_at(place_of(start.value_or(limit / 2)));
  while (!met.met) {
    missed = std::move(met);
    if (missed.place <= place_of(lightest))
      throw NoAnswer("a load of " + numeric::plain(number_at(missed.place)) +
                     " packets per slot already misses the target of " + numeric::plain(target) +
                     "; give a larger --capacity or --drop");
    met = search.try_at(place_of(number_at(missed.place) / 2));
  }
  // From a start that meets it the step is doubled.
  for (Place step = std::max<Place>(1, (last - met.place) / 32); start && missed.place == last; step *= 2) {
    const bool all = met.place + step >= last;
    Trial next = all ? search.try_at(last, limit) : search.try_at(met.place + step);
    if (next.met && all) return {limit, limit, std::move(*next.at), {}};
    const bool beyond = !next.met;
    (beyond ? missed : met) = std::move(next);
    if (beyond) break;
  }
  search.narrow(met, missed);
  if (!missed.at)
    throw NoAnswer("every load meets the target at which an infinite queue has a limit, up to " +
                   numeric::plain(number_at(met.place)) +
                   " packets per slot; give a smaller --capacity or --drop");
  return {number_at(met.place), std::min(limit, number_at(missed.place)), std::move(*met.at),
          std::move(missed.at)};
}

LargestParameter highest_load(const QueueAt& queue_at, const Rational& limit, Packets capacity,
                              const DropTarget& target) {
  return highest_load(criterion_of(queue_at, capacity, target.criterion), limit, target.probability);
}

}  // namespace tailbound::bounds
