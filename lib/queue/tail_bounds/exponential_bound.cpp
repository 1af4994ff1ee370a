#include <tailbound/queue/tail_bounds/exponential_bound.hpp>
#include <tailbound/queue/target.hpp>

#include <algorithm>
#include <cmath>
#include <utility>

namespace tailbound::queue {
namespace {

using numeric::Interval;
using numeric::Precision;
using numeric::PrecisionScope;
using numeric::Rational;
using numeric::Real;

constexpr std::int64_t max_level = 1'000'000'000'000'000;

void check_count(std::int64_t count, const char* name) {
  if (count < 0) throw InvalidArgument(name, std::to_string(count), "a whole number of packets, 0 or more");
}

}  // namespace

ExponentialBound::ExponentialBound(Rational load, Real z, Real tail, Real loss, numeric::Digits digits,
                                   std::optional<Real> climb)
    : load_(std::move(load)),
      tail_(std::move(tail)),
      loss_(std::move(loss)),
      climb_(std::move(climb)),
      // Keeps the digits of z^-n up to n log z = 2^56.
      bits_(std::max(numeric::to_precision(digits).bits + 64, static_cast<int>(z.precision() * 3.33) + 8)) {
  const PrecisionScope scope(Precision{bits_});
  log_z_ = numeric::lower(log(numeric::to_interval(z)));
}

numeric::LowerBound<unit::PerPacket> ExponentialBound::decay_rate() const {
  return {numeric::Theorem::source_bound, log_z_};
}

Real ExponentialBound::at(const Real& prefactor, std::int64_t n) const {
  const PrecisionScope scope(Precision{bits_});
  if (prefactor == 0) return 0;
  const Interval exponent = numeric::to_interval(log_z_) * Interval(Real(n));
  return numeric::upper(numeric::to_interval(prefactor) * exp(-exponent));
}

numeric::UpperBound<unit::Probability> ExponentialBound::tail(std::int64_t level) const {
  check_count(level, "level");
  const PrecisionScope scope(Precision{bits_});
  const Real load = numeric::to_real(load_, numeric::Rounding::up);
  if (level == 0) return {numeric::Theorem::source_bound, load};
  const Real bound = at(tail_, level);
  return {numeric::Theorem::source_bound, bound < load ? bound : load};
}

numeric::UpperBound<unit::Probability> ExponentialBound::loss(std::int64_t capacity) const {
  check_count(capacity, "capacity");
  if (capacity == 0) return {numeric::Theorem::source_bound, Real(1)};
  const PrecisionScope scope(Precision{bits_});
  Real bound = at(loss_, capacity);
  if (climb_) {
    const Real climbs = at(*climb_, capacity);
    if (climbs < 1) {
      const Interval u = numeric::to_interval(climbs), rho = numeric::to_interval(load_);
      bound = std::min(bound, numeric::upper((Interval(1) - rho) * u / (rho * (Interval(1) - u))));
    }
  }
  return {numeric::Theorem::source_bound, bound < 1 ? bound : Real(1)};
}

template <class Bound>
std::int64_t ExponentialBound::minimum(const Bound& bound, const Real& prefactor,
                                       const Rational& target) const {
  const auto meets = [&](std::int64_t n) { return numeric::compare(bound(n), target) <= 0; };
  if (meets(1)) return 1;
  const PrecisionScope scope(Precision{bits_});
  const Real guess = (log(prefactor) - log(numeric::to_real(target, numeric::Rounding::nearest))) / log_z_;
  if (!(guess < max_level))
    throw LimitExceeded("the bound for a queue at load " + numeric::to_fraction(load_) +
                        " meets the target only above 10^15 packets, which is the limit");
  std::int64_t n = std::max<std::int64_t>(static_cast<std::int64_t>(guess), 2);
  while (!meets(n)) ++n;
  while (n > 2 && meets(n - 1)) --n;
  return n;
}

std::int64_t ExponentialBound::min_level(const Rational& target) const {
  check_target(target);
  if (load_ <= target) return 0;
  return minimum([&](std::int64_t n) { return at(tail_, n); }, tail_, target);
}

std::int64_t ExponentialBound::min_capacity(const Rational& target) const {
  check_target(target);
  const PrecisionScope scope(Precision{bits_});
  Real prefactor = loss_;
  if (climb_)
    prefactor =
        std::min(prefactor, Real(*climb_ * numeric::to_real((1 - load_) / load_, numeric::Rounding::up)));
  return minimum([&](std::int64_t capacity) { return loss(capacity).value; }, prefactor, target);
}

numeric::UpperBound<unit::Packet> ExponentialBound::mean_occupancy() const {
  // E[Q] is the sum of P(Q > n): rho while the bound is above rho, then a geometric series.
  const PrecisionScope scope(Precision{bits_});
  const std::int64_t first =
      load_ < 1 && load_ > 0 ? minimum([&](std::int64_t n) { return at(tail_, n); }, tail_, load_) : 1;
  const Interval ratio = exp(-numeric::to_interval(log_z_));
  const Interval rest = Interval(at(tail_, first)) / (Interval(1) - ratio);
  return {numeric::Theorem::source_bound,
          numeric::upper(numeric::to_interval(load_) * Interval(Real(first)) + rest)};
}

}  // namespace tailbound::queue
