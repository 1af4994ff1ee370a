#pragma once

#include <string>
#include <string_view>

/// Lists as other programs print them, in the forms that coefficient_list.hpp reads.
///
/// FORMATS   Mathematica ({1.5*^-3, 0.1`15.}), numpy (array([..]), rows without commas, np.float64(..)),
///           Python (mpf('0.1'), Decimal('0.1'), Fraction(1, 3), sympy's Rational(1, 3) and z**2), Julia
///           (3-element Vector{Float64}:, 1//3, 1.5f-3), R ([1] 0.1 0.2), MATLAB and Octave (a factor above a
///           column: 1.0e-03 *; Columns 1 through 3:; p = and a row), Fortran (1.5D-03), Maxima (1.5b-3),
///           JSON
///           ({"p": [..]}), Maple assignments (q[0] := .2;), decimal commas in a column
/// METHOD    character by character in place, so lines and columns are those of the file; only MATLAB's
///           factor shifts the columns after a number
/// TESTS     tests/series/other_programs_test.cpp, tests/fuzz/fuzz_coefficient_list.cpp
namespace tailbound::series {

struct PlainList {
  std::string text;    ///< in the usual form
  std::string format;  ///< "Mathematica"; empty if nothing was changed
};

/// COST  linear; texts over 64 MiB are left unchanged
[[nodiscard]] PlainList as_plain_list(std::string_view text);

}  // namespace tailbound::series
