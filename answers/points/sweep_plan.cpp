#include <tailbound/answers/points/sweep_plan.hpp>
#include <tailbound/network/reading/file_text.hpp>
#include <tailbound/numeric/rational.hpp>
#include <tailbound/numeric/text/number_list.hpp>
#include <tailbound/numeric/text/plain.hpp>
#include <tailbound/run/store/checksum.hpp>

#include <toml++/toml.h>

#include <algorithm>
#include <unordered_set>

namespace tailbound::answers {
namespace {

using network::FileText;
using network::in_quotes;
using network::Place;

Place begin_of(const toml::source_region& region) {
  return {region.begin.line, region.begin.column};
}
Place begin_of(const toml::node& node) {
  return begin_of(node.source());
}

bool is_printable(std::string_view text) {
  return std::all_of(text.begin(), text.end(), [](char c) { return static_cast<unsigned char>(c) >= 0x20; });
}

std::string for_a_shell(const std::string& text) {
  if (text.find_first_of(" '\"\\$`;&|<>()*?[]#~!{}") == std::string::npos) return text;
  std::string quoted = "'";
  for (const char c : text) quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return quoted + "'";
}

/// An option and its values.
struct Axis {
  std::string option;
  std::vector<std::string> values;
  bool list = false;
};

class Reader {
 public:
  Reader(std::string_view text, const std::string& name) : file_(text, name) {}

  [[nodiscard]] SweepPlan read() {
    const toml::table root = parse();
    for (const auto& [key, node] : root)
      if (key.str() != "query" && key.str() != "picture")
        file_.fail(begin_of(key.source()),
                   "a plan has no key " + in_quotes(key.str()) + "; it has [[query]] tables and [picture]");
    const toml::array* queries = root["query"].as_array();
    if (queries == nullptr || queries->empty() || !queries->is_array_of_tables())
      file_.fail({1, 1}, "a plan has one or more [[query]] tables");
    for (const toml::node& query : *queries) add_query(*query.as_table());
    if (const toml::node* picture = root.get("picture")) read_picture(*picture);
    return std::move(plan_);
  }

 private:
  [[nodiscard]] toml::table parse() const {
    network::check_toml_shape(file_);
    try {
      return toml::parse(file_.text());
    } catch (const toml::parse_error& error) {
      file_.fail(begin_of(error.source()), std::string(error.description().substr(0, 300)));
    }
  }

  void read_picture(const toml::node& node) {
    if (!node.is_table()) file_.fail(begin_of(node), "[picture] is a table");
    for (const auto& [key, value] : *node.as_table()) {
      const auto* text = value.as_string();
      if (text == nullptr) file_.fail(begin_of(value), "it must be the name of a column in double quotes");
      if (key.str() == "x")
        plan_.x = text->get();
      else if (key.str() == "y")
        plan_.y = text->get();
      else
        file_.fail(begin_of(key.source()),
                   "[picture] has no key " + in_quotes(key.str()) + "; its keys are x, y");
    }
  }

  /// A number as written in the file, so that it is read exactly.
  [[nodiscard]] std::string token(Place place) const {
    std::string_view text = file_.text();
    for (std::size_t line = 1; line < place.line; ++line) text.remove_prefix(text.find('\n') + 1);
    const auto step = [&text] {
      do text.remove_prefix(1);
      while (!text.empty() && (static_cast<unsigned char>(text.front()) & 0xC0) == 0x80);
    };
    for (std::size_t column = 1; column < place.column; ++column) step();
    std::string digits(text.substr(0, text.find_first_of(" \t\r\n,]}#")));
    std::erase(digits, '_');
    return digits;
  }

  /// One value in command-line form; nothing for a flag that is not set.
  [[nodiscard]] std::optional<std::string> value_of(const toml::node& node) const {
    if (const auto* flag = node.as_boolean())
      return flag->get() ? std::optional(std::string()) : std::nullopt;
    if (node.is_number()) return token(begin_of(node));
    const auto* text = node.as_string();
    if (text == nullptr)
      file_.fail(begin_of(node),
                 "an option is a number, text in double quotes, true or false, or a list of these");
    if (text->get().empty() || !is_printable(text->get()))
      file_.fail(begin_of(node), "the text of an option is empty, or has control characters");
    return text->get();
  }

  /// An entry of a list: a value, or the numbers of a range.
  void add_entry(Axis& axis, const toml::node& node) const {
    std::optional<std::string> value = value_of(node);
    if (!value || value->empty()) file_.fail(begin_of(node), "a list has numbers and texts");
    if (std::count(value->begin(), value->end(), ':') == 2 && value->find(',') == std::string::npos) {
      try {
        for (const numeric::Rational& number :
             numeric::parse_percent_list(*value, axis.option, max_sweep_points))
          axis.values.push_back(numeric::plain(number));
        return;
      } catch (const InvalidArgument& error) {
        file_.fail(begin_of(node), error.what());
      }
    }
    axis.values.push_back(*std::move(value));
  }

  /// Options in the order of the file; the table is sorted differently.
  [[nodiscard]] std::vector<Axis> axes_of(const toml::table& table) const {
    std::vector<std::pair<const toml::key*, const toml::node*>> keys;
    for (const auto& [key, node] : table) keys.emplace_back(&key, &node);
    std::sort(keys.begin(), keys.end(), [](const auto& a, const auto& b) {
      const auto place = [](const toml::key* key) {
        return std::pair(key->source().begin.line, key->source().begin.column);
      };
      return place(a.first) < place(b.first);
    });
    std::vector<Axis> axes;
    for (const auto& [key, node] : keys) {
      if (key->str() == "command") continue;
      Axis axis{.option = "--" + std::string(key->str()), .values = {}};
      std::replace(axis.option.begin(), axis.option.end(), '_', '-');
      if (std::any_of(axes.begin(), axes.end(), [&](const Axis& one) { return one.option == axis.option; }))
        file_.fail(begin_of(key->source()), axis.option + " is given twice");
      if (const toml::array* list = node->as_array()) {
        axis.list = true;
        if (list->empty()) file_.fail(begin_of(*node), "the list is empty");
        for (const toml::node& entry : *list) add_entry(axis, entry);
      } else if (std::optional<std::string> value = value_of(*node)) {
        axis.values.push_back(*std::move(value));
      } else {
        continue;
      }
      axes.push_back(std::move(axis));
    }
    return axes;
  }

  void add_query(const toml::table& table) {
    const auto* run_point = table["command"].as_string();
    if (run_point == nullptr)
      file_.fail(begin_of(table), "a [[query]] needs the key \"command\", such as \"buffer\"");
    const std::vector<Axis> axes = axes_of(table);
    SweepPoint point{.query = run_point->get(), .options = {}, .swept = {}};
    for (const Axis& axis : axes)
      if (axis.list) point.swept.push_back(axis.option);
    double all = 1;
    for (const Axis& axis : axes) all *= static_cast<double>(axis.values.size());
    if (all > static_cast<double>(max_sweep_points))
      throw LimitExceeded("a [[query]] has more than 1000000 points");
    std::vector<std::size_t> place(axes.size(), 0);
    while (true) {
      point.options.clear();
      for (std::size_t i = 0; i < axes.size(); ++i)
        point.options.emplace_back(axes[i].option, axes[i].values[place[i]]);
      if (met_.insert(point.key()).second) plan_.points.push_back(point);
      if (plan_.points.size() > max_sweep_points)
        throw LimitExceeded("the plan has more than 1000000 points");
      std::size_t last = axes.size();
      while (last > 0 && ++place[last - 1] == axes[last - 1].values.size()) place[--last] = 0;
      if (last == 0) return;
    }
  }

  FileText file_;
  SweepPlan plan_;
  std::unordered_set<std::string> met_;
};

}  // namespace

std::string SweepPoint::in_words() const {
  std::string words = query;
  for (const auto& [name, text] : options)
    words += " " + name + (text.empty() ? "" : " " + for_a_shell(text));
  return words;
}

std::string SweepPoint::key() const {
  SweepPoint sorted = *this;
  std::sort(sorted.options.begin(), sorted.options.end());
  return sorted.in_words();
}

SweepPlan read_sweep_plan(std::string_view text, const std::string& name) {
  return Reader(text, name).read();
}

std::string mark_of(std::string_view content) {
  constexpr std::string_view letters = "0123456789abcdef";
  std::string mark;
  for (std::uint64_t sum = run::checksum(content), i = 0; i < 16; ++i, sum <<= 4U)
    mark += letters[sum >> 60U];
  return mark;
}

}  // namespace tailbound::answers
