#pragma once

#include <tailbound/render/document.hpp>

#include <string>

/// What a command may show, from the same table as the output itself.
namespace tailbound::render {

/// A JSON Schema (draft 2020-12) of the command's JSON documents.
[[nodiscard]] std::string json_schema(const Layout& layout);

/// The list of keys as markdown: key, unit, kind, meaning.
[[nodiscard]] std::string keys_as_markdown(const Layout& layout);
/// The table alone, an empty line before it.
[[nodiscard]] std::string keys_table(const std::vector<Column>& columns);

}  // namespace tailbound::render
