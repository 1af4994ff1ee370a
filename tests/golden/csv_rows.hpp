#pragma once

#include <catch2/catch.hpp>

#include <algorithm>
#include <sstream>
#include <string>
#include <vector>

namespace tailbound::golden {

/// The fields of a CSV line, without their quotes.
inline std::vector<std::string> fields_of(const std::string& line) {
  std::vector<std::string> fields(1);
  bool quoted = false;
  for (const char c : line) {
    if (c == '"')
      quoted = !quoted;
    else if (c == ',' && !quoted)
      fields.emplace_back();
    else
      fields.back() += c;
  }
  return fields;
}

/// The lines of a table whose fields contain no quotes or line ends.
inline std::vector<std::vector<std::string>> rows_of(const std::string& csv) {
  std::vector<std::vector<std::string>> rows;
  std::istringstream lines(csv);
  for (std::string line; std::getline(lines, line);) rows.push_back(fields_of(line));
  return rows;
}

/// The field of a row, by the name of its column.
inline std::string at(const std::vector<std::vector<std::string>>& rows, std::size_t row,
                      const std::string& column) {
  const auto found = std::find(rows.front().begin(), rows.front().end(), column);
  INFO(column);
  REQUIRE(found != rows.front().end());
  REQUIRE(row < rows.size());
  return rows[row].at(static_cast<std::size_t>(found - rows.front().begin()));
}

}  // namespace tailbound::golden
