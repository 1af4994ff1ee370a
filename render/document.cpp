#include <fmt/format.h>
#include <tailbound/numeric/rational.hpp>
#include <tailbound/numeric/text/plain.hpp>
#include <tailbound/render/document.hpp>
#include <tailbound/render/units.hpp>

#include <algorithm>
#include <cmath>
#include <set>
#include <stdexcept>

namespace tailbound::render {
namespace {

const Cell* find(const Cells& cells, std::string_view key) {
  const auto found =
      std::find_if(cells.begin(), cells.end(), [&](const Cell& cell) { return cell.key == key; });
  return found == cells.end() ? nullptr : &*found;
}

void require_in(const std::vector<Column>& columns, const Cells& cells, const std::string& where) {
  for (const Cell& cell : cells)
    if (std::none_of(columns.begin(), columns.end(),
                     [&](const Column& column) { return column.key == cell.key; }))
      throw std::logic_error("the layout of " + where + " has no key " + cell.key);
}

/// "+1.2 %"; a difference too small for one decimal keeps its first digit: "-0.003 %".
std::string signed_percent(double percent) {
  constexpr double shown_by_one_decimal = 0.05;
  return percent != 0 && std::abs(percent) < shown_by_one_decimal ? fmt::format("{:+.1g} %", percent)
                                                                  : fmt::format("{:+.1f} %", percent);
}

}  // namespace

Value value_of(const Cells& cells, std::string_view key) {
  const Cell* cell = find(cells, key);
  return cell == nullptr ? Value(None{}) : cell->value;
}

std::string range_in_words(const Document& document, std::string_view key) {
  if (document.results.size() == 1) {
    const Value value = value_of(document.results.front().cells, key);
    return std::holds_alternative<None>(value) ? std::string() : brief(value, document.digits);
  }
  std::optional<std::pair<double, Value>> smallest, largest;
  for (const Result& result : document.results) {
    const Value value = value_of(result.cells, key);
    const std::optional<double> size = log10_height(value);
    if (!size) continue;
    if (!smallest || *size < smallest->first) smallest = {*size, value};
    if (!largest || *size > largest->first) largest = {*size, value};
  }
  if (!smallest) return {};
  const auto text = [&](const Value& value) {
    const auto* estimate = std::get_if<Estimate>(&value);
    return estimate != nullptr ? fmt::format("{:.4g}", estimate->value)
                               : brief(value, {std::min(document.digits.count, 4)});
  };
  return range_in_words(text(smallest->second), text(largest->second));
}

std::vector<Value> values_of(const Document& document, std::string_view key) {
  std::vector<Value> values;
  for (const Result& result : document.results) values.push_back(value_of(result.cells, key));
  return values;
}

std::string constant_in_words(const Document& document, std::string_view key) {
  for (const Column& column : document.layout->inputs) {
    if (column.key != key) continue;
    const std::string text = cell_text(column, document.results.front().inputs, document.digits);
    const bool constant = std::all_of(
        document.results.begin(), document.results.end(),
        [&](const Result& result) { return cell_text(column, result.inputs, document.digits) == text; });
    if (!constant || text.empty()) continue;
    std::string unit = column.unit.empty() ? "" : " " + column.unit;
    if (text == "1" && unit.ends_with('s')) unit.pop_back();  // "1 flit"
    return fmt::format(", {} {}{}", column.heading, text, unit);
  }
  return {};
}

Headline::Headline(std::string sentence, const std::vector<Value>& quoted)
    : text_(std::all_of(quoted.begin(), quoted.end(), is_proved)
                ? capitalized(std::move(sentence))
                : "About " + uncapitalized(std::move(sentence))) {}

Headline::Headline(const std::string& name, const std::string& number, const std::string& rest,
                   const std::vector<Value>& quoted) {
  const bool symbol = name.ends_with(')'), colon = name.ends_with(':');
  if (std::all_of(quoted.begin(), quoted.end(), is_proved))
    text_ = fmt::format("{}{}{}{}.", capitalized(name), symbol ? " = " : " ", number, rest);
  else
    text_ = fmt::format("About {} is {}{}{}.", number, symbol ? "" : "the ",
                        uncapitalized(colon ? name.substr(0, name.size() - 1) : name), rest);
}

Headline Headline::without_numbers(std::string sentence, bool as_written) {
  if (!as_written) return {std::move(sentence), {}};
  Headline headline;
  headline.text_ = std::move(sentence);
  return headline;
}

Headline Headline::after(const std::string& remark) const {
  Headline longer = *this;
  if (!remark.empty()) longer.text_ = capitalized(remark) + uncapitalized(text_);
  return longer;
}

Headline Headline::then(const std::string& sentence) const {
  Headline longer = *this;
  longer.text_ += (text_.empty() ? "" : " ") + sentence;
  return longer;
}

Headline range_headline(const Document& document, const std::string& what, const std::string& unit,
                        std::vector<Value> proof) {
  const std::string& key = document.layout->quiet.front();
  for (Value& value : values_of(document, key)) proof.push_back(std::move(value));
  return {what + ":", range_in_words(document, key) + unit, "", proof};
}

void add_assumptions(Document& document) {
  std::set<std::string> assumed;
  for (const Result& result : document.results)
    for (const Cell& cell : result.cells)
      if (std::string text = assumes(cell.value); !text.empty()) assumed.insert(std::move(text));
  for (const std::string& text : assumed)
    document.notes.push_back("Proved on the assumption that " + text + ": not all were checked.");
}

void mark_stopped(Document& document, std::size_t finished, std::size_t requested) {
  document.stopped = true;
  document.stopped_after = fmt::format("{} of {} points", finished, requested);
}

Picture as_requested(const Document& document, Picture picture) {
  picture.names = document.names;
  return with_units(std::move(picture), document.scale);
}

Picture picture_of(const Document& document, std::size_t max_curves, bool with_headline) {
  if (!document.picture) throw NoAnswer("there is nothing to draw");
  Picture picture = as_requested(document, document.picture());
  if (with_headline && !document.headline.empty())
    picture.note = document.headline.text() + (picture.note.empty() ? "" : " " + capitalized(picture.note));
  const auto add_note = [&](const std::string& text) {
    picture.note += (picture.note.empty() ? "" : picture.note.back() == '.' ? " " : "; ") + text;
  };
  // Levels and asymptotes do not count: they are not distinguished by color.
  std::size_t curves = 0;
  const std::size_t beyond = std::erase_if(
      picture.curves, [&](const Curve& curve) { return is_data(curve) && ++curves > max_curves; });
  if (beyond > 0) add_note(fmt::format("The first {} of {} curves.", max_curves, curves));
  if (document.stopped) add_note(fmt::format("STOPPED after {}: partial results.", document.stopped_after));
  return picture;
}

bool has_column(const std::vector<Column>& columns, const std::string& key) {
  return std::any_of(columns.begin(), columns.end(), [&](const Column& column) { return column.key == key; });
}

std::vector<const Column*> columns_used(const std::vector<Column>& columns,
                                        const std::vector<const Cells*>& rows) {
  std::vector<const Column*> used;
  for (const Column& column : columns)
    if (std::any_of(rows.begin(), rows.end(),
                    [&](const Cells* row) { return find(*row, column.key) != nullptr; }))
      used.push_back(&column);
  return used;
}

std::vector<const Column*> varying_inputs(const Document& document) {
  std::vector<const Column*> varying;
  for (const Column& column : document.layout->inputs) {
    const auto text = [&](const Result& result) { return brief(value_of(result.inputs, column.key)); };
    if (std::any_of(document.results.begin(), document.results.end(),
                    [&](const Result& result) { return text(result) != text(document.results.front()); }))
      varying.push_back(&column);
  }
  return varying;
}

const TableLayout& table_layout(const Layout& layout, std::string_view key) {
  const auto found = std::find_if(layout.tables.begin(), layout.tables.end(),
                                  [&](const TableLayout& table) { return table.key == key; });
  if (found == layout.tables.end())
    throw std::logic_error("the layout of " + layout.command + " has no table " + std::string(key));
  return *found;
}

std::string cell_text(const Column& column, const Cells& cells, numeric::Digits digits) {
  const Cell* cell = find(cells, column.key);
  if (cell == nullptr) return "";
  if (column.digits > 0) digits.count = std::min(digits.count, column.digits);
  Value value = cell->value;
  if (auto* computed = std::get_if<Approximation>(&value); computed != nullptr && column.digits > 0)
    computed->agreed_digits = std::min(computed->agreed_digits, column.digits);
  std::string text;
  if (const auto number = height(value); column.style == Style::percent && number)
    text = fmt::format("{:.1f} %", 100 * *number);
  else if (column.style == Style::signed_percent && number)
    text = signed_percent(100 * *number);
  else if (const auto* model = std::get_if<Model>(&value); model != nullptr && column.digits > 0)
    text = fmt::format("{:.{}g}", model->value, column.digits);
  else if (const auto* input = std::get_if<Given>(&value);
           input != nullptr && column.digits > 0 &&
           brief(value).size() > static_cast<std::size_t>(column.digits) + 2)
    text = numeric::plain(numeric::nearest_double(input->value), column.digits);
  else
    text = brief(value, digits);
  return text + cell->mark;
}

std::string heading_with_unit(const Column& column) {
  return column.unit.empty() ? column.heading : fmt::format("{} [{}]", column.heading, column.unit);
}

bool right_aligned(const Column& column) {
  return column.shape == Shape::whole || column.shape == Shape::slots || column.shape == Shape::given ||
         column.shape == Shape::model || column.style == Style::percent ||
         column.style == Style::signed_percent;
}

void require_known_keys(const Document& document) {
  const Layout& layout = *document.layout;
  for (const Result& result : document.results) {
    require_in(layout.inputs, result.inputs, layout.command + " (inputs)");
    require_in(layout.results, result.cells, layout.command + " (results)");
    for (const Rows& rows : result.tables) {
      const TableLayout& table = table_layout(layout, rows.key);
      if (rows.size > 0) require_in(table.columns, rows.row(0), layout.command + " (" + rows.key + ")");
    }
  }
}

}  // namespace tailbound::render
