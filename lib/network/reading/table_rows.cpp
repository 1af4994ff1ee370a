#include <tailbound/core/trimmed.hpp>
#include <tailbound/core/words.hpp>
#include <tailbound/network/reading/table_rows.hpp>

#include <algorithm>

namespace tailbound::network {
namespace {

constexpr std::size_t max_cells = 100'001;  ///< of a row
constexpr std::string_view minus = "\xE2\x88\x92", en_dash = "\xE2\x80\x93", em_dash = "\xE2\x80\x94";

bool is_decimal(char c) {
  return c >= '0' && c <= '9';
}

bool is_dash(std::string_view cell) {
  return cell == "-" || cell == "--" || cell == minus || cell == en_dash || cell == em_dash;
}

/// "0,2", but not "1,234,567".
bool has_decimal_comma(std::string_view cell) {
  const std::size_t comma = cell.find(',');
  if (comma == std::string_view::npos || comma == 0 || comma + 1 == cell.size()) return false;
  return cell.find_first_of(",.", comma + 1) == std::string_view::npos &&
         cell.find('.') == std::string_view::npos && is_decimal(cell[comma - 1]) &&
         is_decimal(cell[comma + 1]);
}

/// |---|:--:| of Markdown
bool is_rule(const std::vector<TableCell>& cells) {
  return std::all_of(cells.begin(), cells.end(), [](const TableCell& cell) {
    return cell.text.size() >= 3 && cell.text.find_first_not_of("-:") == std::string::npos;
  });
}

}  // namespace

char separator_of(std::string_view row) {
  constexpr std::string_view separators = "\t;|,";
  std::array<std::size_t, 4> counts{};
  bool quoted = false, blank_inside = false;
  const std::string_view inside = trimmed(row);
  for (const char c : row) {
    if (c == '"') quoted = !quoted;
    if (quoted) continue;
    if (const std::size_t at = separators.find(c); at != std::string_view::npos) ++counts[at];
  }
  blank_inside = inside.find(' ') != std::string_view::npos;
  const auto maximum = std::max_element(counts.begin(), counts.end());
  if (*maximum > 0) return separators[static_cast<std::size_t>(maximum - counts.begin())];
  return blank_inside ? ' ' : ',';
}

std::string number_of(std::string_view cell, char separator) {
  if (is_dash(cell)) return {};
  std::string text(cell);
  if (separator != ',' && has_decimal_comma(cell)) text[text.find(',')] = '.';
  return text;
}

bool is_number_cell(std::string_view cell, char separator) {
  const std::string text = number_of(cell, separator);
  if (text.empty()) return true;
  const std::size_t first = text.find_first_not_of("+-.");
  if (first == std::string::npos || !is_decimal(text[first])) return false;
  const std::size_t behind = text.find_first_not_of("0123456789.eE+-/", first);
  return behind == std::string::npos || text.find_first_of("%kKMGTbps/ ", behind) == behind;
}

std::string too_many_cells(std::span<const TableCell> row, std::size_t named) {
  while (row.size() > named && row.back().text.empty()) row = row.first(row.size() - 1);
  if (row.size() <= named) return {};
  return "a row of " + std::to_string(row.size()) + " cells; the first has " + std::to_string(named) +
         " (decimals have a point where commas separate cells)";
}

End end_in_words(std::string_view word) {
  const std::string text = lower_case(trimmed(word));
  if (is_one_of(text, {"from", "src", "source", "sources", "origin", "orig", "ingress", "sender"}))
    return End::source;
  if (is_one_of(text,
                {"to", "dst", "dest", "destination", "destinations", "target", "egress", "receiver", "sink"}))
    return End::destination;
  return End::neither;
}

std::optional<PairColumns> pair_columns(std::span<const std::string> header) {
  std::optional<std::size_t> from, to, rate;
  for (std::size_t at = 0; at < header.size(); ++at) {
    const End end = end_in_words(header[at]);
    if (end == End::source && !from) from = at;
    if (end == End::destination && !to) to = at;
    if (!rate && is_one_of(lower_case(trimmed(header[at])),
                           {"rate", "load", "demand", "traffic", "value", "volume", "weight", "share",
                            "bandwidth", "bw", "flow", "probability", "gbps", "rate_gbps", "pir"}))
      rate = at;
  }
  if (!from || !to || !rate) return std::nullopt;
  return PairColumns{*from, *to, *rate, header.size()};
}

std::optional<std::array<std::string_view, 3>> arrow_row(std::string_view line) {
  line = trimmed(line.substr(0, line.find('#')));
  const std::size_t arrow = line.find("->");
  if (arrow == std::string_view::npos) return std::nullopt;
  const std::string_view right = line.substr(arrow + 2);
  std::size_t at = right.rfind(':');
  if (at == std::string_view::npos) at = right.find_last_of("\t,;=");
  if (at == std::string_view::npos) return std::nullopt;
  std::array<std::string_view, 3> parts{trimmed(line.substr(0, arrow)), trimmed(right.substr(0, at)),
                                        trimmed(right.substr(at + 1))};
  if (parts[0].empty() || parts[1].empty() || !is_number_cell(parts[2], ' ')) return std::nullopt;
  return parts;
}

TableRows::TableRows(const FileText& file) : file_(file), text_(file.text()) {
  if (skip_to_row()) separator_ = separator_of(first_line());
}

std::string_view TableRows::first_line() const {
  return text_.substr(at_, text_.find('\n', at_) - at_);
}

/// To the start of a line that is neither blank nor a comment.
bool TableRows::skip_to_row() {
  while (at_ < text_.size()) {
    const std::size_t front = at_;
    const Place place = place_;
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\r' || text_[at_] == '\t')) step();
    if (at_ == text_.size()) return false;
    if (text_[at_] != '#' && text_[at_] != '%' && text_[at_] != '\n') {
      at_ = front;
      place_ = place;
      return true;
    }
    while (at_ < text_.size() && text_[at_] != '\n') step();
    if (at_ < text_.size()) step();
  }
  return false;
}

std::optional<std::vector<TableCell>> TableRows::next() {
  while (skip_to_row()) {
    std::vector<TableCell> cells = row();
    if (separator_ == '|' && cells.size() > 2 && cells.front().text.empty() && cells.back().text.empty()) {
      cells.erase(cells.begin());
      cells.pop_back();
      if (is_rule(cells)) continue;
    }
    return cells;
  }
  return std::nullopt;
}

std::optional<TableCell> TableRows::next_line() {
  if (!skip_to_row()) return std::nullopt;
  const std::string_view line = first_line();
  TableCell cell{std::string(line.substr(0, line.find('#'))), place_};
  while (at_ < text_.size() && text_[at_] != '\n') step();
  return cell;
}

std::vector<TableCell> TableRows::row() {
  std::vector<TableCell> cells;
  while (true) {
    if (cells.size() == max_cells) file_.fail(place_, "a row has more than 100001 cells, the limit");
    cells.push_back(cell());
    if (at_ == text_.size()) return cells;
    const bool last = text_[at_] == '\n';
    step();
    if (last) return cells;
  }
}

bool TableRows::ends_cell() const {
  return at_ == text_.size() || text_[at_] == separator_ || text_[at_] == '\n';
}

/// Up to the separator, the end of the line or of the text, exclusive.
TableCell TableRows::cell() {
  skip_spaces();
  TableCell cell{{}, place_};
  if (at_ < text_.size() && text_[at_] == '"') {
    read_quoted(cell);
    if (separator_ != ' ') skip_spaces();
    if (!ends_cell()) {
      if (separator_ == ',') file_.fail(place_, "a comma or the end of the line must follow a quoted cell");
      file_.fail(place_, "the separator of cells or the end of the line must follow a quoted cell");
    }
  } else {
    const std::size_t begin = at_;
    while (!ends_cell()) step();
    cell.text = trimmed(text_.substr(begin, at_ - begin));
  }
  if (separator_ == ' ') skip_spaces();
  if (separator_ == ' ' && !ends_cell()) --at_, --place_.column;  // the row skips one blank
  return cell;
}

void TableRows::read_quoted(TableCell& cell) {
  for (step(); at_ < text_.size(); step()) {
    if (text_[at_] == '"') {
      step();
      if (at_ == text_.size() || text_[at_] != '"') return;
    }
    cell.text += text_[at_];
  }
  file_.fail(cell.place, "the quotation mark that opens here is not closed");
}

void TableRows::skip_spaces() {
  while (at_ < text_.size() &&
         (text_[at_] == ' ' || text_[at_] == '\r' || (text_[at_] == '\t' && separator_ != '\t')))
    step();
}

}  // namespace tailbound::network
