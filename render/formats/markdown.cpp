#include <tailbound/render/formats/text_table.hpp>

namespace tailbound::render {
namespace {

/// A table cell: a bar would end it.
std::string escaped(const std::string& text) {
  std::string result;
  for (const char c : text) {
    if (c == '|' || c == '*' || c == '_' || c == '<' || c == '`') result += '\\';
    result += c == '\n' ? ' ' : c;
  }
  return result;
}

std::string piped(const TextTable& table) {
  const auto line = [](const std::vector<std::string>& cells) {
    std::string text = "|";
    for (const std::string& cell : cells) text += " " + escaped(cell) + " |";
    return text + "\n";
  };
  std::string text = line(table.headings) + "|";
  for (const bool right : table.right) text += right ? " ---: |" : " --- |";
  text += "\n";
  for (const auto& row : table.rows) text += line(row);
  return text;
}

std::string nested_tables(const Document& document, const Result& result) {
  std::string text;
  for (const Rows& rows : result.tables)
    if (rows.in_text && rows.size > 0)
      text += (rows.caption.empty() ? "" : "\n" + escaped(rows.caption) + "\n") + "\n" +
              piped(rows_table(table_layout(*document.layout, rows.key), rows, document.digits));
  return text;
}

}  // namespace

std::string to_markdown(const Document& document, const Frame& frame) {
  std::string text = frame.quiet ? "" : "**" + escaped(document.headline) + "**\n\n";
  if (!frame.quiet && !document.settings.empty()) text += escaped(document.settings) + "\n\n";
  if (document.stopped) text += "**Stopped** after " + document.stopped_after + ": partial results.\n\n";
  if (document.results.size() == 1 && !document.results.front().lines.empty()) {
    const Result& result = document.results.front();
    for (const Line& line : result.lines)
      text += (line.name.empty() ? "  " : "- " + escaped(line.name) + ": ") + escaped(line.text) + "\n";
    text += nested_tables(document, result);
  } else {
    text += piped(results_table(document, frame.quiet));
    for (const Result& result : document.results) {
      const std::string tables = nested_tables(document, result);
      if (!tables.empty() && !result.caption.empty()) text += "\n### " + escaped(result.caption) + "\n";
      text += tables;
    }
  }
  if (!frame.quiet)
    for (const std::string& note : document.notes) text += "\n" + escaped(note) + "\n";
  return text;
}

}  // namespace tailbound::render
