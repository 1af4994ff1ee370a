#include <tailbound/core/error.hpp>
#include <tailbound/traffic/trace/trace_csv.hpp>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <utility>

namespace tailbound::traffic {
namespace {

constexpr std::size_t longest_line = 4096;
constexpr std::size_t max_columns = 32;
constexpr std::int64_t latest = std::int64_t{1} << 62U;

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

/// The cells of a line; those beyond max_columns are only counted.
std::size_t split(std::string_view text, std::array<std::string_view, max_columns>& cells) {
  std::size_t count = 0;
  for (;;) {
    const std::size_t end = std::min(text.find_first_of(",;\t"), text.size());
    if (count < max_columns) cells[count] = trim(text.substr(0, end));
    ++count;
    if (end == text.size()) return count;
    text.remove_prefix(end + 1);
  }
}

/// A decimal number in a unit, converted to ns; -1 if it is invalid.
std::int64_t time_of(std::string_view text, std::int64_t unit) {
  std::uint64_t whole = 0;
  const char *at = text.data(), *const end = at + text.size();
  const auto [rest, error] = std::from_chars(at, end, whole);
  const bool none = rest == at;
  if (!none && (error != std::errc{} || whole > static_cast<std::uint64_t>(latest / unit))) return -1;
  std::int64_t result = none ? 0 : static_cast<std::int64_t>(whole) * unit;
  at = rest;
  if (at != end && *at == '.') {
    ++at;
    if (none && at == end) return -1;
    for (; at != end && *at >= '0' && *at <= '9'; ++at) {
      unit /= 10;
      result += unit * (*at - '0');
    }
  } else if (none) {
    return -1;
  }
  if (at == end) return result;
  // With an exponent, which is rare: to the digits of a double.
  double value = 0;
  const auto [last, failed] = std::from_chars(text.data(), end, value);
  const double scaled = value * static_cast<double>(unit);
  if (last != end || failed != std::errc{} || !(scaled >= 0 && scaled < static_cast<double>(latest)))
    return -1;
  return static_cast<std::int64_t>(scaled);
}

std::int64_t number_of(std::string_view text) {
  std::int64_t value = -1;
  const auto [rest, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc{} && rest == text.data() + text.size() ? value : -1;
}

}  // namespace

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
  line_ = 0;
  if (packets_ == 0) fail("no packets; expected lines time,bytes[,input] such as 0.000012,64");
}

void TraceCsvReader::columns_of(std::string_view text) {
  std::array<std::string_view, max_columns> cells;
  columns_ = static_cast<int>(std::min(split(text, cells), max_columns));
  const bool named = std::any_of(cells.begin(), cells.begin() + columns_, [](std::string_view cell) {
    return !cell.empty() && std::isalpha(static_cast<unsigned char>(cell.front())) != 0;
  });
  if (!named) {
    if (columns_ < 2) fail("has " + std::to_string(columns_) + " column; expected time,bytes[,input]");
    time_ = 0;
    bytes_ = 1;
    input_ = columns_ > 2 ? 2 : -1;
    return;
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
}

void TraceCsvReader::line(std::string_view text) {
  ++line_;
  text = trim(text.substr(0, text.find('#')));
  if (text.empty()) return;
  if (columns_ == 0) {
    columns_of(text);
    if (std::isalpha(static_cast<unsigned char>(text.front())) != 0) return;
  }
  std::array<std::string_view, max_columns> cells;
  const std::size_t count = split(text, cells);
  const auto last = static_cast<std::size_t>(std::max({time_, bytes_, input_}));
  if (count <= last)
    fail("has " + std::to_string(count) + " columns; the first line has " + std::to_string(columns_));
  TracePacket packet;
  packet.time = time_of(cells[static_cast<std::size_t>(time_)], nanoseconds(unit_));
  if (packet.time < 0)
    fail(shown(cells[static_cast<std::size_t>(time_)]) +
         " is not a time: it must be a decimal number, 0 or more");
  packet.bytes = number_of(cells[static_cast<std::size_t>(bytes_)]);
  if (packet.bytes < 1 || packet.bytes > 1'000'000'000)
    fail(shown(cells[static_cast<std::size_t>(bytes_)]) +
         " is not a size: it must be a whole number of bytes, 1 or more");
  if (input_ >= 0) {
    packet.input = number_of(cells[static_cast<std::size_t>(input_)]);
    if (packet.input < 0 || packet.input > 1'000'000)
      fail(shown(cells[static_cast<std::size_t>(input_)]) +
           " is not an input: it must be a whole number from 0 to 1000000");
  }
  ++packets_;
  take_(packet);
}

}  // namespace tailbound::traffic
