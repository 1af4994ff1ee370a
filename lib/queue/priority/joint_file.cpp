#include <tailbound/core/error.hpp>
#include <tailbound/queue/priority/joint_file.hpp>
#include <tailbound/queue/priority/priority_queue.hpp>

#include <boost/algorithm/string/classification.hpp>
#include <boost/algorithm/string/split.hpp>
#include <boost/algorithm/string/trim.hpp>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <map>

namespace tailbound::queue {
namespace {

using numeric::Rational;

constexpr std::size_t max_joint_classes = 8, max_joint_lines = 100'000;

std::vector<std::string> cells_of(const std::string& line) {
  std::vector<std::string> cells;
  boost::split(cells, line, boost::is_any_of(",;\t"));
  for (std::string& cell : cells) boost::trim(cell);
  return cells;
}

bool names_columns(const std::vector<std::string>& cells) {
  return std::all_of(cells.begin(), cells.end(), [](const std::string& cell) {
    return !cell.empty() && std::isalpha(static_cast<unsigned char>(cell.front())) != 0;
  });
}

}  // namespace

std::vector<ClassPackets> parse_joint(std::string_view text, const std::string& source) {
  std::map<std::vector<std::int64_t>, Rational> known;
  Rational sum = 0;
  std::size_t line_number = 0, columns = 0, entries = 0;
  const auto fail = [&](const std::string& what) { throw ParseError(source, line_number, 0, what); };
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    std::string line(text.substr(0, std::min(end, text.find('#'))));
    text.remove_prefix(std::min(end + 1, text.size()));
    ++line_number;
    boost::trim(line);
    if (line.empty()) continue;
    const std::vector<std::string> cells = cells_of(line);
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
      std::int64_t count = -1;
      const auto [rest, error] = std::from_chars(cells[i].data(), cells[i].data() + cells[i].size(), count);
      if (error != std::errc{} || rest != cells[i].data() + cells[i].size() || count < 0 ||
          count > PriorityQueue::max_inputs)
        fail("\"" + cells[i].substr(0, 40) +
             "\" is not a number of packets; it must be a whole number from 0 to " +
             std::to_string(PriorityQueue::max_inputs));
      packets.push_back(count);
    }
    Rational probability = 0;
    try {
      probability = numeric::parse_rational(cells.back(), "the probability");
    } catch (const Error& error) {
      fail(error.what());
    }
    if (probability < 0) fail("the probability " + cells.back() + " is negative");
    if (probability == 0) continue;
    Rational& all = known.try_emplace(std::move(packets), 0).first->second;
    all = all + probability;
    sum = sum + probability;
    if (numeric::bit_size(sum) > 131'072) fail("the sum up to here is a fraction of more than 131072 bits");
  }
  line_number = 0;
  if (known.empty()) fail("no probabilities; expected lines n1,n2,..,probability, such as 1,0,0.25");
  if (sum != 1)
    fail("the probabilities sum to " + numeric::to_decimal(sum, 17, numeric::Rounding::nearest) +
         "; they must sum to exactly 1 (fractions such as 1/3 are exact)");
  std::vector<ClassPackets> result;
  for (const auto& [packets, probability] : known) result.push_back({packets, probability});
  return result;
}

}  // namespace tailbound::queue
