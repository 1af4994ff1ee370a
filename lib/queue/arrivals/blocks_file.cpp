#include <tailbound/core/error.hpp>
#include <tailbound/numeric/text/decimal.hpp>
#include <tailbound/queue/arrivals/blocks_file.hpp>

#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <utility>

namespace tailbound::queue {
namespace {

using numeric::Integer;
using numeric::NumberLimits;
using numeric::Rational;

constexpr std::size_t max_bytes = 64'000'000;
/// Sufficient for every fraction whose denominator is within the limit of bits.
constexpr NumberLimits number_limits{.characters = 2500, .exponent = 999};
constexpr std::size_t max_denominator_bits = 4096;
constexpr std::size_t max_file_bits = std::size_t{1} << 30U;

bool is_space(char c) {
  return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && is_space(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_space(text.back())) text.remove_suffix(1);
  return text;
}

/// In double quotes, truncated for a message.
std::string in_quotes(std::string_view text) {
  std::string shown;
  for (const char c : text.substr(0, 40)) shown += c < ' ' || c > '~' ? '?' : c;
  return '"' + shown + (text.size() > 40 ? "...\"" : "\"");
}

/// The input text and its name in messages. Offsets count from 0.
class Text {
 public:
  Text(std::string_view text, const std::string& source) : text_(text), source_(source) {
    if (text_.size() > max_bytes)
      throw ParseError(source_, 0, 0,
                       "the file has " + std::to_string(text_.size()) + " bytes; at most " +
                           std::to_string(max_bytes) + " are read");
    if (text_.substr(0, 3) == "\xEF\xBB\xBF") text_.remove_prefix(3);
  }

  [[nodiscard]] std::string_view view() const { return text_; }
  [[nodiscard]] std::size_t offset(std::string_view part) const {
    return static_cast<std::size_t>(part.data() - text_.data());
  }

  [[noreturn]] void fail(std::size_t offset, const std::string& what) const {
    std::size_t line = 1, column = 1;
    for (const char c : text_.substr(0, offset)) {
      if (c == '\n') {
        ++line;
        column = 1;
      } else if ((static_cast<unsigned char>(c) & 0xC0U) != 0x80U) {  // not inside a character
        ++column;
      }
    }
    throw ParseError(source_, line, column, what);
  }

 private:
  std::string_view text_;
  const std::string& source_;
};

/// Collects numbers into rows and rows into matrices; checks shape and limits.
class Collector {
 public:
  explicit Collector(const Text& text) : text_(text) {}

  void begin_matrix(std::size_t offset) {
    if (blocks_.size() == MarkovArrivals::max_blocks)
      text_.fail(offset, "more than " + std::to_string(MarkovArrivals::max_blocks) + " matrices");
    blocks_.emplace_back();
    matrix_start_ = offset;
  }

  /// \param hint  another possible reason for an extra row
  void begin_row(std::size_t offset, const std::string& hint = "") {
    if (size_ > 0 && blocks_.back().size() == size_)
      text_.fail(offset, matrix() + " has more than " + std::to_string(size_) + shape() + hint);
    blocks_.back().emplace_back();
    row_start_ = offset;
  }

  void add(std::string_view number, std::size_t offset) {
    auto& row = blocks_.back().back();
    if (row.size() == MarkovArrivals::max_phases)
      text_.fail(offset, "more than " + std::to_string(MarkovArrivals::max_phases) + " numbers in a row");
    row.push_back(entry(number, offset));
    const std::size_t place = blocks_.back().size() - 1;
    if (rows_.size() <= place) rows_.emplace_back();
    rows_[place].add(row.back(), number);
    kind_.add(row.back(), numeric::written_digits(number));
  }

  void end_row() {
    const std::size_t count = blocks_.back().back().size();
    if (count == 0) text_.fail(row_start_, "a row without numbers");
    if (size_ == 0) size_ = count;
    if (count != size_)
      text_.fail(row_start_, "row " + std::to_string(blocks_.back().size()) + " of " + matrix() + " has " +
                                 std::to_string(count) + " numbers; it must have " + std::to_string(size_) +
                                 ", as the first row of D_0");
  }

  void end_matrix() {
    if (size_ == 0 || blocks_.back().size() < size_)
      text_.fail(matrix_start_, matrix() + " has only " + std::to_string(blocks_.back().size()) +
                                    (size_ == 0 ? " rows" : " of " + std::to_string(size_) + shape()));
  }

  RationalBlocks take() {
    if (blocks_.empty()) text_.fail(0, "no matrices found");
    return std::move(blocks_);
  }

  /// The same, each row divided by its sum.
  BlocksOfFile take_normalised(series::Normalise normalise) {
    BlocksOfFile result{.blocks = take()};
    for (std::size_t i = 0; i < size_; ++i) {
      const Rational& sum = rows_[i].sum();
      const std::string row = "row " + std::to_string(i + 1) + " over all matrices: ";
      if (sum == 0) text_.fail(0, row + "every probability is 0");
      if (!rows_[i].accepted(normalise, kind_.floats()))
        text_.fail(0, row + rows_[i].complaint(normalise) + "; --normalize divides each row by its sum");
      if (sum == 1) continue;
      if (numeric::abs(sum - 1) > numeric::abs(result.deviation)) result.deviation = sum - 1;
      for (auto& matrix : result.blocks)
        for (Rational& entry : matrix[i]) entry = entry / sum;
    }
    return result;
  }

 private:
  [[nodiscard]] std::string matrix() const { return "D_" + std::to_string(blocks_.size() - 1); }
  [[nodiscard]] static std::string shape() {
    return " rows; the matrices must have as many rows as the first row of D_0 has numbers";
  }

  [[nodiscard]] Rational entry(std::string_view number, std::size_t offset) {
    Rational value;
    try {
      value = numeric::parse_rational(number, "an entry", number_limits);
    } catch (const InvalidArgument& error) {
      text_.fail(offset, "an entry is " + in_quotes(number) + "; it must be " + error.legal());
    }
    if (value < 0 || value > 1)
      text_.fail(offset, "an entry is " + in_quotes(number) + "; it must be a probability, from 0 to 1");
    const Integer denominator = numeric::denominator(value);
    if (numeric::mod(denominator_, denominator) != 0) denominator_ = numeric::lcm(denominator_, denominator);
    if (numeric::bit_length(denominator_) > max_denominator_bits)
      text_.fail(offset, "the common denominator of all numbers up to here has more than " +
                             std::to_string(max_denominator_bits) + " bits");
    bits_ += numeric::bit_size(value);
    if (bits_ > max_file_bits) text_.fail(offset, "the numbers up to here take more than 2^30 bits");
    return value;
  }

  const Text& text_;
  RationalBlocks blocks_;
  std::size_t size_ = 0;                  ///< rows of a matrix, numbers of a row; 0 until the first row ends
  std::vector<series::WrittenSum> rows_;  ///< [i]: row i of all matrices
  series::WrittenKind kind_;
  std::size_t matrix_start_ = 0, row_start_ = 0, bits_ = 0;
  Integer denominator_ = 1;
};

/// Receives the tokens of nlohmann's parser. That gives no positions, and numbers as doubles. So this scans
/// the text in step with the parser and reads the numbers itself.
class JsonEvents : public nlohmann::json_sax<nlohmann::json> {
 public:
  JsonEvents(const Text& text, Collector& collector) : text_(text), collector_(collector) {}

  bool null() override { reject("null"); }
  bool boolean(bool /*value*/) override { reject("true or false"); }
  bool number_integer(number_integer_t /*value*/) override { return number(); }
  bool number_unsigned(number_unsigned_t /*value*/) override { return number(); }
  bool number_float(number_float_t /*value*/, const string_t& /*raw*/) override { return number(); }
  bool binary(binary_t& /*value*/) override { reject("binary data"); }

  bool string(string_t& value) override {
    if (depth_ < in_row) reject("a string");
    collector_.add(value, text_.offset(token()));
    return true;
  }

  bool start_array(std::size_t /*elements*/) override {
    if (depth_ == in_row || (in_object_ && !has_blocks_)) reject("a list");
    const std::size_t offset = text_.offset(token());
    if (depth_ == in_list) collector_.begin_matrix(offset);
    if (depth_ == in_matrix) collector_.begin_row(offset);
    ++depth_;
    return true;
  }

  bool end_array() override {
    token();
    if (depth_ == in_row) collector_.end_row();
    if (depth_ == in_matrix) collector_.end_matrix();
    --depth_;
    return true;
  }

  bool start_object(std::size_t /*elements*/) override {
    if (depth_ > outside || in_object_) reject("an object");
    token();
    in_object_ = true;
    return true;
  }

  bool key(string_t& name) override {
    const std::size_t offset = text_.offset(token());
    if (name != "blocks") text_.fail(offset, "the key " + in_quotes(name) + "; only \"blocks\" is known");
    if (has_blocks_) text_.fail(offset, "a second \"blocks\"");
    has_blocks_ = true;
    return true;
  }

  bool end_object() override {
    const std::size_t offset = text_.offset(token());
    if (!has_blocks_) text_.fail(offset, "the object has no \"blocks\"");
    return true;
  }

  bool parse_error(std::size_t position, const std::string& /*last*/,
                   const nlohmann::json::exception& error) override {
    // "[json.exception...] parse error at line 1, column 2: syntax error ...; last read: '...'": the last
    // part may be as long as the text.
    std::string what = error.what();
    what.resize(std::min(what.find("; last read"), what.size()));
    const std::size_t head = what.find(": ");
    if (head != std::string::npos) what.erase(0, head + 2);
    constexpr int number_overflow = 406;
    if (error.id == number_overflow) what = "a number outside 0 to 1, so not a probability";
    text_.fail(std::min(std::max<std::size_t>(position, 1) - 1, text_.view().size()), "JSON: " + what);
  }

 private:
  enum Depth : std::size_t { outside, in_list, in_matrix, in_row };

  bool number() {
    if (depth_ < in_row) reject("a number");
    const std::string_view raw = token();
    collector_.add(raw, text_.offset(raw));
    return true;
  }

  [[noreturn]] void reject(const std::string& found) {
    static constexpr std::array<const char*, 4> wanted{"a list of matrices", "a matrix: a list of rows",
                                                       "a row: a list of numbers", "a number"};
    text_.fail(text_.offset(token()), std::string("expected ") + wanted.at(depth_) + ", found " + found);
  }

  /// The next token of a text that the parser has accepted up to there.
  std::string_view token() {
    const std::string_view text = text_.view();
    const auto between = [](char c) { return is_space(c) || c == ',' || c == ':'; };
    while (at_ < text.size() && between(text[at_])) ++at_;
    const std::size_t start = at_;
    if (at_ == text.size()) return text.substr(start);
    const char first = text[at_++];
    if (first == '"') {  // a string with an escaped quote is rejected immediately
      at_ = std::min(text.find('"', at_), text.size() - 1) + 1;
    } else if (first != '[' && first != ']' && first != '{' && first != '}') {
      while (at_ < text.size() && !between(text[at_]) && text[at_] != ']' && text[at_] != '}') ++at_;
    }
    return text.substr(start, at_ - start);
  }

  const Text& text_;
  Collector& collector_;
  std::size_t at_ = 0, depth_ = outside;
  bool in_object_ = false, has_blocks_ = false;
};

class CsvReader {
 public:
  CsvReader(const Text& text, Collector& collector) : text_(text), collector_(collector) {}

  void read() {
    for (std::string_view rest = text_.view(); !rest.empty();) {
      const std::size_t end = std::min(rest.find('\n'), rest.size());
      read_line(rest.substr(0, end));
      rest.remove_prefix(std::min(end + 1, rest.size()));
    }
    end_matrix();
  }

 private:
  void read_line(std::string_view line) {
    const std::size_t comment = line.find('#');
    const std::string_view row = trimmed(line.substr(0, comment));
    if (!row.empty())
      read_row(row);
    else if (comment == std::string_view::npos)
      end_matrix();
  }

  void read_row(std::string_view row) {
    if (!in_matrix_) collector_.begin_matrix(text_.offset(row));
    in_matrix_ = true;
    collector_.begin_row(text_.offset(row), "; separate matrices by a blank line");
    for (std::size_t start = 0; start <= row.size();) {
      const std::size_t end = std::min(row.find(',', start), row.size());
      std::string_view cell = row.substr(start, end - start);
      while (!cell.empty() && is_space(cell.front())) cell.remove_prefix(1);
      const std::size_t offset = text_.offset(cell);
      cell = trimmed(cell);
      if (cell.size() > 1 && cell.front() == '"' && cell.back() == '"')
        cell = cell.substr(1, cell.size() - 2);
      collector_.add(cell, offset);
      start = end + 1;
    }
    collector_.end_row();
  }

  void end_matrix() {
    if (in_matrix_) collector_.end_matrix();
    in_matrix_ = false;
  }

  const Text& text_;
  Collector& collector_;
  bool in_matrix_ = false;
};

void read(const Text& file, Collector& collector) {
  const std::string_view content = trimmed(file.view());
  if (!content.empty() && (content.front() == '[' || content.front() == '{')) {
    JsonEvents events(file, collector);
    nlohmann::json::sax_parse(file.view().begin(), file.view().end(), &events);
  } else {
    CsvReader(file, collector).read();
  }
}

}  // namespace

RationalBlocks parse_blocks(std::string_view text, const std::string& source) {
  const Text file(text, source);
  Collector collector(file);
  read(file, collector);
  return collector.take();
}

BlocksOfFile read_blocks(std::string_view text, const std::string& source, series::Normalise normalise) {
  const Text file(text, source);
  Collector collector(file);
  read(file, collector);
  return collector.take_normalised(normalise);
}

}  // namespace tailbound::queue
