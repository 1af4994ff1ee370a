#include <tailbound/core/error.hpp>
#include <tailbound/numeric/rational.hpp>
#include <tailbound/symbolic/expression.hpp>
#include <tailbound/symbolic/print.hpp>

#include <algorithm>
#include <cctype>
#include <functional>
#include <limits>
#include <map>
#include <set>
#include <unordered_map>
#include <unordered_set>

namespace tailbound::symbolic {

using numeric::Rational;

struct Expression::Node {
  Kind kind = Kind::number;
  Rational number = 0;
  std::string name;
  std::vector<Expression> operands;
  std::size_t depth = 1, size = 1;
};

namespace {

using Node = Expression::Node;
using Kind = Expression::Kind;

Expression make_number(const Rational& value) {
  auto node = std::make_shared<Node>();
  node->number = value;
  return Expression(std::move(node));
}

Expression make_node(Kind kind, std::vector<Expression> operands) {
  auto node = std::make_shared<Node>();
  node->kind = kind;
  for (const Expression& operand : operands) {
    node->depth = std::max(node->depth, operand.depth() + 1);
    node->size += operand.size();
  }
  if (node->depth > Expression::depth_limit)
    throw LimitExceeded("the formula is nested more than " + std::to_string(Expression::depth_limit) +
                        " deep");
  if (node->size > Expression::size_limit)
    throw LimitExceeded("the formula has more than " + std::to_string(Expression::size_limit) +
                        " operands when written without sharing");
  node->operands = std::move(operands);
  return Expression(std::move(node));
}

void require_bits(double bits) {
  if (bits > static_cast<double>(Expression::number_bits_limit))
    throw LimitExceeded("a number in the formula would have about " +
                        std::to_string(static_cast<long long>(std::min(bits, 9e18))) +
                        " bits; the limit is " + std::to_string(Expression::number_bits_limit));
}

double bits_of(const Rational& value) {
  return static_cast<double>(numeric::bit_size(value));
}

Rational checked_sum(const Rational& a, const Rational& b) {
  require_bits(bits_of(a) + bits_of(b));
  return a + b;
}

Rational checked_product(const Rational& a, const Rational& b) {
  require_bits(bits_of(a) + bits_of(b));
  return a * b;
}

Rational integer_power(const Rational& base, long exponent) {
  if (base == 0 && exponent < 0) throw InvalidArgument("divisor", "0", "other than zero");
  if (base != 0 && base != 1 && base != -1)
    require_bits(bits_of(base) * static_cast<double>(std::labs(exponent)));
  return numeric::pow(base, exponent);
}

/// Base and integer exponent of a power of a symbol; exponent 0 if `factor` is not of this form.
std::pair<Expression, long> symbol_power(const Expression& factor) {
  if (factor.kind() == Kind::symbol) return {factor, 1};
  if (factor.kind() == Kind::power && factor.operands()[0].kind() == Kind::symbol &&
      factor.operands()[1].is_number())
    return {factor.operands()[0], numeric::to_int64(numeric::numerator(factor.operands()[1].number()))};
  return {factor, 0};
}

}  // namespace

Expression::Expression() : Expression(make_number(0)) {}
Expression::Expression(int value) : Expression(make_number(value)) {}
Expression::Expression(long value) : Expression(make_number(value)) {}
Expression::Expression(const numeric::Rational& value) : Expression(make_number(value)) {}
Expression::Expression(const numeric::Integer& value) : Expression(make_number(value)) {}

Expression Expression::symbol(std::string_view name) {
  const auto letter = [](char c) { return std::isalpha(static_cast<unsigned char>(c)) != 0; };
  const auto legal = [&](char c) { return letter(c) || (c >= '0' && c <= '9') || c == '_'; };
  if (name.empty() || name.size() > 64 || !letter(name.front()) || !std::ranges::all_of(name, legal) ||
      name == "exp")
    throw InvalidArgument("symbol name", "'" + std::string(name.substr(0, 80)) + "'",
                          "a letter, then letters, digits or '_', at most 64 characters, not exp");
  auto node = std::make_shared<Node>();
  node->kind = Kind::symbol;
  node->name = name;
  return Expression(std::move(node));
}

Expression::Kind Expression::kind() const noexcept {
  return node_->kind;
}
const Rational& Expression::number() const {
  return node_->number;
}
const std::string& Expression::name() const {
  return node_->name;
}
std::span<const Expression> Expression::operands() const noexcept {
  return node_->operands;
}
std::size_t Expression::depth() const noexcept {
  return node_->depth;
}
std::size_t Expression::size() const noexcept {
  return node_->size;
}

std::optional<Rational> Expression::as_rational() const {
  return is_number() ? std::optional(node_->number) : std::nullopt;
}

std::vector<std::string> Expression::free_symbols() const {
  std::set<std::string> names;
  std::unordered_set<const void*> seen;
  const std::function<void(const Expression&)> visit = [&](const Expression& part) {
    if (!seen.insert(part.identity()).second) return;
    if (part.kind() == Kind::symbol) names.insert(part.name());
    for (const Expression& operand : part.operands()) visit(operand);
  };
  visit(*this);
  return {names.begin(), names.end()};
}

bool Expression::depends_on(std::string_view wanted) const {
  const auto names = free_symbols();
  return std::ranges::find(names, wanted) != names.end();
}

Expression Expression::substitute(std::string_view wanted, const Expression& replacement) const {
  std::unordered_map<const void*, Expression> done;
  const std::function<Expression(const Expression&)> visit = [&](const Expression& part) -> Expression {
    if (part.kind() == Kind::symbol) return part.name() == wanted ? replacement : part;
    if (part.is_number()) return part;
    if (const auto found = done.find(part.identity()); found != done.end()) return found->second;
    std::vector<Expression> operands;
    for (const Expression& operand : part.operands()) operands.push_back(visit(operand));
    Expression result;
    switch (part.kind()) {
      case Kind::sum:
        result = sum(std::move(operands));
        break;
      case Kind::product:
        result = product(std::move(operands));
        break;
      case Kind::power:
        result = pow(operands[0], operands[1]);
        break;
      default:
        result = exp(operands[0]);
        break;
    }
    done.emplace(part.identity(), result);
    return result;
  };
  return visit(*this);
}

std::string Expression::text() const {
  return print(*this, Language::text);
}

Expression sum(std::vector<Expression> terms) {
  std::vector<Expression> flat;
  std::optional<std::size_t> number_at;
  Rational number = 0;
  const auto take = [&](const Expression& term) {
    if (term.is_number()) {
      if (!number_at) {
        number_at = flat.size();
        flat.push_back(term);
      }
      number = checked_sum(number, term.number());
    } else
      flat.push_back(term);
  };
  for (const Expression& term : terms)
    if (term.kind() == Kind::sum)
      for (const Expression& inner : term.operands()) take(inner);
    else
      take(term);
  if (number_at) {
    if (number == 0)
      flat.erase(flat.begin() + static_cast<std::ptrdiff_t>(*number_at));
    else
      flat[*number_at] = number;
  }
  if (flat.empty()) return 0;
  if (flat.size() == 1) return flat.front();
  return make_node(Kind::sum, std::move(flat));
}

Expression product(std::vector<Expression> factors) {
  Rational number = 1;
  std::vector<Expression> flat, exponents;                      // exponents: arguments of the exp factors
  std::map<std::string, std::pair<std::size_t, long>> symbols;  // index in `flat`, exponent so far
  std::optional<std::size_t> exponential_at;
  const auto take = [&](const Expression& factor) {
    if (factor.is_number()) {
      number = checked_product(number, factor.number());
    } else if (factor.kind() == Kind::exponential) {
      if (!exponential_at) {
        exponential_at = flat.size();
        flat.push_back(factor);
      }
      exponents.push_back(factor.operands()[0]);
    } else if (const auto [base, exponent] = symbol_power(factor); exponent != 0) {
      const auto [place, fresh] = symbols.try_emplace(base.name(), flat.size(), exponent);
      if (fresh)
        flat.push_back(factor);
      else
        place->second.second += exponent;
    } else
      flat.push_back(factor);
  };
  for (const Expression& factor : factors)
    if (factor.kind() == Kind::product)
      for (const Expression& inner : factor.operands()) take(inner);
    else
      take(factor);
  if (number == 0) return 0;
  for (const auto& [name, power] : symbols) flat[power.first] = pow(Expression::symbol(name), power.second);
  if (exponents.size() > 1) flat[*exponential_at] = exp(sum(std::move(exponents)));
  std::erase_if(flat, [](const Expression& factor) { return factor.is_number(); });  // s^0, exp(0)
  if (number != 1 || flat.empty()) flat.insert(flat.begin(), Expression(number));
  if (flat.size() == 1) return flat.front();
  return make_node(Kind::product, std::move(flat));
}

Expression operator+(const Expression& a, const Expression& b) {
  return sum({a, b});
}
Expression operator-(const Expression& a, const Expression& b) {
  return sum({a, -b});
}
Expression operator*(const Expression& a, const Expression& b) {
  return product({a, b});
}
Expression operator/(const Expression& a, const Expression& b) {
  return product({a, pow(b, -1)});
}

Expression operator-(const Expression& a) {
  if (a.kind() != Kind::sum) return product({-1, a});
  std::vector<Expression> terms;
  for (const Expression& term : a.operands()) terms.push_back(-term);
  return sum(std::move(terms));
}

Expression pow(const Expression& base, const Expression& exponent) {
  if (base.kind() == Kind::exponential) return exp(base.operands()[0] * exponent);
  if (!exponent.is_number()) {
    if (base.is_number() && base.number() == 1) return 1;
    return make_node(Kind::power, {base, exponent});
  }
  const Rational& value = exponent.number();
  if (!numeric::is_integer(value))
    throw InvalidArgument("exponent", numeric::to_fraction(value), "a whole number or a symbol");
  if (numeric::abs(value) > Expression::exponent_limit)
    throw InvalidArgument(
        "exponent",
        numeric::bit_length(numeric::numerator(value)) > 200 ? "too large" : numeric::to_fraction(value),
        "between -" + std::to_string(Expression::exponent_limit) + " and " +
            std::to_string(Expression::exponent_limit));
  const long power = numeric::to_int64(numeric::numerator(value));
  if (power == 0) return 1;
  if (power == 1) return base;
  if (base.is_number()) return integer_power(base.number(), power);
  if (base.kind() == Kind::power) return pow(base.operands()[0], base.operands()[1] * exponent);
  if (base.kind() == Kind::product) {
    // Factor by factor, so that the printed form reads back as the same form.
    std::vector<Expression> factors;
    for (const Expression& factor : base.operands()) factors.push_back(pow(factor, exponent));
    return product(std::move(factors));
  }
  return make_node(Kind::power, {base, exponent});
}

Expression exp(const Expression& argument) {
  if (argument.is_number() && argument.number() == 0) return 1;
  return make_node(Kind::exponential, {argument});
}

}  // namespace tailbound::symbolic
