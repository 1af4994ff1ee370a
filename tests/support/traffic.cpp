#include <cmath>
#include <limits>
#include <numeric>
#include <stdexcept>
#include <tests/support/traffic.hpp>

namespace tailbound::test {
namespace {

using boost::multiprecision::denominator;
using boost::multiprecision::numerator;

/// Common denominator of all values.
Whole common_denominator(const std::vector<Fraction>& values) {
  Whole result = 1;
  for (const Fraction& value : values) result = boost::multiprecision::lcm(result, denominator(value));
  return result;
}

void trim(std::vector<Whole>& values) {
  while (values.size() > 1 && values.back() == 0) values.pop_back();
}

/// log A(e^t).
double log_transform(const Traffic& traffic, double t) {
  const double z = std::exp(t);
  switch (traffic.kind) {
    case Traffic::Kind::equal: {
      const double rate = static_cast<double>(traffic.load) / static_cast<double>(traffic.inputs);
      return static_cast<double>(traffic.inputs) * std::log1p(rate * std::expm1(t));
    }
    case Traffic::Kind::unequal: {
      double sum = 0;
      for (const Fraction& rate : traffic.values)
        sum += std::log1p(static_cast<double>(rate) * std::expm1(t));
      return sum;
    }
    case Traffic::Kind::poisson:
      return static_cast<double>(traffic.load) * (z - 1);
    case Traffic::Kind::pmf:
      break;
  }
  double sum = 0;
  for (std::size_t j = 0; j < traffic.values.size(); ++j)
    sum += static_cast<double>(traffic.values[j]) * std::expm1(static_cast<double>(j) * t);
  return std::log1p(sum);
}

}  // namespace

Traffic Traffic::equal(std::int64_t inputs, const Fraction& load) {
  return {.kind = Kind::equal, .inputs = inputs, .load = load, .values = {}};
}
Traffic Traffic::unequal(std::vector<Fraction> rates) {
  return {.kind = Kind::unequal, .inputs = 0, .load = 0, .values = std::move(rates)};
}
Traffic Traffic::poisson(const Fraction& load) {
  return {.kind = Kind::poisson, .inputs = 0, .load = load, .values = {}};
}
Traffic Traffic::pmf(std::vector<Fraction> probabilities) {
  return {.kind = Kind::pmf, .inputs = 0, .load = 0, .values = std::move(probabilities)};
}

series::Arrivals Traffic::arrivals() const {
  std::vector<numeric::Rational> list;
  for (const Fraction& value : values) list.push_back(to_rational(value));
  switch (kind) {
    case Kind::equal:
      return series::Arrivals::equal_inputs(inputs, to_rational(load));
    case Kind::unequal:
      return series::Arrivals::unequal_inputs(std::move(list));
    case Kind::poisson:
      return series::Arrivals::poisson(to_rational(load));
    case Kind::pmf:
      break;
  }
  return series::Arrivals::from_pmf(std::move(list));
}

Fraction Traffic::mean() const {
  Fraction sum = load;
  for (std::size_t j = 0; j < values.size(); ++j)
    sum += kind == Kind::pmf ? Fraction(values[j] * j) : values[j];
  return sum;
}

std::string Traffic::text() const {
  std::string text;
  switch (kind) {
    case Kind::equal:
      return "inputs " + std::to_string(inputs) + " load " + load.str();
    case Kind::poisson:
      return "poisson load " + load.str();
    case Kind::unequal:
      text = "rates";
      break;
    case Kind::pmf:
      text = "pmf";
      break;
  }
  for (const Fraction& value : values) text += " " + value.str();
  return text;
}

IntegerPmf integer_pmf(const Traffic& traffic) {
  IntegerPmf result;
  switch (traffic.kind) {
    case Traffic::Kind::equal: {
      const Fraction rate = traffic.load / traffic.inputs;
      const Whole yes = numerator(rate), all = denominator(rate), no = all - yes;
      const auto k = static_cast<unsigned>(traffic.inputs);
      Whole binomial = 1;
      for (unsigned j = 0; j <= k; ++j) {
        result.numerators.push_back(binomial * boost::multiprecision::pow(yes, j) *
                                    boost::multiprecision::pow(no, k - j));
        binomial = quotient(binomial * (k - j), j + 1);
      }
      result.denominator = boost::multiprecision::pow(all, k);
      break;
    }
    case Traffic::Kind::unequal: {
      result.numerators = {Whole(1)};
      result.denominator = 1;
      for (const Fraction& rate : traffic.values) {
        const Whole yes = numerator(rate), all = denominator(rate), no = all - yes;
        result.numerators.push_back(0);
        for (std::size_t j = result.numerators.size(); j-- > 0;)
          result.numerators[j] =
              result.numerators[j] * no + (j == 0 ? Whole(0) : Whole(result.numerators[j - 1] * yes));
        result.denominator *= all;
      }
      break;
    }
    case Traffic::Kind::pmf: {
      result.denominator = common_denominator(traffic.values);
      for (const Fraction& value : traffic.values)
        result.numerators.push_back(numerator(value) * quotient(result.denominator, denominator(value)));
      break;
    }
    case Traffic::Kind::poisson:
      throw std::logic_error("Poisson probabilities are irrational");
  }
  trim(result.numerators);
  return result;
}

std::vector<Fraction> fraction_pmf(const Traffic& traffic) {
  const IntegerPmf pmf = integer_pmf(traffic);
  std::vector<Fraction> result;
  for (const Whole& value : pmf.numerators) result.emplace_back(value, pmf.denominator);
  return result;
}

std::vector<Whole> fixed_point_pmf(const Traffic& traffic, std::int64_t last, unsigned bits) {
  std::vector<Whole> result;
  if (traffic.kind != Traffic::Kind::poisson) {
    const IntegerPmf pmf = integer_pmf(traffic);
    for (std::size_t j = 0; j < pmf.numerators.size() && static_cast<std::int64_t>(j) <= last; ++j)
      result.push_back(quotient(pmf.numerators[j] << bits, pmf.denominator));
    trim(result);
    return result;
  }
  // exp(-load) in MPFR with 64 bits to spare; then load/j more each, exact up to one unit of 2^-(bits+64).
  mpfr_t value;
  mpfr_init2(value, static_cast<mpfr_prec_t>(bits) + 64);
  const Fraction negative = -traffic.load;
  mpfr_set_q(value, negative.backend().data(), MPFR_RNDN);
  mpfr_exp(value, value, MPFR_RNDN);
  mpfr_mul_2ui(value, value, bits + 64, MPFR_RNDN);
  Whole term;
  mpfr_get_z(term.backend().data(), value, MPFR_RNDN);
  mpfr_clear(value);
  for (std::int64_t j = 0; j <= last && (term >> 64) != 0; ++j) {
    result.push_back(term >> 64);
    term = quotient(term * numerator(traffic.load), denominator(traffic.load) * (j + 1));
  }
  return result;
}

double rough_decay_root(const Traffic& traffic, int served) {
  const auto excess = [&](double t) { return log_transform(traffic, t) - served * t; };
  double high = 1e-9;
  while (!(excess(high) > 0)) {
    high *= 2;
    if (high > 600) return std::numeric_limits<double>::infinity();
  }
  double low = high / 2;
  for (int i = 0; i < 60; ++i) (excess((low + high) / 2) > 0 ? high : low) = (low + high) / 2;
  return std::exp(low);
}

}  // namespace tailbound::test
