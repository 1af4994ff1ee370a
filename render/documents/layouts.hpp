#pragma once

#include <tailbound/render/document.hpp>

#include <string>
#include <vector>

namespace tailbound::render {

/// Of every command that shows a document, in the order of the command line's help.
[[nodiscard]] std::vector<Layout> all_layouts();

/// docs/output.md: how the formats are built, and all keys of all commands.
[[nodiscard]] std::string output_page();

}  // namespace tailbound::render
