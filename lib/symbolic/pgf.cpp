#include <tailbound/core/error.hpp>
#include <tailbound/symbolic/expression_ginac.hpp>
#include <tailbound/symbolic/pgf.hpp>

#include <algorithm>
#include <functional>
#include <limits>
#include <unordered_map>

namespace tailbound::symbolic {

using GiNaC::ex;
using numeric::Rational;

namespace {

constexpr long max_inputs = 1'048'576;
constexpr std::size_t max_terms = 65'536;

/// c[0] h^valuation + c[1] h^(valuation+1) + ..., known below h^(valuation + c.size()); an `exact` one
/// has only zeros after that. c[0] is not zero; c empty: zero as far as known.
struct Laurent {
  long valuation = 0;
  std::vector<ex> c;
  bool exact = false;
};

/// The retained terms did not determine a leading coefficient.
struct NeedsMoreTerms {};

ex tidy(const ex& value) {
  return normal_form(value);
}

class LaurentWalk {
 public:
  LaurentWalk(std::string variable, const Expression& point, std::size_t terms)
      : variable_(std::move(variable)), point_(tidy(to_ginac(point))), terms_(terms) {}

  Laurent visit(const Expression& part) {
    if (const auto found = done_.find(part.identity()); found != done_.end()) return found->second;
    Laurent result = compute(part);
    done_.emplace(part.identity(), result);
    return result;
  }

 private:
  Laurent constant(const ex& value) const {
    const ex tidied = tidy(value);
    if (tidied.is_zero()) return {0, {}, true};
    return {0, {tidied}, true};
  }

  Laurent strip(Laurent value) const {
    std::size_t zeros = 0;
    while (zeros < value.c.size() && value.c[zeros].is_zero()) ++zeros;
    value.c.erase(value.c.begin(), value.c.begin() + static_cast<std::ptrdiff_t>(zeros));
    value.valuation += static_cast<long>(zeros);
    if (value.c.size() > terms_) {
      value.c.resize(terms_);
      value.exact = false;
    }
    return value;
  }

  Laurent add(const std::vector<Laurent>& terms) const {
    long low = std::numeric_limits<long>::max(), high = std::numeric_limits<long>::max();
    long exact_high = std::numeric_limits<long>::min();
    bool exact = true;
    for (const Laurent& term : terms) {
      if (term.exact && term.c.empty()) continue;
      const long end = term.valuation + static_cast<long>(term.c.size());
      low = std::min(low, term.valuation);
      exact_high = std::max(exact_high, end);
      if (!term.exact) {
        exact = false;
        high = std::min(high, end);
      }
    }
    if (low == std::numeric_limits<long>::max()) return {0, {}, true};
    if (exact) high = exact_high;
    high = std::min(high, low + 2 * static_cast<long>(terms_));
    if (exact && high < exact_high) exact = false;
    Laurent result{low, {}, exact};
    for (long power = low; power < high; ++power) {
      GiNaC::exvector parts;
      Rational number = 0;
      for (const Laurent& term : terms) {
        const long index = power - term.valuation;
        if (index < 0 || index >= static_cast<long>(term.c.size())) continue;
        const ex& value = term.c[static_cast<std::size_t>(index)];
        if (GiNaC::is_a<GiNaC::numeric>(value))
          number += to_rational(GiNaC::ex_to<GiNaC::numeric>(value));
        else
          parts.push_back(value);
      }
      parts.emplace_back(to_ginac(number));
      result.c.push_back(tidy(GiNaC::add(parts)));
    }
    if (high <= low) result.valuation = high;
    return strip(std::move(result));
  }

  Laurent multiply(const Laurent& a, const Laurent& b) const {
    if ((a.exact && a.c.empty()) || (b.exact && b.c.empty())) return {0, {}, true};
    std::size_t count = terms_;
    bool exact = a.exact && b.exact;
    if (!a.exact) count = std::min(count, a.c.size());
    if (!b.exact) count = std::min(count, b.c.size());
    const std::size_t full = a.c.size() + b.c.size() - (a.c.empty() || b.c.empty() ? 0 : 1);
    if (full > count) exact = false;
    if (exact) count = full;
    Laurent result{a.valuation + b.valuation, {}, exact};
    for (std::size_t n = 0; n < count; ++n) {
      ex total = 0;
      for (std::size_t i = n < b.c.size() ? 0 : n - b.c.size() + 1; i <= n && i < a.c.size(); ++i)
        total += a.c[i] * b.c[n - i];
      result.c.push_back(tidy(total));
    }
    return strip(std::move(result));
  }

  /// Binomial recurrence: k c0 d_k = sum_j (n j - (k - j)) c_j d_{k-j}; n may be a symbol.
  Laurent power(const Laurent& base, const Expression& exponent) const {
    if (base.c.empty()) {
      if (!base.exact) throw NeedsMoreTerms{};
      if (exponent.is_number() && exponent.number() > 0) return base;
      throw InvalidArgument("divisor", "0", "other than zero");
    }
    long valuation = 0;
    if (base.valuation != 0) {
      if (!exponent.is_number())
        throw InvalidArgument("formula",
                              "a symbolic power of an expression that is zero or infinite at the point",
                              "a power of a finite value other than zero");
      valuation = base.valuation * numeric::to_int64(numeric::numerator(exponent.number()));
    }
    const ex n = tidy(to_ginac(exponent));
    Laurent result{valuation, {}, false};
    if (base.c[0].is_equal(1))
      result.c.emplace_back(1);
    else
      result.c.push_back(tidy(to_ginac(pow(from_ginac(base.c[0]), exponent))));
    const std::size_t count = base.exact ? terms_ : std::min(terms_, base.c.size());
    if (base.exact && base.c.size() == 1) {
      result.exact = true;
      return result;
    }
    for (std::size_t k = 1; k < count; ++k) {
      ex total = 0;
      for (std::size_t j = 1; j <= k && j < base.c.size(); ++j) {
        const auto jl = static_cast<long>(j), kl = static_cast<long>(k);
        total += (n * jl - (kl - jl)) * base.c[j] * result.c[k - j];
      }
      result.c.push_back(tidy(total / (base.c[0] * static_cast<long>(k))));
    }
    return strip(std::move(result));
  }

  /// d' = f' d:  k d_k = sum_j j f_j d_{k-j}.
  Laurent exponential(const Laurent& argument) const {
    if (argument.c.empty() && argument.exact) return constant(1);
    if (argument.c.empty() && argument.valuation <= 0) throw NeedsMoreTerms{};
    if (argument.valuation < 0)
      throw InvalidArgument("formula", "exp of an infinite argument at the point", "finite there");
    const auto offset = static_cast<std::size_t>(argument.valuation);
    const auto coefficient = [&](std::size_t j) {
      return j < offset || j - offset >= argument.c.size() ? ex(0) : argument.c[j - offset];
    };
    const std::size_t count = argument.exact ? terms_ : std::min(terms_, offset + argument.c.size());
    Laurent result{0, {}, false};
    result.c.push_back(tidy(GiNaC::exp(coefficient(0))));
    for (std::size_t k = 1; k < count; ++k) {
      ex total = 0;
      for (std::size_t j = 1; j <= k; ++j) total += coefficient(j) * result.c[k - j] * static_cast<long>(j);
      result.c.push_back(tidy(total / static_cast<long>(k)));
    }
    return result;
  }

  Laurent compute(const Expression& part) {
    switch (part.kind()) {
      case Expression::Kind::number:
        return constant(to_ginac(part));
      case Expression::Kind::symbol: {
        if (part.name() != variable_) return constant(to_ginac(part));
        if (point_.is_zero()) return {1, {1}, true};
        return {0, {point_, 1}, true};
      }
      case Expression::Kind::sum: {
        std::vector<Laurent> terms;
        for (const Expression& operand : part.operands()) terms.push_back(visit(operand));
        return add(terms);
      }
      case Expression::Kind::product: {
        Laurent result = constant(1);
        for (const Expression& operand : part.operands()) result = multiply(result, visit(operand));
        return result;
      }
      case Expression::Kind::power:
        if (part.operands()[1].depends_on(variable_))
          throw InvalidArgument("exponent", part.operands()[1].text(), "free of the variable " + variable_);
        return power(visit(part.operands()[0]), part.operands()[1]);
      default:
        return exponential(visit(part.operands()[0]));
    }
  }

  std::string variable_;
  ex point_;
  std::size_t terms_;
  std::unordered_map<const void*, Laurent> done_;
};

void require_range(const char* argument, const Expression& value, const Rational& low,
                   const std::optional<Rational>& high, const std::string& legal) {
  const auto number = value.as_rational();
  if (number && (*number < low || (high && *number > *high)))
    throw InvalidArgument(argument, numeric::to_fraction(*number), legal);
}

}  // namespace

std::vector<Expression> taylor(const Expression& expression, std::string_view variable,
                               const Expression& point, int order) {
  if (order < 1 || order > 64) throw InvalidArgument("order", std::to_string(order), "1 to 64");
  const AlgebraGuard guard;
  const auto wanted = static_cast<long>(order);
  for (std::size_t terms = static_cast<std::size_t>(order);; terms = terms * 2 + 1) {
    try {
      const Laurent value = LaurentWalk(std::string(variable), point, terms).visit(expression);
      if (!value.c.empty() && value.valuation < 0)
        throw InvalidArgument("formula", "infinite at " + std::string(variable) + " = " + point.text(),
                              "finite there");
      if (!value.exact && value.valuation + static_cast<long>(value.c.size()) < wanted)
        throw NeedsMoreTerms{};
      std::vector<Expression> result;
      for (long power = 0; power < wanted; ++power) {
        const long index = power - value.valuation;
        result.push_back(index < 0 || index >= static_cast<long>(value.c.size())
                             ? Expression(0)
                             : from_ginac(value.c[static_cast<std::size_t>(index)]).simplified());
      }
      return result;
    } catch (const NeedsMoreTerms&) {
      if (terms > 64 + static_cast<std::size_t>(order))
        throw InvalidArgument("formula",
                              "a quotient whose divisor vanishes at " + std::string(variable) + " = " +
                                  point.text() + " in every computed term",
                              "one whose divisor is not identically zero");
    } catch (const GiNaC::pole_error&) {
      throw InvalidArgument("divisor", "0", "other than zero");
    }
  }
}

Expression limit(const Expression& expression, std::string_view variable, const Expression& point) {
  return taylor(expression, variable, point, 1).front();
}

Program to_program(const Expression& expression, std::string_view variable) {
  std::string free;
  for (const std::string& name : expression.free_symbols())
    if (name != variable) free += (free.empty() ? "" : ", ") + name;
  if (!free.empty())
    throw InvalidArgument("formula", "a formula with the free parameters " + free,
                          "a formula in " + std::string(variable) + " alone");
  using Operation = Program::Operation;
  Program program;
  std::unordered_map<const void*, std::size_t> done;
  const auto append = [&](Program::Step step) {
    program.steps.push_back(std::move(step));
    return program.steps.size() - 1;
  };
  const std::function<std::size_t(const Expression&)> visit = [&](const Expression& part) -> std::size_t {
    if (const auto found = done.find(part.identity()); found != done.end()) return found->second;
    std::size_t step = 0;
    switch (part.kind()) {
      case Expression::Kind::number:
        step = append({.operation = Operation::constant, .constant = part.number()});
        break;
      case Expression::Kind::symbol:
        step = append({.operation = Operation::variable});
        break;
      case Expression::Kind::sum:
      case Expression::Kind::product: {
        const auto operation = part.kind() == Expression::Kind::sum ? Operation::add : Operation::multiply;
        step = visit(part.operands()[0]);
        for (const Expression& operand : part.operands().subspan(1)) {
          const std::size_t right = visit(operand);
          step = append({.operation = operation, .left = step, .right = right});
        }
        break;
      }
      case Expression::Kind::power: {
        const auto exponent = part.operands()[1].as_rational();
        if (!exponent) throw InvalidArgument("exponent", part.operands()[1].text(), "a whole number");
        step = append({.operation = Operation::power,
                       .left = visit(part.operands()[0]),
                       .exponent = numeric::to_int64(numeric::numerator(*exponent))});
        break;
      }
      case Expression::Kind::exponential:
        step = append({.operation = Operation::exponential, .left = visit(part.operands()[0])});
        break;
    }
    done.emplace(part.identity(), step);
    return step;
  };
  visit(expression);
  return program;
}

Pgf::Pgf(Expression expression, std::string variable, std::vector<std::string> assumptions)
    : expression_(std::move(expression)),
      variable_(std::move(variable)),
      assumptions_(std::move(assumptions)) {}

Pgf Pgf::equal_inputs(const Expression& inputs, const Expression& load) {
  const std::string legal = "a whole number from 1 to " + std::to_string(max_inputs);
  require_range("inputs", inputs, 1, Rational(max_inputs), legal);
  const auto count = inputs.as_rational();
  if (count && !numeric::is_integer(*count))
    throw InvalidArgument("inputs", numeric::to_fraction(*count), legal);
  require_range("load", load, 0, count, "from 0 to the number of inputs");
  std::vector<std::string> assumptions;
  if (!count) assumptions.push_back(inputs.text() + " is a whole number, at least 1");
  if (!count || !load.is_number()) assumptions.push_back("0 <= " + load.text() + " <= " + inputs.text());
  // load/inputs = p if load is k p: one factor less
  const Expression rate = load.is_number() && count ? load / inputs : (load / inputs).simplified();
  return Pgf(pow(1 - rate + rate * Expression::symbol("z"), inputs), "z", std::move(assumptions));
}

Pgf Pgf::unequal_inputs(const std::vector<Expression>& rates) {
  if (rates.empty()) throw InvalidArgument("rates", "", "at least one rate");
  std::vector<std::string> assumptions;
  std::vector<Expression> factors;
  for (const Expression& rate : rates) {
    require_range("rate", rate, 0, Rational(1), "from 0 to 1");
    if (!rate.is_number()) assumptions.push_back("0 <= " + rate.text() + " <= 1");
    factors.push_back(1 - rate + rate * Expression::symbol("z"));
  }
  std::ranges::sort(assumptions);
  assumptions.erase(std::unique(assumptions.begin(), assumptions.end()), assumptions.end());
  return Pgf(product(std::move(factors)), "z", std::move(assumptions));
}

Pgf Pgf::poisson(const Expression& load) {
  require_range("load", load, 0, std::nullopt, "at least 0");
  std::vector<std::string> assumptions;
  if (!load.is_number()) assumptions.push_back("0 <= " + load.text());
  return Pgf(exp(load * (Expression::symbol("z") - 1)), "z", std::move(assumptions));
}

Pgf Pgf::from_coefficients(const std::vector<Rational>& coefficients) {
  if (coefficients.size() > static_cast<std::size_t>(Expression::exponent_limit) + 1)
    throw InvalidArgument("coefficients", std::to_string(coefficients.size()) + " of them",
                          "at most " + std::to_string(Expression::exponent_limit + 1));
  const Expression z = Expression::symbol("z");
  std::vector<Expression> terms;
  for (std::size_t j = 0; j < coefficients.size(); ++j)
    if (coefficients[j] != 0) terms.push_back(coefficients[j] * pow(z, static_cast<long>(j)));
  if (terms.size() > max_terms)
    throw LimitExceeded("the formula would have " + std::to_string(terms.size()) + " terms; the limit is " +
                        std::to_string(max_terms));
  return Pgf(sum(std::move(terms)));
}

std::vector<std::string> Pgf::free_parameters() const {
  auto names = expression_.free_symbols();
  std::erase(names, variable_);
  return names;
}

Program Pgf::program() const {
  return to_program(expression_, variable_);
}

Expression Pgf::value_at_one() const {
  return limit(expression_, variable_, 1);
}

Verdict Pgf::is_normalised() const {
  const Expression excess = value_at_one() - 1;
  if (excess.is_zero()) return Verdict::yes;
  return free_parameters().empty() || excess.simplified().is_number() ? Verdict::no : Verdict::unknown;
}

std::vector<Expression> Pgf::factorial_moments(int highest) const {
  if (highest < 0 || highest > 16)
    throw InvalidArgument("order of the moment", std::to_string(highest), "0 to 16");
  std::vector<Expression> result = taylor(expression_, variable_, 1, highest + 1);
  Rational factorial = 1;
  for (int n = 1; n <= highest; ++n) {
    factorial = factorial * n;
    result[static_cast<std::size_t>(n)] = (result[static_cast<std::size_t>(n)] * factorial).simplified();
  }
  return result;
}

Expression Pgf::factorial_moment(int order) const {
  if (order < 0) throw InvalidArgument("order of the moment", std::to_string(order), "0 to 16");
  return factorial_moments(order).back();
}

Expression Pgf::mean() const {
  return factorial_moment(1);
}

Expression Pgf::variance() const {
  const auto moments = factorial_moments(2);
  return (moments[2] + moments[1] - moments[1] * moments[1]).simplified();
}

Pgf parse_pgf(std::string_view text, std::string_view source) {
  const Expression expression = parse_expression(text, source);
  return Pgf(expression);
}

}  // namespace tailbound::symbolic
