#include <tailbound/answers/compare/reading.hpp>
#include <tailbound/core/error.hpp>
#include <tailbound/numeric/rational.hpp>

#include <algorithm>
#include <cmath>
#include <tuple>
#include <utility>

namespace tailbound::answers {
namespace {

using numeric::Rational;
using series::Coefficient;
using Probability = numeric::Proved<unit::Probability>;

Probability certain(int value) {
  return numeric::Exact<unit::Probability>{numeric::Theorem::input, value};
}

/// 1 - p, rounded outward.
Probability complement(const Probability& p, numeric::Digits digits) {
  if (const auto* exact = std::get_if<numeric::Exact<unit::Probability>>(&p))
    return numeric::Exact<unit::Probability>{exact->proof(), 1 - exact->value};
  const auto [lower, upper] = true_value(p);
  const numeric::PrecisionScope scope(numeric::to_precision(digits));
  return numeric::Enclosure<unit::Probability>(
      std::get<numeric::Enclosure<unit::Probability>>(p).proof(),
      numeric::to_real(std::max(Rational(0), Rational(1 - upper)), numeric::Rounding::down),
      numeric::to_real(1 - lower, numeric::Rounding::up));
}

}  // namespace

std::vector<Probability> ReadingValues::tails(const std::vector<std::int64_t>& levels,
                                              bool complements) const {
  std::vector<Packets> requested;
  for (const std::int64_t level : levels)
    if (level >= 0) requested.emplace_back(level);
  queue::Accuracy accuracy = accuracy_;
  if (complements) {
    // 1 - P(Q > n) is at least P(Q = 0): as many digits may cancel.
    const double empty = static_cast<double>(
        numeric::to_enclosure(queue::occupancy_probabilities(queue_, Packets(0)).front().probability)
            .lower());
    accuracy.digits.count += empty > 0 ? 1 + static_cast<int>(std::ceil(-std::log10(empty))) : 0;
  }
  auto found = queue::occupancy_tails(queue_, requested, accuracy);
  std::vector<Probability> values;
  std::size_t next = 0;
  for (const std::int64_t level : levels) {
    Probability value = level >= 0 ? std::move(found[next++].probability) : certain(1);
    values.push_back(complements ? complement(value, accuracy.digits) : std::move(value));
  }
  return values;
}

std::vector<Probability> ReadingValues::masses(const Reading& reading,
                                               const std::vector<std::int64_t>& indices) const {
  const std::int64_t served = reading.after_service ? queue_.packets_per_slot : 0;
  std::int64_t last = 0;
  for (const std::int64_t index : indices) last = std::max(last, index + reading.shift + served);
  if (last > deepest_compared_occupancy)
    throw LimitExceeded("the last index is " + std::to_string(last) + "; P(Q = n) is compared up to n = " +
                        std::to_string(deepest_compared_occupancy) + " (a list of P(Q > n) at any n)");
  const auto all = queue::occupancy_probabilities(queue_, Packets(last), accuracy_);
  std::vector<Probability> values;
  for (const std::int64_t index : indices) {
    const std::int64_t n = index + reading.shift;
    if (n < 0)
      values.push_back(certain(0));
    else if (n == 0 && reading.after_service)
      values.push_back(tails({served}, true).front());
    else
      values.push_back(all[static_cast<std::size_t>(n + served)].probability);
  }
  return values;
}

std::vector<Probability> ReadingValues::at(const Reading& reading,
                                           const std::vector<std::int64_t>& indices) const {
  if (reading.of == CoefficientsOf::occupancy) return masses(reading, indices);
  std::vector<std::int64_t> levels;
  for (const std::int64_t index : indices) {
    std::int64_t n = index + reading.shift - (reading.of == CoefficientsOf::at_least ? 1 : 0);
    if (n >= 0 && reading.after_service) n += queue_.packets_per_slot;
    levels.push_back(n);
  }
  return tails(levels, reading.of == CoefficientsOf::distribution);
}

std::vector<TrueValue> in_scale(ListScale scale, const std::vector<Coefficient>& list,
                                const std::vector<Probability>& proved) {
  std::vector<TrueValue> values;
  for (const Probability& each : proved) values.push_back(true_value(each));
  Rational low = 1, high = 1;
  if (scale == ListScale::percent) low = high = 100;
  if (scale == ListScale::weights) {
    // The factor from the number with the finest last place, relative to itself.
    std::size_t at = values.size();
    Rational finest = 1;
    for (std::size_t i = 0; i < values.size(); ++i) {
      if (values[i].lower <= 0 || list[i].value <= 0) continue;
      const Rational coarseness = series::unit_in_last_place(list[i]) / list[i].value;
      if (coarseness < finest) std::tie(at, finest) = std::pair(i, coarseness);
    }
    if (at < values.size()) {
      const Rational unit = series::unit_in_last_place(list[at]);
      low = (list[at].value - unit) / values[at].upper;
      high = (list[at].value + unit) / values[at].lower;
    }
  }
  for (TrueValue& value : values) value = {value.lower * low, value.upper * high};
  return values;
}

namespace {

constexpr std::size_t max_samples = 48;
constexpr int digits_of_evidence = 6, digits_of_exact = 10, most_digits = 16;

/// How values agree, as one reading has it.
struct Fit {
  std::size_t agreeing = 0;
  int digits = 0;           ///< of those that agree and are neither 0 nor 1
  std::size_t telling = 0;  ///< their number
};

Fit fit_of(const Reading& reading, const std::vector<Coefficient>& list,
           const std::vector<Probability>& proved) {
  Fit fit;
  const std::vector<TrueValue> values = in_scale(reading.scale, list, proved);
  for (std::size_t i = 0; i < list.size(); ++i) {
    if (!agrees(list[i], values[i])) continue;
    ++fit.agreeing;
    const Rational unit = series::unit_in_last_place(list[i]);
    const bool trivial = numeric::abs(list[i].value) <= unit || numeric::abs(1 - list[i].value) <= unit ||
                         numeric::abs(100 - list[i].value) <= unit;
    if (trivial) continue;
    ++fit.telling;
    fit.digits += list[i].is_exact() ? digits_of_exact : std::min(most_digits, series::shown_digits(list[i]));
  }
  return fit;
}

/// Changes from one reading to another, each 2, and 1 more for an unknown factor.
int changes(const Reading& from, const Reading& to) {
  const int count = (from.of != to.of ? 1 : 0) + (from.after_service != to.after_service ? 1 : 0) +
                    (from.scale != to.scale ? 1 : 0) + (from.shift != to.shift ? 1 : 0);
  return 2 * count + (to.scale == ListScale::weights && from.scale != to.scale ? 1 : 0);
}

/// All of them, the simplest first: another quantity is simpler than another service, unit or shift.
std::vector<Reading> candidates(const Reading& requested) {
  std::vector<Reading> all;
  for (const std::int64_t shift : {0, 1, -1})
    for (const ListScale scale : {ListScale::probability, ListScale::percent, ListScale::weights})
      for (const bool after : {false, true})
        for (const CoefficientsOf of : {CoefficientsOf::occupancy, CoefficientsOf::tail,
                                        CoefficientsOf::at_least, CoefficientsOf::distribution})
          if (const Reading each{of, after, scale, requested.shift + shift}; each != requested)
            all.push_back(each);
  std::stable_sort(all.begin(), all.end(), [&](const Reading& a, const Reading& b) {
    return changes(requested, a) < changes(requested, b);
  });
  return all;
}

/// The first values, and some of the rest.
std::vector<Coefficient> sample_of(const std::vector<Coefficient>& list) {
  if (list.size() <= max_samples) return list;
  std::vector<Coefficient> sample(list.begin(), list.begin() + max_samples / 2);
  const std::size_t rest = list.size() - sample.size(), step = rest / (max_samples / 2);
  for (std::size_t i = sample.size(); i < list.size() && sample.size() < max_samples; i += step)
    sample.push_back(list[i]);
  return sample;
}

std::vector<std::int64_t> indices_of(const std::vector<Coefficient>& list) {
  std::vector<std::int64_t> indices;
  for (const Coefficient& entry : list) indices.push_back(entry.index);
  return indices;
}

}  // namespace

std::optional<OtherReading> better_reading(const queue::SlottedQueue& queue, const queue::Accuracy& accuracy,
                                           const std::vector<Coefficient>& list, const Reading& requested,
                                           std::size_t agreeing) {
  const ReadingValues values(queue, accuracy);
  const std::vector<Coefficient> sample = sample_of(list);
  const std::vector<std::int64_t> sampled = indices_of(sample), whole = indices_of(list);
  std::optional<OtherReading> best;
  std::size_t tried = 0;
  constexpr std::size_t max_tried = 6;  // whole lists
  // A factor is a last resort: it absorbs the errors of a list that agrees by and large.
  const bool by_and_large = 2 * agreeing >= list.size() && requested.scale != ListScale::weights;
  for (const Reading& each : candidates(requested)) {
    if (by_and_large && each.scale == ListScale::weights) continue;
    if (each.shift + list.front().index < -1) continue;
    try {
      const Fit fit = fit_of(each, sample, values.at(each, sampled));
      if (fit.digits < digits_of_evidence || fit.telling < 2 || 10 * fit.agreeing < 8 * sample.size())
        continue;
      if (++tried > max_tried) break;
      const std::size_t all =
          sample.size() == list.size() ? fit.agreeing : fit_of(each, list, values.at(each, whole)).agreeing;
      if (best && best->agreeing == list.size()) {
        // An unknown factor fits whatever fits without it.
        if (each.scale == ListScale::weights) continue;
        if (all == list.size()) best->same = each;
        break;
      }
      const bool better = !best || all > best->agreeing;
      const bool enough = all == list.size() || (10 * all >= 8 * list.size() && all >= 2 * agreeing);
      if (enough && better) best = OtherReading{each, all};
    } catch (const LimitExceeded&) {  // a list so deep has no such reading
    }
  }
  return best;
}

}  // namespace tailbound::answers
