#pragma once

#include <tailbound/numeric/rational.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

/// Coefficients as other programs print them, with the precision of the printed digits.
///
/// MODEL     one list, series or polynomial per text, or one number per line:
///             [0.1, 1.2 E-3, 1/9]          %1 = [...]      L := [...];      poly1[...]
///             0.1 + 0.09*x + O(x^3)        .1+.9e-1*z+O(z^3)     0.1+0.09*z+z^3*order_size(z)
///             one number a line;  "index value" or "index,value" a line;  a, b, c
///           Numbers are decimals, fractions of integers, or hexadecimal: 0x1.8p-3. As Mathematica, numpy, R,
///           MATLAB and others print them: other_programs.hpp.
/// RESULT    each coefficient exactly as printed, its significant digits, and the precision with which it is
///           written: its last decimal place, or the last bit of a double. A list of doubles is recognized by
///           its digits.
/// SOURCE    the output of PARI/GP 2.15, of Giac 1.9 in Maple mode, and Maple's lprint form; samples in
///           data/reference/maple.
/// EXCLUDES  Maple's two-dimensional print, complex numbers, series with negative powers.
/// TESTS     tests/series/coefficient_list_test.cpp, tests/fuzz/fuzz_coefficient_list.cpp
///
/// Ignored: comments (#, // and \\ to the end of the line), colour codes, quoted strings, lines that begin
/// with a prompt ("> ", "0>> ", "? "), names before ":=", "=" or ":", and one header line of names above two
/// columns. A backslash at the end of a line joins it to the next.
namespace tailbound::series {

struct Coefficient {
  std::int64_t index = 0;       ///< power of the variable, or index in the list, from 0
  numeric::Rational value = 0;  ///< exactly what is printed
  int significant_digits = 0;   ///< digits printed from the first nonzero one on; 0 if zero or exact
  /// Decimal exponent of the last digit printed: -3 for 0.120. Empty where the number is exact: an integer, a
  /// fraction of integers, "0." or a power that a series omits.
  std::optional<long> last_place;
  /// Binary exponent of the last bit of a double: -56 for 0x1.8p-4 and, in a list of doubles, for 0.1. Empty
  /// otherwise. Where both are present the larger unit counts.
  std::optional<long> last_bit{};
  std::size_t line = 0, column = 0;  ///< its position, from 1; 0 for an omitted power

  [[nodiscard]] bool is_exact() const noexcept { return !last_place && !last_bit; }
};

struct CoefficientList {
  std::vector<Coefficient> coefficients;  ///< by increasing index, at least one, each index once
  std::optional<std::int64_t> order;      ///< n where the text ends in O(x^n)
  bool doubles = false;                   ///< its decimals are prints of doubles (docs/howto/formulas.md)
  std::size_t lone_numbers = 0;           ///< numbers outside the list or series, which are ignored
  std::string format{};  ///< "Mathematica": format of another program; empty: one of those above
};

/// Reads one list. A series or polynomial has an exact 0 for each omitted power, up to its degree or its
/// order.
///
/// Limits: 10^6 numbers, 10 000 characters each, decimal exponents within +-10 000, powers up to 10^6,
/// indices up to 10^15, 2^30 bits for all values together. Beyond them: ParseError.
///
/// COST      O(size of the text), for numbers of bounded length.
/// \param source  name for messages (the file)
/// \throws ParseError  with line and column: not one of the forms above, a second list or series, a duplicate
///                     index, or beyond the limits
[[nodiscard]] CoefficientList parse_coefficient_list(std::string_view text, std::string_view source);

/// Correct decimal digits of the double nearest to any number: its relative error is below 10^-15.
inline constexpr int digits_of_doubles = 16;

/// Decimal digits of precision: those of a double, or those printed; 0 if exact.
[[nodiscard]] int shown_digits(const Coefficient& coefficient);

/// One unit in the last place: the larger of 10^last_place and 2^last_bit; 0 for an exact number.
[[nodiscard]] numeric::Rational unit_in_last_place(const Coefficient& coefficient);

}  // namespace tailbound::series
