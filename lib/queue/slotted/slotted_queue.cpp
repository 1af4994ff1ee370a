#include <tailbound/queue/slotted/exact_tail.hpp>
#include <tailbound/queue/slotted/slotted_queue.hpp>
#include <tailbound/queue/slotted/tail_engine.hpp>

#include <algorithm>
#include <cmath>
#include <functional>
#include <memory>
#include <numeric>
#include <optional>

namespace tailbound::queue {
namespace {

using numeric::Enclosure;
using numeric::Exact;
using numeric::Interval;
using numeric::Precision;
using numeric::PrecisionScope;
using numeric::Rational;
using numeric::Real;
using Proved = numeric::Proved<unit::Probability>;

constexpr std::int64_t deepest_level = 1'000'000'000'000'000;
constexpr int most_bits = 65'536;
/// Products that one question may take in each arithmetic: some seconds, and at most a few GB.
constexpr double most_work_in_machine_numbers = 4e9;
constexpr double most_work_in_long_numbers = 4e8;

[[noreturn]] void refuse_depth() {
  throw LimitExceeded("the buffer would have to hold more than 10^15 packets; the limit is 10^15");
}

/// Below these, machine numbers would lose digits to their smallest exponents; so they are not used there.
constexpr double least_log2_double = -800;
constexpr double least_log2_extended = -2000;

void check(const SlottedQueue& queue, const Accuracy& accuracy) {
  if (queue.packets_per_slot < 1 || queue.packets_per_slot > 32)
    throw InvalidArgument("packets-per-slot", std::to_string(queue.packets_per_slot),
                          "a whole number from 1 to 32");
  if (accuracy.digits.count < 1 || accuracy.digits.count > 10'000)
    throw InvalidArgument("digits", std::to_string(accuracy.digits.count), "a whole number from 1 to 10000");
  require_stable(queue);
}

bool never_any_arrivals(const SlottedQueue& queue) {
  return queue.arrivals.largest_batch() == 0;
}

/// A probability to come below, and the doubles around it, which decide all but close cases.
struct Target {
  explicit Target(const Rational& probability) : value(probability) {
    const double nearest = numeric::nearest_double(value);
    if (nearest > 1e-300) {
      lower = std::nextafter(nearest, 0.0);
      upper = std::nextafter(nearest, 2.0);
      log2 = std::log2(nearest);
    } else {
      upper = 1e-299;
      const PrecisionScope scope(Precision{64});
      log2 = numeric::log2_magnitude(numeric::to_real(value, numeric::Rounding::nearest));
    }
  }
  /// Is the value proved to be at most this, to be above it?
  [[nodiscard]] bool is_met(const Proved& proved) const {
    const auto* enclosure = std::get_if<Enclosure<unit::Probability>>(&proved);
    return (enclosure != nullptr && mpfr_cmp_d(enclosure->upper().backend().data(), lower) <= 0) ||
           numeric::surely_at_most<unit::Probability>(proved, value);
  }
  [[nodiscard]] bool is_missed(const Proved& proved) const {
    const auto* enclosure = std::get_if<Enclosure<unit::Probability>>(&proved);
    return (enclosure != nullptr && mpfr_cmp_d(enclosure->lower().backend().data(), upper) > 0) ||
           numeric::surely_above<unit::Probability>(proved, value);
  }

  Rational value;
  double lower = 0, upper = 1;  ///< around it
  double log2 = 0;
};

/// An engine of one arithmetic, type erased: what the questions below need of it.
class SlottedEngine {
 public:
  virtual ~SlottedEngine() = default;
  /// Value at n as an enclosure; empty where this arithmetic cannot say (too small for it).
  [[nodiscard]] virtual std::optional<Proved> at(std::int64_t n) = 0;
  /// The first n with computed value <= target, by walking and then jumping; not proved, and only near
  /// it where the target is too small for this arithmetic.
  [[nodiscard]] virtual std::optional<std::int64_t> guess(const Target& target, std::int64_t hint) = 0;
  [[nodiscard]] virtual double cost(std::int64_t n) const = 0;
  [[nodiscard]] virtual Method method() const = 0;
};

template <class T>
class EngineOf final : public SlottedEngine {
 public:
  EngineOf(TailEngine<T> engine, Method method, double least_log2)
      : engine_(std::move(engine)), method_(method), least_log2_(least_log2) {}

  std::optional<Proved> at(std::int64_t n) override {
    const Scope scope(engine_.bits());
    if (engine_.zero_from() >= 0 && n >= engine_.zero_from()) return Proved(Exact<unit::Probability>{0});
    Real lower, upper;
    engine_.enclose(engine_.value(n), lower, upper);
    if (lower < 0) lower = 0;
    if (upper > 1) upper = 1;
    if (upper == 0 || numeric::log2_magnitude(upper) < least_log2_) return std::nullopt;
    return Proved(Enclosure<unit::Probability>(std::move(lower), std::move(upper)));
  }

  std::optional<std::int64_t> guess(const Target& target, std::int64_t hint) override {
    const Scope scope(engine_.bits());
    const double log2_target = target.log2;
    const bool in_reach = log2_target > least_log2_;
    const T bar = in_reach ? from_rational(target.value) : T(0);
    if (hint < 0) {
      // Walk as far as that is about as cheap as a few jumps.
      const std::size_t reach = std::max<std::size_t>(2048, 64 * engine_.order());
      std::size_t known = 0;
      for (std::size_t count = 32;; count = std::min(count + std::max<std::size_t>(32, count / 4), reach)) {
        const std::vector<T>& values = engine_.walk(count);
        const auto found = std::find_if(
            values.begin() + static_cast<std::ptrdiff_t>(known), values.end(),
            [&](const T& value) { return in_reach ? at_most(value, bar) : log2_of(value) < least_log2_; });
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
      // By now the tail falls geometrically: where it meets the target if it goes on so.
      const std::vector<T>& values = engine_.walk(known);
      const double last = log2_of(values[known - 1]);
      const double slope = (log2_of(values[known / 2]) - last) / static_cast<double>(known - 1 - known / 2);
      const double to_fall = last - log2_target;
      // Flat to the rounding of the logarithms: it falls by less than 1e-15 over half of 2048 places or more.
      const bool flat = !(slope > 0) && !std::is_floating_point_v<T> && known >= 2048 && to_fall > 1e-2;
      if (flat) refuse_depth();
      if (!(slope > 0)) return std::nullopt;
      const double places = to_fall / slope;
      if (!(places < static_cast<double>(deepest_level))) refuse_depth();
      hint = static_cast<std::int64_t>(known) + static_cast<std::int64_t>(places);
    }
    // Values this small are for another arithmetic; where to look is known.
    if (!in_reach) return hint;
    if (cost(hint) > 1e9) return std::nullopt;
    // Far out a level is as much below the one before it as everywhere.
    for (int tries = 0; tries < 4 && hint > 0 && hint <= deepest_level; ++tries) {
      const T here = engine_.value(hint).value, before = engine_.value(hint - 1).value;
      if (at_most(here, bar) && !at_most(before, bar)) return hint;
      const double slope = log2_of(before) - log2_of(here), rest = log2_of(here) - log2_target;
      if (!(slope > 0) || !(std::fabs(rest / slope) < 0.5 * static_cast<double>(hint))) break;
      hint += static_cast<std::int64_t>(std::ceil(rest / slope));
    }
    hint = std::clamp<std::int64_t>(hint, 0, deepest_level);
    // Gallop away from the hint, then halve.
    std::int64_t above = -1, below = -1;  // value(above) > target >= value(below)
    for (std::int64_t step = 1, n = hint;; step *= 4) {
      if (n > deepest_level) refuse_depth();
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
    while (below - above > 1) {
      const std::int64_t middle = above + (below - above) / 2;
      (at_most(engine_.value(middle).value, bar) ? below : above) = middle;
    }
    return below;
  }

  [[nodiscard]] double cost(std::int64_t n) const override { return engine_.cost(n); }
  [[nodiscard]] Method method() const override { return method_; }

 private:
  /// New Reals and Intervals get the engine's precision; machine numbers make none.
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

  TailEngine<T> engine_;
  Method method_;
  double least_log2_;
};

/// \param log2_value  size of the least value of interest
/// \param quick  from entries known a little worse, where those are had at once; else there is no such engine
std::unique_ptr<SlottedEngine> make_engine(const SlottedQueue& queue, Quantity quantity,
                                           Arithmetic arithmetic, int bits, bool quick, double log2_value,
                                           double log2_idle) {
  const double no_limit = -std::numeric_limits<double>::infinity();
  // With several packets a slot entries are sums over complex roots: what is 0 is known to the precision only, and what
  // that leaves open counts against the least tails.
  const int spare_bits = queue.packets_per_slot > 1 ? 192 : 0;
  switch (arithmetic) {
    case Arithmetic::double_precision: {
      const long negligible = negligible_excess(std::max(log2_value, least_log2_double), 53, log2_idle);
      // The probabilities' own entries matter down to the last one, so they take the slower way.
      if (quantity == Quantity::tail)
        if (const auto fast = fast_ladder(queue, negligible))
          return std::make_unique<EngineOf<double>>(TailEngine<double>(*fast, quantity),
                                                    Method{arithmetic, 53}, least_log2_double);
      const PrecisionScope scope(Precision{128 + spare_bits});
      return std::make_unique<EngineOf<double>>(
          TailEngine<double>(enclosed_ladder(queue, negligible), quantity, 53), Method{arithmetic, 53},
          least_log2_double);
    }
    case Arithmetic::extended: {
      const int digits = std::numeric_limits<long double>::digits;
      const long negligible = negligible_excess(std::max(log2_value, least_log2_extended), digits, log2_idle);
      if (quick) {
        const auto fast = quantity == Quantity::tail ? fast_ladder(queue, negligible) : std::nullopt;
        if (!fast) return nullptr;
        return std::make_unique<EngineOf<long double>>(TailEngine<long double>(*fast, quantity),
                                                       Method{arithmetic, digits}, least_log2_extended);
      }
      const PrecisionScope scope(Precision{160 + spare_bits});
      return std::make_unique<EngineOf<long double>>(
          TailEngine<long double>(enclosed_ladder(queue, negligible), quantity, digits),
          Method{arithmetic, digits}, least_log2_extended);
    }
    case Arithmetic::multiprecision: {
      const PrecisionScope scope(Precision{bits + 64});
      const long negligible = negligible_excess(log2_value, bits, log2_idle);
      return std::make_unique<EngineOf<Real>>(
          TailEngine<Real>(enclosed_ladder(queue, negligible), quantity, bits), Method{arithmetic, bits},
          no_limit);
    }
    case Arithmetic::interval: {
      const PrecisionScope scope(Precision{bits + 64});
      const long negligible = negligible_excess(log2_value, bits, log2_idle);
      return std::make_unique<EngineOf<Interval>>(
          TailEngine<Interval>(enclosed_ladder(queue, negligible), quantity, bits), Method{arithmetic, bits},
          no_limit);
    }
    case Arithmetic::automatic:
    case Arithmetic::exact:
      break;
  }
  throw std::logic_error("make_engine: not an arithmetic with engines");
}

bool meets(const Proved& proved, numeric::Digits digits) {
  if (std::holds_alternative<Exact<unit::Probability>>(proved)) return true;
  const auto& enclosure = std::get<Enclosure<unit::Probability>>(proved);
  return numeric::agree_to(enclosure.lower(), enclosure.upper(), digits);
}

/// log2 of a proved value's size from above; empty for 0.
std::optional<double> log2_upper(const Proved& proved) {
  const Enclosure<unit::Probability> enclosure = numeric::to_enclosure(proved, {64});
  if (!(enclosure.upper() > 0)) return std::nullopt;
  return numeric::log2_magnitude(enclosure.upper());
}

struct Stage {
  Arithmetic arithmetic;
  int bits;
  bool quick = false;
};

/// The arithmetics to try, cheapest first. `units` estimates the roundings that a value meets.
std::vector<Stage> stages(const Accuracy& accuracy, double units) {
  const int first = numeric::sufficient_bits(accuracy.digits, units);
  std::vector<Stage> order;
  const auto escalate = [&](Arithmetic arithmetic) {
    for (int bits = first, tries = 0; bits <= most_bits && tries < 4; bits *= 2, ++tries)
      order.push_back({arithmetic, bits});
  };
  switch (accuracy.arithmetic) {
    case Arithmetic::automatic:
      order = {
          {Arithmetic::double_precision, 53}, {Arithmetic::extended, 64, true}, {Arithmetic::extended, 64}};
      escalate(Arithmetic::multiprecision);
      break;
    case Arithmetic::double_precision:
    case Arithmetic::extended:
      order = {{accuracy.arithmetic, 53}};
      break;
    case Arithmetic::multiprecision:
    case Arithmetic::interval:
      escalate(accuracy.arithmetic);
      break;
    case Arithmetic::exact:
      break;
  }
  return order;
}

/// Can this arithmetic hold so many digits at all?
bool holds(const Stage& stage, numeric::Digits digits) {
  const bool machine =
      stage.arithmetic == Arithmetic::double_precision || stage.arithmetic == Arithmetic::extended;
  return !machine || digits.count * std::log2(10.0) < stage.bits;
}

/// log2 of the value at n, to within 1, where short arrivals show it, else minus infinity: of batches with long tails the arrivals that
/// count for a value near 1e-20 are a tenth of those for the least doubles, and their products a hundredth.
double rough_log2(const SlottedQueue& queue, Quantity quantity, std::int64_t n, double log2_idle) {
  constexpr double cheap = 1e6, unknown = -std::numeric_limits<double>::infinity();
  for (const double log2_value : {-64.0, -256.0}) {
    const auto engine =
        make_engine(queue, quantity, Arithmetic::double_precision, 53, false, log2_value, log2_idle);
    if (engine->cost(n) > cheap) return unknown;
    const std::optional<Proved> value = engine->at(n);
    const auto* enclosure = value ? std::get_if<Enclosure<unit::Probability>>(&*value) : nullptr;
    if (enclosure != nullptr && enclosure->lower() * 2 > enclosure->upper())
      return numeric::log2_magnitude(enclosure->lower());
  }
  return unknown;
}

/// Values of arrivals given by a formula, to near levels: exact fractions need but the coefficients up to there, where
/// enclosures need all that count: of three classes of geometric batches 60 levels take 0.03 s for 20 s. Rounded outward.
bool exact_values_at(const SlottedQueue& queue, Quantity quantity, std::int64_t deepest,
                     numeric::Digits digits, std::vector<LevelProbability>& result) {
  constexpr std::int64_t near = 128;
  constexpr double cheap_bits = 2e7;
  if (queue.packets_per_slot > 1 || deepest > near ||
      !std::holds_alternative<series::PgfArrivals>(queue.arrivals.description()))
    return false;
  try {
    const ExactValues values(queue, quantity, deepest, cheap_bits);
    for (LevelProbability& at : result) {
      const Exact<unit::Probability> exact{values.at(at.level.value)};
      if (cln::zerop(exact.value))
        at.probability = exact;
      else
        at.probability = numeric::to_enclosure(Proved(exact), {numeric::sufficient_bits(digits, 64)});
    }
  } catch (const LimitExceeded&) {
    return false;  // irrational, or long numbers
  }
  return true;
}

double most_work(Arithmetic arithmetic) {
  return arithmetic == Arithmetic::double_precision || arithmetic == Arithmetic::extended
             ? most_work_in_machine_numbers
             : most_work_in_long_numbers;
}

std::string describe(const Accuracy& accuracy) {
  return std::string(name(accuracy.arithmetic)) + " arithmetic";
}

/// Values of `quantity` at `levels`, each within the accuracy.
std::vector<LevelProbability> values_at(const SlottedQueue& queue, Quantity quantity,
                                        std::span<const Packets> levels, const Accuracy& accuracy) {
  check(queue, accuracy);
  std::int64_t deepest = 0;
  for (const Packets level : levels) {
    if (level.value < 0 || level.value > deepest_level)
      throw InvalidArgument("level", std::to_string(level.value),
                            "a whole number of packets from 0 to 10^15");
    deepest = std::max(deepest, level.value);
  }
  std::vector<LevelProbability> result(levels.size(),
                                       {Packets(0), Exact<unit::Probability>{0}, {Arithmetic::exact, 0}});
  for (std::size_t i = 0; i < levels.size(); ++i) result[i].level = levels[i];
  if (levels.empty()) return result;
  if (never_any_arrivals(queue)) {
    for (LevelProbability& at : result)
      if (quantity == Quantity::mass && at.level.value == 0) at.probability = Exact<unit::Probability>{1};
    return result;
  }
  if (accuracy.arithmetic == Arithmetic::exact) {
    const ExactValues values(queue, quantity, deepest);
    for (LevelProbability& at : result) at.probability = Exact<unit::Probability>{values.at(at.level.value)};
    return result;
  }

  if (accuracy.arithmetic == Arithmetic::automatic &&
      exact_values_at(queue, quantity, deepest, accuracy.digits, result))
    return result;
  const double log2_idle = log2_of_idle_share(queue);
  std::vector<std::size_t> pending(levels.size());
  std::iota(pending.begin(), pending.end(), std::size_t{0});
  // The deepest first, so that a walk serves all the others.
  std::sort(pending.begin(), pending.end(),
            [&](std::size_t a, std::size_t b) { return levels[a].value > levels[b].value; });
  std::optional<double> deepest_log2;  // size of the deepest value, once something has shown it
  double units = 64 + static_cast<double>(deepest) * 40;
  std::string obstacle = "its numbers reach down to about 1e-240 only";
  std::vector<Stage> order = stages(accuracy, units);
  // Tails of one packet a slot in doubles are cheap as they are.
  const bool fast =
      quantity == Quantity::tail && queue.packets_per_slot == 1 && holds(order.front(), accuracy.digits);
  const double rough = fast ? 0 : rough_log2(queue, quantity, deepest, log2_idle);
  const bool sized = !fast && std::isfinite(rough);
  if (sized && accuracy.arithmetic == Arithmetic::automatic)
    std::erase_if(order, [&](const Stage& stage) { return !holds(stage, accuracy.digits); });
  for (const Stage& stage : order) {
    for (int attempt = sized ? -1 : 0; attempt < 3 && !pending.empty(); ++attempt) {
      // First guess of the deepest value: its size, if that is known; machine numbers look as far as they can; the
      // others have seen the outcome or assume a fast decay.
      const double log2_value = deepest_log2   ? *deepest_log2
                                : attempt < 0  ? rough - 8
                                : attempt == 0 ? least_log2_double
                                               : -64.0 * static_cast<double>(deepest + 16);
      const auto engine =
          make_engine(queue, quantity, stage.arithmetic, stage.bits, stage.quick, log2_value, log2_idle);
      if (!engine) break;
      const std::size_t before = pending.size();
      double work = 0;
      for (const std::size_t i : pending) {
        work += engine->cost(levels[i].value);
        if (work > most_work(stage.arithmetic)) break;
      }
      if (work > most_work(stage.arithmetic)) {
        if (stage.arithmetic == Arithmetic::double_precision || stage.arithmetic == Arithmetic::extended) {
          obstacle = "the levels would take more than 4e9 products";
          break;
        }
        throw LimitExceeded("levels to " + std::to_string(deepest) + " at " +
                            std::to_string(accuracy.digits.count) +
                            " digits would take more than 4e8 products of long numbers; that is the limit");
      }
      std::vector<std::size_t> left;
      bool cut_was_felt = false, smaller = false;
      for (const std::size_t i : pending) {
        std::optional<Proved> value = engine->at(levels[i].value);
        if (value && meets(*value, accuracy.digits)) {
          result[i].probability = std::move(*value);
          result[i].method = engine->method();
          if (std::holds_alternative<Exact<unit::Probability>>(result[i].probability))
            result[i].method = {Arithmetic::exact, 0};
          continue;
        }
        left.push_back(i);
        smaller = smaller || !value;
        if (!value) continue;
        obstacle = "its enclosure at level " + std::to_string(levels[i].value) +
                   " is too wide: relative width about 1e" +
                   std::to_string(static_cast<int>(std::ceil(
                       std::log10(std::get<Enclosure<unit::Probability>>(*value).relative_width()))));
        const std::optional<double> size = log2_upper(*value);
        smaller = smaller || (sized && size && *size < rough - 2);
        if (size && levels[i].value == deepest && (!deepest_log2 || *size < *deepest_log2 - 1)) {
          deepest_log2 = *size - 8;
          cut_was_felt = true;
        }
      }
      pending = std::move(left);
      // The deepest value need not be the least: what is smaller is found as where no size is known.
      if (attempt < 0 && smaller) continue;
      if (!cut_was_felt && pending.size() == before && attempt != 0) break;
      if (!cut_was_felt && stage.arithmetic != Arithmetic::multiprecision &&
          stage.arithmetic != Arithmetic::interval)
        break;
    }
    if (pending.empty()) return result;
  }
  throw LimitExceeded(describe(accuracy) + " cannot prove " + std::to_string(accuracy.digits.count) +
                      " digits at level " + std::to_string(levels[pending.front()].value) + ": " + obstacle);
}

}  // namespace

const char* name(Arithmetic arithmetic) {
  switch (arithmetic) {
    case Arithmetic::automatic:
      return "auto";
    case Arithmetic::double_precision:
      return "double";
    case Arithmetic::extended:
      return "extended";
    case Arithmetic::multiprecision:
      return "multiprecision";
    case Arithmetic::interval:
      return "interval";
    case Arithmetic::exact:
      return "exact";
  }
  return "";
}

void require_stable(const SlottedQueue& queue) {
  const Rational capacity(queue.packets_per_slot);
  if (const auto& load = queue.arrivals.load()) {
    if (*load >= capacity)
      throw Unstable(numeric::to_decimal(*load, 12, numeric::Rounding::nearest), queue.packets_per_slot);
    return;
  }
  for (int bits = 128; bits <= 2048; bits *= 4) {
    const PrecisionScope scope(Precision{bits});
    const Interval load = queue.arrivals.load_interval();
    if (numeric::compare(numeric::upper(load), capacity) < 0) return;
    if (numeric::compare(numeric::lower(load), capacity) >= 0)
      throw Unstable(numeric::to_decimal(numeric::lower(load), 12, numeric::Rounding::nearest),
                     queue.packets_per_slot);
  }
  throw Unstable("within 2^-2000 of " + std::to_string(queue.packets_per_slot), queue.packets_per_slot);
}

std::vector<LevelProbability> occupancy_tails(const SlottedQueue& queue, std::span<const Packets> levels,
                                              const Accuracy& accuracy) {
  return values_at(queue, Quantity::tail, levels, accuracy);
}

LevelProbability occupancy_tail(const SlottedQueue& queue, Packets level, const Accuracy& accuracy) {
  return occupancy_tails(queue, std::span(&level, 1), accuracy).front();
}

std::vector<LevelProbability> occupancy_probabilities(const SlottedQueue& queue, Packets last,
                                                      const Accuracy& accuracy) {
  if (last.value < 0 || last.value >= 1'000'000)
    throw InvalidArgument("last", std::to_string(last.value), "a whole number of packets from 0 to 999999");
  std::vector<Packets> levels;
  for (std::int64_t n = 0; n <= last.value; ++n) levels.emplace_back(n);
  return values_at(queue, Quantity::mass, levels, accuracy);
}

TailBoundary least_level(const SlottedQueue& queue, const Rational& target, const Accuracy& accuracy) {
  check(queue, accuracy);
  if (!(target > 0 && target < 1))
    throw InvalidArgument("target", numeric::to_fraction(target), "a probability above 0 and below 1");
  const LevelProbability nothing{Packets(0), Exact<unit::Probability>{0}, {Arithmetic::exact, 0}};
  if (never_any_arrivals(queue)) return {Packets(0), nothing, {}};

  const Target wanted(target);
  const double log2_idle = log2_of_idle_share(queue);
  // One level may fall by many bits at low load: 48 of them for a start.
  double log2_value = static_cast<double>(cln::integer_length(cln::numerator(target))) -
                      static_cast<double>(cln::integer_length(cln::denominator(target))) - 48;
  std::int64_t hint = -1;
  bool settled = false;
  std::string obstacle = wanted.log2 > least_log2_double
                             ? "the tail falls too slowly for it to be seen in its numbers"
                             : "the target is below about 1e-240, the reach of its numbers";
  LevelProbability at = nothing, before = nothing;

  const auto try_boundary = [&](SlottedEngine& engine, std::int64_t n) {
    // True if both sides are proved and meet the digits.
    std::optional<Proved> here = engine.at(n);
    std::optional<Proved> previous = n > 0 ? engine.at(n - 1) : std::nullopt;
    if (!here || (n > 0 && !previous)) return false;
    settled = wanted.is_met(*here) && (n == 0 || wanted.is_missed(*previous));
    if (!settled) {
      obstacle = "the target lies inside the enclosure at level " + std::to_string(n) + " or " +
                 std::to_string(n - 1);
      return false;
    }
    if (!meets(*here, accuracy.digits) || (n > 0 && !meets(*previous, accuracy.digits))) {
      obstacle = "the enclosure at level " + std::to_string(n) + " is wider than that";
      if (const auto size = log2_upper(*here)) log2_value = std::min(log2_value, *size - 8);
      return false;
    }
    const auto keep = [&](LevelProbability& place, std::int64_t level, Proved value) {
      place.level = Packets(level);
      place.method = std::holds_alternative<Exact<unit::Probability>>(value) ? Method{Arithmetic::exact, 0}
                                                                             : engine.method();
      place.probability = std::move(value);
    };
    keep(at, n, std::move(*here));
    if (n > 0) keep(before, n - 1, std::move(*previous));
    return true;
  };
  const auto answer = [&]() {
    TailBoundary boundary{at.level, std::move(at), {}};
    if (boundary.level.value > 0) boundary.before.push_back(std::move(before));
    return boundary;
  };
  const auto settle_exactly = [&](std::int64_t near) -> bool {
    // Equality with the target never settles in enclosures; a rational value settles it.
    const ExactValues values(queue, Quantity::tail, near + 1);
    std::int64_t below = values.last(), above = -1;  // tails fall: at(above) > target >= at(below)
    if (values.at(below) > target) return false;
    while (below - above > 1) {
      const std::int64_t middle = above + (below - above) / 2;
      (values.at(middle) <= target ? below : above) = middle;
    }
    at = {Packets(below), Exact<unit::Probability>{values.at(below)}, {Arithmetic::exact, 0}};
    if (below > 0)
      before = {Packets(below - 1), Exact<unit::Probability>{values.at(below - 1)}, {Arithmetic::exact, 0}};
    return true;
  };

  if (accuracy.arithmetic == Arithmetic::exact) {
    for (std::int64_t reach = 16;; reach *= 2)
      if (settle_exactly(reach)) return answer();
  }
  for (const Stage& stage : stages(accuracy, 64 + 40.0 * 1024)) {
    int bits = stage.bits;
    if (hint > 1024)
      bits = std::max(bits, numeric::sufficient_bits(accuracy.digits, 40.0 * static_cast<double>(hint)));
    for (int attempt = 0; attempt < 2; ++attempt) {
      const double cut_for = log2_value;
      const auto engine =
          make_engine(queue, Quantity::tail, stage.arithmetic, bits, stage.quick, log2_value, log2_idle);
      if (!engine) break;
      if (!settled) {
        const std::optional<std::int64_t> guess = engine->guess(wanted, hint);
        if (!guess) break;
        hint = *guess;
      }
      if (engine->cost(hint) > most_work(stage.arithmetic)) {
        if (stage.arithmetic == Arithmetic::double_precision || stage.arithmetic == Arithmetic::extended)
          break;
        throw LimitExceeded("the boundary near level " + std::to_string(hint) +
                            " would take more than 4e8 products of long numbers; that is the limit");
      }
      if (try_boundary(*engine, hint)) return answer();
      if (!(log2_value < cut_for)) break;  // a finer cut of the arrivals would not help
    }
    const bool long_numbers =
        stage.arithmetic == Arithmetic::multiprecision || stage.arithmetic == Arithmetic::interval;
    if (accuracy.arithmetic == Arithmetic::automatic && long_numbers && !settled && hint >= 0) {
      try {
        if (settle_exactly(hint + 1)) return answer();
      } catch (const LimitExceeded&) {
        // Too deep or irrational: more bits are the only way.
      }
    }
  }
  throw LimitExceeded(describe(accuracy) + " cannot settle the boundary" +
                      (hint >= 0 ? " near level " + std::to_string(hint) : std::string()) + " to " +
                      std::to_string(accuracy.digits.count) + " digits: " + obstacle);
}

}  // namespace tailbound::queue
