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
      T sum = masses[slot * servers];
      for (std::size_t place = 1; place < servers; ++place) sum += masses[slot * servers + place];
      result.mass.push_back(std::move(sum));
      result.tail.push_back(tails[slot * servers + servers - 1]);
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

/// Groups of `places` values, from 0.
Distribution<long double> law(const SlottedQueue& queue, Quantity mass, Quantity tail, std::size_t size,
                              double log2_min, int places, numeric::Digits digits = {18}) {
  constexpr int bits = std::numeric_limits<long double>::digits;
  const double log2_idle = log2_of_idle_share(queue);
  const long negligible = negligible_excess(std::max(log2_min, -15'000.0), bits, log2_idle);
  if (const auto fast = fast_ladder(queue, negligible)) {
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
  const Ladder<Interval> ladder = enclosed_ladder(queue, negligible);
  return collect(TailEngine<long double>(ladder, mass, bits), TailEngine<long double>(ladder, tail, bits),
                 size, places);
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

Distribution<long double> ahead_law(const SlottedQueue& queue, std::size_t size, double log2_min) {
  require_stable(queue);
  return law(queue, Quantity::ahead_mass, Quantity::ahead_tail, size, log2_min, 1);
}

Distribution<Real> hop_delay(const SlottedQueue& queue, HopDelay delay, std::size_t size, double log2_min,
                             int bits) {
  check(queue, delay, size);
  const long negligible = negligible_excess(log2_min, bits, log2_of_idle_share(queue));
  const numeric::PrecisionScope fine(numeric::Precision{bits + 64});
  const Ladder<Interval> ladder = enclosed_ladder(queue, negligible);
  const double products = 2.0 * static_cast<double>(size) * queue.packets_per_slot *
                          static_cast<double>(std::max<std::size_t>(1, ladder.kernel.size()));
  if (products > 4e8)
    throw LimitExceeded("delays to " + std::to_string(size) + " slots at " + std::to_string(bits) +
                        " bits would need more than 4e8 multiprecision products, which is the limit");
  TailEngine<Real> mass(ladder, mass_of(delay), bits);
  TailEngine<Real> tail(ladder, tail_of(delay), bits);
  // Only now, since the engines take their coefficients from intervals more precise than `bits`.
  const numeric::PrecisionScope scope(numeric::Precision{bits});
  return collect(std::move(mass), std::move(tail), size, queue.packets_per_slot);
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
