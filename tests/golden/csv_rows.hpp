#pragma once

#include <sstream>
#include <string>
#include <vector>

namespace tailbound::golden {

/// The lines of a table without quotes, split at commas.
inline std::vector<std::vector<std::string>> rows_of(const std::string& csv) {
  std::vector<std::vector<std::string>> rows;
  std::istringstream lines(csv);
  for (std::string line; std::getline(lines, line);) {
    std::istringstream cells(line + ",");
    rows.emplace_back();
    for (std::string cell; std::getline(cells, cell, ',');) rows.back().push_back(cell);
  }
  return rows;
}

}  // namespace tailbound::golden
