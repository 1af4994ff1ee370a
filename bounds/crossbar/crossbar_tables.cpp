#include <tailbound/bounds/crossbar/crossbar_tables.hpp>
#include <tailbound/bounds/crossbar/embedded_tables.hpp>
#include <tailbound/core/choice.hpp>
#include <tailbound/core/error.hpp>
#include <tailbound/numeric/rational.hpp>

#include <algorithm>
#include <charconv>
#include <string>

namespace tailbound::bounds {
namespace {

/// Rows of numbers behind the name of a scheduler.
class CrossbarRows {
 public:
  CrossbarRows(std::string_view name, std::string_view header, std::string_view text)
      : name_(name),
        columns_(1 + static_cast<std::size_t>(std::count(header.begin(), header.end(), ','))),
        rest_(text) {
    if (!next_line() || line_ != header) fail("the first row must be " + std::string(header));
  }

  [[nodiscard]] bool next() {
    if (!next_line()) return false;
    cells_.clear();
    for (std::size_t begin = 0; begin <= line_.size();) {
      const std::size_t end = std::min(line_.find(',', begin), line_.size());
      cells_.push_back(line_.substr(begin, end - begin));
      begin = end + 1;
    }
    if (cells_.size() != columns_) fail("a row of " + std::to_string(cells_.size()) + " entries");
    return true;
  }
  [[nodiscard]] SchedulerKey key() const {
    const std::vector<std::string> names = all_names<traffic::CrossbarScheduler>();
    const auto its = std::find(names.begin(), names.end(), cells_[0]);
    if (its == names.end()) fail("unknown scheduler " + std::string(cells_[0]));
    return {static_cast<traffic::CrossbarScheduler>(its - names.begin()), whole(1)};
  }
  [[nodiscard]] std::optional<double> optional(std::size_t column) const {
    const std::string_view cell = cells_[column];
    if (cell.empty()) return std::nullopt;
    double value = 0;
    const auto [end, error] = std::from_chars(cell.data(), cell.data() + cell.size(), value);
    if (error != std::errc() || end != cell.data() + cell.size()) fail("not a number: " + std::string(cell));
    return value;
  }
  [[nodiscard]] double number(std::size_t column) const {
    const std::optional<double> value = optional(column);
    if (!value) fail("an empty entry");
    return *value;
  }
  [[nodiscard]] std::int64_t whole(std::size_t column) const {
    return static_cast<std::int64_t>(number(column));
  }
  [[nodiscard]] Quantiles quantiles(std::size_t column) const {
    Quantiles all;
    for (std::size_t i = 0; i < all.size(); ++i) all[i] = optional(column + i);
    return all;
  }
  template <class Row>
  void add(std::vector<Row>& rows, Row row) const {
    if (!rows.empty() && rows.back().load >= row.load) fail("loads must increase");
    rows.push_back(std::move(row));
  }
  [[noreturn]] void fail(const std::string& what) const {
    throw ParseError(std::string(name_), number_, 1, what);
  }

 private:
  bool next_line() {
    while (!rest_.empty()) {
      const std::size_t end = std::min(rest_.find('\n'), rest_.size());
      line_ = rest_.substr(0, end);
      rest_.remove_prefix(std::min(end + 1, rest_.size()));
      ++number_;
      if (!line_.empty() && line_.front() != '#') return true;
    }
    return false;
  }

  std::string_view name_;
  std::size_t columns_;
  std::string_view rest_, line_;
  std::size_t number_ = 0;
  std::vector<std::string_view> cells_;
};

std::string_view embedded_table(std::string_view name) {
  for (const auto& [stem, text] : embedded_crossbar_tables())
    if (stem == name) return text;
  throw std::logic_error("no table " + std::string(name));
}

}  // namespace

VoqTable read_voq_table(std::string_view text) {
  CrossbarRows rows(
      "voq.csv", "scheduler,parameter,ports,load,ratio,percent,d1,d2,d3,d4,d5,i1,i2,i3,i4,i5,v1,v2,v3,v4,v5",
      text);
  VoqTable table;
  while (rows.next())
    rows.add(table[rows.key()][rows.whole(2)], VoqRow{.load = rows.number(3),
                                                      .ratio = rows.number(4),
                                                      .delay = rows.quantiles(6),
                                                      .input = rows.quantiles(11),
                                                      .queue = rows.quantiles(16)});
  return table;
}

BurstTable read_burst_table(std::string_view text) {
  CrossbarRows rows("bursts.csv", "scheduler,parameter,ports,burst,load,ratio", text);
  BurstTable table;
  while (rows.next())
    rows.add(table[rows.key()][rows.whole(2)][rows.number(3)],
             BurstRow{.load = rows.number(4), .ratio = rows.number(5)});
  return table;
}

SpeedupTable read_speedup_table(std::string_view text) {
  CrossbarRows rows("speedup.csv", "scheduler,parameter,ports,speedup,load,ratio,i3,i5", text);
  SpeedupTable table;
  while (rows.next())
    rows.add(table[rows.key()][rows.whole(2)][rows.number(3)], SpeedupRow{.load = rows.number(4),
                                                                          .ratio = rows.number(5),
                                                                          .input3 = rows.optional(6),
                                                                          .input5 = rows.optional(7)});
  return table;
}

const VoqTable& voq_table() {
  static const VoqTable table = read_voq_table(embedded_table("voq"));
  return table;
}
const BurstTable& burst_table() {
  static const BurstTable table = read_burst_table(embedded_table("bursts"));
  return table;
}
const SpeedupTable& speedup_table() {
  static const SpeedupTable table = read_speedup_table(embedded_table("speedup"));
  return table;
}

}  // namespace tailbound::bounds
