#include <tailbound/core/last_that.hpp>
#include <tailbound/numeric/text/plain.hpp>
#include <tailbound/queue/finite/finite_queue.hpp>
#include <tailbound/queue/slotted/slotted_engine.hpp>
#include <tailbound/queue/target.hpp>
#include <tailbound/series/arrival_tails.hpp>
#include <tailbound/series/renewal.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <utility>

namespace tailbound::queue {
namespace {

using numeric::Enclosure;
using numeric::Exact;
using numeric::Interval;
using numeric::Precision;
using numeric::PrecisionScope;
using numeric::Rational;
using numeric::Real;

constexpr Method exact_method{Arithmetic::exact, 0};
constexpr std::int64_t max_recurrence_levels = 1'000'000;
constexpr double max_recurrence_products = 4e7, max_elimination_products = 4e6;
/// Rationals grow with every level.
constexpr double max_exact_products = 1e5, max_exact_elimination_products = 2e3;
constexpr int max_finite_bits = 8192;
/// Of a buffer: batches are cut off where they are negligible.
constexpr std::size_t no_limit = std::numeric_limits<std::size_t>::max();

/// The arrivals as far as a buffer distinguishes them: individually up to its size, otherwise as min(A, K).
template <class L>
struct Offered {
  series::ArrivalTails<L> tails;
  /// Upper bound of E[max(A - K, 0)]. A packet more raises the losses by at most one packet, never lowers
  /// them.
  L cut{0};
};

Offered<Interval> offered(const SlottedQueue& queue, std::size_t limit, long negligible) {
  Offered<Interval> all{series::enclosed_arrival_tails(queue.arrivals, negligible)};
  while (!all.tails.complete && all.tails.size() == 0)
    all.tails = series::enclosed_arrival_tails(queue.arrivals, negligible *= 2);
  series::ArrivalTails<Interval>& tails = all.tails;
  if (tails.complete || tails.size() > limit) return all;
  all.cut = Interval(numeric::upper(tails.beyond.back()));
  tails.pmf.back() = tails.above.back();
  Interval excess(0);
  for (std::size_t j = tails.size(); j-- > 0;) {
    tails.beyond[j] = excess;
    excess += tails.above[j];
  }
  return all;
}

Offered<Rational> exactly_offered(const SlottedQueue& queue, std::size_t limit) {
  return {series::exact_arrival_tails(queue.arrivals, limit + 1)};
}

bool is_zero(const Interval& value) {
  return numeric::upper(value) == 0;
}
bool is_zero(const Rational& value) {
  return value == 0;
}

template <class L>
std::size_t min_batch(const series::ArrivalTails<L>& tails) {
  std::size_t smallest = 0;
  while (smallest < tails.pmf.size() && is_zero(tails.pmf[smallest])) ++smallest;
  return smallest;
}

/// P(Q = n) / P(Q = 0) for one packet per slot: up to the size of the buffer the balance equations are
/// those of
/// the infinite queue, at any load.  \pre P(A = 0) > 0
template <class L>
class Multiples {
 public:
  explicit Multiples(const series::ArrivalTails<L>& tails) {
    const L& none = tails.pmf.front();
    for (std::size_t j = 1; j < tails.above.size(); ++j) equation_.kernel.push_back(tails.above[j] / none);
    equation_.forcing.push_back(L(1));
    for (std::size_t j = 1; j < tails.pmf.size(); ++j) equation_.forcing.push_back(tails.pmf[j] / none);
  }

  void extend_to(std::size_t last) {
    series::extend(equation_, values_, last + 1);
    while (sums_.size() <= last)
      sums_.push_back(sums_.empty() ? values_.front() : L(sums_.back() + values_[sums_.size()]));
  }
  [[nodiscard]] std::size_t known() const { return sums_.size(); }
  [[nodiscard]] std::size_t order() const { return equation_.order(); }
  [[nodiscard]] const std::vector<L>& values() const { return values_; }
  /// Of 0 .. last, which is known.
  [[nodiscard]] const L& sum_to(std::size_t last) const { return sums_[last]; }

 private:
  series::RenewalEquation<L> equation_;
  std::vector<L> values_, sums_;
};

/// The largest size for which the recurrence is affordable.
std::int64_t max_recurrence(std::size_t order) {
  return std::min(max_recurrence_levels,
                  static_cast<std::int64_t>(max_recurrence_products / (static_cast<double>(order) + 1)));
}

[[noreturn]] void throw_too_deep(std::int64_t capacity, std::int64_t maximum) {
  throw LimitExceeded("the loss of a buffer of " + std::to_string(capacity) +
                      " packets at this load would take too long; the limit is " + std::to_string(maximum) +
                      " packets");
}

/// Empty shares P_B(Q = 0) = 1 / (sum of the multiples up to B) in intervals of a given precision. They fall
/// with B.
class EmptyShares {
 public:
  EmptyShares(const SlottedQueue& queue, int bits)
      : bits_(bits),
        complete_(true),
        multiples_(prepared(queue)),
        maximum_(max_recurrence(multiples_.order())) {
    const Interval excess = queue.arrivals.load_interval() - Interval(1);
    if (numeric::lower(excess) > 0)
      negligible_ = numeric::log2_magnitude(numeric::lower(excess)) - bits_ + 16;
  }

  [[nodiscard]] Interval at(std::int64_t capacity) {
    extend_to(capacity);
    if (const auto last = static_cast<std::size_t>(capacity); last < multiples_.known()) {
      const Interval share = Interval(1) / multiples_.sum_to(last);
      if (complete_ || last < kept_) return share;
      const Real least = numeric::lower(Interval(share - cut_));
      return numeric::make_interval(least > 0 ? least : Real(0), numeric::upper(share));
    }
    return numeric::make_interval(Real(0), upper_of_last());
  }
  [[nodiscard]] std::int64_t maximum() const { return maximum_; }

 private:
  series::ArrivalTails<Interval> prepared(const SlottedQueue& queue) {
    Offered<Interval> all = offered(queue, no_limit, -2L * bits_);
    complete_ = all.tails.complete;
    kept_ = all.tails.size();
    cut_ = all.cut;
    return std::move(all.tails);
  }
  [[nodiscard]] Real upper_of_last() const {
    return numeric::upper(Interval(Interval(1) / multiples_.sum_to(multiples_.known() - 1)));
  }
  /// As far as `capacity`, or until the share no longer matters next to the excess of the load.
  void extend_to(std::int64_t capacity) {
    const auto last = static_cast<std::size_t>(capacity);
    while (multiples_.known() <= last) {
      if (multiples_.known() > 0 && negligible_ && numeric::log2_magnitude(upper_of_last()) < *negligible_)
        return;
      const std::size_t next = std::min(last, multiples_.known() + multiples_.known() / 2 + 64);
      if (next > static_cast<std::size_t>(maximum_)) {
        if (last > static_cast<std::size_t>(maximum_) &&
            multiples_.known() > static_cast<std::size_t>(maximum_))
          throw_too_deep(capacity, maximum_);
        multiples_.extend_to(static_cast<std::size_t>(maximum_));
        continue;
      }
      multiples_.extend_to(next);
    }
  }

  int bits_;
  bool complete_;
  std::size_t kept_ = 0;
  Interval cut_{0};
  std::optional<double> negligible_{};  ///< log2 of a share that no longer matters
  Multiples<Interval> multiples_;
  std::int64_t maximum_;
};

/// C = 1, from an enclosure of the tail t: (1 - rho)/rho t/(1 - t), or in continuous time
/// (1 - rho) t/(1 - rho t); both increasing in t.
Enclosure<unit::Probability> loss_from_tail(const SlottedQueue& queue, Timing timing,
                                            const Enclosure<unit::Probability>& tail) {
  const Interval load = queue.arrivals.load_interval();
  const Interval idle =
      queue.arrivals.load() ? numeric::to_interval(1 - *queue.arrivals.load()) : Interval(Interval(1) - load);
  const auto loss = [&](const Real& t) -> Interval {
    if (timing == Timing::continuous) return idle * Interval(t) / (Interval(1) - load * Interval(t));
    return idle / load * Interval(t) / (Interval(1) - Interval(t));
  };
  const Real lower = numeric::lower(loss(tail.lower()));
  Real upper = tail.upper() < 1 ? numeric::upper(loss(tail.upper())) : Real(1);
  if (!(upper < 1)) upper = 1;
  return {tail.proof(), lower < upper ? lower : upper, upper};
}

/// The chain by censoring its states from the top down. Any C.
template <class L>
class Elimination {
 public:
  Elimination(const Offered<L>& offered, std::size_t servers, std::size_t limit)
      : tails_(offered.tails),
        servers_(servers),
        limit_(limit),
        reach_(std::min(limit, servers + tails_.size())),
        minimum_(std::min(limit, min_batch(tails_))) {}

  /// E[packets lost in a slot]
  [[nodiscard]] L lost() {
    for (std::size_t to = 0; to <= limit_; ++to) {
      column_.emplace_back();
      for (std::size_t from = first_of(to); from <= std::min(limit_, to + servers_); ++from)
        column_[to].push_back(one_slot(from, to));
    }
    const std::vector<L> leaving = eliminated();
    std::vector<L> weight(limit_ + 1, L(0));  // stationary, up to a factor
    weight[minimum_] = L(1);
    L total(1), lost(0);
    for (std::size_t state = minimum_ + 1; state <= limit_; ++state) {
      for (std::size_t from = std::max(minimum_, first_of(state)); from < state; ++from)
        weight[state] = weight[state] + weight[from] * at(from, state);
      weight[state] = weight[state] / leaving[state];
      total = total + weight[state];
    }
    for (std::size_t state = minimum_; state <= limit_; ++state) {
      const std::size_t spare = limit_ - after_service(state);  // packets lost: max(A - spare, 0)
      lost = lost + weight[state] * (spare == 0 ? load() : entry_at(tails_.beyond, spare - 1));
    }
    return lost / total;
  }

 private:
  /// States below the smallest batch are transient.
  std::vector<L> eliminated() {
    std::vector<L> leaving(limit_ + 1, L(1));  // probability of going down from a state
    for (std::size_t state = limit_; state > minimum_; --state) {
      const std::size_t lowest = after_service(state);
      leaving[state] = L(0);
      for (std::size_t to = lowest; to < state; ++to) leaving[state] = leaving[state] + at(state, to);
      for (std::size_t from = first_of(state); from < state; ++from) {
        const L share = at(from, state) / leaving[state];
        for (std::size_t to = lowest; to < state; ++to) at(from, to) = at(from, to) + share * at(state, to);
      }
    }
    return leaving;
  }
  [[nodiscard]] L load() const {  // of the arrivals as cut off
    return tails_.above.front() + tails_.beyond.front();
  }
  [[nodiscard]] std::size_t after_service(std::size_t state) const {
    return state > servers_ ? state - servers_ : 0;
  }
  static L entry_at(const std::vector<L>& values, std::size_t j) {
    return j < values.size() ? values[j] : L(0);
  }
  [[nodiscard]] L one_slot(std::size_t from, std::size_t to) const {
    const std::size_t base = after_service(from);
    if (to < base) return L(0);
    if (to < limit_) return entry_at(tails_.pmf, to - base);
    return to == base ? L(1) : entry_at(tails_.above, to - base - 1);
  }
  // column_[to][from - first_of(to)]: the probability of going from `from` to `to`, with states above the one
  // being eliminated removed from the path. A slot leads down by at most C and up by at most `reach_`.
  [[nodiscard]] std::size_t first_of(std::size_t to) const { return to > reach_ ? to - reach_ : 0; }
  [[nodiscard]] L& at(std::size_t from, std::size_t to) { return column_[to][from - first_of(to)]; }

  const series::ArrivalTails<L>& tails_;
  std::size_t servers_, limit_, reach_, minimum_;
  std::vector<std::vector<L>> column_;
};

/// P(Q = 0) for the largest buffer of interest decides the loss without cancellation where the load is not
/// clearly below 1.
bool by_empty_share(const SlottedQueue& queue) {
  return queue.packets_per_slot == 1 &&
         (at_capacity_without_variance(queue) || !is_stable(queue) || log2_of_idle_share(queue) < -40);
}

}  // namespace

struct FiniteLosses::State {
  SlottedQueue queue;
  Timing timing;
  bool empty_share = by_empty_share(queue);
  std::map<int, EmptyShares> shares{};  ///< by bits
  std::optional<bool> always_busy_{};

  /// The buffer of the embedded chain: that of departures in continuous time.
  [[nodiscard]] std::int64_t embedded(std::int64_t capacity) const {
    return timing == Timing::continuous ? capacity - 1 : capacity;
  }
  [[nodiscard]] bool too_large_for_elimination(std::int64_t capacity, std::size_t batches) const {
    const double limit = static_cast<double>(capacity);
    return limit *
               std::min(limit, static_cast<double>(queue.packets_per_slot) + static_cast<double>(batches)) >
           max_elimination_products;
  }

  /// Whether no slot has fewer packets than are served: then as many leave in every slot, if they fit.
  [[nodiscard]] bool always_busy() {
    if (!always_busy_) {
      const PrecisionScope scope(Precision{128});
      const auto tails = series::enclosed_arrival_tails(queue.arrivals, -64);
      always_busy_ = min_batch(tails) >= static_cast<std::size_t>(queue.packets_per_slot);
    }
    return *always_busy_;
  }
  [[nodiscard]] Rational leaving(std::int64_t capacity) const {
    return Rational(static_cast<long>(std::min<std::int64_t>(queue.packets_per_slot, capacity)));
  }

  EmptyShares& shares_of(int bits) {
    const auto known = shares.find(bits);
    return known != shares.end() ? known->second
                                 : shares.emplace(bits, EmptyShares(queue, bits)).first->second;
  }

  Interval by_share(std::int64_t capacity, int bits) {
    const auto& known = queue.arrivals.load();
    const Interval load = queue.arrivals.load_interval();
    const Interval empty = shares_of(bits).at(embedded(capacity));
    const Interval lost = (known ? numeric::to_interval(*known - 1) : Interval(load - Interval(1))) + empty;
    return timing == Timing::continuous ? Interval(lost / (load + empty)) : Interval(lost / load);
  }

  Interval by_elimination(std::int64_t capacity, long negligible) const {
    const auto limit = static_cast<std::size_t>(capacity);
    const Offered<Interval> all = offered(queue, limit, negligible);
    if (too_large_for_elimination(capacity, all.tails.size()))
      throw LimitExceeded("the loss of a buffer of " + std::to_string(capacity) + " packets with " +
                          std::to_string(queue.packets_per_slot) +
                          " served per slot would need more than 4e6 states times batch sizes, which is the "
                          "limit");
    const Interval lost =
        Elimination<Interval>(all, static_cast<std::size_t>(queue.packets_per_slot), limit).lost();
    return (lost + numeric::make_interval(Real(0), numeric::upper(all.cut))) / all.tails.load;
  }

  /// \throws LimitExceeded  irrational, or numbers that would be too long
  LevelProbability exact(Packets capacity) const {
    const std::int64_t last = embedded(capacity.value);
    const auto limit = static_cast<std::size_t>(capacity.value);
    const auto reject = [&] {
      throw LimitExceeded("the exact loss of a buffer of " + std::to_string(capacity.value) +
                          " packets has too many digits");
    };
    if (static_cast<double>(limit) * static_cast<double>(limit) > max_exact_products) reject();
    const Offered<Rational> all = exactly_offered(queue, limit);
    const auto result = [&](Rational loss) {
      return LevelProbability{capacity, Exact<unit::Probability>{proof_of(queue), std::move(loss)},
                              exact_method};
    };
    const Rational& load = *queue.arrivals.load();
    if (queue.packets_per_slot == 1) {
      Multiples<Rational> multiples(all.tails);
      multiples.extend_to(static_cast<std::size_t>(last));
      const Rational empty = 1 / multiples.sum_to(static_cast<std::size_t>(last));
      return result((load - 1 + empty) / (timing == Timing::continuous ? Rational(load + empty) : load));
    }
    const double reach = std::min(static_cast<double>(limit), static_cast<double>(queue.packets_per_slot) +
                                                                  static_cast<double>(all.tails.size()));
    if (static_cast<double>(limit) * reach > max_exact_elimination_products) reject();
    return result(Elimination<Rational>(all, static_cast<std::size_t>(queue.packets_per_slot), limit).lost() /
                  load);
  }

  /// C = 1 and rho < 1.
  LevelProbability from_tail(Packets capacity, const Accuracy& accuracy) const {
    // Dividing by 1 - t widens by 1/(1 - t) <= 1/(1 - rho): increase the digits where needed.
    for (int extra = 1; extra <= 64; extra = 2 * extra + 2) {
      Accuracy finer = accuracy;
      finer.digits.count += extra;
      const LevelProbability tail = occupancy_tail(queue, Packets(embedded(capacity.value)), finer);
      if (const auto* t = std::get_if<Exact<unit::Probability>>(&tail.probability)) {
        if (t->value == 0) return {capacity, *t, tail.method};
        const Rational& load = *queue.arrivals.load();
        const Rational loss = timing == Timing::continuous
                                  ? Rational((1 - load) * t->value / (1 - load * t->value))
                                  : Rational((1 - load) / load * t->value / (1 - t->value));
        return {capacity, Exact<unit::Probability>{t->proof(), loss}, tail.method};
      }
      const PrecisionScope scope(Precision{numeric::to_precision(finer.digits).bits + 64});
      Enclosure<unit::Probability> loss =
          loss_from_tail(queue, timing, std::get<Enclosure<unit::Probability>>(tail.probability));
      if (numeric::agree_to(loss.lower(), loss.upper(), accuracy.digits))
        return {capacity, std::move(loss), tail.method};
    }
    throw LimitExceeded("the loss at capacity " + std::to_string(capacity.value) + " cannot be enclosed to " +
                        std::to_string(accuracy.digits.count) + " digits");
  }

  LevelProbability of_chain(Packets capacity, const Accuracy& accuracy) {
    double magnitude = -64;
    for (int bits = numeric::to_precision(accuracy.digits).bits + 64; bits <= max_finite_bits;
         bits += bits / 2) {
      const PrecisionScope scope(Precision{bits + 32});
      const Interval load = queue.arrivals.load_interval();
      const Interval loss =
          always_busy() ? Interval((load - numeric::to_interval(leaving(capacity.value))) / load)
          : empty_share ? by_share(capacity.value, bits)
                        : by_elimination(capacity.value, static_cast<long>(magnitude) - bits);
      if (numeric::lower(loss) > 0) {
        const Real upper = numeric::upper(loss);
        Enclosure<unit::Probability> result(proof_of(queue), numeric::lower(loss),
                                            upper < 1 ? upper : Real(1));
        if (numeric::agree_to(result.lower(), result.upper(), accuracy.digits))
          return {capacity, std::move(result), {Arithmetic::interval, bits}};
        magnitude = std::min(magnitude, numeric::log2_magnitude(numeric::lower(loss)) - 16);
      } else if (numeric::upper(loss) == 0) {
        return {capacity, Exact<unit::Probability>{proof_of(queue), 0}, exact_method};
      } else {
        magnitude *= 2;
      }
    }
    throw LimitExceeded("the loss at capacity " + std::to_string(capacity.value) + " cannot be enclosed to " +
                        std::to_string(accuracy.digits.count) + " digits");
  }

  /// The largest capacity up to which losses are searched.
  std::int64_t deepest() {
    if (empty_share) {
      const PrecisionScope scope(Precision{128});
      return shares_of(96).maximum() + (timing == Timing::continuous ? 1 : 0);
    }
    const PrecisionScope scope(Precision{128});
    const double batches = static_cast<double>(offered(queue, no_limit, -192).tails.size()) +
                           static_cast<double>(queue.packets_per_slot);
    return static_cast<std::int64_t>(
        std::max(std::sqrt(max_elimination_products), max_elimination_products / batches / 2));
  }
};

FiniteLosses::FiniteLosses(SlottedQueue queue, Timing timing) {
  if (timing == Timing::continuous &&
      (queue.packets_per_slot != 1 ||
       !std::holds_alternative<series::PoissonArrivals>(queue.arrivals.description())))
    throw InvalidArgument("the queue", "not of one packet per slot and Poisson arrivals",
                          "M/D/1/K in continuous time");
  state_ = std::make_unique<State>(State{.queue = std::move(queue), .timing = timing});
}
FiniteLosses::~FiniteLosses() = default;
FiniteLosses::FiniteLosses(FiniteLosses&&) noexcept = default;
FiniteLosses& FiniteLosses::operator=(FiniteLosses&&) noexcept = default;

LevelProbability FiniteLosses::at(Packets capacity, const Accuracy& accuracy) {
  if (capacity.value < 0)
    throw InvalidArgument("capacity", std::to_string(capacity.value), "a whole number of packets, 0 or more");
  State& state = *state_;
  if (state.queue.arrivals.largest_batch() == 0)
    return {capacity, Exact<unit::Probability>{proof_of(state.queue), 0}, exact_method};
  if (capacity.value == 0)
    return {capacity, Exact<unit::Probability>{proof_of(state.queue), 1}, exact_method};
  const auto exactly = [&](Rational loss) {
    return LevelProbability{capacity, Exact<unit::Probability>{proof_of(state.queue), std::move(loss)},
                            exact_method};
  };
  const auto& load = state.queue.arrivals.load();
  if (state.timing == Timing::continuous && capacity.value == 1)
    return exactly(*load / (1 + *load));  // Erlang
  const bool tail = state.queue.packets_per_slot == 1 && !state.empty_share;
  if (tail) return state.from_tail(capacity, accuracy);
  if (load && state.always_busy()) return exactly((*load - state.leaving(capacity.value)) / *load);
  if (accuracy.arithmetic == Arithmetic::exact) return state.exact(capacity);
  if (accuracy.arithmetic == Arithmetic::double_precision)
    throw LimitExceeded(std::string("the loss with several packets served per slot, or in overload, is "
                                    "computed in intervals or exactly, not in ") +
                        name(accuracy.arithmetic) + " arithmetic");
  return state.of_chain(capacity, accuracy);
}

bool FiniteLosses::at_most(Packets capacity, const Rational& target, Arithmetic arithmetic) {
  // A few digits decide nearly every case; equality needs the exact value.
  for (const int digits : {3, 8, 16, 40, 100, 250, 600}) {
    const LevelProbability value = at(capacity, {.digits = {digits}, .arithmetic = arithmetic});
    if (numeric::surely_at_most<unit::Probability>(value.probability, target)) return true;
    if (numeric::surely_above<unit::Probability>(value.probability, target)) return false;
    if (digits == 40 && arithmetic == Arithmetic::automatic) {
      try {
        return numeric::surely_at_most<unit::Probability>(
            at(capacity, {.digits = {digits}, .arithmetic = Arithmetic::exact}).probability, target);
      } catch (const LimitExceeded&) {
        // Irrational, or too long: only more digits can help.
      }
    }
  }
  throw LimitExceeded("the loss of a buffer of " + std::to_string(capacity.value) +
                      " packets agrees with the target to 600 digits");
}

TailBoundary FiniteLosses::min_capacity(const Rational& target, const Accuracy& accuracy) {
  check_target(target);
  State& state = *state_;
  const auto boundary = [&](Packets capacity) {
    TailBoundary result{capacity, at(capacity, accuracy), {}};
    if (capacity.value > 0) result.before.push_back(at(capacity - Packets(1), accuracy));
    return result;
  };
  const auto& load = state.queue.arrivals.load();
  if (state.queue.arrivals.largest_batch() == 0) return boundary(Packets(0));
  if (state.queue.packets_per_slot == 1 && !state.empty_share && load) {
    // loss(B) <= eps  <=>  P(Q > B) <= eps rho / (1 - rho + eps rho), in continuous time
    // <=>  P(Q > B - 1) <= eps / (1 - rho + eps rho)
    const bool any_time = state.timing == Timing::continuous;
    const Rational tail = (any_time ? target : Rational(target * *load)) / (1 - *load + target * *load);
    return boundary(min_level(state.queue, tail, accuracy).level + Packets(any_time ? 1 : 0));
  }
  // Without idle slots the limit itself is reached.
  const int served = state.queue.packets_per_slot;
  if (load && !(state.always_busy() && target >= 1 - Rational(served) / *load))
    require_avoidable(target, *load, served);
  const std::int64_t deepest = state.deepest();
  std::int64_t missed = 0, met = 1;
  while (!at_most(Packets(met), target, accuracy.arithmetic)) {
    if (met >= deepest)
      throw LimitExceeded(
          "no buffer up to " + std::to_string(met) + " packets meets the target: " + std::to_string(met) +
          " lose about " +
          numeric::to_decimal(numeric::to_enclosure(at(Packets(met), {{3}}).probability).lower(), 3,
                              numeric::Rounding::nearest) +
          " of the packets; larger buffers take too long to compute. Give a larger --drop");
    missed = std::exchange(met, std::min(2 * met, deepest));
  }
  return boundary(Packets(first_that(missed + 1, met, [&](std::int64_t capacity) {
    return at_most(Packets(capacity), target, accuracy.arithmetic);
  })));
}

LevelProbability loss_probability(const SlottedQueue& queue, Packets capacity, const Accuracy& accuracy,
                                  Timing timing) {
  return FiniteLosses(queue, timing).at(capacity, accuracy);
}

std::vector<Interval> finite_law(const SlottedQueue& queue, Packets last) {
  const auto size = static_cast<std::size_t>(last.value) + 1;
  long negligible = -2 * static_cast<long>(mpfr_get_prec(Real(0).backend().data()));
  // Batches up to the buffer size count individually: nothing is cut off.
  series::ArrivalTails<Interval> tails = series::enclosed_arrival_tails(queue.arrivals, negligible);
  while (!tails.complete && tails.size() <= size)
    tails = series::enclosed_arrival_tails(queue.arrivals, negligible *= 2);
  if (last.value > max_recurrence(tails.size())) throw_too_deep(last.value, max_recurrence(tails.size()));
  if (is_zero(
          tails.pmf.front())) {  // a packet in every slot: the buffer fills, unless it is never more than one
    std::vector<Interval> law(size, Interval(0));
    (at_capacity_without_variance(queue) ? law[std::min<std::size_t>(1, size - 1)] : law.back()) =
        Interval(1);
    return law;
  }
  Multiples<Interval> multiples(tails);
  multiples.extend_to(size - 1);
  return multiples.values();
}

void require_avoidable(const Rational& target, const Rational& load, int served) {
  const Rational excess = 1 - Rational(served) / load;
  if (target > excess) return;
  std::string limit = numeric::plain(excess);
  if (limit.find('/') != std::string::npos)
    limit += " (about " + numeric::to_decimal(excess, 6, numeric::Rounding::nearest) + ")";
  throw LoadTooHigh(
      "no buffer loses as little as " + numeric::plain(target) + " of the packets: " + numeric::plain(load) +
      " arrive per slot and at most " + std::to_string(served) + " can leave, so the loss is at least 1 - " +
      std::to_string(served) + "/load = " + limit + ", and more where slots are idle; give a larger --drop");
}

}  // namespace tailbound::queue
