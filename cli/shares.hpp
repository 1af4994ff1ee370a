#pragma once

#include <tailbound/numeric/rational.hpp>

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

/// Options that ask for a share of something, a load or a probability: 0.05, 1/20 and 5% are the same number.
namespace tailbound::cli {

/// \throws InvalidArgument
[[nodiscard]] numeric::Rational parse_share(std::string_view text, std::string_view option);

/// Numbers of a list, entries with "%" as hundredths: "10%:90%:10%", "0.1,50%"; a range has "%" at all of its
/// numbers or at none.  \throws InvalidArgument
[[nodiscard]] std::vector<numeric::Rational> parse_percent_list(const std::string& text,
                                                                std::string_view option,
                                                                std::size_t limit = 10'000);

}  // namespace tailbound::cli
