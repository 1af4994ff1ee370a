#pragma once

#include <tailbound/numeric/rational.hpp>
#include <tailbound/series/files/normalise.hpp>

#include <string_view>
#include <vector>

/// Probability mass functions from text: P(A = j), the packets that arrive in a slot.
///
/// MODEL     one probability per line (of 0, 1, 2, ...), or lines "value probability" or "value,probability"
///           in any order; [p0, p1, ...] as in JSON; the other forms of series/files/coefficient_list.hpp,
///           including a polynomial in z. Decimals and fractions are exact; # begins a comment.
/// EXCLUDES  infinite support, probabilities that are not rational.
/// TESTS     tests/series/pmf_file_test.cpp, tests/fuzz/fuzz_pmf_file.cpp
namespace tailbound::series {

struct Pmf {
  std::vector<numeric::Rational> probabilities;  ///< of 0, 1, 2, ..; the last one not 0; their exact sum is 1
  numeric::Rational sum = 1;                     ///< of those in the text
  std::string format{};                          ///< as CoefficientList::format
};

/// Probabilities.  [0 .. 1]
///
/// Limits: those of coefficient_list.hpp; values up to 1 048 575; a sum whose numerator and denominator
/// have no more than 131 072 bits.
///
/// \param source  name for messages (the file)
/// \throws ParseError  with line and column where there is one: malformed, a negative probability, a
///                     duplicate value, a sum other than 1 (given in the message), all zero, or beyond the
///                     limits
[[nodiscard]] Pmf read_pmf(std::string_view text, std::string_view source,
                           Normalise normalise = Normalise::rounding);

/// Pmf::probabilities of such a text.
[[nodiscard]] std::vector<numeric::Rational> parse_pmf(std::string_view text, std::string_view source,
                                                       Normalise normalise = Normalise::no);

}  // namespace tailbound::series
