#include <tailbound/core/error.hpp>
#include <tailbound/numeric/rational.hpp>
#include <tailbound/numeric/text/decimal.hpp>
#include <tailbound/traffic/trace/trace_csv.hpp>

#include <algorithm>
#include <cctype>
#include <utility>

namespace tailbound::traffic {
namespace {

constexpr std::size_t longest_line = 4096;
constexpr std::size_t max_columns = 32;
constexpr std::int64_t latest = std::int64_t{1} << 62U;
constexpr numeric::NumberLimits number_limits{.characters = 200, .exponent = 400};
constexpr std::size_t waiting_for_doubles = 1000;  ///< packets that decide whether times are doubles
constexpr int digits_that_doubles_keep = 15;

constexpr std::int64_t nanoseconds(TimeUnit unit) {
  return unit == TimeUnit::s    ? 1'000'000'000
         : unit == TimeUnit::ms ? 1'000'000
         : unit == TimeUnit::us ? 1'000
                                : 1;
}

std::string_view trim(std::string_view text) {
  const auto space = [](char c) { return c == ' ' || c == '\r' || c == '"'; };
  while (!text.empty() && space(text.front())) text.remove_prefix(1);
  while (!text.empty() && space(text.back())) text.remove_suffix(1);
  return text;
}

std::string shown(std::string_view text) {
  std::string result = "\"";
  for (const char c : text.substr(0, 40)) result += c < ' ' || c > '~' ? '?' : c;
  return result + (text.size() > 40 ? "...\"" : "\"");
}

/// The cells of a line, up to the last that is not empty; those beyond max_columns are only counted. A cell
/// in
/// quotes may contain the separator.
std::size_t split(std::string_view text, char separator, std::array<std::string_view, max_columns>& cells) {
  std::size_t count = 0, used = 0;
  for (;;) {
    const std::size_t first = std::min(text.find_first_not_of(' '), text.size());
    const std::size_t quote = first < text.size() && text[first] == '"' ? text.find('"', first + 1) : first;
    const std::size_t end = std::min(text.find(separator, std::min(quote, text.size())), text.size());
    const std::string_view cell = trim(text.substr(0, end));
    if (count < max_columns) cells[count] = cell;
    ++count;
    if (!cell.empty()) used = count;
    if (end == text.size()) return used;
    text.remove_prefix(end + 1);
  }
}

char separator_of(std::string_view line) {
  for (const char each : {'\t', ';'})
    if (line.find(each) != std::string_view::npos) return each;
  return ',';
}

/// A number with a decimal point.
std::string number_text(std::string_view cell, char separator) {
  std::string text(cell);
  if (separator != ',') std::replace(text.begin(), text.end(), ',', '.');
  return text;
}

/// Nothing if it is not a number of the legal range.
std::optional<numeric::Rational> number_of(const std::string& text, const numeric::Rational& largest) {
  try {
    numeric::Rational value = numeric::parse_rational(text, "number", number_limits);
    if (value >= 0 && value <= largest) return value;
  } catch (const InvalidArgument&) {
  }
  return std::nullopt;
}

/// -1 if it is not a whole number of the legal range.
std::int64_t whole_of(const std::string& text, std::int64_t largest) {
  const auto value = number_of(text, numeric::Rational(largest));
  if (!value || !numeric::is_integer(*value)) return -1;
  return numeric::to_int64(numeric::numerator(*value));
}

WrittenTime written(const std::string& text, numeric::Rational value) {
  WrittenTime time{.value = std::move(value), .digits = numeric::written_digits(text)};
  const std::size_t point = text.find('.');
  if (text.find_first_of("eE^*/") != std::string::npos)
    time.decimals = -1;
  else if (point != std::string::npos)
    time.decimals = static_cast<int>(text.size() - point - 1);
  return time;
}

/// What 1000 operations in doubles may add up to.
numeric::Rational rounding_of(const numeric::Rational& time) {
  constexpr unsigned bits = 42;
  static const numeric::Rational relative = 1 / numeric::Rational(numeric::Integer(1) << bits);
  return time * relative;
}

}  // namespace

bool double_times(const std::vector<WrittenTime>& times) {
  bool fixed = true, long_ones = false;
  int most = 0;
  for (const WrittenTime& time : times) {
    fixed = fixed && time.decimals >= 0 && time.decimals == times.front().decimals;
    most = std::max(most, time.digits);
    if (time.digits <= digits_that_doubles_keep) continue;
    const numeric::DoublePrint print = numeric::double_print(time.value, time.digits);
    if (!print.is_shortest && !print.is_rounded) return false;
    long_ones = true;
  }
  return long_ones && !(fixed && most <= digits_that_doubles_keep + 1);
}

TraceCsvReader::TraceCsvReader(std::string name, TimeUnit unit, TakePacket take)
    : name_(std::move(name)), unit_(unit), take_(std::move(take)) {}

void TraceCsvReader::fail(const std::string& what) const {
  throw ParseError(name_, line_, 0, what);
}

void TraceCsvReader::take(std::string_view bytes) {
  while (!bytes.empty()) {
    const std::size_t end = bytes.find('\n');
    if (end == std::string_view::npos || !rest_.empty()) {
      const std::size_t length = std::min(end, bytes.size());
      if (rest_.size() + length > longest_line) {
        ++line_;
        fail("more than 4096 bytes in a line: a trace has one packet per line, or is a pcap file");
      }
      rest_.append(bytes.substr(0, length));
      if (end == std::string_view::npos) return;
      line(rest_);
      rest_.clear();
    } else {
      line(bytes.substr(0, end));
    }
    bytes.remove_prefix(end + 1);
  }
}

void TraceCsvReader::finish() {
  if (!rest_.empty()) line(std::exchange(rest_, {}));
  pass_on();
  line_ = 0;
  if (packets_ == 0) fail("no packets; expected lines time,bytes[,input] such as 0.000012,64");
}

/// The packets that wait.
void TraceCsvReader::pass_on() {
  if (!doubles_) doubles_ = double_times(times_);
  for (TracePacket& packet : waiting_) {
    if (*doubles_) packet.rounding = rounding_of(packet.time);
    take_(packet);
  }
  waiting_.clear();
  times_ = {};
}

bool TraceCsvReader::columns_of(std::string_view text) {
  std::array<std::string_view, max_columns> cells;
  separator_ = separator_of(text);
  columns_ = static_cast<int>(std::min(split(text, separator_, cells), max_columns));
  const bool named = std::any_of(cells.begin(), cells.begin() + columns_, [](std::string_view cell) {
    return !cell.empty() && std::isalpha(static_cast<unsigned char>(cell.front())) != 0;
  });
  if (!named) {
    if (columns_ < 2) fail("has " + std::to_string(columns_) + " column; expected time,bytes[,input]");
    time_ = 0;
    bytes_ = 1;
    input_ = columns_ > 2 ? 2 : -1;
    return false;
  }
  for (int i = 0; i < columns_; ++i) {
    std::string name(cells[static_cast<std::size_t>(i)]);
    std::transform(name.begin(), name.end(), name.begin(), [](unsigned char c) { return std::tolower(c); });
    if (name == "time" || name == "timestamp") time_ = i;
    if (name == "bytes" || name == "length" || name == "size") bytes_ = i;
    if (name == "input") input_ = i;
  }
  if (time_ < 0 || bytes_ < 0)
    fail("has the column names " + shown(text) + "; among them must be time and bytes");
  return true;
}

void TraceCsvReader::line(std::string_view text) {
  ++line_;
  text = trim(text.substr(0, text.find('#')));
  if (text.empty()) return;
  if (columns_ == 0 && columns_of(text)) return;
  std::array<std::string_view, max_columns> cells;
  const std::size_t count = split(text, separator_, cells);
  const auto last = static_cast<std::size_t>(std::max({time_, bytes_, input_}));
  const bool too_many =
      columns_ < static_cast<int>(max_columns) && count > static_cast<std::size_t>(columns_);
  if (count <= last || too_many)
    fail("has " + std::to_string(count) + " columns; the first line has " + std::to_string(columns_) +
         (separator_ == ',' ? " (decimals have a point, not a comma)" : ""));
  const auto cell = [&](int column) {
    return number_text(cells[static_cast<std::size_t>(column)], separator_);
  };
  const std::string written_time = cell(time_);
  const numeric::Rational unit = numeric::Rational(nanoseconds(unit_));
  const auto time = number_of(written_time, numeric::Rational(latest) / unit);
  if (!time)
    fail(shown(cells[static_cast<std::size_t>(time_)]) +
         " is not a time: it must be a decimal number, 0 or more, and at most 2^62 ns");
  TracePacket packet{.time = *time * unit, .bytes = whole_of(cell(bytes_), 1'000'000'000)};
  if (packet.bytes < 1)
    fail(shown(cells[static_cast<std::size_t>(bytes_)]) +
         " is not a size: it must be a whole number of bytes, from 1 to 1000000000");
  if (input_ >= 0) {
    packet.input = whole_of(cell(input_), 1'000'000);
    if (packet.input < 0)
      fail(shown(cells[static_cast<std::size_t>(input_)]) +
           " is not an input: it must be a whole number from 0 to 1000000");
    packet.link = packet.input;
  }
  ++packets_;
  if (doubles_) {
    if (*doubles_) packet.rounding = rounding_of(packet.time);
    take_(packet);
    return;
  }
  times_.push_back(written(written_time, *time));
  waiting_.push_back(std::move(packet));
  if (waiting_.size() == waiting_for_doubles) pass_on();
}

}  // namespace tailbound::traffic
