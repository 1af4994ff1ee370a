#pragma once

#include <tailbound/queue/arrivals/markov_arrivals.hpp>
#include <tailbound/series/files/normalise.hpp>

#include <string>
#include <string_view>

/// Matrices D_0, D_1, ... of Markovian arrivals, from text.
///
/// MODEL     JSON: {"blocks": [D_0, D_1, ...]} or [D_0, D_1, ...]. A matrix is a list of rows, a row a
///           list of numbers, a number a JSON number (0.25) or a string ("1/4").
///           CSV: one row of a matrix per line, numbers separated by commas. A blank line ends a matrix. #
///           begins a comment; a line with only a comment is not a blank line. The first character that is
///           not white space decides: { or [ is JSON.
/// RESULT    every number exactly as written: 0.1 is 1/10.
/// EXCLUDES  whether the chain is irreducible: MarkovArrivals::blocks checks that.
/// TESTS     tests/queue/arrivals/blocks_file_test.cpp, tests/fuzz/fuzz_blocks.cpp
namespace tailbound::queue {

/// Square matrices of equal size with entries from 0 to 1.
///
/// Limits: 64 000 000 bytes, MarkovArrivals::max_blocks matrices of MarkovArrivals::max_phases rows, 2500
/// characters and an exponent within +-999 per number, 4096 bits for the common denominator of all numbers,
/// 2^30 bits for all of them together. Beyond them: ParseError.
///
/// COST      O(size of the text), for numbers of bounded length.
/// \param source  name for messages (the file)
/// \throws ParseError  with line and column: neither of the two forms, no matrix, matrices that are not
///                     square or differ in size, an entry that is not a number or outside 0 .. 1, or beyond
///                     the limits
[[nodiscard]] RationalBlocks parse_blocks(std::string_view text, const std::string& source);

struct BlocksOfFile {
  RationalBlocks blocks;            ///< each row, over all matrices, sums to 1
  numeric::Rational deviation = 0;  ///< of the sums in the text from 1: the largest, with its sign
};

/// The same, with each row divided by its sum over all matrices where `normalise` allows it.
/// \throws ParseError  as parse_blocks(); a row whose sum is 0, or is not accepted (the message gives it)
[[nodiscard]] BlocksOfFile read_blocks(std::string_view text, const std::string& source,
                                       series::Normalise normalise = series::Normalise::rounding);

}  // namespace tailbound::queue
