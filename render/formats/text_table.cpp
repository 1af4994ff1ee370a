#include <tailbound/render/formats/text_table.hpp>

#include <algorithm>
#include <map>

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

/// Rows that differ in the cell `at` only become one: "a -> b and 3 others".
void merge_rows(TextTable& table, std::size_t at) {
  std::map<std::vector<std::string>, std::size_t> first;
  std::vector<std::vector<std::string>> rows;
  std::vector<std::size_t> others;
  for (std::vector<std::string>& row : table.rows) {
    std::vector<std::string> key = row;
    key[at].clear();
    const auto [place, is_new] = first.try_emplace(std::move(key), rows.size());
    if (!is_new) {
      ++others[place->second];
      continue;
    }
    rows.push_back(std::move(row));
    others.push_back(0);
  }
  for (std::size_t i = 0; i < rows.size(); ++i)
    if (others[i] > 0)
      rows[i][at] += " and " + std::to_string(others[i]) + (others[i] == 1 ? " other" : " others");
  table.rows = std::move(rows);
}

}  // namespace

TextTable results_table(const Document& document, bool quiet) {
  constexpr std::size_t long_table = 24;
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
  const auto merged = std::find_if(inputs.begin(), inputs.end(),
                                   [&](const Column* column) { return column->key == document.merged_by; });
  if (!quiet && merged != inputs.end() && table.rows.size() > long_table)
    merge_rows(table, static_cast<std::size_t>(merged - inputs.begin()));
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
