#pragma once

#include <tailbound/render/document.hpp>

#include <algorithm>
#include <vector>

/// The questions that `buffer` answers have keys in common. Internal to the render module.
namespace tailbound::render {

/// Behind `columns` those of `more` whose key is not among them.
inline void add_missing(std::vector<Column>& columns, const std::vector<Column>& more) {
  for (const Column& column : more)
    if (std::none_of(columns.begin(), columns.end(),
                     [&](const Column& one) { return one.key == column.key; }))
      columns.push_back(column);
}

}  // namespace tailbound::render
