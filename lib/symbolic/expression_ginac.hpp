#pragma once

#include <tailbound/symbolic/expression.hpp>

#include <ginac/ginac.h>

/// The bridge to GiNaC. Internal to the symbolic module.
namespace tailbound::symbolic {

/// GiNaC is not thread-safe, so one thread at a time computes with it: there is a guard in each public
/// function that does (Expression::derivative(), simplified(), equals(); taylor()), for as long as a GiNaC
/// object of it exists. A thread may hold several.
class AlgebraGuard {
 public:
  AlgebraGuard();
  ~AlgebraGuard();
  AlgebraGuard(const AlgebraGuard&) = delete;
  AlgebraGuard& operator=(const AlgebraGuard&) = delete;
};

/// The one conversion between GiNaC's numbers (CLN) and ours.
[[nodiscard]] GiNaC::numeric to_ginac(const numeric::Rational& value);
[[nodiscard]] numeric::Rational to_rational(const GiNaC::numeric& value);

/// \throws LimitExceeded  GiNaC would compute a number of more than a million bits
[[nodiscard]] GiNaC::ex to_ginac(const Expression& expression);

/// Terms in ascending degree, signs drawn out of factors: the same text in every run.
[[nodiscard]] Expression from_ginac(const GiNaC::ex& value);

/// A normal form: zero if and only if the function is zero. exp(...) and powers with symbolic exponents count
/// as independent symbols after their arguments are split into terms, so that exp(a+b) - exp(a) exp(b) and
/// p^(k+1) - p p^k become 0.
/// \throws LimitExceeded  expanded it could have more terms than the limit
[[nodiscard]] GiNaC::ex normal_form(const GiNaC::ex& value);

/// Upper estimate of the number of terms of numerator and denominator after expansion.
[[nodiscard]] double expanded_terms(const GiNaC::ex& value);

}  // namespace tailbound::symbolic
