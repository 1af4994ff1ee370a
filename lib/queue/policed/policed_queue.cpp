#include <tailbound/core/error.hpp>
#include <tailbound/numeric/rational.hpp>
#include <tailbound/numeric/rounding.hpp>
#include <tailbound/queue/policed/policed_queue.hpp>
#include <tailbound/queue/policed/policed_renewal.hpp>
#include <tailbound/queue/slotted/slotted_engine.hpp>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace tailbound::queue {
namespace {

using numeric::Interval;
using numeric::Rational;
using numeric::Real;

/// Maximum number of products per query: some seconds in machine numbers, and in multiprecision.
constexpr double max_machine_products = 2e10, max_long_products = 1e9;
/// The same for fractions, in products of 64 bits: a tenth of a second.
constexpr double max_exact_tail_products = 2e7;
constexpr double log_two = 0.6931471805599453;
/// Maximum number of slots examined one by one before computing.
constexpr long max_listed_slots = 1 << 22;

/// The extent of a run over past slots.
struct Extent {
  std::int64_t levels = 0;  ///< kept are 0 .. levels
  std::int64_t window = 0;  ///< slots 0 .. window before the present
};

/// P(Binomial(trials, share) = i), until the rest is below 2^`log2_negligible`; nearly to the precision in
/// force.
std::vector<Real> binomial_masses(std::int64_t trials, const Rational& share, double log2_negligible) {
  if (share == 1) {
    std::vector<Real> all(static_cast<std::size_t>(trials) + 1, Real(0));
    all.back() = 1;
    return all;
  }
  const Real success = numeric::to_real(share, numeric::Rounding::nearest);
  const Real odds = numeric::to_real(share / (1 - share), numeric::Rounding::nearest);
  std::vector<Real> masses{exp(Real(Real(trials) * log1p(Real(-success))))};
  const double mean = static_cast<double>(trials) * static_cast<double>(success);
  for (std::int64_t i = 0; i < trials; ++i) {
    if (static_cast<double>(i) > 2 * mean + 2 && numeric::log2_magnitude(masses.back()) < log2_negligible)
      break;
    masses.push_back(masses.back() * odds * Real(trials - i) / Real(i + 1));
  }
  return masses;
}

template <class T>
std::vector<T> rounded_to(const std::vector<Real>& numbers) {
  std::vector<T> all;
  for (const Real& number : numbers) all.push_back(static_cast<T>(number));
  return all;
}

/// P(Q > n) for n = 0 .. levels, and what was cut off, in numbers of type T.
template <class T>
struct Tails {
  std::vector<T> above;
  T dropped{};
  double units = 0;  ///< relative errors of a value
};

/// Masses processed at a time: fewer successive roundings and memory accesses.
constexpr std::size_t at_a_time = 4;

/// \param batch  P(A = i) of a slot in which all inputs send, or multiples of it
template <class T>
Tails<T> run_over(const std::vector<std::int64_t>& sent, const Extent& extent, std::vector<T> batch) {
  const auto kept = static_cast<std::size_t>(extent.levels) + 1;
  const std::size_t width = batch.size();
  batch.resize((width + at_a_time - 1) / at_a_time * at_a_time, T(0));
  // P(Q = n) is at n + at_a_time; zeros around it.
  std::vector<T> now(kept + batch.size() + 2 * at_a_time, T(0)), next(now);
  now[at_a_time] = 1;
  std::size_t reached = 1;  // P(Q = n) = 0 from here on
  Tails<T> tails;
  std::int64_t busy = 0;
  for (std::int64_t slot = extent.window; slot >= 0; --slot) {
    // One packet has been served since the previous slot.
    if (reached > 1) {
      now[at_a_time] += now[at_a_time + 1];
      for (std::size_t n = 1; n < reached; ++n) now[at_a_time + n] = now[at_a_time + n + 1];
      --reached;
    }
    if (sent[static_cast<std::size_t>(slot)] == 0) continue;
    ++busy;
    const std::size_t further = reached + at_a_time - 1;
    std::fill(next.begin() + at_a_time,
              next.begin() + static_cast<std::ptrdiff_t>(at_a_time + reached + batch.size()), T(0));
    for (std::size_t i = 0; i < batch.size(); i += at_a_time) {
      T* const to = next.data() + at_a_time + i;
      const T* const from = now.data() + at_a_time;
      const T first = batch[i], second = batch[i + 1], third = batch[i + 2], fourth = batch[i + 3];
      for (std::size_t n = 0; n < further; ++n)
        to[n] += (first * from[n] + second * *(from + n - 1)) +
                 (third * *(from + n - 2) + fourth * *(from + n - 3));
    }
    std::fill(now.begin() + at_a_time, now.begin() + static_cast<std::ptrdiff_t>(at_a_time + reached), T(0));
    reached += width - 1;
    for (; reached > kept; --reached) {
      tails.dropped += next[at_a_time + reached - 1];
      next[at_a_time + reached - 1] = T(0);
    }
    std::swap(now, next);
  }
  tails.above.assign(kept, T(0));
  T sum(0);
  for (std::size_t n = kept; n-- > 0;) {
    tails.above[n] = sum;
    sum += now[at_a_time + n];
  }
  // In a busy slot: the mass, a product, two sums in a block and one per block; in each slot a sum at 0; and
  // the final sums.
  tails.units = static_cast<double>(busy) * (4.1 + static_cast<double>(batch.size() / at_a_time)) +
                static_cast<double>(extent.window) + static_cast<double>(kept) + 1;
  return tails;
}

}  // namespace

/// A finished run.
struct PolicedQueue::Run {
  std::variant<Tails<double>, Tails<long double>, Tails<Real>> tails;
  Method method;
  std::int64_t level;   ///< the level it was computed for; at lower levels older slots may contribute too
                        ///< much
  std::int64_t window;  ///< past slots that it covers
  double log2_error;    ///< maximum truncation error for which it was computed
  Real lost;            ///< probability of longer batches than it covers, over all slots
};

PolicedQueue::~PolicedQueue() = default;

PolicedQueue::PolicedQueue(const PolicedInputs& given, const Accuracy& accuracy)
    : accuracy_(accuracy), bound_(given) {
  inputs_ = bound_.inputs();
  spread_ = inputs_.bucket.burst;
  const PolicedInputs& inputs = inputs_;
  if (inputs.message != 1)
    throw InvalidArgument("message", std::to_string(inputs.message),
                          "1: for longer messages only a bound is known");
  if (accuracy.digits.count < 1 || accuracy.digits.count > 1000)
    throw InvalidArgument("digits", std::to_string(accuracy.digits.count), "a whole number from 1 to 1000");
  if (accuracy.arithmetic == Arithmetic::interval || accuracy.arithmetic == Arithmetic::exact)
    throw InvalidArgument("arithmetic", name(accuracy.arithmetic),
                          "auto, double, extended or multiprecision for policed inputs");
  const Rational all = Rational(inputs.inputs) * inputs.bucket.rate;
  // Beyond this window the inputs together send less than the service.
  const Rational last = all < 1 ? (Rational(inputs.inputs) * inputs.bucket.burst) / (1 - all) : Rational(0);
  if (all < 1 && last < max_listed_slots) {
    const std::vector<std::int64_t> sent =
        greedy_slots(buckets(), numeric::to_int64(numeric::floor(last)) + 1);
    std::int64_t maximum = 0, packets = 0;
    for (std::size_t m = 0; m < sent.size(); ++m) {
      packets += sent[m];
      maximum = std::max(maximum, inputs.inputs * packets - static_cast<std::int64_t>(m));
    }
    maximum_ = maximum;
  }
  if (inputs.share == 1 && !maximum_) maximum_ = 1;  // one input alone, on its link
  if (numeric::denominator(inputs.bucket.rate) > max_listed_slots ||
      inputs.bucket.burst > Rational(max_listed_slots) * (1 - inputs.bucket.rate))
    return;
  pattern_.emplace(buckets());
  // The maximum is in the start or the first cycle, as later ones send at most r per slot on average. In
  // integers: with fractions, 10^6 slots would take seconds.
  const auto slots = static_cast<std::int64_t>(pattern_->start().size() + pattern_->cycle().size());
  const long unit = numeric::to_int64(numeric::denominator(inputs.bucket.rate));
  const long step = numeric::to_int64(numeric::numerator(inputs.bucket.rate));
  std::int64_t spread = 0, maximum = 0;
  for (std::int64_t m = 0; m < slots; ++m) {
    spread = std::max(spread, pattern_->maximum(m) * unit - step * m);
    maximum = std::max(maximum, inputs.inputs * pattern_->maximum(m) - m);
  }
  spread_ = Rational(spread) / Rational(unit);
  if (Rational(inputs.inputs) * pattern_->rate() <= 1) maximum_ = maximum;
}

std::vector<traffic::TokenBucket> PolicedQueue::buckets() const {
  return {inputs_.bucket, traffic::one_per_slot()};
}

double PolicedQueue::work_of_run(std::int64_t level, double log2_error) const {
  return static_cast<double>(slots_for(level, log2_error)) * static_cast<double>(level + 16) *
         static_cast<double>(std::min<std::int64_t>(inputs_.inputs, 24));
}

std::optional<LevelProbability> PolicedQueue::tail_by_renewal(std::int64_t level, numeric::Digits digits) {
  if (!pattern_ || maximum_ || digits.count > 200) return std::nullopt;
  const double wanted = digits.count * std::log2(10.0) + 3;
  const double log2_error = numeric::log2_magnitude(bound_.tail(level).value) - wanted - 1;
  const double idle = std::log2(1 - numeric::nearest_double(inputs_.load()));  // approximate size of the g
  const double work = renewal_work(inputs_, *pattern_, bound_, level, log2_error);
  if (work > 2 * work_of_run(level, log2_error)) return std::nullopt;
  for (const Method method : methods(digits, log2_error)) {
    if (method.arithmetic == Arithmetic::double_precision) continue;
    const bool machine = method.arithmetic == Arithmetic::extended;
    if (work > (machine ? max_machine_products : max_long_products) / 4) continue;
    if (PolicedRenewal* renewal = renewal_for(method, idle - wanted - 4)) {
      const auto found = renewal->tail(level, log2_error);
      if (numeric::agree_to(found.lower(), found.upper(), digits))
        return LevelProbability{Packets(level), found, method};
      // Slots before the pattern repeats matter, in any arithmetic.
      if (found.lower() * 1.001 < found.upper()) return std::nullopt;
    }
  }
  return std::nullopt;
}

PolicedRenewal* PolicedQueue::renewal_for(Method method, double log2_relative) {
  for (const auto& known : renewals_)
    if (known->method().arithmetic == method.arithmetic && known->method().bits >= method.bits)
      return known.get();
  auto made = make_renewal(inputs_, *pattern_, bound_, spread_, log2_relative, method);
  return made ? renewals_.emplace_back(std::move(made)).get() : nullptr;
}

std::int64_t PolicedQueue::slots_for(std::int64_t level, double log2_error) const {
  const std::int64_t by_bound = bound_.window(level, log2_error * log_two);
  const Rational all = Rational(inputs_.inputs) * inputs_.bucket.rate;
  if (all >= 1) return by_bound;
  // Beyond this no window can bring that many packets.
  const Rational last = (Rational(inputs_.inputs) * spread_ - Rational(level) - 1) / (1 - all);
  if (last < 0) return 0;
  if (last > Rational(by_bound)) return by_bound;
  return numeric::to_int64(numeric::floor(last));
}

Real PolicedQueue::from_older_slots(std::int64_t level, std::int64_t window) const {
  const Rational all = Rational(inputs_.inputs) * inputs_.bucket.rate;
  if (all < 1 && Rational(inputs_.inputs) * spread_ - Rational(level) - 1 < Rational(window + 1) * (1 - all))
    return 0;
  return bound_.beyond(level, window, spread_);
}

const PolicedQueue::Run& PolicedQueue::run_for(std::int64_t level, double log2_error, Method method) {
  for (const auto& known : runs_)
    if (known->level <= level && known->log2_error <= log2_error &&
        known->method.arithmetic == method.arithmetic && known->method.bits >= method.bits)
      return *known;
  Run run{.tails = {}, .method = method, .level = level, .window = 0, .log2_error = log2_error, .lost = 0};
  run.window = slots_for(level, log2_error - 3);
  const double a_slot = log2_error - 3 - std::log2(static_cast<double>(run.window) + 1);
  std::int64_t levels =
      bound_.min_level(1 / numeric::Rational(numeric::Integer(1) << (static_cast<long>(-a_slot) + 1)));
  if (maximum_) levels = std::min(levels, *maximum_);
  levels = std::max(levels, level);
  const Extent extent{.levels = levels, .window = run.window};
  const numeric::PrecisionScope batch_scope(numeric::Precision{method.bits + 64});
  const std::vector<Real> batch = binomial_masses(inputs_.inputs, inputs_.share, a_slot);
  if (static_cast<std::int64_t>(batch.size()) <= inputs_.inputs)
    run.lost = batch.back() * Real(run.window + 1);
  const double products = static_cast<double>(run.window) * numeric::nearest_double(rate()) *
                          static_cast<double>(levels + 1) * static_cast<double>(batch.size());
  const bool machine = method.arithmetic != Arithmetic::multiprecision;
  if (products > (machine ? max_machine_products : max_long_products))
    throw LimitExceeded("level " + std::to_string(level) + " to " + std::to_string(accuracy_.digits.count) +
                        " digits would take more than " + (machine ? "2e10" : "1e9") +
                        " products, which is the limit (the closed form has no limit)");
  const std::vector<std::int64_t> sent = greedy_slots(buckets(), run.window + 1);
  const numeric::PrecisionScope scope(numeric::Precision{method.bits});
  if (method.arithmetic == Arithmetic::double_precision)
    run.tails = run_over(sent, extent, rounded_to<double>(batch));
  else if (method.arithmetic == Arithmetic::extended)
    run.tails = run_over(sent, extent, rounded_to<long double>(batch));
  else
    run.tails = run_over(sent, extent, rounded_to<Real>(batch));
  return *runs_.emplace_back(std::make_unique<Run>(std::move(run)));
}

PolicedQueue::Found PolicedQueue::found(const Run& run, std::int64_t level) const {
  return std::visit(
      [&](const auto& tails) {
        using T = typename std::decay_t<decltype(tails.above)>::value_type;
        const auto gamma =
            numeric::relative_error_bound({tails.units}, numeric::significand_bits<T>(run.method.bits));
        if (!std::isfinite(gamma.units)) return Found{std::nullopt, true};
        const numeric::PrecisionScope scope(numeric::Precision{run.method.bits + 64});
        Real zero_low, cut;
        numeric::widen(tails.dropped, gamma, Real(0), run.method.bits, zero_low, cut);
        const Real omitted =
            numeric::upper(Interval(numeric::to_interval(cut) + numeric::to_interval(run.lost) * Interval(2) +
                                    numeric::to_interval(from_older_slots(level, run.window))));
        Real low, high;
        numeric::widen(tails.above[static_cast<std::size_t>(level)], gamma, omitted, run.method.bits, low,
                       high);
        const bool rounding =
            std::ldexp(gamma.units, -gamma.bits) * 4 > std::pow(10.0, -accuracy_.digits.count);
        return Found{numeric::Enclosure<unit::Probability>(numeric::Theorem::policed_queue, low, high),
                     rounding};
      },
      run.tails);
}

std::vector<Method> PolicedQueue::methods(numeric::Digits digits, double log2_error) const {
  std::vector<Method> all;
  const auto requested = [&](Arithmetic arithmetic) {
    return accuracy_.arithmetic == arithmetic || accuracy_.arithmetic == Arithmetic::automatic;
  };
  if (requested(Arithmetic::double_precision) && digits.count <= 14 && log2_error > min_log2_double)
    all.push_back({Arithmetic::double_precision, 53});
  if (requested(Arithmetic::extended) && digits.count <= 17 && log2_error > min_log2_extended)
    all.push_back({Arithmetic::extended, 64});
  if (requested(Arithmetic::multiprecision))
    all.push_back({Arithmetic::multiprecision, numeric::sufficient_bits(digits, 1e9)});
  return all;
}

std::optional<LevelProbability> PolicedQueue::exact_tail(std::int64_t level) const {
  if (!maximum_ || !pattern_ || inputs_.share == 1) return std::nullopt;
  const auto last_of_cycle =
      static_cast<std::int64_t>(pattern_->start().size() + pattern_->cycle().size()) - 1;
  const Rational all = Rational(inputs_.inputs) * inputs_.bucket.rate;
  const Extent extent{.levels = *maximum_, .window = all < 1 ? slots_for(level, -1e9) : last_of_cycle};
  const numeric::Integer hits = numeric::numerator(inputs_.share),
                         draws = numeric::denominator(inputs_.share);
  const std::int64_t busy = pattern_->maximum(extent.window);
  const double products = static_cast<double>(busy) * static_cast<double>(extent.levels + 1) *
                          static_cast<double>(inputs_.inputs + 1),
               bits = static_cast<double>(busy) * static_cast<double>(inputs_.inputs) *
                      static_cast<double>(numeric::bit_length(draws));
  if (products * (1 + bits / 64) > max_exact_tail_products) return std::nullopt;
  // C(k, i) hits^i (draws - hits)^(k - i): the masses times draws^k.
  std::vector<numeric::Integer> batch;
  const auto power = [](const numeric::Integer& base, std::int64_t exponent) {
    return numeric::pow(base, exponent);
  };
  numeric::Integer ways = 1;
  for (std::int64_t i = 0; i <= inputs_.inputs; ++i) {
    batch.push_back(ways * power(hits, i) * power(draws - hits, inputs_.inputs - i));
    ways = numeric::exact_quotient(ways * (inputs_.inputs - i), i + 1);
  }
  std::vector<std::int64_t> sent;
  for (std::int64_t m = 0; m <= extent.window; ++m) sent.push_back(pattern_->sent(m));
  const auto tails = run_over(sent, extent, std::move(batch));
  const Rational value =
      tails.above[static_cast<std::size_t>(level)] / Rational(power(draws, busy * inputs_.inputs));
  return LevelProbability{Packets(level),
                          numeric::Exact<unit::Probability>{numeric::Theorem::policed_queue, value},
                          {Arithmetic::exact, 0}};
}

LevelProbability PolicedQueue::settled(std::int64_t level, const Rational& target) {
  const Target requested(target);
  const auto decided = [&](const LevelProbability& at) {
    return requested.is_met(at.probability) || requested.is_missed(at.probability);
  };
  for (int more = 0; more <= 60; more += 12) {
    LevelProbability at = tail_to(level, {accuracy_.digits.count + more});
    if (decided(at)) return at;
    // It may be equal to the target.
    if (more == 0)
      if (auto exact = exact_tail(level)) return *exact;
  }
  throw LimitExceeded("the worst P(Q > " + std::to_string(level) +
                      ") cannot be distinguished from the target");
}

bool PolicedQueue::meets(std::int64_t level, const Rational& target) {
  return Target(target).is_met(settled(level, target).probability);
}

LevelProbability PolicedQueue::tail(std::int64_t level) {
  return tail_to(level, accuracy_.digits);
}

LevelProbability PolicedQueue::tail_to(std::int64_t level, numeric::Digits digits) {
  if (level < 0)
    throw InvalidArgument("level", std::to_string(level), "a whole number of packets, 0 or more");
  if (maximum_ && level >= *maximum_)
    return {Packets(level),
            numeric::Exact<unit::Probability>{numeric::Theorem::policed_queue, 0},
            {Arithmetic::exact, 0}};
  if (auto quick = tail_by_renewal(level, digits)) return *quick;
  const double wanted = digits.count * std::log2(10.0) + 3;
  double log2_value = numeric::log2_magnitude(bound_.tail(level).value);  // it is below
  for (int attempt = 0; attempt < 24; ++attempt) {
    const double log2_error = std::min(log2_value, 0.0) - wanted;
    std::optional<Found> last;
    for (const Method method : methods(digits, log2_error)) {
      last = found(run_for(level, log2_error, method), level);
      if (last->probability &&
          numeric::agree_to(last->probability->lower(), last->probability->upper(), digits))
        return {Packets(level), *last->probability, method};
      if (!last->rounding) break;
    }
    if (!last || last->rounding) break;
    const Real& lower = last->probability->lower();
    log2_value = lower > 0 ? std::min(log2_value - 2, numeric::log2_magnitude(lower)) : log2_value - 40;
  }
  throw LimitExceeded(std::string(name(accuracy_.arithmetic)) + " arithmetic cannot prove " +
                      std::to_string(digits.count) + " digits of policed inputs at level " +
                      std::to_string(level));
}

TailBoundary PolicedQueue::min_level(const Rational& target) {
  const std::int64_t enough = bound_.min_level(target);
  const Target requested(target);
  // Where the closed form is inaccurate, a first estimate from below.
  std::int64_t level = enough;
  if (maximum_) level = std::min(level, *maximum_);
  const double log2_error =
      requested.log2 - accuracy_.digits.count * std::log2(10.0) - 7;  // also serves tail_to()
  const std::vector<Method> order = methods(accuracy_.digits, log2_error);
  if (level > 0 && !order.empty() && !tail_by_renewal(level, accuracy_.digits)) {
    const Run& run = run_for(std::max<std::int64_t>(0, level - level / 16 - 4), log2_error, order.front());
    std::visit(
        [&](const auto& tails) {
          while (level > 0 &&
                 numeric::compare(Real(tails.above[static_cast<std::size_t>(level - 1)]), target) <= 0)
            --level;
        },
        run.tails);
  }
  LevelProbability at = settled(level, target);
  while (!requested.is_met(at.probability)) at = settled(++level, target);
  TailBoundary boundary{.level = Packets(level), .at = std::move(at), .before = {}};
  while (boundary.level.value > 0) {
    LevelProbability before = settled(boundary.level.value - 1, target);
    if (requested.is_missed(before.probability)) {
      boundary.before.push_back(std::move(before));
      break;
    }
    boundary.level = boundary.level - Packets(1);
    boundary.at = std::move(before);
  }
  return boundary;
}

}  // namespace tailbound::queue
