#include <tailbound/core/error.hpp>
#include <tailbound/numeric/text/decimal.hpp>
#include <tailbound/numeric/text/number_list.hpp>
#include <tailbound/queue/priority/joint_file.hpp>
#include <tailbound/queue/priority/priority_queue.hpp>

#include <boost/algorithm/string/split.hpp>
#include <boost/algorithm/string/trim.hpp>

#include <algorithm>
#include <cctype>
#include <map>

namespace tailbound::queue {
namespace {

using numeric::Rational;

constexpr std::size_t max_joint_classes = 8, max_joint_lines = 100'000;

/// Of the first line.
char separator_of(const std::string& line) {
  return line.find('\t') != std::string::npos ? '\t' : line.find(';') != std::string::npos ? ';' : ',';
}

/// A number with a decimal point.
std::string number_text(std::string cell, char separator) {
  if (separator != ',') std::replace(cell.begin(), cell.end(), ',', '.');
  return cell;
}

std::vector<std::string> cells_of(const std::string& line, char separator) {
  std::vector<std::string> cells;
  boost::split(cells, line, [separator](char c) { return c == separator; });
  for (std::string& cell : cells) boost::trim(cell);
  return cells;
}

bool names_columns(const std::vector<std::string>& cells) {
  return std::all_of(cells.begin(), cells.end(), [](const std::string& cell) {
    return !cell.empty() && std::isalpha(static_cast<unsigned char>(cell.front())) != 0;
  });
}

}  // namespace

JointFile parse_joint(std::string_view text, const std::string& source, series::Normalise normalise) {
  std::map<std::vector<std::int64_t>, Rational> known;
  series::WrittenSum written;
  series::WrittenKind kind;
  std::size_t line_number = 0, columns = 0, entries = 0;
  char separator = ',';
  const auto fail = [&](const std::string& what) { throw ParseError(source, line_number, 0, what); };
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    std::string line(text.substr(0, std::min(end, text.find('#'))));
    text.remove_prefix(std::min(end + 1, text.size()));
    ++line_number;
    boost::trim(line);
    if (line.empty()) continue;
    if (columns == 0) separator = separator_of(line);
    const std::vector<std::string> cells = cells_of(line, separator);
    if (columns == 0) {
      columns = cells.size();
      if (columns < 2 || columns > max_joint_classes + 1)
        fail("has " + std::to_string(columns) +
             " columns; expected n1,n2,..,probability with 1 to 8 classes, such as 1,0,0.25");
      if (names_columns(cells)) continue;
    }
    if (cells.size() != columns)
      fail("has " + std::to_string(cells.size()) + " columns, the first line " + std::to_string(columns));
    if (++entries > max_joint_lines) fail("more than 100000 lines");
    std::vector<std::int64_t> packets;
    for (std::size_t i = 0; i + 1 < columns; ++i) {
      try {
        packets.push_back(numeric::parse_integer(number_text(cells[i], separator), "packets", 0,
                                                 PriorityQueue::max_inputs));
      } catch (const InvalidArgument&) {
        fail("\"" + cells[i].substr(0, 40) +
             "\" is not a number of packets; it must be a whole number from 0 to " +
             std::to_string(PriorityQueue::max_inputs));
      }
    }
    const std::string last = number_text(cells.back(), separator);
    Rational probability = 0;
    try {
      probability = numeric::parse_rational(last, "the probability");
    } catch (const Error& error) {
      fail(error.what());
    }
    if (probability < 0) fail("the probability " + cells.back() + " is negative");
    if (probability == 0) continue;
    Rational& all = known.try_emplace(std::move(packets), 0).first->second;
    all = all + probability;
    written.add(probability, last);
    kind.add(probability, numeric::written_digits(last));
    if (numeric::bit_size(written.sum()) > 131'072)
      fail("the sum up to here is a fraction of more than 131072 bits");
  }
  line_number = 0;
  if (known.empty()) fail("no probabilities; expected lines n1,n2,..,probability, such as 1,0,0.25");
  if (!written.accepted(normalise, kind.floats()))
    fail(written.complaint(normalise) + "; --normalize divides them by their sum");
  JointFile result{.packets = {}, .sum = written.sum()};
  for (const auto& [packets, probability] : known)
    result.packets.push_back({packets, result.sum == 1 ? probability : Rational(probability / result.sum)});
  return result;
}

}  // namespace tailbound::queue
