#pragma once

#include <tailbound/numeric/rational.hpp>
#include <tailbound/numeric/real.hpp>
#include <tailbound/symbolic/program.hpp>

#include <optional>
#include <vector>

/// Formulas as sums of R(z) exp(S(z)), R and S quotients of polynomials in lowest terms: one form for all
/// ways to write a formula, so that its coefficients follow from short recurrences.
///
/// RESULT    exact. (2-z)*(3-2*z) and 6-7*z+2*z^2, exp(a)*exp(b) and exp(a+b), (z^2-1)/(z-1) and z+1 have the
///           same form.
/// EXCLUDES  exp within exp, division by a sum of several terms, and degrees above 64: no form.
/// SOURCE    docs/derivations/generating_functions.md, "Any spelling of a formula"
/// TESTS     tests/series/closed_form_test.cpp
namespace tailbound::series {

/// c[0] + c[1] z + ..., the last coefficient not zero; empty: 0.
using Polynomial = std::vector<numeric::Integer>;

/// numerator / denominator without common factors; the denominator's first coefficient that is not zero is
/// positive.
struct RationalFunction {
  Polynomial numerator, denominator = {1};

  friend bool operator==(const RationalFunction&, const RationalFunction&);
  [[nodiscard]] bool is_polynomial() const { return denominator.size() == 1; }
};

/// sum of factor(z) exp(exponent(z)), the exponents all different; no terms: 0.
struct ClosedForm {
  struct Term {
    RationalFunction factor, exponent;
  };
  std::vector<Term> terms;

  /// A quotient of polynomials: no exp.
  [[nodiscard]] bool is_rational() const {
    return terms.empty() || (terms.size() == 1 && terms.front().exponent.numerator.empty());
  }
};

/// \return  none for the formulas of EXCLUDES, and where a divisor is zero
[[nodiscard]] std::optional<ClosedForm> closed_form(const symbolic::Program& program);

[[nodiscard]] RationalFunction derivative(const RationalFunction& function);

/// The value at z.  \throws InvalidArgument  a divisor may be zero there
[[nodiscard]] numeric::Interval value(const ClosedForm& form, const numeric::Interval& z);

/// Whether the form is proved to have no pole in [from, to]. False also if undecided, as very near to a pole.
[[nodiscard]] bool free_of_poles(const ClosedForm& form, const numeric::Real& from, const numeric::Real& to);

}  // namespace tailbound::series
