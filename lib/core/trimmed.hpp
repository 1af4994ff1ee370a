#pragma once

#include <string_view>

namespace tailbound {

/// Without leading and trailing white space.
[[nodiscard]] constexpr std::string_view trimmed(std::string_view text) {
  constexpr std::string_view white = " \t\n\r\v\f";
  const std::size_t first = text.find_first_not_of(white);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(white) + 1 - first);
}

}  // namespace tailbound
