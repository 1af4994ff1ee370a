#include <fmt/format.h>
#include <tailbound/render/formats/text_table.hpp>

#include <algorithm>
#include <initializer_list>

namespace tailbound::render {
namespace {

/// Minimum width of the names of lines [columns].
constexpr std::size_t min_name_width = 16;
/// Lines of prose are not longer, however wide the page is.
constexpr std::size_t max_prose_width = 100;

constexpr std::size_t gap = 2;  // between columns

/// The verdicts of a table in colour, on a terminal.
std::string painted(const std::string& entry) {
  const auto among = [&](std::initializer_list<const char*> words) {
    return std::find(words.begin(), words.end(), entry) != words.end();
  };
  const bool good = among({"inside", "agrees", "trusted", "answered", "yes"}),
             bad = among({"below", "no", "not trusted", "no answer", "does not agree", "differs"}),
             odd = among({"above", "too rare"});
  const char* const code = good ? "32" : bad ? "31" : odd ? "33" : nullptr;
  return code == nullptr ? entry : fmt::format("\033[{}m{}\033[0m", code, entry);
}

/// The lines of a heading, folded to about `wide` columns, but not inside parentheses or before a percent
/// sign.
std::vector<std::string> heading_lines(const std::string& heading, std::size_t wide) {
  constexpr char kept_space = 1;
  std::string text = heading;
  int depth = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    depth += text[i] == '(' ? 1 : text[i] == ')' ? -1 : 0;
    if (text[i] == ' ' && (depth > 0 || text.substr(i) == " %")) text[i] = kept_space;
  }
  std::vector<std::string> lines = folded(text, std::max(wide, longest_word(text)));
  for (std::string& line : lines) std::replace(line.begin(), line.end(), kept_space, ' ');
  return lines;
}

/// Columns of a table that are printed next to each other, with their widths.
class Block {
 public:
  Block(std::size_t indent, const Frame& frame) : width_(indent), frame_(frame) {}

  void add(std::size_t column, std::size_t wide) {
    columns_.push_back(column);
    widths_.push_back(wide);
    width_ += gap + wide;
  }
  [[nodiscard]] const std::vector<std::size_t>& columns() const { return columns_; }
  [[nodiscard]] bool fits(std::size_t wide) const { return width_ + gap + wide <= frame_.width; }

  /// One line, each entry aligned in its column.
  [[nodiscard]] std::string line(const TextTable& table, const std::vector<std::string>& entries,
                                 const std::string& indent) const {
    std::string line = indent;
    for (std::size_t i = 0; i < columns_.size(); ++i) {
      const std::string& entry = entries[columns_[i]];
      const std::string space(widths_[i] - std::min(widths_[i], width(entry)), ' ');
      const std::string text = frame_.styled ? painted(entry) : entry;
      line += std::string(gap, ' ') + (table.right[columns_[i]] ? space + text : text + space);
    }
    line.resize(line.find_last_not_of(' ') + 1);
    return line + "\n";
  }

 private:
  std::vector<std::size_t> columns_, widths_;
  std::size_t width_;
  const Frame& frame_;
};

/// Columns separated by two spaces, each line prefixed with `indent`. A table wider than the page has
/// headings of several lines; if it is still too wide, it continues below with its key columns repeated.
std::string aligned(const TextTable& table, const std::string& indent, const Frame& frame) {
  const std::size_t columns = table.headings.size();
  std::vector<std::size_t> entries(columns, 0), widths(columns);
  for (const auto& row : table.rows)
    for (std::size_t i = 0; i < columns; ++i) entries[i] = std::max(entries[i], width(row[i]));
  std::size_t all = indent.size();
  for (std::size_t i = 0; i < columns; ++i) {
    widths[i] = std::max(entries[i], width(table.headings[i]));
    all += gap + widths[i];
  }
  std::vector<std::vector<std::string>> headings(columns);
  for (std::size_t i = 0; i < columns; ++i) {
    const std::string& heading = table.headings[i];
    headings[i] = all <= frame.width ? std::vector{heading} : heading_lines(heading, entries[i]);
    widths[i] = entries[i];
    for (const std::string& line : headings[i]) widths[i] = std::max(widths[i], width(line));
  }
  std::vector<Block> blocks(1, Block(indent.size(), frame));
  for (std::size_t i = 0; i < columns; ++i) {
    if (!blocks.back().fits(widths[i]) && i > table.keys) {
      blocks.emplace_back(indent.size(), frame);
      for (std::size_t key = 0; key < table.keys; ++key) blocks.back().add(key, widths[key]);
    }
    blocks.back().add(i, widths[i]);
  }
  std::string text;
  for (const Block& block : blocks) {
    if (!text.empty()) text += "\n";
    std::size_t lines = 0;
    for (const std::size_t column : block.columns()) lines = std::max(lines, headings[column].size());
    for (std::size_t at = 0; at < lines; ++at) {
      std::vector<std::string> row(columns);
      for (std::size_t i = 0; i < columns; ++i)
        if (headings[i].size() <= lines && at + headings[i].size() >= lines)
          row[i] = headings[i][at + headings[i].size() - lines];
      text += block.line(table, row, indent);
    }
    for (const auto& row : table.rows) text += block.line(table, row, indent);
  }
  return text;
}

std::string named_lines(const std::vector<Line>& lines, std::size_t wide) {
  std::size_t names = min_name_width;
  for (const Line& line : lines) names = std::max(names, width(line.name) + 2);
  std::string text;
  for (const Line& line : lines) {
    text += "  " + line.name + std::string(names - width(line.name), ' ');
    bool first = true;
    for (const std::string& part : folded(line.text, wide - std::min(wide / 2, names + 2))) {
      text += (first ? "" : std::string(2 + names, ' ')) + part + "\n";
      first = false;
    }
    if (first) text += "\n";
  }
  return text;
}

std::string notes_text(const std::vector<std::string>& notes, std::size_t wide) {
  std::string text;
  for (const std::string& note : notes)
    for (const std::string& line : folded(note, wide - 2)) text += "  " + line + "\n";
  return text;
}

std::string nested_tables(const Document& document, const Result& result, const std::string& indent,
                          const Frame& frame) {
  std::string text;
  for (const Rows& rows : result.tables) {
    if (!rows.in_text || rows.size == 0) continue;
    text += "\n";
    if (!rows.caption.empty()) text += indent + "  " + rows.caption + "\n\n";
    text +=
        aligned(rows_table(table_layout(*document.layout, rows.key), rows, document.digits), indent, frame);
  }
  return text;
}

/// The table of the results; of a sweep, one for each command, with its columns only.
std::string results_text(const Document& document, const Frame& frame) {
  if (!document.layout->open) return aligned(results_table(document), "", frame);
  const auto command_of = [](const Result& result) {
    const Value command = value_of(result.inputs, "command");
    return std::holds_alternative<None>(command) ? std::string() : brief(command);
  };
  std::vector<std::string> commands;
  for (const Result& result : document.results)
    if (std::find(commands.begin(), commands.end(), command_of(result)) == commands.end())
      commands.push_back(command_of(result));
  std::string text;
  for (const std::string& command : commands) {
    Document its{.layout = document.layout, .headline = {}, .results = {}, .digits = document.digits};
    for (const Result& result : document.results)
      if (command_of(result) == command) its.results.push_back(result);
    std::string caption = command;
    for (const Column& column : document.layout->inputs)
      if (column.key != "command" && column.style != Style::hidden)
        caption += constant_in_words(its, column.key);
    if (!text.empty()) text += "\n";
    for (const std::string& line : folded(caption + ":", frame.width)) text += line + "\n";
    text += "\n" + aligned(results_table(its), "", frame);
  }
  return text;
}

std::string stop_note(const Document& document) {
  return document.stopped
             ? "  STOPPED after " + document.stopped_after + ": the results below are incomplete.\n\n"
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

std::string quiet_text(const Document& document, const Frame& frame) {
  const Layout& layout = *document.layout;
  std::string text = document.stopped ? "# stopped after " + document.stopped_after + "\n" : "";
  if (layout.quiet.empty() && layout.quiet_table.empty())
    return text + aligned(results_table(document, true), "", frame);
  for (const Result& result : document.results) {
    if (layout.quiet_table.empty()) {
      const std::string values = values_of(layout.quiet, layout.results, result.cells, document.digits);
      // A point without an answer keeps its line.
      const bool has_status = !std::holds_alternative<None>(value_of(result.cells, "status"));
      text += values.empty() && has_status ? "-\n" : values;
      continue;
    }
    for (const Rows& rows : result.tables) {
      if (rows.key != layout.quiet_table) continue;
      const TableLayout& table = table_layout(layout, rows.key);
      if (layout.quiet.empty()) text += aligned(rows_table(table, rows, document.digits), "", frame);
      for (std::size_t i = 0; i < rows.size; ++i)
        text += values_of(layout.quiet, table.columns, rows.row(i), document.digits);
    }
  }
  return text;
}

}  // namespace

std::string to_text(const Document& document, const Frame& frame) {
  if (frame.quiet) return quiet_text(document, frame);
  const std::size_t prose = std::min(frame.width, max_prose_width);
  std::string text = document.headline.empty() ? "\n" : "";
  for (const std::string& line : folded(document.headline, prose))
    text += (frame.styled ? "\033[1m" + line + "\033[0m" : line) + "\n";
  for (const std::string& line : folded(document.settings, prose)) text += line + "\n";
  text += "\n" + stop_note(document);
  if (document.results.size() == 1 && !document.results.front().lines.empty()) {
    const Result& result = document.results.front();
    text += named_lines(result.lines, prose) + nested_tables(document, result, "  ", frame);
  } else {
    text += results_text(document, frame);
    for (const Result& result : document.results) {
      const std::string tables = nested_tables(document, result, "", frame);
      if (!tables.empty() && !result.caption.empty()) {
        text += "\n";
        for (const std::string& line : folded(result.caption, prose)) text += line + "\n";
      }
      text += tables;
    }
  }
  const std::string notes = notes_text(document.notes, prose);
  return notes.empty() ? text : text + "\n" + notes;
}

}  // namespace tailbound::render
