#pragma once

#include <nlohmann/json.hpp>
#include <tailbound/numeric/rational.hpp>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <map>
#include <optional>
#include <regex>
#include <string>
#include <vector>

/// Records of CSV: a line per command instead of all cells, which JSON records as well.
namespace tailbound::golden {

namespace csv_detail {

using Json = nlohmann::ordered_json;
using Row = std::vector<std::string>;

/// RFC 4180.
inline std::vector<Row> parsed_csv(const std::string& text) {
  std::vector<Row> rows;
  Row row(1);
  bool quoted = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '"' && quoted && text.compare(i, 2, "\"\"") == 0) {
      row.back() += text[++i];
    } else if (c == '"') {
      quoted = !quoted;
    } else if (c == ',' && !quoted) {
      row.emplace_back();
    } else if (c == '\n' && !quoted) {
      rows.push_back(row);
      row.assign(1, "");
    } else {
      row.back() += c;
    }
  }
  return rows;
}

inline std::string list_text(const Json& list, const std::string& separator) {
  std::string text;
  for (const Json& each : list) text += (text.empty() ? "" : separator) + each.get<std::string>();
  return text;
}

inline bool is_same(const std::string& field, const Json& value) {
  if (value.is_null()) return field.empty();
  if (value.is_number_float())
    return !field.empty() && std::strtod(field.c_str(), nullptr) == value.get<double>();
  if (value.is_array()) return field == list_text(value, " ") || field == list_text(value, "; ");
  if (!value.is_string()) return field == value.dump();
  const auto text = value.get<std::string>();
  return field == text || field == "'" + text;  // the quote hides a formula from spreadsheets
}

inline numeric::Rational rational_of(const std::string& text) {
  return numeric::parse_rational(text, "a cell");
}

inline bool is_value(const std::string& field, const Json& value) {
  if (!value.is_object()) return is_same(field, value);
  if (value.contains("value") && value["kind"] != "exact") return is_same(field, value["value"]);
  return !field.empty() && rational_of(value["lower"]) <= rational_of(field) &&
         rational_of(field) <= rational_of(value["upper"]);
}

/// \param companion  "lower" of column "loss_lower"
inline bool is_companion(const std::string& field, const Json& value, const std::string& companion) {
  if (value.is_string() && companion == "exact")
    return !field.empty() && rational_of(field) == rational_of(value);
  if (!value.is_object()) return field.empty();
  const bool is_itself =
      value.value("side", "") == companion || (companion == "exact" && value["kind"] == "exact");
  if (is_itself) return is_same(field, value["value"]);
  return value.contains(companion) ? is_same(field, value[companion]) : field.empty();
}

/// Nothing if the object has no such key.
inline std::optional<bool> agrees(const std::string& column, const std::string& field, const Json& object) {
  if (const auto found = object.find(column); found != object.end()) return is_value(field, *found);
  for (const std::string companion : {"kind", "lower", "upper", "exact", "agreed_digits", "confidence"}) {
    if (!column.ends_with("_" + companion)) continue;
    const auto found = object.find(column.substr(0, column.size() - companion.size() - 1));
    if (found != object.end()) return is_companion(field, *found, companion);
  }
  return std::nullopt;
}

}  // namespace csv_detail

/// FNV-1a, the same on every machine.
[[nodiscard]] inline std::uint64_t hash_of(const std::string& text) {
  std::uint64_t hash = 0xcbf29ce484222325;
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  return hash;
}

/// The cells of a CSV text that differ from those of the JSON text of the same answer: "row 3, load is ...".
/// Values that JSON does not have are checked by those that it has: a value lies between its bounds, a
/// fraction equals its decimal.
[[nodiscard]] inline std::vector<std::string> csv_differences(const std::string& json,
                                                              const std::string& csv) {
  if (json.empty() || csv.empty())
    return json.empty() == csv.empty() ? std::vector<std::string>{}
                                       : std::vector<std::string>{"one is empty"};
  // A table may have the name of an input.
  using namespace csv_detail;
  const Json document =
      Json::parse(std::regex_replace(json, std::regex(R"re(\n      ("\w+)": \[)re"), "\n      $1[]\": ["));
  const std::vector<Row> rows = parsed_csv(csv);
  const Row& header = rows.front();
  const Json none = Json::object();
  std::vector<std::string> differences;
  std::size_t next = 1;
  for (const Json& result : document["results"]) {
    std::map<std::string, std::size_t> tables;  // and how many of their rows were met
    std::size_t count = 0;
    for (const auto& [key, value] : result.items())
      if (key.ends_with("[]") && key != "cross_check[]" && !value.empty()) {
        tables.emplace(key.substr(0, key.size() - 2), 0);
        count += value.size();
      }
    for (const std::size_t end = next + std::max<std::size_t>(count, 1); next < end; ++next) {
      if (next >= rows.size() || rows[next].size() != header.size()) return {"row " + std::to_string(next)};
      const Row& row = rows[next];
      std::string table = tables.empty() ? "" : tables.begin()->first;
      if (tables.size() > 1)
        table =
            row[static_cast<std::size_t>(std::find(header.begin(), header.end(), "table") - header.begin())];
      if (!tables.empty() && tables.count(table) == 0) return {"table " + table};
      const Json& of_table = tables.empty() ? none : result[table + "[]"].at(tables[table]++);
      for (std::size_t i = 0; i < header.size(); ++i) {
        const std::string &column = header[i], &field = row[i];
        std::optional<bool> same;
        if (column == "stopped") same = is_same(field, document.value("stopped", false));
        if (column == "table" && !result.contains(column)) same = field == table;
        if (!same && column.starts_with(table + "_"))
          same = agrees(column.substr(table.size() + 1), field, of_table);
        if (!same) same = agrees(column, field, result);
        if (!same) same = agrees(column, field, of_table);
        if (!same.value_or(field.empty()))
          differences.push_back("row " + std::to_string(next) + ", " + column + " is " + field);
      }
    }
  }
  if (next != rows.size()) differences.push_back("more rows");
  return differences;
}

}  // namespace tailbound::golden
