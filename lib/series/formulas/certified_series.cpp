#include <tailbound/series/formulas/certified_series.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace tailbound::series {
namespace {

using numeric::Interval;
using numeric::Real;

/// The recurrences run on them in place.
using Whole = numeric::Integer;
using Wholes = std::vector<Whole>;

mpz_ptr raw(Whole& value) {
  return value.backend().data();
}
mpz_srcptr raw(const Whole& value) {
  return value.backend().data();
}

/// target = nearest integer to above / below, below > 0.
void divide_rounded(Whole& target, Whole& above, const Whole& below) {
  mpz_mul_2exp(raw(above), raw(above), 1);
  mpz_add(raw(above), raw(above), raw(below));
  mpz_fdiv_q(raw(target), raw(above), raw(below));
  mpz_fdiv_q_2exp(raw(target), raw(target), 1);
}

/// An upper bound of |value|.
long double magnitude_above(const Whole& value) {
  long exponent = 0;
  const double mantissa = mpz_get_d_2exp(&exponent, raw(value));
  if (exponent > 16'000) return std::numeric_limits<long double>::infinity();
  return std::ldexp(std::fabs(mantissa) + 1e-15L, static_cast<int>(exponent));
}
long double sum_of_magnitudes(const Wholes& values) {
  long double total = 0;
  for (const Whole& value : values) total += magnitude_above(value);
  return total;
}

/// Bounds are sums and products of few non-negative numbers in long double: this covers their rounding.
constexpr long double upward = 1 + 1e-9L;
constexpr std::size_t longest_proof = 262'144;

}  // namespace

namespace fixed_point {

/// A power series with q_0 f_k = p_k - sum_(j>=1) q_j f_(k-j) in units of 2^-scale, each step rounded.
struct Quotient {
  Wholes p, q;
  int scale;
  Wholes f;

  void extend(std::size_t count) {
    f.reserve(count);
    Whole total;
    for (std::size_t k = f.size(); k < count; ++k) {
      if (k < p.size())
        mpz_mul_2exp(raw(total), raw(p[k]), static_cast<mp_bitcnt_t>(scale));
      else
        total = 0;
      for (std::size_t j = 1; j < q.size() && j <= k; ++j) mpz_submul(raw(total), raw(q[j]), raw(f[k - j]));
      f.emplace_back();
      divide_rounded(f.back(), total, q[0]);
    }
  }

  /// sum |u_i|, p - q f~ = (rounding) + z^K u for the K known coefficients f~. \pre K >= length of p and q
  [[nodiscard]] long double unfinished() const {
    long double sum = 0;
    Whole total;
    for (std::size_t i = 0; i + 1 < q.size(); ++i) {
      total = 0;
      for (std::size_t j = i + 1; j < q.size(); ++j)
        mpz_addmul(raw(total), raw(q[j]), raw(f[f.size() + i - j]));
      sum += magnitude_above(total);
    }
    return sum * upward;
  }
};

}  // namespace fixed_point

namespace {

using fixed_point::Quotient;

/// A bound of sum |h_k|, h = q_0 / q(z), if q is proved to have no zero in |z| <= 1: with the computed first
/// K terms g, q g = q_0 (1 + e) and sum |e_k| < 1 exactly, so h = g / (1 + e).
std::optional<long double> norm_of_inverse(const Wholes& q) {
  if (q.empty() || q[0] <= 0) return std::nullopt;
  if (q.size() == 1) return 1;
  constexpr int scale = 128;
  Quotient inverse{{q[0]}, q, scale, {}};
  const long double unit = std::ldexp(1.0L, -scale), first = magnitude_above(q[0]) / (1 + 2e-15L);
  for (std::size_t count = std::max<std::size_t>(16, q.size() + 1); count <= longest_proof; count *= 2) {
    inverse.extend(count);
    const long double norm = sum_of_magnitudes(inverse.f) * unit;
    if (!(magnitude_above(inverse.f.back()) < 0x1p200L / unit)) return std::nullopt;
    const long double error =
        (static_cast<long double>(count) / 2 + inverse.unfinished() / first) * unit * upward;
    if (error < 0.25L) return norm / (1 - error) * upward;
  }
  return std::nullopt;
}

/// A bound of sum |s_k|, k >= 1, of s = t / v.
std::optional<long double> norm_without_constant(const Wholes& t, const Wholes& v) {
  const auto inverse = norm_of_inverse(v);
  if (!inverse) return std::nullopt;
  const int scale = 128;
  const long double unit = std::ldexp(1.0L, -scale), first = magnitude_above(v[0]) / (1 + 2e-15L);
  Quotient series{t, v, scale, {}};
  for (std::size_t count = std::max<std::size_t>(16, std::max(t.size(), v.size()) + 1);
       count <= longest_proof; count *= 2) {
    series.extend(count);
    const long double error =
        (static_cast<long double>(count) / 2 + series.unfinished() / first) * unit * *inverse * upward;
    if (error < 0.01L)
      return ((sum_of_magnitudes(series.f) - magnitude_above(series.f.front())) * unit * upward +
              magnitude_above(series.f.front()) * unit * 1e-9L + error) *
             upward;
  }
  return std::nullopt;
}

/// Whether the number is of use as a bound.
bool moderate(long double bound) {
  return bound < 0x1p15000L;
}

int bits_of(long double bound) {
  return std::max(0, static_cast<int>(std::ceil(std::log2(bound))) + 1);
}

/// The first power of z in p.
std::size_t first_power(const Polynomial& p) {
  std::size_t k = 0;
  while (p[k] == 0) ++k;
  return k;
}

/// The common divisor of `period` and the distances from `first` of the powers in p.
std::size_t common_period(std::size_t period, const Polynomial& p, std::size_t first) {
  for (std::size_t k = first; k < p.size(); ++k)
    if (p[k] != 0) period = std::gcd(period, k - first);
  return period;
}

}  // namespace

/// e^constant P/Q E, E = exp(S - S(0)).
struct CertifiedSeries::Term {
  numeric::Rational constant = 0;  ///< S(0)
  Wholes n, d;                     ///< D E' = N E; d empty: E = 1
  Wholes e;
  Quotient factor{{}, {}, 0, {}};  ///< with E, its p is P E in units of 2^-scale
  Wholes p;
  int scale = 0;
  Whole error;                        ///< of each of factor.f
  std::size_t first = 0, period = 0;  ///< coefficients other than first + i period are 0 exactly

  [[nodiscard]] bool is_zero(std::size_t k) const {
    return k < first || (period == 0 ? k > first : (k - first) % period != 0);
  }

  void extend_exponential(std::size_t count) {
    e.reserve(count);
    if (e.empty()) {
      e.emplace_back(1);
      mpz_mul_2exp(raw(e.back()), raw(e.back()), static_cast<mp_bitcnt_t>(scale));
    }
    Whole total, part, divisor;
    for (std::size_t k = e.size() - 1; k + 1 < count; ++k) {
      total = 0;
      for (std::size_t j = 0; j < n.size() && j <= k; ++j) mpz_addmul(raw(total), raw(n[j]), raw(e[k - j]));
      for (std::size_t j = 1; j < d.size() && j <= k; ++j) {
        mpz_mul(raw(part), raw(d[j]), raw(e[k + 1 - j]));
        mpz_submul_ui(raw(total), raw(part), k + 1 - j);
      }
      mpz_mul_ui(raw(divisor), raw(d[0]), k + 1);
      e.emplace_back();
      divide_rounded(e.back(), total, divisor);
    }
  }

  void extend(std::size_t count) {
    if (d.empty()) return factor.extend(count);
    extend_exponential(count);
    for (std::size_t k = factor.p.size(); k < count; ++k) {
      factor.p.emplace_back(0);
      for (std::size_t j = 0; j < p.size() && j <= k; ++j)
        mpz_addmul(raw(factor.p.back()), raw(p[j]), raw(e[k - j]));
    }
    factor.extend(count);
  }

  /// `value` +- `wide`, times 2^-scale e^constant.
  [[nodiscard]] Interval enclosed(const Whole& value, const Whole& wide) const {
    Real low(0), high(0);
    Whole end = value - wide;
    mpfr_set_z(low.backend().data(), raw(end), MPFR_RNDD);
    end = value + wide;
    mpfr_set_z(high.backend().data(), raw(end), MPFR_RNDU);
    mpfr_div_2si(low.backend().data(), low.backend().data(), scale, MPFR_RNDD);
    mpfr_div_2si(high.backend().data(), high.backend().data(), scale, MPFR_RNDU);
    return numeric::make_interval(low, high);
  }
};

std::optional<CertifiedSeries> CertifiedSeries::of(const ClosedForm& form, int bits) {
  std::vector<Term> terms;
  for (const ClosedForm::Term& given : form.terms) {
    Term term;
    term.p = given.factor.numerator;
    const Wholes q = given.factor.denominator;
    const auto norm = norm_of_inverse(q);
    if (!norm) return std::nullopt;
    long double error = 0.5L * *norm;
    const RationalFunction& exponent = given.exponent;
    term.first = first_power(given.factor.numerator);
    term.period = common_period(0, given.factor.numerator, term.first);
    for (const Polynomial* part : {&given.factor.denominator, &exponent.numerator, &exponent.denominator})
      term.period = common_period(term.period, *part, 0);
    if (!exponent.numerator.empty()) {
      const Wholes t = exponent.numerator, v = exponent.denominator;
      if (v[0] <= 0) return std::nullopt;
      term.constant = numeric::Rational(exponent.numerator[0]) / exponent.denominator[0];
      if (exponent.numerator.size() > 1 || exponent.denominator.size() > 1) {
        const RationalFunction slope = derivative(exponent);
        term.n = slope.numerator;
        term.d = slope.denominator;
        const auto inverse = norm_of_inverse(term.d), size = norm_without_constant(t, v);
        if (!inverse || !size || *size > 5'000) return std::nullopt;
        const long double of_exponential = 0.5L * *inverse * std::exp(2 * *size) * upward;
        error = (sum_of_magnitudes(term.p) * of_exponential / magnitude_above(q[0]) * upward + 0.5L) * *norm;
      }
    }
    error = error * upward + 1;
    if (!moderate(error)) return std::nullopt;
    const numeric::PrecisionScope scope(numeric::Precision{64});
    const Interval lift = exp(numeric::to_interval(term.constant));
    const double log2_lift = numeric::log2_magnitude(numeric::upper(lift));
    if (!(std::fabs(log2_lift) < 100'000)) return std::nullopt;
    term.scale = bits + bits_of(error) + std::max(0, static_cast<int>(std::ceil(log2_lift))) +
                 bits_of(static_cast<long double>(form.terms.size())) + 4;
    term.error = 1;
    mpz_mul_2exp(raw(term.error), raw(term.error), static_cast<mp_bitcnt_t>(bits_of(error)));
    // P E has the factor 2^scale already.
    term.factor = {term.d.empty() ? term.p : Wholes{}, q, term.d.empty() ? term.scale : 0, {}};
    terms.push_back(std::move(term));
  }
  return CertifiedSeries(std::move(terms));
}

CertifiedSeries::CertifiedSeries(std::vector<Term> terms) : terms_(std::move(terms)) {}
CertifiedSeries::CertifiedSeries(CertifiedSeries&&) noexcept = default;
CertifiedSeries& CertifiedSeries::operator=(CertifiedSeries&&) noexcept = default;
CertifiedSeries::~CertifiedSeries() = default;

void CertifiedSeries::extend(std::size_t count) {
  for (Term& term : terms_) term.extend(count);
}

std::size_t CertifiedSeries::size() const {
  return terms_.empty() ? 0 : terms_.front().factor.f.size();
}

std::vector<Interval> CertifiedSeries::intervals(std::size_t count) const {
  std::vector<Interval> result(count, Interval(0));
  for (const Term& term : terms_) {
    const Interval lift = exp(numeric::to_interval(term.constant));
    for (std::size_t j = 0; j < count; ++j)
      if (!term.is_zero(j))
        result[j] += term.constant == 0 ? term.enclosed(term.factor.f[j], term.error)
                                        : Interval(lift * term.enclosed(term.factor.f[j], term.error));
  }
  return result;
}

CertifiedSeries::Sums CertifiedSeries::sums() const {
  Sums sums{Interval(0), Interval(0)};
  for (const Term& term : terms_) {
    Whole mass, first;
    const Wholes& f = term.factor.f;
    for (std::size_t j = 0; j < f.size(); ++j) {
      mass += f[j];
      mpz_addmul_ui(raw(first), raw(f[j]), j);
    }
    const Interval lift = exp(numeric::to_interval(term.constant));
    Whole wide = term.error;
    mpz_mul_ui(raw(wide), raw(wide), f.size());
    sums.mass += lift * term.enclosed(mass, wide);
    mpz_mul_ui(raw(wide), raw(wide), f.size());
    sums.first += lift * term.enclosed(first, wide);
  }
  return sums;
}

std::optional<std::size_t> first_negative(const RationalFunction& function, std::size_t count) {
  // x_k = f_k q_0^(k+1): integers.
  const Wholes p = function.numerator;
  Wholes q = function.denominator;
  Whole power = 1, growing = 1;
  for (std::size_t j = 1; j < q.size(); ++j) {
    q[j] *= power;
    power *= q[0];
  }
  Wholes x;
  for (std::size_t k = 0; k < count; ++k) {
    Whole total = k < p.size() ? Whole(p[k] * growing) : Whole(0);
    growing *= q[0];
    for (std::size_t j = 1; j < q.size() && j <= k; ++j) mpz_submul(raw(total), raw(q[j]), raw(x[k - j]));
    if (total < 0) return k;
    x.push_back(std::move(total));
  }
  return std::nullopt;
}

}  // namespace tailbound::series
