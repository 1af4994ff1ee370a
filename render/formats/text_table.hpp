#pragma once

#include <tailbound/render/document.hpp>

#include <string>
#include <vector>

/// Text tables, shared by the formats for people.
/// Internal to the render module.
namespace tailbound::render {

struct TextTable {
  std::vector<std::string> headings;
  std::vector<std::vector<std::string>> rows;
  std::vector<bool> right;  ///< columns whose entries are set right
  std::size_t keys = 1;     ///< so many columns in front name the row
};

/// One row per result: the varying inputs, then the results; without hidden and unused columns.
[[nodiscard]] TextTable results_table(const Document& document, bool quiet = false);
/// One row per row of the table.
[[nodiscard]] TextTable rows_table(const TableLayout& layout, const Rows& rows, numeric::Digits digits);

/// Number of characters of UTF-8 text.
[[nodiscard]] std::size_t width(const std::string& text);
/// Characters of its longest word.
[[nodiscard]] std::size_t longest_word(const std::string& text);
/// `text` in lines of at most `width` characters, broken at spaces; line ends in it are kept.
[[nodiscard]] std::vector<std::string> folded(const std::string& text, std::size_t width);

}  // namespace tailbound::render
