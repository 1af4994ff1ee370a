#include <tailbound/queue/tail_bounds/last_empty_slot.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numbers>
#include <utility>

/// Derivation, with the names used here: docs/derivations/last_empty_slot.md.
namespace tailbound::queue {
namespace {

using numeric::Interval;
using numeric::PrecisionScope;
using numeric::Real;

/// Points of the circle per SIMD group: `lanes` real parts and as many imaginary parts.
constexpr std::size_t lanes = 8, wide = 2 * lanes;
constexpr double unit_roundoff = 0x1p-53;
/// More points or multiplications would take too long for a bound.
constexpr std::int64_t max_points = std::int64_t{1} << 18;
constexpr std::int64_t max_circle_work = 200'000'000;
/// Slots between two checks of the remainder.
constexpr std::int64_t stride = 8;

double up(double value) {
  return value == 0 ? 0 : std::nextafter(value, std::numeric_limits<double>::infinity());
}

/// Identical sources on a circle.
struct Kind {
  const SourceChain* source;
  std::vector<SourceChain::Step> steps;  ///< divided by the eigenvalue
  std::vector<double> start;             ///< of the states after a slot without a packet
  std::vector<double> slot_weights;      ///< v, scaled to minimum 1
  std::vector<char> receives;            ///< whether a packet arrives with a step to this state
  double own_roundings = 0;              ///< roundings per slot, in units
  std::vector<double> now, silent, sending;
};

/// Weights of a kind in one slot: the sum over all states, over those whose last slot had no packet for this
/// queue, and over those with one.
struct WeightSums {
  std::array<double, wide> all, none, one;
};

/// One slot: now = silent + y sending, each a sum over steps.
TAILBOUND_WIDE void advance(const SourceChain::Step* steps, std::size_t step_count, const char* receives,
                            std::size_t states, const double* __restrict y, double* __restrict now,
                            double* __restrict silent, double* __restrict sending, double* __restrict all,
                            double* __restrict sent) {
  for (std::size_t i = 0; i < states * wide; ++i) silent[i] = sending[i] = 0;
  for (std::size_t s = 0; s < step_count; ++s) {
    const double p = steps[s].probability;
    const double* from = now + static_cast<std::size_t>(steps[s].from) * wide;
    double* to = (steps[s].sends ? sending : silent) + static_cast<std::size_t>(steps[s].to) * wide;
    for (std::size_t i = 0; i < wide; ++i) to[i] += p * from[i];
  }
  for (std::size_t i = 0; i < wide; ++i) all[i] = sent[i] = 0;
  for (std::size_t state = 0; state < states; ++state) {
    double* at = now + state * wide;
    const double *quiet = silent + state * wide, *loud = sending + state * wide;
    if (receives[state] != 0) {
      for (std::size_t i = 0; i < lanes; ++i) {
        at[i] = quiet[i] + (y[i] * loud[i] - y[lanes + i] * loud[lanes + i]);
        at[lanes + i] = quiet[lanes + i] + (y[i] * loud[lanes + i] + y[lanes + i] * loud[i]);
      }
      for (std::size_t i = 0; i < wide; ++i) sent[i] += loud[i];
    } else {
      for (std::size_t i = 0; i < wide; ++i) at[i] = quiet[i];
    }
    for (std::size_t i = 0; i < wide; ++i) all[i] += at[i];
  }
}

using Lanes = std::array<double, wide>;

TAILBOUND_WIDE void multiply(double* __restrict by, const double* __restrict with) {
  for (std::size_t i = 0; i < lanes; ++i) {
    const double real = by[i] * with[i] - by[lanes + i] * with[lanes + i];
    by[lanes + i] = by[i] * with[lanes + i] + by[lanes + i] * with[i];
    by[i] = real;
  }
}

Lanes one() {
  Lanes result{};
  std::fill_n(result.begin(), lanes, 1.0);
  return result;
}

TAILBOUND_WIDE void square(double* base) {
  for (std::size_t i = 0; i < lanes; ++i) {
    const double real = base[i] * base[i] - base[lanes + i] * base[lanes + i];
    base[lanes + i] = 2 * (base[i] * base[lanes + i]);
    base[i] = real;
  }
}

Lanes power(Lanes base, std::int64_t exponent) {
  Lanes result = one();
  for (; exponent > 0; exponent /= 2) {
    if (exponent % 2 == 1) multiply(result.data(), base.data());
    if (exponent > 1) square(base.data());
  }
  return result;
}

/// All sources on one circle.
class Circle {
 public:
  Circle(const std::vector<SourceChain>& sources, LastEmptySlot::Of of, double radius, std::int64_t points,
         double wanted)
      : of_(of), radius_(radius), points_(points), wanted_(wanted) {
    PrecisionScope scope(numeric::Precision{96});
    Interval ratio = Interval(1) / numeric::to_interval(Real(radius));
    for (const SourceChain& source : sources) {
      Kind& kind = kinds_.emplace_back();
      kind.source = &source;
      const auto [eigenvalue, slot_weights] = source.weights(std::log(radius));
      const double scale = 1 / eigenvalue;
      ratio *= exp(log(Interval(1) / numeric::to_interval(Real(scale))) *
                   Interval(Real(static_cast<long>(source.count))));
      kind.steps = source.steps;
      const std::size_t states = source.stationary.size();
      kind.receives.assign(states, 0);
      kind.start.assign(states, 0.0);
      std::vector<int> steps_to(states, 0);
      for (SourceChain::Step& step : kind.steps) {
        const auto from = static_cast<std::size_t>(step.from), to = static_cast<std::size_t>(step.to);
        const double came = up(source.stationary[from] * step.probability);
        kind.start[to] = up(kind.start[to] + (step.sends ? up(source.quiet * came) : came));
        step.probability = up(step.probability * scale);
        if (step.sends) kind.receives[to] = 1;
        ++steps_to[to];
      }
      kind.slot_weights = slot_weights;
      const double minimum = *std::min_element(slot_weights.begin(), slot_weights.end());
      for (double& value : kind.slot_weights) value /= minimum;
      // M(R) v <= growth v
      const double y = up(source.quiet + up(source.rate * radius));
      std::vector<double> image(states, 0.0);
      for (const SourceChain::Step& step : kind.steps)
        image[static_cast<std::size_t>(step.from)] +=
            step.probability * (step.sends ? y : 1) * kind.slot_weights[static_cast<std::size_t>(step.to)];
      double growth = 0;
      for (std::size_t i = 0; i < states; ++i) growth = std::max(growth, image[i] / kind.slot_weights[i]);
      log_growth_ += static_cast<double>(source.count) *
                     (std::log(growth) + static_cast<double>(states + 8) * 4 * unit_roundoff);
      // Sums over steps, the rounding of y, and the product with it.
      kind.own_roundings = *std::max_element(steps_to.begin(), steps_to.end()) + 16;
      sources_ += static_cast<double>(source.count);
      steps_ += static_cast<std::int64_t>(kind.steps.size() + 2 * states);
    }
    log_ratio_ = up(static_cast<double>(numeric::upper(log(ratio))));
    ratio_ = up(up(static_cast<double>(numeric::upper(ratio))));
    log_growth_ += log_ratio_;
  }

  /// Whether a source without a packet is always in the same state. Its probability is then a factor of all
  /// terms, and omitted.
  [[nodiscard]] bool one_empty_state() {
    for (const Kind& kind : kinds_)
      if (std::count_if(kind.start.begin(), kind.start.end(), [](double p) { return p > 0; }) != 1)
        return false;
    for (Kind& kind : kinds_)
      for (double& p : kind.start) p = p > 0 ? 1 : 0;
    return true;
  }

  /// Sums over slots at the angles of points 0 .. points / 2.
  /// \return false if it would take too long
  [[nodiscard]] bool sum() {
    if (!(log_growth_ < -1e-12)) return false;
    const std::int64_t last = points_ / 2;
    real_.assign(static_cast<std::size_t>(last + 1), 0.0);
    imaginary_ = real_;
    for (std::int64_t first = 0; first <= last; first += static_cast<std::int64_t>(lanes))
      if (!sum_from(first)) return false;
    return true;
  }

  [[nodiscard]] std::vector<double>& real() { return real_; }
  [[nodiscard]] std::vector<double>& imaginary() { return imaginary_; }
  /// Error of the mean over the circle.
  [[nodiscard]] double error() const {
    const auto slots = static_cast<double>(slots_);
    return 1.001 * (roundings_ + slots * unit_roundoff * terms_ + left_ / static_cast<double>(points_));
  }

 private:
  bool sum_from(std::int64_t first) {
    const std::int64_t last = points_ / 2;
    Lanes x{}, turn{};
    for (std::size_t i = 0; i < lanes; ++i) {
      const std::int64_t j = std::min(first + static_cast<std::int64_t>(i), last);
      const long double angle = 2 * std::numbers::pi_v<long double> * static_cast<long double>(j) /
                                static_cast<long double>(points_);
      const auto c = static_cast<double>(std::cos(angle)), s = static_cast<double>(std::sin(angle));
      x[i] = radius_ * c;
      x[lanes + i] = radius_ * s;
      turn[i] = ratio_ * c;
      turn[lanes + i] = -ratio_ * s;
    }
    for (Kind& kind : kinds_) {
      kind.now.assign(kind.start.size() * wide, 0.0);
      kind.silent = kind.sending = kind.now;
      for (std::size_t state = 0; state < kind.start.size(); ++state)
        std::fill_n(kind.now.begin() + static_cast<std::ptrdiff_t>(state * wide), lanes, kind.start[state]);
    }
    Lanes turned = one(), total{};
    std::array<double, lanes> left{};
    std::vector<WeightSums> sums(kinds_.size());
    for (std::int64_t slot = 1;; ++slot) {
      work_ += steps_;
      if (work_ * static_cast<std::int64_t>(wide) > max_circle_work) return false;
      for (std::size_t k = 0; k < kinds_.size(); ++k) advance(kinds_[k], x, sums[k]);
      multiply(turned.data(), turn.data());
      const Lanes term = term_of(sums, turned);
      for (std::size_t i = 0; i < wide; ++i) total[i] += term[i];
      if (first == 0) count(slot, sums, turned[0]);
      if (slot % stride == 0) {
        bool enough = true;
        for (std::size_t i = 0; i < lanes; ++i) {
          left[i] = left_after(slot, i, first == 0 && i == 0);
          if (left[i] > wanted_) enough = false;
        }
        if (first == 0) left_at_zero_ = left[0];
        if (enough) break;
        // The remainder is largest at angle 0.
        if (first != 0 && slot >= slots_) {
          left.fill(left_at_zero_);
          break;
        }
      }
    }
    for (std::size_t i = 0; i < lanes; ++i) {
      const std::int64_t j = first + static_cast<std::int64_t>(i);
      if (j > last) break;
      real_[static_cast<std::size_t>(j)] = total[i];
      imaginary_[static_cast<std::size_t>(j)] = total[lanes + i];
      left_ += left[i] * (j == 0 || j == last ? 1 : 2);
    }
    return true;
  }

  static void advance(Kind& kind, const Lanes& x, WeightSums& sums) {
    const SourceChain& source = *kind.source;
    Lanes y{};
    for (std::size_t i = 0; i < wide; ++i) y[i] = source.rate * x[i];
    for (std::size_t i = 0; i < lanes; ++i) y[i] += source.quiet;
    Lanes sent{};
    queue::advance(kind.steps.data(), kind.steps.size(), kind.receives.data(), kind.start.size(), y.data(),
                   kind.now.data(), kind.silent.data(), kind.sending.data(), sums.all.data(), sent.data());
    // none = all - r x sent, without the difference
    sums.one = x;
    multiply(sums.one.data(), sent.data());
    for (std::size_t i = 0; i < wide; ++i) sums.one[i] *= source.rate;
    sums.none.fill(0);
    for (std::size_t state = 0; state < kind.start.size(); ++state)
      for (std::size_t i = 0; i < wide; ++i) sums.none[i] += kind.silent[state * wide + i];
    if (source.quiet > 0)
      for (std::size_t i = 0; i < wide; ++i) sums.none[i] += source.quiet * sent[i];
  }

  [[nodiscard]] Lanes term_of(const std::vector<WeightSums>& sums, const Lanes& turned) const {
    Lanes result = turned;
    if (of_ == LastEmptySlot::Of::tail) {
      for (std::size_t k = 0; k < kinds_.size(); ++k) {
        const Lanes all = power(sums[k].all, kinds_[k].source->count);
        multiply(result.data(), all.data());
      }
      return result;
    }
    // E[(A - 1)^+] = E[A] - 1 + P(A = 0) for the packets A of the last slot
    Lanes all = one(), none = one(), packets{};
    for (std::size_t k = 0; k < kinds_.size(); ++k) {
      const std::int64_t count = kinds_[k].source->count;
      const Lanes others = power(sums[k].all, count - 1);
      multiply(packets.data(), others.data());
      multiply(packets.data(), sums[k].all.data());
      Lanes of_one = sums[k].one;
      multiply(of_one.data(), others.data());
      multiply(of_one.data(), all.data());
      for (std::size_t i = 0; i < wide; ++i) packets[i] += static_cast<double>(count) * of_one[i];
      multiply(all.data(), others.data());
      multiply(all.data(), sums[k].all.data());
      const Lanes no = power(sums[k].none, count);
      multiply(none.data(), no.data());
    }
    for (std::size_t i = 0; i < wide; ++i) packets[i] += none[i] - all[i];
    multiply(result.data(), packets.data());
    return result;
  }

  /// Counts rounding errors, which are largest at angle 0, where all terms are positive.
  void count(std::int64_t slot, const std::vector<WeightSums>& sums, double turned) {
    slots_ = slot;
    double units = 16 * static_cast<double>(slot) + 64, term = turned, packets = 0, none = turned;
    for (std::size_t k = 0; k < kinds_.size(); ++k) {
      const auto count = static_cast<double>(kinds_[k].source->count);
      units += count * (kinds_[k].own_roundings * static_cast<double>(slot) +
                        2 * static_cast<double>(kinds_[k].start.size()) + 16);
      term *= std::pow(sums[k].all[0], count);
      none *= std::pow(sums[k].none[0], count);
      packets += count * sums[k].one[0] / sums[k].all[0];
    }
    if (of_ == LastEmptySlot::Of::loss) term = term * (packets + 1) + none;
    terms_ += 1.001 * term;
    roundings_ += 1.001 * std::expm1(units * unit_roundoff) * term;
    if (slot % stride == 0) {
      auto& weights_of_kinds = weights_at_zero_.emplace_back();
      for (const Kind& kind : kinds_) weights_of_kinds.push_back(weights_of(kind, 0));
    }
  }

  /// sum |now| v of a kind at one point
  static double weights_of(const Kind& kind, std::size_t lane) {
    double sum = 0;
    for (std::size_t state = 0; state < kind.start.size(); ++state)
      sum += kind.slot_weights[state] *
             std::hypot(kind.now[state * wide + lane], kind.now[state * wide + lanes + lane]);
    return sum * (1 + 1e-12);
  }

  /// Upper bound of the sum of all terms after `slot`.
  double left_after(std::int64_t slot, std::size_t lane, bool at_zero) const {
    double exponent =
        static_cast<double>(slot) * log_ratio_ + log_growth_ - std::log(-std::expm1(log_growth_));
    const auto place = static_cast<std::size_t>(slot / stride - 1);
    for (std::size_t k = 0; k < kinds_.size(); ++k) {
      const double own = kinds_[k].own_roundings * static_cast<double>(slot) * unit_roundoff;
      double slot_weights = at_zero ? weights_at_zero_[place][k] : weights_of(kinds_[k], lane);
      slot_weights += 1.01 * std::expm1(own) * weights_at_zero_[place][k];
      exponent += static_cast<double>(kinds_[k].source->count) * std::log(slot_weights);
    }
    const double times = of_ == LastEmptySlot::Of::loss ? sources_ + 2 : 1;
    return 1.001 * times * std::exp(exponent);
  }

  LastEmptySlot::Of of_;
  double radius_;
  std::int64_t points_;
  double wanted_;
  std::vector<Kind> kinds_;
  double ratio_ = 0, log_ratio_ = 0;  ///< of one slot's factor, prod w / R
  double log_growth_ = 0;             ///< of the terms' bound from slot to slot
  double sources_ = 0;
  std::int64_t steps_ = 0, work_ = 0, slots_ = 0;
  double terms_ = 0, roundings_ = 0, left_ = 0, left_at_zero_ = 0;
  std::vector<std::vector<double>> weights_at_zero_;
  std::vector<double> real_, imaginary_;
};

}  // namespace

std::optional<LastEmptySlot> LastEmptySlot::upto(const std::vector<SourceChain>& sources, Of of,
                                                 double decay_rate, const numeric::Rational& rho,
                                                 std::int64_t level) {
  // At the radius R = z0^f coefficient n is smaller than the sum by (z0/R)^n, which must exceed the rounding
  // errors. Aliasing errors fall as R^-L and (R/z0)^L with L points.
  const double depth = decay_rate * static_cast<double>(level);
  const double before = std::min(depth / 2, 5.0), part = 1 - before / depth;
  const double points = std::max((depth + 18) / part, 10 / (1 - part)) / decay_rate;
  if (!(points < static_cast<double>(max_points))) return std::nullopt;
  LastEmptySlot result;
  result.level_ = level;
  result.points_ = 2 * static_cast<std::int64_t>(std::max(points / 2, 16.0)) + 2;
  result.radius_ = std::exp(part * decay_rate);
  if (!(result.radius_ > 1)) return std::nullopt;
  Circle circle(sources, of, result.radius_, result.points_, 1e-13);
  const PrecisionScope scope(numeric::Precision{96});
  Interval factor(1);
  if (circle.one_empty_state()) factor = numeric::to_interval(1 - rho);
  if (of == Of::loss) factor /= numeric::to_interval(rho);
  result.factor_ = numeric::upper(factor);
  if (!circle.sum()) return std::nullopt;
  result.real_ = std::move(circle.real());
  result.imaginary_ = std::move(circle.imaginary());
  result.error_ = circle.error();
  return result;
}

double LastEmptySlot::mean(std::int64_t n) const {
  // Sums in long double, with cosines correct to the last bit.
  const std::int64_t last = points_ / 2;
  long double sum = 0, magnitude = 0;
  for (std::int64_t j = 0; j <= last; ++j) {
    const auto place = static_cast<std::size_t>(j);
    const long double angle = 2 * std::numbers::pi_v<long double> *
                              static_cast<long double>(j * n % points_) / static_cast<long double>(points_);
    const long double real = real_[place], imaginary = imaginary_[place];
    const int times = j == 0 || j == last ? 1 : 2;
    sum += static_cast<long double>(times) * (real * std::cos(angle) + imaginary * std::sin(angle));
    magnitude += static_cast<long double>(times) * (std::abs(real) + std::abs(imaginary));
  }
  const auto count = static_cast<long double>(points_);
  return static_cast<double>((sum + magnitude * (count + 16) * 0x1p-62L) / count);
}

Real LastEmptySlot::bound(std::int64_t n) const {
  const PrecisionScope scope(numeric::Precision{96});
  const double maximum = up((mean(n) + error_) * (1 + 4 * unit_roundoff));
  const Interval fall = exp(-log(numeric::to_interval(Real(radius_))) * Interval(Real(static_cast<long>(n))));
  const Real exactly =
      numeric::upper(numeric::to_interval(Real(maximum)) * numeric::to_interval(factor_) * fall);
  // Up to six digits: more would depend on the machine's exponential function and are meaningless.
  constexpr int bits = 20;
  int exponent = 0;
  const Real fraction = frexp(exactly, &exponent);
  return ldexp(ceil(ldexp(fraction, bits)), exponent - bits);
}

}  // namespace tailbound::queue
