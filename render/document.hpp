#pragma once

#include <tailbound/render/picture.hpp>
#include <tailbound/render/value.hpp>

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

/// What is shown of an answer, said once: a Document holds the numbers, with a Layout that says what each key
/// is; one file a format (text, json, csv, markdown, html) turns it into what is read. For each question
/// one file in documents/ makes the Document, and it alone names keys, headings, units and sentences.
namespace tailbound::render {

/// What kind of values a column holds: it fixes the columns of the CSV and the type in the JSON Schema.
enum class Shape {
  text,
  texts,     ///< a list of texts
  flag,      ///< true or false
  whole,     ///< a whole number, exactly so
  given,     ///< an input, exact: a decimal, and the fraction beside it
  givens,    ///< a list of inputs
  proved,    ///< exact or an enclosure
  claim,     ///< exact, an enclosure or an approximation
  bound,     ///< a bound, or an asymptote
  model,     ///< of an approximate model
  estimate,  ///< with its confidence interval
  number,    ///< any of these
};

/// How a number is set in text; data formats do not round.
enum class Style {
  plain,
  percent,         ///< 0.1 is shown as 10.0 %
  signed_percent,  ///< and as +10.0 %
  hidden,          ///< not in text tables: for data formats only
};

/// One key of the output.
struct Column {
  std::string key;      ///< the JSON key and the stem of the CSV columns: "mean_occupancy"
  std::string heading;  ///< of text tables: "mean occupancy"
  std::string unit;     ///< "packets", "slots", "packets/slot", "" if it has none
  Shape shape = Shape::text;
  std::string meaning;  ///< a phrase for the list of keys, with the range
  Style style = Style::plain;
  /// In text tables no more than so many digits of proved numbers, models and inputs (0: as many as are certain).
  int digits = 0;
  /// What the same number in other units is called (units.hpp): by its key unless told; "" makes "bytes", "ns".
  std::optional<std::string> stem{};
};

/// A table inside a result: percentiles, hops, channels.
struct TableLayout {
  std::string key;      ///< "percentiles"
  std::string meaning;  ///< what its rows are
  std::vector<Column> columns;
};

/// Tables inside results are in text where there are no more results, unless a document says otherwise.
inline constexpr std::size_t most_tables = 3;

/// All keys that a command may show. Each is there where the question asks for it.
struct Layout {
  std::string command;          ///< "simulate tree"
  std::vector<Column> inputs;   ///< of one point: what was asked
  std::vector<Column> results;  ///< of one point: what was found
  std::vector<TableLayout> tables{};
  /// --quiet prints these keys of each result, or else of each row of `quiet_table`, between spaces; or the text
  /// table alone where both are empty.
  std::vector<std::string> quiet{};
  std::string quiet_table{};
  bool open = false;  ///< has also keys of other commands, which it asks
};

struct Cell {
  std::string key;
  Value value;
  std::string mark{};  ///< set behind the number in text tables: " *"
};
using Cells = std::vector<Cell>;

/// The value of a key; None if it is not there.
[[nodiscard]] Value value_of(const Cells& cells, std::string_view key);

/// Of what rows and pictures are made when they are wanted: held as long as any of them is.
template <class Of>
using Shared = std::shared_ptr<const std::vector<Of>>;
template <class Of>
[[nodiscard]] Shared<Of> share(std::vector<Of> all) {
  return std::make_shared<const std::vector<Of>>(std::move(all));
}

/// The rows of one table of a result, all with the keys of the first; made one at a time, so that a million cost
/// no more than their text.
struct Rows {
  std::string key;  ///< of the TableLayout
  std::size_t size = 0;
  std::function<Cells(std::size_t)> row;
  std::string caption{};  ///< above it in text
  bool in_text = true;    ///< false: the lines say it already
};

/// A value under its name, for text: "mean occupancy  4.7 packets, exact". Line ends are followed by an indent.
struct Line {
  std::string name, text;
};

/// What was found for one point of the question.
struct Result {
  Cells inputs;
  Cells cells;
  std::vector<Rows> tables{};
  std::vector<Line> lines{};  ///< what text shows in place of the cells where this is the only result
  std::string caption{};      ///< above its tables in text where there are several results
  Cells text_cells{};         ///< of Document::text_columns
};

struct Document {
  std::shared_ptr<const Layout> layout;
  std::string headline;    ///< the answer in one sentence
  std::string settings{};  ///< what it is the answer to: "Output queue, 16 inputs at load 0.9."
  std::vector<Result> results;
  std::vector<std::string> notes{};  ///< what a reader must know to trust the numbers, a paragraph each
  numeric::Digits digits{};          ///< of proved numbers
  bool stopped = false;              ///< on request: not all that was asked for is there
  std::string stopped_after{};       ///< "4 of 9 points", "with 12 of 64 batches done"
  /// Drawn only where a picture is asked for. \throws NoAnswer  there is nothing to draw
  std::function<Picture()> picture{};
  /// Others, for pages: the network itself, how the answer changes with the load. \throws NoAnswer  likewise
  std::vector<std::function<Picture()>> further_pictures{};
  /// More columns of the text table of several results, for what data formats have in the tables of each.
  std::vector<Column> text_columns{};
};

/// The value of a column of the only result, "17.75 +- 0.12"; of several the smallest and the largest, "26 to 157", or
/// "26" where they are equal. Empty where no result has one.
[[nodiscard]] std::string range_in_words(const Document& document, std::string_view key);

/// How the program that shows it calls itself.
struct Frame {
  std::string version;
  bool quiet = false;
  std::string command_line{};  ///< that asked, for a shell; for formats that show it
};

/// Marks it: "4 of 9 points".
void mark_stopped(Document& document, std::size_t finished, std::size_t asked);

/// Its picture, marked where the document is stopped. Of more curves than `most_curves` the first are there, and the
/// note says of how many.  \throws NoAnswer  there is nothing to draw
[[nodiscard]] Picture picture_of(const Document& document, std::size_t most_curves = most_curves_told_apart);

// --- one file each
[[nodiscard]] std::string to_text(const Document& document, const Frame& frame);
[[nodiscard]] std::string to_json(const Document& document, const Frame& frame);
[[nodiscard]] std::string to_csv(const Document& document, const Frame& frame);
[[nodiscard]] std::string to_markdown(const Document& document, const Frame& frame);

// --- for the formats

[[nodiscard]] bool has_column(const std::vector<Column>& columns, const std::string& key);

/// The columns of `columns` for which any of the rows has a cell, in the order of `columns`.
[[nodiscard]] std::vector<const Column*> columns_used(const std::vector<Column>& columns,
                                                      const std::vector<const Cells*>& rows);
/// The inputs that differ between results: what a table of several results shows of them.
[[nodiscard]] std::vector<const Column*> varying_inputs(const Document& document);
[[nodiscard]] const TableLayout& table_layout(const Layout& layout, std::string_view key);
/// As text tables show it: by the column's style and digits, with the mark.
[[nodiscard]] std::string cell_text(const Column& column, const Cells& cells, numeric::Digits digits);
/// "mean occupancy [packets]"
[[nodiscard]] std::string heading_with_unit(const Column& column);
/// Are its numbers set right in text tables (whole numbers and inputs)?
[[nodiscard]] bool set_right(const Column& column);

/// A key that is in cells but not in the layout is a mistake of the program.
/// \throws std::logic_error  naming it
void require_known_keys(const Document& document);

}  // namespace tailbound::render
