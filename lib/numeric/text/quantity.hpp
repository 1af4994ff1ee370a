#pragma once

#include <tailbound/numeric/rational.hpp>
#include <tailbound/numeric/text/number_list.hpp>

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

/// Numbers with units, as people type them: 100G, 100Gbps, 9KB, 9KiB, 64B, 5us. Each is read exactly.
///
/// UNITS     rates: bps, bit/s, b/s with k, M, G, T or P (decimal), the letter alone too; Bps and B/s are bytes a second.
///           Sizes: B, kB, KB, MB, GB (decimal), KiB, MiB, GiB (binary). Times: ps, ns, us, ms, s.
/// TESTS     tests/numeric/quantity_test.cpp
namespace tailbound::numeric {

/// What a number without a unit is in, and what is returned.
enum class Measure { gbps, bytes, nanoseconds, megabytes };
[[nodiscard]] constexpr auto names_of(Measure) {
  return std::array{"Gbit/s", "bytes", "ns", "MB"};
}

/// \throws InvalidArgument  no number, or not a unit of this measure: naming those there are
[[nodiscard]] Rational parse_quantity(std::string_view text, std::string_view argument, Measure measure);

/// A list: "25G,100G", "1KB:9KB:1KB"; each number has its unit.  \throws InvalidArgument
[[nodiscard]] std::vector<Rational> parse_quantities(std::string_view text, std::string_view argument,
                                                     Measure measure, std::size_t limit = most_entries);

/// An integer in [least, greatest].  \throws InvalidArgument
[[nodiscard]] std::int64_t parse_whole_quantity(std::string_view text, std::string_view argument,
                                                Measure measure, std::int64_t least, std::int64_t greatest);
/// \param legal  what the message says is legal; the range unless told
[[nodiscard]] std::vector<std::int64_t> parse_whole_quantities(std::string_view text,
                                                               std::string_view argument, Measure measure,
                                                               std::int64_t least, std::int64_t greatest,
                                                               const std::string& legal = {});

}  // namespace tailbound::numeric
