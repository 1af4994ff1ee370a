#pragma once

#include <tailbound/numeric/real.hpp>
#include <tailbound/series/formulas/closed_form.hpp>

#include <cstddef>
#include <memory>
#include <optional>
#include <vector>

/// Coefficients of a closed form in fixed point, each with the same proved absolute error.
///
/// MODEL     f = sum R exp(S), without poles in |z| <= 1.
/// METHOD    P/Q by q_0 f_k = p_k - sum q_j f_(k-j); exp(S) by D E' = N E with S' = N/D (Panjer's recursion):
///           a few products of integers per coefficient, however many there are. Rounding of a step changes
///           every later coefficient by no more than a bound of sum |h_k|, h = 1/Q, and so for exp; these
///           sums are bounded by a product with the divisor that is checked exactly.
/// CONTRACT  each interval contains its coefficient; the error before its own rounding is at most 2^-bits.
///           Coefficients that are 0 by the powers of z in the form, as in z/(2 - z^3), are exactly 0.
/// COST      O(degree) products of `bits` + the logarithm of the bounds, per coefficient.
/// EXCLUDES  poles in or near |z| <= 1 (closer than about 1e-5), exp of more than about 5 000.
/// SOURCE    docs/derivations/generating_functions.md, "Any spelling of a formula"; Panjer, ASTIN Bull.
///           12(1), 1981, for exp(load (B(z) - 1))
/// TESTS     tests/series/closed_form_test.cpp
namespace tailbound::series {

class CertifiedSeries {
 public:
  /// \return  none for the formulas of EXCLUDES
  static std::optional<CertifiedSeries> of(const ClosedForm& form, int bits);
  CertifiedSeries(CertifiedSeries&&) noexcept;
  CertifiedSeries& operator=(CertifiedSeries&&) noexcept;
  ~CertifiedSeries();

  /// Makes coefficients 0 .. count-1 available.
  void extend(std::size_t count);
  [[nodiscard]] std::size_t size() const;
  /// The first `count` <= size(), with the precision in force.
  [[nodiscard]] std::vector<numeric::Interval> intervals(std::size_t count) const;
  struct Sums {
    numeric::Interval mass, first;  ///< sum of f_j and of j f_j, j < size()
  };
  [[nodiscard]] Sums sums() const;

 private:
  struct Term;
  explicit CertifiedSeries(std::vector<Term> terms);
  std::vector<Term> terms_;
};

/// Signs of the coefficients 0 .. count-1 of a quotient of polynomials, exactly: the first that is negative,
/// or none. \pre form.is_rational(), no pole at 0
[[nodiscard]] std::optional<std::size_t> first_negative(const RationalFunction& function, std::size_t count);

}  // namespace tailbound::series
