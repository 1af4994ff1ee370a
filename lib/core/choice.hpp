#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

/// Names that stand for one of a few things.
///
/// TESTS     tests/core/choice_test.cpp
namespace tailbound {

/// The position of `text` in `names`.
/// \param argument  names it in the message: "--criterion"
/// \throws InvalidArgument  it is none of them; which it was probably meant to be
[[nodiscard]] std::size_t parse_choice(std::string_view text, std::string_view argument,
                                       const std::vector<std::string>& names);

/// Of each name of a list, "overflow,loss".  \throws InvalidArgument  naming the first unknown
[[nodiscard]] std::vector<std::size_t> parse_choices(std::string_view text, std::string_view argument,
                                                     const std::vector<std::string>& names);

}  // namespace tailbound
