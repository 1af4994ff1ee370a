#include <tailbound/core/last_that.hpp>
#include <tailbound/numeric/rounding.hpp>
#include <tailbound/numeric/text/plain.hpp>
#include <tailbound/queue/slotted/exact_tail.hpp>
#include <tailbound/queue/slotted/slotted_engine.hpp>

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
using Proved = ProvedProbability;

constexpr int max_bits = 65'536;
/// Maximum number of products per query in each arithmetic: some seconds, and at most a few GB.
constexpr double max_work_in_machine_numbers = 4e9;
constexpr double max_work_in_long_numbers = 4e8;

void check(const SlottedQueue& queue, const Accuracy& accuracy) {
  if (queue.packets_per_slot < 1 || queue.packets_per_slot > SlottedQueue::max_packets_per_slot)
    throw InvalidArgument("packets-per-slot", std::to_string(queue.packets_per_slot),
                          "a whole number from 1 to 128");
  if (accuracy.digits.count < 1 || accuracy.digits.count > 10'000)
    throw InvalidArgument("digits", std::to_string(accuracy.digits.count), "a whole number from 1 to 10000");
  require_stationary(queue);
}

bool never_any_arrivals(const SlottedQueue& queue) {
  return queue.arrivals.largest_batch() == 0;
}

/// The quantity at level n where the same k <= C packets arrive in every slot: Q = k always.
Rational value_of_constant(std::int64_t k, Quantity quantity, std::int64_t n) {
  switch (quantity) {
    case Quantity::tail:
      return n < k ? 1 : 0;
    case Quantity::mass:
      return n == k ? 1 : 0;
    case Quantity::ahead_tail:  // of the k packets of a slot, the i-th has i - 1 ahead of it
      return n < k ? Rational(static_cast<long>(k - 1 - n)) / Rational(static_cast<long>(k)) : Rational(0);
    case Quantity::ahead_mass:
      return n < k ? 1 / Rational(static_cast<long>(k)) : Rational(0);
  }
  return 0;
}

bool meets(const Proved& proved, numeric::Digits digits) {
  if (std::holds_alternative<Exact<unit::Probability>>(proved)) return true;
  const auto& enclosure = std::get<Enclosure<unit::Probability>>(proved);
  return numeric::agree_to(enclosure.lower(), enclosure.upper(), digits);
}

/// Upper bound of log2 of a proved value; empty for 0.
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

/// The arithmetics to try, cheapest first. `units` estimates the roundings of a value.
std::vector<Stage> stages(const Accuracy& accuracy, double units) {
  const int first = numeric::sufficient_bits(accuracy.digits, units);
  std::vector<Stage> order;
  const auto escalate = [&](Arithmetic arithmetic) {
    for (int bits = first, tries = 0; bits <= max_bits && tries < 4; bits *= 2, ++tries)
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

/// Whether this arithmetic can represent that many digits.
bool holds(const Stage& stage, numeric::Digits digits) {
  const bool machine =
      stage.arithmetic == Arithmetic::double_precision || stage.arithmetic == Arithmetic::extended;
  return !machine || digits.count * std::log2(10.0) < stage.bits;
}

/// log2 of the value at n, to within 1, if short arrivals give it, otherwise minus infinity. For batches with
/// long tails, a value near 1e-20 needs a tenth of the arrivals that the smallest doubles need, and a
/// hundredth of the products.
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

/// Values at low levels for arrivals given by a formula. Exact fractions need only the coefficients up to
/// there, enclosures all that matter: with three classes of geometric batches, 60 levels take 0.03 s instead
/// of 20 s. Rounded outward.
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
      const Exact<unit::Probability> exact{proof_of(queue), values.at(at.level.value)};
      if (exact.value == 0)
        at.probability = exact;
      else
        at.probability = numeric::to_enclosure(Proved(exact), {numeric::sufficient_bits(digits, 64)});
    }
  } catch (const LimitExceeded&) {
    return false;  // irrational, or long numbers
  }
  return true;
}

bool is_machine(Arithmetic arithmetic) {
  return arithmetic == Arithmetic::double_precision || arithmetic == Arithmetic::extended;
}
bool is_long(Arithmetic arithmetic) {
  return arithmetic == Arithmetic::multiprecision || arithmetic == Arithmetic::interval;
}

double max_work(Arithmetic arithmetic) {
  return is_machine(arithmetic) ? max_work_in_machine_numbers : max_work_in_long_numbers;
}

std::string describe(const Accuracy& accuracy) {
  return std::string(name(accuracy.arithmetic)) + " arithmetic";
}

/// The method of a value; exact values are exact for any engine.
Method method_of(const Proved& value, const SlottedEngine& engine) {
  return std::holds_alternative<Exact<unit::Probability>>(value) ? Method{Arithmetic::exact, 0}
                                                                 : engine.method();
}

/// Values at several levels to the required accuracy: tries one arithmetic after another until the digits are
/// proved.
class ValueSearch {
 public:
  ValueSearch(const SlottedQueue& queue, Quantity quantity, std::span<const Packets> levels,
              const Accuracy& accuracy)
      : queue_(queue), quantity_(quantity), levels_(levels), accuracy_(accuracy) {
    for (const Packets level : levels) {
      if (level.value < 0 || level.value > deepest_level)
        throw InvalidArgument("level", std::to_string(level.value),
                              "a whole number of packets from 0 to 10^15");
      deepest_ = std::max(deepest_, level.value);
    }
    result_.assign(levels.size(),
                   {Packets(0), Exact<unit::Probability>{proof_of(queue_), 0}, {Arithmetic::exact, 0}});
    for (std::size_t i = 0; i < levels.size(); ++i) result_[i].level = levels[i];
  }

  std::vector<LevelProbability> run() {
    if (!known_exactly()) by_arithmetics();
    return std::move(result_);
  }

 private:
  bool known_exactly() {
    if (levels_.empty()) return true;
    if (never_any_arrivals(queue_)) {
      for (LevelProbability& at : result_)
        if (quantity_ == Quantity::mass && at.level.value == 0)
          at.probability = Exact<unit::Probability>{proof_of(queue_), 1};
      return true;
    }
    if (at_capacity_without_variance(queue_)) {
      for (LevelProbability& at : result_)
        at.probability = Exact<unit::Probability>{
            proof_of(queue_), value_of_constant(*queue_.arrivals.largest_batch(), quantity_, at.level.value)};
      return true;
    }
    if (accuracy_.arithmetic == Arithmetic::exact) {
      const ExactValues values(queue_, quantity_, deepest_);
      for (LevelProbability& at : result_)
        at.probability = Exact<unit::Probability>{proof_of(queue_), values.at(at.level.value)};
      return true;
    }
    return accuracy_.arithmetic == Arithmetic::automatic &&
           exact_values_at(queue_, quantity_, deepest_, accuracy_.digits, result_);
  }

  void by_arithmetics() {
    log2_idle_ = log2_of_idle_share(queue_);
    pending_.resize(levels_.size());
    std::iota(pending_.begin(), pending_.end(), std::size_t{0});
    // Deepest first, so that one pass serves all others.
    std::sort(pending_.begin(), pending_.end(),
              [&](std::size_t a, std::size_t b) { return levels_[a].value > levels_[b].value; });
    std::vector<Stage> order = stages(accuracy_, 64 + static_cast<double>(deepest_) * 40);
    // Tails with one packet per slot in doubles are cheap anyway.
    const bool fast =
        quantity_ == Quantity::tail && queue_.packets_per_slot == 1 && holds(order.front(), accuracy_.digits);
    rough_ = fast ? 0 : rough_log2(queue_, quantity_, deepest_, log2_idle_);
    sized_ = !fast && std::isfinite(rough_);
    if (sized_ && accuracy_.arithmetic == Arithmetic::automatic)
      std::erase_if(order, [&](const Stage& stage) { return !holds(stage, accuracy_.digits); });
    for (const Stage& stage : order) {
      for (int attempt = sized_ ? -1 : 0; attempt < 3 && !pending_.empty(); ++attempt)
        if (!try_pending(stage, attempt)) break;
      if (pending_.empty()) return;
    }
    throw LimitExceeded(describe(accuracy_) + " cannot prove " + std::to_string(accuracy_.digits.count) +
                        " digits at level " + std::to_string(levels_[pending_.front()].value) + ": " +
                        obstacle_);
  }

  /// First guess of the deepest value: its size, if known. Machine numbers go as far as they can; the others
  /// use earlier results or assume a fast decay.
  [[nodiscard]] double guessed_log2(int attempt) const {
    return deepest_log2_  ? *deepest_log2_
           : attempt < 0  ? rough_ - 8
           : attempt == 0 ? min_log2_double
                          : -64.0 * static_cast<double>(deepest_ + 16);
  }

  /// Whether it is too much for machine numbers.  \throws LimitExceeded  if it is for multiprecision
  bool takes_too_long(const Stage& stage, SlottedEngine& engine) {
    double work = 0;
    for (const std::size_t i : pending_) {
      work += engine.cost(levels_[i].value);
      if (work > max_work(stage.arithmetic)) break;
    }
    if (!(work > max_work(stage.arithmetic))) return false;
    if (!is_machine(stage.arithmetic))
      throw LimitExceeded("levels to " + std::to_string(deepest_) + " at " +
                          std::to_string(accuracy_.digits.count) +
                          " digits would need more than 4e8 multiprecision products, which is the limit");
    obstacle_ = "the levels would need more than 4e9 products";
    return true;
  }

  /// \return  whether another attempt in the same arithmetic makes sense
  bool try_pending(const Stage& stage, int attempt) {
    const auto engine = make_engine(queue_, quantity_, stage.arithmetic, stage.bits, stage.quick,
                                    guessed_log2(attempt), log2_idle_);
    if (!engine || takes_too_long(stage, *engine)) return false;
    const std::size_t before = pending_.size();
    std::vector<std::size_t> left;
    bool cut_was_felt = false, smaller = false;
    for (const std::size_t i : pending_) {
      std::optional<Proved> value = engine->at(levels_[i].value);
      if (value && meets(*value, accuracy_.digits)) {
        result_[i].method = method_of(*value, *engine);
        result_[i].probability = std::move(*value);
        continue;
      }
      left.push_back(i);
      smaller = smaller || !value;
      if (!value) continue;
      obstacle_ = "its enclosure at level " + std::to_string(levels_[i].value) +
                  " is too wide: relative width about 1e" +
                  std::to_string(static_cast<int>(std::ceil(
                      std::log10(std::get<Enclosure<unit::Probability>>(*value).relative_width()))));
      const std::optional<double> size = log2_upper(*value);
      smaller = smaller || (sized_ && size && *size < rough_ - 2);
      if (size && levels_[i].value == deepest_ && (!deepest_log2_ || *size < *deepest_log2_ - 1)) {
        deepest_log2_ = *size - 8;
        cut_was_felt = true;
      }
    }
    pending_ = std::move(left);
    // The deepest value need not be the smallest: smaller ones are found as if no size were known.
    if (attempt < 0 && smaller) return true;
    if (cut_was_felt) return true;
    return (pending_.size() != before || attempt == 0) && is_long(stage.arithmetic);
  }

  const SlottedQueue& queue_;
  Quantity quantity_;
  std::span<const Packets> levels_;
  const Accuracy& accuracy_;
  std::vector<LevelProbability> result_;
  std::vector<std::size_t> pending_;  ///< numbers of levels
  std::int64_t deepest_ = 0;
  double log2_idle_ = 0;
  double rough_ = 0;                      ///< log2 of the deepest value, if short arrivals give it
  bool sized_ = false;                    ///< whether they do
  std::optional<double> deepest_log2_{};  ///< of the deepest value, once known
  std::string obstacle_ = "its numbers only reach down to about 1e-240";
};

/// Values of `quantity` at `levels`, each within the accuracy.
std::vector<LevelProbability> values_at(const SlottedQueue& queue, Quantity quantity,
                                        std::span<const Packets> levels, const Accuracy& accuracy) {
  check(queue, accuracy);
  return ValueSearch(queue, quantity, levels, accuracy).run();
}

/// The smallest level whose tail is at most the target, with both sides of the boundary proved.
class BoundarySearch {
 public:
  BoundarySearch(const SlottedQueue& queue, const Rational& target, const Accuracy& accuracy)
      : queue_(queue),
        target_(target),
        accuracy_(accuracy),
        wanted_(target),
        log2_idle_(log2_of_idle_share(queue)),
        // At low load the tail may fall by many bits per level: start with 48.
        log2_value_(static_cast<double>(numeric::bit_length(numeric::numerator(target))) -
                    static_cast<double>(numeric::bit_length(numeric::denominator(target))) - 48),
        obstacle_(wanted_.log2 > min_log2_double
                      ? "the tail decays too slowly for its numbers"
                      : "the target is below about 1e-240, the reach of its numbers") {}

  TailBoundary run() {
    if (accuracy_.arithmetic == Arithmetic::exact)
      for (std::int64_t reach = 16;; reach *= 2)
        if (settle_exactly(reach)) return std::move(boundary_);
    for (const Stage& stage : stages(accuracy_, 64 + 40.0 * 1024)) {
      if (try_stage(stage)) return std::move(boundary_);
      if (accuracy_.arithmetic == Arithmetic::automatic && is_long(stage.arithmetic) && !settled_ &&
          hint_ >= 0) {
        try {
          if (settle_exactly(hint_ + 1)) return std::move(boundary_);
        } catch (const LimitExceeded&) {
          // Too deep or irrational: only more bits can help.
        }
      }
    }
    throw LimitExceeded(describe(accuracy_) + " cannot determine the boundary" +
                        (hint_ >= 0 ? " near level " + std::to_string(hint_) : std::string()) + " to " +
                        std::to_string(accuracy_.digits.count) + " digits: " + obstacle_);
  }

 private:
  bool try_stage(const Stage& stage) {
    int bits = stage.bits;
    if (hint_ > 1024)
      bits = std::max(bits, numeric::sufficient_bits(accuracy_.digits, 40.0 * static_cast<double>(hint_)));
    for (int attempt = 0; attempt < 2; ++attempt) {
      const double cut_for = log2_value_;
      const auto engine =
          make_engine(queue_, Quantity::tail, stage.arithmetic, bits, stage.quick, log2_value_, log2_idle_);
      if (!engine) return false;
      if (!settled_) {
        const std::optional<std::int64_t> guess = engine->guess(wanted_, hint_);
        if (!guess) return false;
        hint_ = *guess;
      }
      if (engine->cost(hint_) > max_work(stage.arithmetic)) {
        if (is_machine(stage.arithmetic)) return false;
        throw LimitExceeded("the boundary near level " + std::to_string(hint_) +
                            " would need more than 4e8 multiprecision products, which is the limit");
      }
      if (prove(*engine, hint_)) return true;
      if (!(log2_value_ < cut_for)) return false;  // a finer truncation of the arrivals would not help
    }
    return false;
  }

  /// True if both sides are proved and meet the digits.
  bool prove(SlottedEngine& engine, std::int64_t n) {
    std::optional<Proved> here = engine.at(n);
    std::optional<Proved> previous = n > 0 ? engine.at(n - 1) : std::nullopt;
    if (!here || (n > 0 && !previous)) return false;
    settled_ = wanted_.is_met(*here) && (n == 0 || wanted_.is_missed(*previous));
    if (!settled_) {
      obstacle_ = "the target lies inside the enclosure at level " + std::to_string(n) + " or " +
                  std::to_string(n - 1);
      return false;
    }
    if (!meets(*here, accuracy_.digits) || (n > 0 && !meets(*previous, accuracy_.digits))) {
      obstacle_ = "the enclosure at level " + std::to_string(n) + " is wider than that";
      if (const auto size = log2_upper(*here)) log2_value_ = std::min(log2_value_, *size - 8);
      return false;
    }
    const auto at = [&](std::int64_t level, Proved value) {
      const Method method = method_of(value, engine);
      return LevelProbability{Packets(level), std::move(value), method};
    };
    keep(at(n, std::move(*here)), previous ? std::optional(at(n - 1, std::move(*previous))) : std::nullopt);
    return true;
  }

  /// Enclosures cannot decide equality with the target; a rational value can.
  bool settle_exactly(std::int64_t near) {
    const ExactValues values(queue_, Quantity::tail, near + 1);
    if (values.at(values.last()) > target_) return false;
    const std::int64_t below = first_that(std::int64_t{0}, values.last(),
                                          [&](std::int64_t level) { return values.at(level) <= target_; });
    const auto at = [&](std::int64_t level) {
      return LevelProbability{Packets(level),
                              Exact<unit::Probability>{proof_of(queue_), values.at(level)},
                              {Arithmetic::exact, 0}};
    };
    keep(at(below), below > 0 ? std::optional(at(below - 1)) : std::nullopt);
    return true;
  }

  void keep(LevelProbability at, std::optional<LevelProbability> before) {
    boundary_ = {at.level, std::move(at), {}};
    if (before) boundary_.before.push_back(std::move(*before));
  }

  const SlottedQueue& queue_;
  const Rational& target_;
  const Accuracy& accuracy_;
  Target wanted_;
  double log2_idle_, log2_value_;
  std::int64_t hint_ = -1;  ///< last approximate boundary
  bool settled_ = false;    ///< whether it is proved
  std::string obstacle_;
  TailBoundary boundary_{
      Packets(0), {Packets(0), Exact<unit::Probability>{proof_of(queue_), 0}, {Arithmetic::exact, 0}}, {}};
};

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
    if (*load >= capacity) throw Unstable(numeric::plain(*load), queue.packets_per_slot);
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

bool at_capacity_without_variance(const SlottedQueue& queue) {
  const auto& load = queue.arrivals.load();
  return load && *load == Rational(queue.packets_per_slot) &&
         queue.arrivals.largest_batch() == queue.packets_per_slot;
}

void require_stationary(const SlottedQueue& queue) {
  if (!at_capacity_without_variance(queue)) require_stable(queue);
}

bool is_stable(const SlottedQueue& queue) {
  try {
    require_stable(queue);
    return true;
  } catch (const Unstable&) {
    return false;
  }
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

TailBoundary min_level(const SlottedQueue& queue, const Rational& target, const Accuracy& accuracy) {
  check(queue, accuracy);
  if (!(target > 0 && target < 1))
    throw InvalidArgument("target", numeric::to_fraction(target), "a probability above 0 and below 1");
  const auto exactly = [&](std::int64_t level, Rational value) {
    return LevelProbability{
        Packets(level), Exact<unit::Probability>{proof_of(queue), std::move(value)}, {Arithmetic::exact, 0}};
  };
  if (never_any_arrivals(queue)) return {Packets(0), exactly(0, 0), {}};
  if (at_capacity_without_variance(queue)) {
    const std::int64_t all = queue.packets_per_slot;
    return {Packets(all), exactly(all, 0), {exactly(all - 1, 1)}};
  }
  // P(Q > 0) = rho exactly: no enclosure can distinguish it from an equal target.
  if (queue.packets_per_slot == 1 && queue.arrivals.load() == target)
    return {Packets(0), exactly(0, target), {}};
  return BoundarySearch(queue, target, accuracy).run();
}

}  // namespace tailbound::queue
