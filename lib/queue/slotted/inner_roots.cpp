#include <tailbound/queue/slotted/inner_roots.hpp>

#include <Eigen/Eigenvalues>

#include <boost/math/constants/constants.hpp>

#include <algorithm>
#include <cmath>
#include <complex>
#include <numeric>
#include <optional>
#include <utility>

namespace tailbound::queue {
namespace {

using numeric::ComplexInterval;
using numeric::Interval;
using numeric::Real;

ComplexInterval operator/(const ComplexInterval& a, const ComplexInterval& b) {
  const Interval size = b.real * b.real + b.imaginary * b.imaginary;
  return {(a.real * b.real + a.imaginary * b.imaginary) / size,
          (a.imaginary * b.real - a.real * b.imaginary) / size};
}

/// f(z) = z^degree - sum a[j] z^j and its derivative. `lost` and `lost_slope` bound the truncation errors of
/// both on the unit disc.
struct Characteristic {
  std::vector<Interval> coefficient;  ///< of f, lowest first
  Interval lost, lost_slope;
  Interval curvature;  ///< bound of |f''| on the unit disc

  [[nodiscard]] std::pair<ComplexInterval, ComplexInterval> operator()(const ComplexInterval& z) const {
    ComplexInterval value{Interval(0), Interval(0)}, slope = value;
    for (std::size_t j = coefficient.size(); j-- > 0;) {
      slope = slope * z + value;
      value = value * z + ComplexInterval{coefficient[j], Interval(0)};
    }
    const auto spread = [](const Interval& size) {
      return numeric::make_interval(-numeric::upper(size), numeric::upper(size));
    };
    const Interval around = spread(lost), around_slope = spread(lost_slope);
    return {{value.real + around, value.imaginary + around},
            {slope.real + around_slope, slope.imaginary + around_slope}};
  }
};

/// f(z)/(z - 1) in double precision, lowest coefficient first.
std::vector<double> quotient_of(const std::vector<double>& pmf, std::size_t servers) {
  std::vector<double> quotient;  // P(A <= m) for m < C, -P(A > m) from there on
  double below = 0, above = 0;
  for (const double mass : pmf) above += mass;
  for (std::size_t m = 0; m < std::max(servers, pmf.size()); ++m) {
    const double mass = m < pmf.size() ? pmf[m] : 0;
    below += mass;
    above -= mass;
    if (m >= servers && above < 1e-17) break;
    quotient.push_back(m < servers ? below : -above);
  }
  return quotient;
}

/// Approximate zeros of a polynomial, from the eigenvalues of the companion matrix of the reversed
/// polynomial. If the first coefficient is small, that matrix has large entries, and errors of zeros may
/// exceed their distances.
std::vector<std::complex<long double>> rough_zeros(const std::vector<double>& polynomial) {
  const auto degree = static_cast<Eigen::Index>(polynomial.size()) - 1;
  std::vector<std::complex<long double>> zeros;
  if (degree < 1) return zeros;
  Eigen::MatrixXd companion = Eigen::MatrixXd::Zero(degree, degree);
  for (Eigen::Index j = 0; j < degree; ++j) {
    companion(0, j) = -polynomial[static_cast<std::size_t>(j) + 1] / polynomial[0];
    if (j > 0) companion(j, j - 1) = 1;
  }
  constexpr double minimum = 1e-6;  // zeros farther away do not affect those in the unit disc
  const Eigen::VectorXcd eigenvalues = companion.eigenvalues();
  for (const std::complex<double>& eigenvalue : eigenvalues)
    if (std::abs(eigenvalue) > minimum) zeros.emplace_back(1.0 / eigenvalue);
  return zeros;
}

/// The same zeros with the accuracy of long double.
///
/// METHOD  Newton's steps on the polynomial divided by the other zeros, all at once (Aberth 1973): no two
///         converge to the same zero.
void settle(std::vector<std::complex<long double>>& zeros, const std::vector<double>& polynomial) {
  using Complex = std::complex<long double>;
  constexpr int max_rounds = 200;
  constexpr long double settled = 1e-13L;
  const auto square = [](const Complex& z) { return z.real() * z.real() + z.imag() * z.imag(); };
  // Written out: the compiler's versions handle infinities and take three times as long.
  const auto inverse = [&](const Complex& z) { return std::conj(z) / square(z); };
  const auto times = [](const Complex& a, const Complex& b) {
    return Complex(a.real() * b.real() - a.imag() * b.imag(), a.real() * b.imag() + a.imag() * b.real());
  };
  std::vector<bool> rests(zeros.size(), false);
  for (int round = 0, moving = 1; round < max_rounds && moving > 0; ++round) {
    moving = 0;
    for (std::size_t i = 0; i < zeros.size(); ++i) {
      if (rests[i]) continue;
      Complex value = 0, slope = 0;
      for (std::size_t j = polynomial.size(); j-- > 0;) {
        slope = times(slope, zeros[i]) + value;
        value = times(value, zeros[i]) + static_cast<long double>(polynomial[j]);
      }
      Complex left = times(slope, inverse(value));
      for (std::size_t j = 0; j < zeros.size(); ++j)
        if (j != i) left -= inverse(zeros[i] - zeros[j]);
      const Complex step = inverse(left);
      rests[i] = !std::isfinite(step.real()) || !std::isfinite(step.imag());  // at a zero
      if (rests[i]) continue;
      zeros[i] -= step;
      rests[i] = square(step) < settled * settled * square(zeros[i]);
      ++moving;
    }
  }
}

/// z^C Q(z) - P(z) for A = P/Q, without its zeros at 0: the zeros of f with as many coefficients as the
/// degree, however slowly the probabilities decay.
series::Polynomial short_characteristic(const series::RationalFunction& arrivals, int packets_per_slot) {
  const auto servers = static_cast<std::size_t>(packets_per_slot);
  const series::Polynomial &p = arrivals.numerator, &q = arrivals.denominator;
  series::Polynomial f(std::max(p.size(), q.size() + servers), numeric::Integer(0));
  for (std::size_t j = 0; j < q.size(); ++j) f[j + servers] = q[j];
  for (std::size_t j = 0; j < p.size(); ++j) f[j] = f[j] - p[j];
  f.erase(f.begin(), std::find_if(f.begin(), f.end(), [](const auto& c) { return c != 0; }));
  return f;
}

/// f(z)/(1 - z), f(1) = 0, in double precision: its coefficients are the sums of the first ones of f.
std::vector<double> quotient_of(series::Polynomial f) {
  numeric::Integer sum = 0, largest = 1;
  for (numeric::Integer& c : f) {
    sum = sum + c;
    c = sum;
    if (numeric::abs(c) > largest) largest = numeric::abs(c);
  }
  while (!f.empty() && f.back() == 0) f.pop_back();
  std::vector<double> quotient;
  quotient.reserve(f.size());
  for (const numeric::Integer& c : f)
    quotient.push_back(numeric::nearest_double(numeric::Rational(c) / largest));
  return quotient;
}

/// Approximations of the solutions of z^C = A(z) in the unit disc other than 1, smallest first: each is a
/// fixed point of z = w A(z)^(1/C), with a root of unity w. In long lists of probabilities this takes C sums
/// a step where the eigenvalues of a companion matrix take the cube of the length.
/// \return nothing if one does not settle, or two are the same: A(z)^(1/C) may have zeros in the disc
std::optional<std::vector<std::complex<double>>> fixed_points(const std::vector<double>& pmf,
                                                              std::size_t servers) {
  constexpr int max_steps = 2000;
  constexpr double settled = 1e-12, apart = 1e-9;
  const auto degree = static_cast<double>(servers);
  std::vector<std::complex<double>> roots;
  for (std::size_t k = 1; k < servers; ++k) {
    const auto unit =
        std::polar(1.0, 2 * boost::math::constants::pi<double>() * static_cast<double>(k) / degree);
    std::complex<double> z = 0;
    double step = 1;
    for (int i = 0; i < max_steps && step > settled; ++i) {
      std::complex<double> value = 0;
      for (std::size_t j = pmf.size(); j-- > 0;) value = value * z + pmf[j];
      const std::complex<double> next = unit * std::pow(value, 1 / degree);
      step = std::abs(next - z);
      z = next;
    }
    if (!(step <= settled)) return std::nullopt;
    for (const std::complex<double>& root : roots)
      if (std::abs(root - z) < apart) return std::nullopt;
    roots.push_back(z);
  }
  std::sort(roots.begin(), roots.end(), [](auto a, auto b) { return std::abs(a) < std::abs(b); });
  return roots;
}

/// Approximations of the zeros of f(z)/(z - 1), smallest first.
std::vector<std::complex<double>> approximate_roots(const std::vector<double>& quotient) {
  std::vector<std::complex<long double>> zeros = rough_zeros(quotient);
  settle(zeros, quotient);
  std::vector<std::complex<double>> roots(zeros.begin(), zeros.end());
  std::sort(roots.begin(), roots.end(), [](auto a, auto b) { return std::abs(a) < std::abs(b); });
  return roots;
}

/// The greatest common divisor of C and all possible batches; 1 unless the PMF is complete.
std::size_t common_divisor(const series::ArrivalTails<Interval>& tails, int packets_per_slot) {
  auto divisor = static_cast<std::size_t>(packets_per_slot);
  if (!tails.complete) return 1;
  for (std::size_t j = 1; j < tails.pmf.size(); ++j)
    if (numeric::upper(tails.pmf[j]) > 0) divisor = std::gcd(divisor, j);
  return divisor;
}

}  // namespace

std::vector<ComplexInterval> inner_roots(const series::ArrivalTails<Interval>& tails,
                                         const Interval& second_factorial_moment, int packets_per_slot) {
  // A(z) = z^m A1(z): m of the solutions are 0.
  std::size_t zeros = 0;
  while (zeros < tails.pmf.size() && numeric::upper(tails.pmf[zeros]) == 0) ++zeros;
  const auto servers = static_cast<std::size_t>(packets_per_slot) - zeros;
  std::vector<ComplexInterval> roots(zeros, {Interval(0), Interval(0)});
  if (servers <= 1) return roots;

  Characteristic f{
      {}, Interval(0), Interval(0), second_factorial_moment + Interval(packets_per_slot * packets_per_slot)};
  std::vector<double> quotient, pmf;
  if (tails.quotient) {
    const series::Polynomial polynomial = short_characteristic(*tails.quotient, packets_per_slot);
    f.curvature = Interval(0);
    for (std::size_t j = 0; j < polynomial.size(); ++j) {
      f.coefficient.push_back(numeric::to_interval(numeric::Rational(polynomial[j])));
      f.curvature += abs(f.coefficient.back()) * Interval(j) * Interval(j);
    }
    quotient = quotient_of(polynomial);
  } else {
    for (std::size_t j = zeros; j < tails.pmf.size(); ++j) {
      f.coefficient.push_back(-tails.pmf[j]);
      pmf.push_back(static_cast<double>(numeric::lower(numeric::midpoint(tails.pmf[j]))));
    }
    while (f.coefficient.size() <= servers) f.coefficient.emplace_back(0);
    f.coefficient[servers] += Interval(1);
    if (!tails.complete) {
      f.lost = tails.above.back();
      f.lost_slope = tails.beyond.back() + tails.above.back() * Interval(tails.pmf.size() + 1);
    }
    quotient = quotient_of(pmf, servers);
  }

  const auto bits = static_cast<int>(mpfr_get_prec(Real(0).backend().data()));
  const auto unsettled = [&](const std::string& why) {
    return UnresolvedRoots("the " + std::to_string(packets_per_slot - 1) + " inner solutions of y^" +
                           std::to_string(packets_per_slot) + " = A(y) cannot be enclosed at " +
                           std::to_string(bits) + " bits: " + why);
  };
  std::vector<ComplexInterval> discs;
  std::vector<Interval> radii;
  constexpr std::size_t max_companion = 300;  // 0.1 s for its eigenvalues
  std::optional<std::vector<std::complex<double>>> found;
  if (pmf.size() > max_companion) found = fixed_points(pmf, servers);
  std::vector<std::complex<double>> starts = found ? std::move(*found) : approximate_roots(quotient);
  // With a common divisor d, the d-th roots of unity are solutions too; all others are inside.
  const std::size_t divisor = common_divisor(tails, packets_per_slot);
  if (starts.size() > servers - divisor) starts.resize(servers - divisor);
  for (std::size_t i = 1; i < divisor; ++i) {
    const Interval angle = boost::math::constants::pi<Interval>() * Interval(2 * i) / Interval(divisor);
    roots.push_back({cos(angle), sin(angle)});
  }
  for (const std::complex<double>& start : starts) {
    ComplexInterval center{Interval(start.real()), Interval(start.imag())};
    Interval step(1);
    // Quadratic from about 40 bits on; the limit only stops a root that does not converge.
    for (int iteration = 0; iteration < 60; ++iteration) {
      const auto [value, slope] = f(center);
      if (numeric::lower(magnitude(slope)) <= 0) throw unsettled("two of them nearly coincide");
      const ComplexInterval move = value / slope;
      step = magnitude(move);
      center = {numeric::midpoint(center.real - move.real),
                numeric::midpoint(center.imaginary - move.imaginary)};
      if (numeric::upper(step) < ldexp(Real(1), -bits / 2 - 8)) break;
    }
    const auto [value, slope] = f(center);
    const Interval size = magnitude(slope);
    if (numeric::lower(size) <= 0) throw unsettled("two of them nearly coincide");
    const Interval newton = magnitude(value) / size;
    if (numeric::upper(newton * f.curvature / size) > 0.5) throw unsettled("two of them nearly coincide");
    const Real radius = numeric::upper(newton * Interval(2));
    if (numeric::upper(magnitude(center) + numeric::to_interval(radius)) >= 1)
      throw unsettled(
          "one is too close to the unit circle, for example if unbounded batches and the packets served per "
          "slot have a common divisor");
    discs.push_back(center);
    radii.emplace_back(radius);
    const Interval spread = numeric::make_interval(-radius, radius);
    roots.push_back({center.real + spread, center.imaginary + spread});
  }
  if (discs.size() != servers - divisor)
    throw unsettled("only " + std::to_string(discs.size()) + " were found");
  for (std::size_t i = 0; i < discs.size(); ++i)
    for (std::size_t j = 0; j < i; ++j)
      if (numeric::lower(magnitude(discs[i] - discs[j])) <= numeric::upper(radii[i] + radii[j]))
        throw unsettled("two of them nearly coincide");
  return roots;
}

}  // namespace tailbound::queue
