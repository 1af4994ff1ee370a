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

/// The presentation of an answer, independent of the format: a Document holds the numbers, a Layout describes
/// each key. One file per format (text, json, csv, markdown, html) writes it. One file per command in
/// documents/ creates the Document; only that file contains keys, headings, units and sentences.
namespace tailbound::render {

/// The kind of values in a column. It determines the columns of the CSV and the type in the JSON Schema.
enum class Shape {
  text,
  texts,     ///< a list of strings
  flag,      ///< true or false
  whole,     ///< an integer
  slots,     ///< an integer; where links differ in speed, a decimal
  given,     ///< an exact input: a decimal, and its fraction
  givens,    ///< a list of inputs
  proved,    ///< exact or an enclosure
  claim,     ///< exact, an enclosure or an approximation
  bound,     ///< a bound, or an asymptote
  model,     ///< of an approximate model
  estimate,  ///< with its confidence interval
  number,    ///< any of the above
};

/// Rounding and display of a number in text; data formats do not round.
enum class Style {
  plain,
  percent,         ///< 0.1 is shown as 10.0 %
  signed_percent,  ///< the same as +10.0 %
  hidden,          ///< not in text tables: for data formats only
};

/// One key of the output.
struct Column {
  std::string key;      ///< the JSON key and the stem of the CSV columns: "mean_occupancy"
  std::string heading;  ///< in text tables: "mean occupancy"
  std::string unit;     ///< "packets", "slots", "packets/slot"; "" if none
  Shape shape = Shape::text;
  std::string meaning;  ///< a description for the list of keys, with the range
  Style style = Style::plain;
  /// Maximum digits of proved numbers, models and inputs in text tables (0: as many as are certain).
  int digits = 0;
  /// Key stem of the same number in other units (units.hpp); default: its key; "" gives "bytes", "ns".
  std::optional<std::string> stem{};
};

/// A table inside a result: percentiles, hops, channels.
struct TableLayout {
  std::string key;      ///< "percentiles"
  std::string meaning;  ///< description of its rows
  std::vector<Column> columns;
};

/// Tables inside results appear in text up to this number of results, unless a document overrides it.
inline constexpr std::size_t max_tables = 3;

/// All keys that a command may output. A key is present if the query needs it.
struct Layout {
  std::string command;          ///< "simulate tree"
  std::vector<Column> inputs;   ///< parameters of one point
  std::vector<Column> results;  ///< results of one point
  std::vector<TableLayout> tables{};
  /// --quiet prints these keys of each result, or of each row of `quiet_table`, separated by spaces; without
  /// keys the whole `quiet_table`, and only the text table of the results if both are empty.
  std::vector<std::string> quiet{};
  std::string quiet_table{};
  /// Keys that the headline states for all results: the text table omits them, except with --quiet.
  std::vector<std::string> stated{};
  bool open = false;  ///< also contains keys of other commands that it runs
};

struct Cell {
  std::string key;
  Value value;
  std::string mark{};  ///< appended to the number in text tables: " *"
};
using Cells = std::vector<Cell>;

/// The value of a key; None if it is not there.
[[nodiscard]] Value value_of(const Cells& cells, std::string_view key);

/// Shared data from which rows and pictures are created on demand; kept alive by any of them.
template <class Of>
using Shared = std::shared_ptr<const std::vector<Of>>;
template <class Of>
[[nodiscard]] Shared<Of> share(std::vector<Of> all) {
  return std::make_shared<const std::vector<Of>>(std::move(all));
}

/// The rows of one table of a result, all with the keys of the first. They are created one at a time, so that
/// a million rows cost only their text.
struct Rows {
  std::string key;  ///< of the TableLayout
  std::size_t size = 0;
  std::function<Cells(std::size_t)> row;
  std::string caption{};  ///< heading in text
  bool in_text = true;    ///< false: already stated in the lines
};

/// A named value for text: "mean occupancy  4.7 packets, exact". Line breaks are followed by an indent.
struct Line {
  std::string name, text;
};

/// The results for one point of a query.
struct Result {
  Cells inputs;
  Cells cells;
  std::vector<Rows> tables{};
  std::vector<Line> lines{};  ///< text shown instead of the cells if this is the only result
  std::string caption{};      ///< heading of its tables in text if there are several results
  Cells text_cells{};         ///< of Document::text_columns
};

/// The answer in one sentence. The kinds of the numbers that it states decide how it begins: with "About"
/// unless
/// each is exact or proved. So no headline can claim more than its numbers.
/// TESTS  tests/golden/headlines_test.cpp
class Headline {
 public:
  Headline() = default;
  /// \param quoted  the numbers of the answer in `sentence`, or those whose kind they share: the
  /// probability at
  ///                a buffer size, which is itself only an integer
  Headline(std::string sentence, const std::vector<Value>& quoted);
  /// "Mean occupancy 4.7 packets; ..", or "About 4.7 packets is the mean occupancy; ..".
  /// \param name  may end with a colon, which the second form omits
  /// \param number  as text with its unit  \param rest  of the sentence, without the full stop
  Headline(const std::string& name, const std::string& number, const std::string& rest,
           const std::vector<Value>& quoted);
  /// A sentence that states no number of the model: inputs, counts, facts, verdicts.
  /// \param as_written  it begins with a name, which keeps its first letter
  [[nodiscard]] static Headline without_numbers(std::string sentence, bool as_written = false);
  /// "Incomplete: of 3 of 240 flows, about .."; nothing if `remark` is empty.
  [[nodiscard]] Headline after(const std::string& remark) const;
  /// With another sentence, which states no number of the model.
  [[nodiscard]] Headline then(const std::string& sentence) const;

  [[nodiscard]] const std::string& text() const { return text_; }
  [[nodiscard]] bool empty() const { return text_.empty(); }
  operator const std::string&() const { return text_; }

 private:
  std::string text_;
};

/// Sizes of the units that were requested.
struct UnitScale {
  std::optional<numeric::Rational> bytes_of_packet{};  ///< [bytes]
  std::optional<numeric::Rational> ns_of_slot{};       ///< [ns]
};

struct Document {
  std::shared_ptr<const Layout> layout;
  Headline headline;
  std::string settings{};  ///< what it is the answer to: "Output queue, 16 inputs at load 0.9."
  std::vector<Result> results;
  std::vector<std::string> notes{};  ///< notes on the accuracy of the numbers, one paragraph each
  numeric::Digits digits{};          ///< of proved numbers
  bool stopped = false;              ///< on request: the answer is incomplete
  std::string stopped_after{};       ///< "4 of 9 points", "with 12 of 64 batches done"
  UnitScale scale{};                 ///< of pictures; of columns: render/units.hpp
  std::vector<std::string> names{};  ///< never typeset: AsWritten (drawing/typeset.hpp)
  /// Drawn only on demand. \throws NoAnswer  there is nothing to draw
  std::function<Picture()> picture{};
  /// Further pictures for pages: the network itself, the answer against the load. \throws NoAnswer  nothing
  /// to draw
  std::vector<std::function<Picture()>> further_pictures{};
  /// Additional columns of the text table of several results, for data that other formats have in the tables
  /// of each.
  std::vector<Column> text_columns{};
  /// An input: in long tables of text, results with equal cells apart from it share a row. Empty: none do.
  std::string merged_by{};
};

/// The value of a column of the only result, "17.75 +- 0.12"; of several the smallest and the largest,
/// "26 to 157", or "26" if they are equal. Empty if no result has one.
[[nodiscard]] std::string range_in_words(const Document& document, std::string_view key);
/// A column of all results.
[[nodiscard]] std::vector<Value> values_of(const Document& document, std::string_view key);
/// ", load 0.1 flits/cycle/node": an input that is the same in all results, so that their table does not
/// show it; otherwise empty.
[[nodiscard]] std::string constant_in_words(const Document& document, std::string_view key);
/// "Minimum buffer: 26 to 157 packets.": `what`, and the range of the column that --quiet prints.
/// \param unit  " packets", or empty  \param proof  further numbers, whose kind those in the column share
[[nodiscard]] Headline range_headline(const Document& document, const std::string& what,
                                      const std::string& unit, std::vector<Value> proof = {});

/// Information about the program and the command line.
struct Frame {
  std::string version;
  bool quiet = false;
  std::string command_line{};  ///< the command line, for formats that show it
  std::size_t width = 100;     ///< of a page of text [columns], 40 or more
  bool styled = false;         ///< text with escape codes of a terminal: a bold headline, coloured verdicts
};

/// Adds a note for each assumption of its proved numbers (assumes()).
void add_assumptions(Document& document);

/// Marks it as stopped: "4 of 9 points".
void mark_stopped(Document& document, std::size_t finished, std::size_t requested);

/// One of its pictures in the units that were requested, its names as written.
[[nodiscard]] Picture as_requested(const Document& document, Picture picture);

/// Its picture, marked if the document is stopped. At most the first `max_curves` curves are included; the
/// note then gives the total number.  \throws NoAnswer  there is nothing to draw
/// \param with_headline  in the note: for a picture that is alone
[[nodiscard]] Picture picture_of(const Document& document, std::size_t max_curves = max_distinct_curves,
                                 bool with_headline = true);

// --- one file each
[[nodiscard]] std::string to_text(const Document& document, const Frame& frame);
[[nodiscard]] std::string to_json(const Document& document, const Frame& frame);
[[nodiscard]] std::string to_csv(const Document& document, const Frame& frame);
[[nodiscard]] std::string to_markdown(const Document& document, const Frame& frame);

// --- for the formats

[[nodiscard]] bool has_column(const std::vector<Column>& columns, const std::string& key);

/// The columns of `columns` with a cell in any of the rows, in the order of `columns`.
[[nodiscard]] std::vector<const Column*> columns_used(const std::vector<Column>& columns,
                                                      const std::vector<const Cells*>& rows);
/// The inputs that differ between results, shown in a table of several results.
[[nodiscard]] std::vector<const Column*> varying_inputs(const Document& document);
[[nodiscard]] const TableLayout& table_layout(const Layout& layout, std::string_view key);
/// The text of a cell in text tables: with the column's style and digits, and the mark.
[[nodiscard]] std::string cell_text(const Column& column, const Cells& cells, numeric::Digits digits);
/// "mean occupancy [packets]"
[[nodiscard]] std::string heading_with_unit(const Column& column);
/// Are its numbers right-aligned in text tables (integers and inputs)?
[[nodiscard]] bool right_aligned(const Column& column);

/// A key in cells that is not in the layout is a programming error.
/// \throws std::logic_error  with the key
void require_known_keys(const Document& document);

}  // namespace tailbound::render
