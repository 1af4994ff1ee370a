#include <tailbound/core/last_that.hpp>
#include <tailbound/queue/slotted/slotted_engine.hpp>
#include <tailbound/queue/slotted/tail_engine.hpp>

#include <algorithm>
#include <functional>

namespace tailbound::queue {
namespace {

using numeric::Enclosure;
using numeric::Exact;
using numeric::Interval;
using numeric::Precision;
using numeric::PrecisionScope;
using numeric::Rational;
using numeric::Real;
using Proved = ProvedProbability;

[[noreturn]] void reject_depth() {
  throw LimitExceeded("the buffer would have to exceed 10^15 packets, which is the limit");
}

template <class T>
class EngineOf final : public SlottedEngine {
 public:
  EngineOf(numeric::Proof proof, TailEngine<T> engine, Method method, double min_log2)
      : proof_(proof), engine_(std::move(engine)), method_(method), min_log2_(min_log2) {}

  std::optional<Proved> at(std::int64_t n) override {
    const Scope scope(engine_.bits());
    if (engine_.zero_from() >= 0 && n >= engine_.zero_from())
      return Proved(Exact<unit::Probability>{proof_, 0});
    Real lower, upper;
    engine_.enclose(engine_.value(n), lower, upper);
    if (lower < 0) lower = 0;
    if (upper > 1) upper = 1;
    if (upper == 0 || numeric::log2_magnitude(upper) < min_log2_) return std::nullopt;
    return Proved(Enclosure<unit::Probability>(proof_, std::move(lower), std::move(upper)));
  }

  std::optional<std::int64_t> guess(const Target& target, std::int64_t hint) override {
    const Scope scope(engine_.bits());
    const double log2_target = target.log2;
    const bool in_reach = log2_target > min_log2_;
    const T bar = in_reach ? from_rational(target.value) : T(0);
    if (hint < 0) {
      // Step as far as is about as cheap as a few jumps.
      const std::size_t reach = std::max<std::size_t>(2048, 64 * engine_.order());
      std::size_t known = 0;
      for (std::size_t count = 32;; count = std::min(count + std::max<std::size_t>(32, count / 4), reach)) {
        const std::vector<T>& values = engine_.walk(count);
        const auto found = std::find_if(
            values.begin() + static_cast<std::ptrdiff_t>(known), values.end(),
            [&](const T& value) { return in_reach ? at_most(value, bar) : log2_of(value) < min_log2_; });
        if (found != values.end()) {
          known = static_cast<std::size_t>(found - values.begin());
          if (in_reach) return static_cast<std::int64_t>(known);
          break;
        }
        known = count;
        if (count == reach) break;
      }
      if (known < 4) return std::nullopt;
      if (engine_.order() == 0) return std::nullopt;
      // By now the decay is geometric: extrapolate to the level that meets the target.
      const std::vector<T>& values = engine_.walk(known);
      const double last = log2_of(values[known - 1]);
      const double slope = (log2_of(values[known / 2]) - last) / static_cast<double>(known - 1 - known / 2);
      const double to_fall = last - log2_target;
      // Flat to the rounding of the logarithms: it falls by less than 1e-15 over half of 2048 places or more.
      const bool flat = !(slope > 0) && !std::is_floating_point_v<T> && known >= 2048 && to_fall > 1e-2;
      if (flat) reject_depth();
      if (!(slope > 0)) return std::nullopt;
      const double places = to_fall / slope;
      if (!(places < static_cast<double>(deepest_level))) reject_depth();
      hint = static_cast<std::int64_t>(known) + static_cast<std::int64_t>(places);
    }
    // Values this small need another arithmetic, but the hint is known.
    if (!in_reach) return hint;
    if (cost(hint) > 1e9) return std::nullopt;
    // Far out the decay per level is constant.
    for (int tries = 0; tries < 4 && hint > 0 && hint <= deepest_level; ++tries) {
      const T here = engine_.value(hint).value, before = engine_.value(hint - 1).value;
      if (at_most(here, bar) && !at_most(before, bar)) return hint;
      const double slope = log2_of(before) - log2_of(here), rest = log2_of(here) - log2_target;
      if (!(slope > 0) || !(std::fabs(rest / slope) < 0.5 * static_cast<double>(hint))) break;
      hint += static_cast<std::int64_t>(std::ceil(rest / slope));
    }
    hint = std::clamp<std::int64_t>(hint, 0, deepest_level);
    // Gallop away from the hint, then bisection.
    std::int64_t above = -1, below = -1;  // value(above) > target >= value(below)
    for (std::int64_t step = 1, n = hint;; step *= 4) {
      if (n > deepest_level) reject_depth();
      if (at_most(engine_.value(n).value, bar)) {
        below = n;
        if (above >= 0 || n == 0) break;
        n = std::max<std::int64_t>(0, n - step);
      } else {
        above = n;
        if (below >= 0) break;
        n += step;
      }
    }
    return first_that(above + 1, below,
                      [&](std::int64_t at) { return at_most(engine_.value(at).value, bar); });
  }

  [[nodiscard]] double cost(std::int64_t n) const override { return engine_.cost(n); }
  [[nodiscard]] Method method() const override { return method_; }

 private:
  /// New Reals and Intervals get the engine's precision; machine numbers need none.
  struct NoScope {
    explicit NoScope(int) {}
  };
  struct LongScope {
    explicit LongScope(int bits) : scope(Precision{bits}) {}
    PrecisionScope scope;
  };
  using Scope = std::conditional_t<std::is_floating_point_v<T>, NoScope, LongScope>;

  static T from_rational(const Rational& value) {
    if constexpr (std::is_same_v<T, double>)
      return numeric::nearest_double(value);
    else if constexpr (std::is_same_v<T, long double>)
      return numeric::nearest_long_double(value);
    else if constexpr (std::is_same_v<T, Real>)
      return numeric::to_real(value, numeric::Rounding::nearest);
    else
      return numeric::to_interval(value);
  }
  static bool at_most(const T& value, const T& bar) {
    if constexpr (std::is_same_v<T, Interval>)
      return numeric::upper(value) <= numeric::upper(bar);
    else
      return value <= bar;
  }
  static double log2_of(const T& value) {
    if constexpr (std::is_floating_point_v<T>)
      return static_cast<double>(std::log2(value));
    else if constexpr (std::is_same_v<T, Interval>)
      return numeric::log2_magnitude(numeric::upper(value));
    else
      return numeric::log2_magnitude(value);
  }

  numeric::Proof proof_;
  TailEngine<T> engine_;
  Method method_;
  double min_log2_;
};

}  // namespace

std::unique_ptr<SlottedEngine> make_engine(const SlottedQueue& queue, Quantity quantity,
                                           Arithmetic arithmetic, int bits, bool quick, double log2_value,
                                           double log2_idle) {
  const double no_limit = -std::numeric_limits<double>::infinity();
  // With several packets per slot, entries are sums over complex roots: zeros are known only to the
  // precision, and that error counts against the smallest tails.
  const int spare_bits = queue.packets_per_slot > 1 ? 192 : 0;
  switch (arithmetic) {
    case Arithmetic::double_precision: {
      const long negligible = negligible_excess(std::max(log2_value, min_log2_double), 53, log2_idle);
      // For probabilities the entries matter down to the last one, so they use the slower method.
      if (quantity == Quantity::tail)
        if (const auto fast = fast_ladder(queue, negligible))
          return std::make_unique<EngineOf<double>>(proof_of(queue), TailEngine<double>(*fast, quantity),
                                                    Method{arithmetic, 53}, min_log2_double);
      const PrecisionScope scope(Precision{128 + spare_bits});
      return std::make_unique<EngineOf<double>>(
          proof_of(queue), TailEngine<double>(enclosed_ladder(queue, negligible), quantity, 53),
          Method{arithmetic, 53}, min_log2_double);
    }
    case Arithmetic::extended: {
      const int digits = std::numeric_limits<long double>::digits;
      const long negligible = negligible_excess(std::max(log2_value, min_log2_extended), digits, log2_idle);
      if (quick) {
        const auto fast = quantity == Quantity::tail ? fast_ladder(queue, negligible) : std::nullopt;
        if (!fast) return nullptr;
        return std::make_unique<EngineOf<long double>>(proof_of(queue),
                                                       TailEngine<long double>(*fast, quantity),
                                                       Method{arithmetic, digits}, min_log2_extended);
      }
      const PrecisionScope scope(Precision{160 + spare_bits});
      return std::make_unique<EngineOf<long double>>(
          proof_of(queue), TailEngine<long double>(enclosed_ladder(queue, negligible), quantity, digits),
          Method{arithmetic, digits}, min_log2_extended);
    }
    case Arithmetic::multiprecision: {
      const PrecisionScope scope(Precision{bits + 64});
      const long negligible = negligible_excess(log2_value, bits, log2_idle);
      return std::make_unique<EngineOf<Real>>(
          proof_of(queue), TailEngine<Real>(enclosed_ladder(queue, negligible), quantity, bits),
          Method{arithmetic, bits}, no_limit);
    }
    case Arithmetic::interval: {
      const PrecisionScope scope(Precision{bits + 64});
      const long negligible = negligible_excess(log2_value, bits, log2_idle);
      return std::make_unique<EngineOf<Interval>>(
          proof_of(queue), TailEngine<Interval>(enclosed_ladder(queue, negligible), quantity, bits),
          Method{arithmetic, bits}, no_limit);
    }
    case Arithmetic::automatic:
    case Arithmetic::exact:
      break;
  }
  throw std::logic_error("make_engine: not an arithmetic with engines");
}

}  // namespace tailbound::queue
