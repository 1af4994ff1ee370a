#include <tailbound/answers/accuracy/accuracy_settings.hpp>
#include <tailbound/answers/accuracy/accuracy_table.hpp>
#include <tailbound/core/choice.hpp>
#include <tailbound/core/error.hpp>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <map>
#include <utility>

namespace tailbound::answers {
namespace {

using Text = std::string_view;

constexpr std::pair<Text, MeasuredModel> models[]{
    {"wormhole_finite_source", MeasuredModel::wormhole_finite_source},
    {"wormhole_paper", MeasuredModel::wormhole_paper},
    {"broadcast", MeasuredModel::broadcast},
    {"multistage", MeasuredModel::multistage}};

struct SettingColumn {
  Setting setting = Setting::topology;
  std::vector<std::string> choices{};  ///< the words of a choice; empty for numbers
};

const std::map<Text, SettingColumn>& setting_columns() {
  static const std::map<Text, SettingColumn> columns{
      {"topology", {Setting::topology, all_names<network::WormShape>()}},
      {"dimensions", {Setting::dimensions}},
      {"nodes", {Setting::nodes}},
      {"virtual-channels", {Setting::virtual_channels}},
      {"buffer-flits", {Setting::buffer_flits}},
      {"router-cycles", {Setting::router_cycles}},
      {"link-cycles", {Setting::link_cycles}},
      {"credit-cycles", {Setting::credit_cycles}},
      {"flits", {Setting::flits}},
      {"lengths", {Setting::lengths, all_names<sim::WormLengths>()}},
      {"injection", {Setting::injection, all_names<network::Injection>()}},
      {"ejection", {Setting::ejection, all_names<network::Ejection>()}},
      {"broadcast", {Setting::broadcast}},
      {"startup", {Setting::startup}},
      {"switch", {Setting::switch_size}},
      {"buffer", {Setting::buffer}},
      {"hot", {Setting::hot}},
      {"combining", {Setting::combining}},
      {"links", {Setting::links, all_names<network::Links>()}},
      {"saturated", {Setting::saturated, {"no", "yes"}}},
      {"load", {Setting::load}}};
  return columns;
}

constexpr std::pair<Text, Quantity> quantities[]{{"mean-latency", Quantity::mean_latency},
                                                 {"broadcast-latency", Quantity::broadcast_latency},
                                                 {"mean-delay", Quantity::mean_delay},
                                                 {"throughput", Quantity::throughput}};
constexpr Text other_columns[]{"network", "loads", "at", "saturation", "stable", "unstable", "measured"};

/// The value of a name, or null.
template <class Value, std::size_t size>
const Value* find(const std::pair<Text, Value> (&names)[size], Text name) {
  for (const auto& [each, value] : names)
    if (each == name) return &value;
  return nullptr;
}

/// Has the quantity an error at each of column `at`?
bool is_listed(Quantity quantity) {
  return quantity != Quantity::mean_delay && quantity != Quantity::throughput;
}

struct Range {
  double from = 0, to = 0;
};

std::vector<Text> split(Text text, char separator) {
  std::vector<Text> parts;
  while (true) {
    const std::size_t end = std::min(text.find(separator), text.size());
    parts.push_back(text.substr(0, end));
    if (end == text.size()) return parts;
    text.remove_prefix(end + 1);
  }
}

/// The cells of a row; those with commas are in double quotes.
std::vector<Text> cells_of(Text line) {
  std::vector<Text> cells;
  while (true) {
    const bool quoted = line.starts_with('"');
    const std::size_t inside = quoted ? 1 : 0,
                      end = std::min(line.find(quoted ? '"' : ',', inside), line.size());
    cells.push_back(line.substr(inside, end - inside));
    const std::size_t comma = line.find(',', end);
    if (comma == Text::npos) return cells;
    line.remove_prefix(comma + 1);
  }
}

class TableReader {
 public:
  explicit TableReader(const AccuracyTable& table) : table_(table) {}

  std::vector<AccuracyRow> rows() {
    const MeasuredModel* model = find(models, table_.name);
    if (model == nullptr) fail("no model has this name");
    std::vector<AccuracyRow> rows;
    for (const Text line : split(table_.text, '\n')) {
      ++line_;
      if (line.empty() || line.front() == '#') continue;
      if (columns_.empty())
        read_heading(line);
      else
        rows.push_back(row(*model, line));
    }
    if (rows.empty()) fail("no row");
    return rows;
  }

 private:
  [[noreturn]] void fail(const std::string& what) const {
    throw ParseError("data/accuracy/" + std::string(table_.name) + ".csv", line_, 1, what);
  }
  [[noreturn]] void fail(Text cell, const std::string& must) const {
    fail("'" + std::string(cell) + "' must be " + must);
  }

  void read_heading(Text line) {
    for (const Text column : split(line, ',')) {
      const bool known =
          setting_columns().contains(column) || find(quantities, column) != nullptr ||
          std::find(std::begin(other_columns), std::end(other_columns), column) != std::end(other_columns);
      const bool again = std::find(columns_.begin(), columns_.end(), column) != columns_.end();
      if (!known || again) fail(column, "the name of a column, once");
      columns_.push_back(column);
    }
  }

  double number(Text text) const {
    const Text digits = text.starts_with('+') ? text.substr(1) : text;
    double value = 0;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
    if (error != std::errc{} || end != digits.data() + digits.size() || std::isnan(value))
      fail(text, "a number");
    return value;
  }

  /// The two numbers of "0.1..1"; nothing without the separator.
  std::optional<Range> both(Text text, Text separator) const {
    const std::size_t middle = text.find(separator);
    if (middle == Text::npos) return std::nullopt;
    return Range{number(text.substr(0, middle)), number(text.substr(middle + separator.size()))};
  }

  MeasuredSetting setting(const SettingColumn& column, Text text) const {
    if (!column.choices.empty()) {
      const auto found = std::find(column.choices.begin(), column.choices.end(), text);
      if (found == column.choices.end()) fail(text, in_words(column.choices));
      const auto value = static_cast<double>(found - column.choices.begin());
      return {column.setting, value, value};
    }
    if (const auto range = both(text, "..")) return {column.setting, range->from, range->to};
    return {column.setting, number(text), number(text)};
  }

  /// \param before  the largest error at the previous load
  Range percent(Text text, double before) const {
    if (text == "inf") return {before, std::numeric_limits<double>::infinity()};
    if (const auto range = both(text, "..")) return {range->from / 100, range->to / 100};
    if (const auto with = both(text, "+-"))
      return {(with->from - with->to) / 100, (with->from + with->to) / 100};
    const auto quotient = both(text, "/");
    const double error = quotient ? quotient->from / quotient->to - 1 : number(text) / 100;
    return {error, error};
  }

  RowLoads loads(Text text) const {
    if (text.empty()) return RowLoads::none;
    if (text == "simulated") return RowLoads::simulated;
    if (text != "model") fail(text, "simulated, model or empty");
    return RowLoads::model;
  }

  /// Fractions of the saturation load, from percentages.
  std::vector<double> points(Text text) const {
    std::vector<double> all;
    if (text.empty()) return all;
    for (const Text each : split(text, ' ')) {
      const auto quotient = both(each, "/");
      all.push_back(quotient ? quotient->from / quotient->to : number(each) / 100);
    }
    return all;
  }

  void add_errors(AccuracyRow& row, Text column, Text text, const std::vector<double>& at) const {
    const Quantity quantity = *find(quantities, column);
    const std::vector<Text> each = split(text, ' ');
    if (each.size() != (is_listed(quantity) ? at.size() : 1))
      fail(text, is_listed(quantity) ? "a list as long as that of column at" : "one error");
    double before = 0;
    for (std::size_t i = 0; i < each.size(); ++i) {
      const Range error = percent(each[i], before);
      row.errors.push_back({quantity, is_listed(quantity) ? at[i] : 0, error.from, error.to});
      before = error.to;
    }
  }

  /// The simulated saturation load is in the middle of the largest stable load and the smallest unstable one.
  void add_saturation(AccuracyRow& row, double model, double stable, double unstable) const {
    const double error = model / ((stable + unstable) / 2) - 1;
    row.errors.push_back({Quantity::saturation, 0, error, error});
    row.model_saturation = model;
    row.simulated_saturation = stable;
  }

  AccuracyRow row(MeasuredModel model, Text line) const {
    const std::vector<Text> in_order = cells_of(line);
    if (in_order.size() != columns_.size())
      fail(line, "a row of " + std::to_string(columns_.size()) + " cells");
    std::map<Text, Text> cells;
    for (std::size_t i = 0; i < columns_.size(); ++i) cells[columns_[i]] = in_order[i];
    AccuracyRow row{.model = model,
                    .network = std::string(cells["network"]),
                    .settings = {},
                    .loads = loads(cells["loads"]),
                    .errors = {},
                    .measured = std::string(cells["measured"])};
    const std::vector<double> at = points(cells["at"]);
    for (std::size_t i = 0; i < columns_.size(); ++i) {
      if (in_order[i].empty()) continue;
      const auto column = setting_columns().find(columns_[i]);
      if (column != setting_columns().end())
        row.settings.push_back(setting(column->second, in_order[i]));
      else if (find(quantities, columns_[i]) != nullptr)
        add_errors(row, columns_[i], in_order[i], at);
    }
    if (!cells["saturation"].empty())
      add_saturation(row, number(cells["saturation"]), number(cells["stable"]), number(cells["unstable"]));
    if (row.network.empty() || row.measured.empty() || row.errors.empty())
      fail(line, "a row with a network, errors, and the version or date of their measurement");
    return row;
  }

  const AccuracyTable& table_;
  std::vector<Text> columns_{};
  std::size_t line_ = 0;
};

}  // namespace

std::vector<AccuracyRow> read_accuracy(const AccuracyTable& table) {
  return TableReader(table).rows();
}

const std::vector<AccuracyRow>& accuracy_rows() {
  static const std::vector<AccuracyRow> rows = [] {
    std::vector<AccuracyRow> all;
    for (const AccuracyTable& table : accuracy_tables())
      for (AccuracyRow& row : read_accuracy(table)) all.push_back(std::move(row));
    return all;
  }();
  return rows;
}

}  // namespace tailbound::answers
