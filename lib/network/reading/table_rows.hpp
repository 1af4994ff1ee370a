#pragma once

#include <tailbound/network/reading/file_text.hpp>

#include <array>
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

/// Rows of cells as written by spreadsheets and other programs, for the readers of traffic matrices and of
/// lists of pairs.
///
/// FORMAT    Cells are separated by tabs, semicolons, vertical bars or commas, otherwise by blanks; the first
///           row decides by the most frequent one. A cell may be in double quotes (RFC 4180; doubled inside).
///           Spaces around a cell, blank lines and lines that begin with # or % are ignored, as are the bars
///           at both ends of a row and the row of dashes in Markdown tables.
/// TESTS     tests/network/files/traffic_matrix_test.cpp
namespace tailbound::network {

struct TableCell {
  std::string text;
  Place place;
};

/// The separator of a row; a blank if it has none.
[[nodiscard]] char separator_of(std::string_view row);

/// A number in a cell, for parse_rational(): empty for a dash that means zero, with a point instead of a
/// decimal comma if commas do not separate cells.
[[nodiscard]] std::string number_of(std::string_view cell, char separator);

/// Is it a number that number_of() accepts, a speed, or zero?
[[nodiscard]] bool is_number_cell(std::string_view cell, char separator);

/// The columns with the ends and the rate of a pair.
struct PairColumns {
  std::size_t from = 0, to = 1, rate = 2, count = 3;
};

/// As named by the first row of a list of pairs: from, to, rate, or src, dst, demand, in any order, possibly
/// with other columns.
[[nodiscard]] std::optional<PairColumns> pair_columns(std::span<const std::string> header);

/// What is wrong with a row of more cells than the first, those at its end that are empty not counted:
/// mostly a
/// decimal comma between commas. Empty if nothing is.
[[nodiscard]] std::string too_many_cells(std::span<const TableCell> row, std::size_t named);

/// Does the word denote the sender or the receiver?
enum class End { neither, source, destination };
[[nodiscard]] End end_in_words(std::string_view word);

/// A line "left -> right: 0.2 # what follows is a comment": the two names and the number.
[[nodiscard]] std::optional<std::array<std::string_view, 3>> arrow_row(std::string_view line);

class TableRows {
 public:
  explicit TableRows(const FileText& file);

  [[nodiscard]] char separator() const { return separator_; }
  /// The first row as written, and its location.
  [[nodiscard]] std::string_view first_line() const;
  /// The next row, of one cell or more; none at the end of the text.
  [[nodiscard]] std::optional<std::vector<TableCell>> next();
  /// The next line without its comment, for arrow_row().
  [[nodiscard]] std::optional<TableCell> next_line();

 private:
  bool skip_to_row();
  [[nodiscard]] std::vector<TableCell> row();
  [[nodiscard]] TableCell cell();
  void read_quoted(TableCell& cell);
  void skip_spaces();
  void step() { step_over(text_, at_, place_); }
  [[nodiscard]] bool ends_cell() const;

  const FileText& file_;
  std::string_view text_;
  char separator_ = ',';
  std::size_t at_ = 0;
  Place place_{1, 1};
};

}  // namespace tailbound::network
