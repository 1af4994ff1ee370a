#pragma once

#include <string_view>

/// The files in assets/, unchanged.
namespace tailbound::serve {

struct Asset {
  std::string_view name;  ///< "page.html"
  std::string_view text;
  const char* type;
};

/// Null if there is no file of this name.
[[nodiscard]] const Asset* asset_named(std::string_view name);

}  // namespace tailbound::serve
