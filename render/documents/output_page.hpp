#pragma once

#include <tailbound/render/document.hpp>

#include <string>
#include <vector>

namespace tailbound::render {

/// docs/output.md: the structure of the formats, and all keys of these commands.
[[nodiscard]] std::string output_page(const std::vector<Layout>& layouts);

}  // namespace tailbound::render
