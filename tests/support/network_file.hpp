#pragma once

#include <tests/golden/folder.hpp>

namespace tailbound::test {

/// The content of a file in data/networks.
[[nodiscard]] inline std::string network_file(const std::string& name) {
  return golden::content(golden::networks + name);
}

}  // namespace tailbound::test
