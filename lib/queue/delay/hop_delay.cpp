#include <tailbound/queue/delay/hop_delay.hpp>
#include <tailbound/queue/slotted/exact_tail.hpp>
#include <tailbound/queue/slotted/slotted_engine.hpp>
#include <tailbound/queue/slotted/tail_engine.hpp>

#include <cmath>
#include <limits>

namespace tailbound::queue {
namespace {

using numeric::Interval;
using numeric::Rational;
using numeric::Real;
using series::Distribution;

void check(const SlottedQueue& queue, HopDelay delay, std::size_t size) {
  require_stable(queue);
  if (queue.arrivals.largest_batch() == 0)
    throw InvalidArgument("load", "0", "above 0, so that there are packets to delay");
  if (delay == HopDelay::occupancy && queue.packets_per_slot > 1)
    throw InvalidArgument("packets-per-slot", std::to_string(queue.packets_per_slot),
                          "1 if the delay is defined as the occupancy");
  if (size == 0 || size > longest_delay(queue))
    throw LimitExceeded("delays to " + std::to_string(size) + " slots are beyond the limit of " +
                        std::to_string(longest_delay(queue)) + " slots");
}

/// Combines the values of both engines: C values of X make one slot of floor(X / C).
template <class T>
Distribution<T> collect(TailEngine<T> mass, TailEngine<T> tail, std::size_t size, int packets_per_slot) {
  const auto servers = static_cast<std::size_t>(packets_per_slot);
  const std::size_t places = size * servers;
  const std::vector<T>& masses = mass.walk(places);
  const std::vector<T>& tails = tail.walk(places);
  Distribution<T> result;
  result.bits = mass.bits();
  if (servers == 1) {
    result.mass.assign(masses.begin(), masses.begin() + static_cast<std::ptrdiff_t>(size));
    result.tail.assign(tails.begin(), tails.begin() + static_cast<std::ptrdiff_t>(size));
  } else {
    for (std::size_t slot = 0; slot < size; ++slot) {
      T sum(0);
      for (std::size_t place = slot * servers; place < (slot + 1) * servers; ++place) sum += masses[place];
      result.mass.push_back(std::move(sum));
      result.tail.push_back(tails[(slot + 1) * servers - 1]);
    }
  }
  const auto last = static_cast<std::int64_t>(places) - 1;
  result.mass_units = mass.units_to(last) + packets_per_slot;
  result.tail_units = tail.units_to(last);
  const auto absolute = [](const Real& cut) {
    // The second terms cover products below the smallest normal number (docs/derivations/rounding.md).
    if constexpr (std::is_same_v<T, long double>)
      return mpfr_get_ld(cut.backend().data(), MPFR_RNDU) + 0x1p-16300L;
    else if constexpr (std::is_same_v<T, double>)
      return mpfr_get_d(cut.backend().data(), MPFR_RNDU) + 0x1p-1000;
    else
      return cut;
  };
  result.mass_error = absolute(mass.cut()) * T(packets_per_slot);
  result.tail_error = absolute(tail.cut());
  return result;
}

Quantity mass_of(HopDelay delay) {
  return delay == HopDelay::wait ? Quantity::ahead_mass : Quantity::mass;
}
Quantity tail_of(HopDelay delay) {
  return delay == HopDelay::wait ? Quantity::ahead_tail : Quantity::tail;
}

/// Converts doubles to long doubles, with errors in units of the latter.
Distribution<long double> in_long_double(const Distribution<double>& distribution) {
  constexpr int bits = std::numeric_limits<long double>::digits;
  const double units = std::ldexp(1.0, bits - distribution.bits);
  Distribution<long double> result;
  result.bits = bits;
  result.mass.assign(distribution.mass.begin(), distribution.mass.end());
  result.tail.assign(distribution.tail.begin(), distribution.tail.end());
  result.mass_units = distribution.mass_units * units;
  result.tail_units = distribution.tail_units * units;
  result.mass_error = distribution.mass_error;
  result.tail_error = distribution.tail_error;
  return result;
}

/// The packets that a packet of the flow finds ahead of it in its slot: P(Y = n) and P(Y > n). Of
/// N others 0, 1, .. N come first, each with the same probability.
template <class L>
void set_own(Ladder<L>& ladder, const FlowQueue* flow) {
  if (flow == nullptr) return;
  std::vector<L> others{L(1)};
  const auto number = [](const Rational& value) {
    if constexpr (std::is_same_v<L, Rational>)
      return value;
    else
      return numeric::to_interval(value);
  };
  const auto whole = [](std::size_t value) {
    if constexpr (std::is_same_v<L, Rational>)
      return Rational(static_cast<std::int64_t>(value));
    else
      return Interval(static_cast<double>(value));
  };
  for (const SlotSources& each : flow->others) {
    const L sends = number(each.rate), silent = number(1 - each.rate);
    for (std::int64_t i = 0; i < each.count; ++i) {
      others.push_back(L(0));
      for (std::size_t n = others.size() - 1; n > 0; --n)
        others[n] = others[n] * silent + others[n - 1] * sends;
      others[0] = others[0] * silent;
    }
  }
  ladder.own_mass.assign(others.size(), L(0));
  ladder.own_above.assign(others.size(), L(0));
  L mass(0), above(0);  // P(J = n), P(J > n)
  for (std::size_t n = others.size(); n-- > 0;) {
    ladder.own_above[n] = above;
    mass = mass + others[n] / whole(n + 1);
    ladder.own_mass[n] = mass;
    above = above + mass;
  }
}

/// The same for the fast path.
void set_own(Ladder<long double>& ladder, const FlowQueue* flow) {
  if (flow == nullptr) return;
  Ladder<Interval> fine;
  const numeric::PrecisionScope scope(numeric::Precision{128});
  set_own(fine, flow);
  const auto nearest = [](const std::vector<Interval>& values) {
    std::vector<long double> result;
    for (const Interval& value : values) {
      const Real middle = (numeric::lower(value) + numeric::upper(value)) / 2;
      result.push_back(mpfr_get_ld(middle.backend().data(), MPFR_RNDN));
    }
    return result;
  };
  ladder.own_mass = nearest(fine.own_mass);
  ladder.own_above = nearest(fine.own_above);
}

/// Groups of `places` values, from 0.
Distribution<long double> law(const SlottedQueue& queue, Quantity mass, Quantity tail, std::size_t size,
                              double log2_min, int places, numeric::Digits digits = {18},
                              const FlowQueue* flow = nullptr) {
  constexpr int bits = std::numeric_limits<long double>::digits;
  const double log2_idle = log2_of_idle_share(queue);
  const long negligible = negligible_excess(std::max(log2_min, -15'000.0), bits, log2_idle);
  if (auto fast = fast_ladder(queue, negligible)) {
    set_own(*fast, flow);
    // Doubles where they leave two extra digits for sums.
    if (digits.count <= 10 && log2_min > -700 && log2_idle > -40) {
      TailEngine<double> masses(*fast, mass), tails(*fast, tail);
      const double units = tails.units_to(static_cast<std::int64_t>(size) * places);
      if (units < std::ldexp(1e-12, 53))
        return in_long_double(collect(std::move(masses), std::move(tails), size, places));
    }
    return collect(TailEngine<long double>(*fast, mass), TailEngine<long double>(*fast, tail), size, places);
  }
  const numeric::PrecisionScope scope(numeric::Precision{bits + 96});
  Ladder<Interval> ladder = enclosed_ladder(queue, negligible);
  set_own(ladder, flow);
  return collect(TailEngine<long double>(ladder, mass, bits), TailEngine<long double>(ladder, tail, bits),
                 size, places);
}

/// The same in MPFR arithmetic.
Distribution<Real> law(const SlottedQueue& queue, Quantity mass, Quantity tail, std::size_t size,
                       double log2_min, int places, int bits, const FlowQueue* flow) {
  const long negligible = negligible_excess(log2_min, bits, log2_of_idle_share(queue));
  const numeric::PrecisionScope fine(numeric::Precision{bits + 64});
  Ladder<Interval> ladder = enclosed_ladder(queue, negligible);
  set_own(ladder, flow);
  const double products = 2.0 * static_cast<double>(size) * places *
                          static_cast<double>(std::max<std::size_t>(1, ladder.kernel.size()));
  if (products > 4e8)
    throw LimitExceeded("delays to " + std::to_string(size) + " slots at " + std::to_string(bits) +
                        " bits would need more than 4e8 multiprecision products, which is the limit");
  TailEngine<Real> masses(ladder, mass, bits), tails(ladder, tail, bits);
  // Only now, since the engines take their coefficients from intervals more precise than `bits`.
  const numeric::PrecisionScope scope(numeric::Precision{bits});
  return collect(std::move(masses), std::move(tails), size, places);
}

void check(const FlowQueue& flow, std::size_t size) {
  check(flow.queue, HopDelay::wait, size);
  std::int64_t count = 0;
  for (const SlotSources& each : flow.others) count += each.count;
  if (count > FlowQueue::max_sources)
    throw LimitExceeded("the delay of one source among " + std::to_string(count + 1) +
                        " at a queue; the limit is " + std::to_string(FlowQueue::max_sources));
}

}  // namespace

std::size_t longest_delay(const SlottedQueue& queue) {
  return static_cast<std::size_t>(max_delay_slots / queue.packets_per_slot);
}

Distribution<long double> hop_delay(const SlottedQueue& queue, HopDelay delay, std::size_t size,
                                    double log2_min, numeric::Digits digits) {
  check(queue, delay, size);
  return law(queue, mass_of(delay), tail_of(delay), size, log2_min, queue.packets_per_slot, digits);
}

Distribution<long double> occupancy_law(const SlottedQueue& queue, std::size_t size, double log2_min) {
  check(queue, HopDelay::wait, size);
  return law(queue, Quantity::mass, Quantity::tail, size, log2_min, 1);
}

Distribution<Real> hop_delay(const SlottedQueue& queue, HopDelay delay, std::size_t size, double log2_min,
                             int bits) {
  check(queue, delay, size);
  return law(queue, mass_of(delay), tail_of(delay), size, log2_min, queue.packets_per_slot, bits, nullptr);
}

std::size_t longest_delay(const FlowQueue& flow) {
  return longest_delay(flow.queue);
}

Distribution<long double> hop_delay(const FlowQueue& flow, std::size_t size, double log2_min,
                                    numeric::Digits digits) {
  check(flow, size);
  return law(flow.queue, Quantity::ahead_mass, Quantity::ahead_tail, size, log2_min,
             flow.queue.packets_per_slot, digits, &flow);
}

Distribution<Real> hop_delay(const FlowQueue& flow, std::size_t size, double log2_min, int bits) {
  check(flow, size);
  return law(flow.queue, Quantity::ahead_mass, Quantity::ahead_tail, size, log2_min,
             flow.queue.packets_per_slot, bits, &flow);
}

std::vector<Rational> exact_hop_delay(const FlowQueue& flow, std::size_t size) {
  check(flow, size);
  Ladder<Rational> own;
  set_own(own, &flow);
  const ExactValues values(flow.queue, own.own_mass, static_cast<std::int64_t>(size) - 1);
  std::vector<Rational> masses;
  for (std::size_t t = 0; t < size; ++t) masses.push_back(values.at(static_cast<std::int64_t>(t)));
  return masses;
}

numeric::Proved<unit::Slot> mean_hop_delay(const FlowQueue& flow, numeric::Digits digits) {
  check(flow, 1);
  const numeric::Proof proof = numeric::Theorem::sojourn & proof_of(flow.queue);
  Rational others = 0;
  for (const SlotSources& each : flow.others) others = others + each.rate * Rational(each.count);
  const auto maximum = flow.queue.arrivals.largest_batch();
  if (maximum && *maximum <= flow.queue.packets_per_slot) return numeric::Exact<unit::Slot>{proof, 0};
  // E[X] = E[Q] - rho + E[J]
  const numeric::Proved<unit::Packet> occupancy =
      mean_occupancy(flow.queue, numeric::Digits{digits.count + 20});
  const Rational own = others / 2, load = *flow.queue.arrivals.load();
  const int servers = flow.queue.packets_per_slot;
  if (const auto* exact = std::get_if<numeric::Exact<unit::Packet>>(&occupancy);
      exact != nullptr && servers == 1)
    return numeric::Exact<unit::Slot>{proof, exact->value - load + own};
  // E[W] = sum of P(W > t): of these the first, and the rest from P(X > n), which is at most E[X] less its
  // first terms.
  const int bits = numeric::to_precision(digits).bits + 96;
  const numeric::PrecisionScope scope(numeric::Precision{bits + 32});
  const auto all = numeric::to_enclosure(occupancy, numeric::Precision{bits + 32});
  const Interval ahead = numeric::make_interval(all.lower(), all.upper()) - numeric::to_interval(load) +
                         numeric::to_interval(own);
  for (std::size_t size = 64;; size *= 2) {
    if (size > longest_delay(flow))
      throw LimitExceeded("the mean delay of one source among others cannot be enclosed to " +
                          std::to_string(digits.count) + " digits");
    const auto places = size * static_cast<std::size_t>(servers);
    const Distribution<Real> found = law(flow.queue, Quantity::ahead_mass, Quantity::ahead_tail, places,
                                         -static_cast<double>(bits) - 64, 1, bits, &flow);
    Interval listed(0), waits(0);
    for (std::size_t n = 0; n < places; ++n) {
      const auto tail = series::enclose_tail(proof, found, n);
      const Interval above = numeric::make_interval(tail.lower(), tail.upper());
      listed += above;
      // P(W > t) = P(X > (t + 1) C - 1)
      if ((n + 1) % static_cast<std::size_t>(servers) == 0) waits += above;
    }
    Real rest = numeric::upper(Interval(ahead - listed));
    if (rest < 0) rest = 0;
    const numeric::Enclosure<unit::Slot> mean(
        proof, numeric::lower(waits),
        numeric::upper(Interval(waits + numeric::make_interval(Real(0), rest))));
    if (numeric::agree_to(mean.lower(), mean.upper(), digits)) return mean;
  }
}

std::vector<Rational> exact_hop_delay(const SlottedQueue& queue, HopDelay delay, std::size_t size) {
  check(queue, delay, size);
  const ExactValues values(queue, mass_of(delay), static_cast<std::int64_t>(size) - 1);
  std::vector<Rational> masses;
  for (std::size_t t = 0; t < size; ++t) masses.push_back(values.at(static_cast<std::int64_t>(t)));
  return masses;
}

numeric::Proved<unit::Slot> mean_hop_delay(const SlottedQueue& queue, HopDelay delay,
                                           numeric::Digits digits) {
  check(queue, delay, 1);
  const numeric::Proof proof = numeric::Theorem::sojourn & proof_of(queue);
  const auto maximum = queue.arrivals.largest_batch();
  if (delay == HopDelay::wait && maximum && *maximum <= queue.packets_per_slot)
    return numeric::Exact<unit::Slot>{proof, 0};
  const numeric::Proved<unit::Packet> occupancy = mean_occupancy(queue, digits);
  const auto& load = queue.arrivals.load();
  if (const auto* exact = std::get_if<numeric::Exact<unit::Packet>>(&occupancy); exact != nullptr && load)
    return numeric::Exact<unit::Slot>{proof,
                                      delay == HopDelay::wait ? exact->value / *load - 1 : exact->value};
  // E[Q]/rho - 1 may lose digits; increase the precision until enough are left.
  for (int more = 8;; more *= 2) {
    const numeric::Digits finer{digits.count + more};
    const numeric::PrecisionScope scope(numeric::Precision{numeric::to_precision(finer).bits + 64});
    const auto mean = numeric::to_enclosure(mean_occupancy(queue, finer));
    Interval slots = numeric::make_interval(mean.lower(), mean.upper());
    if (delay == HopDelay::wait) slots = slots / queue.arrivals.load_interval() - Interval(1);
    const numeric::Enclosure<unit::Slot> result(proof, slots);
    if (result.lower() > 0 && numeric::agree_to(result.lower(), result.upper(), digits)) return result;
    if (more > 1000)
      throw LimitExceeded("the mean delay cannot be enclosed to " + std::to_string(digits.count) + " digits");
  }
}

}  // namespace tailbound::queue
