#include <tailbound/core/trimmed.hpp>
#include <tailbound/network/reading/file_text.hpp>
#include <tailbound/numeric/rational.hpp>
#include <tailbound/numeric/text/quantity.hpp>

#include <algorithm>
#include <utility>

namespace tailbound::network {
namespace {

constexpr std::size_t max_bytes = 64'000'000;
constexpr std::size_t max_values = 10'000'000;
constexpr std::size_t deepest_nesting = 16;
constexpr std::size_t max_key_parts = 8;
constexpr std::size_t longest_number = 200;
constexpr std::size_t max_denominator_bits = 256;
constexpr unsigned long longest_burst = 1'000'000'000;

Place place_of(std::string_view text, std::size_t offset) {
  Place place{1, 1};
  for (const char c : text.substr(0, offset)) {
    if (c == '\n')
      place = {place.line + 1, 1};
    else if ((static_cast<unsigned char>(c) & 0xC0) != 0x80)  // not inside a character
      ++place.column;
  }
  return place;
}

/// Length of the character at the front of `rest`, 0 if it is not UTF-8 (RFC 3629: no surrogates, no
/// overlong forms, nothing above U+10FFFF).
std::size_t character_length(std::string_view rest) {
  const auto byte = [rest](std::size_t i) { return static_cast<unsigned char>(rest[i]); };
  const unsigned first = byte(0);
  if (first < 0x80) return 1;
  const std::size_t length = first < 0xC2 ? 0 : first < 0xE0 ? 2 : first < 0xF0 ? 3 : first < 0xF5 ? 4 : 0;
  if (length == 0 || rest.size() < length) return 0;
  const unsigned low = first == 0xE0 ? 0xA0 : first == 0xF0 ? 0x90 : 0x80;
  const unsigned high = first == 0xED ? 0x9F : first == 0xF4 ? 0x8F : 0xBF;
  if (byte(1) < low || byte(1) > high) return 0;
  for (std::size_t i = 2; i < length; ++i)
    if (byte(i) < 0x80 || byte(i) > 0xBF) return 0;
  return length;
}

/// Scans TOML outside of strings and comments.
class ShapeCheck {
 public:
  explicit ShapeCheck(const FileText& file) : file_(file), text_(file.text()) {}

  void run() {
    while (at_ < text_.size()) {
      const char c = text_[at_];
      if (c == '"' || c == '\'')
        take_string(c);
      else if (c == '#')
        at_ = std::min(text_.find('\n', at_), text_.size());
      else
        take(c);
    }
  }

 private:
  /// The parser accepts a quote only at the start of a key or a value.
  void take_string(char quote) {
    if (!at_front() && (last_ != '.' || in_value_)) {
      ++at_;
      fail("quotation marks must enclose a whole name or value");
    }
    skip_string(quote);
    brackets_ = 0;
    last_ = quote;
  }

  [[nodiscard]] bool at_front() const {
    return std::string_view("\n=,[{").find(last_) != std::string_view::npos;
  }

  /// After the brackets that begin a table's name the parser takes everything as part of the name.
  void check_header(char c) {
    if (c == ' ' || c == '\t' || c == '\r') return;
    const bool begins = c == '[' && (brackets_ == 0 ? depth_ == 0 && last_ == '\n' : brackets_ == 1);
    const bool named = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                       c == '_' || c == '-' || c == ']' || static_cast<unsigned char>(c) >= 0x80;
    if (brackets_ > 0 && !begins && !named) fail("a table without a name");
    brackets_ = begins ? brackets_ + 1 : 0;
  }

  void take(char c) {
    ++at_;
    if ((c == '[' || c == '{') && !at_front()) fail("a bracket inside a name or value");
    check_header(c);
    if (c != ' ' && c != '\t' && c != '\r') last_ = c;
    if (static_cast<unsigned char>(c) >= 0x80) fail("non-ASCII characters must be inside double quotes");
    if (static_cast<unsigned char>(c) < 0x20 && c != '\n' && c != '\r' && c != '\t')
      fail("a control character");
    if (c == '=' && in_value_) fail("a second = after one key");
    if (c == '=') in_value_ = true;
    if (std::string_view("\n,[{").find(c) != std::string_view::npos) in_value_ = false;
    switch (c) {
      case '.':
        count_value();
        if (++dots_ >= max_key_parts) fail("a key has more than 8 parts, the limit");
        return;
      case '[':
      case '{':
        count_value();
        if (++depth_ > deepest_nesting) fail("values are nested more than 16 deep, the limit");
        break;
      case ']':
      case '}':
        if (depth_ > 0) --depth_;
        break;
      case ',':
      case '=':
        count_value();
        break;
      case '\n':
        break;
      default:
        return;
    }
    dots_ = 0;
  }

  /// From the opening quote to after the closing one; to the end of the line if there is none.
  void skip_string(char quote) {
    const std::string three(3, quote);
    if (text_.substr(at_, 3) != three) {
      for (++at_; at_ < text_.size() && text_[at_] != '\n'; ++at_) {
        if (text_[at_] == quote) {
          ++at_;
          return;
        }
        if (text_[at_] == '\\' && quote == '"') ++at_;
      }
      return;
    }
    for (at_ += 3; at_ < text_.size() && text_.substr(at_, 3) != three; ++at_)
      if (text_[at_] == '\\' && quote == '"') check_escape();
    at_ = std::min(at_ + 3, text_.size());
    // Up to two quotes may belong to the end of the string.
    for (int i = 0; i < 2 && at_ < text_.size() && text_[at_] == quote; ++i) ++at_;
  }

  /// From a backslash within triple quotes to the character after it. At the end of a line it joins the next
  /// line to this one, and the parser skips white space.
  void check_escape() {
    const std::size_t next = text_.find_first_not_of(" \t\r\n", at_ + 1);
    if (next != std::string_view::npos && static_cast<unsigned char>(text_[next]) >= 0x80) {
      at_ = next + 1;
      fail("a non-ASCII character must not follow a backslash");
    }
    ++at_;
  }

  void count_value() {
    if (++values_ > max_values) fail("more than 10000000 values, the limit");
  }

  [[noreturn]] void fail(const std::string& what) const { file_.fail(place_of(text_, at_ - 1), what); }

  const FileText& file_;
  std::string_view text_;
  char last_ = '\n';  ///< outside of strings and comments, except for blanks
  bool in_value_ = false;
  int brackets_ = 0;  ///< after [ or [[ at the start of a line
  std::size_t at_ = 0, dots_ = 0, depth_ = 0, values_ = 0;
};

/// Decimal exponents of more than three digits are too slow to read and never needed.
bool has_long_exponent(std::string_view text) {
  for (std::size_t at = text.find_first_of("eE"); at != std::string_view::npos;
       at = text.find_first_of("eE", at + 1)) {
    std::size_t end = at + 1;
    while (end < text.size() && (text[end] == '+' || text[end] == '-' || text[end] == '0')) ++end;
    const std::size_t begin = end;
    while (end < text.size() && text[end] >= '0' && text[end] <= '9') ++end;
    if (end - begin > 3) return true;
  }
  return false;
}

}  // namespace

char step_over(std::string_view text, std::size_t& at, Place& place) {
  const char c = text[at++];
  if (c == '\n')
    place = {place.line + 1, 1};
  else if (at == text.size() || (static_cast<unsigned char>(text[at]) & 0xC0) != 0x80)
    ++place.column;
  return c;
}

std::string send_limit_in_words(const numeric::Rational& maximum) {
  return maximum == 1 ? "it may send at most 1"
                      : "it may send at most the rate of its fastest link, " + numeric::to_fraction(maximum);
}

FileText::FileText(std::string_view text, std::string name) : text_(text), name_(std::move(name)) {
  if (text_.size() > max_bytes)
    throw ParseError(name_, 0, 0,
                     "the file has " + std::to_string(text_.size()) + " bytes; the limit is 64000000");
  if (text_.substr(0, 3) == "\xEF\xBB\xBF") text_.remove_prefix(3);
  for (std::size_t at = 0; at < text_.size();) {
    const std::size_t length = character_length(text_.substr(at));
    if (length == 0) fail(place_of(text_, at), "the text is not valid UTF-8");
    at += length;
  }
}

void FileText::fail(Place place, const std::string& what) const {
  throw ParseError(name_, place.line, place.column, what);
}

void check_toml_shape(const FileText& file) {
  ShapeCheck(file).run();
}

std::string in_quotes(std::string_view text) {
  std::string shown;
  for (const char c : text.substr(0, 60))
    shown += static_cast<unsigned char>(c) < 0x20 || c == 0x7F ? '?' : c;
  if (text.size() > 60) {
    while (!shown.empty() && (static_cast<unsigned char>(shown.back()) & 0xC0) == 0x80) shown.pop_back();
    if (!shown.empty() && static_cast<unsigned char>(shown.back()) >= 0xC0) shown.pop_back();
    shown += "...";
  }
  return '"' + shown + '"';
}

numeric::Rational RateReader::parse(std::string_view text, Place place, const std::string& what) const {
  if (text.size() > longest_number || has_long_exponent(text))
    file_.fail(place, what + " is " + in_quotes(text) +
                          "; it may have at most 200 characters and an exponent of three digits");
  try {
    return numeric::parse_rational(text, what);
  } catch (const InvalidArgument&) {
    file_.fail(place, what + " is " + in_quotes(text) + "; it must be a number such as 0.3 or \"3/10\"");
  }
}

void RateReader::use_network(const Network& network) {
  maximum_ = network.send_limits();
  for (const numeric::Rational& maximum : maximum_) largest_ = std::max(largest_, maximum);
  gbps_ = network.gbps;
}

/// "20%", "20G", or a number.
numeric::Rational RateReader::parse_rate(std::string_view text, Place place, const std::string& what) const {
  text = trimmed(text);
  if (!text.empty() && text.back() == '%')
    return parse(trimmed(text.substr(0, text.size() - 1)), place, what) / 100;
  const bool has_unit =
      !text.empty() &&
      (text.back() == 's' || (text.back() >= 'A' && text.back() <= 'Z') || text.back() == 'k') &&
      text.find_first_of("0123456789") == 0;
  if (!has_unit) return parse(text, place, what);
  if (!gbps_)
    file_.fail(place, what + " is " + in_quotes(text) +
                          ", a speed; give link speeds in the network file, such as rate = \"25G\", or use "
                          "packets per slot");
  try {
    return numeric::parse_quantity(text, what, numeric::Measure::gbps) / *gbps_;
  } catch (const InvalidArgument& error) {
    file_.fail(place, error.what());
  }
}

numeric::Rational RateReader::read(std::string_view text, Place place, const std::string& what) {
  numeric::Rational value = parse_rate(text, place, what);
  if (value < 0 || value > largest_)
    file_.fail(place, what + " is " + in_quotes(text) + "; it must be above 0 and at most " +
                          numeric::to_fraction(largest_) +
                          (largest_ == 1 ? "" : ", the rate of the fastest link of any node"));
  note_denominator(value, text, place, what);
  return value;
}

numeric::Rational RateReader::read_share(std::string_view text, Place place, const std::string& what) {
  numeric::Rational value = parse(text, place, what);
  if (value < 0 || value > 1)
    file_.fail(place, what + " is " + in_quotes(text) + "; it must be above 0 and at most 1");
  note_denominator(value, text, place, what);
  return value;
}

numeric::Rational RateReader::read_total(std::string_view text, Place place, const std::string& what) {
  numeric::Rational value = parse_rate(text, place, what);
  if (value < 0 || value > 1'000'000'000)
    file_.fail(place, what + " is " + in_quotes(text) + "; it must be from 0 to 10^9");
  return value;
}

numeric::Rational RateReader::read_burst(std::string_view text, Place place, const std::string& what) {
  numeric::Rational value = parse(text, place, what);
  if (value < 1 || value > longest_burst)
    file_.fail(place, what + " is " + in_quotes(text) + "; it must be from 1 to 10^9 slots");
  note_denominator(value, text, place, what);
  return value;
}

numeric::Rational RateReader::read_attraction(std::string_view text, Place place, const std::string& what) {
  numeric::Rational value = parse(text, place, what);
  if (value < 0 || value > 1'000'000'000)
    file_.fail(place, what + " is " + in_quotes(text) + "; it must be from 0 to 10^9");
  note_denominator(value, text, place, what);
  return value;
}

void RateReader::note_denominator(const numeric::Rational& value, std::string_view text, Place place,
                                  const std::string& what) {
  denominator_ = numeric::lcm(denominator_, numeric::denominator(value));
  if (numeric::bit_length(denominator_) > max_denominator_bits)
    file_.fail(place, what + " is " + in_quotes(text) +
                          "; the common denominator of all numbers so far has more than 256 bits, the limit");
}

void RateReader::send(const Flow& flow, Place place, const std::string& source_name) {
  if (flow.burst) return;
  numeric::Rational& sent = sent_[flow.source];
  sent = sent + flow.rate;
  if (const numeric::Rational& maximum = maximum_[flow.source]; sent > maximum)
    file_.fail(place, "with this flow, " + in_quotes(source_name) + " sends " + numeric::to_fraction(sent) +
                          " packets per slot; " + send_limit_in_words(maximum));
}

}  // namespace tailbound::network
