#include <tailbound/bounds/path/reorder_buffer.hpp>
#include <tailbound/core/error.hpp>

#include <algorithm>
#include <utility>

namespace tailbound::bounds {
namespace {

using numeric::Interval;
using numeric::Precision;
using numeric::PrecisionScope;
using numeric::Rational;
using numeric::Real;
using Tail = numeric::Enclosure<unit::Probability>;

constexpr std::size_t max_ages = 100'000;
constexpr std::size_t max_levels = 100'000;

void check_rate(const Rational& rate) {
  if (!(rate > 0 && rate <= 1))
    throw InvalidArgument("rate", numeric::to_fraction(rate), "above 0 and at most 1 packet per slot");
}

/// `value` intersected with [0, 1], which contains the enclosed probability.
Interval as_probability(const Interval& value, const std::string& argument) {
  const Real low = numeric::lower(value), high = numeric::upper(value);
  if (!(low <= high && low <= 1 && high >= 0))
    throw InvalidArgument(argument, "[" + low.str(17) + ", " + high.str(17) + "]",
                          "the enclosure of a probability");
  return numeric::make_interval(low < 0 ? Real(0) : low, high > 1 ? Real(1) : high);
}

/// `delays` with all intervals intersected with their valid ranges.
DelayDistribution checked(const DelayDistribution& delays) {
  const std::size_t ages = delays.above.size();
  if (ages == 0 || delays.at_most.size() != ages)
    throw InvalidArgument(
        "delays",
        std::to_string(delays.at_most.size()) + " values at_most and " + std::to_string(ages) + " above",
        "as many values at_most as above, and at least one");
  if (ages > max_ages)
    throw LimitExceeded("the delays have " + std::to_string(ages) +
                        " ages; the reorder buffer supports at most " + std::to_string(max_ages));
  DelayDistribution result;
  result.proof = delays.proof;
  for (std::size_t i = 0; i < ages; ++i) {
    const std::string place = "[" + std::to_string(i) + "]";
    result.at_most.push_back(as_probability(delays.at_most[i], "at_most" + place));
    result.above.push_back(as_probability(delays.above[i], "above" + place));
    const Interval sum = result.at_most[i] + result.above[i];
    if (numeric::lower(sum) > 1 || numeric::upper(sum) < 1)
      throw InvalidArgument("at_most" + place + " + above" + place, numeric::lower(sum).str(17), "1");
    if (i > 0 && numeric::lower(result.above[i]) > numeric::upper(result.above[i - 1]))
      throw InvalidArgument("above" + place, numeric::lower(result.above[i]).str(17),
                            "at most the previous value");
  }
  const Real high = numeric::upper(delays.beyond);
  if (!(high >= 0) || mpfr_number_p(high.backend().data()) == 0)
    throw InvalidArgument("beyond", high.str(17), "a finite number of slots, 0 or more");
  const Real low = numeric::lower(delays.beyond);
  result.beyond = numeric::make_interval(low > 0 ? low : Real(0), high);
  return result;
}

/// tails[b] <- P(K + X > b), for the tails P(K > b) of a defective count K of the given mass, and X = 1 with
/// probability `one`, otherwise 0.
void add_packet(std::vector<Interval>& tails, std::size_t reach, const Interval& mass, const Interval& one,
                const Interval& zero, Interval& scratch) {
  for (std::size_t b = reach; b-- > 0;) {
    scratch = b == 0 ? mass : tails[b - 1];
    scratch *= one;
    tails[b] *= zero;
    tails[b] += scratch;
  }
}

/// P(R > b, oldest missing age < N) for b < levels, as if nothing were beyond; at the precision in force.
///
/// Horner's scheme from the oldest age down: Y_a(z) = w_a + (1 - p F(a) + p F(a) z) Y_{a+1}(z), w_a the
/// probability that a is the oldest age not yet delivered; R(z) = const + Y_0(z).
std::vector<Interval> tails_of_listed_ages(const Rational& rate, const DelayDistribution& delays,
                                           std::size_t levels) {
  const Interval sent = numeric::to_interval(rate), silent = numeric::to_interval(1 - rate);
  const std::size_t ages = delays.above.size();
  std::vector<Interval> tails(std::min(levels, ages - 1), Interval(0));
  Interval mass(0), older_are_through(1), scratch(0);
  std::size_t reach = 0;
  for (std::size_t a = ages; a-- > 0;) {
    const Interval delivered = sent * delays.at_most[a], missing = sent * delays.above[a];
    // 1 - p F(a) and 1 - p (1 - F(a)) as sums of non-negative terms.
    const Interval not_delivered = silent + missing, not_missing = silent + delivered;
    if (numeric::upper(mass) > 0) {
      reach = std::min(tails.size(), reach + 1);
      if (numeric::upper(delivered) > 0) add_packet(tails, reach, mass, delivered, not_delivered, scratch);
    }
    mass += missing * older_are_through;
    older_are_through *= not_missing;
  }
  tails.resize(levels, Interval(0));
  return tails;
}

/// A bound of p * beyond: the expected number of undelivered packets older than the listed ages.
Real late_packets(const Rational& rate, const DelayDistribution& delays) {
  return numeric::upper(numeric::to_interval(rate) * delays.beyond);
}

/// The tail when packets older than the listed ages may be missing: they can only make others wait, and there
/// are none with probability at least 1 - late.
Tail with_late_packets(numeric::Proof proof, const Interval& listed, const Real& late) {
  const Real high = numeric::upper(listed + numeric::to_interval(late));
  return Tail(proof, numeric::lower(listed), std::min(high, Real(1)));
}

bool surely_met(const Tail& tail, const Rational& target) {
  return numeric::compare(tail.upper(), target) <= 0;
}
bool surely_missed(const Tail& tail, const Rational& target) {
  return numeric::compare(tail.lower(), target) > 0;
}

/// The boundary at one precision; empty if neither side is proved there. `late` accounts for the part beyond.
std::optional<ReorderBuffer> boundary(const Rational& rate, const DelayDistribution& delays, const Real& late,
                                      const Rational& target) {
  // R > b needs b + 2 ages, so with `ages` levels the tail from the listed ages ends in zeros.
  const std::size_t ages = delays.above.size();
  for (std::size_t levels = std::min<std::size_t>(64, ages);; levels = std::min(2 * levels, ages)) {
    const std::vector<Interval> listed = tails_of_listed_ages(rate, delays, levels);
    std::optional<Tail> before;
    for (std::size_t b = 0; b < levels; ++b) {
      Tail tail = with_late_packets(delays.proof, listed[b], late);
      if (surely_met(tail, target)) return ReorderBuffer{Packets(static_cast<std::int64_t>(b)), tail, before};
      if (!surely_missed(tail, target)) return std::nullopt;
      before = std::move(tail);
    }
    if (levels == ages) return std::nullopt;
  }
}

}  // namespace

DelayDistribution from_pmf(const std::vector<Rational>& probabilities, Precision precision) {
  if (probabilities.empty()) throw InvalidArgument("delays", "", "at least one probability");
  Rational sum = 0;
  for (const Rational& probability : probabilities) {
    if (probability < 0) throw InvalidArgument("probability", numeric::to_fraction(probability), "0 or more");
    sum = sum + probability;
  }
  if (sum != 1) throw InvalidArgument("sum of the probabilities", numeric::to_fraction(sum), "1");
  const PrecisionScope scope(precision);
  DelayDistribution result{{}, {}, Interval(0), numeric::Theorem::reorder_buffer};
  Rational at_most = 0;
  for (const Rational& probability : probabilities) {
    at_most = at_most + probability;
    result.at_most.push_back(numeric::to_interval(at_most));
    result.above.push_back(numeric::to_interval(1 - at_most));
  }
  return result;
}

std::vector<Tail> reorder_tails(const Rational& rate, const DelayDistribution& delays, std::size_t levels,
                                Precision precision) {
  check_rate(rate);
  if (levels > max_levels)
    throw LimitExceeded(std::to_string(levels) + " levels of the reorder buffer are more than " +
                        std::to_string(max_levels));
  const PrecisionScope scope(precision);
  const DelayDistribution known = checked(delays);
  const Real late = late_packets(rate, known);
  std::vector<Tail> result;
  for (const Interval& listed : tails_of_listed_ages(rate, known, levels))
    result.push_back(with_late_packets(delays.proof, listed, late));
  return result;
}

ReorderBuffer reorder_buffer(const Rational& rate, const DelayDistribution& delays, const Rational& target,
                             Precision precision) {
  check_rate(rate);
  if (!(target > 0 && target < 1))
    throw InvalidArgument("target", numeric::to_fraction(target), "a probability above 0 and below 1");
  bool settled_without_late_packets = false;
  for (const int factor : {1, 2, 4}) {
    const PrecisionScope scope(Precision{factor * precision.bits});
    const DelayDistribution known = checked(delays);
    const Real late = late_packets(rate, known);
    if (auto found = boundary(rate, known, late, target)) return *found;
    settled_without_late_packets = boundary(rate, known, Real(0), target).has_value();
    if (settled_without_late_packets) break;  // more digits would not help
  }
  if (settled_without_late_packets)
    throw LimitExceeded("the reorder buffer cannot be determined: the delay is listed up to " +
                        std::to_string(delays.above.size() - 1) + " slots, and " +
                        numeric::to_decimal(numeric::upper(delays.beyond), 3, numeric::Rounding::up) +
                        " slots of P(delay > i) beyond are too many for a target of " +
                        numeric::to_decimal(target, 3, numeric::Rounding::nearest));
  throw LimitExceeded(
      "the reorder buffer cannot be determined: the delay probabilities are enclosed too widely to "
      "distinguish P(R > b) from a target of " +
      numeric::to_decimal(target, 3, numeric::Rounding::nearest) + ", or the two are equal");
}

}  // namespace tailbound::bounds
