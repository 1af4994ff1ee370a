#include <tailbound/core/error.hpp>
#include <tailbound/numeric/rational.hpp>
#include <tailbound/symbolic/expression_ginac.hpp>

#include <cln/integer.h>
#include <cln/malloc.h>
#include <cln/rational.h>
#include <pthread.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <new>
#include <set>
#include <unordered_map>

namespace tailbound::symbolic {

using GiNaC::ex;
using numeric::Integer;
using numeric::Rational;

namespace {

constexpr double term_limit = 20'000;
constexpr double factor_term_limit = 300;
constexpr double part_degree_limit = 24;

/// GiNaC distinguishes symbols by identity, this project by name: one symbol per name for the lifetime of the
/// program.
const GiNaC::symbol& interned(const std::string& name) {
  static std::map<std::string, GiNaC::symbol> symbols;
  const auto found = symbols.find(name);
  if (found != symbols.end()) return found->second;
  if (symbols.size() >= 100'000) throw LimitExceeded("more than 100000 different symbol names were used");
  return symbols.emplace(name, GiNaC::symbol(name)).first->second;
}

std::timed_mutex& algebra() {
  static std::timed_mutex mutex;
  return mutex;
}

void* taken_by_cln(std::size_t size) {
  void* const memory = std::malloc(size);
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}

thread_local int guards = 0;
thread_local bool forking = false;

/// A child begins with what another thread had half done, so the fork waits for that thread; not for long,
/// since a fork may also be the way to give up an endless computation.
void before_fork() {
  forking = guards > 0 || algebra().try_lock_for(std::chrono::milliseconds(100));
}

void after_fork() {
  if (forking && guards == 0) algebra().unlock();
}

/// The child has one thread, so nothing holds the lock but perhaps that.
void after_fork_in_child() {
  std::construct_at(&algebra());
  if (guards > 0) algebra().lock();
}

cln::cl_I to_cln(const Integer& value) {
  if (numeric::bit_length(value) < 62) return {static_cast<long>(numeric::to_int64(value))};
  std::vector<std::uint32_t> words((numeric::bit_length(value) + 31) / 32);
  std::size_t count = 0;
  mpz_export(words.data(), &count, -1, sizeof(std::uint32_t), 0, 0, value.backend().data());
  // Joined in pairs, so that the time is nearly proportional to the length; text would take its square.
  std::vector<cln::cl_I> parts(words.begin(), words.end());
  for (unsigned long width = 32; parts.size() > 1; width *= 2) {
    std::vector<cln::cl_I> joined;
    for (std::size_t i = 0; i < parts.size(); i += 2)
      joined.push_back(i + 1 < parts.size() ? parts[i] + cln::ash(parts[i + 1], cln::cl_I(width)) : parts[i]);
    parts = std::move(joined);
  }
  return value < 0 ? cln::cl_I(-parts.front()) : parts.front();
}

Integer from_cln(const cln::cl_I& value) {
  if (cln::integer_length(value) < 62) return cln::cl_I_to_long(value);
  const cln::cl_I size = cln::abs(value);
  std::vector<std::uint32_t> words((cln::integer_length(size) + 31) / 32);
  for (std::size_t i = 0; i < words.size(); ++i)
    words[i] = static_cast<std::uint32_t>(cln::cl_I_to_ulong(cln::ldb(size, cln::cl_byte(32, 32 * i))));
  Integer result;
  mpz_import(result.backend().data(), words.size(), -1, sizeof(std::uint32_t), 0, 0, words.data());
  return cln::minusp(value) ? Integer(-result) : result;
}

bool is_exponential(const ex& value) {
  return GiNaC::is_a<GiNaC::function>(value) && GiNaC::ex_to<GiNaC::function>(value).get_name() == "exp";
}

/// e as c * m with a rational c.
std::pair<GiNaC::numeric, ex> split_coefficient(const ex& term) {
  if (GiNaC::is_a<GiNaC::numeric>(term)) return {GiNaC::ex_to<GiNaC::numeric>(term), 1};
  if (GiNaC::is_a<GiNaC::mul>(term)) {
    const ex coefficient = term.op(term.nops() - 1);  // GiNaC stores the number last
    if (GiNaC::is_a<GiNaC::numeric>(coefficient))
      return {GiNaC::ex_to<GiNaC::numeric>(coefficient), term / coefficient};
  }
  return {1, term};
}

std::vector<ex> terms_of(const ex& value) {
  if (!GiNaC::is_a<GiNaC::add>(value)) return {value};
  return {value.begin(), value.end()};
}

/// The largest numerator or denominator that occurs, in bits.
double coefficient_bits(const Expression& part) {
  if (part.is_number()) return static_cast<double>(numeric::bit_size(part.number()));
  double maximum = 1;
  for (const Expression& operand : part.operands())
    if (operand.is_number())
      maximum = std::max(maximum, static_cast<double>(numeric::bit_size(operand.number())));
    else if (operand.kind() == Expression::Kind::product || operand.kind() == Expression::Kind::sum)
      maximum = std::max(maximum, coefficient_bits(operand));
  return maximum;
}

/// Replaces exp(...) and powers with symbolic exponents by symbols of their own, such that equal
/// functions become equal rational functions.
class Independent : public GiNaC::map_function {
 public:
  ex replaced(const ex& value) {
    gathering_ = true;
    (*this)(value);
    gathering_ = false;
    return (*this)(value);
  }

  ex restored(const ex& value) const { return value.subs(meaning_, GiNaC::subs_options::no_pattern); }

  ex operator()(const ex& value) override {
    if (is_exponential(value)) return powers_of(value, ex(0), normal_form(value.op(0)));
    if (GiNaC::is_a<GiNaC::power>(value) && !value.op(1).info(GiNaC::info_flags::integer))
      return powers_of(value, normal_form(value.op(0)), normal_form(value.op(1)));
    return value.map(*this);
  }

 private:
  struct Entry {
    GiNaC::numeric denominator = 1;
    ex symbol;
  };

  /// base^exponent (base 0 stands for e) as a product of integer powers of symbols, one per monomial. While
  /// collecting, the value itself: nothing may cancel yet.
  ex powers_of(const ex& value, const ex& base, const ex& exponent) {
    ex result = 1;
    for (const ex& term : terms_of(exponent.expand())) {
      const auto [coefficient, monomial] = split_coefficient(term);
      if (coefficient.is_zero()) continue;
      if (!base.is_zero() && monomial.is_equal(1) && coefficient.is_integer()) {
        result *= GiNaC::pow(base, coefficient);
        continue;
      }
      Entry& entry = entries_[GiNaC::lst{base, monomial}];
      if (gathering_) {
        entry.denominator = GiNaC::lcm(entry.denominator, coefficient.denom());
        continue;
      }
      if (entry.symbol.is_zero()) {
        entry.symbol = GiNaC::symbol();
        const ex root = monomial / entry.denominator;
        meaning_[entry.symbol] = base.is_zero() ? ex(GiNaC::exp(root)) : ex(GiNaC::pow(base, root));
      }
      result *= GiNaC::pow(entry.symbol, coefficient * entry.denominator);
    }
    return gathering_ ? value : result;
  }

  bool gathering_ = false;
  std::map<ex, Entry, GiNaC::ex_is_less> entries_;
  GiNaC::exmap meaning_;
};

/// Upper estimates of a fraction's expanded size: terms, and degree in each symbol.
struct Extent {
  double terms = 1;
  std::map<ex, double, GiNaC::ex_is_less> degrees;

  void bound() {
    double box = 1;
    for (const auto& [symbol, degree] : degrees) box *= degree + 1;
    terms = std::min(terms, box);
  }
  Extent& operator*=(const Extent& other) {
    terms *= other.terms;
    for (const auto& [symbol, degree] : other.degrees) degrees[symbol] += degree;
    bound();
    return *this;
  }
  Extent& operator+=(const Extent& other) {
    terms += other.terms;
    for (const auto& [symbol, degree] : other.degrees) degrees[symbol] = std::max(degrees[symbol], degree);
    bound();
    return *this;
  }
  void raise(double n) {
    for (auto& [symbol, degree] : degrees) degree *= n;
    // (n + terms - 1 choose n) products of n terms
    if (terms > 1) terms = std::exp(std::lgamma(n + terms) - std::lgamma(n + 1) - std::lgamma(terms));
    bound();
  }
};

struct Fraction {
  Extent numerator, denominator;
};

Fraction extent(const ex& value) {
  Fraction result;
  if (GiNaC::is_a<GiNaC::numeric>(value)) return result;
  if (GiNaC::is_a<GiNaC::add>(value)) {
    std::map<ex, Extent, GiNaC::ex_is_less> denominators;  // each once: the least common one
    std::vector<std::pair<Extent, std::set<ex, GiNaC::ex_is_less>>> parts;
    for (const ex& term : value) {
      Fraction own;
      std::set<ex, GiNaC::ex_is_less> keys;
      const ex factors = GiNaC::is_a<GiNaC::mul>(term) ? term : ex(GiNaC::lst{term});
      for (const ex& factor : factors) {
        const Fraction part = extent(factor);
        own.numerator *= part.numerator;
        if (part.denominator.terms > 1 || !part.denominator.degrees.empty()) {
          keys.insert(factor);
          denominators[factor] = part.denominator;
        }
      }
      parts.emplace_back(own.numerator, std::move(keys));
    }
    result.numerator = {0, {}};
    for (auto& [own, keys] : parts) {
      for (const auto& [key, size] : denominators)
        if (!keys.contains(key)) own *= size;
      result.numerator += own;
    }
    for (const auto& [key, size] : denominators) result.denominator *= size;
    return result;
  }
  if (GiNaC::is_a<GiNaC::mul>(value)) {
    for (const ex& factor : value) {
      const Fraction part = extent(factor);
      result.numerator *= part.numerator;
      result.denominator *= part.denominator;
    }
    return result;
  }
  if (GiNaC::is_a<GiNaC::power>(value) && value.op(1).info(GiNaC::info_flags::integer)) {
    const double n = GiNaC::ex_to<GiNaC::numeric>(value.op(1)).to_double();
    result = extent(value.op(0));
    result.numerator.raise(std::fabs(n));
    result.denominator.raise(std::fabs(n));
    if (n < 0) std::swap(result.numerator, result.denominator);
    return result;
  }
  result.numerator.degrees[value] = 1;  // a symbol, or what counts as one
  return result;
}

/// A product with each factor expanded. GiNaC's factor() groups the terms within a factor by variables in an
/// order that differs between runs of the program; expanded they are unique.
ex with_plain_factors(const ex& product) {
  if (GiNaC::is_a<GiNaC::mul>(product)) {
    ex result = 1;
    for (const ex& factor : product) result *= with_plain_factors(factor);
    return result;
  }
  if (GiNaC::is_a<GiNaC::power>(product) && GiNaC::is_a<GiNaC::numeric>(product.op(1)))
    return GiNaC::pow(product.op(0).expand(), product.op(1));
  return product.expand();
}

/// The highest power of a symbol after expansion; an upper estimate.
double degree_of(const ex& polynomial) {
  double maximum = 0;
  for (const auto& [symbol, degree] : extent(polynomial).numerator.degrees)
    maximum = std::max(maximum, degree);
  return maximum;
}

/// p factored; checked, since factoring is the most delicate of GiNaC's steps.
ex taken_apart(const ex& polynomial) {
  const ex expanded = polynomial.expand();
  if (static_cast<double>(expanded.nops()) > factor_term_limit) return polynomial;
  const ex result = with_plain_factors(GiNaC::factor(expanded));
  return (result.expand() - expanded).expand().is_zero() ? result : polynomial;
}

/// c or c^n without the n
ex base_of(const ex& factor) {
  const bool is_power = GiNaC::is_a<GiNaC::power>(factor) && factor.op(1).info(GiNaC::info_flags::posint);
  return is_power ? factor.op(0) : factor;
}

/// Factors one of p's existing factors, except those of high degree, which take GiNaC a second each.
ex factored_part(const ex& part) {
  const ex base = base_of(part);
  if (degree_of(base) > part_degree_limit) return part;
  return base.is_equal(part) ? taken_apart(part) : ex(GiNaC::pow(taken_apart(base), part.op(1)));
}

/// p factored, if that is cheap. Existing products and powers are not expanded for it: (z + 399)^200 took a
/// sixth of a second.
ex factored(const ex& polynomial) {
  if (!GiNaC::is_a<GiNaC::mul>(polynomial))
    return base_of(polynomial).is_equal(polynomial) ? taken_apart(polynomial) : factored_part(polynomial);
  double degrees = 0;
  for (const ex& factor : polynomial) degrees += degree_of(base_of(factor));
  if (degrees > factor_term_limit) return polynomial;
  ex result = 1;
  for (const ex& factor : polynomial) result *= factored_part(factor);
  return result;
}

}  // namespace

AlgebraGuard::AlgebraGuard() {
  static const bool prepared = [] {
    cln::malloc_hook = taken_by_cln;
    return pthread_atfork(before_fork, after_fork, after_fork_in_child) == 0;
  }();
  if (!prepared) throw std::bad_alloc();
  if (guards == 0) algebra().lock();
  ++guards;
}

AlgebraGuard::~AlgebraGuard() {
  if (--guards == 0) algebra().unlock();
}

GiNaC::numeric to_ginac(const Rational& value) {
  const cln::cl_I above = to_cln(numeric::numerator(value));
  return GiNaC::numeric(cln::cl_N(numeric::is_integer(value)
                                      ? cln::cl_RA(above)
                                      : above / cln::cl_RA(to_cln(numeric::denominator(value)))));
}

Rational to_rational(const GiNaC::numeric& value) {
  const auto number = cln::the<cln::cl_RA>(value.to_cl_N());
  return Rational(from_cln(cln::numerator(number)), from_cln(cln::denominator(number)));
}

double expanded_terms(const ex& value) {
  const Fraction size = extent(value);
  return std::max(size.numerator.terms, size.denominator.terms);
}

ex normal_form(const ex& value) {
  if (GiNaC::is_a<GiNaC::numeric>(value) || GiNaC::is_a<GiNaC::symbol>(value)) return value;
  Independent independent;
  const ex rational = independent.replaced(value);
  const double terms = expanded_terms(rational);
  if (!(terms <= term_limit))
    throw LimitExceeded("the formula would have about " +
                        std::to_string(static_cast<long long>(std::min(terms, 9e18))) +
                        " terms when expanded; the limit is " + std::to_string(static_cast<int>(term_limit)));
  return independent.restored(rational.normal());
}

ex to_ginac(const Expression& expression) {
  std::unordered_map<const void*, ex> done;
  const std::function<ex(const Expression&)> visit = [&](const Expression& part) -> ex {
    if (part.is_number()) return to_ginac(part.number());
    if (part.kind() == Expression::Kind::symbol) return interned(part.name());
    if (const auto found = done.find(part.identity()); found != done.end()) return found->second;
    GiNaC::exvector operands;
    for (const Expression& operand : part.operands()) operands.push_back(visit(operand));
    ex result;
    switch (part.kind()) {
      case Expression::Kind::sum:
        result = GiNaC::add(operands);
        break;
      case Expression::Kind::product:
        result = GiNaC::mul(operands);
        break;
      case Expression::Kind::power:
        // GiNaC extracts the content of the base and raises it immediately.
        if (GiNaC::is_a<GiNaC::numeric>(operands[1])) {
          const double exponent = GiNaC::ex_to<GiNaC::numeric>(operands[1]).to_double();
          const double bits = coefficient_bits(part.operands()[0]) * std::fabs(exponent);
          if (bits > static_cast<double>(Expression::number_bits_limit))
            throw LimitExceeded("a power in the formula would have numbers of about " +
                                std::to_string(static_cast<long long>(bits)) +
                                " bits when expanded; the limit is " +
                                std::to_string(Expression::number_bits_limit));
        }
        result = GiNaC::pow(operands[0], operands[1]);
        break;
      default:
        result = GiNaC::exp(operands[0]);
        break;
    }
    done.emplace(part.identity(), result);
    return result;
  };
  try {
    return visit(expression);
  } catch (const GiNaC::pole_error&) {
    throw InvalidArgument("divisor", "0", "other than zero");
  }
}

namespace {

/// Sort key of a term: degree, then text.
std::pair<double, std::string> term_key(const Expression& term) {
  const std::function<double(const Expression&)> degree = [&](const Expression& part) -> double {
    switch (part.kind()) {
      case Expression::Kind::number:
        return 0;
      case Expression::Kind::symbol:
        return 1;
      case Expression::Kind::power:
        if (part.operands()[1].is_number())
          return degree(part.operands()[0]) * numeric::nearest_double(part.operands()[1].number());
        return 1;
      case Expression::Kind::product: {
        double total = 0;
        for (const Expression& operand : part.operands()) total += degree(operand);
        return total;
      }
      default:
        return 1;
    }
  };
  const bool scaled = term.kind() == Expression::Kind::product && term.operands()[0].is_number();
  const Expression bare = scaled ? product({term.operands().begin() + 1, term.operands().end()}) : term;
  return {degree(term), bare.text()};
}

bool is_odd(const Rational& exponent) {
  return numeric::mod(numeric::numerator(exponent), 2) == 1;
}

bool is_negative(const Expression& term) {
  if (term.is_number()) return term.number() < 0;
  return term.kind() == Expression::Kind::product && term.operands()[0].is_number() &&
         term.operands()[0].number() < 0;
}

template <class Key>
void sort_by(std::vector<Expression>& parts, Key key) {
  std::vector<std::pair<decltype(key(parts[0])), Expression>> keyed;
  for (const Expression& part : parts) keyed.emplace_back(key(part), part);
  std::stable_sort(keyed.begin(), keyed.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  for (std::size_t i = 0; i < parts.size(); ++i) parts[i] = keyed[i].second;
}

}  // namespace

Expression from_ginac(const ex& value) {
  if (GiNaC::is_a<GiNaC::numeric>(value)) {
    const auto& number = GiNaC::ex_to<GiNaC::numeric>(value);
    if (!number.is_rational()) throw InvalidArgument("number", "not rational", "a rational number");
    return to_rational(number);
  }
  if (GiNaC::is_a<GiNaC::symbol>(value))
    return Expression::symbol(GiNaC::ex_to<GiNaC::symbol>(value).get_name());
  std::vector<Expression> parts;
  for (const ex& part : value) parts.push_back(from_ginac(part));
  if (GiNaC::is_a<GiNaC::add>(value)) {
    sort_by(parts, term_key);
    return sum(std::move(parts));
  }
  if (GiNaC::is_a<GiNaC::mul>(value)) {
    int sign = 1;
    for (Expression& part : parts) {
      const bool odd_power = part.kind() == Expression::Kind::power && part.operands()[1].is_number();
      const Expression base = odd_power ? part.operands()[0] : part;
      if (base.kind() != Expression::Kind::sum || !is_negative(base.operands()[0])) continue;
      const Expression exponent = odd_power ? part.operands()[1] : Expression(1);
      part = pow(-base, exponent);
      if (is_odd(exponent.number())) sign = -sign;
    }
    sort_by(parts, [](const Expression& part) {
      return std::pair(part.kind() == Expression::Kind::sum || part.kind() == Expression::Kind::power,
                       part.text());
    });
    parts.push_back(sign);
    return product(std::move(parts));
  }
  if (GiNaC::is_a<GiNaC::power>(value)) {
    // (a - b)^even as (b - a)^even where that reads better
    if (parts[0].kind() == Expression::Kind::sum && is_negative(parts[0].operands()[0]) &&
        parts[1].is_number() && !is_odd(parts[1].number()))
      return pow(-parts[0], parts[1]);
    return pow(parts[0], parts[1]);
  }
  if (is_exponential(value)) return exp(parts[0]);
  throw InvalidArgument("formula", "not rational in exp and powers", "built of + - * / ^ and exp");
}

Expression Expression::derivative(std::string_view name) const {
  const AlgebraGuard guard;
  return from_ginac(to_ginac(*this).diff(interned(std::string(name))));
}

Expression Expression::simplified() const {
  if (is_number() || kind() == Kind::symbol) return *this;
  const AlgebraGuard guard;
  try {
    Independent independent;
    const ex rational = independent.replaced(to_ginac(*this));
    const double terms = expanded_terms(rational);
    if (!(terms <= term_limit))
      throw LimitExceeded("the formula is too large to simplify: about " +
                          std::to_string(static_cast<long long>(std::min(terms, 9e18))) +
                          " terms when expanded; the limit is " +
                          std::to_string(static_cast<int>(term_limit)));
    const ex parts = rational.normal().numer_denom();
    // GiNaC names fresh symbols itself, so they are replaced before the conversion back.
    return from_ginac(independent.restored(factored(parts.op(0)) / factored(parts.op(1))));
  } catch (const GiNaC::pole_error&) {
    throw InvalidArgument("divisor", "0", "other than zero");
  } catch (const std::overflow_error&) {  // what normal() throws for 1/(p - p)
    throw InvalidArgument("divisor", "0", "other than zero");
  }
}

bool Expression::equals(const Expression& other) const {
  if (identity() == other.identity()) return true;
  if (is_number() && other.is_number()) return number() == other.number();
  const AlgebraGuard guard;
  try {
    return normal_form(to_ginac(*this) - to_ginac(other)).is_zero();
  } catch (const GiNaC::pole_error&) {
    throw InvalidArgument("divisor", "0", "other than zero");
  } catch (const std::overflow_error&) {
    throw InvalidArgument("divisor", "0", "other than zero");
  }
}

}  // namespace tailbound::symbolic
