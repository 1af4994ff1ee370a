#include <tailbound/bounds/sizing/max_load.hpp>

#include <boost/math/tools/toms748_solve.hpp>

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

namespace tailbound::bounds {
namespace {

using numeric::Rational;
using queue::SlottedQueue;

SlottedQueue at_load(const SlottedQueue& queue, const Rational& load) {
  return {queue.arrivals.at_load(load), queue.packets_per_slot};
}

/// Loads known to meet and to miss the target.
struct Bracket {
  Rational met, missed;
  bool missed_is_unstable = false;
};

/// The middle of ]low, high[, rounded to a short binary fraction inside it.
Rational short_middle(const Rational& low, const Rational& high) {
  const Rational middle = (low + high) / 2;
  // A power of two below the gap keeps numerators short and the point inside.
  const Rational gap = high - low;
  const long bits = static_cast<long>(numeric::bit_length(numeric::denominator(gap))) -
                    static_cast<long>(numeric::bit_length(numeric::numerator(gap))) + 4;
  if (bits <= 0)
    return numeric::round(middle) > low && numeric::round(middle) < high ? Rational(numeric::round(middle))
                                                                         : middle;
  return Rational(numeric::round(middle * (numeric::Integer(1) << bits))) / (numeric::Integer(1) << bits);
}

/// `value`, a binary fraction, without rounding.
numeric::Real exactly(const Rational& value) {
  const numeric::PrecisionScope scope(numeric::Precision{static_cast<int>(numeric::bit_size(value)) + 16});
  return numeric::to_real(value, numeric::Rounding::nearest);
}

/// Loads around the point where the drop probability reaches the target, at a relative distance of `width` or
/// as close as doubles permit. Found on the logarithm of the probability; not proved. Empty if that fails.
std::optional<std::pair<double, double>> crossing(const SlottedQueue& queue, Packets capacity,
                                                  const DropTarget& target, double limit, double width,
                                                  queue::Accuracy accuracy) {
  accuracy.digits.count = std::min(accuracy.digits.count + 2, 14);
  const double bar =
      numeric::log2_magnitude(numeric::to_real(target.probability, numeric::Rounding::nearest));
  // Zero is below any target.
  constexpr double none = -1e9;
  const auto excess = [&](double load) {
    const auto proved = drop_probability(at_load(queue, numeric::to_rational(load)), capacity,
                                         target.criterion, accuracy, target.timing);
    const numeric::Enclosure<unit::Probability> probability = numeric::to_enclosure(proved.probability);
    return probability.upper() > 0 ? numeric::log2_magnitude(probability.upper()) - bar : none;
  };
  try {
    double met = limit / 2, missed = limit, at_met = excess(met), at_missed = 0;
    while (at_met > 0) {
      if (met < 1e-90) return std::nullopt;
      missed = std::exchange(met, met / 2);
      at_missed = std::exchange(at_met, excess(met));
    }
    for (double gap = 0.25; missed == limit; gap *= 0.25) {
      const double load = limit * (1 - gap);
      if (gap < 1e-14 || !(load < limit)) return std::nullopt;
      const double at = excess(load);
      (at > 0 ? missed : met) = load;
      (at > 0 ? at_missed : at_met) = at;
    }
    if (!(at_met < 0)) return std::pair{met, missed};
    std::uintmax_t steps = 100;
    return boost::math::tools::toms748_solve(
        excess, met, missed, at_met, at_missed,
        [&](double low, double high) { return high - low <= width / 4 * low; }, steps);
  } catch (const LimitExceeded&) {
    return std::nullopt;
  }
}

/// A load below is proved to meet the target, one above to miss it.
numeric::Proof bracketed(const SlottedQueue& queue) {
  return {numeric::Theorem::bracketed, queue.arrivals.assumptions()};
}

}  // namespace

MaxLoad max_load(const SlottedQueue& queue, Packets capacity, const DropTarget& target,
                 const queue::Accuracy& accuracy) {
  const Rational limit = queue.arrivals.largest_load();
  const Rational capacity_of_server(queue.packets_per_slot);
  if (!(limit > 0)) throw NoAnswer("there is no traffic: every load of it is 0");
  const auto meets = [&](const Rational& load) {
    return meets_target(at_load(queue, load), capacity, target, accuracy);
  };
  const bool reaches_the_server = limit >= capacity_of_server;
  Bracket bracket{0, reaches_the_server ? capacity_of_server : limit, reaches_the_server};
  const auto all_of_it = [&]() -> MaxLoad {
    return {numeric::to_enclosure(
                numeric::Proved<unit::Load>(numeric::Exact<unit::Load>{bracketed(queue), limit})),
            drop_probability(at_load(queue, limit), capacity, target.criterion, accuracy, target.timing),
            {},
            limit};
  };
  if (!reaches_the_server && meets(limit)) return all_of_it();
  if (const auto largest =
          at_load(queue, std::min(limit, Rational(capacity_of_server / 2))).arrivals.largest_batch();
      largest && *largest <= queue.packets_per_slot && *largest <= capacity.value)
    throw NoAnswer("every load meets the target: no more than " + std::to_string(*largest) +
                   " packets arrive in a slot, and all of them are served in it");
  const Rational width = 1 / Rational(numeric::pow(numeric::Integer(10), accuracy.digits.count));
  const double near = std::max(numeric::nearest_double(width), 1e-15);
  const auto cross = [&] {
    return crossing(queue, capacity, target, numeric::nearest_double(bracket.missed), near, accuracy);
  };
  auto found = cross();
  if (!found && reaches_the_server && target.criterion == Criterion::loss) {
    // A finite buffer also has a loss in overload: at least 1 - C / load, as at most C packets leave.
    const Rational overload = 2 * capacity_of_server / (1 - target.probability);
    if (overload >= limit && meets(limit)) return all_of_it();
    bracket = {.met = 0, .missed = std::min(limit, overload)};
    found = cross();
  }
  if (found) {
    const Rational low = numeric::to_rational(found->first * (1 - near / 4)),
                   high = numeric::to_rational(found->second * (1 + near / 4));
    if (low > 0 && high < bracket.missed && meets(low) && !meets(high))
      bracket = {.met = low, .missed = high, .missed_is_unstable = false};
  }
  for (int step = 0; bracket.missed_is_unstable || bracket.missed > bracket.met * (1 + width); ++step) {
    if (step > 400 && bracket.met == 0)
      throw NoAnswer("no load above 1e-100 meets the target with " + std::to_string(capacity.value) +
                     " packets");
    if (step > 40'000)
      throw LimitExceeded("the maximum load cannot be enclosed to " + std::to_string(accuracy.digits.count) +
                          " digits");
    const Rational middle = short_middle(bracket.met, bracket.missed);
    if (meets(middle)) {
      bracket.met = middle;
    } else {
      bracket.missed = middle;
      bracket.missed_is_unstable = false;
    }
    if (bracket.missed_is_unstable && step > 20'000)
      throw NoAnswer("as far as can be determined, every stable load meets the target");
  }
  return {
      numeric::Enclosure<unit::Load>(bracketed(queue), exactly(bracket.met), exactly(bracket.missed)),
      drop_probability(at_load(queue, bracket.met), capacity, target.criterion, accuracy, target.timing),
      drop_probability(at_load(queue, bracket.missed), capacity, target.criterion, accuracy, target.timing)};
}

numeric::Proved<unit::Ratio> min_speedup(const SlottedQueue& queue, Packets capacity,
                                         const DropTarget& target, const queue::Accuracy& accuracy) {
  const numeric::Exact<unit::Ratio> none{bracketed(queue), 1};
  if (queue.arrivals.largest_batch() == 0) return none;
  if (is_stable(queue) && meets_target(queue, capacity, target, accuracy)) return none;
  const MaxLoad highest = max_load(queue, capacity, target, accuracy);
  const numeric::PrecisionScope scope(numeric::Precision{numeric::to_precision(accuracy.digits).bits + 64});
  const numeric::Interval load = queue.arrivals.load_interval();
  // A loss target may be met in overload.
  if (highest.load.lower() >= numeric::upper(load)) return none;
  const numeric::Interval low = load / numeric::to_interval(highest.load.upper()),
                          high = load / numeric::to_interval(highest.load.lower());
  return numeric::Enclosure<unit::Ratio>(
      highest.load.proof(), std::max(numeric::Real(1), numeric::lower(low)), numeric::upper(high));
}

}  // namespace tailbound::bounds
