#pragma once

#include <tailbound/symbolic/expression.hpp>
#include <tailbound/symbolic/program.hpp>

#include <span>
#include <string>
#include <string_view>
#include <vector>

/// Probability generating functions as formulas: A(z) = E[z^A], with parameters that may stay symbols.
///
/// RESULT    factorial moments A'(1), A''(1), ..., mean and variance, exact and symbolic; limits at z = 1
///           where the formula as written reads 0/0.
/// SOURCE    derivation: docs/derivations/generating_functions.md
/// EXCLUDES  whether the coefficients are >= 0: decided numerically in series/pgf_check.hpp.
/// TESTS     tests/symbolic/pgf_test.cpp
namespace tailbound::symbolic {

class Pgf {
 public:
  /// A formula taken as a PGF in `variable`; nothing is checked here.
  explicit Pgf(Expression expression, std::string variable = "z", std::vector<std::string> assumptions = {});

  /// (1 - load/inputs + load/inputs z)^inputs: independent inputs with equal rates.
  /// \param inputs, load  numbers or formulas; 1e6 inputs cost as little as two
  /// \throws InvalidArgument  numeric inputs outside 1 .. 1 048 576 or not whole, numeric load outside
  ///                          0 .. inputs
  static Pgf equal_inputs(const Expression& inputs, const Expression& load);
  /// prod (1 - p_i + p_i z).  \throws InvalidArgument  no rates, or a numeric rate outside 0 .. 1
  static Pgf unequal_inputs(const std::vector<Expression>& rates);
  /// exp(load (z - 1)).  \throws InvalidArgument  a numeric load below 0
  static Pgf poisson(const Expression& load);
  /// sum c_j z^j; at most 65 536 of the c_j may differ from 0.
  static Pgf from_coefficients(const std::vector<numeric::Rational>& coefficients);

  [[nodiscard]] const Expression& expression() const noexcept { return expression_; }
  [[nodiscard]] const std::string& variable() const noexcept { return variable_; }
  /// Conditions on the free parameters, as text: "0 <= load <= inputs".
  [[nodiscard]] const std::vector<std::string>& assumptions() const noexcept { return assumptions_; }
  /// Symbols other than the variable, sorted.
  [[nodiscard]] std::vector<std::string> free_parameters() const;

  /// The formula as steps for the series module.
  /// \throws InvalidArgument  free parameters (the message names all)
  [[nodiscard]] Program program() const;

  /// A(1), the limit where the formula reads 0/0 there.
  [[nodiscard]] Expression value_at_one() const;
  /// A(1) = 1? `unknown` only with free parameters: A(1) - 1 is not identically zero, but may be zero for
  /// some of their values.
  [[nodiscard]] Verdict is_normalised() const;

  /// A^(n)(1) = E[A ... (A-n+1)].  \param order  n, 0 .. 16
  [[nodiscard]] Expression factorial_moment(int order) const;
  [[nodiscard]] std::vector<Expression> factorial_moments(int highest) const;  ///< orders 0 .. highest
  [[nodiscard]] Expression mean() const;
  [[nodiscard]] Expression variance() const;

 private:
  Expression expression_;
  std::string variable_;
  std::vector<std::string> assumptions_;
};

/// Reads A(z): variable z, all other names are free parameters. Checks the grammar only.
/// \throws ParseError  with line and column
[[nodiscard]] Pgf parse_pgf(std::string_view text, std::string_view source = "expression");

/// Taylor coefficients c_0 .. c_{order-1} of `expression` about variable = point, with removable
/// singularities removed.
/// METHOD   truncated Laurent series with symbolic coefficients, more terms where leading ones cancel.
/// \throws InvalidArgument  the expression has a pole there
[[nodiscard]] std::vector<Expression> taylor(const Expression& expression, std::string_view variable,
                                             const Expression& point, int order);

/// The limit at variable = point: taylor()'s first coefficient.
[[nodiscard]] Expression limit(const Expression& expression, std::string_view variable,
                               const Expression& point);

/// `expression` as steps; `variable` becomes z.
/// \throws InvalidArgument  symbols other than the variable (the message names all)
[[nodiscard]] Program to_program(const Expression& expression, std::string_view variable);

}  // namespace tailbound::symbolic
