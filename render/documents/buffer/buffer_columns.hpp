#pragma once

#include <tailbound/render/document.hpp>

#include <algorithm>
#include <vector>

/// Common keys of the variants of `buffer`. Internal to the render module.
namespace tailbound::render {

/// Appends to `columns` those of `more` with new keys.
inline void add_missing(std::vector<Column>& columns, const std::vector<Column>& more) {
  for (const Column& column : more)
    if (std::none_of(columns.begin(), columns.end(),
                     [&](const Column& one) { return one.key == column.key; }))
      columns.push_back(column);
}

}  // namespace tailbound::render
