#pragma once

#include <tailbound/render/document.hpp>

#include <string>
#include <utility>
#include <vector>

namespace tailbound::render {

/// How an answer is written.
using Write = std::string (*)(const Document&, const Frame&);

/// Every format by the name that --format knows it by; the first, for people, where none is named.
[[nodiscard]] const std::vector<std::pair<std::string, Write>>& formats();

}  // namespace tailbound::render
