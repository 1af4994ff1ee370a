#include <tailbound/core/error.hpp>
#include <tailbound/series/formulas/closed_form.hpp>

#include <algorithm>
#include <cstdint>
#include <utility>

namespace tailbound::series {
namespace {

using numeric::Integer;
using numeric::Interval;
using numeric::Rational;
using numeric::Real;

constexpr std::size_t max_degree = 64, most_exponents = 8;
constexpr std::size_t longest_coefficient = 20'000;  ///< of a coefficient

/// The formula has no closed form of moderate size.
struct NoForm {};

Polynomial shortened(Polynomial p) {
  while (!p.empty() && p.back() == 0) p.pop_back();
  if (p.size() > max_degree + 1) throw NoForm{};
  for (const Integer& c : p)
    if (numeric::bit_length(c) > longest_coefficient) throw NoForm{};
  return p;
}

Polynomial sum(const Polynomial& a, const Polynomial& b, const Integer& sign = 1) {
  Polynomial result(std::max(a.size(), b.size()), Integer(0));
  for (std::size_t i = 0; i < a.size(); ++i) result[i] = a[i];
  for (std::size_t i = 0; i < b.size(); ++i) result[i] = result[i] + sign * b[i];
  return shortened(std::move(result));
}

Polynomial times(const Polynomial& a, const Polynomial& b) {
  if (a.empty() || b.empty()) return {};
  // Beyond the limit even before anything cancels: a derivative of a quotient is at most twice as long.
  if (a.size() + b.size() > 4 * max_degree) throw NoForm{};
  Polynomial result(a.size() + b.size() - 1, Integer(0));
  for (std::size_t i = 0; i < a.size(); ++i)
    for (std::size_t j = 0; j < b.size(); ++j) result[i + j] = result[i + j] + a[i] * b[j];
  return result;
}

Integer content(const Polynomial& p) {
  Integer common = 0;
  for (const Integer& c : p) common = numeric::gcd(common, c);
  return common;
}

void divide_by(Polynomial& p, const Integer& number) {
  for (Integer& c : p) c = numeric::exact_quotient(c, number);
}

/// Modulo a prime p the greatest common divisor has at least the degree it has over the integers, if p does
/// not divide the leading coefficients.
bool surely_coprime(const Polynomial& a, const Polynomial& b) {
  constexpr std::int64_t prime = 2'147'483'629;
  const auto reduced = [](const Polynomial& p) {
    std::vector<std::int64_t> r;
    for (const Integer& c : p) r.push_back(numeric::to_int64(numeric::mod(c, Integer(long{prime}))));
    return r;
  };
  const auto inverse = [](std::int64_t value) {
    std::int64_t result = 1;
    for (std::int64_t n = prime - 2; n > 0; n /= 2) {
      if (n % 2 == 1) result = result * value % prime;
      value = value * value % prime;
    }
    return result;
  };
  std::vector<std::int64_t> x = reduced(a), y = reduced(b);
  if (x.back() == 0 || y.back() == 0) return false;
  while (y.size() > 1) {
    const std::int64_t unit = inverse(y.back());
    while (x.size() >= y.size()) {
      const std::int64_t factor = x.back() * unit % prime;
      const std::size_t shift = x.size() - y.size();
      for (std::size_t i = 0; i < y.size(); ++i)
        x[i + shift] = (x[i + shift] + (prime - factor) * y[i]) % prime;
      while (!x.empty() && x.back() == 0) x.pop_back();
      if (x.empty()) return false;
    }
    std::swap(x, y);
  }
  return true;
}

/// Euclid's algorithm with primitive remainders.
Polynomial common_factor(Polynomial a, Polynomial b) {
  divide_by(a, content(a));
  divide_by(b, content(b));
  if (a.size() < b.size()) std::swap(a, b);
  while (!b.empty()) {
    while (a.size() >= b.size()) {
      const Integer common = numeric::gcd(a.back(), b.back());
      const Integer of_a = numeric::exact_quotient(b.back(), common),
                    of_b = numeric::exact_quotient(a.back(), common);
      const std::size_t shift = a.size() - b.size();
      for (Integer& c : a) c = c * of_a;
      for (std::size_t i = 0; i < b.size(); ++i) a[i + shift] = a[i + shift] - of_b * b[i];
      while (!a.empty() && a.back() == 0) a.pop_back();
    }
    if (!a.empty()) divide_by(a, content(a));
    std::swap(a, b);
  }
  return a;
}

/// a / b, which leaves no remainder. The quotient of primitive polynomials is one of integers (Gauss).
Polynomial quotient(Polynomial a, const Polynomial& b) {
  Polynomial result(a.size() - b.size() + 1, Integer(0));
  for (std::size_t i = result.size(); i-- > 0;) {
    result[i] = numeric::exact_quotient(a[i + b.size() - 1], b.back());
    for (std::size_t j = 0; j < b.size(); ++j) a[i + j] = a[i + j] - result[i] * b[j];
  }
  return result;
}

RationalFunction reduced(Polynomial numerator, Polynomial denominator) {
  while (!numerator.empty() && numerator.back() == 0) numerator.pop_back();
  while (!denominator.empty() && denominator.back() == 0) denominator.pop_back();
  if (denominator.empty()) throw NoForm{};
  if (numerator.empty()) return {{}, {1}};
  if (numerator.size() > 1 && denominator.size() > 1 && !surely_coprime(numerator, denominator)) {
    const Polynomial common = common_factor(numerator, denominator);
    if (common.size() > 1) {
      numerator = quotient(std::move(numerator), common);
      denominator = quotient(std::move(denominator), common);
    }
  }
  Integer common = numeric::gcd(content(numerator), content(denominator));
  const auto first =
      std::find_if(denominator.begin(), denominator.end(), [](const Integer& c) { return c != 0; });
  if (*first < 0) common = -common;
  divide_by(numerator, common);
  divide_by(denominator, common);
  return {shortened(std::move(numerator)), shortened(std::move(denominator))};
}

RationalFunction constant(const Rational& value) {
  if (value == 0) return {{}, {1}};
  return {{numeric::numerator(value)}, {numeric::denominator(value)}};
}

RationalFunction operator+(const RationalFunction& a, const RationalFunction& b) {
  if (a.numerator.empty()) return b;
  if (b.numerator.empty()) return a;
  if (a.denominator == b.denominator) return reduced(sum(a.numerator, b.numerator), a.denominator);
  return reduced(sum(times(a.numerator, b.denominator), times(b.numerator, a.denominator)),
                 times(a.denominator, b.denominator));
}

RationalFunction operator*(const RationalFunction& a, const RationalFunction& b) {
  return reduced(times(a.numerator, b.numerator), times(a.denominator, b.denominator));
}

RationalFunction power(const RationalFunction& base, long exponent) {
  RationalFunction result{{1}, {1}};
  RationalFunction factor = base;
  if (exponent < 0) factor = reduced(base.denominator, base.numerator);
  const auto times_asked = static_cast<std::size_t>(std::labs(exponent));
  const std::size_t degree = std::max(factor.numerator.size(), factor.denominator.size()) - 1;
  std::size_t bits = 1;
  for (const Polynomial* part : {&factor.numerator, &factor.denominator})
    for (const Integer& c : *part) bits = std::max<std::size_t>(bits, numeric::bit_length(c));
  if (degree * times_asked > max_degree || (bits > 1 && times_asked > longest_coefficient)) throw NoForm{};
  for (std::size_t n = times_asked; n > 0; n /= 2) {
    if (n % 2 == 1) result = result * factor;
    if (n > 1) factor = factor * factor;
  }
  return result;
}

ClosedForm add(ClosedForm a, const ClosedForm& b) {
  for (const ClosedForm::Term& term : b.terms) {
    const auto same = std::find_if(a.terms.begin(), a.terms.end(), [&](const ClosedForm::Term& other) {
      return other.exponent == term.exponent;
    });
    if (same == a.terms.end())
      a.terms.push_back(term);
    else
      same->factor = same->factor + term.factor;
  }
  std::erase_if(a.terms, [](const ClosedForm::Term& term) { return term.factor.numerator.empty(); });
  if (a.terms.size() > most_exponents) throw NoForm{};
  return a;
}

ClosedForm multiply(const ClosedForm& a, const ClosedForm& b) {
  ClosedForm result;
  for (const ClosedForm::Term& x : a.terms)
    for (const ClosedForm::Term& y : b.terms)
      result = add(std::move(result), {{{x.factor * y.factor, x.exponent + y.exponent}}});
  return result;
}

ClosedForm power(const ClosedForm& base, long exponent) {
  if (base.terms.size() == 1) {
    const ClosedForm::Term& term = base.terms.front();
    return {{{power(term.factor, exponent), constant(Rational(exponent)) * term.exponent}}};
  }
  if (exponent <= 0 || exponent > static_cast<long>(max_degree)) {
    if (exponent == 0) return {{{constant(1), constant(0)}}};
    if (base.terms.empty() && exponent > 0) return base;
    throw NoForm{};
  }
  ClosedForm result = base;
  for (long n = 1; n < exponent; ++n) result = multiply(result, base);
  return result;
}

ClosedForm exponential(const ClosedForm& argument) {
  if (!argument.is_rational()) throw NoForm{};
  return {{{constant(1), argument.terms.empty() ? constant(0) : argument.terms.front().factor}}};
}

bool has_zero(const Interval& value) {
  return numeric::lower(value) <= 0 && numeric::upper(value) >= 0;
}

Interval value_of(const Polynomial& p, const Interval& z) {
  Interval sum(0);
  for (std::size_t i = p.size(); i-- > 0;) sum = sum * z + numeric::to_interval(Rational(p[i]));
  return sum;
}

Interval value_of(const RationalFunction& function, const Interval& z) {
  const Interval divisor = value_of(function.denominator, z);
  if (has_zero(divisor))
    throw InvalidArgument("divisor", "zero, or indistinguishable from zero at this precision",
                          "other than zero");
  return value_of(function.numerator, z) / divisor;
}

Polynomial derivative_of(const Polynomial& p) {
  Polynomial result;
  for (std::size_t i = 1; i < p.size(); ++i) result.push_back(p[i] * Integer(static_cast<long>(i)));
  return result;
}

/// By the mean value theorem, whose error falls with the square of the width, in halves of halves.
bool free_of_zeros(const Polynomial& p, const Polynomial& slope, const Real& from, const Real& to,
                   int halvings) {
  const Interval all = numeric::make_interval(from, to);
  const Real middle = (from + to) / 2;
  const Interval at = numeric::to_interval(middle);
  if (!has_zero(Interval(value_of(p, at) + value_of(slope, all) * (all - at)))) return true;
  return halvings > 0 && free_of_zeros(p, slope, from, middle, halvings - 1) &&
         free_of_zeros(p, slope, middle, to, halvings - 1);
}

}  // namespace

Interval value(const ClosedForm& form, const Interval& z) {
  Interval sum(0);
  for (const ClosedForm::Term& term : form.terms) {
    const Interval factor = value_of(term.factor, z);
    sum += term.exponent.numerator.empty() ? factor : Interval(factor * exp(value_of(term.exponent, z)));
  }
  return sum;
}

bool free_of_poles(const ClosedForm& form, const Real& from, const Real& to) {
  constexpr int halvings = 24;
  for (const ClosedForm::Term& term : form.terms)
    for (const RationalFunction* part : {&term.factor, &term.exponent})
      if (!part->is_polynomial() &&
          !free_of_zeros(part->denominator, derivative_of(part->denominator), from, to, halvings))
        return false;
  return true;
}

bool operator==(const RationalFunction& a, const RationalFunction& b) {
  return a.numerator == b.numerator && a.denominator == b.denominator;
}

RationalFunction derivative(const RationalFunction& function) {
  const Polynomial &n = function.numerator, &d = function.denominator;
  Polynomial top = times(derivative_of(n), d);
  const Polynomial less = times(n, derivative_of(d));
  top.resize(std::max(top.size(), less.size()), Integer(0));
  for (std::size_t i = 0; i < less.size(); ++i) top[i] = top[i] - less[i];
  return reduced(std::move(top), times(d, d));
}

std::optional<ClosedForm> closed_form(const symbolic::Program& program) {
  using Operation = symbolic::Program::Operation;
  constexpr std::size_t longest_program = 2'000;
  if (program.steps.empty() || program.steps.size() > longest_program) return std::nullopt;
  std::vector<ClosedForm> value;
  try {
    for (const auto& step : program.steps) switch (step.operation) {
        case Operation::constant:
          value.push_back(add({}, {{{constant(step.constant), constant(0)}}}));
          break;
        case Operation::variable:
          value.push_back({{{RationalFunction{{0, 1}, {1}}, constant(0)}}});
          break;
        case Operation::add:
          value.push_back(add(value[step.left], value[step.right]));
          break;
        case Operation::multiply:
          value.push_back(multiply(value[step.left], value[step.right]));
          break;
        case Operation::power:
          value.push_back(power(value[step.left], step.exponent));
          break;
        case Operation::exponential:
          value.push_back(exponential(value[step.left]));
          break;
      }
  } catch (const NoForm&) {
    return std::nullopt;
  }
  return std::move(value.back());
}

}  // namespace tailbound::series
