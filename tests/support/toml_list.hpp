#pragma once

#include <string>
#include <vector>

namespace tailbound::test {

/// Names as an array of TOML.
[[nodiscard]] inline std::string toml_list(const std::vector<std::string>& names) {
  std::string text = "[";
  for (const std::string& name : names) text += (text.size() > 1 ? ", \"" : "\"") + name + "\"";
  return text + "]";
}

}  // namespace tailbound::test
