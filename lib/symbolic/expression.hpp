#pragma once

#include <tailbound/numeric/rational.hpp>

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

/// Formulas with exact numbers and named symbols. The algebra (normal form, derivative, limits) is GiNaC's,
/// behind this header; the formula itself is kept as built, so (1 - p + p z)^1000000 is never expanded.
///
/// EXCLUDES  numeric exponents that are not integers; functions other than exp.
/// May be used by several threads. The algebra (simplified(), derivative(), equality, limits) runs on one of
/// them at a time, because GiNaC must: the others wait.
namespace tailbound::symbolic {

/// Answer that free parameters may leave open.
enum class Verdict { no, yes, unknown };

/// An immutable formula; copying is cheap (shared).
class Expression {
 public:
  enum class Kind {
    number,       ///< exact rational
    symbol,       ///< a name
    sum,          ///< of two or more operands
    product,      ///< of two or more operands; a numeric factor comes first
    power,        ///< operands: base, exponent (an integer, or a formula that is not a number)
    exponential,  ///< exp(operand)
  };

  /// Deeper or larger formulas throw LimitExceeded.
  static constexpr std::size_t depth_limit = 1'000;
  static constexpr std::size_t size_limit = 4'000'000;  ///< steps if written out without sharing
  static constexpr std::size_t number_bits_limit = 1'000'000;
  static constexpr long exponent_limit = 1'048'576;

  Expression();  ///< 0
  // Numbers are formulas: 1 - load / inputs should read as on paper.
  Expression(int value);                       // NOLINT(google-explicit-constructor)
  Expression(long value);                      // NOLINT(google-explicit-constructor)
  Expression(const numeric::Rational& value);  // NOLINT(google-explicit-constructor)
  Expression(const numeric::Integer& value);   // NOLINT(google-explicit-constructor)

  /// Symbols with the same name are the same symbol.
  /// \param name  a letter, then letters, digits or '_'; at most 64 characters
  static Expression symbol(std::string_view name);

  [[nodiscard]] Kind kind() const noexcept;
  [[nodiscard]] const numeric::Rational& number() const;  ///< of Kind::number
  [[nodiscard]] const std::string& name() const;          ///< of Kind::symbol
  [[nodiscard]] std::span<const Expression> operands() const noexcept;
  /// Equal for copies that share their formula: a key for traversals that visit shared parts once.
  [[nodiscard]] const void* identity() const noexcept { return node_.get(); }
  [[nodiscard]] std::size_t depth() const noexcept;
  [[nodiscard]] std::size_t size() const noexcept;

  [[nodiscard]] bool is_number() const noexcept { return kind() == Kind::number; }
  /// The value, if the formula is a literal number (simplified() finds others).
  [[nodiscard]] std::optional<numeric::Rational> as_rational() const;

  /// Names of the symbols, sorted, each once.
  [[nodiscard]] std::vector<std::string> free_symbols() const;
  [[nodiscard]] bool depends_on(std::string_view name) const;

  /// Replaces every occurrence of the symbol.
  /// \throws InvalidArgument  the replacement divides by zero or makes an exponent a fraction
  [[nodiscard]] Expression substitute(std::string_view name, const Expression& replacement) const;
  [[nodiscard]] Expression derivative(std::string_view name) const;
  /// One fraction in lowest terms, numerator and denominator factored over the rationals.
  /// \throws LimitExceeded  the normal form could be too large
  [[nodiscard]] Expression simplified() const;
  /// True if both have the same normal form. This decides equality as functions of the symbols, with exp and
  /// symbolic powers too.
  [[nodiscard]] bool equals(const Expression& other) const;
  [[nodiscard]] bool is_zero() const { return equals(Expression()); }

  /// As it would be typed: "(1-rho)*(z-1)/(z-A)".
  [[nodiscard]] std::string text() const;

  friend Expression operator+(const Expression& a, const Expression& b);
  friend Expression operator-(const Expression& a, const Expression& b);
  friend Expression operator*(const Expression& a, const Expression& b);
  /// \throws InvalidArgument  division by the number zero
  friend Expression operator/(const Expression& a, const Expression& b);
  friend Expression operator-(const Expression& a);

  struct Node;
  explicit Expression(std::shared_ptr<const Node> node) noexcept : node_(std::move(node)) {}

 private:
  std::shared_ptr<const Node> node_;
};

[[nodiscard]] Expression sum(std::vector<Expression> terms);
[[nodiscard]] Expression product(std::vector<Expression> factors);

/// \throws InvalidArgument  a numeric exponent that is not an integer or beyond the exponent limit; 0^-1
/// \throws LimitExceeded    a number of more than a million bits; decided before it is computed
[[nodiscard]] Expression pow(const Expression& base, const Expression& exponent);
[[nodiscard]] Expression exp(const Expression& argument);

/// Reads a formula: numbers ("0.9", "1e-3", exact), names, + - * / ^ ( ) exp( ), unary minus. ^ binds tighter
/// than unary minus and groups to the right. "2z" is rejected: write 2*z.
///
/// Limits: 65 536 characters, 10 000 operands, nesting 200, and those of Expression.
/// \param source  name of the text in errors ("--arrivals")
/// \throws ParseError  with line and column
[[nodiscard]] Expression parse_expression(std::string_view text, std::string_view source = "expression");

}  // namespace tailbound::symbolic
