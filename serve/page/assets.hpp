#pragma once

#include <string_view>

/// The files in assets/, as they are.
namespace tailbound::serve {

struct Asset {
  std::string_view name;  ///< "page.html"
  std::string_view text;
  const char* type;
};

/// Null where there is no file of this name.
[[nodiscard]] const Asset* asset_named(std::string_view name);

}  // namespace tailbound::serve
