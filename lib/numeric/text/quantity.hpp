#pragma once

#include <tailbound/numeric/rational.hpp>
#include <tailbound/numeric/text/number_list.hpp>

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

/// Numbers with units, as users type them: 100G, 100Gbps, 9KB, 9KiB, 64B, 5us. Each is read exactly.
///
/// UNITS     rates: bps, bit/s, b/s with k, M, G, T or P (decimal), the letter alone too; Bps and B/s are
///           bytes per second. Sizes: B, kB, KB, MB, GB (decimal), KiB, MiB, GiB (binary). Times: ps, ns, us,
///           ms, s.
/// TESTS     tests/numeric/quantity_test.cpp
namespace tailbound::numeric {

/// The unit of a number without a unit, and of the result.
enum class Measure { gbps, bytes, nanoseconds, megabytes };
[[nodiscard]] constexpr auto names_of(Measure) {
  return std::array{"Gbit/s", "bytes", "ns", "MB"};
}

/// \throws InvalidArgument  not a number, or not a unit of this measure; the message lists the units
[[nodiscard]] Rational parse_quantity(std::string_view text, std::string_view argument, Measure measure);

/// A list: "25G,100G", "1KB:9KB:1KB"; each number with its unit.  \throws InvalidArgument
[[nodiscard]] std::vector<Rational> parse_quantities(std::string_view text, std::string_view argument,
                                                     Measure measure, std::size_t limit = max_entries);

/// An integer in [`minimum`, `largest`].  \throws InvalidArgument
[[nodiscard]] std::int64_t parse_whole_quantity(std::string_view text, std::string_view argument,
                                                Measure measure, std::int64_t minimum, std::int64_t largest);
/// \param legal  the legal values as given in the message (default: the range)
[[nodiscard]] std::vector<std::int64_t> parse_whole_quantities(std::string_view text,
                                                               std::string_view argument, Measure measure,
                                                               std::int64_t minimum, std::int64_t largest,
                                                               const std::string& legal = {});

}  // namespace tailbound::numeric
