#include <tailbound/bounds/path/computed_delay.hpp>
#include <tailbound/core/error.hpp>

#include <algorithm>
#include <cmath>
#include <limits>

namespace tailbound::bounds {
namespace {

using numeric::Approximation;
using numeric::Rational;
using numeric::Real;
using Series = std::vector<double>;

/// Delays down to this probability are covered for any query.
constexpr double usual_tail = 1e-6;
/// Stated relative errors of computed probabilities away from the last slots.
constexpr double stated = 5e-5, stated_of_wires = 5e-4;
/// Tolerances of I1 and I2: for sums of probabilities, and relative for everything else.
constexpr double of_sums = 1e-4, relative = 2e-3;

/// Two digits more than the stated ones; further ones depend on the machine's arithmetic.
Real rounded(double value, int digits) {
  if (!(value > 0)) return Real(0);
  const int places = digits + 1 - static_cast<int>(std::floor(std::log10(value)));
  const numeric::PrecisionScope scope(numeric::Precision{64});
  const Real scale = pow(Real(10), std::abs(places));
  return places >= 0 ? Real(round(Real(value) * scale) / scale) : Real(round(Real(value) / scale) * scale);
}

numeric::Claim<unit::Probability> claim_of(double value, double relative_error) {
  const int digits =
      std::max(1, static_cast<int>(std::floor(-std::log10(std::clamp(relative_error, 1e-15, 0.09)))));
  return Approximation<unit::Probability>{rounded(value, digits), digits};
}

std::string text(double value) {
  return numeric::Real(value).str(6);
}

double tail_at(const Series& tails, std::size_t t) {
  return t < tails.size() ? tails[t] : 0;
}

/// The first violation of I1 or I2.
std::string broken_invariant(const Series& mass, const Series& tails, const std::vector<Series>& waits,
                             double mean) {
  double sum = tails.empty() ? 0 : tails.back();
  for (const double value : mass) {
    sum += value;
    if (!(value >= -of_sums)) return "a probability of " + text(value);
  }
  if (!(std::abs(sum - 1) <= of_sums)) return "probabilities that sum to " + text(sum);
  double by_tails = 0;
  for (const double tail : tails) by_tails += tail;
  if (!(std::abs(by_tails - mean) <= relative * mean + of_sums))
    return "a mean of " + text(by_tails) + " slots while the mean waits sum to " + text(mean);
  if (waits.empty()) return {};
  std::vector<Series> above;
  for (const Series& wait : waits) {
    double its = 0;
    for (const double value : wait) {
      its += value;
      if (!(value >= -of_sums)) return "a probability of " + text(value) + " of a wait";
    }
    above.push_back(tails_of(wait));
    its += above.back().back();
    if (!(std::abs(its - 1) <= of_sums)) return "probabilities of a wait that sum to " + text(its);
  }
  // Closer to the edge of the computed range, arithmetic errors cannot be distinguished from model errors.
  constexpr double minimum = 1e-5;
  for (std::size_t t = 0; t < tails.size() && tails[t] > minimum; ++t) {
    double low = 0, high = 0;
    for (std::size_t hop = 0; hop < above.size(); ++hop) {
      low = std::max(low, tail_at(above[hop], t));
      high += tail_at(above[hop], (t + hop) / above.size());  // these sum to t
    }
    if (tails[t] < low * (1 - relative) - of_sums || tails[t] > high * (1 + relative) + of_sums)
      return "P(D > " + std::to_string(t) + ") = " + text(tails[t]) + ", outside the bound from the waits, " +
             text(low) + " and " + text(high);
  }
  return {};
}

}  // namespace

double RouteLaw::error(std::int64_t t) const {
  if (goes_on) return step_of(t) < static_cast<double>(tails.size()) ? stated_of_wires : 1;
  return stated + 0.1 * std::exp(-slope * (static_cast<double>(tails.size()) - 1 - step_of(t)));
}

double RouteLaw::at_step(std::int64_t step) const {
  const auto size = static_cast<std::int64_t>(tails.size());
  if (step < 0) return 1;
  if (step < size) return tails[static_cast<std::size_t>(step)];
  return goes_on ? tails.back() * std::exp(-slope * static_cast<double>(step + 1 - size)) : 0;
}

double RouteLaw::above(std::int64_t t) const {
  if (t < 0) return 1;
  if (slots_per_step == 1) return at_step(t);
  const double step = step_of(t), below = std::floor(step);
  const double low = at_step(static_cast<std::int64_t>(below)),
               high = at_step(static_cast<std::int64_t>(below) + 1);
  return high > 0 ? low * std::pow(high / low, step - below) : low;
}

RouteLaw stretched(RouteLaw law, double factor) {
  if (factor == 1) return law;
  law.slots_per_step = factor;
  // Between two steps the tails are a geometric sequence of slots.
  law.mean = 0;
  std::int64_t t = 0;
  for (double step = -1; step < static_cast<double>(law.tails.size()); ++step) {
    const auto end = static_cast<std::int64_t>(std::ceil((step + 1.5) * factor - 0.5));
    if (end <= t) continue;
    const double first = law.above(t), count = static_cast<double>(end - t);
    const double last = law.above(end - 1);
    const double ratio = count > 1 && first > 0 ? std::pow(last / first, 1 / (count - 1)) : 1;
    law.mean += ratio < 1 ? first * (1 - std::pow(ratio, count)) / (1 - ratio) : first * count;
    t = end;
  }
  return law;
}

double slope_at(const Series& mass, std::size_t place) {
  if (place == 0 || !(mass[place] > 0) || !(mass[place - 1] > mass[place]))
    return place > 0 && !(mass[place] > 0) ? std::numeric_limits<double>::infinity() : 0;
  return std::log(mass[place - 1] / mass[place]);
}

Series tails_of(const Series& mass) {
  const std::size_t last = mass.size() - 1;
  double above = 0;
  if (last >= 4) {
    double minimum = std::numeric_limits<double>::infinity(), largest = 0;
    for (std::size_t place = last - 3; place <= last; ++place) {
      const double slope = slope_at(mass, place);
      minimum = std::min(minimum, slope);
      largest = std::max(largest, slope);
    }
    if (minimum > 1e-3 && largest <= 1.01 * minimum) above = mass.back() / std::expm1(slope_at(mass, last));
  }
  Series tails(mass.size());
  for (std::size_t t = mass.size(); t-- > 0;) {
    tails[t] = above;
    above += mass[t];
  }
  return tails;
}

RouteLaw route_law(const Series& mass, const std::vector<Series>& waits, double share, std::int64_t hops) {
  RouteLaw law{tails_of(mass), std::max(slope_at(mass, mass.size() - 1), 0.0), share, hops};
  for (const Series& wait : waits)
    for (const double tail : tails_of(wait)) law.mean += tail;
  law.broken = broken_invariant(mass, law.tails, waits, law.mean);
  return law;
}

void continue_below(RouteLaw& law, double minimum) {
  std::size_t last = 0;
  while (last + 1 < law.tails.size() && law.tails[last + 1] > minimum) ++last;
  law.tails.resize(last + 1);
  constexpr std::size_t max_slots = 6;
  const std::size_t slots = std::min(last, max_slots);
  law.goes_on = slots > 0;
  if (law.goes_on)
    law.slope = std::log(law.tails[last - slots] / law.tails[last]) / static_cast<double>(slots);
}

void require_consistent(const RouteLaw& law) {
  if (!law.broken.empty()) throw Contradiction("the model contradicts itself here: " + law.broken);
}

Horizon horizon_of(std::span<const Route> routes, const DelayQuery& query) {
  Horizon horizon{usual_tail, -1};
  for (const Rational& p : query.percentiles)
    horizon.target = std::min(horizon.target, numeric::nearest_double(1 - p));
  for (const Slots level : query.levels) horizon.deepest = std::max(horizon.deepest, level.value);
  // A route's last percentile may concern a small share of the packets.
  double min_share = 1;
  for (const Route& route : routes) min_share = std::min(min_share, numeric::nearest_double(route.share));
  horizon.target *= std::min(1.0, min_share);
  return horizon;
}

ClaimedDelayAnswer claims_of(const std::vector<RouteLaw>& laws, const DelayQuery& query) {
  std::int64_t minimum = std::numeric_limits<std::int64_t>::max();
  double mean = 0, mean_hops = 0;
  for (const RouteLaw& law : laws) {
    minimum = std::min(minimum, law.hops);
    mean += law.share * law.mean;
    mean_hops += law.share * static_cast<double>(law.hops);
  }
  const auto above = [&](std::int64_t t, bool latency) -> std::pair<double, double> {
    double sum = 0, error = 0;
    for (const RouteLaw& law : laws) {
      const std::int64_t slot = latency ? t - law.hops : t;
      const double part = law.share * law.above(slot);
      sum += part;
      if (slot >= 0) error += part * law.error(slot);
    }
    return {sum, sum > 0 ? error / sum : stated};
  };
  const auto claim = [&](std::int64_t t, bool latency) -> numeric::Claim<unit::Probability> {
    if (t < (latency ? minimum : 0)) return numeric::Exact<unit::Probability>{numeric::Theorem::sojourn, 1};
    const auto [value, error] = above(t, latency);
    return claim_of(value, error);
  };
  const auto percentile = [&](const Rational& p, bool latency) {
    const double bar = numeric::nearest_double(1 - p);
    const std::int64_t first = latency ? minimum : 0;
    std::int64_t low = first, high = first + 1;
    while (above(high, latency).first > bar) high += high;
    while (low < high) {
      const std::int64_t middle = low + (high - low) / 2;
      if (above(middle, latency).first <= bar)
        high = middle;
      else
        low = middle + 1;
    }
    ClaimedPercentile result{p, Slots(low), {Slots(low), claim(low, latency)}, {}};
    if (low > first) result.before.push_back({Slots(low - 1), claim(low - 1, latency)});
    return result;
  };
  const auto mean_claim = [](double value) -> numeric::Claim<unit::Slot> {
    return Approximation<unit::Slot>{rounded(value, 4), 4};
  };
  ClaimedDelayAnswer answer{{}, {}, {}, mean_claim(mean), mean_claim(mean + mean_hops)};
  for (const Slots level : query.levels) answer.above.push_back({level, claim(level.value, false)});
  for (const Rational& p : query.percentiles) {
    answer.queueing.push_back(percentile(p, false));
    answer.latency.push_back(percentile(p, true));
  }
  return answer;
}

void require_negligible(const Rational& negligible) {
  if (!(negligible > 0 && negligible <= 1))
    throw InvalidArgument("negligible", numeric::to_fraction(negligible), "above 0 and at most 1");
}

DelayDistribution distribution_of(const std::vector<RouteLaw>& laws, const Rational& negligible) {
  std::int64_t minimum = laws.front().hops;
  for (const RouteLaw& law : laws) minimum = std::min(minimum, law.hops);
  std::size_t size = 0;
  for (const RouteLaw& law : laws)
    size = std::max(size, law.tails.size() + static_cast<std::size_t>(law.hops - minimum));
  const numeric::PrecisionScope scope(numeric::Precision{128});
  DelayDistribution result;
  double before = 1;
  for (std::size_t t = 0; t < size; ++t) {
    double above = 0;
    for (const RouteLaw& law : laws)
      above += law.share * law.above(static_cast<std::int64_t>(t) - (law.hops - minimum));
    above = std::clamp(above, 0.0, before);
    before = above;
    result.above.push_back(numeric::make_interval(Real(above), Real(above)));
    result.at_most.push_back(numeric::make_interval(1 - Real(above), 1 - Real(above)));
  }
  result.beyond = numeric::make_interval(Real(0), Real(numeric::nearest_double(negligible)));
  return result;
}

}  // namespace tailbound::bounds
