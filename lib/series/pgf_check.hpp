#pragma once

#include <tailbound/symbolic/program.hpp>

#include <cstdint>
#include <optional>

/// Checks that a formula is a probability generating function: A(1) = 1, and no coefficient below zero.
///
/// METHOD    A(1) = 1 by exact series at z = 1, or by intervals of increasing precision where exp occurs. The
///           coefficients: by the formula's structure where it is built of non-negative parts; otherwise one
///           by one, all of a polynomial's and the first 1 000 of others'.
/// EXCLUDES  a proof for formulas with infinitely many coefficients that are not built of non-negative parts:
///           from the 1 001st on they are not checked (see `all_coefficients`).
/// TESTS     tests/series/pgf_check_test.cpp
namespace tailbound::series {

struct PgfFacts {
  /// Degree, if only finitely many coefficients differ from 0 (also in (z^3-1)/(3 (z-1))); empty if not, or
  /// if that could not be decided.
  std::optional<std::int64_t> largest_batch;
  bool all_coefficients = false;  ///< all proved non-negative; otherwise the first 1 000
  bool exact = false;             ///< A(1) = 1 exactly; otherwise to 4 000 bits (with exp)
};

/// \throws InvalidArgument  it is not a PGF; the value names the failed condition: "A(1) is 9/10",
///                          "coefficient of z^3 is -1/8"; or no power series at z = 0
/// \throws LimitExceeded    a polynomial too costly to expand
[[nodiscard]] PgfFacts check_pgf(const symbolic::Program& program);

}  // namespace tailbound::series
