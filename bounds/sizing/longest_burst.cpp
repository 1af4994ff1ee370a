#include <tailbound/bounds/sizing/claim_value.hpp>
#include <tailbound/bounds/sizing/longest_burst.hpp>
#include <tailbound/numeric/rational.hpp>
#include <tailbound/numeric/text/plain.hpp>

#include <algorithm>
#include <cmath>

namespace tailbound::bounds {
namespace {

using numeric::Rational;

constexpr double longest = 1e6;
constexpr double never = -1e300;                      ///< stands for the logarithm of 0
constexpr std::int64_t fewest = 1000, counts = 9000;  ///< four significant digits: 1000 .. 9999

/// Numbers of four significant digits in their order, from 0 = 1.000.
using Place = std::int64_t;

Rational slots_at(Place place) {
  return Rational(static_cast<long>(fewest + place % counts)) *
         numeric::pow(Rational(10), static_cast<int>(place / counts) - 3);
}

/// The nearest grid index.  \param slots  at least 1
Place place_of(double slots) {
  const auto exponent = static_cast<std::int64_t>(std::floor(std::log10(slots)));
  return exponent * counts + std::llround(slots / std::pow(10.0, static_cast<double>(exponent - 3))) - fewest;
}

/// A point at which the criterion was evaluated.
struct Trial {
  Place place;
  double excess;  ///< logarithm of the criterion minus that of the target
  bool met;
  ComputedProbability at;
  std::unique_ptr<OutputQueue> queue;
};

class Search {
 public:
  Search(const QueueOfBurst& queue_of, Packets capacity, const DropTarget& target)
      : queue_of_(queue_of), capacity_(capacity), target_(target) {}

  [[nodiscard]] Trial try_at(Place place) const {
    std::unique_ptr<OutputQueue> queue = queue_of_(slots_at(place));
    ComputedProbability at = queue->drop_probability(capacity_, target_.criterion);
    const numeric::Real value = max_value(at.probability);
    const double drop = std::log(numeric::nearest_double(target_.probability));
    const double excess = value > 0 ? static_cast<double>(log(value)) - drop : never;
    const bool met = numeric::compare(value, target_.probability) <= 0;
    return {place, excess, met, std::move(at), std::move(queue)};
  }

 private:
  const QueueOfBurst& queue_of_;
  Packets capacity_;
  DropTarget target_;
};

/// The point between the two where a line through them in 1 / burst crosses the target.
Place guess(const Trial& met, const Trial& missed) {
  const double x0 = 1 / numeric::nearest_double(slots_at(met.place)),
               x1 = 1 / numeric::nearest_double(slots_at(missed.place));
  const bool telling = met.excess > never && missed.excess > met.excess;
  const double share = telling ? met.excess / (met.excess - missed.excess) : 0.5;
  return std::clamp(place_of(1 / (x0 + (x1 - x0) * share)), met.place + 1, missed.place - 1);
}

}  // namespace

LongestBurst longest_burst(const QueueOfBurst& queue_of, const Rational& shortest, Packets capacity,
                           const DropTarget& target) {
  const Search search(queue_of, capacity, target);
  Place first = place_of(numeric::nearest_double(shortest));
  if (slots_at(first) < shortest) ++first;
  Trial met = search.try_at(first);
  if (!met.met)
    throw NoAnswer("bursts of " + numeric::plain(slots_at(first)) +
                   " slots, the shortest possible at this load, already miss the target of " +
                   numeric::plain(target.probability));
  const Place last = place_of(longest);
  const auto twice = [&](Place place) {
    return std::min(std::max(place_of(2 * numeric::nearest_double(slots_at(place))), place + 1), last);
  };
  Trial missed = search.try_at(twice(first));
  while (missed.met) {
    if (missed.place == last)
      throw NoAnswer("bursts of " + std::to_string(static_cast<std::int64_t>(longest)) +
                     " slots still meet the target");
    met = std::move(missed);
    missed = search.try_at(twice(met.place));
  }
  while (met.place + 1 < missed.place) {
    Trial trial = search.try_at(guess(met, missed));
    const Place middle = trial.place;
    const bool was_met = trial.met;
    (was_met ? met : missed) = std::move(trial);
    if (met.place + 1 == missed.place) break;
    // The line is accurate near its ends: slightly beyond the crossing lies the other side.
    const Place crossing = guess(met, missed);
    const Place beyond = was_met ? std::min(2 * crossing - middle + 1, missed.place - 1)
                                 : std::max(2 * crossing - middle - 1, met.place + 1);
    Trial other = search.try_at(beyond);
    (other.met ? met : missed) = std::move(other);
  }
  return {slots_at(met.place), slots_at(missed.place), std::move(met.at), std::move(missed.at),
          std::move(met.queue)};
}

}  // namespace tailbound::bounds
