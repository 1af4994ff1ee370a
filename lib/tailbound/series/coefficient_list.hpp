#pragma once

#include <tailbound/numeric/rational.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

/// Coefficients as other programs print them, with the precision that the print shows.
///
/// MODEL     one list, series or polynomial a text, or one number a line:
///             [0.1, 1.2 E-3, 1/9]          %1 = [...]      L := [...];      poly1[...]
///             0.1 + 0.09*x + O(x^3)        .1+.9e-1*z+O(z^3)     0.1+0.09*z+z^3*order_size(z)
///             one number a line;  "index value" or "index,value" a line;  a, b, c
/// RESULT    each coefficient exactly as printed, its significant digits and its last decimal place.
/// SOURCE    the output of PARI/GP 2.15, of Giac 1.9 in Maple mode, and Maple's lprint form; samples in
///           data/reference/maple.
/// EXCLUDES  Maple's two-dimensional print, complex numbers, series with negative powers.
/// TESTS     tests/series/coefficient_list_test.cpp, tests/fuzz/fuzz_coefficient_list.cpp
///
/// Left out of the text: comments (#, // and \\ to the end of the line), colour codes, quoted strings,
/// lines that begin with a prompt ("> ", "0>> ", "? "), names before ":=", "=" or ":", and one header line
/// of names above two columns. A backslash at the end of a line joins it to the next.
namespace tailbound::series {

struct Coefficient {
  std::int64_t index = 0;       ///< power of the variable, or place in the list; counts from 0
  numeric::Rational value = 0;  ///< exactly what is printed
  int significant_digits = 0;   ///< digits printed from the first one that is not 0; 0 if zero or exact
  /// Decimal exponent of the last digit printed: -3 for 0.120. Empty where the number is exact: an integer,
  /// a fraction of integers, "0." or a power that a series leaves out.
  std::optional<long> last_place;
  std::size_t line = 0, column = 0;  ///< where it stands, from 1; 0 for a power that is left out

  [[nodiscard]] bool is_exact() const noexcept { return !last_place.has_value(); }
};

struct CoefficientList {
  std::vector<Coefficient> coefficients;  ///< by rising index, at least one, each index once
  std::optional<std::int64_t> order;      ///< n where the text ends in O(x^n)
  std::size_t lone_numbers = 0;           ///< numbers beside the list or series, which are left out
};

/// Reads one list. A series or polynomial has an exact 0 for each power that it leaves out, up to its
/// degree or its order.
///
/// Limits: 10^6 numbers, 10 000 characters each, decimal exponents within +-10 000, powers up to 10^6,
/// indices up to 10^15, 2^30 bits for all values together; beyond them ParseError.
///
/// COST      O(size of the text), for numbers of bounded length.
/// \param source  name for messages (the file)
/// \throws ParseError  with line and column: not one of the forms above, a second list or series, an
///                     index twice, or beyond the limits
[[nodiscard]] CoefficientList parse_coefficient_list(std::string_view text, std::string_view source);

/// One unit in the last place printed, 10^last_place; 0 for an exact number.
[[nodiscard]] numeric::Rational unit_in_last_place(const Coefficient& coefficient);

}  // namespace tailbound::series
