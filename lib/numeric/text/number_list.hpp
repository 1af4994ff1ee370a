#pragma once

#include <tailbound/numeric/rational.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

/// Numbers, shares and lists as users type them. Each is read exactly: 0.9, 9/10 and 90% are the same.
///
/// TESTS     tests/numeric/number_list_test.cpp
namespace tailbound::numeric {

/// Default maximum number of entries of a list.
inline constexpr std::size_t max_entries = 10'000;

/// Exact numbers of a list: "0.1,1/5" or "0.1:0.9:0.1" (first : last : step, including the last if a step
/// reaches it), or both mixed; at most `limit` entries. Entries may repeat and come in any order. "1,024" is
/// rejected: numbers after a comma must not have leading zeros.
/// \param argument  names the list in messages: "--load"
/// \throws InvalidArgument
[[nodiscard]] std::vector<Rational> parse_list(std::string_view text, std::string_view argument,
                                               std::size_t limit = max_entries);

/// Reads a number of a list.
using ReadNumber = std::function<Rational(std::string_view text, std::string_view argument)>;
/// The same, with numbers read by `read`.
[[nodiscard]] std::vector<Rational> parse_list(std::string_view text, std::string_view argument,
                                               std::size_t limit, const ReadNumber& read);

/// Whether it is written as a list ("0.1,0.2" or "0.1:0.9:0.1"; also one of a single entry, "0.5:0.5:1").
[[nodiscard]] bool is_list(std::string_view text);

/// A number, or hundredths with "%".  \throws InvalidArgument
[[nodiscard]] Rational parse_share(std::string_view text, std::string_view argument);

/// A list, entries with "%" as hundredths: "10%:90%:10%", "0.1,50%"; a range has "%" at all of its numbers or
/// at none.  \throws InvalidArgument
[[nodiscard]] std::vector<Rational> parse_percent_list(std::string_view text, std::string_view argument,
                                                       std::size_t limit = max_entries);

/// "an integer from 1 to 64", or "from 1 up" if `largest` is that of the type.
[[nodiscard]] std::string integers_in_words(std::int64_t minimum, std::int64_t largest);
/// An integer in [`minimum`, `largest`]; "1e6" and "12/3" count as integers.  \throws InvalidArgument
[[nodiscard]] std::int64_t parse_integer(std::string_view text, std::string_view argument,
                                         std::int64_t minimum, std::int64_t largest);
/// The same for a number already read.
[[nodiscard]] std::int64_t to_integer(const Rational& value, std::string_view argument, std::int64_t minimum,
                                      std::int64_t largest);
/// The integers of a list. A range FIRST:LAST has the step 1.
/// \param legal  the legal values as given in the message (default: the range)
/// \throws InvalidArgument  an entry is not an integer, or out of range
[[nodiscard]] std::vector<std::int64_t> parse_integers(std::string_view text, std::string_view argument,
                                                       std::int64_t minimum, std::int64_t largest,
                                                       const std::string& legal = {});

}  // namespace tailbound::numeric
