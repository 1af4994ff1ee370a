#pragma once

#include <tailbound/queue/arrivals/markov_arrivals.hpp>

#include <string>
#include <string_view>

/// Matrices D_0, D_1, ... of Markovian arrivals, from text.
///
/// MODEL     JSON: {"blocks": [D_0, D_1, ...]} or [D_0, D_1, ...], each matrix a list of rows, each row a
/// list
///           of numbers, and a number as JSON has it (0.25) or in quotes ("1/4").
///           CSV: one row of a matrix a line, its numbers between commas; a blank line ends a matrix; #
///           begins a comment, and a line that holds nothing else is no blank line. The first character that
///           is not white space decides: { or [ is JSON.
/// RESULT    every number exactly as written: 0.1 is 1/10.
/// EXCLUDES  whether rows sum to 1 and phases lead to each other: MarkovArrivals::blocks looks at that.
/// TESTS     tests/queue/arrivals/blocks_file_test.cpp, tests/fuzz/fuzz_blocks.cpp
namespace tailbound::queue {

/// Square matrices of one size, their entries from 0 to 1.
///
/// Limits: 64 000 000 bytes, MarkovArrivals::most_blocks matrices of MarkovArrivals::most_phases rows, 2500
/// characters and an exponent within +-999 a number, 4096 bits for the common denominator of all numbers,
/// 2^30 bits for all of them together; beyond them ParseError.
///
/// COST      O(size of the text), for numbers of bounded length.
/// \param source  name for messages (the file)
/// \throws ParseError  with line and column: neither form, no matrix, matrices that are not square or not of
///                     one size, an entry that is no number or outside 0 .. 1, or beyond the limits
[[nodiscard]] RationalBlocks parse_blocks(std::string_view text, const std::string& source);

}  // namespace tailbound::queue
