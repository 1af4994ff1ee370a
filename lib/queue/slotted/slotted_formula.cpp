#include <tailbound/core/error.hpp>
#include <tailbound/numeric/rational.hpp>
#include <tailbound/numeric/text/plain.hpp>
#include <tailbound/queue/slotted/slotted_formula.hpp>
#include <tailbound/series/expand.hpp>

#include <algorithm>

namespace tailbound::queue {

using numeric::Interval;
using numeric::Rational;
using symbolic::Expression;
using symbolic::Language;
using symbolic::Pgf;

namespace {

constexpr int max_packets_per_slot = 32;

/// `name`, with a digit appended if a parameter already has that name.
std::string fresh_name(std::string name, const std::vector<std::string>& taken) {
  const std::string stem = name;
  for (int i = 0; std::ranges::find(taken, name) != taken.end(); ++i) name = stem + "_" + std::to_string(i);
  return name;
}

void require_pgf_value(const Pgf& arrivals) {
  if (arrivals.is_normalised() == symbolic::Verdict::no)
    throw InvalidArgument("arrivals", "not a PGF: A(1) is " + arrivals.value_at_one().text(),
                          "a formula with A(1) = 1");
}

void require_stable(const Expression& load, int packets_per_slot) {
  if (!load.free_symbols().empty()) return;
  if (const auto value = load.as_rational()) {
    if (*value >= packets_per_slot) throw Unstable(numeric::plain(*value), packets_per_slot);
    return;
  }
  const numeric::PrecisionScope scope({256});
  const Interval value = series::evaluate<Interval>(symbolic::to_program(load, "z"), Interval(1));
  if (numeric::upper(value) >= packets_per_slot)
    throw Unstable("about " + numeric::to_decimal(numeric::lower(value), 12, numeric::Rounding::nearest),
                   packets_per_slot);
}

struct Moments {
  Expression mean, variance;
};

Moments moments_of(const Pgf& pgf) {
  const auto factorial = pgf.factorial_moments(2);
  return {factorial[1], (factorial[2] + factorial[1] - factorial[1] * factorial[1]).simplified()};
}

/// B1(z) = (1 - A(z)) / (1 - z) with the root divided out, if the result is finite at z = 1.
std::optional<Expression> divided_out(const Pgf& arrivals) {
  const Expression z = Expression::symbol(arrivals.variable());
  try {
    const Expression result = ((1 - arrivals.expression()) / (1 - z)).simplified();
    (void)result.substitute(arrivals.variable(), 1).simplified();
    return result;
  } catch (const InvalidArgument&) {  // still 0/0 at 1
    return std::nullopt;
  } catch (const LimitExceeded&) {
    return std::nullopt;
  }
}

std::optional<Expression> simplified_if_moderate(const Expression& expression) {
  try {
    return expression.simplified();
  } catch (const LimitExceeded&) {
    return std::nullopt;
  }
}

/// Up to this degree GiNaC finds factors within a second, for any rates.
constexpr long largest_factored_degree = 24;
constexpr long largest_degree = 16'384;

/// The degree, if this is literally a polynomial without parameters.
std::optional<long> degree_of(const Expression& expression) {
  using Kind = Expression::Kind;
  if (expression.kind() == Kind::number) return 0;
  if (expression.kind() == Kind::symbol) return 1;
  if (expression.kind() == Kind::exponential) return std::nullopt;
  std::vector<long> degrees;
  for (const Expression& operand : expression.operands()) {
    const auto degree = degree_of(operand);
    if (!degree) return std::nullopt;
    degrees.push_back(*degree);
  }
  if (expression.kind() == Kind::sum) return *std::ranges::max_element(degrees);
  long degree = 0;
  if (expression.kind() == Kind::product) {
    for (const long each : degrees) degree += each;
  } else {
    const auto exponent = expression.operands()[1].as_rational();
    if (!exponent || *exponent < 0 || *exponent > largest_degree) return std::nullopt;
    degree = degrees[0] * numeric::to_int64(numeric::numerator(*exponent));
  }
  if (degree > largest_degree) return std::nullopt;
  return degree;
}

/// A polynomial with integer coefficients without a common divisor: factor() times the given one.
class WholePolynomial {
 public:
  /// `coefficients` over `denominator`
  WholePolynomial(std::vector<numeric::Integer> coefficients, const numeric::Integer& denominator)
      : whole_(std::move(coefficients)) {
    numeric::Integer divisor = 0;
    for (const numeric::Integer& each : whole_) {
      divisor = numeric::gcd(divisor, each);
      if (divisor == 1) break;
    }
    if (divisor > 1)
      for (numeric::Integer& each : whole_) each = numeric::exact_quotient(each, divisor);
    factor_ = Rational(denominator) / divisor;
  }
  [[nodiscard]] Expression factor() const { return factor_; }
  [[nodiscard]] Expression expression(const std::string& variable) const {
    const Expression z = Expression::symbol(variable);
    std::vector<Expression> terms;
    for (std::size_t j = 0; j < whole_.size(); ++j)
      if (whole_[j] != 0) terms.push_back(Rational(whole_[j]) * pow(z, static_cast<long>(j)));
    return sum(std::move(terms));
  }

 private:
  std::vector<numeric::Integer> whole_;
  Rational factor_ = 1;
};

/// The coefficients of 1 - B1, B1 = sum_j P(A > j) z^j, over a common denominator.
struct PolynomialTails {
  std::vector<numeric::Integer> whole;
  numeric::Integer denominator = 1;

  [[nodiscard]] WholePolynomial rest() const { return {whole, denominator}; }  ///< 1 - B1
  [[nodiscard]] WholePolynomial sum() const {                                  ///< B1
    std::vector<numeric::Integer> tails = whole;
    for (numeric::Integer& tail : tails) tail = -tail;
    tails.front() = tails.front() + denominator;
    return {std::move(tails), denominator};
  }
};

/// Empty unless A is a polynomial too long for GiNaC.
std::optional<PolynomialTails> polynomial_tails(const Pgf& arrivals) {
  if (!arrivals.free_parameters().empty()) return std::nullopt;
  const auto degree = degree_of(arrivals.expression());
  if (!degree || *degree <= largest_factored_degree) return std::nullopt;
  std::vector<Rational> pmf =
      series::expand<Rational>(arrivals.program(), static_cast<std::size_t>(*degree) + 1);
  while (pmf.size() > 1 && pmf.back() == 0) pmf.pop_back();
  PolynomialTails tails;
  for (const Rational& mass : pmf)  // most have the first one's denominator, or a divisor of it
    if ((tails.denominator % numeric::denominator(mass)) != 0)
      tails.denominator = numeric::lcm(tails.denominator, numeric::denominator(mass));
  numeric::Integer above = 0;
  tails.whole.resize(pmf.size());
  for (std::size_t j = pmf.size(); j-- > 0;) {
    tails.whole[j] = -above;
    above = above + numeric::numerator(pmf[j]) *
                        numeric::exact_quotient(tails.denominator, numeric::denominator(pmf[j]));
  }
  tails.whole.front() = tails.whole.front() + tails.denominator;
  if (tails.whole.size() > 1) tails.whole.pop_back();  // P(A > degree) = 0
  return tails;
}

}  // namespace

SlottedFormula slotted_formula(const Pgf& arrivals, int packets_per_slot) {
  if (packets_per_slot < 1 || packets_per_slot > max_packets_per_slot)
    throw InvalidArgument("packets per slot", std::to_string(packets_per_slot),
                          "from 1 to " + std::to_string(max_packets_per_slot));
  require_pgf_value(arrivals);
  const Expression load = arrivals.mean();
  require_stable(load, packets_per_slot);

  const Expression z = Expression::symbol(arrivals.variable()), a = arrivals.expression();
  const Expression servers = packets_per_slot, spare = (servers - load).simplified();
  std::vector<std::string> assumptions = arrivals.assumptions();
  if (!load.free_symbols().empty())
    assumptions.push_back(load.text() + " < " + std::to_string(packets_per_slot));

  const Expression one_root = spare * (z - 1) * a / (pow(z, servers) - a);
  const Moments base = moments_of(Pgf(one_root, arrivals.variable()));
  SlottedFormula result{.arrivals = arrivals,
                        .load = load,
                        .occupancy = Pgf(one_root, arrivals.variable(), assumptions),
                        .empty = spare,
                        .mean = base.mean,
                        .variance = base.variance,
                        .inner_roots = {},
                        .defining_equations = {},
                        .packets_per_slot = packets_per_slot};
  if (packets_per_slot == 1) return result;

  // The factor of each inner root y adds 1/(1-y) to the mean and -y/(1-y)^2 to the variance.
  std::vector<Expression> factors{one_root}, empty{spare}, mean{base.mean}, variance{base.variance};
  const auto taken = arrivals.free_parameters();
  std::string names;
  for (int i = 1; i < packets_per_slot; ++i) {
    result.inner_roots.push_back(fresh_name("y" + std::to_string(i), taken));
    const Expression y = Expression::symbol(result.inner_roots.back());
    factors.push_back((z - y) / (1 - y));
    empty.push_back(-y / (1 - y));
    mean.push_back(1 / (1 - y));
    variance.push_back(-y / pow(1 - y, 2));
    names += (i == 1 ? "" : ", ") + result.inner_roots.back();
  }
  const std::string variable = fresh_name("y", taken);
  const Expression y = Expression::symbol(variable);
  result.defining_equations.push_back(
      names + (packets_per_slot == 2 ? ": the solution of " : ": the solutions of ") +
      pow(y, servers).text() + " = " + a.substitute(arrivals.variable(), y).text() + " with abs(" + variable +
      ") < 1");
  result.occupancy = Pgf(product(factors), arrivals.variable(), assumptions);
  result.empty = product(empty);
  result.mean = sum(mean);
  result.variance = sum(variance);
  return result;
}

WaitFormula wait_formula(const Pgf& arrivals) {
  require_pgf_value(arrivals);
  const Expression load = arrivals.mean();
  require_stable(load, 1);
  if (load.is_zero()) throw InvalidArgument("load", "0", "above 0, so that there are packets that wait");
  const Expression z = Expression::symbol(arrivals.variable()), a = arrivals.expression();
  const Expression spare = (1 - load).simplified(), factor = (spare / load).simplified();
  std::vector<std::string> assumptions = arrivals.assumptions();
  if (!load.free_symbols().empty()) assumptions.push_back("0 < " + load.text() + " < 1");

  const Pgf wait(factor * (1 - a) / (a - z), arrivals.variable(), assumptions);
  const Moments moments = moments_of(wait);
  return {.wait = wait,
          .no_wait = limit(wait.expression(), arrivals.variable(), 0),
          .mean = moments.mean,
          .variance = moments.variance};
}

std::optional<Pgf> cancelled_occupancy(const SlottedFormula& formula) {
  if (formula.packets_per_slot != 1) return std::nullopt;
  const Pgf& arrivals = formula.arrivals;
  std::optional<Expression> quotient;
  if (const auto tails = polynomial_tails(arrivals)) {
    const WholePolynomial denominator = tails->rest();
    quotient = (formula.empty * denominator.factor() * arrivals.expression()).simplified() /
               denominator.expression(arrivals.variable());
  } else if (const auto b1 = divided_out(arrivals)) {
    quotient = simplified_if_moderate(formula.empty * arrivals.expression() / (1 - *b1));
  }
  if (!quotient) return std::nullopt;
  return Pgf(*quotient, arrivals.variable(), formula.occupancy.assumptions());
}

std::optional<Pgf> cancelled_wait(const SlottedFormula& formula, const WaitFormula& wait) {
  const Pgf& arrivals = formula.arrivals;
  const Expression factor = ((1 - formula.load) / formula.load).simplified();
  std::optional<Expression> quotient;
  if (const auto tails = polynomial_tails(arrivals)) {
    const WholePolynomial denominator = tails->rest(), numerator = tails->sum();
    quotient = (factor * denominator.factor() / numerator.factor()).simplified() *
               numerator.expression(arrivals.variable()) / denominator.expression(arrivals.variable());
  } else if (const auto b1 = divided_out(arrivals)) {
    quotient = simplified_if_moderate(factor * *b1 / (1 - *b1));
  }
  if (!quotient) return std::nullopt;
  return Pgf(*quotient, arrivals.variable(), wait.wait.assumptions());
}

namespace {

std::vector<std::string> remarks_of(const Pgf& pgf, const std::vector<std::string>& equations) {
  std::vector<std::string> remarks = pgf.assumptions();
  remarks.insert(remarks.end(), equations.begin(), equations.end());
  return remarks;
}

/// A C definition: `with_difference(b)` is the formula with b for (A(z) - 1) / (z - 1).
template <class Formula>
symbolic::Definition c_definition(symbolic::Definition definition, const Pgf& arrivals,
                                  const Expression& load, Formula with_difference) {
  // The code evaluates A's parts at z = 1; if one is infinite there, try the simplified formula.
  for (const bool simplify : {false, true}) {
    try {
      const Expression a = simplify ? arrivals.expression().simplified() : arrivals.expression();
      (void)a.substitute(arrivals.variable(), 1).simplified();
      symbolic::Definition result = definition;
      const std::string name = fresh_name("b", arrivals.free_parameters());
      result.differences.push_back({name, a, load});
      result.expression = with_difference(a, Expression::symbol(name));
      (void)print(result, Language::c);
      return result;
    } catch (const InvalidArgument&) {
    } catch (const LimitExceeded&) {
      if (!simplify) {
        // too large to simplify at 1; the code itself may still be valid
        symbolic::Definition result = definition;
        const std::string name = fresh_name("b", arrivals.free_parameters());
        result.differences.push_back({name, arrivals.expression(), load});
        result.expression = with_difference(arrivals.expression(), Expression::symbol(name));
        return result;
      }
    }
  }
  definition.taylor_at_one = taylor(definition.expression, arrivals.variable(), 1, 8);
  return definition;
}

}  // namespace

symbolic::Definition arrivals_definition(const Pgf& arrivals, Language language) {
  symbolic::Definition definition{.name = "A",
                                  .variable = arrivals.variable(),
                                  .expression = arrivals.expression(),
                                  .remarks = arrivals.assumptions(),
                                  .differences = {},
                                  .taylor_at_one = {}};
  if (language == Language::c) {
    try {
      (void)arrivals.expression().substitute(arrivals.variable(), 1).simplified();
    } catch (const InvalidArgument&) {
      definition.taylor_at_one = taylor(arrivals.expression(), arrivals.variable(), 1, 8);
    } catch (const LimitExceeded&) {
      // valid as is: only a 0/0 needs help, and that is detected without expanding
    }
  }
  return definition;
}

symbolic::Definition occupancy_definition(const SlottedFormula& formula, Language language,
                                          const Pgf* cancelled) {
  const Pgf& pgf = cancelled != nullptr ? *cancelled : formula.occupancy;
  symbolic::Definition definition{.name = "Q",
                                  .variable = pgf.variable(),
                                  .expression = pgf.expression(),
                                  .remarks = remarks_of(formula.occupancy, formula.defining_equations),
                                  .differences = {},
                                  .taylor_at_one = {}};
  if (language != Language::c) return definition;
  const int servers = formula.packets_per_slot;
  if (servers > 2)
    throw InvalidArgument("packets per slot", std::to_string(servers),
                          "1 or 2 for C code: with more, some of the y_i are complex");
  const Expression z = Expression::symbol(pgf.variable());
  return c_definition(std::move(definition), formula.arrivals, formula.load,
                      [&](const Expression& a, const Expression& b) {
                        // (z^C - A) / (z - 1) = 1 + z + .. + z^(C-1) - b
                        std::vector<Expression> factors{servers - formula.load, a,
                                                        pow((servers == 1 ? Expression(1) : 1 + z) - b, -1)};
                        for (const std::string& name : formula.inner_roots) {
                          const Expression y = Expression::symbol(name);
                          factors.push_back((z - y) / (1 - y));
                        }
                        return product(factors);
                      });
}

symbolic::Definition wait_definition(const SlottedFormula& formula, const WaitFormula& wait,
                                     Language language, const Pgf* cancelled) {
  const Pgf& pgf = cancelled != nullptr ? *cancelled : wait.wait;
  symbolic::Definition definition{.name = "W",
                                  .variable = pgf.variable(),
                                  .expression = pgf.expression(),
                                  .remarks = wait.wait.assumptions(),
                                  .differences = {},
                                  .taylor_at_one = {}};
  if (language != Language::c) return definition;
  return c_definition(std::move(definition), formula.arrivals, formula.load,
                      [&](const Expression&, const Expression& b) {
                        return (1 - formula.load) * b / (formula.load * (1 - b));
                      });
}

}  // namespace tailbound::queue
