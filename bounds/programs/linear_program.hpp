#pragma once

#include <tailbound/numeric/rational.hpp>

#include <cstddef>
#include <optional>
#include <vector>

/// Linear programs whose maximum is proved in exact fractions.
///
/// MODEL     Maximise c x over all x with A x <= b; x may have either sign (x >= 0 is a row).
/// METHOD    The simplex method in double precision (GLPK) chooses as many rows as determine multipliers y by
///           y A = c. These are solved exactly. If y >= 0, then c x = y A x <= y b for every x.
/// CONTRACT  A bound is a proof whatever the solver did: never rounded, and none if y fails. May be called
///           from several threads. Nothing is printed.
/// SOURCE    docs/derivations/policed_traffic.md, section 8; Schrijver, "Theory of Linear and Integer
///           Programming", chapter 7
/// TESTS     tests/bounds/guarantee/linear_program_test.cpp
namespace tailbound::bounds {

using numeric::Rational;

struct LinearProgram {
  struct Term {
    std::size_t column = 0;
    Rational factor;
    friend bool operator==(const Term&, const Term&) = default;
  };
  struct Row {
    std::vector<Term> terms;  ///< columns increase, factors are not 0
    Rational limit;
  };
  std::size_t columns = 0;
  std::vector<Row> rows;
  std::vector<Term> objective;  ///< columns increase, factors are not 0

  /// \param terms  in any order; factors of one column are added
  void add_row(std::vector<Term> terms, Rational limit);
};

/// A row and what it is multiplied by.
struct Multiplier {
  std::size_t row = 0;
  Rational factor;
};

/// y b, if all factors are at least 0 and y A = c: an upper bound of c x. Otherwise none.
[[nodiscard]] std::optional<Rational> proved_bound(const LinearProgram& program,
                                                   const std::vector<Multiplier>& multipliers);

struct ProvedMaximum {
  Rational value;
  std::vector<Multiplier> multipliers;  ///< rows increase, factors above 0: `value` is their proved_bound()
};

/// None if no x satisfies the rows, if c x has no maximum, or if the multipliers that the solver's rows
/// determine are no proof.
/// \throws std::bad_alloc  also if the solver fails
[[nodiscard]] std::optional<ProvedMaximum> proved_maximum(const LinearProgram& program);

}  // namespace tailbound::bounds
