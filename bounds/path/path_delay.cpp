#include <tailbound/bounds/path/path_delay.hpp>
#include <tailbound/core/choice.hpp>
#include <tailbound/numeric/rounding.hpp>
#include <tailbound/series/distribution.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <string>

namespace tailbound::bounds {
namespace {

using numeric::Digits;
using numeric::Enclosure;
using numeric::Exact;
using numeric::Interval;
using numeric::Precision;
using numeric::PrecisionScope;
using numeric::Rational;
using numeric::Real;
using queue::HopDelay;
using queue::HopQueue;
using queue::MarkovArrivals;
using queue::MarkovQueue;
using queue::SlottedQueue;
using series::Distribution;
using series::Summation;
using Probability = numeric::Proved<unit::Probability>;
using MeanDelay = numeric::Proved<unit::Slot>;

constexpr double max_direct_products = 4e9, max_long_products = 4e8;
/// Maximum digits that double precision can prove; more are not tried in double.
constexpr int max_double_digits = 14;
/// Of an interval that only represents agreed digits.
constexpr numeric::Proof implied_by_digits{numeric::Theorem::convolution, numeric::Assumption::converged};
/// Values down to here need no tilt in double.
constexpr double min_log2_untilted = -700;

double log2_of(const Rational& value) {
  const PrecisionScope scope(Precision{64});
  return numeric::log2_magnitude(numeric::to_real(value, numeric::Rounding::nearest));
}

/// `The sum of `times` independent copies of `x`.
template <class T>
Distribution<T> multiple(const Distribution<T>& x, std::size_t times, Summation summation) {
  if (times == 1) return x;
  Distribution<T> half = multiple(x, times / 2, summation);
  half = series::sum(half, half, summation);
  return times % 2 == 1 ? series::sum(half, x, summation) : half;
}

std::size_t sums_in(std::size_t times) {
  return times == 1 ? 0 : sums_in(times / 2) + 1 + times % 2;
}

/// The distributions of D on each route, and their mixture.
template <class T>
struct Mixture {
  std::vector<Distribution<T>> routes;
  std::vector<Rational> shares;
  std::vector<std::int64_t> hops;  ///< queues on each route; 0 for the queueing delay alone
  numeric::Proof proof{numeric::Theorem::sojourn};

  [[nodiscard]] std::int64_t minimum() const { return *std::min_element(hops.begin(), hops.end()); }

  /// Numerical, not proved; of T with `latency`.
  [[nodiscard]] double log2_above(std::int64_t t, bool latency) const {
    double largest = -std::numeric_limits<double>::infinity();
    std::vector<double> logs;
    for (std::size_t i = 0; i < routes.size(); ++i) {
      const std::int64_t slot = latency ? t - hops[i] : t;
      const double log_share = std::log(numeric::nearest_double(shares[i]));
      logs.push_back(log_share +
                     (slot < 0 ? 0 : series::log_tail(routes[i], static_cast<std::size_t>(slot))));
      largest = std::max(largest, logs.back());
    }
    if (!std::isfinite(largest)) return largest;
    double sum = 0;
    for (const double log : logs) sum += std::exp(log - largest);
    return (largest + std::log(sum)) / std::log(2.0);
  }

  [[nodiscard]] Probability above(std::int64_t t, bool latency) const {
    if (routes.size() == 1) {
      const std::int64_t slot = latency ? t - hops[0] : t;
      if (slot < 0) return Exact<unit::Probability>{proof, 1};
      return series::enclose_tail(proof, routes[0], static_cast<std::size_t>(slot));
    }
    int bits = 0;
    for (const Distribution<T>& route : routes) bits = std::max(bits, route.bits);
    const PrecisionScope scope(Precision{bits + 32});
    Interval sum(0);
    for (std::size_t i = 0; i < routes.size(); ++i) {
      const std::int64_t slot = latency ? t - hops[i] : t;
      const Interval share = numeric::to_interval(shares[i]);
      if (slot < 0) {
        sum += share;
      } else {
        const auto tail = series::enclose_tail(proof, routes[i], static_cast<std::size_t>(slot));
        sum += share * numeric::make_interval(tail.lower(), tail.upper());
      }
    }
    Real top = numeric::upper(sum);
    if (top > 1) top = 1;
    return Enclosure<unit::Probability>(proof, numeric::lower(sum), std::move(top));
  }
};

/// The unresolved parts of a query.
struct Open {
  struct Rank {
    std::size_t position;  ///< index of the percentile
    bool latency;
    std::int64_t near = -1;  ///< approximate boundary; -1: not yet known
  };
  std::vector<std::size_t> levels;
  std::vector<Rank> ranks;

  [[nodiscard]] bool empty() const { return levels.empty() && ranks.empty(); }
};

bool meets(const Probability& value, Digits digits) {
  const auto* enclosure = std::get_if<Enclosure<unit::Probability>>(&value);
  return enclosure == nullptr || enclosure->upper() == 0 ||
         numeric::agree_to(enclosure->lower(), enclosure->upper(), digits);
}

/// Smallest t in [from, to] whose computed probability is at most 2^log2_target.
template <class T>
std::int64_t search(const Mixture<T>& mixture, bool latency, double log2_target, std::int64_t from,
                    std::int64_t to) {
  while (from < to) {
    const std::int64_t middle = from + (to - from) / 2;
    if (mixture.log2_above(middle, latency) <= log2_target)
      to = middle;
    else
      from = middle + 1;
  }
  return from;
}

/// Resolves the parts that `mixture` can prove; the rest stays open.
template <class T>
void resolve(const Mixture<T>& mixture, const DelayQuery& query, Digits digits, Open& open,
             DelayAnswer& answer) {
  const auto size = static_cast<std::int64_t>(mixture.routes.front().size());
  std::erase_if(open.levels, [&](std::size_t i) {
    const std::int64_t t = query.levels[i].value;
    if (t >= size) return false;
    answer.above[i].probability = mixture.above(t, false);
    return meets(answer.above[i].probability, digits);
  });
  std::erase_if(open.ranks, [&](Open::Rank& rank) {
    Percentile& percentile = (rank.latency ? answer.latency : answer.queueing)[rank.position];
    const Rational target = 1 - percentile.probability;
    const std::int64_t minimum = rank.latency ? mixture.minimum() : 0;
    std::int64_t t = search(mixture, rank.latency, log2_of(target), minimum, minimum + size - 1);
    // The computed slot may be off by one next to a boundary that it cannot decide.
    for (const std::int64_t candidate : {t, t + 1, t - 1}) {
      if (candidate < minimum || candidate > minimum + size - 1) continue;
      const Probability at = mixture.above(candidate, rank.latency);
      if (!numeric::surely_at_most(at, target)) continue;
      std::vector<SlotProbability> before;
      if (candidate > minimum) {
        before.push_back({Slots(candidate - 1), mixture.above(candidate - 1, rank.latency)});
        if (!numeric::surely_above(before.front().probability, target)) continue;
      }
      percentile.slots = Slots(candidate);
      percentile.at = {Slots(candidate), at};
      percentile.before = std::move(before);
      return true;
    }
    rank.near = t;
    return false;
  });
}

MeanDelay weighted_sum(numeric::Proof proof, std::span<const std::pair<Rational, MeanDelay>> terms,
                       const Rational& constant, Digits digits) {
  Rational exact = constant;
  const PrecisionScope scope(Precision{numeric::to_precision(digits).bits + 64});
  Interval enclosed(0);
  bool all_exact = true;
  for (const auto& [weight, mean] : terms) {
    if (const auto* value = std::get_if<Exact<unit::Slot>>(&mean)) {
      proof = proof & value->proof();
      exact = exact + weight * value->value;
    } else {
      const auto& enclosure = std::get<Enclosure<unit::Slot>>(mean);
      proof = proof & enclosure.proof();
      enclosed += numeric::to_interval(weight) * numeric::make_interval(enclosure.lower(), enclosure.upper());
      all_exact = false;
    }
  }
  if (all_exact) return Exact<unit::Slot>{proof, exact};
  return Enclosure<unit::Slot>(proof, Interval(enclosed + numeric::to_interval(exact)));
}

}  // namespace

/// The queues, and a cache of their results.
class DelayKnowledge {
 public:
  DelayKnowledge(std::vector<HopQueue> queues, HopDelay delay, Digits digits, std::vector<std::int64_t> ticks)
      : queues_(std::move(queues)),
        delay_(delay),
        digits_(digits),
        ticks_(std::move(ticks)),
        hops_(queues_.size()) {
    ticks_.resize(queues_.size(), 1);
  }

  [[nodiscard]] Digits digits() const { return digits_; }
  /// Of one of the queue's own slots.
  [[nodiscard]] std::int64_t ticks(std::size_t queue) const { return ticks_[queue]; }
  /// Ticks of a packet that never waits.
  [[nodiscard]] std::int64_t transfer(const Route& route) const {
    auto sum = static_cast<std::int64_t>(route.passed);
    for (const std::size_t queue : route.queues) sum += ticks_[queue];
    return sum;
  }

  /// At least `size` entries.
  const Distribution<long double>& hop(std::size_t queue, std::size_t size, double log2_min) {
    Hop& known = hops_[queue];
    if (known.values.size() < size || known.log2_min > log2_min) {
      const std::size_t all = std::max(size, known.values.size()), wanted = own_slots(queue, all);
      known.log2_min = std::min(known.log2_min, log2_min);
      if (const auto* its = flow(queue)) {
        known.values = queue::hop_delay(*its, wanted, known.log2_min, digits_);
      } else if (std::holds_alternative<queue::MarkedArrivals>(queues_[queue])) {
        known.values = queue::hop_delay(marked(queue), wanted);
      } else if (classes(queue)) {
        known.values = priority(queue).wait_law(wanted);
      } else if (correlated(queue)) {
        queue::ClaimedHopDelay hop = queue::hop_delay(markov(queue), delay_, wanted);
        known.values = std::move(hop.values);
        known.agreed_digits = hop.agreed_digits;
      } else {
        known.values = queue::hop_delay(slotted(queue), delay_, wanted, known.log2_min, digits_);
      }
      stretch(queue, known.values, all);
    }
    return known.values;
  }

  Distribution<Real> hop(std::size_t queue, std::size_t size, double log2_min, int bits) {
    const std::size_t own = own_slots(queue, size);
    const auto* its = flow(queue);
    Distribution<Real> values = its != nullptr
                                    ? queue::hop_delay(*its, own, log2_min, bits)
                                    : queue::hop_delay(slotted(queue), delay_, own, log2_min, bits);
    stretch(queue, values, size);
    return values;
  }

  std::vector<Rational> exact_hop(std::size_t queue, std::size_t size) {
    const std::size_t own = own_slots(queue, size);
    const auto* its = flow(queue);
    const std::vector<Rational> values = its != nullptr ? queue::exact_hop_delay(*its, own)
                                                        : queue::exact_hop_delay(slotted(queue), delay_, own);
    if (ticks_[queue] == 1) return values;
    std::vector<Rational> stretched(size, Rational(0));
    const auto step = static_cast<std::size_t>(ticks_[queue]);
    for (std::size_t t = 0; t < size; t += step) stretched[t] = values[t / step];
    return stretched;
  }

  MeanDelay mean(std::size_t queue, Digits digits) const {
    const Digits finer{digits.count + 3};
    if (const auto* its = flow(queue)) return queue::mean_hop_delay(*its, finer);
    return queue::mean_hop_delay(slotted(queue), delay_, finer);
  }
  const MeanDelay& mean(std::size_t queue) {
    Hop& known = hops_[queue];
    if (!known.mean)
      known.mean = classes(queue)
                       ? MeanDelay(Exact<unit::Slot>{numeric::Theorem::sojourn, priority(queue).mean_wait()})
                   : std::holds_alternative<queue::MarkedArrivals>(queues_[queue])
                       ? MeanDelay(Enclosure<unit::Slot>(numeric::Theorem::sojourn, marked(queue).mean()))
                   : correlated(queue) ? markov_mean(queue)
                                       : mean(queue, digits_);
    return *known.mean;
  }

  /// Maximum number of ticks for a queue.
  [[nodiscard]] std::int64_t longest(std::size_t queue) {
    return std::min(queue::max_delay_slots, own_longest(queue) * ticks_[queue]);
  }

  [[nodiscard]] bool correlated(std::size_t queue) const {
    return !std::holds_alternative<SlottedQueue>(queues_[queue]) && flow(queue) == nullptr;
  }
  [[nodiscard]] bool correlated(std::span<const Route> routes) const {
    return std::any_of(routes.begin(), routes.end(), [&](const Route& route) {
      return std::any_of(route.queues.begin(), route.queues.end(),
                         [&](std::size_t queue) { return correlated(queue); });
    });
  }
  /// Digits of the least accurate approximated queue on the routes; empty if all are proved.
  [[nodiscard]] std::optional<int> agreed_digits(std::span<const Route> routes) const {
    std::optional<int> minimum;
    for (const Route& route : routes)
      for (const auto& [queue, times] : delaying(route))
        if (const auto& digits = hops_[queue].agreed_digits)
          minimum = std::min(minimum.value_or(*digits), *digits);
    return minimum;
  }

  /// The queues of a route where packets may be delayed, with their multiplicities.
  [[nodiscard]] std::vector<std::pair<std::size_t, std::size_t>> delaying(const Route& route) const {
    std::vector<std::size_t> sorted = route.queues;
    std::sort(sorted.begin(), sorted.end());
    std::vector<std::pair<std::size_t, std::size_t>> result;
    for (const std::size_t queue : sorted) {
      if (delay_ == HopDelay::wait && queue::never_waits(queues_[queue])) continue;
      if (!result.empty() && result.back().first == queue)
        ++result.back().second;
      else
        result.emplace_back(queue, 1);
    }
    return result;
  }

  void check(const Route& route) const {
    for (const std::size_t queue : route.queues)
      if (queue >= queues_.size())
        throw InvalidArgument("queue", std::to_string(queue),
                              "one of the " + std::to_string(queues_.size()) + " queues, from 0");
  }

 private:
  [[nodiscard]] std::int64_t own_longest(std::size_t queue) {
    if (const auto* its = flow(queue)) return static_cast<std::int64_t>(queue::longest_delay(*its));
    if (classes(queue)) return queue::PriorityQueue::max_levels;
    if (correlated(queue)) return queue::max_delay_slots;
    return static_cast<std::int64_t>(queue::longest_delay(slotted(queue)));
  }
  /// Own slots of a queue that begin within so many ticks.
  [[nodiscard]] std::size_t own_slots(std::size_t queue, std::size_t size) const {
    const auto step = static_cast<std::size_t>(ticks_[queue]);
    return (size + step - 1) / step;
  }
  /// From own slots to ticks.
  template <class T>
  void stretch(std::size_t queue, Distribution<T>& values, std::size_t size) const {
    if (ticks_[queue] == 1) return;
    const auto step = static_cast<std::size_t>(ticks_[queue]);
    std::vector<T> mass(size, T(0)), tail(size);
    for (std::size_t t = 0; t < size; ++t) {
      if (t % step == 0) mass[t] = values.mass[t / step];
      tail[t] = values.tail[t / step];
    }
    values.mass = std::move(mass);
    values.tail = std::move(tail);
  }

  struct Hop {
    Distribution<long double> values;
    double log2_min = 0;
    std::optional<MeanDelay> mean;
    std::optional<int> agreed_digits;  ///< as queue::ClaimedHopDelay
    std::optional<MarkovQueue> markov;
    std::optional<queue::PriorityQueue> priority;
    std::optional<queue::MarkedQueue> marked;
  };

  [[nodiscard]] const SlottedQueue& slotted(std::size_t queue) const {
    return std::get<SlottedQueue>(queues_[queue]);
  }
  /// The packets of one source; null for others.
  [[nodiscard]] const queue::FlowQueue* flow(std::size_t queue) const {
    const auto* its = std::get_if<queue::FlowQueue>(&queues_[queue]);
    if (its != nullptr && delay_ != HopDelay::wait)
      throw InvalidArgument("hop delay", name_of(delay_), "wait for the packets of one source");
    return its;
  }
  queue::MarkedQueue& marked(std::size_t queue) {
    if (delay_ != HopDelay::wait)
      throw InvalidArgument("hop delay", name_of(delay_), "wait for the packets of one source");
    std::optional<queue::MarkedQueue>& known = hops_[queue].marked;
    if (!known) known.emplace(std::get<queue::MarkedArrivals>(queues_[queue]));
    return *known;
  }
  MarkovQueue& markov(std::size_t queue) {
    std::optional<MarkovQueue>& known = hops_[queue].markov;
    if (!known)
      known.emplace(std::get<MarkovArrivals>(queues_[queue]),
                    Digits{std::min(digits_.count + 2, max_double_digits - 1)});
    return *known;
  }
  [[nodiscard]] bool classes(std::size_t queue) const {
    return std::holds_alternative<queue::ClassQueue>(queues_[queue]);
  }
  queue::PriorityQueue& priority(std::size_t queue) {
    if (delay_ != HopDelay::wait)
      throw InvalidArgument("hop delay", name_of(delay_), "wait for classes of lower priority");
    std::optional<queue::PriorityQueue>& known = hops_[queue].priority;
    const auto& its = std::get<queue::ClassQueue>(queues_[queue]);
    if (!known) known.emplace(its.arrivals, Digits{}, its.of);
    return *known;
  }
  /// An approximation as the bounds implied by its digits; agreed_digits() marks them as not proved.
  MeanDelay markov_mean(std::size_t queue) {
    if (delay_ == HopDelay::wait && queue::never_waits(queues_[queue]))
      return Exact<unit::Slot>{numeric::Theorem::sojourn, 0};
    const PrecisionScope scope(Precision{256});
    const queue::ClaimBounds mean = queue::claim_bounds(queue::mean_hop_delay(markov(queue), delay_));
    hops_[queue].agreed_digits = mean.agreed_digits;
    return Enclosure<unit::Slot>(
        mean.agreed_digits ? implied_by_digits : numeric::Proof(numeric::Theorem::sojourn), mean.bounds);
  }

  std::vector<HopQueue> queues_;
  HopDelay delay_;
  Digits digits_;
  std::vector<std::int64_t> ticks_;  ///< of a slot of each queue
  std::vector<Hop> hops_;
};

namespace {

/// No delay: the empty sum.
template <class T>
Distribution<T> no_delay(std::size_t size, int bits) {
  Distribution<T> result;
  result.bits = bits;
  result.mass.assign(size, T(0));
  result.tail.assign(size, T(0));
  result.mass.front() = T(1);
  return result;
}

double direct_products(const std::vector<std::pair<std::size_t, std::size_t>>& queues, std::size_t size) {
  double sums = static_cast<double>(queues.size()) - 1;
  for (const auto& [queue, times] : queues) sums += static_cast<double>(sums_in(times));
  return sums * static_cast<double>(size) * static_cast<double>(size) / 2;
}

/// Of numbers about these routes: the waits at several queues of one are taken as independent.
numeric::Proof proof_of(const DelayKnowledge& known, std::span<const Route> routes) {
  const bool several = std::ranges::any_of(routes, [&](const Route& route) {
    const auto queues = known.delaying(route);
    return queues.size() > 1 || (!queues.empty() && queues.front().second > 1);
  });
  return several ? numeric::Proof(numeric::Theorem::convolution, numeric::Assumption::independent_hops)
                 : numeric::Proof(numeric::Theorem::sojourn);
}

/// Maximum number of slots for all queues on the routes.
std::int64_t longest_delay(DelayKnowledge& known, std::span<const Route> routes) {
  std::int64_t minimum = queue::max_delay_slots;
  for (const Route& route : routes)
    for (const auto& [queue, times] : known.delaying(route))
      minimum = std::min(minimum, known.longest(queue));
  return minimum;
}

/// If a single hop of a route exceeds the last of `size` slots with more than 2^log2_target: at least that
/// probability, as a logarithm. The sum of the hops is then not needed. Numerical, not proved.
std::optional<double> log2_of_single_hops(DelayKnowledge& known, std::span<const Route> routes,
                                          std::size_t size, double log2_min, double log2_target) {
  double sum = 0;
  for (const Route& route : routes) {
    double heaviest = 0;
    for (const auto& [queue, times] : known.delaying(route)) {
      const Distribution<long double>& values = known.hop(queue, size, log2_min);
      heaviest = std::max(heaviest,
                          numeric::nearest_double(route.share) * static_cast<double>(values.tail[size - 1]));
      if (std::log2(sum + heaviest) > log2_target) return std::log2(sum + heaviest);
    }
    sum += heaviest;
  }
  return std::nullopt;
}

/// One route in double.
Distribution<double> sum_in_double(DelayKnowledge& known, const Route& route, std::size_t size,
                                   double log2_min, Summation summation) {
  const auto queues = known.delaying(route);
  if (queues.empty()) return no_delay<double>(size, std::numeric_limits<double>::digits);
  std::vector<Distribution<long double>> cut;  // cut to `size`, where more is known
  cut.reserve(queues.size());
  std::vector<const Distribution<long double>*> terms;
  double log2_last = -std::numeric_limits<double>::infinity();
  for (const auto& [queue, times] : queues) {
    const Distribution<long double>& values = known.hop(queue, size, log2_min);
    const Distribution<long double>* term = &values;
    if (values.size() != size) term = &cut.emplace_back(series::prefix(values, size));
    for (std::size_t i = 0; i < times; ++i) terms.push_back(term);
    log2_last = std::max(log2_last, series::log_tail(*term, size - 1) / std::log(2.0));
  }
  const bool by_transform =
      terms.size() > 1 && (summation == Summation::transform ||
                           (summation == Summation::automatic && size >= series::transform_pays_from()));
  const double tilt = by_transform || log2_last < min_log2_untilted ? series::balancing_tilt(terms) : 1;
  std::optional<Distribution<double>> total;
  std::size_t position = 0;
  for (const auto& [queue, times] : queues) {
    const Distribution<double> part = multiple(series::tilted(*terms[position], tilt), times, summation);
    total = total ? series::sum(*total, part, summation) : part;
    position += times;
  }
  return *std::move(total);
}

/// One route in MPFR arithmetic.
Distribution<Real> sum_in_reals(DelayKnowledge& known, const Route& route, std::size_t size, double log2_min,
                                int bits) {
  const auto queues = known.delaying(route);
  const PrecisionScope scope(Precision{bits});
  if (queues.empty()) return no_delay<Real>(size, bits);
  if (direct_products(queues, size) > max_long_products)
    throw LimitExceeded("sums over " + std::to_string(size) + " slots at " + std::to_string(bits) +
                        " bits would need more than 4e8 multiprecision products, which is the limit");
  std::optional<Distribution<Real>> total;
  for (const auto& [queue, times] : queues) {
    const Distribution<Real> part =
        multiple(known.hop(queue, size, log2_min, bits), times, Summation::direct);
    total = total ? series::sum(*total, part, Summation::direct) : part;
  }
  return *std::move(total);
}

/// P(D = t) for t < size in rationals.
std::vector<Rational> sum_in_rationals(DelayKnowledge& known, const Route& route, std::size_t size) {
  constexpr double max_bit_products = 4e9;
  std::vector<Rational> total(size, Rational(0));
  total.front() = 1;
  for (const auto& [queue, times] : known.delaying(route)) {
    const std::vector<Rational> part = known.exact_hop(queue, size);
    for (std::size_t time = 0; time < times; ++time) {
      const double bits = static_cast<double>(numeric::bit_size(total.back())) +
                          static_cast<double>(numeric::bit_size(part.back()));
      if (bits * static_cast<double>(size) * static_cast<double>(size) > max_bit_products)
        throw LimitExceeded("exact delays to " + std::to_string(size) +
                            " slots would need numbers with too many digits");
      std::vector<Rational> next;
      for (std::size_t t = 0; t < size; ++t) {
        Rational sum = 0;
        for (std::size_t n = 0; n <= t; ++n) sum = sum + total[n] * part[t - n];
        next.push_back(sum);
      }
      total = std::move(next);
    }
  }
  return total;
}

/// The percentile by exact rationals, for a boundary that no enclosure can decide.
void resolve_exactly(DelayKnowledge& known, std::span<const Route> routes, const Open::Rank& rank,
                     Percentile& percentile) {
  std::int64_t minimum = std::numeric_limits<std::int64_t>::max();
  for (const Route& route : routes) minimum = std::min(minimum, rank.latency ? known.transfer(route) : 0);
  const auto size = static_cast<std::size_t>(rank.near - minimum + 2);
  std::vector<Rational> at_most(size, Rational(0));  // P(delay <= minimum + i)
  for (const Route& route : routes) {
    const auto shift = static_cast<std::size_t>((rank.latency ? known.transfer(route) : 0) - minimum);
    if (shift >= size) continue;
    const std::vector<Rational> masses = sum_in_rationals(known, route, size - shift);
    Rational sum = 0;
    for (std::size_t i = 0; i < masses.size(); ++i) {
      sum = sum + masses[i];
      at_most[i + shift] = at_most[i + shift] + route.share * sum;
    }
  }
  const auto found = std::find_if(at_most.begin(), at_most.end(),
                                  [&](const Rational& value) { return value >= percentile.probability; });
  if (found == at_most.end())
    throw LimitExceeded("the percentile lies within rounding of P(delay <= " + std::to_string(rank.near) +
                        ")");
  const auto i = static_cast<std::int64_t>(found - at_most.begin());
  percentile.slots = Slots(minimum + i);
  percentile.at = {percentile.slots, Exact<unit::Probability>{proof_of(known, routes), 1 - *found}};
  percentile.before.clear();
  if (i > 0)
    percentile.before.push_back(
        {Slots(minimum + i - 1), Exact<unit::Probability>{proof_of(known, routes), 1 - *(found - 1)}});
}

/// Labels results correctly: bounds that only represent agreed digits become approximations.
template <class Unit>
numeric::Claim<Unit> to_claim(const numeric::Proved<Unit>& value, const std::optional<int>& agreed_digits) {
  const auto* bounds = std::get_if<Enclosure<Unit>>(&value);
  if (!agreed_digits || bounds == nullptr) return numeric::to_claim(value);
  const PrecisionScope scope(Precision{128});
  int digits = 0;
  while (digits < *agreed_digits && numeric::agree_to(bounds->lower(), bounds->upper(), Digits{digits + 1}))
    ++digits;
  return numeric::Approximation<Unit>{(Real(bounds->lower()) + Real(bounds->upper())) / 2, digits};
}

ClaimedDelayAnswer to_claims(const DelayAnswer& answer, const std::optional<int>& agreed_digits) {
  const auto each = [&](const std::vector<SlotProbability>& values) {
    std::vector<ClaimedSlotProbability> claims;
    for (const SlotProbability& value : values)
      claims.push_back({value.slots, to_claim(value.probability, agreed_digits)});
    return claims;
  };
  const auto percentiles = [&](const std::vector<Percentile>& values) {
    std::vector<ClaimedPercentile> claims;
    for (const Percentile& value : values)
      claims.push_back({value.probability,
                        value.slots,
                        {value.at.slots, to_claim(value.at.probability, agreed_digits)},
                        each(value.before)});
    return claims;
  };
  return {each(answer.above), percentiles(answer.queueing), percentiles(answer.latency),
          to_claim(answer.mean_queueing, agreed_digits), to_claim(answer.mean_latency, agreed_digits)};
}

/// One query for some routes: computed in double first, the unresolved parts in higher precision.
class DelaySearch {
 public:
  DelaySearch(DelayKnowledge& known, std::span<const Route> routes, const DelayQuery& query)
      : known_(known), routes_(routes), query_(query), correlated_(known.correlated(routes)) {
    if (correlated_ && known.digits().count > max_double_digits)
      throw LimitExceeded("delays of bursty traffic and of lower classes are limited to " +
                          std::to_string(max_double_digits) + " digits");
    compute();
    add_means();
  }

  [[nodiscard]] DelayAnswer answer() && {
    look_in_double();
    if (open_.empty()) return std::move(answer_);
    look_directly();
    look_in_reals();
    require_found();
    return std::move(answer_);
  }

 private:
  /// Marks the whole query as unresolved.
  void compute() {
    const Probability unknown = Exact<unit::Probability>{proof_of(known_, routes_), 0};
    for (std::size_t i = 0; i < query_.levels.size(); ++i) {
      answer_.above.push_back({query_.levels[i], unknown});
      open_.levels.push_back(i);
      deepest_ = std::max(deepest_, query_.levels[i].value);
    }
    for (std::size_t i = 0; i < query_.percentiles.size(); ++i) {
      const Percentile empty{query_.percentiles[i], Slots(0), {Slots(0), unknown}, {}};
      answer_.queueing.push_back(empty);
      answer_.latency.push_back(empty);
      open_.ranks.push_back({i, false});
      open_.ranks.push_back({i, true});
      log2_target_ = std::min(log2_target_, log2_of(1 - query_.percentiles[i]));
    }
  }

  void add_means() {
    std::vector<std::pair<Rational, MeanDelay>> means;
    Rational hops = 0;
    for (const Route& route : routes_) {
      const std::int64_t count = known_.transfer(route);
      min_hops_ = std::min(min_hops_, count);
      max_hops_ = std::max(max_hops_, count);
      hops = hops + route.share * Rational(static_cast<long>(count));
      for (const std::size_t queue : route.queues)
        means.emplace_back(route.share * known_.ticks(queue), known_.mean(queue));
    }
    // Means add up whether or not the waits are independent.
    answer_.mean_queueing = weighted_sum(numeric::Theorem::sojourn, means, 0, known_.digits());
    answer_.mean_latency = weighted_sum(numeric::Theorem::sojourn, means, hops, known_.digits());
  }

  /// The mixture of the routes, each created by `make`.
  template <class T, class Make>
  [[nodiscard]] Mixture<T> mixed(Make&& make) const {
    Mixture<T> mixture;
    mixture.proof = proof_of(known_, routes_);
    for (const Route& route : routes_) {
      mixture.routes.push_back(make(route));
      mixture.shares.push_back(route.share);
      mixture.hops.push_back(known_.transfer(route));
    }
    return mixture;
  }
  [[nodiscard]] Mixture<double> in_double(Summation summation) const {
    return mixed<double>(
        [&](const Route& route) { return sum_in_double(known_, route, size_, log2_min_, summation); });
  }
  template <class T>
  void resolve_by(const Mixture<T>& mixture) {
    resolve(mixture, query_, known_.digits(), open_, answer_);
  }

  /// Increases the slots by extrapolating the tails, at least by half.
  void grow(double log2_reached) {
    const auto longest = static_cast<std::size_t>(longest_delay(known_, routes_));
    if (size_ >= longest)
      throw LimitExceeded("the delay exceeds " + std::to_string(longest) + " slots, which is the limit");
    const double factor = std::clamp(1.1 * log2_target_ / std::min(log2_reached, -1e-3), 1.25, 8.0);
    size_ = static_cast<std::size_t>(static_cast<double>(size_) * factor) +
            static_cast<std::size_t>(max_hops_ - min_hops_);
    size_ = std::min(size_, longest);
  }

  /// Grows until the rarest percentile is covered. Routes of different lengths are covered to the same
  /// latency only as far as the shortest.
  void look_in_double() {
    size_ = static_cast<std::size_t>(deepest_ + 1);
    // First estimate: at high load, tails fall by less than half a bit per slot.
    log2_min_ = std::max(std::min(log2_target_, -0.5 * static_cast<double>(deepest_)), -1000.0) - 64;
    if (!open_.ranks.empty()) size_ = std::max<std::size_t>(size_, 64);
    for (;;) {
      if (!open_.ranks.empty()) {
        if (const auto reached = log2_of_single_hops(known_, routes_, size_, log2_min_, log2_target_)) {
          grow(*reached);
          continue;
        }
      }
      doubles_ = in_double(Summation::automatic);
      const auto last = static_cast<std::int64_t>(size_) - 1;
      const double seen = open_.levels.empty() ? 0 : doubles_.log2_above(deepest_, false);
      if (std::isfinite(seen) && seen < log2_min_ + 40 && log2_min_ > -14'900) {
        log2_min_ = std::max(seen - 64, -15'000.0);
        continue;
      }
      const double reached = open_.ranks.empty() ? -std::numeric_limits<double>::infinity()
                                                 : std::max(doubles_.log2_above(last, false),
                                                            doubles_.log2_above(last + min_hops_, true));
      if (reached <= log2_target_) break;
      grow(reached);
    }
    if (known_.digits().count <= max_double_digits || !open_.ranks.empty()) resolve_by(doubles_);
  }

  /// Slots that the unresolved parts need.
  [[nodiscard]] std::size_t needed() const {
    std::int64_t t = 1;
    for (const std::size_t i : open_.levels) t = std::max(t, query_.levels[i].value + 1);
    for (const Open::Rank& rank : open_.ranks) t = std::max(t, rank.near + 3);
    return static_cast<std::size_t>(t);
  }

  /// In double without transforms, whose errors are relative to the largest terms, if the products are
  /// affordable.
  void look_directly() {
    if (size_ < series::transform_pays_from()) return;
    size_ = std::min(size_, needed());
    double products = 0;
    for (const Route& route : routes_) products += direct_products(known_.delaying(route), size_);
    if (products < max_direct_products) resolve_by(in_double(Summation::direct));
  }

  /// In increasing precision; a tied percentile is decided exactly.
  void look_in_reals() {
    for (int attempt = 0; attempt < 4 && !open_.empty() && !correlated_; ++attempt) {
      size_ = needed();
      double log2_value = log2_min_;
      for (const std::size_t i : open_.levels)
        log2_value = std::min(log2_value, doubles_.log2_above(query_.levels[i].value, false) - 64);
      const int bits = numeric::sufficient_bits(known_.digits(), 64.0 * static_cast<double>(size_) *
                                                                     static_cast<double>(max_hops_))
                       << attempt;
      resolve_by(mixed<Real>(
          [&](const Route& route) { return sum_in_reals(known_, route, size_, log2_value, bits); }));
      std::erase_if(open_.ranks, [&](const Open::Rank& rank) {
        try {
          resolve_exactly(known_, routes_, rank,
                          (rank.latency ? answer_.latency : answer_.queueing)[rank.position]);
          return true;
        } catch (const LimitExceeded&) {
          return false;
        }
      });
    }
  }

  void require_found() const {
    if (!open_.levels.empty())
      throw LimitExceeded("P(D > " + std::to_string(query_.levels[open_.levels.front()].value) +
                          ") cannot be enclosed to " + std::to_string(known_.digits().count) + " digits");
    if (!open_.ranks.empty())
      throw LimitExceeded(
          "the percentile " + numeric::to_fraction(query_.percentiles[open_.ranks.front().position]) +
          " cannot be distinguished from P(delay <= " + std::to_string(open_.ranks.front().near) + ")");
  }

  DelayKnowledge& known_;
  std::span<const Route> routes_;
  const DelayQuery& query_;
  bool correlated_;
  Open open_;
  DelayAnswer answer_{.above = {},
                      .queueing = {},
                      .latency = {},
                      .mean_queueing = Exact<unit::Slot>{numeric::Theorem::sojourn, 0},
                      .mean_latency = Exact<unit::Slot>{numeric::Theorem::sojourn, 0}};
  std::int64_t deepest_ = 0;  ///< largest requested level
  double log2_target_ = 0;    ///< target of the rarest percentile
  std::int64_t min_hops_ = std::numeric_limits<std::int64_t>::max(), max_hops_ = 0;
  std::size_t size_ = 0;  ///< slots computed
  double log2_min_ = 0;
  Mixture<double> doubles_{};
};

}  // namespace

void require_valid(std::span<const Route> routes, const DelayQuery& query) {
  Rational sum = 0;
  for (const Route& route : routes) {
    if (!(route.share > 0)) throw InvalidArgument("share", numeric::to_fraction(route.share), "above 0");
    sum = sum + route.share;
  }
  if (sum != 1) throw InvalidArgument("sum of the shares", numeric::to_fraction(sum), "1");
  for (const Slots level : query.levels)
    if (level.value < 0 || level.value >= queue::max_delay_slots)
      throw InvalidArgument(
          "ccdf", std::to_string(level.value),
          "a whole number of slots from 0 to " + std::to_string(queue::max_delay_slots - 1));
  for (const Rational& p : query.percentiles)
    if (!(p > 0 && p < 1))
      throw InvalidArgument("percentile", numeric::to_fraction(p), "a probability above 0 and below 1");
}

PathDelay::PathDelay(std::vector<HopQueue> queues, HopDelay delay, Digits digits,
                     std::vector<std::int64_t> ticks)
    : knowledge_(std::make_shared<DelayKnowledge>(std::move(queues), delay, digits, std::move(ticks))) {
  if (digits.count < 1 || digits.count > 10'000)
    throw InvalidArgument("digits", std::to_string(digits.count), "a whole number from 1 to 10000");
}

DelayAnswer PathDelay::answer(std::span<const Route> routes, const DelayQuery& query) {
  DelayAnswer answer = computed(routes, query);
  if (knowledge_->agreed_digits(routes))
    throw NoAnswer("the delays on this route are approximated, not proved");
  return answer;
}

ClaimedDelayAnswer PathDelay::claims(std::span<const Route> routes, const DelayQuery& query) {
  const DelayAnswer answer = computed(routes, query);
  return to_claims(answer, knowledge_->agreed_digits(routes));
}

DelayAnswer PathDelay::computed(std::span<const Route> routes, const DelayQuery& query) {
  require_valid(routes, query);
  for (const Route& route : routes) knowledge_->check(route);
  return DelaySearch(*knowledge_, routes, query).answer();
}

DelayDistribution PathDelay::distribution(std::span<const Route> routes, const Rational& negligible) {
  DelayKnowledge& known = *knowledge_;
  require_valid(routes, {});
  for (const Route& route : routes) known.check(route);
  if (known.correlated(routes))
    throw NoAnswer(
        "the reorder buffer is not available for bursty traffic: its tails need more digits of the delays "
        "than are proved");
  if (!(negligible > 0 && negligible <= 1))
    throw InvalidArgument("negligible", numeric::to_fraction(negligible), "above 0 and at most 1");
  const double log2_negligible = log2_of(negligible);
  // The part beyond is the mean minus the listed sum: it needs absolute digits, and those of the mean.
  const Digits digits{static_cast<int>(-log2_negligible * 0.302) + 12};
  const int bits = numeric::sufficient_bits(digits, 1e9);
  const PrecisionScope scope(Precision{bits});
  std::int64_t minimum = known.transfer(routes.front());
  for (const Route& route : routes) minimum = std::min(minimum, known.transfer(route));
  std::vector<std::pair<Rational, MeanDelay>> means;
  Rational further = 0;
  for (const Route& route : routes) {
    further = further + route.share * Rational(known.transfer(route) - minimum);
    for (const std::size_t queue : route.queues)
      means.emplace_back(route.share * known.ticks(queue), known.mean(queue, digits));
  }
  const auto enclosed =
      numeric::to_enclosure(weighted_sum(proof_of(known, routes), means, further, digits), Precision{bits});
  const Interval mean = numeric::make_interval(enclosed.lower(), enclosed.upper());
  const auto interval = [](const Enclosure<unit::Probability>& enclosure) {
    return numeric::make_interval(enclosure.lower(), enclosure.upper());
  };

  for (std::size_t size = 256;; size *= 2) {
    if (size > static_cast<std::size_t>(queue::max_delay_slots))
      throw LimitExceeded("the relevant delays exceed " + std::to_string(queue::max_delay_slots) +
                          " slots, which is the limit");
    DelayDistribution result;
    result.at_most.assign(size, Interval(0));
    result.above.assign(size, Interval(0));
    for (const Route& route : routes) {
      const Distribution<Real> sum = sum_in_reals(known, route, size, log2_negligible - 64, bits);
      const Interval share = numeric::to_interval(route.share);
      const auto shift = static_cast<std::size_t>(known.transfer(route) - minimum);
      Interval at_most(0);
      for (std::size_t t = 0; t < size; ++t) {
        if (t < shift) {
          result.above[t] += share;
        } else {
          at_most += interval(series::enclose_mass(proof_of(known, routes), sum, t - shift));
          result.at_most[t] += share * at_most;
          result.above[t] += share * interval(series::enclose_tail(proof_of(known, routes), sum, t - shift));
        }
      }
    }
    Interval listed(0);
    for (std::size_t t = 0; t < size; ++t) {
      listed += result.above[t];
      if (numeric::upper(result.at_most[t]) > 1)
        result.at_most[t] = numeric::make_interval(numeric::lower(result.at_most[t]), Real(1));
      if (numeric::upper(result.above[t]) > 1)
        result.above[t] = numeric::make_interval(numeric::lower(result.above[t]), Real(1));
    }
    const Real maximum = numeric::upper(Interval(mean - listed));
    if (numeric::compare(maximum, negligible) > 0) continue;
    result.beyond = numeric::make_interval(Real(0), maximum > 0 ? maximum : Real(0));
    return result;
  }
}

}  // namespace tailbound::bounds
