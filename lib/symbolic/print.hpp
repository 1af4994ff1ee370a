#pragma once

#include <tailbound/symbolic/expression.hpp>

#include <array>
#include <span>
#include <string>
#include <string_view>
#include <vector>

/// Formulas in the syntax of other programs, with exact fractions.
///
/// A name that the target reserves (D and I in Maple, I and Pi in PARI/GP, double in C, ...) gets an
/// underscore appended; spelled-out Greek names become letters in LaTeX. See reserved_names().
namespace tailbound::symbolic {

enum class Language { text, latex, maple, gp, c };
[[nodiscard]] constexpr auto names_of(Language) {
  return std::array{"text", "latex", "maple", "gp", "c"};
}

/// The formula alone.
[[nodiscard]] std::string print(const Expression& expression, Language language);

/// A definition that the target program reads directly:
///   text   Q(z) = ...
///   latex  Q(z) = ...                     (math mode, without delimiters)
///   maple  Q := z -> ...:                 free parameters stay global names
///   gp     Q(z) = ...;                    free parameters stay global names
///   c      double Q(double z, double p)   C99, needs <math.h>; parameters become arguments, in the
///                                         order of their names
struct Definition {
  std::string name;  ///< "Q"
  std::string variable = "z";
  Expression expression;
  std::vector<std::string> remarks;  ///< comment lines before it: assumptions, defining equations

  /// C only. `expression` may use the symbol for (function(z) - function(1)) / (z - 1), slope at z = 1; the
  /// code computes it by expm1 and log1p, so no digits cancel near z = 1.
  struct DividedDifference {
    std::string symbol;
    Expression function, slope;
  };
  std::vector<DividedDifference> differences;

  /// C only, for formulas that read 0/0 at z = 1 and have no suitable divided difference: coefficients in z -
  /// 1, used where |z - 1| < 1/64. Empty: the formula is accurate at z = 1.
  std::vector<Expression> taylor_at_one;
};

/// \throws InvalidArgument  C only: a constant beyond the range of double
[[nodiscard]] std::string print(const Definition& definition, Language language);

/// The same with the formula already printed by print(); not for C.
[[nodiscard]] std::string print(const Definition& definition, Language language, std::string_view body);

/// Names reserved in `language`.
[[nodiscard]] std::span<const std::string_view> reserved_names(Language language);

/// `name` as printed in `language`.
[[nodiscard]] std::string spelled(std::string_view name, Language language);

}  // namespace tailbound::symbolic
