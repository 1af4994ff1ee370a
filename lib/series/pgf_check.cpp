#include <tailbound/series/expand.hpp>
#include <tailbound/series/formulas/certified_series.hpp>
#include <tailbound/series/formulas/shape.hpp>
#include <tailbound/series/pgf_check.hpp>

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

namespace tailbound::series {

using numeric::Interval;
using numeric::Rational;
using symbolic::Program;

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

/// \return  whether the closed form decides the facts as far as they can be decided
bool check_closed_form(const Program& program, bool proved, PgfFacts& facts) {
  const auto form = closed_form(program);
  if (!form) return false;
  if (form->is_rational() && !form->terms.empty()) {
    const RationalFunction& quotient = form->terms.front().factor;
    const numeric::Integer& divisor = quotient.denominator.front();
    if (quotient.is_polynomial()) {
      std::vector<Rational> coefficients;
      for (const numeric::Integer& c : quotient.numerator) coefficients.push_back(Rational(c) / divisor);
      facts.largest_batch = check_signs(coefficients);
      facts.all_coefficients = true;
      return true;
    }
    constexpr std::size_t moderate_bits = 2'000;
    if (!proved && (divisor == 0 || numeric::bit_length(divisor) > moderate_bits)) return false;
    if (!proved)
      if (const auto negative = first_negative(quotient, coefficients_looked_at))
        reject("coefficient of z^" + std::to_string(*negative) + " is " +
               shown(expand<Rational>(program, *negative + 1).back()));
  } else if (!proved) {
    for (int bits = first_bits; bits <= last_bits; bits = bits == last_bits ? bits + 1 : last_bits) {
      const numeric::PrecisionScope scope({bits + 64});
      auto series = CertifiedSeries::of(*form, bits);
      if (!series) return false;
      series->extend(coefficients_looked_at);
      const std::vector<Interval> coefficients = series->intervals(coefficients_looked_at);
      for (std::size_t j = 0; j < coefficients.size(); ++j)
        if (numeric::upper(coefficients[j]) < 0)
          reject("coefficient of z^" + std::to_string(j) + " is " + shown(coefficients[j]));
      // A value that 4096 bits cannot distinguish from zero is taken as zero (see the header).
      if (std::ranges::all_of(coefficients, [](const Interval& c) { return numeric::lower(c) >= 0; })) break;
    }
  }
  facts.all_coefficients = proved;
  return true;
}

}  // namespace

PgfFacts check_pgf(const Program& program) {
  PgfFacts facts;
  facts.exact = check_value_at_one(program);

  const numeric::PrecisionScope scope({first_bits});
  const std::vector<Shape> shapes = shapes_of(program);
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
  if (check_closed_form(program, proved, facts)) return facts;
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
