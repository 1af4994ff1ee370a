#include <tailbound/queue/delay/markov_delay.hpp>

#include <algorithm>
#include <cmath>
#include <limits>

namespace tailbound::queue {
namespace {

using numeric::Approximation;
using numeric::Enclosure;
using numeric::Exact;
using numeric::Interval;
using numeric::Rational;
using numeric::Real;

constexpr int delay_bits = std::numeric_limits<long double>::digits;
/// Values below have too few bits in long double for a relative bound.
constexpr long double min_normal = 0x1p-16300L;

template <class Unit>
ClaimBounds bounds_of(const numeric::Claim<Unit>& claim) {
  if (const auto* exact = std::get_if<Exact<Unit>>(&claim)) return {numeric::to_interval(exact->value), {}};
  if (const auto* enclosure = std::get_if<Enclosure<Unit>>(&claim))
    return {numeric::make_interval(enclosure->lower(), enclosure->upper()), {}};
  const auto& computed = std::get<Approximation<Unit>>(claim);
  const Real slack = abs(computed.value) * pow(Real(10), -computed.agreed_digits);
  return {numeric::make_interval(Real(computed.value - slack), Real(computed.value + slack)),
          computed.agreed_digits};
}

void lower_to(std::optional<int>& minimum, const std::optional<int>& digits) {
  if (digits) minimum = std::min(minimum.value_or(*digits), *digits);
}

/// Values with their maximum relative and absolute errors.
struct Entries {
  std::vector<long double> values;
  double units = 0;
  long double absolute = min_normal;

  /// As masses, with their tails.
  [[nodiscard]] series::Distribution<long double> with(Entries tails) && {
    series::Distribution<long double> law;
    law.mass = std::move(values);
    law.tail = std::move(tails.values);
    law.bits = delay_bits;
    law.mass_units = units;
    law.tail_units = tails.units;
    law.mass_error = absolute;
    law.tail_error = tails.absolute;
    return law;
  }
  void add(const Interval& interval) {
    const Real low = numeric::lower(interval), high = numeric::upper(interval);
    if (!(low > 0) || mpfr_get_ld(low.backend().data(), MPFR_RNDD) < min_normal) {
      values.push_back(0);
      absolute = std::max(absolute, mpfr_get_ld(high.backend().data(), MPFR_RNDU));
      return;
    }
    const Real middle = (low + high) / 2;
    values.push_back(mpfr_get_ld(middle.backend().data(), MPFR_RNDN));
    const Real relative = (high - low) / low;
    units = std::max(units, std::ldexp(mpfr_get_d(relative.backend().data(), MPFR_RNDU), delay_bits) + 2);
  }
};

}  // namespace

ClaimBounds claim_bounds(const ProbabilityClaim& claim) {
  return bounds_of(claim);
}
ClaimBounds claim_bounds(const numeric::Claim<unit::Packet>& claim) {
  return bounds_of(claim);
}
ClaimBounds claim_bounds(const numeric::Claim<unit::Slot>& claim) {
  return bounds_of(claim);
}

ClaimedHopDelay hop_delay(MarkovQueue& queue, HopDelay delay, std::size_t size) {
  const numeric::PrecisionScope scope(numeric::Precision{delay_bits + 96});
  const bool waits = delay == HopDelay::wait;
  const Interval share =
      waits ? Interval(Interval(1) / numeric::to_interval(queue.arrivals().load())) : Interval(1);
  Entries masses, tails;
  ClaimedHopDelay result;
  for (std::size_t t = 0; t < size; ++t) {
    const std::int64_t level = static_cast<std::int64_t>(t) + (waits ? 1 : 0);
    const ClaimBounds mass = claim_bounds(queue.probability(level));
    const ClaimBounds tail = claim_bounds(queue.tail(level));
    lower_to(result.agreed_digits, mass.agreed_digits);
    lower_to(result.agreed_digits, tail.agreed_digits);
    masses.add(Interval(mass.bounds * share));
    tails.add(Interval(tail.bounds * share));
  }
  result.values = std::move(masses).with(std::move(tails));
  return result;
}

series::Distribution<long double> hop_delay(MarkedQueue& queue, std::size_t size) {
  const numeric::PrecisionScope scope(numeric::Precision{delay_bits + 96});
  Entries masses, tails;
  for (std::size_t t = 0; t < size; ++t) {
    masses.add(queue.probability(static_cast<std::int64_t>(t)));
    tails.add(queue.tail(static_cast<std::int64_t>(t)));
  }
  return std::move(masses).with(std::move(tails));
}

numeric::Claim<unit::Slot> mean_hop_delay(MarkovQueue& queue, HopDelay delay) {
  const numeric::PrecisionScope scope(numeric::Precision{256});
  ClaimBounds mean = claim_bounds(queue.mean_occupancy());
  if (delay == HopDelay::wait) {
    mean.bounds = mean.bounds / numeric::to_interval(queue.arrivals().load()) - Interval(1);
    if (numeric::lower(mean.bounds) < 0)
      mean.bounds = numeric::make_interval(Real(0), std::max(Real(0), numeric::upper(mean.bounds)));
  }
  if (!mean.agreed_digits) return Enclosure<unit::Slot>(numeric::Theorem::sojourn, mean.bounds);
  const Real middle = (numeric::lower(mean.bounds) + numeric::upper(mean.bounds)) / 2;
  const Real width = numeric::upper(mean.bounds) - numeric::lower(mean.bounds);
  // The subtraction may have lost some digits.
  const int left = width > 0 && middle > 0 ? static_cast<int>(floor(log10(Real(middle / width)))) : 0;
  return Approximation<unit::Slot>{middle, std::clamp(left, 0, *mean.agreed_digits)};
}

bool never_waits(const HopQueue& queue) {
  if (const auto* slotted = std::get_if<SlottedQueue>(&queue)) {
    const auto maximum = slotted->arrivals.largest_batch();
    return maximum && *maximum <= slotted->packets_per_slot;
  }
  if (const auto* classes = std::get_if<ClassQueue>(&queue)) {
    const auto* sources = std::get_if<std::vector<ClassSource>>(&classes->arrivals);
    return sources != nullptr && sources->size() == 1 && sources->front().count == 1;
  }
  if (const auto* flow = std::get_if<FlowQueue>(&queue)) return never_waits(flow->queue);
  if (const auto* marked = std::get_if<MarkedArrivals>(&queue)) return marked->others.empty();
  const auto& form = std::get<MarkovArrivals>(queue).form();
  if (const auto* groups = std::get_if<std::vector<OnOffGroup>>(&form))
    return groups->size() == 1 && groups->front().count == 1;
  return std::get<RationalBlocks>(form).size() <= 2;
}

}  // namespace tailbound::queue
