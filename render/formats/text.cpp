#include <fmt/format.h>
#include <tailbound/render/formats/text_table.hpp>

#include <algorithm>

namespace tailbound::render {
namespace {

/// Minimum width of the names of lines [columns].
constexpr std::size_t least_name_width = 16;
constexpr std::size_t page_width = 112;

/// Columns separated by two spaces, each line prefixed with `indent`.
std::string aligned(const TextTable& table, const std::string& indent) {
  std::vector<std::size_t> widths;
  for (const std::string& heading : table.headings) widths.push_back(width(heading));
  for (const auto& row : table.rows)
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], width(row[i]));
  std::string text;
  const auto add = [&](const std::vector<std::string>& row) {
    std::string line = indent;
    for (std::size_t i = 0; i < row.size(); ++i) {
      const std::string space(widths[i] - width(row[i]), ' ');
      line += "  " + (table.right[i] ? space + row[i] : row[i] + space);
    }
    line.resize(line.find_last_not_of(' ') + 1);
    text += line + "\n";
  };
  add(table.headings);
  for (const auto& row : table.rows) add(row);
  return text;
}

std::string named_lines(const std::vector<Line>& lines) {
  std::size_t names = least_name_width;
  for (const Line& line : lines) names = std::max(names, width(line.name) + 2);
  std::string text;
  for (const Line& line : lines) {
    text += "  " + line.name + std::string(names - width(line.name), ' ');
    for (const char c : line.text) {
      text += c;
      if (c == '\n') text += std::string(2 + names, ' ');
    }
    text += "\n";
  }
  return text;
}

std::string notes_text(const std::vector<std::string>& notes) {
  std::string text;
  for (const std::string& note : notes)
    for (const std::string& line : folded(note, page_width)) text += "  " + line + "\n";
  return text;
}

std::string nested_tables(const Document& document, const Result& result, const std::string& indent) {
  std::string text;
  for (const Rows& rows : result.tables) {
    if (!rows.in_text || rows.size == 0) continue;
    text += "\n";
    if (!rows.caption.empty()) text += indent + "  " + rows.caption + "\n\n";
    text += aligned(rows_table(table_layout(*document.layout, rows.key), rows, document.digits), indent);
  }
  return text;
}

std::string stop_note(const Document& document) {
  return document.stopped ? "  STOPPED after " + document.stopped_after + ": partial results follow.\n\n"
                          : "";
}

/// Only the value of an estimate, in full.
std::string quiet_cell(const Column& column, const Cells& cells, numeric::Digits digits) {
  const Value value = value_of(cells, column.key);
  const auto* estimate = std::get_if<Estimate>(&value);
  return estimate != nullptr ? shortest(estimate->value) : cell_text(column, cells, digits);
}

std::string values_of(const std::vector<std::string>& keys, const std::vector<Column>& columns,
                      const Cells& cells, numeric::Digits digits) {
  std::string line;
  for (const std::string& key : keys)
    for (const Column& column : columns)
      if (column.key == key && !std::holds_alternative<None>(value_of(cells, key)))
        line += (line.empty() ? "" : " ") + quiet_cell(column, cells, digits);
  return line.empty() ? "" : line + "\n";
}

std::string quiet_text(const Document& document) {
  const Layout& layout = *document.layout;
  std::string text = document.stopped ? "# stopped after " + document.stopped_after + "\n" : "";
  if (layout.quiet.empty()) return text + aligned(results_table(document), "");
  for (const Result& result : document.results) {
    if (layout.quiet_table.empty()) {
      text += values_of(layout.quiet, layout.results, result.cells, document.digits);
      continue;
    }
    for (const Rows& rows : result.tables)
      for (std::size_t i = 0; rows.key == layout.quiet_table && i < rows.size; ++i)
        text += values_of(layout.quiet, table_layout(layout, rows.key).columns, rows.row(i), document.digits);
  }
  return text;
}

}  // namespace

std::string to_text(const Document& document, const Frame& frame) {
  if (frame.quiet) return quiet_text(document);
  std::string text = document.headline + "\n\n" + stop_note(document);
  if (document.results.size() == 1 && !document.results.front().lines.empty()) {
    const Result& result = document.results.front();
    text += named_lines(result.lines) + nested_tables(document, result, "  ");
  } else {
    text += aligned(results_table(document), "");
    for (const Result& result : document.results) {
      const std::string tables = nested_tables(document, result, "");
      if (!tables.empty() && !result.caption.empty()) text += "\n" + result.caption + "\n";
      text += tables;
    }
  }
  const std::string notes = notes_text(document.notes);
  return notes.empty() ? text : text + "\n" + notes;
}

}  // namespace tailbound::render
