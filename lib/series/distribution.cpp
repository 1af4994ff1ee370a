#include <tailbound/numeric/rounding.hpp>
#include <tailbound/numeric/transform_convolution.hpp>
#include <tailbound/series/convolve.hpp>
#include <tailbound/series/distribution.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <optional>
#include <stdexcept>
#include <type_traits>

namespace tailbound::series {
namespace {

using numeric::Interval;
using numeric::Real;

template <class T>
T total(const std::vector<T>& values) {
  return std::accumulate(values.begin(), values.end(), T(0));
}

/// [lower - error, upper + error], rounded outward.
void move_apart(Real& lower, Real& upper, mpfr_srcptr error) {
  mpfr_sub(lower.backend().data(), lower.backend().data(), error, MPFR_RNDD);
  mpfr_add(upper.backend().data(), upper.backend().data(), error, MPFR_RNDU);
}
void move_apart(Real& lower, Real& upper, const Real& error) {
  move_apart(lower, upper, error.backend().data());
}
void move_apart(Real& lower, Real& upper, long double error) {
  MPFR_DECL_INIT(same, std::numeric_limits<long double>::digits);
  mpfr_set_ld(same, error, MPFR_RNDU);
  move_apart(lower, upper, same);
}

template <class T>
numeric::Enclosure<unit::Probability> enclose(numeric::Proof proof, const T& value, double units,
                                              const T& error, int bits, double tilt, std::size_t n) {
  const numeric::RelativeError gamma = numeric::relative_error_bound({units}, bits);
  if (!std::isfinite(gamma.units)) return numeric::Enclosure<unit::Probability>(proof, Real(0), Real(1));
  Real lower, upper;
  numeric::widen(value, gamma, Real(0), bits, lower, upper);
  if (error != 0) move_apart(lower, upper, error);
  if (tilt != 1) {
    const numeric::PrecisionScope scope(numeric::Precision{bits + 32});
    const Interval enclosed = numeric::make_interval(lower, upper) / pow(Interval(tilt), static_cast<int>(n));
    lower = numeric::lower(enclosed);
    upper = numeric::upper(enclosed);
  }
  if (lower < 0) lower = 0;
  if (upper > 1) upper = 1;
  return numeric::Enclosure<unit::Probability>(proof, std::move(lower), std::move(upper));
}

/// Absolute error of a sum of products from those of the factors, including second-order terms.
template <class T>
T carried_error(const T& x_error, const T& x_total, const T& y_error, const T& y_total, std::size_t count) {
  if (x_error == 0 && y_error == 0) return T(0);
  return (x_error * y_total + y_error * x_total + T(static_cast<double>(count)) * x_error * y_error) *
         T(1 + 1e-6);
}

}  // namespace

template <class T>
Distribution<T> prefix(const Distribution<T>& distribution, std::size_t count) {
  if (count == distribution.size()) return distribution;
  Distribution<T> result = distribution;
  result.mass.resize(count);
  result.tail.resize(count);
  return result;
}

Distribution<double> tilted(const Distribution<long double>& distribution, double tilt) {
  const std::size_t count = distribution.size();
  Distribution<double> result;
  result.bits = std::numeric_limits<double>::digits;
  result.tilt = tilt;
  result.mass.resize(count);
  result.tail.resize(count);
  long double power = 1;
  for (std::size_t n = 0; n < count; ++n) {
    result.mass[n] = static_cast<double>(distribution.mass[n] * power);
    result.tail[n] = static_cast<double>(distribution.tail[n] * power);
    power *= tilt;
  }
  if (!(power < 0x1p15000L)) throw std::logic_error("tilted: the tilt leaves the numbers' range");
  // One rounding per entry in the power, one in the product, then the one to double.
  const double ratio =
      std::ldexp(1.0, std::numeric_limits<double>::digits - std::numeric_limits<long double>::digits);
  const double places = tilt == 1 ? 0 : static_cast<double>(count) + 1;
  result.mass_units = (distribution.mass_units + places) * ratio + 1.01;
  result.tail_units = (distribution.tail_units + places) * ratio + 1.01;
  // Entries below a double's normal range have errors below its smallest number.
  const auto error = [&](long double given) {
    return static_cast<double>(given * power) * (1 + 1e-6) + std::numeric_limits<double>::min();
  };
  result.mass_error = error(distribution.mass_error);
  result.tail_error = error(distribution.tail_error);
  return result;
}

std::size_t transform_pays_from() {
  return 4096;  // measured with the search for the tilt: bench/README.md
}

template <class T>
Distribution<T> sum(const Distribution<T>& x, const Distribution<T>& y, Summation summation) {
  if (x.size() != y.size() || x.tilt != y.tilt || x.size() == 0)
    throw std::logic_error("sum: distributions of different length or tilt");
  const std::size_t count = x.size();
  std::optional<numeric::PrecisionScope> scope;
  if (std::is_same_v<T, Real>) scope.emplace(numeric::Precision{x.bits});
  Distribution<T> z;
  z.bits = std::min(x.bits, y.bits);
  z.tilt = x.tilt;
  z.mass_error = carried_error(x.mass_error, total(x.mass), y.mass_error, total(y.mass), count);
  bool by_transform = summation == Summation::transform;
  if constexpr (std::is_same_v<T, double>)
    by_transform |= summation == Summation::automatic && count >= transform_pays_from();
  if (!by_transform) {
    z.mass = convolve(x.mass, y.mass);
    if constexpr (std::is_same_v<T, double>)  // loss of products below the smallest normal number
      z.mass_error += static_cast<double>(count) * std::numeric_limits<double>::min();
    z.mass_units = x.mass_units + y.mass_units + direct_units<T>(count);
  } else if constexpr (std::is_same_v<T, double>) {
    numeric::Convolution convolution = numeric::convolve_by_transform(x.mass, y.mass, count);
    z.mass = std::move(convolution.values);
    z.mass_error += convolution.error;
    // No mass is negative: negative values are rounding errors.
    for (double& mass : z.mass) mass = std::max(mass, 0.0);
    z.mass_units = x.mass_units + y.mass_units;
  } else {
    throw std::logic_error("sum: transforms are for double");
  }

  // The last tail from its sum, the others from it: S(t) = S(t+1) + P(X+Y = t+1), over theta when tilted.
  T last = x.tail[count - 1];
  for (std::size_t n = 0; n < count; ++n) multiply_add(last, x.mass[n], y.tail[count - 1 - n]);
  const double last_units =
      std::max(x.tail_units, x.mass_units + y.tail_units + 1) + static_cast<double>(count) + 1;
  const T last_error =
      x.tail_error + carried_error(x.mass_error, total(x.mass), y.tail_error, total(y.tail), count);
  z.tail.assign(count, last);
  const T tilt(z.tilt);
  if (z.tilt == 1)
    for (std::size_t t = count - 1; t-- > 0;) z.tail[t] = z.tail[t + 1] + z.mass[t + 1];
  else
    for (std::size_t t = count - 1; t-- > 0;) z.tail[t] = (z.tail[t + 1] + z.mass[t + 1]) / tilt;
  z.tail_units = std::max(last_units, z.mass_units) + 2 * static_cast<double>(count);
  z.tail_error = last_error;
  if (z.mass_error != 0) {
    // An error in a mass affects all earlier tails, divided by theta per entry.
    const double places =
        std::min(static_cast<double>(count), z.tilt == 1 ? static_cast<double>(count) : 1 / (z.tilt - 1) + 1);
    z.tail_error += z.mass_error * T(places) * T(1 + 1e-6);
  }
  return z;
}

template <class T>
numeric::Enclosure<unit::Probability> enclose_tail(numeric::Proof proof, const Distribution<T>& distribution,
                                                   std::size_t n) {
  return enclose(proof, distribution.tail[n], distribution.tail_units, distribution.tail_error,
                 distribution.bits, distribution.tilt, n);
}

template <class T>
numeric::Enclosure<unit::Probability> enclose_mass(numeric::Proof proof, const Distribution<T>& distribution,
                                                   std::size_t n) {
  return enclose(proof, distribution.mass[n], distribution.mass_units, distribution.mass_error,
                 distribution.bits, distribution.tilt, n);
}

template <class T>
double log_tail(const Distribution<T>& distribution, std::size_t n) {
  const T& value = distribution.tail[n];
  if (!(value > 0)) return -std::numeric_limits<double>::infinity();
  const double untilt = static_cast<double>(n) * std::log(distribution.tilt);
  if constexpr (std::is_same_v<T, Real>)
    return numeric::log2_magnitude(value) * std::log(2.0) - untilt;
  else
    return static_cast<double>(std::log(value)) - untilt;
}

double balancing_tilt(std::span<const Distribution<long double>* const> terms) {
  const std::size_t count = terms.front()->size();
  if (count < 2) return 1;
  const auto last = static_cast<double>(count - 1);
  // log of sum_h E[exp(s X_h); X_h < size] exp(-s last): convex in s, minimal at the saddle point.
  const auto exponent = [&](double s) {
    double sum = -s * last, log_moment = 0;
    const long double step = std::exp(static_cast<long double>(s));
    const Distribution<long double>* former = nullptr;
    for (const auto* term : terms) {
      if (term != former) {  // equal hops are adjacent
        long double power = 1, moment = 0;
        for (const long double mass : term->mass) {
          moment += mass * power;
          power *= step;
        }
        log_moment = static_cast<double>(std::log(moment));
        former = term;
      }
      sum += log_moment;
    }
    return sum;
  };
  double slowest = std::numeric_limits<double>::infinity();
  for (const auto* term : terms) {
    const double fall = -log_tail(*term, count - 1) / last;
    if (std::isfinite(fall)) slowest = std::min(slowest, fall);
  }
  if (!std::isfinite(slowest)) return 1;
  double from = 0, to = std::min(2 * slowest, 10'000.0 / last);
  for (int step = 0; step < 12; ++step) {
    const double left = from + (to - from) / 3, right = to - (to - from) / 3;
    (exponent(left) < exponent(right) ? to : from) = exponent(left) < exponent(right) ? right : left;
  }
  // If no term is complete, this covers only the masses: the tail lies above that of the slowest term.
  const double minimum = std::max(std::min(0.0, exponent((from + to) / 2)), -slowest * last);
  return std::max(1.0, std::exp(-minimum / last));
}

template Distribution<double> prefix(const Distribution<double>&, std::size_t);
template Distribution<long double> prefix(const Distribution<long double>&, std::size_t);
template Distribution<Real> prefix(const Distribution<Real>&, std::size_t);
template Distribution<double> sum(const Distribution<double>&, const Distribution<double>&, Summation);
template Distribution<Real> sum(const Distribution<Real>&, const Distribution<Real>&, Summation);
template numeric::Enclosure<unit::Probability> enclose_tail(numeric::Proof, const Distribution<double>&,
                                                            std::size_t);
template numeric::Enclosure<unit::Probability> enclose_tail(numeric::Proof, const Distribution<long double>&,
                                                            std::size_t);
template numeric::Enclosure<unit::Probability> enclose_tail(numeric::Proof, const Distribution<Real>&,
                                                            std::size_t);
template numeric::Enclosure<unit::Probability> enclose_mass(numeric::Proof, const Distribution<double>&,
                                                            std::size_t);
template numeric::Enclosure<unit::Probability> enclose_mass(numeric::Proof, const Distribution<long double>&,
                                                            std::size_t);
template numeric::Enclosure<unit::Probability> enclose_mass(numeric::Proof, const Distribution<Real>&,
                                                            std::size_t);
template double log_tail(const Distribution<double>&, std::size_t);
template double log_tail(const Distribution<long double>&, std::size_t);
template double log_tail(const Distribution<Real>&, std::size_t);

}  // namespace tailbound::series
