#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

/// Choices by name.
///
/// TESTS     tests/core/choice_test.cpp
namespace tailbound {

/// The position of `text` in `names`.
/// \param argument  names it in the message: "--criterion"
/// \throws InvalidArgument  unknown name; the message suggests the nearest one
[[nodiscard]] std::size_t parse_choice(std::string_view text, std::string_view argument,
                                       const std::vector<std::string>& names);

/// The position of each name of a list, "overflow,loss".  \throws InvalidArgument  naming the first unknown
[[nodiscard]] std::vector<std::size_t> parse_choices(std::string_view text, std::string_view argument,
                                                     const std::vector<std::string>& names);

/// "a, b or c"
[[nodiscard]] std::string in_words(const std::vector<std::string>& names);

/// The name of a value of an enumeration. Each enumeration lists its names once, next to it and in its order,
/// the default first:
///
///     constexpr auto names_of(Wiring) { return std::array{"baseline", "omega"}; }
template <class Enumeration>
[[nodiscard]] const char* name_of(Enumeration value) {
  return names_of(value).at(static_cast<std::size_t>(value));
}
template <class Enumeration>
[[nodiscard]] std::vector<std::string> all_names() {
  const auto names = names_of(Enumeration{});
  return {names.begin(), names.end()};
}

}  // namespace tailbound
