#pragma once

#include <string>
#include <string_view>

/// Lists as other programs print them, in the forms that coefficient_list.hpp reads.
///
/// FORMATS   Mathematica ({1.5*^-3, 0.1`15.}), numpy (array([..]), rows without commas, np.float64(..)),
///           sympy (z**2), R ([1] 0.1 0.2), MATLAB (a factor above a column: 1.0e-03 *), Fortran (1.5D-03),
///           Maxima (1.5b-3), JSON ({"p": [..]}), Maple assignments (q[0] := .2;), decimal commas in a column
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
