#include <tailbound/series/expand.hpp>
#include <tailbound/series/pgf_check.hpp>

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

namespace tailbound::series {

using numeric::Interval;
using numeric::Rational;
using symbolic::Program;
using Operation = Program::Operation;

namespace {

constexpr std::size_t coefficients_looked_at = 1'000;
constexpr int first_bits = 192, last_bits = 4'096;
constexpr double longest_rational_test = 4'000;  ///< maximum total degree of numerator and denominator
constexpr double longest_polynomial = 1'048'576;

[[noreturn]] void reject(const std::string& finding) {
  throw InvalidArgument("arrivals", "not a PGF: " + finding,
                        "a formula with A(1) = 1 and no coefficient below 0");
}

std::string shown(const Rational& value) {
  if (numeric::bit_size(value) <= 300) return numeric::to_fraction(value);
  return "about " + numeric::to_decimal(value, 12, numeric::Rounding::nearest);
}

std::string shown(const Interval& value) {
  return "about " + numeric::to_decimal(numeric::lower(value), 12, numeric::Rounding::nearest);
}

/// Properties of a step's series that follow from the steps alone.
struct Shape {
  std::optional<Interval> constant;         ///< c_0, if an interval contains it
  bool rest_up = false, rest_down = false;  ///< c_1, c_2, ... all >= 0, all <= 0
  bool rational = true;                     ///< no exp of a formula in z
  bool irrational_constant = false;         ///< exp of a constant
  double top = 0, bottom = 0;               ///< maximum degrees of numerator and denominator

  [[nodiscard]] bool is_constant() const { return top == 0 && bottom == 0 && rational; }
  [[nodiscard]] bool non_negative() const { return rest_up && constant && numeric::lower(*constant) >= 0; }
  [[nodiscard]] bool positive_minus() const { return rest_down && constant && numeric::lower(*constant) > 0; }
};

Shape shape_of(const Program::Step& step, const std::vector<Shape>& before) {
  Shape result;
  switch (step.operation) {
    case Operation::constant:
      result.constant = numeric::to_interval(step.constant);
      result.rest_up = result.rest_down = true;
      break;
    case Operation::variable:
      result.constant = Interval(0);
      result.rest_up = true;
      result.top = 1;
      break;
    case Operation::add: {
      const Shape &a = before[step.left], &b = before[step.right];
      if (a.constant && b.constant) result.constant = *a.constant + *b.constant;
      result.rest_up = a.rest_up && b.rest_up;
      result.rest_down = a.rest_down && b.rest_down;
      result.rational = a.rational && b.rational;
      result.irrational_constant = a.irrational_constant || b.irrational_constant;
      result.top = std::max(a.top + b.bottom, b.top + a.bottom);
      result.bottom = a.bottom + b.bottom;
      break;
    }
    case Operation::multiply: {
      const Shape &a = before[step.left], &b = before[step.right];
      if (a.constant && b.constant) result.constant = *a.constant * *b.constant;
      result.rest_up = a.non_negative() && b.non_negative();
      for (const auto& [factor, other] : {std::pair(&a, &b), std::pair(&b, &a)}) {
        if (!factor->is_constant() || !factor->constant) continue;
        if (numeric::lower(*factor->constant) >= 0) {
          result.rest_up = result.rest_up || other->rest_up;
          result.rest_down = result.rest_down || other->rest_down;
        }
        if (numeric::upper(*factor->constant) <= 0) {
          result.rest_up = result.rest_up || other->rest_down;
          result.rest_down = result.rest_down || other->rest_up;
        }
      }
      result.rational = a.rational && b.rational;
      result.irrational_constant = a.irrational_constant || b.irrational_constant;
      result.top = a.top + b.top;
      result.bottom = a.bottom + b.bottom;
      break;
    }
    case Operation::power: {
      const Shape& a = before[step.left];
      const bool negative = step.exponent < 0;
      const auto times = static_cast<double>(std::labs(step.exponent));
      const bool divisible =
          a.constant && (numeric::lower(*a.constant) > 0 || numeric::upper(*a.constant) < 0);
      if (a.constant && (!negative || divisible)) {
        Interval value(1), base = *a.constant;
        for (long n = std::labs(step.exponent); n > 0; n /= 2) {
          if (n % 2 == 1) value *= base;
          if (n > 1) base *= base;
        }
        result.constant = negative ? Interval(1) / value : value;
      }
      result.rest_up = negative ? a.positive_minus() : a.non_negative();
      result.rest_down = a.is_constant();
      result.rest_up = result.rest_up || a.is_constant();
      result.rational = a.rational;
      result.irrational_constant = a.irrational_constant;
      result.top = times * (negative ? a.bottom : a.top);
      result.bottom = times * (negative ? a.top : a.bottom);
      break;
    }
    case Operation::exponential: {
      const Shape& a = before[step.left];
      if (a.constant) result.constant = exp(*a.constant);
      result.rest_up = a.rest_up || a.is_constant();
      result.rest_down = a.is_constant();
      result.rational = a.is_constant();
      result.irrational_constant = true;
      break;
    }
  }
  return result;
}

/// A(1) = 1, and whether that is exact.
bool check_value_at_one(const Program& program) {
  try {
    const Rational value = expand_about<Rational>(program, 1, 1).front();
    if (value != 1) reject("A(1) is " + shown(value));
    return true;
  } catch (const Irrational&) {
    // decided by intervals, below
  }
  for (int bits = first_bits;; bits = std::min(2 * bits, last_bits)) {
    const numeric::PrecisionScope scope({bits});
    try {
      const Interval value = expand_about<Interval>(program, 1, 1).front();
      if (numeric::lower(value) > 1 || numeric::upper(value) < 1) reject("A(1) is " + shown(value));
      if (bits == last_bits) return false;
    } catch (const InvalidArgument& error) {
      if (error.argument() == "arrivals" || bits == last_bits) throw;
    }
    if (bits == first_bits) bits = last_bits / 2;  // if 192 bits do not refute it, all bits are needed
  }
}

/// Throws at the first negative coefficient; returns the index of the last one that is not zero.
std::int64_t check_signs(const std::vector<Rational>& coefficients) {
  std::int64_t last = 0;
  for (std::size_t j = 0; j < coefficients.size(); ++j) {
    if (coefficients[j] < 0)
      reject("coefficient of z^" + std::to_string(j) + " is " + shown(coefficients[j]));
    if (coefficients[j] != 0) last = static_cast<std::int64_t>(j);
  }
  return last;
}

void check_signs_by_intervals(const Program& program, std::size_t order) {
  for (int bits = first_bits;; bits *= 2) {
    bits = std::min(bits, last_bits);
    const numeric::PrecisionScope scope({bits});
    bool decided = true;
    try {
      const std::vector<Interval> coefficients = expand<Interval>(program, order);
      for (std::size_t j = 0; j < order; ++j) {
        if (numeric::upper(coefficients[j]) < 0)
          reject("coefficient of z^" + std::to_string(j) + " is " + shown(coefficients[j]));
        if (numeric::lower(coefficients[j]) < 0) decided = false;
      }
    } catch (const InvalidArgument& error) {
      if (error.argument() == "arrivals" || bits == last_bits) throw;
      decided = false;
    }
    // A value that 4096 bits cannot distinguish from zero is taken as zero (see the header).
    if (decided || bits == last_bits) return;
  }
}

}  // namespace

PgfFacts check_pgf(const Program& program) {
  PgfFacts facts;
  facts.exact = check_value_at_one(program);

  const numeric::PrecisionScope scope({first_bits});
  std::vector<Shape> shapes;
  for (const Program::Step& step : program.steps) shapes.push_back(shape_of(step, shapes));
  const Shape& whole = shapes.back();
  const bool polynomial = whole.rational && whole.bottom == 0;
  // Non-negative parts cannot cancel, so the counted degrees are the true ones.
  const bool proved = whole.non_negative();
  const bool nothing_cancels = proved && std::ranges::all_of(shapes, &Shape::rest_up);

  if (polynomial && nothing_cancels) {
    facts.all_coefficients = true;
    facts.largest_batch = static_cast<std::int64_t>(whole.top);
    return facts;
  }
  if (polynomial) {
    if (whole.top > longest_polynomial)
      throw LimitExceeded("the formula has degree " + std::to_string(static_cast<long long>(whole.top)) +
                          "; the limit is 1048576");
    const auto order = static_cast<std::size_t>(whole.top) + 1;
    ExpansionLimits limits;
    limits.products = 1e9;
    try {
      facts.largest_batch = check_signs(expand<Rational>(program, order, limits));
    } catch (const Irrational&) {
      check_signs_by_intervals(program, order);
      facts.largest_batch = static_cast<std::int64_t>(whole.top);
    }
    facts.all_coefficients = true;
    return facts;
  }
  if (whole.rational && !whole.irrational_constant && whole.top + whole.bottom <= longest_rational_test) {
    // f = P/Q; as many zeros in a row as deg Q, beyond deg P, make all later coefficients zero.
    const auto top = static_cast<std::size_t>(whole.top), bottom = static_cast<std::size_t>(whole.bottom);
    try {
      ExpansionLimits limits;
      limits.products = 1e8;
      std::vector<Rational> coefficients = expand<Rational>(program, top + bottom + 1, limits);
      if (std::all_of(coefficients.begin() + static_cast<std::ptrdiff_t>(top) + 1, coefficients.end(),
                      [](const Rational& c) { return c == 0; })) {
        facts.largest_batch = check_signs(coefficients);
        facts.all_coefficients = true;
        return facts;
      }
    } catch (const LimitExceeded&) {
      // remains undecided
    }
  }
  facts.all_coefficients = proved;
  if (proved) return facts;
  try {
    check_signs(expand<Rational>(program, coefficients_looked_at));
  } catch (const Irrational&) {
    check_signs_by_intervals(program, coefficients_looked_at);
  }
  return facts;
}

}  // namespace tailbound::series
