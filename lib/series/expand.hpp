#pragma once

#include <tailbound/core/error.hpp>
#include <tailbound/numeric/real.hpp>
#include <tailbound/symbolic/program.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

/// Power series of a formula over any number type: double, long double, numeric::Real, numeric::Interval,
/// numeric::Rational. Over Interval each coefficient encloses the true one; over Rational it is exact; over
/// the others rounding is not bounded.
///
/// METHOD  Truncated Laurent series c_0 h^v + c_1 h^(v+1) + ..., so a factor z - z0 may cancel; more terms
///         are used where that loses some. f^n and exp(f) by the recurrences of d' f = n f' d and d' = f' d,
///         at a cost of length of f times length of the result. For f >= 0 the first has only non-negative
///         terms for n < 0 in 1/(c - f)^|n|, for f of two terms, and as far as the (n+1)-th term; otherwise
///         f^n is expanded by repeated squaring, or factor by factor where f has few terms, so no digits
///         cancel.
/// SOURCE  docs/derivations/generating_functions.md
/// TESTS   tests/series/expand_test.cpp
namespace tailbound::series {

/// exp of a nonzero argument in rational arithmetic.
class Irrational : public InvalidArgument {
 public:
  using InvalidArgument::InvalidArgument;
};

/// Cost limits of an expansion; beyond them LimitExceeded.
struct ExpansionLimits {
  std::size_t order = 1'048'576;
  double products = 4e9;       ///< of coefficients; long rationals count as their 64-bit words squared
  double bits = 1.6e10;        ///< of all series in memory at a time
  double rational_bits = 1e9;  ///< of a single rational number
};

/// Number-type details that the expansion needs.
template <class T>
struct SeriesNumber {
  static T make(const numeric::Rational& value) {
    if constexpr (std::is_same_v<T, double>)
      return numeric::nearest_double(value);
    else if constexpr (std::is_same_v<T, long double>)
      return numeric::nearest_long_double(value);
    else if constexpr (std::is_same_v<T, numeric::Real>)
      return numeric::to_real(value, numeric::Rounding::nearest);
    else if constexpr (std::is_same_v<T, numeric::Interval>)
      return numeric::to_interval(value);
    else
      return value;
  }
  static T whole(long value) { return make(numeric::Rational(value)); }

  static bool is_zero(const T& value) {
    if constexpr (std::is_same_v<T, numeric::Interval>)
      return numeric::lower(value) == 0 && numeric::upper(value) == 0;
    else
      return value == 0;
  }
  /// It may be zero, or all its digits may have cancelled: only exact arithmetic can decide.
  static bool is_doubtful(const T& value) {
    if constexpr (std::is_same_v<T, numeric::Rational>)
      return value == 0;
    else if constexpr (std::is_same_v<T, numeric::Interval>)
      return numeric::lower(value) <= 0 && numeric::upper(value) >= 0;
    else {
      using std::abs;
      return abs(value) < T(1e-6);
    }
  }
  static T exponential(const T& value) {
    if constexpr (std::is_same_v<T, numeric::Rational>) {
      if (value != 0)
        throw Irrational("formula", "exp(" + numeric::to_fraction(value) + "), an irrational number",
                         "rational for exact arithmetic");
      return 1;
    } else {
      using std::exp;
      return exp(value);
    }
  }
  static double bits(const T& value) {
    if constexpr (std::is_same_v<T, numeric::Rational>)
      return 128.0 + static_cast<double>(numeric::bit_size(value));
    else if constexpr (std::is_same_v<T, numeric::Real>)
      return 256.0 + static_cast<double>(value.precision()) * 3.33;
    else if constexpr (std::is_same_v<T, numeric::Interval>)
      return 512.0 + static_cast<double>(value.precision()) * 6.66;
    else
      return 8.0 * sizeof(T);
  }
};

/// An expansion of a program: series in h = z - point.
template <class T>
class Expansion {
  using Number = SeriesNumber<T>;
  using Step = symbolic::Program::Step;
  using Operation = symbolic::Program::Operation;

 public:
  /// c[0] h^valuation + c[1] h^(valuation + 1) + ..., c[0] not an exact zero; `exact`: zero after that.
  struct Series {
    long valuation = 0;
    std::vector<T> c;
    bool exact = true;
  };

  Expansion(const symbolic::Program& program, numeric::Rational point, ExpansionLimits limits)
      : program_(program), point_(std::move(point)), limits_(limits) {}

  /// The series of step `last` with `terms` terms kept.
  Series run(std::size_t last, std::size_t terms) {
    terms_ = terms;
    products_ = 0;
    live_bits_ = 0;
    const auto& steps = program_.steps;
    std::vector<std::size_t> last_use(last + 1, last + 1);
    std::vector<bool> needed(last + 1, false);
    needed[last] = true;
    for (std::size_t i = last + 1; i-- > 0;) {
      if (!needed[i]) continue;
      for (const std::size_t operand : operands(steps[i])) {
        if (operand >= i) throw InvalidArgument("program", "a step that uses a later one", "in order");
        needed[operand] = true;
        if (last_use[operand] > last) last_use[operand] = i;
      }
    }
    std::vector<Series> value(last + 1);
    for (std::size_t i = 0; i <= last; ++i) {
      if (!needed[i]) continue;
      value[i] = compute(i, value, last_use);
      live_bits_ += bits(value[i]);
      if (live_bits_ > limits_.bits)
        throw LimitExceeded("the series would take more than " + in_words(limits_.bits / 8e9) + " GB");
      for (const std::size_t operand : operands(steps[i]))
        if (last_use[operand] == i) {
          live_bits_ -= bits(value[operand]);
          value[operand] = Series{};
        }
    }
    return std::move(value[last]);
  }

  /// The retained terms did not determine a leading coefficient; more of them may.
  struct NeedsMoreTerms {};

  /// `base` with the leading coefficients that are zero in exact arithmetic removed.
  /// \throws InvalidArgument  the leading coefficient may be zero and exact arithmetic cannot decide
  Series settled(std::size_t left, Series base) const {
    if constexpr (!std::is_same_v<T, numeric::Rational>) {
      constexpr std::size_t looked_at = 16;
      std::optional<long> valuation;
      try {
        ExpansionLimits small = limits_;
        small.products = 1e7;
        small.rational_bits = 1e5;
        const auto exact = Expansion<numeric::Rational>(program_, point_, small).run(left, looked_at);
        if (!exact.c.empty()) valuation = exact.valuation;
        if (exact.exact && exact.c.empty()) throw InvalidArgument("divisor", "0", "other than zero");
      } catch (const Irrational&) {
      } catch (const LimitExceeded&) {
      } catch (const typename Expansion<numeric::Rational>::NeedsMoreTerms&) {
      }
      if (valuation) {
        const long zeros = *valuation - base.valuation;
        if (zeros >= static_cast<long>(base.c.size())) throw NeedsMoreTerms{};
        if (zeros > 0) {
          base.c.erase(base.c.begin(), base.c.begin() + zeros);
          base.valuation = *valuation;
        }
      }
      if constexpr (std::is_same_v<T, numeric::Interval>)
        if (Number::is_doubtful(base.c[0]))
          throw InvalidArgument("divisor", "an interval around zero at this precision",
                                "known to be other than zero");
    }
    return base;
  }

 private:
  static std::string in_words(double value) { return std::to_string(static_cast<long long>(value)); }

  static std::vector<std::size_t> operands(const Step& step) {
    switch (step.operation) {
      case Operation::constant:
      case Operation::variable:
        return {};
      case Operation::add:
      case Operation::multiply:
        return {step.left, step.right};
      default:
        return {step.left};
    }
  }

  static double bits(const Series& value) {
    if constexpr (std::is_same_v<T, numeric::Rational>) {
      double total = 0;
      for (const T& c : value.c) total += Number::bits(c);
      return total;
    } else {
      return value.c.empty() ? 0 : static_cast<double>(value.c.size()) * Number::bits(value.c.front());
    }
  }

  /// Words of the longest coefficient: the cost of a product with it.
  static double words(const Series& value) {
    if constexpr (std::is_same_v<T, numeric::Rational>) {
      double maximum = 1;
      for (const T& c : value.c) maximum = std::max(maximum, Number::bits(c) / 192);
      return maximum;
    } else {
      return 1;
    }
  }

  void charge(double count) {
    products_ += count;
    if (products_ > limits_.products)
      throw LimitExceeded("the expansion would take more than " + in_words(limits_.products) +
                          " products of coefficients");
  }

  /// Drops exact zeros at both ends, and terms beyond the limit.
  Series strip(Series value) const {
    std::size_t zeros = 0;
    while (zeros < value.c.size() && Number::is_zero(value.c[zeros])) ++zeros;
    if (zeros > 0) {
      value.c.erase(value.c.begin(), value.c.begin() + static_cast<std::ptrdiff_t>(zeros));
      value.valuation += static_cast<long>(zeros);
    }
    if (value.c.size() > terms_) {
      value.c.resize(terms_);
      value.exact = false;
    }
    if (value.exact) {
      while (!value.c.empty() && Number::is_zero(value.c.back())) value.c.pop_back();
      if (value.c.empty()) value.valuation = 0;
    }
    return value;
  }

  /// First power of h that is not known.
  static long end(const Series& value) { return value.valuation + static_cast<long>(value.c.size()); }

  Series constant(const numeric::Rational& value) const {
    if (value == 0) return {};
    return {0, {Number::make(value)}, true};
  }

  Series add(Series a, const Series& b) {
    if (b.exact && b.c.empty()) return a;
    if (a.exact && a.c.empty()) return b;
    const bool exact = a.exact && b.exact;
    long known = std::numeric_limits<long>::max();
    if (!a.exact) known = std::min(known, end(a));
    if (!b.exact) known = std::min(known, end(b));
    long low = std::min(a.valuation, b.valuation);
    const long high = std::min({known, std::max(end(a), end(b)), low + static_cast<long>(terms_)});
    const bool cut = exact && high < std::max(end(a), end(b));
    if (high <= low) return {high, {}, false};
    charge(static_cast<double>(std::max(b.c.size(), std::size_t(1))) / 16);
    if (b.valuation < a.valuation) {
      a.c.insert(a.c.begin(), static_cast<std::size_t>(a.valuation - b.valuation), Number::whole(0));
      a.valuation = low;
    }
    const auto length = static_cast<std::size_t>(high - low);
    if (a.c.size() != length) a.c.resize(length, Number::whole(0));
    const auto shift = static_cast<std::size_t>(b.valuation - low);
    for (std::size_t j = 0; j < b.c.size() && shift + j < length; ++j) {
      T& target = a.c[shift + j];
      target += b.c[j];
    }
    a.exact = exact && !cut;
    return strip(std::move(a));
  }

  Series multiply(const Series& a, const Series& b) {
    if ((a.exact && a.c.empty()) || (b.exact && b.c.empty())) return {};
    if (a.c.empty() || b.c.empty()) return {a.valuation + b.valuation, {}, false};
    const std::size_t full = a.c.size() + b.c.size() - 1;
    std::size_t count = std::min(full, terms_);
    bool exact = a.exact && b.exact && full <= terms_;
    if (!a.exact) count = std::min(count, a.c.size());
    if (!b.exact) count = std::min(count, b.c.size());
    // A short exact factor times a truncated series is known as far as that series.
    if (!exact) count = std::min({terms_, a.exact ? terms_ : a.c.size(), b.exact ? terms_ : b.c.size()});
    charge(static_cast<double>(std::min(a.c.size(), count)) *
           static_cast<double>(std::min(b.c.size(), count)) * words(a) * words(b));
    Series result{a.valuation + b.valuation, std::vector<T>(std::min(count, full), Number::whole(0)), exact};
    const bool a_short = a.c.size() <= b.c.size();
    const std::vector<T>& brief = a_short ? a.c : b.c;
    const std::vector<T>& wide = a_short ? b.c : a.c;
    for (std::size_t n = 0; n < result.c.size(); ++n) {
      T total = Number::whole(0);
      const std::size_t first = n < wide.size() ? 0 : n - wide.size() + 1;
      for (std::size_t i = first; i <= n && i < brief.size(); ++i)
        if (!Number::is_zero(brief[i])) total += brief[i] * wide[n - i];
      result.c[n] = std::move(total);
    }
    if (!exact && result.c.size() < count) result.c.resize(count, Number::whole(0));
    return strip(std::move(result));
  }

  T whole_power(T base, long exponent) const {
    if constexpr (std::is_same_v<T, numeric::Rational>) {
      if (static_cast<double>(numeric::bit_size(base)) * static_cast<double>(exponent) >
          limits_.rational_bits)
        throw LimitExceeded("an exact number of the expansion would have more than " +
                            in_words(limits_.rational_bits) + " bits");
      return numeric::pow(base, exponent);
    } else {
      const bool zero = Number::is_zero(base);
      T result = Number::whole(1);
      for (long n = exponent; n > 0; n /= 2) {
        if (n % 2 == 1) result = result * base;
        if (n > 1) base = base * base;
      }
      if constexpr (std::is_floating_point_v<T>)
        if (!zero && (result == 0 || !std::isfinite(result)))
          throw LimitExceeded("a power in the formula leaves the range of double arithmetic");
      (void)zero;
      return result;
    }
  }

  /// base^exponent by k c0 d_k = sum_{j=1..k} (n j - (k - j)) c_j d_{k-j}.
  Series power_by_recurrence(const Series& base, long exponent, const T& first) {
    Series result{base.valuation * exponent, {first}, false};
    std::size_t count = base.exact ? terms_ : std::min(terms_, base.c.size());
    if (base.exact && exponent > 0) {
      const double degree = static_cast<double>(base.c.size() - 1) * static_cast<double>(exponent);
      if (degree < static_cast<double>(count)) {
        count = static_cast<std::size_t>(degree) + 1;
        result.exact = true;
      }
    }
    if (base.exact && base.c.size() == 1) {
      result.exact = true;
      return result;
    }
    std::vector<std::size_t> support;  // j >= 1 with c_j != 0
    for (std::size_t j = 1; j < base.c.size() && j < count; ++j)
      if (!Number::is_zero(base.c[j])) support.push_back(j);
    std::vector<T> scaled;  // c_j / c_0
    for (const std::size_t j : support) scaled.push_back(base.c[j] / base.c[0]);
    result.c.reserve(count);
    for (std::size_t k = 1; k < count; ++k) {
      T total = Number::whole(0);
      const auto n = static_cast<long>(k);
      std::size_t s = 0;
      for (; s < support.size() && support[s] <= k; ++s) {
        const auto j = static_cast<long>(support[s]);
        const long weight = exponent * j - (n - j);
        if (weight != 0) total = total + Number::whole(weight) * scaled[s] * result.c[k - support[s]];
      }
      result.c.push_back(total / Number::whole(n));
      charge(static_cast<double>(s + 1) * (s == 0 ? 1 : number_words(result.c.back())));
    }
    return strip(std::move(result));
  }

  static double number_words(const T& value) {
    if constexpr (std::is_same_v<T, numeric::Rational>)
      return std::max(1.0, Number::bits(value) / 192);
    else
      return 1;
  }

  Series power_by_squaring(const Series& base, long exponent) {
    Series result{0, {Number::whole(1)}, true}, square = base;
    for (long n = exponent; n > 0; n /= 2) {
      if (n % 2 == 1) result = multiply(result, square);
      if (n > 1) square = multiply(square, square);
    }
    return result;
  }

  /// Factor by factor, for a base with few terms.
  Series power_by_factors(const Series& base, long exponent) {
    Series result = base;
    for (long n = 1; n < exponent; ++n) result = multiply(result, base);
    return result;
  }

  Series power(std::size_t left, Series base, long exponent) {
    if (exponent == 0) return constant(1);
    if (exponent == std::numeric_limits<long>::min() || std::labs(exponent) > 1'048'576)
      throw InvalidArgument("exponent", std::to_string(exponent), "between -1048576 and 1048576");
    if (base.c.empty()) {
      if (exponent > 0) {
        if (base.exact) return base;
        return {base.valuation * exponent, {}, false};
      }
      if (!base.exact) throw NeedsMoreTerms{};
      throw InvalidArgument("divisor", "0", "other than zero");
    }
    if (exponent > 0) {
      if (base.exact && base.c.size() == 1)
        return {base.valuation * exponent, {whole_power(base.c[0], exponent)}, true};
      std::size_t nearest = 1;
      while (nearest < base.c.size() && Number::is_zero(base.c[nearest])) ++nearest;
      const double reach = static_cast<double>(nearest) * (static_cast<double>(exponent) + 1);
      const bool two_terms = base.exact && nearest + 1 == base.c.size();
      const bool safe = two_terms || reach + 1 >= static_cast<double>(
                                                      std::min(terms_, base.exact ? terms_ : base.c.size()));
      if (std::is_same_v<T, numeric::Rational> || (safe && !Number::is_doubtful(base.c[0])))
        return power_by_recurrence(base, exponent, whole_power(base.c[0], exponent));
      // Squaring series with many terms takes more additions than multiplying by factors with few.
      double few = 0;
      for (const T& one : base.c) few += Number::is_zero(one) ? 0.1 : 1;
      const bool factors = base.exact && base.c.size() < terms_ &&
                           static_cast<double>(exponent) * few <
                               0.75 * static_cast<double>(terms_) * std::log2(static_cast<double>(exponent));
      return factors ? power_by_factors(base, exponent) : power_by_squaring(base, exponent);
    }
    if (Number::is_doubtful(base.c[0])) base = settled(left, std::move(base));
    return power_by_recurrence(base, exponent, Number::whole(1) / whole_power(base.c[0], -exponent));
  }

  /// d = exp(f) by k d_k = sum_{j=1..k} j f_j d_{k-j}; d_0 = exp(f_0) separately.
  Series exponential(const Series& argument) {
    if (argument.c.empty() && argument.exact) return constant(1);
    if (argument.valuation < 0)
      throw InvalidArgument("formula", "exp of an infinite argument at the point of expansion",
                            "finite there");
    const auto offset = static_cast<std::size_t>(argument.valuation);
    const std::size_t known = argument.exact ? terms_ : std::min(terms_, offset + argument.c.size());
    if (known == 0) return {0, {}, false};
    const bool constant_term = offset == 0;
    Series result{0, {}, argument.exact && argument.c.size() == 1 && constant_term};
    result.c.push_back(constant_term ? Number::exponential(argument.c[0]) : Number::whole(1));
    if constexpr (std::is_floating_point_v<T>)
      if (result.c[0] == 0 || !std::isfinite(result.c[0]))
        throw LimitExceeded("exp in the formula leaves the range of double arithmetic");
    if (result.exact) return result;
    std::vector<std::size_t> support;
    std::vector<T> scaled;  // j f_j
    for (std::size_t j = std::max<std::size_t>(1, offset); j - offset < argument.c.size() && j < known; ++j)
      if (!Number::is_zero(argument.c[j - offset])) {
        support.push_back(j);
        scaled.push_back(Number::whole(static_cast<long>(j)) * argument.c[j - offset]);
      }
    result.c.reserve(known);
    for (std::size_t k = 1; k < known; ++k) {
      T total = Number::whole(0);
      std::size_t s = 0;
      for (; s < support.size() && support[s] <= k; ++s) total = total + scaled[s] * result.c[k - support[s]];
      result.c.push_back(total / Number::whole(static_cast<long>(k)));
      charge(static_cast<double>(s + 1) * number_words(result.c.back()));
    }
    return strip(std::move(result));
  }

  Series compute(std::size_t index, std::vector<Series>& value, const std::vector<std::size_t>& last_use) {
    const Step& step = program_.steps[index];
    switch (step.operation) {
      case Operation::constant:
        return constant(step.constant);
      case Operation::variable:
        if (point_ == 0) return {1, {Number::whole(1)}, true};
        return strip({0, {Number::make(point_), Number::whole(1)}, true});
      case Operation::add: {
        if (last_use[step.left] == index && step.left != step.right) {
          live_bits_ -= bits(value[step.left]);
          return add(std::exchange(value[step.left], Series{}), value[step.right]);
        }
        return add(value[step.left], value[step.right]);
      }
      case Operation::multiply:
        return multiply(value[step.left], value[step.right]);
      case Operation::power:
        return power(step.left, value[step.left], step.exponent);
      default:
        return exponential(value[step.left]);
    }
  }

  const symbolic::Program& program_;
  numeric::Rational point_;
  ExpansionLimits limits_;
  std::size_t terms_ = 0;
  double products_ = 0, live_bits_ = 0;
};

/// Coefficients of (z - point)^0 .. (z - point)^(order-1).
///
/// CONTRACT  Rational: exact. Interval: each contains the true coefficient, with the precision in force.
/// COST      order * (length of the shorter factor, of the base or of exp's argument) per step.
/// \throws InvalidArgument  a pole at the point; or, over Interval, a divisor that the precision in force
///                          cannot distinguish from zero
/// \throws Irrational       over Rational: exp of a nonzero argument at the point
/// \throws LimitExceeded    order or cost beyond ExpansionLimits; over double: out of its range
template <class T>
[[nodiscard]] std::vector<T> expand_about(const symbolic::Program& program, const numeric::Rational& point,
                                          std::size_t order, const ExpansionLimits& limits = {}) {
  if (program.steps.empty()) throw InvalidArgument("program", "", "at least one step");
  if (order > limits.order)
    throw LimitExceeded("an expansion to " + std::to_string(order) + " terms was requested; the limit is " +
                        std::to_string(limits.order));
  if (order == 0) return {};
  using Series = typename Expansion<T>::Series;
  const auto wanted = static_cast<long>(order);
  Expansion<T> expansion(program, point, limits);
  for (std::size_t extra = 0;; extra = 2 * extra + 2) {
    try {
      Series series = expansion.run(program.steps.size() - 1, order + extra);
      // A pole may be 0/0 obscured by rounding.
      if (!series.c.empty() && series.valuation < 0)
        series = expansion.settled(program.steps.size() - 1, std::move(series));
      if (!series.c.empty() && series.valuation < 0)
        throw InvalidArgument("formula", "infinite at z = " + numeric::to_fraction(point),
                              "finite there to be a power series");
      if (!series.exact && series.valuation + static_cast<long>(series.c.size()) < wanted)
        throw typename Expansion<T>::NeedsMoreTerms{};
      std::vector<T> result;
      result.reserve(order);
      for (long power = 0; power < wanted; ++power) {
        const long index = power - series.valuation;
        if (index < 0 || index >= static_cast<long>(series.c.size()))
          result.push_back(SeriesNumber<T>::whole(0));
        else
          result.push_back(std::move(series.c[static_cast<std::size_t>(index)]));
      }
      return result;
    } catch (const typename Expansion<T>::NeedsMoreTerms&) {
      if (extra > 64) throw InvalidArgument("divisor", "zero in every term computed", "other than zero");
    }
  }
}

/// Coefficients of z^0 .. z^(order-1): expand_about() zero.
template <class T>
[[nodiscard]] std::vector<T> expand(const symbolic::Program& program, std::size_t order,
                                    const ExpansionLimits& limits = {}) {
  return expand_about<T>(program, 0, order, limits);
}

/// The program's value at z = `point`, step by step as written.
/// \throws InvalidArgument  a divisor is (for Interval: may be) zero
template <class T>
[[nodiscard]] T evaluate(const symbolic::Program& program, const T& point) {
  using Number = SeriesNumber<T>;
  using Operation = symbolic::Program::Operation;
  if (program.steps.empty()) throw InvalidArgument("program", "", "at least one step");
  std::vector<T> value;
  value.reserve(program.steps.size());
  for (const auto& step : program.steps) {
    switch (step.operation) {
      case Operation::constant:
        value.push_back(Number::make(step.constant));
        break;
      case Operation::variable:
        value.push_back(point);
        break;
      case Operation::add:
        value.push_back(value[step.left] + value[step.right]);
        break;
      case Operation::multiply:
        value.push_back(value[step.left] * value[step.right]);
        break;
      case Operation::exponential:
        value.push_back(Number::exponential(value[step.left]));
        break;
      case Operation::power: {
        T base = value[step.left], result = Number::whole(1);
        if (std::labs(step.exponent) > 1'048'576)
          throw InvalidArgument("exponent", std::to_string(step.exponent), "between -1048576 and 1048576");
        if constexpr (std::is_same_v<T, numeric::Interval>) {
          if (step.exponent < 0 && numeric::lower(base) <= 0 && numeric::upper(base) >= 0)
            throw InvalidArgument("divisor", "zero, or indistinguishable from zero at this precision",
                                  "other than zero");
        } else if (step.exponent < 0 && Number::is_zero(base))
          throw InvalidArgument("divisor", "0", "other than zero");
        for (long n = std::labs(step.exponent); n > 0; n /= 2) {
          if (n % 2 == 1) result = result * base;
          if (n > 1) base = base * base;
        }
        value.push_back(step.exponent < 0 ? Number::whole(1) / result : result);
        break;
      }
    }
  }
  return value.back();
}

}  // namespace tailbound::series
