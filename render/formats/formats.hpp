#pragma once

#include <tailbound/render/document.hpp>

#include <string>
#include <utility>
#include <vector>

namespace tailbound::render {

/// Output formats.
using Write = std::string (*)(const Document&, const Frame&);

/// Every format by its --format name. The first one, for people, is the default.
[[nodiscard]] const std::vector<std::pair<std::string, Write>>& formats();

}  // namespace tailbound::render
