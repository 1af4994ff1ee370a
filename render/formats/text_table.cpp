#include <tailbound/render/formats/text_table.hpp>

#include <algorithm>

namespace tailbound::render {
namespace {

void add_column(TextTable& table, const Column& column) {
  table.headings.push_back(heading_with_unit(column));
  table.right.push_back(right_aligned(column));
}

std::vector<const Column*> without_hidden(std::vector<const Column*> columns) {
  columns.erase(std::remove_if(columns.begin(), columns.end(),
                               [](const Column* column) { return column->style == Style::hidden; }),
                columns.end());
  return columns;
}

}  // namespace

TextTable results_table(const Document& document, bool quiet) {
  TextTable table;
  std::vector<const Cells*> cells;
  for (const Result& result : document.results) cells.push_back(&result.cells);
  const std::vector<const Column*> inputs = without_hidden(varying_inputs(document));
  std::vector<const Column*> found = without_hidden(columns_used(document.layout->results, cells));
  if (!quiet)
    std::erase_if(found, [&](const Column* column) {
      const std::vector<std::string>& stated = document.layout->stated;
      return std::find(stated.begin(), stated.end(), column->key) != stated.end();
    });
  for (const Column* column : inputs) add_column(table, *column);
  table.keys = inputs.size();
  for (const Column* column : found) add_column(table, *column);
  for (const Column& column : document.text_columns) add_column(table, column);
  for (const Result& result : document.results) {
    std::vector<std::string>& row = table.rows.emplace_back();
    for (const Column* column : inputs) row.push_back(cell_text(*column, result.inputs, document.digits));
    for (const Column* column : found) row.push_back(cell_text(*column, result.cells, document.digits));
    for (const Column& column : document.text_columns)
      row.push_back(cell_text(column, result.text_cells, document.digits));
  }
  return table;
}

TextTable rows_table(const TableLayout& layout, const Rows& rows, numeric::Digits digits) {
  TextTable table;
  const Cells first = rows.size > 0 ? rows.row(0) : Cells{};
  const std::vector<const Column*> columns = without_hidden(columns_used(layout.columns, {&first}));
  for (const Column* column : columns) add_column(table, *column);
  for (std::size_t i = 0; i < rows.size; ++i) {
    const Cells cells = rows.row(i);
    std::vector<std::string>& row = table.rows.emplace_back();
    for (const Column* column : columns) row.push_back(cell_text(*column, cells, digits));
  }
  return table;
}

std::size_t width(const std::string& text) {
  return static_cast<std::size_t>(std::count_if(
      text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }));
}

std::size_t longest_word(const std::string& text) {
  std::size_t longest = 0;
  for (std::size_t from = 0; from < text.size();) {
    const std::size_t to = std::min(text.find(' ', from), text.size());
    longest = std::max(longest, width(text.substr(from, to - from)));
    from = to + 1;
  }
  return longest;
}

std::vector<std::string> folded(const std::string& text, std::size_t width) {
  std::vector<std::string> lines;
  for (std::size_t from = 0; from < text.size();) {
    std::size_t to = std::min(text.find('\n', from), text.size());
    if (to - from > width) {
      to = text.rfind(' ', from + width);
      if (to == std::string::npos || to <= from) to = from + width;
    }
    lines.push_back(text.substr(from, to - from));
    from = to + (to < text.size() && (text[to] == ' ' || text[to] == '\n') ? 1 : 0);
  }
  return lines;
}

}  // namespace tailbound::render
