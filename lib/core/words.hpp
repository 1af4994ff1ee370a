#pragma once

#include <algorithm>
#include <initializer_list>
#include <string>
#include <string_view>

namespace tailbound {

/// ASCII letters converted to lower case.
[[nodiscard]] inline std::string lower_case(std::string_view text) {
  std::string result(text);
  for (char& c : result)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return result;
}

[[nodiscard]] inline bool is_one_of(std::string_view word, std::initializer_list<std::string_view> words) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

}  // namespace tailbound
