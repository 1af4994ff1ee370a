#include <tailbound/numeric/power.hpp>
#include <tailbound/numeric/text/plain.hpp>
#include <tailbound/queue/tail_bounds/burst_bound.hpp>
#include <tailbound/queue/tail_bounds/convex_zero.hpp>

#include <algorithm>
#include <cmath>

/// Derivation, with the names used here: docs/derivations/burst_bound.md.
namespace tailbound::queue {
namespace {

using numeric::Interval;
using numeric::power;
using numeric::Precision;
using numeric::PrecisionScope;
using numeric::Rational;
using numeric::Real;

/// A group's probabilities as Reals (to search for a pair z, w) or as Intervals (to prove one).
template <class T>
struct Source {
  T start, stop;  ///< alpha, beta
  T rate, share;  ///< r, s
  std::int64_t count;
  bool always;  ///< beta = 0: always ON, here
};

Real number(const Rational& value, const Real&) {
  return numeric::to_real(value, numeric::Rounding::nearest);
}
Interval number(const Rational& value, const Interval&) {
  return numeric::to_interval(value);
}

template <class T>
std::vector<Source<T>> sources_of(const std::vector<OnOffGroup>& groups) {
  std::vector<Source<T>> sources;
  for (const auto& [source, count, share] : groups)
    sources.push_back({number(source.start, T()), number(source.stop, T()), number(source.on_rate, T()),
                       number(share, T()), count, source.stop == 0});
  return sources;
}

/// The largest eigenvalue w of M(z) at y = 1 - r + r z, and dw/dy; not proved.
struct BurstEigenvalue {
  Real value, slope;
};

BurstEigenvalue eigenvalue(const Source<Real>& source, const Real& y, int bits) {
  if (source.always) return {y, Real(1)};
  const Real stay = 1 - source.stop, idle = 1 - source.start;
  const Real here = source.start * source.share * source.stop;
  const Real elsewhere = source.start * (1 - source.share) * source.stop;
  // f(w) = 1 - alpha + alpha s y beta/(w - (1-beta) y) + alpha (1-s) beta/(w - (1-beta)) - w is convex and
  // decreases from infinity: Newton's method increases to its zero from the eigenvalue of OFF and ON here
  // alone.
  const Real half = (idle - stay * y) / 2;
  Real w = (idle + stay * y) / 2 + sqrt(half * half + here * y);
  if (w < 1) w = 1;
  Real falls = 1;
  for (int step = 0; step < 4 * bits; ++step) {
    const Real own = w - stay * y, other = w - stay;
    const Real f = idle + here * y / own + elsewhere / other - w;
    falls = 1 + here * y / (own * own) + elsewhere / (other * other);
    const Real by = f / falls;
    if (!(by > ldexp(w, 8 - bits))) break;
    w += by;
  }
  const Real own = w - stay * y;
  return {w, here * w / (own * own) / falls};
}

/// F(x) = sum of count log w(e^x) - x, and its slope. F is convex, 0 at 0, with slope rho - 1 there.
ValueAndSlope excess(const std::vector<Source<Real>>& sources, const Real& x, int bits) {
  const Real z = exp(x);
  ValueAndSlope sum{-x, -1};
  for (const Source<Real>& source : sources) {
    const BurstEigenvalue w = eigenvalue(source, 1 - source.rate + source.rate * z, bits);
    const Real count(source.count);
    sum.value += count * log(w.value);
    sum.slope += count * w.slope * source.rate * z / w.value;
  }
  return sum;
}

/// The smaller number, as a point: a lower bound of both.
Interval minimum(const Interval& a, const Interval& b) {
  return numeric::to_interval(numeric::lower(a) < numeric::lower(b) ? numeric::lower(a) : numeric::lower(b));
}

/// Lower bound of the mean of v for a source that does not send now, given the slots in which it has sent
/// (burst_bound.md, (7)); none if not proved. v is 1, `own` >= 1 and `other` <= 1.
std::optional<Interval> quiet_mean(const Source<Real>& rough, const Source<Interval>& source,
                                   const Interval& own, const Interval& other, int bits) {
  if (!(numeric::lower(own) >= 1)) return std::nullopt;
  const Real little = ldexp(Real(1), 24 - bits);
  if (rough.share == 1) {
    // y, the probability that it is ON, becomes sends(y) after a slot without a packet; 1 after one with a
    // packet.
    const Real memory = 1 - rough.start - rough.stop, quiet = 1 - rough.rate;
    const auto silent = [&](const auto& y, const auto& from, const auto& one) {
      const auto on = decltype(one)(y * (one - from.stop) + (one - y) * from.start);
      return std::decay_t<decltype(one)>((one - from.rate) * on / (one - from.rate * on));
    };
    const Real b = 1 - rough.rate * rough.start - quiet * memory;
    const Real fixed =
        2 * quiet * rough.start / (b + sqrt(Real(b * b - 4 * rough.rate * memory * quiet * rough.start)));
    const Real on = rough.start / (rough.start + rough.stop);
    const Real y = std::min({fixed, silent(Real(1), rough, Real(1)), on}) * (1 - little);
    const Interval at = numeric::to_interval(y), one(1);
    if (!(numeric::lower(silent(at, source, one)) >= y) || !(numeric::lower(silent(one, source, one)) >= y) ||
        !(numeric::lower(Interval(source.start / (source.start + source.stop))) >= y))
      return std::nullopt;
    return one + (own - one) * at;
  }
  // x, the odds of ON elsewhere against OFF, become at most this after each slot; 0 after a packet.
  const auto next = [](const auto& x, const auto& from, const auto& one) {
    return std::decay_t<decltype(one)>((x * (one - from.stop) + from.start * (one - from.share)) /
                                       (one - from.start + from.stop * x));
  };
  if (!(rough.start < 1)) return std::nullopt;
  const Real less = rough.start - rough.stop, away = rough.start * (1 - rough.share);
  const Real fixed = (less + sqrt(Real(less * less + 4 * rough.stop * away))) / (2 * rough.stop);
  const Real x = std::max({fixed, next(Real(0), rough, Real(1)), Real(away / rough.stop)}) * (1 + little);
  const Interval at = numeric::to_interval(x), one(1);
  if (!(numeric::upper(next(at, source, one)) <= x) ||
      !(numeric::upper(next(Interval(0), source, one)) <= x) ||
      !(numeric::upper(Interval(source.start * (one - source.share) / source.stop)) <= x))
    return std::nullopt;
  return (one + at * other) / (one + at);
}

/// The constants G and H at z, if M(z) v <= w v and prod w <= z can be proved.
struct BurstConstants {
  Real tail, loss;
  std::optional<Real> climb{};
};

std::optional<BurstConstants> prove(const std::vector<OnOffGroup>& groups, const Rational& load,
                                    const Real& z, int bits) {
  const std::vector<Source<Real>> rough = sources_of<Real>(groups);
  const std::vector<Source<Interval>> sources = sources_of<Interval>(groups);
  Interval all(1);              // prod w
  Interval mean(1), lowest(1);  // of the product of v: its mean, and a lower bound of the mean for any
                                // packets sent
  Interval first(1), silent(1), packets(0);
  std::vector<Interval> gains;  // v(ON here) divided by that, for the two sources for which it is smallest
  bool light = true;            // whether v is at most 1 for every source that does not send
  for (std::size_t g = 0; g < sources.size(); ++g) {
    const Source<Interval>& source = sources[g];
    const Interval y = Interval(1) - source.rate + source.rate * Interval(z);
    Interval own(1), mass_here(1), off(0), other_part(0), floor(1);
    light = light && !source.always && groups[g].source.on_rate == 1;
    if (source.always) {
      all *= power(y, source.count);
    } else {
      Real w = eigenvalue(rough[g], 1 - rough[g].rate + rough[g].rate * z, bits).value;
      w += ldexp(w, 24 - bits);
      const Interval stay = Interval(1) - source.stop;
      const Interval own_margin = numeric::to_interval(w) - stay * y,
                     other_margin = numeric::to_interval(w) - stay;
      if (!(numeric::lower(own_margin) > 0) || !(numeric::lower(other_margin) > 0)) return std::nullopt;
      own = source.stop / own_margin;
      const Interval other = source.stop / other_margin;
      const bool elsewhere = groups[g].share != 1;
      Interval image = Interval(1) - source.start + source.start * source.share * y * own;
      if (elsewhere) image += source.start * (Interval(1) - source.share) * other;
      light = light && (!elsewhere || numeric::upper(other) <= 1);
      if (!(numeric::upper(image) <= w)) return std::nullopt;
      all *= power(numeric::to_interval(w), source.count);
      const Interval on = source.start / (source.start + source.stop);
      mass_here = on * source.share;
      off = Interval(1) - on;
      floor = minimum(Interval(1), own);
      if (elsewhere) {
        other_part = on * (Interval(1) - source.share) * other;
        floor = minimum(floor, other);
      }
      if (const auto quiet = quiet_mean(rough[g], source, own, other, bits))
        floor = numeric::to_interval(numeric::lower(*quiet));
    }
    const Interval rest = off + other_part, ours = mass_here * own;
    mean *= power(rest + ours, source.count);
    lowest *= power(floor, source.count);
    const Interval here = rest + y * ours;
    first *= power(here, source.count);
    silent *= power(rest + (Interval(1) - source.rate) * ours, source.count);
    packets += Interval(Real(source.count)) * source.rate * ours / here;
    for (int i = 0; i < 2 && i < source.count; ++i) gains.push_back(own / floor);
  }
  if (gains.size() < 2) return BurstConstants{Real(0), Real(0)};  // one source: never two packets per slot
  if (!(numeric::upper(all) <= z)) return std::nullopt;
  std::sort(gains.begin(), gains.end(),
            [](const Interval& a, const Interval& b) { return numeric::lower(a) < numeric::lower(b); });
  const Interval passage = lowest * numeric::to_interval(numeric::lower(gains[0])) *
                           numeric::to_interval(numeric::lower(gains[1]));
  const Interval rho = numeric::to_interval(load), at(z);
  const Real tail = numeric::upper(mean / passage);
  // E[(A-1)^+ z^(A-1) prod v] = E[(A-1) z^(A-1) prod v] + E[prod v; A = 0] / z
  const Real one_slot =
      numeric::upper((first * (at * packets - Interval(1)) + silent) / (at * passage * rho));
  const Real sum = numeric::upper(Interval(tail) * at / ((at - Interval(1)) * rho));
  BurstConstants constants{tail, one_slot < sum ? one_slot : sum};
  if (light) constants.climb = numeric::upper(Interval(1) / passage);
  return constants;
}

}  // namespace

std::optional<ExponentialBound> burst_bound(const MarkovArrivals& arrivals, numeric::Digits digits) {
  if (digits.count < 1 || digits.count > 1000)
    throw InvalidArgument("digits", std::to_string(digits.count), "from 1 to 1000");
  if (arrivals.load() >= 1) throw Unstable(numeric::plain(arrivals.load()));
  const auto* groups = std::get_if<std::vector<OnOffGroup>>(&arrivals.form());
  if (groups == nullptr) return std::nullopt;
  for (const OnOffGroup& group : *groups)
    if (group.source.stop == 0 && group.share != 1) return std::nullopt;
  const auto [wanted, bits] = search_bits(arrivals.load(), digits);
  const PrecisionScope scope(Precision{bits});
  const std::vector<Source<Real>> sources = sources_of<Real>(*groups);
  const Real best = convex_zero([&, bits = bits](const Real& x) { return excess(sources, x, bits); }, bits);
  // Slightly before the zero the inequalities are strict and hold despite roundings.
  for (int backwards = wanted; backwards > 0; backwards -= 8) {
    const Real z = exp(best - ldexp(best, -backwards));
    if (!(z > 1)) continue;
    if (const auto constants = prove(*groups, arrivals.load(), z, bits))
      return ExponentialBound(arrivals.load(), z, constants->tail, constants->loss, digits, constants->climb);
  }
  throw LimitExceeded("no bound for the queue at load " + numeric::to_fraction(arrivals.load()) +
                      " could be proved");
}

std::vector<SourceChain> source_chains(const std::vector<OnOffGroup>& groups) {
  std::vector<SourceChain> chains;
  const PrecisionScope scope(Precision{96});
  const std::vector<Source<Real>> sources = sources_of<Real>(groups);
  for (std::size_t g = 0; g < groups.size(); ++g) {
    const auto& [source, count, share] = groups[g];
    SourceChain& chain = chains.emplace_back();
    chain.count = count;
    chain.rate = double_above(source.on_rate);
    chain.quiet = double_above(1 - source.on_rate);
    if (source.stop == 0) {
      if (share != 1)
        throw InvalidArgument("share", numeric::to_fraction(share), "1 for a source that never stops");
      chain.stationary = {1};
      chain.steps = {{0, 0, 1, true}};
      chain.weights = [of = sources[g]](double log_z) {
        const PrecisionScope inside(Precision{96});
        return SourceChain::Weights{static_cast<double>(1 - of.rate + of.rate * exp(Real(log_z))), {1}};
      };
      continue;
    }
    enum { off, here, elsewhere };
    const Rational on = source.start / (source.start + source.stop);
    chain.stationary = {double_above(1 - on), double_above(on * share)};
    const auto step = [&](int from, int to, const Rational& probability) {
      if (probability > 0) chain.steps.push_back({from, to, double_above(probability), to == here});
    };
    step(off, off, 1 - source.start);
    step(off, here, source.start * share);
    step(here, off, source.stop);
    step(here, here, 1 - source.stop);
    if (share != 1) {
      chain.stationary.push_back(double_above(on * (1 - share)));
      step(off, elsewhere, source.start * (1 - share));
      step(elsewhere, off, source.stop);
      step(elsewhere, elsewhere, 1 - source.stop);
    }
    chain.weights = [of = sources[g], others = share != 1](double log_z) {
      const PrecisionScope inside(Precision{96});
      const Real y = 1 - of.rate + of.rate * exp(Real(log_z));
      const Real stay = 1 - of.stop;
      const Real w = eigenvalue(of, y, 96).value * (1 + ldexp(Real(1), -60));
      SourceChain::Weights weights{static_cast<double>(w),
                                   {1, static_cast<double>(of.stop / (w - stay * y))}};
      if (others) weights.of_state.push_back(static_cast<double>(of.stop / (w - stay)));
      return weights;
    };
  }
  return chains;
}

std::optional<SourceBound> source_bound(const MarkovArrivals& arrivals, numeric::Digits digits) {
  auto exponential = burst_bound(arrivals, digits);
  if (!exponential) return std::nullopt;
  return SourceBound(std::move(*exponential),
                     source_chains(std::get<std::vector<OnOffGroup>>(arrivals.form())));
}

}  // namespace tailbound::queue
