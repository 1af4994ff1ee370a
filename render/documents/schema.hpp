#pragma once

#include <tailbound/render/document.hpp>

#include <set>
#include <string>

/// The possible output of a command, from the same table as the output itself.
namespace tailbound::render {

/// A JSON Schema (draft 2020-12) of the command's JSON documents.
[[nodiscard]] std::string json_schema(const Layout& layout);

/// The kinds that its numbers may have: "exact", ..
[[nodiscard]] std::set<std::string> kinds_in(const Layout& layout);

/// The list of keys as markdown: key, unit, kind, meaning.
[[nodiscard]] std::string keys_as_markdown(const Layout& layout);
/// Only the table, preceded by an empty line.
[[nodiscard]] std::string keys_table(const std::vector<Column>& columns);

}  // namespace tailbound::render
